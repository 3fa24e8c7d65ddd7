// The tags of the game on the analysis board, in a form. What was typed there is taken by its button,
// and by whatever takes the game elsewhere: nobody leaves a form on purpose.

import { el } from "./dom.js";
import { t } from "./words.js";

/** Tags, what people call them, and how long they may be. */
const FIELDS = [
  ["White", t("White")], ["WhiteElo", t("White’s rating")], ["Black", t("Black")],
  ["BlackElo", t("Black’s rating")], ["Event", t("Event")], ["Site", t("Site")],
  ["Date", t("Date")], ["Round", t("Round")],
];
const LENGTH_MAX = 200;
const RESULTS = ["*", "1-0", "0-1", "1/2-1/2"];
/** What can be read as a date or a rating; other fields take any text. */
const PATTERNS = { Date: "(\\d{4}|\\?{4})(\\.(\\d\\d|\\?\\?)){0,2}", WhiteElo: "\\d{1,4}", BlackElo: "\\d{1,4}" };
const HINTS = { Date: t("2026.05.17, or 2026") };

export class Details {
  constructor(analysis) {
    this.analysis = analysis;
    const id = (name) => `tag-${name.toLowerCase()}`;
    this.inputs = FIELDS.map(([name]) => el("input", {
      type: "text", id: id(name), name, maxlength: LENGTH_MAX, autocomplete: "off",
      pattern: PATTERNS[name], placeholder: HINTS[name], title: HINTS[name],
    }));
    const options = RESULTS.map((value) => el("option", { value }, value));
    this.result = el("select", { id: "tag-result" }, ...options);
    const rows = FIELDS.map(([name, label], index) =>
      el("div", {}, el("label", { for: id(name) }, label), this.inputs[index]));
    const ways = {
      id: "details-form", onsubmit: (event) => this.set(event), oninput: () => { this.isTyped = true; },
    };
    this.form = el("form", ways, ...rows,
      el("div", {}, el("label", { for: "tag-result" }, t("Result")), this.result),
      el("button", { type: "submit", class: "main" }, t("Set")));
    this.place = el("details", { id: "details", ontoggle: () => this.show() },
      el("summary", {}, t("Players, event, result")), this.form);
    this.fill();
  }

  /** Shows the tags of the game, unless others have been typed for it. */
  show() {
    const { tags, result } = this.analysis.now.game;
    if (!this.isTyped || this.tags !== tags || this.before !== result) this.fill();
  }

  fill() {
    const { tags, result } = this.analysis.now.game;
    Object.assign(this, { tags, before: result, isTyped: false });
    const known = new Map(tags);
    for (const input of this.inputs) {
      const value = known.get(input.name) ?? "";
      input.value = /^[?.]*$/.test(value) ? "" : value;
    }
    this.result.value = result;
  }

  /** Takes what was typed. Returns whether all of it can be read; if not, the form shows what. */
  take() {
    this.show();
    if (!this.isTyped) return true;
    if (!this.form.checkValidity()) {
      this.place.open = true;
      this.form.reportValidity();
      return false;
    }
    const values = this.inputs.map(({ name, value }) => [name, value.trim()]);
    this.analysis.describe(Object.fromEntries(values), this.result.value);
    this.fill();
    return true;
  }

  set(event) {
    event.preventDefault();
    this.take();
    this.place.open = false;
    this.place.querySelector("summary").focus();
  }
}
