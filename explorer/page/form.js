// The form for common questions. It shows the query that it makes.

import { ask } from "./api.js";
import { Combobox, nameAndDetail } from "./combobox.js";
import { byId, el } from "./dom.js";
import { ENDINGS, EVENTS, question } from "./question.js";
import { t } from "./words.js";

const ITEMS = 8;

/** Names of pawn structures; others are written as the query language has them. */
const STRUCTURES = {
  iqp: t("Isolated queen’s pawn"), "hanging-pawns": t("Hanging pawns"), carlsbad: t("Carlsbad"),
  maroczy: t("Maroczy"), hedgehog: t("Hedgehog"), stonewall: t("Stonewall"), french: t("French"),
  benoni: t("Benoni"), "kings-indian": t("Kings indian"), scheveningen: t("Scheveningen"),
  dragon: t("Dragon"), boleslavsky: t("Boleslavsky"),
};

/** A field with a name above it. */
const field = (name, control, kind = "") => el("label", { class: `field ${kind}` },
  el("span", {}, name), control);

const choice = (id, options) => el("select", { id },
  options.map(([value, text]) => el("option", { value }, text)));

const number = (id, name, most) => el("input", {
  type: "number", id, min: 0, max: most, step: 1, inputmode: "numeric", "aria-label": name,
});

/** Two fields for the bounds of one thing. */
const between = (name, [from, fromName], [to, toName], most) =>
  el("div", { class: "field pair", role: "group", "aria-label": name }, el("span", {}, name),
    number(from, fromName, most), el("span", { class: "soft", "aria-hidden": "true" }, t("to")),
    number(to, toName, most));

export class Form {
  /** `search` is told the query, `add` one that joins the filter, which `filter` returns. */
  constructor({ db, search, add, filter }) {
    Object.assign(this, { db, search, add, filter });
    /** Names that were chosen from the list: they are whole. */
    this.whole = new Map();
    this.dialog = el("dialog", { id: "form", class: "tool", "aria-labelledby": "form-title" });
    document.body.append(this.dialog);
  }

  async open() {
    if (!this.dialog.firstChild) this.draw();
    this.dialog.showModal();
    byId("ask-player").focus();
    this.update();
    if (byId("ask-structure").options.length > 1) return;
    const answer = await ask("structures", "/api/complete", { q: "structure:", limit: 50 })
      .catch(() => null);
    const names = answer?.items.map(({ label }) => label) ?? [];
    const spoken = (name) => name[0].toUpperCase() + name.slice(1).replaceAll("-", " ");
    byId("ask-structure").append(...names.map((name) =>
      el("option", { value: name }, STRUCTURES[name] ?? spoken(name))));
  }

  draw() {
    const form = el("form", { id: "ask-form", method: "dialog", oninput: () => this.update() },
      el("header", {}, el("h2", { id: "form-title" }, t("Ask for games")),
        el("button", {
          type: "button", class: "icon", "aria-label": t("Close"),
          onclick: () => this.dialog.close(),
        }, "×")),
      el("div", { class: "fields" }, ...this.fields()),
      el("footer", {},
        el("p", { class: "writes" }, `${t("Query")} `,
          el("output", { id: "ask-query", class: "query" })),
        el("button", { type: "reset", id: "ask-reset", class: "quiet" }, t("Start over")),
        el("span", { class: "fill" }),
        el("button", { type: "button", id: "ask-add", onclick: () => this.run(this.add) },
          t("Add to the filter")),
        el("button", { type: "submit", id: "ask-search", class: "main" }, t("Search"))));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.run(this.search);
    });
    form.addEventListener("reset", () => setTimeout(() => {
      this.whole.clear();
      this.update();
    }));
    this.dialog.append(form);
    this.complete("ask-player", "player");
    this.complete("ask-opponent", "player");
    this.complete("ask-opening", "opening");
  }

  fields() {
    const name = (id, kind, placeholder) => this.name(id, kind, placeholder);
    return [
      field(t("Player"), name("ask-player", "player", t("any player")), "wide"),
      field(t("Colour"), choice("ask-color", [
        ["", t("either colour")], ["white", t("White")], ["black", t("Black")],
      ])),
      field(t("Opponent"), name("ask-opponent", "player", t("anybody")), "wide"),
      field(t("Result"), choice("ask-result", [
        ["", t("any")], ["won", ""], ["lost", ""], ["drawn", t("draw")],
        ["decided", t("not a draw")],
      ])),
      field(t("Opening, by name or code"),
        name("ask-opening", "opening", t("any, for instance french or B90")), "whole"),
      between(t("Years"), ["ask-year-from", t("First year")],
        ["ask-year-to", t("Last year")], 9999),
      between(t("Both rated"), ["ask-elo-from", t("Least rating of both")],
        ["ask-elo-to", t("Greatest rating of both")], 9999),
      between(t("Moves"), ["ask-moves-from", t("Least number of moves")],
        ["ask-moves-to", t("Greatest number of moves")], 999),
      field(t("Pawn structure"), choice("ask-structure", [["", t("any")]])),
      field(t("Ending"), choice("ask-ending", [["", t("any")], ...ENDINGS]), "wide"),
      field(t("In the game"), choice("ask-event", [["", t("anything")], ...EVENTS]), "whole"),
    ];
  }

  name(id, kind, placeholder) {
    return el("span", { class: "pick" },
      el("input", { type: "text", id, placeholder, maxlength: 200, "data-kind": kind }));
  }

  /** Offers the names that go on with what a field holds. */
  complete(id, kind) {
    const box = byId(id);
    new Combobox(box, {
      name: kind === "player" ? t("Players") : t("Openings"),
      ask: async (text) => {
        if (!text.trim()) return [];
        const q = `${kind}:"${text.replace(/[\\"]/g, "\\$&")}`;
        const answer = await ask(id, "/api/complete", { q, limit: ITEMS, db: this.db() });
        return answer?.items ?? null;
      },
      line: nameAndDetail,
      onChoose: ({ label }) => {
        box.value = label;
        this.whole.set(id, label);
        this.update();
      },
    });
  }

  query() {
    const text = (id) => byId(id).value.trim();
    const named = (id) => ({ text: text(id), isWhole: this.whole.get(id) === text(id) });
    return question({
      player: named("ask-player"),
      opponent: named("ask-opponent"),
      opening: named("ask-opening"),
      color: text("ask-color"),
      result: text("ask-result"),
      yearFrom: text("ask-year-from"),
      yearTo: text("ask-year-to"),
      eloFrom: text("ask-elo-from"),
      eloTo: text("ask-elo-to"),
      movesFrom: text("ask-moves-from"),
      movesTo: text("ask-moves-to"),
      structure: text("ask-structure"),
      ending: text("ask-ending"),
      event: text("ask-event"),
    });
  }

  update() {
    const hasPlayer = byId("ask-player").value.trim() || byId("ask-opponent").value.trim();
    const [, won, lost] = byId("ask-result").options;
    const isOpponent = !byId("ask-player").value.trim();
    won.text = !hasPlayer ? t("White won") : isOpponent ? t("opponent lost") : t("player won");
    lost.text = !hasPlayer ? t("Black won") : isOpponent ? t("opponent won") : t("player lost");
    const query = this.query();
    byId("ask-query").textContent = query || t("every game");
    byId("ask-add").hidden = !this.filter().trim() || !query;
  }

  run(put) {
    // A number that is none is an empty value; the browser says which.
    if (!byId("ask-form").reportValidity()) return;
    this.dialog.close();
    put(this.query());
  }
}
