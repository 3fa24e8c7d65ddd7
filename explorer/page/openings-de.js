// Names of openings in German, by rules of our own: a table of what stands before the colon, and
// words for what stands after it. What no rule covers stays in English, as the server tells it.

const FAMILIES = {
  "Alekhine Defense": "Aljechin-Verteidigung",
  "Amar Opening": "Amar-Eröffnung",
  "Amazon Attack": "Amazonen-Angriff",
  "Amsterdam Attack": "Amsterdamer Angriff",
  "Anderssen's Opening": "Anderssen-Eröffnung",
  "Australian Defense": "Australische Verteidigung",
  "Barnes Defense": "Barnes-Verteidigung",
  "Barnes Opening": "Barnes-Eröffnung",
  "Basque Opening": "Baskische Eröffnung",
  "Benko Gambit": "Wolga-Gambit",
  "Benko Gambit Accepted": "Angenommenes Wolga-Gambit",
  "Benko Gambit Declined": "Abgelehntes Wolga-Gambit",
  "Benoni Defense": "Benoni-Verteidigung",
  "Bird Opening": "Bird-Eröffnung",
  "Bishop's Opening": "Läuferspiel",
  "Blackmar-Diemer Gambit": "Blackmar-Diemer-Gambit",
  "Blackmar-Diemer Gambit Accepted": "Angenommenes Blackmar-Diemer-Gambit",
  "Blackmar-Diemer Gambit Declined": "Abgelehntes Blackmar-Diemer-Gambit",
  "Blumenfeld Countergambit": "Blumenfeld-Gegengambit",
  "Blumenfeld Countergambit Accepted": "Angenommenes Blumenfeld-Gegengambit",
  "Bogo-Indian Defense": "Bogoljubow-Indische Verteidigung",
  "Bongcloud Attack": "Bongcloud-Angriff",
  "Borg Defense": "Borg-Verteidigung",
  "Canard Opening": "Canard-Eröffnung",
  "Caro-Kann Defense": "Caro-Kann-Verteidigung",
  "Carr Defense": "Carr-Verteidigung",
  "Catalan Opening": "Katalanische Eröffnung",
  "Center Game": "Mittelgambit",
  "Center Game Accepted": "Angenommenes Mittelgambit",
  "Clemenz Opening": "Clemenz-Eröffnung",
  "Colle System": "Colle-System",
  "Creepy Crawly Formation": "Creepy-Crawly-Aufbau",
  "Czech Defense": "Tschechische Verteidigung",
  "Danish Gambit": "Nordisches Gambit",
  "Danish Gambit Accepted": "Angenommenes Nordisches Gambit",
  "Danish Gambit Declined": "Abgelehntes Nordisches Gambit",
  "Dresden Opening": "Dresdner Eröffnung",
  "Duras Gambit": "Duras-Gambit",
  "Dutch Defense": "Holländische Verteidigung",
  "Döry Defense": "Döry-Verteidigung",
  "East Indian Defense": "Ostindische Verteidigung",
  "Elephant Gambit": "Mittelgambit im Nachzug",
  "English Defense": "Englische Verteidigung",
  "English Opening": "Englische Eröffnung",
  "English Orangutan": "Englischer Orang-Utan",
  "Englund Gambit": "Englund-Gambit",
  "Englund Gambit Declined": "Abgelehntes Englund-Gambit",
  "Formation": "Aufbau",
  "Four Knights Game": "Vierspringerspiel",
  "French Defense": "Französische Verteidigung",
  "Fried Fox Defense": "Fried-Fox-Verteidigung",
  "Global Opening": "Globale Eröffnung",
  "Goldsmith Defense": "Goldsmith-Verteidigung",
  "Grob Opening": "Grobs Angriff",
  "Grünfeld Defense": "Grünfeld-Indische Verteidigung",
  "Gunderam Defense": "Gunderam-Verteidigung",
  "Hippopotamus Defense": "Nilpferd-Verteidigung",
  "Horwitz Defense": "Horwitz-Verteidigung",
  "Hungarian Opening": "Ungarische Eröffnung",
  "Indian Defense": "Indische Verteidigung",
  "Irish Gambit": "Irisches Gambit",
  "Italian Game": "Italienische Partie",
  "Kangaroo Defense": "Känguru-Verteidigung",
  "King's Gambit": "Königsgambit",
  "King's Gambit Accepted": "Angenommenes Königsgambit",
  "King's Gambit Declined": "Abgelehntes Königsgambit",
  "King's Indian Attack": "Königsindischer Angriff",
  "King's Indian Defense": "Königsindische Verteidigung",
  "King's Knight Opening": "Königsspringerspiel",
  "King's Pawn Game": "Königsbauernspiel",
  "King's Pawn Opening": "Königsbauerneröffnung",
  "Kádas Opening": "Kádas-Eröffnung",
  "Lasker Simul Special": "Laskers Simultanzug",
  "Latvian Gambit": "Lettisches Gambit",
  "Latvian Gambit Accepted": "Angenommenes Lettisches Gambit",
  "Lemming Defense": "Lemming-Verteidigung",
  "Lion Defense": "Löwen-Verteidigung",
  "London System": "Londoner System",
  "Marienbad System": "Marienbader System",
  "Mexican Defense": "Mexikanische Verteidigung",
  "Mieses Opening": "Mieses-Eröffnung",
  "Mikenas Defense": "Mikenas-Verteidigung",
  "Modern Defense": "Moderne Verteidigung",
  "Montevideo Defense": "Montevideo-Verteidigung",
  "Neo-Grünfeld Defense": "Neo-Grünfeld-Verteidigung",
  "Nimzo-Indian Defense": "Nimzowitsch-Indische Verteidigung",
  "Nimzo-Larsen Attack": "Larsen-Eröffnung",
  "Nimzowitsch Defense": "Nimzowitsch-Verteidigung",
  "Old Indian Defense": "Altindische Verteidigung",
  "Owen Defense": "Owen-Verteidigung",
  "Paleface Attack": "Bleichgesicht-Angriff",
  "Petrov's Defense": "Russische Verteidigung",
  "Philidor Defense": "Philidor-Verteidigung",
  "Pirc Defense": "Pirc-Ufimzew-Verteidigung",
  "Polish Defense": "Polnische Verteidigung",
  "Polish Opening": "Orang-Utan-Eröffnung",
  "Ponziani Opening": "Ponziani-Eröffnung",
  "Portuguese Opening": "Portugiesische Eröffnung",
  "Pseudo Queen's Indian Defense": "Pseudo-Damenindische Verteidigung",
  "Pterodactyl Defense": "Pterodaktylus-Verteidigung",
  "Queen's Gambit": "Damengambit",
  "Queen's Gambit Accepted": "Angenommenes Damengambit",
  "Queen's Gambit Declined": "Abgelehntes Damengambit",
  "Queen's Indian Accelerated": "Beschleunigtes Damenindisch",
  "Queen's Indian Defense": "Damenindische Verteidigung",
  "Queen's Pawn": "Damenbauer",
  "Queen's Pawn Game": "Damenbauernspiel",
  "Rapport-Jobava System": "Rapport-Jobava-System",
  "Rat Defense": "Ratten-Verteidigung",
  "Richter-Veresov Attack": "Richter-Weressow-Angriff",
  "Robatsch Defense": "Robatsch-Verteidigung",
  "Rubinstein Opening": "Rubinstein-Eröffnung",
  "Ruy Lopez": "Spanische Partie",
  "Réti Opening": "Réti-Eröffnung",
  "Saragossa Opening": "Saragossa-Eröffnung",
  "Scandinavian Defense": "Skandinavische Verteidigung",
  "Scotch Game": "Schottische Partie",
  "Semi-Slav Defense": "Halbslawische Verteidigung",
  "Semi-Slav Defense Accepted": "Angenommene Halbslawische Verteidigung",
  "Sicilian Defense": "Sizilianische Verteidigung",
  "Slav Defense": "Slawische Verteidigung",
  "Slav Indian": "Slawisch-Indisch",
  "Sodium Attack": "Natrium-Angriff",
  "St. George Defense": "St.-Georgs-Verteidigung",
  "Tarrasch Defense": "Tarrasch-Verteidigung",
  "Three Knights Opening": "Dreispringerspiel",
  "Torre Attack": "Torre-Angriff",
  "Trompowsky Attack": "Trompowsky-Angriff",
  "Valencia Opening": "Valencia-Eröffnung",
  "Van Geet Opening": "Van-Geet-Eröffnung",
  "Van't Kruijs Opening": "Van’t-Kruijs-Eröffnung",
  "Vienna Gambit": "Wiener Gambit",
  "Vienna Game": "Wiener Partie",
  "Vulture Defense": "Geier-Verteidigung",
  "Wade Defense": "Wade-Verteidigung",
  "Ware Defense": "Ware-Verteidigung",
  "Ware Opening": "Ware-Eröffnung",
  "Yusupov-Rubinstein System": "Jussupow-Rubinstein-System",
  "Zaire Defense": "Zaire-Verteidigung",
  "Zukertort Defense": "Zukertort-Verteidigung",
  "Zukertort Opening": "Zukertort-Eröffnung",
};

/** Names behind the colon that are what they are. */
const PARTS = {
  "Accelerated Dragon": "Beschleunigter Drache",
  "Advance": "Vorstoßvariante",
  "Berlin Wall": "Berliner Mauer",
  "Berlin Wall Defense": "Berliner Mauer",
  "Chinese Dragon": "Chinesischer Drache",
  "Classical": "Klassische Variante",
  "Closed": "Geschlossene Variante",
  "Double Fianchetto": "Doppelfianchetto",
  "Double Gambit": "Doppelgambit",
  "Double Pawn Sacrifice": "Doppelbauernopfer",
  "Exchange": "Abtauschvariante",
  "Fool's Mate": "Narrenmatt",
  "Fried Liver Attack": "Fegatello-Angriff",
  "French": "Französisch",
  "Grand Prix Attack": "Grand-Prix-Angriff",
  "Grünfeld": "Grünfeld-Indisch",
  "Hedgehog": "Igel",
  "Hungarian Dragon": "Ungarischer Drache",
  "Hyperaccelerated Dragon": "Hyperbeschleunigter Drache",
  "King's English Variation": "Königsenglische Variante",
  "King's Indian Variation": "Königsindische Variante",
  "Leningrad": "Leningrader Variante",
  "Main Line": "Hauptvariante",
  "Maróczy Bind": "Maróczy-Aufbau",
  "Modern Variations": "Moderne Varianten",
  "Noah's Ark Trap": "Arche-Noah-Falle",
  "Normal": "Normalvariante",
  "Normal Variation": "Normalvariante",
  "Old Benoni": "Alt-Benoni",
  "Old Sicilian": "Altsizilianisch",
  "Open": "Offene Variante",
  "Poisoned Pawn Variation": "Bauernraubvariante",
  "Queen's Gambit Invitation": "Einladung zum Damengambit",
  "Rare Defenses": "Seltene Verteidigungen",
  "Scandinavian": "Skandinavisch",
  "Sea-Cadet Mate": "Seekadettenmatt",
  "Semi-Slav": "Halbslawisch",
  "Sicilian": "Sizilianisch",
  "Sicilian Invitation": "Einladung zu Sizilianisch",
  "Slav Invitation": "Einladung zu Slawisch",
  "Spanish": "Spanisch",
  "Standard Development": "Übliche Entwicklung",
  "Steinitz Deferred": "Verzögerte Steinitz-Verteidigung",
  "Symmetrical": "Symmetrievariante",
  "Symmetrical Variation": "Symmetrievariante",
  "Three Knights": "Dreispringerspiel",
  "Two Knights": "Zweispringerspiel",
  "Two Knights Defense": "Zweispringerspiel im Nachzug",
  "Wing Gambit": "Flügelgambit",
};

/** What a name ends with, and the ending of adjectives before it. */
const TAILS = {
  Attack: ["Angriff", "er"], Counterattack: ["Gegenangriff", "er"],
  Countergambit: ["Gegengambit", "es"], Defense: ["Verteidigung", "e"],
  Fianchetto: ["Fianchetto", "es"], Formation: ["Aufbau", "er"], Gambit: ["Gambit", "es"],
  Game: ["Partie", "e"], Line: ["Variante", "e"], Opening: ["Eröffnung", "e"],
  Sacrifice: ["Opfer", "es"], System: ["System", "es"], Trap: ["Falle", "e"],
  Variation: ["Variante", "e"],
};

/** Adjectives without their endings. */
const ADJECTIVES = {
  Accelerated: "Beschleunigt", Accepted: "Angenommen", American: "Amerikanisch",
  "Anglo-Dutch": "Anglo-Holländisch", "Anglo-Indian": "Anglo-Indisch",
  "Anglo-Lithuanian": "Anglo-Litauisch", "Anglo-Scandinavian": "Anglo-Skandinavisch",
  "Anglo-Slav": "Anglo-Slawisch", Argentine: "Argentinisch", Argentinian: "Argentinisch",
  Armenian: "Armenisch", Australian: "Australisch", Austrian: "Österreichisch", Baltic: "Baltisch",
  Bavarian: "Bayrisch", "Benoni-Indian": "Benoni-Indisch", Bulgarian: "Bulgarisch",
  Calabrese: "Kalabresisch", Catalan: "Katalanisch", Chinese: "Chinesisch", Classical: "Klassisch",
  Closed: "Geschlossen", Compromised: "Kompromittiert", Czech: "Tschechisch", Danish: "Nordisch",
  Declined: "Abgelehnt", Deferred: "Verzögert", Delayed: "Verzögert", Dutch: "Holländisch",
  Dynamic: "Dynamisch", English: "Englisch", Finnish: "Finnisch", First: "Erst",
  Flexible: "Flexibl", Florentine: "Florentinisch", Forcing: "Forciert", Forgotten: "Vergessen",
  "Franco-Sicilian": "Franko-Sizilianisch", French: "Französisch", German: "Deutsch", Great: "Groß",
  Hungarian: "Ungarisch", Hyperaccelerated: "Hyperbeschleunigt", Icelandic: "Isländisch",
  Immediate: "Sofortig", Improved: "Verbessert", Indian: "Indisch", Irish: "Irisch",
  Italian: "Italienisch", Kazakh: "Kasachisch", "King's Indian": "Königsindisch", Lesser: "Klein",
  Lithuanian: "Litauisch", Long: "Lang", Maltese: "Maltesisch", Mediterranean: "Mittelmeerisch",
  Mexican: "Mexikanisch", Modern: "Modern", "Neo-Catalan": "Neukatalanisch",
  "Neo-Classical": "Neuklassisch", "Neo-Modern": "Neumodern", "Neo-Orthodox": "Neuorthodox",
  New: "Neu", Norwegian: "Norwegisch", "Old Indian": "Altindisch", Old: "Alt", Open: "Offen",
  Original: "Ursprünglich", Orthodox: "Orthodox", Polish: "Polnisch", Portuguese: "Portugiesisch",
  Positional: "Positionell", "Pseudo-Austrian": "Pseudo-Österreichisch",
  "Pseudo-Spanish": "Pseudo-Spanisch", "Queen's Indian": "Damenindisch", Quiet: "Ruhig",
  Rare: "Selten", Romanian: "Rumänisch", Russian: "Russisch", Scandinavian: "Skandinavisch",
  Scotch: "Schottisch", "Semi-Classical": "Halbklassisch", "Semi-Slav": "Halbslawisch",
  Sharp: "Scharf", Siberian: "Sibirisch", Sicilian: "Sizilianisch", Slav: "Slawisch",
  Slow: "Langsam", Small: "Klein", Spanish: "Spanisch", Swedish: "Schwedisch",
  Symmetric: "Symmetrisch", Symmetrical: "Symmetrisch", Traditional: "Traditionell",
  Ukrainian: "Ukrainisch", Westphalian: "Westfälisch", Wild: "Wild", Yugoslav: "Jugoslawisch",
};

/** Towns, as adjectives that have no endings. */
const TOWNS = {
  Aachen: "Aachener", Amsterdam: "Amsterdamer", Arkhangelsk: "Archangelsker", Barmen: "Barmer",
  Bayreuth: "Bayreuther", Belgrade: "Belgrader", Berlin: "Berliner", Breslau: "Breslauer",
  Brussels: "Brüsseler", Budapest: "Budapester", Carlsbad: "Karlsbader", Cologne: "Kölner",
  Copenhagen: "Kopenhagener", Cracow: "Krakauer", Dresden: "Dresdner", Düsseldorf: "Düsseldorfer",
  Frankfurt: "Frankfurter", Goteborg: "Göteborger", Graz: "Grazer", Herford: "Herforder",
  Kiel: "Kieler", Leningrad: "Leningrader", Lisbon: "Lissabonner", London: "Londoner",
  Mannheim: "Mannheimer", Marienbad: "Marienbader", Meran: "Meraner", Moscow: "Moskauer",
  Novosibirsk: "Nowosibirsker", Nürnberg: "Nürnberger", Paris: "Pariser", Prague: "Prager",
  Riga: "Rigaer", Stockholm: "Stockholmer", Swiss: "Schweizer", Tashkent: "Taschkenter",
  Tübingen: "Tübinger", Vienna: "Wiener", Viennese: "Wiener", Voronezh: "Woronescher",
  Warsaw: "Warschauer", Wiesbaden: "Wiesbadener", Yerevan: "Jerewaner", Zagreb: "Zagreber",
  Zurich: "Züricher",
};

/** What becomes one word with what follows. */
const JOINED = {
  Advance: "Vorstoß", Bayonet: "Bajonett", "Bishop's": "Läufer", Bishop: "Läufer",
  Blockade: "Blockade", Castling: "Rochade", Center: "Zentrums", Central: "Zentral",
  Chameleon: "Chamäleon", Check: "Schach", Crab: "Krabben", Crocodile: "Krokodil",
  Development: "Entwicklungs", "Double Fianchetto": "Doppelfianchetto",
  "Double Gambit": "Doppelgambit", Dragon: "Drachen", Endgame: "Endspiel", Exchange: "Abtausch",
  Fianchetto: "Fianchetto", "Four Knights": "Vierspringer", "Four Pawns": "Vierbauern",
  Gambit: "Gambit", Giraffe: "Giraffen", Hedgehog: "Igel", "King's Knight": "Königsspringer",
  "King's Pawn": "Königsbauern", "King's": "Königs", King: "Königs", Kingside: "Königsflügel",
  "Knight's": "Springer", Knight: "Springer", "Pawn Push": "Bauernvorstoß", Pawn: "Bauern",
  Pin: "Fesselungs", "Queen's Knight": "Damenspringer", "Queen's": "Damen", Queen: "Damen",
  Queenside: "Damenflügel", Rat: "Ratten", Retreat: "Rückzugs", "Six Pawns": "Sechsbauern",
  Snake: "Schlangen", "Three Knights": "Dreispringer", "Three Pawn": "Dreibauern",
  "Three Pawns": "Dreibauern", Tortoise: "Schildkröten", "Two Knights": "Zweispringer",
  "Two Pawns": "Zweibauern", Wing: "Flügel",
};

/** Names that German writes in another way. */
const SPELLED = {
  Alatortsev: "Alatorzew", Alekhine: "Aljechin", Averbakh: "Awerbach", Belyavsky: "Beljawski",
  Boleslavsky: "Boleslawski", Botvinnik: "Botwinnik", Chebanenko: "Tschebanenko",
  Chekhover: "Tschechower", Chigorin: "Tschigorin", Chistyakov: "Tschistjakow", Dreyev: "Drejew",
  Goglidze: "Goglidse", Grigoriev: "Grigorjew", Gurevich: "Gurewitsch", Gurgenidze: "Gurgenidse",
  "Ilyin-Zhenevsky": "Iljin-Schenewski", Ivanchuk: "Iwantschuk", Jaenisch: "Jänisch",
  Kalashnikov: "Kalaschnikow", Karpov: "Karpow", Kasparov: "Kasparow", Kholmov: "Cholmow",
  Kondratiyev: "Kondratjew", Konstantinopolsky: "Konstantinopolski", Korchnoi: "Kortschnoi",
  Kotov: "Kotow", Kozul: "Kožul", Levenfish: "Löwenfisch", Levitsky: "Lewitzki",
  Lipnitsky: "Lipnizki", Lisitsyn: "Lissizyn", Makogonov: "Makogonow",
  Mikhalchishin: "Michaltschischin", Morozevich: "Morosewitsch", Nakhmanson: "Nachmanson",
  Nenarokov: "Nenarokow", Novikov: "Nowikow", Nyezhmetdinov: "Neschmetdinow", Panov: "Panow",
  Petrosian: "Petrosjan", Petrov: "Petrow", Polugaevsky: "Polugajewski",
  Pterodactyl: "Pterodaktylus", Rabinovich: "Rabinowitsch", Ragozin: "Ragosin",
  Rashkovsky: "Raschkowski", Rauzer: "Rauser", Romanishin: "Romanischin", Romanovsky: "Romanowski",
  Shabalov: "Schabalow", Sherbakov: "Schtscherbakow", Shirov: "Schirow", Smyslov: "Smyslow",
  Sokolsky: "Sokolski", Soldatenkov: "Soldatenkow", Sozin: "Sosin", Spassky: "Spasski",
  Sveshnikov: "Sweschnikow", Taimanov: "Taimanow", Tolush: "Tolusch", Topalov: "Topalow",
  Urusov: "Urussow", Veresov: "Weressow", Vinogradov: "Winogradow", Zagoryansky: "Sagorjanski",
  Zaitsev: "Saizew",
};

/** Words that are no names: what has them and no rule stays in English. */
const ENGLISH = new Set((
  "Aged Anti-Classical Anti-Fried Anti-Queen's Ark Attack Battery Beginner's Big Black Blockade "
  + "Bouncing Break Bum Castling Cave Central Check Clamp Claw Compromised Connection "
  + "Correspondence Countergambit Counterthrust Defense Defensive Development Deviations Dog "
  + "Double Dream Drunken Duck Early Edge Elbow Endgame Extended Extension Fingerslip First "
  + "Fishing Flank Flexible Fluid Folly Fool's Forcing Forgotten Four Fried Full Fully Gambit "
  + "Grab Grand Head Holding Horny Hybrid Improved Inner Inverted Invitation Jaw Knights "
  + "Lion's Liver Mad Mate Meadow Monkey's Move Noah's Offer Order Original Outflank Pass "
  + "Pawns Pin Plan Poisoned Pole Prickly Primitive Provincial Push Refutation Return "
  + "Reversed Rooks Second Shuffle Shy Six Storm Storming Swap Symmetry The Three Toilet Tour "
  + "Transfer Transpositional Two Unpin Variation Walk Wall Wayward Whip Wild Wind and with"
).split(" "));

/** Letters of pieces in moves that are part of a name. */
const LETTERS = { K: "K", Q: "D", R: "T", B: "L", N: "S" };
const moves = (text) => text.replace(/[KQRBN](?=[a-h]?x?[a-h][1-8])/g, (letter) => LETTERS[letter])
  .replace(" and ", " und ");

const spelled = (name) => name.split("-").map((part) => SPELLED[part] ?? part).join("-");

/** Writes a name as one word; nothing if some of it is no name. */
function oneWord(words) {
  const bare = words.map((word) => word.replace(/['’]s?$/, ""));
  const isNamed = words.every((word) => !ENGLISH.has(word)) && bare.every(Boolean);
  return isNamed ? bare.map((word) => SPELLED[word] ?? spelled(word)).join("-") : null;
}

/** Returns the adjective that words are; nothing if they are none. */
function adjective(text, ending, isFirst) {
  if (Object.hasOwn(TOWNS, text)) return TOWNS[text];
  if (!Object.hasOwn(ADJECTIVES, text)) return null;
  const stem = ADJECTIVES[text];
  return (isFirst ? stem : stem.toLowerCase()) + ending;
}

/** Takes the adjectives from the beginning of a name; returns them, and the words that are left. */
function adjectives(words, ending, isFirst = true) {
  for (const size of [2, 1]) {
    const own = words.length >= size && adjective(words.slice(0, size).join(" "), ending, isFirst);
    if (!own) continue;
    const [more, left] = adjectives(words.slice(size), ending, false);
    return [[own, ...more], left];
  }
  return [[], words];
}

/** Writes what ends in a word for a part of an opening, as `Delayed Alapin Variation`. */
function ended(words) {
  // `Accepted` and its like stand behind.
  const isBehind = ["Accepted", "Declined", "Deferred"].includes(words.at(-1));
  const [last, ahead] = isBehind ? [words.at(-2), words.slice(0, -2)]
    : [words.at(-1), words.slice(0, -1)];
  if (!Object.hasOwn(TAILS, last ?? "")) return null;
  const [tail, ending] = TAILS[last];
  const all = isBehind ? [words.at(-1), ...ahead] : ahead;
  const [before, name] = adjectives(all, ending);
  if (!name.length) return before.length ? [...before, tail].join(" ") : null;
  const joined = JOINED[name.join(" ")];
  const one = moves(oneWord(name) ?? "");
  if (!joined && !one) return null;
  return [...before, joined ? joined + tail.toLowerCase() : `${one}-${tail}`].join(" ");
}

/** Writes a part of a name; nothing if no rule covers it. */
function part(text) {
  if (Object.hasOwn(PARTS, text)) return PARTS[text];
  if (Object.hasOwn(FAMILIES, text)) return FAMILIES[text];
  if (/^with .*[a-h][1-8]/.test(text)) return `mit ${moves(text.replace(/^with /, ""))}`;
  if (/^[KQRBN]?[a-h]?x?[a-h][1-8]$/.test(text)) return moves(text);
  const turned = /^Reversed (.+)$|^(.+) Reversed$/.exec(text);
  if (turned) {
    const own = part(turned[1] ?? turned[2]);
    return own && `${own} im Anzug`;
  }
  const words = text.split(" ");
  return ended(words) ?? (words.length === 1 ? oneWord(words) : null);
}

/** Returns the German name of an opening. */
export function openingName(name) {
  const [family, ...rest] = name.split(": ");
  const written = (text) => text.split(", ").map((one) => part(one) ?? one).join(", ");
  return [family, ...rest].map(written).join(": ");
}
