//! Checks the bytes and the record of one game.

use super::{
    Companion, flaws,
    record::{Kind, Record},
    view::Games,
};
use crate::{
    Header as _, Scratch, View,
    check::{Checked, Fault, Rules, checked, claims::Truth},
    chessbase::common::content::{self, bit_of},
    error::Error,
    facts::Facts,
};

impl Games<'_> {
    /// Decodes a whole game and checks its bytes, moves and record. Names are not checked. The
    /// record of an analysis says nothing of its moves.
    pub(super) fn check_game(
        &self,
        record: &Record,
        scratch: &mut Scratch,
    ) -> Result<Checked, Fault> {
        let (mut rules, mut facts) = (Rules::new(), Facts::STANDARD);
        self.visit(record, scratch, &mut rules)?;
        rules.fault()?;
        if record.is_text() {
            return checked(record, &self.truth_of_text(&rules), &rules);
        }
        let annotations = self.annotations(record);
        if let Some(damage) = annotations.first_fault(Some(rules.moves)) {
            rules.oddity.get_or_insert(damage.what);
        }
        self.main_line(record, scratch, &mut facts)?;
        if record.described() == Some(Kind::Analysis) {
            return Ok(Checked {
                main_line_moves: facts.plies.into(),
                all_moves: rules.moves,
                oddity: rules.oddity,
            });
        }
        let truth = Truth {
            chess960: Some(self.game(record)?.is_chess960()),
            contents: self.contents(record),
            ..Truth::new(facts, &rules)
        };
        checked(record, &truth, &rules)
    }

    fn truth_of_text(&self, rules: &Rules) -> Truth {
        Truth {
            is_game: false,
            ..Truth::new(Facts::STANDARD, rules)
        }
    }

    /// Returns the record's content bits as derived from the annotations; `None` if these cannot be
    /// read.
    fn contents(&self, record: &Record) -> Option<u32> {
        self.database.file(Companion::Annotations)?;
        let annotations = self.annotations(record);
        let told = content::ANNOTATIONS & Record::EVIDENCE.contents;
        let real = annotations.items();
        let real = real.fold(0, |bits, item| bits | bit_of(item.kind()));
        let others = record.content() & !told;
        annotations.fault.is_none().then_some(others | real & told)
    }

    /// Returns why some or all of a game's annotations are not reported.
    pub(super) fn annotations_error(&self, record: &Record) -> Option<Error> {
        let offset = record.annotations()?;
        let Some(file) = self.database.file(Companion::Annotations) else {
            return Some(self.database.missing(Companion::Annotations));
        };
        let damage = self.annotations(record).first_fault(None)?;
        let offset = u64::try_from(offset).unwrap_or_default();
        let error = Error::corrupt(damage.what);
        let error = match damage.what {
            flaws::ANNOTATIONS_BEYOND_FILE => error,
            _ => error.at_offset(offset.saturating_add(damage.at.into())),
        };
        Some(error.at_path(&file.path))
    }
}
