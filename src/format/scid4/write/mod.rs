//! Writing `.si4` and `.si5` databases, byte for byte as Scid 5.0.2 does.
//!
//! An [`Encoder`] makes an [`EncodedGame`] of what a reader tells about a game; a [`Writer`]
//! appends encoded games to a database. Encoding is most of the work and needs no order, so
//! any number of threads can encode for one writer:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use shakmaty::{Chess, Position};
//! use tabiya::format::{
//!     GameHeader, Visitor,
//!     scid4::write::{Encoder, Overwrite, Writer},
//! };
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
//! With a database to read from, `database.visit(game, &mut encoder)` takes the place of the
//! two calls to the encoder.
//!
//! What Scid writes and what is written here differs in two points. Comments that had to be
//! joined get a space between them, where Scid lets the last word of one run into the first of
//! the other. NAGs before the first move of a line, which Scid forgets, are stored where
//! its readers expect them.

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
pub use crate::format::Overwrite;
pub use crate::format::loss::{GameLosses, Loss, Losses};
use crate::{
    chess::Flow,
    error::Result,
    format::{Ask, FormatKind, Parts, Target, Temporary},
};

/// What the header of an index says besides the number of games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Properties {
    /// The user's description. 107 bytes are kept.
    pub description: String,
    /// The type that the user chose, which picks Scid's icon; 0 is "unknown".
    pub kind: u32,
    /// The 1-based number of the game that Scid loads on opening; 0 for none, a number too
    /// large for the last.
    pub autoload: u32,
    /// What the six custom flags mean. Eight bytes of each are kept.
    pub flag_labels: [String; 6],
}

impl Default for Properties {
    /// What Scid gives a new database.
    fn default() -> Properties {
        Properties {
            description: String::new(),
            kind: 0,
            autoload: 1,
            flag_labels: Default::default(),
        }
    }
}

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
    /// How many players, events, sites and rounds there are.
    pub names: [u32; 4],
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
    edition: Edition,
    assembler: Assembler<Temporary>,
    target: Target,
}

impl Writer {
    /// Prepares to write a database: `NAME.si4`, `NAME.sg4` and `NAME.sn4`, or `NAME.si5` and so
    /// on. The path may name any of them, or their stem, which means `.si4`. The new files grow
    /// beside it under temporary names.
    ///
    /// # Errors
    /// `Io` when a file is there already and must not be replaced, or when no file can be
    /// created; `Unsupported` for the suffixes of other versions of the format.
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

    /// Returns which format is written. Games must be encoded for it.
    #[must_use]
    pub fn edition(&self) -> Edition {
        self.edition
    }

    /// Sets what the index's header says; what a new database has unless this is called.
    pub fn set_properties(&mut self, properties: Properties) {
        self.assembler.set_properties(properties);
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
    /// game's number when it is one game too many (16 777 214), the games file would exceed
    /// 4 GiB, or a name is one too many of its kind (1 048 575 players, 524 287 events and
    /// sites, 262 143 rounds; all of these for `.si4`): the game is not appended, others may
    /// still be. `Unsupported` for a game that was encoded for another edition.
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

/// Writes a new database into memory. As [`Writer`] in everything else.
#[derive(Debug)]
pub struct MemoryWriter {
    edition: Edition,
    assembler: Assembler<Cursor<Vec<u8>>>,
}

impl MemoryWriter {
    /// Prepares to write a `.si4` database.
    ///
    /// # Errors
    /// None that is known.
    pub fn new() -> Result<MemoryWriter> {
        MemoryWriter::with_edition(Edition::Si4)
    }

    /// Prepares to write a database.
    ///
    /// # Errors
    /// None that is known.
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
    /// As there.
    pub fn append(&mut self, game: &EncodedGame) -> Result<()> {
        self.assembler.append(game)
    }

    /// Returns the three files, which [`Database::from_bytes`](crate::Database::from_bytes)
    /// opens.
    ///
    /// # Errors
    /// None that is known.
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
