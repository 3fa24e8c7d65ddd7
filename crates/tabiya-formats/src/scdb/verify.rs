//! Checks the bytes and the entry of one game.

use super::{
    flaws,
    names::is_aligned,
    record::{EntryFacts, Record},
    view::Games,
};
use crate::{
    Scratch, View,
    check::{Checked, Fault, Rules, checked, claims::Truth},
    facts::Facts,
};

impl<T: EntryFacts> Games<'_, T> {
    /// Decodes a whole game and checks its bytes, its moves and its entry. Of its names, only the
    /// references are checked.
    pub(super) fn check_game(
        &self,
        record: &Record<T>,
        scratch: &mut Scratch,
    ) -> Result<Checked, Fault> {
        let mut rules = Rules::new();
        self.visit(record, scratch, &mut rules)?;
        rules.fault()?;
        if !record.refs().into_iter().all(is_aligned) {
            rules.oddity.get_or_insert(flaws::NAME_PLACE);
        }
        let mut facts = Facts::STANDARD;
        self.main_line(record, scratch, &mut facts)?;
        checked(record, &Truth::new(facts, &rules), &rules)
    }
}
