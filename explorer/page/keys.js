// Keys that work on the whole page: not while something is typed, and not in a dialog.

// Until the next frame the focus stays within a dialog that was just closed.
const TYPED = "input:not([type=checkbox]), select, textarea, dialog[open], [contenteditable]";

/** Calls `handler` when a key is pressed that nothing else is meant by. */
export function onKey(key, handler) {
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== key || event.defaultPrevented || event.repeat) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.(TYPED)) return;
    event.preventDefault();
    handler();
  });
}

const POPOVERS = "header details[open], details.language[open]";

/** Closes what is open over the page: by Escape, or when the reader goes elsewhere. */
export function closeByLeaving() {
  const leave = (event) => {
    for (const part of document.querySelectorAll(POPOVERS)) {
      if (!part.contains(event.target)) part.open = false;
    }
  };
  addEventListener("pointerdown", leave);
  addEventListener("focusin", leave);
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.target.closest?.("dialog")) return;
    for (const part of document.querySelectorAll(POPOVERS)) {
      const hadFocus = part.contains(document.activeElement);
      part.open = false;
      if (hadFocus) part.querySelector("summary").focus();
    }
  });
}
