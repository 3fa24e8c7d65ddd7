//! The same games give the same answers in whatever format they are.

use std::{collections::BTreeSet, fs, path::Path, sync::LazyLock};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tabiya::{Database, Flow, Match, Query, Search, Strategy, format::Overwrite};

use crate::{
    conformance::{cases, is_defect, path_of},
    support::shared,
};

static THREADS: LazyLock<[ThreadPool; 2]> = LazyLock::new(|| {
    [1, 2].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be had")
    })
});

/// Queries about the record, the texts and the tags of a game.
const ABOUT_HEADERS: &[&str] = &[
    "player:a",
    "white:\"karpov\"",
    "event:linares",
    "site:l",
    "year:1990..2000",
    "date>=1985",
    "result:1-0",
    "result:*",
    "elo>=2600",
    "avgelo>=2650",
    "elodiff:50..200",
    "eco:B",
    "eco:E60..E99",
    "round:1",
    "plies:20..60",
    "moves<=25",
    "plies=0",
    "variations>=2",
    "nags>=1",
    "has:variations",
    "start:custom",
    "start:standard",
    "flag:deleted",
    "flag:promotion",
    "flag:underpromotion",
    "text:better",
    "text:a",
    "tag.Annotator:n",
    "tag.Source:c",
    "tag.WhiteTeam:a",
];

/// Queries about positions, in main lines and in variations.
const ABOUT_POSITIONS: &[&str] = &[
    "fen:\"rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6\"",
    "fen:\"rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\"",
    "fen:\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"",
    "at(piece:Kc1 piece:kg8)",
    "at(piece:Kc1 piece:kg8 flip mirror)",
    "at(Q=0 q=0 R=1 r=1 B=0 N=0 b=0 n=0 ply:1..)",
    "at(Q>=2)",
    "at(not piece:P@e not piece:p@e)",
    "at(piece:Nd5 piece:qd8)",
    "at(piece:Pe4 piece:Pd4 piece:pe6 piece:pd5)",
    "at(piece:Pe4 piece:Pc4 not piece:P@d not piece:p@c)",
    "at(material:KRPvKR)",
    "at(check ply:1..20)",
    "at(mate)",
    "at(diff:3..9 for:6)",
    "not at(piece:P@h)",
    "at(piece:Ph4) then at(piece:ph5) then at(piece:Pg4)",
    "at(piece:Pe4) next at(piece:pe5) next at(piece:Nf3)",
    "played:Nf3",
    "played:O-O-O",
    "path:Nb1-c3-d5",
    "path:Nb1-?-?-g3",
    "white:k at(piece:Nd5)",
    "(eco:B or eco:A) at(piece:Ng5 piece:kg8)",
    "not result:1-0 piece:Nf5",
    "move>=60",
];

fn convert(source: &Path, target: &Path) {
    let go_on = &mut |_| Flow::Continue(());
    let done = tabiya::convert(&[source.into()], target, Overwrite::Refuse, go_on);
    assert_eq!(done.expect("it can be converted").skipped, 0);
}

fn found(database: &Database, search: &Search<'_>, threads: usize) -> Vec<Match> {
    let found = THREADS[threads - 1].install(|| search.run(database));
    let found = found.expect("the search runs");
    assert_eq!(found.report().damaged, 0);
    found.into_parts().0
}

/// The numbers of texts among the games, from 0.
fn texts(index: &Path) -> BTreeSet<u32> {
    const RECORD_BYTES: usize = 46;
    const TEXT: u8 = 1 << 1;
    let index = fs::read(index).unwrap();
    let records = index.chunks_exact(RECORD_BYTES).skip(1).zip(0..);
    let texts = records.filter(|(record, _)| record[0] & TEXT != 0);
    texts.map(|(_, number)| number).collect()
}

/// Puts queries to a ChessBase database and to its games in PGN, in Scid's format and in
/// ChessBase's as we write it.
fn same_in_every_format(part: &str, queries: &[&str], ways: &[(Strategy, usize)]) {
    let Some(index) = shared::path(&format!("data/chessbase/{part}.cbh")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    convert(&index, &at("games.pgn"));
    let mut databases = vec![Database::open(&index).unwrap()];
    for name in ["scid.si4", "chessbase.cbh"] {
        convert(&at("games.pgn"), &at(name));
        databases.push(Database::open(at(name)).unwrap());
    }
    // As PGN a text is a game without moves.
    let texts = texts(&index);
    for text in queries {
        let query: Query = text.parse().unwrap_or_else(|fault| panic!("{fault}"));
        for variations in [false, true] {
            let search = Search::new(&query).variations(variations);
            let mut want = None;
            for database in &databases {
                for &(way, threads) in ways {
                    let mut have = found(database, &search.clone().strategy(way), threads);
                    have.retain(|hit| !texts.contains(&hit.game.0));
                    let want = want.get_or_insert_with(|| have.clone());
                    let kind = database.kind();
                    assert_eq!(&have, want, "{part} {text} {variations} {kind} {way:?}");
                }
            }
        }
    }
}

const EVERY_WAY: [(Strategy, usize); 4] = [
    (Strategy::Auto, 1),
    (Strategy::Auto, 2),
    (Strategy::FullDecode, 1),
    (Strategy::FullDecode, 2),
];

const TWO_WAYS: [(Strategy, usize); 2] = [EVERY_WAY[0], EVERY_WAY[3]];

#[test]
fn annotated_games_give_the_same_in_every_format() {
    same_in_every_format("hedgehog/Hedgehog", ABOUT_HEADERS, &TWO_WAYS);
    same_in_every_format("hedgehog/Hedgehog", ABOUT_POSITIONS, &TWO_WAYS);
}

#[test]
fn a_few_odd_games_give_the_same_in_every_format_by_every_way() {
    for part in [
        "cbhlib_test/cbhlib_test",
        "test-annotations/test-annotations",
        "Mate2/Mate2",
        "text/text",
    ] {
        same_in_every_format(part, ABOUT_HEADERS, &EVERY_WAY);
        same_in_every_format(part, ABOUT_POSITIONS, &EVERY_WAY);
    }
}

#[test]
fn games_of_a_tournament_give_the_same_in_every_format() {
    same_in_every_format("linares/linares", ABOUT_HEADERS, &TWO_WAYS);
    same_in_every_format("linares/linares", ABOUT_POSITIONS, &TWO_WAYS);
}

#[test]
fn thousands_of_games_without_annotations_give_the_same_in_every_format() {
    let ways = [(Strategy::Auto, 2), (Strategy::FullDecode, 2)];
    let some: Vec<&str> = ABOUT_POSITIONS.iter().copied().step_by(3).collect();
    same_in_every_format("twic1134/twic1134", &some, &ways);
    same_in_every_format("twic1134/twic1134", &ABOUT_HEADERS[..14], &ways[..1]);
}

/// Answers that Scid gave about its own databases.
#[test]
fn recorded_answers_hold_for_the_same_games_as_a_chessbase_database() {
    for name in ["res", "edge"] {
        let scid = shared::path(&format!("data/{}", path_of(name)));
        let (Some(cases), Some(scid)) = (cases(name), scid) else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chessbase.cbh");
        convert(&scid, &path);
        let database = Database::open(path).unwrap();
        for case in cases.iter().filter(|case| !is_defect(case)) {
            let query: Query = case.query.parse().unwrap();
            for (way, threads) in EVERY_WAY {
                let search = Search::new(&query)
                    .strategy(way)
                    .variations(case.variations);
                let found = found(&database, &search, threads);
                let numbers: Vec<u32> = found.iter().map(|hit| hit.game.number()).collect();
                assert_eq!(numbers, case.games, "{way:?} {}", case.query);
            }
        }
    }
}
