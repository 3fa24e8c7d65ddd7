// Which side the player has whom the filter asks about.

/** A condition on a player's name; what stands before it may turn it into its opposite. */
const CLAUSE = /(not\s+|-)?(?<![\w.:=])(player|white|black)\s*[:=]\s*(?:"((?:[^"\\]|\\.)*)"|([^\s()"]+))/giu;

/** What a query excludes in brackets. */
const EXCLUDED = /(?:\bnot\s*|-)\([^()]*\)/giu;

/** Writes a name without accents and in small letters. */
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

const words = (text) => plain(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/**
 * Returns the side of the first player whom a query asks about and who has one side of a game
 * alone; null if there is none.
 */
export function sideAsked(query, game) {
  for (const [, not, field, quoted, word] of query.replace(EXCLUDED, "").matchAll(CLAUSE)) {
    const asked = words(quoted ?? word);
    if (not || !asked.length) continue;
    const sides = field.toLowerCase() === "player" ? ["white", "black"] : [field.toLowerCase()];
    const having = sides.filter((side) => {
      const name = plain(game[side] ?? "");
      return asked.every((part) => name.includes(part));
    });
    if (having.length === 1) return having[0];
  }
  return null;
}
