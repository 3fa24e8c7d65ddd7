//! Checks one game as far as its bytes and its entry can be checked.

use super::{
    names::is_aligned,
    record::{Record, Told, packed_material},
    view::Games,
};
use crate::{
    chess::{Counts, Flow, Follow, Placed, Start},
    format::{
        Damage, Header, Scratch, View,
        check::{Checked, Fault, Rules},
    },
};

const NO_NAME: &str = "the index refers to a place where no name begins";

impl<T: Told> Games<'_, T> {
    /// Decodes a game wholly and checks its bytes, its moves and its entry. Names are not
    /// looked at.
    pub(super) fn check_game(
        &self,
        record: &Record<T>,
        scratch: &mut Scratch,
    ) -> Result<Checked, Fault> {
        let mut rules = Rules::new();
        self.visit(record, scratch, &mut rules)?;
        if let Some(illegal) = rules.illegal.take() {
            return Err(Fault::IllegalMove(illegal));
        }
        if !record.refs().into_iter().all(is_aligned) {
            rules.oddity.get_or_insert(NO_NAME);
        }
        let mut men = Remaining(Counts::STANDARD);
        let plies = self.main_line(record, scratch, &mut men)?;
        match contradiction(record, plies, men.0) {
            Some(what) => Err(Fault::Damage(Damage { what, at: 0 })),
            None => Ok(Checked {
                main_line_moves: plies.into(),
                all_moves: rules.moves,
                oddity: rules.oddity,
            }),
        }
    }
}

/// Returns what an entry says that its game does not.
fn contradiction<T: Told>(record: &Record<T>, plies: u32, counts: Counts) -> Option<&'static str> {
    let told = record.plies();
    let material = record.totals.material_bits();
    if plies < told.at_least || plies > told.at_most {
        Some("the index says another number of half-moves")
    } else if material.is_some_and(|bits| bits != packed_material(counts)) {
        Some("the index says another final material")
    } else {
        None
    }
}

/// Counts the men that are left.
struct Remaining(Counts);

impl Follow for Remaining {
    type Snapshot = ();

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.0 = match start {
            Start::Standard => Counts::STANDARD,
            Start::Custom(setup) => Counts::of(&setup.board),
        };
        Flow::Continue(())
    }

    fn shift(&mut self, _: Placed, _: Placed) {}

    fn remove(&mut self, gone: Placed) {
        self.0.take(gone.man());
    }

    fn place(&mut self, new: Placed) {
        self.0.add(new.man());
    }

    fn look(&mut self) -> Flow {
        Flow::Continue(())
    }

    fn snapshot(&self) {}

    fn restore(&mut self, (): &()) {}
}
