// Joins the parts: the address says what is shown, everything the reader does changes the address.

import { combined, read, scope, written } from "./address.js";
import { ask, askPosition, giveUp } from "./api.js";
import { Board } from "./board.js";
import { Charts } from "./charts.js";
import { byId, count, el, say } from "./dom.js";
import { Filter } from "./filter.js";
import { Game } from "./game.js";
import { Games, ROWS } from "./games.js";
import { Moves, joined } from "./moves.js";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/** Milliseconds of waiting after which the page says that it waits. */
const PATIENCE = 150;

let state = read(location.search);
/** Moves that were taken back, for the way on. */
let ahead = history.state?.ahead ?? [];
/** The explored position, as the server told it. */
let explored = null;
/** What each panel shows, so that nothing is asked twice. */
const shown = { tree: "", games: "", stats: "", game: "" };
const openings = new Map();

const board = new Board(byId("board"), play);
const moves = new Moves(({ uci, san }) => play(legal(uci, san)), (row) => board.arrow(row?.uci));
const games = new Games(go, (row) => written({ ...state, game: row.id, ply: row.ply ?? 0, at: null }));
const charts = new Charts();
const game = new Game((at) => stepTo(at));
const filter = new Filter((q, isTyped) => go({ q, page: 1, game: null, ply: null, at: null }, isTyped && typed));
/** Whether the last change was typed too: it is then the same entry of the history. */
let typed = false;

/** Changes what is shown; a small change takes the place of the one before in the history. */
function go(changes, isSmall = false) {
  typed = "q" in changes;
  const { variation, ...rest } = changes;
  state = { ...state, ...rest };
  const address = written(state);
  const entry = { ahead, variation: variation ?? false };
  if (isSmall) history.replaceState(entry, "", address);
  else history.pushState(entry, "", address);
  update();
}

addEventListener("popstate", () => {
  state = read(location.search);
  ahead = history.state?.ahead ?? [];
  typed = false;
  update();
});

/** Returns the legal move that a row of a table means. */
function legal(uci, san) {
  const known = board.position.moves;
  return known.find((move) => move.san === san) ?? known.find((move) => move.uci === uci) ?? { uci, san };
}

function play({ uci, san }) {
  board.arrow(null);
  if (state.game) return playInGame(uci);
  ahead = ahead[0]?.uci === uci ? ahead.slice(1) : [];
  say(`${explored?.turn === "black" ? "Black" : "White"} played ${san}`);
  return go({ play: [...state.play, uci], page: 1 });
}

/** A move on the board of an open game follows the game, or leaves it for the explorer. */
function playInGame(uci) {
  const at = placeInGame();
  const next = game.next(at);
  if (next !== at && game.moves[next - 1].uci === uci) return stepTo(next);
  const { fen, play: way } = game.way(at);
  ahead = [];
  return go({ fen, play: [...way, uci], page: 1, game: null, ply: null, at: null });
}

// ---- steps -------------------------------------------------------------------------------------

function placeInGame() {
  return state.at === null ? game.ofPly(state.ply ?? 0) : Math.min(state.at, game.moves.length);
}

function stepTo(at) {
  const { san, isWhite } = game.place(at);
  say(san ? `${isWhite ? "White" : "Black"} played ${san}` : "Start of the game");
  go(game.address(at), true);
}

/** Goes to the first position, a move back or on, or to the last position. */
function step(where) {
  if (state.game) {
    if (!game.moves) return;
    const at = placeInGame();
    const to = { first: 0, back: game.back(at), on: game.next(at), last: game.end(at) };
    stepTo(to[where]);
    return;
  }
  const line = explored?.line ?? [];
  const all = [...line, ...ahead];
  const to = { first: 0, back: line.length - 1, on: line.length + 1, last: all.length }[where];
  if (to >= 0 && to <= all.length && to !== line.length) toMove(all, to);
}

function toMove(all, length) {
  ahead = all.slice(length);
  const last = all[length - 1];
  say(last ? `After ${last.san}` : "Start position");
  go({ play: all.slice(0, length).map(({ uci }) => uci), page: 1 });
}

const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };

addEventListener("keydown", (event) => {
  const isText = event.target.closest?.("input:not([type=checkbox]), select, textarea, dialog");
  if (isText || event.ctrlKey || event.metaKey || event.altKey) return;
  if (KEYS[event.key]) step(KEYS[event.key]);
  else if (event.key === "f" || event.key === "F") go({ flip: !state.flip }, true);
  else return;
  event.preventDefault();
});

// ---- waiting and trouble -----------------------------------------------------------------------

const waiting = new Set();

function wait(id, isWaiting) {
  if (isWaiting) waiting.add(id);
  else waiting.delete(id);
  setTimeout(() => byId(id)?.setAttribute("aria-busy", waiting.has(id)), isWaiting ? PATIENCE : 0);
  setTimeout(() => byId("progress").classList.toggle("busy", waiting.size > 0), PATIENCE);
}

function trouble(text) {
  byId("trouble").hidden = !text;
  byId("trouble-text").textContent = text ?? "";
}

/** Fills a panel with what the server answers to a question that it has not answered already. */
async function fill(panel, kind, path, parameters, show) {
  const key = JSON.stringify([path, parameters]);
  if (shown[kind] === key) {
    giveUp(kind);
    wait(panel, false);
    return;
  }
  shown[kind] = "";
  wait(panel, true);
  try {
    const answer = await ask(kind, path, parameters, () => trouble("The server is busy; waiting for it."));
    if (!answer) return;
    shown[kind] = key;
    trouble(null);
    show(answer);
  } catch (fault) {
    trouble(fault.message);
  }
  wait(panel, false);
}

// ---- what is shown -----------------------------------------------------------------------------

async function update() {
  board.turn(state.flip);
  filter.show(state.q);
  byId("variations").checked = state.variations;
  byId("sort").value = state.sort;
  byId("game").hidden = !state.game;
  byId("moves").hidden = Boolean(state.game);
  byId("charts").hidden = Boolean(state.game);
  markDatabases();
  games.mark(state.game);
  if (state.game) updateGame();
  if (await updatePosition()) updatePanels();
}

/** Asks for the explored position; tells whether it is there and still the wanted one. */
async function updatePosition() {
  const { fen, play: played } = state;
  try {
    const answer = await askPosition({ fen, play: played.join(",") });
    if (!answer) return false;
    explored = answer;
  } catch (fault) {
    if (fault.status === 400) refuse(fault);
    else trouble(fault.message);
    return false;
  }
  trouble(null);
  if (!state.game) showPosition();
  return true;
}

/** The address has a position that makes no sense: says so and keeps the board. */
function refuse(fault) {
  byId("fen-fault").textContent = fault.message;
  byId("fen").setAttribute("aria-invalid", "true");
  if (!explored) board.show({ fen: START, moves: [] });
}

function showPosition() {
  board.show({ ...explored, last: state.play.at(-1) });
  showFen(explored.fen);
  const side = explored.turn === "white" ? "White" : "Black";
  const other = explored.turn === "white" ? "Black" : "White";
  const ends = {
    checkmate: `Checkmate. ${other} wins.`,
    stalemate: "Stalemate: a draw.",
    material: "Neither side can mate: a draw.",
  };
  byId("status").textContent = ends[explored.end] ?? `${side} to move${explored.check ? ", in check" : ""}`;
  showLine();
}

function showFen(fen) {
  byId("fen").value = fen;
  byId("fen").removeAttribute("aria-invalid");
  byId("fen-fault").textContent = "";
}

function showLine() {
  const fields = explored.fen.split(" ");
  const before = 2 * (Number(fields[5]) - 1) + (fields[1] === "b" ? 1 : 0) - explored.line.length;
  const all = [...explored.line, ...ahead];
  const words = all.map(({ san }, index) => {
    const ply = before + index;
    const number = ply % 2 === 0 ? `${ply / 2 + 1}.` : index === 0 ? `${(ply + 1) / 2}…` : "";
    const isNow = index + 1 === explored.line.length;
    return el("button", {
      type: "button", class: index < explored.line.length ? "ply" : "ply ahead",
      "aria-current": isNow && "true", onclick: () => toMove(all, index + 1),
    }, number ? el("span", { class: "number" }, number) : null, san);
  });
  byId("line").replaceChildren(...words);
}

function updatePanels() {
  const where = scope(state);
  const position = { fen: state.fen, play: state.play.join(",") };
  const q = combined(state.q, explored.fen);
  const page = { q, ...where, sort: state.sort, offset: (state.page - 1) * ROWS, limit: ROWS };
  fill("games", "games", "/api/search", page, showGames);
  if (state.game) return;
  fill("moves", "tree", "/api/tree", { q: state.q, ...where, ...position }, showTree);
  fill("charts", "stats", "/api/stats", { q, ...where }, ({ stats }) => charts.show(stats));
  showOpening({ ...position, db: where.db });
}

/** Says that nothing is there instead of showing an empty table. */
function nothing(name, isEmpty, text) {
  byId(`${name}-table`).hidden = isEmpty;
  const told = byId(`${name}-nothing`);
  told.hidden = !isEmpty;
  const clear = el("button", { type: "button", onclick: () => filter.put("") }, "Clear the filter");
  told.replaceChildren(...(isEmpty ? [text, state.q ? " " : "", state.q ? clear : ""] : []));
}

function showTree({ trees }) {
  const tree = joined(trees);
  board.arrow(null);
  moves.show(tree);
  nothing("moves", tree.total.games === 0, state.q
    ? "No game with this position matches the filter."
    : "No game of these databases has this position.");
}

function showGames(answer) {
  games.show(answer, state.page);
  nothing("games", answer.games.length === 0, answer.total ? "There is no such page." : "No game matches.");
  markBeside();
}

async function showOpening(parameters) {
  const key = ({ fen, play: played, db }) => JSON.stringify([fen, played, db]);
  let known = openings.get(key(parameters));
  if (known === undefined) {
    try {
      const answer = await ask("opening", "/masters", { ...parameters, moves: 0, topGames: 0 });
      if (!answer) return;
      known = answer.opening;
      openings.set(key(parameters), known);
    } catch {
      known = null;
    }
  }
  // Games that have left their opening's codes behind still come from it.
  const line = parameters.play.split(",");
  for (let length = line.length - 1; !known && length > 0; length -= 1) {
    known = openings.get(key({ ...parameters, play: line.slice(0, length).join(",") }));
  }
  byId("opening").replaceChildren(...(known ? [el("b", {}, known.eco), ` ${known.name}`] : []));
}

// ---- an open game ------------------------------------------------------------------------------

async function updateGame() {
  const id = state.game;
  if (game.game?.id !== id) {
    await fill("game", "game", "/api/game", { id, notation: true }, (answer) => game.show(answer));
    if (state.game !== id || game.game?.id !== id) return;
    byId("game").querySelector("h2").scrollIntoView({ block: "nearest" });
  }
  if (history.state?.variation && explored) {
    const found = game.ofPosition(explored.fen);
    if (found) return go(game.address(found), true);
  }
  const at = placeInGame();
  const { fen, last } = game.place(at);
  game.mark(at);
  markBeside();
  byId("line").replaceChildren();
  byId("status").textContent = "";
  if (!fen) {
    byId("status").textContent = "This move breaks the rules of chess, so its position is not known.";
    return;
  }
  const known = last && last !== "0000" ? last : null;
  board.show({ fen, last: known, moves: [] });
  showFen(fen);
  const answer = await ask("rules", "/api/position", { fen }).catch(() => null);
  if (answer && state.game === id && board.position.fen === fen) {
    board.show({ ...answer, fen, last: known });
  }
}

function markBeside() {
  byId("game-before").disabled = !games.beside(-1);
  byId("game-after").disabled = !games.beside(1);
}

function beside(direction) {
  const row = games.beside(direction);
  if (row) go({ game: row.id, ply: row.ply ?? 0, at: null, variation: row.variation });
}

function leaveGame(changes = {}) {
  go({ ...changes, game: null, ply: null, at: null });
}

// ---- databases ---------------------------------------------------------------------------------

let databases = [];

async function listDatabases() {
  try {
    ({ databases } = await ask("databases", "/api/databases", {}));
  } catch {
    return;
  }
  const [only] = databases;
  byId("databases").hidden = databases.length < 2;
  byId("databases-only").textContent = databases.length === 1 ? `${only.name}, ${count(only.games)} games` : "";
  byId("databases-list").replaceChildren(...databases.map(({ name, games: size, notes }) => el("label", { class: "tick", title: notes.join("\n") },
    el("input", { type: "checkbox", value: name, onchange: chooseDatabases }), ` ${name} `,
    el("span", { class: "soft" }, count(size)))));
  markDatabases();
}

function markDatabases() {
  const isChosen = (name) => !state.db.length || state.db.includes(name);
  for (const box of byId("databases-list").querySelectorAll("input")) box.checked = isChosen(box.value);
  const chosen = databases.filter(({ name }) => isChosen(name));
  const games = chosen.reduce((sum, one) => sum + one.games, 0);
  const name = chosen.length === 1 ? chosen[0].name : `${chosen.length} databases`;
  byId("databases-chosen").textContent = `${name}, ${count(games)} games`;
}

function chooseDatabases() {
  const boxes = [...byId("databases-list").querySelectorAll("input")];
  const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
  // None is no choice, and all are the usual one.
  if (chosen.length) go({ db: chosen.length === boxes.length ? [] : chosen, page: 1 });
  else markDatabases();
}

// ---- buttons -----------------------------------------------------------------------------------

const onClick = (id, handler) => byId(id).addEventListener("click", handler);

for (const where of ["first", "back", "on", "last"]) onClick(where, () => step(where));
onClick("flip", () => go({ flip: !state.flip }, true));
onClick("start", () => {
  ahead = [];
  leaveGame({ fen: "", play: [], page: 1 });
});
onClick("game-close", () => leaveGame());
onClick("game-before", () => beside(-1));
onClick("game-after", () => beside(1));
onClick("explore", () => {
  ahead = [];
  leaveGame({ ...game.way(placeInGame()), page: 1 });
});
onClick("again", () => {
  listDatabases();
  update();
});
byId("variations").addEventListener("change", (event) => go({ variations: event.target.checked, page: 1 }));
byId("fen-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const fen = byId("fen").value.trim();
  try {
    await askPosition({ fen, play: "" });
  } catch (fault) {
    if (fault.status === 400) return refuse(fault);
  }
  ahead = [];
  leaveGame({ fen: fen === START ? "" : fen, play: [], page: 1 });
});

listDatabases();
update();
