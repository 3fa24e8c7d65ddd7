// The table of what was played in the position.

import { byId, count, el, percent, resultBar } from "./dom.js";
import { shown } from "./letters.js";
import { sign } from "./nags.js";
import { openingName, t } from "./words.js";

const ROWS = 12;
const NUMBERS = ["averageRating", "performance", "averageYear"];

/** By what each column sorts; what is unknown comes last. */
const COLUMNS = {
  move: ({ san }) => san.toLowerCase(),
  games: ({ games }) => games,
  score: ({ white, draws, black }) => (white + draws / 2) / (white + draws + black || 1),
  rating: ({ averageRating }) => averageRating ?? -1,
  performance: ({ performance }) => performance ?? -1,
  year: ({ averageYear }) => averageYear ?? -1,
  eco: ({ eco }) => eco ?? "~",
  book: ({ book }) => book?.share ?? -1,
};

/** What is known of no games. */
const NOTHING = {
  games: 0, white: 0, draws: 0, black: 0, ratedGames: 0,
  averageRating: null, performance: null, averageYear: null, eco: null,
};

/** Adds figures of several databases; means count by the games that they are of. */
function sum(figures) {
  if (!figures.length) return NOTHING;
  const all = { games: 0, white: 0, draws: 0, black: 0, ratedGames: 0 };
  for (const name of Object.keys(all)) {
    all[name] = figures.reduce((total, one) => total + one[name], 0);
  }
  for (const name of NUMBERS) {
    const weight = name === "averageYear" ? "games" : "ratedGames";
    const known = figures.filter((one) => one[name] !== null && one[weight] > 0);
    const weights = known.reduce((total, one) => total + one[weight], 0);
    const weighted = known.reduce((total, one) => total + one[name] * one[weight], 0);
    all[name] = weights ? weighted / weights : null;
  }
  const largest = figures.reduce((one, other) => (other.games > one.games ? other : one));
  return { ...all, eco: largest.eco };
}

/** Joins the trees of several databases. */
export function joined(trees) {
  if (trees.length === 1) return trees[0];
  const rows = new Map();
  for (const row of trees.flatMap((tree) => tree.rows)) {
    rows.set(row.san, [...(rows.get(row.san) ?? []), row]);
  }
  return {
    total: sum(trees.map((tree) => tree.total)),
    rows: [...rows.values()].map((same) => ({ ...same[0], ...sum(same) })),
  };
}

/** How much a move of a book counts: its weight, or its games. */
const heft = ({ weight, results }) => weight ?? results?.games ?? 0;

/** Adds to the rows what a book has of their moves, and rows for its other moves. */
function withBook(tree, book) {
  const moves = book?.moves ?? [];
  const all = moves.reduce((sum, move) => sum + heft(move), 0);
  const told = new Map(moves.map((move) => [move.san, { ...move, share: all ? heft(move) / all : 0 }]));
  const rows = tree.rows.map((row) => ({ ...row, book: told.get(row.san) }));
  for (const { san } of tree.rows) told.delete(san);
  const others = [...told.values()].map((move) => (
    { ...NOTHING, uci: move.uci, san: move.san, opening: null, book: move }));
  return { ...tree, rows: [...rows, ...others] };
}

/** Returns what a book says of a move, in few signs: its share, its colour, its glyph. */
function said({ share, advice, nag, priority }) {
  const first = priority === null ? null : t("priority {number}", { number: priority });
  const marks = [sign(nag), advice, first];
  return [`${Math.round(share * 100)}%`, ...marks].filter(Boolean).join(" ");
}

const whole = (value) => (value === null ? "–" : String(Math.round(value)));

export class Moves {
  /** `onPlay` is told the row that is chosen, `onPoint` the one pointed at, or null. */
  constructor(onPlay, onPoint) {
    this.onPlay = onPlay;
    this.onPoint = onPoint;
    this.body = byId("moves-body");
    this.order = { column: "games", descending: true };
    this.isLong = false;
    this.files = [];
    /** By row that is shown: where the signs of the files stand. */
    this.places = new Map();
    for (const button of byId("moves").querySelectorAll("thead button")) {
      button.addEventListener("click", () => this.sort(button.dataset.column));
    }
    byId("moves-more").addEventListener("click", () => {
      this.isLong = !this.isLong;
      this.draw();
    });
  }

  sort(column) {
    const isSame = this.order.column === column;
    const isText = column === "move" || column === "eco";
    this.order = { column, descending: isSame ? !this.order.descending : !isText };
    this.draw();
  }

  /** Shows a tree, and what an opening book has beside it, if there is one. */
  show(tree, book) {
    this.tree = withBook(tree, book);
    this.hasBook = Boolean(book);
    byId("moves-book").hidden = !book;
    byId("moves-book").title = book ? `${book.name}: ${book.format}` : "";
    const bad = book?.faults ? t("{number} entries cannot be read", { number: book.faults }) : null;
    const fault = book && (book.fault ?? bad);
    byId("moves-fault").hidden = !fault;
    byId("moves-fault").textContent = fault
      ? t("The book {name}: {fault}", { name: book.name, fault }) : "";
    this.draw();
  }

  /** Marks the moves that files have; `files` say with a `side` and their `name` which `moves`. */
  mark(files) {
    this.files = files;
    for (const [row, place] of this.places) place.replaceChildren(...this.signs(row));
  }

  /** Returns the signs of the files that have a move. */
  signs({ san }) {
    const having = this.files.filter(({ moves }) => moves?.some((own) => own.san === san));
    return having.map(({ side, name }) => {
      const title = t("in {name}", { name });
      return el("span", { class: `side ${side}`, title },
        el("span", { class: "unseen" }, ` ${title}`));
    });
  }

  sorted() {
    const { column, descending } = this.order;
    const value = COLUMNS[column];
    const rows = [...this.tree.rows].sort((one, other) => {
      const [a, b] = [value(one), value(other)];
      const order = a < b ? -1 : Number(a > b);
      return (descending ? -order : order) || other.games - one.games;
    });
    // Where games end is no move.
    return [...rows.filter(({ uci }) => uci), ...rows.filter(({ uci }) => !uci)];
  }

  draw() {
    const { total } = this.tree;
    const rows = this.sorted();
    const shown = this.isLong ? rows : rows.slice(0, ROWS);
    this.places.clear();
    this.body.replaceChildren(...shown.map((row) => this.row(row, total.games)));
    byId("moves-foot").replaceChildren(
      el("tr", {}, el("th", { scope: "row" }, t("All")), ...this.figures(total, total.games)),
    );
    const more = byId("moves-more");
    more.hidden = rows.length <= ROWS;
    more.textContent = this.isLong ? t("Fewer moves")
      : t("All {number} moves", { number: rows.length });
    for (const button of byId("moves").querySelectorAll("thead button")) {
      const isKey = button.dataset.column === this.order.column;
      const order = this.order.descending ? "descending" : "ascending";
      button.closest("th").setAttribute("aria-sort", isKey ? order : "none");
    }
  }

  figures(figures, all) {
    const cell = (name, text) => el("td", { class: `${name} number` }, text);
    return [
      cell("games", count(figures.games)),
      cell("share", percent(figures.games, all)),
      el("td", { class: "results" }, resultBar(figures)),
      cell("rating", whole(figures.averageRating)),
      cell("performance", whole(figures.performance)),
      cell("year", whole(figures.averageYear)),
      el("td", { class: "eco" }, figures.eco ?? "–"),
      this.hasBook ? el("td", { class: "book number" }, figures.book ? said(figures.book) : "") : null,
    ].filter(Boolean);
  }

  row(row, all) {
    if (!row.uci) {
      const name = el("th", { scope: "row", class: "ends" }, t("game ends"));
      return el("tr", { class: "end" }, name, ...this.figures(row, all));
    }
    const point = () => this.onPoint(row);
    const leave = () => this.onPoint(null);
    const attributes = { type: "button", class: "san", onfocus: point, onblur: leave };
    const button = el("button", attributes, shown(row.san));
    const events = { onclick: () => this.onPlay(row), onmouseenter: point, onmouseleave: leave };
    const name = row.opening && el("span", { class: "opening" }, openingName(row.opening));
    const place = el("span", {}, ...this.signs(row));
    this.places.set(row, place);
    return el("tr", events, el("th", { scope: "row" }, button, place, name), ...this.figures(row, all));
  }
}
