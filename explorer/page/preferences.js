// The dialog in which the reader chooses how the page looks, sounds and speaks.

import { byId, el } from "./dom.js";
import { LETTERS } from "./letters.js";
import { BOARDS, MOTIONS } from "./looks.js";
import { SETS } from "./sets.js";
import { choose, setting } from "./settings.js";
import { sheet } from "./sheet.js";
import { SOUNDS } from "./sounds.js";
import { LANGUAGES, language, t } from "./words.js";

const SETTINGS = [
  { name: "language", label: t("Language"), values: LANGUAGES, now: language, isRead: true },
  { name: "letters", label: t("Moves are written with"), values: LETTERS, isRead: true },
  { name: "board", label: t("Board"), values: BOARDS },
  { name: "men", label: t("Men"), values: SETS },
  { name: "motion", label: t("Animation"), values: MOTIONS },
  { name: "sounds", label: t("Sounds"), values: SOUNDS },
];

export class Preferences {
  constructor() {
    const label = t("Settings");
    const icon = el("button", {
      type: "button", id: "preferences-open", class: "icon", "aria-label": label, title: label,
      "aria-haspopup": "dialog", onclick: () => this.dialog.showModal(),
    }, "⚙");
    byId("theme").before(icon);
    this.dialog = sheet("preferences", label,
      el("div", { class: "choices" }, ...SETTINGS.map((one) => this.row(one))));
  }

  /** Writes one setting; what is only read when the page is opened opens it again. */
  row({ name, label, values, now, isRead = false }) {
    const id = `setting-${name}`;
    const chosen = now ?? setting(name, values.map(([value]) => value));
    const take = (event) => {
      choose(name, event.target.value);
      if (isRead) location.reload();
    };
    const options = values.map(([value, text]) =>
      el("option", { value, selected: value === chosen }, text));
    return el("div", { class: "choice" }, el("label", { for: id }, label),
      el("select", { id, onchange: take }, ...options));
  }
}
