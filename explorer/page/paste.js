// The field that takes a FEN, PGN or the address of a board, and goes there; a whole game opens on
// the analysis board. The server reads it,
// since the page knows no rules.

import { byId } from "./dom.js";
import { refuseFen } from "./place.js";
import { post } from "./post.js";
import { t } from "./words.js";

/**
 * `onRead` is told the position and the moves from there, `onGame` a game that is more than moves,
 * with what was left out of the text.
 */
export function readPasted(onRead, onGame) {
  const box = byId("fen");
  const note = byId("fen-note");

  async function read(text) {
    note.textContent = "";
    try {
      const answer = await (await post("/api/pasted", { text })).json();
      if (answer.fault) {
        refuseFen(`${answer.fault[0].toUpperCase()}${answer.fault.slice(1)}.`);
        return;
      }
      const told = answer.note ? t("Note: {note}.", { note: answer.note }) : "";
      if (answer.game) {
        await onGame(answer.game, told);
        return;
      }
      onRead({ fen: answer.fen, play: answer.play });
      note.textContent = told;
    } catch (fault) {
      refuseFen(fault.message);
    }
  }

  box.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text.trim()) return;
    // The field has one line, which would join the words of several.
    event.preventDefault();
    box.value = text.trim().split("\n")[0].slice(0, 500);
    read(text);
  });
  byId("fen-form").addEventListener("submit", (event) => {
    event.preventDefault();
    read(box.value);
  });
}
