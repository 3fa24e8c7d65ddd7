// Joins the parts: the address says what is shown, and whatever the reader does changes it.

import { combined, read, scope, written } from "./address.js";
import { ask, askPosition } from "./api.js";
import { sideAsked } from "./asked.js";
import { Board } from "./board.js";
import { Charts } from "./charts.js";
import { Databases } from "./databases.js";
import { damage } from "./damage.js";
import { byId, el, say } from "./dom.js";
import { Engine } from "./engine.js";
import { Entering, MINE } from "./entering.js";
import { Filter } from "./filter.js";
import { Folders } from "./folders.js";
import { Game } from "./game.js";
import { Games, ROWS } from "./games.js";
import { Help } from "./help.js";
import { keepForOffline } from "./installed.js";
import { shown } from "./letters.js";
import "./looks.js";
import { Moves, joined } from "./moves.js";
import { panels } from "./panels.js";
import { refuseFen, showFen, showLine, showStatus } from "./place.js";
import { Preferences } from "./preferences.js";
import { Puzzle } from "./puzzle.js";
import { Removal } from "./removal.js";
import { Repertoires } from "./repertoire.js";
import { Sorting } from "./sorting.js";
import { Sounds } from "./sounds.js";
import { takePlayers, takePosition } from "./takehome.js";
import { Tools } from "./tools.js";
import { fill, forget, renew, trouble, wait } from "./waiting.js";
import { counted, t, translate } from "./words.js";
import { Work, following } from "./work.js";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/** No open game. */
const CLOSED = { game: null, ply: null, at: null };

translate(document.body);

let state = read(location.search);
/** Moves that were taken back, for the way on. */
let ahead = history.state?.ahead ?? [];
/** The moves up to the explored position, which the server tells later than they are wanted. */
let played = unnamed(state.play);
/** The explored position, as the server told it. */
let explored = null;
/** How the board stood before a game turned it; null when the reader has turned it since. */
let unturned = null;
/** The game that the address names and that there is not. */
let absent = null;
/** What was asked of the start position in vain, and is asked of all positions. */
let widened = null;
/** The open game that has been brought into sight. */
let seen = null;
/** Whether the last change was typed; the next one is then the same entry of the history. */
let wasTyped = false;

const board = new Board(byId("board"), play);
const moves = new Moves((row) => play(legal(row)), (row) => board.arrow(row?.uci));
const games = new Games(go, (opened) => written({ ...state, ...opened }), turned);
const charts = new Charts();
const game = new Game(stepTo);
const filter = new Filter((q, isTyped) => {
  go({ q, page: 1, ...CLOSED }, isTyped && wasTyped);
  wasTyped = isTyped;
});
const databases = new Databases((db) => go({ db, page: 1 }));
const sorting = new Sorting(go);
const engine = new Engine(board, { play, insert: (...line) => entering.insert(...line) });
new Help();
new Preferences();
new Folders(reload);
const work = new Work({
  state: () => state, fen: () => board.position.fen, game, games, board, go, explore,
  hrefOf: (opened) => written({ ...state, ...opened }),
});
const entering = new Entering({
  state: () => state, board, game, go, reload, explored: () => explored, place: placeInGame,
});
const puzzle = new Puzzle({
  board, game, go, stand, state: () => state, place: placeInGame, draw: showStep,
  next: () => games.hasBeside(1) && games.openBeside(1),
});
new Sounds(board);
new Removal({ game: () => game.game, onChanged: (db) => reload({ opened: db }) });
const repertoires = new Repertoires({ moves, game, state: () => state, go });
const tools = new Tools({
  filter,
  explore, enter: (...pasted) => entering.pasted(...pasted), state: () => state, shown: () => board.position.fen, put: (q) => filter.put(q),
});

/**
 * Changes what is shown; a small change takes the place of the one before in the history.
 * `variation` says that a game is opened for what is in one of its variations.
 */
function go({ variation = false, ...changes }, isSmall = false) {
  wasTyped = false;
  if (changes.game && !state.game) unturned = "flip" in changes ? state.flip : null;
  state = { ...state, ...following(changes) };
  const entry = [{ ahead, variation }, "", written(state)];
  if (isSmall) history.replaceState(...entry);
  else history.pushState(...entry);
  update();
}

/** Returns how the board stands for a game: the player asked about is below. */
function turned(row) {
  const side = sideAsked(state.q, row);
  return side ? { flip: side === "black" } : {};
}

/** Turns the board for a game, as long as games are open. */
function stand(flip) {
  if (flip !== state.flip) unturned ??= state.flip;
  return { flip };
}

/** Returns moves of which the names are not known yet. */
function unnamed(play) {
  return play.map((uci) => ({ uci, san: uci }));
}

addEventListener("popstate", () => {
  state = read(location.search);
  ahead = history.state?.ahead ?? [];
  played = unnamed(state.play);
  wasTyped = false;
  update();
});

// ---- moves and steps ---------------------------------------------------------------------------

/** Returns the legal move that a row of the table means. */
function legal(row) {
  const known = board.position.moves;
  return known.find(({ san }) => san === row.san) ?? row;
}

/** Says which move a side has played. */
function sayMove(san, isWhite) {
  const move = shown(san);
  say(isWhite ? t("White played {move}", { move }) : t("Black played {move}", { move }));
}

/** Plays a move, or several that follow each other. */
function play(...line) {
  board.arrow(null);
  if (isInGame()) {
    playInGame(line);
    return;
  }
  // The board shows the position before as long as this one is on its way.
  if (explored?.line.length !== played.length) return;
  played = [...played, ...line];
  ahead = line.every(({ uci }, at) => ahead[at]?.uci === uci) ? ahead.slice(line.length) : [];
  const { san } = line.at(-1);
  if (line.length === 1) sayMove(san, explored?.turn !== "black");
  else say(t("After {move}", { move: shown(san) }));
  go({ play: [...state.play, ...line.map(({ uci }) => uci)], page: 1, ...CLOSED });
}

/** Tells whether moves and steps are those of an open game: where there is none they explore. */
function isInGame() {
  return Boolean(state.game) && state.game !== absent;
}

/** Moves on the board of an open game follow the game, or begin a variation. */
function playInGame(line) {
  let at = placeInGame();
  if (puzzle.isOpen()) {
    puzzle.play(line[0].uci, at);
    return;
  }
  for (const { uci } of line) {
    const next = game.next(at);
    if (next === at || game.moves[next - 1].uci !== uci) {
      if (game.game) entering.play(line, placeInGame());
      return;
    }
    at = next;
  }
  stepTo(at);
}

function placeInGame() {
  return state.at === null ? game.ofPly(state.ply ?? 0) : Math.min(state.at, game.moves.length);
}

function stepTo(at) {
  const { san, isWhite } = game.place(at);
  if (san) sayMove(san, isWhite);
  else say(t("Start of the game"));
  go(game.address(at), true);
}

/** Goes to the first position, a move back or on, or to the last position. */
function step(where) {
  if (isInGame()) {
    if (game.game?.id !== state.game) return;
    const at = placeInGame();
    stepTo({ first: 0, back: game.back(at), on: game.next(at), last: game.end(at) }[where]);
    return;
  }
  const now = played.length;
  const all = now + ahead.length;
  const to = { first: 0, back: now - 1, on: now + 1, last: all }[where];
  if (to >= 0 && to <= all && to !== now) toMove(to);
}

function toMove(length) {
  const all = [...played, ...ahead];
  played = all.slice(0, length);
  ahead = all.slice(length);
  const last = all[length - 1];
  say(last ? t("After {move}", { move: shown(last.san) }) : t("Start position"));
  go({ play: played.map(({ uci }) => uci), page: 1, ...CLOSED });
}

const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };

addEventListener("keydown", (event) => {
  const isIn = (parts) => Boolean(event.target.closest?.(parts));
  // Choices are gone through up and down: to the left and to the right the keys step.
  const isMeant = isIn("input:not([type=checkbox]), textarea, dialog[open]")
    || (isIn("select") && !["ArrowLeft", "ArrowRight"].includes(event.key));
  if (isMeant || event.ctrlKey || event.metaKey || event.altKey) return;
  if (KEYS[event.key]) step(KEYS[event.key]);
  else if (event.key.toLowerCase() === "f") flip();
  else if ((puzzle.isOpen() || !entering.key(event)) && !work.key(event)) return;
  event.preventDefault();
});

// The wheel over the board steps, a move for each notch.
byId("board").addEventListener("wheel", (event) => {
  if (event.ctrlKey || !event.deltaY) return;
  event.preventDefault();
  step(event.deltaY > 0 ? "on" : "back");
}, { passive: false });

// ---- what is shown -----------------------------------------------------------------------------

async function update() {
  board.turn(state.flip);
  filter.show(state.q);
  tools.note(state.q);
  byId("variations").checked = state.variations;
  sorting.mark(state.like || state.list ? "" : state.sort, Boolean(state.like));
  byId("game").hidden = !state.game;
  byId("moves").hidden = Boolean(state.game);
  byId("charts").hidden = Boolean(state.game);
  panels.name(Boolean(state.game));
  databases.mark(state.db);
  games.mark(state.game);
  work.update();
  entering.update();
  puzzle.update();
  document.title = title();
  wait("left", true);
  const isThere = await updatePosition();
  if (isThere === null) return;
  const panelsAreFull = isThere && updatePanels();
  if (!state.game) leaveGame();
  if (state.game) await updateGame();
  else forget("game", "game");
  wait("left", false);
  // What stands below others is seen from when nothing moves it any more.
  await panelsAreFull;
  document.body.classList.remove("loading");
}

/** Names the entries of the browser's history. */
function title() {
  const number = state.play.length;
  const moves = number ? counted(number, "{number} moves", "{number} moves", { number }) : null;
  const opened = state.game === MINE ? t("my game") : state.game && t("a game");
  const what = opened || (moves ?? (state.fen && t("a position")));
  return [what, state.q, "tabiya explorer"].filter(Boolean).join(" · ");
}

/** Asks for the explored position. Returns whether it is there; null when it is wanted no more. */
async function updatePosition() {
  const { fen, play: line } = state;
  try {
    const answer = await askPosition({ fen, play: line.join(",") });
    if (!answer || state.fen !== fen || state.play !== line) return null;
    explored = answer;
    played = explored.line;
  } catch (fault) {
    if (fault.status === 400) refuse(fault);
    else trouble("left", fault.message);
    // What belongs to the position is not asked for.
    if (!explored) {
      board.show({ fen: START, moves: [] });
      forget("games", "games");
      forgetExplorer();
    }
    return false;
  }
  trouble("left", null);
  if (!state.game) showExplored();
  return true;
}

function showExplored() {
  board.show({ ...explored, last: state.play.at(-1), san: explored.line.at(-1)?.san });
  showFen(explored.fen);
  showStatus(explored);
  showLine(explored, ahead, toMove);
}

/** Says that the address has a position that makes no sense, and keeps the board. */
function refuse(fault) {
  refuseFen(fault.message);
  forget("games", "games");
  forgetExplorer();
}

function forgetExplorer() {
  forget("moves", "tree");
  forget("charts", "stats");
}

/** What is asked of the start position; null elsewhere. */
function asked() {
  const isStart = !state.fen && !state.play.length && !state.like && !state.list;
  return isStart ? JSON.stringify([state.q, scope(state)]) : null;
}

/** Fills the panels; the promise is kept when those that others stand below are full. */
async function updatePanels() {
  const where = scope(state);
  const position = { fen: state.fen, play: state.play.join(",") };
  const q = widened && widened === asked() ? state.q : combined(state.q, explored.fen);
  const page = { q: state.like ? state.q : q, ...where, sort: state.sort, offset: (state.page - 1) * ROWS, limit: ROWS };
  work.fill(page, showGames);
  if (state.game) {
    forgetExplorer();
    return;
  }
  takePosition({ q: state.q, ...where, ...position });
  repertoires.position(position);
  await Promise.all([
    fill("moves", "tree", "/api/tree", { q: state.q, ...where, ...position }, showTree),
    fill("charts", "stats", "/api/stats", { q, ...where }, ({ stats }) => charts.show(stats)),
  ]);
}

/** Says that nothing is there instead of showing an empty table. */
function nothing(name, isEmpty, text) {
  byId(`${name}-table`).hidden = isEmpty;
  byId(`${name}-nothing`).hidden = !isEmpty;
  const onclick = () => filter.put("");
  const clear = el("button", { type: "button", onclick }, t("Clear the filter"));
  byId(`${name}-nothing`).replaceChildren(...(state.q ? [`${text} `, clear] : [text]));
}

/** Says how many damaged games answers leave out or search in part, and how to find out which. */
function tellDamaged(name, answers) {
  const text = damage(answers);
  byId(`${name}-damaged`).hidden = !text;
  byId(`${name}-damaged`).textContent = text;
}

function showTree({ trees, book }) {
  const tree = joined(trees);
  tellDamaged("moves", trees);
  board.arrow(null);
  moves.show(tree, book);
  nothing("moves", tree.total.games === 0 && !book?.moves.length, state.q
    ? t("No game with this position matches the filter.")
    : t("No game of these databases has this position."));
}

function showGames(answer) {
  // Puzzles and other games from positions of their own do not have the start position.
  if (!answer.total && asked() && widened !== asked()) {
    widened = asked();
    queueMicrotask(updatePanels);
    return;
  }
  games.show(answer, state.page);
  tellDamaged("games", [answer]);
  // A list of the reader's own comes from no query.
  filter.hint(answer.hints ?? []);
  work.listed();
  const text = answer.total ? t("There is no such page.") : t("No game matches.");
  nothing("games", answer.games.length === 0, text);
  markBeside();
}

// ---- an open game ------------------------------------------------------------------------------

async function updateGame() {
  const id = state.game;
  if (game.game?.id !== id) {
    const asked = { id, notation: true };
    const fault = id === MINE ? await entering.opened()
      : await fill("game", "game", "/api/game", asked, (answer) => game.show(answer));
    if (state.game !== id) return;
    absent = fault ? id : null;
    if (fault) withoutGame(id, fault);
    if (game.game?.id !== id) return;
    takePlayers(game.game, scope(state).db);
  }
  // Where a puzzle matches would tell its solution.
  if (seen !== id && puzzle.opens(placeInGame())) return;
  const isWanted = history.state?.variation && explored && !puzzle.isOpen();
  const found = isWanted ? game.ofPosition(explored.fen) : null;
  if (found) {
    go(game.address(found), true);
    return;
  }
  const at = placeInGame();
  if (id === MINE) entering.stepped(at);
  const isOpened = seen !== id;
  if (isOpened) panels.opened();
  seen = id;
  game.mark(at, isOpened);
  puzzle.placed(at);
  work.opened();
  repertoires.opened();
  markBeside();
  byId("line").replaceChildren();
  await showStep();
}

/** Shows the current place of the open game on the board. */
async function showStep() {
  const [id, at] = [state.game, placeInGame()];
  await showPlace(game.place(at), () => state.game === id && placeInGame() === at);
}

/** Says why a game is not shown; the board goes on with the explored position. */
function withoutGame(id, fault) {
  const isWrong = fault.status === 400 || fault.status === 404;
  // To ask once more would change nothing.
  if (isWrong) trouble("game", null);
  const title = isWrong ? t("There is no such game") : t("This game cannot be shown");
  if (isWrong) game.clear(title, t("No open database has a game {id}.", { id }));
  else game.clear(title, `${fault.message}`);
  puzzle.close();
  if (explored) showExplored();
}

/** Shows a position of the game at once, and what may be played there when that is known. */
async function showPlace({ fen, last, marks, san, isEnd }, isWanted) {
  if (!fen) {
    byId("status").textContent = t("This move breaks the rules: its position is not known.");
    return;
  }
  const known = last && last !== "0000" ? last : null;
  board.show({ fen, last: known, marks, san, isEnd, moves: [] });
  showFen(fen);
  const rules = await ask("rules", "/api/position", { fen }).catch(() => null);
  if (!rules || !isWanted()) return;
  board.show({ ...puzzle.allowed(rules), fen, last: known, marks });
  showStatus(rules);
}

/** Shows the list again in which the game was chosen. */
function leaveGame() {
  if (seen) {
    const isLost = panels.hasLostFocus();
    panels.closed();
    if (isLost) games.focus(seen);
  }
  seen = null;
}

function markBeside() {
  byId("game-before").disabled = !games.hasBeside(-1);
  byId("game-after").disabled = !games.hasBeside(1);
  byId("puzzle-next").disabled = !games.hasBeside(1);
}

// ---- buttons -----------------------------------------------------------------------------------

function flip() {
  unturned = null;
  go({ flip: !state.flip }, true);
}

/** Explores a position from its beginning. */
function explore(way) {
  ahead = [];
  played = unnamed(way.play);
  if (panels.panel === "filter") panels.show("moves");
  go({ ...way, page: 1, ...CLOSED });
}

/** Asks everything again: a database was opened or closed, or has an index now. */
async function reload({ opened = null, closed = null }) {
  renew();
  await databases.load();
  // Who chose some databases goes on with these and the new one.
  const chosen = state.db.filter((name) => name !== closed && name !== opened);
  const db = opened && chosen.length ? [...chosen, opened] : chosen;
  if (db.join() === state.db.join()) update();
  else go({ db, page: 1 });
}

const onClick = (id, handler) => byId(id).addEventListener("click", handler);

for (const where of ["first", "back", "on", "last"]) onClick(where, () => step(where));
onClick("flip", flip);
onClick("start", () => explore({ fen: "", play: [] }));
onClick("explore", () => {
  panels.leadTo("moves");
  explore(game.way(placeInGame()));
  panels.focus();
});
onClick("game-close", () => go(unturned === null ? CLOSED : { ...CLOSED, flip: unturned }));
onClick("game-before", () => games.openBeside(-1));
onClick("game-after", () => games.openBeside(1));
onClick("again", () => reload({}));
byId("variations").addEventListener("change", (event) => {
  go({ variations: event.target.checked, page: 1 });
});

update();
keepForOffline();
// What takes room beside and above the rest is there before the rest is shown.
await Promise.allSettled([engine.ready, databases.load()]);
document.body.classList.remove("starting");
