// What is shown stands in the page's address, so that a link shows the same: a key for each part, and its settings.
const address = new URLSearchParams(globalThis.location?.search);

// The settings of a part, as texts by name; those that nobody changed are not there.
export function recalled(part) {
  const settings = {};
  const start = `${part}.`;
  for (const [key, value] of address) {
    if (!key.startsWith(start)) continue;
    const name = key.slice(start.length);
    settings[name] = value;
  }
  return settings;
}

export function remember(part, settings) {
  for (const [name, value] of Object.entries(settings)) {
    const key = `${part}.${name}`;
    if (value) address.set(key, value);
    else address.delete(key);
  }
  const query = address.toString();
  const start = query ? `?${query}` : location.pathname;
  replaceAddress(start + location.hash);
}

// Change the address without a visit; some viewers of files do not allow it.
export function replaceAddress(url) {
  try {
    history.replaceState(null, "", url);
  } catch {
    // the page works without it, but has no link to what it shows
  }
}
