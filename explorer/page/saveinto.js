// Saving the game of the analysis board into a database, where the command line allows it.

import { ask } from "./api.js";
import { byId, count, countGames, el, say } from "./dom.js";
import { post } from "./post.js";
import { sheet } from "./sheet.js";
import { t } from "./words.js";

/** Endings of databases that take single games. */
const ENDINGS = /\.(pgn|si5|si4|cbh|2cbh|dci)$/i;
const NEW = "new";

export class SaveInto {
  /**
   * `ready` completes the game, or says with false that it shows what is missing; `shown` returns
   * the databases that are chosen on the page; `onSaved` is told the database that has changed.
   */
  constructor(analysis, { ready, shown, onSaved }) {
    Object.assign(this, { analysis, ready, shown, onSaved, last: null });
    this.offer();
  }

  /** Shows the button when the server saves games. */
  async offer() {
    const folders = await this.folders().catch(() => []);
    if (!folders.length) return;
    byId("mine-new").before(el("button", {
      type: "button", id: "save-into", class: "main", "aria-haspopup": "dialog",
      onclick: () => this.open(),
    }, t("Save into …")));
    this.build();
  }

  async folders() {
    const answer = await ask("bases", "/api/folders", {});
    return (answer?.folders ?? []).filter(({ saves }) => saves);
  }

  build() {
    this.base = el("select", { id: "base", onchange: () => this.chosen() });
    this.name = el("input", {
      type: "text", id: "base-name", maxlength: 100, autocomplete: "off",
      placeholder: t("my games.pgn"),
    });
    const name = el("label", { for: "base-name" }, t("Name of the new database"));
    this.named = el("div", {}, name, this.name,
      el("p", { class: "soft" },
        t("Its ending says the format: .pgn, .si5, .si4, .cbh or .2cbh.")));
    const button = (id, text, onclick) => el("button", { type: "button", id, onclick }, text);
    const add = () => this.save(this.base.value === NEW ? "new" : "add");
    this.add = button("base-add", t("Save at the end"), add);
    this.add.classList.add("main");
    this.replace = button("base-replace", "", () => this.save("replace"));
    this.back = button("base-undo", t("Take back the last save"), () => this.undo());
    this.fault = el("p", { id: "base-fault", class: "fault", role: "alert" });
    this.told = el("p", { id: "base-told", role: "status" });
    this.dialog = sheet("bases", t("Save the game into a database"),
      el("div", { id: "bases-form" }, el("label", { for: "base" }, t("Database")), this.base,
        this.named, el("div", { class: "top" }, this.add, this.replace, this.back), this.fault,
        this.told));
  }

  async open() {
    if (!this.ready()) return;
    this.tell("", "");
    this.dialog.showModal();
    await this.list();
  }

  /** Lists what can be saved into; what was chosen, or where the game came from, stays chosen. */
  async list() {
    try {
      const folders = await this.folders();
      this.rows = folders.flatMap(({ name: folder, databases }) => databases
        .filter(({ file, fault }) => ENDINGS.test(file) && !fault)
        .map(({ file, db }) => ({ folder, file, db })));
      this.rows.sort((one, other) => this.distance(one) - this.distance(other));
      this.fresh = folders.map(({ name }) => name);
    } catch (fault) {
      this.tell("", fault.message);
      return;
    }
    const { origin } = this.analysis.now;
    const now = this.wanted ?? this.rows.findIndex(({ db }) => origin && db === origin.db);
    const options = this.rows.map(({ folder, file }, value) => el("option", { value }, `${folder} / ${file}`));
    const news = this.fresh.map((folder, index) => {
      const selected = !this.rows.length && index === 0;
      return el("option", { value: NEW, "data-folder": folder, selected },
        t("New database in {folder} …", { folder }));
    });
    this.base.replaceChildren(...options, ...news);
    if (this.rows[now]) this.base.value = String(now);
    this.chosen();
  }

  /** Tells how far from what is on the page a database is: nobody looks for the one in front of them. */
  distance({ db }) {
    if (!db) return 3;
    if (db === this.analysis.now.origin?.db) return 0;
    return this.shown().includes(db) ? 1 : 2;
  }

  /** Shows what can be done with the chosen database. */
  chosen() {
    const isNew = this.base.value === NEW;
    const row = this.rows[this.base.value];
    const { origin } = this.analysis.now;
    this.named.hidden = !isNew;
    this.add.textContent = isNew ? t("Save into the new database") : t("Save at the end");
    this.replace.hidden = !origin || !row || row.db !== origin.db;
    this.replace.textContent = origin
      ? t("Replace game {number}", { number: origin.number }) : "";
    this.back.hidden = !this.last || row?.file !== this.last.file || row.folder !== this.last.folder;
  }

  /** Returns the folder and file that are chosen. */
  target() {
    if (this.base.value !== NEW) return this.rows[this.base.value];
    const { folder } = this.base.selectedOptions[0].dataset;
    const name = this.name.value.trim();
    return { folder, file: ENDINGS.test(name) || !name ? name : `${name}.pgn` };
  }

  async save(how) {
    const { folder, file } = this.target();
    if (!file) {
      this.tell("", t("The new database needs a name."));
      this.name.focus();
      return;
    }
    const { origin } = this.analysis.now;
    const place = how === "replace" ? { number: origin.number, was: origin.pgn } : {};
    await this.busy(async () => {
      const body = { folder, file, pgn: this.analysis.pgn, how, ...place };
      const { db, number, pgn, games, note } = await (await post("/api/save", body)).json();
      this.last = how === "new" ? null : { folder, file, before: origin };
      this.analysis.saved({ db, number, pgn });
      const told = t("Saved as game {number} of {file}, which has {games}.",
        { number: count(number), file, games: countGames(games) });
      this.tell([told, note && t("Note: {note}.", { note })].filter(Boolean).join(" "), "");
      await this.changed(db, { folder, file });
    });
  }

  async undo() {
    const { folder, file, before } = this.last;
    await this.busy(async () => {
      const { db, games } = await (await post("/api/undo", { folder, file })).json();
      this.last = null;
      this.analysis.saved(before);
      const now = { file, games: countGames(games) };
      this.tell(t("Taken back: {file} has {games}, as before.", now), "");
      await this.changed(db, { folder, file });
    });
  }

  async changed(db, { folder, file }) {
    await this.onSaved(db);
    this.wanted = null;
    await this.list();
    const at = this.rows.findIndex((row) => row.folder === folder && row.file === file);
    if (at >= 0) this.base.value = String(at);
    this.chosen();
  }

  async busy(work) {
    const buttons = [this.base, this.add, this.replace, this.back];
    this.tell(t("Saving …"), "");
    for (const button of buttons) button.disabled = true;
    try {
      await work();
    } catch (fault) {
      this.tell("", `${fault.message[0].toUpperCase()}${fault.message.slice(1)}.`.replace(/\.\.$/, "."));
    }
    for (const button of buttons) button.disabled = false;
  }

  tell(text, fault) {
    this.told.textContent = text;
    this.fault.textContent = fault;
    if (text) say(text);
  }
}
