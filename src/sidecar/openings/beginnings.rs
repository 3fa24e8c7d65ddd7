//! Follows games to their first positions, from which the positions to store are chosen.

use tabiya_chess::{
    Start,
    follow::break_if,
    placement::{EachPlacement, Placement},
};
use tabiya_formats::{Scratch, View};

/// Shows the first positions of games.
pub(super) struct Beginnings<V> {
    pub(super) view: V,
    plies: usize,
    standard: Placement,
}

impl<V: View> Beginnings<V> {
    /// `plies` is how many positions of each game are shown.
    pub(super) fn new(view: V, plies: usize) -> Beginnings<V> {
        Beginnings {
            view,
            plies,
            standard: Placement::at(Start::Standard),
        }
    }

    /// Shows those of a game with their plies; of a damaged one, those before the damage.
    pub(super) fn see(
        &self,
        record: &V::Record,
        scratch: &mut Scratch,
        mut see: impl FnMut(usize, &Placement),
    ) {
        let mut ply = 0;
        let mut course = EachPlacement::new(self.standard, |position| {
            see(ply, position);
            ply += 1;
            break_if(ply == self.plies)
        });
        let _ = self.view.main_line(record, scratch, &mut course);
    }
}
