// Comments as one edits them: the words, and beside them the commands for programs, which stay.

const COMMAND = /\[%\w+[^\]]*\]/g;
const DRAWN = /^\[%c[as]l\s/;

/** Returns what a reader sees of a comment. */
export const wordsOf = (comment) => comment.replace(COMMAND, " ").replace(/\s+/g, " ").trim();

const commandsOf = (comment) => comment.match(COMMAND) ?? [];
const joined = (commands, words) => [...commands, words].filter(Boolean).join(" ");

/** Returns a comment with other words. */
export const withWords = (comment, words) => joined(commandsOf(comment), words.trim());

/** Returns the arrows and squares of a comment: `Ge2e4`, `Rd5`. */
export function drawnIn(comment) {
  const commands = commandsOf(comment).filter((one) => DRAWN.test(one));
  return commands.flatMap((one) => one.slice(6, -1).split(",").map((mark) => mark.trim()))
    .filter(Boolean);
}

/** Draws an arrow or colours a square; what is there in this colour is taken away. */
export function toggled(comment, { color, from, to }) {
  const squares = to && to !== from ? from + to : from;
  const now = drawnIn(comment);
  const others = now.filter((mark) => mark.slice(1) !== squares);
  return withMarks(comment, now.includes(color + squares) ? others : [...others, color + squares]);
}

/** Returns a comment with other arrows and squares. */
export function withMarks(comment, marks) {
  const others = commandsOf(comment).filter((one) => !DRAWN.test(one));
  const part = (name, length) => {
    const these = marks.filter((mark) => mark.length === length);
    return these.length ? [`[%${name} ${these.join(",")}]`] : [];
  };
  return joined([...others, ...part("csl", 3), ...part("cal", 5)], wordsOf(comment));
}
