// What the keys do, in a dialog that `?` opens.

import { byId, el } from "./dom.js";
import { closeByLeaving, onKey } from "./keys.js";
import { panels } from "./panels.js";
import { sheet } from "./sheet.js";
import { t } from "./words.js";

const GROUPS = [
  [t("Anywhere"), [
    [["←", "→"], t("a move back or on")],
    [[t("Home"), t("End")], t("to the first or last position")],
    [["F"], t("turns the board")],
    [["/"], t("to the filter")],
    [["B"], t("to the board")],
    [["L"], t("to the list of games")],
    [["E"], t("switches the engine on or off")],
    [["I"], t("puts the engine’s first line into the game")],
    [["?"], t("shows these keys")],
    [[t("Tab")], t("to the next control")],
    [[t("Esc")], t("closes what is open over the page")],
  ]],
  [t("In a game, and in the list of games"), [
    [["M"], t("marks the game: the open one, or the one of the list that has the focus")],
    [["N", "P"], t("in a game: the next or the previous one of the list, over its pages")],
    [["V"], t("in a game: folds or unfolds the variation, or those after the move")],
  ]],
  [t("On the board, when it was reached by key"), [
    [["←", "↑", "→", "↓"], t("from square to square")],
    [[t("Enter"), t("Space")], t("picks a man up, puts it down")],
    [[t("Esc")], t("leaves it where it was")],
  ]],
  [t("On the analysis board"), [
    [["A"], t("opens it, with the game that is open")],
    [["1", "…", "6"], t("marks the move: ! ? !! ?? !? ?!")],
    [["C"], t("to the comment")],
    [["D"], t("on the board: begins an arrow at the square, ends it there; "
      + "with Shift red, Alt blue")],
    [["U"], t("promotes the variation; with Shift it becomes the main line")],
    [[t("Delete [key]")], t("deletes from here; with Shift the variation")],
    [[t("Ctrl+Z"), t("Ctrl+Y")], t("undoes, does again")],
  ]],
  [t("In tables"), [
    [[t("Enter")], t("on a head: sorts by this column, again: the other way round")],
    [[t("Enter")], t("on a move or a game: plays it, opens it")],
  ]],
];

export class Help {
  constructor() {
    const label = t("Keys");
    const button = el("button", {
      type: "button", id: "help-open", class: "icon", "aria-label": label, title: t("Keys (?)"),
      "aria-haspopup": "dialog", onclick: () => this.open(),
    }, "?");
    byId("theme").before(button);
    this.dialog = sheet("help", label,
      el("div", { class: "key-groups" }, ...GROUPS.map((group) => this.group(group))));
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
      ...rows.map(([names, does]) => el("div", { class: ["E", "I"].includes(names[0]) ? "engine-key" : null },
        el("dt", {}, ...keys(names)), el("dd", {}, does)))));
  }

  open() {
    for (const row of this.dialog.querySelectorAll(".engine-key")) row.hidden = !byId("engine");
    this.dialog.showModal();
  }
}
