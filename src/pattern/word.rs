//! Words of the query language about one position: those that hold or not, and those with a number.
//!
//! A new word is a variant here, with what its match arms ask for, and a row in
//! `query/table/fields.rs`; parser, printer, compiler and the other tests pass it through.

use shakmaty::Color;
use tabiya_chess::Counts;

use super::{boards::Boards, symmetry::Symmetry};

/// A word about one position that holds or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// `check`: the side to move is in check.
    Check,
    /// `mate`: the side to move is checkmated.
    Mate,
    /// `stalemate`: the side to move is stalemated.
    Stalemate,
    /// `check:double`: the side to move is in check by two men or more.
    DoubleCheck,
    /// `check:discovered`: the side to move is in check by a man that did not move with the last
    /// move.
    DiscoveredCheck,
    /// `mate:smothered`: mate by a knight alone, and every square around the king holds a man of
    /// its own.
    SmotheredMate,
    /// `mate:backrank`: mate of a king on its first rank, where a rook or queen stands that gives
    /// check, while each square ahead of the king holds a man of its own.
    BackRankMate,
}

/// The kinds of check and mate, in the order of the values of `check` and `mate`.
pub(crate) const CHECK_KINDS: [State; 2] = [State::DoubleCheck, State::DiscoveredCheck];
pub(crate) const MATE_KINDS: [State; 2] = [State::SmotheredMate, State::BackRankMate];

/// A number that one position has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Measure {
    /// `wminor`, `bminor`: bishops plus knights of one side.
    Minors(Color),
    /// `men`: all men, kings included.
    Men,
    /// `diff`: White minus Black with Q9 R5 B3 N3 P1. May be below 0.
    Difference,
}

impl State {
    #[inline]
    pub(super) fn holds(self, boards: &Boards) -> bool {
        match self {
            State::Check => boards.is_check(),
            State::Mate => boards.is_mate(),
            State::Stalemate => boards.is_stalemate(),
            State::DoubleCheck => boards.is_double_check(),
            State::DiscoveredCheck => boards.is_discovered_check(),
            State::SmotheredMate => boards.is_smothered_mate(),
            State::BackRankMate => boards.is_back_rank_mate(),
        }
    }

    /// Returns the state of which this is a kind.
    pub(crate) fn implied(self) -> Option<State> {
        if CHECK_KINDS.contains(&self) {
            return Some(State::Check);
        }
        MATE_KINDS.contains(&self).then_some(State::Mate)
    }

    /// Returns what asking costs, on the scale of [`Term`](super::Term)s.
    pub(super) const fn cost(self) -> u8 {
        match self {
            State::Mate => 4,
            State::SmotheredMate | State::BackRankMate => 5,
            State::Stalemate | State::DoubleCheck | State::DiscoveredCheck => 3,
            State::Check => 2,
        }
    }
}

impl Measure {
    /// Returns the least value that a query may name.
    pub(crate) const fn least(self) -> i32 {
        match self {
            Measure::Minors(_) | Measure::Men => 0,
            Measure::Difference => i32::MIN,
        }
    }

    pub(super) fn of(self, counts: Counts) -> i32 {
        match self {
            Measure::Minors(color) => counts.minors(color).into(),
            Measure::Men => counts.men().into(),
            Measure::Difference => counts.difference(),
        }
    }

    /// Returns the measure and the range, ends included, that an image of a position has where
    /// the position itself has these.
    pub(super) fn image(self, low: i32, high: i32, symmetry: Symmetry) -> (Measure, i32, i32) {
        match self {
            Measure::Minors(color) => (Measure::Minors(symmetry.color(color)), low, high),
            Measure::Men => (self, low, high),
            Measure::Difference if symmetry.flip => {
                (self, high.saturating_neg(), low.saturating_neg())
            }
            Measure::Difference => (self, low, high),
        }
    }
}
