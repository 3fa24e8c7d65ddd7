//! Follows a game and looks up each position among all wanted ones.

use shakmaty::Color;
use tabiya_chess::{
    Flow, Follow, Placed, Rewind, Start,
    placement::{Placement, Placements},
};

use super::WantedPosition;

/// All wanted positions.
#[derive(Debug)]
pub(in crate::report) struct PositionIndex {
    placements: Placements,
    /// By position: the number of men.
    men: Vec<u32>,
    /// The least of these numbers.
    least_men: u32,
}

impl PositionIndex {
    pub(super) fn new(positions: &[WantedPosition]) -> PositionIndex {
        let placement = |wanted: &WantedPosition| {
            let turn = wanted.fen.turn;
            (
                Placement::new(&wanted.fen.board, turn.unwrap_or(Color::White)),
                turn,
            )
        };
        PositionIndex::of_placements(positions.iter().map(placement))
    }

    /// Takes placements, each with the side to move; `None` for either side.
    pub(in crate::report) fn of_placements(
        placements: impl Iterator<Item = (Placement, Option<Color>)> + Clone,
    ) -> PositionIndex {
        let men = placements.clone().map(|(placement, _)| placement.men);
        let men: Vec<u32> = men.collect();
        PositionIndex {
            placements: Placements::new(placements),
            least_men: men.iter().copied().min().unwrap_or_default(),
            men,
        }
    }
}

/// Follows games and records which wanted positions they have.
#[derive(Debug)]
pub(in crate::report) struct Lookout<'a> {
    wanted: &'a PositionIndex,
    standard: Placement,
    now: Placement,
    /// The number of the present game, so that nothing has to be cleared between games.
    game: u32,
    /// By position: the last game that it was found in.
    found_in: Vec<u32>,
    /// The positions found in the present game, each once.
    found: Vec<usize>,
    /// By position: the games to test, one bit each; `None` if all games are tested for all
    /// positions.
    open: Option<Vec<u64>>,
    /// The bit of the present game.
    bit: u64,
    /// Number of positions to look for in the present game.
    asked: usize,
    /// With fewer men on the board no wanted position can occur any more. The number of men never
    /// grows: a promotion replaces one.
    least_men: u32,
}

impl<'a> Lookout<'a> {
    pub(in crate::report) fn new(wanted: &'a PositionIndex) -> Lookout<'a> {
        let standard = Placement::at(Start::Standard);
        Lookout {
            wanted,
            now: standard,
            standard,
            game: 0,
            found_in: vec![0; wanted.placements.count()],
            found: Vec::new(),
            open: None,
            bit: 1,
            asked: 0,
            least_men: 0,
        }
    }

    /// Sets, by position, which of 64 games to test, one bit each.
    pub(super) fn ask(&mut self, open: &[u64]) {
        let kept = self.open.get_or_insert_default();
        kept.clear();
        kept.extend_from_slice(open);
    }

    /// Prepares for one of those games, by its bit number below 64.
    pub(in crate::report) fn begin(&mut self, lane: u32) {
        self.game = match self.game.checked_add(1) {
            Some(game) => game,
            None => {
                self.found_in.fill(0);
                1
            }
        };
        self.found.clear();
        self.bit = 1 << (lane & 63);
        (self.asked, self.least_men) = match &self.open {
            None => (self.found_in.len(), self.wanted.least_men),
            Some(open) => {
                let men = open.iter().zip(&self.wanted.men);
                let asked = men.filter(|(open, _)| *open & self.bit != 0);
                asked.fold((0, u32::MAX), |(asked, least), (_, &men)| {
                    (asked + 1, least.min(men))
                })
            }
        };
    }

    /// Prepares for a game in which only some positions matter, though others are found too.
    pub(super) fn begin_for(&mut self, positions: impl Iterator<Item = usize>) {
        self.begin(0);
        let men = positions.filter_map(|position| self.wanted.men.get(position));
        self.least_men = men.copied().min().unwrap_or_default();
    }

    /// Makes the present game be followed through all its lines: men that left the board on one
    /// line may be present on another.
    pub(in crate::report) fn look_in_all_lines(&mut self) {
        self.least_men = 0;
    }

    /// Returns the positions found in the present game, in order of occurrence.
    pub(in crate::report) fn found(&self) -> &[usize] {
        &self.found
    }

    /// Returns whether all positions to look for have been found.
    pub(super) fn is_content(&self) -> bool {
        self.found.len() >= self.asked
    }

    /// Tests the present position. Nearly always it is not wanted and has enough men, which is
    /// tested without a branch.
    #[inline(always)]
    fn test(&mut self) -> Flow {
        if self.wanted.placements.may_hold(&self.now) | (self.now.men < self.least_men) {
            return self.settle();
        }
        Flow::Continue(())
    }

    /// Handles a position that may be wanted, or has too few men.
    #[inline(never)]
    fn settle(&mut self) -> Flow {
        let (found, found_in) = (&mut self.found, &mut self.found_in);
        self.wanted.placements.look_up(&self.now, |position| {
            let open = self.open.as_ref();
            let is_asked = open.is_none_or(|open| open[position] & self.bit != 0);
            if is_asked && found_in[position] != self.game {
                found_in[position] = self.game;
                found.push(position);
            }
        });
        if self.now.men < self.least_men || self.is_content() {
            Flow::Break(())
        } else {
            Flow::Continue(())
        }
    }
}

impl Follow for Lookout<'_> {
    /// [`begin`](Lookout::begin) does this, since one game may be followed twice.
    fn reset(&mut self) {}

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.now = match start {
            Start::Standard => self.standard,
            custom => Placement::at(custom),
        };
        self.settle()
    }

    #[inline(always)]
    fn moved(&mut self, from: Placed, to: Placed) {
        self.now.shift(from, to);
    }

    #[inline(always)]
    fn remove(&mut self, gone: Placed) {
        self.now.remove(gone);
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.now.place(new);
    }

    #[inline(always)]
    fn ply_done(&mut self) -> Flow {
        self.now.pass();
        self.test()
    }
}

impl Rewind for Lookout<'_> {
    type Snapshot = Placement;

    fn snapshot(&self) -> Placement {
        self.now
    }

    fn restore(&mut self, now: &Placement) {
        self.now = *now;
    }
}
