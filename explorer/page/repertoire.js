// Files of lines: what they have in the position, where the open game leaves them, and reports.

import { MINE } from "./analysis.js";
import { address, ask, giveUp } from "./api.js";
import { byId, count, el, say } from "./dom.js";
import { size } from "./folders.js";
import { shown } from "./letters.js";
import { sheet } from "./sheet.js";
import { wait } from "./waiting.js";
import { counted, t } from "./words.js";

const KEY = "repertoires";
/** Files in use: each is asked about every position. */
const USED_MAX = 8;
const SIDES = { white: t("White"), black: t("Black") };

/** Reads whose lines the files in use are; what is damaged of it counts as not there. */
function kept() {
  try {
    const found = Object.entries(JSON.parse(localStorage.getItem(KEY)) ?? {});
    return new Map(found.filter(([, side]) => side in SIDES).slice(0, USED_MAX));
  } catch {
    return new Map();
  }
}

/** Says that games of a file are damaged. */
const harmed = (games) => counted(games,
  "{number} damaged game counts as far as sound; “tabiya verify” lists them.",
  "{number} damaged games count as far as sound; “tabiya verify” lists them.",
  { number: count(games) });

const dot = (side) => el("span", { class: `side ${side}`, "aria-hidden": "true" });

export class Repertoires {
  /**
   * `page` has the table of `moves`, the open `game`, the `state` of the address, and `go` to
   * change it.
   */
  constructor(page) {
    this.page = page;
    this.sides = kept();
    this.files = [];
    this.load();
  }

  /** Shows the button when the server has files of lines. */
  async load() {
    const answer = await ask("repertoires", "/api/repertoires", {}).catch(() => null);
    if (!answer?.folders.length) return;
    this.files = answer.folders.flatMap(({ files }) => files);
    byId("moves-title").parentElement.append(el("button", {
      type: "button", id: "repertoires-open", "aria-haspopup": "dialog", onclick: () => this.open(),
    }, t("Repertoires …")));
    this.list = el("div", { id: "repertoires-list" });
    const hint = t("Say of a file whose lines it has, and it is shown beside the "
      + "moves and in games. The browser remembers that.");
    this.dialog = sheet("repertoires", t("Repertoires"), el("p", { class: "soft" }, hint), this.list);
    this.list.replaceChildren(...answer.folders.map((folder) => this.folder(folder)));
    this.update();
  }

  open() {
    this.fault = null;
    for (const place of this.list.querySelectorAll("[data-file]")) this.offer(place);
    this.dialog.showModal();
  }

  folder({ name, fault, more, files }) {
    const told = fault ?? (more ? t("Only the first of them are listed.") : null)
      ?? (files.length ? null : t("No PGN files lie here."));
    return el("section", {}, el("h3", {}, name), told ? el("p", { class: "soft" }, told) : null,
      el("ul", {}, ...files.map((file) => this.row(file))));
  }

  row({ file, name, bytes, fault }) {
    const options = [["", t("not used")], ...Object.entries(SIDES)];
    const side = this.sides.get(file) ?? "";
    const select = el("select", {
      "aria-label": t("Whose lines {name} has", { name }),
      onchange: ({ target }) => this.choose(file, target),
    }, options.map(([value, text]) => el("option", { value, selected: value === side }, text)));
    const links = el("span", { class: "links", "data-file": file });
    return el("li", {},
      el("span", { class: "called" }, el("bdi", { class: "name", title: name }, name),
        el("span", { class: "soft" }, size(bytes)),
        fault ? el("span", { class: "fault" }, fault) : null),
      fault ? null : select, links);
  }

  /** Takes whose lines a file has. */
  choose(file, select) {
    const side = select.value;
    if (side && !this.sides.has(file) && this.used().length >= USED_MAX) {
      select.value = "";
      say(t("{number} files are the most", { number: USED_MAX }));
      return;
    }
    if (side) this.sides.set(file, side);
    else this.sides.delete(file);
    try {
      localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(this.sides)));
    } catch {
      // Without storage the choice lasts as long as the page.
    }
    this.offer(select.nextElementSibling);
    this.update();
  }

  /** Shows the links of a file in the dialog. */
  offer(place) {
    const used = this.used().find(({ file }) => file === place.dataset.file);
    place.replaceChildren(...(used ? this.links(used) : []));
  }

  /** Returns the files in use that are there, with their sides. */
  used() {
    const side = ({ file, name }) => ({ file, name, side: this.sides.get(file) });
    return this.files.map(side).filter(({ side }) => side);
  }

  /** Returns links to the report on the games of the filter, and to the lines with their gaps. */
  links({ file, name, side }) {
    const { q, db } = this.page.state();
    const asked = { file, color: side, q, db: db.join(",") };
    const pgn = name.replace(/\.pgn$/i, "");
    return [
      el("a", {
        class: "button", href: address("/api/report", asked), target: "_blank", rel: "noopener",
        "aria-label": t("Report on {name}", { name }),
        title: t("Where games of the filter leave it, and its gaps"),
      }, t("Report")),
      el("a", {
        class: "button", href: address("/api/report", { ...asked, format: "pgn" }),
        download: `${pgn} with gaps.pgn`,
        "aria-label": t("{name} with its gaps as PGN", { name }),
        title: t("The lines with the replies that they do not answer"),
      }, t("PGN")),
    ];
  }

  update() {
    if (this.place) this.position(this.place);
    this.told = null;
    this.opened();
  }

  // ---- the position ----------------------------------------------------------------------------

  /** Says what the files have in a position. */
  async position(place) {
    this.place = place;
    const used = this.used();
    const { q, db } = this.page.state();
    const key = JSON.stringify([place, used, q, db]);
    if (key === this.shown) return;
    this.shown = key;
    const shown = byId("moves-files");
    this.page.moves.mark([]);
    if (!used.length) {
      shown.replaceChildren();
      wait("moves-files", false);
      return;
    }
    wait("moves-files", true);
    const asked = used.map(async ({ file, ...one }) => {
      const of = { file, fen: place.fen, play: place.play };
      const answer = await ask(`has ${file}`, "/api/repertoire", of)
        .catch((fault) => ({ fault: fault.message }));
      return { file, ...one, ...answer };
    });
    const told = await Promise.all(asked);
    if (key !== this.shown) return;
    wait("moves-files", false);
    shown.replaceChildren(...told.map((one) => this.line(one)));
    this.page.moves.mark(told);
  }

  /** Writes what one file has; its moves can be played. */
  line(one) {
    const { name, side, moves, damaged, fault } = one;
    const { onPlay, onPoint } = this.page.moves;
    const button = (row) => {
      const [point, leave] = [() => onPoint(row), () => onPoint(null)];
      return el("button", {
        type: "button", class: "san", onclick: () => onPlay(row), onfocus: point, onblur: leave,
        onmouseenter: point, onmouseleave: leave,
      }, shown(row.san));
    };
    const whose = t("lines of {side}:", { side: SIDES[side] });
    const none = moves ? t("its lines end here") : t("does not have this position");
    const says = fault ? [el("span", { class: "fault" }, fault)]
      : moves?.length ? moves.map(button) : [el("span", { class: "soft" }, none)];
    return el("div", { class: "of-file" },
      el("span", { class: "top" }, dot(side), el("bdi", { class: "name", title: name }, name),
        el("span", { class: "unseen" }, `, ${whose} `),
        ...says),
      el("span", { class: "links" }, ...this.links(one)),
      damaged ? el("p", { class: "soft" }, harmed(damaged)) : null);
  }

  // ---- the open game ---------------------------------------------------------------------------

  /** Says where the open game leaves the files. */
  async opened() {
    const { game } = this.page;
    const [id, used] = [game.game?.id, this.used()];
    const key = JSON.stringify([id, used]);
    if (key === this.told) return;
    this.told = key;
    const place = byId("departures");
    place.replaceChildren();
    for (const old of game.sheet.querySelectorAll(".leaves")) old.remove();
    for (const { file } of used) giveUp(`leaves ${file}`);
    if (!id || id === MINE || !used.length) return;
    const asked = used.map(async ({ file, ...one }) => {
      const answer = await ask(`leaves ${file}`, "/api/departure", { id, file, color: one.side })
        .catch((fault) => ({ fault: fault.message }));
      return answer && { ...one, ...answer };
    });
    const told = await Promise.all(asked);
    if (key !== this.told) return;
    place.replaceChildren(...told.filter(Boolean).map((one) => this.departure(one)));
  }

  /** Writes where the game leaves one file, and marks the move. */
  departure({ name, side, by, left, ply, played, answers, damaged, fault }) {
    const file = [dot(side), el("bdi", { class: "name" }, name), ": "];
    if (fault) return el("p", {}, ...file, el("span", { class: "fault" }, fault));
    const has = answers.map(shown).join(", ");
    const values = { side: SIDES[by], moves: has };
    const told = {
      "me": t("left by me ({side}); it has {moves}.", values),
      "opponent": t("left by the opponent ({side}); it has {moves}.", values),
      "file ends": t("its lines end before this move."),
      "game ends": t("the game ends in its lines."),
    }[left] ?? t("the game has no position of it.");
    const who = left === "me" ? t("left by me") : t("left by the opponent");
    const harm = damaged ? el("span", { class: "soft" }, ` ${harmed(damaged)}`) : null;
    if (ply === null) return el("p", {}, ...file, told, harm);
    const jump = () => this.page.go({ ply, at: null });
    const mark = el("span", { class: "leaves", title: `${name}: ${told}` }, dot(side),
      el("bdi", { class: "name" }, name), ` ${has || t("ends")}`,
      el("span", { class: "unseen" }, has ? `, ${who}` : ""));
    this.page.game.sheet.querySelectorAll(".ply")[this.page.game.ofPly(ply) - 1]?.after(" ", mark);
    return el("p", {}, ...file,
      el("button", { type: "button", class: "jump", onclick: jump }, shown(played)),
      " ", told, harm);
  }
}
