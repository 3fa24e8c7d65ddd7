//! Where a game leaves a repertoire.

use shakmaty::Color;
use tabiya_chess::{
    Flow, Follow, Placed, Start,
    follow::break_if,
    placement::Placement,
    step::{Step, StepTaken},
};
use tabiya_formats::{Decoded, View, sound::Sound};

use super::Repertoire;

/// Where a game leaves a repertoire for good: the last of its positions that the files have, and
/// what follows. Games that come back to it, by another order of moves, have not left it before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Departure {
    /// The ply of the position: 0 for the start of the game.
    pub(crate) ply: u32,
    /// The number of the position.
    pub(crate) number: u32,
    /// The next move of the game; [`Step::END`] if it ends there.
    pub(crate) step: Step,
}

impl Departure {
    /// Returns whether the game ends in the position.
    pub(crate) fn is_end(&self) -> bool {
        self.step == Step::END
    }
}

impl Repertoire {
    /// Returns where the main line of a game leaves the repertoire; `None` if it has none of its
    /// positions.
    ///
    /// # Errors
    /// The damage, if no half-move can be read.
    pub(crate) fn departure<V: View>(
        &self,
        (standard, view): (&Placement, V),
        record: &V::Record,
        sound: &mut Sound,
    ) -> Decoded<Option<Departure>> {
        let mut leave = Leave {
            repertoire: self,
            standard,
            place: *standard,
            ply: 0,
            last: None,
            taken: None,
        };
        sound.main_line(view, record, &mut leave)?;
        Ok(leave.last)
    }

    /// Returns who leaves the files with the move after a position; `None` if they have no move
    /// there, or the game ends.
    pub(crate) fn leaver(&self, number: u32, game_ends: bool) -> Option<Color> {
        let node = &self.nodes[number as usize];
        (!game_ends && !node.moves.is_empty()).then_some(node.place.turn)
    }
}

/// Follows a game until no position of the repertoire can come any more.
struct Leave<'r> {
    repertoire: &'r Repertoire,
    standard: &'r Placement,
    place: Placement,
    ply: u32,
    last: Option<Departure>,
    /// What the ply after that position has moved so far.
    taken: Option<StepTaken>,
}

impl Leave<'_> {
    #[inline]
    fn look(&mut self) -> Flow {
        if let Some(number) = self.repertoire.number(&self.place) {
            self.taken = Some(StepTaken::default());
            self.last = Some(Departure {
                ply: self.ply,
                number,
                step: Step::END,
            });
        }
        break_if(self.place.men < self.repertoire.least_men)
    }
}

impl Follow for Leave<'_> {
    /// `start` does this, and a game without a position leaves nothing.
    fn reset(&mut self) {
        (self.last, self.taken) = (None, None);
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        (self.last, self.taken, self.ply) = (None, None, 0);
        self.place = match start {
            Start::Standard => *self.standard,
            custom => Placement::at(custom),
        };
        self.look()
    }

    #[inline]
    fn moved(&mut self, from: Placed, to: Placed) {
        self.place.shift(from, to);
        if let Some(taken) = &mut self.taken {
            taken.shift(from, to);
        }
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        self.place.remove(gone);
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.place.place(new);
        if let Some(taken) = &mut self.taken {
            taken.place(new);
        }
    }

    #[inline]
    fn ply_done(&mut self) -> Flow {
        self.place.pass();
        self.ply += 1;
        if let (Some(taken), Some(last)) = (self.taken.take(), &mut self.last) {
            last.step = taken.step();
        }
        self.look()
    }
}
