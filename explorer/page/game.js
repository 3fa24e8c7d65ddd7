// One game: its header and its moves with variations, comments and marks.

import { read, told } from "./comment.js";
import { curves, markCurves } from "./curves.js";
import { byId, el } from "./dom.js";
import { areFolded, foldAll, foldAt, foldable, reveal } from "./folds.js";
import { badge, day, player, result } from "./games.js";
import { shown } from "./letters.js";
import { showMedals } from "./medals.js";
import { isOfMove, meaning, sign } from "./nags.js";
import { panels } from "./panels.js";
import { moveNumber, pliesBefore } from "./plies.js";
import { isPuzzle } from "./puzzle.js";
import { choose, onSetting, setting } from "./settings.js";
import { openingName, t } from "./words.js";

/** Returns the signs of marks: how good a move is at it, the others after a space. */
const signs = (nags) => nags.filter(sign)
  .map((nag) => (isOfMove(nag) ? sign(nag) : ` ${sign(nag)}`)).join("");

/** Returns the marks that are only told in words. */
const spoken = (nags) => nags.filter((nag) => !sign(nag)).map(meaning).filter(Boolean);

/** Returns something small that stands beside a move. */
const aside = (text, { title = null, name = null } = {}) =>
  [el("span", { class: "aside", "data-kind": name, title }, text), " "];

/** Pawns by which an evaluation must change to be written again. */
const CHANGE = 0.5;

/** Pixels around the current move, and of a line of moves. */
const [MARGIN, LINE] = [12, 26];

export class Game {
  /** `onMove` is told the number of the move that is chosen, from 1. */
  constructor(onMove) {
    this.onMove = onMove;
    this.sheet = byId("notation");
    byId("clocks").addEventListener("click", () =>
      choose("clocks", this.hasClocks() ? "hidden" : "shown"));
    onSetting("clocks", () => {
      byId("clocks").setAttribute("aria-pressed", this.hasClocks());
      this.sheet.classList.toggle("clockless", !this.hasClocks());
    });
  }

  /** Tells whether the reader wants to see clocks. */
  hasClocks() {
    return setting("clocks", ["shown", "hidden"]) === "shown";
  }

  /** Takes a game of the server and writes it down. */
  show(game) {
    byId("game").classList.remove("absent");
    this.game = game;
    this.said = read(game.comment);
    this.moves = game.notation.map((move) => ({ ...move, said: read(move.comment) }));
    this.main = this.moves.flatMap((move, index) => (move.depth === 0 ? [index + 1] : []));
    // The first move of a puzzle leads to what is to be solved.
    this.shown = isPuzzle(game) ? 1 : this.moves.length;
    this.plyBefore = pliesBefore(game.start);
    this.head();
    const { damage, db } = game;
    this.damage(damage && t("This game is damaged; shown is what can be read. {damage}. "
      + "“tabiya verify {db}” lists all that is damaged.", { damage, db }));
    this.write();
    this.draw();
  }

  /** Says why a game is not shown, or not all of it. */
  damage(text) {
    byId("game-damage").textContent = text ?? "";
    byId("game-damage").hidden = !text;
  }

  /** Shows no game and nothing that could be done with one, and says why. */
  clear(title, text) {
    this.game = null;
    this.moves = [];
    this.main = [];
    this.damage(text);
    byId("game").classList.add("absent");
    byId("game-title").replaceChildren(title);
    for (const id of ["game-curves", "game-tags", "notation"]) byId(id).replaceChildren();
  }

  /** Draws evaluations and clocks of the main line. */
  draw() {
    const moves = this.main.map((at) => this.moves[at - 1]);
    const isWhite = (move) => (this.plyBefore + move.ply) % 2 === 1;
    const drawn = curves(moves, isWhite, (ply) => this.onMove(this.ofPly(ply)));
    byId("game-curves").replaceChildren(...drawn);
  }

  head() {
    const { game } = this;
    byId("game-title").replaceChildren(
      player("white", game.white, game.whiteElo),
      el("span", { class: "score" }, badge(game.result)),
      player("black", game.black, game.blackElo),
    );
    const round = game.round && game.round !== "?"
      ? t("round {number}", { number: game.round }) : null;
    const site = game.site === game.event ? null : game.site;
    const opening = game.opening && openingName(game.opening);
    const facts = [game.event, site, day(game.date), round, game.eco, opening];
    byId("game-facts").textContent = facts.filter(Boolean).join(" · ");
    byId("game-tags").replaceChildren(
      ...game.tags.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
    );
    byId("game-more").hidden = game.tags.length === 0;
    showMedals(game);
    const pgn = byId("game-pgn");
    pgn.href = `/masters/pgn/${game.id}`;
    pgn.download = `${game.db}-${game.number}.pgn`;
  }

  number(move, isFirst) {
    return moveNumber(this.plyBefore + move.ply - 1, isFirst);
  }

  /** Writes all lines; each variation becomes an element inside the line that it belongs to. */
  write() {
    const root = el("div", { class: "line main" });
    const open = [root];
    this.evaluated = new Map();
    const begun = this.remarks(this.said, root);
    if (begun.length) root.append(el("p", {}, ...begun));
    let needsNumber = true;
    this.moves.forEach((move, index) => {
      const before = this.moves[index - 1];
      const begins = move.depth > 0 && !this.continues(move, index);
      while (open.length > move.depth + (begins ? 0 : 1)) open.pop();
      if (begins) {
        const line = el("div", { class: "line variation" });
        open.at(-1).append(line);
        open.push(line);
      }
      const line = open.at(-1);
      const isFirst = needsNumber || begins || (before && before.depth !== move.depth);
      line.append(...this.remarks(read(move.before), line), this.word(move, index, isFirst), " ");
      line.append(...spoken(move.nags).flatMap((words) => aside(words)));
      line.append(...this.remarks(move.said, line));
      needsNumber = Boolean(move.said.text);
    });
    byId("clocks").hidden = !root.querySelector("[data-kind=clk], [data-kind=emt]");
    root.append(el("span", { class: "final" }, result(this.game.result)));
    this.sheet.replaceChildren(root);
    foldable(this.sheet, () => this.folded());
    this.folded();
  }

  /** Whether a move is among those of a puzzle's solution that nobody has asked for. */
  isHidden(at) {
    return at > this.shown;
  }

  /** Shows the moves of a puzzle up to one, and those that have been shown. */
  reveal(at) {
    this.shown = Math.max(this.shown, at);
    const isHidden = this.shown < this.moves.length;
    this.sheet.querySelectorAll(".ply").forEach((button, index) => {
      button.hidden = this.isHidden(index + 1);
    });
    this.sheet.querySelectorAll(".final").forEach((end) => { end.hidden = isHidden; });
    byId("solution").hidden = !isHidden;
  }

  /** Says whether a click would fold or unfold all variations, if there are some. */
  folded() {
    byId("fold-all").hidden = !this.sheet.querySelector(".variation");
    byId("fold-all").textContent = areFolded(this.sheet)
      ? t("Unfold all") : t("Fold all");
    this.leaveFolded();
  }

  /** Who is at a move that is hidden now goes back to the move before its variation. */
  leaveFolded() {
    const current = this.sheet.querySelector("[aria-current]");
    const line = current?.closest(".variation.folded");
    if (!line) return;
    const first = [...this.sheet.querySelectorAll(".ply")].indexOf(line.querySelector(".ply"));
    if (first + 1 !== this.at) this.onMove(this.back(first + 1));
  }

  foldAll() {
    foldAll(this.sheet, !areFolded(this.sheet));
    this.folded();
  }

  /** Folds or unfolds where the current move is. */
  fold() {
    foldAt(this.sheet.querySelectorAll(".ply")[this.at - 1]);
    this.folded();
  }

  /** Tells whether a move goes on with a line, perhaps after variations of the move before it. */
  continues(move, index) {
    for (let back = index - 1; back >= 0; back -= 1) {
      if (this.moves[back].depth < move.depth) return false;
      if (this.moves[back].depth === move.depth) return move.after === back;
    }
    return false;
  }

  word(move, index, isFirst) {
    const number = this.number(move, isFirst);
    const onclick = () => this.onMove(index + 1);
    const title = move.nags.map(meaning).filter(Boolean).join(", ") || null;
    return el("button", { type: "button", class: "ply", tabindex: "-1", title, onclick },
      number ? el("span", { class: "number" }, number) : null,
      `${shown(move.san)}${signs(move.nags)}`);
  }

  /** Tells whether an evaluation is news in its line: much like the one before it says nothing. */
  isNews(score, line) {
    const before = this.evaluated.get(line);
    const isNews = before === undefined || Math.abs(score - before) >= CHANGE;
    if (isNews) this.evaluated.set(line, score);
    return isNews;
  }

  /** Writes what is said at a move of a line. */
  remarks({ text, marks, beside, score }, line) {
    const words = told(marks);
    const isTold = score === null || this.isNews(score, line);
    return [
      ...beside.filter(({ name }) => name !== "eval" || isTold)
        .flatMap((one) => aside(one.text, one)),
      words ? el("span", { class: "unseen" }, words) : "",
      text ? el("span", { class: "comment" }, `${text} `) : "",
    ].filter(Boolean);
  }

  /**
   * Marks a move as the current one; 0 is the start. It comes into sight when the game is opened or
   * the move is another one than before.
   */
  mark(at, isOpened = true) {
    const isReached = isOpened || this.at !== at;
    this.at = at;
    this.reveal(at);
    const buttons = this.sheet.querySelectorAll(".ply");
    this.sheet.querySelector("[aria-current]")?.removeAttribute("aria-current");
    buttons.forEach((button, index) => {
      button.tabIndex = index === Math.max(0, at - 1) ? 0 : -1;
    });
    const current = buttons[at - 1];
    markCurves(byId("game-curves"), this.mainPly(at), this.main.length);
    current?.setAttribute("aria-current", "true");
    if (current) reveal(current);
    // Scrolls the sheet alone: the board must stay where it is.
    const { clientHeight } = this.sheet;
    this.sheet.scrollTop = current ? current.offsetTop - (clientHeight - LINE) / 2 : 0;
    // Who is elsewhere on the page, as in the list of games, stays there.
    if (current && isReached) panels.reveal(current, MARGIN);
  }

  /** Returns the number of the move after `at` in its line; the same at its end. */
  next(at) {
    const wanted = at === 0 ? null : at - 1;
    const depth = at === 0 ? 0 : this.moves[at - 1].depth;
    const found = this.moves.findIndex((move) => move.after === wanted && move.depth === depth);
    return found < 0 ? at : found + 1;
  }

  back(at) {
    return at === 0 ? 0 : (this.moves[at - 1].after ?? -1) + 1;
  }

  /** Returns the first or last move of the line that a move is in. */
  end(at) {
    let last = at;
    while (this.next(last) !== last) last = this.next(last);
    return last;
  }

  /** Returns the number of a move by its ply in the main line. */
  ofPly(ply) {
    return ply > 0 ? this.main[Math.min(ply, this.main.length) - 1] ?? 0 : 0;
  }

  /** Returns the ply of the main line at which a move, or the variation with it, begins. */
  mainPly(at) {
    return this.main.filter((number) => number <= at).length;
  }

  /** Returns the number of the first move after which the men stand as in a FEN; null if none. */
  ofPosition(fen) {
    const men = (text) => text?.split(" ").slice(0, 2).join(" ");
    const found = this.moves.findIndex((move) => men(move.fen) === men(fen));
    return found < 0 ? null : found + 1;
  }

  /** Returns how the address names a move: by ply in the main line, else by number. */
  address(at) {
    const move = this.moves[at - 1];
    if (!move || move.depth === 0) return { ply: move ? move.ply : 0, at: null };
    return { ply: null, at };
  }

  /** Returns the position after a move: its FEN, the move itself, and the marks on the board. */
  place(at) {
    const start = this.game.start ?? "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    if (at === 0) return { fen: start, last: null, marks: this.said.marks };
    const move = this.moves[at - 1];
    const isWhite = (this.plyBefore + move.ply) % 2 === 1;
    const isEnd = move.depth === 0 && this.next(at) === at && this.game.result !== "*";
    return { fen: move.fen, last: move.uci, san: move.san, isWhite, isEnd, marks: move.said.marks };
  }

  /** Returns the way to a move as the explorer's address has it. */
  way(at) {
    const play = [];
    for (let move = this.moves[at - 1]; move; move = this.moves[move.after ?? -1]) {
      play.unshift(move.uci);
    }
    const fen = this.place(at).fen;
    return play.includes("0000") ? { fen, play: [] } : { fen: this.game.start ?? "", play };
  }
}
