//! Following a game on the board without asking whether its moves are legal.
//!
//! Decoders call a [`Follow`] with what changes on the board, ply by ply; what it keeps of that
//! is its own business: nothing, a score, bitboards. Each follower is compiled into each
//! decoder, so it pays only for what it keeps.

use std::ops::ControlFlow;

use shakmaty::{Color, Move, Role, Setup, Square};

use super::{castling::castled, man::Man, thought::Thought};

/// Whether to go on. `Break` ends the game's decoding early, without an error.
pub type Flow = ControlFlow<()>;

/// A man on a square, in one number below 768 that indexes tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Placed(u16);

impl Placed {
    /// How long a table must be so that [`index`](Placed::index) cannot miss it.
    pub const TABLE: usize = 1024;

    /// No man: an index behind those of all men.
    pub(crate) const NONE: Placed = Placed(Placed::TABLE as u16 - 1);

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

    /// Returns the same number as [`index`](Placed::index), but without the compiler knowing its
    /// bound.
    #[inline(always)]
    pub(crate) const fn number(self) -> u16 {
        self.0
    }

    /// Reads what [`index`](Placed::index) gave; `None` from 768 on.
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

    /// Returns the man's number, 0 to 15 so that the compiler knows; values from 12 on do not
    /// occur.
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

/// Where a game begins.
#[derive(Debug, Clone, Copy)]
pub enum Start<'a> {
    /// The standard start position.
    Standard,
    /// A position that the game brings along.
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

/// Something that follows a game.
///
/// [`forget`](Follow::forget) comes before every game. A decoder calls
/// [`start`](Follow::start) once, unless the game has no position at all; then, for every ply,
/// any of `shift`, `remove` and `place` in an order that never puts two men on one square, and
/// [`look`](Follow::look) when the ply is complete. A null move is a `look` alone.
///
/// Castling is a `shift` of the king, then one of the rook. In Chess960 the king may go to the
/// rook's square before the rook leaves it, and either may stay where it is.
///
/// Where files tell what an engine thought, [`think`](Follow::think) comes before every `start`
/// and `look`, about the position that these bring.
///
/// This is enough for main lines. Going through variations takes a [`Rewind`].
pub trait Follow {
    /// Forgets what the game followed before came to. A text of ChessBase has no start position,
    /// and a damaged game may have none, so `start` cannot do it.
    fn forget(&mut self);

    /// Sets up the start position and looks at it.
    fn start(&mut self, start: Start<'_>) -> Flow;

    /// A man moves.
    fn shift(&mut self, from: Placed, to: Placed);

    /// A man leaves the board: captured, or a pawn about to promote.
    fn remove(&mut self, gone: Placed);

    /// A man appears: what a pawn promotes to.
    fn place(&mut self, new: Placed);

    /// A ply is complete and the turn passes; the position may be looked at.
    fn look(&mut self) -> Flow;

    /// What an engine thought of the position that comes next; `None` when nothing is told of
    /// it.
    #[inline]
    fn think(&mut self, thought: Option<Thought<'_>>) {
        let _ = thought;
    }
}

/// A follower that can go back to an earlier position, as variations need it.
pub trait Rewind: Follow {
    /// What must be kept to come back to the present position.
    type Snapshot;

    /// Keeps the present position.
    fn snapshot(&self) -> Self::Snapshot;

    /// Returns to a position that was kept.
    fn restore(&mut self, snapshot: &Self::Snapshot);
}

/// Plays known moves from the standard start position to a follower, until it has seen enough.
pub fn follow_line<F: Follow>(moves: &[Move], follow: &mut F) -> Flow {
    follow.forget();
    follow.start(Start::Standard)?;
    let mut turn = Color::White;
    for played in moves {
        make(*played, turn, follow);
        follow.look()?;
        turn = turn.other();
    }
    Flow::Continue(())
}

/// Tells a follower what a move changes. `look` is left to the caller.
pub(crate) fn make<F: Follow>(played: Move, turn: Color, follow: &mut F) {
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
            follow.shift(at(turn, role, from), at(turn, role, to));
            if let Some(promoted) = promotion {
                follow.remove(at(turn, role, to));
                follow.place(at(turn, promoted, to));
            }
        }
        Move::EnPassant { from, to } => {
            let victim = Square::from_coords(to.file(), from.rank());
            follow.remove(at(turn.other(), Role::Pawn, victim));
            follow.shift(at(turn, Role::Pawn, from), at(turn, Role::Pawn, to));
        }
        Move::Castle { king, rook } => {
            let (king_to, rook_to) = castled(king, rook);
            follow.shift(at(turn, Role::King, king), at(turn, Role::King, king_to));
            follow.shift(at(turn, Role::Rook, rook), at(turn, Role::Rook, rook_to));
        }
        Move::Put { role, to } => follow.place(at(turn, role, to)),
    }
}

/// Follows nothing: for counting moves and measuring decoders.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ignore;

impl Follow for Ignore {
    fn forget(&mut self) {}

    fn start(&mut self, _: Start<'_>) -> Flow {
        Flow::Continue(())
    }

    fn shift(&mut self, _: Placed, _: Placed) {}

    fn remove(&mut self, _: Placed) {}

    fn place(&mut self, _: Placed) {}

    fn look(&mut self) -> Flow {
        Flow::Continue(())
    }
}

impl Rewind for Ignore {
    type Snapshot = ();

    fn snapshot(&self) {}

    fn restore(&mut self, (): &()) {}
}
