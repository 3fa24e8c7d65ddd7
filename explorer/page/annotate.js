// The controls of the analysis board, below the notation: comments, marks, lines, the game's tags.

import { Details } from "./details.js";
import { byId, el, say } from "./dom.js";
import { wordsOf } from "./annotation.js";
import { shown } from "./letters.js";
import { meaning, sign } from "./nags.js";
import { cut, mainLine, promoted, without } from "./tree.js";
import { t } from "./words.js";

const NAGS = [1, 2, 3, 4, 5, 6, 10, 13, 14, 15, 16, 17, 18, 19];
const COLORS = [
  ["G", t("green")], ["R", t("red")], ["B", t("blue")], ["Y", t("yellow")],
];

export class Annotate {
  /** `analysis` has the game, `drawing` draws on the board, `begin` begins from what is explored. */
  constructor({ analysis, drawing, begin }) {
    Object.assign(this, { analysis, drawing, begin });
    const button = (id, text, onclick, title = null) =>
      el("button", { type: "button", id, onclick, title }, text);
    const arrange = (id, text, how, title) => button(id, text, () => analysis.arrange(how), title);
    this.marks = NAGS.map((nag) => el("button", {
      type: "button", "data-nag": nag, "aria-pressed": "false", "aria-label": `${sign(nag)} ${meaning(nag)}`,
      title: nag <= 6 ? `${meaning(nag)} (${nag})` : meaning(nag), onclick: () => analysis.mark(nag),
    }, sign(nag)));
    this.before = this.words("note-before", t("Before the move"), "before");
    this.after = this.words("note", t("Comment"), "comment");
    this.trouble = el("p", { id: "note-fault", class: "fault", role: "alert" });
    this.details = new Details(analysis);
    this.noted = el("span", { id: "mine-told", role: "status" });
    const group = (label, ...parts) =>
      el("div", { class: "top", role: "group", "aria-label": label }, ...parts);
    byId("annotate").append(
      group(t("Marks of the move"), ...this.marks), this.before, this.after, this.trouble,
      group(t("Arrows and squares"),
        button("draw", t("Draw"), () => this.draw(), t("D on the board")), this.colors()),
      group(t("Changes"), button("undo", t("Undo"), () => this.undo(), t("Ctrl+Z")),
        button("redo", t("Redo"), () => this.redo(), t("Ctrl+Y")),
        arrange("promote", t("Promote variation"), promoted, "U"),
        arrange("main-line", t("Make main line"), mainLine, t("Shift+U")),
        arrange("cut", t("Delete from here"), cut, t("Delete [key]")),
        arrange("without", t("Delete variation"), without, t("Shift+Delete"))),
      this.details.place,
      group(t("The game"), button("mine-copy", t("Copy PGN"), () => this.copy()),
        button("mine-download", t("Download PGN"), () => this.download()),
        button("mine-new", t("New game"), () => this.fresh()),
        button("mine-from", t("From the explored position"), begin), this.noted));
    addEventListener("keydown", (event) => this.undoByKey(event));
  }

  /** Makes a field for what is said before or after a move. */
  words(id, label, where) {
    const oninput = (event) => this.analysis.say(event.target.value, where);
    const box = el("textarea", { id, rows: 2, spellcheck: "true", oninput });
    return el("div", { class: "note" }, el("label", { for: id }, label), box);
  }

  colors() {
    const options = COLORS.map(([value, text]) => el("option", { value }, text));
    const onchange = (event) => {
      this.drawing.color = event.target.value;
    };
    const label = t("Colour of arrows and squares");
    return el("select", { id: "draw-color", "aria-label": label, onchange }, ...options);
  }

  draw() {
    this.drawing.isOn = !this.drawing.isOn;
    byId("draw").setAttribute("aria-pressed", this.drawing.isOn);
    byId("board").classList.toggle("drawn-on", this.drawing.isOn);
  }

  /** Shows the game's place: what is said of it, and what can be done there. */
  show() {
    const { analysis } = this;
    const node = analysis.node();
    const { path } = analysis.now;
    const begins = path.length > 0 && path.at(-1) > 0;
    const isInVariation = path.some((index) => index > 0);
    this.before.hidden = !begins;
    this.fill(this.before, node.before);
    this.fill(this.after, node.comment);
    this.after.firstChild.textContent = path.length
      ? t("Comment after {move}", { move: shown(node.san) }) : t("Comment at the start");
    for (const button of this.marks) {
      button.disabled = !path.length;
      button.setAttribute("aria-pressed", Boolean(node.nags?.includes(Number(button.dataset.nag))));
    }
    const able = { undo: analysis.past.length, redo: analysis.future.length, cut: path.length,
      promote: isInVariation, "main-line": isInVariation, without: isInVariation };
    for (const [id, is] of Object.entries(able)) byId(id).disabled = !is;
    this.details.show();
  }

  /** Puts words into a field, unless they are what is being typed there. */
  fill(part, comment) {
    const box = part.querySelector("textarea");
    const words = wordsOf(comment ?? "");
    if (box.value.replace(/\s+/g, " ").trim() !== words) box.value = words;
  }

  /** Says what is wrong; nothing without a text. */
  tell(text) {
    this.trouble.textContent = text ?? "";
  }

  /** Says what has happened. */
  note(text) {
    this.noted.textContent = text;
    if (text) say(text);
  }

  async copy() {
    if (!this.details.take()) return;
    try {
      await navigator.clipboard.writeText(this.analysis.pgn);
      this.note(t("The PGN is copied."));
    } catch {
      this.note(t("The browser does not let the page copy: download the PGN."));
    }
  }

  download() {
    if (!this.details.take()) return;
    const file = new Blob([this.analysis.pgn], { type: "application/x-chess-pgn" });
    const href = URL.createObjectURL(file);
    const link = el("a", { href, download: "game.pgn", hidden: true });
    document.body.append(link);
    link.click();
    link.remove();
    // The browser has taken it by then.
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  }

  fresh() {
    this.analysis.begin();
    this.note(t("A new game; Undo brings back the one before."));
  }

  isShown() {
    return !byId("annotate").hidden;
  }

  /** Undoes and redoes by keys, except for words that are being typed. */
  undoByKey(event) {
    const key = event.key.toLowerCase();
    if (!this.isShown() || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    if (!"zy".includes(key) || event.target.closest?.("input, textarea, select, dialog")) return;
    if (key === "y" || event.shiftKey) this.redo();
    else this.undo();
    event.preventDefault();
  }

  undo() {
    if (this.analysis.undo()) say(t("Undone"));
  }

  redo() {
    if (this.analysis.redo()) say(t("Done again"));
  }

  /** Tells whether a key means something here, and does it. */
  key(event) {
    const { analysis } = this;
    const key = event.key.toLowerCase();
    if (/^[1-6]$/.test(key)) analysis.mark(Number(key));
    else if (key === "u") analysis.arrange(event.shiftKey ? mainLine : promoted);
    else if (key === "delete") analysis.arrange(event.shiftKey ? without : cut);
    else if (key === "c") byId("note").focus();
    else return false;
    return true;
  }
}
