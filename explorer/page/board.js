// The board: shows a position, and lets the reader move by mouse, by touch and by keyboard. Which
// moves are legal it is told; it knows nothing of the rules.

import { coordinates } from "./coordinates.js";
import { el, svg, byId } from "./dom.js";
import { isStill } from "./looks.js";
import { KINDS, MEN, PROMOTED } from "./men.js";
import { pictured } from "./sets.js";
import { t } from "./words.js";

export const FILES = "abcdefgh";
/** Pixels after which a press is a drag. */
const DRAG_PIXELS = 4;
const SLIDE_MILLISECONDS = 160;

/** Reads the men of a FEN: a letter for each square that has one. */
export function men(fen) {
  const found = new Map();
  fen.split(" ")[0].split("/").forEach((rank, down) => {
    let file = 0;
    for (const letter of rank) {
      if (/\d/.test(letter)) file += Number(letter);
      else found.set(`${FILES[file++]}${8 - down}`, letter);
    }
  });
  return found;
}

const isWhite = (letter) => letter === letter.toUpperCase();
/** Names a square, what stands there, and whether the man in hand can go there. */
function called(square, letter, isTarget) {
  const values = { square, man: letter ? MEN[letter] : t("empty") };
  return isTarget ? t("{square}, {man}, can go here", values) : t("{square}, {man}", values);
}

/** The most squares that a move changes: castling changes four. */
const SQUARES_MAX = 4;

/** Tells whether a move, as UCI, leads from some men to others. */
function leads(move, before, after) {
  if (!move || !before.has(move.slice(0, 2)) || after.has(move.slice(0, 2))) return false;
  const squares = new Set([...before.keys(), ...after.keys()]);
  const changed = [...squares].filter((square) => before.get(square) !== after.get(square));
  return changed.length <= SQUARES_MAX;
}

export class Board {
  /** `onMove` is told the UCI of each move that is made. */
  constructor(root, onMove) {
    this.root = root;
    this.onMove = onMove;
    this.flipped = false;
    this.position = { fen: "", moves: [] };
    this.men = new Map();
    this.cursor = "e2";
    this.picked = null;
    /** Whether keys go over the squares: the board was reached by keyboard. */
    this.isWalked = false;
    this.cells = [];
    for (let rank = 0; rank < 8; rank += 1) {
      const row = el("div", { role: "row", class: "rank" });
      for (let file = 0; file < 8; file += 1) {
        const shade = (rank + file) % 2 ? "dark" : "light";
        this.cells.push(el("div", { role: "gridcell", class: `square ${shade}`, tabindex: "-1" }));
      }
      row.append(...this.cells.slice(-8));
      root.append(row);
    }
    this.edges = coordinates(root);
    this.marks = svg("g");
    this.pointer = svg("g");
    this.advice = svg("g", { class: "advice" });
    const drawing = { class: "arrows", viewBox: "0 0 8 8", "aria-hidden": "true" };
    root.append(svg("svg", drawing, this.advice, this.marks, this.pointer));
    this.listen();
  }

  listen() {
    const on = (name, handler) => this.root.addEventListener(name, handler.bind(this));
    on("pointerdown", this.press);
    on("pointermove", this.drag);
    on("pointerup", this.drop);
    on("pointercancel", this.putBack);
    on("keydown", this.key);
    const dialog = byId("promotion");
    // Not by a click: that of the tap which has opened it is still to come.
    dialog.addEventListener("pointerdown", (event) => event.target === dialog && dialog.close());
    on("focusin", (event) => {
      if (event.target.dataset.square) this.cursor = event.target.dataset.square;
      if (event.target.matches(":focus-visible")) this.isWalked = true;
      this.aim();
    });
  }

  /** Returns the square that is shown at a place, counted from the upper left. */
  squareAt(place) {
    const shown = this.flipped ? 63 - place : place;
    return `${FILES[shown % 8]}${8 - Math.floor(shown / 8)}`;
  }

  placeOf(square) {
    const place = (8 - Number(square[1])) * 8 + FILES.indexOf(square[0]);
    return this.flipped ? 63 - place : place;
  }

  cell(square) {
    return this.cells[this.placeOf(square)];
  }

  /** Returns the square under a pointer; null beside the board. */
  under(event) {
    const box = this.root.getBoundingClientRect();
    const file = Math.floor((8 * (event.clientX - box.left)) / box.width);
    const rank = Math.floor((8 * (event.clientY - box.top)) / box.height);
    const isOutside = file < 0 || file > 7 || rank < 0 || rank > 7;
    return isOutside ? null : this.squareAt(8 * rank + file);
  }

  /** Returns the legal moves from a square. */
  from(square) {
    return this.position.moves.filter(({ uci }) => uci.startsWith(square) && uci !== "0000");
  }

  /**
   * Shows a position: its `fen`, the legal `moves` as far as they are known, whether there is
   * `check`, the `last` move as UCI and as `san`, how the game has ended there (`end`, or `isEnd`
   * if no more is known of it), and `marks`: arrows and squares with colours. A move made or taken
   * back slides, unless it was dragged.
   */
  show(position) {
    const [before, { fen, last: undone }] = [this.men, this.position];
    this.position = position;
    if (position.fen === fen) {
      this.draw();
      return;
    }
    this.picked = null;
    this.men = men(position.fen);
    this.draw();
    this.root.dispatchEvent(new CustomEvent("position", { detail: position.fen }));
    const ways = [position.last, undone && undone.slice(2, 4) + undone.slice(0, 2)];
    const isWay = (way) => way && before.get(way.slice(0, 2)) === this.men.get(way.slice(2, 4))
      && !this.men.has(way.slice(0, 2));
    const way = ways.find(isWay);
    if (way && !this.dragged && !isStill()) this.slide(way);
    this.dragged = false;
    if (leads(position.last, before, this.men)) this.tellMove(before.size > this.men.size);
  }

  /** Tells by an event that a move was made: `san` if it is known, and what else can be heard. */
  tellMove(isCapture) {
    const { san, end, isEnd } = this.position;
    const detail = { san, isCapture, isEnd: Boolean(end || isEnd) };
    this.root.dispatchEvent(new CustomEvent("moved", { detail }));
  }

  turn(flipped) {
    if (this.flipped === flipped) return;
    const hasFocus = this.root.contains(document.activeElement);
    this.flipped = flipped;
    this.draw();
    this.root.dispatchEvent(new CustomEvent("turn"));
    if (hasFocus) this.refocus(this.cursor);
  }

  /** Gives a square the focus without taking this for a way by keyboard. */
  refocus(square) {
    const { isWalked } = this;
    this.cell(square).focus({ preventScroll: true });
    this.isWalked = isWalked;
  }

  draw() {
    const { last, check, fen } = this.position;
    const king = check ? (fen.split(" ")[1] === "b" ? "k" : "K") : null;
    const ends = last ? [last.slice(0, 2), last.slice(2, 4)] : [];
    const targets = this.picked ? this.from(this.picked).map(({ uci }) => uci.slice(2, 4)) : [];
    this.cells.forEach((cell, place) => {
      const square = this.squareAt(place);
      const man = this.men.get(square);
      const isTarget = targets.includes(square);
      cell.dataset.square = square;
      cell.classList.toggle("last", ends.includes(square));
      cell.classList.toggle("check", Boolean(king) && man === king);
      cell.classList.toggle("picked", square === this.picked);
      cell.classList.toggle("target", isTarget);
      cell.classList.toggle("taken", isTarget && Boolean(man));
      cell.classList.toggle("movable", this.from(square).length > 0);
      cell.setAttribute("aria-selected", square === this.picked);
      cell.setAttribute("aria-label", called(square, man, isTarget));
      this.fill(cell, square, man);
    });
    for (const { name, place, part } of this.edges) {
      const square = this.squareAt(place);
      name.textContent = square[part];
      name.classList.toggle("last", ends.includes(square));
    }
    this.marks.replaceChildren(...(this.position.marks ?? []).flatMap((mark) => this.drawn(mark)));
    this.advise(this.advised);
    this.aim();
  }

  /** Puts a man into a cell, unless it is there already: new pictures would flicker. */
  fill(cell, square, man) {
    const held = `${square}${man ?? ""}`;
    if (cell.dataset.held === held) return;
    cell.dataset.held = held;
    const face = { class: "man", ...(man && pictured(man)), alt: "", draggable: "false" };
    cell.replaceChildren(...(man ? [el("img", face)] : []));
  }

  /** Lets Tab reach the square of the cursor and no other. */
  aim() {
    this.cells.forEach((cell) => {
      cell.tabIndex = cell.dataset.square === this.cursor ? 0 : -1;
    });
  }

  /** Lets a man that has arrived come from where it was. */
  slide(uci) {
    const man = this.cell(uci.slice(2, 4)).querySelector(".man");
    if (!man) return;
    const [from, to] = [this.placeOf(uci.slice(0, 2)), this.placeOf(uci.slice(2, 4))];
    const x = 100 * ((from % 8) - (to % 8));
    const y = 100 * (Math.floor(from / 8) - Math.floor(to / 8));
    const way = [{ transform: `translate(${x}%, ${y}%)` }, { transform: "none" }];
    man.animate(way, { duration: SLIDE_MILLISECONDS, easing: "ease-out" });
  }

  /** Draws an arrow for a move that is pointed at; none without one. */
  arrow(uci) {
    const move = uci && uci !== "0000" ? [{ from: uci.slice(0, 2), to: uci.slice(2, 4) }] : [];
    this.pointer.replaceChildren(...move.flatMap((mark) => this.drawn(mark)));
  }

  /** Draws an arrow for the move that an engine would play; none without one. */
  advise(uci) {
    this.advised = uci;
    const move = uci ? [{ from: uci.slice(0, 2), to: uci.slice(2, 4) }] : [];
    this.advice.replaceChildren(...move.flatMap((mark) => this.drawn(mark)));
  }

  /** Draws an arrow between two squares, or a ring around one. */
  drawn({ from, to, color }) {
    const middle = (square) => {
      const place = this.placeOf(square);
      return [(place % 8) + 0.5, Math.floor(place / 8) + 0.5];
    };
    const [x1, y1] = middle(from);
    const look = (part) => ({ class: part, "data-color": color });
    const drawing = (name, part, shape) => svg(name, { ...look(part), ...shape });
    if (!to || to === from) return [drawing("circle", "ring", { cx: x1, cy: y1, r: 0.45 })];
    const [x2, y2] = middle(to);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const at = (along, aside) => `${x2 - along * dx - aside * dy},${y2 - along * dy + aside * dx}`;
    const shaft = `${x1 + 0.3 * dx},${y1 + 0.3 * dy}`;
    return [
      drawing("path", "shaft", { d: `M${shaft}L${at(0.4, 0)}` }),
      drawing("path", "head", { d: `M${at(0.05, 0)}L${at(0.45, 0.24)}L${at(0.45, -0.24)}z` }),
    ];
  }

  press(event) {
    const square = this.under(event);
    if (event.button !== 0 || !square) return;
    this.isWalked = false;
    this.cursor = square;
    if (this.picked && this.reach(this.picked, square)) return;
    const again = this.picked === square;
    this.picked = this.from(square).length ? square : null;
    this.draw();
    if (!this.picked) return;
    event.preventDefault();
    this.refocus(square);
    this.root.setPointerCapture(event.pointerId);
    this.held = { square, again, x: event.clientX, y: event.clientY, moved: false };
  }

  drag(event) {
    const { held } = this;
    if (!held) return;
    const [x, y] = [event.clientX - held.x, event.clientY - held.y];
    held.moved ||= Math.hypot(x, y) > DRAG_PIXELS;
    const man = this.cell(held.square).querySelector(".man");
    if (!held.moved || !man) return;
    man.classList.add("dragged");
    man.style.transform = `translate(${x}px, ${y}px)`;
    const over = this.under(event);
    this.cells.forEach((cell) => cell.classList.toggle("over", cell.dataset.square === over));
  }

  drop(event) {
    const { held } = this;
    if (!held) return;
    const square = this.under(event);
    this.putBack();
    if (held.moved) {
      this.dragged = true;
      if (square && this.reach(held.square, square)) return;
      this.dragged = false;
    }
    if (held.moved ? square !== held.square : held.again) this.picked = null;
    this.draw();
  }

  putBack() {
    this.held = null;
    this.cells.forEach((cell) => cell.classList.remove("over"));
    for (const man of this.root.querySelectorAll(".dragged")) {
      man.classList.remove("dragged");
      man.style.transform = "";
    }
  }

  key(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 };
    const step = steps[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // A man that was moved by mouse or finger leaves the focus here; the keys step on all the same.
    if (step && !this.isWalked) return;
    if (step) {
      const place = this.placeOf(this.cursor);
      const next = place + step;
      const isBeyond = Math.abs(step) === 1 && Math.floor(next / 8) !== Math.floor(place / 8);
      if (!isBeyond && next >= 0 && next < 64) this.cell(this.squareAt(next)).focus();
    } else if (event.key === "Enter" || event.key === " ") {
      this.isWalked = true;
      this.choose(this.cursor);
    } else if (event.key === "Escape" && this.picked) {
      this.picked = null;
      this.draw();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Picks up the man on a square, or puts down the one in hand. */
  choose(square) {
    if (this.picked && this.reach(this.picked, square)) return;
    this.picked = this.picked !== square && this.from(square).length ? square : null;
    this.draw();
  }

  /** Makes the move between two squares; tells whether there is one. */
  reach(from, to) {
    const moves = this.from(from).filter(({ uci }) => uci.slice(2, 4) === to);
    if (!moves.length) return false;
    this.picked = null;
    this.draw();
    if (moves.length === 1) this.onMove(moves[0]);
    else this.promote(moves, to);
    return true;
  }

  /** Asks what a pawn becomes. */
  promote(moves, square) {
    const dialog = byId("promotion");
    const side = square[1] === "8" ? (letter) => letter.toUpperCase() : (letter) => letter;
    const rank = ({ uci }) => PROMOTED.indexOf(uci[4]);
    const buttons = moves.toSorted((one, other) => rank(one) - rank(other)).map((move) => {
      const letter = side(move.uci[4]);
      const label = KINDS[move.uci[4]];
      const face = el("img", { ...pictured(letter), alt: "" });
      const take = () => {
        dialog.close();
        this.onMove(move);
      };
      const named = { "aria-label": label, title: label };
      return el("button", { type: "button", ...named, onclick: take }, face);
    });
    dialog.replaceChildren(...buttons);
    dialog.showModal();
    const box = this.root.getBoundingClientRect();
    dialog.style.left = `${box.left + box.width / 2}px`;
    dialog.style.top = `${box.top + box.height / 2}px`;
    dialog.querySelector("button").focus();
  }
}
