// Evaluations: how they are written, and the bar beside the board that shows them.

import { byId, el } from "./dom.js";
import { t } from "./words.js";

/** How fast the chances of winning grow with an evaluation, as measured in games on lichess.org. */
const STEEPNESS = 0.00368208;
/** Evaluations from which on decimals say nothing, in hundredths of a pawn. */
const [PLAIN, PLAIN_SHORT] = [10_000, 1000];

const sign = (number) => (number > 0 ? "+" : number < 0 ? "−" : "");

/** Writes an evaluation from White's side. */
export function score({ cp, mate, bound }) {
  const limit = { lower: "≥", upper: "≤" }[bound] ?? "";
  if (mate !== null) return `${mate < 0 ? "−" : ""}#${Math.abs(mate)}`;
  return `${limit}${sign(cp)}${(Math.abs(cp) / 100).toFixed(Math.abs(cp) >= PLAIN ? 0 : 2)}`;
}

/** Writes an evaluation as PGN has it in a comment, with the depth that it comes from. */
export function command({ cp, mate, depth }) {
  const value = mate === null ? (cp / 100).toFixed(2) : `#${mate}`;
  return `[%eval ${value},${depth}]`;
}

/** Writes an evaluation as short as the bar is narrow: its side is told by where it stands. */
function figure({ cp, mate }) {
  if (mate !== null) return mate ? `#${Math.abs(mate)}` : "#";
  const tenths = Math.round(Math.abs(cp) / 10);
  return (tenths / 10).toFixed(Math.abs(cp) >= PLAIN_SHORT ? 0 : 1);
}

/** Returns White's share of the bar, from 0 to 100. */
export function share({ cp, mate, winner }) {
  if (mate !== null) return (winner ?? (mate < 0 ? "black" : "white")) === "white" ? 100 : 0;
  return 100 / (1 + Math.exp(-STEEPNESS * cp));
}

/** Returns the evaluation of a position in which the game is over. */
export function ended({ fen, check }) {
  if (!check) return { cp: 0, mate: null };
  return { cp: null, mate: 0, winner: fen.split(" ")[1] === "b" ? "white" : "black" };
}

/** Says an evaluation in words. */
function spoken(value) {
  const isWhite = share(value) > 50;
  if (value.mate === 0) return isWhite ? t("White has mated") : t("Black has mated");
  if (value.mate !== null) {
    const moves = Math.abs(value.mate);
    if (isWhite) return t("White mates in {moves}", { moves });
    return t("Black mates in {moves}", { moves });
  }
  return score({ ...value, bound: null });
}

/** Puts the board into a row in which something can stand beside it at its height. */
export function boardRow(board) {
  const row = el("div", { id: "board-row" });
  board.before(row);
  row.append(board);
}

export class EvaluationBar {
  /** Takes a narrow column beside the board, which it keeps also while nothing is shown. */
  constructor(board) {
    this.board = board;
    this.figure = el("b", {});
    this.white = el("span", { class: "white" });
    this.root = el("div", {
      id: "evaluation", role: "meter", "aria-label": t("Evaluation"), "aria-valuemin": 0,
      "aria-valuemax": 100,
    }, this.white, this.figure);
    byId("board-row").prepend(this.root);
    board.root.addEventListener("turn", () => this.turn());
    this.turn();
    this.show(null);
  }

  /** Puts White's part where White sits. */
  turn() {
    this.root.classList.toggle("flipped", this.board.flipped);
  }

  /** Shows an evaluation; nothing without one. */
  show(value) {
    this.root.classList.toggle("none", !value);
    if (!value) return;
    const part = share(value);
    this.white.style.height = `${part}%`;
    this.figure.textContent = figure(value);
    this.figure.className = part >= 50 ? "white" : "black";
    this.root.setAttribute("aria-valuenow", Math.round(part));
    this.root.setAttribute("aria-valuetext", spoken(value));
    this.root.title = spoken(value);
  }
}
