// What the men are called, by their letters: capitals are White's.

import { t } from "./words.js";

/** Names of the men with their colours. */
export const MEN = {
  P: t("white pawn"), N: t("white knight"), B: t("white bishop"),
  R: t("white rook"), Q: t("white queen"), K: t("white king"),
  p: t("black pawn"), n: t("black knight"), b: t("black bishop"),
  r: t("black rook"), q: t("black queen"), k: t("black king"),
};

/** Names of the men without their colours. */
export const KINDS = {
  q: t("queen"), r: t("rook"), b: t("bishop"), n: t("knight"), p: t("pawn"), k: t("king"),
};

/** What pawns become, in the order in which it is offered. */
export const PROMOTED = [..."qrbn"];
