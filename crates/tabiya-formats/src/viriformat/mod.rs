//! Training data in viriformat (`.vf`, `.viribin`): games with scores, Chess960 too.
//!
//! A file is a sequence of games: no magic, no index, nothing between them. A game is a start of 32
//! bytes (see `head`), its moves of 4 bytes each, and 4 zero bytes. A move has its code (2 bytes,
//! see `moves`) and the score of the position before it in centipawns for White (2, signed). All
//! numbers are little-endian.
//!
//! A game without moves is a loose position, whose score stands in its start. The start of a game
//! with moves has a score too, which is mostly 0, and a byte for anything. Where they are not 0
//! they become the tags `StartScore` and `StartExtra`, so that they can be written again.
//!
//! Nothing marks where a game begins. After a damaged one the next is searched for, see `survey`.

mod encode;
mod flaws;
mod game;
mod head;
mod moves;
mod survey;

pub use self::{encode::Encoder, survey::is_viriformat};
use self::{game::ScoredGame, survey::survey};
use super::{
    File, FormatKind, Report,
    training::{Games, TrainingFile},
};
use crate::error::{Error, Result};

/// Tag for the score in the start of a game with moves.
const START_SCORE: &str = "StartScore";
/// Tag for the last byte of a start.
const START_EXTRA: &str = "StartExtra";

/// Reads all games once and checks their moves. Also returns notes about the first damaged games.
///
/// # Errors
/// `Corrupt` if there is no whole game; `LimitExceeded` if there are too many games; `Interrupted`
/// after a `Break` from `progress`.
pub(crate) fn open(file: File, progress: Report<'_>) -> Result<(TrainingFile, Vec<Error>)> {
    let named = |error: Error| error.at_path(&file.path);
    let (records, notes) = survey(&file.bytes, progress).map_err(named)?;
    let notes = notes.into_iter().map(named).collect();
    let opened = TrainingFile::new(FormatKind::Viriformat, file, records);
    Ok((opened, notes))
}

impl TrainingFile {
    /// Returns the games of a file in viriformat.
    pub fn viriformat(&self) -> Games<'_, ScoredGame<'_>> {
        self.games()
    }
}
