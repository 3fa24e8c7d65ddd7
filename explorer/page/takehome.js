// What is taken home: the lines of a position, and reports on a position or a player.

import { address } from "./api.js";
import { byId } from "./dom.js";

/** Lets the links lead to what is asked of a position. */
export function takePosition({ q, db, variations, fen, play }) {
  const lines = { q, db, variations, fen, play };
  byId("lines-pgn").href = address("/api/lines", lines);
  byId("lines-book").href = address("/api/lines", { ...lines, format: "bin" });
  byId("report-opening").href = address("/api/report", { q, db, fen, play });
}

/** Lets the links lead to reports on the players of a game. Names that are not known have none. */
export function takePlayers(game, db) {
  for (const side of ["white", "black"]) {
    const [link, player] = [byId(`report-${side}`), game[side]];
    link.hidden = !player || /^[?.]*$/.test(player);
    link.href = address("/api/report", { player: player ?? "", db });
  }
}
