//! Query the chess databases people already own, where they lie.
//!
//! ```text
//!  files            bytes       records            bounds            open games      positions       matches
//!  .si4 .sg4 .sn4 ┌────────┐   ┌────────┐ prefilter ┌────────┐ plan ┌────────┐ decode ┌─────────┐   ┌────────┐
//!  .si5 .sg5 .sn5 │ source │ ▶ │ format │ ────────▶ │ filter │ ───▶ │ format │ ─────▶ │ pattern │ ▶ │ search │
//!  .cbh .dci ...  └────────┘   └────────┘           └────────┘      └────────┘        └─────────┘   └────────┘
//!                                                        ▲                                 ▲
//!                                       query text ─▶ query ─▶ plan ────────────────────────┘
//! ```
//!
//! | step | module | main types |
//! |---|---|---|
//! | map or read files | `source` | |
//! | records as slices, games on demand, writers | [`mod@format`] | [`format::GameHeader`], [`format::Visitor`] |
//! | a file next to the database with data about positions | `sidecar` | [`Sidecar`], [`SidecarOptions`] |
//! | bounds proved by the index | `filter` | [`Bounds`], [`GameSet`] |
//! | the query language | [`query`] | [`Query`] |
//! | how each clause is answered | `plan` | [`Strategy`], [`ExplainRow`] |
//! | patterns of positions | `pattern` | |
//! | running a query | `search` | [`Search`], [`Matches`], [`Report`] |
//! | one interface for all formats | `database` | [`Database`], [`OpenOptions`] |
//! | counts of moves, positions, players and duplicates | `report` | [`TreeSearch`], [`Positions`], [`Stats`], [`NameRow`], [`Duplicates`] |
//! | opening books | `book` | [`Book`], [`BookMove`] |
//! | showing positions and lines | `line`, `diagram` | [`Line`], [`MainLine`], [`Remarks`], [`Diagram`] |
//! | text of files where people read it | `visible` | [`Visible`], [`ToTerminal`] |
//! | check, convert, repair | `maintenance` | [`Verification`], [`convert()`], [`repair()`] |
//! | how far long work is, and stopping it | `progress` | [`Progress`], [`Flow`], [`WithProgress`] |
//! | chess values and types | [`chess`] | [`GameId`], [`chess::Eco`], [`chess::PartialDate`] |
//!
//! What is found, counted and reported is `serde::Serialize` with the feature `serde`, in the names
//! that the program and the explorer print. A [`GameId`] is then its index, from 0: what people see
//! is [`Database::number`].
//!
//! Modules without a link are private; their types are here at the root. Squares, roles, boards and
//! positions are those of the crate [`shakmaty`](mod@shakmaty), which is exported under that name:
//! it is the only foreign crate in signatures, and a new major version of it is one of this crate.
//!
//! A search evaluates every condition in one pass over the index. That gives two sets of games:
//! those that are certain to match and those that may. Only games in the second but not in the
//! first are decoded.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tabiya::{Database, Query, Search};
//!
//! let database = Database::open("fixtures/famous.si4")?;
//! let query: Query = "player:morphy at(piece:Qh7 mate)".parse()?;
//! let found = Search::new(&query).run(&database)?;
//! for hit in &found {
//!     let header = database.header(hit.game)?;
//!     println!("{} {} - {}", database.number(hit.game), header.white, header.black);
//! }
//! println!("{} games decoded", found.report().decoded);
//! # Ok(())
//! # }
//! ```
//!
//! Invalid text of a query, a FEN or moves is a [`Fault`](query::Fault), which has the position of
//! the error and what was expected. Do not search for something else instead: the results would be
//! misleading.
//!
//! # Where in the game
//!
//! A [`Match`] has the ply at which its condition is complete, and in variations the move.
//! [`Database::line`] converts either to the moves that lead there, [`Diagram`] draws the
//! position. Sequences (`then`: later; `next`: in the very next position) and the path of one
//! piece are complete where their last part is.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tabiya::{Database, Diagram, LineEnd, Query, Search};
//!
//! let database = Database::open("fixtures/famous.si4")?;
//! let query: Query = "at(Q=1 stm:black) next at(Q=0) next mate".parse()?;
//! for hit in &Search::new(&query).variations(true).run(&database)? {
//!     let end = hit.place().unwrap_or(LineEnd::Last);
//!     if let Some(line) = database.line(hit.game, end)? {
//!         println!("{}\n{}", line.san(), Diagram::new(&line.end).text());
//!     }
//! }
//! let path: Query = "path:\"Nb1-d2-f1-g3\"".parse()?;
//! assert!(Search::new(&path).count(&database)?.matched < 91);
//! # Ok(())
//! # }
//! ```
//!
//! # Counting
//!
//! [`TreeSearch`] counts the moves played in one position, [`Positions`] the games of many
//! positions in one pass, [`Database::stats`] the games of any set by year, rating, opening, length
//! and player.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tabiya::{Database, Positions, Query, Search, StatsOptions, TreePosition, TreeSearch};
//!
//! let database = Database::open("fixtures/famous.si4")?;
//! let position = TreePosition::from_moves("1.e4 e5")?;
//! let tree = TreeSearch::new(&position).run(&database)?;
//!
//! let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w";
//! let counts = Positions::from_epd(fen)?.run(&database)?;
//! assert_eq!(u64::from(counts.rows()[0].tally.games()), tree.total().games());
//!
//! let query: Query = format!("fen:\"{fen}\"").parse()?;
//! let games = Search::new(&query).run(&database)?.games();
//! let stats = database.stats(&games, &StatsOptions::default())?;
//! assert_eq!(stats.total, counts.rows()[0].tally);
//! # Ok(())
//! # }
//! ```

mod database;
mod filter;
mod keys;
pub mod limits;
mod line;
mod maintenance;
mod pattern;
mod plan;
mod progress;
pub mod query;
mod repertoire;
mod report;
mod search;
mod sidecar;
#[cfg(test)]
mod slow;

/// 91 famous games as PGN, to show with something: those of `fixtures/famous.pgn`. UTF-8.
pub const FAMOUS_GAMES: &[u8] = include_bytes!("../fixtures/famous.pgn");

/// Chess types that shakmaty lacks: men, counts, header values.
///
/// Colours, roles, squares, boards and positions are those of [`shakmaty`](mod@shakmaty).
pub mod chess {
    #[doc(inline)]
    pub use tabiya_chess::{
        Color, Content, Counts, Eco, EcoRange, Elo, EngineEval, Evaluation, FinalMaterial, Flow,
        GameId, GameResult, HomePawns, Man, Medal, MoveId, NameId, NameKind, NamedOpening,
        ParseError, PartialDate, RatingKind, Remark, Seconds, Share, Speed, Start, Tally,
        forgiving_position, opening_of, openings, text,
    };
}

/// Errors as data: a kind, the file, the byte offset and the game.
///
/// Files are untrusted input, so invalid data is an [`Error`] and never a panic.
pub mod error {
    #[doc(inline)]
    pub use tabiya_formats::error::{Error, ErrorKind, Result};
}

/// What is read from games of any format and written to them.
///
/// Games come and go as events: whatever reads a game passes it to a [`Visitor`], as
/// [`Database::visit`] does; [`GameText`] is a visitor that writes PGN. Other formats are written
/// by [`convert`](crate::convert()).
///
/// [`Visitor`]: format::Visitor
/// [`GameText`]: format::GameText
pub mod format {
    pub use crate::OpenOptions;
    #[doc(inline)]
    pub use tabiya_formats::{
        EntryState, Extent, FormatKind, GameDamage, GameHeader, GameText, Language, Layout, Lost,
        MontyLayout, NameSlot, Overwrite, ParseLanguageError, Parts, Rating, RecordFacts,
        SET_SUFFIX, SUPPORT, ScdbLayout, Support, TextEncoding, WindowEntry, database_suffixes,
        finish_replacement, flag, has_database_name, is_database_entry, is_set, left_out,
        may_belong_to_database, source_files, stands_for_database, window_entries, write_file,
    };

    /// Gets everything about a game, in the order of a PGN file.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tabiya::{Database, Flow, GameId, format::Visitor};
    ///
    /// #[derive(Default)]
    /// struct Comments(Vec<String>);
    ///
    /// impl Visitor for Comments {
    ///     fn comment(&mut self, text: &str) -> Flow {
    ///         self.0.push(text.to_owned());
    ///         Flow::Continue(())
    ///     }
    /// }
    ///
    /// let mut comments = Comments::default();
    /// Database::open("fixtures/famous.si4")?.visit(GameId(0), &mut comments)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    #[doc(inline)]
    pub use tabiya_formats::Visitor;
}

pub use database::{Database, OpenOptions, PgnParts};
pub use error::{Error, ErrorKind, Result};
pub use filter::{Bounds, GameSet};
pub use keys::HeaderKeys;
pub use line::{
    AllLines, Excerpt, Line, LineEnd, LineMove, ListStyle, MainLine, Notation, NotedMove, Point,
    Remarks,
};
pub use maintenance::build_sidecar::{PartsReport, SidecarOptions};
pub use maintenance::change::{add, add_missing, undo};
pub use maintenance::convert::{
    Conversion, ConvertOptions, Split, SplitBy, convert, convert_games, target_files,
};
pub use maintenance::edit::{Edit, EditFault, EditedField, purge, replace};
pub use maintenance::repair::{GameLoss, Repair, RepairOptions, RepairedGame, repair};
pub use maintenance::verify::Verification;
pub use plan::{Strategy, explain::ExplainRow};
pub use progress::WithProgress;
pub use query::Query;
pub use repertoire::Repertoire;
pub use report::duplicates::{
    Dedupe, DuplicateGroup, Duplicates, KeptFor, Located, Repeat, Repeats, SamePlayers,
};
pub use report::lines::{GraphMove, GraphNode, LineGraph, Lines, MovePlace};
pub use report::names::NameRow;
pub use report::novelty::{Novelties, Novelty};
pub use report::positions::{PositionCount, PositionCounts, Positions, WantedPosition};
pub use report::repertoire::{
    LeavingGame, LeavingPlace, LeftBy, PlayedMove, RepertoireCheck, RepertoireGap, RepertoireLine,
    RepertoireMove, RepertoireReport,
};
pub use report::similar::{Similar, SimilarGame};
pub use report::spelling::{Likeness, NameSuggestion, Spellings};
pub use report::stats::{
    EventStats, Lengths, MeanRatings, PlayerStats, Stats, StatsOptions, StatsSum,
};
pub use report::summary::Summary;
pub use report::tree::{
    NextMove, Tree, TreeOrder, TreePosition, TreeReport, TreeRow, TreeSearch, TreeStats,
};
pub use report::written::{
    MainPlayer, OpeningReport, PlayerReport, ReportMap, ReportRow, ReportSection, WrittenReport,
};
pub use search::{Explanation, Hint, Match, MatchIter, Matches, Report, Search};
/// The crate whose squares, roles, boards, moves and positions are in signatures.
pub use shakmaty;
pub use sidecar::{BuildReport, Sidecar};
#[doc(inline)]
pub use tabiya_chess::{
    Flow, GameId, MoveId, NamedOpening, Tally,
    diagram::{Diagram, piece_svg},
    opening_of, openings,
};
/// How far long work is, and what stops it.
///
/// # What `Break` does
///
/// An operation whose result so far is of use returns it, marked: a [`Search`] has
/// delivered its matches in game order, and returns a report with
/// [`stopped_early`](Report::stopped_early). All others return
/// [`Interrupted`](ErrorKind::Interrupted): their counts would be wrong, and what they were
/// writing is removed.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::{Duration, Instant};
/// use tabiya::{Database, Flow};
///
/// let database = Database::open("fixtures/famous.si4")?;
/// let end = Instant::now() + Duration::from_secs(60);
/// let look = |at: tabiya::Progress| {
///     if let Some(total) = at.total {
///         eprintln!("{} of {total} games", at.done);
///     }
///     if Instant::now() < end { Flow::Continue(()) } else { Flow::Break(()) }
/// };
/// assert_eq!(database.on_progress(look).verify()?.damaged, 0);
/// # Ok(())
/// # }
/// ```
///
#[doc(inline)]
pub use tabiya_formats::progress::Progress;
#[cfg(all(unix, feature = "lost-files"))]
pub use tabiya_formats::source::end_when_lost;
#[doc(inline)]
pub use tabiya_formats::{
    FormatKind, Language, Parts,
    book::{
        BOOK_SUFFIXES, Book, BookAdvice, BookFaults, BookFormat, BookMove, BookMoves, BookResults,
    },
    damage::{DamageClass, Flaw},
    databases_named, finish_replacement,
    visible::{ToTerminal, Visible, is_command},
};
