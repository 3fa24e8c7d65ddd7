//! Follows a game on the board without checking whether its moves are legal.
//!
//! Decoders call a [`Follow`] with the changes on the board, ply by ply; each follower keeps only
//! what it needs: nothing, a score, bitboards. Each follower is compiled into each decoder, so it
//! pays only for what it keeps.

use std::ops::ControlFlow;

use shakmaty::{Color, Move, Role, Setup, Square};

use super::{castling::castled, engine_eval::EngineEval, man::Man};

/// Whether to continue. `Break` ends the game's decoding early, without an error.
pub type Flow = ControlFlow<()>;

/// Returns `Break` if a condition holds.
#[inline(always)]
pub fn break_if(holds: bool) -> Flow {
    if holds {
        Flow::Break(())
    } else {
        Flow::Continue(())
    }
}

/// A man on a square, as one number below 768, usable as a table index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Placed(u16);

impl Placed {
    /// The length of a table for which [`index`](Placed::index) is always in bounds.
    pub const TABLE: usize = 1024;

    /// No man: an index above those of all men.
    pub const NONE: Placed = Placed(Placed::TABLE as u16 - 1);

    /// Returns this man on this square.
    #[must_use]
    pub const fn new(man: Man, square: Square) -> Placed {
        Placed((man.index() as u16) << 6 | square as u16)
    }

    /// Returns the same man on another square, 0 (a1) to 63 (h8).
    #[must_use]
    #[inline]
    pub const fn moved_to(self, square_index: u8) -> Placed {
        Placed(self.0 & !63 | (square_index & 63) as u16)
    }

    /// Returns man × 64 + square, always below [`TABLE`](Placed::TABLE).
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize & (Placed::TABLE - 1)
    }

    /// Returns the same number as [`index`](Placed::index), without masking, so that the compiler
    /// does not know its bound.
    #[inline(always)]
    pub const fn number(self) -> u16 {
        self.0
    }

    /// Converts a number from [`index`](Placed::index); `None` from 768 on.
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Placed> {
        if index < Man::COUNT * 64 {
            Some(Placed(index as u16))
        } else {
            None
        }
    }

    /// Returns the man.
    #[must_use]
    pub const fn man(self) -> Man {
        match Man::from_index(self.0 as usize >> 6) {
            Some(man) => man,
            None => Man::ALL[0],
        }
    }

    /// Returns the man's number, masked so that the compiler knows it is 0 to 15; values from 12 on
    /// do not occur.
    #[must_use]
    #[inline]
    pub const fn man_index(self) -> usize {
        self.0 as usize >> 6 & 15
    }

    /// Returns the square's number, 0 (a1) to 63 (h8).
    #[must_use]
    #[inline]
    pub const fn square_index(self) -> u8 {
        self.0 as u8 & 63
    }

    /// Returns the square.
    #[must_use]
    pub const fn square(self) -> Square {
        Square::new(self.0 as u32 & 63)
    }
}

/// The start position of a game.
#[derive(Debug, Clone, Copy)]
pub enum Start<'a> {
    /// The standard start position.
    Standard,
    /// A start position stored with the game.
    Custom(&'a Setup),
}

impl Start<'_> {
    /// Returns the start position.
    #[must_use]
    pub fn setup(self) -> Setup {
        match self {
            Start::Standard => Setup::initial(),
            Start::Custom(setup) => setup.clone(),
        }
    }
}

/// A consumer of a game's board changes.
///
/// [`reset`](Follow::reset) is called before every game. A decoder calls [`start`](Follow::start)
/// once, unless the game has no position at all; then, for every ply, any of `moved`, `remove` and
/// `place` in an order that never puts two men on one square, and [`ply_done`](Follow::ply_done)
/// when the ply is complete. A null move is a `ply_done` alone.
///
/// Castling is a `moved` of the king, then one of the rook. In Chess960 the king may go to the
/// rook's square before the rook leaves it, and either may stay where it is.
///
/// Where files store an engine's evaluations, [`evaluation`](Follow::evaluation) is called before
/// every `start` and `ply_done`, with the evaluation of the position that follows.
///
/// This is enough for main lines. Variations require a [`Rewind`].
pub trait Follow {
    /// Discards the state of the previous game. `start` cannot do this, since a ChessBase text has
    /// no start position, and a damaged game may have none.
    fn reset(&mut self);

    /// Sets up the start position and processes it.
    fn start(&mut self, start: Start<'_>) -> Flow;

    /// Moves a man.
    fn moved(&mut self, from: Placed, to: Placed);

    /// Removes a man from the board: captured, or a pawn about to promote.
    fn remove(&mut self, gone: Placed);

    /// Adds a man: the piece that a pawn promotes to.
    fn place(&mut self, new: Placed);

    /// Called when a ply is complete and the turn has passed; the position may be processed.
    #[inline]
    fn ply_done(&mut self) -> Flow {
        Flow::Continue(())
    }

    /// Receives an engine's evaluation of the next position; `None` if none is stored.
    #[inline]
    fn evaluation(&mut self, eval: Option<EngineEval<'_>>) {
        let _ = eval;
    }
}

/// A follower that can return to an earlier position, as variations require.
pub trait Rewind: Follow {
    /// The data needed to return to the current position.
    type Snapshot;

    /// Saves the current position.
    fn snapshot(&self) -> Self::Snapshot;

    /// Returns to a saved position.
    fn restore(&mut self, snapshot: &Self::Snapshot);
}

/// Passes known moves from the standard start position to a follower, until it has seen enough.
pub fn follow_line<F: Follow>(moves: &[Move], follow: &mut F) -> Flow {
    follow.reset();
    follow.start(Start::Standard)?;
    let mut turn = Color::White;
    for played in moves {
        make(*played, turn, follow);
        follow.ply_done()?;
        turn = turn.other();
    }
    Flow::Continue(())
}

/// Passes the changes of a move to a follower. The caller calls `ply_done`.
pub fn make<F: Follow>(played: Move, turn: Color, follow: &mut F) {
    let at = |color, role, square| Placed::new(Man::new(color, role), square);
    match played {
        Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        } => {
            if let Some(captured) = capture {
                follow.remove(at(turn.other(), captured, to));
            }
            follow.moved(at(turn, role, from), at(turn, role, to));
            if let Some(promoted) = promotion {
                follow.remove(at(turn, role, to));
                follow.place(at(turn, promoted, to));
            }
        }
        Move::EnPassant { from, to } => {
            let victim = Square::from_coords(to.file(), from.rank());
            follow.remove(at(turn.other(), Role::Pawn, victim));
            follow.moved(at(turn, Role::Pawn, from), at(turn, Role::Pawn, to));
        }
        Move::Castle { king, rook } => {
            let (king_to, rook_to) = castled(king, rook);
            follow.moved(at(turn, Role::King, king), at(turn, Role::King, king_to));
            follow.moved(at(turn, Role::Rook, rook), at(turn, Role::Rook, rook_to));
        }
        Move::Put { role, to } => follow.place(at(turn, role, to)),
    }
}

/// A follower that does nothing: for counting moves and measuring decoders.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ignore;

impl Follow for Ignore {
    fn reset(&mut self) {}

    fn start(&mut self, _: Start<'_>) -> Flow {
        Flow::Continue(())
    }

    fn moved(&mut self, _: Placed, _: Placed) {}

    fn remove(&mut self, _: Placed) {}

    fn place(&mut self, _: Placed) {}
}

impl Rewind for Ignore {
    type Snapshot = ();

    fn snapshot(&self) {}

    fn restore(&mut self, (): &()) {}
}
