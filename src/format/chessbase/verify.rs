//! Checks one game as far as its bytes and its record can be checked.

use super::{
    Companion,
    annotations::Annotations,
    record::{Record, content},
    view::Games,
};
use crate::{
    chess::follow::Ignore,
    error::Error,
    format::{
        Damage, Header, Scratch, View,
        check::{Checked, Fault, Rules},
    },
};

const SURPLUS: &str = "the text goes on behind its last part";
const NO_ANNOTATIONS: &str = "the game's annotations lie beyond the end of their file";

impl Games<'_> {
    /// Decodes a game wholly and checks its bytes, its moves and its record. Names are not
    /// looked at.
    pub(super) fn check_game(
        &self,
        record: &Record,
        scratch: &mut Scratch,
    ) -> Result<Checked, Fault> {
        let mut checked = Checked::default();
        if record.is_text() {
            checked.oddity = (self.text(record)?.surplus > 0).then_some(SURPLUS);
            return Ok(checked);
        }
        let mut rules = Rules::new();
        self.visit(record, scratch, &mut rules)?;
        if let Some(illegal) = rules.illegal.take() {
            return Err(Fault::IllegalMove(illegal));
        }
        if let Some(what) = self.annotations_fault(record) {
            rules.oddity.get_or_insert(what);
        }
        let plies = self.main_line(record, scratch, &mut Ignore)?;
        let has_variations = rules.annotations.variations > 0;
        match contradiction(record, plies, has_variations) {
            Some(what) => Err(Fault::Damage(Damage { what, at: 0 })),
            None => Ok(Checked {
                main_line_moves: plies.into(),
                all_moves: rules.moves,
                oddity: rules.oddity,
            }),
        }
    }

    /// Returns why some of a game's annotations, or all, are not told.
    pub(super) fn annotations_error(&self, record: &Record) -> Option<Error> {
        let bytes = self.annotations(record)?;
        let Some(file) = self.chessbase.file(Companion::Annotations) else {
            return Some(
                self.chessbase
                    .missing(Companion::Annotations, "an annotation"),
            );
        };
        let error = match bytes.is_empty() {
            true => Error::corrupt(NO_ANNOTATIONS),
            false => {
                let damage = Annotations::parse(bytes).damage()?;
                let start = file.bytes.len() - bytes.len();
                Error::corrupt(damage.what).at_offset(start as u64 + u64::from(damage.at))
            }
        };
        Some(error.at_path(&file.path))
    }

    /// Returns what is wrong with a game's annotations. That there is no such file has been said
    /// when the database was opened.
    fn annotations_fault(&self, record: &Record) -> Option<&'static str> {
        let has_file = !self.chessbase.bytes(Companion::Annotations).is_empty();
        let bytes = self.annotations(record).filter(|_| has_file)?;
        match bytes.is_empty() {
            true => Some(NO_ANNOTATIONS),
            false => Annotations::parse(bytes)
                .damages()
                .next()
                .map(|damage| damage.what),
        }
    }
}

/// Returns what a record says that its game does not.
fn contradiction(record: &Record, plies: u32, has_variations: bool) -> Option<&'static str> {
    let stored = record.plies();
    let says_variations = record.content() & content::VARIATIONS != 0;
    if !(stored.at_least..=stored.at_most).contains(&plies) {
        Some("the record has another number of moves than the game")
    } else if has_variations != says_variations {
        Some("record and game disagree on whether there are variations")
    } else {
        None
    }
}
