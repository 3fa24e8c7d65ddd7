// Solving a puzzle: the reader finds the moves of one side, and the page answers with those of the
// other. A puzzle is a game whose first move leads to what is to be solved.

import { MINE } from "./analysis.js";
import { ask } from "./api.js";
import { byId, el, say } from "./dom.js";
import { shown } from "./letters.js";
import { KINDS } from "./men.js";
import { counted, t } from "./words.js";

/** Milliseconds until the other side answers, and how long a wrong move stands on the board. */
const [ANSWER_PAUSE, WRONG_PAUSE] = [450, 700];
/** Where the results of this session are kept, by the names that puzzles have. */
const KEY = "puzzles";

const tag = (game, wanted) => game.tags.find(([name]) => name === wanted)?.[1] ?? "";

/** Tells whether a game is to be solved. On the analysis board nothing of a game is hidden. */
export const isPuzzle = (game) => game.id !== MINE && tag(game, "PuzzleId") !== "";

/** Writes a theme of Lichess in words: `mateIn1` is “mate in 1”. */
const inWords = (theme) => theme.replace(/[A-Z]|\d+/g, (part) => ` ${part.toLowerCase()}`);

/** Which puzzles were solved in this session, by name. */
class Results {
  constructor() {
    this.known = {};
    try {
      Object.assign(this.known, JSON.parse(sessionStorage.getItem(KEY)));
    } catch {
      // Not allowed, or no JSON.
    }
  }

  /** Notes a result; the first one of a puzzle is the one that counts. */
  note(name, isSolved) {
    if (name in this.known) return;
    this.known[name] = isSolved;
    try {
      sessionStorage.setItem(KEY, JSON.stringify(this.known));
    } catch {
      // Without storage the results last as long as the page.
    }
  }

  text() {
    const all = Object.values(this.known);
    const solved = all.filter(Boolean).length;
    if (!all.length) return "";
    return t("{solved} solved, {failed} not", { solved, failed: all.length - solved });
  }
}

export class Puzzle {
  /**
   * `page` has the `board`, the `game` shown, the `state` of the address, `go` to change it,
   * `place`, the number of the current move, `stand`, which returns the change that lets the board
   * stand as wanted, `draw`, which shows the current place again, and `next`, which opens the next
   * game.
   */
  constructor(page) {
    this.page = page;
    this.results = new Results();
    this.told = el("p", { id: "puzzle-told", tabindex: "-1" });
    this.facts = el("p", { id: "puzzle-facts", class: "soft" });
    this.tally = el("span", {
      id: "puzzle-tally", class: "soft",
      title: t("A puzzle counts as solved when no move was wrong and none was shown."),
    });
    const button = (id, text, onclick) => el("button", { type: "button", id, onclick }, text);
    this.hintButton = button("puzzle-hint", t("Hint"), () => this.hint());
    this.nextButton = button("puzzle-next", t("Next puzzle"), () => {
      page.next();
      this.told.focus({ preventScroll: true });
    });
    this.nextButton.title = "N";
    this.box = el("div", { id: "puzzle", role: "group", "aria-label": t("Puzzle"), hidden: true },
      this.told, this.facts,
      el("div", { class: "top" }, this.hintButton, byId("solution"), this.nextButton,
        el("span", { class: "fill" }), this.tally));
    byId("status").after(this.box);
    byId("solution").addEventListener("click", () => {
      this.end("shown");
      this.nextButton.focus({ preventScroll: true });
    });
  }

  /** Tells whether the open game is a puzzle that has something to solve. */
  hasPuzzle() {
    const { game, state } = this.page;
    return game.game?.id === state().game && isPuzzle(game.game) && game.moves.length > 1;
  }

  /** Tells whether the open game is a puzzle that is not solved yet. */
  isOpen() {
    const { game } = this.page;
    return Boolean(game.game) && this.hasPuzzle() && game.isHidden(game.moves.length);
  }

  /** Follows a change of the address: without a game there is no puzzle. */
  update() {
    if (!this.page.state().game) this.close();
  }

  /** Shows nothing of a puzzle. */
  close() {
    this.box.hidden = true;
    byId("game").classList.remove("solving");
  }

  /**
   * Follows the opening of a game. Lets a puzzle begin: the first move is played, and the side that
   * solves is below. Tells whether the place changes by that.
   */
  opens(at) {
    const { game } = this.page;
    const isNew = this.game !== game.game;
    if (isNew) this.begin();
    if (!this.isOpen()) return false;
    if (isNew) say(`${this.played(1)} ${this.prompt()}`);
    // White plays the first move where Black solves.
    const flip = game.place(1).isWhite;
    if (at === this.reached && this.page.state().flip === flip) return false;
    if (this.reached === 1) this.page.board.show({ fen: game.place(0).fen, moves: [] });
    this.page.go({ ...game.address(this.reached), ...this.page.stand(flip) }, true);
    return true;
  }

  begin() {
    Object.assign(this, {
      game: this.page.game.game,
      /** How often a move was wrong. */
      wrong: 0,
      /** The last move that was played or shown, and the one that is to be answered. */
      reached: 1, unanswered: null,
      lead: "", hinted: null, outcome: null,
    });
  }

  /** Tells whether the side that solves has played a move of the game. */
  isSolvers(at) {
    const { game } = this.page;
    return at > 0 && game.place(at).isWhite !== game.place(1).isWhite;
  }

  /** Tells whether the side that solves is to move after a move of the game. */
  isAsked(at) {
    return at > 0 && !this.isSolvers(at) && this.page.game.next(at) !== at;
  }

  /** Follows a step to a move of the open game. */
  placed(at) {
    const { game } = this.page;
    if (!this.hasPuzzle()) {
      this.close();
      return;
    }
    this.box.hidden = false;
    for (let move = this.reached + 1; move <= at; move += 1) {
      if (this.isSolvers(move)) this.fail();
    }
    this.reached = Math.max(this.reached, at);
    if (!this.outcome && !game.isHidden(game.moves.length)) this.end("shown");
    if (at === this.unanswered) this.answerSoon(at);
    if (this.hinted !== at) this.hinted = null;
    this.draw();
  }

  /** Returns what the rules say about a place without the moves that are not the reader's. */
  allowed(rules) {
    return this.isOpen() && !this.isAsked(this.page.place()) ? { ...rules, moves: [] } : rules;
  }

  /** Judges a move on the board. */
  async play(uci, at) {
    const { game, board } = this.page;
    const next = game.next(at);
    Object.assign(this, { hinted: null, lead: "" });
    if (game.moves[next - 1].uci === uci) {
      this.right(next);
      return;
    }
    const { fen } = game.place(at);
    board.show({ ...board.position, moves: [] });
    try {
      const answer = await ask("puzzle", "/api/position", { fen, play: uci });
      if (!answer || !this.isStill(at)) return;
      board.show({ ...answer, last: uci, moves: [] });
      if (answer.end === "checkmate") this.mated(next);
      else this.refuse(at);
    } catch (fault) {
      if (!this.isStill(at)) return;
      this.lead = fault.message;
      this.page.draw();
    }
    this.draw();
  }

  /** Tells whether the reader is still at a place of the puzzle. */
  isStill(at) {
    return this.game === this.page.game.game && this.isOpen() && this.page.place() === at;
  }

  right(at) {
    const { game } = this.page;
    const isLast = game.next(at) === at;
    Object.assign(this, { reached: at, unanswered: isLast ? null : at, lead: t("Right.") });
    if (isLast) this.end("solved");
    this.page.go(game.address(at), true);
  }

  /** Says that a move is wrong and takes it back. */
  refuse(at) {
    this.wrong += 1;
    this.fail();
    this.lead = t("Not this move. Try again.");
    say(this.lead);
    setTimeout(() => this.isStill(at) && this.page.draw(), WRONG_PAUSE);
  }

  /** A mate is a solution, also if it is another one. */
  mated(next) {
    const { san } = this.page.game.moves[next - 1];
    this.end("solved", t("This is mate too; the solution has {move}.", { move: shown(san) }));
  }

  /** Lets the other side answer, after the reader has seen the own move. */
  answerSoon(at) {
    setTimeout(() => {
      const { game } = this.page;
      if (this.unanswered !== at || !this.isStill(at)) return;
      const next = game.next(at);
      Object.assign(this, { reached: next, unanswered: null });
      const isLast = game.next(next) === next;
      if (isLast) this.end("solved");
      this.page.go(game.address(next), true);
      if (!isLast) say(`${t("Right.")} ${this.played(next)} ${this.prompt()}`);
    }, ANSWER_PAUSE);
  }

  /** Shows the square of the man that is to move. */
  hint() {
    const { game, board, place } = this.page;
    const at = place();
    const { uci } = game.moves[game.next(at) - 1];
    const square = uci.slice(0, 2);
    this.hinted = at;
    const man = KINDS[board.men.get(square)?.toLowerCase()];
    this.lead = t("Hint: the {man} on {square}.", { man, square });
    say(this.lead);
    this.draw();
  }

  fail() {
    this.results.note(tag(this.game, "PuzzleId"), false);
  }

  /** Ends the puzzle: it is solved, or its solution is shown. From now on it is as other games. */
  end(outcome, lead = "") {
    if (this.outcome || !this.hasPuzzle()) return;
    const { game } = this.page;
    this.results.note(tag(this.game, "PuzzleId"), outcome === "solved");
    Object.assign(this, { outcome, lead, hinted: null, unanswered: null });
    game.reveal(game.moves.length);
    this.draw();
    say([this.ended(), lead].filter(Boolean).join(" "));
    // What the board lets the reader play is no longer about the puzzle.
    if (outcome === "shown") this.page.draw();
  }

  /** Says which move was played. */
  played(at) {
    const { san, isWhite } = this.page.game.place(at);
    return isWhite ? t("White played {move}.", { move: shown(san) })
      : t("Black played {move}.", { move: shown(san) });
  }

  prompt() {
    const isWhite = !this.page.game.place(1).isWhite;
    return isWhite ? t("White to move: find the best move.")
      : t("Black to move: find the best move.");
  }

  ended() {
    if (this.outcome === "shown") return t("The solution is shown.");
    if (!this.wrong) return t("Solved.");
    const { wrong } = this;
    return counted(wrong, "Solved after {wrong} wrong move.", "Solved after {wrong} wrong moves.",
      { wrong });
  }

  /** Says how many moves were wrong so far. */
  tries() {
    const { wrong } = this;
    if (!wrong) return "";
    return counted(wrong, "{wrong} wrong move so far.", "{wrong} wrong moves so far.", { wrong });
  }

  /** Says how it stands: what is asked, or how the puzzle has ended. */
  draw() {
    const isAsked = this.isOpen() && this.isAsked(this.page.place());
    const text = this.outcome ? [this.ended(), this.lead]
      : [this.lead, isAsked && this.prompt(), this.tries()];
    this.told.textContent = text.filter(Boolean).join(" ");
    this.facts.textContent = this.outcome ? this.known() : "";
    this.tally.textContent = this.results.text();
    this.hintButton.hidden = !isAsked;
    this.nextButton.hidden = !this.outcome;
    this.box.classList.toggle("solving", !this.outcome);
    byId("game").classList.toggle("solving", this.isOpen());
    this.ring();
  }

  /** Draws a ring around the man that a hint is about. */
  ring() {
    const { game, board } = this.page;
    const uci = this.hinted === null ? null : game.moves[game.next(this.hinted) - 1].uci;
    board.arrow(uci && uci.slice(0, 2).repeat(2));
  }

  /** Returns what would have given the solution away. */
  known() {
    const rating = tag(this.game, "Rating");
    const themes = tag(this.game, "Themes").split(" ").filter(Boolean).map(inWords);
    return [
      rating && t("Rating {rating}", { rating }),
      themes.length && t("Themes: {themes}", { themes: themes.join(", ") }),
    ].filter(Boolean).join(" · ");
  }
}
