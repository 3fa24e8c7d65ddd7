//! Databases of the program jose: archives (`.jose`, `.jos`) and the folder of a live database.
//! They are only read; the moves of a game can be written too.
//!
//! jose keeps its games in tables of MySQL's engine MyISAM. An archive packs the tables into one
//! file and has all of a game in one row; a live database has the header in `Game`, and start
//! position, moves and comments in `MoreGame`. The moves are a stream of bytes, see `stream`,
//! which means nothing without the start position; comments are a column of their own.

mod archive;
mod columns;
mod flaws;
mod folder;
mod names;
mod opened;
mod pieces;
mod stream;
mod tables;
mod text;
mod write;

pub use self::{stream::Stream, write::Encoder};
pub(crate) use opened::{JoseBase, TABLE_SUFFIXES, is_folder, open};
