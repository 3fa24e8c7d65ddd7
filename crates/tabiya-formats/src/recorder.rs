//! Converts board changes of a decoder to moves.

use shakmaty::{Move, Role};
use tabiya_chess::{Flow, Follow, Placed, Rewind, Start};

/// Records what one ply changed, to return it as a move.
#[derive(Debug, Default)]
pub struct Recorder {
    moved: Option<(Placed, Placed)>,
    /// The rook, before castling.
    rook: Option<Placed>,
    removed: Option<Placed>,
    placed: Option<Placed>,
}

impl Recorder {
    /// Returns the move, once; `None` for a null move.
    // Field by field: one load of data that several stores have just written waits for all of them.
    #[inline]
    pub fn take(&mut self) -> Option<Move> {
        let (rook, removed, placed) = (self.rook.take(), self.removed.take(), self.placed.take());
        let (from, to) = self.moved.take()?;
        if let Some(rook) = rook {
            return Some(Move::Castle {
                king: from.square(),
                rook: rook.square(),
            });
        }
        if let Some(gone) = removed.filter(|gone| gone.square() != to.square()) {
            // Only en passant captures a man on a square other than the target.
            debug_assert_eq!(gone.man().role(), Role::Pawn);
            return Some(Move::EnPassant {
                from: from.square(),
                to: to.square(),
            });
        }
        Some(Move::Normal {
            role: from.man().role(),
            from: from.square(),
            capture: removed.map(|gone| gone.man().role()),
            to: to.square(),
            promotion: placed.map(|placed| placed.man().role()),
        })
    }
}

impl Follow for Recorder {
    fn reset(&mut self) {
        *self = Recorder::default();
    }

    fn start(&mut self, _: Start<'_>) -> Flow {
        Flow::Continue(())
    }

    #[inline]
    fn moved(&mut self, from: Placed, to: Placed) {
        if self.moved.is_none() {
            self.moved = Some((from, to));
        } else {
            self.rook = Some(from);
        }
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        // A promoting pawn is removed after it has moved; only a capture comes before.
        if self.moved.is_none() {
            self.removed = Some(gone);
        }
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.placed = Some(new);
    }
}

impl Rewind for Recorder {
    type Snapshot = ();

    fn snapshot(&self) {}

    fn restore(&mut self, (): &()) {}
}
