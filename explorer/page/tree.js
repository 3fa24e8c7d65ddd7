// A game that is entered: moves as a tree, of which each has its way on first and then the
// variations. Nothing is changed in place, so that what was before can be gone back to.

/** What a game may have; the server reads no larger one. */
export const LIMITS = { moves: 5000, depth: 60, comment: 10_000 };

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/** Returns a game without moves. */
export function empty() {
  return { tags: [], result: "*", start: null, root: { comment: "", next: [] } };
}

/** Reads the tags that the server writes. */
function tagsOf(pgn) {
  const found = [...pgn.split("\n\n")[0].matchAll(/^\[(\w+) "((?:[^"\\]|\\.)*)"\]$/gm)];
  const tags = found.map(([, name, value]) => [name, value.replace(/\\(.)/g, "$1")]);
  return tags.filter(([name]) => !["Result", "FEN", "SetUp"].includes(name));
}

/** Makes a tree of a game as the server tells it. What breaks the rules is left out. */
export function fromAnswer(answer) {
  const root = { comment: answer.comment ?? "", next: [] };
  const nodes = [];
  answer.notation.forEach(({ after, uci, san, fen, nags, before, comment }, index) => {
    const parent = after === null ? root : nodes[after];
    if (!fen || !parent) return;
    nodes[index] = {
      uci, san, fen, nags, before: before ?? "", comment: comment ?? "", next: [],
    };
    parent.next.push(nodes[index]);
  });
  const { start, result, pgn } = answer;
  return { tags: tagsOf(pgn), result, start: start ?? null, root };
}

/** Returns the move that a path of places leads to; the root with an empty one, null with a wrong one. */
export function nodeAt(game, path) {
  return path.reduce((node, index) => node?.next[index] ?? null, game.root);
}

/** Returns a game in which the node at a path is another one; `change` returns null to delete it. */
export function changed(game, path, change) {
  const line = [game.root];
  for (const index of path) line.push(line.at(-1).next[index]);
  let node = change(line.pop());
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const parent = line.pop();
    const next = [...parent.next];
    next.splice(path[at], 1, ...(node ? [node] : []));
    node = { ...parent, next };
  }
  return { ...game, root: node };
}

/**
 * Returns all moves in the order of PGN, each with the place in the list of the one that it
 * follows, `after`, and its place among those that do, `index`.
 */
export function flat(game) {
  const moves = [];
  const add = (node, after, index, depth, ply) => {
    const { uci, san, fen, nags, before, comment } = node;
    moves.push({ uci, san, fen, nags, before, comment, after, index, depth, ply });
    return moves.length - 1;
  };
  const line = (from, last, depth, played) => {
    let [node, after, ply] = [from, last, played];
    while (node.next.length) {
      const [main, ...others] = node.next;
      const added = add(main, after, 0, depth, ply + 1);
      others.forEach((other, index) => {
        line(other, add(other, after, index + 1, depth + 1, ply + 1), depth + 1, ply + 1);
      });
      [node, after, ply] = [main, added, ply + 1];
    }
  };
  line(game.root, null, 0, 0);
  return moves;
}

/** Returns the path to a move by its number in the list, from 1; 0 is the start. */
export function pathOf(moves, at) {
  const path = [];
  for (let move = moves[at - 1]; move; move = moves[move.after ?? -1]) path.unshift(move.index);
  return path;
}

/** Returns the number of the move that a path leads to. */
export function numberOf(moves, path) {
  let last = null;
  for (const wanted of path) {
    const found = moves.findIndex(({ after, index }) => after === last && index === wanted);
    if (found < 0) break;
    last = found;
  }
  return last === null ? 0 : last + 1;
}

/** Returns how many variations a move on this path is in. */
export const depthOf = (path) => path.filter((index) => index > 0).length;

/** Returns the position before or after which something is edited. */
export const fenAt = (game, path) => (path.length ? nodeAt(game, path).fen : game.start ?? START);

/** Adds a move; returns the game and the path to it. A move that is there is gone to. */
export function played(game, path, move) {
  const { next } = nodeAt(game, path);
  const known = next.findIndex(({ uci }) => uci === move.uci);
  if (known >= 0) return { game, path: [...path, known] };
  const node = { ...move, nags: [], before: "", comment: "", next: [] };
  const with_ = changed(game, path, (parent) => ({ ...parent, next: [...parent.next, node] }));
  return { game: with_, path: [...path, next.length] };
}

/**
 * Adds moves that follow each other; returns the game and the path to the last one. Of the first
 * that was not there a comment is made.
 */
export function inserted(game, path, moves, comment = "") {
  let made = { game, path };
  let said = comment;
  for (const { uci, san, fen } of moves) {
    const next = played(made.game, made.path, { uci, san, fen });
    const isNew = next.game !== made.game;
    made = next;
    if (!isNew || !said) continue;
    const words = { comment: said };
    const with_ = changed(made.game, made.path, (node) => ({ ...node, ...words }));
    made = { ...made, game: with_ };
    said = "";
  }
  return made;
}

/** Returns the place in a path where its last variation begins; −1 in the main line. */
const branch = (path) => path.findLastIndex((index) => index > 0);

/** Puts the variation of a move before the line that it is a variation of. */
export function promoted(game, path) {
  const at = branch(path);
  if (at < 0) return { game, path };
  const from = path.slice(0, at);
  const put = (parent) => {
    const chosen = parent.next[path[at]];
    return { ...parent, next: [chosen, ...parent.next.filter((node) => node !== chosen)] };
  };
  return { game: changed(game, from, put), path: path.with(at, 0) };
}

/** Makes the line of a move the main line. */
export function mainLine(game, path) {
  let made = { game, path };
  while (branch(made.path) >= 0) made = promoted(made.game, made.path);
  return made;
}

/** Deletes a move and what follows it. */
export function cut(game, path) {
  if (!path.length) return { game, path };
  return { game: changed(game, path, () => null), path: path.slice(0, -1) };
}

/** Deletes the variation that a move is in. */
export function without(game, path) {
  const at = branch(path);
  return at < 0 ? { game, path } : cut(game, path.slice(0, at + 1));
}
