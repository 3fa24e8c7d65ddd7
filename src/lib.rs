//! tabiya

mod bytes;
pub mod chess;
mod database;
pub mod error;
mod filter;
pub mod format;
pub mod limits;
mod pattern;
mod plan;
pub mod query;
mod search;
pub mod source;
mod verify;
pub use chess::{Flow, GameId};
pub use database::{Database, Parts};
pub use error::{Error, ErrorKind, Result};
pub use filter::{Bounds, GameSet};
pub use plan::Strategy;
pub use query::Query;
pub use search::{Match, Matches, Progress, Report, Search};
pub use verify::Verification;
