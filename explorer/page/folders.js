// The databases of the folders that the page may open, and their indexes.

import { ask } from "./api.js";
import { harm } from "./damage.js";
import { byId, count, countGames, el, say } from "./dom.js";
import { post } from "./post.js";
import { sheet } from "./sheet.js";
import { decimal, t } from "./words.js";

/** Milliseconds between two looks at the index that is being built. */
const LOOK = 400;

/** Writes a number of bytes. */
export function size(bytes) {
  const [unit, name] = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]].find(([one]) => bytes >= one)
    ?? [1, t("bytes")];
  const number = bytes / unit;
  return `${unit > 1 && number < 10 ? decimal(number, 1) : Math.round(number)} ${name}`;
}

/** Writes a day as databases write it. */
function day(seconds) {
  if (seconds === null) return "–";
  const date = new Date(1000 * seconds);
  const two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}.${two(date.getMonth() + 1)}.${two(date.getDate())}`;
}

export class Folders {
  /** `onChange` is told the database that was `opened` or `closed`, if one was. */
  constructor(onChange) {
    this.onChange = onChange;
    this.offer();
  }

  /** Shows the button when the server has folders, or builds indexes. */
  async offer() {
    const asks = ["folders", "index"].map((name) => ask(name, `/api/${name}`, {}));
    const [listed, index] = await Promise.all(asks).catch(() => [null, null]);
    if (!listed || !index || (!listed.folders.length && !index.allowed)) return;
    byId("help-open").before(el("button", {
      type: "button", id: "folders-open", "aria-haspopup": "dialog", onclick: () => this.open(),
    }, listed.folders.length ? t("Open…") : t("Index…")));
    this.build();
    if (index.running) this.watch();
  }

  build() {
    this.job = el("div", { id: "folders-job", hidden: true });
    this.fault = el("p", { id: "folders-fault", role: "alert" });
    this.lists = el("div", { id: "folders-lists", "aria-busy": "false" });
    this.dialog = sheet("folders", t("Databases"), this.job, this.fault, this.lists);
  }

  async open() {
    this.fault.textContent = "";
    this.dialog.showModal();
    await this.list();
    this.watch();
  }

  /** Lists what there is. */
  async list() {
    const asks = ["folders", "index", "databases"];
    const found = asks.map((name) => ask(`list-${name}`, `/api/${name}`, {}));
    try {
      const [listed, index, open] = await Promise.all(found);
      if (!listed || !index || !open) return;
      this.allowed = index.allowed;
      this.show(listed.folders, open.databases);
    } catch (fault) {
      this.fault.textContent = fault.message;
    }
  }

  show(folders, open) {
    const focused = document.activeElement?.dataset?.does;
    const inFolders = folders.flatMap(({ databases }) => databases.map(({ db }) => db));
    const others = open.filter(({ name }) => !inFolders.includes(name));
    const named = others.map((one) => ({
      file: one.name, format: one.format, games: one.games, bytes: null, modified: null,
      damaged: one.damaged, index: one.sidecar, db: one.name, closes: false, fault: null,
    }));
    const part = (title, note, rows) => el("section", {},
      el("h3", {}, title), note ? el("p", { class: "soft" }, note) : null,
      rows.length ? this.table(title, rows) : null);
    const parts = folders.map((folder) => {
      const empty = folder.databases.length ? null : t("No databases lie here.");
      const more = folder.more ? t("Only the first of them are listed.") : null;
      return part(folder.name, folder.fault ?? empty ?? more,
        folder.databases.map((row) => ({ ...row, folder })));
    });
    if (named.length) parts.push(part(t("Of the command line"), null, named));
    this.lists.replaceChildren(...parts);
    const again = [...this.lists.querySelectorAll("[data-does]")];
    again.find((button) => button.dataset.does === focused)?.focus();
  }

  table(title, rows) {
    const heads = [
      ["called", t("Database")], ["format", t("Format")], ["games number", t("Games")],
      ["bytes number", t("Size")], ["modified", t("Changed")], ["does", t("State")],
    ];
    const caption = t("Databases: {folder}", { folder: title });
    return el("table", {}, el("caption", { class: "unseen" }, caption),
      el("thead", {}, el("tr", {}, ...heads.map(([name, text]) =>
        el("th", { scope: "col", class: name }, text)))),
      el("tbody", {}, ...rows.map((row) => this.row(row))));
  }

  row(row) {
    const { file, format, games, damaged, bytes, modified, fault } = row;
    const wrong = fault ?? harm(damaged);
    const told = wrong ? el("span", { class: "fault" }, wrong) : null;
    const facts = [format, games === null ? null : countGames(games),
      bytes === null ? null : size(bytes)];
    return el("tr", { class: row.db ? "is-open" : null },
      el("th", { scope: "row", class: "called" }, el("span", { class: "name", title: file }, file),
        el("span", { class: "facts" }, facts.filter(Boolean).join(" · ")), told),
      el("td", { class: "format" }, format ?? "–"),
      el("td", { class: "games number" }, games === null ? "–" : count(games)),
      el("td", { class: "bytes number" }, bytes === null ? "–" : size(bytes)),
      el("td", { class: "modified" }, day(modified)),
      el("td", { class: "does" }, el("div", {}, ...this.actions(row))));
  }

  /** Returns what can be done with a database. */
  actions({ file, db, closes, index, fault, folder }) {
    const button = (does, text, onclick) => el("button", {
      type: "button", "data-does": `${does} ${folder?.name ?? ""}/${file}`,
      "aria-label": `${text}: ${file}`, onclick,
    }, text);
    const canWrite = folder?.writable ?? true;
    const parts = [];
    if (index) parts.push(el("span", { class: "badge" }, t("indexed")));
    else if (db && this.allowed && canWrite) {
      parts.push(button("index", t("Build index"), () => this.begin(db)));
    }
    if (db && closes) {
      parts.push(button("open", t("Close"), (event) => this.change(event, "/api/close", { db })));
    } else if (!db && !fault) {
      const body = { folder: folder.name, file };
      parts.push(button("open", t("Open"), (event) => this.change(event, "/api/open", body)));
    }
    if (!parts.length) parts.push(el("span", { class: "soft" }, db ? t("open") : "–"));
    return parts;
  }

  /** Opens or closes a database. */
  async change({ target }, path, body) {
    this.fault.textContent = "";
    target.disabled = true;
    this.lists.setAttribute("aria-busy", "true");
    try {
      const { db } = await (await post(path, body)).json();
      const isOpened = path === "/api/open";
      say(isOpened ? t("{db} is open", { db }) : t("{db} is closed", { db }));
      target.disabled = false;
      target.focus();
      await this.list();
      await this.onChange(isOpened ? { opened: db } : { closed: db });
    } catch (fault) {
      this.fault.textContent = `${body.file ?? body.db}: ${fault.message}`;
      target.disabled = false;
    }
    this.lists.setAttribute("aria-busy", "false");
  }

  // ---- the index -------------------------------------------------------------------------------

  async begin(db) {
    this.fault.textContent = "";
    this.wanted = db;
    try {
      await post("/api/index", { db });
      this.watch();
    } catch (fault) {
      this.fault.textContent = `${db}: ${fault.message}`;
    }
  }

  /** Looks on as long as an index is being built. */
  async watch() {
    clearTimeout(this.timer);
    const told = await ask("watch", "/api/index", {}).catch(() => null);
    if (!told) return;
    const { running, last } = told;
    if (running) {
      this.wanted = running.db;
      this.progress(running);
      this.timer = setTimeout(() => this.watch(), LOOK);
      return;
    }
    const isNews = last && last.db === this.wanted;
    this.wanted = null;
    this.progress(null);
    if (!isNews) return;
    const { db } = last;
    const done = last.stopped ? t("The index of {db} was stopped; nothing has changed.", { db })
      : t("The index of {db} is built.", { db });
    if (last.fault) this.fault.textContent = `${db}: ${last.fault}`;
    else this.done(done);
    await this.list();
    if (!last.fault && !last.stopped) await this.onChange({});
  }

  done(text) {
    say(text);
    this.job.replaceChildren(el("p", {}, text));
    this.job.hidden = false;
  }

  /** Shows how far it is. */
  progress(running) {
    this.job.hidden = !running;
    if (!running) return;
    if (!this.bar?.isConnected) {
      this.text = el("p", { id: "folders-job-text" });
      this.bar = el("progress", { "aria-labelledby": "folders-job-text" });
      const stop = () => post("/api/index", { stop: true }).catch(() => null);
      this.job.replaceChildren(this.text, el("div", { class: "top" }, this.bar,
        el("button", { type: "button", id: "index-stop", onclick: stop }, t("Stop"))));
    }
    const { db, unit, done, total } = running;
    const part = unit === "games" && total
      ? t("{done} of {total} games", { done: count(done), total: count(total) }) : t("reading");
    this.text.textContent = t("Building the index of {db}: {part}", { db, part });
    if (total) {
      this.bar.max = total;
      this.bar.value = done;
    } else {
      this.bar.removeAttribute("value");
    }
  }
}
