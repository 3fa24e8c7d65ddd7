// Writes a game as PGN.

import { pliesBefore } from "./plies.js";

/** The tags that every game has, in their order. */
export const SEVEN = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

const UNKNOWN = { Date: "????.??.??" };

const escaped = (value) => value.replace(/[\\"]/g, "\\$&").replace(/\s+/g, " ");
/** A comment ends at its first closing brace, whatever was meant by it. */
const comment = (text) => (text ? [`{ ${text.replaceAll("{", "(").replaceAll("}", ")")
  .replace(/\s+/g, " ").trim()} }`] : []);

function head({ tags, result, start }) {
  const known = new Map(tags);
  const seven = SEVEN.map((name) => [name,
    name === "Result" ? result : known.get(name) || UNKNOWN[name] || "?"]);
  const others = tags.filter(([name, value]) => !SEVEN.includes(name) && value);
  const place = start ? [["SetUp", "1"], ["FEN", start]] : [];
  return [...seven, ...others, ...place]
    .map(([name, value]) => `[${name} "${escaped(value)}"]`).join("\n");
}

function number(ply, isFirst) {
  if (ply % 2 === 0) return [`${ply / 2 + 1}.`];
  return isFirst ? [`${(ply + 1) / 2}...`] : [];
}

/** Adds the words of a move; returns whether the next one needs its number. */
function move(words, node, ply, isFirst) {
  const nags = node.nags.map((nag) => `$${nag}`);
  const begin = comment(node.before);
  words.push(...begin, ...number(ply, isFirst || begin.length > 0), node.san, ...nags,
    ...comment(node.comment));
  return Boolean(node.comment);
}

function line(words, from, begun, begins) {
  let [node, ply, isFirst] = [from, begun, begins];
  while (node.next.length) {
    const [main, ...others] = node.next;
    isFirst = move(words, main, ply, isFirst);
    for (const other of others) {
      const inside = [];
      const needsNumber = move(inside, other, ply, true);
      line(inside, other, ply + 1, needsNumber);
      words.push(`(${inside[0]}`, ...inside.slice(1));
      words.push(`${words.pop()})`);
      isFirst = true;
    }
    [node, ply] = [main, ply + 1];
  }
}

/** Breaks words into lines. Comments stay whole, so that no line of theirs begins with a `%`. */
function wrapped(words) {
  const lines = [""];
  for (const word of words) {
    const joined = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (joined.length > 79 && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = joined;
  }
  return lines.join("\n");
}

/** Returns a game as PGN. */
export function written(game) {
  const words = comment(game.root.comment);
  line(words, game.root, pliesBefore(game.start), true);
  return `${head(game)}\n\n${wrapped([...words, game.result])}\n`;
}
