//! Counts the moves while all lines are followed, so that a place in a variation has a number.

use crate::{
    chess::{Flow, Follow, Placed, Rewind, Start, Thought},
    pattern::Finder,
};

/// A finder that follows all lines, and the number of moves followed.
pub(super) struct Numbered<'f, F> {
    pub(super) finder: &'f mut F,
    pub(super) moves: u32,
}

impl<F: Finder> Follow for Numbered<'_, F> {
    fn forget(&mut self) {
        self.moves = 0;
        self.finder.forget();
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.finder.start(start)
    }

    fn shift(&mut self, from: Placed, to: Placed) {
        self.finder.shift(from, to);
    }

    fn remove(&mut self, gone: Placed) {
        self.finder.remove(gone);
    }

    fn place(&mut self, new: Placed) {
        self.finder.place(new);
    }

    fn look(&mut self) -> Flow {
        self.moves += 1;
        self.finder.look()
    }

    fn think(&mut self, thought: Option<Thought<'_>>) {
        self.finder.think(thought);
    }
}

impl<F: Finder> Rewind for Numbered<'_, F> {
    type Snapshot = F::Snapshot;

    /// The number is not part of the position: it continues after a variation.
    fn snapshot(&self) -> F::Snapshot {
        self.finder.snapshot()
    }

    fn restore(&mut self, snapshot: &F::Snapshot) {
        self.finder.restore(snapshot);
    }
}
