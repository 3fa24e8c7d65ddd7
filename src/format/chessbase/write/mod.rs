//! Writes ChessBase databases: `.cbh` and its companion files.
//!
//! An [`Encoder`] builds an [`EncodedGame`] from the events of a reader; a [`Writer`] appends
//! encoded games to a database. Encoding is most of the work and needs no order, so any number of
//! threads can encode for one writer:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use shakmaty::{Chess, Position};
//! use tabiya::format::{GameHeader, Overwrite, Visitor};
//! use tabiya::testing::chessbase::{Encoder, Writer};
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
//! Games are written in the encoding that ChessBase itself uses, Chess960 games in the one for
//! Chess960. Everything that ChessBase derives from games is written too: flags and magnitudes in
//! the records, material, search trees of names, lists of games by name, summaries of positions.
//! The output depends only on the games, so writing them again gives the same bytes.

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
use self::encode::EncodedGame;
pub use self::encode::Encoder;
pub(crate) use crate::format::loss::{GameLosses, Loss, Losses};
use crate::{
    chess::Flow,
    error::Result,
    format::{Ask, Overwrite, Target},
};

/// The suffixes of the written files, the index first.
pub const SUFFIXES: [&str; 18] = [
    "cbh", "cbg", "cba", "cbj", "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbtt", "cit", "cib",
    "cit2", "cib2", "cbb", "cbgi", "flags",
];

/// Maximum bytes of one game, whose length has 24 bits.
const GAME_BYTES_MAX: usize = (1 << 24) - 1;
/// Maximum moves of one game, each of which takes a byte.
const MOVES_MAX: usize = GAME_BYTES_MAX;

/// Statistics of a written database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Number of games.
    pub games: u32,
    /// Number of half-moves of all main lines.
    pub main_line_moves: u64,
    /// Size of the games file in bytes.
    pub games_bytes: u64,
    /// Size of the annotations file in bytes.
    pub annotations_bytes: u64,
    /// What did not fit into the format.
    pub losses: Losses,
}

/// Writes a new database.
///
/// Nothing appears under the database's name until [`finish`](Writer::finish) succeeds. A writer
/// that is dropped leaves no files. Names and their use are kept in memory; games and records are
/// not.
#[derive(Debug)]
pub struct Writer {
    assembler: Assembler,
}

impl Writer {
    /// Prepares to write a database: `NAME.cbh` and the other [`SUFFIXES`]. The path may name any
    /// of them or their stem. The new files are written beside it under temporary names.
    ///
    /// # Errors
    /// `Io` if a file exists and must not be replaced, or if no file can be created.
    pub fn create(path: impl AsRef<Path>, overwrite: Overwrite) -> Result<Writer> {
        let target = Target::for_path(path.as_ref(), &SUFFIXES, overwrite)?;
        let assembler = Assembler::new(target)?;
        Ok(Writer { assembler })
    }

    /// Returns the number of games appended so far.
    #[must_use]
    pub fn game_count(&self) -> u32 {
        self.assembler.game_count()
    }

    /// Appends a game.
    ///
    /// # Errors
    /// `Io`, after which this writer is unusable. `LimitExceeded` with the game's number if there
    /// would be more games than possible (2 147 483 646), the games or the annotations would exceed
    /// 4 GiB, or there would be more names of a kind than possible (16 777 216). The game is then
    /// not appended, but others still may be.
    pub fn append(&mut self, game: &EncodedGame) -> Result<()> {
        self.assembler.append(game)
    }

    /// Writes everything to disk and renames the files to their final names.
    ///
    /// # Errors
    /// `Io`; then no new database exists.
    pub fn finish(self) -> Result<Summary> {
        self.finish_asking(&mut || Flow::Continue(()))
    }

    /// Like [`finish`](Writer::finish), but `ask` can cancel it.
    pub(crate) fn finish_asking(self, ask: Ask<'_>) -> Result<Summary> {
        self.assembler.finish(ask)
    }
}
