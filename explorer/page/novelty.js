// Where games leave what earlier games of the databases had.

import { ask, giveUp } from "./api.js";
import { damage } from "./damage.js";
import { byId, count, countGames, el, say, woven } from "./dom.js";
import { day } from "./games.js";
import { shown } from "./letters.js";
import * as lists from "./lists.js";
import { question } from "./marks.js";
import { counted, t } from "./words.js";

/** Games that are asked about at once: as many as the server takes. */
const GAMES_MAX = 200;

const REASONS = {
  undated: t("It has no date, so that no game is known to be earlier."),
  first: t("No game of the databases is earlier."),
  known: t("It does not leave them: an earlier game had every position of it."),
};

/** Says how new a `{move}` is, which has its place in the text, as the last `{game}` has. */
function newness({ before, latest }) {
  if (!before) return t("{move} is new.");
  const number = count(before);
  if (!latest) {
    return counted(before, "{move} is new: {number} earlier game had the position before.",
      "{move} is new: {number} earlier games had the position before.", { number });
  }
  return counted(before,
    "{move} is new: {number} earlier game had the position before, the last one {game}.",
    "{move} is new: {number} earlier games had the position before, the last one {game}.",
    { number });
}

export class Novelty {
  /**
   * `page` has the open `game`, the `games` that are listed, the `state` of the address, `go` to
   * change it, and `hrefOf`, which returns the address with a change.
   */
  constructor(page) {
    this.page = page;
    byId("game-novelty").addEventListener("click", () => this.ofGame());
    byId("games-novelties").addEventListener("click", () => this.ofList());
    byId("novelties-close").addEventListener("click", () => {
      this.close();
      byId("games-novelties").focus();
    });
  }

  /** Asks about games; `tell` is told what the server says meanwhile, or what is wrong. */
  async ask(kind, wanted, tell) {
    tell(t("Looking through the databases …"));
    try {
      const parameters = { ...await wanted, db: this.page.state().db.join(",") };
      const busy = () => tell(t("The server is busy; waiting for it."));
      return await ask(kind, "/api/novelties", parameters, busy);
    } catch (fault) {
      tell(fault.message);
      return null;
    }
  }

  /** Says where the open game leaves the others. */
  async ofGame() {
    const { game } = this.page;
    const { id } = game.game;
    const place = byId("novelty");
    place.hidden = false;
    const answer = await this.ask("novelty", { ids: id }, (text) => place.replaceChildren(text));
    if (!answer || game.game.id !== id) return;
    const [{ novelty, reason }] = answer.games;
    if (!novelty) {
      place.replaceChildren(REASONS[reason]);
      return;
    }
    const jump = () => this.page.go({ ply: novelty.ply, at: null });
    const move = el("button", { type: "button", id: "novelty-move", onclick: jump },
      novelty.label ? shown(novelty.label) : t("The start position"));
    const last = novelty.latest && this.link(novelty.latest);
    place.replaceChildren(...woven(newness(novelty), { move, game: last }));
    say(place.textContent);
  }

  /** Forgets what was said of another game. */
  opened() {
    giveUp("novelty");
    byId("novelty").hidden = true;
    byId("novelty").replaceChildren();
  }

  /** Returns a link to a game at a place. */
  link(row, text = null) {
    const place = { game: row.id, ply: row.ply ?? 0, at: null };
    const onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return;
      event.preventDefault();
      this.page.go(place);
    };
    const year = day(row.date).slice(0, 4);
    // Letters from right to left in a name turn nothing around but that name.
    const name = (player) => el("bdi", {}, player ?? t("unknown"));
    const named = [name(row.white), " – ", name(row.black), year && `, ${year}`];
    return el("a", { href: this.page.hrefOf(place), onclick }, text ?? named);
  }

  /** Returns the parameters that mean the games of the list, on all of its pages. */
  async listed() {
    const { list } = this.page.state();
    if (!list) return { ...this.page.asked(), offset: 0, limit: GAMES_MAX };
    const games = (lists.find(list)?.games ?? []).slice(0, GAMES_MAX);
    const answer = await ask("novelties-named", "/api/games", question(games));
    const ids = (answer?.games ?? []).flatMap((row) => row?.id ?? []);
    if (!ids.length) throw new Error(t("None of these games is in the open databases."));
    return { ids: ids.join(",") };
  }

  /** Says where the games of the list leave those before them. */
  async ofList() {
    const told = byId("novelties-told");
    byId("novelties").hidden = false;
    byId("novelties-table").hidden = true;
    const answer = await this.ask("novelties", this.listed(), (text) => told.replaceChildren(text));
    if (!answer) return;
    const left = answer.games.filter(({ novelty }) => novelty).length;
    const asked = answer.games.length;
    const { total } = this.page.games;
    const games = asked < total
      ? t("the first {asked} of {total} games", { asked: count(asked), total: count(total) })
      : countGames(asked);
    const text = t("{left} of {games} leave what earlier games had.", { left: count(left), games });
    told.textContent = [text, damage([answer])].join(" ");
    byId("novelties-body").replaceChildren(...answer.games.map((one) => this.row(one)));
    byId("novelties-table").hidden = false;
    byId("novelties-title").focus();
  }

  row({ game, novelty, reason }) {
    const name = el("th", { scope: "row", class: "players" }, this.link(game));
    if (!novelty) return el("tr", {}, name, el("td", { colspan: 3, class: "none" }, REASONS[reason]));
    const { label } = novelty;
    const place = { ...game, ply: novelty.ply };
    return el("tr", {}, name,
      el("td", { class: "new" }, this.link(place, label ? shown(label) : t("start"))),
      el("td", { class: "games number" }, count(novelty.before)),
      el("td", { class: "last" }, novelty.latest ? this.link(novelty.latest) : "–"));
  }

  /** Closes the table: it is about another list. */
  close() {
    giveUp("novelties");
    byId("novelties").hidden = true;
  }
}
