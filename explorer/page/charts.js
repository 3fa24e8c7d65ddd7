// Two charts of the games that match: results by rating, and games by year.

import { byId, count, countGames, el, percent, svg } from "./dom.js";
import { decimal, t } from "./words.js";

const HEIGHT = 190;
const ROOM = { left: 38, right: 6, top: 10, bottom: 24 };
/** Bars beyond which years are grouped. */
const BARS_MAX = 45;
/** Share of the games that the lowest groups have together when they are rare. */
const RARE = 0.004;

const PARTS = ["white", "draws", "black"];

/** Adds what the databases say of each key. */
function added(stats, name) {
  const all = new Map();
  for (const [key, figures] of stats.flatMap((one) => Object.entries(one[name]))) {
    const sum = all.get(Number(key)) ?? { games: 0, white: 0, draws: 0, black: 0 };
    for (const part of ["games", ...PARTS]) sum[part] += figures[part];
    all.set(Number(key), sum);
  }
  return all;
}

/** Returns the first key that is not among the few lowest ones that hardly any games have. */
function common(figures) {
  const keys = [...figures.keys()].sort((one, other) => one - other);
  const all = keys.reduce((sum, key) => sum + figures.get(key).games, 0);
  let below = 0;
  return keys.find((key) => {
    below += figures.get(key).games;
    return below > RARE * all;
  });
}

/**
 * Joins neighbours until there are few enough, and what is rare at the lower end into one group;
 * groups without games are there too.
 */
function grouped(figures, steps) {
  if (!figures.size) return [];
  const [first, last] = [common(figures), Math.max(...figures.keys())];
  const step = steps.find((size) => (last - first) / size < BARS_MAX) ?? steps.at(-1);
  const start = Math.floor(first / step) * step;
  const sum = (from, to, name) => {
    const group = { name, games: 0, white: 0, draws: 0, black: 0 };
    for (const [key, one] of figures) {
      if (key < from || key >= to) continue;
      for (const part of ["games", ...PARTS]) group[part] += one[part];
    }
    return group;
  };
  const below = sum(0, start, { tick: `<${start}`, whole: t("below {number}", { number: start }) });
  const groups = below.games ? [below] : [];
  for (let from = start; from <= last; from += step) {
    const whole = step === 1 ? String(from) : `${from}–${from + step - 1}`;
    groups.push(sum(from, from + step, { tick: String(from), whole }));
  }
  return groups;
}

/** Returns a round number at or above a value. */
function roundUp(value) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  const times = [1, 2, 4, 5, 8, 10].find((round) => round * unit >= value);
  return Math.max(4, times * unit);
}

const short = (number) =>
  (number >= 1000 ? `${decimal(number / 1000, 1).replace(/\D0$/, "")}k` : String(number));

function frame(width, label) {
  const size = { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT };
  return svg("svg", { ...size, role: "img", "aria-label": label });
}

function grid(picture, width, ticks) {
  for (const { share, text } of ticks) {
    const y = HEIGHT - ROOM.bottom - share * (HEIGHT - ROOM.top - ROOM.bottom);
    picture.append(
      svg("line", { class: "grid", x1: ROOM.left, x2: width - ROOM.right, y1: y, y2: y }),
      svg("text", { class: "tick", x: ROOM.left - 6, y: y + 4, "text-anchor": "end" }, text),
    );
  }
}

/** Draws a column for each group; `parts` returns its pieces from below: class and share. */
function columns(picture, width, groups, { parts, told }) {
  const room = (width - ROOM.left - ROOM.right) / groups.length;
  const high = HEIGHT - ROOM.top - ROOM.bottom;
  const every = Math.ceil(44 / room);
  groups.forEach((group, index) => {
    const x = ROOM.left + index * room;
    const column = svg("g", { class: "column" }, svg("title", {}, told(group)));
    column.append(svg("rect", { class: "catch", x, y: ROOM.top, width: room, height: high }));
    let y = HEIGHT - ROOM.bottom;
    for (const [name, share] of parts(group)) {
      y -= share * high;
      const wide = Math.max(1, room - Math.min(4, room / 4));
      const box = { x: x + (room - wide) / 2, y, width: wide, height: share * high };
      column.append(svg("rect", { class: name, ...box }));
    }
    picture.append(column);
    if (index % every === 0) {
      // What does not fit below the last column ends with it.
      const isLast = x + room / 2 > width - 18;
      const place = { x: isLast ? width : x + room / 2, "text-anchor": isLast ? "end" : "middle" };
      picture.append(svg("text", { class: "tick", y: HEIGHT - 8, ...place }, group.name.tick));
    }
  });
}

/** Writes the same as a table for those who cannot see the picture. */
function table(caption, head, rows) {
  const written = el("table", {}, el("caption", {}, caption),
    el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, ...rows.map(([name, ...cells]) => el("tr", {},
      el("th", { scope: "row" }, name), ...cells.map((text) => el("td", {}, text))))));
  // A table is as high as its rows, whatever it is told.
  return el("div", { class: "unseen" }, written);
}

const filled = (groups) => groups.filter(({ games }) => games > 0);

function ratings(groups, width) {
  const shares = (group) => PARTS.map((part) => percent(group[part], group.games));
  const picture = frame(width, t("Shares of White wins, draws and Black wins by mean rating"));
  grid(picture, width, [0, 0.5, 1].map((share) => ({ share, text: `${100 * share}%` })));
  columns(picture, width, groups, {
    parts: (group) => {
      const all = group.white + group.draws + group.black || 1;
      return ["black", "draws", "white"].map((part) => [part, group[part] / all]);
    },
    told: (group) => {
      const [white, draws, black] = shares(group);
      const results = t("White {white}, draws {draws}, Black {black}", { white, draws, black });
      return `${group.name.whole}: ${countGames(group.games)}, ${results}`;
    },
  });
  const head = [t("Rating"), t("Games"), t("White"), t("Draws"), t("Black")];
  const row = (group) => [group.name.whole, count(group.games), ...shares(group)];
  const rows = filled(groups).map(row);
  return [picture, table(t("Results by mean rating"), head, rows)];
}

function years(groups, width) {
  const most = roundUp(Math.max(...groups.map(({ games }) => games)));
  const picture = frame(width, t("Games by year"));
  grid(picture, width, [0, 0.5, 1].map((share) => ({ share, text: short(share * most) })));
  columns(picture, width, groups, {
    parts: ({ games }) => [["games", games / most]],
    told: (group) => `${group.name.whole}: ${countGames(group.games)}`,
  });
  const rows = filled(groups).map((group) => [group.name.whole, count(group.games)]);
  return [picture, table(t("Games by year"), [t("Years"), t("Games")], rows)];
}

export class Charts {
  constructor() {
    const redraw = () => {
      const wide = byId("chart-years").clientWidth;
      if (this.stats && wide !== this.wide) this.draw();
    };
    new ResizeObserver(redraw).observe(byId("charts"));
  }

  show(stats) {
    this.stats = stats;
    this.draw();
  }

  draw() {
    this.wide = byId("chart-years").clientWidth;
    const chart = (id, name, steps, drawn) => {
      const figures = added(this.stats, name);
      const groups = grouped(figures, steps);
      const isEmpty = this.stats.every(({ total }) => total.games === 0);
      const text = isEmpty ? t("No games.") : t("None of these games tells.");
      const nothing = [el("p", { class: "nothing" }, text)];
      const width = Math.max(240, this.wide);
      byId(id).replaceChildren(...(groups.length ? drawn(groups, width) : nothing));
    };
    chart("chart-ratings", "ratings", [100], ratings);
    chart("chart-years", "years", [1, 2, 5, 10, 20], years);
  }
}
