// The position editor: sets a position up, with gaps where the reader does not mind, shows the query
// that it makes, and runs it.

import { askPosition } from "./api.js";
import { both } from "./clauses.js";
import { byId, el, say } from "./dom.js";
import { EditorBoard, TOOLS } from "./editorboard.js";
import { COUNTED, anything, fenOf, hindrance, isExact, ofFen, written } from "./pattern.js";
import { pictured } from "./sets.js";
import { t } from "./words.js";

const NAMES = {
  Q: t("White queens"), R: t("White rooks"), B: t("White bishops"),
  N: t("White knights"), P: t("White pawns"),
  q: t("Black queens"), r: t("Black rooks"), b: t("Black bishops"),
  n: t("Black knights"), p: t("Black pawns"),
};
const FILE_STATES = ["", "P", "p", "Pp"];
const FILE_NAMES = {
  "": t("pawns as they are"), P: t("no white pawn"), p: t("no black pawn"), Pp: t("no pawn"),
};

/** Says which pawns a file is to be without. */
const fileTold = (file, without) =>
  t("File {file}: {pawns}", { file, pawns: FILE_NAMES[without] });

const tick = (id, text, title) => el("label", { class: "tick", title },
  el("input", { type: "checkbox", id }), text);

export class Editor {
  /**
   * `shown` returns the FEN on the page's board, `filter` the filter in use; `search` is told the
   * query, `explore` the FEN that the reader wants to go to.
   */
  constructor({ shown, filter, search, explore }) {
    Object.assign(this, { shown, filter, search, explore });
    this.pattern = anything();
    /** The clause that was searched last: the next one takes its place in the filter. */
    this.last = "";
    this.dialog = el("dialog", { id: "editor", class: "tool", "aria-labelledby": "editor-title" });
    document.body.append(this.dialog);
  }

  open() {
    if (!this.dialog.firstChild) {
      this.draw();
      this.start(ofFen(this.shown()));
    }
    byId("edit-keep-row").hidden = !this.others();
    this.dialog.showModal();
    this.update();
  }

  /** Returns the filter without what the editor put there. */
  others() {
    const now = this.filter().trim();
    return this.last ? now.replace(this.last, "").trim() : now;
  }

  draw() {
    const name = t("Position to look for");
    const root = el("div", { id: "edit-board", role: "grid", "aria-label": name });
    this.board = new EditorBoard(root, () => this.update());
    const from = (text, pattern) =>
      el("button", { type: "button", onclick: () => this.start(pattern()) }, text);
    const close = {
      type: "button", class: "icon", "aria-label": t("Close"), onclick: () => this.dialog.close(),
    };
    this.dialog.append(
      el("header", {}, el("h2", { id: "editor-title" }, t("Set up a position")),
        el("button", close, "×")),
      el("div", { class: "columns" },
        el("div", { class: "setup" },
          this.palette(t("Black signs"), "kqrbnpa"), root, this.files(),
          this.palette(t("White signs"), "KQRBNPA"), this.palette(t("Other signs"), "*_.m")),
        el("div", { class: "wishes" },
          el("div", { class: "from", role: "group", "aria-label": t("Begin with") },
            el("span", { class: "soft" }, t("Begin with")),
            from(t("Board shown"), () => ofFen(this.shown())),
            from(t("Start"), () => ofFen("")), from(t("Nothing"), anything)),
          el("div", { class: "ticks" },
            tick("edit-several", t("Several on a square"),
              t("What is put on a square joins what may stand there already")),
            tick("edit-only", t("Nothing else on the board"),
              t("Squares without a sign are empty"))),
          el("label", { class: "field beside" }, el("span", {}, t("To move")),
            el("select", { id: "edit-turn" },
              el("option", { value: "" }, t("either side")),
              el("option", { value: "white" }, t("White")),
              el("option", { value: "black" }, t("Black")))),
          this.counts(),
          el("div", { class: "ticks", role: "group", "aria-label": t("Also found") },
            tick("edit-flip", t("Also with colours swapped"), "flip"),
            tick("edit-mirror", t("Also with wings swapped"), "mirror"),
            tick("edit-shift", t("Also moved to other squares"), "shift")),
          this.length(),
          el("p", { class: "soft help" }, t("Keys on the board: arrows, a letter for a man (capitals "
            + "are White’s), a or A for any man of a side, * for any man, _ for empty, Delete to "
            + "clear, Enter for the chosen sign.")))),
      el("footer", {},
        el("p", { class: "writes" }, `${t("Query")} `,
          el("output", { id: "edit-query", class: "query" })),
        el("p", { id: "edit-fault", class: "fault", role: "alert" }),
        el("label", { class: "tick", id: "edit-keep-row" },
          el("input", { type: "checkbox", id: "edit-keep", checked: true }),
          t("Keep the rest of the filter")),
        el("span", { class: "fill" }),
        el("button", { type: "button", id: "edit-explore", onclick: () => this.go() },
          t("Go to the position")),
        el("button", {
          type: "button", id: "edit-search", class: "main", onclick: () => this.run(),
        }, t("Search games"))));
    this.dialog.addEventListener("input", () => this.read());
  }

  /** Asks for how long the position is to stand. */
  length() {
    const group = { class: "field beside", role: "group", "aria-label": t("How long it stands") };
    return el("div", group,
      el("span", {}, t("For at least")),
      el("input", {
        type: "number", id: "edit-length", min: 1, max: 200, value: 1,
        "aria-label": t("Number of moves or half-moves"),
      }),
      el("select", { id: "edit-unit", "aria-label": t("Moves or half-moves") },
        el("option", { value: "half-moves" }, t("half-moves")),
        el("option", { value: "moves" }, t("moves"))));
  }

  palette(label, tools) {
    const button = (tool) => el("button", {
      type: "button", class: "sign-tool", "data-tool": tool, "aria-label": TOOLS[tool],
      title: TOOLS[tool], "aria-pressed": "false", onclick: () => this.choose(tool),
    }, this.board.face(tool));
    return el("div", { class: "palette", role: "group", "aria-label": label },
      [...tools].map(button));
  }

  choose(tool) {
    this.board.tool = tool;
    for (const button of this.dialog.querySelectorAll("[data-tool]")) {
      button.setAttribute("aria-pressed", button.dataset.tool === tool);
    }
  }

  files() {
    const cycle = (file) => {
      const now = FILE_STATES.indexOf(this.pattern.files.get(file) ?? "");
      const next = FILE_STATES[(now + 1) % FILE_STATES.length];
      if (next) this.pattern.files.set(file, next);
      else this.pattern.files.delete(file);
      say(fileTold(file, next));
      this.update();
    };
    return el("div", { id: "edit-files", role: "group", "aria-label": t("Files without pawns") },
      [..."abcdefgh"].map((file) =>
        el("button", { type: "button", "data-file": file, onclick: () => cycle(file) })));
  }

  counts() {
    const bound = (man, end, label) => el("input", {
      type: "number", min: 0, max: 10, inputmode: "numeric", "data-man": man, "data-end": end,
      "aria-label": label,
    });
    const cells = (man) => el("span", { class: "bounds" },
      el("img", { ...pictured(man), alt: "" }),
      bound(man, "0", t("{men}, at least", { men: NAMES[man] })), "–",
      bound(man, "1", t("{men}, at most", { men: NAMES[man] })));
    return el("fieldset", { id: "edit-counts" }, el("legend", {}, t("How many, from – to")),
      COUNTED.flatMap((man) => [cells(man), cells(man.toLowerCase())]));
  }

  start(pattern) {
    this.pattern = { ...anything(), ...pattern };
    const check = (id, value) => { byId(id).checked = value; };
    check("edit-only", pattern.only);
    for (const id of ["edit-flip", "edit-mirror", "edit-shift", "edit-several"]) check(id, false);
    byId("edit-turn").value = pattern.turn;
    byId("edit-length").value = "1";
    byId("edit-unit").value = "half-moves";
    for (const box of byId("edit-counts").querySelectorAll("input")) box.value = "";
    this.board.show(this.pattern.squares);
    this.choose(this.board.tool);
    this.update();
  }

  /** Reads the controls beside the board. */
  read() {
    const { pattern } = this;
    const is = (id) => byId(id).checked;
    this.board.several = is("edit-several");
    Object.assign(pattern, {
      only: is("edit-only"), flip: is("edit-flip"), mirror: is("edit-mirror"), shift: is("edit-shift"),
      turn: byId("edit-turn").value, unit: byId("edit-unit").value,
      length: Math.min(200, Math.max(1, Math.floor(Number(byId("edit-length").value)) || 1)), counts: {},
    });
    for (const box of byId("edit-counts").querySelectorAll("input")) {
      const { man, end } = box.dataset;
      pattern.counts[man] ??= ["", ""];
      if (/^\d{1,2}$/.test(box.value)) pattern.counts[man][end] = box.value;
    }
    this.update();
  }

  update() {
    const { pattern } = this;
    const query = written(pattern);
    byId("edit-query").textContent = query || t("nothing is asked for yet");
    byId("edit-fault").textContent = hindrance(pattern) ?? "";
    byId("edit-search").disabled = !query;
    byId("edit-explore").disabled = !isExact(pattern) || !pattern.squares.size;
    for (const button of byId("edit-files").children) {
      const { file } = button.dataset;
      const without = pattern.files.get(file) ?? "";
      button.setAttribute("aria-label", fileTold(file, without));
      button.title = FILE_NAMES[without];
      const men = [...without].map((pawn) => el("img", { ...pictured(pawn), alt: "" }));
      button.replaceChildren(men.length ? el("span", { class: "none" }, men) : file);
    }
  }

  run() {
    this.read();
    const others = byId("edit-keep").checked ? this.others() : "";
    this.last = written(this.pattern);
    this.dialog.close();
    this.search(both(others, this.last));
  }

  /** Goes to the position itself, if the rules of chess can do something with it. */
  async go() {
    const fen = fenOf(this.pattern);
    try {
      const answer = await askPosition({ fen, play: "" });
      if (!answer) return;
      this.dialog.close();
      this.explore(answer.fen);
    } catch (fault) {
      byId("edit-fault").textContent = fault.message;
    }
  }
}
