// How moves are written for readers: with letters of their language, English ones, or figurines.
// What is asked, sent and saved has English letters always.

import { setting } from "./settings.js";
import { t } from "./words.js";

/** The ways that can be chosen, and what they are called. */
export const LETTERS = [
  ["language", t("letters of the language")],
  ["english", t("English letters")],
  ["figurines", t("figurines")],
];

const ENGLISH = [..."KQRBN"];

const WRITTEN = {
  language: t("K Q R B N").split(" "),
  english: ENGLISH,
  figurines: [..."♔♕♖♗♘"],
}[setting("letters", LETTERS.map(([value]) => value))];

/** A letter before a square, a file, a rank or a capture, or after the sign of a promotion. */
const LETTER = /(?<![A-Za-z0-9])[KQRBN](?=[a-h1-8x])|(?<==)[QRBN]/g;

/** Writes moves, which have English letters, as the reader wants them. */
export function shown(san) {
  return san.replace(LETTER, (letter) => WRITTEN[ENGLISH.indexOf(letter)]);
}
