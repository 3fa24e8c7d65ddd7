// Damaged games that answers leave out or search in part, and how to find out which.

import { count } from "./dom.js";

/** Says what is done with a number of damaged games; nothing if there are none. */
function said(games, done) {
  if (!games) return "";
  const [named, these] = games === 1 ? ["1 damaged game is", "it"]
    : [`${count(games)} damaged games are`, "them"];
  return `${named} ${done}; “tabiya verify” lists ${these}. `;
}

/** Says how many damaged games answers leave out or search in part; nothing if none. */
export function damage(answers) {
  const sum = (key) => answers.reduce((total, answer) => total + (answer[key] ?? 0), 0);
  return said(sum("damaged"), "left out") + said(sum("harmed"), "searched as far as can be read");
}

/** Says how many damaged games of a database are known of; null if none. */
export function harm(games) {
  if (!games) return null;
  const [named, these] = games === 1 ? ["1 damaged game", "it"]
    : [`${count(games)} damaged games`, "them"];
  return `${named}; “tabiya verify” lists ${these}`;
}
