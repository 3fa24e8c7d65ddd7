//! The promise, format by format.

use std::{fs, ops::Range, path::PathBuf};

use tabiya::{
    ConvertOptions, Flow, convert,
    format::{MontyLayout as Layout, Overwrite, ScdbLayout},
};
use tempfile::TempDir;

use super::{Patient, Whole, damage};
use crate::support::{
    dice::Dice,
    game::PlainGame,
    pool::{random_game, training_game, written},
    shared,
};

const SEEDS: u64 = 4;

/// Where records of one length lie in an index.
pub(super) fn records(header: u64, length: u64) -> impl Fn(u64) -> Option<Range<u64>> {
    move |game| {
        let start = header + game * length;
        Some(start..start + length)
    }
}

fn no_records(_: u64) -> Option<Range<u64>> {
    None
}

/// Makes a database of random games in the format of a file name.
pub(super) fn made(name: &str, seed: u64, options: ConvertOptions) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice::new(seed);
    let count = 60 + dice.below(140);
    let games: Vec<PlainGame> = (0..count).map(|_| random_game(&mut dice)).collect();
    let parts = written(&games);
    let first = folder.path().join("first.si4");
    fs::write(&first, parts.index).unwrap();
    fs::write(first.with_extension("sg4"), parts.games.unwrap()).unwrap();
    fs::write(first.with_extension("sn4"), parts.names.unwrap()).unwrap();
    let path = folder.path().join(name);
    convert(&[first], &path, options, &mut |_| Flow::Continue(())).unwrap();
    (folder, path)
}

/// Damages a database again and again, singly and in stretches, and repairs it into two formats.
pub(super) fn recovers(patient: &Patient, seed: u64, numbered: bool) {
    recovers_into(patient, ["new.si4", "new.pgn"], seed, numbered);
}

fn recovers_into(patient: &Patient, targets: [&str; 2], seed: u64, numbered: bool) {
    let mut dice = Dice::new(seed);
    for (kind, make) in [
        ("bytes", damage::bytes as fn(&mut _, &mut _)),
        ("sectors", damage::sectors),
    ] {
        let (mut untouched, mut saved, mut games) = (0, 0, 0);
        for target in targets {
            let harm = patient.harm(make, &mut dice);
            let (kept, all) = patient.recovers(&harm, target, numbered);
            untouched += kept;
            saved += all;
            games += patient.whole.moves.len();
        }
        let name = patient.whole.index.display();
        println!("{name}, {kind}: of {games} games {untouched} untouched, {saved} saved");
    }
}

fn with_records(name: &str, header: u64, length: u64, options: &ConvertOptions) {
    for seed in 0..SEEDS {
        let (folder, path) = made(name, seed, options.clone());
        let whole = Whole::new(&path, records(header, length));
        recovers(&Patient::new(folder, whole), seed, true);
    }
}

#[test]
fn of_a_scid_4_database_every_undamaged_game_comes_over() {
    with_records("old.si4", 182, 47, &ConvertOptions::default());
}

#[test]
fn of_a_scid_5_database_every_undamaged_game_comes_over() {
    with_records("old.si5", 0, 56, &ConvertOptions::default());
}

#[test]
fn of_a_chessbase_database_every_undamaged_game_comes_over() {
    with_records("old.cbh", 46, 46, &ConvertOptions::default());
}

#[test]
fn of_a_database_of_chessbase_2_every_undamaged_game_comes_over() {
    with_records("old.2cbh", 192, 192, &ConvertOptions::default());
}

#[test]
fn of_simple_chess_databases_every_undamaged_game_comes_over() {
    with_records("old.dci", 19, 39, &ConvertOptions::default());
    let mut options = ConvertOptions::default();
    options = options.layout(ScdbLayout::Described);
    with_records("old.dci", 11, 61, &options);
}

/// PGN has no records: a game is its own text, from the empty line before it to the next game.
#[test]
fn of_pgn_every_undamaged_game_comes_over() {
    for seed in 0..SEEDS {
        let (folder, path) = made("old.pgn", seed, ConvertOptions::from(Overwrite::Refuse));
        let mut whole = Whole::new(&path, no_records);
        for (_, text) in whole.places.iter_mut().flatten() {
            text.start = text.start.saturating_sub(2);
        }
        recovers(&Patient::new(folder, whole), seed, false);
    }
}

/// Training data has no records: a game is its own bytes, its head included. A game without moves
/// that has lost its neighbour before it cannot be told from other bytes.
#[test]
fn of_training_data_every_undamaged_game_comes_over() {
    for (seed, layout) in (0..).zip([Layout::Policy, Layout::Value, Layout::OldValue]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.binpack");
        let mut dice = Dice::new(seed);
        let games = (0..150).map(|_| training_game(&mut dice, layout));
        let games: Vec<u8> = games.flatten().collect();
        fs::write(&path, games).unwrap();
        let mut whole = Whole::new(&path, no_records);
        whole.retain(|moves, _| !moves.is_empty());
        recovers(&Patient::new(folder, whole), seed, false);
    }
}

/// The tables of a live database of jose: a game is its row of moves, here one that lies in one
/// block; without the other row it has no header. What describes the tables is whole.
#[test]
fn of_joses_tables_every_undamaged_game_comes_over() {
    let Some(source) = shared::path("data/jose/live-mysql-jose") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jose");
    fs::create_dir(&path).unwrap();
    for file in fs::read_dir(source).unwrap() {
        let file = file.unwrap().path();
        let copy = path.join(file.file_name().unwrap());
        // A copy that may be written to.
        fs::write(copy, fs::read(file).unwrap()).unwrap();
    }
    let mut whole = Whole::new(&path, no_records);
    let rows = fs::read(path.join("MoreGame.MYD")).unwrap();
    // Kinds of blocks from 5 on begin rows that go on elsewhere.
    whole.retain(|_, places| rows[places[0].1.start as usize] < 5);
    let names = ["Player.MYD", "Event.MYD", "Site.MYD"];
    whole.files.extend(names.map(|name| path.join(name)));
    // Some games are of Chess960, which a `.si4` database cannot hold.
    recovers_into(
        &Patient::new(folder, whole),
        ["new.si5", "new.pgn"],
        1,
        false,
    );
}
