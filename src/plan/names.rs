//! Binds conditions on names of openings, and texts without a field.

use tabiya_chess::opening_names::NameNumbers;
use tabiya_formats::{NameSlot, error::Result};

use super::{
    Decode, Strategy,
    bind::{Binder, names_of, negate_unless},
};
use crate::{
    filter::{IndexTest, Node, OpeningNameFilter},
    query::{OpeningTest, TextField, TextTest},
};

impl Binder<'_> {
    pub(super) fn opening(&mut self, text: String, test: &OpeningTest) -> Node {
        let (wanted, holds) = match test {
            OpeningTest::Absent(absent) => (NameNumbers::of_names(|_| true), !absent),
            OpeningTest::Name(test) => (test.openings(), !matches!(test, TextTest::Differs(_))),
        };
        let leaf = self.opening_leaf(text, wanted);
        negate_unless(holds, leaf)
    }

    fn opening_leaf(&mut self, text: String, wanted: NameNumbers) -> Node {
        if wanted.is_empty() {
            return self.leaf(text, "names of openings", IndexTest::Nothing);
        }
        let (served_by, test) = match self.strategy {
            Strategy::FullDecode => ("decoding", IndexTest::Decode),
            Strategy::Auto => {
                let lines = self.database.stored_lines();
                let sidecar = self.database.sidecar_handle();
                let filter = OpeningNameFilter::new(wanted.clone(), lines, sidecar);
                let served_by = if filter.has_names() {
                    "names of openings"
                } else {
                    "stored line, decoding"
                };
                (served_by, IndexTest::OpeningName(Box::new(filter)))
            }
        };
        self.open_leaf(text, served_by, test, Decode::Opening(wanted))
    }

    /// Binds a text without a field: names, and the opening where some opening has the text.
    pub(super) fn plain(&mut self, text: String, test: &TextTest) -> Result<Node> {
        let slots = [
            (NameSlot::White, TextField::Player),
            (NameSlot::Black, TextField::Player),
            (NameSlot::Event, TextField::Event),
            (NameSlot::Site, TextField::Site),
        ];
        let sets = slots.map(|(slot, field)| {
            let names = names_of(self.database, &field, slot, test, self.ask)?;
            Ok((slot, names))
        });
        let sets: Result<_> = sets.into_iter().collect();
        let names = self.leaf(text.clone(), "names", IndexTest::Names(sets?));
        let openings = test.openings();
        if openings.is_empty() {
            return Ok(names);
        }
        let opening = self.opening_leaf(text, openings);
        Ok(Node::Or(vec![names, opening]))
    }
}
