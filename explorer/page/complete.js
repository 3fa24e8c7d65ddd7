// How the word at the cursor of the query may go on.

import { ask } from "./api.js";
import { Combobox, nameAndDetail } from "./combobox.js";
import { t } from "./words.js";

const ITEMS = 10;

const bytes = (text) => new TextEncoder().encode(text).length;

/** Returns the place in a text, as scripts count, at an offset in bytes. */
function placeOf(text, length) {
  return new TextDecoder().decode(new TextEncoder().encode(text).slice(0, length)).length;
}

/** Completes the query in a field; `db` returns the databases that are searched. */
export class Completion {
  constructor(box, db) {
    this.box = box;
    this.db = db;
    this.list = new Combobox(box, {
      name: t("Ways to go on"),
      ask: (text) => this.ask(text),
      line: nameAndDetail,
      onChoose: (item) => this.put(item),
    });
  }

  async ask(q) {
    const at = bytes(q.slice(0, this.box.selectionStart));
    const answer = await ask("complete", "/api/complete", { q, at, limit: ITEMS, db: this.db() });
    this.answer = answer;
    return answer?.items ?? null;
  }

  /** Puts an item in the place of the word; after a field its values come. */
  put({ text }) {
    const { box, answer } = this;
    const [start, end] = [placeOf(box.value, answer.start), placeOf(box.value, answer.end)];
    const goesOn = /[:.(]$/.test(text);
    const behind = box.value.slice(end);
    const space = goesOn || /^[\s)]/.test(behind) ? "" : " ";
    box.setRangeText(text + space, start, end, "end");
    const caret = box.selectionEnd + (!goesOn && behind.startsWith(" ") ? 1 : 0);
    box.setSelectionRange(caret, caret);
    box.dispatchEvent(new Event("input"));
    if (goesOn) this.list.load();
    else this.list.close();
  }
}
