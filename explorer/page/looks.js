// What the reader has chosen of the page's looks. Attributes of the page's root say so; `looks.css`
// knows what they mean.

import { onSetting, setting } from "./settings.js";
import { t } from "./words.js";

/** The colours of boards. */
export const BOARDS = [
  ["brown", t("Brown")],
  ["green", t("Green")],
  ["blue", t("Blue")],
  ["grey", t("Grey")],
  ["contrast", t("High contrast")],
];

/** Whether things move: the system may ask for less also where they do. */
export const MOTIONS = [
  ["on", t("On, as far as the system wants it")],
  ["off", t("Off")],
];

const reduced = matchMedia("(prefers-reduced-motion: reduce)");

const named = (values) => values.map(([value]) => value);

/** Tells whether nothing is to move. */
export const isStill = () => setting("motion", named(MOTIONS)) === "off" || reduced.matches;

const { dataset } = document.documentElement;

onSetting("board", () => {
  dataset.board = setting("board", named(BOARDS));
});
onSetting("motion", () => {
  dataset.motion = setting("motion", named(MOTIONS));
});
