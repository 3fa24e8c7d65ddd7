//! What formats of training data have in common whose games have neither names nor dates.
//!
//! Nothing is kept of a game but a small [`Record`]; everything else is read from the file.

mod opened;
mod record;
mod view;

pub use self::opened::TrainingFile;
pub(crate) use self::{
    record::{Facts, Record},
    view::{CommentSearch, Game, Games},
};
use crate::error::{Error, Result};

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
