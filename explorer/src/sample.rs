//! Famous games, for who has no database yet. They are part of the program, and a file among the
//! temporary ones as long as it runs: databases are files everywhere else.

use std::{fs, io, path::PathBuf};

use tempfile::TempDir;

/// The file, which goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) path: PathBuf,
    _folder: TempDir,
}

impl Sample {
    /// Writes the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn new() -> io::Result<Sample> {
        let folder = TempDir::with_prefix("tabiya-")?;
        let path = folder.path().join("famous.pgn");
        fs::write(&path, tabiya::FAMOUS_GAMES)?;
        Ok(Sample {
            path,
            _folder: folder,
        })
    }
}
