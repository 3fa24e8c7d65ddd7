//! The prefilter keeps its strength: how many games it leaves open, exactly counted.
//!
//! Counts and not times, so they hold on any machine. When a prefilter becomes stronger, the
//! numbers here go down with it; they never go up.

use std::fs;

use tabiya::{Database, Flow, Search, format::Overwrite};

use crate::{
    conformance::kingbase,
    support::{
        ask,
        pool::{OPENINGS, Pool},
    },
};

/// Games that must be decoded for a query.
fn undecided(database: &Database, query: &str) -> u64 {
    let query = ask::query(query);
    let bounds = Search::new(&query)
        .bounds(database)
        .expect("bounds can be had");
    bounds.undecided().len()
}

/// Compares all cases before it fails, so that all new numbers are seen at once.
fn stays_as_strong(database: &Database, cases: &[(&str, u64)]) {
    let mut weaker = Vec::new();
    for &(query, most) in cases {
        let open = undecided(database, query);
        if open > most {
            weaker.push(format!("{open} games open, not {most}: {query}"));
        }
    }
    assert!(weaker.is_empty(), "{}", weaker.join("\n"));
}

/// Positions of openings and endings in the large database of 1 179 620 games.
const POSITIONS: [(&str, u64); 14] = [
    ("fen:\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w\"", 120),
    (
        "fen:\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b\"",
        712,
    ),
    (
        "fen:\"rnbqkbnr/ppppppp1/8/7p/P7/8/1PPPPPPP/RNBQKBNR w\"",
        120,
    ),
    (
        "fen:\"rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w\"",
        5623,
    ),
    (
        "fen:\"rnbqkb1r/ppp2ppp/4pn2/3p2B1/2PP4/2N5/PP2PPPP/R2QKBNR b\"",
        53_918,
    ),
    (
        "fen:\"rnbq1rk1/ppp2pbp/3p1np1/4p3/2PPP3/2N2N2/PP2BPPP/R1BQK2R w\"",
        30_080,
    ),
    (
        "fen:\"r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N2/PP1P1PPP/RNBQR1K1 w\"",
        5956,
    ),
    (
        "fen:\"r1bq1rk1/pp1nbppp/2p1pn2/3p2B1/2PP4/2N1PN2/PPQ2PPP/3RKB1R b\"",
        66_099,
    ),
    (
        "fen:\"rnbqkb1r/1p3ppp/p3pn2/3P4/3N2P1/2N4P/PPP2P2/R1BQKB1R b\"",
        3433,
    ),
    (
        "fen:\"2r1r1k1/pb1q1ppp/5n2/1p1p4/2pPP3/1Pb3P1/P2N1PBP/2RQR1K1 w\"",
        11_671,
    ),
    (
        "fen:\"r1bq1r1b/pp3pkP/2pp1np1/3Pp1N1/2P1P1PR/2N5/PP6/R1BQK3 b\"",
        3500,
    ),
    ("fen:\"8/8/8/4k1p1/1p2P3/2r5/2PKR1P1/8 b\"", 546),
    ("fen:\"8/8/1B6/p3p1b1/1p6/2kP4/P3K3/8 b\"", 3183),
    ("fen:\"8/8/8/8/8/1kbK4/8/R7 b\"", 4197),
];

/// Material and patterns in the same database.
const PATTERNS: [(&str, u64); 9] = [
    (
        "at(Q=0 R=0 B=0 N=0 q=0 r=0 b=0 n=0 P:1..8 p:1..8 ply:1..)",
        34_126,
    ),
    ("at(Q=0 q=0 R=1 r=1 B=0 N=0 b=0 n=0 ply:1..)", 139_287),
    (
        "at(Q=0 q=0 R=0 r=0 N=0 n=0 B=1 b=1 bishops:opposite ply:1..)",
        78_292,
    ),
    ("at(Q=1 R=0 B=0 N=0 q=0 r:1..2 b=0 n=0 flip)", 52_476),
    ("at(material:KvK ply:1..)", 3382),
    (
        "at(P:1..8 piece:P@d not piece:P@c not piece:P@e)",
        1_031_236,
    ),
    (
        "at(P:2..7 p:1..7 piece:Pc4 piece:Pe4 piece:p@d not piece:P@d not piece:p@c)",
        1_080_131,
    ),
    ("at(Q>=2)", 54_108),
    ("at(R>=3)", 1968),
];

#[test]
fn few_games_of_the_large_database_stay_open_for_a_position() {
    if let Some(database) = kingbase() {
        stays_as_strong(&database, &POSITIONS);
    }
}

#[test]
fn few_games_of_the_large_database_stay_open_for_a_pattern() {
    if let Some(database) = kingbase() {
        stays_as_strong(&database, &PATTERNS);
    }
}

/// Header conditions are decided by the index alone.
#[test]
fn a_chessbase_game_without_annotations_is_not_opened_for_a_text() {
    let folder = tempfile::tempdir().unwrap();
    let [text, written] = ["two.pgn", "two.cbh"].map(|name| folder.path().join(name));
    let games = "[White \"A\"]\n\n1. e4 {why} e5 *\n\n[White \"B\"]\n\n1. d4 d5 *\n";
    fs::write(&text, games).unwrap();
    let go_on = &mut |_| Flow::Continue(());
    tabiya::convert(&[text], &written, Overwrite::Refuse, go_on).unwrap();
    let database = Database::open(&written).unwrap();
    for query in ["text:why", "text:why piece:Pe4", "not text:why"] {
        assert_eq!(undecided(&database, query), 1, "{query}");
    }
}

#[test]
fn no_game_stays_open_for_a_header() {
    let pool = Pool::new(7, 300);
    for query in [
        "white:carlsen",
        "player!=A",
        "elo>=2000",
        "avgelo<2100",
        "date:1998..1999.05",
        "eco:B90..B99",
        "result:1-0,draw",
        "flag:promotion",
        "start:custom",
        "comments>2 variations:1.. nags=0",
        "number:10..20",
        "not (year=1998 or eventdate:unknown)",
    ] {
        assert_eq!(undecided(&pool.database, query), 0, "{query}");
    }
}

/// Random games, the same on every machine.
const RANDOM: [(&str, u64); 8] = [
    (
        "fen:\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b\"",
        96,
    ),
    (
        "fen:\"rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w\"",
        94,
    ),
    ("pawns:\"8/pp2pppp/3p4/8/4P3/8/PPP2PPP/8\"", 97),
    ("material:KvK", 98),
    ("Q>=2", 127),
    ("r>=3", 120),
    ("piece:Pe4", 198),
    ("at(not piece:P@e)", 237),
];

#[test]
fn few_random_games_stay_open() {
    let pool = Pool::new(7, 300);
    assert!(OPENINGS.len() < pool.games.len());
    stays_as_strong(&pool.database, &RANDOM);
}

/// Games of which the moves themselves must be played, in random games: king's moves and paths
/// rule out more than the index does.
const PLAYED: [(&str, u64); 4] = [
    ("at(piece:Kc1 piece:kg8)", 150),
    ("at(piece:Ka1 piece:kh8)", 120),
    ("path:\"Nb1-d2-f1-g3\"", 216),
    ("path:\"Pe2-e4-e5\"", 233),
];

#[test]
fn few_random_games_are_played() {
    let pool = Pool::new(7, 300);
    let mut weaker = Vec::new();
    for (text, most) in PLAYED {
        let query = ask::query(text);
        let report = Search::new(&query).count(&pool.database).expect("a count");
        if report.decoded > most {
            weaker.push(format!(
                "{} games played, not {most}: {text}",
                report.decoded
            ));
        }
    }
    assert!(weaker.is_empty(), "{}", weaker.join("\n"));
}
