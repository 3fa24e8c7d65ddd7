// The analysis board: one game that is entered or annotated. Knows what was done, undoes it, and
// keeps the game in the browser; what it looks like is for others.

import { ask } from "./api.js";
import { toggled, withWords } from "./annotation.js";
import * as draft from "./draft.js";
import { written } from "./pgn.js";
import { post } from "./post.js";
import * as tree from "./tree.js";
import { t } from "./words.js";

/** The name of the game in addresses. */
export const MINE = "mine";
const UNDONE_MAX = 500;

/** Marks of which a move has one at most: how good it is, and how the position is. */
const KINDS = [[1, 2, 3, 4, 5, 6], [10, 13, 14, 15, 16, 17, 18, 19]];

export class Analysis {
  /**
   * `onChange` is told when another game or another place is shown, `onTrouble` what is wrong; null
   * when nothing is. `onReplaced` is told when a game has given way to another one unsaved.
   */
  constructor({ onChange, onTrouble, onReplaced }) {
    Object.assign(this, { onChange, onTrouble, onReplaced });
    this.now = { game: tree.empty(), path: [], origin: null };
    [this.past, this.future, this.kind, this.isSaved] = [[], [], null, true];
    this.moves = [];
  }

  /** Reads what the browser has kept, once. */
  restored() {
    this.restoring ??= this.restore();
    return this.restoring;
  }

  async restore() {
    const kept = draft.read();
    if (!kept) return;
    try {
      const { game, fault } = await (await post("/api/pasted", { text: kept.pgn })).json();
      if (fault || !game) throw new Error(fault ?? t("it is no game"));
      this.put({ ...kept, game: tree.fromAnswer(game) });
      this.isSaved = false;
    } catch (fault) {
      const values = { fault: fault.message };
      this.onTrouble(t("The game that this browser keeps cannot be read: {fault}.", values));
    }
  }

  /** Tells whether there is anything that would be missed. */
  hasGame() {
    const { root, tags } = this.now.game;
    return Boolean(root.next.length || root.comment || tags.length) || this.past.length > 0;
  }

  get at() {
    return tree.numberOf(this.moves, this.now.path);
  }

  /** Returns the current move; the beginning of the game at its start. */
  node() {
    return tree.nodeAt(this.now.game, this.now.path);
  }

  /** Takes a state; a path that leads nowhere ends where it can. */
  put({ game, path, origin }) {
    this.moves = tree.flat(game);
    const at = tree.numberOf(this.moves, path);
    this.now = { game, path: tree.pathOf(this.moves, at), origin };
  }

  /** Goes to a move without changing anything. */
  step(at) {
    this.now = { ...this.now, path: tree.pathOf(this.moves, at) };
    this.kind = null;
    this.keep();
  }

  /**
   * Changes the game. Changes of the same `kind` that follow each other, as letters of a comment,
   * are undone together.
   */
  change(next, kind = null) {
    const state = { ...this.now, ...next };
    if (state.game === this.now.game && state.origin === this.now.origin) return;
    if (!kind || kind !== this.kind) this.past = [...this.past, this.now].slice(-UNDONE_MAX);
    this.kind = kind;
    this.future = [];
    this.show(state);
  }

  show(state) {
    this.put(state);
    this.isSaved = false;
    this.keep();
    this.onChange();
  }

  keep() {
    const { game, path, origin } = this.now;
    this.onTrouble(draft.keep({ pgn: written(game), path, origin }));
  }

  undo() {
    const before = this.past.at(-1);
    if (!before) return false;
    this.past = this.past.slice(0, -1);
    this.future = [...this.future, this.now];
    this.kind = null;
    this.show(before);
    return true;
  }

  /** Does again what was undone. Both tell whether there was something. */

  redo() {
    const after = this.future.at(-1);
    if (!after) return false;
    this.future = this.future.slice(0, -1);
    this.past = [...this.past, this.now];
    this.kind = null;
    this.show(after);
    return true;
  }

  // ---- games -----------------------------------------------------------------------------------

  /** Begins another game; undoing goes back to the one before. */
  begin(game = tree.empty(), path = [], origin = null) {
    const isMissed = this.hasGame() && !this.isSaved;
    if (this.hasGame()) this.change({ game, path, origin });
    else this.show({ game, path, origin });
    this.isSaved = true;
    if (isMissed) this.onReplaced();
  }

  /** Takes a game of a database, at one of its moves; it can then be put back there. */
  adopt(answer, at) {
    const game = tree.fromAnswer(answer);
    const path = tree.pathOf(tree.flat(game), at);
    const { db, number, pgn } = answer;
    this.begin(game, path, db && !answer.damage ? { db, number, pgn } : null);
    const { damage } = answer;
    if (damage) this.onTrouble(t("What is missing was damaged: {damage}.", { damage }));
  }

  // ---- edits -----------------------------------------------------------------------------------

  /** Plays a move: one that is there is gone to, another one begins a variation. */
  async play(uci) {
    const { game, path } = this.now;
    const known = tree.played(game, path, { uci });
    if (known.game === game) {
      this.step(tree.numberOf(this.moves, known.path));
      this.onChange();
      return;
    }
    const fault = this.full(known.path);
    if (fault) {
      this.onTrouble(fault);
      return;
    }
    const answer = await ask("entered", "/api/position", { fen: tree.fenAt(game, path), play: uci });
    // Whoever has gone elsewhere meanwhile does not want the move there.
    if (!answer || this.now.game !== game || this.now.path !== path) return;
    const [{ san }] = answer.line;
    this.change(tree.played(game, path, { uci, san, fen: answer.fen }));
  }

  /**
   * Adds moves that follow each other, as one change, and follows those that are there. `comment`
   * is said of the first new one; `isPlayed` goes to the last one. Returns what hinders it.
   */
  async insert(line, { comment = "", isPlayed = false }) {
    const { game, path } = this.now;
    const moves = await this.read(line);
    // Whoever has gone elsewhere meanwhile does not want the line there.
    if (this.now.game !== game || this.now.path !== path) return null;
    const made = tree.inserted(game, path, moves, comment);
    const fault = made.game === game ? null : this.full(made.path, line.length);
    if (fault) return fault;
    if (made.game !== game) {
      this.change({ game: made.game, path: isPlayed ? made.path : path });
    } else if (isPlayed) {
      this.step(tree.numberOf(this.moves, made.path));
      this.onChange();
    }
    return null;
  }

  /** Asks what positions a line leads to from the current one. */
  async read(line) {
    const { game, path } = this.now;
    const moves = line.map(({ san }) => san).join(" ");
    const text = `[SetUp "1"]\n[FEN "${tree.fenAt(game, path)}"]\n\n${moves} *\n`;
    const { game: told, fault } = await (await post("/api/pasted", { text })).json();
    if (told?.notation.length !== line.length) throw new Error(fault ?? moves);
    return told.notation;
  }

  /** Says why no more moves can be added; null if they can. */
  full(path, added = 1) {
    const { moves, depth } = tree.LIMITS;
    if (this.moves.length + added > moves) {
      return t("A game can have {number} moves here, with all variations.", { number: moves });
    }
    const isDeep = tree.depthOf(path) > depth;
    return isDeep ? t("Variations can be nested {number} times here.", { number: depth }) : null;
  }

  edit(change, kind = null) {
    const { game, path } = this.now;
    this.change({ game: tree.changed(game, path, change) }, kind && `${kind} ${path.join(".")}`);
  }

  /** Sets the words after the current move, or before it (`before`). */
  say(text, where = "comment") {
    const words = text.slice(0, tree.LIMITS.comment);
    this.edit((node) => ({ ...node, [where]: withWords(node[where], words) }), where);
  }

  draw(mark) {
    this.edit((node) => ({ ...node, comment: toggled(node.comment, mark) }));
  }

  /** Sets or takes away a mark of the current move; it takes the place of one of its kind. */
  mark(nag) {
    if (!this.now.path.length) return;
    const kind = KINDS.find((nags) => nags.includes(nag)) ?? [nag];
    this.edit((node) => {
      const others = node.nags.filter((one) => !kind.includes(one));
      return { ...node, nags: node.nags.includes(nag) ? others : [...others, nag].sort((a, b) => a - b) };
    });
  }

  /** Changes the order of lines or deletes some: by a function of `tree.js`. */
  arrange(how) {
    this.change(how(this.now.game, this.now.path));
  }

  /** Sets tags; an empty value takes one away. */
  describe(values, result) {
    const { game } = this.now;
    const kept = game.tags.filter(([name]) => !(name in values));
    const tags = [...kept, ...Object.entries(values).filter(([, value]) => value)];
    this.change({ game: { ...game, tags, result } });
  }

  /** Notes where the game is in a database now. */
  saved(origin) {
    this.now = { ...this.now, origin };
    this.keep();
    this.isSaved = true;
  }

  get pgn() {
    return written(this.now.game);
  }

  /** Returns the game as the notation shows it. */
  view() {
    const { game } = this.now;
    const tag = new Map(game.tags);
    const elo = (name) => Number.parseInt(tag.get(name), 10) || null;
    return {
      id: MINE, db: "", number: 0, white: tag.get("White"), black: tag.get("Black"),
      whiteElo: elo("WhiteElo"), blackElo: elo("BlackElo"), event: tag.get("Event"),
      site: tag.get("Site"), round: tag.get("Round"), date: tag.get("Date"), result: game.result,
      eco: tag.get("ECO"), opening: null, tags: [], start: game.start, comment: game.root.comment,
      notation: this.moves, damage: null,
    };
  }
}
