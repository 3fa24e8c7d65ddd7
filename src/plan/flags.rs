//! Computes the flags of a main line, for formats whose index does not store them.

use shakmaty::Role;
use tabiya_chess::{Flow, Follow, Placed, Start, follow::break_if, variant::starts_chess960};
use tabiya_formats::header::flag;

/// Follows a main line for its start and its promotions.
#[derive(Debug, Default)]
pub(super) struct MainLineFlags {
    /// As [`flag`] bits.
    pub(super) flags: u32,
    /// Whether only the start is needed.
    pub(super) start_only: bool,
}

impl Follow for MainLineFlags {
    fn reset(&mut self) {
        self.flags = 0;
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.flags = match start {
            Start::Standard => 0,
            Start::Custom(setup) if starts_chess960(setup) => flag::CUSTOM_START | flag::CHESS960,
            Start::Custom(_) => flag::CUSTOM_START,
        };
        break_if(self.start_only)
    }

    fn moved(&mut self, _: Placed, _: Placed) {}

    fn remove(&mut self, _: Placed) {}

    fn place(&mut self, new: Placed) {
        self.flags |= flag::PROMOTION;
        if new.man().role() != Role::Queen {
            self.flags |= flag::UNDERPROMOTION;
        }
    }
}
