// What the reader has chosen about the page: kept by the browser, read by whoever needs it.

const KEY = "settings";

/** Reads what is kept; what is damaged of it counts as not there. */
function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY));
    return kept && typeof kept === "object" ? kept : {};
  } catch {
    // Not there, not allowed, or no JSON.
    return {};
  }
}

const kept = read();

/** Returns what is chosen, if it is among the values; else the first of these. */
export function setting(name, values) {
  return values.includes(kept[name]) ? kept[name] : values[0];
}

/** Returns what is kept under a name, whatever it is. */
export const chosen = (name) => kept[name];

/** Keeps a choice and tells it to the page by an event of the window, `setting`. */
export function choose(name, value) {
  kept[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  dispatchEvent(new CustomEvent("setting", { detail: name }));
}

/** Calls `handler` now and whenever a setting is chosen anew. */
export function onSetting(name, handler) {
  handler();
  addEventListener("setting", ({ detail }) => detail === name && handler());
}
