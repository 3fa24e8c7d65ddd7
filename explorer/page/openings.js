// The box that finds an opening by name and goes there.

import { ask } from "./api.js";
import { Combobox } from "./combobox.js";
import { byId, el, say } from "./dom.js";
import { shown } from "./letters.js";
import { openingName, t } from "./words.js";

const ITEMS = 12;

/** `onChoose` is told the moves of the opening that is chosen. */
export function findOpenings(onChoose) {
  const box = byId("find-opening");
  const list = new Combobox(box, {
    name: t("Openings"),
    first: true,
    ask: async (text) => {
      if (!text.trim()) return [];
      const answer = await ask("openings", "/api/openings", { name: text, limit: ITEMS });
      return answer?.openings ?? null;
    },
    line: ({ eco, name, moves }) => [
      el("span", { class: "code" }, eco), el("span", { class: "label" }, openingName(name)),
      el("span", { class: "detail" }, shown(moves)),
    ],
    onChoose: ({ name, play }) => {
      box.value = "";
      onChoose(play);
      say(t("Opening: {name}", { name: openingName(name) }));
    },
  });
  byId("opening-form").addEventListener("submit", (event) => {
    event.preventDefault();
    // Enter was quicker than the list.
    list.load().then(() => list.items.length && list.choose(0));
  });
}
