// The user's engine beside the board: what it thinks of the position shown.

import { byId, count, el, say } from "./dom.js";
import { onKey } from "./keys.js";
import { panels } from "./panels.js";
import { post } from "./post.js";

/** Milliseconds that a position must stay before the engine is asked about it. */
const PAUSE = 200;
const LINES = [1, 2, 3, 5];

/** Writes an evaluation from White's side. */
export function score({ cp, mate, bound }) {
  const sign = { lower: "≥", upper: "≤" }[bound] ?? "";
  if (mate !== null) return `${mate < 0 ? "−" : ""}#${Math.abs(mate)}`;
  const pawns = (Math.abs(cp) / 100).toFixed(Math.abs(cp) >= 10000 ? 0 : 2);
  return `${sign}${cp > 0 ? "+" : cp < 0 ? "−" : ""}${pawns}`;
}

const short = (number) => {
  if (number >= 1e9) return `${(number / 1e9).toFixed(1)} G`;
  if (number >= 1e6) return `${(number / 1e6).toFixed(1)} M`;
  return number >= 1e4 ? `${Math.round(number / 1e3)} k` : count(number);
};

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
  /** `board` shows the best move, `onPlay` is told the move of a line that is chosen. */
  constructor(board, onPlay) {
    this.board = board;
    this.onPlay = onPlay;
    this.isOn = false;
    this.fen = "";
    board.root.addEventListener("position", ({ detail }) => this.show(detail));
    this.load();
  }

  /** Asks whether there is an engine; without one nothing is shown. */
  async load() {
    const answer = await fetch("/api/engine").then((told) => told.json()).catch(() => null);
    if (!answer?.engine) return;
    this.settings = answer.engine;
    this.fen = this.board.position.fen || this.fen;
    this.build();
    panels.offer("engine");
    onKey("e", () => this.toggle());
    addEventListener("pagehide", () => this.stop());
  }

  build() {
    this.switch = el("button", {
      type: "button", id: "engine-switch", class: "switch", role: "switch",
      "aria-checked": "false", title: "E", onclick: () => this.toggle(),
    }, el("span", { class: "knob" }), "Engine");
    this.name = el("span", { id: "engine-name", class: "soft" }, this.settings.name ?? "");
    const choose = () => this.think();
    this.lines = el("select", { id: "engine-lines", "aria-label": "Lines", onchange: choose },
      ...LINES.map((lines) => el("option", { value: lines },
        lines === 1 ? "1 line" : `${lines} lines`)));
    this.told = el("p", { id: "engine-told", class: "soft", role: "status" });
    this.again = el("button", {
      type: "button", id: "engine-again", hidden: true, onclick: () => this.think(),
    }, "Think again");
    this.list = el("ol", { id: "engine-list", "aria-label": "Best lines" });
    this.body = el("div", { id: "engine-body", hidden: true }, this.list,
      el("div", { class: "top" }, this.told, this.again));
    byId("middle").prepend(el("section", { id: "engine", class: "card", "aria-label": "Engine" },
      el("div", { class: "top" }, this.switch, this.name, el("span", { class: "fill" }),
        this.lines), this.body));
  }

  toggle() {
    this.isOn = !this.isOn;
    this.switch.setAttribute("aria-checked", this.isOn);
    this.body.hidden = !this.isOn;
    say(this.isOn ? "Engine on" : "Engine off");
    if (this.isOn) this.think();
    else this.stop();
  }

  /** Takes the position that the board shows. */
  show(fen) {
    if (fen === this.fen) return;
    this.fen = fen;
    this.stop();
    if (!this.isOn) return;
    this.body.classList.add("old");
    this.timer = setTimeout(() => this.think(), PAUSE);
  }

  /** Lets the engine rest. */
  stop() {
    clearTimeout(this.timer);
    this.control?.abort();
    this.control = null;
    this.board.advise(null);
  }

  async think() {
    this.stop();
    if (!this.isOn || !this.fen) return;
    const control = new AbortController();
    this.control = control;
    this.again.hidden = true;
    this.told.textContent = "Thinking…";
    try {
      const asked = { fen: this.fen, lines: Number(this.lines.value) };
      const answer = await post("/api/engine", asked, control.signal);
      for await (const found of linesOf(answer)) {
        if (control.signal.aborted) return;
        this.draw(found);
      }
    } catch (fault) {
      if (control.signal.aborted) return;
      this.end(fault.status === undefined ? "The server does not answer." : fault.message);
    }
  }

  /** Says why the engine rests, and offers to ask again. */
  end(text) {
    this.told.textContent = text;
    this.again.hidden = false;
    if (!this.list.children.length) this.board.advise(null);
  }

  draw(found) {
    this.body.classList.remove("old");
    if (found.engine) this.name.textContent = found.engine;
    const lines = found.over === "fault" && !found.lines.length ? [] : found.lines;
    this.list.replaceChildren(...lines.map((line) => this.line(line)));
    this.board.advise(lines[0]?.uci[0] ?? null);
    const seconds = `${(found.time / 1000).toFixed(1)} s`;
    const facts = `Depth ${found.depth} · ${short(found.nodes)} nodes · ${seconds}`;
    const over = {
      replaced: "Another page asks the engine now.",
      fault: `${(found.error ?? "").replace(/^./, (first) => first.toUpperCase())}.`,
    };
    if (found.over === "end" && found.error) {
      this.told.textContent = "The game is over here.";
    } else if (over[found.over]) {
      this.end(over[found.over]);
    } else {
      this.told.textContent = found.lines.length ? facts : "Thinking…";
      this.again.hidden = !found.over;
    }
  }

  line(line) {
    const fields = this.fen.split(" ");
    const first = 2 * (Number(fields[5]) - 1) + (fields[1] === "b" ? 1 : 0);
    const number = (index) => {
      const ply = first + index;
      if (ply % 2 === 0) return `${ply / 2 + 1}.`;
      return index === 0 ? `${(ply + 1) / 2}…` : "";
    };
    const [best, ...rest] = line.san;
    const play = () => this.onPlay({ uci: line.uci[0], san: best });
    const isBlack = (line.mate ?? line.cp) < 0;
    return el("li", {},
      el("span", { class: `score ${isBlack ? "black" : "white"}` }, score(line)),
      el("span", { class: "best" }, el("span", { class: "soft" }, number(0)),
        el("button", { type: "button", class: "san", title: "Plays the move", onclick: play },
          best)),
      el("span", { class: "rest" }, rest.map((san, index) => `${number(index + 1)}${san}`)
        .join(" ")));
  }
}
