// Marks of moves and positions ($1 to $255 in PGN) as signs, or in words where a sign is known to
// few readers or is in few fonts.

import { t } from "./words.js";

const SIGNS = {
  1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□", 10: "=", 13: "∞", 14: "+/=", 15: "=/+",
  16: "±", 17: "∓", 18: "+−", 19: "−+", 22: "⊙", 23: "⊙", 32: "⟳", 33: "⟳", 36: "↑", 37: "↑",
  40: "→", 41: "→", 44: "=∞", 45: "=∞", 132: "⇆", 133: "⇆", 138: "⊕", 139: "⊕", 140: "∆", 141: "∇",
  146: "N",
};

/** From $14 on each is said of White, and then of Black. */
const SIDES = [
  t("slightly better"), t("better"), t("winning"), t("crushing"), t("zugzwang"),
  t("slightly more space"), t("more space"), t("decisively more space"),
  t("slight lead in development"), t("lead in development"), t("decisive lead in development"),
  t("initiative"), t("lasting initiative"), t("attack"), t("too little for the material"),
  t("compensation for the material"), t("more than enough for the material"),
  t("slight control of the centre"), t("control of the centre"),
  t("decisive control of the centre"), t("slight control of the kingside"),
  t("control of the kingside"), t("decisive control of the kingside"),
  t("slight control of the queenside"), t("control of the queenside"),
  t("decisive control of the queenside"), t("weak first rank"), t("well protected first rank"),
  t("poorly protected king"), t("well protected king"), t("poorly placed king"),
  t("well placed king"), t("very weak pawns"), t("weak pawns"), t("strong pawns"),
  t("very strong pawns"), t("poorly placed knight"), t("well placed knight"),
  t("poorly placed bishop"), t("well placed bishop"), t("poorly placed rook"),
  t("well placed rook"), t("poorly placed queen"), t("well placed queen"), t("poor coordination"),
  t("good coordination"), t("very poor opening"), t("poor opening"), t("good opening"),
  t("very good opening"), t("very poor middlegame"), t("poor middlegame"), t("good middlegame"),
  t("very good middlegame"), t("very poor ending"), t("poor ending"), t("good ending"),
  t("very good ending"), t("slight counterplay"), t("counterplay"), t("decisive counterplay"),
  t("time pressure"), t("severe time pressure"),
];
const SIDES_FROM = 14;

/** What is said of a move or of both sides. Beyond $139 the habits of several programs. */
const WORDS = {
  0: "", 1: t("good move"), 2: t("mistake"), 3: t("brilliant move"), 4: t("blunder"),
  5: t("interesting move"), 6: t("dubious move"), 7: t("forced move"), 8: t("only move"),
  9: t("worst move"), 10: t("even position"), 11: t("even, quiet position"),
  12: t("even, active position"), 13: t("unclear position"), 140: t("with the idea"),
  141: t("aimed against"), 142: t("better is"), 143: t("worse is"), 144: t("equally good is"),
  145: t("remark"), 146: t("novelty"), 147: t("weak point"), 148: t("ending"), 149: t("file"),
  150: t("diagonal"), 151: t("White: two bishops"), 152: t("Black: two bishops"),
  153: t("opposite-coloured bishops"), 154: t("same-coloured bishops"), 190: t("etc."),
  191: t("doubled pawns"), 192: t("isolated pawn"), 193: t("connected pawns"),
  194: t("hanging pawns"), 195: t("backward pawn"), 201: t("diagram"), 210: t("see"),
  211: t("mate"), 212: t("passed pawn"), 213: t("more pawns"), 214: t("with"), 215: t("without"),
  220: t("diagram"), 221: t("diagram from Black’s side"), 238: t("more space"), 239: t("file"),
  240: t("diagonal"), 241: t("centre"), 242: t("kingside"), 243: t("queenside"),
  244: t("weak point"), 245: t("ending"), 246: t("two bishops"),
  247: t("opposite-coloured bishops"), 248: t("same-coloured bishops"), 249: t("connected pawns"),
  250: t("isolated pawns"), 251: t("doubled pawns"), 252: t("passed pawn"), 253: t("more pawns"),
  254: t("with"), 255: t("without"),
};

/** Says what a mark means; one without a meaning that is agreed upon keeps its number. */
export function meaning(nag) {
  const side = SIDES[(nag - SIDES_FROM) >> 1];
  if (nag >= SIDES_FROM && side) {
    return nag % 2 ? t("Black: {what}", { what: side }) : t("White: {what}", { what: side });
  }
  return WORDS[nag] ?? `$${nag}`;
}

/** Returns the sign of a mark; nothing where there are only words. */
export const sign = (nag) => SIGNS[nag] ?? "";

/** Tells whether a mark stands directly at its move: how good it is. */
export const isOfMove = (nag) => nag <= 6;
