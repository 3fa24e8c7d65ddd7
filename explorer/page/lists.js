// Lists of games that the reader has made. The browser keeps them: each game by its database's name
// and its number there, so that they are the same after the server was started anew, and by what it
// is called, so that another game in its place is noticed. What others have written into the
// storage, or time has damaged, is passed over.

import { t } from "./words.js";

const KEY = "lists";
export const LISTS_MAX = 50;
export const GAMES_MAX = 1000;
/** Games of all lists together: some hundred kilobytes. */
const ALL_GAMES_MAX = 5000;
const NAME_MAX = 80;
const LABEL_MAX = 160;

const isText = (value, most) => typeof value === "string" && value.length > 0 && value.length <= most;
const isGame = (game) => Array.isArray(game) && isText(game[0], 255)
  && Number.isInteger(game[1]) && game[1] > 0 && isText(game[2], LABEL_MAX);

/** Returns a name as lists have it: without what nobody sees. */
export const named = (text) => text.replace(/[\p{Cc}\p{Cf}]/gu, "").trim().slice(0, NAME_MAX);

/**
 * Returns what a game is called. What is kept says the same in every language; what is shown has
 * another word for `unknown` players.
 */
export function labelOf({ white, black, date, result }, unknown = "unknown") {
  const players = `${white ?? unknown} – ${black ?? unknown}`;
  return [players, date, result].filter(Boolean).join(", ").slice(0, LABEL_MAX);
}

/** Returns a game as lists keep it. */
export const kept = (row) => ({ db: row.db, number: row.number, label: labelOf(row) });

/** Tells whether two games are the same one of the same database. */
export const isSame = (one, other) => one.db === other.db && one.number === other.number;

/** Reads the lists: `name`, and `games` with `db`, `number` and `label`. */
export function all() {
  let found = [];
  try {
    found = JSON.parse(localStorage.getItem(KEY)) ?? [];
  } catch {
    // Without storage, or with nonsense in it, there are none.
  }
  if (!Array.isArray(found)) return [];
  const names = new Set();
  const lists = found.filter((list) => {
    const isNew = isText(list?.name, NAME_MAX) && list.name === named(list.name)
      && Array.isArray(list.games) && !names.has(list.name);
    if (isNew) names.add(list.name);
    return isNew;
  });
  return lists.slice(0, LISTS_MAX).map(({ name, games }) => ({
    name,
    games: games.filter(isGame).slice(0, GAMES_MAX)
      .map(([db, number, label]) => ({ db, number, label })),
  }));
}

/** Returns the list of a name. */
export const find = (name) => all().find((list) => list.name === name);

/** Keeps lists. Throws what to tell the reader when that is not possible. */
function keep(lists) {
  const games = lists.reduce((sum, list) => sum + list.games.length, 0);
  const full = [
    [lists.length > LISTS_MAX,
      t("There may be {number} lists; delete one first.", { number: LISTS_MAX })],
    [lists.some((list) => list.games.length > GAMES_MAX),
      t("A list may have {number} games.", { number: GAMES_MAX })],
    [games > ALL_GAMES_MAX,
      t("All lists together may have {number} games.", { number: ALL_GAMES_MAX })],
  ];
  const told = full.find(([is]) => is)?.[1];
  if (told) throw new Error(told);
  const text = JSON.stringify(lists.map(({ name, games: own }) => ({
    name,
    games: own.map(({ db, number, label }) => [db, number, label]),
  })));
  try {
    localStorage.setItem(KEY, text);
  } catch {
    throw new Error(t("This browser does not let the page keep lists."));
  }
}

/** Adds games to a list, which is made if there is none. Returns how many were new. */
export function add(name, games) {
  const lists = all();
  const list = lists.find((one) => one.name === name) ?? { name, games: [] };
  if (!lists.includes(list)) lists.push(list);
  const fresh = games.filter((game) => !list.games.some((other) => isSame(game, other)));
  list.games.push(...fresh);
  keep(lists);
  return fresh.length;
}

/** Takes games off a list. */
export function remove(name, games) {
  const lists = all();
  const list = lists.find((one) => one.name === name);
  if (!list) return;
  list.games = list.games.filter((game) => !games.some((other) => isSame(game, other)));
  keep(lists);
}

/** Deletes a list with all that is in it; the games stay where they are. */
export function discard(name) {
  keep(all().filter((list) => list.name !== name));
}
