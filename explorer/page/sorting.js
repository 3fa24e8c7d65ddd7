// The heads of the games' list: each sorts by its column.

import { byId, el } from "./dom.js";

/** By class of the head: what it can sort by, and whether large ones are wanted first. */
const HEADS = {
  result: [["result", "Result", false]],
  players: [["white", "White", false], ["black", "Black", false], ["avgelo", "Rating", true]],
  event: [["event", "Event", false]],
  date: [["date", "Date", true]],
  eco: [["eco", "ECO", false]],
  plies: [["plies", "Moves", true]],
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

  button(head, key, label, isDownwards) {
    const title = key === "avgelo" ? "Mean of both ratings" : null;
    const sort = () => this.go({ sort: this.next(key, isDownwards), page: 1 });
    const button = el("button", { type: "button", "data-sort": key, title, onclick: sort }, label);
    return { button, head, key };
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
      const known = this.buttons.find(({ key }) => key === name)?.button.textContent ?? name;
      const option = { value: sort, "data-other": "" };
      this.select.append(el("option", option, `${known.toLowerCase()}, ${order}`));
    }
    this.select.value = sort;
  }
}
