//! Similar positions: the recorded answers, and the lists of a full scan.

use std::{fs, slice};

use serde_json::Value;
use shakmaty::Board;
use tabiya::{
    ConvertOptions, Database, Flow, GameId, Query, Search, Sidecar, Similar, SimilarGame, Strategy,
};

use crate::{
    agree::number_from,
    support::{ask, conditions::similarity, dice::Dice, game::PlainGame, naive::Known, shared},
};

fn listed(similar: Similar, database: &Database) -> Vec<SimilarGame> {
    similar.run(database).unwrap().0
}

/// Compares the first games of all with a list, most similar first.
fn all_games(database: &Database) -> Vec<Known> {
    let games = database.games();
    games
        .map(|id| Known::new(id, PlainGame::read(database, id).unwrap()))
        .collect()
}

/// The most similar position of each game to one of some, the games in the order of the list.
fn scanned(games: &[Known], boards: &[Board]) -> Vec<(GameId, f64, u32)> {
    let best = |known: &Known| {
        let mut best = (known.id, -1.0, 0);
        for node in known.nodes.iter().filter(|node| node.in_main_line) {
            let all = boards
                .iter()
                .map(|board| similarity(board, &node.place.board));
            let like = all.fold(0.0, f64::max);
            if like > best.1 + 1e-9 {
                best = (known.id, like, node.place.ply);
            }
        }
        best
    };
    let mut all: Vec<_> = games.iter().map(best).collect();
    all.sort_by(|one, other| {
        let (one, other) = ((one.1 * 1e9).round() as i64, (other.1 * 1e9).round() as i64);
        other.cmp(&one)
    });
    all
}

/// Returns a position with those that `flip` and `mirror` make of it.
fn images(board: &Board, flip: bool, mirror: bool) -> Vec<Board> {
    let mut all = vec![board.clone()];
    if flip {
        let mut other = board.clone();
        other.flip_vertical();
        other.swap_colors();
        all.push(other);
    }
    if mirror {
        all.extend(all.clone().into_iter().map(|mut other| {
            other.flip_horizontal();
            other
        }));
    }
    all
}

fn similar_to(board: &Board, flip: bool, mirror: bool) -> Query {
    let modifiers = [(flip, "flip"), (mirror, "mirror")];
    let modifiers = modifiers.map(|(is_set, word)| if is_set { word } else { "" });
    ask::query(&format!(
        "at(similar:\"{board}\">=0 {})",
        modifiers.join(" ")
    ))
}

/// Compares a list with the first games of a full scan.
fn assert_scanned(listed: &[SimilarGame], games: &[Known], boards: &[Board], limit: u64) {
    let scanned = scanned(games, boards);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    assert_eq!(listed.len(), limit.min(scanned.len()));
    for (listed, (game, like, ply)) in listed.iter().zip(scanned) {
        assert_eq!((listed.game, listed.ply), (game, ply), "{boards:?}");
        assert!((listed.similarity - like).abs() < 1e-9, "{boards:?}");
    }
}

#[test]
fn the_most_similar_games_are_those_of_a_full_scan() {
    let database = Database::open("fixtures/famous.si4").unwrap();
    let games = all_games(&database);
    let mut dice = Dice::new(7);
    for round in 0..60 {
        let nodes = &games[dice.below(games.len())].nodes;
        let board = nodes[dice.below(nodes.len())].place.board.clone();
        let limit = [1, 3, 10, u64::MAX][round % 4];
        let (flip, mirror) = (dice.below(2) == 0, dice.below(2) == 0);
        let query = similar_to(&board, flip, mirror);
        let similar = Similar::of_query(&query).unwrap().limit(limit);
        let listed = listed(similar, &database);
        assert_scanned(&listed, &games, &images(&board, flip, mirror), limit);
    }
}

#[test]
fn with_a_sidecar_fewer_games_are_played_and_the_list_is_that_of_a_full_scan() {
    let Some(source) = shared::path("data/scid4/res/res_database.si4") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("res.si4");
    tabiya::convert(&[source], &copy, ConvertOptions::default(), &mut |_| {
        Flow::Continue(())
    })
    .unwrap();
    Sidecar::build(&Database::open(&copy).unwrap()).unwrap();
    let database = Database::open(&copy).unwrap();
    assert!(database.sidecar().is_some());
    let games = all_games(&database);
    let mut dice = Dice::new(11);
    let (mut left_out, mut found_at_once) = (0, 0);
    // `PROPTEST_CASES` asks for more positions.
    for round in 0..number_from("PROPTEST_CASES").unwrap_or(12) {
        let nodes = &games[dice.below(games.len())].nodes;
        // Early positions are those of many games.
        let last = [nodes.len(), nodes.len().min(5)][round as usize % 2];
        let board = nodes[dice.below(last)].place.board.clone();
        let limit = [50, 3, 1][round as usize % 3];
        let similar = Similar::new(board.clone()).limit(limit);
        let (listed, report) = similar.run(&database).unwrap();
        left_out += games.len() as u64 - report.decoded;
        found_at_once += u64::from(report.decoded == limit);
        assert_scanned(&listed, &games, slice::from_ref(&board), limit);
        if round % 3 != 1 {
            continue;
        }
        let query = similar_to(&board, true, round % 2 == 0);
        let similar = Similar::of_query(&query).unwrap().query(&Query::All);
        let (listed, _) = similar.limit(limit).run(&database).unwrap();
        let images = images(&board, true, round % 2 == 0);
        assert_scanned(&listed, &games, &images, limit);
    }
    assert!(left_out > 0 && found_at_once > 0);
}

#[test]
fn similar_games_of_a_query_are_those_that_match_it() {
    let database = Database::open("fixtures/famous.si4").unwrap();
    let fen = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R";
    let among: Query = "result:1-0".parse().unwrap();
    let listed = listed(Similar::from_fen(fen).unwrap().query(&among), &database);
    let mut games: Vec<u32> = listed
        .iter()
        .map(|game| game.game.number_in_part())
        .collect();
    games.sort_unstable();
    let wanted = ask::numbers(&database, "result:1-0", Strategy::FullDecode, false);
    assert_eq!(games, wanted);
}

#[test]
fn a_query_with_one_similar_condition_sorts_by_it() {
    let fen = "similar:\"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R\"";
    assert!(Similar::of_query(&ask::query("white:morphy")).is_none());
    assert!(Similar::of_query(&ask::query(&format!("{fen} or {fen}>=0.9"))).is_none());
    let database = Database::open("fixtures/famous.si4").unwrap();
    let query = format!("at({fen}>=0.6 flip) result:1-0");
    let listed = listed(Similar::of_query(&ask::query(&query)).unwrap(), &database);
    let mut games: Vec<u32> = listed
        .iter()
        .map(|game| game.game.number_in_part())
        .collect();
    games.sort_unstable();
    assert_eq!(
        games,
        ask::numbers(&database, &query, Strategy::Auto, false)
    );
    assert!(
        listed
            .windows(2)
            .all(|two| two[0].similarity >= two[1].similarity - 1e-9)
    );
    assert!(listed.iter().all(|game| game.similarity >= 0.6 - 1e-9));
}

#[test]
fn similar_positions_give_the_recorded_answers() {
    let Some(file) = shared::packed("truth/similar-dev.json") else {
        return;
    };
    let Some(database) = shared::database("scid4/res/res_database.si4") else {
        return;
    };
    let recorded: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    for case in recorded["like"].as_array().unwrap() {
        let fen = case["fen"].as_str().unwrap();
        let top = case["top"].as_array().unwrap();
        let similar = Similar::from_fen(fen).unwrap().limit(top.len() as u64);
        let listed: Vec<Value> = listed(similar, &database)
            .iter()
            .map(|game| {
                let like = format!("{:.6}", game.similarity);
                serde_json::json!([game.game.number_in_part(), like, game.ply])
            })
            .collect();
        assert_eq!(&listed, top, "{fen}");
    }
    for case in recorded["queries"].as_array().unwrap() {
        let text = case["query"].as_str().unwrap();
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let query = ask::query(text);
            let found = Search::new(&query)
                .strategy(strategy)
                .run(&database)
                .unwrap();
            let games: Vec<u32> = found.iter().map(|hit| hit.game.number_in_part()).collect();
            let plies: Vec<u32> = found.iter().filter_map(|hit| hit.ply).collect();
            assert_eq!(serde_json::json!(games), case["games"], "{text}");
            assert_eq!(serde_json::json!(plies), case["ply"], "{text}");
        }
    }
}
