//! A file as a database: records in memory; games are decoded from the file.

use super::{game::Chain, survey::survey};
use crate::{
    File, FormatKind, Report,
    error::{Error, Result},
    training::{Games, TrainingFile},
};

/// Reads all games once and checks their moves. Also returns notes about the first damaged blocks
/// and games.
///
/// # Errors
/// `LimitExceeded` if there are too many games; `Interrupted` after a `Break` from `progress`.
pub(crate) fn open(file: File, progress: Report<'_>) -> Result<(TrainingFile, Vec<Error>)> {
    TrainingFile::surveyed(FormatKind::Stockfish, file, |bytes| survey(bytes, progress))
}

impl TrainingFile {
    /// Returns the games of a file of Stockfish's.
    pub fn stockfish(&self) -> Games<'_, Chain<'_>> {
        self.games()
    }
}
