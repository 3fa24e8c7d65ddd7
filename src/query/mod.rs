//! The query language: a typed tree, and its text form.
//!
//! One file because the types of the tree are defined by each other; what reads and writes them is
//! in files of their own.
//!
//! [`Query`] is pure syntax. It is independent of formats and files; `plan` binds it to a database.
//! `parse` reads text, `print` writes text that parses to the same tree, and `table` is the list of
//! fields from which both, the help text and the completions are derived.
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
//! After `:` a text matches if it is contained. Capitals are ignored, runs of spaces count as one,
//! an accent must match and a letter without accent matches any. Capitals are compared by case
//! folding, so `ß` equals `ss` and all forms of sigma are equal. A text with `*` is compared as a
//! whole, with any letters or none for each `*`, in quotes or not: `player:"tal,*"` finds Tal but
//! not Vitaliy; `\*` is a literal star. After `=` and `!=` a text is the exact whole name, and a
//! star is a literal star.
//!
//! For `white`, `black`, `player` and `annotator`, a text of two to six words without a comma also
//! matches names that begin with it when written as `Last, First`, wherever the last name begins:
//! `player:"Magnus Carlsen"` finds `Carlsen, Magnus`, and also `Carlsen,Magnus Øen`.
//!
//! A name that is missing, empty or `?` is the same in all formats: `white=?` and `white=""` both
//! find it. A missing tag counts as an empty text (`annotator=""`), but only a tag that is present
//! matches `annotator:*`. For comments only existing ones count.
//!
//! # Openings
//!
//! A game's opening is the last position with a name, among those after plies 1 to 40 that have at
//! least 20 men, in its main line from the standard start; by whatever moves it came. Names are
//! those of Lichess: `Sicilian Defense: Najdorf Variation, English Attack`. `opening="..."` ignores
//! capitals.
//!
//! # Texts without a field
//!
//! A word that is no field and no keyword, or a text in quotes, holds when a player, the event, the
//! site or the opening contains it, as after `:`. So `carlsen "world championship"` are two
//! conditions.
//!
//! # Dates
//!
//! `2015.02.17` may be written `2015-02-17`, also in ranges: `2015-02-17..2015-03`. A day that does
//! not exist in the calendar is an error.
//!
//! # Comments
//!
//! `clock`, `spent` and `eval` are about the position after a move, by the commands `[%clk]`,
//! `[%emt]` and `[%eval]` in the comments of that move, the first that can be read. Where nothing
//! is told they do not hold, so `not clock>=0` holds there, and at the start of a game. Without
//! `[%emt]`, `spent` is what the side's clock has lost since its previous move, plus the increment.
//! Mates count as more than any number of pawns, and sooner ones as more than later ones:
//! `eval>=#5` is a mate by White in at most five moves.
//!
//! # Places
//!
//! `for:N` asks for consecutive positions that satisfy all of `at( ... )` in the same image: with
//! `flip` and `mirror`, one of up to four images is chosen for the whole run, not for each
//! position. In a sequence each `at( ... )` chooses its own.
//!
//! A path continues through a promotion: `path:Pa2-a8-c6` is a pawn that moved on as the promoted
//! piece. The man is named as on the first square.
//!
//! With variations, the first place is one in the main line if there is one; otherwise the first in
//! the order of moves in a PGN file, which need not have the lowest ply.

mod advice;
mod asks;
mod board;
mod build;
mod choices;
mod clause;
mod counts;
mod designator;
mod fault;
mod group;
mod lex;
mod moves;
mod order;
mod parse;
mod part;
mod position;
mod print;
pub(crate) mod regex;
mod structures;
mod suggest;
mod sums;
pub mod table;
#[cfg(test)]
mod tests;
mod value;
mod words;

pub use crate::pattern::{
    relation::{Relation, Standing},
    word::{Measure, State},
};
pub use advice::Advice;
pub(crate) use board::setup;
pub use choices::{Flag, Leaver, StartKind};
pub use counts::{Counted, Zone};
pub use designator::Designator;
pub use fault::Fault;
pub(crate) use fault::excerpt;
pub use moves::Moves;
pub(crate) use moves::without_number;
pub use order::SortField;
pub use position::*;
use structures::STRUCTURE_NAMES;
pub use structures::Structure;
pub use suggest::nearest;
pub use sums::{CountSum, SumBound, SumTerm, SumTest};
pub use tabiya_chess::{Content, Decimal, Evaluation, Judgement, Medal, Seconds, Share, Speed};
pub(crate) use words::condition_meant;

use shakmaty::Color;
use tabiya_chess::{EcoRange, GameResult, PartialDate};

/// A condition on games. Made from text, and printed as text that gives the same condition.
///
/// ```
/// use tabiya::Query;
///
/// let query: Query = "white:morphy and not result:1-0".parse()?;
/// assert_eq!(query.to_string().parse(), Ok(query));
/// # Ok::<(), tabiya::query::Fault>(())
/// ```
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
    /// The path of one piece.
    Path(Path),
    /// A condition on the final position of the main line: `last( ... )`.
    Last(At),
    /// The number of positions of a line at which a sequence is complete: `count( ... )`.
    Count(Box<Sequence>, Compare<i32>),
    /// The main line begins with these moves, from the standard start position: `line`.
    Line(Box<Moves>),
}

impl Query {
    /// Returns the number of conditions: clauses, the parts of sequences, and the squares of paths.
    pub(crate) fn condition_count(&self) -> usize {
        match self {
            Query::All => 0,
            Query::And(queries) | Query::Or(queries) => {
                queries.iter().map(Query::condition_count).sum()
            }
            Query::Not(query) => query.condition_count(),
            Query::Header(_) => 1,
            Query::Path(path) => path.squares.len().max(1),
            Query::Position(sequence) => sequence.condition_count(),
            Query::Count(sequence, _) => sequence.condition_count(),
            Query::Last(at) => at.condition_count(),
            Query::Line(line) => line.moves().len().max(1),
        }
    }
}

/// How a value is compared. `:` and `=` differ only for names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// `:` contains (names), or is within.
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

/// One value or an inclusive range of values. `Has`, `Equal` and `Differ` take both, the other
/// operators only `One`.
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
    /// The value or range compared with.
    pub values: Values<T>,
}

impl<T> Compare<T> {
    /// Converts the values.
    pub(crate) fn map<U>(self, convert: impl Fn(T) -> U) -> Compare<U> {
        let values = match self.values {
            Values::One(value) => Values::One(convert(value)),
            Values::Range(low, high) => Values::Range(low.map(&convert), high.map(&convert)),
        };
        Compare {
            op: self.op,
            values,
        }
    }
}

/// A condition on one header field.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderClause {
    /// A name or another text field.
    Text(TextField, TextTest),
    /// A number.
    Number(NumberField, Compare<i32>),
    /// A date; unknown parts of a value are 0.
    Date(DateField, DateTest),
    /// The opening code.
    Eco(EcoTest),
    /// The code of the position that gives the opening its name.
    EcoPosition(EcoTest),
    /// The name of the opening.
    Opening(OpeningTest),
    /// The game begins as the lines of a file do.
    Repertoire(RepertoireTest),
    /// The number of plies. No condition, but how each `Repertoire` of the query is meant.
    RepertoirePlies(u32),
    /// The ply with which the game leaves the repertoire of the query for good. Such a query, and
    /// one with `Left`, has one repertoire, whose clause then asks only for some position of it.
    RepertoirePly(Compare<i32>),
    /// Whose move that is. Holds for no game without a position of the repertoire.
    Left(Leaver),
    /// The result is (`true`) or is not (`false`) one of these.
    Result(Vec<GameResult>, bool),
    /// A flag is set (`true`) or not set (`false`).
    Flag(Flag, bool),
    /// A ChessBase medal is set (`true`) or not set (`false`).
    Medal(Medal, bool),
    /// The game has (`true`) or does not have (`false`) this content.
    Has(Content, bool),
    /// The kind of start position is (`true`) or is not (`false`) this.
    Start(StartKind, bool),
    /// The game is (`true`) or is not (`false`) played at this speed, by its time control or else
    /// by the words of its event.
    Speed(Speed, bool),
    /// It is not known (`true`) or known (`false`) how fast the game was played.
    SpeedUnknown(bool),
    /// How well a side played, by the evaluations of the main line. Fails where these are missing.
    Quality(QualityField, Compare<Decimal>),
    /// A number that a tag holds. Fails where the tag is missing, or holds no number.
    TagNumber(TagNumber, Compare<i32>),
    /// Some comment passes, with the rules of `:` for names. The parser only creates `Contains` and
    /// `Like`.
    Comment(TextTest),
    /// A text without a field: a player, the event, the site or the opening passes. The parser only
    /// creates `Contains` and `Like`.
    Plain(TextTest),
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
    /// The player who won; games without a winner have none.
    Winner,
    /// The player who lost.
    Loser,
    /// PGN `Event`.
    Event,
    /// PGN `Site`.
    Site,
    /// PGN `Round`.
    Round,
    /// Any other tag, by its PGN name. `annotator`, `source` and `team` are `Annotator`,
    /// `Source` and `WhiteTeam`/`BlackTeam` (name `Team`).
    Tag(String),
    /// PGN `WhiteTitle`, `BlackTitle` or either. `:` compares the whole title.
    Title(Option<Color>),
    /// Each word of the tag `Themes`, which puzzles have. `:` compares the whole word.
    Theme,
}

/// How a text field is tested.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextTest {
    /// `:text`: contains; capitals are ignored, letters without accents match any. For `white`,
    /// `black`, `player` and `annotator`, two to six words without a comma also match the beginning
    /// of a name written as `Last, First`.
    Contains(String),
    /// `:te*xt`: the whole text, with any letters where the stars are between these pieces, at
    /// least two, or one for titles. Capitals and accents are compared as in `Contains`.
    Like(Vec<String>),
    /// `=text`: the whole text, exactly.
    Equals(String),
    /// `!=text`: not the whole text.
    Differs(String),
    /// `:*`, for `tag.NAME` only: the tag is present.
    Present,
    /// `:/regex/`: the regular expression is found in the text as it is stored.
    Matches(String),
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
    /// The day of the week of the date, 1 for Monday to 7 for Sunday; 0 if it is unknown.
    Weekday,
    /// Plies of the main line.
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

/// The tags that hold numbers, of puzzles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TagNumber {
    /// `Rating`: how hard it is to solve.
    Rating,
    /// `Popularity`: how much it is liked, from -100 to 100.
    Popularity,
}

impl TagNumber {
    /// Returns the name of the tag.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            TagNumber::Rating => "Rating",
            TagNumber::Popularity => "Popularity",
        }
    }
}

/// How well one side played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QualityField {
    /// `acpl`: the mean loss of its moves, in centipawns.
    Loss(Color),
    /// `accuracy`: from 0 to 100, as Lichess computes it.
    Accuracy(Color),
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
#[non_exhaustive]
pub enum DateTest {
    /// `unknown`: year, month and day are all unknown. `false` for `!=`.
    Unknown(bool),
    /// Comparison; a bound without month or day covers its whole year or month.
    Compare(Compare<PartialDate>),
}

/// How the opening code is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EcoTest {
    /// `none`: the game has no code. `false` for `!=`.
    Absent(bool),
    /// Comparison; a shortened code covers all codes that it begins.
    Compare(Compare<EcoRange>),
}

/// How the name of the opening is tested.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpeningTest {
    /// `none`: the game has no named opening. `false` for `!=`.
    Absent(bool),
    /// The name passes; `Equals` and `Differs` ignore capitals. Without a name only `Differs`
    /// holds.
    Name(TextTest),
}

/// A file whose lines a game must follow: the positions after its first plies, 16 unless the query
/// says another number, are among those of the file's main lines and variations.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepertoireTest {
    /// The path of a database, for example a PGN file.
    pub file: String,
    /// Whose moves must lead to such positions; `None` for both sides.
    pub side: Option<Color>,
}

/// How an evaluation is tested. Fails where none is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvalTest {
    /// `#`: a mate is announced. `false` for `!=`: pawns are told.
    Mate(bool),
    /// Comparison; a mate counts as more than any number of pawns.
    Compare(Compare<Evaluation>),
}
