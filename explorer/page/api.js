// Asking the server. A question that a newer one of its kind replaces is given up.

import { t } from "./words.js";

const RETRIES_MAX = 8;

/** Why there is no answer: what the server says, or that it does not answer at all. */
export class Fault extends Error {
  constructor(message, status, isInQuery = false) {
    super(message);
    this.status = status;
    this.isInQuery = isInQuery;
  }
}

/** Says what is wrong where the server does not say it. */
export const answers = ({ status }) => t("The server answers {status}.", { status });

const asked = new Map();
const known = new Map();

/** Writes an address with its parameters; what is empty is left out. */
export function address(path, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== "" && value !== null);
  return `${path}?${new URLSearchParams(given)}`;
}

const pause = (seconds, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, 1000 * seconds);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(signal.reason);
  }, { once: true });
});

async function fetched(url, { signal, body }, onBusy) {
  const asked = body === undefined ? { signal } : { signal, body, method: "POST" };
  for (let tries = 1; ; tries += 1) {
    let answer;
    try {
      answer = await fetch(url, asked);
      if (answer.ok) return await answer.json();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Fault(t("The server does not answer."), 0);
    }
    const retry = Number(answer.headers.get("Retry-After"));
    if (answer.status === 503 && retry > 0 && tries < RETRIES_MAX) {
      onBusy();
      await pause(retry, signal);
      continue;
    }
    const told = await answer.json().catch(() => ({}));
    const message = told.error ?? answers(answer);
    throw new Fault(message, answer.status, told.start !== undefined);
  }
}

/** Gives up a question of this kind that is under way. */
export function giveUp(kind) {
  asked.get(kind)?.abort();
  asked.delete(kind);
}

/**
 * Asks; the latest question of a kind is the only one. Returns null when a newer one replaced
 * this one. `onBusy` is called each time when the server asks to wait. What is given as `body` is
 * posted.
 */
export async function ask(kind, path, { body, ...parameters }, onBusy = () => {}) {
  giveUp(kind);
  const control = new AbortController();
  asked.set(kind, control);
  try {
    const asking = { signal: control.signal, body };
    const answer = await fetched(address(path, parameters), asking, onBusy);
    return control.signal.aborted ? null : answer;
  } catch (error) {
    if (error.name === "AbortError") return null;
    throw error;
  } finally {
    if (asked.get(kind) === control) asked.delete(kind);
  }
}

/** Fetches a file and the name that the server gives it. */
export async function download(url, signal) {
  let answer;
  try {
    answer = await fetch(url, { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Fault(t("The server does not answer."), 0);
  }
  if (!answer.ok) {
    const told = await answer.json().catch(() => ({}));
    throw new Fault(told.error ?? answers(answer), answer.status);
  }
  const head = answer.headers.get("Content-Disposition") ?? "";
  const name = head.match(/filename\*=UTF-8''([\w.%-]+)/)?.[1] ?? "games.zip";
  return { file: await answer.blob(), name: decodeURIComponent(name) };
}

/** Asks what the rules of chess say about a position, which never changes. */
export async function askPosition(parameters) {
  const key = address("/api/position", parameters);
  if (known.has(key)) {
    giveUp("position");
    return known.get(key);
  }
  const answer = await ask("position", "/api/position", parameters);
  if (known.size > 500) known.clear();
  if (answer) known.set(key, answer);
  return answer;
}
