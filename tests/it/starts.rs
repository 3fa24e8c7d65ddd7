//! Start positions as people write them: Chess960 without a tag, castling rights that are left
//! over. Every format says the same of them.

use std::{fs, path::Path};

use tabiya::{
    Database, GameId, Progress, Query, Search, Strategy, convert,
    format::{GameText, Overwrite},
};

/// Chess960 by `KQkq` with a king elsewhere, by letters of files, and by a rook elsewhere.
const CHESS960: &str = "\
    [FEN \"rnbnkqrb/pppppppp/8/8/8/8/PPPPPPPP/RNBNKQRB w KQkq - 0 1\"]\n\n\
    1. f4 d5 2. Qf2 Bf5 3. O-O e6 1-0\n\n\
    [FEN \"nbrkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NBRKQRBN w FCfc - 0 1\"]\n\n\
    1. f4 f5 2. Bf2 Bf7 3. Ng3 Ng6 4. e3 e6 5. Qe2 Qe7 6. O-O O-O 1-0\n\n";

/// Rights of puzzles without their kings and rooks.
const LEFT_OVER: &str = "\
    [FEN \"2r1k2r/1b3ppp/2Q5/8/N7/8/1PP2PPP/R1BR2K1 b K - 0 1\"]\n\n1... Bxc6 1-0\n\n\
    [FEN \"r4rk1/ppp2ppp/8/8/8/8/PPP2PPP/R4RK1 w KQkq - 0 1\"]\n\n1. Rad1 Rad8 *\n\n";

fn converted(pgn: &str, suffixes: &[&str], check: impl Fn(&Database, &str)) {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source.pgn");
    fs::write(&source, pgn).unwrap();
    check(&Database::open(&source).unwrap(), "pgn");
    for suffix in suffixes {
        let target = folder.path().join("new").with_extension(suffix);
        let done = convert(
            std::slice::from_ref(&source),
            &target,
            Overwrite::Replace,
            Progress::ignore,
        );
        assert_eq!(done.unwrap().games, 2, "{suffix}");
        check(&Database::open(&target).unwrap(), suffix);
    }
}

fn count(database: &Database, query: &str) -> u64 {
    let query: Query = query.parse().unwrap();
    let counts = [Strategy::Auto, Strategy::FullDecode].map(|strategy| {
        let search = Search::new(&query).strategy(strategy);
        search.count(database).unwrap().matched
    });
    assert_eq!(counts[0], counts[1]);
    counts[0]
}

fn text(database: &Database, game: u32) -> String {
    let mut text = GameText::new(&database.header(GameId(game)).unwrap());
    database.visit(GameId(game), &mut text).unwrap();
    text.finish().unwrap()
}

#[test]
fn chess960_needs_no_tag_in_any_format() {
    converted(
        CHESS960,
        &["si5", "cbh", "2cbh", "vf", "binpack", "pgn"],
        |database, suffix| {
            assert_eq!(count(database, "start:chess960"), 2, "{suffix}");
            assert_eq!(database.plies(GameId(1)).unwrap(), 12, "{suffix}");
            assert_eq!(count(database, "played:O-O"), 2, "{suffix}");
            assert_eq!(text(database, 1).matches("O-O").count(), 2, "{suffix}");
        },
    );
}

#[test]
fn rights_without_kings_and_rooks_are_left_out_everywhere() {
    converted(
        LEFT_OVER,
        &["si4", "si5", "cbh", "2cbh", "dci", "pgn"],
        |database, suffix| {
            assert_eq!(count(database, "start:chess960"), 0, "{suffix}");
            for (game, fen) in ["R1BR2K1 b - - 0 1", "R4RK1 w - - 0 1"]
                .into_iter()
                .enumerate()
            {
                let text = text(database, game as u32);
                assert!(text.contains(fen), "{suffix}: {text}");
                assert!(!text.contains("Chess960"), "{suffix}: {text}");
            }
            assert_eq!(count(database, "tag.FEN:\"w - -\""), 1, "{suffix}");
        },
    );
}

#[test]
fn pgn_is_recognised_whatever_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        Database::open(Path::new(&path)).map(|database| database.len())
    };
    for name in ["games.txt", "games", "games.doc"] {
        assert_eq!(open(name, CHESS960).unwrap(), 2, "{name}");
        assert_eq!(open(name, "1. e4 e5 *\n\n1. d4 *\n").unwrap(), 2, "{name}");
        for text in ["A letter.\n", "[link](to.html)\n", "", "\u{1}\u{2}"] {
            assert!(open(name, text).is_err(), "{name} {text}");
        }
    }
}
