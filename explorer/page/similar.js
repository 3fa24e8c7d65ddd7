// The games with positions that are most similar to one of them, in the place of those that have
// the position itself.

import { byId, el } from "./dom.js";
import { panels } from "./panels.js";
import { counted, t } from "./words.js";

/** Returns what of a FEN is compared: the men. */
const men = (fen) => fen.split(" ")[0];

/** Writes a likeness in per cent. Only what is the same is 100%. */
const percent = (likeness) => `${Math.floor(100 * likeness + 1e-9)}%`;

/** Returns the parameters of the question for similar positions. */
export function likeness({ q, like, other }) {
  const without = other ? `not fen:"${men(like)}"` : "";
  const query = [without, q.trim() && without ? `(${q}\n)` : q].filter(Boolean).join(" ");
  return { q: query, like: men(like) };
}

export class Similar {
  /** `page` has the `state` of the address, `go` to change it, and `fen`: what the board shows. */
  constructor(page) {
    this.page = page;
    const onClick = (id, handler) => byId(id).addEventListener("click", handler);
    onClick("similar", () => this.start());
    onClick("like-end", () => {
      page.go({ like: "", other: false, page: 1 });
      byId("games-count").focus({ preventScroll: true });
    });
    onClick("like-show", () => {
      const { like, other } = page.state();
      page.explore({ fen: like, play: [], like, other });
    });
    byId("like-other").addEventListener("change", ({ target }) =>
      page.go({ other: target.checked, page: 1 }));
    byId("games-table").tHead.rows[0].append(
      el("th", { scope: "col", class: "like number", hidden: true }, t("Similar")));
  }

  start() {
    const like = this.page.fen().split(" ").slice(0, 2).join(" ");
    this.page.go({ like, list: "", page: 1 });
    panels.show("games");
    byId("games-count").focus({ preventScroll: true });
  }

  /** Shows for which position similar ones are listed. */
  update() {
    const { like, other, list } = this.page.state();
    byId("like-bar").hidden = !like;
    byId("like-other").checked = other;
    byId("like-show").hidden = !like || men(like) === men(this.page.fen() || "");
    for (const part of [byId("sort"), document.querySelector("label[for=sort]")]) {
      // A list of the reader's own has its own order too.
      part.hidden = Boolean(like || list);
    }
    const head = byId("games-table").tHead.querySelector(".like");
    head.hidden = !like;
    head.setAttribute("aria-sort", like ? "descending" : "none");
  }

  /** Adds to each row how similar its position is. */
  listed() {
    const { body, rows, total } = this.page.games;
    if (!this.page.state().like) return;
    rows.forEach(({ similarity }, index) => {
      const cell = el("td", { class: "like number" }, percent(similarity ?? 0));
      cell.style.setProperty("--likeness", similarity ?? 0);
      body.children[index].append(cell);
    });
    byId("games-count").textContent = counted(total,
      "The most similar game", "The {number} most similar games", { number: total });
  }
}
