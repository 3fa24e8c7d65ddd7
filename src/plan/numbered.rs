//! Counts the moves while lines are followed, so that a place in a variation has a number, and what
//! comments tell of a move comes with it.

use tabiya_chess::{EngineEval, Flow, Follow, MoveId, Placed, Rewind, Start, place::MatchPlace};
use tabiya_formats::{Decoded, View, sound::Sound};

use crate::pattern::{Ahead, Finder, Told};

/// A finder that follows lines, and the number of moves followed.
pub(super) struct Numbered<'f, F> {
    finder: &'f mut F,
    moves: u32,
    /// What the comments of each move tell, in this order; nothing of those beyond the end.
    remarks: &'f [Told],
    /// What follows each position of the main line, if that is asked for.
    ahead: &'f [Ahead],
}

impl<'f, F: Finder> Numbered<'f, F> {
    pub(super) fn new(finder: &'f mut F, remarks: &'f [Told]) -> Numbered<'f, F> {
        Numbered {
            finder,
            moves: 0,
            remarks,
            ahead: &[],
        }
    }

    /// Passes also what follows each position of the main line.
    pub(super) fn looking_ahead(self, ahead: &'f [Ahead]) -> Numbered<'f, F> {
        Numbered { ahead, ..self }
    }

    fn look_ahead(&mut self) {
        let ahead = self.ahead.get(self.moves as usize);
        self.finder.look_ahead(ahead.copied().unwrap_or_default());
    }

    /// Searches all lines.
    pub(super) fn find_in_tree<V: View>(
        mut self,
        view: V,
        record: &V::Record,
        sound: &mut Sound,
    ) -> Decoded<Option<MatchPlace>> {
        sound.tree(view, record, &mut self)?;
        let last = MoveId::from_number(self.moves);
        Ok(self.finder.found().map(|ply| MatchPlace {
            ply,
            variation: last,
        }))
    }
}

impl<F: Finder> Follow for Numbered<'_, F> {
    fn reset(&mut self) {
        self.moves = 0;
        self.finder.reset();
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.look_ahead();
        self.finder.start(start)
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        self.finder.moved(from, to);
    }

    fn remove(&mut self, gone: Placed) {
        self.finder.remove(gone);
    }

    fn place(&mut self, new: Placed) {
        self.finder.place(new);
    }

    fn ply_done(&mut self) -> Flow {
        let remark = self.remarks.get(self.moves as usize);
        self.finder.note(remark.copied().unwrap_or_default());
        self.moves += 1;
        self.look_ahead();
        self.finder.ply_done()
    }

    fn evaluation(&mut self, eval: Option<EngineEval<'_>>) {
        self.finder.evaluation(eval);
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
