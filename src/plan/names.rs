//! Binds conditions on names of openings, and texts without a field.

use tabiya_chess::{Eco, opening_names::OpeningNumbers};
use tabiya_formats::{NameSlot, error::Result};

use super::{
    Decode, Strategy,
    bind::{Binder, names_of, negate_unless},
    ranges,
};
use crate::{
    filter::{IndexTest, Node, OpeningNameFilter, index_test::Range},
    query::{EcoTest, OpeningTest, TextField, TextTest},
};

impl Binder<'_> {
    pub(super) fn opening(&mut self, text: String, test: &OpeningTest) -> Node {
        let (wanted, holds) = match test {
            OpeningTest::Absent(absent) => (OpeningNumbers::of_names(|_| true), !absent),
            OpeningTest::Name(test) => (test.openings(), !matches!(test, TextTest::Differs(_))),
        };
        let leaf = self.opening_leaf(text, wanted);
        negate_unless(holds, leaf)
    }

    /// Binds a condition on the code of the position that gives a game's opening its name.
    pub(super) fn eco_position(&mut self, text: String, test: &EcoTest) -> Node {
        let (wanted, holds) = match test {
            EcoTest::Absent(absent) => (OpeningNumbers::of(|_| true), !absent),
            EcoTest::Compare(compare) => {
                let range = ranges::eco_range(*compare);
                // Without a code only `!=` holds.
                let inside = Range {
                    outside: false,
                    ..range
                };
                let is_inside = |code: Eco| inside.contains(code.code().into());
                (
                    OpeningNumbers::of(|position| is_inside(position.eco)),
                    !range.outside,
                )
            }
        };
        let leaf = self.opening_leaf(text, wanted);
        negate_unless(holds, leaf)
    }

    fn opening_leaf(&mut self, text: String, wanted: OpeningNumbers) -> Node {
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
