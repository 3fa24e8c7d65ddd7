// The board of the editor: puts signs on squares by mouse, finger and keyboard.

import { coordinates } from "./coordinates.js";
import { el, say } from "./dom.js";
import { MEN } from "./men.js";
import { BLACK, EMPTY, WHITE, sorted } from "./pattern.js";
import { pictured } from "./sets.js";
import { t } from "./words.js";

const FILES = "abcdefgh";
const DRAG_PIXELS = 5;

const named = (man) => (man === EMPTY ? t("empty") : MEN[man]);

/** What can be put on a square, by a letter each; `.` clears and `m` moves. */
export const TOOLS = {
  ...Object.fromEntries([...WHITE, ...BLACK].map((man) => [man, named(man)])),
  A: t("any white man"), a: t("any black man"), "*": t("any man"), _: t("empty square"),
  ".": t("anything: clear"), m: t("move men"),
};

/** The signs that a tool means. */
const MEANT = { A: WHITE, a: BLACK, "*": WHITE + BLACK, ".": "" };

function said(signs) {
  if (!signs) return t("anything");
  const set = Object.keys(MEANT).find((tool) => MEANT[tool] === signs);
  return set ? TOOLS[set] : [...signs].map(named)
    .reduce((one, other) => t("{one} or {other}", { one, other }));
}

export class EditorBoard {
  /** `onChange` is called after each change of the squares. */
  constructor(root, onChange) {
    Object.assign(this, { root, onChange, tool: "m", several: false, cursor: "e4", picked: null });
    this.squares = new Map();
    this.cells = new Map();
    for (let rank = 8; rank >= 1; rank -= 1) {
      const row = el("div", { role: "row", class: "rank" });
      for (const file of FILES) {
        const shade = (rank + FILES.indexOf(file)) % 2 ? "light" : "dark";
        const cell = el("div", {
          role: "gridcell", class: `square ${shade}`, tabindex: "-1", "data-edit": `${file}${rank}`,
        });
        this.cells.set(`${file}${rank}`, cell);
        row.append(cell);
      }
      root.append(row);
    }
    for (const { name, place, part } of coordinates(root)) {
      name.textContent = [...this.cells.keys()][place][part];
    }
    const on = (name, handler) => root.addEventListener(name, handler.bind(this));
    on("pointerdown", this.press);
    on("pointermove", this.drag);
    on("pointerup", this.drop);
    on("pointercancel", () => { this.held = null; });
    on("keydown", this.key);
    on("focusin", (event) => {
      this.cursor = event.target.dataset.edit ?? this.cursor;
    });
  }

  show(squares) {
    this.squares = squares;
    this.picked = null;
    this.draw();
  }

  /** Draws what a tool, or a set of signs, means. */
  face(signs) {
    const set = { A: "white", a: "black", "*": "both", _: "empty", ".": "clear", m: "hand" }[signs];
    if (set) return el("span", { class: `sign ${set}`, "aria-hidden": "true" });
    const kind = Object.keys(MEANT).find((tool) => tool !== "." && MEANT[tool] === signs);
    if (kind) return this.face(kind);
    if (signs === EMPTY) return this.face("_");
    const faces = [...signs].map((man) => (man === EMPTY ? el("span", { class: "sign empty" })
      : el("img", { ...pictured(man), alt: "", draggable: "false" })));
    return el("span", { class: `men of-${Math.ceil(Math.sqrt(faces.length))}`, "aria-hidden": "true" }, faces);
  }

  draw() {
    for (const [square, cell] of this.cells) {
      const signs = this.squares.get(square) ?? "";
      cell.tabIndex = square === this.cursor ? 0 : -1;
      cell.classList.toggle("picked", square === this.picked);
      cell.setAttribute("aria-selected", square === this.picked);
      cell.setAttribute("aria-label", t("{square}, {man}", { square, man: said(signs) }));
      if (cell.dataset.held === signs) continue;
      cell.dataset.held = signs;
      cell.replaceChildren(...(signs ? [this.face(signs)] : []));
    }
  }

  put(square, signs) {
    if (signs) this.squares.set(square, signs);
    else this.squares.delete(square);
    this.draw();
    this.onChange();
  }

  /** Returns what a square holds after a tool was used on it. */
  after(square, tool) {
    const now = this.squares.get(square) ?? "";
    const meant = MEANT[tool] ?? tool;
    if (!meant || !this.several) return now === meant ? "" : meant;
    const has = [...meant].every((sign) => now.includes(sign));
    return sorted(has ? [...now].filter((sign) => !meant.includes(sign)).join("") : now + meant);
  }

  use(square, tool = this.tool) {
    if (tool === "m") this.pick(square);
    else {
      this.put(square, this.after(square, tool));
      say(t("{square}, {man}", { square, man: said(this.squares.get(square) ?? "") }));
    }
  }

  /** Picks up what stands on a square, or puts down what is held. */
  pick(square) {
    if (this.picked && this.picked !== square) {
      this.move(this.picked, square);
      return;
    }
    this.picked = this.picked || !this.squares.has(square) ? null : square;
    this.draw();
  }

  /** Moves a sign; off the board without a target. */
  move(from, to) {
    const signs = this.squares.get(from);
    this.picked = null;
    this.squares.delete(from);
    if (to) this.squares.set(to, signs);
    const men = said(signs);
    say(to ? t("{men} to {square}", { men, square: to })
      : t("{men} taken off {square}", { men, square: from }));
    this.draw();
    this.onChange();
  }

  under(event) {
    const box = this.root.getBoundingClientRect();
    const file = Math.floor((8 * (event.clientX - box.left)) / box.width);
    const rank = 8 - Math.floor((8 * (event.clientY - box.top)) / box.height);
    return file < 0 || file > 7 || rank < 1 || rank > 8 ? null : `${FILES[file]}${rank}`;
  }

  press(event) {
    const square = this.under(event);
    if (event.button !== 0 || !square) return;
    event.preventDefault();
    this.cursor = square;
    this.cells.get(square).focus({ preventScroll: true });
    this.root.setPointerCapture(event.pointerId);
    if (this.tool === "m") {
      this.held = { square, x: event.clientX, y: event.clientY, moved: false };
      if (this.picked || !this.squares.has(square)) this.held.square = null;
      this.use(square);
    } else {
      // A stroke over several squares gives all of them what the first one gets.
      const signs = this.after(square, this.tool);
      this.held = { signs, seen: new Set([square]) };
      this.use(square);
    }
  }

  drag(event) {
    const { held } = this;
    if (!held) return;
    const square = this.under(event);
    if (held.seen) {
      if (!square || held.seen.has(square)) return;
      held.seen.add(square);
      this.put(square, held.signs);
    } else if (held.square) {
      const [x, y] = [event.clientX - held.x, event.clientY - held.y];
      held.moved ||= Math.hypot(x, y) > DRAG_PIXELS;
      const man = this.cells.get(held.square).firstChild;
      if (held.moved) man.style.transform = `translate(${x}px, ${y}px)`;
      man.classList.toggle("dragged", held.moved);
    }
  }

  drop(event) {
    const { held } = this;
    this.held = null;
    if (!held?.square) return;
    const man = this.cells.get(held.square).firstChild;
    man.style.transform = "";
    man.classList.remove("dragged");
    const square = this.under(event);
    if (held.moved && square !== held.square) this.move(held.square, square);
    else if (held.moved) this.pick(held.square);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const step = steps[event.key];
    if (step) {
      const file = FILES[FILES.indexOf(this.cursor[0]) + step[0]];
      const next = this.cells.get(`${file}${Number(this.cursor[1]) + step[1]}`);
      if (next) {
        this.cursor = next.dataset.edit;
        this.draw();
        next.focus();
      }
    } else if (event.key === "Enter" || event.key === " ") {
      this.use(this.cursor);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.put(this.cursor, "");
    } else if (event.key !== "m" && event.key.length === 1 && event.key in TOOLS) {
      this.use(this.cursor, event.key);
    } else if (event.key === "Escape" && this.picked) {
      this.picked = null;
      this.draw();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
