// Light or dark: as the system says, until the reader chooses. It runs before the page is drawn,
// and hides what is not in the reader's language yet.

"use strict";

(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  let t = (text) => text;
  const label = () => {
    const name = isDark() ? t("Use light colours") : t("Use dark colours");
    document.getElementById("theme").setAttribute("aria-label", name);
  };
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  system.addEventListener("change", label);
  document.addEventListener("DOMContentLoaded", () => {
    label();
    document.getElementById("theme").addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      label();
      try {
        localStorage.setItem("theme", root.dataset.theme);
      } catch {
        // As above.
      }
    });
  });

  /** Milliseconds after which the page is shown in any case. */
  const HIDDEN_MAX = 1500;

  /** Tells whether the page may have to be translated. */
  function isForeign() {
    let chosen = null;
    try {
      chosen = JSON.parse(localStorage.getItem("settings"))?.language;
    } catch {
      // Nothing is chosen.
    }
    return !/^en\b/.test(chosen ?? navigator.language);
  }

  const show = () => root.classList.remove("untranslated");
  if (isForeign()) {
    root.classList.add("untranslated");
    setTimeout(show, HIDDEN_MAX);
    // Scripts that are not there, or fail.
    addEventListener("error", show, true);
  }
  addEventListener("translated", ({ detail }) => {
    t = detail;
    label();
    show();
  });
})();
