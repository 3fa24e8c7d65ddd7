//! jose's games are read as jose reads them, from its columns and from its databases.

use std::{collections::BTreeMap, fs, ops::ControlFlow};

use rayon::prelude::*;
use serde_json::Value;
use shakmaty::{CastlingMode, Move, Setup, fen::Fen};
use tabiya::{
    Database, Error, ErrorKind, Flow, GameId, Strategy,
    chess::{GameResult, NameKind, Start},
    format::Visitor,
};
use tabiya_formats::jose::{Encoder, Stream};

use crate::support::{ask::numbers, game::PlainGame, shared};

/// One game's columns.
struct Columns {
    number: u64,
    start: Option<Setup>,
    bin: Vec<u8>,
    comments: Vec<u8>,
}

impl Columns {
    fn of(game: &Value, fen: &str, bin: &str, comments: &str) -> Columns {
        let text = |key: &str| game[key].as_str().unwrap_or_default();
        let setup = |fen: &str| fen.parse::<Fen>().unwrap().into_setup();
        Columns {
            number: game["idx"].as_u64().unwrap(),
            start: game[fen].as_str().map(setup),
            bin: base64(text(bin)),
            comments: base64(text(comments)),
        }
    }

    fn start(&self) -> Start<'_> {
        self.start.as_ref().map_or(Start::Standard, Start::Custom)
    }

    fn stream(&self) -> Stream<'_> {
        Stream::new(&self.bin, &self.comments)
    }
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for group in text.trim_end_matches('=').as_bytes().chunks(4) {
        let value = |letter: &u8| LETTERS.iter().position(|known| known == letter).unwrap();
        let bits = group
            .iter()
            .fold(0, |bits, letter| bits << 6 | value(letter));
        let bits = bits << (6 * (4 - group.len()));
        let whole = [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8];
        bytes.extend_from_slice(&whole[..group.len() - 1]);
    }
    bytes
}

fn truth(name: &str) -> Option<Vec<Value>> {
    let path = shared::packed(&format!("truth/jose-{name}.json"))?;
    Some(serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
}

/// Retells a game in the words of the recorded answers.
#[derive(Default)]
struct Told(Vec<String>);

impl Told {
    fn tell(&mut self, word: String) -> Flow {
        self.0.push(word);
        ControlFlow::Continue(())
    }
}

impl Visitor for Told {
    fn play(&mut self, played: Option<Move>) -> Flow {
        let played = played.expect("jose writes no null moves");
        let castles = if played.is_castle() { "*" } else { "" };
        self.tell(format!(
            "{}{castles}",
            played.to_uci(CastlingMode::Chess960)
        ))
    }

    fn nag(&mut self, nag: u8) -> Flow {
        self.tell(format!("${nag}"))
    }

    fn comment(&mut self, text: &str) -> Flow {
        self.tell(format!("{{{text}}}"))
    }

    fn begin_variation(&mut self) -> Flow {
        self.tell("(".into())
    }

    fn end_variation(&mut self) -> Flow {
        self.tell(")".into())
    }
}

/// The recorded events. A glyph 0 is none, and jose's own failure is an error here.
fn recorded(game: &Value) -> Vec<String> {
    let words = game["events"].as_str().unwrap().split_whitespace();
    let plain = |word: &str| match word.strip_prefix('{') {
        Some(text) => {
            let bytes = base64(text.trim_end_matches('}'));
            format!("{{{}}}", String::from_utf8(bytes).unwrap())
        }
        None => word.to_owned(),
    };
    let is_told = |word: &String| word != "$0" && !word.starts_with("{replay error");
    words.map(plain).filter(is_told).collect()
}

#[test]
fn every_recorded_game_is_read_as_jose_reads_it() {
    for name in ["annotated", "edge", "frc"] {
        let Some(games) = truth(name) else { return };
        for game in &games {
            let columns = Columns::of(game, "start_fen", "bin_b64", "comments_b64");
            let mut told = Told::default();
            let replayed = columns.stream().replay(columns.start(), &mut told);
            if let (Some(result), Ok(())) = (columns.stream().result(), &replayed) {
                let code = match result {
                    GameResult::WhiteWins => 2,
                    GameResult::Draw => 1,
                    GameResult::BlackWins => 0,
                    GameResult::Unknown => -1,
                };
                told.0.push(format!("R{code}"));
            }
            let known = recorded(game);
            if replayed.is_err() {
                let number = columns.number;
                assert!(
                    matches!((name, number), ("annotated", 304) | ("edge", 7)),
                    "{name} {number}"
                );
            }
            assert_eq!(told.0, known, "{name} {}", columns.number);
        }
    }
}

#[test]
fn all_blobs_are_written_as_jose_writes_them_but_the_four_it_cannot_repeat() {
    let mut count = 0;
    let mut others: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for name in ["annotated", "edge", "frc", "games"] {
        let Some(path) = shared::path(&format!("data/jose/{name}.blobs.jsonl")) else {
            return;
        };
        for line in fs::read_to_string(path).unwrap().lines() {
            let columns = Columns::of(
                &serde_json::from_str(line).unwrap(),
                "fen",
                "bin",
                "comments",
            );
            let mut encoder = Encoder::new();
            let replayed = columns.stream().replay(columns.start(), &mut encoder);
            let written = encoder.finish(columns.stream().result());
            let is_same = replayed.is_ok()
                && written.is_ok_and(|(bin, comments)| {
                    bin == columns.bin && comments == columns.comments
                });
            if !is_same {
                others.entry(name).or_default().push(columns.number);
            }
            count += 1;
        }
    }
    assert_eq!(count, 5100);
    // Men too many of a kind; a glyph 0 and moves that jose could not read.
    let known = [("annotated", vec![304]), ("edge", vec![7, 9, 10])];
    assert_eq!(others, BTreeMap::from(known));
}

#[test]
fn any_bytes_are_moves_or_damage() {
    let Some(path) = shared::path("data/jose/edge.blobs.jsonl") else {
        return;
    };
    for line in fs::read_to_string(path).unwrap().lines() {
        let whole = Columns::of(
            &serde_json::from_str(line).unwrap(),
            "fen",
            "bin",
            "comments",
        );
        for at in 0..whole.bin.len() {
            let cut = Stream::new(&whole.bin[..at], &[]);
            let _ = (
                cut.replay(whole.start(), &mut Told::default()),
                cut.result(),
            );
            for byte in 0..=u8::MAX {
                let mut bin = whole.bin.clone();
                bin[at] = byte;
                let mut moves = 0;
                let mut count = Count(&mut moves);
                let stream = Stream::new(&bin, &whole.comments);
                let _ = (stream.replay(whole.start(), &mut count), stream.result());
                assert!(moves <= bin.len());
            }
        }
    }
}

/// Counts moves.
struct Count<'c>(&'c mut usize);

impl Visitor for Count<'_> {
    fn play(&mut self, _: Option<Move>) -> Flow {
        *self.0 += 1;
        ControlFlow::Continue(())
    }
}

// ---- databases ----

/// The three databases, which hold the same games.
fn databases() -> Option<[Database; 3]> {
    let one = shared::database("jose/lab.jose")?;
    let other = shared::database("jose/lab-older-schema.jos")?;
    Some([one, other, shared::database("jose/live-mysql-jose")?])
}

#[test]
fn archives_and_the_folder_hold_the_same_games() {
    let Some([archive, older, folder]) = databases() else {
        return;
    };
    assert_eq!(
        [archive.len(), older.len(), folder.len()],
        [4300, 4300, 4297]
    );
    // Of the one game with three knights what can be read.
    let read = |database: &Database, id| {
        let header = database.header(id).unwrap();
        let mut plain = PlainGame {
            header,
            ..PlainGame::default()
        };
        let visited = database.visit(id, &mut plain);
        assert!(visited.is_ok() || plain.header.event.starts_with("three knights"));
        plain
    };
    let games = |database: &Database| -> Vec<PlainGame> {
        assert!(database.notes().is_empty(), "{:?}", database.notes());
        (0..database.len())
            .map(|id| read(database, GameId(id)))
            .collect()
    };
    let games = [&archive, &older, &folder].map(games);
    assert_eq!(games[0], games[1]);
    // Some rows of the folder were made long by other tags, so that they lie in several blocks.
    let mut rest = games[0].iter();
    for game in &games[2] {
        let is_same = |other: &PlainGame| {
            (&other.header, &other.start, &other.events)
                == (&game.header, &game.start, &game.events)
        };
        assert!(rest.any(is_same), "{:?}", game.header);
    }
}

#[test]
fn headers_and_moves_are_those_of_the_recorded_games() {
    let (Some(truth), Some([archive, ..])) = (truth("frc"), databases()) else {
        return;
    };
    let mut found = 0;
    for game in &truth {
        let header = |name: &str| game["headers"][name].as_str().unwrap_or("?");
        let query = format!(
            "white=\"{}\" black=\"{}\" event=\"{}\" round=\"{}\"",
            header("White"),
            header("Black"),
            header("Event"),
            header("Round")
        );
        let columns = Columns::of(game, "start_fen", "bin_b64", "comments_b64");
        let mut told = Told::default();
        columns.stream().replay(columns.start(), &mut told).unwrap();
        for number in numbers(&archive, &query, Strategy::Auto, false) {
            let id = archive.game(number).unwrap();
            let known = archive.header(id).unwrap();
            assert_eq!(known.date.to_string(), header("Date"));
            assert_eq!(known.result.to_string(), header("Result"));
            let elo = known.white_rating.map(|rating| rating.value.to_string());
            assert_eq!(elo.as_deref().unwrap_or("?"), header("WhiteElo"));
            let mut again = Told::default();
            archive.visit(id, &mut again).unwrap();
            assert_eq!(again.0, told.0);
            found += 1;
        }
    }
    assert!(found > 0);
    assert_eq!(
        numbers(&archive, "start:chess960", Strategy::Auto, false).len(),
        found
    );
}

#[test]
fn the_databases_answer_alike_and_as_decoding_everything_does() {
    let Some([archive, older, folder]) = databases() else {
        return;
    };
    for query in [
        "year:2010.. result:1-0",
        "start:custom variations>=1",
        "text:knight",
        "tag.WhiteTitle:GM",
        "at(Q=1 q=0)",
        "at(R=2 r=1) then at(R=1 r=1)",
        "plies:100..",
        "fen:\"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w\"",
    ] {
        let known = numbers(&archive, query, Strategy::FullDecode, false);
        assert!(!known.is_empty(), "{query}");
        for database in [&archive, &older] {
            assert_eq!(
                numbers(database, query, Strategy::Auto, false),
                known,
                "{query}"
            );
        }
        let full = numbers(&folder, query, Strategy::FullDecode, false);
        assert_eq!(
            numbers(&folder, query, Strategy::Auto, false),
            full,
            "{query}"
        );
        assert!(known.len() - full.len() <= 3, "{query}");
    }
    let names = |kind| [&archive, &older].map(|database| database.name_count(kind).unwrap());
    for kind in NameKind::ALL {
        assert_eq!(names(kind)[0], names(kind)[1]);
    }
}

fn open(bytes: &[u8], name: &str) -> Result<Database, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    Database::read(&path)
}

#[test]
fn other_packers_and_engines_are_refused_by_name() {
    for bytes in [&b"BZh91AY"[..], b"h91AY", b"Rar!x", b"PK\x03\x04x"] {
        let error = open(bytes, "a.jose").unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Unsupported { .. }),
            "{error}"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let refused = |file: &str| {
        fs::write(folder.path().join(file), b"").unwrap();
        Database::open(folder.path()).unwrap_err()
    };
    assert_eq!(refused("nothing.txt").kind(), &ErrorKind::UnknownFormat);
    let error = refused("Game.ibd");
    assert!(
        matches!(error.kind(), ErrorKind::Unsupported { .. }),
        "{error}"
    );
}

/// A tar file of the smallest tables that hold a game, from the shared archive.
fn unpacked() -> Option<Vec<u8>> {
    let path = shared::path("data/jose/lab.jose")?;
    let mut tar = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(fs::File::open(path).unwrap());
    std::io::Read::read_to_end(&mut decoder, &mut tar).unwrap();
    Some(tar)
}

#[test]
fn damaged_tables_never_panic_and_keep_what_can_be_read() {
    let Some(tar) = unpacked() else { return };
    let rows = tar
        .windows(11)
        .position(|name| name == b"IO_Game.MYD")
        .unwrap()
        + 512;
    // The tables' descriptions and the first rows, byte by byte; the rest is cut off.
    let whole = &tar[..rows + 4000];
    assert!(open(whole, "a.jose").unwrap().len() > 20);
    // The bytes that say how to read the others; among the rest, every nth.
    let interesting = (0..whole.len()).into_par_iter().filter(|&at| {
        let in_rows = at >= rows && at < rows + 400;
        in_rows || (whole[at] != 0 && at % 199 == 0)
    });
    interesting.for_each(|at| {
        let mut damaged = whole.to_vec();
        damaged[at] ^= 0xff;
        if let Ok(database) = open(&damaged, "a.jose") {
            let _ = numbers(&database, "at(Q=0)", Strategy::FullDecode, false);
            database.verify().unwrap();
        }
    });
    (0..whole.len())
        .into_par_iter()
        .step_by(997)
        .for_each(|length| {
            let _ = open(&whole[..length], "a.jose");
        });
}
