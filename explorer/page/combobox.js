// A text field with a list of what may be meant: the combobox pattern of ARIA.

import { el, say } from "./dom.js";
import { counted } from "./words.js";

/** Milliseconds without a key after which the list is asked for. */
const PAUSE = 60;

let lists = 0;

export class Combobox {
  /**
   * `ask` returns a promise of the items for what the field holds, null when they are wanted no
   * more; `line` returns what an item looks like; `onChoose` is told the chosen one. With `first`
   * Enter takes the first item when none was chosen by the arrows.
   */
  constructor(input, { name, ask, line, onChoose, first = false }) {
    Object.assign(this, { input, ask, line, onChoose, first });
    this.items = [];
    this.active = -1;
    lists += 1;
    const id = `list-${lists}`;
    this.list = el("ul", { role: "listbox", id, class: "list", "aria-label": name });
    this.list.hidden = true;
    const pattern = {
      role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.list.id,
    };
    for (const [attribute, value] of Object.entries(pattern)) input.setAttribute(attribute, value);
    input.after(this.list);
    input.addEventListener("input", () => this.wait());
    input.addEventListener("keydown", (event) => this.key(event));
    input.addEventListener("blur", () => this.close());
    // The field keeps the focus while an item is pointed at.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(), PAUSE);
  }

  /** Asks for the items and shows them, unless the field is left meanwhile. */
  async load() {
    clearTimeout(this.timer);
    const text = this.input.value;
    // Without an answer there is no list; the page tells elsewhere that the server is gone.
    const items = await this.ask(text).catch(() => []);
    const isWanted = document.activeElement === this.input && this.input.value === text;
    if (items && isWanted) this.show(items);
  }

  show(items) {
    this.items = items;
    this.list.replaceChildren(...items.map((item, index) => el("li", {
      role: "option",
      id: `${this.list.id}-${index}`,
      "aria-selected": "false",
      onclick: () => this.choose(index),
    }, this.line(item))));
    this.list.hidden = items.length === 0;
    this.list.scrollTop = 0;
    // It opens where there is room.
    const { top, bottom } = this.input.getBoundingClientRect();
    const below = innerHeight - bottom;
    this.list.classList.toggle("above", below < this.list.offsetHeight + 8 && top > below);
    this.input.setAttribute("aria-expanded", items.length > 0);
    this.mark(this.first && items.length ? 0 : -1);
    const number = items.length;
    if (number) say(counted(number, "{number} suggestion", "{number} suggestions", { number }));
  }

  close() {
    clearTimeout(this.timer);
    if (this.items.length) this.show([]);
  }

  /** Marks an item; none for -1. */
  mark(index) {
    this.active = index;
    [...this.list.children].forEach((option, at) => {
      option.setAttribute("aria-selected", at === index);
    });
    const option = this.list.children[index];
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  choose(index) {
    const item = this.items[index];
    this.close();
    this.onChoose(item);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const { length } = this.items;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step && !length) {
      this.load();
    } else if (step) {
      // One place more than there are items: the field itself.
      this.mark(((this.active + 1 + step + length + 1) % (length + 1)) - 1);
    } else if ((event.key === "Enter" || event.key === "Tab") && this.active >= 0) {
      this.choose(this.active);
    } else if (event.key === "Escape" && length) {
      this.close();
    } else {
      if (event.key === "Enter") this.close();
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}

/** Draws an item as a name with something softer after it. */
export const nameAndDetail = ({ label, detail }) => [
  el("bdi", { class: "label" }, label), el("span", { class: "detail" }, detail),
];
