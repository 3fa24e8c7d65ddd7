// Saving games: as PGN and CSV, which the browser takes as they come, and as a new database, which
// is made first.

import { address, download } from "./api.js";
import { byId, el, say } from "./dom.js";
import { t } from "./words.js";

const FORMATS = [
  ["pgn", "PGN"],
  ["csv", t("CSV, a table")],
  ["si5", "Scid 5 (.si5)"],
  ["si4", "Scid 4 (.si4)"],
  ["cbh", "ChessBase (.cbh)"],
  ["2cbh", "ChessBase 17 (.2cbh)"],
];
/** What is sent as it is found; others are made first, and can be waited for. */
const STREAMED = ["pgn", "csv"];

/** Lets the browser save what an address has, under its own name or this one. */
function save(href, name = "") {
  const link = el("a", { href, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
}

export class Saving {
  /** `wanted` returns the parameters of what is saved; its `name` is that of the file. */
  constructor(parent, wanted) {
    this.wanted = wanted;
    const options = FORMATS.map(([value, text]) => el("option", { value }, text));
    this.format = el("select", { id: "save-format", "aria-label": t("Format") }, ...options);
    const start = () => this.start();
    this.button = el("button", { type: "button", id: "save", onclick: start }, t("Save"));
    this.cancel = el("button", {
      type: "button", id: "save-cancel", hidden: true, onclick: () => this.control?.abort(),
    }, t("Cancel"));
    this.told = el("p", { id: "save-told", role: "status" });
    parent.append(
      el("p", { class: "soft", id: "save-what" }),
      el("div", { class: "top" }, this.format, this.button, this.cancel), this.told);
  }

  /** Says what would be saved, or that there is nothing. */
  describe(text, isNothing) {
    this.isNothing = isNothing;
    this.button.disabled = isNothing || Boolean(this.control);
    const what = byId("save-what");
    if (what.textContent === text) return;
    what.textContent = text;
    this.told.textContent = "";
  }

  async start() {
    this.busy(true);
    try {
      await this.take(this.format.value);
    } catch (fault) {
      this.tell(fault.name === "AbortError" ? t("Cancelled.")
        : t("Nothing was saved: {fault}", { fault: fault.message }));
    }
    this.busy(false);
  }

  async take(format) {
    const href = address("/api/export", { ...await this.wanted(), format });
    if (STREAMED.includes(format)) {
      save(href);
      this.tell(t("The browser saves the games as they come."));
      return;
    }
    this.tell(t("The database is being written …"));
    const { file, name } = await download(href, this.control.signal);
    const made = URL.createObjectURL(file);
    save(made, name);
    // The browser has taken it by then.
    setTimeout(() => URL.revokeObjectURL(made), 60_000);
    this.tell(t("The database is there: unpack the file that was saved."));
  }

  busy(isBusy) {
    const hasFocus = [this.button, this.cancel].includes(document.activeElement);
    this.control = isBusy ? new AbortController() : null;
    this.button.disabled = isBusy || this.isNothing;
    this.cancel.hidden = !isBusy;
    if (hasFocus) (isBusy ? this.cancel : this.button).focus();
  }

  tell(text) {
    this.told.textContent = text;
    say(text);
  }
}
