//! Query the chess databases people already own, where they lie.
//!
//! ```text
//!  files            bytes       records            bounds            open games      positions       matches
//!  .si4 .sg4 .sn4 ┌────────┐   ┌────────┐ prefilter ┌────────┐ plan ┌────────┐ decode ┌─────────┐   ┌────────┐
//!  .si3 .sg3 .sn3 │ source │ ▶ │ format │ ────────▶ │ filter │ ───▶ │ format │ ─────▶ │ pattern │ ▶ │ search │
//!                 └────────┘   └────────┘           └────────┘      └────────┘        └─────────┘   └────────┘
//!                                                        ▲                                 ▲
//!                                       query text ─▶ query ─▶ plan ────────────────────────┘
//! ```
//!
//! | step | module | main type |
//! |---|---|---|
//! | map or read files | [`source`] | [`source::Source`] |
//! | records as slices, games on demand, writers | [`mod@format`] | [`format::Header`], [`format::Visitor`] |
//! | what the index proves | `filter` | [`Bounds`] |
//! | the language | [`query`] | [`Query`] |
//! | which clause is served by what | `plan` | [`Strategy`] |
//! | what a position must look like | `pattern` | |
//! | run it | `search` | [`Search`], [`Matches`], [`Report`] |
//! | what was played in a position | `tree` | [`TreeSearch`], [`Tree`] |
//! | one face for all formats | `database` | [`Database`] |
//! | what was played, by whom, how often | `tree`, `stats`, `names`, `duplicates` | [`TreeSearch`], [`Stats`], [`NameRow`], [`Duplicates`] |
//! | check, convert | `verify`, `convert` | [`Verification`], [`convert()`] |
//! | values and words of chess | [`chess`] | [`GameId`], [`chess::Eco`], [`chess::PartialDate`] |
//!
//! A search reads the index once and asks every condition of it. That gives two sets of games:
//! those that match for certain and those that may. Only the games between the two are decoded.
//!
//! ```
//! use tabiya::{Database, Query, Search};
//!
//! let database = Database::open("fixtures/famous.si4")?;
//! let query: Query = "player:morphy at(piece:Qh7 mate)".parse().unwrap_or(Query::All);
//! let found = Search::new(&query).run(&database)?;
//! for hit in &found {
//!     let header = database.header(hit.game)?;
//!     println!("{} {} - {}", hit.game.number(), header.white, header.black);
//! }
//! println!("{} games decoded", found.report().decoded);
//! # Ok::<(), tabiya::Error>(())
//! ```

mod bytes;
pub mod chess;
mod convert;
mod database;
mod diagram;
mod duplicates;
pub mod error;
mod filter;
pub mod format;
mod keys;
pub mod limits;
mod line;
mod names;
mod pattern;
mod plan;
pub mod query;
mod search;
pub mod source;
mod stats;
mod summary;
mod tree;
mod verify;

pub use chess::{Flow, GameId, MoveId, Tally};
pub use convert::{Conversion, ConvertProgress, convert};
pub use database::Database;
pub use diagram::Diagram;
pub use duplicates::{DuplicateGroup, Duplicates, SamePlayers};
pub use error::{Error, ErrorKind, Result};
pub use filter::{Bounds, GameSet};
pub use format::{FormatKind, Parts};
pub use keys::HeaderKeys;
pub use line::{Line, LineEnd, LineMove};
pub use names::NameRow;
pub use plan::{Strategy, explain::ExplainRow};
pub use query::Query;
pub use search::{Explanation, Match, Matches, Progress, Replay, Report, Search};
pub use stats::{EventStats, Lengths, MeanRatings, PlayerStats, Stats, StatsOptions};
pub use summary::Summary;
pub use tree::{
    NextMove, PositionFault, Tree, TreeOrder, TreePosition, TreeReport, TreeRow, TreeSearch,
    TreeStats,
};
pub use verify::Verification;
