// One line of the engine: its evaluation, its moves as buttons, and what can be done with it.

import { el } from "./dom.js";
import { score } from "./evaluation.js";
import { shown } from "./letters.js";
import { moveNumber, pliesBefore } from "./plies.js";
import { t } from "./words.js";

/** Writes a text unless it is there already: what is selected or pointed at stays as it is. */
function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export class EngineLine {
  /**
   * `reader` is told what is done: `play` and `insert` with this line and a number of moves,
   * `point` with these and the button, `leave` when none is pointed at any more.
   */
  constructor(reader) {
    this.reader = reader;
    /** The moves as they are written, each with its space, its number and its button. */
    this.parts = [];
    /** The move that Tab reaches; the arrows go to the others. */
    this.cursor = 0;
    /** Whether a move was reached by key, so that arrows go over moves and not over the game. */
    this.isWalked = false;
    this.score = el("span", { class: "score" });
    this.best = el("span", { class: "best" });
    this.rest = el("span", { class: "rest" });
    this.moves = el("span", { class: "moves" }, this.best, " ", this.rest);
    this.insert = this.button("+", t("Insert the line into the game"), () => reader.insert(this));
    this.fold = this.button("▾", t("Whole line"), () => this.unfold(!this.isWhole));
    this.unfold(false);
    this.root = el("li", {}, this.score, this.moves,
      el("span", { class: "does" }, this.insert, this.fold));
    this.listen();
  }

  button(text, label, onclick) {
    const named = { "aria-label": label, title: label };
    return el("button", { type: "button", class: "quiet", ...named, onclick }, text);
  }

  listen() {
    const on = (name, handler) => this.moves.addEventListener(name, handler.bind(this));
    on("click", (event) => {
      const index = this.indexOf(event.target);
      if (index >= 0) this.reader.play(this, index + 1);
    });
    // A mouse that rests points at nothing: the moves below it may be others by now.
    on("pointermove", (event) => {
      if (event.pointerType === "mouse") this.point(this.indexOf(event.target));
    });
    on("pointerleave", () => this.reader.leave());
    on("pointerdown", () => {
      this.isWalked = false;
    });
    on("focusin", (event) => {
      this.isWalked = event.target.matches(":focus-visible");
      if (this.isWalked) this.point(this.indexOf(event.target));
    });
    on("focusout", () => this.reader.leave());
    on("keydown", this.key);
  }

  indexOf(element) {
    const button = element.closest(".san");
    return this.parts.findIndex(({ san }) => san === button);
  }

  point(index) {
    if (index < 0) this.reader.leave();
    else this.reader.point(this, index + 1, this.parts[index].san);
  }

  /** Lets the arrows go from move to move where one was reached by key. */
  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const index = this.indexOf(event.target);
    if (!step || !this.isWalked || index < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = this.parts[index + step];
    if (!next) return;
    // Moves that are cut off could not be seen.
    this.unfold(true);
    this.aim(index + step);
    next.san.focus();
  }

  /** Lets Tab reach one of the moves. */
  aim(index) {
    this.cursor = index;
    this.parts.forEach(({ san }, at) => {
      san.tabIndex = at === index ? 0 : -1;
    });
  }

  /** Shows all moves, or as many as a row takes. */
  unfold(isWhole) {
    this.isWhole = isWhole;
    this.fold.setAttribute("aria-expanded", isWhole);
    this.root?.classList.toggle("whole", isWhole);
    if (isWhole) return;
    // What is cut off is nothing to reach by Tab, which would scroll the row.
    this.aim(0);
    this.moves.scrollLeft = 0;
  }

  /** Writes a line of the engine that begins with a position. */
  set(line, fen) {
    this.line = line;
    this.fen = fen;
    const isBlack = (line.mate ?? line.cp) < 0;
    this.score.className = `score ${isBlack ? "black" : "white"}`;
    put(this.score, score(line));
    const before = pliesBefore(fen);
    line.san.forEach((san, index) => {
      const part = this.parts[index] ?? this.add(index);
      put(part.number, moveNumber(before + index, index === 0));
      put(part.san, shown(san));
    });
    while (this.parts.length > line.san.length) {
      const { space, move } = this.parts.pop();
      space.remove();
      move.remove();
    }
    this.aim(Math.min(this.cursor, this.parts.length - 1));
  }

  /** Makes room for one more move. */
  add(index) {
    const number = el("span", { class: "soft" });
    const san = el("button", { type: "button", class: "san" });
    const move = el("span", { class: "move" }, number, san);
    const space = document.createTextNode(index > 1 ? " " : "");
    (index ? this.rest : this.best).append(space, move);
    this.parts.push({ space, move, number, san });
    return this.parts.at(-1);
  }

  /** Returns the first moves of the line. */
  first(length) {
    const { uci, san } = this.line;
    return uci.slice(0, length).map((one, index) => ({ uci: one, san: san[index] }));
  }
}
