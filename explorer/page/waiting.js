// Filling panels with answers: what is waited for, and what went wrong.

import { ask, giveUp } from "./api.js";
import { byId, el } from "./dom.js";
import { t } from "./words.js";

const waiting = new Set();
/** The question whose answer each kind shows, so that nothing is asked twice. */
const answered = new Map();

/** Says whether a part of the page waits for the server. */
export function wait(id, isWaiting) {
  if (isWaiting) waiting.add(id);
  else waiting.delete(id);
  byId(id).setAttribute("aria-busy", isWaiting);
  byId("progress").classList.toggle("busy", waiting.size > 0);
}

/** Draws rows without words into tables that have none yet, as many as each body says. */
function sketch(panel) {
  for (const body of byId(panel).querySelectorAll("tbody[data-rows]:empty")) {
    const heads = [...body.parentElement.tHead.rows[0].cells];
    const cell = (head) => el("td", { class: head.className, hidden: head.hidden }, el("span"));
    const row = () => el("tr", { class: "sketch", "aria-hidden": "true" }, ...heads.map(cell));
    body.append(...Array.from({ length: Number(body.dataset.rows) }, row));
  }
}

/** Takes these rows away when nothing has come in their place. */
function unsketch(panel) {
  for (const row of byId(panel).querySelectorAll(".sketch")) row.remove();
}

/** What is wrong, by the part of the page that it is wrong with. */
const troubles = new Map();

/** Tells what is wrong with a part of the page; that nothing is any more without a text. */
export function trouble(id, text) {
  if (text) troubles.set(id, text);
  else troubles.delete(id);
  byId(id).classList.toggle("stale", Boolean(text));
  byId("trouble").hidden = troubles.size === 0;
  byId("trouble-text").textContent = [...new Set(troubles.values())].join(" ");
}

/** Gives a question up, because its panel is not shown. */
export function forget(panel, kind) {
  giveUp(kind);
  unsketch(panel);
  trouble(panel, null);
  wait(panel, false);
}

/** Forgets what panels show: it is to be asked again. */
export function renew() {
  answered.clear();
}

/**
 * Fills a panel with what the server answers, unless it shows that already. Returns the fault if
 * there is no answer.
 */
export async function fill(panel, kind, path, parameters, show) {
  const key = JSON.stringify([path, parameters]);
  if (answered.get(kind) === key) {
    forget(panel, kind);
    byId(panel).classList.remove("refused");
    return null;
  }
  answered.delete(kind);
  sketch(panel);
  wait(panel, true);
  try {
    const onBusy = () => trouble(panel, t("The server is busy; waiting for it."));
    const answer = await ask(kind, path, parameters, onBusy);
    if (!answer) return null;
    answered.set(kind, key);
    trouble(panel, null);
    byId(panel).classList.remove("refused");
    show(answer);
  } catch (fault) {
    // What is wrong with a query stands where it is typed; what was found before is no answer.
    trouble(panel, fault.isInQuery ? null : fault.message);
    byId(panel).classList.toggle("stale", true);
    byId(panel).classList.toggle("refused", fault.isInQuery === true);
    byId(panel).dataset.refused = t("The filter has a fault, which is told beside it.");
    unsketch(panel);
    wait(panel, false);
    return fault;
  }
  wait(panel, false);
  return null;
}
