// What the keys do, in a dialog that `?` opens.

import { byId, el } from "./dom.js";
import { closeByLeaving, onKey } from "./keys.js";
import { panels } from "./panels.js";

const GROUPS = [
  ["Anywhere", [
    [["←", "→"], "a move back or on"],
    [["Home", "End"], "to the first or last position"],
    [["F"], "turns the board"],
    [["/"], "to the filter"],
    [["B"], "to the board"],
    [["L"], "to the list of games"],
    [["E"], "switches the engine on or off"],
    [["?"], "shows these keys"],
    [["Tab"], "to the next control"],
    [["Esc"], "closes what is open over the page"],
  ]],
  ["In a game, and in the list of games", [
    [["M"], "marks the game: the open one, or the one of the list that has the focus"],
    [["N", "P"], "in a game: the next or the previous one of the list, over its pages"],
    [["V"], "in a game: folds or unfolds the variation, or those after the move"],
  ]],
  ["On the board, when it was reached by key", [
    [["←", "↑", "→", "↓"], "from square to square"],
    [["Enter", "Space"], "picks a man up, puts it down"],
    [["Esc"], "leaves it where it was"],
  ]],
  ["On the analysis board", [
    [["A"], "opens it, with the game that is open"],
    [["1", "…", "6"], "marks the move: ! ? !! ?? !? ?!"],
    [["C"], "to the comment"],
    [["D"], "on the board: begins an arrow at the square, ends it there; with Shift red, Alt blue"],
    [["U"], "promotes the variation; with Shift it becomes the main line"],
    [["Delete"], "deletes from here; with Shift the variation"],
    [["Ctrl+Z", "Ctrl+Y"], "undoes, does again"],
  ]],
  ["In tables", [
    [["Enter"], "on a head: sorts by this column, again: the other way round"],
    [["Enter"], "on a move or a game: plays it, opens it"],
  ]],
];

export class Help {
  constructor() {
    const label = "Keys";
    const button = el("button", {
      type: "button", id: "help-open", class: "icon", "aria-label": label, title: "Keys (?)",
      "aria-haspopup": "dialog", onclick: () => this.open(),
    }, "?");
    byId("theme").before(button);
    this.dialog = el("dialog", { id: "help", class: "sheet", "aria-labelledby": "help-title" },
      el("div", { class: "top" },
        el("h2", { id: "help-title" }, label), el("span", { class: "fill" }),
        el("button", {
          type: "button", class: "icon", "aria-label": "Close", onclick: () => this.dialog.close(),
        }, "×")),
      el("div", { class: "key-groups" }, ...GROUPS.map((group) => this.group(group))));
    closeOnBackdrop(this.dialog);
    document.body.append(this.dialog);
    onKey("?", () => this.open());
    onKey("/", () => {
      panels.show("filter");
      byId("q").focus();
    });
    onKey("b", () => {
      const square = document.querySelector("#board [tabindex='0']");
      // The board tells by a new focus that its squares are walked over.
      square.blur();
      square.focus();
    });
    onKey("l", () => {
      panels.show("games");
      document.querySelector("#games-body a")?.focus();
    });
    closeByLeaving();
  }

  group([title, rows]) {
    const keys = (names) => names.flatMap((name) => [el("kbd", {}, name), " "]);
    return el("section", {}, el("h3", {}, title), el("dl", {},
      ...rows.map(([names, does]) => el("div", { class: names[0] === "E" ? "engine-key" : null },
        el("dt", {}, ...keys(names)), el("dd", {}, does)))));
  }

  open() {
    for (const row of this.dialog.querySelectorAll(".engine-key")) row.hidden = !byId("engine");
    this.dialog.showModal();
  }
}

/** Lets a click beside a dialog close it. */
export function closeOnBackdrop(dialog) {
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}
