//! Comments far longer than anybody writes.

use tabiya::{Conversion, Database, ErrorKind, GameId, limits::PGN_GAME_BYTES_MAX};

use super::base::{Base, Kind, all_games, convert, found, games, verified};
use crate::support::game::{Event, PlainGame};

/// A game with a comment of this length in bytes between two others.
fn text(bytes: usize) -> String {
    let comment = "long ".repeat(bytes / 5) + &"x".repeat(bytes % 5);
    let game =
        format!("[White \"own white long\"]\n[Result \"1-0\"]\n\n1. e4 {{{comment}}} e5 1-0\n\n");
    [games("own", 1), game, games("own", 2)].concat()
}

/// Returns the bytes of the comment of the second game.
fn comment_bytes(game: &PlainGame) -> usize {
    let lengths = game.events.iter().map(|event| match event {
        Event::Comment(text) => text.len(),
        _ => 0,
    });
    lengths.sum()
}

fn is_over_a_limit(done: &Conversion, what: &str) {
    assert_eq!((done.games, done.skipped), (3, 1), "{what}");
    let error = &done.skipped_games[0];
    assert!(
        matches!(error.kind(), ErrorKind::LimitExceeded { .. }),
        "{what}: {error}"
    );
    assert_eq!(error.game(), Some(2), "{what}: {error}");
}

/// Bytes around the limits of all formats: 2^16, 2^17, 2^20.
const SIZES: [usize; 9] = [
    32_700, 65_400, 65_530, 65_600, 130_900, 131_200, 262_000, 1_000_000, 2_000_000,
];

#[test]
fn a_long_comment_is_written_whole_or_its_game_is_over_a_limit() {
    let (mut written, mut refused) = (0, 0);
    for bytes in SIZES {
        let source = Base::new(Kind::Pgn, &text(bytes));
        for suffix in ["si4", "si5", "cbh", "2cbh", "dci", "pgn"] {
            let target = source.folder().join("copy").with_extension(suffix);
            let done = convert(&source.path(), &target);
            let what = format!("{bytes} {suffix}");
            let games = all_games(&Database::read(&target).unwrap());
            if done.skipped > 0 {
                is_over_a_limit(&done, &what);
                assert_eq!(games.len(), 3, "{what}");
                refused += 1;
                continue;
            }
            let is_told = done.losses.iter().any(|lost| lost.what.contains("comment"));
            assert!(is_told || comment_bytes(&games[1]) == bytes, "{what}");
            let database = Database::read(&target).unwrap();
            assert_eq!(found(&database, "text:long"), [2], "{what}");
            assert_eq!(verified(&database).damaged, 0, "{what}");
            written += 1;
        }
    }
    assert!(written > 30 && refused > 3, "{written} {refused}");
}

#[test]
fn a_long_comment_of_jose_is_read_searched_and_converted() {
    for kind in [Kind::Jose, Kind::JoseFolder] {
        let base = Base::new(kind, &text(2_000_000));
        let database = base.open();
        assert_eq!(comment_bytes(&all_games(&database)[1]), 2_000_000);
        assert_eq!(found(&database, "text:long"), [2], "{kind:?}");
        let target = base.folder().join("copy.pgn");
        assert_eq!(convert(&base.path(), &target).skipped, 0);
        let copy = Database::read(target).unwrap();
        assert_eq!(comment_bytes(&all_games(&copy)[1]), 2_000_000);
    }
}

/// Some megabytes are more than most formats hold of a game.
#[test]
fn a_gigantic_comment_is_written_by_formats_without_a_limit_and_refused_by_the_others() {
    let bytes = 5_000_000;
    let source = Base::new(Kind::Pgn, &text(bytes));
    for suffix in ["si4", "si5", "cbh", "2cbh", "dci", "pgn"] {
        let target = source.folder().join("copy").with_extension(suffix);
        let done = convert(&source.path(), &target);
        if matches!(suffix, "si4" | "si5" | "dci") {
            is_over_a_limit(&done, suffix);
            continue;
        }
        assert_eq!((done.games, done.skipped), (4, 0), "{suffix}");
        let game = PlainGame::read(&Database::read(&target).unwrap(), GameId(1)).unwrap();
        assert_eq!(comment_bytes(&game), bytes, "{suffix}");
    }
}

/// What is packed is unpacked piece by piece: no more of it is in memory than a game may have.
#[test]
fn of_a_comment_longer_than_a_game_may_be_other_games_are_told_and_converted() {
    let text = text(PGN_GAME_BYTES_MAX + 1000);
    let source = Base::new(Kind::Gzip, &text);
    let packed = std::fs::metadata(source.path()).unwrap().len();
    assert!(packed < text.len() as u64 / 50, "{packed}");
    let done = convert(&source.path(), &source.folder().join("copy.si5"));
    is_over_a_limit(&done, "packed");
    let source = Base::new(Kind::Pgn, &text);
    let database = source.open();
    assert_eq!(database.len(), 4);
    let error = PlainGame::read(&database, GameId(1)).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::LimitExceeded { .. }),
        "{error}"
    );
    assert_eq!((error.game(), error.line()), (Some(2), Some(10)), "{error}");
    assert_eq!(found(&database, "white:\"own white 2\""), [4]);
}
