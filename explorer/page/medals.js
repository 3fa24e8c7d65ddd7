// Medals that ChessBase gives games.

import { byId, el } from "./dom.js";

const NAMES = {
  "best-game": "best game", "decided-tournament": "decided a tournament",
  "model-game": "model game", novelty: "novelty", "pawn-structure": "pawn structure",
  strategy: "strategy", tactics: "tactics", attack: "attack", defence: "defence",
  sacrifice: "sacrifice", material: "material", "piece-play": "piece play", endgame: "endgame",
  "tactical-blunder": "tactical blunder", "strategic-blunder": "strategic blunder", user: "user",
};

/** Returns the medals that a text names, in words; others are left out. */
export const medals = (text) => text.split(",").map((name) => name.trim())
  .filter((name) => Object.hasOwn(NAMES, name)).map((name) => ({ name, words: NAMES[name] }));

/** Shows the medals of a game. */
export function showMedals({ tags }) {
  const found = tags.filter(([name]) => name === "Medals").flatMap(([, value]) => medals(value));
  byId("game-medals").hidden = found.length === 0;
  byId("game-medals").replaceChildren(...found.map(({ name, words }) =>
    el("li", { class: "medal", "data-medal": name }, words)));
}
