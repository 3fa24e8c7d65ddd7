// The heads of the games' list: each sorts by its column.

import { byId, el } from "./dom.js";
import { t } from "./words.js";

/**
 * By class of the head: what it can sort by, what it is called there and in a sentence, and whether
 * large ones are wanted first.
 */
const HEADS = {
  result: [["result", t("Result [head]"), t("result"), false]],
  players: [
    ["white", t("White"), t("white"), false], ["black", t("Black"), t("black"), false],
    ["avgelo", t("Rating"), t("rating"), true],
  ],
  event: [["event", t("Event"), t("event"), false]],
  date: [["date", t("Date"), t("date"), true]],
  eco: [["eco", t("ECO"), t("eco"), false]],
  plies: [["plies", t("Moves"), t("moves"), true]],
};

export class Sorting {
  /** `go` is told what changes in the address. */
  constructor(go) {
    this.go = go;
    this.select = byId("sort");
    this.buttons = [];
    for (const [name, keys] of Object.entries(HEADS)) {
      const head = byId("games-table").querySelector(`thead th.${name}`);
      const buttons = keys.map((key) => this.button(head, ...key));
      head.replaceChildren(...buttons.map(({ button }) => button));
      this.buttons.push(...buttons);
    }
  }

  button(head, key, label, inside, isDownwards) {
    const title = key === "avgelo" ? t("Mean of both ratings") : null;
    const sort = () => this.go({ sort: this.next(key, isDownwards), page: 1 });
    const button = el("button", { type: "button", "data-sort": key, title, onclick: sort }, label);
    return { button, head, key, inside };
  }

  /** Returns the order that a click on a head asks for. */
  next(key, isDownwards) {
    const [first, other] = isDownwards ? [`${key}:desc`, key] : [key, `${key}:desc`];
    return this.sort === first ? other : first;
  }

  /**
   * Shows by what the list is sorted: by nothing of this when it is empty. No head changes an
   * order that `isFixed`.
   */
  mark(sort, isFixed) {
    this.sort = sort;
    for (const { button } of this.buttons) button.disabled = isFixed;
    const [name, direction] = sort.split(":");
    const order = direction === "desc" ? "descending" : "ascending";
    for (const { head } of this.buttons) head.setAttribute("aria-sort", "none");
    for (const { button, head, key } of this.buttons) {
      const isKey = key === name;
      button.classList.toggle("up", isKey && order === "ascending");
      button.classList.toggle("down", isKey && order === "descending");
      if (isKey) head.setAttribute("aria-sort", order);
      if (isKey && head.querySelectorAll("button").length > 1) {
        button.setAttribute("aria-pressed", "true");
      } else {
        button.removeAttribute("aria-pressed");
      }
    }
    if (sort) this.choose(sort, name, order);
  }

  /** Shows the order in the box, which has not every one of them. */
  choose(sort, name, order) {
    this.select.querySelector("[data-other]")?.remove();
    const isThere = [...this.select.options].some((option) => option.value === sort);
    if (!isThere) {
      const known = { name: this.buttons.find(({ key }) => key === name)?.inside ?? name };
      const text = order === "ascending" ? t("{name}, ascending", known)
        : t("{name}, descending", known);
      this.select.append(el("option", { value: sort, "data-other": "" }, text));
    }
    this.select.value = sort;
  }
}
