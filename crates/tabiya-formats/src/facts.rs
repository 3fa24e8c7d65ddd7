//! Facts about a game derived from the moves of its main line.
//!
//! Prefilters use these facts. Scid stores them in its records; this crate's Scid writer and
//! verifier compute them; records that are made when a file is opened hold them too.

use shakmaty::{Role, Square};
use tabiya_chess::{Counts, Flow, Follow, HomePawns, Placed, Start, home_pawns::home_pawn};

use super::{header::flag, stored_lines::LineMatch};

/// Follows a main line and collects its facts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// The exact number of half-moves.
    pub(crate) plies: u32,
    /// Bits 0 to 2 of `Header::flags`.
    pub(crate) flags: u32,
    /// Material after the last move.
    pub(crate) counts: Counts,
    /// Order in which pawns left home; empty for games with their own start.
    pub(crate) home_pawns: HomePawns,
    /// The opening line that the game begins with.
    pub(crate) line: LineMatch,
    /// Source and target of the first man moved in the current ply, while a line may match.
    moved: Option<(Square, Square)>,
}

impl Facts {
    /// The facts of a game without moves.
    pub(crate) const STANDARD: Facts = Facts {
        plies: 0,
        flags: 0,
        counts: Counts::STANDARD,
        home_pawns: HomePawns::from_packed(0, 0),
        line: LineMatch::START,
        moved: None,
    };

    pub(crate) fn is_custom(&self) -> bool {
        self.flags & flag::CUSTOM_START != 0
    }

    /// Whether the game begins with the line of a code. Codes 0 and 255 mean no line.
    pub(crate) fn begins_with(&self, code: u8) -> bool {
        code == 0 || code == u8::MAX || self.line.passed(code)
    }
}

impl Follow for Facts {
    fn reset(&mut self) {
        *self = Facts::STANDARD;
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        *self = Facts::STANDARD;
        if let Start::Custom(setup) = start {
            self.flags = flag::CUSTOM_START;
            self.counts = Counts::of(&setup.board);
            self.line = LineMatch::NONE;
        }
        Flow::Continue(())
    }

    #[inline]
    fn moved(&mut self, from: Placed, to: Placed) {
        if !self.line.is_over() && self.moved.is_none() {
            self.moved = Some((from.square(), to.square()));
        }
        self.leaves_home(from);
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        self.counts.take(gone.man());
        self.leaves_home(gone);
    }

    fn place(&mut self, new: Placed) {
        self.counts.add(new.man());
        self.flags |= flag::PROMOTION;
        if new.man().role() != Role::Queen {
            self.flags |= flag::UNDERPROMOTION;
        }
    }

    #[inline]
    fn ply_done(&mut self) -> Flow {
        self.plies += 1;
        self.line.play(self.moved.take());
        Flow::Continue(())
    }
}

impl Facts {
    /// Records a pawn that moves from its home square or is captured there.
    #[inline]
    fn leaves_home(&mut self, man: Placed) {
        if let Some(pawn) = home_pawn(man)
            && !self.is_custom()
        {
            self.home_pawns.push(pawn);
        }
    }
}
