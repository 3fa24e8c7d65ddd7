//! The outputs of new databases that grow game by game.

use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use super::{Ask, Overwrite, Target, Temporary, game::EncodedBytes, loss::Losses};
use crate::error::{Error, Result};

const BUFFER_BYTES: usize = 1 << 20;

/// Index and games outputs, of any writer type.
#[derive(Debug)]
pub(super) struct Outputs<W: Write> {
    index: BufWriter<W>,
    games: BufWriter<W>,
    /// The path used in messages.
    path: PathBuf,
    /// Whether an output failed, so that its contents are unknown.
    is_broken: bool,
}

impl<W: Write> Outputs<W> {
    /// Wraps the outputs. `path` is used in messages.
    pub(super) fn new(path: &Path, index: W, games: W) -> Outputs<W> {
        Outputs {
            index: BufWriter::with_capacity(BUFFER_BYTES, index),
            games: BufWriter::with_capacity(BUFFER_BYTES, games),
            path: path.to_owned(),
            is_broken: false,
        }
    }

    /// Writes to the index and the games, in this order.
    ///
    /// # Errors
    /// `Io`; the outputs cannot be used afterwards.
    pub(super) fn write(
        &mut self,
        write: impl FnOnce(&mut BufWriter<W>, &mut BufWriter<W>) -> io::Result<()>,
    ) -> Result<()> {
        write(&mut self.index, &mut self.games).map_err(|cause| {
            self.is_broken = true;
            Error::io("write", &self.path, cause)
        })
    }

    /// Fails if an output has failed before.
    pub(super) fn check_unbroken(&self) -> Result<()> {
        if self.is_broken {
            let cause = io::Error::other("an earlier write failed");
            Err(Error::io("write", &self.path, cause))
        } else {
            Ok(())
        }
    }

    /// Flushes the buffers and returns the index and the games.
    pub(super) fn finish(self) -> Result<(W, W)> {
        let failed = |cause: io::Error| Error::io("write", &self.path, cause);
        let index = self.index.into_inner();
        let games = self.games.into_inner();
        Ok((
            index.map_err(|error| failed(error.into_error()))?,
            games.map_err(|error| failed(error.into_error()))?,
        ))
    }
}

/// A new file whose games follow each other without an index, such as PGN. Nothing has its name
/// until [`finish`](GamesFile::finish) has succeeded.
#[derive(Debug)]
pub(crate) struct GamesFile {
    file: BufWriter<Temporary>,
    target: Target,
    games: u32,
    losses: Losses,
}

impl GamesFile {
    /// Creates the file under a temporary name beside its path.
    ///
    /// # Errors
    /// `Io` when the file is there already and must not be replaced, or none can be created.
    pub(crate) fn create(path: &Path, overwrite: Overwrite) -> Result<GamesFile> {
        let target = Target::for_file(path, overwrite)?;
        Ok(GamesFile {
            file: BufWriter::new(target.temporary()?),
            target,
            games: 0,
            losses: Losses::default(),
        })
    }

    /// Appends a game.
    ///
    /// # Errors
    /// `Io`, after which nothing more can be done with this file.
    pub(crate) fn append(&mut self, game: &EncodedBytes) -> Result<()> {
        let failed = |cause| Error::io("write", &self.target.index(), cause);
        self.file.write_all(&game.bytes).map_err(failed)?;
        self.games = self.games.saturating_add(1);
        self.losses.add(self.games, &game.losses);
        Ok(())
    }

    /// Writes everything to disk, gives the file its name and returns what was lost.
    ///
    /// # Errors
    /// `Io`; no new file is there then.
    pub(crate) fn finish(self, ask: Ask<'_>) -> Result<Losses> {
        let failed = |cause| Error::io("write", &self.target.index(), cause);
        let file = self.file.into_inner();
        let file = file.map_err(|error| failed(error.into_error()))?;
        self.target.publish(vec![(file, "")], ask)?;
        Ok(self.losses)
    }
}
