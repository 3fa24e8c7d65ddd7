//! What the flags of a record would say of a main line, for formats whose index does not tell.

use shakmaty::{CastlingMode, Role};

use crate::{
    chess::{Flow, Follow, Placed, Start},
    format::header::flag,
};

/// Follows a main line for its start and its promotions.
#[derive(Debug, Default)]
pub(super) struct MainLineFlags {
    /// As [`flag`] bits.
    pub(super) flags: u32,
}

impl Follow for MainLineFlags {
    type Snapshot = ();

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.flags = match start {
            Start::Standard => 0,
            Start::Custom(setup) => match CastlingMode::detect(setup) {
                CastlingMode::Standard => flag::CUSTOM_START,
                CastlingMode::Chess960 => flag::CUSTOM_START | flag::CHESS960,
            },
        };
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
