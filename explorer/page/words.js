// The page's texts in the reader's language. The English text is the name of each, and what is
// shown where a language lacks it; other languages have a file each, `words-de.js`.

import { setting } from "./settings.js";

/** What languages call themselves, and where their texts are. */
const KNOWN = {
  en: { name: "English", load: async () => ({ WORDS: {} }) },
  de: { name: "Deutsch", load: () => import("./words-de.js") },
};

/** Codes and names of languages. */
export const LANGUAGES = Object.entries(KNOWN).map(([code, { name }]) => [code, name]);

/** The language that is chosen, else the first of the browser's that the page has. */
function wanted() {
  const codes = Object.keys(KNOWN);
  const spoken = navigator.languages.map((code) => code.split("-")[0]);
  return setting("language", [spoken.find((code) => codes.includes(code)) ?? "en", ...codes]);
}

export const language = wanted();

// Where its file cannot be loaded the page is in English.
const texts = await KNOWN[language].load().catch(() => ({ WORDS: {} }));
const { WORDS } = texts;

/** Returns the name of an opening, which the server tells in English. */
export const openingName = texts.openingName ?? ((name) => name);

const rules = new Intl.PluralRules(language);

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);

/** What tells two texts apart that are the same in English: `Delete [key]`. */
const NOTE = / \[[a-z ]+\]$/;

/** Returns a text in the reader's language with values in place of `{names}`. */
export function t(text, values = {}) {
  return filled(WORDS[text] ?? text.replace(NOTE, ""), values);
}

/**
 * Returns a text that depends on a number, `one` and `many` in English. A language has its forms
 * below `many`: an object of texts by plural category, as `Intl.PluralRules` names them.
 */
export function counted(number, one, many, values = {}) {
  const forms = WORDS[many] ?? { one, other: many };
  return filled(forms[rules.select(number)] ?? forms.other, values);
}

const DECIMAL = new Intl.NumberFormat(language).format(0.5)[1];

/** Writes a number with as many decimals, after the sign that the language has before them. */
export const decimal = (number, places) => number.toFixed(places).replace(".", DECIMAL);

/** Attributes that readers see or hear. */
const SPOKEN = ["title", "aria-label", "placeholder", "alt"];

/** Translates what an element of the page holds as it was sent, and shows it. */
export function translate(root) {
  if (language !== "en") translateAll(root);
  // Scripts that run before modules are loaded have texts too.
  dispatchEvent(new CustomEvent("translated", { detail: t }));
}

function translateAll(root) {
  document.documentElement.lang = language;
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim().replace(/\s+/g, " ");
    if (!WORDS[text]) continue;
    texts.currentNode.data = texts.currentNode.data.replace(/\S(.*\S)?/s, () => WORDS[text]);
  }
  for (const name of SPOKEN) {
    for (const part of root.querySelectorAll(`[${name}]`)) {
      part.setAttribute(name, t(part.getAttribute(name)));
    }
  }
}
