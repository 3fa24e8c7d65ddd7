//! Databases of ChessBase 2 read as recorded: headers, starts, moves of all lines, annotations,
//! texts, whatever shape their files have.

mod damaged;
mod description;
mod expected;
mod harm;
mod written;

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, fen::Fen};
use tabiya::{
    Database, GameId, Strategy,
    chess::forgiving_position,
    format::{FormatKind, flag},
};

use self::expected::text;
use crate::support::{
    ask,
    game::{Event, PlainGame},
    shared,
};

/// Returns a set of the shared data.
fn set(name: &str) -> Option<PathBuf> {
    let stem = Path::new(name).file_name()?.to_str()?;
    shared::packed(&format!("2cbh/{name}/{stem}.2cbh"))
}

fn read(path: &Path) -> Vec<Value> {
    let recorded: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    recorded["records"].as_array().unwrap().clone()
}

fn mode_of(game: &PlainGame) -> CastlingMode {
    let variant = ("Variant".to_owned(), "Chess960".to_owned());
    CastlingMode::from_chess960(game.tags.contains(&variant))
}

fn start_of(game: &PlainGame) -> Chess {
    match &game.start {
        None => Chess::default(),
        Some(setup) => forgiving_position(setup.clone(), mode_of(game)).unwrap(),
    }
}

fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// The position after a null move, which counts as a move.
fn passed(position: &Chess, mode: CastlingMode) -> Chess {
    let mut setup = position.to_setup(EnPassantMode::Always);
    setup.halfmoves += 1;
    setup.ep_square = None;
    if setup.turn.is_black() {
        setup.fullmoves = setup.fullmoves.saturating_add(1);
    }
    setup.swap_turn();
    forgiving_position(setup, mode).unwrap()
}

/// Returns the end of the main line.
fn final_fen(game: &PlainGame) -> String {
    let (mut position, mut depth) = (start_of(game), 0);
    for event in &game.events {
        match event {
            Event::Begin => depth += 1,
            Event::End => depth -= 1,
            Event::Play(Some(played)) if depth == 0 => {
                position = position.play(*played).unwrap();
            }
            Event::Play(None) if depth == 0 => position = passed(&position, mode_of(game)),
            _ => {}
        }
    }
    fen(&position)
}

/// Returns what a game tells, event by event.
fn told(game: &PlainGame) -> Vec<String> {
    let mode = mode_of(game);
    let words = game.events.iter().map(|event| match event {
        Event::Begin => "(".to_owned(),
        Event::End => ")".to_owned(),
        Event::Play(None) => "0000".to_owned(),
        Event::Play(Some(played)) => played.to_uci(mode).to_string(),
        Event::Nag(nag) => format!("${nag}"),
        Event::Comment(text) => format!("{{{text}}}"),
    });
    words.collect()
}

/// Compares a game with its record. Returns what differs.
fn differs(game: &PlainGame, record: &Value) -> Option<String> {
    if let Some(start) = record["start_fen"].as_str()
        && fen(&start_of(game)) != start
    {
        return Some(format!("start {}", fen(&start_of(game))));
    }
    let (found, expected) = (told(game), expected::events(record));
    let pairs = found.iter().zip(&expected);
    if let Some((found, expected)) = pairs.into_iter().find(|(found, told)| !told.is(found)) {
        return Some(format!("{found:?} instead of {expected:?}"));
    }
    if found.len() != expected.len() {
        return Some(format!("{} events, not {}", found.len(), expected.len()));
    }
    if final_fen(game) != text(record, "final_fen") {
        return Some(format!("end {}", final_fen(game)));
    }
    expected::header_differs(game, record)
}

/// Compares all records of a database with the truth.
fn compare(database: &Database, records: &[Value]) {
    assert_eq!(database.len() as usize, records.len());
    assert_eq!(database.kind(), FormatKind::ChessBase2);
    assert!(database.notes().is_empty(), "{:?}", database.notes());
    let mut wrong = Vec::new();
    for record in records {
        let number = record["id"].as_u64().unwrap() as u32;
        let id = database.game(number).unwrap();
        let facts = database.facts(id).unwrap();
        let is_deleted = record["deleted"].as_bool().unwrap_or_default();
        assert_eq!(facts.flags & flag::DELETED != 0, is_deleted, "{number}");
        let game = PlainGame::read(database, id);
        let is_free = |key: &str| {
            let open = record["open"].as_array();
            open.is_some_and(|open| open.contains(&Value::from(key)))
        };
        match game {
            _ if is_free("*") => {}
            Err(error) => wrong.push(format!("{number}: {error}")),
            Ok(game) if record["kind"] == "text" => {
                assert_eq!(told(&game), expected::text_words(record), "{number}");
            }
            Ok(game) => {
                wrong.extend(differs(&game, record).map(|what| format!("{number}: {what}")))
            }
        }
    }
    let few: Vec<_> = wrong.iter().take(20).collect();
    assert!(wrong.is_empty(), "{} wrong: {few:#?}", wrong.len());
}

#[test]
fn every_game_of_the_sets_is_what_the_truth_says() {
    for name in ["edge2", "plain2"] {
        let (Some(path), Some(truth)) = (
            set(name),
            shared::packed(&format!("truth/2cbh-{name}.json")),
        ) else {
            return;
        };
        let database = Database::open(path).unwrap();
        compare(&database, &read(&truth));
    }
}

/// Small sets in every shape that is known.
const SHAPES: [&str; 14] = [
    "bigspare", "cp1252", "empty", "h184", "h216", "h216b", "h228", "h236", "nocba", "nolgd",
    "nospare", "texts", "types7", "v1times",
];

#[test]
fn sets_of_every_shape_open_and_are_what_the_truth_says() {
    for shape in SHAPES {
        let Some(path) = set(&format!("tiny2/{shape}")) else {
            return;
        };
        let database = Database::open(&path).unwrap();
        let mut records = read(&path.with_extension("truth.json"));
        if shape == "nocba" {
            assert_eq!(database.notes().len(), 1, "{:?}", database.notes());
            for (record, id) in records.iter_mut().zip((0..).map(GameId)) {
                record["annotations"] = Value::Array(Vec::new());
                let game = PlainGame::read(&database, id).unwrap();
                let difference = differs(&game, record);
                assert!(difference.is_none(), "{shape}: {difference:?}");
            }
        } else {
            compare(&database, &records);
        }
        assert_eq!(damaged::verified(&database).damaged, 0, "{shape}");
    }
}

#[test]
fn the_index_leaves_out_no_game_that_matches() {
    const MORE: [&str; 12] = [
        "eco:B",
        "moves>60",
        "moves=3",
        "start:custom",
        "start:chess960",
        "has:video",
        "has:squares",
        "medal:sacrifice",
        "text:after",
        // Captures are counted before moves are followed.
        "at(material:KRPvKR)",
        "at(Q=0 q=0 R<=1 r<=1 B=0 b=0 N=0 n=0 P<=2 p<=2)",
        "at(Q=0 q=0 R=0 r=0 B=0 b<=1 N=0 n=0 P=0 p<=1)",
    ];
    for name in ["edge2", "plain2"] {
        let Some(path) = set(name) else {
            return;
        };
        let database = Database::open(path).unwrap();
        let ways = [false, true];
        for query in ask::OF_ALL_KINDS.iter().chain(&MORE) {
            // In main lines, and where there are variations in these too.
            for &variations in &ways[..1 + usize::from(name == "edge2")] {
                let by = |strategy| {
                    let mut found = ask::numbers(&database, query, strategy, variations);
                    // A game without a black king has a header, and cannot be decoded.
                    found.retain(|&number| name != "edge2" || number != 1863);
                    found
                };
                let found = by(Strategy::Auto);
                assert_eq!(found, by(Strategy::FullDecode), "{name}: {query}");
            }
        }
    }
}

#[test]
fn texts_are_found_by_what_they_say() {
    let Some(path) = set("edge2") else {
        return;
    };
    let database = Database::open(path).unwrap();
    for (query, expected) in [
        ("text:tea", 1),
        ("text:vorwort", 1),
        ("text:\"last record\"", 2116),
    ] {
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let found = ask::numbers(&database, query, strategy, false);
            assert!(found.contains(&expected), "{query}: {found:?}");
        }
    }
}

#[test]
fn archives_are_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.2cbv");
    fs::write(&path, [0; 192]).unwrap();
    let error = Database::open(path).unwrap_err().to_string();
    assert!(
        error.contains(".2cbv") && error.contains("unpack"),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1);
}
