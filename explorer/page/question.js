// What the form for common questions asks, as a query.

import { joined, quoted, range } from "./clauses.js";
import { t } from "./words.js";

/** Endings by what is on the board besides kings and pawns. */
export const ENDINGS = [
  ["pawns", t("Pawns alone"), "at(Q=0 q=0 R=0 r=0 wminor=0 bminor=0)"],
  ["rooks", t("Rook against rook"), "at(Q=0 q=0 R=1 r=1 wminor=0 bminor=0)"],
  ["double-rooks", t("Two rooks each"), "at(Q=0 q=0 R=2 r=2 wminor=0 bminor=0)"],
  ["queens", t("Queen against queen"), "at(Q=1 q=1 R=0 r=0 wminor=0 bminor=0)"],
  ["minor", t("Minor piece against minor piece"), "at(Q=0 q=0 R=0 r=0 wminor=1 bminor=1)"],
  ["opposite", t("Bishops of opposite colours"), "at(Q=0 q=0 R=0 r=0 N=0 n=0 bishops:opposite)"],
  ["good-knight", t("Knight against bishop"), "at(Q=0 q=0 R=0 r=0 N=1 B=0 b=1 n=0 flip)"],
  ["rook-minor", t("Rook and minor piece each"), "at(Q=0 q=0 R=1 r=1 wminor=1 bminor=1)"],
  ["exchange", t("Rook against minor piece"), "at(Q=0 q=0 R=1 r=0 wminor=0 bminor=1 flip)"],
];

/** What happens in a game. */
export const EVENTS = [
  ["mate", t("Checkmate"), "mate"],
  ["stalemate", t("Stalemate"), "stalemate"],
  ["repetition", t("A position for the third time"), "repetition:3.."],
  ["fifty", t("Fifty moves without capture or pawn move"), "fifty"],
  ["sacrifice", t("Three points given and not won back"), "sacrifice>=3"],
  ["missed", t("A mate in one that was missed"), "missed:mate"],
  ["trapped", t("A trapped queen"), "at(trapped:Q flip)"],
  ["underpromotion", t("A pawn becomes a knight, bishop or rook"),
    '(played:"??=N" or played:"??=B" or played:"??=R" or played:"?x??=N" or played:"?x??=B" or played:"?x??=R")'],
  ["blunder", t("A blunder, by evaluations in comments"), "blunder"],
];

/** Results by who won, when White is meant. */
const RESULTS = { won: "1-0", lost: "0-1", drawn: "1/2-1/2", decided: "1-0,0-1" };
const TURNED = { won: "lost", lost: "won", drawn: "drawn", decided: "decided" };

/** A name that was chosen from the list is the whole name; one that was typed is a part. */
const named = (field, { text, isWhole }) =>
  text && `${field}${isWhole ? "=" : ":"}${quoted(text)}`;

const resultOf = (kind) => kind && `result:${RESULTS[kind]}`;

/** Writes who played, and how it ended for the player. */
function players({ player, opponent, color, result }) {
  const asWhite = joined([named("white", player), named("black", opponent), resultOf(result)]);
  const asBlack = joined([
    named("black", player), named("white", opponent), resultOf(TURNED[result]),
  ]);
  if (!player.text && !opponent.text) return resultOf(result);
  if (color === "white") return asWhite;
  if (color === "black") return asBlack;
  const isEitherWay = !result || result === "drawn" || result === "decided";
  if (isEitherWay && !(player.text && opponent.text)) {
    const one = player.text ? player : opponent;
    return joined([named("player", one), resultOf(result)]);
  }
  return `(${asWhite} or ${asBlack})`;
}

/** Writes an opening: by its code if it is one, or two with dots between them. */
function opening({ text, isWhole }) {
  const isCode = /^[A-E]\d?\d?(\.\.[A-E]\d\d)?$/i.test(text);
  return isCode ? `eco:${text.toUpperCase()}` : named("opening", { text, isWhole });
}

/** Returns the query for what the form holds; empty if it holds nothing. */
export function question(asked) {
  const chosen = (choices, name) => choices.find(([known]) => known === name)?.[2];
  return joined([
    players(asked),
    opening(asked.opening),
    range("year", asked.yearFrom, asked.yearTo),
    range("elo", asked.eloFrom, asked.eloTo),
    range("moves", asked.movesFrom, asked.movesTo),
    asked.structure && `at(structure:${asked.structure} flip)`,
    chosen(ENDINGS, asked.ending),
    chosen(EVENTS, asked.event),
  ]);
}
