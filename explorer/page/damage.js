// Damaged games that answers leave out or search in part, and how to find out which.

import { count } from "./dom.js";
import { counted } from "./words.js";

/** What is done with damaged games, by the name that answers have for their number. */
const DONE = {
  damaged: (games, number) => counted(games,
    "{number} damaged game is left out; “tabiya verify” lists it.",
    "{number} damaged games are left out; “tabiya verify” lists them.", { number }),
  harmed: (games, number) => counted(games,
    "{number} damaged game is searched as far as can be read; “tabiya verify” lists it.",
    "{number} damaged games are searched as far as can be read; “tabiya verify” lists them.",
    { number }),
};

/** Says how many damaged games answers leave out or search in part; nothing if none. */
export function damage(answers) {
  const sum = (key) => answers.reduce((total, answer) => total + (answer[key] ?? 0), 0);
  const told = Object.entries(DONE).map(([key, tell]) => {
    const games = sum(key);
    return games ? `${tell(games, count(games))} ` : "";
  });
  return told.join("");
}

/** Says how many damaged games of a database are known of; null if none. */
export const harm = (games) => (games ? counted(games,
  "{number} damaged game; “tabiya verify” lists it",
  "{number} damaged games; “tabiya verify” lists them", { number: count(games) }) : null);
