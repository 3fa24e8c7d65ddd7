// Marking the open game of a database as deleted, where the command line allows it.

import { ask } from "./api.js";
import { byId, el, say } from "./dom.js";
import { post } from "./post.js";

export class Removal {
  /** `game` returns the open game, `onChanged` is told the database that has changed. */
  constructor({ game, onChanged }) {
    Object.assign(this, { game, onChanged });
    this.offer();
  }

  /** Shows the button when the server changes databases. */
  async offer() {
    const rows = await this.rows().catch(() => []);
    if (!rows.length) return;
    const button = (id, text, onclick) => el("button", { type: "button", id, onclick }, text);
    this.button = button("game-delete", "Delete", () => this.busy(() => this.remove()));
    this.back = button("game-restore", "Take back", () => this.busy(() => this.restore()));
    this.back.hidden = true;
    this.told = el("p", { id: "game-told", role: "status" });
    byId("game-mark").before(this.button);
    byId("game-mark").closest(".top").after(this.told, this.back);
  }

  /** Returns the files that may be changed, with the names of those that are open. */
  async rows() {
    const answer = await ask("removal", "/api/folders", {});
    const folders = (answer?.folders ?? []).filter(({ saves }) => saves);
    return folders.flatMap(({ name, databases }) =>
      [{ folder: name }, ...databases.map(({ file, db }) => ({ folder: name, file, db }))]);
  }

  async remove() {
    const { db, number, pgn } = this.game() ?? {};
    const row = (await this.rows()).find((one) => one.file && one.db === db);
    if (!row) throw new Error("the database lies in no folder that --write names");
    const place = { folder: row.folder, file: row.file };
    await post("/api/remove", { ...place, number, was: pgn });
    this.last = place;
    this.tell(/\.pgn$/i.test(row.file) ? `Game ${number} is taken out of ${row.file}.`
      : `Game ${number} of ${row.file} is marked as deleted; “tabiya compact” leaves it out.`);
    this.back.hidden = false;
    await this.onChanged(db);
  }

  async restore() {
    const { db } = await (await post("/api/undo", this.last)).json();
    this.tell(`Taken back: ${this.last.file} is as before.`);
    this.back.hidden = true;
    await this.onChanged(db);
  }

  async busy(work) {
    this.button.disabled = true;
    this.back.disabled = true;
    try {
      await work();
    } catch (fault) {
      this.tell(`Nothing was changed: ${fault.message.replace(/^nothing was [a-z]+: /, "")}.`);
    }
    this.button.disabled = false;
    this.back.disabled = false;
  }

  tell(text) {
    this.told.textContent = text;
    say(text);
  }
}
