// Marks of moves and positions ($1 to $255 in PGN) as signs, or in words where a sign is known to
// few readers or is in few fonts.

const SIGNS = {
  1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□", 10: "=", 13: "∞", 14: "+/=", 15: "=/+",
  16: "±", 17: "∓", 18: "+−", 19: "−+", 22: "⊙", 23: "⊙", 32: "⟳", 33: "⟳", 36: "↑", 37: "↑",
  40: "→", 41: "→", 44: "=∞", 45: "=∞", 132: "⇆", 133: "⇆", 138: "⊕", 139: "⊕", 140: "∆", 141: "∇",
  146: "N",
};

/** From $14 on each is said of White, and then of Black. */
const SIDES = [
  "slightly better", "better", "winning", "crushing", "zugzwang",
  "slightly more space", "more space", "decisively more space",
  "slight lead in development", "lead in development", "decisive lead in development",
  "initiative", "lasting initiative", "attack",
  "too little for the material", "compensation for the material",
  "more than enough for the material",
  "slight control of the centre", "control of the centre", "decisive control of the centre",
  "slight control of the kingside", "control of the kingside", "decisive control of the kingside",
  "slight control of the queenside", "control of the queenside",
  "decisive control of the queenside",
  "weak first rank", "well protected first rank", "poorly protected king", "well protected king",
  "poorly placed king", "well placed king",
  "very weak pawns", "weak pawns", "strong pawns", "very strong pawns",
  "poorly placed knight", "well placed knight", "poorly placed bishop", "well placed bishop",
  "poorly placed rook", "well placed rook", "poorly placed queen", "well placed queen",
  "poor coordination", "good coordination",
  "very poor opening", "poor opening", "good opening", "very good opening",
  "very poor middlegame", "poor middlegame", "good middlegame", "very good middlegame",
  "very poor ending", "poor ending", "good ending", "very good ending",
  "slight counterplay", "counterplay", "decisive counterplay",
  "time pressure", "severe time pressure",
];
const SIDES_FROM = 14;

/** What is said of a move or of both sides. Beyond $139 the habits of several programs. */
const WORDS = {
  0: "",
  1: "good move", 2: "mistake", 3: "brilliant move", 4: "blunder", 5: "interesting move",
  6: "dubious move", 7: "forced move", 8: "only move", 9: "worst move", 10: "even position",
  11: "even, quiet position", 12: "even, active position", 13: "unclear position",
  140: "with the idea", 141: "aimed against", 142: "better is", 143: "worse is",
  144: "equally good is", 145: "remark", 146: "novelty", 147: "weak point", 148: "ending",
  149: "file", 150: "diagonal", 151: "White: two bishops", 152: "Black: two bishops",
  153: "opposite-coloured bishops", 154: "same-coloured bishops",
  190: "etc.", 191: "doubled pawns", 192: "isolated pawn", 193: "connected pawns",
  194: "hanging pawns", 195: "backward pawn", 201: "diagram", 210: "see", 211: "mate",
  212: "passed pawn", 213: "more pawns", 214: "with", 215: "without",
  220: "diagram", 221: "diagram from Black’s side", 238: "more space", 239: "file",
  240: "diagonal", 241: "centre", 242: "kingside", 243: "queenside", 244: "weak point",
  245: "ending", 246: "two bishops", 247: "opposite-coloured bishops",
  248: "same-coloured bishops", 249: "connected pawns", 250: "isolated pawns",
  251: "doubled pawns", 252: "passed pawn", 253: "more pawns", 254: "with", 255: "without",
};

/** Says what a mark means; one without a meaning that is agreed upon keeps its number. */
export function meaning(nag) {
  const side = SIDES[(nag - SIDES_FROM) >> 1];
  if (nag >= SIDES_FROM && side) return `${nag % 2 ? "Black" : "White"}: ${side}`;
  return WORDS[nag] ?? `$${nag}`;
}

/** Returns the sign of a mark; nothing where there are only words. */
export const sign = (nag) => SIGNS[nag] ?? "";

/** Tells whether a mark stands directly at its move: how good it is. */
export const isOfMove = (nag) => nag <= 6;
