// German. The names are the English texts; see `words.js`.

export const WORDS = {
  "Close": "Schließen",
  "Language": "Sprache",
  "Settings": "Einstellungen",
};
