//! Real databases read and answer as the programs that made them say.

use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::Value;
use tabiya::{Database, Error, GameId, Match, Search, Strategy};

use crate::support::{ask, game::PlainGame, naive::Known, shared};

static THREADS: LazyLock<[ThreadPool; 2]> = LazyLock::new(|| {
    [1, 2].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be had")
    })
});

fn numbers(hits: &[Match]) -> Vec<u32> {
    hits.iter().map(|hit| hit.game.number_in_part()).collect()
}

fn search(database: &Database, query: &str) -> Vec<u32> {
    ask::numbers(database, query, Strategy::Auto, false)
}

// ---- recorded answers ----

/// One recorded answer.
#[derive(Debug)]
pub(crate) struct Case {
    database: String,
    pub(crate) query: String,
    pub(crate) variations: bool,
    pub(crate) games: Vec<u32>,
}

/// Returns the answers that are recorded about a database.
pub(crate) fn cases(database: &str) -> Option<Vec<Case>> {
    let text = std::fs::read_to_string(shared::path("truth/scid-dev.jsonl")?);
    let text = text.expect("the recorded answers can be read");
    let cases = text.lines().map(|line| {
        let case: Value = serde_json::from_str(line).expect("a recorded answer is JSON");
        let games = case["games"].as_array().expect("games").iter();
        let arguments = case["args"].as_array().expect("arguments");
        Case {
            database: case["db"].as_str().expect("a database").to_owned(),
            query: case["query"].as_str().expect("a query").to_owned(),
            variations: arguments.iter().any(|argument| argument == "--variations"),
            games: games
                .map(|game| game.as_u64().expect("a number") as u32)
                .collect(),
        }
    });
    Some(cases.filter(|case| case.database == database).collect())
}

/// Returns a database's path below the shared data.
pub(crate) fn path_of(name: &str) -> &'static str {
    match name {
        "res" => "scid4/res/res_database.si4",
        _ => "scid4/edge/edge.si4",
    }
}

/// What Scid gets wrong: with `flip` the difference stays White minus Black, where everything
/// should swap. See `the_difference_swaps_sides_with_the_colours`.
pub(crate) fn is_defect(case: &Case) -> bool {
    case.query.contains("diff:1..40 flip")
}

/// Asks a database with the games of a recorded one what can be asked of it. Returns how many
/// cases that were.
pub(crate) fn recorded_answers_are_given(
    name: &str,
    database: &Database,
    can_be_asked: impl Fn(&str) -> bool,
) -> usize {
    let mut cases = cases(name).unwrap_or_default();
    cases.retain(|case| !is_defect(case) && can_be_asked(&case.query));
    for case in &cases {
        let query = ask::query(&case.query);
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            for threads in &*THREADS {
                let search = Search::new(&query)
                    .strategy(strategy)
                    .variations(case.variations);
                let found = threads.install(|| search.run(database));
                let found = found.unwrap_or_else(|error| panic!("{case:?}: {error}"));
                assert_eq!(
                    numbers(found.as_slice()),
                    case.games,
                    "{strategy:?} {}",
                    case.query
                );
                assert_eq!(found.report().damaged, 0, "{}", case.query);
            }
        }
    }
    cases.len()
}

#[test]
fn the_club_database_gives_the_recorded_answers() {
    if let Some(database) = shared::database(path_of("res")) {
        assert!(recorded_answers_are_given("res", &database, |_| true) > 40);
    }
}

#[test]
fn the_nasty_games_give_the_recorded_answers() {
    if let Some(database) = shared::database(path_of("edge")) {
        assert!(recorded_answers_are_given("edge", &database, |_| true) > 40);
    }
}

#[test]
fn the_difference_swaps_sides_with_the_colours() {
    let (Some(cases), Some(database)) = (cases("edge"), shared::database(path_of("edge"))) else {
        return;
    };
    let defects: Vec<&Case> = cases.iter().filter(|case| is_defect(case)).collect();
    let [case] = defects.as_slice() else {
        panic!(
            "one case is recorded with the defect, not {}",
            defects.len()
        );
    };
    // By the contract: Black may be ahead by so much, with White's and Black's men swapped.
    assert_eq!(search(&database, &case.query).len(), 59);
    // What is recorded: the men are swapped, and still White is ahead.
    let plain = case.query.replace(" flip", "");
    let swapped = plain
        .replace("R:2..2", "R:1..1")
        .replace("r:1..1", "r:2..2");
    assert_ne!(plain, swapped);
    assert_eq!(
        search(&database, &format!("{plain} or {swapped}")),
        case.games
    );
}

/// What the random tests compare the engine with gives the recorded answers too.
#[test]
fn the_slow_evaluator_gives_the_recorded_answers() {
    let (Some(cases), Some(database)) = (cases("edge"), shared::database(path_of("edge"))) else {
        return;
    };
    let known: Vec<Known> = (0..database.len())
        .map(|id| Known::new(GameId(id), read(&database, GameId(id))))
        .collect();
    for case in cases.iter().filter(|case| !is_defect(case)) {
        let query = ask::query(&case.query);
        let matches = |known: &&Known| known.find(&query, case.variations).is_some();
        let found: Vec<u32> = known
            .iter()
            .filter(matches)
            .map(|game| game.id.number_in_part())
            .collect();
        assert_eq!(found, case.games, "{}", case.query);
    }
}

// ---- whole databases ----

fn read(database: &Database, game: GameId) -> PlainGame {
    PlainGame::read(database, game)
        .unwrap_or_else(|error| panic!("{}: {error}", database.path().display()))
}

/// Reads every game in every way, verifies the database; returns the half-moves of the main
/// lines and of all lines.
fn is_sound(part: &str, games: u32) -> Option<(u64, u64)> {
    shared::database(part).map(|database| soundness(&database, part, games))
}

/// As [`is_sound`].
pub(crate) fn soundness(database: &Database, part: &str, games: u32) -> (u64, u64) {
    assert_eq!(database.len(), games, "{part}");
    assert!(
        database.notes().is_empty(),
        "{part}: {:?}",
        database.notes()
    );
    for id in 0..database.len() {
        read(database, GameId(id));
    }
    let verified = database.verify().expect("verified");
    assert_eq!(verified.games, u64::from(games));
    assert_eq!(
        verified.damaged,
        0,
        "{part}: {:?}",
        verified.damaged_games.first()
    );
    (verified.main_line_moves, verified.all_moves)
}

#[test]
fn every_game_of_the_small_databases_is_sound() {
    let sound = [
        ("scid4/res/res_database.si4", 1339, Some((108_604, 108_805))),
        ("scid4/edge/edge.si4", 380, None),
        ("scid4/five/five.si4", 5, None),
        ("scid4/older-writers/v452-edge.si4", 382, None),
        (
            "scid4/older-writers/v464-res.si4",
            1339,
            Some((108_604, 108_805)),
        ),
    ];
    for (part, games, moves) in sound {
        let counted = is_sound(part, games);
        if moves.is_some() && counted.is_some() {
            assert_eq!(counted, moves, "{part}");
        }
    }
    if let Some((_, all)) = is_sound("scid4/edge/edge.si4", 380) {
        assert_eq!(all, 56_489);
    }
}

#[test]
fn every_annotated_game_is_sound() {
    is_sound("scid4/annotated/annotated.si4", 8620);
}

/// Games of which the index itself is wrong: the half-moves of games 2 and 8 of one collection,
/// and the four queens of its game 621, which once overflowed the two bits of their number.
fn wrong_in_the_index(name: &str) -> &'static [u32] {
    match name {
        "matein1" => &[2, 8, 621],
        _ => &[],
    }
}

#[test]
fn collections_read_the_same_from_si3_and_from_si4() {
    let mut compared = 0;
    for name in ["endings", "matein1", "matein4andmore", "tactics"] {
        let old = shared::database(&format!("scid4/problems-si3/{name}.si3"));
        let new = shared::database(&format!("scid4/problems/{name}.si4"));
        let (Some(old), Some(new)) = (old, new) else {
            return;
        };
        assert_eq!(old.len(), new.len(), "{name}");
        for id in new.games() {
            assert_eq!(
                read(&old, id),
                read(&new, id),
                "{name} {}",
                id.number_in_part()
            );
            let (old, new) = (old.facts(id).expect("facts"), new.facts(id).expect("facts"));
            assert_eq!(old, new, "{name} {}", id.number_in_part());
            compared += 1;
        }
        for database in [&old, &new] {
            assert!(database.notes().is_empty(), "{:?}", database.notes());
            let verified = database.verify();
            let verified = verified.expect("verified");
            let damaged = verified.damaged_games.iter().filter_map(Error::game);
            let damaged: Vec<u32> = damaged.collect();
            assert_eq!(damaged, wrong_in_the_index(name), "{name}: {verified:?}");
        }
    }
    assert!(compared > 4000, "{compared} games");
}

// ---- the large database ----

/// Header queries and how many of the 1 179 620 games match, as Scid counts.
const HEADER_COUNTS: [(&str, usize); 7] = [
    ("eco:B90..B99 result:1-0", 12_249),
    ("elo>=2600", 40_823),
    ("flag:promotion", 53_993),
    ("plies:20..40", 97_521),
    ("date:2000.01.01..2005", 264_959),
    ("eco:B90..B99 result:1-0 not result:1-0", 0),
    ("", 1_179_620),
];

/// Positions, and how many games have them, as Scid counts.
pub(crate) const POSITION_COUNTS: [(&str, usize); 14] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w", 1_179_500),
    ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b", 504_583),
    ("rnbqkbnr/ppppppp1/8/7p/P7/8/1PPPPPPP/RNBQKBNR w", 0),
    (
        "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w",
        45_500,
    ),
    (
        "rnbqkb1r/ppp2ppp/4pn2/3p2B1/2PP4/2N5/PP2PPPP/R2QKBNR b",
        1386,
    ),
    (
        "rnbq1rk1/ppp2pbp/3p1np1/4p3/2PPP3/2N2N2/PP2BPPP/R1BQK2R w",
        26_412,
    ),
    (
        "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N2/PP1P1PPP/RNBQR1K1 w",
        12_344,
    ),
    (
        "r1bq1rk1/pp1nbppp/2p1pn2/3p2B1/2PP4/2N1PN2/PPQ2PPP/3RKB1R b",
        327,
    ),
    (
        "rnbqkb1r/1p3ppp/p3pn2/3P4/3N2P1/2N4P/PPP2P2/R1BQKB1R b",
        285,
    ),
    (
        "2r1r1k1/pb1q1ppp/5n2/1p1p4/2pPP3/1Pb3P1/P2N1PBP/2RQR1K1 w",
        1,
    ),
    ("r1bq1r1b/pp3pkP/2pp1np1/3Pp1N1/2P1P1PR/2N5/PP6/R1BQK3 b", 1),
    ("8/8/8/4k1p1/1p2P3/2r5/2PKR1P1/8 b", 1),
    ("8/8/1B6/p3p1b1/1p6/2kP4/P3K3/8 b", 1),
    ("8/8/8/8/8/1kbK4/8/R7 b", 1),
];

/// Conditions on positions and how many games match, as Scid counts. Many games are decoded
/// for them. `standard`: Scid's prefilter wrongly drops every game with its own start position
/// when a pawn must be absent, so those games are left out.
const PATTERN_COUNTS: [(&str, usize); 16] = [
    (
        "at(Q=0 R=0 B=0 N=0 q=0 r=0 b=0 n=0 P:1..8 p:1..8 ply:1..)",
        25_709,
    ),
    ("at(Q=0 q=0 R=1 r=1 B=0 N=0 b=0 n=0 ply:1..)", 113_366),
    ("at(material:KRPvKR flip ply:1..)", 14_896),
    (
        "at(Q=0 q=0 R=0 r=0 N=0 n=0 B=1 b=1 bishops:opposite ply:1..)",
        17_479,
    ),
    ("at(material:KvK ply:1..)", 2518),
    (
        "at(P:1..8 piece:P@d not piece:P@c not piece:P@e ply:1.. <=2) standard",
        317_171,
    ),
    (
        "at(P:2..7 p:1..7 piece:Pc4 piece:Pe4 piece:p@d not piece:P@d not piece:p@c \
         not piece:pd5 ply:1.. <=2) standard",
        68_098,
    ),
    ("at(piece:Kc1 piece:kg8 ply:1.. <=2)", 75_758),
    ("pawns qgd", 28_631),
    ("files qgd", 1_179_479),
    ("pawns keres", 313),
    ("files keres", 12_348),
    ("material keres", 176_528),
    ("pawns krpp", 5),
    ("files krpp", 64),
    ("material krpp", 16_936),
];

/// Writes out what is short in [`PATTERN_COUNTS`].
fn written_out(pattern: &str) -> String {
    let board = |name| match name {
        "qgd" => (
            "r1bq1rk1/pp1nbppp/2p1pn2/3p2B1/2PP4/2N1PN2/PPQ2PPP/3RKB1R",
            "black",
        ),
        "keres" => (
            "rnbqkb1r/1p3ppp/p3pn2/3P4/3N2P1/2N4P/PPP2P2/R1BQKB1R",
            "black",
        ),
        _ => ("7r/8/8/7K/1p5P/1P3R2/1k6/8", "white"),
    };
    match pattern.split_once(' ') {
        Some(("material", name)) => {
            let (board, turn) = board(name);
            format!("at(material:\"{board}\" stm:{turn})")
        }
        Some((field @ ("pawns" | "files"), name)) => {
            let (board, turn) = board(name);
            format!("at({field}:\"{board}\" material:\"{board}\" stm:{turn})")
        }
        _ => pattern
            .replace("<=2", "Q<=2 R<=2 B<=2 N<=2 q<=2 r<=2 b<=2 n<=2")
            .replace("standard", "not start:custom"),
    }
}

pub(crate) fn kingbase() -> Option<Database> {
    shared::packed_database("scid4/kingbase/kingbase.si4")
}

fn counts(database: &Database, query: &str) -> usize {
    let query = ask::query(query);
    let report = Search::new(&query)
        .count(database)
        .expect("the search runs");
    assert_eq!(report.damaged, 0);
    report.matched as usize
}

#[test]
fn the_large_database_counts_headers_as_scid_does() {
    let Some(database) = kingbase() else {
        return;
    };
    assert_eq!(database.len(), 1_179_620);
    assert!(database.notes().is_empty());
    for (query, games) in HEADER_COUNTS {
        assert_eq!(counts(&database, query), games, "{query}");
    }
}

#[test]
fn the_large_database_counts_positions_as_scid_does() {
    let Some(database) = kingbase() else {
        return;
    };
    for (fen, games) in POSITION_COUNTS {
        assert_eq!(
            counts(&database, &format!("fen:\"{fen} - -\"")),
            games,
            "{fen}"
        );
    }
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "decodes millions of games; run with --release"
)]
fn the_large_database_counts_patterns_as_scid_does() {
    let Some(database) = kingbase() else {
        return;
    };
    for (pattern, games) in PATTERN_COUNTS {
        let query = written_out(pattern);
        assert_eq!(counts(&database, &query), games, "{query}");
    }
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "decodes millions of games; run with --release"
)]
fn every_game_of_the_large_database_is_sound() {
    let Some(database) = kingbase() else {
        return;
    };
    let verified = database.verify().expect("verified");
    assert_eq!(verified.games, 1_179_620);
    assert_eq!(verified.damaged, 0, "{:?}", verified.damaged_games.first());
    assert_eq!(verified.main_line_moves, 95_408_948);
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "decodes millions of games; run with --release"
)]
fn the_large_database_answers_the_same_when_all_of_it_is_decoded() {
    let Some(database) = kingbase() else {
        return;
    };
    for (fen, games) in POSITION_COUNTS {
        let query = ask::query(&format!("fen:\"{fen} - -\""));
        let full = Search::new(&query).strategy(Strategy::FullDecode);
        let report = full.count(&database).expect("the search runs");
        assert_eq!(report.matched as usize, games, "{fen}");
    }
}
