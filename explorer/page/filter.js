// The box for the query: says where a fault is, and mends it with one click.

import { ask } from "./api.js";
import { byId, el, say, woven } from "./dom.js";
import { panels } from "./panels.js";
import { t } from "./words.js";

/** Milliseconds without a key after which what was typed counts. */
const PAUSE = 500;

/** Questions people often have, and what they are in the language. */
const EXAMPLES = [
  [t("White won"), "result:1-0"],
  [t("Both 2500+"), "elo>=2500"],
  [t("Since 2010"), "year>=2010"],
  [t("Within 25 moves"), "moves<=25"],
  [t("Ends in mate"), "mate"],
  [t("Queens off"), "at(Q=0 q=0)"],
  [t("Rook ending"), "at(Q=0 q=0 R=1 r=1 wminor=0 bminor=0)"],
  [t("Sacrifice on h7"), "played:Bxh7+"],
];

/** Cuts a text at places that count its bytes in UTF-8. */
function cut(text, start, end) {
  const bytes = new TextEncoder().encode(text);
  const part = (from, to) => new TextDecoder().decode(bytes.slice(from, to));
  return [part(0, start), part(start, end), part(end)];
}

/**
 * Returns a query with what was probably meant in place of a part of it; null if the part does not
 * stand there as it was understood.
 */
function mended(query, { condition, instead }) {
  const words = condition.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replaceAll(" ", "\\s+");
  const part = new RegExp(`(?<=^|[\\s(])("?)${words}\\1(?=$|[\\s)])`, "iu").exec(query);
  if (!part || !instead) return null;
  const [before, after] = [query.slice(0, part.index), query.slice(part.index + part[0].length)];
  const isAlone = !(before + after).trim() || !instead.includes(" or ");
  return before + (isAlone ? instead : `(${instead})`) + after;
}

export class Filter {
  /** `onApply` is told the query when it makes sense, and whether it was typed. */
  constructor(onApply) {
    this.onApply = onApply;
    this.box = byId("q");
    this.marks = byId("q-marks");
    this.told = byId("q-fault");
    this.hints = byId("q-hints");
    this.applied = "";
    this.box.addEventListener("input", () => this.wait());
    this.box.addEventListener("scroll", () => this.follow());
    byId("filter").addEventListener("submit", (event) => {
      event.preventDefault();
      panels.show("games");
      this.check(false);
    });
    byId("q-clear").addEventListener("click", () => {
      this.put("");
      this.box.focus();
    });
    // A wheel that has one direction alone goes through the chips too.
    byId("examples").addEventListener("wheel", (event) => {
      if (event.deltaX || event.ctrlKey) return;
      event.preventDefault();
      byId("examples").scrollLeft += event.deltaY;
    }, { passive: false });
    byId("examples").append(...EXAMPLES.map((example) => this.chip(example)));
  }

  chip([label, query]) {
    const toggle = () => this.put(this.has(query) ? this.without(query) : this.with(query));
    return el("button", {
      type: "button",
      class: "chip",
      title: query,
      "data-query": query,
      "aria-pressed": "false",
      onclick: toggle,
    }, label);
  }

  /** Tells whether the query has a clause, as it stands between spaces. */
  has(clause) {
    return ` ${this.applied} `.includes(` ${clause} `);
  }

  with(clause) {
    const first = this.applied.trim();
    const joined = / or /i.test(first) ? `(${first})` : first;
    return joined ? `${joined} ${clause}` : clause;
  }

  without(clause) {
    return ` ${this.applied} `.replace(` ${clause} `, " ").trim();
  }

  /** Shows the query of the address; what the reader types meanwhile stays. */
  show(query) {
    if (query !== this.applied) {
      this.applied = query;
      this.put(query);
    }
    for (const chip of byId("examples").children) {
      chip.setAttribute("aria-pressed", this.has(chip.dataset.query));
    }
  }

  put(query) {
    this.box.value = query;
    this.check(false);
  }

  wait() {
    clearTimeout(this.timer);
    this.mend();
    this.timer = setTimeout(() => this.check(true), PAUSE);
  }

  /** Asks whether what stands in the box makes sense, and applies it if so. */
  async check(isTyped) {
    clearTimeout(this.timer);
    const query = this.box.value.trim();
    let answer;
    try {
      answer = await ask("query", "/api/query", { q: query });
    } catch {
      // The searches themselves tell when the server is gone.
      answer = { fault: null };
    }
    if (!answer || this.box.value.trim() !== query) return;
    // What was found before stays, and is seen not to belong to this.
    document.body.classList.toggle("faulty", Boolean(answer.fault));
    if (answer.fault) {
      this.mark(query, answer.fault);
    } else {
      this.mend();
      if (query === this.applied) return;
      this.applied = query;
      this.onApply(query, isTyped);
    }
  }

  mend() {
    byId("q-clear").hidden = this.box.value === "";
    this.box.removeAttribute("aria-invalid");
    this.marks.replaceChildren();
    this.told.replaceChildren();
  }

  /** Underlines the fault at its place and tells it. */
  mark(query, { error, start, end, suggestion }) {
    const lead = this.box.value.length - this.box.value.trimStart().length;
    const [before, wrong, after] = cut(query, start, end);
    this.box.setAttribute("aria-invalid", "true");
    const place = el("mark", { class: wrong ? "" : "point" }, wrong || "\u200b");
    this.marks.replaceChildren(" ".repeat(lead), before, place, after);
    this.follow();
    const accept = () => {
      this.put(before + suggestion + after);
      this.box.focus();
    };
    const attributes = { type: "button", id: "q-suggestion", onclick: accept };
    const better = el("button", attributes, suggestion);
    const offer = suggestion ? woven(t("Did you mean {better}?"), { better }) : [];
    const still = query === this.applied ? []
      : [` ${t("What is shown is what the filter before it finds.")}`];
    this.told.replaceChildren(`${error[0].toUpperCase()}${error.slice(1)}. `, ...offer, ...still);
    say(t("The filter has a fault: {error}.", { error }));
  }

  /** Shows what was probably meant by parts of the query that is applied. */
  hint(hints) {
    const line = (hint) => {
      const better = mended(this.applied, hint);
      const attributes = { type: "button", title: better, onclick: () => this.put(better) };
      const ask = better === null ? null : el("button", attributes, t("Ask that"));
      return el("p", {}, hint.text, ask);
    };
    this.hints.hidden = hints.length === 0;
    this.hints.replaceChildren(...hints.map(line));
  }

  /** The marks lie under the box and move with its text. */
  follow() {
    this.marks.scrollLeft = this.box.scrollLeft;
  }
}
