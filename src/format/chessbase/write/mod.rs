//! Writing ChessBase databases: `.cbh` and what belongs to it.
//!
//! An [`Encoder`] makes an [`EncodedGame`] of what a reader tells about a game; a [`Writer`]
//! appends encoded games to a database. Encoding is most of the work and needs no order, so
//! any number of threads can encode for one writer:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use shakmaty::{Chess, Position};
//! use tabiya::format::{
//!     GameHeader, Overwrite, Visitor,
//!     chessbase::write::{Encoder, Writer},
//! };
//!
//! # let directory = tempfile::tempdir()?;
//! let mut writer = Writer::create(directory.path().join("new.cbh"), Overwrite::Refuse)?;
//! let mut encoder = Encoder::new();
//! encoder.begin(&GameHeader {
//!     white: "Morphy, Paul".into(),
//!     ..GameHeader::default()
//! });
//! let first = Chess::default().legal_moves()[0];
//! let _ = encoder.play(Some(first));
//! writer.append(&encoder.finish()?)?;
//! let summary = writer.finish()?;
//! assert_eq!((summary.games, summary.losses.is_empty()), (1, true));
//! # Ok(())
//! # }
//! ```
//!
//! Games are written in the encoding that ChessBase itself uses, games of Chess960 in theirs.
//! Everything that ChessBase derives from games is written too: flags and magnitudes in the
//! records, material, trees over names, lists of games by name, summaries of positions. What is
//! written depends on nothing but the games, so writing again gives the same bytes.

mod assemble;
pub(super) mod content;
mod encode;
mod entities;
mod extended;
mod lists;
mod moves;
mod names;
mod notes;
mod output;
mod pieces;
mod record;
mod setup;
mod summary;
#[cfg(test)]
mod tests;
mod text;
mod tree;

use std::path::Path;

use self::assemble::Assembler;
pub use self::encode::{EncodedGame, Encoder};
pub use crate::format::loss::{GameLosses, Loss, Losses};
use crate::{
    chess::Flow,
    error::Result,
    format::{Ask, Overwrite, Target},
};

/// The suffixes of the files that are written, the index first.
pub const SUFFIXES: [&str; 18] = [
    "cbh", "cbg", "cba", "cbj", "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbtt", "cit", "cib",
    "cit2", "cib2", "cbb", "cbgi", "flags",
];

/// Bytes of one game: its length has 24 bits.
const GAME_BYTES_MAX: usize = (1 << 24) - 1;
/// Moves of one game, each of which takes a byte.
const MOVES_MAX: usize = GAME_BYTES_MAX;

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Games.
    pub games: u32,
    /// Half-moves of all main lines.
    pub main_line_moves: u64,
    /// Bytes of the games file.
    pub games_bytes: u64,
    /// Bytes of the annotations file.
    pub annotations_bytes: u64,
    /// What did not fit into the format.
    pub losses: Losses,
}

/// Writes a new database.
///
/// Nothing is to be seen under the database's name until [`finish`](Writer::finish) has
/// succeeded; a writer that is dropped leaves nothing behind. Names and their use are kept in
/// memory, games and records are not.
#[derive(Debug)]
pub struct Writer {
    assembler: Assembler,
}

impl Writer {
    /// Prepares to write a database: `NAME.cbh` and the other [`SUFFIXES`]. The path may name
    /// any of them or their stem. The new files grow beside it under temporary names.
    ///
    /// # Errors
    /// `Io` when a file is there already and must not be replaced, or when no file can be
    /// created.
    pub fn create(path: impl AsRef<Path>, overwrite: Overwrite) -> Result<Writer> {
        let target = Target::for_path(path.as_ref(), &SUFFIXES, overwrite)?;
        let assembler = Assembler::new(target)?;
        Ok(Writer { assembler })
    }

    /// Returns how many games have been appended.
    #[must_use]
    pub fn game_count(&self) -> u32 {
        self.assembler.game_count()
    }

    /// Appends a game.
    ///
    /// # Errors
    /// `Io`, after which nothing more can be done with this writer. `LimitExceeded` with the
    /// game's number when it is one game too many (2 147 483 646), the games or the annotations
    /// would exceed 4 GiB, or a name is one too many of its kind (16 777 216): the game is not
    /// appended, others may still be.
    pub fn append(&mut self, game: &EncodedGame) -> Result<()> {
        self.assembler.append(game)
    }

    /// Writes everything to disk and gives the files their names.
    ///
    /// # Errors
    /// `Io`; no new database is there then.
    pub fn finish(self) -> Result<Summary> {
        self.finish_asking(&mut || Flow::Continue(()))
    }

    /// As [`finish`](Writer::finish), unless that is not wanted any more.
    pub(crate) fn finish_asking(self, ask: Ask<'_>) -> Result<Summary> {
        self.assembler.finish(ask)
    }
}
