//! Chess databases as tables, where they lie.
//!
//! ```text
//!  SQL text ─▶ DataFusion ─▶ filters ─▶ pushdown ─▶ query of tabiya ─▶ games ─▶ tables ─▶ batches
//! ```
//!
//! | step | module |
//! |---|---|
//! | open databases, their names as Arrow data | [`base`] |
//! | games, moves and tags as batches of rows | [`tables`] |
//! | conditions of SQL as a query of tabiya | `pushdown` |
//! | games of a database as batches, for scans and exports | `read` |
//! | a table of some databases, and how it is scanned | [`provider`], `scan` |
//! | `games('a.si4')`, `tree(...)`, `matches(...)` in SQL | `functions`, `matches` |
//! | a session that knows all of it | [`session`] |
//! | Parquet files for other programs | [`export`] |

pub mod base;
pub mod export;
mod functions;
mod matches;
pub mod provider;
mod pushdown;
mod read;
mod scan;
pub mod session;
pub mod tables;

pub use {base::Base, provider::ChessTable, session::Session, tables::Table};
