// Pictures of men, in the set that the reader has chosen.

import { t } from "./words.js";
import { onSetting, setting } from "./settings.js";

/** The sets that the server draws: where they are, and what they are called. */
export const SETS = [
  ["classic", t("Classic")],
  ["bold", t("Strong outlines")],
  ["wood", t("Wood")],
];

/** Returns the address of a man's picture by the letter that FEN has for the man. */
export function picture(letter) {
  const set = setting("men", SETS.map(([name]) => name));
  const folder = set === "classic" ? "" : `${set}/`;
  const side = letter === letter.toUpperCase() ? "w" : "b";
  return `/pieces/${folder}${side}${letter.toUpperCase()}.svg`;
}

/** Returns the attributes of a man's picture; the picture follows the choice of a set. */
export const pictured = (letter) => ({ src: picture(letter), "data-man": letter });

onSetting("men", () => {
  for (const image of document.querySelectorAll("img[data-man]")) {
    image.src = picture(image.dataset.man);
  }
});
