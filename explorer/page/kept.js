// Filters that the reader has named, and those that were used last: kept by the browser.

import { byId, el, say } from "./dom.js";
import { t } from "./words.js";

const KEY = "filters";
const NAMED_MAX = 50;
const USED_MAX = 20;
const NAME_MAX = 80;
const QUERY_MAX = 8192;

const isText = (value, most) => typeof value === "string" && value !== "" && value.length <= most;

/** Reads what is kept; what is damaged of it counts as not there. */
function read() {
  let kept = null;
  try {
    kept = JSON.parse(localStorage.getItem(KEY));
  } catch {
    // Not there, not allowed, or no JSON: nothing is kept.
  }
  const list = (name) => (Array.isArray(kept?.[name]) ? kept[name] : []);
  const isNamed = (one) => isText(one?.name, NAME_MAX) && isText(one?.q, QUERY_MAX);
  return {
    named: list("named").filter(isNamed).slice(0, NAMED_MAX).map(({ name, q }) => ({ name, q })),
    used: list("used").filter((q) => isText(q, QUERY_MAX)).slice(0, USED_MAX),
  };
}

/** Keeps something; tells whether the browser does. */
function keep(kept) {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

export class Kept {
  /**
   * `current` returns the filter in use, `put` puts another one into use. `mine` says who the reader
   * is.
   */
  constructor(current, put, mine) {
    this.current = current;
    this.put = put;
    this.mine = mine;
    this.place = byId("kept");
    this.place.addEventListener("toggle", () => this.place.open && this.show());
    // It closes like a menu.
    this.place.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.place.open) return;
      event.preventDefault();
      this.close();
      this.place.querySelector("summary").focus();
    });
    document.addEventListener("pointerdown", (event) => {
      if (this.place.open && !this.place.contains(event.target)) this.close();
    });
  }

  close() {
    this.place.open = false;
  }

  /** Opens it with the focus on one of its fields. */
  open(id) {
    this.wanted = id;
    if (this.place.open) this.show();
    else this.place.open = true;
  }

  /** Notes a filter in use. One that is typed on takes the place of its beginning. */
  note(q) {
    const kept = read();
    const [last] = kept.used;
    if (!isText(q.trim(), QUERY_MAX) || last === q) return;
    const isTyped = last && (q.startsWith(last) || last.startsWith(q));
    const others = (isTyped ? kept.used.slice(1) : kept.used).filter((one) => one !== q);
    keep({ ...kept, used: [q, ...others].slice(0, USED_MAX) });
    if (this.place.open) this.show();
  }

  save(name) {
    const q = this.current().trim();
    const kept = read();
    const others = kept.named.filter((one) => one.name !== name);
    const isKept = isText(q, QUERY_MAX) && others.length < NAMED_MAX
      && keep({ ...kept, named: [{ name, q }, ...others] });
    say(isKept ? t("Saved as {name}", { name }) : t("The filter could not be saved"));
    this.show(isKept ? "" : t("Not saved: {reason}.", { reason: this.hindrance(q, others) }));
    byId("kept-name")?.focus();
  }

  hindrance(q, others) {
    if (!q) return t("there is no filter");
    return others.length < NAMED_MAX ? t("this browser keeps nothing")
      : t("{number} are the most", { number: NAMED_MAX });
  }

  remove(name) {
    const kept = read();
    keep({ ...kept, named: kept.named.filter((one) => one.name !== name) });
    say(t("{name} is deleted", { name }));
    this.show();
    this.place.querySelector("input, summary").focus();
  }

  forget() {
    keep({ ...read(), used: [] });
    this.show();
    this.place.querySelector("summary").focus();
  }

  use(q) {
    this.close();
    this.put(q);
    byId("q").focus();
  }

  show(fault = "") {
    const { named, used } = read();
    const box = el("input", {
      type: "text", id: "kept-name", maxlength: NAME_MAX, autocomplete: "off",
      placeholder: t("Name"), "aria-label": t("Name for the filter in use"),
    });
    const save = (event) => {
      event.preventDefault();
      if (box.value.trim()) this.save(box.value.trim());
      else box.focus();
    };
    const form = el("form", { id: "kept-form", onsubmit: save }, box,
      el("button", { type: "submit" }, t("Save")));
    const q = this.current().trim();
    const now = q
      ? el("p", { class: "query" }, q)
      : el("p", { class: "soft" }, t("No filter is in use. Apply one to save it by name."));
    byId("kept-list").replaceChildren(
      el("section", {}, el("h3", {}, t("Filter in use")), now, q ? form : null,
        fault ? el("p", { class: "fault", role: "alert" }, fault) : null),
      named.length ? el("section", {}, el("h3", {}, t("Saved")),
        el("ul", { id: "kept-named" }, named.map((one) => this.named(one)))) : "",
      this.mine.section(),
      used.length ? el("section", {},
        el("h3", {}, t("Used before")),
        el("ul", { id: "kept-used" }, used.map((one) => this.used(one))),
        el("button", { type: "button", id: "kept-forget", class: "quiet", onclick: () => this.forget() },
          t("Forget these"))) : "");
    if (this.wanted) byId(this.wanted).focus();
    this.wanted = null;
  }

  named({ name, q }) {
    return el("li", {},
      el("button", { type: "button", class: "entry", onclick: () => this.use(q) },
        el("bdi", { class: "label" }, name), el("bdi", { class: "query" }, q)),
      el("button", {
        type: "button", class: "icon", "aria-label": t("Delete {name}", { name }),
        onclick: () => this.remove(name),
      }, "×"));
  }

  used(q) {
    return el("li", {}, el("button", { type: "button", class: "entry", onclick: () => this.use(q) },
      el("bdi", { class: "query" }, q)));
  }
}
