//! Writing Simple Chess Databases, game by game byte for byte as the reference program does.
//!
//! An [`Encoder`] turns the events of a game into an [`EncodedGame`]; a [`Writer`] appends
//! encoded games to a database. Any number of threads can encode for one writer.
//!
//! Names that are too long are cut and referred to. The reference program cuts them but stores no
//! reference.

mod assemble;
mod encode;
mod header;
mod names;
mod totals;

use std::{io::Write as _, path::Path};

use self::assemble::Assembler;
use self::encode::EncodedGame;
pub use self::encode::Encoder;
use super::SUFFIXES;
pub(crate) use crate::format::loss::{GameLosses, Loss, Losses};
use crate::{
    error::{Error, Result},
    format::{Ask, FormatKind, Overwrite, Parts, Target, Temporary},
};

/// The layout of the index to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ScdbLayout {
    /// Entries of 39 bytes, which all known programs read.
    #[default]
    Reference,
    /// Entries of 61 bytes, with half-moves, final material and the order of pawn moves, as in
    /// the published description, version 1.1.
    Described,
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
    /// Number of players, sites and events.
    pub names: [u32; 3],
    /// What did not fit into the format.
    pub losses: Losses,
}

/// Writes a new database.
///
/// No file with the database's name exists until [`finish_asking`](Writer::finish_asking) has
/// succeeded; a dropped writer leaves no files. Names are kept in memory, games and entries are
/// not.
#[derive(Debug)]
pub(crate) struct Writer {
    assembler: Assembler<Temporary>,
    target: Target,
}

impl Writer {
    /// Prepares to write a database: `NAME.dci` and its companions. The path may name any of
    /// them or their stem. The new files are written to the same directory under temporary names.
    ///
    /// # Errors
    /// `Io` if a file already exists and must not be replaced, or if no file can be created.
    pub(crate) fn create(
        path: impl AsRef<Path>,
        layout: ScdbLayout,
        overwrite: Overwrite,
    ) -> Result<Writer> {
        let target = Target::for_path(path.as_ref(), &SUFFIXES, overwrite)?;
        let (index, games) = (target.temporary()?, target.temporary()?);
        let assembler = Assembler::new(layout, &target.index(), index, games)?;
        Ok(Writer { assembler, target })
    }

    /// Appends a game.
    ///
    /// # Errors
    /// `Io`, after which this writer cannot be used any more. `LimitExceeded` if there would be
    /// too many games, or (with the game's number) if the names of a kind exceed 4 GiB: the game
    /// is not appended, but other games may be.
    pub(crate) fn append(&mut self, game: &EncodedGame) -> Result<()> {
        self.assembler.append(game)
    }

    /// Writes everything to disk and gives the files their names, the index last, unless `ask`
    /// cancels it.
    ///
    /// # Errors
    /// `Io`, and `Interrupted` if `ask` breaks; no new database exists then.
    pub(crate) fn finish_asking(self, ask: Ask<'_>) -> Result<Summary> {
        let assembled = self.assembler.finish()?;
        let [index, games, names @ ..] = SUFFIXES;
        let mut files = vec![(assembled.games, games)];
        for (bytes, suffix) in assembled.names.iter().zip(names) {
            let mut file = self.target.temporary()?;
            file.write_all(bytes)
                .map_err(|cause| Error::io("write", &self.target.path(suffix), cause))?;
            files.push((file, suffix));
        }
        files.push((assembled.index, index));
        self.target.publish(files, ask)?;
        Ok(assembled.summary)
    }
}

/// Writes a new database into memory. Otherwise like `Writer`.
#[derive(Debug)]
pub struct MemoryWriter {
    layout: ScdbLayout,
    assembler: Assembler<Vec<u8>>,
}

impl MemoryWriter {
    /// Prepares to write a database.
    ///
    /// # Errors
    /// Currently never fails.
    pub fn new(layout: ScdbLayout) -> Result<MemoryWriter> {
        let path = Path::new("(database in memory)");
        let assembler = Assembler::new(layout, path, Vec::new(), Vec::new())?;
        Ok(MemoryWriter { layout, assembler })
    }

    /// Returns the number of games appended so far.
    #[must_use]
    pub fn game_count(&self) -> u32 {
        self.assembler.game_count()
    }

    /// As `Writer::append`.
    ///
    /// # Errors
    /// As for `Writer::append`.
    pub fn append(&mut self, game: &EncodedGame) -> Result<()> {
        self.assembler.append(game)
    }

    /// Returns the five files, which [`Database::from_bytes`](crate::Database::from_bytes) opens.
    ///
    /// # Errors
    /// Currently never fails.
    pub fn finish(self) -> Result<(Parts, Summary)> {
        let assembled = self.assembler.finish()?;
        let [players, sites, events] = assembled.names;
        let parts = Parts {
            format: Some(match self.layout {
                ScdbLayout::Reference => FormatKind::Scdb,
                ScdbLayout::Described => FormatKind::Scdb11,
            }),
            index: assembled.index,
            games: Some(assembled.games),
            names: Some(players),
            sites: Some(sites),
            events: Some(events),
        };
        Ok((parts, assembled.summary))
    }
}
