//! Prefilters never change the answer: the index, full decoding and a slow evaluator that
//! shares nothing with them give the same games and the same plies.
//!
//! `TABIYA_AGREE_SEED` and `PROPTEST_CASES` make a run longer or another one.

use std::{fs, num::NonZeroU16, ops::ControlFlow, sync::Arc};

use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use serde_json::Value;
use shakmaty::{Chess, Position, san::San};
use tabiya::{
    Database, GameId, LineEnd, MoveId, OpenOptions, Query, Search, SidecarOptions, Strategy as Way,
    chess::RatingKind,
    convert,
    format::{MontyLayout as Layout, Overwrite, Rating},
    query::table::FIELDS,
};

use crate::program::parts::in_frames;
use crate::support::{
    dice::Dice,
    game::{Event, PlainGame},
    naive::Known,
    pool::{Pool, opened_for, written_as_pgn},
    queries, queries3,
    shared::{self, recorded},
    ways::{agrees, agrees_if_opened_for, agrees_in_parts, compare, run},
};

/// Databases that one test asks.
const POOLS: u64 = 4;
/// Games of one database.
const POOL_GAMES: u32 = 40;
/// Queries put to one database, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 50;

/// Makes a pool by a seed and the number of its games.
type MakePool = fn(u64, u32) -> Pool;

/// Pools in each format of training data.
const TRAINING_POOLS: [MakePool; 5] = [
    |seed, games| Pool::in_monty(seed, games, Layout::Policy),
    |seed, games| Pool::in_monty(seed, games, Layout::Value),
    |seed, games| Pool::in_monty(seed, games, Layout::OldValue),
    Pool::in_stockfish,
    Pool::in_viriformat,
];

/// Reads a number that makes a run another one.
pub(crate) fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Puts random queries to random databases.
fn each_case<S: Strategy<Value = Query>>(
    salt: u64,
    queries: impl Fn(&Arc<Pool>) -> S,
    check: impl Fn(&Pool, &Query) -> Result<(), TestCaseError>,
) {
    for round in 0..POOLS {
        let seed = Dice::new(first_seed() * 1000 + salt * 100 + round).number();
        let pool = Arc::new(Pool::new(seed, POOL_GAMES));
        each_query(&pool, CASES, seed, &queries, &check);
    }
}

fn first_seed() -> u64 {
    number_from("TABIYA_AGREE_SEED").unwrap_or(1)
}

/// Puts random queries to one database; `PROPTEST_CASES` changes how many.
fn each_query<S: Strategy<Value = Query>>(
    pool: &Arc<Pool>,
    cases: u32,
    seed: u64,
    queries: impl Fn(&Arc<Pool>) -> S,
    check: impl Fn(&Pool, &Query) -> Result<(), TestCaseError>,
) {
    let config = Config {
        cases: number_from("PROPTEST_CASES").map_or(cases, |cases| cases as u32),
        failure_persistence: None,
        ..Config::default()
    };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(&queries(pool), |query| check(pool, &query));
    if let Err(failure) = result {
        panic!("database of seed {seed}: {failure}");
    }
}

/// Puts random queries to the games of one database.
pub(crate) fn random_queries(pool: impl Fn(u64, u32) -> Pool, salt: u64) {
    let seed = Dice::new(first_seed() * 1000 + salt).number();
    let pool = Arc::new(pool(seed, POOL_GAMES));
    each_query(&pool, 2 * CASES, seed, queries::query, agrees);
}

#[test]
fn header_clauses_mean_what_the_contract_says() {
    each_case(1, queries::header_query, agrees);
}

#[test]
fn position_clauses_mean_what_the_contract_says() {
    each_case(2, queries::position_query, agrees);
}

/// A sidecar answers most of these alone.
#[test]
fn conditions_on_material_mean_what_the_contract_says() {
    each_case(8, queries::material_query, agrees);
}

#[test]
fn attacks_pins_and_pawns_mean_what_the_contract_says() {
    each_case(9, queries::relation_query, agrees);
}

#[test]
fn similar_positions_are_those_that_the_contract_measures() {
    each_case(10, queries::similar_query, agrees);
}

#[test]
fn paths_mean_what_the_contract_says() {
    each_case(7, queries::path_query, agrees);
}

#[test]
fn any_query_gives_the_same_games_and_plies_by_every_way() {
    each_case(3, queries::query, agrees);
}

/// Groups with branches, sums, the end of a line, its repetitions and counts, moves by what they
/// do, evaluations, speeds, and regular expressions.
#[test]
fn words_of_the_third_part_mean_what_the_contract_says() {
    each_case(11, queries3::word3_query, agrees);
    each_case(12, queries3::position3_query, agrees);
}

#[test]
fn words_of_the_third_part_are_read_from_every_format() {
    let chessbase: MakePool = Pool::in_chessbase;
    let pools = std::iter::once(chessbase).chain(TRAINING_POOLS);
    for (pool, round) in pools.zip(0..) {
        let seed = Dice::new(first_seed() * 1000 + 1300 + round).number();
        let pool = Arc::new(pool(seed, POOL_GAMES / 2));
        each_query(&pool, CASES, seed, queries3::word3_query, agrees);
    }
}

/// What pawns and kings do is seen in the codes of such games before they are decoded.
#[test]
fn chessbase_databases_give_the_same_by_every_way() {
    for round in 0..POOLS {
        let seed = Dice::new(first_seed() * 1000 + 900 + round).number();
        let pool = Arc::new(Pool::in_chessbase(seed, POOL_GAMES));
        each_query(&pool, CASES, seed, queries::position_query, agrees);
        each_query(&pool, CASES, seed, queries::query, agrees);
    }
}

/// What an engine thought is asked like anything else of a position.
#[test]
fn training_data_gives_the_same_by_every_way() {
    for (pool, round) in TRAINING_POOLS.into_iter().zip(0..) {
        let seed = Dice::new(first_seed() * 1000 + 800 + round).number();
        let pool = Arc::new(pool(seed, POOL_GAMES / 2));
        let thinks = |query: &Query| {
            let text = query.to_string();
            let words = ["score", "visits", "eval"];
            words.iter().any(|word| text.contains(word))
        };
        let asks = |pool: &Arc<Pool>| {
            queries::position_query(pool).prop_filter("about engine data", thinks)
        };
        each_query(&pool, CASES, seed, asks, agrees);
        each_query(&pool, CASES / 2, seed, queries::query, agrees);
    }
}

/// What comments tell is asked like anything else of a position, in variations too.
#[test]
fn clocks_and_evaluations_give_the_same_by_every_way() {
    let asks_comments = |query: &Query| {
        let text = query.to_string();
        let words = ["clock", "spent", "eval"];
        words.iter().any(|word| text.contains(word))
    };
    let asks = |pool: &Arc<Pool>| {
        queries::position_query(pool).prop_filter("about comments", asks_comments)
    };
    each_case(9, asks, agrees);
    let seed = Dice::new(first_seed() * 1000 + 950).number();
    let pool = Arc::new(Pool::in_chessbase(seed, POOL_GAMES));
    each_query(&pool, CASES, seed, asks, agrees);
}

/// Whatever the query asks for besides tags is read from the games.
#[test]
fn pgn_of_which_only_tags_were_read_gives_the_same_by_every_way() {
    for round in 0..POOLS {
        let seed = Dice::new(first_seed() * 1000 + 970 + round).number();
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = written_as_pgn(folder.path(), seed, POOL_GAMES);
        let pool = Arc::new(Pool::of_database(opened_for(&path, &Query::All)));
        let check = |pool: &Pool, query: &Query| {
            agrees(pool, query)?;
            agrees_if_opened_for(pool, &opened_for(&path, query), query)
        };
        each_query(&pool, CASES / 2, seed, queries::query, check);
        each_query(&pool, CASES, seed, queries::header_query, check);
        each_query(&pool, CASES, seed, queries::narrowed_query, check);
        each_query(&pool, CASES / 2, seed, queries3::word3_query, check);
    }
}

/// Parts are searched like databases, whether their text is in memory or stays packed.
#[test]
fn packed_pgn_in_parts_gives_the_same_by_every_way() {
    for round in 0..POOLS {
        let seed = Dice::new(first_seed() * 1000 + 990 + round).number();
        let folder = tempfile::tempdir().expect("a folder can be made");
        let plain = written_as_pgn(folder.path(), seed, POOL_GAMES);
        let pool = Arc::new(Pool::of_database(opened_for(&plain, &Query::All)));
        let text = fs::read(&plain).expect("the text can be read");
        let packed = folder.path().join("packed.pgn.zst");
        fs::write(&packed, in_frames(&text, 5000)).expect("the text can be written");
        // Parts of some ten games that have an index, or of fewer.
        let options = OpenOptions::new().unpacked_bytes_max(500);
        let build = SidecarOptions::new().refresh_parts(&packed, &options);
        let built = build.expect("the sidecars can be built");
        assert!(built.parts > 1 && built.games == u64::from(POOL_GAMES));
        let whole = folder.path().join("whole.pgn.zst");
        fs::copy(&packed, &whole).expect("the file can be copied");
        let database = Database::open(&whole).expect("the file can be opened");
        SidecarOptions::new()
            .build(&database)
            .expect("the sidecar can be built");
        let check = |pool: &Pool, query: &Query| {
            for options in [options.clone(), options.clone().sidecar(false)] {
                let parts = options.for_query(query).parts(&packed);
                agrees_in_parts(pool, parts.expect("the file can be opened"), query)?;
            }
            let database = OpenOptions::new().for_query(query).open(&whole);
            let database = database.expect("the file can be opened");
            assert!(database.notes().is_empty());
            agrees_if_opened_for(pool, &database, query)
        };
        each_query(&pool, CASES / 2, seed, queries::query, check);
        each_query(&pool, CASES / 2, seed, queries::header_query, check);
        each_query(&pool, CASES / 2, seed, queries3::word3_query, check);
        // Another format keeps all that is asked of moves and comments.
        let target = folder.path().join("converted.si5");
        let go_on = |_| ControlFlow::Continue(());
        let done = convert(&[packed], &target, Overwrite::Refuse, go_on);
        assert_eq!(done.expect("the games can be converted").skipped, 0);
        let converted = Database::open(&target).expect("the file can be opened");
        let check = |pool: &Pool, query: &Query| agrees_if_opened_for(pool, &converted, query);
        each_query(&pool, CASES / 2, seed, queries::position_query, check);
        each_query(&pool, CASES / 2, seed, queries3::position3_query, check);
    }
}

/// Famous games, with variations and comments.
#[test]
fn famous_games_give_the_same_by_every_way() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/famous.si4");
    let database = Database::open(path).expect("the fixture opens");
    let pool = Arc::new(Pool::of_database(database));
    each_query(&pool, CASES, first_seed(), queries::query, agrees);
}

/// Games made to be hard to read, as Scid wrote them.
#[test]
fn nasty_games_give_the_same_by_every_way() {
    if let Some(database) = shared::database("scid4/edge/edge.si4") {
        let pool = Arc::new(Pool::of_database(database));
        each_query(&pool, CASES / 5, first_seed(), queries::query, agrees);
    }
}

/// Else the other tests would say little.
#[test]
fn many_random_queries_match_some_games_and_not_all() {
    let telling = std::cell::Cell::new(0);
    each_case(6, queries::position_query, |pool, query| {
        let found = run(pool, &Search::new(query), 1).len();
        let tells = (1..pool.games.len()).contains(&found);
        telling.set(telling.get() + u64::from(tells));
        Ok(())
    });
    let cases = POOLS * number_from("PROPTEST_CASES").unwrap_or(CASES.into());
    assert!(
        telling.get() * 3 > cases,
        "only {} of {cases}",
        telling.get()
    );
}

#[test]
fn the_text_of_a_query_means_the_same_as_its_tree() {
    let queries = |pool: &Arc<Pool>| prop_oneof![queries::query(pool), queries3::word3_query(pool)];
    each_case(4, queries, |pool, query| {
        let text = query.to_string();
        let parsed: Query = text
            .parse()
            .map_err(|fault| TestCaseError::fail(format!("{text}: {fault}")))?;
        let (have, want) = (Search::new(&parsed), Search::new(query));
        compare(
            pool,
            query,
            &text,
            &run(pool, &have, 1),
            &run(pool, &want, 1),
        )
    });
}

#[test]
fn limits_counts_and_sinks_tell_of_the_same_matches() {
    each_case(5, queries::query, |pool, query| {
        let search = Search::new(query).variations(true);
        let all = run(pool, &search, 1);
        let count = search
            .count(&pool.database)
            .expect("the search runs")
            .matched;
        prop_assert_eq!(count, all.len() as u64, "{}", query);
        for limit in [0, 1, 2, 7, 1000] {
            let limited = search.clone().limit(limit);
            let first = &all[..all.len().min(limit as usize)];
            compare(pool, query, "limited", &run(pool, &limited, 2), first)?;
            let count = limited
                .count(&pool.database)
                .expect("the search runs")
                .matched;
            prop_assert_eq!(count, first.len() as u64, "{} limit {}", query, limit);
        }
        let mut heard = Vec::new();
        let report = search.for_each(&pool.database, |hit| {
            heard.push(hit);
            if heard.len() < 3 {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        let report = report.expect("the search runs");
        compare(
            pool,
            query,
            "sink that stops",
            &heard,
            &all[..all.len().min(3)],
        )?;
        prop_assert_eq!(report.matched, heard.len() as u64);
        let without = search.clone().plies(false);
        let games: Vec<GameId> = run(pool, &without, 2).iter().map(|hit| hit.game).collect();
        let wanted: Vec<GameId> = all.iter().map(|hit| hit.game).collect();
        prop_assert_eq!(games, wanted, "without plies: {}", query);
        Ok(())
    });
}

/// Whatever is asked, a search ends when it is told to, and says so.
#[test]
fn every_search_that_decodes_stops_when_progress_says_so() {
    let pool = Pool::new(3, POOL_GAMES);
    for text in [
        "text:zzz",
        "tag.Nobody:x",
        "at(N=1) then at(n=1)",
        "path:Nb1-?-?-g3 or text:zzz",
        "not played:Nf3",
    ] {
        let query: Query = text.parse().expect("a query");
        for way in [Way::Auto, Way::FullDecode] {
            let search = Search::new(&query).strategy(way);
            let go_on = |_| ControlFlow::Continue(());
            let mut calls = 0;
            let count = |_| {
                calls += 1;
                ControlFlow::Break(())
            };
            let report = search.on_progress(count).count(&pool.database);
            assert!(report.expect("it runs").stopped_early, "{text}");
            assert_eq!(calls, 1, "{text}");
            let stop = |_| ControlFlow::Break(());
            let report = search.on_progress(stop).for_each(&pool.database, go_on);
            assert!(report.expect("it runs").stopped_early, "{text}");
        }
    }
}

/// The line to every place is that of the tree, in moves and in the position it leads to, and
/// its text finds the position again.
#[test]
fn lines_lead_to_every_place_of_a_game() {
    let seed = Dice::new(first_seed() * 1000 + 8).number();
    let pool = Pool::new(seed, POOL_GAMES);
    for known in &pool.games {
        let line = |end| pool.database.line(known.id, end).expect("a game");
        for (number, node) in (0..).zip(&known.nodes) {
            let line = match MoveId::from_number(number) {
                Some(id) => line(LineEnd::Move(id)),
                None => line(LineEnd::Ply(0)),
            };
            let line = line.expect("such a place");
            assert_eq!(line.end.board, node.place.board);
            assert_eq!(line.end.turn, node.place.turn);
            assert_eq!(line.moves.len(), node.place.ply as usize);
            assert_eq!(line.last, MoveId::from_number(number));
            let played = line.moves.last().and_then(|last| last.played);
            assert_eq!(played, node.moved);
            let again = pool.database.line(known.id, LineEnd::Moves(&line.san()));
            assert_eq!(again.expect("a game").expect("such a line").end, line.end);
        }
        let last = known.nodes.iter().rposition(|node| node.in_main_line);
        let last = &known.nodes[last.expect("a start")].place;
        assert_eq!(line(LineEnd::Last).expect("an end").end.board, last.board);
        let end = line(LineEnd::Ply(last.ply));
        assert_eq!(end, line(LineEnd::Last));
        assert_eq!(line(LineEnd::Ply(last.ply + 1)), None);
        assert_eq!(line(LineEnd::Moves("Kxe8 nonsense")), None);
        let after = MoveId::from_number(known.nodes.len() as u32);
        assert_eq!(after.and_then(|id| line(LineEnd::Move(id))), None);
    }
}

/// Makes a game of moves in SAN.
fn game_of(moves: &str) -> PlainGame {
    let mut position = Chess::default();
    let mut game = PlainGame::default();
    for san in moves.split_whitespace() {
        let san: San = san.parse().expect("a move");
        let played = san.to_move(&position).expect("a legal move");
        position.play_unchecked(played);
        game.events.push(Event::Play(Some(played)));
    }
    game
}

fn found_at(pool: &Pool, query: &str) -> Vec<Option<u32>> {
    let query: Query = query.parse().expect("a query");
    agrees(pool, &query).expect("all ways agree");
    run(pool, &Search::new(&query), 1)
        .iter()
        .map(|hit| hit.ply)
        .collect()
}

/// The run of the middle element went on from its first position, so the third could follow
/// later than at once.
#[test]
fn every_next_of_a_chain_means_the_very_next_position() {
    let pool = Pool::of(vec![game_of("e4 e5 Nf3 Nc6 Bb5")]);
    assert_eq!(found_at(&pool, "ply=0 next N=2 next ply=2"), [Some(2)]);
    assert_eq!(found_at(&pool, "ply=0 next N=2 next ply=3"), []);
    assert_eq!(
        found_at(&pool, "ply=0 next at(N=2 for:2) next ply=3"),
        [Some(3)]
    );
    assert_eq!(found_at(&pool, "ply=0 next at(N=2 for:2) next ply=4"), []);
    assert_eq!(found_at(&pool, "ply=0 next N=2 then ply=4"), [Some(4)]);
}

/// The bound was rounded before it was compared with twice the mean.
#[test]
fn a_mean_rating_of_a_half_lies_between_its_neighbours() {
    let mut game = PlainGame::default();
    let rating = |value| {
        NonZeroU16::new(value).map(|value| Rating {
            value,
            kind: RatingKind::Elo,
        })
    };
    game.header.white_rating = rating(2500);
    game.header.black_rating = rating(2501);
    let pool = Pool::of(vec![game]);
    for holds in [
        "avgelo>2500",
        "avgelo<2501",
        "avgelo!=2500",
        "avgelo:2500..2501",
    ] {
        assert_eq!(found_at(&pool, holds), [None], "{holds}");
    }
    for fails in [
        "avgelo<=2500",
        "avgelo>=2501",
        "avgelo=2500",
        "avgelo:2501..",
    ] {
        assert_eq!(found_at(&pool, fails), [], "{fails}");
    }
}

/// The only condition that the index left open answered for the whole query, ply included.
#[test]
fn what_is_negated_twice_has_no_ply() {
    let pool = Pool::of(vec![game_of("e4 e5"), game_of("d4 d5")]);
    assert_eq!(
        found_at(&pool, "not (not piece:Pe4 or white:nobody)"),
        [None]
    );
    assert_eq!(found_at(&pool, "piece:Pe4 or white:nobody"), [Some(1)]);
    assert_eq!(found_at(&pool, "not (piece:Pe4 or white:nobody)"), [None]);
}

/// The sides were exchanged in the text of the pattern, where wildcards may stand for them.
#[test]
fn wildcards_stand_for_castling_on_the_mirrored_board_too() {
    let pool = Pool::of(vec![game_of("Nf3 d5 g3 g6 Bg2 Bg7 O-O e5 d4 exd4 Nxd4")]);
    assert_eq!(found_at(&pool, "san:\"?-?-?\""), []);
    for pattern in ["?-?-?", "O????", "O-O-O"] {
        let query = format!("at(san:\"{pattern}\" mirror)");
        assert_eq!(found_at(&pool, &query), [Some(7)], "{query}");
    }
    assert_eq!(found_at(&pool, "at(san:\"O-?\" mirror flip)"), [Some(7)]);
}

/// The index stores the number of half-moves modulo 1024.
#[test]
fn very_long_games_have_all_their_half_moves() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ";
    let games = [256, 275, 19].map(|times| game_of(&shuffle.repeat(times)));
    let pool = Pool::of(games.to_vec());
    let numbers = |query: &str| {
        let query: Query = query.parse().expect("a query");
        agrees(&pool, &query).expect("all ways agree");
        let found = run(&pool, &Search::new(&query), 1);
        found
            .iter()
            .map(|hit| hit.game.number_in_part())
            .collect::<Vec<u32>>()
    };
    assert_eq!(numbers("plies=1024"), [1]);
    assert_eq!(numbers("plies=1100"), [2]);
    assert_eq!(numbers("plies=76"), [3]);
    assert!(numbers("plies=0").is_empty());
    assert_eq!(numbers("moves>=512"), [1, 2]);
    assert_eq!(numbers("ply=1100"), [2]);
    assert_eq!(numbers("at(ply>=1000 piece:Nf3)"), [1, 2]);
    assert_eq!(numbers("move=551"), [2]);
}

/// The types of words may grow, so the compiler does not demand their arms of it.
#[test]
fn the_slow_evaluator_knows_every_field() {
    let pool = Pool::new(first_seed(), 10);
    // These read files, see `repertoire`.
    let fields = FIELDS
        .iter()
        .filter(|field| !field.example.contains("repertoire"));
    for field in fields {
        let alone = field.is_bare().then(|| field.name.parse::<Query>());
        let queries = [field.example.parse::<Query>()].into_iter().chain(alone);
        for query in queries.flatten() {
            pool.games.iter().for_each(|game| {
                let _ = game.find(&query, false);
            });
        }
    }
}

/// What is compared with the slow evaluator is worth as much as its own answers.
#[test]
fn the_slow_evaluator_gives_the_recorded_answers() {
    let Some(recorded) = recorded::answers("truth/words3-dev.json") else {
        return;
    };
    let mut faults = Vec::new();
    for (name, most) in [
        ("cases", u32::MAX),
        ("lichess", u32::MAX),
        ("edge", u32::MAX),
        ("res", u32::MAX),
        ("annotated", 300),
    ] {
        let file = recorded["files"][name].as_str().expect("a path");
        let Some(database) = shared::database(file) else {
            continue;
        };
        let games = database.games().take(most as usize);
        let games = games.map(|id| {
            let game = PlainGame::read(&database, id).expect("a game");
            Known::new(id, game)
        });
        let games: Vec<Known> = games.collect();
        let cases = recorded[name].as_array().expect("cases").iter();
        for case in cases {
            let text = case["query"].as_str().expect("a query");
            if text.contains("number:1..1500") {
                continue;
            }
            let query: Query = text.parse().expect("a query");
            let variations = case.get("options").is_some();
            let found = games.iter().filter_map(|known| {
                let spot = known.find(&query, variations)?;
                Some((known.id.number_in_part(), spot.map(|spot| spot.0)))
            });
            let (numbers, plies): (Vec<u32>, Vec<Option<u32>>) = found.unzip();
            if Value::from(numbers.clone()) != case["games"] {
                faults.push(format!(
                    "{name}: {text}: {numbers:?}, not {}",
                    case["games"]
                ));
            } else if case
                .get("ply")
                .is_some_and(|ply| *ply != Value::from(plies.clone()))
            {
                faults.push(format!(
                    "{name}: {text}: plies {plies:?}, not {}",
                    case["ply"]
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
