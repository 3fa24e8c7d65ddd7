//! Books of ChessBase (`.ctg` with `.cto` and `.ctb`). All numbers are big-endian.
//!
//! `.ctg` has pages of 4096 bytes. The first is a header, which is not read. Another begins with
//! the number of its positions (2 bytes) and of its bytes that are used (2); then follow positions:
//!
//! | bytes | |
//! |---|---|
//! | 1 to 31 | the position, beginning with its length |
//! | 1 | length of the moves, with this byte |
//! | 2 each | a move, and in the low five bits of its second byte the glyph, as in PGN |
//! | 3 | games |
//! | 3, 3, 3 | games that the side to move won, lost and drew |
//! | 4 | unknown |
//! | 3, 4, 3, 4 | games and sum of two ratings |
//! | 1 | colour of the move that led here: 0x80 green, 0x40 red |
//! | 1, 1 | unknown; a glyph of the position |
//!
//! `.cto` says from offset 16 on, in 4 bytes each, at which page the positions of a hash are, -1
//! for none; page 0 is that after the header. Of a hash those entries are looked at whose numbers
//! are `(hash & n) + n` with n = 0, 1, 3, 7 and so on; `.ctb` has at offset 4 and 8 the least and
//! the greatest number.
//!
//! What a book knows of a move is with the position after it; of a move to a position that it does
//! not have, it knows only the glyph.
//!
//! Sources: the unofficial specification by Steinar H. Gunderson (2007, in the public domain); the
//! readers of Daydreamer, DroidFish, Polyfish and jja; the one book by ChessBase at hand, of four
//! positions, which comes with the program ctgexporter.
//!
//! Certain: pages, positions, moves, numbers of games. Probable: that the second and third number
//! are the games won and lost by the side to move (three of the readers; jja has them the other way
//! round), the low five bits (jja and the book, whose bytes are 0xe0; others take the whole byte),
//! and n = 0 (two readers and the book; Daydreamer begins with 1).

use std::path::Path;

use shakmaty::{Chess, EnPassantMode, Move, Position as _, Role, Square};

use super::{
    BookAdvice, BookFaults, BookMove, BookMoves, BookResults,
    ctg_moves::{self, Step},
    ctg_position::{self, Frame},
    faults, legal,
};
use crate::{
    Access, File,
    bytes::Cursor,
    damage::Flaw,
    error::{Error, Result},
    file::without,
    suffix::companion_path,
};

const PAGE_BYTES: usize = 4096;
const PAGE_HEADER_BYTES: usize = 4;
/// Bytes of a position after its moves.
const STATISTICS_BYTES: usize = 33;
const TABLE_HEADER_BYTES: usize = 16;
const BOUNDS_BYTES: usize = 12;
const GREEN: u8 = 0x80;
const RED: u8 = 0x40;
const GLYPH: u8 = 0x1f;

#[derive(Debug)]
pub(super) struct Ctg {
    pages: File,
    table: File,
    /// The least and the greatest number of an entry of the table.
    bounds: (u32, u32),
}

/// What a page says of a position.
struct Found<'b> {
    /// Bytes and glyphs of its moves, in turn.
    moves: &'b [u8],
    /// Where they begin in the file.
    moves_at: usize,
    statistics: &'b [u8; STATISTICS_BYTES],
}

impl Ctg {
    /// # Errors
    /// `Missing` or `Io` without the other files; `Truncated` if one is too short.
    pub(super) fn open(path: &Path, access: Access) -> Result<Ctg> {
        let pages = File::open(path, access)?;
        let companion = |suffix: &str| {
            let opened = File::open(&companion_path(path, suffix), access);
            opened.map_err(|_| without(path, suffix, "an opening book of ChessBase"))
        };
        let (table, bounds) = (companion("cto")?, companion("ctb")?);
        for (file, needed) in [
            (&pages, PAGE_BYTES),
            (&table, TABLE_HEADER_BYTES),
            (&bounds, BOUNDS_BYTES),
        ] {
            let [needed, found] = [needed, file.bytes.len()].map(|bytes| bytes as u64);
            if found < needed {
                let error = Error::truncated("the opening book", needed, found);
                return Err(error.at_path(&file.path));
            }
        }
        let number = |at: usize| Cursor::new(bounds.bytes.get(at..)?).uint_be(4);
        let bounds = (number(4).unwrap_or_default(), number(8).unwrap_or_default());
        Ok(Ctg {
            pages,
            table,
            bounds,
        })
    }

    pub(super) fn check_unchanged(&self) -> Result<()> {
        self.pages.check_unchanged()?;
        self.table.check_unchanged()
    }

    pub(super) fn moves(&self, position: &Chess) -> BookMoves {
        let mut found = BookMoves::default();
        let frame = Frame::of(position);
        let Some(stored) = self.find(position, &mut found.faults) else {
            return found;
        };
        for (number, pair) in stored.moves.chunks_exact(2).enumerate() {
            let (code, glyph) = (pair[0], pair[1] & GLYPH);
            let played = match played(position, frame, code) {
                Ok(played) => played,
                Err(what) => {
                    let at = stored.moves_at + 2 * number;
                    found.faults.add(|| self.fault(what, at));
                    continue;
                }
            };
            if found.moves.iter().any(|known| known.played == played) {
                continue;
            }
            let mut after = position.clone();
            after.play_unchecked(played);
            let about = self.find(&after, &mut found.faults);
            let results = about.as_ref().map(|about| about.results(&after));
            found.moves.push(BookMove {
                results,
                advice: about.and_then(|about| about.advice()),
                nag: (glyph > 0).then_some(glyph),
                ..BookMove::new(played)
            });
        }
        found
    }

    fn fault(&self, what: Flaw, at: usize) -> Error {
        let error = Error::corrupt(what).at_path(&self.pages.path);
        error.at_offset(at as u64)
    }

    /// Looks for a position, with the en-passant file of a legal capture and of any.
    fn find(&self, position: &Chess, faults: &mut BookFaults) -> Option<Found<'_>> {
        let frame = Frame::of(position);
        let modes = [EnPassantMode::Legal, EnPassantMode::PseudoLegal];
        let [legal, possible] = modes.map(|mode| ctg_position::written(position, frame, mode));
        let possible = possible.filter(|bytes| legal.as_ref() != Some(bytes));
        let mut ways = [legal, possible].into_iter().flatten();
        ways.find_map(|bytes| self.find_bytes(&bytes, faults))
    }

    fn find_bytes(&self, bytes: &[u8], faults: &mut BookFaults) -> Option<Found<'_>> {
        let hash = ctg_position::hash(bytes);
        let (least, greatest) = self.bounds;
        // The bits of the hash that choose an entry: one more each time.
        for bits in 0..u32::BITS - 1 {
            let mask = (1_u32 << bits) - 1;
            let number = (hash & mask) + mask;
            if number < least {
                continue;
            }
            let at = (number as usize).saturating_mul(4);
            let entry = self
                .table
                .bytes
                .get(at.saturating_add(TABLE_HEADER_BYTES)..);
            let Some(page) = entry.and_then(|entry| Cursor::new(entry).uint_be(4)) else {
                if number <= greatest {
                    faults.add(|| {
                        let error = Error::corrupt(faults::TABLE_CUT);
                        let end = self.table.bytes.len() as u64;
                        error.at_path(&self.table.path).at_offset(end)
                    });
                }
                return None;
            };
            // Half of the numbers are negative: no page.
            if let Ok(page) = usize::try_from(page.cast_signed()) {
                let found = self.find_in_page(page, bytes);
                match found.unwrap_or_else(|fault| {
                    faults.add(|| fault);
                    None
                }) {
                    None => {}
                    found => return found,
                }
            }
            if number >= greatest {
                break;
            }
        }
        None
    }

    /// # Errors
    /// `Corrupt` if there is no such page, or it does not hold what it should.
    fn find_in_page(&self, page: usize, bytes: &[u8]) -> Result<Option<Found<'_>>> {
        let start = page.saturating_add(1).saturating_mul(PAGE_BYTES);
        let damaged = |at: usize| self.fault(faults::DAMAGED_PAGE, start + at);
        let area = self.pages.bytes.get(start..);
        let area = area.and_then(|area| area.get(..area.len().min(PAGE_BYTES)));
        let mut header = Cursor::new(area.unwrap_or_default());
        let (Some(count), Some(used)) = (header.u16_be(), header.u16_be()) else {
            return Err(self.fault(faults::NO_PAGE, start));
        };
        let area = area.unwrap_or_default();
        let used = usize::from(used);
        let mut cursor = Cursor::new(area.get(..used).ok_or_else(|| damaged(2))?);
        cursor.take(PAGE_HEADER_BYTES).ok_or_else(|| damaged(2))?;
        for _ in 0..count {
            let at = cursor.offset();
            let mut next = || {
                let length = usize::from(cursor.rest().first()? & 0x1f);
                let position = cursor.take(length).filter(|_| length > 0)?;
                let length = usize::from(*cursor.rest().first()?);
                let moves = cursor.take(length)?.get(1..)?;
                let moves_at = start + cursor.offset() - moves.len();
                let statistics = cursor.take(STATISTICS_BYTES)?.first_chunk()?;
                let found = Found {
                    moves,
                    moves_at,
                    statistics,
                };
                Some((position, found))
            };
            let (position, found) = next().ok_or_else(|| damaged(at))?;
            if position == bytes {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

impl Found<'_> {
    /// Returns the results of the position's games.
    fn results(&self, position: &Chess) -> BookResults {
        let mut cursor = Cursor::new(self.statistics);
        let mut number = || cursor.u24_be().unwrap_or_default();
        let [games, won, lost, draws] = [(); 4].map(|()| number());
        let (white, black) = position.turn().fold_wb((won, lost), (lost, won));
        BookResults {
            games,
            white,
            draws,
            black,
        }
    }

    /// Returns the colour of the move that led to the position.
    fn advice(&self) -> Option<BookAdvice> {
        let [.., colour, _, _] = *self.statistics;
        match () {
            () if colour & GREEN != 0 => Some(BookAdvice::Green),
            () if colour & RED != 0 => Some(BookAdvice::Red),
            () => None,
        }
    }
}

/// Returns the move that a byte means in a position.
fn played(position: &Chess, frame: Frame, code: u8) -> Result<Move, Flaw> {
    let steps = ctg_moves::steps(code);
    let squares = |step: &Step| {
        let from = ctg_position::man(position, frame, step.role, step.number)?;
        let moved = |place: u32, by: u8| (place + u32::from(by)) % 8;
        let to = Square::from_coords(
            shakmaty::File::new(moved(from.file() as u32, step.right)),
            shakmaty::Rank::new(moved(from.rank() as u32, step.forward)),
        );
        let is_last = step.role == Role::Pawn && to.rank() == shakmaty::Rank::Eighth;
        let promotion = is_last.then_some(Role::Queen);
        legal(position, frame.square(from), frame.square(to), promotion)
    };
    let mut moves = steps.iter().filter_map(squares);
    match moves.next() {
        Some(played) => Ok(played),
        None if steps.is_empty() => Err(faults::UNKNOWN_MOVE),
        None => Err(faults::ILLEGAL_BOOK_MOVE),
    }
}
