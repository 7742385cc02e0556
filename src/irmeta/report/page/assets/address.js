// What is shown stands in the page's address, so that a link shows the same: a key for each part, and its settings.
const address = new URLSearchParams(location.search);

/** The settings of a part, as texts by name; those that nobody changed are not there. */
function recalled(part) {
  const start = `${part}.`;
  return Object.fromEntries([...address].filter(([key]) => key.startsWith(start)).map(([key, value]) => [key.slice(start.length), value]));
}

function remember(part, settings) {
  for (const [name, value] of Object.entries(settings)) {
    if (value) address.set(`${part}.${name}`, value);
    else address.delete(`${part}.${name}`);
  }
  const query = address.toString();
  history.replaceState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
}
