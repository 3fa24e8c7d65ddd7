// Filling panels with answers: what is waited for, and what went wrong.

import { ask, giveUp } from "./api.js";
import { byId } from "./dom.js";

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

/** Tells what is wrong; that nothing is any more without a text. */
export function trouble(text) {
  byId("trouble").hidden = !text;
  byId("trouble-text").textContent = text ?? "";
}

/** Gives a question up, because its panel is not shown. */
export function forget(panel, kind) {
  giveUp(kind);
  wait(panel, false);
}

/** Fills a panel with what the server answers, unless it shows that already. */
export async function fill(panel, kind, path, parameters, show) {
  const key = JSON.stringify([path, parameters]);
  if (answered.get(kind) === key) {
    forget(panel, kind);
    return;
  }
  answered.delete(kind);
  wait(panel, true);
  try {
    const answer = await ask(kind, path, parameters, () => trouble("The server is busy; waiting for it."));
    if (!answer) return;
    answered.set(kind, key);
    trouble(null);
    show(answer);
  } catch (fault) {
    trouble(fault.message);
  }
  wait(panel, false);
}
