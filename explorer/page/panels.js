// The panels of the window: which of them is shown where not all have room, and how wide they are.

import { byId } from "./dom.js";
import { choose, chosen } from "./settings.js";
import { t } from "./words.js";

/** What a panel has at least, in pixels, and the step of a key. */
const [WIDTH_MIN, STEP] = [300, 24];

const phone = matchMedia("(max-width: 860px)");
const whole = matchMedia("(min-width: 1400px)");

/** The panels whose widths are shared out, and the names of their parts in the style. */
const PARTS = [["left", "--board-part"], ["middle", "--moves-part"], ["right", "--games-part"]];

class Panels {
  constructor() {
    this.tabs = byId("tabs");
    this.panel = "moves";
    /** How far each tab was scrolled, where the page scrolls and not the panels. */
    this.scrolled = new Map();
    /** What was shown before a game was opened. */
    this.before = null;
    this.tabs.addEventListener("click", ({ target }) => {
      const { panel } = target.closest("button")?.dataset ?? {};
      if (panel) this.show(panel);
    });
    for (const split of document.querySelectorAll(".split")) this.resize(split);
    whole.addEventListener("change", () => this.share());
    phone.addEventListener("change", () => this.settle());
    this.mark();
    this.share();
  }

  mark() {
    document.body.dataset.panel = this.panel;
    for (const button of this.tabs.children) {
      button.setAttribute("aria-pressed", button.dataset.panel === this.panel);
    }
  }

  /** Shows a panel where it has a tab, as it was left; elsewhere it is in sight. */
  show(panel) {
    const tab = this.tabs.querySelector(`[data-panel="${panel}"]`);
    if (panel === this.panel || !tab.checkVisibility()) return;
    const element = () => (this.panel === "games" ? byId("right") : byId("middle"));
    this.scrolled.set(this.panel, [scrollY, element().scrollTop]);
    this.panel = panel;
    this.mark();
    const [page, inside] = this.scrolled.get(panel) ?? [Math.min(scrollY, this.top()), 0];
    element().scrollTop = inside;
    if (phone.matches) scrollTo(0, page);
    this.focus();
  }

  /** Tells whether what had the focus is seen no more. */
  hasLostFocus() {
    const { activeElement, body } = document;
    return activeElement === body || !activeElement.checkVisibility();
  }

  /** Lets keys go on in the panel that is shown when the focus is lost. */
  focus() {
    if (!this.hasLostFocus()) return;
    const ofMoves = byId("game").hidden ? "moves-title" : "notation";
    byId(this.panel === "games" ? "games-count" : ofMoves).focus({ preventScroll: true });
  }

  /** A wider window has no tabs for what a phone has: the moves are shown in their place. */
  settle() {
    if (phone.matches || ["moves", "games"].includes(this.panel)) return;
    this.panel = "moves";
    this.mark();
  }

  /** Returns how far the page scrolls until the board is at its top. */
  top() {
    const notes = byId("notes");
    const above = notes.checkVisibility() ? notes : document.querySelector("header");
    return above.getBoundingClientRect().bottom + scrollY;
  }

  /** Scrolls to the beginning of the moves or of the game. */
  begin() {
    if (!phone.matches) byId("middle").scrollTop = 0;
    else if (this.panel === "moves") scrollTo(0, Math.min(scrollY, this.top()));
  }

  /** Offers a panel that there is only sometimes. */
  offer(panel) {
    this.tabs.querySelector(`[data-panel="${panel}"]`).hidden = false;
  }

  /** Names the tab of the moves by what it shows. */
  name(isGame) {
    const tab = this.tabs.querySelector("[data-panel=moves]");
    tab.textContent = isGame ? t("Notation") : t("Moves");
  }

  /** Shows the open game, and notes what it covers. */
  open() {
    this.before ??= this.panel;
    this.show("moves");
  }

  /** A game is opened: its moves are shown from their beginning. */
  opened() {
    this.open();
    this.begin();
  }

  /** A game is closed: who chose it in a list is there again. */
  closed() {
    if (this.before && this.before !== this.panel) this.show(this.before);
    else this.begin();
    this.before = null;
  }

  /** What is shown when the open game is closed. */
  leadTo(panel) {
    this.before = panel;
  }

  /** Lets an element come into sight that something else may cover or that is scrolled away. */
  reveal(element, margin) {
    if (!element.checkVisibility()) return;
    const { top, bottom } = element.getBoundingClientRect();
    const box = phone.matches ? this.between() : byId("middle").getBoundingClientRect();
    const above = Math.min(0, top - margin - box.top);
    const below = Math.max(0, bottom + margin - box.bottom);
    // By `scrollIntoView` the Tab key would go on from here.
    (phone.matches ? window : byId("middle")).scrollBy(0, above || below);
  }

  /** Returns what a phone shows between the board, if that stays, and the tabs. */
  between() {
    const board = byId("stand").getBoundingClientRect();
    return { top: Math.max(0, board.bottom), bottom: this.tabs.getBoundingClientRect().top };
  }

  // ---- widths ----------------------------------------------------------------------------------

  /** The panels that are seen beside each other, and the setting that keeps their widths. */
  shown() {
    if (whole.matches) return { parts: PARTS, name: "widths" };
    return { parts: PARTS.slice(0, 2), name: "widths-of-two" };
  }

  /** Shares out the width as it was chosen. */
  share() {
    const { parts, name } = this.shown();
    const widths = chosen(name);
    const isSound = Array.isArray(widths) && widths.length === parts.length
      && widths.every((width) => Number.isFinite(width) && width > 0);
    PARTS.forEach(([, part], index) => {
      document.body.style.setProperty(part, isSound && widths[index] ? `${widths[index]}fr` : "");
    });
    this.tell();
  }

  /** Says to screen readers where each border is, in per cent of the window. */
  tell() {
    for (const split of document.querySelectorAll(".split")) {
      const { left } = split.getBoundingClientRect();
      split.setAttribute("aria-valuenow", Math.round((100 * left) / innerWidth));
    }
  }

  widths() {
    const visible = byId("right").checkVisibility() ? "right" : "middle";
    return this.shown().parts.map(([id]) =>
      byId(id === "middle" && !whole.matches ? visible : id).getBoundingClientRect().width);
  }

  /** Moves the border after a panel by some pixels, as far as both panels have room. */
  move(widths, index, by) {
    const most = widths[index + 1] - WIDTH_MIN;
    const least = WIDTH_MIN - widths[index];
    const moved = Math.max(least, Math.min(most, by));
    const { name } = this.shown();
    choose(name, widths.map((width, at) =>
      Math.round(width + (at === index ? moved : at === index + 1 ? -moved : 0))));
    this.share();
  }

  /** Lets a border be dragged, moved by keys, and put back by a double click. */
  resize(split) {
    const index = split.id === "split-board" ? 0 : 1;
    let held = null;
    const on = (name, handler) => split.addEventListener(name, handler);
    const release = () => {
      held = null;
      split.classList.remove("held");
    };
    on("pointerdown", (event) => {
      held = { from: event.clientX, widths: this.widths() };
      split.setPointerCapture(event.pointerId);
      split.classList.add("held");
    });
    on("pointermove", (event) => held && this.move(held.widths, index, event.clientX - held.from));
    on("pointerup", release);
    on("pointercancel", release);
    on("dblclick", () => {
      choose(this.shown().name, null);
      this.share();
    });
    on("keydown", (event) => {
      const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
      if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.move(this.widths(), index, step);
    });
  }
}

export const panels = new Panels();
