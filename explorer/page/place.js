// What stands below the board: whose turn it is, the moves so far, the FEN.

import { byId, el } from "./dom.js";
import { shown } from "./letters.js";
import { moveNumber, pliesBefore } from "./plies.js";
import { openingName, t } from "./words.js";

const ENDS = {
  stalemate: t("Stalemate: a draw."),
  material: t("Neither side can mate: a draw."),
};
const TURNS = { white: t("White to move"), black: t("Black to move") };
const CHECKS = { white: t("White to move, in check"), black: t("Black to move, in check") };
/** How it has ended, by the side that is mated. */
const MATES = { white: t("Checkmate. Black wins."), black: t("Checkmate. White wins.") };

/** Says whose turn it is, or how the game has ended, and what the opening is called. */
export function showStatus({ turn, check, end, opening }) {
  const ended = end === "checkmate" ? MATES[turn] : ENDS[end];
  byId("opening").textContent = opening ? openingName(opening) : "";
  byId("status").textContent = ended ?? (check ? CHECKS : TURNS)[turn];
}

/** Shows a FEN, and that nothing is wrong with it. */
export function showFen(fen) {
  byId("fen").value = fen;
  byId("fen").removeAttribute("aria-invalid");
  byId("fen-fault").textContent = "";
}

/** Says what is wrong with the FEN. */
export function refuseFen(text) {
  byId("fen").setAttribute("aria-invalid", "true");
  byId("fen-fault").textContent = text;
}

/**
 * Writes the moves that led to a position and those that were taken back. `onChoose` is told
 * after how many of them to go on.
 */
export function showLine({ fen, line }, ahead, onChoose) {
  const before = pliesBefore(fen) - line.length;
  const words = [...line, ...ahead].map(({ san }, index) => {
    const number = moveNumber(before + index, index === 0);
    return el("button", {
      type: "button",
      class: index < line.length ? "ply" : "ply ahead",
      "aria-current": index + 1 === line.length && "true",
      onclick: () => onChoose(index + 1),
    }, number ? el("span", { class: "number" }, number) : null, shown(san));
  });
  const box = byId("line");
  box.replaceChildren(...words);
  // Scrolls the box alone: the board must stay where it is.
  const { offsetTop = 0, offsetHeight = 0 } = words[line.length - 1] ?? {};
  box.scrollTop = offsetTop + offsetHeight / 2 - box.clientHeight / 2;
}
