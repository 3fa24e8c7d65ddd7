// The user's engines beside the board: what one of them thinks of the position shown.

import { byId, count, el, say } from "./dom.js";
import { EngineLine } from "./engineline.js";
import { EvaluationBar, boardRow, command, ended } from "./evaluation.js";
import { onKey } from "./keys.js";
import { MiniBoard } from "./miniboard.js";
import { panels } from "./panels.js";
import { post } from "./post.js";
import { choose, setting } from "./settings.js";
import { counted, decimal, t } from "./words.js";

/** Milliseconds that a position must stay before the engine is asked about it. */
const PAUSE = 200;
const LINES = ["1", "2", "3", "4", "5"];

const short = (number) => {
  if (number >= 1e9) return `${decimal(number / 1e9, 1)} G`;
  if (number >= 1e6) return `${decimal(number / 1e6, 1)} M`;
  return number >= 1e4 ? `${Math.round(number / 1e3)} k` : count(number);
};

/** Writes a time: seconds with a decimal as long as it says something. */
function duration(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 100) return `${decimal(milliseconds / 1000, 1)} s`;
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = two(seconds % 60);
  return hours ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** Says how far the engine has looked, and how fast. */
function facts({ depth, seldepth, nodes, nps, time }) {
  return [
    t("Depth {depth}", { depth: seldepth ? `${depth}/${seldepth}` : depth }),
    t("{nodes} nodes", { nodes: short(nodes) }),
    nps === null ? null : t("{nodes}/s", { nodes: short(nps) }),
    duration(time),
  ].filter(Boolean).join(" · ");
}

/** Reads lines of JSON as they come. */
async function* linesOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) yield JSON.parse(line);
  }
}

export class Engine {
  /**
   * `board` shows the best move. `page` is told by `play` the moves that are chosen, and by
   * `insert` those that are to be in the game, with a comment; it returns what hinders that.
   */
  constructor(board, page) {
    Object.assign(this, { board, page });
    this.isOn = false;
    this.fen = "";
    /** The lines as they are shown. */
    this.rows = [];
    /** Whether a move is pointed at: the lines stay as they are meanwhile. */
    this.isHeld = false;
    boardRow(board.root);
    board.root.addEventListener("position", ({ detail }) => this.show(detail));
    /** Kept when it is known whether there is an engine. */
    this.ready = this.load();
  }

  /** Asks whether there is an engine; without one nothing is shown. */
  async load() {
    const answer = await fetch("/api/engine").then((told) => told.json()).catch(() => null);
    if (!answer?.engine) return;
    this.engines = answer.engines;
    this.mayBeEndless = answer.endless;
    this.fen = this.board.position.fen || this.fen;
    this.bar = new EvaluationBar(this.board);
    this.mini = new MiniBoard(this.board);
    this.build();
    panels.offer("engine");
    onKey("e", () => this.toggle());
    onKey("i", () => this.rows[0] && this.insert(this.rows[0]));
    addEventListener("pagehide", () => this.stop());
  }

  build() {
    this.switch = el("button", {
      type: "button", id: "engine-switch", class: "switch", role: "switch",
      "aria-checked": "false", title: "E", onclick: () => this.toggle(),
    }, el("span", { class: "knob" }), t("Engine"));
    this.told = el("p", { id: "engine-told", class: "soft" });
    this.again = el("button", {
      type: "button", id: "engine-again", hidden: true, onclick: () => this.think(),
    }, t("Think again"));
    this.note = el("p", { id: "engine-note", role: "status" });
    this.list = el("ol", { id: "engine-list", "aria-label": t("Best lines") });
    this.body = el("div", { id: "engine-body", hidden: true }, this.list,
      el("div", { class: "top" }, this.told, this.again), this.note);
    byId("middle").prepend(el("section", {
      id: "engine", class: "card", "aria-label": t("Engine"),
    }, el("div", { class: "top" }, this.switch, this.names(), el("span", { class: "fill" }),
      this.endlessButton(), this.linesChoice()), this.body));
  }

  /** Makes the name of the engine; of several, the choice among them. */
  names() {
    const nameOf = ({ name, file }) => name ?? file;
    this.engine = this.engines[0];
    if (this.engines.length === 1) {
      this.name = el("span", { id: "engine-name", class: "soft" }, nameOf(this.engine));
      return this.name;
    }
    const file = setting("engine", this.engines.map((one) => one.file));
    this.engine = this.engines.find((one) => one.file === file);
    const take = (event) => {
      this.engine = this.engines[event.target.selectedIndex];
      choose("engine", this.engine.file);
      this.forget();
      this.think();
    };
    return el("select", { id: "engine-choice", "aria-label": t("Which engine"), onchange: take },
      ...this.engines.map((one) => el("option", { selected: one === this.engine }, nameOf(one))));
  }

  linesChoice() {
    const chosen = setting("engine-lines", LINES);
    const take = (event) => {
      choose("engine-lines", event.target.value);
      this.think();
    };
    this.lines = el("select", { id: "engine-lines", "aria-label": t("Lines"), onchange: take },
      ...LINES.map((lines) => el("option", { value: lines, selected: lines === chosen },
        counted(Number(lines), "{lines} line", "{lines} lines", { lines }))));
    return this.lines;
  }

  /** Makes the switch for an analysis that only the reader ends, if the server allows one. */
  endlessButton() {
    if (!this.mayBeEndless) return null;
    this.isEndless = setting("engine-endless", ["no", "yes"]) === "yes";
    const label = t("Think without end");
    const take = (event) => {
      this.isEndless = !this.isEndless;
      choose("engine-endless", this.isEndless ? "yes" : "no");
      event.currentTarget.setAttribute("aria-pressed", this.isEndless);
      this.think();
    };
    return el("button", {
      type: "button", id: "engine-endless", class: "icon", "aria-label": label, title: label,
      "aria-pressed": String(this.isEndless), onclick: take,
    }, "∞");
  }

  toggle() {
    this.isOn = !this.isOn;
    this.switch.setAttribute("aria-checked", this.isOn);
    this.body.hidden = !this.isOn;
    say(this.isOn ? t("Engine on") : t("Engine off"));
    if (this.isOn) {
      this.think();
    } else {
      this.stop();
      this.bar.show(null);
    }
  }

  /** Takes the position that the board shows. */
  show(fen) {
    if (fen === this.fen) return;
    this.fen = fen;
    this.stop();
    if (!this.isOn) return;
    this.note.textContent = "";
    this.body.classList.add("old");
    this.timer = setTimeout(() => this.think(), PAUSE);
  }

  /** Lets the engine rest. */
  stop() {
    clearTimeout(this.timer);
    this.control?.abort();
    this.control = null;
    this.isHeld = false;
    this.mini?.hide();
    this.board.advise(null);
  }

  /** Takes away what another engine has found. */
  forget() {
    this.rows = [];
    this.list.replaceChildren();
    this.bar.show(null);
  }

  async think() {
    this.stop();
    if (!this.isOn || !this.fen) return;
    const control = new AbortController();
    this.control = control;
    this.again.hidden = true;
    this.told.textContent = t("Thinking…");
    this.list.style.setProperty("--lines", this.lines.value);
    const asked = {
      fen: this.fen, lines: Number(this.lines.value), engine: this.engine.number,
      endless: Boolean(this.isEndless),
    };
    try {
      const answer = await post("/api/engine", asked, control.signal);
      for await (const found of linesOf(answer)) {
        if (control.signal.aborted) return;
        this.draw(found);
      }
    } catch (fault) {
      if (control.signal.aborted) return;
      this.end(fault.status === undefined ? t("The server does not answer.") : fault.message);
    }
  }

  /** Says why the engine rests, and offers to ask again. */
  end(text) {
    this.told.textContent = text;
    this.again.hidden = false;
    say(text);
    if (this.list.children.length) return;
    this.board.advise(null);
    this.bar.show(null);
  }

  draw(found) {
    this.body.classList.remove("old");
    if (found.engine) this.call(found.engine);
    const isOver = found.over === "end" && found.error;
    const [best] = found.lines;
    if (isOver) this.bar.show(ended(this.board.position));
    else if (best) this.bar.show(best);
    this.board.advise(best?.uci[0] ?? null);
    this.found = found.lines;
    if (!this.isHeld) this.write();
    const over = {
      replaced: t("Another page asks the engine now."),
      fault: `${(found.error ?? "").replace(/^./, (first) => first.toUpperCase())}.`,
    };
    if (isOver) {
      this.told.textContent = t("The game is over here.");
    } else if (over[found.over]) {
      this.end(over[found.over]);
    } else {
      this.told.textContent = best ? facts(found) : t("Thinking…");
      this.again.hidden = !found.over;
    }
  }

  /** Shows what the engine calls itself. */
  call(name) {
    this.engine.name = name;
    const option = byId("engine-choice")?.options[this.engines.indexOf(this.engine)];
    const place = this.name ?? option;
    if (place.textContent !== name) place.textContent = name;
  }

  /** Writes the lines that were found. The list keeps room for as many as are asked for. */
  write() {
    const before = this.rows.length;
    this.rows.length = Math.min(before, this.found.length);
    while (this.rows.length < this.found.length) this.rows.push(new EngineLine(this.reader()));
    this.found.forEach((line, rank) => this.rows[rank].set(line, this.fen));
    // Rows that stay are not put anew: what has the focus in them keeps it.
    if (before !== this.rows.length) {
      this.list.replaceChildren(...this.rows.map(({ root }) => root));
    }
  }

  /** Returns what lines tell of the reader. A line of the position before is nothing to act on. */
  reader() {
    const isShown = (row) => row.fen === this.fen;
    return {
      play: (row, length) => isShown(row) && this.page.play(...row.first(length)),
      insert: (row) => this.insert(row),
      point: (row, length, button) => {
        if (!isShown(row)) return;
        this.isHeld = true;
        this.mini.show(row.fen, row.line.uci.slice(0, length), button);
      },
      leave: () => {
        this.mini.hide();
        if (!this.isHeld) return;
        this.isHeld = false;
        if (this.control && !this.body.classList.contains("old")) this.write();
      },
    };
  }

  /** Puts a line into the game, with what the engine thinks of it. */
  async insert(row) {
    if (!this.isOn || row.fen !== this.fen) return;
    const trouble = await this.page.insert(row.first(Infinity), command(row.line));
    this.note.textContent = trouble ?? "";
    if (!trouble) say(t("The line is in the game."));
  }
}
