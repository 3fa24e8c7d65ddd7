// Marking the open game of a database as deleted, where the command line allows it.

import { ask } from "./api.js";
import { byId, el, say } from "./dom.js";
import { post } from "./post.js";
import { t } from "./words.js";

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
    this.button = button("game-delete", t("Delete"), () => this.busy(() => this.remove()));
    this.back = button("game-restore", t("Take back"), () => this.busy(() => this.restore()));
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
    if (!row) throw new Error(t("the database lies in no folder that --write names"));
    const place = { folder: row.folder, file: row.file };
    await post("/api/remove", { ...place, number, was: pgn });
    this.last = place;
    const named = { number, file: row.file };
    this.tell(/\.pgn$/i.test(row.file) ? t("Game {number} is taken out of {file}.", named)
      : t("Game {number} of {file} is marked as deleted; “tabiya compact” leaves it out.", named));
    this.back.hidden = false;
    await this.onChanged(db);
  }

  async restore() {
    const { db } = await (await post("/api/undo", this.last)).json();
    this.tell(t("Taken back: {file} is as before.", { file: this.last.file }));
    this.back.hidden = true;
    await this.onChanged(db);
  }

  async busy(work) {
    this.button.disabled = true;
    this.back.disabled = true;
    try {
      await work();
    } catch (fault) {
      const reason = fault.message.replace(/^nothing was [a-z]+: /, "");
      this.tell(t("Nothing was changed: {reason}.", { reason }));
    }
    this.button.disabled = false;
    this.back.disabled = false;
  }

  tell(text) {
    this.told.textContent = text;
    say(text);
  }
}
