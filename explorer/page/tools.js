// Joins the ways to ask without knowing the language.

import { both } from "./clauses.js";
import { Completion } from "./complete.js";
import { byId } from "./dom.js";
import { Editor } from "./editor.js";
import { Form } from "./form.js";
import { Kept } from "./kept.js";
import { Mine } from "./mine.js";
import { findOpenings } from "./openings.js";
import { readPasted } from "./paste.js";

export class Tools {
  /**
   * `explore` changes what is shown, `state` returns it, `shown` the FEN on the board, `put` puts a
   * query into the `filter`, `enter` opens a game that was pasted.
   */
  constructor({ explore, enter, state, shown, put, filter }) {
    const db = () => state().db.join(",");
    new Completion(byId("q"), db);
    findOpenings((play) => explore({ fen: "", play }));
    readPasted(explore, enter);
    const editor = new Editor({
      shown,
      filter: () => state().q,
      search: (q) => explore({ q, fen: "", play: [] }),
      explore: (fen) => explore({ fen, play: [] }),
    });
    const form = new Form({
      db,
      search: put,
      add: (q) => put(both(state().q, q)),
      filter: () => state().q,
    });
    const mine = new Mine({ filter, db, open: (id) => this.kept.open(id) });
    this.kept = new Kept(() => state().q, put, mine);
    byId("open-editor").addEventListener("click", () => editor.open());
    byId("open-form").addEventListener("click", () => form.open());
  }

  /** Notes a filter that is in use. */
  note(q) {
    this.kept.note(q);
  }
}
