//! Telling what a decoder changes on the board as moves.

use shakmaty::{Move, Role};

use crate::chess::{Flow, Follow, Placed, Start};

/// Remembers what one ply changed, to tell it as a move.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    shifts: [Option<(Placed, Placed)>; 2],
    removed: Option<Placed>,
    placed: Option<Placed>,
}

impl Recorder {
    /// Returns the move; `None` for a null move.
    pub(crate) fn played(self) -> Option<Move> {
        let (from, to) = self.shifts[0]?;
        if let Some((rook, _)) = self.shifts[1] {
            return Some(Move::Castle {
                king: from.square(),
                rook: rook.square(),
            });
        }
        if let Some(gone) = self.removed.filter(|gone| gone.square() != to.square()) {
            // Only en passant takes a man from another square than the target.
            debug_assert_eq!(gone.man().role(), Role::Pawn);
            return Some(Move::EnPassant {
                from: from.square(),
                to: to.square(),
            });
        }
        Some(Move::Normal {
            role: from.man().role(),
            from: from.square(),
            capture: self.removed.map(|gone| gone.man().role()),
            to: to.square(),
            promotion: self.placed.map(|placed| placed.man().role()),
        })
    }
}

impl Follow for Recorder {
    type Snapshot = ();

    fn forget(&mut self) {
        *self = Recorder::default();
    }

    fn start(&mut self, _: Start<'_>) -> Flow {
        Flow::Continue(())
    }

    fn shift(&mut self, from: Placed, to: Placed) {
        let second = usize::from(self.shifts[0].is_some());
        self.shifts[second] = Some((from, to));
    }

    fn remove(&mut self, gone: Placed) {
        // A promoting pawn is removed after it has moved; only a capture comes before.
        if self.shifts[0].is_none() {
            self.removed = Some(gone);
        }
    }

    fn place(&mut self, new: Placed) {
        self.placed = Some(new);
    }

    fn look(&mut self) -> Flow {
        Flow::Continue(())
    }

    fn snapshot(&self) {}

    fn restore(&mut self, (): &()) {}
}
