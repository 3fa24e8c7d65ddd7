// Elements made by hand. What comes from databases becomes text and never markup.

import { counted, decimal, t } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Makes an element of HTML: `el("a", { href, onclick }, "text", child)`. */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** Makes an element of SVG. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** Puts elements into a text, in the places of `{names}`: for sentences with links in them. */
export function woven(text, elements) {
  const parts = text.split(/(\{\w+\})/).filter(Boolean);
  return parts.map((part) => (part.startsWith("{") ? elements[part.slice(1, -1)] ?? part : part));
}

/** Returns the element with an id. */
export const byId = (id) => document.getElementById(id);

/** Writes a number with spaces between thousands. */
export const count = (number) => number.toLocaleString("en").replaceAll(",", "\u202f");

/** Writes a number of games. */
export const countGames = (number) =>
  counted(number, "{number} game", "{number} games", { number: count(number) });

/** Writes a share in per cent, with a decimal where it is small. */
export function percent(part, whole) {
  if (!whole) return "–";
  const share = (100 * part) / whole;
  if (share > 0 && share < 0.1) return `<${decimal(0.1, 1)}%`;
  return `${share >= 10 || share === 0 ? Math.round(share) : decimal(share, 1)}%`;
}

/** Says something to screen readers. */
export function say(text) {
  byId("said").textContent = text;
}

/** The share of a bar from which on it has a label. */
const LABELLED = 0.2;

/** Draws White's wins, draws and Black's wins as a bar that adds up to all games. */
export function resultBar({ white, draws, black }) {
  const all = white + draws + black;
  const named = [
    ["white", white, t("White wins")],
    ["draws", draws, t("draws")],
    ["black", black, t("Black wins")],
  ];
  const label = named.map(([, games, name]) => `${name} ${percent(games, all)}`).join(", ");
  const bar = el("div", { class: "bar", role: "img", "aria-label": all ? label : t("no results") });
  for (const [name, games] of named.filter(([, games]) => games > 0)) {
    const share = games / all;
    // Below it the label would not fit; a narrow bar shows fewer of them still.
    const figure = share >= LABELLED ? el("b", {}, `${Math.round(100 * share)}%`) : null;
    const part = el("span", { class: name }, figure);
    part.style.flexGrow = share;
    bar.append(part);
  }
  bar.title = named.map(([, games, name]) => `${name}: ${count(games)}`).join(", ");
  return bar;
}
