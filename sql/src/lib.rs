//! Chess databases as tables, where they lie.
//!
//! ```text
//!  SQL text ─▶ DataFusion ─▶ filters ─▶ pushdown ─▶ query of tabiya ─▶ games ─▶ tables ─▶ batches
//! ```
//!
//! | step | module |
//! |---|---|
//! | open databases, their names as Arrow data | [`base`] |
//! | those that SQL can name | `bases` |
//! | games in the Parquet files of others | [`parquet`] |
//! | games, moves and tags as batches of rows | [`tables`] |
//! | conditions of SQL as a query of tabiya | `pushdown`, `values` |
//! | the plies of moves that conditions leave | `plies` |
//! | games of a database as batches, for scans and exports | `read` |
//! | tables of some databases, and how they are scanned | [`provider`], `wanted`, `scan` |
//! | the games that the other side of a join needs | `needed` |
//! | `games('a.si4')`, `tree(...)` in SQL | `functions` |
//! | `matches(...)`, `tag(...)` in SQL | `of_games`, `matches`, `tag`, `databases` |
//! | columns with their descriptions, and the page of all tables | `columns`, [`mod@reference`] |
//! | databases that a scan reads, open or named by a plan | `source` |
//! | the answers of `tree`, `lines` and `positions` | `answers` |
//! | a session that knows all of it | [`session`] |
//! | many machines | [`cluster`] |
//! | Parquet files for other programs | [`export`] |

mod answers;
pub mod base;
mod bases;
pub mod cluster;
mod columns;
mod databases;
mod errors;
pub mod export;
mod functions;
mod matches;
mod needed;
mod of_games;
pub mod parquet;
mod plies;
pub mod provider;
mod pushdown;
mod read;
pub mod reference;
mod scan;
pub mod session;
mod source;
pub mod tables;
mod tag;
mod values;
mod wanted;

pub use {
    base::Base, columns::Column, errors::with_causes, provider::ChessTable, session::Session,
    tables::Table,
};
