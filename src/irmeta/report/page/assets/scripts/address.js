// What is shown stands in the page's address, so that a link shows the same: a key for each part, and its settings.
const address = new URLSearchParams(globalThis.location?.search);

// The settings of a part, as texts by name; those that nobody changed are not there.
export function recalled(part) {
  const own = [...address].filter(([key]) => key.startsWith(`${part}.`));
  return Object.fromEntries(
    own.map(([key, value]) => [key.slice(part.length + 1), value]),
  );
}

export function remember(part, settings) {
  for (const [name, value] of Object.entries(settings)) {
    if (value) address.set(`${part}.${name}`, value);
    else address.delete(`${part}.${name}`);
  }
  const query = address.toString();
  const start = query ? `?${query}` : location.pathname;
  history.replaceState(null, "", start + location.hash);
}
