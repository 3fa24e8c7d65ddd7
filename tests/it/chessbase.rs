//! ChessBase databases read as recorded: headers, moves, variations, texts, whatever files of a
//! set are there.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, fen::Fen};
use tabiya::{
    Database, GameId, Strategy,
    chess::forgiving_position,
    format::{FormatKind, GameHeader},
};

use crate::support::{
    ask,
    game::{Event, PlainGame},
    shared, walk,
};

/// Sets with recorded answers: folder, stem, name of the record.
const RECORDED: [(&str, &str, &str); 6] = [
    ("cb12", "cb12", "cb12"),
    ("text", "text", "text"),
    ("hedgehog", "Hedgehog", "hedgehog"),
    ("cbhlib_test", "cbhlib_test", "cbhlib_test"),
    ("test-annotations", "test-annotations", "test-annotations"),
    ("Mate2", "Mate2", "Mate2"),
];

/// Sets that are whole, with or without recorded answers.
const WHOLE: [&str; 16] = [
    "cb12/cb12",
    "text/text",
    "hedgehog/Hedgehog",
    "linares/linares",
    "cbhlib_test/cbhlib_test",
    "test-annotations/test-annotations",
    "Mate2/Mate2",
    "cbh_test/cbh_test",
    "cbh_cbj_test/cbh_cbj_test",
    "shorter_cbj_test/shorter_cbj_test",
    "cbmplayertest/cbmplayertest",
    "twic1134/twic1134",
    "chesscore-Capa/Capa",
    "chesscore-fob/fob",
    "archives/small/small",
    "uncbv-small/small",
];

fn records(name: &str) -> Option<Vec<Value>> {
    let path = shared::packed(&format!("truth/cbh-{name}.json"))?;
    let recorded: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    Some(recorded["records"].as_array().unwrap().clone())
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or("")
}

/// The moves of the main line and how many there are in all lines, and how many variations.
fn counted(game: &PlainGame) -> (Vec<Option<Move>>, u64, u64) {
    let (mut main, mut plies, mut variations, mut depth) = (Vec::new(), 0, 0, 0);
    for event in &game.events {
        match event {
            Event::Begin => (depth, variations) = (depth + 1, variations + 1),
            Event::End => depth -= 1,
            Event::Play(played) => {
                plies += 1;
                main.extend((depth == 0).then_some(*played));
            }
            Event::Nag(_) | Event::Comment(_) => {}
        }
    }
    (main, plies, variations)
}

fn start_of(game: &PlainGame) -> (Chess, CastlingMode) {
    match &game.start {
        None => (Chess::default(), CastlingMode::Standard),
        Some(setup) => {
            let is_chess960 = game.tags.contains(&("Variant".into(), "Chess960".into()));
            let mode = CastlingMode::from_chess960(is_chess960);
            (forgiving_position(setup.clone(), mode).unwrap(), mode)
        }
    }
}

fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// The position after a null move, which counts as a move.
fn passed(position: &Chess) -> Chess {
    let mut setup = position.to_setup(EnPassantMode::Always);
    setup.halfmoves += 1;
    if setup.turn.is_black() {
        setup.fullmoves = setup.fullmoves.saturating_add(1);
    }
    setup.swap_turn();
    forgiving_position(setup, CastlingMode::Standard).unwrap()
}

/// Compares start, moves, final position and counts with a record; returns what differs.
fn moves_differ(game: &PlainGame, record: &Value) -> Option<String> {
    let (mut position, mode) = start_of(game);
    if fen(&position) != text(record, "start_fen") {
        return Some(format!("start {}", fen(&position)));
    }
    let (main, plies, variations) = counted(game);
    let mut told = Vec::new();
    for played in main {
        told.push(played.map_or("0000".to_owned(), |played| played.to_uci(mode).to_string()));
        position = match played {
            Some(played) if position.is_legal(played) => position.play(played).unwrap(),
            Some(played) => return Some(format!("illegal {played} after {told:?}")),
            None => passed(&position),
        };
    }
    let uci: Vec<&str> = record["uci"]
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    if told != uci {
        return Some(format!("moves {told:?}, expected {uci:?}"));
    }
    if fen(&position) != text(record, "final_fen") {
        return Some(format!("final {}", fen(&position)));
    }
    let expected = (
        record["total_plies"].as_u64()?,
        record["variations"].as_u64()?,
    );
    ((plies, variations) != expected).then(|| format!("{plies} plies, {variations} variations"))
}

/// Returns a name as recorded; a blank one is unknown.
fn name<'r>(record: &'r Value, key: &str) -> &'r str {
    match text(record, key) {
        "" => "?",
        name => name,
    }
}

/// Compares a header and the tags beside it with a record.
fn check_header(header: &GameHeader, tags: &[(String, String)], record: &Value) {
    let tag = |name: &str| {
        let tag = tags.iter().find(|(found, _)| found == name);
        tag.map_or("", |(_, value)| value)
    };
    assert_eq!(header.white, name(record, "white"));
    assert_eq!(header.black, name(record, "black"));
    assert_eq!(header.event, name(record, "event"));
    assert_eq!(header.site, name(record, "site"));
    assert_eq!(header.date.to_string(), text(record, "date"));
    assert_eq!(header.result.as_str(), text(record, "result"));
    let round = match (&record["round"], &record["subround"]) {
        (round, sub) if round == 0 && sub == 0 => "?".to_owned(),
        (round, sub) if sub == 0 => round.to_string(),
        (round, sub) => format!("{round}.{sub}"),
    };
    assert_eq!(header.round, round);
    let rating = |rating: Option<tabiya::format::Rating>| rating.map_or(0, |it| it.value.get());
    assert_eq!(rating(header.white_rating), record["white_elo"]);
    assert_eq!(rating(header.black_rating), record["black_elo"]);
    let eco = header.eco.map_or(String::new(), |eco| eco.to_string());
    assert_eq!(eco, text(record, "eco"));
    assert_eq!(header.event_date.to_string(), text(record, "event_date"));
    assert_eq!(tag("Annotator"), text(record, "annotator"));
    assert_eq!(tag("Source"), text(record, "source"));
    assert_eq!(tag("WhiteTeam"), text(record, "white_team"));
    assert_eq!(tag("BlackTeam"), text(record, "black_team"));
    let deleted = header.marks & 1 << 3 != 0;
    assert_eq!(deleted, record["deleted"]);
}

#[test]
fn every_recorded_game_has_its_headers_moves_variations_and_final_position() {
    for (folder, stem, name) in RECORDED {
        let Some(database) = shared::database(&format!("chessbase/{folder}/{stem}.cbh")) else {
            return;
        };
        let Some(records) = records(name) else {
            return;
        };
        assert_eq!(database.len() as usize, records.len(), "{name}");
        for (game, record) in (0..).map(GameId).zip(&records) {
            let number = game.number_in_part();
            assert_eq!(record["id"], number);
            let plain = PlainGame::read(&database, game);
            let plain = plain.unwrap_or_else(|error| panic!("{name} {number}: {error}"));
            if record["kind"] == "text" {
                check_text(&plain, record);
                continue;
            }
            check_header(&plain.header, &plain.tags, record);
            assert_eq!(moves_differ(&plain, record), None, "{name} {number}");
        }
    }
}

/// A text has its titles, its author, and nothing that games have.
fn check_text(text_told: &PlainGame, record: &Value) {
    let comments = text_told.events.iter().map(|event| match event {
        Event::Comment(text) => text.as_str(),
        other => panic!("a text tells {other:?}"),
    });
    let comments: Vec<&str> = comments.collect();
    for title in record["titles"].as_array().unwrap() {
        assert!(
            comments.contains(&title[1].as_str().unwrap()),
            "{comments:?}"
        );
    }
    let author = text_told.tags.iter().find(|(name, _)| name == "Annotator");
    let author = author.map_or("", |(_, author)| author);
    assert_eq!(author, text(record, "annotator"));
    assert_eq!(text_told.header.event, name(record, "event"));
}

/// Makes a database of one game from its bytes in the games file.
fn of_one_game(folder: &Path, game: &[u8]) -> PathBuf {
    const HEADER_BYTES: usize = 26;
    let mut index = vec![0; 2 * 46];
    index[..10].copy_from_slice(&[0, 0, 44, 0, 46, 1, 0, 0, 0, 2]);
    index[46] = 1;
    index[50] = HEADER_BYTES as u8;
    let games = [&[0; HEADER_BYTES][..], game].concat();
    fs::write(folder.join("one.cbg"), games).unwrap();
    let path = folder.join("one.cbh");
    fs::write(&path, index).unwrap();
    path
}

#[test]
fn recorded_move_streams_of_every_kind_decode() {
    let Some(records) = records("move-bins") else {
        return;
    };
    for record in records {
        let file = text(&record, "file");
        let Some(bytes) = shared::path(&format!("data/chessbase/move-streams/{file}")) else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let path = of_one_game(folder.path(), &fs::read(bytes).unwrap());
        let plain = PlainGame::read(&Database::open(path).unwrap(), GameId(0)).unwrap();
        assert_eq!(moves_differ(&plain, &record), None, "{file}");
    }
}

#[test]
fn every_game_of_every_whole_set_is_legal_and_agrees_with_its_record() {
    for part in WHOLE {
        let Some(database) = shared::database(&format!("chessbase/{part}.cbh")) else {
            return;
        };
        assert_eq!(database.kind(), FormatKind::ChessBase);
        let found = database.verify().unwrap();
        assert_eq!(found.games, u64::from(database.len()), "{part}");
        assert_eq!(found.damaged, 0, "{part}: {:?}", found.damaged_games);
    }
}

#[test]
fn searches_see_the_positions_that_are_told_in_main_lines_and_variations() {
    let Some(database) = shared::database("chessbase/hedgehog/Hedgehog.cbh") else {
        return;
    };
    let mut places = Vec::new();
    for game in database.games() {
        let plain = PlainGame::read(&database, game).unwrap();
        // Texts have no positions.
        let nodes = match plain.header.white.as_str() {
            "?" => Vec::new(),
            _ => walk::positions(&plain),
        };
        let told = nodes.into_iter().map(|node| {
            let fen = format!("{} {}", node.place.board, node.place.turn.char());
            (fen, node.in_main_line)
        });
        places.push((game.number_in_part(), told.collect::<Vec<_>>()));
    }
    let samples = places.iter().flat_map(|(_, told)| told);
    for (sample, _) in samples
        .filter(|(_, in_main_line)| !in_main_line)
        .step_by(499)
    {
        for variations in [false, true] {
            let holds = |told: &[(String, bool)]| {
                let mut told = told.iter();
                told.any(|(fen, in_main_line)| fen == sample && (variations || *in_main_line))
            };
            let expected: Vec<u32> = places
                .iter()
                .filter(|(_, told)| holds(told))
                .map(|(number, _)| *number)
                .collect();
            let query = format!("fen:\"{sample}\"");
            for strategy in [Strategy::Auto, Strategy::FullDecode] {
                let found = ask::numbers(&database, &query, strategy, variations);
                assert_eq!(found, expected, "{query} {variations}");
            }
        }
    }
}

#[test]
fn texts_are_found_by_what_they_say_and_by_nothing_that_games_have() {
    let Some(database) = shared::database("chessbase/text/text.cbh") else {
        return;
    };
    let find = |query: &str| ask::numbers(&database, query, Strategy::Auto, true);
    assert_eq!(find("text:\"deutsch text\""), [2]);
    assert_eq!(find("text:\"bold italics\""), [3]);
    assert_eq!(find("text:bgcolor"), [0; 0]);
    assert_eq!(find("at(Q=1)"), [5]);
}

#[test]
fn any_file_of_a_set_opens_it_and_so_does_its_stem() {
    let Some(folder) = shared::path("data/chessbase/hedgehog") else {
        return;
    };
    for name in [
        "Hedgehog",
        "Hedgehog.cbh",
        "Hedgehog.cbg",
        "Hedgehog.cbp",
        "Hedgehog.cbj",
    ] {
        let database = Database::open(folder.join(name)).unwrap();
        assert_eq!(database.len(), 231, "{name}");
    }
}

#[test]
fn sets_that_lack_files_open_and_say_what_they_lack() {
    let Some(folder) = shared::path("data/chessbase/partial") else {
        return;
    };
    for name in [
        "cbh_only",
        "many_headers",
        "hedgehog_old",
        "World-ch/World-ch",
    ] {
        let database = Database::open(folder.join(name)).unwrap();
        assert!(!database.is_empty(), "{name}");
        let lacking = |suffix: &str| {
            let mut notes = database.notes().iter();
            notes.any(|note| note.to_string().contains(suffix))
        };
        assert!(lacking(".cbg"), "{name}: {:?}", database.notes());
        for game in database.games() {
            database.header(game).unwrap();
            assert!(database.visit(game, &mut PlainGame::default()).is_err());
        }
    }
}
