//! What the index proves about the name of a game's opening, with the reasons.
//!
//! **Stored line.** A game with code k begins with the moves of line k. So its opening is the last
//! named position of the line, or one that can come after its end. From there pawns only go
//! forwards, and change their file only by a capture; men only get fewer. If none of these openings
//! is wanted, the game does not match; if all are, it does. This does not apply to games that may
//! have a custom start position. They are decoded up to it: some have the standard start as one.
//!
//! **Sidecar.** It has the number of the name of every game that could be decoded.
//!
//! The opening code says nothing: databases have other tables of openings, or none.

use std::sync::Arc;

use shakmaty::{Bitboard, Board, Color, File};
use zerocopy::little_endian::U16;

use super::{
    Batch, BlockBounds, Lanes,
    headers::each,
    lines::{LineEnd, StoredLines},
};
use crate::{
    chess::opening_names::{NameNumbers, Named},
    format::Header,
    sidecar::{BLOCK_GAMES, Sidecar, UNKNOWN_OPENING},
};

/// A condition on the name of the opening.
#[derive(Debug)]
pub(crate) struct OpeningNameFilter {
    wanted: NameNumbers,
    /// What the stored line proves, by its code.
    lines: Box<[LineNames; 256]>,
    sidecar: Option<Arc<Sidecar>>,
}

/// Which openings the games with one stored line can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineNames {
    some_wanted: bool,
    some_others: bool,
}

impl LineNames {
    const ANY: LineNames = LineNames {
        some_wanted: true,
        some_others: true,
    };
}

impl OpeningNameFilter {
    /// Prepares a filter. `sidecar` is that of the database, if it has one.
    pub(crate) fn new(
        wanted: NameNumbers,
        stored: &StoredLines,
        sidecar: Option<&Arc<Sidecar>>,
    ) -> OpeningNameFilter {
        let sidecar = sidecar.filter(|sidecar| sidecar.has_opening_names());
        let mut lines = Box::new([LineNames::ANY; 256]);
        // A sidecar leaves open only games that could not be decoded.
        if sidecar.is_none() {
            for (line, names) in stored.ends().zip(lines.iter_mut()) {
                *names = LineNames::new(&wanted, &line);
            }
        }
        OpeningNameFilter {
            wanted,
            lines,
            sidecar: sidecar.cloned(),
        }
    }

    /// Returns whether a sidecar has the names.
    pub(crate) fn has_names(&self) -> bool {
        self.sidecar.is_some()
    }

    /// Returns the sidecar's bounds for the games of a block; `None` if it has none.
    pub(super) fn known(&self, block: usize) -> Option<BlockBounds> {
        let numbers = self.sidecar.as_ref()?.opening_names(block)?;
        let is_wanted = |number: U16| self.wanted.contains(number.get());
        Some(BlockBounds {
            certain: each(numbers, is_wanted),
            possible: each(numbers, |number| {
                is_wanted(number) | (number.get() == UNKNOWN_OPENING)
            }),
        })
    }

    /// Evaluates a batch of records.
    pub(super) fn lanes<R: Header>(&self, batch: Batch<'_, R>) -> Lanes {
        let told = self.told(batch.first);
        let mut lanes = Lanes::NONE;
        for (lane, record) in batch.each() {
            let number = told.and_then(|told| told.get(lane));
            let names = match number.map(|number| number.get()) {
                Some(number) if number != UNKNOWN_OPENING => {
                    let is_wanted = self.wanted.contains(number);
                    LineNames {
                        some_wanted: is_wanted,
                        some_others: !is_wanted,
                    }
                }
                _ => self.by_record(record),
            };
            lanes.possible |= u64::from(names.some_wanted) << lane;
            lanes.certain |= u64::from(names.some_wanted && !names.some_others) << lane;
        }
        lanes
    }

    /// Returns what the sidecar tells of the games from this one on.
    fn told(&self, first: u32) -> Option<&[U16]> {
        let numbers = self.sidecar.as_ref()?;
        let numbers = numbers.opening_names((first / BLOCK_GAMES) as usize)?;
        numbers.get((first % BLOCK_GAMES) as usize..)
    }

    fn by_record<R: Header>(&self, record: &R) -> LineNames {
        if record.may_be_custom_start() {
            return LineNames::ANY;
        }
        self.lines[usize::from(record.stored_line())]
    }
}

impl LineNames {
    fn new(wanted: &NameNumbers, line: &LineEnd) -> LineNames {
        let mut names = LineNames {
            some_wanted: wanted.contains(line.opening),
            some_others: !wanted.contains(line.opening),
        };
        let reach = Reach::new(line);
        for (board, number) in Named::get().boards() {
            let is_wanted = wanted.contains(*number);
            let tells = if is_wanted {
                !names.some_wanted
            } else {
                !names.some_others
            };
            if tells && reach.may_come_to(board) {
                names.some_wanted |= is_wanted;
                names.some_others |= !is_wanted;
            }
        }
        names
    }
}

/// What may come after a position.
struct Reach<'l> {
    line: &'l LineEnd,
    /// Squares to which pawns can come, by colour: without a capture, and with captures.
    straight: [u64; 2],
    wide: [u64; 2],
}

impl Reach<'_> {
    fn new(line: &LineEnd) -> Reach<'_> {
        let [white, black] = line.pawns;
        let both = |squares: fn(u64) -> u64| {
            // For Black the board is turned around.
            [squares(white), squares(black.swap_bytes()).swap_bytes()]
        };
        Reach {
            line,
            straight: both(|pawns| (1..7).fold(pawns, |squares, _| squares | squares << 8)),
            wide: both(|pawns| {
                let [left, right] = [File::A, File::H].map(|file| !Bitboard::from(file).0);
                let ahead = |squares: u64| {
                    squares | squares << 8 | (squares & left) << 7 | (squares & right) << 9
                };
                (1..7).fold(pawns, |squares, _| ahead(squares))
            }),
        }
    }

    /// Returns false only if no game has this position after the line.
    fn may_come_to(&self, board: &Board) -> bool {
        let men = board.occupied().count();
        let squares = if men == self.line.men {
            &self.straight
        } else {
            &self.wide
        };
        let sides = Color::ALL.into_iter().zip(squares).zip(self.line.pawns);
        men <= self.line.men
            && sides.into_iter().all(|((color, squares), before)| {
                let pawns = (board.pawns() & board.by_color(color)).0;
                pawns & !squares == 0 && pawns.count_ones() <= before.count_ones()
            })
    }
}
