//! Checks the bytes and the record of one game.

use super::{Companion, annotations::Annotations, flaws, record::Record, view::Games};
use crate::{
    Scratch, View,
    check::{Checked, Fault, Rules, checked, claims::Truth},
    chessbase::common::content::{self, bit_of},
    damage::Flaw,
    error::Error,
    facts::Facts,
};

impl Games<'_> {
    /// Decodes a whole game and checks its bytes, moves and record. Names are not checked.
    pub(super) fn check_game(
        &self,
        record: &Record,
        scratch: &mut Scratch,
    ) -> Result<Checked, Fault> {
        if record.is_text() {
            return self.check_text(record);
        }
        let (mut rules, mut facts) = (Rules::new(), Facts::STANDARD);
        self.visit(record, scratch, &mut rules)?;
        rules.fault()?;
        if let Some(what) = self.annotations_fault(record) {
            rules.oddity.get_or_insert(what);
        }
        self.main_line(record, scratch, &mut facts)?;
        let truth = Truth {
            chess960: Some(self.parts(record)?.is_chess960()),
            contents: self.contents(record),
            ..Truth::new(facts, &rules)
        };
        checked(record, &truth, &rules)
    }

    fn check_text(&self, record: &Record) -> Result<Checked, Fault> {
        let text = self.text(record)?;
        let mut rules = Rules::new();
        rules.oddity = (text.surplus > 0).then_some(flaws::TEXT_LEFT_OVER);
        let truth = Truth {
            is_game: !text.is_marked,
            ..Truth::new(Facts::STANDARD, &rules)
        };
        checked(record, &truth, &rules)
    }

    /// Returns the record's content bits as derived from the annotations; `None` if these cannot be
    /// read.
    fn contents(&self, record: &Record) -> Option<u32> {
        let has_file = !self.chessbase.bytes(Companion::Annotations).is_empty();
        let annotations = self.annotations_of(record);
        let is_whole = self.annotations(record).is_none() || annotations.damage().is_none();
        let others = record.content() & !content::ANNOTATIONS;
        let items = annotations.items();
        (has_file && is_whole).then(|| items.fold(others, |bits, item| bits | bit_of(item.kind)))
    }

    /// Returns why some or all of a game's annotations are not reported.
    pub(super) fn annotations_error(&self, record: &Record) -> Option<Error> {
        let bytes = self.annotations(record)?;
        let Some(file) = self.chessbase.file(Companion::Annotations) else {
            return Some(
                self.chessbase
                    .missing(Companion::Annotations, "an annotation"),
            );
        };
        let error = if bytes.is_empty() {
            Error::corrupt(flaws::ANNOTATIONS_BEYOND_FILE)
        } else {
            let damage = Annotations::parse(bytes).damage()?;
            let start = file.bytes.len() - bytes.len();
            Error::corrupt(damage.what).at_offset(start as u64 + u64::from(damage.at))
        };
        Some(error.at_path(&file.path))
    }

    /// Returns what is wrong with a game's annotations. A missing annotations file was already
    /// reported when the database was opened.
    fn annotations_fault(&self, record: &Record) -> Option<Flaw> {
        let has_file = !self.chessbase.bytes(Companion::Annotations).is_empty();
        let bytes = self.annotations(record).filter(|_| has_file)?;
        if bytes.is_empty() {
            Some(flaws::ANNOTATIONS_BEYOND_FILE)
        } else {
            Annotations::parse(bytes)
                .damages()
                .next()
                .map(|damage| damage.what)
        }
    }
}
