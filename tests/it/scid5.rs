//! Scid 5 databases read, answer and are written as Scid does it.

use std::{fs, path::Path};

use tabiya::{Database, Error, FormatKind, GameId, Parts, Query, Search, Strategy};
use tabiya_formats::{
    Encode,
    scid4::{Edition, Encoder, Writer},
};

use crate::{
    conformance::{recorded_answers_are_given, soundness},
    harm::any_harm_is_survived,
    round_trip::convert,
    support::{
        dice::Dice,
        game::{Event, PlainGame},
        pool::random_game,
        shared,
    },
};

fn annotated() -> Option<Database> {
    shared::packed_database("scid5/annotated/annotated.si5")
}

fn count(database: &Database, query: &str) -> u64 {
    let query: Query = query.parse().unwrap();
    let count = |strategy| {
        let search = Search::new(&query).strategy(strategy);
        search.count(database).unwrap().matched
    };
    assert_eq!(
        count(Strategy::Auto),
        count(Strategy::FullDecode),
        "{query}"
    );
    count(Strategy::Auto)
}

fn read(database: &Database, game: u32) -> PlainGame {
    PlainGame::read(database, GameId(game)).unwrap()
}

#[test]
fn every_game_of_the_databases_is_sound() {
    if let Some(club) = shared::database("scid5/edge/res5.si5") {
        assert_eq!(soundness(&club, "res5", 1339), (108_604, 108_805));
        assert_eq!(club.description(), "hello world");
    }
    if let Some(chess960) = shared::database("scid5/tcec-frc/tcec-frc.si5") {
        assert_eq!(soundness(&chess960, "tcec-frc", 5362), (705_980, 705_980));
        assert_eq!(chess960.kind(), FormatKind::Scid5);
    }
    if let Some(annotated) = annotated() {
        assert_eq!(soundness(&annotated, "annotated", 8620), (529_155, 771_174));
    }
}

#[test]
fn the_same_games_read_the_same_from_si4_and_from_si5() {
    let pairs = [
        (
            shared::database("scid4/res/res_database.si4"),
            shared::database("scid5/edge/res5.si5"),
        ),
        (
            shared::database("scid4/annotated/annotated.si4"),
            annotated(),
        ),
    ];
    for (same_importer, pair) in [true, false].into_iter().zip(pairs) {
        let (Some(old), Some(new)) = pair else {
            continue;
        };
        assert_eq!(old.len(), new.len());
        for game in 0..new.len() {
            let (mut old_game, mut new_game) = (read(&old, game), read(&new, game));
            // Dates of events far from their games' are in no `.si4`.
            if old_game.header.event_date.is_unknown() {
                new_game.header.event_date = old_game.header.event_date;
            }
            // Dates written as none should be are read in two ways by two importers.
            if !same_importer {
                new_game.header.date = old_game.header.date;
            }
            // One importer has kept the line breaks of comments, the other has not.
            for game in [&mut old_game, &mut new_game] {
                for event in &mut game.events {
                    if let Event::Comment(text) = event {
                        text.retain(|letter| !letter.is_whitespace());
                    }
                }
            }
            assert!(old_game == new_game, "game {}", game + 1);
            let facts = |database: &Database| {
                let mut facts = database.facts(GameId(game)).unwrap();
                (facts.offset_bytes, facts.length_bytes) = (0, 0);
                facts
            };
            assert_eq!(facts(&old), facts(&new), "game {}", game + 1);
        }
    }
}

#[test]
fn the_same_games_give_the_recorded_answers_from_si5() {
    if let Some(club) = shared::database("scid5/edge/res5.si5") {
        assert!(recorded_answers_are_given("res", &club, |_| true) > 40);
    }
    if let Some(edge) = shared::path("data/scid4/edge/edge.si4") {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("edge.si5");
        assert_eq!(convert(&edge, &copy).skipped, 0);
        let copy = Database::open(copy).unwrap();
        assert!(recorded_answers_are_given("edge", &copy, |_| true) > 40);
    }
}

/// Converts a database to `.si5`; all three files must come out as they went in.
fn comes_back_identical(original: &Path, by_way_of: Option<&str>) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.si5");
    match by_way_of {
        None => assert_eq!(convert(original, &copy).skipped, 0),
        Some(name) => {
            let between = folder.path().join(name);
            assert_eq!(convert(original, &between).skipped, 0);
            assert_eq!(convert(&between, &copy).skipped, 0);
        }
    }
    for suffix in ["si5", "sg5", "sn5"] {
        let bytes = |path: &Path| fs::read(path.with_extension(suffix)).unwrap();
        let is_same = bytes(original) == bytes(&copy);
        assert!(is_same, "{} by {by_way_of:?}", original.display());
    }
}

#[test]
fn databases_written_anew_are_those_of_scid_byte_for_byte() {
    let files = [
        shared::path("data/scid5/tcec-frc/tcec-frc.si5"),
        shared::packed("scid5/annotated/annotated.si5"),
    ];
    for file in files.into_iter().flatten() {
        comes_back_identical(&file, None);
        comes_back_identical(&file, Some("a.pgn"));
    }
}

#[test]
fn games_of_chess960_are_found_whatever_their_array() {
    let Some(chess960) = shared::database("scid5/tcec-frc/tcec-frc.si5") else {
        return;
    };
    assert_eq!(count(&chess960, "start:chess960"), 5362);
    assert_eq!(count(&chess960, "start!=chess960"), 0);
    assert_eq!(count(&chess960, "start:custom"), 5362);
    assert_eq!(count(&chess960, "start:chess960 start:standard"), 0);
}

/// King and rook change places, stand still, and pass each other.
const CASTLING: [(&str, &str, &str); 3] = [
    ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "O-O", "5RK1"),
    ("4k3/8/8/8/8/8/8/6KR w K - 0 1", "O-O", "5RK1"),
    ("4k3/8/8/8/8/8/8/1R1K4 w Q - 0 1", "O-O-O", "2KR4"),
];

#[test]
fn castling_of_chess960_keeps_every_man_in_place() {
    for (fen, san, rank) in CASTLING {
        let folder = tempfile::tempdir().unwrap();
        let (pgn, database) = (folder.path().join("a.pgn"), folder.path().join("a.si5"));
        let text =
            format!("[Variant \"Chess960\"]\n[FEN \"{fen}\"]\n\n1. {san} Ke7 (1... Ke7) *\n");
        fs::write(&pgn, text).unwrap();
        assert_eq!(convert(&pgn, &database).games, 1);
        let database = Database::open(database).unwrap();
        for query in [
            format!("fen:\"4k3/8/8/8/8/8/8/{rank} b\""),
            format!("fen:\"8/4k3/8/8/8/8/8/{rank} w\""),
            format!("san:{san}"),
            "start:chess960 at(R=1 ply:2)".to_owned(),
        ] {
            assert_eq!(count(&database, &query), 1, "{fen}: {query}");
        }
        let verified = database.verify().unwrap();
        assert_eq!((verified.damaged, verified.all_moves), (0, 3), "{fen}");
    }
}

fn small() -> Parts {
    let mut dice = Dice::new(7);
    let mut writer = Writer::in_memory(Edition::Si5).unwrap();
    let mut encoder = Encoder::with_edition(Edition::Si5);
    while writer.game_count() < 3 {
        let game = random_game(&mut dice);
        if (5..40).contains(&game.events.len()) {
            encoder.begin(&game.header);
            let _ = game.tell(&mut encoder);
            writer.append(&encoder.finish().unwrap()).unwrap();
        }
    }
    writer.finish_in_memory().unwrap().0
}

#[test]
fn any_harm_to_a_scid_5_database_is_survived() {
    any_harm_is_survived(&small());
}

#[test]
fn an_index_that_ends_inside_a_record_keeps_the_games_before() {
    let mut parts = small();
    parts.index.truncate(2 * 56 + 9);
    let database = Database::from_bytes(parts).unwrap();
    assert_eq!((database.len(), database.notes().len()), (2, 1));
    assert_eq!(database.notes()[0].offset(), Some(2 * 56 + 9));
}

#[test]
fn a_database_opens_by_any_of_its_files_and_by_their_stem() {
    let folder = tempfile::tempdir().unwrap();
    let parts = small();
    let stem = folder.path().join("a.b");
    let path = |suffix: &str| folder.path().join(format!("a.b.{suffix}"));
    fs::write(path("si5"), &parts.index).unwrap();
    fs::write(path("sg5"), parts.games.unwrap()).unwrap();
    fs::write(path("sn5"), parts.names.unwrap()).unwrap();
    for path in [path("si5"), path("sg5"), path("sn5"), stem] {
        let database = Database::open(path).unwrap();
        assert_eq!((database.len(), database.kind()), (3, FormatKind::Scid5));
        assert!(database.notes().is_empty());
    }
    fs::remove_file(path("sn5")).unwrap();
    let database = Database::open(path("si5")).unwrap();
    assert_eq!(database.notes().len(), 1);
    assert_eq!(database.header(GameId(0)).unwrap().white, "?");
}

#[test]
fn a_game_encoded_for_one_edition_is_refused_by_the_other() {
    let mut encoder = Encoder::with_edition(Edition::Si5);
    encoder.begin(&Default::default());
    let game = encoder.finish().unwrap();
    let refused: Error = Writer::in_memory(Edition::Si4)
        .unwrap()
        .append(&game)
        .unwrap_err();
    assert_eq!(refused.game(), Some(1));
}
