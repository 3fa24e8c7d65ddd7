// Damaged games that answers leave out or search in part, and how to find out which.

import { count } from "./dom.js";

/** Names a number of damaged games, with what is `done` with one or with several of them. */
function named(games, [one, several]) {
  return games === 1 ? `1 damaged game${one}; “tabiya verify” lists it`
    : `${count(games)} damaged games${several}; “tabiya verify” lists them`;
}

/** Says what is done with a number of damaged games; nothing if there are none. */
const said = (games, done) =>
  games ? `${named(games, [` is ${done}`, ` are ${done}`])}. ` : "";

/** Says how many damaged games answers leave out or search in part; nothing if none. */
export function damage(answers) {
  const sum = (key) => answers.reduce((total, answer) => total + (answer[key] ?? 0), 0);
  return said(sum("damaged"), "left out") + said(sum("harmed"), "searched as far as can be read");
}

/** Says how many damaged games of a database are known of; null if none. */
export const harm = (games) => (games ? named(games, ["", ""]) : null);
