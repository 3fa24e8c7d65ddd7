//! Checks one game as far as its bytes and its record can be checked.

use super::{
    Companion,
    record::{Record, content},
    view::Games,
};
use crate::{
    chess::follow::Ignore,
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
        if self.lacks_annotations(record) {
            rules.oddity.get_or_insert(NO_ANNOTATIONS);
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

    /// Tells whether a game's annotations lie outside their file. That there is no such file
    /// has been said when the database was opened.
    fn lacks_annotations(&self, record: &Record) -> bool {
        let has_file = !self.chessbase.bytes(Companion::Annotations).is_empty();
        has_file && self.annotations(record).is_some_and(<[u8]>::is_empty)
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
