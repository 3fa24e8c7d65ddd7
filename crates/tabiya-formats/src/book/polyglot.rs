//! Books in the format that PolyGlot introduced (`.bin`).
//!
//! A book is a list of entries of 16 bytes, big-endian, ascending by key:
//!
//! | offset | bytes | |
//! |---|---|---|
//! | 0 | 8 | key of the position |
//! | 8 | 2 | move |
//! | 10 | 2 | weight: 0 is not to be played |
//! | 12 | 4 | learning; 0 in most books |
//!
//! The key is a hash of men, castling rights, en-passant file and side to move, by 781 published
//! random numbers. The file counts if a pawn of the side to move stands beside the pawn that has
//! just gone two squares, even if it may not capture.
//!
//! A move has the file and rank of the target in bits 0 to 5, those of the origin in bits 6 to 11
//! and the promotion in bits 12 to 14 (1 knight to 4 queen); castling is the king's move to the
//! rook's square. Some programs write the king's own move for it, which is read too.
//!
//! Source: the format's description by Michel Van den Bergh, with nine positions and their keys,
//! which are tested here; python-chess gives the same keys for random positions and reads the same
//! entries. Certain.

use shakmaty::{Chess, EnPassantMode, Move, Position as _, Role, Square, zobrist::Zobrist64};

use super::{BookMove, BookMoves, faults, legal};
use crate::{
    File,
    bytes::Cursor,
    error::{Error, Result},
};

/// Length of an entry in bytes.
pub const ENTRY_BYTES: usize = 16;

/// Entries at the beginning that must be in order. Other files with this suffix fail sooner.
const TRIAL_ENTRIES: usize = 1024;

const KNIGHT_TO_QUEEN: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Returns the key of a position.
#[must_use]
pub fn key(position: &Chess) -> u64 {
    let key: Zobrist64 = position.zobrist_hash(EnPassantMode::PseudoLegal);
    key.0
}

/// Returns a move as 16 bits; `None` for one that puts a man on the board.
#[must_use]
pub fn coded(played: Move) -> Option<u16> {
    let (from, to) = (played.from()?, played.to());
    let promotion = match played.promotion() {
        None => 0,
        Some(role) => 1 + KNIGHT_TO_QUEEN.iter().position(|known| *known == role)? as u16,
    };
    Some(to as u16 | (from as u16) << 6 | promotion << 12)
}

/// Returns the bytes of an entry that nothing was learnt of.
#[must_use]
pub fn entry(key: u64, coded: u16, weight: u16) -> [u8; ENTRY_BYTES] {
    let mut bytes = [0; ENTRY_BYTES];
    bytes[..8].copy_from_slice(&key.to_be_bytes());
    bytes[8..10].copy_from_slice(&coded.to_be_bytes());
    bytes[10..12].copy_from_slice(&weight.to_be_bytes());
    bytes
}

/// Returns the move that 16 bits mean in a position; `None` if it is not legal.
fn decoded(position: &Chess, coded: u16) -> Option<Move> {
    let square = |bits: u16| Square::new(u32::from(bits & 63));
    let promotion = match coded >> 12 {
        0 => None,
        number => Some(*KNIGHT_TO_QUEEN.get(usize::from(number) - 1)?),
    };
    legal(position, square(coded >> 6), square(coded), promotion)
}

/// An entry without its key.
struct Entry {
    coded: u16,
    weight: u16,
    learn: u32,
}

impl Entry {
    /// Whether these can be the bits of a move.
    fn is_possible(&self) -> bool {
        usize::from(self.coded >> 12) <= KNIGHT_TO_QUEEN.len()
    }
}

#[derive(Debug)]
pub(super) struct Polyglot {
    file: File,
}

impl Polyglot {
    /// # Errors
    /// `Corrupt` or `Truncated` if the file is no such book.
    pub(super) fn open(file: File) -> Result<Polyglot> {
        let length = file.bytes.len();
        let refused = |error: Error| Err(error.at_path(&file.path));
        if length < ENTRY_BYTES {
            let [needed, found] = [ENTRY_BYTES, length].map(|bytes| bytes as u64);
            return refused(Error::truncated("the opening book", needed, found));
        }
        if !length.is_multiple_of(ENTRY_BYTES) {
            let at = length / ENTRY_BYTES * ENTRY_BYTES;
            return refused(Error::corrupt(faults::PART_OF_ENTRY).at_offset(at as u64));
        }
        let book = Polyglot { file };
        let mut before = 0;
        for number in 0..TRIAL_ENTRIES.min(book.entries()) {
            let is_sound = book.entry(number).is_some_and(|entry| entry.is_possible());
            let key = book.key(number);
            if key < before || !is_sound {
                let error = Error::corrupt(faults::NO_POLYGLOT_BOOK);
                let at = (number * ENTRY_BYTES) as u64;
                return Err(error.at_path(&book.file.path).at_offset(at));
            }
            before = key;
        }
        Ok(book)
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    fn entries(&self) -> usize {
        self.file.bytes.len() / ENTRY_BYTES
    }

    /// Returns the key of an entry; all ones behind the last.
    fn key(&self, number: usize) -> u64 {
        let bytes = self.file.bytes.get(number * ENTRY_BYTES..);
        let key = bytes.and_then(|bytes| bytes.first_chunk());
        key.map_or(u64::MAX, |key| u64::from_be_bytes(*key))
    }

    fn entry(&self, number: usize) -> Option<Entry> {
        let mut cursor = Cursor::new(self.file.bytes.get(number * ENTRY_BYTES + 8..)?);
        Some(Entry {
            coded: cursor.u16_be()?,
            weight: cursor.u16_be()?,
            learn: cursor.uint_be(4)?,
        })
    }

    pub(super) fn moves(&self, position: &Chess) -> BookMoves {
        let key = key(position);
        // The first entry whose key is not less.
        let (mut first, mut end) = (0, self.entries());
        while first < end {
            let middle = usize::midpoint(first, end);
            if self.key(middle) < key {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        let mut found = BookMoves::default();
        let numbers = (first..self.entries()).take_while(|&number| self.key(number) == key);
        for number in numbers {
            let Some(entry) = self.entry(number) else {
                break;
            };
            let Some(played) = decoded(position, entry.coded) else {
                let at = (number * ENTRY_BYTES + 8) as u64;
                found.faults.add(|| {
                    let error = Error::corrupt(faults::ILLEGAL_BOOK_MOVE);
                    error.at_path(&self.file.path).at_offset(at)
                });
                continue;
            };
            found.add(played, &entry);
        }
        found
    }
}

impl BookMoves {
    /// Adds an entry of PolyGlot's; its weight counts besides that of the same move.
    fn add(&mut self, played: Move, entry: &Entry) {
        let weight = u32::from(entry.weight);
        match self.moves.iter_mut().find(|found| found.played == played) {
            Some(known) => {
                known.weight = known.weight.map(|sum| sum.saturating_add(weight));
            }
            None => self.moves.push(BookMove {
                weight: Some(weight),
                learn: Some(entry.learn),
                ..BookMove::new(played)
            }),
        }
    }
}
