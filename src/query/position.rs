//! The part of the tree that is about positions: sequences, groups, conditions, and their values.

use shakmaty::{Bitboard, Board, Color, File, Rank, Square};
use tabiya_chess::{Counts, Decimal, GameResult, Man, Share};

use super::{
    Compare, Designator, EvalTest, Judgement, Measure, Moves, Relation, Seconds, State, Structure,
    SumTest,
};

/// Conditions that hold one after the other: `at(A) then at(B) next at(C)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// The first.
    pub first: At,
    /// The others, each with its link to the previous one.
    pub rest: Vec<(Link, At)>,
}

impl Sequence {
    pub(super) fn condition_count(&self) -> usize {
        self.steps().map(At::condition_count).sum()
    }

    /// Iterates over the conditions in their order.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &At> {
        let rest = self.rest.iter().map(|(_, at)| at);
        [&self.first].into_iter().chain(rest)
    }
}

/// How one condition of a sequence follows the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// At any later position.
    Then,
    /// At the very next position.
    Next,
}

/// Conditions that one position satisfies together: `at( ... )`, or a single clause.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct At {
    /// All must hold. May be empty: then every position satisfies them.
    pub conditions: Vec<Condition>,
    /// `for:N`: the number of consecutive positions, 1 by default.
    pub consecutive: Consecutive,
    /// `flip`: also with colours exchanged and ranks mirrored.
    pub flip: bool,
    /// `mirror`: also with files mirrored.
    pub mirror: bool,
    /// `shift`: also with the named squares moved by the same number of files and ranks.
    pub shift: bool,
    /// `rights`: castling and en-passant rights of `fen` are compared.
    pub rights: bool,
}

/// A number of consecutive positions, at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Consecutive(pub u32);

impl Default for Consecutive {
    fn default() -> Consecutive {
        Consecutive(1)
    }
}

impl At {
    /// Returns the number of conditions, those in brackets counted one by one; at least 1.
    pub(super) fn condition_count(&self) -> usize {
        count_of(&self.conditions).max(1)
    }
}

fn count_of(conditions: &[Condition]) -> usize {
    let count = |condition: &Condition| match &condition.test {
        PositionTest::Any(branches) => branches.iter().map(|branch| count_of(branch)).sum(),
        PositionTest::Sum(sum) => sum.term_count(),
        _ => 1,
    };
    conditions.iter().map(count).sum()
}

/// One condition on a position, or its negation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// Whether the position must *not* satisfy the test.
    pub negated: bool,
    /// The test.
    pub test: PositionTest,
}

/// One test of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PositionTest {
    /// Brackets: all conditions of one of these branches hold. Without branches nothing does; a
    /// branch without conditions always holds.
    Any(Vec<Vec<Condition>>),
    /// `fen`: this position.
    Fen(Box<FenTest>),
    /// `board`: these squares.
    Board(Box<BoardPattern>),
    /// `pawns`: the pawns of both sides are exactly those of this board (other men ignored).
    Pawns(PawnPlacement),
    /// `files`: the same number of white and black pawns on every file (a to h).
    Files(PawnPlacement),
    /// `material`: exactly these counts.
    Material(Counts),
    /// `Q`, `r`, ...: the count of one kind of men. Never kings.
    Count(Man, Compare<i32>),
    /// `wminor`, `bminor`, `men`, `diff`, `quiet`, ...: a number of the position.
    Measure(Measure, Compare<i32>),
    /// `P>=p+2`, `R@7>=2`: counts compared.
    Sum(SumTest),
    /// `bishops`: each side has exactly one, on equal (`true`) or different (`false`) colours.
    Bishops {
        /// `same`
        same: bool,
    },
    /// `piece`: at least one such man is there.
    Piece(Man, Place),
    /// `stm`: who is to move.
    Turn(Color),
    /// `ply`: counted from 0 at the game's start position.
    Ply(Compare<i32>),
    /// `move`: the full-move number that PGN would print for the next move.
    MoveNumber(Compare<i32>),
    /// `check`, `mate`, `stalemate`, `phase` and other words without a value of their own.
    State(State),
    /// `attacks`, `ray`, `fork`, `passed`, ...: how men stand to each other.
    Relation(Relation<Designator>),
    /// `structure`: the pawns stand as this name says.
    Structure(Structure),
    /// `similar`: the position is at least so similar to this one, whoever is to move.
    Similar(Box<Board>, Share),
    /// `played`: the last move, by what it does.
    Played(String),
    /// `san`: the last move, as SAN with `?` for any one character.
    San(String),
    /// `can`: a legal move of the side to move.
    Can(Reply),
    /// `missed`: there is such a move, and another one is played.
    Missed(Reply),
    /// `after`: the position after a line, and the side to move.
    After(Box<Moves>),
    /// `won`, `drawn`, `lost`: the result of the game.
    Result(GameResult),
    /// `majority`: White has more pawns on this wing.
    Majority(Wing),
    /// `score`: the expectation of an engine for the side to move. Fails without engine data.
    Score(Compare<Share>),
    /// `visits`: the share of the most visited move in all of an engine's visits. With a move, as
    /// SAN with `?` for any one character: the visits of a legal move that fits, as a share of
    /// those of the most visited one. Fails without engine data.
    Visits(Option<String>, Compare<Share>),
    /// `clock`: time left for the side that has just moved, by the comments of the move. Fails
    /// where none is told, as do the next two.
    Clock(Compare<Seconds>),
    /// `spent`: time spent on the last move.
    Spent(Compare<Seconds>),
    /// `eval`: the evaluation for White after the last move.
    Eval(EvalTest),
    /// `swing`: what the last move has changed in the evaluation, in pawns, for the side that made
    /// it.
    Swing(Compare<Decimal>),
    /// `blunder`, `mistake`, `inaccuracy`: what the last move was, by the evaluations.
    Judgement(Judgement),
}

/// Moves of which one is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reply {
    /// `mate`: any move that mates.
    Mate,
    /// A pattern as that of `played`.
    Move(String),
}

/// One half of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wing {
    /// Files a to d.
    Queenside,
    /// Files e to h.
    Kingside,
}

impl Wing {
    /// Both, in the order of the values of `majority`.
    pub(super) const ALL: [Wing; 2] = [Wing::Queenside, Wing::Kingside];

    /// Returns the name as users type it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Wing::Queenside => "queenside",
            Wing::Kingside => "kingside",
        }
    }

    /// Returns the squares.
    pub(crate) const fn squares(self) -> u64 {
        const QUEENSIDE: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        match self {
            Wing::Queenside => QUEENSIDE,
            Wing::Kingside => !QUEENSIDE,
        }
    }
}

/// The position of a `fen` clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FenTest {
    /// The 64 squares.
    pub board: Board,
    /// Side to move; `None` if the text is only a placement.
    pub turn: Option<Color>,
    /// Squares of the rooks that may castle; compared only with `rights`.
    pub castling: Bitboard,
    /// The en-passant square; compared only with `rights`.
    pub en_passant: Option<Square>,
}

/// The squares of pawns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PawnPlacement {
    /// White pawns.
    pub white: Bitboard,
    /// Black pawns.
    pub black: Bitboard,
}

/// The allowed men of each square, a1 to h8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardPattern(pub [ManSet; 64]);

/// A set of men and the empty square: bit [`Man::index`] for a man, bit 12 for empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ManSet(pub u16);

impl ManSet {
    /// Anything, including an empty square.
    pub const ANY: ManSet = ManSet(0x1fff);
    /// An empty square.
    pub const EMPTY: ManSet = ManSet(0x1000);
    /// Any white man.
    pub const WHITE: ManSet = ManSet(0x003f);
    /// Any black man.
    pub const BLACK: ManSet = ManSet(0x0fc0);

    /// Returns the set of one man.
    #[must_use]
    pub const fn of(man: Man) -> ManSet {
        ManSet(1 << man.index())
    }

    /// Returns whether the man is in the set.
    #[must_use]
    pub const fn contains(self, man: Man) -> bool {
        self.0 >> man.index() & 1 == 1
    }

    /// Returns whether an empty square is in the set.
    #[must_use]
    pub const fn contains_empty(self) -> bool {
        self.0 & ManSet::EMPTY.0 != 0
    }
}

/// One square, or all squares of a file or rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// `d5`
    Square(Square),
    /// `@e`
    File(File),
    /// `@7`
    Rank(Rank),
}

/// The path of one piece: the same piece stands on these squares in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The kind of man on the first square.
    pub man: Man,
    /// The squares, at least two; `None` for any square.
    pub squares: Vec<Option<Square>>,
}
