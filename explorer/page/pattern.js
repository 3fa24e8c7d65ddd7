// A position with gaps: what may stand on each square, and what else is asked of it. It becomes a
// query. A square holds the signs of what may stand there, in the order of `SIGNS`; a square that
// is not in the map may hold anything.

import { range } from "./clauses.js";
import { t } from "./words.js";

const FILES = "abcdefgh";
export const WHITE = "KQRBNP";
export const BLACK = "kqrbnp";
export const EMPTY = "_";
const SIGNS = `${WHITE}${BLACK}${EMPTY}`;
/** The men that are counted, the most valuable first. */
export const COUNTED = ["Q", "R", "B", "N", "P"];
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/** Returns a pattern that any position fits. */
export function anything() {
  return {
    squares: new Map(), files: new Map(), turn: "", counts: {}, only: false,
    flip: false, mirror: false, shift: false, length: 1, unit: "half-moves",
  };
}

/** Returns the signs in their order, each once. */
export const sorted = (signs) => [...SIGNS].filter((sign) => signs.includes(sign)).join("");

/** Returns the pattern of a position: its men, and nothing else on the board. */
export function ofFen(fen) {
  const [board, turn] = (fen || `${START} w`).split(" ");
  const pattern = { ...anything(), only: true, turn: turn === "b" ? "black" : "white" };
  board.split("/").forEach((rank, down) => {
    let file = 0;
    for (const sign of rank) {
      if (/\d/.test(sign)) file += Number(sign);
      else pattern.squares.set(`${FILES[file++]}${8 - down}`, sign);
    }
  });
  return pattern;
}

/** Writes what may stand on one square. */
function cell(signs) {
  if (signs.length === 1) return signs;
  if (signs === WHITE) return "A";
  if (signs === BLACK) return "a";
  if (signs === WHITE + BLACK) return "[Aa]";
  return signs.length === SIGNS.length ? "?" : `[${signs}]`;
}

/** Writes the squares as a placement, with a sign for those that are in no map. */
function placement({ squares }, free) {
  const ranks = [8, 7, 6, 5, 4, 3, 2, 1].map((rank) => [...FILES]
    .map((file) => (squares.has(`${file}${rank}`) ? cell(squares.get(`${file}${rank}`)) : free))
    .join(""));
  // Digits stand for runs, and there are none inside of brackets.
  return ranks.map((rank) => rank.replace(/1+/g, (run) => run.length)).join("/");
}

/** Tells whether each square that is in the map holds one man, or none. */
export const isExact = ({ squares }) => [...squares.values()].every((signs) => signs.length === 1);

/** Writes the position of a pattern whose squares are exact. */
export function fenOf(pattern) {
  const full = { squares: new Map([...pattern.squares].filter(([, signs]) => signs !== EMPTY)) };
  const is = (square, man) => full.squares.get(square) === man;
  const rights = [
    ["K", "e1", "K", "h1", "R"], ["Q", "e1", "K", "a1", "R"],
    ["k", "e8", "k", "h8", "r"], ["q", "e8", "k", "a8", "r"],
  ].filter(([, at, king, corner, rook]) => is(at, king) && is(corner, rook));
  const castling = rights.map(([letter]) => letter).join("") || "-";
  return `${placement(full, "1")} ${pattern.turn === "black" ? "b" : "w"} ${castling} - 0 1`;
}

function board(pattern) {
  if (pattern.only && isExact(pattern)) return `fen:"${fenOf(pattern).split(" ")[0]}"`;
  if (!pattern.only && !pattern.squares.size) return "";
  return `board:"${placement(pattern, pattern.only ? EMPTY : "1")}"`;
}

/** For how many positions in a row the pattern must stand. */
export const positions = ({ length, unit }) => (unit === "moves" ? 2 : 1) * length;

/** Tells whether something is asked of the position itself. */
function asks(pattern) {
  const hasCounts = Object.values(pattern.counts).some((bounds) => bounds.join("") !== "");
  return pattern.squares.size > 0 || pattern.files.size > 0 || hasCounts || pattern.only
    || pattern.turn !== "";
}

/** Writes the query; empty when nothing is asked. */
export function written(pattern) {
  if (!asks(pattern)) return "";
  const files = [...pattern.files].sort().flatMap(([file, pawns]) =>
    [...pawns].map((pawn) => `not piece:${pawn}@${file}`));
  const counts = Object.entries(pattern.counts).map(([man, [from, to]]) => range(man, from, to));
  const times = positions(pattern);
  const clauses = [
    board(pattern), ...files, pattern.turn && `stm:${pattern.turn}`, ...counts,
    pattern.flip && "flip", pattern.mirror && "mirror", pattern.shift && "shift",
    times > 1 && `for:${times}`,
  ];
  return `at(${clauses.filter(Boolean).join(" ")})`;
}

/** Says what hinders the pattern from ever being found; null if nothing does. */
export function hindrance(pattern) {
  if (pattern.turn && positions(pattern) > 1) {
    return t("The side to move changes with every half-move: choose “either” to ask for several.");
  }
  const reversed = Object.entries(pattern.counts)
    .find(([, [from, to]]) => from !== "" && to !== "" && Number(from) > Number(to));
  return reversed ? t("A greatest number of men is smaller than the least.") : null;
}
