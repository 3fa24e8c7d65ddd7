// How half-moves are counted and moves are numbered.

/** Returns how many half-moves were played before a position, by its FEN; 0 without one. */
export function pliesBefore(fen) {
  if (!fen) return 0;
  const fields = fen.split(" ");
  return 2 * (Number(fields[5] ?? 1) - 1) + (fields[1] === "b" ? 1 : 0);
}

/** Returns the number before a move that so many precede: one of Black has it where it is first. */
export function moveNumber(ply, isFirst) {
  if (ply % 2 === 0) return `${ply / 2 + 1}.`;
  return isFirst ? `${(ply + 1) / 2}…` : "";
}
