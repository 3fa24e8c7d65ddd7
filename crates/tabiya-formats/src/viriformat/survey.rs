//! Surveys all games of a file in parallel.
//!
//! A game ends at four zero bytes, so games are found without reading their moves, and batches of
//! them are read on all threads. After a damaged game the next one is searched for, byte by byte: a
//! game whose start can be and whose moves are all legal, or the place after the zero bytes if a
//! start is there. What lies between is one damaged game. So damage costs the game that it is in.
//! The search takes a bounded number of steps for each byte of the file; then the rest of it is one
//! damaged game.

use std::ops::Range;

use rayon::prelude::*;
use tabiya_chess::{
    FinalMaterial, Follow as _, GameResult, Start,
    follow::{break_if, make},
    variant::starts_chess960,
};

use super::{
    flaws,
    game::{MOVE_BYTES, ScoredGame},
    header::{HEAD_BYTES, Head},
};
use crate::{
    Decoded, Report,
    error::{Error, Result},
    facts::Facts as MoveFacts,
    header::flag,
    progress::Progress,
    training::{Facts, Game as _, Notes, Record, reserve},
};

/// Largest number of games found before they are read.
const BATCH_GAMES: usize = 1 << 14;
/// Least number of games that one thread reads at a time.
const TASK_GAMES: usize = 64;
/// Games by which a file is recognised.
const TRIAL_GAMES: usize = 8;
/// Starts, moves and words that may be tried in vain for each byte of a file.
const STEPS_PER_BYTE: usize = 8;
/// Places tried between two reports of progress.
const PAUSE_BYTES: usize = 1 << 20;

/// Whether a file begins with whole games.
pub fn is_viriformat(bytes: &[u8]) -> bool {
    let (mut at, mut steps) = (0, usize::MAX);
    for games in 0..TRIAL_GAMES {
        if at == bytes.len() {
            return games > 0;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let Some((length, _)) = whole(rest, &mut steps) else {
            return false;
        };
        at += length;
    }
    true
}

/// Surveys all games. Also returns notes about the first damaged ones.
///
/// # Errors
/// `Corrupt` if no game is whole; `LimitExceeded` if there are too many games; `Interrupted` after
/// a `Break` from `progress`.
pub(super) fn survey(bytes: &[u8], progress: Report<'_>) -> Result<(Vec<Record>, Vec<Error>)> {
    let mut survey = Survey {
        bytes,
        at: 0,
        steps: STEPS_PER_BYTE.saturating_mul(bytes.len()),
        records: Vec::new(),
        notes: Notes::default(),
        has_whole_game: false,
    };
    // After damage the next games may not be where they seem to be, so few are read at first.
    let mut batch_games = 1;
    while survey.at < bytes.len() {
        let is_in_step = survey.read_batch(batch_games, progress)?;
        batch_games = if is_in_step {
            (2 * batch_games).min(BATCH_GAMES)
        } else {
            1
        };
        survey.report(progress, survey.at)?;
        reserve(&mut survey.records, survey.at, bytes.len())?;
    }
    if !bytes.is_empty() && !survey.has_whole_game {
        return Err(Error::corrupt(flaws::NO_GAME));
    }
    survey.records.shrink_to_fit();
    Ok((survey.records, survey.notes.into_errors()))
}

struct Survey<'b> {
    bytes: &'b [u8],
    /// Where the next game begins.
    at: usize,
    /// Steps that are left for what is done in vain.
    steps: usize,
    records: Vec<Record>,
    notes: Notes,
    has_whole_game: bool,
}

impl Survey<'_> {
    fn report(&self, progress: Report<'_>, at: usize) -> Result<()> {
        let done = Progress::of(at as u64, self.bytes.len() as u64);
        if progress(done).is_break() {
            return Err(Error::interrupted());
        }
        Ok(())
    }

    /// Reads the next games, at most this number. Returns whether they were where they should be.
    fn read_batch(&mut self, games: usize, progress: Report<'_>) -> Result<bool> {
        let places = find_games(self.bytes, self.at, games);
        let read: Vec<(Facts, Decoded<usize>)> = places
            .par_iter()
            .with_min_len(TASK_GAMES)
            .map(|place| survey_game(self.bytes.get(place.clone()).unwrap_or_default()))
            .collect();
        for (place, (facts, read)) in places.iter().zip(read) {
            if place.start < self.at {
                self.charge(place);
                continue;
            }
            if place.start > self.at {
                let rest = place.start..places.last().map_or(place.end, |last| last.end);
                self.charge(&rest);
                return Ok(false);
            }
            let end = match read {
                Ok(length) => place.start + length,
                Err(damage) => {
                    let number = u32::try_from(self.records.len() + 1).unwrap_or(u32::MAX);
                    let at = place.start as u64 + u64::from(damage.at);
                    let error = Error::corrupt(damage.what).in_game(number);
                    self.notes.add(error.at_offset(at));
                    self.next_game(place, progress)?
                }
            };
            self.has_whole_game |= facts.end.is_some();
            let length = end - place.start;
            self.records
                .push(Record::new((place.start as u64, length), &facts));
            self.at = end;
        }
        Ok(places.last().is_some_and(|last| last.end == self.at))
    }

    /// Counts the words of a place that was read in vain.
    fn charge(&mut self, place: &Range<usize>) {
        self.steps = self.steps.saturating_sub(place.len() / MOVE_BYTES);
    }

    /// Returns where the game after a damaged one begins, or the end of the file. The damaged game
    /// seems to end where its place does.
    fn next_game(&mut self, damaged: &Range<usize>, progress: Report<'_>) -> Result<usize> {
        self.charge(damaged);
        let rest = |at: usize| self.bytes.get(at..).unwrap_or_default();
        for at in damaged.start + 1..self.bytes.len() {
            if at.is_multiple_of(PAUSE_BYTES) {
                self.report(progress, at)?;
            }
            let begins = at == damaged.end && may_begin(rest(at));
            if begins {
                return Ok(at);
            }
            if self.steps == 0 {
                break;
            }
            let mut steps = self.steps;
            let found = whole(rest(at), &mut steps);
            // A position alone proves little.
            let is_game = found.is_some_and(|(length, moves)| {
                let after = rest(at + length);
                moves > 0 || after.is_empty() || may_begin(after)
            });
            self.steps = steps;
            if is_game {
                return Ok(at);
            }
        }
        Ok(self.bytes.len())
    }
}

/// Finds the next games by the zero bytes after them, at most this number. The last may lack them.
fn find_games(bytes: &[u8], mut at: usize, games: usize) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    while at < bytes.len() && places.len() < games {
        let moves = bytes.get(at + HEAD_BYTES..).unwrap_or_default();
        let (moves, _) = moves.as_chunks::<MOVE_BYTES>();
        let count = moves.iter().position(|&bytes| bytes == [0; MOVE_BYTES]);
        let end = count.map_or(bytes.len(), |count| {
            at + HEAD_BYTES + MOVE_BYTES * (count + 1)
        });
        places.push(at..end);
        at = end;
    }
    places
}

/// Reads a game; returns what is known of it, and its length or what is wrong with it.
fn survey_game(bytes: &[u8]) -> (Facts, Decoded<usize>) {
    let mut facts = Facts {
        flags: 0,
        result: GameResult::Unknown,
        comments: 0,
        end: None,
    };
    let game = match ScoredGame::open(bytes, false) {
        Ok(game) => game,
        Err(damage) => return (facts, Err(damage)),
    };
    facts.result = game.head.result;
    let mut moves = MoveFacts::STANDARD;
    let _ = moves.start(game.start());
    if let Start::Custom(setup) = game.start()
        && starts_chess960(setup)
    {
        facts.flags = flag::CHESS960;
    }
    let read = game.walk(|ply| {
        make(ply.played, ply.turn, &mut moves);
        moves.ply_done()
    });
    facts.flags |= moves.flags;
    facts.comments = moves.plies + u32::from(game.is_loose());
    if read.is_ok() {
        facts.end = Some((moves.plies, FinalMaterial::of(moves.counts)));
    }
    (facts, read)
}

/// Whether a game may begin here.
fn may_begin(bytes: &[u8]) -> bool {
    let head = bytes.first_chunk::<HEAD_BYTES>();
    head.is_some_and(|head| Head::read(head).is_ok_and(|head| head.position().is_ok()))
}

/// Returns length and number of moves of the game at the beginning of some bytes; `None` if it is
/// damaged, or too long for the steps that are left.
fn whole(bytes: &[u8], steps: &mut usize) -> Option<(usize, u32)> {
    *steps = steps.saturating_sub(1);
    let game = ScoredGame::open(bytes, false).ok()?;
    let mut moves = 0;
    let read = game.walk(|_| {
        moves += 1;
        *steps = steps.saturating_sub(1);
        break_if(*steps == 0)
    });
    let length = read.ok()?;
    (*steps > 0).then_some((length, moves))
}
