//! Names and comments of old databases, each written in one encoding, are read the same in every
//! format: by a guess from all names together, or by what is said.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tabiya::{
    Conversion, ConvertOptions, Database, Flow, GameId, OpenOptions, RepairOptions, SidecarOptions,
    Strategy,
    chess::{NameId, NameKind},
    convert,
    format::{GameText, Overwrite, TextEncoding},
    repair,
};
use tempfile::TempDir;

use crate::support::ask;

/// A game of two players.
struct Told {
    white: &'static str,
    black: &'static str,
    event: &'static str,
    comment: &'static str,
}

const fn told(
    white: &'static str,
    black: &'static str,
    event: &'static str,
    comment: &'static str,
) -> Told {
    Told {
        white,
        black,
        event,
        comment,
    }
}

const RUSSIAN: [Told; 2] = [
    told(
        "Иванов, Пётр",
        "Щукина, Юлия",
        "Москва",
        "Белые стоят лучше",
    ),
    told("Чигорин, Михаил", "Adams, John", "Турнир", "всё ясно"),
];
/// As few letters as in a small club's database.
const FEW: [Told; 1] = [told("Иванов, Petr", "Щукина, Jurij", "Club", "Ясно")];
const GREEK: [Told; 2] = [
    told(
        "Μπάνικας, Χρήστος",
        "Γκρίβας, Ευστράτιος",
        "Αθήνα",
        "Καλύτερο",
    ),
    told("Χαλκιάς, Στέλιος", "Σκέμπρης, Σπύρος", "Κύπελλο", "τέλος"),
];
const POLISH: [Told; 5] = [
    told(
        "Wojtaszek, Radosław",
        "Świercz, Dariusz",
        "Łódź",
        "Białe stoją lepiej",
    ),
    told(
        "Soćko, Bartosz",
        "Kempiński, Robert",
        "Mistrzostwa Mężczyzn",
        "źle",
    ),
    told(
        "Żółtek, Wojciech",
        "Kuczyński, Jan",
        "Częstochowa",
        "mądre posunięcie",
    ),
    told(
        "Mądry, Stanisław",
        "Przepiórka, Dawid",
        "Wrocław",
        "też gra",
    ),
    told("Bąk, Józef", "Gęsicki, Zdzisław", "Poznań", "łatwe"),
];
const TURKISH: [Told; 4] = [
    told(
        "Şahin, Mehmet",
        "Yılmaz, Mustafa",
        "İzmir",
        "Beyaz iyi değil",
    ),
    told("Ataşkın, Ali", "Esen, Barış", "Eskişehir", "şah"),
    told(
        "Haznedaroğlu, Kıvanç",
        "Erdoğdu, Mert",
        "Türkiye Şampiyonası",
        "ağır",
    ),
    told("Dağlı, Ömer", "Atalık, Suat", "Aydın", "kısa"),
];
const WESTERN: [Told; 5] = [
    told(
        "Müller, Jürgen",
        "Étienne, François",
        "Köln",
        "Weiß steht schön",
    ),
    told("Núñez, José", "Gonçalves, João", "Cádiz", "más fácil"),
    told("Åkesson, Bjørn", "Þórhallsson, Sævar", "Reykjavík", "góð"),
    told("Polgár, László", "Lékó, Péter", "Pécs", "jó állás"),
    told("Forlì, Nicolò", "Rõtov, Tõnu", "Võru", "così"),
];
/// Letters that are the same bytes in both code pages of DOS.
const OF_DOS: [Told; 2] = [
    told("Müller, Jörg", "Jäger, André", "Nürnberg", "Schön für Weiß"),
    told("Peña, Ana", "Hübner, Robert", "Übung", "très bien"),
];

/// The formats that are written and hold texts, besides PGN. Comments of `.2cbh` are not patched,
/// since each has a checksum.
const FORMATS: [&str; 5] = ["si4", "si5", "cbh", "2cbh", "dci"];

/// Writes a text in an encoding.
fn encoded(text: &str, encoding: &str) -> Vec<u8> {
    if let Some(encoding) = encoding_rs::Encoding::for_label(encoding.as_bytes()) {
        let (bytes, _, has_lost) = encoding.encode(text);
        assert!(!has_lost, "{text}");
        return bytes.into_owned();
    }
    let byte = |letter: char| match letter {
        'ü' => 0x81,
        'é' => 0x82,
        'ä' => 0x84,
        'è' => 0x8a,
        'ö' => 0x94,
        'Ü' => 0x9a,
        'ñ' => 0xa4,
        'ß' => 0xe1,
        ascii => u8::try_from(ascii).unwrap(),
    };
    text.chars().map(byte).collect()
}

/// Words of ASCII that stand for words in the encoding until the files are patched.
#[derive(Default)]
struct Stand {
    /// Each word with the bytes that replace it.
    words: Vec<(String, Vec<u8>)>,
}

impl Stand {
    /// Returns a name of the same length, whose parts occur nowhere else and share no beginning.
    fn for_text(&mut self, text: &str, encoding: &str) -> String {
        let parts = text.split(", ").map(|part| {
            let bytes = encoded(part, encoding);
            let number = u8::try_from(self.words.len()).unwrap();
            let first = char::from(b'0' + number).to_string();
            let word = format!("{first:x<length$}", length = bytes.len());
            self.words.push((word.clone(), bytes));
            word
        });
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Replaces the words in a file.
    fn patch(&self, path: &Path) {
        let mut file = fs::read(path).unwrap();
        // Longer words may contain shorter ones.
        let mut words: Vec<_> = self.words.iter().collect();
        words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        for (word, bytes) in words {
            let places = 0..file.len().saturating_sub(word.len()) + 1;
            for at in places {
                let end = at + word.len();
                if file.get(at..end) == Some(word.as_bytes()) {
                    file[at..end].copy_from_slice(bytes);
                }
            }
        }
        fs::write(path, file).unwrap();
    }
}

fn pgn(games: &[Told], text: &mut dyn FnMut(&str) -> String) -> String {
    let game = |told: &Told| {
        let [white, black] = [told.white, told.black].map(&mut *text);
        let [event, comment] = [told.event, told.comment].map(&mut *text);
        format!(
            "[Event \"{event}\"]\n[Site \"?\"]\n[Date \"1999.01.01\"]\n[Round \"?\"]\n\
             [White \"{white}\"]\n[Black \"{black}\"]\n[Result \"*\"]\n\n1. e4 {{{comment}}} *\n\n"
        )
    };
    games.iter().map(game).collect()
}

/// Writes games in an encoding and a format, and returns the path.
fn written(folder: &Path, games: &[Told], encoding: &str, suffix: &str) -> PathBuf {
    let path = folder.join(format!("base.{suffix}"));
    if suffix == "pgn" {
        fs::write(&path, encoded(&pgn(games, &mut str::to_owned), encoding)).unwrap();
        return path;
    }
    let mut stand = Stand::default();
    let source = folder.join("source.pgn");
    let text = pgn(games, &mut |text| stand.for_text(text, encoding));
    fs::write(&source, text).unwrap();
    converted(&source, &path, OpenOptions::new());
    let files = Database::open(&path).unwrap().files();
    for (file, _) in files {
        stand.patch(&file);
    }
    path
}

fn go_on(_: tabiya::Progress) -> Flow {
    Flow::Continue(())
}

fn converted(source: &Path, target: &Path, opening: OpenOptions) -> Conversion {
    let options = ConvertOptions::from(Overwrite::Replace).opening(opening);
    convert(&[source.to_owned()], target, options, go_on).unwrap()
}

fn saying(encoding: &str) -> OpenOptions {
    OpenOptions::new().encoding(encoding.parse().unwrap())
}

fn opened(path: &Path, options: OpenOptions) -> Database {
    options.open(path).unwrap()
}

/// Checks that everything tells the games as they were written.
fn check(database: &Database, games: &[Told], is_2cbh: bool) {
    let path = database.path().display();
    let found = |query: &str| ask::numbers(database, query, Strategy::default(), false);
    let mut names: Vec<String> = (0..database.name_ids(NameKind::Player).unwrap())
        .filter_map(|id| {
            database
                .name_of(NameKind::Player, NameId(id as u32))
                .unwrap()
        })
        .filter(|name| name != "?" && !name.is_empty())
        .collect();
    names.sort_unstable();
    let mut players: Vec<&str> = games
        .iter()
        .flat_map(|told| [told.white, told.black])
        .collect();
    players.sort_unstable();
    assert_eq!(names, players, "{path}");
    for (number, told) in (1..).zip(games) {
        let header = database.header(GameId(number - 1)).unwrap();
        let all = (&*header.white, &*header.black, &*header.event);
        assert_eq!(all, (told.white, told.black, told.event), "{path}");
        let (last, _) = told.white.split_once(", ").unwrap();
        let small = last.to_lowercase();
        assert_eq!(
            found(&format!("white:\"{small}\"")),
            [number],
            "{path}: {small}"
        );
        assert_eq!(
            found(&format!("white=\"{}\"", told.white)),
            [number],
            "{path}"
        );
        if !is_2cbh {
            assert_eq!(
                found(&format!("text:\"{}\"", told.comment)),
                [number],
                "{path}"
            );
            let mut text = GameText::new(&header);
            database.visit(GameId(number - 1), &mut text).unwrap();
            let text = text.finish().unwrap();
            assert!(
                text.contains(&format!("{{{}}}", told.comment)),
                "{path}: {text}"
            );
        }
    }
}

/// Games, the encoding that they are written in, and the one that is guessed.
const GUESSED: [(&[Told], &str, &str); 8] = [
    (&RUSSIAN, "windows-1251", "windows-1251"),
    (&FEW, "windows-1251", "windows-1251"),
    (&RUSSIAN, "koi8-r", "koi8-u"),
    (&RUSSIAN, "ibm866", "ibm866"),
    (&GREEK, "windows-1253", "windows-1253"),
    (&POLISH, "windows-1250", "windows-1250"),
    (&POLISH, "iso-8859-2", "iso-8859-2"),
    (&TURKISH, "windows-1254", "windows-1254"),
];

#[test]
fn the_encoding_of_all_names_is_guessed_in_every_format() {
    for (games, encoding, known) in GUESSED {
        for suffix in FORMATS.into_iter().chain(["pgn"]) {
            let folder = TempDir::new().unwrap();
            let path = written(folder.path(), games, encoding, suffix);
            let database = opened(&path, OpenOptions::new());
            let guessed = database.encoding().map(|encoding| encoding.to_string());
            assert_eq!(guessed.as_deref(), Some(known), "{suffix} {encoding}");
            assert!(database.encoding_is_guessed());
            check(&database, games, suffix == "2cbh");
        }
    }
}

#[test]
fn an_encoding_that_is_said_is_taken_in_every_format() {
    let said = GUESSED.map(|(games, encoding, _)| (games, encoding));
    let more: [(&[Told], &str); 4] = [
        (&OF_DOS, "cp437"),
        (&OF_DOS, "ibm850"),
        (&WESTERN, "windows-1252"),
        (&POLISH[..1], "windows-1250"),
    ];
    for (games, encoding) in said.into_iter().chain(more) {
        for suffix in FORMATS.into_iter().chain(["pgn"]) {
            let folder = TempDir::new().unwrap();
            let path = written(folder.path(), games, encoding, suffix);
            let database = opened(&path, saying(encoding));
            assert_eq!(database.encoding(), encoding.parse().ok(), "{suffix}");
            assert!(!database.encoding_is_guessed());
            assert!(database.notes().is_empty());
            check(&database, games, suffix == "2cbh");
        }
    }
}

#[test]
fn western_names_are_read_as_ever() {
    for (games, encoding) in [
        (&WESTERN[..], "windows-1252"),
        (&WESTERN, "utf-8"),
        (&RUSSIAN, "utf-8"),
        (&POLISH, "utf-8"),
    ] {
        for suffix in FORMATS {
            let folder = TempDir::new().unwrap();
            let path = written(folder.path(), games, encoding, suffix);
            let database = opened(&path, OpenOptions::new());
            assert_eq!(database.encoding(), None, "{suffix} {encoding}");
            check(&database, games, suffix == "2cbh");
        }
    }
}

#[test]
fn a_guess_that_is_wrong_is_overridden() {
    for suffix in FORMATS {
        let folder = TempDir::new().unwrap();
        let path = written(folder.path(), &RUSSIAN, "windows-1251", suffix);
        let database = opened(&path, saying("windows-1252"));
        let header = database.header(GameId(0)).unwrap();
        assert_eq!(header.white, "Èâàíîâ, Ï¸òð", "{suffix}");
        let usual = opened(&path, saying("utf-8"));
        assert_eq!(usual.encoding(), None, "{suffix}");
        // Two bytes of the other name are also a letter of UTF-8, which Latin-1 is mixed with.
        let black = usual.header(GameId(0)).unwrap().black;
        assert_eq!(black, header.black, "{suffix}");
    }
}

#[test]
fn what_is_written_from_another_encoding_is_utf8() {
    for suffix in FORMATS {
        let folder = TempDir::new().unwrap();
        let path = written(folder.path(), &RUSSIAN, "windows-1251", suffix);
        for target in FORMATS.into_iter().chain(["pgn"]) {
            let target = folder.path().join(format!("new.{target}"));
            converted(&path, &target, OpenOptions::new());
            let database = opened(&target, OpenOptions::new());
            assert_eq!(
                database.encoding(),
                None,
                "{suffix} to {}",
                target.display()
            );
            check(&database, &RUSSIAN, suffix == "2cbh");
            let repaired = folder.path().join(format!("mended-{suffix}")).join("");
            fs::create_dir_all(&repaired).unwrap();
            let mended = repaired.join(target.file_name().unwrap());
            let options = RepairOptions::from(Overwrite::Replace);
            repair(&path, &mended, options, |_| Flow::Continue(()), go_on).unwrap();
            check(
                &opened(&mended, OpenOptions::new()),
                &RUSSIAN,
                suffix == "2cbh",
            );
        }
        let text = fs::read_to_string(folder.path().join("new.pgn")).unwrap();
        assert!(text.contains("[White \"Иванов, Пётр\"]"), "{suffix}");
    }
}

#[test]
fn an_encoding_without_use_is_noted() {
    let folder = TempDir::new().unwrap();
    let path = written(folder.path(), &WESTERN, "utf-8", "si4");
    let database = opened(&path, saying("utf-16le"));
    let note = database.notes().first().map(ToString::to_string);
    assert!(note.is_some_and(|note| note.contains("UTF-16 outside of PGN is not supported")));
    check(&database, &WESTERN, false);
    let training = folder.path().join("games.vf");
    converted(&path, &training, OpenOptions::new());
    let database = opened(&training, saying("windows-1251"));
    let note = database.notes().first().map(ToString::to_string);
    assert!(note.is_some_and(|note| note.contains("training data, which has no texts")));
}

#[test]
fn a_sidecar_keeps_names_as_they_are_guessed() {
    for suffix in ["si4", "cbh", "pgn"] {
        let folder = TempDir::new().unwrap();
        let path = written(folder.path(), &RUSSIAN, "windows-1251", suffix);
        let said = opened(&path, saying("windows-1252"));
        assert!(SidecarOptions::new().build(&said).is_err());
        let guessed = opened(&path, OpenOptions::new());
        SidecarOptions::new().build(&guessed).unwrap();
        let database = opened(&path, OpenOptions::new());
        assert!(database.sidecar().is_some());
        check(&database, &RUSSIAN, false);
        let said = opened(&path, saying("windows-1252"));
        let found = ask::numbers(&said, "white:\"èâàíîâ\"", Strategy::default(), false);
        assert_eq!(found, [1], "{suffix}");
    }
}

#[test]
fn names_of_encodings_are_those_that_people_use() {
    for name in [
        "CP1251",
        "windows-1250",
        "Latin2",
        "KOI8-R",
        "cp437",
        "850",
        "utf8",
    ] {
        assert!(name.parse::<TextEncoding>().is_ok(), "{name}");
    }
    assert!("cp9999".parse::<TextEncoding>().is_err());
}

#[test]
fn games_added_to_pgn_of_any_encoding_can_be_read_with_the_old() {
    let plain = |name: &str, event: &str| {
        let tags = format!("[Event \"{event}\"]\n[White \"{name}\"]\n[Result \"*\"]\n");
        format!("{tags}\n1. e4 {{{name}}} *\n\n")
    };
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let one_byte = |name: &'static str| {
        let encoding = encoding_rs::Encoding::for_label(name.as_bytes()).unwrap();
        move |text: &str| encoding.encode(text).0.into_owned()
    };
    let russian = plain("Жуков, Андрей", "Турнир").repeat(4);
    let western = plain("Müller, Jörg", "Köln").repeat(4);
    let old: [(Vec<u8>, &str); 6] = [
        (utf16(&russian), "Жуков, Андрей"),
        (utf16(&format!("\u{feff}{russian}")), "Жуков, Андрей"),
        (one_byte("windows-1251")(&russian), "Жуков, Андрей"),
        (one_byte("koi8-r")(&russian), "Жуков, Андрей"),
        (one_byte("windows-1252")(&western), "Müller, Jörg"),
        (western.replace('\n', "\r").into_bytes(), "Müller, Jörg"),
    ];
    for (bytes, name) in old {
        for added in [1, 40] {
            let folder = tempfile::tempdir().unwrap();
            let [base, new] = ["base.pgn", "new.pgn"].map(|name| folder.path().join(name));
            fs::write(&base, &bytes).unwrap();
            fs::write(&new, plain("李, Łukasz", "Žižek").repeat(added)).unwrap();
            let options = ConvertOptions::new();
            tabiya::add(&[new], &base, options, tabiya::Progress::ignore).unwrap();
            let database = Database::open(&base).unwrap();
            assert_eq!(database.len() as usize, 4 + added);
            let white = |game| database.header(GameId(game)).unwrap().white;
            assert_eq!([white(0), white(4)], [name, "李, Łukasz"]);
            drop(database);
            assert!(tabiya::undo(&base, tabiya::Progress::ignore).unwrap());
            assert!(fs::read(&base).unwrap() == bytes);
        }
    }
}
