// Posting to the server.

import { Fault, answers } from "./api.js";
import { t } from "./words.js";

/** Posts to an address; returns the answer, whose body is not read yet. */
export async function post(path, body, signal = null) {
  const headers = { "Content-Type": "application/json" };
  let answer;
  try {
    answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Fault(t("The server does not answer."), 0);
  }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  throw new Fault(told.error ?? answers(answer), answer.status);
}
