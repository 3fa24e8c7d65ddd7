//! tabiya

mod bytes;
pub mod chess;
mod database;
pub mod error;
mod filter;
pub mod format;
mod keys;
pub mod limits;
mod pattern;
mod plan;
pub mod query;
mod search;
pub mod source;
mod summary;
pub use chess::{Flow, GameId};
pub use database::{Database, Parts};
pub use error::{Error, ErrorKind, Result};
pub use filter::{Bounds, GameSet};
pub use keys::HeaderKeys;
pub use plan::{Strategy, explain::ExplainRow};
pub use query::Query;
pub use search::{Explanation, Match, Matches, Progress, Report, Search};
pub use summary::Summary;
