// What the page shows, as an address: to be sent to others and to be found again by Back.

/** What a page without parameters shows. */
const NOTHING = {
  fen: "", play: [], q: "", db: [], variations: false, sort: "avgelo:desc", page: 1,
  flip: false, game: null, ply: null, at: null, like: "", other: false, list: "",
};

/**
 * Reads an address. `play` are moves from `fen` on; `ply` is a place in the main line of `game`,
 * `at` the number of a move in its whole notation, which only moves of variations need. The list
 * has games with positions similar to `like`, without the same ones if `other`, or is the reader's
 * own `list`.
 */
export function read(search) {
  const from = new URLSearchParams(search);
  const list = (name) => (from.get(name) ?? "").split(",").filter(Boolean);
  const number = (name) => (/^\d{1,9}$/.test(from.get(name) ?? "") ? Number(from.get(name)) : null);
  return {
    fen: from.get("fen") ?? "",
    play: list("play"),
    q: from.get("q") ?? "",
    db: list("db"),
    variations: from.get("variations") === "true",
    sort: from.get("sort") ?? NOTHING.sort,
    page: number("page") || 1,
    flip: from.get("flip") === "true",
    game: from.get("game"),
    ply: number("ply"),
    at: number("at"),
    like: from.get("like") ?? "",
    other: from.get("other") === "true",
    list: from.get("list") ?? "",
  };
}

/** Writes an address; what is as usual is left out. */
export function written(state) {
  const to = new URLSearchParams();
  for (const [name, usual] of Object.entries(NOTHING)) {
    const value = Array.isArray(state[name]) ? state[name].join(",") : state[name];
    const plain = Array.isArray(usual) ? "" : usual;
    if (value !== plain && value !== null) to.set(name, value);
  }
  const text = to.toString().replaceAll("%2C", ",").replaceAll("%2F", "/").replaceAll("%3A", ":");
  return text ? `/?${text}` : "/";
}

/** Returns the parameters of the server's answers that say which databases and lines to look in. */
export const scope = ({ db, variations }) => ({ db: db.join(","), variations: variations || "" });

/** Returns the query for games that match the filter and in which the position occurs. */
export function combined(q, fen) {
  const position = `fen:"${fen.split(" ").slice(0, 2).join(" ")}"`;
  return q.trim() ? `${position} (${q}\n)` : position;
}
