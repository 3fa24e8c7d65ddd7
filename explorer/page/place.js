// What stands below the board: whose turn it is, the moves so far, the FEN.

import { byId, el } from "./dom.js";

/** Says whose turn it is, or how the game has ended, and what the opening is called. */
export function showStatus({ turn, check, end, opening }) {
  const [side, other] = turn === "white" ? ["White", "Black"] : ["Black", "White"];
  const ends = {
    checkmate: `Checkmate. ${other} wins.`,
    stalemate: "Stalemate: a draw.",
    material: "Neither side can mate: a draw.",
  };
  byId("opening").textContent = opening ?? "";
  byId("status").textContent = ends[end] ?? `${side} to move${check ? ", in check" : ""}`;
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
  const fields = fen.split(" ");
  const before = 2 * (Number(fields[5]) - 1) + (fields[1] === "b" ? 1 : 0) - line.length;
  const words = [...line, ...ahead].map(({ san }, index) => {
    const ply = before + index;
    const number = ply % 2 === 0 ? `${ply / 2 + 1}.` : index === 0 ? `${(ply + 1) / 2}…` : "";
    return el("button", {
      type: "button",
      class: index < line.length ? "ply" : "ply ahead",
      "aria-current": index + 1 === line.length && "true",
      onclick: () => onChoose(index + 1),
    }, number ? el("span", { class: "number" }, number) : null, san);
  });
  const box = byId("line");
  box.replaceChildren(...words);
  // Scrolls the box alone: the board must stay where it is.
  const { offsetTop = 0, offsetHeight = 0 } = words[line.length - 1] ?? {};
  box.scrollTop = offsetTop + offsetHeight / 2 - box.clientHeight / 2;
}
