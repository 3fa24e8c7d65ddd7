// A dialog over the page: a title, a button that closes it, and what it is about.

import { el } from "./dom.js";
import { t } from "./words.js";

/** Makes a dialog and puts it into the page, closed. A click beside it closes it too. */
export function sheet(id, title, ...children) {
  const labelled = `${id}-title`;
  const close = () => dialog.close();
  const dialog = el("dialog", { id, class: "sheet", "aria-labelledby": labelled },
    el("div", { class: "top" }, el("h2", { id: labelled }, title), el("span", { class: "fill" }),
      el("button", { type: "button", class: "icon", "aria-label": t("Close"), onclick: close }, "×")),
    ...children);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  return dialog;
}
