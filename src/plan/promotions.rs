//! Which promotions a main line holds, for formats whose index does not tell.

use shakmaty::Role;

use crate::{
    chess::{Flow, Follow, Placed, Start},
    format::header::flag,
};

/// Follows a main line for its promotions.
#[derive(Debug, Default)]
pub(super) struct Promotions {
    /// As [`flag`] bits.
    pub(super) flags: u32,
}

impl Follow for Promotions {
    type Snapshot = ();

    fn start(&mut self, _: Start<'_>) -> Flow {
        self.flags = 0;
        Flow::Continue(())
    }

    fn shift(&mut self, _: Placed, _: Placed) {}

    fn remove(&mut self, _: Placed) {}

    fn place(&mut self, new: Placed) {
        self.flags |= flag::PROMOTION;
        if new.man().role() != Role::Queen {
            self.flags |= flag::UNDERPROMOTION;
        }
    }

    fn look(&mut self) -> Flow {
        Flow::Continue(())
    }

    fn snapshot(&self) {}

    fn restore(&mut self, (): &()) {}
}
