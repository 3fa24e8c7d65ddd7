// Joins what a reader does with games beyond reading them: similar positions, novelties, marks and
// lists, pictures, folds.

import { MINE } from "./analysis.js";
import { address } from "./api.js";
import { byId } from "./dom.js";
import * as lists from "./lists.js";
import { Marks, question } from "./marks.js";
import { Novelty } from "./novelty.js";
import { Similar, likeness } from "./similar.js";
import { fill } from "./waiting.js";
import { t } from "./words.js";

/** What leaves a list that is not that of the explored position, by what changes. */
const LEAVING = [
  [["play", "fen"], { like: "", other: false, list: "" }],
  [["q", "db", "variations", "sort"], { list: "" }],
];

/** Returns a change of the address with what follows from it. */
export function following(changes) {
  const leaving = LEAVING.filter(([names]) => names.some((name) => name in changes));
  return Object.assign({}, ...leaving.map(([, change]) => change), changes);
}

export class Work {
  /** `page`: see the modules that use it. */
  constructor(page) {
    this.page = page;
    page.asked = () => this.question;
    page.update = () => this.fill(this.question, this.show);
    this.similar = new Similar(page);
    this.novelty = new Novelty(page);
    this.marks = new Marks(page);
    byId("picture").addEventListener("click", () => this.draw());
    byId("fold-all").addEventListener("click", () => page.game.foldAll());
    byId("solution").addEventListener("click", () => page.game.reveal(page.game.moves.length));
  }

  /** Follows a change of the address. */
  update() {
    this.similar.update();
    this.marks.offer();
    this.marks.drawCurrent();
  }

  /** Fills the list of games: similar ones, a list of the reader's, or what a search finds. */
  fill(search, show) {
    const state = this.page.state();
    this.show = show;
    this.question = search;
    if (state.list) {
      const { games, from } = this.pageOf(state, search);
      const shown = question(games.slice(from, from + search.limit));
      fill("games", "games", "/api/games", shown, (answer) => this.showList(answer, games, from));
      return;
    }
    byId("list-note").textContent = "";
    if (state.like) {
      const { sort: _, ...rest } = search;
      this.question = { ...rest, ...likeness(state) };
    }
    fill("games", "games", "/api/search", this.question, show);
  }

  pageOf({ list }, { offset }) {
    const games = lists.find(list)?.games ?? [];
    return { games, from: offset };
  }

  /** Shows games of a list. Those that are gone, or are others now, are told. */
  showList(answer, games, from) {
    const rows = answer.games.filter(Boolean);
    const wanted = games.slice(from, from + answer.games.length);
    const others = answer.games.filter((row, index) =>
      row && lists.labelOf(row) !== wanted[index]?.label).length;
    this.show({ games: rows, total: games.length });
    const gone = answer.games.length - rows.length;
    const told = [
      gone ? t("{number} of the games on this page are not in the open databases.",
        { number: gone }) : "",
      others ? t("{number} are no longer as they were when they were marked.",
        { number: others }) : "",
    ];
    byId("list-note").textContent = told.filter(Boolean).join(" ");
  }

  /** Completes the list of games that has come. */
  listed() {
    this.novelty.close();
    this.similar.listed();
    this.marks.listed();
  }

  /** Follows a game that has been opened. */
  opened() {
    this.marks.draw();
    if (this.told === this.page.game.game.id) return;
    this.told = this.page.game.game.id;
    this.novelty.opened();
  }

  /** Lets the link to the picture mean what the board shows. */
  draw() {
    const { position, flipped } = this.page.board;
    const last = position.last === "0000" ? null : position.last ?? null;
    const side = flipped ? "black" : "white";
    byId("picture").href = address("/api/diagram", { fen: position.fen, last, side });
  }

  /** Tells whether a key means something here, and does it. */
  key(event) {
    const { game, games, state } = this.page;
    const isOpen = Boolean(state().game);
    const key = event.key.toLowerCase();
    if (state().game === MINE) {
      if (key === "v") game.fold();
      return key === "v";
    }
    if (key === "m") return this.markByKey(event.target, isOpen);
    if (!isOpen) return false;
    if (key === "n" || key === "p") {
      const step = key === "n" ? 1 : -1;
      if (games.hasBeside(step)) games.openBeside(step);
    } else if (key === "v") {
      game.fold();
    } else {
      return false;
    }
    return true;
  }

  markByKey(target, isOpen) {
    const { body, rows } = this.page.games;
    const index = [...body.children].findIndex((row) => row.contains(target));
    const row = isOpen ? this.marks.current() : rows[index];
    this.marks.toggle(row);
    return Boolean(row);
  }
}
