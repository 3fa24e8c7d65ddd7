//! The query language: a typed tree, and the text that people type for it.
//!
//! [`Query`] is pure syntax. It knows nothing of formats or files; `plan` binds it to a
//! database. `parse` reads text, `print` writes text that reads back to the same tree,
//! `table` is the list of fields that both, the help text and the completions come from.
//!
//! ```
//! use tabiya::query::Query;
//!
//! let query: Query = "white:carlsen elo>=2700 at(R=1 r=1 bishops:opposite)".parse()?;
//! assert_eq!(query.to_string().parse(), Ok(query));
//!
//! let text = "elow:2500";
//! let fault = text.parse::<Query>().unwrap_err();
//! assert_eq!(fault.suggestion.as_deref(), Some("elo"));
//! assert_eq!(fault.caret(text), "elow:2500\n^^^^");
//! # Ok::<(), tabiya::query::Fault>(())
//! ```

//!
//! # Texts
//!
//! Behind `:` a text is contained: capitals do not count, runs of spaces are one, an accent must
//! match and its absence matches any. Capitals are compared by case folding, so `ß` is `ss` and
//! every form of sigma is the same. A text with `*` is compared as a whole, with any letters or
//! none for each `*`, in quotes or not: `player:"tal,*"` finds Tal and not Vitaliy; `\*` is a star.
//! Behind `=` and `!=` a text is the whole name, letter by letter, and a star is a star.
//!
//! Of `white`, `black`, `player` and `annotator` a text of two to six words without a comma is also
//! found where a name begins with it as `Last, First`, wherever the last name begins:
//! `player:"Magnus Carlsen"` finds `Carlsen, Magnus`, and also `Carlsen,Magnus Øen`.
//!
//! A name that is missing, empty or `?` is the same in all formats: `white=?` and `white=""` both
//! find it. A tag that a game does not have counts as an empty text (`annotator=""`), but only one
//! that is there matches `annotator:*`. Of comments only those that are there count.
//!
//! # Dates
//!
//! `2015.02.17` may be written `2015-02-17`, ranges too: `2015-02-17..2015-03`. A day that no
//! calendar has is a fault.
//!
//! # Places
//!
//! `for:N` asks for consecutive positions that satisfy all of `at( ... )` in the same image: with
//! `flip` and `mirror` one of up to four is chosen for the whole run, not for each position. In a
//! sequence each `at( ... )` chooses its own.
//!
//! A path goes on through a promotion: `path:Pa2-a8-c6` is a pawn that went on as what it became.
//! The man is what the path calls it on the first square.
//!
//! With variations, the first place is one of the main line if there is any there; else the first
//! in the order in which a PGN file has the moves, which need not be the one of the lowest ply.

mod board;
mod build;
mod clause;
mod fault;
mod fields;
mod lex;
mod parse;
mod print;
mod suggest;
pub mod table;
#[cfg(test)]
mod tests;
mod value;
mod words;

pub use crate::chess::{Content, Medal, Share};
pub use fault::Fault;
pub use suggest::nearest;

use shakmaty::{Bitboard, Board, Color, File, Rank, Square};

use crate::chess::{Counts, EcoRange, GameResult, Man, PartialDate};

/// A condition on games.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Query {
    /// Every game: the empty query.
    All,
    /// Games that satisfy all of these; at least two.
    And(Vec<Query>),
    /// Games that satisfy any of these; at least two.
    Or(Vec<Query>),
    /// Games that do not satisfy this.
    Not(Box<Query>),
    /// A condition on the game's header.
    Header(HeaderClause),
    /// A condition on the game's positions.
    Position(Sequence),
    /// One piece's path.
    Path(Path),
}

impl Query {
    /// Returns whether some condition is one on positions or on a piece's path, so that a match may
    /// have a place in the game. O(conditions).
    #[must_use]
    pub fn asks_for_positions(&self) -> bool {
        self.any(&|query| matches!(query, Query::Position(_) | Query::Path(_)))
    }

    /// Returns whether this query, or a part of it, is what the test looks for.
    pub(crate) fn any(&self, test: &impl Fn(&Query) -> bool) -> bool {
        test(self)
            || match self {
                Query::And(queries) | Query::Or(queries) => {
                    queries.iter().any(|query| query.any(test))
                }
                Query::Not(query) => query.any(test),
                _ => false,
            }
    }
}

impl Query {
    /// Returns how many conditions there are: clauses, the parts of sequences, and the squares of
    /// paths.
    pub(crate) fn condition_count(&self) -> usize {
        match self {
            Query::All => 0,
            Query::And(queries) | Query::Or(queries) => {
                queries.iter().map(Query::condition_count).sum()
            }
            Query::Not(query) => query.condition_count(),
            Query::Header(_) => 1,
            Query::Path(path) => path.squares.len().max(1),
            Query::Position(Sequence { first, rest }) => {
                let all = [first].into_iter().chain(rest.iter().map(|(_, at)| at));
                all.map(|at| at.conditions.len().max(1)).sum()
            }
        }
    }
}

/// How a value is compared. `:` and `=` differ only for names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// `:` contains (names), or lies within.
    Has,
    /// `=`
    Equal,
    /// `!=`
    Differ,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// One value or a range of values, ends included. `Has`, `Equal` and `Differ` go with both,
/// the other operators only with `One`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values<T> {
    /// `value`
    One(T),
    /// `low..high`, `low..`, `..high`
    Range(Option<T>, Option<T>),
}

/// An operator and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compare<T> {
    /// The operator.
    pub op: Op,
    /// What is compared with.
    pub values: Values<T>,
}

/// A condition on one header field.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderClause {
    /// A name or another text field.
    Text(TextField, TextTest),
    /// A number.
    Number(NumberField, Compare<i32>),
    /// A date; a value keeps unknown parts as 0.
    Date(DateField, DateTest),
    /// The opening code.
    Eco(EcoTest),
    /// The result is (`true`) or is not (`false`) one of these.
    Result(Vec<GameResult>, bool),
    /// A flag is set (`true`) or not set (`false`).
    Flag(Flag, bool),
    /// A medal of ChessBase was given (`true`) or not (`false`).
    Medal(Medal, bool),
    /// The game holds (`true`) or does not hold (`false`) this.
    Has(Content, bool),
    /// The kind of start position is (`true`) or is not (`false`) this.
    Start(StartKind, bool),
    /// Some comment passes, with the rules of `:` for names. What people type gives `Contains`
    /// and `Like`.
    Comment(TextTest),
}

/// The fields that hold text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextField {
    /// PGN `White`.
    White,
    /// PGN `Black`.
    Black,
    /// Either player.
    Player,
    /// PGN `Event`.
    Event,
    /// PGN `Site`.
    Site,
    /// PGN `Round`.
    Round,
    /// Any other tag, by its PGN name. `annotator`, `source` and `team` are `Annotator`,
    /// `Source` and `WhiteTeam`/`BlackTeam` (name `Team`).
    Tag(String),
}

/// How a text field is tested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextTest {
    /// `:text`: contains; capitals do not count, absent accents match any. Of `white`, `black`,
    /// `player` and `annotator`, two to six words without a comma are also the beginning of a
    /// name written as `Last, First`.
    Contains(String),
    /// `:te*xt`: the whole text, with anything where stars stand between these pieces, at least
    /// two. Capitals and accents count as for `Contains`.
    Like(Vec<String>),
    /// `=text`: the whole text, exactly.
    Equals(String),
    /// `!=text`: not the whole text.
    Differs(String),
    /// `:*`, for `tag.NAME` only: the tag is there.
    Present,
}

/// The fields that hold numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NumberField {
    /// Both ratings.
    Elo,
    /// White's rating.
    WhiteElo,
    /// Black's rating.
    BlackElo,
    /// The mean of both ratings.
    AvgElo,
    /// White's rating minus Black's.
    EloDiff,
    /// The year of the date.
    Year,
    /// Half-moves of the main line.
    Plies,
    /// Full moves of the main line.
    Moves,
    /// Comments, as the index counts them.
    Comments,
    /// Variations, as the index counts them.
    Variations,
    /// NAGs, as the index counts them.
    Nags,
    /// The 1-based number of the game.
    Number,
}

/// The fields that hold dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DateField {
    /// PGN `Date`.
    Date,
    /// PGN `EventDate`.
    EventDate,
}

/// How a date is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateTest {
    /// `unknown`: year, month and day are all unknown. `false` for `!=`.
    Unknown(bool),
    /// Compared; a bound without month or day covers its whole year or month.
    Compare(Compare<PartialDate>),
}

/// How the opening code is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EcoTest {
    /// `none`: the game has no code. `false` for `!=`.
    Absent(bool),
    /// Compared; a shortened code covers all that it begins.
    Compare(Compare<EcoRange>),
}

/// Marks that an index keeps for a game, in Scid's terms and order of bits (bit 1 on).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are Scid's and say it all")]
pub enum Flag {
    Promotion,
    Underpromotion,
    Deleted,
    WhiteOpening,
    BlackOpening,
    Middlegame,
    Endgame,
    Novelty,
    PawnStructure,
    Tactics,
    Kingside,
    Queenside,
    Brilliancy,
    Blunder,
    User,
    Custom1,
    Custom2,
    Custom3,
    Custom4,
    Custom5,
    Custom6,
}

/// The kind of position a game begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StartKind {
    /// The standard start position.
    Standard,
    /// The game brings its own start position.
    Custom,
    /// A game of Chess960.
    Chess960,
}

/// Conditions that hold one after the other: `at(A) then at(B) next at(C)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// The first.
    pub first: At,
    /// The others, each with how it follows the one before.
    pub rest: Vec<(Link, At)>,
}

/// How one condition of a sequence follows the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// At any later position.
    Then,
    /// At the very next position.
    Next,
}

/// Conditions that one position satisfies together: `at( ... )`, or a single clause alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct At {
    /// All must hold. May be empty: then every position satisfies them.
    pub conditions: Vec<Condition>,
    /// `for:N`: in this many consecutive positions. 1 when not given.
    pub consecutive: Consecutive,
    /// `flip`: or with colours exchanged and ranks mirrored.
    pub flip: bool,
    /// `mirror`: or with files mirrored.
    pub mirror: bool,
    /// `rights`: castling and en-passant rights of `fen` count.
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

/// One condition on a position, or its negation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// `true` when the position must *not* satisfy the test.
    pub negated: bool,
    /// The test.
    pub test: PositionTest,
}

/// One test of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PositionTest {
    /// `fen`: this position.
    Fen(Box<FenTest>),
    /// `board`: these squares.
    Board(Box<BoardPattern>),
    /// `pawns`: the pawns of both sides are exactly those of this board (other men ignored).
    Pawns(PawnPlacement),
    /// `files`: as many white and black pawns on every file as here (a to h; White, Black).
    Files(PawnPlacement),
    /// `material`: exactly these counts.
    Material(Counts),
    /// `Q`, `r`, ...: the count of one kind of men. Never kings.
    Count(Man, Compare<i32>),
    /// `wminor`, `bminor`: bishops plus knights.
    Minors(Color, Compare<i32>),
    /// `men`: all men, kings included.
    Men(Compare<i32>),
    /// `diff`: White minus Black with Q9 R5 B3 N3 P1.
    Difference(Compare<i32>),
    /// `bishops`: each side has exactly one and they stand on equal (`true`) or different
    /// (`false`) colours.
    Bishops {
        /// `same`
        same: bool,
    },
    /// `piece`: at least one such man there.
    Piece(Man, Place),
    /// `stm`: who is to move.
    Turn(Color),
    /// `ply`: counted from the game's own start position, 0.
    Ply(Compare<i32>),
    /// `move`: the full-move number that PGN would print for the next move.
    MoveNumber(Compare<i32>),
    /// `check`: the side to move is in check.
    Check,
    /// `mate`: the side to move is checkmated.
    Mate,
    /// `stalemate`: the side to move is stalemated.
    Stalemate,
    /// `played`: the move that led here, as SAN with `?` for any one character.
    Played(String),
    /// `score`: what an engine expected for the side to move. Does not hold where nothing is
    /// stored.
    Score(Compare<Share>),
    /// `visits`: of an engine's visits the share that the most visited move has. With a move, as
    /// SAN with `?` for any one character: the visits of a legal move that fits, as a share of
    /// those of the most visited one. Does not hold where nothing is stored.
    Visits(Option<String>, Compare<Share>),
}

/// The position of a `fen` clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FenTest {
    /// The 64 squares.
    pub board: Board,
    /// Who is to move; `None` when the text gives the placement alone.
    pub turn: Option<Color>,
    /// Squares of the rooks that may castle; counts only with `rights`.
    pub castling: Bitboard,
    /// The en-passant square; counts only with `rights`.
    pub en_passant: Option<Square>,
}

/// Where pawns stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PawnPlacement {
    /// White pawns.
    pub white: Bitboard,
    /// Black pawns.
    pub black: Bitboard,
}

/// What may stand on each square, a1 to h8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardPattern(pub [ManSet; 64]);

/// A set of men and the empty square: bit [`Man::index`] for a man, bit 12 for empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ManSet(pub u16);

impl ManSet {
    /// Anything, an empty square included.
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

/// One piece's path: the same piece stands on these squares in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The kind of man at the first square.
    pub man: Man,
    /// The squares, at least two; `None` for any square.
    pub squares: Vec<Option<Square>>,
}
