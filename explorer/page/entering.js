// Joins the analysis board with the page: the board and the notation show its game, and edit it.

import { Analysis, MINE } from "./analysis.js";
import { Annotate } from "./annotate.js";
import { byId } from "./dom.js";
import { Drawing } from "./drawing.js";
import { panels } from "./panels.js";
import { post } from "./post.js";
import { SaveInto } from "./saveinto.js";
import { empty, fromAnswer } from "./tree.js";
import { t } from "./words.js";

export class Entering {
  /**
   * `page` has the `board`, the `game` shown, the `state` of the address, `go` to change it,
   * `explored`, which returns the explored position, and `reload`.
   */
  constructor(page) {
    this.page = page;
    const { board } = page;
    this.analysis = new Analysis({
      onChange: () => this.show(),
      onTrouble: (text) => this.controls?.tell(text),
      onReplaced: () =>
        this.controls.note(t("The game before was not saved: Undo brings it back.")),
    });
    this.drawing = new Drawing(board, {
      isWanted: () => this.isOpen() && page.game.game?.id === MINE,
      onDraw: (mark) => this.analysis.draw(mark),
    });
    this.controls = new Annotate({
      analysis: this.analysis, drawing: this.drawing, begin: () => this.fromExplored(),
    });
    new SaveInto(this.analysis, {
      ready: () => this.controls.details.take(), shown: () => page.state().db,
      onSaved: (db) => page.reload({ opened: db }),
    });
    byId("analyse").addEventListener("click", () => this.open());
    byId("game-annotate").addEventListener("click", async () => {
      await this.adopt();
      panels.focus();
    });
  }

  isOpen() {
    return this.page.state().game === MINE;
  }

  /** Follows a change of the address. */
  update() {
    const isOpen = this.isOpen();
    byId("annotate").hidden = !isOpen;
    byId("game").classList.toggle("mine", isOpen);
    byId("board").classList.toggle("drawn-on", isOpen && this.drawing.isOn);
  }

  /** Opens the board: with the game that is there, or with what is explored. */
  async open() {
    await this.analysis.restored();
    if (this.analysis.hasGame()) this.show();
    else await this.fromExplored();
  }

  /** Shows the game where it is being edited. */
  show() {
    this.controls.note("");
    this.draw();
    const { at } = this.analysis;
    this.page.go({ game: MINE, ply: null, at: null, ...this.page.game.address(at) }, this.isOpen());
  }

  draw() {
    this.page.game.show(this.analysis.view());
    this.controls.show();
  }

  /** Shows the game that an address means. */
  async opened() {
    await this.analysis.restored();
    if (this.isOpen()) this.draw();
  }

  /** Follows a step to another move. */
  stepped(at) {
    if (at !== this.analysis.at) this.analysis.step(at);
    this.controls.show();
  }

  /** Begins a game with the explored position and the moves that lead there. */
  async fromExplored() {
    const explored = this.page.explored();
    const start = this.page.state().fen;
    // A position that makes no sense is told beside its field, and is nothing to begin with.
    if (start && !explored) this.page.go({ fen: "", play: [] }, true);
    if (!explored?.line.length) {
      this.analysis.begin({ ...empty(), start: start && explored ? explored.fen : null });
      return;
    }
    const { line, fen } = explored;
    const moves = line.map(({ san }) => san).join(" ");
    const head = start ? `[SetUp "1"]\n[FEN "${start}"]` : '[Event "?"]';
    const text = `${head}\n\n${moves} *\n`;
    try {
      const { game, fault } = await (await post("/api/pasted", { text })).json();
      const made = game ? fromAnswer(game) : null;
      if (!made) throw new Error(fault ?? t("{fen} is no position", { fen }));
      this.analysis.begin({ ...made, tags: [] }, line.map(() => 0));
    } catch (fault) {
      this.analysis.begin();
      this.controls.tell(fault.message);
    }
  }

  /** Goes on with the open game of a database, at its place. */
  async adopt(at = this.page.place()) {
    const { game } = this.page.game;
    if (!game) return;
    await this.analysis.restored();
    this.analysis.adopt(game, at);
  }

  /** Plays moves on the board of an open game; one of a database begins to be annotated. */
  async play(line, at) {
    if (!this.isOpen()) await this.adopt(at);
    try {
      if (line.length === 1) await this.analysis.play(line[0].uci);
      else this.controls.tell(await this.analysis.insert(line, { isPlayed: true }));
    } catch (fault) {
      this.controls.tell(fault.message);
    }
  }

  /**
   * Puts a line with a comment into the game, at the current move. What is explored becomes a game
   * by it, unless one would be lost that is being annotated. Returns what hinders it.
   */
  async insert(line, comment) {
    await this.analysis.restored();
    const isExplored = !this.page.state().game;
    if (isExplored && this.analysis.hasGame()) {
      return t("The analysis board has another game: open it, or begin a new one there.");
    }
    if (isExplored) await this.fromExplored();
    else if (!this.isOpen()) await this.adopt();
    if (!this.isOpen()) return t("There is no game that the line could be put into.");
    return this.analysis.insert(line, { comment }).catch((fault) => fault.message);
  }

  /** Takes a game that was pasted. */
  async pasted(game, note) {
    await this.analysis.restored();
    this.analysis.begin(fromAnswer(game));
    this.controls.tell(note);
  }

  /** Tells whether a key means something here, and does it. */
  key(event) {
    if (this.isOpen()) return this.controls.key(event);
    if (event.key.toLowerCase() !== "a" || event.repeat) return false;
    if (this.page.state().game) this.adopt();
    else this.open();
    return true;
  }
}

export { MINE };
