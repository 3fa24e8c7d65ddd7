//! What the index proves about the name of a game's opening, with the reasons.
//!
//! **Stored line.** A game with code k begins with the moves of line k. So its opening is the last
//! named position of the line, or one that can come after its end. From there pawns only go
//! forwards, and change their file only by a capture; men only get fewer. If none of these openings
//! is wanted, the game does not match; if all are, it does.
//!
//! **Home pawns.** The pawns that have left home in a position of the game are the first of the
//! list, however many. So of the openings after the stored line only those count whose pawns that
//! have left home are such a beginning of the list.
//!
//! Neither applies to games that may have a custom start position. They are decoded up to it: some
//! have the standard start as one.
//!
//! **Sidecar.** It has the number of the name of every game that could be decoded. Of others the
//! record tells what it tells without a sidecar.
//!
//! The opening code says nothing: databases have other tables of openings, or none.

use std::sync::{Arc, OnceLock};

use shakmaty::{Bitboard, File};
use tabiya_chess::{
    home_pawns::PawnSet,
    opening_names::{Named, NamedPosition, OpeningNumbers},
};
use tabiya_formats::Header;
use zerocopy::little_endian::U16;

use super::{
    Batch, BlockBounds, Lanes,
    headers::each,
    lines::{StoredLineEnd, StoredLines},
};
use crate::sidecar::{BLOCK_GAMES, Sidecar, UNKNOWN_OPENING};

/// A condition on the name of the opening.
#[derive(Debug)]
pub(crate) struct OpeningNameFilter {
    wanted: OpeningNumbers,
    /// By code.
    ends: Vec<StoredLineEnd>,
    /// A sidecar leaves open only games that could not be decoded, so it is made when it is needed.
    by_record: OnceLock<ByRecord>,
    sidecar: Option<Arc<Sidecar>>,
}

/// What records tell.
#[derive(Debug)]
struct ByRecord {
    /// By code.
    lines: Vec<LineNames>,
    /// The openings of all positions, by the pawns that have left home.
    by_gone: Vec<Names>,
}

/// What is known of some openings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Names {
    some_wanted: bool,
    some_others: bool,
}

impl Names {
    const NONE: Names = Names {
        some_wanted: false,
        some_others: false,
    };
    const ANY: Names = Names {
        some_wanted: true,
        some_others: true,
    };

    fn of(is_wanted: bool) -> Names {
        Names {
            some_wanted: is_wanted,
            some_others: !is_wanted,
        }
    }

    fn or(self, other: Names) -> Names {
        Names {
            some_wanted: self.some_wanted | other.some_wanted,
            some_others: self.some_others | other.some_others,
        }
    }

    fn and(self, other: Names) -> Names {
        Names {
            some_wanted: self.some_wanted & other.some_wanted,
            some_others: self.some_others & other.some_others,
        }
    }
}

impl OpeningNameFilter {
    /// Prepares a filter. `sidecar` is that of the database, if it has one.
    pub(crate) fn new(
        wanted: OpeningNumbers,
        stored: &StoredLines,
        sidecar: Option<&Arc<Sidecar>>,
    ) -> OpeningNameFilter {
        let sidecar = sidecar.filter(|sidecar| sidecar.has_opening_names());
        OpeningNameFilter {
            wanted,
            ends: stored.ends().collect(),
            by_record: OnceLock::new(),
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
                    Names::of(self.wanted.contains(number))
                }
                _ => {
                    let by_record = || ByRecord::new(&self.wanted, &self.ends);
                    self.by_record.get_or_init(by_record).names(record)
                }
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
}

impl ByRecord {
    fn new(wanted: &OpeningNumbers, ends: &[StoredLineEnd]) -> ByRecord {
        let mut by_gone = vec![Names::NONE; 1 << PawnSet::BITS];
        for position in Named::get().positions() {
            let names = &mut by_gone[usize::from(gone(position.pawns))];
            *names = names.or(Names::of(wanted.contains(position.number)));
        }
        let lines = ends.iter().map(|line| LineNames::new(wanted, line));
        ByRecord {
            lines: lines.collect(),
            by_gone,
        }
    }

    fn names<R: Header>(&self, record: &R) -> Names {
        if record.may_be_custom_start() {
            return Names::ANY;
        }
        let Some(line) = self.lines.get(usize::from(record.stored_line())) else {
            return Names::ANY;
        };
        let known = line.opening.or(line.later);
        if !(R::EVIDENCE.home_pawns && known.some_wanted && known.some_others) {
            return known;
        }
        let mut left: PawnSet = 0;
        let mut passed = self.after(line, left);
        for pawn in record.home_pawns().iter() {
            left |= 1 << pawn;
            passed = passed.or(self.after(line, left));
        }
        line.opening.or(line.later.and(passed))
    }

    /// Returns the openings of positions after a line, by the pawns that have left home.
    fn after(&self, line: &LineNames, left: PawnSet) -> Names {
        if left & line.gone != line.gone {
            return Names::NONE;
        }
        self.by_gone
            .get(usize::from(left))
            .copied()
            .unwrap_or(Names::ANY)
    }
}

/// Returns the pawns that have left home, by the squares of White's and Black's pawns.
fn gone([white, black]: [u64; 2]) -> PawnSet {
    let rank = |pawns: u64, rank: u32| ((pawns >> (8 * rank)) as u8).reverse_bits();
    !PawnSet::from_be_bytes([rank(white, 1), rank(black, 6)])
}

/// Which openings the games with one stored line can have.
#[derive(Debug)]
struct LineNames {
    /// The opening of the line itself.
    opening: Names,
    /// Those that can come after it.
    later: Names,
    /// The pawns that have left home in it.
    gone: PawnSet,
}

impl LineNames {
    fn new(wanted: &OpeningNumbers, line: &StoredLineEnd) -> LineNames {
        let reach = Reach::new(line);
        let mut later = Names::NONE;
        for position in Named::get().positions() {
            let names = Names::of(wanted.contains(position.number));
            if later.or(names) != later && reach.may_come_to(position) {
                later = later.or(names);
            }
        }
        LineNames {
            opening: Names::of(wanted.contains(line.opening)),
            later,
            gone: gone(line.pawns),
        }
    }
}

/// What may come after a position.
struct Reach<'l> {
    line: &'l StoredLineEnd,
    /// Squares to which pawns can come, by colour: without a capture, and with captures.
    straight: [u64; 2],
    wide: [u64; 2],
}

impl Reach<'_> {
    fn new(line: &StoredLineEnd) -> Reach<'_> {
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
    fn may_come_to(&self, position: &NamedPosition) -> bool {
        let squares = if position.men == self.line.men {
            self.straight
        } else {
            self.wide
        };
        let side = |side: usize| {
            let (pawns, before) = (position.pawns[side], self.line.pawns[side]);
            pawns & !squares[side] == 0 && pawns.count_ones() <= before.count_ones()
        };
        position.men <= self.line.men && side(0) && side(1)
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Square;

    use super::*;
    use tabiya_chess::Eco;
    use tabiya_chess::home_pawns::pawn_number;

    fn pawns(squares: &[Square]) -> u64 {
        let bits = squares.iter().map(|&square| 1 << square as u32);
        bits.fold(0, |all, bit: u64| all | bit)
    }

    #[test]
    fn pawns_that_left_home_have_their_numbers() {
        let all = [0xff00, 0x00ff_0000_0000_0000];
        assert_eq!(gone(all), 0);
        for square in [Square::E2, Square::A2, Square::H7, Square::C7] {
            let number = pawn_number(square).unwrap();
            let left = all.map(|side: u64| side & !pawns(&[square]));
            assert_eq!(gone(left), 1 << number, "{square}");
        }
    }

    #[test]
    fn pawns_come_forwards_and_aside_only_by_captures() {
        let line = |men| StoredLineEnd {
            opening: 0,
            pawns: [pawns(&[Square::D4]), pawns(&[Square::D5])],
            men,
        };
        let may_come = |lost: u32, white: &[Square], black: &[Square]| {
            let position = NamedPosition {
                number: 1,
                name: 1,
                eco: Eco::from_code(1).unwrap(),
                pawns: [pawns(white), pawns(black)],
                men: 20,
            };
            Reach::new(&line(20 + lost)).may_come_to(&position)
        };
        assert!(may_come(0, &[Square::D4], &[Square::D5]));
        assert!(!may_come(0, &[Square::E5], &[Square::D5]));
        assert!(may_come(1, &[Square::E5], &[Square::D5]));
        assert!(!may_come(1, &[Square::E4], &[Square::D5]));
        assert!(may_come(2, &[Square::F6], &[Square::C4]));
        assert!(!may_come(2, &[Square::D4], &[Square::D6]));
        assert!(!may_come(2, &[Square::D4, Square::D5], &[]));
        let more = NamedPosition {
            number: 1,
            name: 1,
            eco: Eco::from_code(1).unwrap(),
            pawns: [0, 0],
            men: 21,
        };
        assert!(!Reach::new(&line(20)).may_come_to(&more));
    }
}
