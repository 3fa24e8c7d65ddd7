// What the opening is called.

import { ask } from "./api.js";
import { byId, el } from "./dom.js";

const openings = new Map();

const key = ({ fen, play, db }) => JSON.stringify([fen, play, db]);

async function opening(parameters) {
  const answer = await ask("opening", "/masters", { ...parameters, moves: 0, topGames: 0 });
  if (answer) openings.set(key(parameters), answer.opening);
  return Boolean(answer);
}

/** Shows the name of the position's opening, or of the last position before it that has one. */
export async function showOpening(parameters) {
  // Without a name the page is as good; what is wrong with the server, others tell.
  if (!openings.has(key(parameters)) && !(await opening(parameters).catch(() => true))) return;
  const line = parameters.play.split(",");
  let found = null;
  for (let length = line.length; !found && length > 0; length -= 1) {
    found = openings.get(key({ ...parameters, play: line.slice(0, length).join(",") }));
  }
  byId("opening").replaceChildren(...(found ? [el("b", {}, found.eco), ` ${found.name}`] : []));
}
