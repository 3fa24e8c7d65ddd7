// How evaluation and clocks go through the main line of a game whose comments tell of them.

import { el, svg } from "./dom.js";
import { t } from "./words.js";

const [WIDTH, HEIGHT, EDGE] = [560, 84, 4];
/** Evaluations beyond this many pawns, and mates, are drawn here. */
const PAWNS = 6;

const places = (moves) => (ply) => EDGE + ((WIDTH - 2 * EDGE) * ply) / Math.max(1, moves.length);

/** Joins values that follow each other; where one is missing the line is interrupted. */
function path(points) {
  let isDrawing = false;
  const parts = points.map((point) => {
    const place = point?.map((at) => at.toFixed(1)).join(" ");
    // A point of its own is a dot.
    const command = point && (isDrawing ? `L${place}` : `M${place}h0`);
    isDrawing = Boolean(point);
    return command;
  });
  return parts.filter(Boolean).join("");
}

/** Draws lines over the moves; a click goes to the nearest one. */
function picture(name, moves, lines, onPly) {
  const x = places(moves);
  const label = t("{name} after each move; the same numbers stand beside the moves", { name });
  const now = svg("line", { class: "now", y1: 0, y2: HEIGHT, x1: x(0), x2: x(0) });
  // It fills its place, however wide that is: a click is at the move that it is drawn over.
  const fit = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" };
  const box = { ...fit, role: "img", "aria-label": label };
  const drawn = svg("svg", box, svg("title", {}, name), ...lines, now);
  drawn.addEventListener("click", (event) => {
    const { left, width } = drawn.getBoundingClientRect();
    const share = ((event.clientX - left) / width) * WIDTH - EDGE;
    const ply = Math.round((share / (WIDTH - 2 * EDGE)) * moves.length);
    onPly(Math.min(moves.length, Math.max(0, ply)));
  });
  return drawn;
}

function evaluation(moves, onPly) {
  const x = places(moves);
  const middle = HEIGHT / 2;
  const high = (score) => middle - (Math.max(-PAWNS, Math.min(PAWNS, score)) / PAWNS) * (middle - EDGE);
  const points = moves.map(({ said }, index) =>
    (said.score === null ? null : [x(index + 1), high(said.score)]));
  const zero = svg("line", { class: "zero", x1: EDGE, x2: WIDTH - EDGE, y1: middle, y2: middle });
  const line = svg("path", { class: "score", d: path(points) });
  return picture(t("Evaluation"), moves, [zero, line], onPly);
}

/** The clock of a side is drawn at its own moves alone. */
function clocks(moves, isWhite, onPly) {
  const x = places(moves);
  const most = Math.max(...moves.map(({ said }) => said.clock ?? 0), 1);
  const high = (clock) => HEIGHT - EDGE - (clock / most) * (HEIGHT - 2 * EDGE);
  const side = (white) => {
    const own = moves.map((move, index) => ({ clock: move.said.clock, index, white: isWhite(move) }));
    const points = own.filter((move) => move.white === white).map(({ clock, index }) =>
      (clock === null ? null : [x(index + 1), high(clock)]));
    return svg("path", { class: white ? "clock white" : "clock black", d: path(points) });
  };
  return picture(t("Clocks of White and Black"), moves, [side(true), side(false)], onPly);
}

/**
 * Draws what the main line's comments tell, in figures; none if they tell nothing. `onPly` is told
 * the half-move that was clicked.
 */
export function curves(moves, isWhite, onPly) {
  const has = (name) => moves.some(({ said }) => said[name] !== null);
  const figure = (name, drawn, ...legend) =>
    el("figure", {}, el("figcaption", {}, `${name} `, ...legend), drawn);
  const sides = () => el("span", { class: "legend" },
    el("i", { class: "clock white" }), `${t("White")} `,
    el("i", { class: "clock black" }), t("Black"));
  return [
    has("score") ? figure(t("Evaluation"), evaluation(moves, onPly)) : null,
    has("clock") ? figure(t("Clocks"), clocks(moves, isWhite, onPly), sides()) : null,
  ].filter(Boolean);
}

/** Marks a half-move of the main line in the figures below an element. */
export function markCurves(parent, ply, plies) {
  const x = places({ length: plies })(ply);
  for (const line of parent.querySelectorAll(".now")) {
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
  }
}
