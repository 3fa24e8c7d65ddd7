//! Opening books: what they have of the moves of a position.
//!
//! | suffix | program | how a position is found | of a move |
//! |---|---|---|---|
//! | `.bin` | PolyGlot | by its key | weight, learning |
//! | `.abk` | Arena | by the moves to it; here by the keys of all its entries | priority, games, results |
//! | `.ctg` | ChessBase | by its hash | games, results, colour, glyph |
//!
//! Files are mapped. Whatever they say, a book is found or refused in time that depends on their
//! length; entries that cannot be read or played are left out and counted as [`BookFaults`].

mod arena;
mod ctg;
mod ctg_moves;
mod ctg_position;
mod faults;
pub mod polyglot;
#[cfg(test)]
mod tests;

use std::{fmt, path::Path};

use shakmaty::{CastlingSide, Chess, File as BoardFile, Move, Position, Role, Square};

use self::{arena::Arena, ctg::Ctg, polyglot::Polyglot};
#[cfg(feature = "training")]
use crate::viriformat;
use crate::{Access, File, Report, error::Result, suffix::has_suffix};

/// The suffixes of opening books, without the dot.
pub const BOOK_SUFFIXES: [&str; 3] = ["bin", "abk", "ctg"];

/// An opening book, opened by `OpenOptions::open_book`.
#[derive(Debug)]
pub struct Book(Kind);

#[derive(Debug)]
enum Kind {
    Polyglot(Polyglot),
    Arena(Arena),
    Ctg(Ctg),
}

/// The format of an opening book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BookFormat {
    /// PolyGlot's (`.bin`): weights.
    Polyglot,
    /// Arena's (`.abk`): priorities, games and results.
    Arena,
    /// ChessBase's (`.ctg` with `.cto` and `.ctb`): games, results, recommendations.
    ChessBase,
}

impl fmt::Display for BookFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BookFormat::Polyglot => "PolyGlot book (.bin)",
            BookFormat::Arena => "Arena book (.abk)",
            BookFormat::ChessBase => "ChessBase book (.ctg)",
        })
    }
}

/// A move that a book has in a position. What its format does not have is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BookMove {
    /// The move, legal in the position. Serialized in UCI notation.
    #[cfg_attr(feature = "serde", serde(rename = "uci", serialize_with = "uci"))]
    pub played: Move,
    /// How often a program is to choose it, compared with the others; 0 for never. The sum where
    /// a book has the move several times. PolyGlot.
    pub weight: Option<u32>,
    /// What an engine has learnt of it, as the book has it. PolyGlot.
    pub learn: Option<u32>,
    /// How much its author wants it: 0 not at all, 9 most. Arena.
    pub priority: Option<u8>,
    /// The games behind it, and their results. Arena, ChessBase.
    pub results: Option<BookResults>,
    /// The colour that the book gives it. ChessBase.
    pub advice: Option<BookAdvice>,
    /// The glyph of the move, as in PGN: 1 for `!`. 1 to 31. ChessBase.
    pub nag: Option<u8>,
}

#[cfg(feature = "serde")]
fn uci<S: serde::Serializer>(played: &Move, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let uci = shakmaty::uci::UciMove::from_standard(*played);
    serializer.collect_str(&uci)
}

impl BookMove {
    fn new(played: Move) -> BookMove {
        BookMove {
            played,
            weight: None,
            learn: None,
            priority: None,
            results: None,
            advice: None,
            nag: None,
        }
    }

    /// Returns what the moves of a position are sorted by: the weight, or the number of games.
    #[must_use]
    pub fn heft(&self) -> u64 {
        let games = self.results.map_or(0, |results| results.games);
        self.weight.unwrap_or(games).into()
    }
}

/// Numbers of games, as a book has them: the results need not add up to the games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BookResults {
    /// All games.
    pub games: u32,
    /// Games that White won.
    pub white: u32,
    /// Draws.
    pub draws: u32,
    /// Games that Black won.
    pub black: u32,
}

impl BookResults {
    /// Returns White's score in thousandths, rounded half up; `None` without results.
    #[must_use]
    pub fn score_permille(self) -> Option<u32> {
        let [white, draws, black] = [self.white, self.draws, self.black].map(u64::from);
        let decided = white + draws + black;
        let points = 2 * (1000 * white + 500 * draws) + decided;
        let score = points.checked_div(2 * decided)?;
        u32::try_from(score).ok()
    }
}

/// Whether a book wants a move to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum BookAdvice {
    /// It is green: to be played.
    Green,
    /// It is red: not to be played.
    Red,
}

impl BookAdvice {
    /// Returns its name: `green` or `red`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            BookAdvice::Green => "green",
            BookAdvice::Red => "red",
        }
    }
}

/// The moves of a book in one position.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BookMoves {
    /// The moves, each once; the [heaviest](BookMove::heft) first, equal ones as they stand in the
    /// book.
    pub moves: Vec<BookMove>,
    /// What could not be read of the position.
    pub faults: BookFaults,
}

impl BookMoves {
    fn sort(&mut self) {
        self.moves
            .sort_by_key(|found| std::cmp::Reverse((found.heft(), found.priority)));
    }
}

/// Entries of a book that cannot be read or played, and what is left out for it.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BookFaults {
    /// How many there are.
    pub count: u64,
    /// The first of them, with the file and the offset.
    pub first: Option<crate::error::Error>,
}

impl BookFaults {
    fn add(&mut self, fault: impl FnOnce() -> crate::error::Error) {
        self.count += 1;
        self.first.get_or_insert_with(fault);
    }
}

impl Book {
    /// For `OpenOptions::open_book`: opens a book by its suffix. O(1), but for Arena's: all its
    /// entries are played once, and 12 bytes are kept for each.
    ///
    /// # Errors
    /// `Io` and `Missing` for files that cannot be had; `Corrupt` and `Truncated` if the file is no
    /// such book; `Unsupported` for another suffix; `Interrupted` after a `Break` from `progress`,
    /// which is told bytes.
    #[doc(hidden)]
    pub fn open(path: &Path, access: Access, progress: Report<'_>) -> Result<Book> {
        Ok(Book(match () {
            () if has_suffix(path, &["abk"]) => {
                Kind::Arena(Arena::open(File::open(path, access)?, progress)?)
            }
            () if has_suffix(path, &["ctg"]) => Kind::Ctg(Ctg::open(path, access)?),
            () if has_suffix(path, &["bin"]) => {
                Kind::Polyglot(Polyglot::open(File::open(path, access)?)?)
            }
            () => {
                let what = "an opening book with another suffix than .bin, .abk or .ctg";
                return Err(crate::error::Error::unsupported(what).at_path(path));
            }
        }))
    }

    /// Whether a path has the suffix of a book. Ignores case. Does not access files.
    #[must_use]
    pub fn has_name(path: &Path) -> bool {
        has_suffix(path, &BOOK_SUFFIXES)
    }

    /// Whether a file is a book and no database: it has the suffix of one, and a `.bin` is no
    /// training data. Reads the first games of a `.bin`.
    #[must_use]
    pub fn is_book(path: &Path) -> bool {
        Book::has_name(path) && path.is_file() && !is_training(path)
    }

    /// Returns the format.
    #[must_use]
    pub fn format(&self) -> BookFormat {
        match &self.0 {
            Kind::Polyglot(_) => BookFormat::Polyglot,
            Kind::Arena(_) => BookFormat::Arena,
            Kind::Ctg(_) => BookFormat::ChessBase,
        }
    }

    /// Returns what could not be read when the book was opened: entries of Arena's that do not
    /// follow from each other.
    #[must_use]
    pub fn faults(&self) -> BookFaults {
        match &self.0 {
            Kind::Arena(arena) => arena.faults().clone(),
            Kind::Polyglot(_) | Kind::Ctg(_) => BookFaults::default(),
        }
    }

    /// Returns the moves that the book has in a position: none if it does not have the position.
    /// Castling and en-passant rights count. A few reads of the file for each move.
    ///
    /// # Errors
    /// `Changed` if another program has changed a file since it was opened.
    pub fn moves(&self, position: &Chess) -> Result<BookMoves> {
        let mut found = match &self.0 {
            Kind::Polyglot(book) => book.moves(position),
            Kind::Arena(book) => book.moves(position),
            Kind::Ctg(book) => book.moves(position),
        };
        match &self.0 {
            Kind::Polyglot(book) => book.file().check_unchanged()?,
            Kind::Arena(book) => book.file().check_unchanged()?,
            Kind::Ctg(book) => book.check_unchanged()?,
        }
        found.sort();
        Ok(found)
    }
}

#[cfg(feature = "training")]
fn is_training(path: &Path) -> bool {
    has_suffix(path, &["bin"])
        && File::open(path, Access::Map).is_ok_and(|file| viriformat::is_viriformat(&file.bytes))
}

#[cfg(not(feature = "training"))]
fn is_training(_: &Path) -> bool {
    false
}

/// Returns the legal move between two squares; `None` if there is none. Castling may be the king's
/// move to the rook's square, or from the e-file to where the king comes to stand.
fn legal(position: &Chess, from: Square, to: Square, promotion: Option<Role>) -> Option<Move> {
    let king_to = |side: CastlingSide| Square::from_coords(side.king_to_file(), from.rank());
    let goes = |played: &Move| {
        let reaches = match played.castling_side() {
            Some(side) => played.to() == to || from.file() == BoardFile::E && king_to(side) == to,
            None => played.to() == to,
        };
        reaches && played.from() == Some(from) && played.promotion() == promotion
    };
    let legal = position.legal_moves();
    legal.into_iter().find(goes)
}
