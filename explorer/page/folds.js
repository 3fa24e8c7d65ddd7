// Variations that fold: one of them, those at a move, or all.

import { el } from "./dom.js";
import { t } from "./words.js";

const lineOf = (button) => button.closest(".variation");

function set(line, isFolded) {
  line.classList.toggle("folded", isFolded);
  const button = line.querySelector(":scope > .fold");
  button.setAttribute("aria-expanded", !isFolded);
  const moves = line.querySelectorAll(".ply").length - 1;
  button.dataset.hidden = isFolded && moves > 0 ? moves : "";
}

/** Gives each variation of a notation a button that folds it. `onFold` is told when one folds. */
export function foldable(sheet, onFold) {
  for (const line of sheet.querySelectorAll(".variation")) {
    const first = line.querySelector(".ply").textContent;
    const button = el("button", {
      type: "button", class: "fold", tabindex: "-1",
      "aria-label": t("Variation {move}", { move: first }),
      "aria-expanded": "true", title: t("Fold or unfold (V)"), onclick: () => {
        set(line, !line.classList.contains("folded"));
        onFold();
      },
    });
    line.prepend(button);
  }
}

/** Unfolds every variation that a move is hidden in. */
export function reveal(move) {
  for (let line = lineOf(move); line; line = line.parentElement.closest(".variation")) {
    const isFirst = line.querySelector(".ply") === move;
    if (line.classList.contains("folded") && !isFirst) set(line, false);
  }
}

/** Tells whether every variation is folded. */
export const areFolded = (sheet) => !sheet.querySelector(".variation:not(.folded)");

/** Folds all variations, or unfolds all. */
export function foldAll(sheet, isFolded) {
  for (const line of sheet.querySelectorAll(".variation")) set(line, isFolded);
}

/**
 * Folds or unfolds the variation that a move is in, or those that follow it in the main line.
 */
export function foldAt(move) {
  const own = move && lineOf(move);
  if (own) {
    set(own, !own.classList.contains("folded"));
    return;
  }
  const found = [];
  let next = move?.nextElementSibling;
  while (next && !next.matches(".ply")) {
    if (next.matches(".variation")) found.push(next);
    next = next.nextElementSibling;
  }
  const isFolded = found.every((line) => line.classList.contains("folded"));
  found.forEach((line) => set(line, !isFolded));
}
