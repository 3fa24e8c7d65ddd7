// Whose page it is: the name by which the reader's own games are found, kept by the browser.

import { address, ask } from "./api.js";
import { quoted } from "./clauses.js";
import { byId, el, say } from "./dom.js";
import { t } from "./words.js";

const KEY = "me";
const NAME_MAX = 200;
/** Names that are offered. */
const ITEMS = 8;

export class Mine {
  /** `filter` is the box for the query, `db` returns the databases, `open` shows a field of the menu. */
  constructor({ filter, db, open }) {
    Object.assign(this, { filter, db, open });
    this.name = "";
    try {
      this.name = (localStorage.getItem(KEY) ?? "").slice(0, NAME_MAX);
    } catch {
      // Not allowed: the name is known as long as the page is open.
    }
    this.chip = el("button", {
      type: "button", id: "my-games", class: "chip", "aria-pressed": "false",
      onclick: () => this.toggle(),
    }, t("My games"));
    byId("examples").prepend(this.chip);
    this.mark();
  }

  /** Returns the query for the reader's games. */
  clause() {
    return `player:${quoted(this.name)}`;
  }

  mark() {
    this.chip.title = this.name ? this.clause() : t("Say once who you are");
    if (this.name) this.chip.dataset.query = this.clause();
    else delete this.chip.dataset.query;
    this.chip.setAttribute("aria-pressed", Boolean(this.name) && this.filter.has(this.clause()));
  }

  /** Puts the reader's games into the filter, or takes them out of it. */
  toggle() {
    const { filter } = this;
    if (!this.name) {
      this.open("my-name");
      return;
    }
    filter.put(filter.has(this.clause()) ? filter.without(this.clause()) : filter.with(this.clause()));
  }

  /** Takes a name. Games of the name before are filtered no more. */
  call(name) {
    const before = this.name && this.filter.has(this.clause()) ? this.clause() : null;
    this.name = name.trim().slice(0, NAME_MAX);
    try {
      if (this.name) localStorage.setItem(KEY, this.name);
      else localStorage.removeItem(KEY);
    } catch {
      // As above.
    }
    if (before) this.filter.put(this.filter.without(before));
    this.mark();
    say(this.name ? t("You are {name}", { name: this.name }) : t("Your name is forgotten"));
  }

  /** Returns the part of a menu in which the reader says who he is. */
  section() {
    const box = el("input", {
      type: "text", id: "my-name", maxlength: NAME_MAX, autocomplete: "off", value: this.name,
      placeholder: t("Your name, or a part of it"),
      "aria-label": t("Your name in the databases"),
      list: "my-names", oninput: () => this.offer(box.value, names),
    });
    const names = el("datalist", { id: "my-names" });
    const links = el("p", { class: "top" });
    const draw = () => links.replaceChildren(...this.links());
    const save = (event) => {
      event.preventDefault();
      this.call(box.value);
      draw();
    };
    draw();
    return el("section", {}, el("h3", {}, t("My games")),
      el("form", { id: "my-form", onsubmit: save }, box, names,
        el("button", { type: "submit" }, t("Set"))),
      links);
  }

  /** Offers the names of the databases that go on with what is typed. */
  async offer(text, names) {
    if (!text.trim()) return;
    const q = `player:"${text.replace(/[\\"]/g, "\\$&")}`;
    const answer = await ask("my-name", "/api/complete", { q, limit: ITEMS, db: this.db() })
      .catch(() => null);
    if (!answer) return;
    names.replaceChildren(...answer.items.map(({ label }) => el("option", { value: label })));
  }

  links() {
    if (!this.name) return [];
    const clause = this.clause();
    // What else the filter asks holds when it is about the same games.
    const q = this.filter.has(clause) ? this.filter.applied : clause;
    const href = address("/api/report", { games: true, q, db: this.db() });
    return [el("a", { id: "report-mine", class: "button", href, target: "_blank", rel: "noopener" },
      t("Report on my games"))];
  }
}
