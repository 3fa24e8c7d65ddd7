// Pieces of queries.

/** Writes a text so that it is one value. */
export function quoted(text) {
  if (/^[\p{L}\p{N}][\p{L}\p{N}.'-]*$/u.test(text)) return text;
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

/** Writes a range of a field; nothing without bounds. */
export function range(field, from, to) {
  if (from === "" && to === "") return "";
  if (from === to) return `${field}=${from}`;
  if (to === "") return `${field}>=${from}`;
  if (from === "") return `${field}<=${to}`;
  return `${field}:${from}..${to}`;
}

/** Joins what is there with spaces. */
export const joined = (clauses) => clauses.filter(Boolean).join(" ");

/** Joins two queries so that both must hold. */
export function both(one, other) {
  const closed = (query) => (/\bor\b/i.test(query) ? `(${query.trim()}\n)` : query.trim());
  const [first, second] = [one.trim(), other.trim()];
  return first && second ? `${closed(first)} ${closed(second)}` : first || second;
}
