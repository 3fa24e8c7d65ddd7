// Marking games in the list, putting them into lists of one's own, and showing those.

import { ask } from "./api.js";
import { byId, count, el, say } from "./dom.js";
import * as lists from "./lists.js";
import { Saving } from "./saving.js";
import { counted, t } from "./words.js";

/** Games that can be marked at the same time. */
const MARKS_MAX = lists.GAMES_MAX;

/** Returns what a game is called on the page. */
const called = (row) => lists.labelOf(row, t("unknown"));

export class Marks {
  /**
   * `page` has the `games` that are listed, the `state` of the address, `go` to change it, and
   * `asked`, which returns the question of the list.
   */
  constructor(page) {
    this.page = page;
    this.marked = [];
    byId("games-table").tHead.rows[0].prepend(
      el("th", { scope: "col", class: "mark" }, this.everyone()));
    this.chooser = byId("list-shown");
    this.chooser.addEventListener("change", () => page.go({ list: this.chooser.value, page: 1 }));
    this.saving = new Saving(byId("save-box"), () => this.wanted());
    byId("save-menu").addEventListener("toggle", () => this.describe());
    byId("save-menu").addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      byId("save-menu").open = false;
      byId("save-menu").firstElementChild.focus();
    });
    byId("mark-add").addEventListener("submit", (event) => {
      event.preventDefault();
      this.add();
      byId("games-count").focus({ preventScroll: true });
    });
    const onClick = (id, handler) => byId(id).addEventListener("click", handler);
    onClick("mark-none", () => this.set([]));
    onClick("list-remove", () => this.change(() => {
      lists.remove(page.state().list, this.marked);
      return t("{number} taken off the list.", { number: count(this.marked.length) });
    }));
    onClick("list-delete", () => this.discard());
    onClick("game-mark", () => this.toggle(this.current()));
    // Another window has changed them.
    addEventListener("storage", (event) => event.key === "lists" && this.offer());
    this.offer();
    this.draw();
  }

  /** The box in the head marks all games of the page, or none of them. */
  everyone() {
    this.all = el("input", {
      type: "checkbox", id: "mark-all", "aria-label": t("Mark all games of this page"),
      onchange: () => {
        const { rows } = this.page.games;
        const others = this.marked.filter((game) => !rows.some((row) => lists.isSame(game, row)));
        this.set(this.all.checked ? [...others, ...rows.map(lists.kept)] : others);
      },
    });
    return this.all;
  }

  isMarked(row) {
    return this.marked.some((game) => lists.isSame(game, row));
  }

  /** Returns the game that the address names; before it has come, its row of the list. */
  current() {
    const { game } = this.page.state();
    return game ? [this.page.game.game, ...this.page.games.rows].find((row) => row?.id === game) : null;
  }

  toggle(row) {
    if (!row) return;
    const rest = this.marked.filter((game) => !lists.isSame(game, row));
    this.set(rest.length < this.marked.length ? rest : [...rest, lists.kept(row)]);
    const game = called(row);
    say(this.isMarked(row) ? t("Marked: {game}", { game }) : t("Not marked: {game}", { game }));
  }

  set(marked) {
    this.marked = marked.slice(0, MARKS_MAX);
    if (marked.length > MARKS_MAX) {
      this.tell(t("{number} games can be marked.", { number: count(MARKS_MAX) }));
    }
    this.draw();
  }

  /** Gives every row of the list its box. */
  listed() {
    const { body, rows } = this.page.games;
    rows.forEach((row, index) => {
      const box = el("input", {
        type: "checkbox", "aria-label": t("Mark {game}", { game: called(row) }),
        onchange: () => this.toggle(row),
      });
      const cell = el("td", { class: "mark", onclick: (event) => event.stopPropagation() },
        el("label", {}, box));
      body.children[index].prepend(cell);
    });
    this.draw();
  }

  /** Shows what is marked, and what can be done with it. */
  draw() {
    const { rows, body } = this.page.games;
    const marked = rows.map((row) => this.isMarked(row));
    marked.forEach((is, index) => {
      const box = body.children[index].querySelector(".mark input");
      if (box) box.checked = is;
    });
    this.all.checked = marked.length > 0 && marked.every(Boolean);
    this.all.indeterminate = !this.all.checked && marked.some(Boolean);
    byId("mark-bar").hidden = this.marked.length === 0;
    const number = this.marked.length;
    byId("mark-count").textContent = counted(number,
      "{number} game marked", "{number} games marked", { number: count(number) });
    byId("list-remove").hidden = !this.page.state().list;
    this.drawCurrent();
    this.describe();
  }

  /** Shows whether the game that is open is marked. */
  drawCurrent() {
    const game = this.current();
    byId("game-mark").setAttribute("aria-pressed", Boolean(game) && this.isMarked(game));
  }

  /** Offers the lists that there are. */
  offer() {
    const all = lists.all();
    const { list } = this.page.state();
    const names = all.map(({ name }) => name);
    const options = all.map(({ name, games }) =>
      el("option", { value: name }, `${name} (${games.length})`));
    if (list && !names.includes(list)) options.push(el("option", { value: list }, list));
    this.chooser.replaceChildren(el("option", { value: "" }, t("what was found")), ...options);
    this.chooser.value = list;
    byId("list-choice").hidden = options.length === 0;
    byId("list-names").replaceChildren(...names.map((value) => el("option", { value })));
    byId("list-delete").hidden = !names.includes(list);
  }

  add() {
    const name = lists.named(byId("mark-name").value);
    if (!name) {
      this.tell(t("The list needs a name."));
      byId("mark-name").focus();
      return;
    }
    const games = this.marked;
    this.change(() => {
      const added = lists.add(name, games);
      return counted(added, "{number} game added to “{name}”.", "{number} games added to “{name}”.",
        { number: count(added), name });
    });
  }

  discard() {
    const { list } = this.page.state();
    const games = lists.find(list)?.games ?? [];
    try {
      lists.discard(list);
    } catch (fault) {
      this.tell(fault.message);
      return;
    }
    this.page.go({ list: "", page: 1 });
    this.offer();
    const back = () => {
      lists.add(list, games);
      this.tell("");
      this.offer();
      this.page.go({ list, page: 1 });
    };
    this.tell(`${t("The list “{name}” is deleted.", { name: list })} `,
      el("button", { type: "button", class: "quiet", onclick: back }, t("Undo")));
  }

  /** Changes the lists and tells what `work` says of it, or why it was not possible. */
  change(work) {
    try {
      const told = work();
      this.set([]);
      this.offer();
      if (this.page.state().list) this.page.update();
      this.tell(told);
    } catch (fault) {
      this.tell(fault.message);
    }
  }

  tell(...parts) {
    byId("mark-told").replaceChildren(...parts);
  }

  /** Says what would be saved: the list, the marked games, or everything that was found. */
  describe() {
    if (!byId("save-menu").open) return;
    const { list } = this.page.state();
    const number = this.marked.length;
    const { total = 0, damage } = this.page.games;
    const some = number || (list ? (lists.find(list)?.games ?? []).length : total);
    const text = !some ? t("There is no game to save.")
      : number ? counted(number, "The game that is marked", "The {number} games that are marked",
        { number: count(number) })
      : list ? t("The list “{name}”", { name: list })
      : counted(total, "The game that was found", "All {number} games that were found",
        { number: count(total) });
    const isFound = !number && !list;
    this.saving.describe(isFound && damage ? `${text}. ${damage.trim()}` : text, !some);
  }

  /** Returns the parameters of what is saved. */
  async wanted() {
    const { list } = this.page.state();
    const games = this.marked.length ? this.marked : lists.find(list)?.games;
    if (!games) return { ...this.page.asked(), offset: "", limit: "", name: list || "games" };
    const answer = await ask("named", "/api/games", question(games));
    const ids = (answer?.games ?? []).flatMap((row) => row?.id ?? []);
    if (!ids.length) throw new Error(t("None of these games is in the open databases."));
    return { ids: ids.join(","), name: list || "games" };
  }
}

/** Returns what is posted to ask for games of lists. */
export function question(games) {
  return { body: JSON.stringify({ games: games.map(({ db, number }) => ({ db, number })) }) };
}
