//! Games that begin as the lines of a file do.

use std::{collections::HashSet, fs};

use shakmaty::Color;
use tabiya::{Database, ErrorKind, Query, Search, Strategy};

use crate::support::{ask, game::PlainGame, naive::Known};

/// Two openings, with a variation, and the first moves of another.
const LINES: &str = "[White \"?\"]

1. e4 e5 2. Nf3 (2. f4 exf4 3. Nf3 g5 4. Bc4) 2... Nc6 3. Bc4 Bc5 *

[White \"?\"]

1. e4 c5 2. Nf3 *
";

type Position = (String, Color);

fn places(known: &Known, main_line: bool) -> Vec<Position> {
    let nodes = known.nodes.iter();
    let nodes = nodes.filter(|node| node.in_main_line || !main_line);
    nodes
        .map(|node| (node.place.board.to_string(), node.place.turn))
        .collect()
}

fn games(database: &Database) -> Vec<Known> {
    let games = database.games();
    games
        .map(|id| Known::new(id, PlainGame::read(database, id).unwrap()))
        .collect()
}

#[test]
fn games_stay_in_a_repertoire_as_they_do_position_by_position() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my lines.pgn");
    fs::write(&file, LINES).unwrap();
    let lines = games(&Database::open(&file).unwrap());
    let known: HashSet<Position> = lines.iter().flat_map(|game| places(game, false)).collect();
    let database = Database::open("fixtures/famous.si4").unwrap();
    let mut found = 0;
    for plies in [1, 2, 3, 4, 5, 6, 16] {
        for (word, side) in [
            ("repertoire", None),
            ("repertoire.white", Some(Color::White)),
            ("repertoire.black", Some(Color::Black)),
        ] {
            let stays = |game: &&Known| {
                let mut first = (1..=plies).zip(places(game, true).into_iter().skip(1));
                first.all(|(_, place)| side == Some(place.1) || known.contains(&place))
            };
            let wanted: Vec<u32> = games(&database)
                .iter()
                .filter(stays)
                .map(|game| game.id.number_in_part())
                .collect();
            let query = format!("{word}:\"{}\" repertoire.plies:{plies}", file.display());
            for strategy in [Strategy::Auto, Strategy::FullDecode] {
                let numbers = ask::numbers(&database, &query, strategy, false);
                assert_eq!(numbers, wanted, "{query}");
            }
            found += wanted.len();
        }
    }
    assert!(found > 50, "{found}");
}

#[test]
fn a_repertoire_that_is_not_there_is_an_error_that_names_it() {
    let query: Query = "repertoire:\"no such file.pgn\"".parse().unwrap();
    assert!(query.names_files());
    let database = Database::open("fixtures/famous.si4").unwrap();
    let error = Search::new(&query).run(&database).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Io { .. }), "{error}");
    assert!(error.to_string().contains("no such file.pgn"), "{error}");
}
