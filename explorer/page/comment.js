// Comments as programs write them: texts for readers, and commands such as `[%clk 0:03:00]`.
// Those for the board become arrows and squares, times and evaluations stand beside the move, and
// others, which are for programs alone, are left out. A game's PGN has all of them.

import { medals } from "./medals.js";
import { t } from "./words.js";

const COMMAND = /\[%(\w+)\s*([^\]]*)\]/g;
const SQUARE = "[a-h][1-8]";
const LETTERED = new RegExp(`^([A-Za-z])(${SQUARE})(${SQUARE})?$`);
/** How Scid writes the same: `arrow,e2,e4,red`, `full,d5,green`. */
const NAMED = new RegExp(`^\\w+,(${SQUARE}),(?:(${SQUARE}),)?([A-Za-z])\\w*$`);

const TIME = /^[\d:.]+$/;
const EVALUATION = /^(?:([+-]?)(\d+(?:\.\d+)?)|#([+-]?)(\d+))(?:[,/ ]|$)/;

/** Reads arrows and squares; what is neither is left out. */
function drawn(name, value) {
  const named = name === "draw" ? value.match(NAMED) : null;
  if (named) return [{ from: named[1], to: named[2], color: named[3].toUpperCase() }];
  const found = value.split(",").map((one) => one.trim().match(LETTERED)).filter(Boolean);
  return found.map(([, color, from, to]) => ({ from, to, color: color.toUpperCase() }));
}

/** Writes an evaluation from White's side in pawns, or in moves up to mate. */
function evaluated(value) {
  const found = value.match(EVALUATION);
  if (!found) return null;
  const [, sign, pawns, mateSign, mate] = found;
  const minus = (sign || mateSign) === "-" ? "−" : "";
  return mate ? `#${minus}${mate}` : `${minus || (Number(pawns) ? "+" : "")}${pawns}`;
}

/** Writes a time without the hours that it has not, as clocks do: `4:59`. */
const timed = (value) =>
  (TIME.test(value) ? value.replace(/^0+:(?=\d+:)/, "").replace(/^0+(?=\d)/, "") : null);

/** Mates count as more than any number of pawns that engines tell. */
const MATE = 1000;

/** Reads an evaluation as a number for White; null if it is none. */
function scored(value) {
  const found = value.match(EVALUATION);
  if (!found) return null;
  const [, sign, pawns, mateSign, mate] = found;
  return ((sign || mateSign) === "-" ? -1 : 1) * (mate ? MATE : Number(pawns));
}

/** Reads a time as seconds; null if it is none. */
function seconds(value) {
  const sum = value.split(":").reduce((total, part) => 60 * total + Number(part), 0);
  return TIME.test(value) && Number.isFinite(sum) ? sum : null;
}

/** What stands beside a move by the name of its command: what it is called and how it is read. */
const BESIDE = {
  eval: [t("evaluation from White’s side"), evaluated],
  clk: [t("time left"), timed],
  emt: [t("time taken"), timed],
  medal: [t("medal"), (value) => medals(value).map(({ words }) => words).join(", ")],
};

/**
 * Reads a comment: its `text`, the `marks` on the board, of which squares have no `to`, what
 * stands `beside` the move, and as numbers the evaluation for White, `score`, and the `clock` in
 * seconds; null where it tells none.
 */
export function read(comment) {
  const [marks, beside] = [[], []];
  let [score, clock] = [null, null];
  const text = (comment ?? "").replace(COMMAND, (_, name, value) => {
    if (name === "cal" || name === "csl" || name === "draw") marks.push(...drawn(name, value));
    if (name === "eval") score ??= scored(value.trim());
    if (name === "clk") clock ??= seconds(value.trim());
    const [title, written] = Object.hasOwn(BESIDE, name) ? BESIDE[name] : [];
    const short = written?.(value.trim());
    if (short) beside.push({ name, title, text: short });
    return " ";
  });
  return { text: text.replace(/\s+/g, " ").trim(), marks, beside, score, clock };
}

/** Says what is on the board for those who do not see it. */
export function told(marks) {
  const named = marks.map(({ from, to }) =>
    (to ? t("arrow {from} to {to}", { from, to }) : t("square {square}", { square: from })));
  return named.length ? `${t("On the board: {marks}.", { marks: named.join(", ") })} ` : "";
}
