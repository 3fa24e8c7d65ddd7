//! An open file: its bytes, and the records made when it is opened.

use std::path::Path;

use tabiya_chess::NameKind;

use super::Record;
use crate::{
    File, FormatKind, Store,
    error::{Error, Result},
    names::NameList,
};

/// An open file of training data.
#[derive(Debug)]
pub struct TrainingFile {
    kind: FormatKind,
    pub(super) file: File,
    pub(super) records: Vec<Record>,
    /// One name, which is unknown, for every kind.
    names: NameList,
}

impl TrainingFile {
    fn new(kind: FormatKind, file: File, records: Vec<Record>) -> TrainingFile {
        let mut names = NameList::with_len(1);
        let _ = names.set(0, b"?");
        TrainingFile {
            kind,
            file,
            records,
            names,
        }
    }

    /// Makes the records of a file by a survey, and returns its notes about damage.
    ///
    /// # Errors
    /// Those of the survey.
    pub(crate) fn surveyed(
        kind: FormatKind,
        file: File,
        survey: impl FnOnce(&[u8]) -> Result<(Vec<Record>, Vec<Error>)>,
    ) -> Result<(TrainingFile, Vec<Error>)> {
        let named = |error: Error| error.at_path(&file.path);
        let (records, notes) = survey(&file.bytes).map_err(named)?;
        let notes = notes.into_iter().map(named).collect();
        Ok((TrainingFile::new(kind, file, records), notes))
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
