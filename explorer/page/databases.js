// Which databases are searched.

import { ask } from "./api.js";
import { harm } from "./damage.js";
import { byId, count, countGames, el, woven } from "./dom.js";
import { counted, t } from "./words.js";

export class Databases {
  /** `onChoose` is told the names that are chosen, none for all. */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.list = byId("databases-list");
    this.all = [];
    /** Whether the server has told which there are. */
    this.isKnown = false;
    this.chosen = [];
  }

  /** Asks what there is; searches tell when the server is gone. */
  async load() {
    const answer = await ask("databases", "/api/databases", {}).catch(() => null);
    if (!answer) return;
    this.all = answer.databases;
    this.isKnown = true;
    byId("databases").hidden = this.all.length < 2;
    const all = { type: "button", id: "databases-all", class: "quiet", onclick: () => this.some([]) };
    this.list.replaceChildren(el("button", all, t("All of them")),
      ...this.all.map((one) => this.line(one)));
    this.mark(this.chosen);
    byId("databases-hint").replaceChildren(...this.hint(answer.sample));
  }

  /** Returns what to do as long as no database of one's own is open. */
  hint(isSample) {
    if (isSample) {
      const games = this.all.reduce((sum, one) => sum + one.games, 0);
      const text = t("These {number} famous games are part of tabiya: no database was found in the "
        + "usual folders. To see yours, run {command} with their folder or files.",
      { number: count(games) });
      return woven(text, { command: el("code", {}, "tabiya explore") });
    }
    return this.all.length ? [] : [t("“Open…” lists the databases of your folders.")];
  }

  line({ name, games, damaged, notes }) {
    const only = {
      type: "button", class: "quiet", "aria-label": t("Only {name}", { name }),
      onclick: () => this.some([name]),
    };
    return el("div", { class: "database" },
      el("label", { class: "tick", title: [...notes, harm(damaged)].filter(Boolean).join("\n") },
        el("input", { type: "checkbox", value: name, onchange: () => this.choose() }),
        el("span", { class: "name" }, name), el("span", { class: "soft" }, count(games))),
      el("button", only, t("only")));
  }

  /** Chooses some, none for all. */
  some(names) {
    this.mark(names);
    this.onChoose(names);
  }

  /** Shows which are chosen. */
  mark(chosen) {
    this.chosen = chosen;
    const isChosen = (name) => !chosen.length || chosen.includes(name);
    for (const box of this.list.querySelectorAll("input")) box.checked = isChosen(box.value);
    const these = this.all.filter(({ name }) => isChosen(name));
    const games = these.reduce((sum, one) => sum + one.games, 0);
    const number = these.length;
    const name = number === 1 ? these[0].name
      : counted(number, "{number} database", "{number} databases", { number });
    for (const place of ["databases-chosen", "databases-only"]) {
      const told = [name, el("span", { class: "of-games" }, `, ${countGames(games)}`)];
      const none = this.isKnown ? [t("No database is open")] : [];
      byId(place).replaceChildren(...(these.length ? told : none));
    }
    // Of files that are cut short or lack others, answers are of fewer games.
    byId("databases-notes").textContent = these.flatMap(({ notes }) => notes).join(" ");
  }

  choose() {
    const boxes = [...this.list.querySelectorAll("input")];
    const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
    // None is no choice, and all are the usual one.
    if (chosen.length) this.onChoose(chosen.length === boxes.length ? [] : chosen);
    else this.mark(this.chosen);
  }
}
