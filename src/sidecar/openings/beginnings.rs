//! Follows games to their first positions, from which the positions to store are chosen.

use tabiya_chess::{Flow, Follow, Placed, Start, placement::Placement};
use tabiya_formats::{Scratch, View};

/// Shows the first positions of games.
pub(super) struct Beginnings<V> {
    view: V,
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
        see: impl FnMut(usize, &Placement),
    ) {
        let mut beginning = Beginning {
            all: self,
            now: self.standard,
            ply: 0,
            see,
        };
        let _ = self.view.main_line(record, scratch, &mut beginning);
    }
}

/// Follows one game.
struct Beginning<'a, V, F> {
    all: &'a Beginnings<V>,
    now: Placement,
    ply: usize,
    see: F,
}

impl<V, F: FnMut(usize, &Placement)> Beginning<'_, V, F> {
    fn look(&mut self) -> Flow {
        (self.see)(self.ply, &self.now);
        self.ply += 1;
        if self.ply < self.all.plies {
            Flow::Continue(())
        } else {
            Flow::Break(())
        }
    }
}

impl<V, F: FnMut(usize, &Placement)> Follow for Beginning<'_, V, F> {
    fn reset(&mut self) {
        self.ply = 0;
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.now = match start {
            Start::Standard => self.all.standard,
            custom => Placement::at(custom),
        };
        self.look()
    }

    #[inline]
    fn moved(&mut self, from: Placed, to: Placed) {
        self.now.shift(from, to);
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        self.now.remove(gone);
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.now.place(new);
    }

    #[inline]
    fn ply_done(&mut self) -> Flow {
        self.now.pass();
        self.look()
    }
}
