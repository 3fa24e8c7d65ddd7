// Medals that ChessBase gives games.

import { byId, el } from "./dom.js";
import { t } from "./words.js";

const NAMES = {
  "best-game": t("best game"), "decided-tournament": t("decided a tournament"),
  "model-game": t("model game"), novelty: t("novelty"), "pawn-structure": t("pawn structure"),
  strategy: t("strategy"), tactics: t("tactics"), attack: t("attack"), defence: t("defence"),
  sacrifice: t("sacrifice"), material: t("material"), "piece-play": t("piece play"),
  endgame: t("endgame"), "tactical-blunder": t("tactical blunder"),
  "strategic-blunder": t("strategic blunder"), user: t("user"),
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
