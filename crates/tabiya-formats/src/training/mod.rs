//! What formats of training data have in common whose games have neither names nor dates.
//!
//! Nothing is kept of a game but a small [`Record`]; everything else is read from the file.

mod games;
mod record;

use std::path::Path;

use tabiya_chess::NameKind;

pub(crate) use self::{
    games::{Game, Games},
    record::{Facts, Record},
};
use super::{File, FormatKind, Store, names::NameList};
use crate::error::{Error, Result};

/// An open file of training data.
#[derive(Debug)]
pub struct TrainingFile {
    kind: FormatKind,
    file: File,
    records: Vec<Record>,
    /// One name, which is unknown, for every kind.
    names: NameList,
}

impl TrainingFile {
    pub(super) fn new(kind: FormatKind, file: File, records: Vec<Record>) -> TrainingFile {
        let mut names = NameList::with_len(1);
        let _ = names.set(0, b"?");
        TrainingFile {
            kind,
            file,
            records,
            names,
        }
    }

    /// Returns the games, which are read as the format says.
    pub(super) fn games<'a, G: Game<'a>>(&'a self) -> Games<'a, G> {
        Games::new(&self.file.bytes, &self.records)
    }
}

impl Store for TrainingFile {
    fn kind(&self) -> FormatKind {
        self.kind
    }

    fn game_count(&self) -> u32 {
        self.records.len() as u32
    }

    fn files(&self) -> Vec<&File> {
        vec![&self.file]
    }

    fn names(&self, _: NameKind) -> Result<&NameList> {
        Ok(&self.names)
    }

    fn games_path(&self) -> &Path {
        &self.file.path
    }
}

/// Notes about the first damage that a survey finds.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<Error>);

/// Largest number of notes about damage.
pub(super) const NOTES_MAX: usize = 16;

impl Notes {
    pub(super) fn add(&mut self, error: Error) {
        if self.0.len() < NOTES_MAX {
            self.0.push(error);
        }
    }

    pub(super) fn into_errors(self) -> Vec<Error> {
        self.0
    }
}

/// Makes room for the records of a whole file, judged by those of its first bytes, since a vector
/// that doubles would hold far more than they need.
///
/// # Errors
/// `LimitExceeded` if there are too many records already.
pub(super) fn reserve(records: &mut Vec<Record>, done: usize, total: usize) -> Result<()> {
    if u32::try_from(records.len()).is_err() {
        return Err(Error::limit("the number of games", u32::MAX.into()));
    }
    if done >= total {
        return Ok(());
    }
    let expected = records.len() as f64 * (total as f64 / done.max(1) as f64) * 1.02;
    if records.capacity() < expected as usize {
        records.reserve_exact(expected as usize - records.len());
    }
    Ok(())
}
