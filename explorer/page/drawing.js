// Arrows and coloured squares, drawn on the board: with the right button, with the left one or a
// finger while drawing is on, and by keys. The colour follows the keys that are held, as on Lichess.

/** Returns the colour of a mark by the keys held. */
function colorOf({ shiftKey, ctrlKey, altKey, metaKey }, usual) {
  const [red, blue] = [shiftKey || ctrlKey, altKey || metaKey];
  if (red && blue) return "Y";
  return red ? "R" : blue ? "B" : usual;
}

export class Drawing {
  /** `onDraw` is told the mark; `isWanted` tells whether there is a game to draw in. */
  constructor(board, { isWanted, onDraw }) {
    Object.assign(this, { board, isWanted, onDraw, color: "G", isOn: false, begun: null });
    const on = (name, handler) => board.root.addEventListener(name, handler.bind(this), true);
    on("contextmenu", (event) => isWanted() && event.preventDefault());
    on("pointerdown", this.press);
    on("pointermove", this.drag);
    on("pointerup", this.drop);
    on("pointercancel", this.leave);
    on("keydown", this.key);
  }

  press(event) {
    if (!this.isWanted() || !(event.button === 2 || (this.isOn && event.button === 0))) return;
    event.preventDefault();
    event.stopPropagation();
    this.begun = { from: this.board.under(event), color: colorOf(event, this.color) };
    this.board.root.setPointerCapture(event.pointerId);
  }

  drag(event) {
    if (!this.begun?.from) return;
    event.stopPropagation();
    this.sketch(this.board.under(event));
  }

  drop(event) {
    if (!this.begun) return;
    event.stopPropagation();
    const [{ from, color }, to] = [this.begun, this.board.under(event)];
    this.leave();
    if (from && to) this.onDraw({ from, to, color });
  }

  /** Shows what is being drawn. */
  sketch(to) {
    const { from, color } = this.begun;
    this.board.pointer.replaceChildren(...(to ? this.board.drawn({ from, to, color }) : []));
  }

  leave() {
    this.begun = null;
    this.board.arrow(null);
  }

  /** D begins at the square of the cursor, and ends there. */
  key(event) {
    if (event.key === "Escape" && this.begun) this.leave();
    else if (event.key.toLowerCase() === "d" && !event.ctrlKey && this.isWanted()) this.mark(event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  mark(event) {
    const square = this.board.cursor;
    // The arrow goes on by keys, however the board was reached.
    this.board.isWalked = true;
    if (!this.begun) {
      this.begun = { from: square, color: colorOf(event, this.color) };
      this.sketch(square);
      return;
    }
    const { from, color } = this.begun;
    this.leave();
    this.onDraw({ from, to: square, color });
  }
}
