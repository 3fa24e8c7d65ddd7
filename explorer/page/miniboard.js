// A small board that shows what a line of moves leads to, beside the move that is pointed at.

import { FILES, men } from "./board.js";
import { el, svg } from "./dom.js";
import { picture } from "./sets.js";

/** Pixels between the small board and what it belongs to, or a side of the window. */
const GAP = 8;

const SQUARES = [...Array(64).keys()].map((place) => [place % 8, Math.floor(place / 8)]);
const DARK = SQUARES.filter(([x, y]) => (x + y) % 2)
  .map(([x, y]) => `M${x} ${y}h1v1h-1z`).join("");

/** Castles: the king goes to its own rook, as in Chess960, or two files on. */
function castle(placed, king, from, to) {
  const rank = from[1];
  const isShort = FILES.indexOf(to[0]) > FILES.indexOf(from[0]);
  const rook = king === "K" ? "R" : "r";
  const corner = placed.get(to) === rook ? to : `${isShort ? "h" : "a"}${rank}`;
  placed.delete(from);
  placed.delete(corner);
  placed.set(`${isShort ? "g" : "c"}${rank}`, king);
  placed.set(`${isShort ? "f" : "d"}${rank}`, rook);
}

/** Plays a legal move, in UCI, among men on their squares. */
function play(placed, uci) {
  const [from, to] = [uci.slice(0, 2), uci.slice(2, 4)];
  const man = placed.get(from);
  if (!man) return;
  const files = Math.abs(FILES.indexOf(from[0]) - FILES.indexOf(to[0]));
  const isOwnRook = placed.get(to) === { K: "R", k: "r" }[man];
  if ("Kk".includes(man) && (isOwnRook || files > 1)) {
    castle(placed, man, from, to);
    return;
  }
  // A pawn that takes where nobody stands takes the one that it has passed.
  if ("Pp".includes(man) && files && !placed.has(to)) placed.delete(to[0] + from[1]);
  placed.delete(from);
  const promoted = uci[4] && (man === "P" ? uci[4].toUpperCase() : uci[4]);
  placed.set(to, promoted || man);
}

/** Returns the men after a line of moves. */
export function after(fen, line) {
  const placed = men(fen);
  for (const uci of line) play(placed, uci);
  return placed;
}

export class MiniBoard {
  /** `board` is the one whose side and position this follows. */
  constructor(board) {
    this.board = board;
    this.root = el("div", { id: "mini-board", "aria-hidden": "true", hidden: true });
    document.body.append(this.root);
    addEventListener("scroll", () => this.hide(), { capture: true, passive: true });
  }

  hide() {
    this.root.hidden = true;
  }

  /** Shows the position after a line, whose last move is marked, above or below an element. */
  show(fen, line, beside) {
    const place = (square) => {
      const [x, y] = [FILES.indexOf(square[0]), 8 - Number(square[1])];
      return this.board.flipped ? { x: 7 - x, y: 7 - y } : { x, y };
    };
    const last = [line.at(-1).slice(0, 2), line.at(-1).slice(2, 4)];
    const one = { width: 1, height: 1 };
    this.root.replaceChildren(svg("svg", { viewBox: "0 0 8 8" },
      svg("rect", { class: "light", width: 8, height: 8 }), svg("path", { class: "dark", d: DARK }),
      ...last.map((square) => svg("rect", { class: "last", ...place(square), ...one })),
      ...[...after(fen, line)].map(([square, man]) =>
        svg("image", { href: picture(man), ...place(square), ...one }))));
    this.root.hidden = false;
    this.put(beside.getBoundingClientRect());
  }

  /** Keeps the small board within the window and off what it belongs to. */
  put({ left, top, bottom }) {
    const { offsetWidth: width, offsetHeight: height } = this.root;
    const isBelow = bottom + GAP + height <= innerHeight || top < height + GAP;
    this.root.style.top = `${isBelow ? bottom + GAP : top - GAP - height}px`;
    this.root.style.left = `${Math.max(GAP, Math.min(left, innerWidth - GAP - width))}px`;
  }
}
