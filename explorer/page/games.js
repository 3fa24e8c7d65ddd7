// The list of games that match, page by page.

import { damage } from "./damage.js";
import { byId, count, countGames, el } from "./dom.js";
import { panels } from "./panels.js";
import { openingName, t } from "./words.js";

export const ROWS = 20;

/** Writes a date of PGN without what is unknown of it. */
export const day = (date) => (date ?? "").replace(/^\?+.*/, "").replace(/(\.\?+)+$/, "");

const RESULTS = { "1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½", "*": "∗" };

/** Writes a result with the dashes and fractions of print. */
export const result = (text) => RESULTS[text] ?? text;

/** Who has won, by result. */
const WINNERS = { "1-0": "white", "0-1": "black", "1/2-1/2": "draws" };

/** Shows a result as a badge, in the colour of who has won. */
export const badge = (text) =>
  el("span", { class: `outcome ${WINNERS[text] ?? "open"}` }, result(text));

/** Names a player with colour and rating. */
export function player(side, name, rating) {
  return el("span", { class: `player ${side}` },
    el("span", { class: "who", title: name }, name ?? t("unknown")),
    el("span", { class: "elo" }, rating ? String(rating) : ""));
}

export class Games {
  /**
   * `go` is told what changes in the address; `hrefOf` returns the address with a change; `turned`
   * returns how the board stands for a row.
   */
  constructor(go, hrefOf, turned) {
    Object.assign(this, { go, hrefOf, turned });
    this.body = byId("games-body");
    this.rows = [];
    byId("sort").addEventListener("change", (event) => go({ sort: event.target.value, page: 1 }));
    byId("page-back").addEventListener("click", () => this.leaf(-1));
    byId("page-on").addEventListener("click", () => this.leaf(1));
  }

  leaf(step) {
    this.go({ page: this.page + step });
  }

  show(answer, page) {
    this.page = page;
    this.rows = answer.games;
    this.total = answer.total;
    this.damage = damage([answer]);
    const pages = Math.max(1, Math.ceil(answer.total / ROWS));
    byId("games-count").textContent = countGames(answer.total);
    byId("page-number").textContent = `${count(page)} / ${count(pages)}`;
    byId("page-back").disabled = page <= 1;
    byId("page-on").disabled = page >= pages;
    byId("pages").hidden = pages === 1;
    this.body.replaceChildren(...this.rows.map((row) => this.row(row)));
    this.mark(this.open);
    const next = this.turning > 0 ? this.rows[0] : this.rows.at(-1);
    if (this.turning && next) this.openRow(next, true);
    this.turning = 0;
  }

  /** Marks the game that is open. */
  mark(id) {
    this.open = id;
    this.rows.forEach((row, index) => {
      const line = this.body.children[index];
      const link = line.querySelector("a");
      line.classList.toggle("open", row.id === id);
      if (row.id === id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
  }

  /** Gives the link to a game the focus, if it is in sight. */
  focus(id) {
    const index = this.rows.findIndex((row) => row.id === id);
    this.body.children[index]?.querySelector("a").focus({ preventScroll: true });
  }

  /** Tells whether there is a game before (-1) or after (1) the open one, on any page. */
  hasBeside(step) {
    const index = this.rows.findIndex((row) => row.id === this.open);
    const page = this.page + step;
    const hasPage = page >= 1 && page <= Math.ceil(this.total / ROWS);
    return index >= 0 && (index + step in this.rows || hasPage);
  }

  /** Opens the game before or after the open one; turns the page where it must. */
  openBeside(step) {
    const index = this.rows.findIndex((row) => row.id === this.open) + step;
    if (index in this.rows) {
      this.openRow(this.rows[index]);
    } else {
      this.turning = step;
      this.leaf(step);
    }
  }

  /** Returns what an address says when a game is open where it matches. */
  opened(row) {
    return { game: row.id, ply: row.ply ?? 0, at: null, ...this.turned(row) };
  }

  openRow(row, isSmall = false) {
    this.go({ ...this.opened(row), variation: row.variation }, isSmall);
    // It may be the one that is open, behind the list.
    panels.open();
  }

  row(row) {
    const open = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return;
      event.preventDefault();
      this.openRow(row);
    };
    // What is read aloud begins with what is seen, as voice control needs it.
    const link = el("a", { href: this.hrefOf(this.opened(row)) },
      player("white", row.white, row.whiteElo), player("black", row.black, row.blackElo),
      el("span", { class: "unseen" }, row.result));
    const moves = row.plies === null ? "–" : String(Math.ceil(row.plies / 2));
    const parts = [row.event, row.round && row.round !== "?" ? `(${row.round})` : null];
    const where = parts.filter(Boolean).join(" ");
    return el("tr", { onclick: open },
      el("td", { class: "result" }, badge(row.result)),
      // Where the table is narrow the event stands here and not in a column of its own.
      el("th", { scope: "row", class: "players" }, link,
        where ? el("span", { class: "below", title: row.site }, where) : null),
      el("td", { class: "event", title: row.site }, el("span", {}, where || "–")),
      el("td", { class: "date" }, day(row.date) || "–"),
      el("td", { class: "eco", title: row.opening && openingName(row.opening) }, row.eco ?? "–"),
      el("td", { class: "plies number" }, moves));
  }
}
