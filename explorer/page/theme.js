// Light or dark: as the system says, until the reader chooses. It runs before the page is drawn.

"use strict";

(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const label = () => {
    const button = document.getElementById("theme");
    button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
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
})();
