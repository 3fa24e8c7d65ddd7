// The game that is being entered, kept by the browser over a reload: as PGN, which the server reads
// again, so that what is damaged does no harm.

import { t } from "./words.js";

const KEY = "analysis";
/** Letters that are kept; the server reads no longer text. */
const TEXT_MAX = 200_000;

/** Reads what is kept; null if nothing is, or it is damaged. */
export function read() {
  let kept = null;
  try {
    kept = JSON.parse(localStorage.getItem(KEY));
  } catch {
    // Not there, not allowed, or no JSON: nothing is kept.
  }
  if (typeof kept?.pgn !== "string" || kept.pgn.length > TEXT_MAX) return null;
  const path = Array.isArray(kept.path) && kept.path.every(Number.isInteger) ? kept.path : [];
  return { pgn: kept.pgn, path, origin: origin(kept.origin) };
}

/** Reads where a game came from. */
function origin(kept) {
  const isText = [kept?.db, kept?.pgn].every((value) => typeof value === "string");
  return isText && Number.isInteger(kept.number) ? { db: kept.db, number: kept.number, pgn: kept.pgn } : null;
}

/** Keeps a game; returns why it is not kept, or null. */
export function keep({ pgn, path, origin: from }) {
  const text = JSON.stringify({ pgn, path, origin: from });
  if (pgn.length > TEXT_MAX || text.length > 2.5 * TEXT_MAX) {
    return t("The game is too long for the browser to keep: copy or save it before you leave.");
  }
  try {
    localStorage.setItem(KEY, text);
    return null;
  } catch {
    return t("This browser keeps nothing: copy or save the game before you leave.");
  }
}
