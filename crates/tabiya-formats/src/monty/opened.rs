//! A Monty file as a database: an index in memory; games are decoded from the file.

use std::path::Path;

use tabiya_chess::NameKind;

use super::{Layout, flaws, layout::detect, salvage, survey::survey};
use crate::{
    File, FormatKind, Report, Store,
    error::{Error, Result},
    indexed::Index,
    names::NameList,
};

/// An open file of training data.
#[derive(Debug)]
pub struct MontyFile {
    pub(super) file: File,
    pub(super) layout: Layout,
    pub(super) index: Index,
}

impl MontyFile {
    /// Reads all games once and checks their moves. Also returns a note where and why the games end
    /// before the file does. When salvaging, the next game after a damaged one is searched for, see
    /// [`salvage`]; the layout is then detected even if the first game is damaged.
    ///
    /// # Errors
    /// `Corrupt` if no layout gives a game; `Interrupted` after a `Break` from `progress`.
    pub(crate) fn open(
        file: File,
        salvage: bool,
        progress: Report<'_>,
    ) -> Result<(MontyFile, Vec<Error>)> {
        let named = |error: Error| error.at_path(&file.path);
        let begun = if salvage { None } else { detect(&file.bytes) };
        let layout = begun
            .or_else(|| salvage::detect(&file.bytes))
            .ok_or_else(|| named(Error::corrupt(flaws::NO_LAYOUT)))?;
        let surveyed = if salvage {
            salvage::survey(&file.bytes, layout, progress).map(|index| (index, None))
        } else {
            survey(&file.bytes, layout, progress)
        };
        let (index, damage) = surveyed.map_err(named)?;
        let notes = damage.map(named).into_iter().collect();
        let monty = MontyFile {
            file,
            layout,
            index,
        };
        Ok((monty, notes))
    }

    /// Returns the layout of the games.
    pub fn layout(&self) -> Layout {
        self.layout
    }
}

impl Store for MontyFile {
    fn kind(&self) -> FormatKind {
        match self.layout {
            Layout::Policy => FormatKind::MontyPolicy,
            Layout::Value | Layout::OldValue => FormatKind::MontyValue,
        }
    }

    fn game_count(&self) -> u32 {
        self.index.game_count()
    }

    fn description(&self) -> String {
        match self.layout {
            Layout::Policy | Layout::Value => String::new(),
            Layout::OldValue => "old layout, headers of 41 bytes".to_owned(),
        }
    }

    fn files(&self) -> Vec<&File> {
        vec![&self.file]
    }

    fn names(&self, kind: NameKind) -> Result<&NameList> {
        Ok(self.index.names(kind))
    }

    fn games_path(&self) -> &Path {
        &self.file.path
    }
}
