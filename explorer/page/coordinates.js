// The letters and numbers at the edges of a board. They stand over the squares and not in them: each
// square has its name, which is all that there is to read of it.

import { el } from "./dom.js";

/**
 * Puts them over a board. Returns for each its element, the `place` of its square, counted from the
 * upper left, and which `part` of the square's name it shows.
 */
export function coordinates(root) {
  const along = [...Array(8).keys()];
  const edge = (place, part) => {
    const [rank, file] = [Math.floor(place / 8), place % 8];
    const shade = (rank + file) % 2 ? "dark" : "light";
    const name = el("span", { class: `${part ? "row" : "file"} ${shade}` });
    name.style.gridArea = `${rank + 1} / ${file + 1}`;
    return { name, place, part };
  };
  const edges = [...along.map((at) => edge(56 + at, 0)), ...along.map((at) => edge(8 * at, 1))];
  const frame = { class: "coordinates", "aria-hidden": "true" };
  root.append(el("div", frame, ...edges.map(({ name }) => name)));
  return edges;
}
