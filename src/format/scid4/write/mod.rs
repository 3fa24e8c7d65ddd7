//! Writing `.si4` and `.si5` databases, byte for byte as Scid 5.0.2 does.
//!
//! An [`Encoder`] turns the events of a game into an [`EncodedGame`]; a [`Writer`] appends
//! encoded games to a database. Encoding is most of the work and order does not matter for it, so
//! any number of threads can encode for one writer:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use shakmaty::{Chess, Position};
//! use tabiya::format::{GameHeader, Overwrite, Visitor};
//! use tabiya::testing::scid4::{Encoder, Writer};
//!
//! # let directory = tempfile::tempdir()?;
//! let mut writer = Writer::create(directory.path().join("new.si4"), Overwrite::Refuse)?;
//! let mut encoder = Encoder::new();
//! encoder.begin(&GameHeader {
//!     white: "Morphy, Paul".into(),
//!     ..GameHeader::default()
//! });
//! let first = Chess::default().legal_moves()[0];
//! let _ = encoder.play(Some(first));
//! let _ = encoder.comment("A move.");
//! writer.append(&encoder.finish()?)?;
//! let summary = writer.finish()?;
//! assert_eq!((summary.games, summary.losses.is_empty()), (1, true));
//! # Ok(())
//! # }
//! ```
//!
//! With a database to read from, `database.visit(game, &mut encoder)` replaces the calls of
//! `play` and `comment`.
//!
//! The output differs from Scid's in two points. Comments that had to be joined are separated
//! by a space, where Scid runs the last word of one into the first of the next. NAGs before the
//! first move of a line, which Scid drops, are stored where its readers expect them.

mod assemble;
mod draft;
mod edition;
mod encode;
mod files;
mod moves;
mod narrow;
mod roster;
#[cfg(test)]
mod tests;

use std::{io::Cursor, path::Path};

use self::assemble::Assembler;
pub use self::{
    edition::Edition,
    encode::{EncodedGame, Encoder},
};
pub(crate) use crate::format::Overwrite;
pub(crate) use crate::format::loss::{GameLosses, Loss, Losses};
use crate::{
    chess::Flow,
    error::Result,
    format::{Ask, FormatKind, Parts, Target, Temporary},
};

/// The user's settings in the header of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Properties {
    /// The user's description. At most 107 bytes are stored.
    pub description: String,
    /// The type chosen by the user, which selects Scid's icon; 0 is "unknown".
    pub kind: u32,
    /// The 1-based number of the game that Scid loads on opening; 0 for none. A number that is
    /// too large means the last game.
    pub autoload: u32,
    /// Labels of the six custom flags. At most eight bytes of each are stored.
    pub flag_labels: [String; 6],
}

impl Default for Properties {
    /// Returns the settings of a new database in Scid.
    fn default() -> Properties {
        Properties {
            description: String::new(),
            kind: 0,
            autoload: 1,
            flag_labels: Default::default(),
        }
    }
}

/// Totals of a written database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Number of games.
    pub games: u32,
    /// Number of half-moves of all main lines.
    pub main_line_moves: u64,
    /// Size of the games file in bytes.
    pub games_bytes: u64,
    /// Number of players, events, sites and rounds.
    pub names: [u32; 4],
    /// What did not fit into the format.
    pub losses: Losses,
}

/// Writes a new database.
///
/// No file with the database's name exists until [`finish`](Writer::finish) has succeeded; a
/// dropped writer leaves no files. Names and their frequencies are kept in memory, games and
/// records are not.
#[derive(Debug)]
pub struct Writer {
    edition: Edition,
    assembler: Assembler<Temporary>,
    target: Target,
}

impl Writer {
    /// Prepares to write a database: `NAME.si4`, `NAME.sg4` and `NAME.sn4`, or `NAME.si5` and so
    /// on. The path may name any of them, or their stem, which means `.si4`. The new files are
    /// written to the same directory under temporary names.
    ///
    /// # Errors
    /// `Io` if a file already exists and must not be replaced, or if no file can be created;
    /// `Unsupported` for the suffixes of `.si3`.
    pub fn create(path: impl AsRef<Path>, overwrite: Overwrite) -> Result<Writer> {
        let path = path.as_ref();
        let edition = Edition::of_path(path)?;
        let target = Target::for_path(path, edition.suffixes(), overwrite)?;
        let (index, games) = (target.temporary()?, target.temporary()?);
        Ok(Writer {
            edition,
            assembler: Assembler::new(edition, &target.index(), index, games)?,
            target,
        })
    }

    /// Returns the edition that is written. Games must be encoded for it.
    #[must_use]
    pub fn edition(&self) -> Edition {
        self.edition
    }

    /// Sets the properties of the database. Without a call, they are those of a new database.
    pub fn set_properties(&mut self, properties: Properties) {
        self.assembler.set_properties(properties);
    }

    /// Returns the number of games appended so far.
    #[must_use]
    pub fn game_count(&self) -> u32 {
        self.assembler.game_count()
    }

    /// Appends a game.
    ///
    /// # Errors
    /// `Io`, after which this writer cannot be used any more. `LimitExceeded` with the game's
    /// number if there would be too many games (more than 16 777 214), the games file would
    /// exceed 4 GiB, or there would be too many names of a kind (more than 1 048 575 players,
    /// 524 287 events or sites, 262 143 rounds; all limits are those of `.si4`): the game is not
    /// appended, but other games can be. `Unsupported` for a game encoded for another edition.
    pub fn append(&mut self, game: &EncodedGame) -> Result<()> {
        self.assembler.append(game)
    }

    /// Writes everything to disk and gives the files their names.
    ///
    /// # Errors
    /// `Io`; no new database exists then.
    pub fn finish(self) -> Result<Summary> {
        self.finish_asking(&mut || Flow::Continue(()))
    }

    /// As [`finish`](Writer::finish), unless `ask` cancels it.
    pub(crate) fn finish_asking(self, ask: Ask<'_>) -> Result<Summary> {
        let assembled = self.assembler.finish()?;
        files::publish(
            self.edition,
            &self.target,
            assembled.index,
            assembled.games,
            &assembled.names,
            ask,
        )?;
        Ok(assembled.summary)
    }
}

/// Writes a new database into memory. Otherwise like [`Writer`].
#[derive(Debug)]
pub struct MemoryWriter {
    edition: Edition,
    assembler: Assembler<Cursor<Vec<u8>>>,
}

impl MemoryWriter {
    /// Prepares to write a `.si4` database.
    ///
    /// # Errors
    /// Currently never fails.
    pub fn new() -> Result<MemoryWriter> {
        MemoryWriter::with_edition(Edition::Si4)
    }

    /// Prepares to write a database.
    ///
    /// # Errors
    /// Currently never fails.
    pub fn with_edition(edition: Edition) -> Result<MemoryWriter> {
        let path = Path::new("(database in memory)");
        let (index, games) = (Cursor::default(), Cursor::default());
        Ok(MemoryWriter {
            edition,
            assembler: Assembler::new(edition, path, index, games)?,
        })
    }

    /// As [`Writer::set_properties`].
    pub fn set_properties(&mut self, properties: Properties) {
        self.assembler.set_properties(properties);
    }

    /// As [`Writer::game_count`].
    #[must_use]
    pub fn game_count(&self) -> u32 {
        self.assembler.game_count()
    }

    /// As [`Writer::append`].
    ///
    /// # Errors
    /// As for [`Writer::append`].
    pub fn append(&mut self, game: &EncodedGame) -> Result<()> {
        self.assembler.append(game)
    }

    /// Returns the three files, which [`Database::from_bytes`](crate::Database::from_bytes)
    /// opens.
    ///
    /// # Errors
    /// Currently never fails.
    pub fn finish(self) -> Result<(Parts, Summary)> {
        let assembled = self.assembler.finish()?;
        let parts = Parts {
            format: Some(match self.edition {
                Edition::Si4 => FormatKind::Scid4,
                Edition::Si5 => FormatKind::Scid5,
            }),
            index: assembled.index.into_inner(),
            games: Some(assembled.games.into_inner()),
            names: Some(assembled.names),
            ..Parts::default()
        };
        Ok((parts, assembled.summary))
    }
}
