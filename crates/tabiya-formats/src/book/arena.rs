//! Books of Arena (`.abk`).
//!
//! A book is a tree of moves in entries of 28 bytes, little-endian, counted from the beginning of
//! the file. It begins with 03, `AB` and `K` or `2`; the first move is entry 900.
//!
//! | offset | bytes | |
//! |---|---|---|
//! | 0 | 1 | origin: 0 a1, 1 b1 to 63 h8 |
//! | 1 | 1 | target |
//! | 2 | 1 | promotion, signed: 0 none, ±1 rook, ±2 knight, ±3 bishop, ±4 queen |
//! | 3 | 1 | priority: 0 not at all, 9 most |
//! | 4 | 4 | games |
//! | 8 | 4 | games that White won |
//! | 12 | 4 | games that Black won |
//! | 16 | 4 | half-moves, or flags: `0x0100_0000` for an entry that is deleted |
//! | 20 | 4 | entry of the first answer; not more than 0 for none |
//! | 24 | 4 | entry of the next move in the same position; not more than 0 for none |
//!
//! Squares of 255 stand where there is no move.
//!
//! Sources: the page on ABK of the Chess Programming Wiki, from a posting by Jury Osipov; the
//! readers of DroidFish, ChessX and jja. They agree on all but this: only DroidFish says that wins
//! are White's, and what is at 16 has two descriptions, of which the deleted entry is DroidFish's
//! and jja's; only jja asks for the first bytes, which it writes too. No book by Arena itself was
//! at hand: the layout is certain, whose wins they are is probable.
//!
//! The program looks for a position by the moves of the game. Here all entries are played once, and
//! a position has those of all lines that lead to it: their games are added, and the greatest
//! priority counts.

use std::ops::ControlFlow;

use shakmaty::{Chess, Move, Position as _, Role, Square};

use super::{BookFaults, BookMove, BookMoves, BookResults, faults, legal, polyglot};
use crate::{
    File, Report,
    error::{Error, Result},
    progress::Progress,
};

const ENTRY_BYTES: usize = 28;
/// The number of the first entry.
const FIRST_ENTRY: usize = 900;
const MAGIC: &[u8] = b"\x03AB";
const DELETED: u32 = 0x0100_0000;
/// A square of an entry without a move.
const NO_SQUARE: u8 = 255;
/// Entries that are played between two calls for progress: some milliseconds.
const ENTRIES_PER_CALL: usize = 1 << 13;

#[derive(Debug, Clone, Copy)]
struct Entry {
    from: u8,
    to: u8,
    promotion: i8,
    priority: u8,
    games: u32,
    white: u32,
    black: u32,
    flags: u32,
    answer: i32,
    sibling: i32,
}

impl Entry {
    fn read(bytes: &[u8; ENTRY_BYTES]) -> Entry {
        let word = |at: usize| {
            let word = bytes[at..].first_chunk().copied();
            u32::from_le_bytes(word.unwrap_or_default())
        };
        Entry {
            from: bytes[0],
            to: bytes[1],
            promotion: bytes[2].cast_signed(),
            priority: bytes[3],
            games: word(4),
            white: word(8),
            black: word(12),
            flags: word(16),
            answer: word(20).cast_signed(),
            sibling: word(24).cast_signed(),
        }
    }

    /// Whether the entry stands for a move, legal or not.
    fn has_move(&self) -> bool {
        self.flags != DELETED && (self.from, self.to) != (NO_SQUARE, NO_SQUARE)
    }

    fn played(&self, position: &Chess) -> Option<Move> {
        let promotion = match self.promotion.unsigned_abs() {
            0 => None,
            1 => Some(Role::Rook),
            2 => Some(Role::Knight),
            3 => Some(Role::Bishop),
            4 => Some(Role::Queen),
            _ => return None,
        };
        let square = |number: u8| Square::try_from(number).ok();
        legal(position, square(self.from)?, square(self.to)?, promotion)
    }

    fn results(&self) -> BookResults {
        let decided = self.white.saturating_add(self.black);
        BookResults {
            games: self.games,
            white: self.white,
            draws: self.games.saturating_sub(decided),
            black: self.black,
        }
    }
}

#[derive(Debug)]
pub(super) struct Arena {
    file: File,
    /// Of each entry from the first on, the key of the position that it has a move of; 0 if no line
    /// leads to it.
    keys: Vec<u64>,
    /// The entries that lines lead to, from the first on as 0, ascending by their keys.
    order: Vec<u32>,
    faults: BookFaults,
}

impl Arena {
    /// Plays all entries once.
    ///
    /// # Errors
    /// `Corrupt` or `Truncated` if the file is no such book; `Interrupted`.
    pub(super) fn open(file: File, progress: Report<'_>) -> Result<Arena> {
        let length = file.bytes.len();
        if !file.bytes.starts_with(MAGIC) {
            let error = Error::corrupt(faults::NO_ARENA_BOOK);
            return Err(error.at_path(&file.path).at_offset(0));
        }
        let header_bytes = FIRST_ENTRY * ENTRY_BYTES;
        if length < header_bytes {
            let [needed, found] = [header_bytes, length].map(|bytes| bytes as u64);
            let error = Error::truncated("the opening book", needed, found);
            return Err(error.at_path(&file.path));
        }
        let count = (length - header_bytes) / ENTRY_BYTES;
        let mut book = Arena {
            file,
            keys: vec![0; count],
            order: Vec::new(),
            faults: BookFaults::default(),
        };
        book.play_all(progress)?;
        let reached = (0..).zip(&book.keys).filter(|(_, key)| **key != 0);
        book.order = reached.map(|(number, _)| number).collect();
        let keys = &book.keys;
        book.order.sort_by_key(|&number| keys[number as usize]);
        Ok(book)
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn faults(&self) -> &BookFaults {
        &self.faults
    }

    /// Plays all lines, and keeps of each entry the key of its position.
    fn play_all(&mut self, progress: Report<'_>) -> Result<()> {
        let total = self.file.bytes.len() as u64;
        let mut done = 0_usize;
        // First moves of positions; each entry is the first of at most one that is kept here.
        let mut waiting = Vec::new();
        if !self.keys.is_empty() {
            waiting.push((0, Chess::default()));
        }
        while let Some((first, position)) = waiting.pop() {
            let key = key(&position);
            let mut next = Some(first);
            while let Some(number) = next {
                if self.is_known(number, key) {
                    break;
                }
                self.keys[number] = key;
                done += 1;
                if done.is_multiple_of(ENTRIES_PER_CALL) {
                    let at = Progress::of((done * ENTRY_BYTES) as u64, total);
                    if let ControlFlow::Break(()) = progress(at) {
                        return Err(Error::interrupted());
                    }
                }
                let Some(entry) = self.entry(number) else {
                    break;
                };
                if let Some(position) = self.after(number, &entry, &position)
                    && let Some(answer) = self.target(entry.answer, number, 20)
                {
                    waiting.push((answer, position));
                }
                next = self.target(entry.sibling, number, 24);
            }
        }
        Ok(())
    }

    /// Whether an entry was met before, which is a fault if it was in another position.
    fn is_known(&mut self, number: usize, key: u64) -> bool {
        let known = self.keys[number];
        if known != 0 && known != key {
            self.fault(number, 0, faults::TWO_POSITIONS);
        }
        known != 0
    }

    /// Returns the position after the move of an entry, if it can be played.
    fn after(&mut self, number: usize, entry: &Entry, position: &Chess) -> Option<Chess> {
        if !entry.has_move() {
            return None;
        }
        let Some(played) = entry.played(position) else {
            self.fault(number, 0, faults::ILLEGAL_BOOK_MOVE);
            return None;
        };
        let mut position = position.clone();
        position.play_unchecked(played);
        Some(position)
    }

    /// Returns the entry, from the first on, that a number in another one means.
    fn target(&mut self, stored: i32, number: usize, at: usize) -> Option<usize> {
        let stored = usize::try_from(stored).ok().filter(|stored| *stored > 0)?;
        let target = stored.checked_sub(FIRST_ENTRY);
        let target = target.filter(|target| *target < self.keys.len());
        if target.is_none() {
            self.fault(number, at, faults::NO_ENTRY);
        }
        target
    }

    fn fault(&mut self, number: usize, at: usize, what: crate::damage::Flaw) {
        let path = &self.file.path;
        self.faults.add(|| fault(number, at, what).at_path(path));
    }

    fn entry(&self, number: usize) -> Option<Entry> {
        let bytes = self.file.bytes.get(offset(number)..)?;
        Some(Entry::read(bytes.first_chunk()?))
    }

    pub(super) fn moves(&self, position: &Chess) -> BookMoves {
        let key = key(position);
        let key_of = |number: &u32| self.keys.get(*number as usize).copied();
        let first = self
            .order
            .partition_point(|number| key_of(number) < Some(key));
        let mut found = BookMoves::default();
        let numbers = self.order[first..].iter();
        for &number in numbers.take_while(|number| key_of(number) == Some(key)) {
            let number = number as usize;
            let Some(entry) = self.entry(number).filter(Entry::has_move) else {
                continue;
            };
            match entry.played(position) {
                Some(played) => found.add_entry(played, &entry),
                None => found
                    .faults
                    .add(|| fault(number, 0, faults::ILLEGAL_BOOK_MOVE).at_path(&self.file.path)),
            }
        }
        found
    }
}

impl BookMoves {
    /// Adds an entry of Arena's; its games count besides those of the same move.
    fn add_entry(&mut self, played: Move, entry: &Entry) {
        let more = entry.results();
        let same = self.moves.iter_mut().find(|found| found.played == played);
        let Some(known) = same else {
            self.moves.push(BookMove {
                priority: Some(entry.priority),
                results: Some(more),
                ..BookMove::new(played)
            });
            return;
        };
        known.priority = known.priority.max(Some(entry.priority));
        known.results = known.results.map(|sum| BookResults {
            games: sum.games.saturating_add(more.games),
            white: sum.white.saturating_add(more.white),
            draws: sum.draws.saturating_add(more.draws),
            black: sum.black.saturating_add(more.black),
        });
    }
}

/// Returns the key of a position, but never 0.
fn key(position: &Chess) -> u64 {
    polyglot::key(position).max(1)
}

/// Returns where an entry begins, counted from the first on.
fn offset(number: usize) -> usize {
    (FIRST_ENTRY + number) * ENTRY_BYTES
}

fn fault(number: usize, at: usize, what: crate::damage::Flaw) -> Error {
    Error::corrupt(what).at_offset((offset(number) + at) as u64)
}
