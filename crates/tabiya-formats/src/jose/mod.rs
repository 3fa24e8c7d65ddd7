//! Databases of the program jose: archives (`.jose`, `.jos`) and the folder of a live database.
//! They are only read; for single games, moves can also be written.
//!
//! jose keeps its games in tables of MySQL's engine MyISAM. An archive packs the tables into one
//! file and has each game in one row. A live database has the header in `Game`, and start position,
//! moves and comments in `MoreGame`. The moves are a byte stream, see `codes`, which can only be
//! decoded with the start position; comments are a separate column.

mod archive;
mod codes;
mod flaws;
mod folder;
mod game;
mod header;
mod men;
mod names;
mod opened;
mod survey;
mod tables;
mod text;
mod view;
mod write;

pub use self::{game::Stream, write::Encoder};
pub(crate) use opened::{JoseBase, is_folder, open};
