//! Stockfish's training data is read as an independent decoder reads it, and damage costs little.

use std::{fs, time::Instant};

use rayon::prelude::*;
use tabiya::{
    Database, Error, ErrorKind, Flow, FormatKind, GameId, OpenOptions, Progress, Strategy,
};

use crate::support::{
    ask, binpack,
    binpack::{Step, block, chains, encoded, random_chain, random_file, told},
    dice::Dice,
    exercise,
    losses::every_target,
    shared,
};

const CHAINS_A_BLOCK: usize = 5;

fn open(bytes: &[u8]) -> Result<Database, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.binpack");
    fs::write(&path, bytes).unwrap();
    Database::read(&path)
}

fn lines(steps: &[Step]) -> Vec<String> {
    steps.iter().map(Step::line).collect()
}

fn games(database: &Database) -> impl Iterator<Item = GameId> {
    database.games()
}

/// All games are those of the chains, which an independent decoder has read.
fn is_read_alike(database: &Database, chains: &[(Vec<Step>, usize)]) {
    assert_eq!(database.kind(), FormatKind::Stockfish);
    assert!(database.notes().is_empty(), "{:?}", database.notes());
    assert_eq!(database.len() as usize, chains.len());
    games(database)
        .zip(chains)
        .collect::<Vec<_>>()
        .into_par_iter()
        .for_each(|(id, (steps, length))| {
            assert_eq!(told(database, id).unwrap(), lines(steps), "{id:?}");
            let facts = database.facts(id).unwrap();
            let plies = steps.iter().filter(|step| step.played.is_some()).count();
            assert_eq!(facts.length_bytes as usize, *length);
            assert_eq!(facts.plies.exact(), Some(plies as u32));
        });
    let verified = database.verify().unwrap();
    assert_eq!(verified.damaged, 0, "{:?}", verified.damaged_games);
}

#[test]
fn every_entry_of_a_real_file_is_what_an_independent_decoder_reads() {
    let Some(path) = shared::path("data/training/sf-small.binpack") else {
        return;
    };
    let chains = chains(&fs::read(&path).unwrap());
    let lengths: Vec<usize> = chains.iter().map(|(steps, _)| steps.len()).collect();
    assert_eq!(lengths.iter().sum::<usize>(), 434_921);
    assert_eq!(lengths.len(), 4304);
    assert_eq!(lengths.iter().filter(|length| **length == 1).count(), 39);
    assert_eq!(lengths.iter().max(), Some(&416));
    let steps = chains.iter().flat_map(|(steps, _)| steps);
    let unscored = steps.filter(|step| step.score == binpack::NO_SCORE);
    assert_eq!(unscored.count(), 10_200);
    is_read_alike(&Database::open(path).unwrap(), &chains);
}

/// In it a pawn could be captured en passant if its side were not in check.
#[test]
fn an_en_passant_square_counts_only_if_a_legal_move_captures_there() {
    let Some(path) = shared::path("data/training/sf-ep1.binpack") else {
        return;
    };
    let chains = chains(&fs::read(&path).unwrap());
    let fens = chains[0].0.iter().map(Step::line);
    assert!(fens.clone().all(|line| line.contains(" - ")), "{chains:?}");
    is_read_alike(&Database::open(path).unwrap(), &chains);
}

#[test]
fn made_files_are_read_as_they_were_written() {
    for seed in 0..20 {
        let mut dice = Dice::new(seed);
        let written: Vec<Vec<Step>> = (0..40).map(|_| random_chain(&mut dice)).collect();
        let parts: Vec<Vec<u8>> = written.iter().map(|steps| encoded(steps)).collect();
        let bytes: Vec<u8> = parts.chunks(CHAINS_A_BLOCK).flat_map(block).collect();
        let read = chains(&bytes);
        for (steps, (read, _)) in written.iter().zip(&read) {
            assert_eq!(lines(steps), lines(read));
        }
        is_read_alike(&open(&bytes).unwrap(), &read);
    }
}

#[test]
fn loose_positions_are_games_of_their_move_or_of_none() {
    let mut dice = Dice::new(4);
    let loose: Vec<Vec<Step>> = std::iter::repeat_with(|| random_chain(&mut dice))
        .filter(|steps| steps.len() == 1)
        .take(300)
        .collect();
    let parts: Vec<Vec<u8>> = loose.iter().map(|steps| encoded(steps)).collect();
    assert!(parts.iter().all(|part| part.len() == 34));
    let database = open(&block(&parts)).unwrap();
    let moveless = |steps: &&Vec<Step>| steps[0].played.is_none();
    let count = loose.iter().filter(moveless).count();
    assert!((1..300).contains(&count));
    for strategy in [Strategy::Auto, Strategy::FullDecode] {
        let found = ask::numbers(&database, "plies:0", strategy, false);
        assert_eq!(found.len(), count);
    }
    is_read_alike(&database, &chains(&block(&parts)));
}

#[test]
fn games_with_scores_lose_on_their_way_what_is_reported_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source.binpack");
    fs::write(&source, random_file(&mut Dice::new(5), 60)).unwrap();
    every_target(&source, folder.path());
}

#[test]
fn any_harm_to_a_file_of_stockfish_is_survived() {
    let whole = random_file(&mut Dice::new(6), 12);
    let database = open(&whole).unwrap();
    let blocks = binpack::blocks(&whole);
    assert_eq!(blocks.len(), 3);
    let known: Vec<(usize, usize, Vec<String>)> = games(&database)
        .map(|id| {
            let facts = database.facts(id).unwrap();
            let start = facts.offset_bytes as usize;
            let end = start + facts.length_bytes as usize;
            (start, end, told(&database, id).unwrap())
        })
        .collect();
    let place = |block: &[u8]| block.as_ptr() as usize - whole.as_ptr() as usize;
    let block_of = |at: usize| blocks.iter().rposition(|block| at + 8 >= place(block));
    (0..whole.len()).into_par_iter().for_each(|at| {
        // What is before the end of a cut file is read.
        if let Ok(cut) = open(&whole[..at]) {
            exercise::records(&cut);
            if at >= 8 {
                let before = known.iter().filter(|(_, end, _)| *end <= at).count();
                let read = games(&cut).filter(|&id| told(&cut, id).is_ok()).count();
                assert_eq!(read, before, "cut at {at}");
            }
        }
        for value in [0, 1, 0x7f, 0xff, whole[at] ^ 1, whole[at] ^ 0x80] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            let Ok(changed) = open(&bytes) else {
                assert!(at < 4, "byte {at}");
                continue;
            };
            if at < 4 && value != whole[at] {
                continue;
            }
            let read = |id| {
                let start = changed.facts(id).unwrap().offset_bytes as usize;
                told(&changed, id).ok().map(|lines| (start, lines))
            };
            let read: Vec<(usize, Vec<String>)> = games(&changed).filter_map(read).collect();
            for (start, end, lines) in &known {
                let is_elsewhere = block_of(*start) != block_of(at) || *end <= at;
                let found = read.iter().any(|(at, found)| at == start && found == lines);
                assert!(!is_elsewhere || found, "byte {at}, game at {start}");
            }
        }
    });
}

#[test]
fn a_damaged_game_is_told_with_its_offset_and_those_behind_it_are_read() {
    let mut dice = Dice::new(7);
    let long = std::iter::repeat_with(|| random_chain(&mut dice)).filter(|steps| steps.len() > 9);
    let parts: Vec<Vec<u8>> = long.take(9).map(|steps| encoded(&steps)).collect();
    let whole = block(&parts);
    let known = open(&whole).unwrap();
    for damaged in 0..parts.len() {
        let at = 8 + parts[..damaged].concat().len();
        for harm in [0, 8, 32] {
            let mut bytes = whole.clone();
            // No men, unknown men, more entries than there are bytes.
            let end = at + harm + if harm == 32 { 2 } else { 8 };
            bytes[at + harm..end].fill(if harm == 0 { 0 } else { 0xff });
            let database = open(&bytes).unwrap();
            assert_eq!(database.len(), known.len());
            for id in games(&database) {
                let read = told(&database, id);
                if id.index() != damaged {
                    assert_eq!(read.unwrap(), told(&known, id).unwrap());
                    continue;
                }
                let error = read.unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
                assert_eq!(error.game(), Some(id.number_in_part()));
                assert!(error.offset().unwrap() >= at as u64);
            }
            let note = database.notes().iter().find(|note| note.game().is_some());
            let note = note.expect("a note about the damaged game");
            assert_eq!(note.game(), Some(damaged as u32 + 1));
            let verified = database.verify().unwrap();
            assert_eq!(verified.damaged, 1);
        }
    }
}

#[test]
fn lengths_of_blocks_that_cannot_be_cost_no_other_block() {
    let mut dice = Dice::new(8);
    let parts: Vec<Vec<u8>> = (0..12).map(|_| encoded(&random_chain(&mut dice))).collect();
    let blocks: Vec<Vec<u8>> = parts.chunks(4).map(block).collect();
    let whole = blocks.concat();
    let known = open(&whole).unwrap();
    let mut head = 0;
    for part in &blocks {
        for length in [0, 1, 33, 34, 100, 1 << 20, (100 << 20) + 1, u32::MAX] {
            let mut bytes = whole.clone();
            bytes[head + 4..head + 8].copy_from_slice(&u32::to_le_bytes(length));
            let database = open(&bytes).unwrap();
            assert!(!database.notes().is_empty(), "{length}");
            let all = |database: &Database| -> Vec<Vec<String>> {
                games(database)
                    .map(|id| told(database, id).unwrap())
                    .collect()
            };
            assert_eq!(all(&database), all(&known), "{length}");
        }
        head += part.len();
    }
}

/// Stems that all seem to begin a chain of 65 536 entries, which damage ends.
#[test]
fn the_search_behind_damaged_games_takes_a_bounded_time() {
    let mut dice = Dice::new(9);
    let long = std::iter::repeat_with(|| random_chain(&mut dice)).find(|steps| steps.len() > 40);
    let mut part = encoded(&long.unwrap());
    part[32..34].fill(0xff);
    let parts = vec![part; 20_000];
    let begun = Instant::now();
    let database = open(&block(&parts)).unwrap();
    assert!(!database.is_empty() && database.notes().len() <= 100);
    assert!(begun.elapsed().as_secs() < 60);
}

#[test]
fn opening_stops_when_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.binpack");
    fs::write(&path, random_file(&mut Dice::new(10), 20)).unwrap();
    let stop = |_: Progress| Flow::Break(());
    let error = OpenOptions::new()
        .on_progress(stop)
        .open(&path)
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Interrupted), "{error}");
}

#[test]
fn scores_are_asked_like_those_of_other_training_data() {
    let Some(database) = shared::database("training/sf-small.binpack") else {
        return;
    };
    for query in [
        "at(score:0.9..)",
        "at(score:0.4..0.6 check)",
        "at(visits:e4=0.5..)",
    ] {
        let by = |strategy| ask::numbers(&database, query, strategy, false);
        let found = by(Strategy::Auto);
        assert_eq!(found, by(Strategy::FullDecode), "{query}");
        assert_eq!(found.is_empty(), query.contains("visits"), "{query}");
    }
}
