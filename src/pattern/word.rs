//! Words of the query language about one position: those that hold or not, and those with a number.
//!
//! A new word is a variant here, with what its match arms ask for, and a row in
//! `query/table/fields.rs`; parser, printer, compiler and the other tests pass it through.

use shakmaty::{Bitboard, Color, Role};
use tabiya_chess::{Counts, Man};

use super::{boards::Boards, symmetry::Symmetry};

const FILE_A: u64 = 0x0101_0101_0101_0101;
/// In an endgame there are no more men than this besides kings and pawns.
const ENDGAME_MOST: u32 = 6;
/// In the opening there are more men than this besides kings and pawns.
const OPENING_ABOVE: u32 = 10;
/// In the opening each side has no fewer men than this on its first rank.
const AT_HOME: u32 = 4;

/// Returns the number of men besides kings and pawns.
fn pieces(counts: Counts) -> u32 {
    let is_piece = |man: &Man| !matches!(man.role(), Role::King | Role::Pawn);
    let pieces = Man::ALL.into_iter().filter(is_piece);
    pieces.map(|man| u32::from(counts.get(man))).sum()
}

fn is_opening(boards: &Boards) -> bool {
    let at_home = |color: Color| {
        let rank = u64::from(Bitboard::from(color.backrank()));
        (boards.side(color) & rank).count_ones() >= AT_HOME
    };
    pieces(boards.counts) > OPENING_ABOVE && at_home(Color::White) && at_home(Color::Black)
}

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
    /// `phase:opening`: more than ten men besides kings and pawns, and four men or more of each
    /// side on its first rank.
    Opening,
    /// `phase:middlegame`: neither opening nor endgame.
    Middlegame,
    /// `phase:endgame`: six men or fewer besides kings and pawns.
    Endgame,
    /// `fifty`: a hundred half-moves or more since the last capture or pawn move.
    FiftyMoves,
    /// `pawns:symmetric`: with the ranks turned, White's pawns stand where Black's do.
    SymmetricPawns,
    /// `files:equal`: as many white as black pawns on each file.
    EqualFiles,
}

/// The phases, in the order of their names.
pub(crate) const PHASES: [State; 3] = [State::Opening, State::Middlegame, State::Endgame];
pub(crate) const PHASE_NAMES: [&str; PHASES.len()] = ["opening", "middlegame", "endgame"];

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
    /// `repetition`: how often the position has stood on the line so far, this time included.
    Repetition,
    /// `quiet`: half-moves since the last capture or pawn move of the line.
    Quiet,
    /// `sacrifice`: the difference before the last move less the greatest one at the next eight
    /// positions, for the side that made the move. Absent at the start and at the end.
    Sacrifice,
}

/// Half-moves without a capture or pawn move after which a player may claim a draw.
const FIFTY_MOVES: u32 = 100;

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
            State::Opening => is_opening(boards),
            State::Middlegame => pieces(boards.counts) > ENDGAME_MOST && !is_opening(boards),
            State::Endgame => pieces(boards.counts) <= ENDGAME_MOST,
            State::FiftyMoves => boards.quiet() >= FIFTY_MOVES,
            State::SymmetricPawns => {
                boards.pawns(Color::White) == boards.pawns(Color::Black).swap_bytes()
            }
            State::EqualFiles => (0..8).all(|file| {
                let on_file = |color| (boards.pawns(color) >> file & FILE_A).count_ones();
                on_file(Color::White) == on_file(Color::Black)
            }),
        }
    }

    /// Returns the state of which this is a kind.
    pub(crate) fn implied(self) -> Option<State> {
        if CHECK_KINDS.contains(&self) {
            return Some(State::Check);
        }
        MATE_KINDS.contains(&self).then_some(State::Mate)
    }

    /// Returns whether the position passes, if its material tells.
    pub(super) fn holds_with(self, counts: Counts) -> Option<bool> {
        let pieces = pieces(counts);
        match self {
            State::Endgame => Some(pieces <= ENDGAME_MOST),
            State::Middlegame if pieces <= ENDGAME_MOST => Some(false),
            State::Middlegame if pieces <= OPENING_ABOVE => Some(true),
            State::Opening if pieces <= OPENING_ABOVE => Some(false),
            _ => None,
        }
    }

    /// Returns what asking costs, on the scale of [`Term`](super::Term)s.
    pub(super) const fn cost(self) -> u8 {
        match self {
            State::Opening
            | State::Middlegame
            | State::Endgame
            | State::FiftyMoves
            | State::SymmetricPawns
            | State::EqualFiles => 1,
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
            Measure::Repetition | Measure::Quiet => 0,
            Measure::Difference | Measure::Sacrifice => i32::MIN,
        }
    }

    /// Returns whether it can be a term of a sum.
    pub(crate) const fn is_count(self) -> bool {
        matches!(
            self,
            Measure::Minors(_) | Measure::Men | Measure::Difference
        )
    }

    /// Returns the number, if the material tells it.
    pub(super) fn with(self, counts: Counts) -> Option<i32> {
        match self {
            Measure::Minors(color) => Some(counts.minors(color).into()),
            Measure::Men => Some(counts.men().into()),
            Measure::Difference => Some(counts.difference()),
            Measure::Repetition | Measure::Quiet | Measure::Sacrifice => None,
        }
    }

    /// Returns the number; `None` where there is none.
    pub(super) fn of(self, boards: &Boards) -> Option<i32> {
        match self {
            Measure::Repetition => Some(boards.repetition() as i32),
            Measure::Quiet => Some(boards.quiet() as i32),
            Measure::Sacrifice => boards.sacrifice(),
            of_counts => of_counts.with(boards.counts),
        }
    }

    /// Returns the measure and the range, ends included, that an image of a position has where
    /// the position itself has these.
    pub(super) fn image(self, low: i32, high: i32, symmetry: Symmetry) -> (Measure, i32, i32) {
        match self {
            Measure::Minors(color) => (Measure::Minors(symmetry.color(color)), low, high),
            Measure::Men | Measure::Repetition | Measure::Quiet | Measure::Sacrifice => {
                (self, low, high)
            }
            Measure::Difference if symmetry.flip => {
                (self, high.saturating_neg(), low.saturating_neg())
            }
            Measure::Difference => (self, low, high),
        }
    }
}
