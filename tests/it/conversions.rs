//! From every format to every other: what both can hold comes over, and what does not is what the
//! report says, neither more nor less.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tabiya::{
    ConvertOptions, Database, Flow, GameId, Progress, Split, SplitBy, add, convert_games,
    format::GameText,
};

use crate::support::{
    dice::Dice,
    losses::{TARGETS, convert, every_target, remove},
    pool::random_game,
    shared,
};

/// Makes of PGN a source in every format, and of each of them every target.
fn every_pair(pgn: &Path) {
    let folder = tempfile::tempdir().unwrap();
    every_target(pgn, folder.path());
    for suffix in TARGETS {
        let source: PathBuf = folder.path().join(format!("source.{suffix}"));
        convert(pgn, &source);
        every_target(&source, folder.path());
        remove(folder.path(), "source");
    }
}

#[test]
fn famous_games_lose_what_is_reported_and_nothing_else() {
    every_pair(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/famous.pgn"));
}

/// Games with much that is rare: odd names, dates, tags, starts, glyphs, null moves.
#[test]
fn odd_games_lose_what_is_reported_and_nothing_else() {
    for seed in 1..=4 {
        let mut dice = Dice::new(seed);
        let mut text = String::new();
        for _ in 0..25 {
            let game = random_game(&mut dice);
            let mut writer = GameText::new(&game.header);
            assert!(game.tell(&mut writer).is_continue());
            text += &writer.finish().unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let pgn = folder.path().join("odd.pgn");
        fs::write(&pgn, text).unwrap();
        every_pair(&pgn);
    }
}

#[test]
fn games_of_open_databases_are_written_in_the_order_in_which_they_are_given() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let open = |name: &str| Database::open(root.join(name)).unwrap();
    let (scid, pgn) = (open("famous.si4"), open("famous.pgn"));
    let wanted = [(&scid, 90), (&pgn, 3), (&scid, 91), (&scid, 0), (&pgn, 3)];
    let games = wanted.map(|(database, game)| (database, GameId(game)));
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("some.si5");
    let options = ConvertOptions::new;
    let written = convert_games(&games, &target, options(), Progress::ignore).unwrap();
    // There is no 92nd game.
    assert_eq!((written.games, written.skipped), (4, 1));
    let new = Database::open(&target).unwrap();
    let there = games.iter().filter(|(_, game)| game.0 < 91);
    for (&(database, game), number) in there.zip(0..) {
        let (old, new) = (database.header(game), new.header(GameId(number)));
        let (old, new) = (old.unwrap(), new.unwrap());
        assert_eq!((old.white, old.date), (new.white, new.date), "{number}");
    }
    let stopped = folder.path().join("stopped.si5");
    let stop = |_| Flow::Break(());
    assert!(convert_games(&games, &stopped, options(), stop).is_err());
    assert!(!stopped.exists());
    let strict = convert_games(&games, &stopped, options().strict(true), Progress::ignore);
    assert!(strict.is_err() && !stopped.exists());
}

/// One game of jose's has a third knight of one side, which no program can read. Neither `.si4`
/// nor `.dci` takes games of Chess960, nor `.binpack` and `.vf` those without a result.
#[test]
fn games_of_jose_and_of_monty_lose_what_is_reported_and_nothing_else() {
    for (part, written) in [
        (
            "jose/lab.jose",
            [4209, 4299, 4209, 4299, 4299, 4296, 4296, 4299],
        ),
        ("monty/edge.binpack", [10, 13, 10, 13, 13, 13, 13, 13]),
        ("monty/frc-value.binpack", [1, 80, 1, 80, 80, 80, 80, 80]),
    ] {
        if let Some(source) = shared::path(&format!("data/{part}")) {
            let folder = tempfile::tempdir().unwrap();
            assert_eq!(every_target(&source, folder.path()), written, "{part}");
        }
    }
}

#[test]
fn packed_pgn_is_written_as_plain_and_never_added_to() {
    let famous = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/famous.pgn");
    let folder = tempfile::tempdir().unwrap();
    // More than one part of packed text.
    let sources = vec![famous.clone(); 80];
    let plain = folder.path().join("plain.pgn");
    tabiya::convert(&sources, &plain, ConvertOptions::new(), Progress::ignore).unwrap();
    assert!(fs::metadata(&plain).unwrap().len() > 3 << 20);
    for name in ["a.pgn.gz", "B.PGN.ZST"] {
        let packed = folder.path().join(name);
        tabiya::convert(&sources, &packed, ConvertOptions::new(), Progress::ignore).unwrap();
        let bytes = fs::metadata(&packed).unwrap().len();
        assert!(bytes < fs::metadata(&plain).unwrap().len() / 2, "{name}");
        let again = folder.path().join("again.pgn");
        let unpacked = std::slice::from_ref(&packed);
        tabiya::convert(unpacked, &again, ConvertOptions::new(), Progress::ignore).unwrap();
        assert!(
            fs::read(&plain).unwrap() == fs::read(&again).unwrap(),
            "{name}"
        );
        fs::remove_file(again).unwrap();
        let database = Database::open(&packed).unwrap();
        assert_eq!(database.len(), 80 * 91, "{name}");
        let one = std::slice::from_ref(&famous);
        let added = add(one, &packed, ConvertOptions::new(), Progress::ignore);
        assert!(added.is_err(), "{name}");
        assert_eq!(fs::metadata(&packed).unwrap().len(), bytes, "{name}");
        let games = [(&database, GameId(0))];
        let split = Split::new(&games, SplitBy::Year, &packed).unwrap();
        let end = name.trim_start_matches(|letter: char| letter != '.');
        let names: Vec<_> = split.paths().map(|path| path.to_str().unwrap()).collect();
        assert!(names[0].ends_with(&format!("-1851{end}")), "{names:?}");
    }
    let none = folder.path().join("none.pgn.zst");
    convert_games(&[], &none, ConvertOptions::new(), Progress::ignore).unwrap();
    assert_eq!(Database::open(&none).unwrap().len(), 0);
}
