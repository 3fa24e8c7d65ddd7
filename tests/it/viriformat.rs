//! Training data in viriformat is read as the reference reads it and written byte for byte, and
//! damage costs little.

use std::{fs, path::Path, time::Instant};

use rayon::prelude::*;
use tabiya::{
    Conversion, ConvertOptions, Database, Error, ErrorKind, Flow, FormatKind, GameId, OpenOptions,
    Progress, Strategy,
};

use crate::support::{
    ask,
    dice::Dice,
    exercise,
    game::PlainGame,
    losses::every_target,
    shared,
    viri::{Scored, lines, of_games, random_file, random_game, random_games},
};

fn open(bytes: &[u8]) -> Result<Database, Error> {
    open_named("a.vf", bytes)
}

fn open_named(name: &str, bytes: &[u8]) -> Result<Database, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    Database::read(&path)
}

fn convert(source: &Path, target: &Path) -> Conversion {
    let sources = [source.to_owned()];
    let options = ConvertOptions::default();
    tabiya::convert(&sources, target, options, Progress::ignore).expect("converted")
}

fn games(database: &Database) -> impl Iterator<Item = GameId> {
    database.games()
}

fn read(database: &Database, id: GameId) -> PlainGame {
    PlainGame::read(database, id).unwrap_or_else(|error| panic!("{error}"))
}

/// All games are these.
fn is_read_alike(database: &Database, known: &[Scored]) {
    assert_eq!(database.kind(), FormatKind::Viriformat);
    assert!(database.notes().is_empty(), "{:?}", database.notes());
    assert_eq!(database.len() as usize, known.len());
    for (id, known) in games(database).zip(known) {
        assert!(known.is(&read(database, id)), "{id:?} {known:?}");
        let plies = database.facts(id).unwrap().plies.exact();
        assert_eq!(plies, Some(known.moves.len() as u32));
    }
    let verified = database.verify().unwrap();
    assert_eq!(verified.damaged, 0, "{:?}", verified.damaged_games);
}

#[test]
fn every_move_of_a_reference_file_is_the_recorded_one() {
    let (Some(path), Some(truth)) = (
        shared::path("data/training/viri.vf"),
        shared::path("data/training/viri.txt.xz"),
    ) else {
        return;
    };
    let truth = shared::unpacked(&truth);
    let database = Database::open(path).unwrap();
    let known: Vec<&str> = truth.split("GAME ").skip(1).collect();
    assert_eq!((database.len() as usize, known.len()), (900, 900));
    let moves: Vec<usize> = games(&database)
        .zip(known)
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|(id, known)| {
            let told = read(&database, id);
            let mut known: Vec<&str> = known.lines().skip(1).collect();
            let result = match known.pop() {
                Some("END Win") => "1-0",
                Some("END Loss") => "0-1",
                _ => "1/2-1/2",
            };
            assert_eq!(told.header.result.to_string(), result, "{id:?}");
            assert_eq!(lines(&told), known, "{id:?}");
            known.len()
        })
        .collect();
    assert_eq!(moves.iter().sum::<usize>(), 170_404);
    let verified = database.verify().unwrap();
    assert_eq!(verified.damaged, 0);
}

#[test]
fn a_reference_file_is_written_anew_byte_for_byte_also_by_way_of_pgn_and_scid() {
    let Some(source) = shared::path("data/training/viri.vf") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    for (from, to) in [
        (source.clone(), "copy.vf"),
        (source.clone(), "a.pgn"),
        (file("a.pgn"), "b.viribin"),
        (source.clone(), "a.si5"),
        (file("a.si5"), "c.vf"),
    ] {
        let done = convert(&from, &file(to));
        assert_eq!((done.games, done.skipped), (900, 0), "{to}");
        assert!(done.losses.is_empty(), "{to}: {:?}", done.losses);
    }
    let whole = fs::read(&source).unwrap();
    for copy in ["copy.vf", "b.viribin", "c.vf"] {
        assert!(fs::read(file(copy)).unwrap() == whole, "{copy}");
    }
}

#[test]
fn made_files_are_read_as_they_were_made_and_written_byte_for_byte() {
    for seed in 0..20 {
        let made = random_games(&mut Dice::new(seed), 40);
        let bytes = of_games(&made);
        is_read_alike(&open(&bytes).unwrap(), &made);
        let folder = tempfile::tempdir().unwrap();
        let [source, copy] = ["a.vf", "b.vf"].map(|name| folder.path().join(name));
        fs::write(&source, &bytes).unwrap();
        assert!(convert(&source, &copy).losses.is_empty());
        assert!(fs::read(&copy).unwrap() == bytes, "{seed}");
    }
}

/// They are told as tags, which no other format drops.
#[test]
fn a_score_of_the_start_and_its_last_byte_come_back() {
    let mut dice = Dice::new(3);
    let mut made: Vec<Scored> = (0..9)
        .map(|moves| random_game(&mut dice, 3 * moves))
        .collect();
    for (game, extra) in made.iter_mut().zip(0..) {
        (game.start_score, game.extra) = (-450 + 100 * i16::from(extra), extra);
    }
    let bytes = of_games(&made);
    let database = open(&bytes).unwrap();
    is_read_alike(&database, &made);
    let tagged = ask::numbers(&database, "tag.StartExtra=8", Strategy::Auto, false);
    assert_eq!(tagged, [9]);
    let folder = tempfile::tempdir().unwrap();
    let [source, pgn, copy] = ["a.vf", "b.pgn", "c.vf"].map(|name| folder.path().join(name));
    fs::write(&source, &bytes).unwrap();
    convert(&source, &pgn);
    convert(&pgn, &copy);
    assert!(fs::read(&copy).unwrap() == bytes);
}

#[test]
fn loose_positions_are_games_without_moves_that_scores_are_asked_of() {
    let mut dice = Dice::new(4);
    let made: Vec<Scored> = (0..500).map(|_| random_game(&mut dice, 0)).collect();
    let bytes = of_games(&made);
    assert_eq!(bytes.len(), 500 * 36);
    let database = open(&bytes).unwrap();
    is_read_alike(&database, &made);
    let is_better = |game: &Scored| game.start.turn.fold_wb(1, -1) * game.start_score > 300;
    let better = made.iter().filter(|game| is_better(game)).count();
    assert!((1..500).contains(&better));
    for strategy in [Strategy::Auto, Strategy::FullDecode] {
        let found = |query| ask::numbers(&database, query, strategy, false).len();
        assert_eq!(found("plies:0"), 500);
        // 1 / (1 + e^(-300/400)) is 0.6792.
        assert_eq!(found("at(score:0.6792..)"), better);
        assert_eq!(found("comments=1"), 500);
    }
}

#[test]
fn games_lose_on_their_way_what_is_reported_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source.vf");
    fs::write(&source, random_file(&mut Dice::new(5), 60)).unwrap();
    every_target(&source, folder.path());
}

/// The games of a file, with where they lie.
fn placed(made: &[Scored]) -> Vec<(u64, &Scored)> {
    let mut at = 0;
    let place = |game| {
        let start = at;
        at += Scored::bytes(game).len() as u64;
        (start, game)
    };
    made.iter().map(place).collect()
}

/// Whether a game is read at a place.
fn has(database: &Database, at: u64, known: &Scored) -> bool {
    games(database).any(|id| {
        database.facts(id).unwrap().offset_bytes == at
            && PlainGame::read(database, id).is_ok_and(|told| known.is(&told))
    })
}

#[test]
fn any_harm_to_a_file_in_viriformat_is_survived() {
    let made = random_games(&mut Dice::new(6), 9);
    let whole = of_games(&made);
    let known = placed(&made);
    let end = |(at, game): &(u64, &Scored)| at + game.bytes().len() as u64;
    (0..whole.len()).into_par_iter().for_each(|at| {
        let place = at as u64;
        let before = || known.iter().filter(|game| end(game) <= place);
        match open(&whole[..at]) {
            Ok(cut) => {
                exercise::records(&cut);
                assert!(
                    before().all(|(at, game)| has(&cut, *at, game)),
                    "cut at {at}"
                );
            }
            Err(_) => assert_eq!(before().count(), 0, "cut at {at}"),
        }
        let after = || known.iter().filter(|(start, _)| *start > place);
        for value in [0, 1, 0x7f, 0xff, whole[at] ^ 1, whole[at] ^ 0x80] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            let changed = open(&bytes).unwrap();
            let mut others = before().chain(after());
            assert!(
                others.all(|(at, game)| has(&changed, *at, game)),
                "byte {at}"
            );
        }
        // Nothing is where it was, and no longer a multiple of four bytes away.
        let mut bytes = whole.clone();
        bytes.remove(at);
        let shorter = open(&bytes).unwrap();
        assert!(before().all(|(at, game)| has(&shorter, *at, game)));
        let moved = |(at, game): &(u64, &Scored)| has(&shorter, at - 1, game);
        assert!(after().all(moved), "without byte {at}");
    });
}

#[test]
fn a_damaged_game_is_told_with_its_offset_and_its_first_moves_are_kept() {
    let mut dice = Dice::new(7);
    let long = std::iter::repeat_with(|| random_game(&mut dice, 30));
    let long: Vec<Scored> = long.filter(|game| game.moves.len() == 30).take(5).collect();
    for (damaged, (start, _)) in placed(&long).into_iter().enumerate() {
        // No men, and a move from a square to itself.
        for (harm, plies) in [(0, None), (32 + 4 * 20, Some(20))] {
            let mut bytes = of_games(&long);
            let at = start as usize + harm;
            bytes[at..at + 2].fill(if harm == 0 { 0xff } else { 0 });
            bytes[at + 2..at + 4].fill(1);
            let database = open(&bytes).unwrap();
            assert_eq!(database.len(), 5);
            for (id, known) in games(&database).zip(&long) {
                let told = PlainGame::read(&database, id);
                if id.index() != damaged {
                    assert!(known.is(&told.unwrap()));
                    continue;
                }
                let error = told.unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
                assert_eq!(
                    (error.game(), error.offset()),
                    (Some(id.number_in_part()), Some(at as u64))
                );
                let mut seen = PlainGame::default();
                let _ = database.visit(id, &mut seen);
                let expected = plies.map_or(&[][..], |plies| &known.moves[..plies]);
                assert_eq!(seen.events.len() / 2, expected.len());
            }
            let [note] = database.notes() else {
                panic!("{:?}", database.notes());
            };
            assert_eq!(note.offset(), Some(at as u64));
            let verified = database.verify().unwrap();
            assert_eq!(verified.damaged, 1);
        }
    }
}

/// An illegal move that these men could make is damage for every question.
#[test]
fn searches_do_not_find_what_comes_after_an_illegal_move() {
    let mut game = random_game(&mut Dice::new(1), 0);
    let fen: shakmaty::fen::Fen = "4k3/8/8/8/4r3/8/4B3/4K3 w - - 0 1".parse().unwrap();
    game.start = fen.into_setup();
    let step = |from, to, role| shakmaty::Move::Normal {
        role,
        from,
        capture: None,
        to,
        promotion: None,
    };
    use shakmaty::{Role, Square};
    game.moves = vec![(step(Square::E2, Square::D3, Role::Bishop), 1)];
    let sound = random_game(&mut Dice::new(2), 5);
    let database = open(&of_games(&[sound.clone(), game, sound])).unwrap();
    assert_eq!(database.len(), 3);
    for strategy in [Strategy::Auto, Strategy::FullDecode] {
        let found = ask::numbers(&database, "at(piece:Bd3 piece:re4)", strategy, false);
        assert_eq!(found, [0; 0]);
    }
    assert!(PlainGame::read(&database, GameId(1)).is_err());
}

/// Starts that seem to begin games, zero bytes that seem to end them elsewhere, and long games that
/// end at an illegal move.
#[test]
fn opening_a_file_of_damage_takes_a_bounded_time() {
    let mut dice = Dice::new(9);
    let long = random_game(&mut dice, 400);
    let mut cut = long.bytes();
    cut.truncate(cut.len() - 4);
    let mut shifted = random_game(&mut dice, 2).bytes();
    shifted.push(7);
    let mut bare = long.bytes();
    bare.truncate(32);
    bare.extend([1; 3]);
    for part in [cut, shifted, bare] {
        let count = 4_000_000 / part.len();
        let mut bytes = random_game(&mut dice, 3).bytes();
        bytes.extend(vec![part; count].concat());
        let begun = Instant::now();
        let database = open(&bytes).unwrap();
        assert!(!database.is_empty() && database.notes().len() <= 100);
        assert!(begun.elapsed().as_secs() < 60);
    }
}

#[test]
fn files_are_known_by_their_name_or_by_whole_games() {
    let made = random_games(&mut Dice::new(10), 12);
    let bytes = of_games(&made);
    for name in ["a.VF", "a.viribin", "a.bin"] {
        is_read_alike(&open_named(name, &bytes).unwrap(), &made);
    }
    let refused = |name: &str, bytes: &[u8]| open_named(name, bytes).unwrap_err();
    let unknown = refused("a.bin", &bytes[1..]);
    assert!(
        matches!(unknown.kind(), ErrorKind::UnknownFormat),
        "{unknown}"
    );
    let error = refused("a.vf", b"no game at all, but words that go on for a while");
    assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
    assert!(open(b"").unwrap().is_empty());
}

#[test]
fn opening_stops_when_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vf");
    fs::write(&path, random_file(&mut Dice::new(11), 20)).unwrap();
    let stop = |_: Progress| Flow::Break(());
    let error = OpenOptions::new()
        .on_progress(stop)
        .open(&path)
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Interrupted), "{error}");
}

#[test]
fn the_last_score_of_text_and_other_losses_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let [pgn, target] = ["a.pgn", "b.vf"].map(|name| folder.path().join(name));
    fs::write(
        &pgn,
        "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 {[%eval 0.3]} e5 $1 {good [%eval 0.2]} 1-0\n\n\
         [Result \"*\"]\n\n1. d4 *\n\n[Result \"1-0\"]\n\n1. -- 1-0\n\n",
    )
    .unwrap();
    let done = convert(&pgn, &target);
    assert_eq!((done.games, done.skipped), (1, 2));
    let lost: Vec<(&str, u64)> = done
        .losses
        .iter()
        .map(|lost| (lost.what, lost.count))
        .collect();
    for expected in [
        ("games without the names, dates and tags that they had", 1),
        ("comments dropped", 1),
        ("NAGs dropped", 1),
        ("moves without a score given that of an even game", 1),
        ("scores dropped of positions after the last move", 1),
    ] {
        assert!(lost.contains(&expected), "{lost:?}");
    }
    let told = read(&Database::open(&target).unwrap(), GameId(0));
    assert_eq!(lines(&told).len(), 2);
}
