//! The moves of a main line as numbers that can be compared.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use shakmaty::Setup;
use tabiya_chess::{Flow, Follow, Placed, Start, follow::break_if};

/// Marks the last number of a ply, so that no ply is a prefix of another.
const END: u32 = 1 << 31;
/// The kind of change, besides one man and its new square if any.
const SHIFT: u32 = 1 << 28;
const REMOVE: u32 = 2 << 28;
const PLACE: u32 = 3 << 28;

/// Records the start and the changes on the board, ply by ply. One game's numbers are a prefix of
/// another's exactly if they have the same start position and its moves are a prefix of the
/// other's.
#[derive(Debug, Default)]
pub(super) struct Moves {
    changes: Vec<u32>,
    /// The start of the present ply in `changes`.
    ply: usize,
}

/// The start and the moves of a game as numbers.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MoveList(Box<[u32]>);

impl MoveList {
    /// Returns whether another game has the same start and begins with all moves of this one.
    pub(super) fn begins(&self, other: &MoveList) -> bool {
        other.0.starts_with(&self.0)
    }

    /// Returns the number of plies.
    pub(super) fn plies(&self) -> usize {
        let marks = self.0.iter().filter(|number| **number & END != 0);
        marks.count().saturating_sub(1)
    }

    /// Returns whether there are at least this many plies.
    pub(super) fn is_as_long_as(&self, plies: usize) -> bool {
        // The first mark ends the start position.
        let marks = self.0.iter().filter(|number| **number & END != 0);
        marks.take(plies + 1).count() > plies
    }
}

impl Moves {
    pub(super) fn finish(self) -> MoveList {
        MoveList(self.changes.into_boxed_slice())
    }

    /// Ends a ply. Its changes are sorted, since their order has no meaning.
    fn end(&mut self) {
        self.changes[self.ply..].sort_unstable();
        match self.changes[self.ply..].last_mut() {
            Some(last) => *last |= END,
            // A null move.
            None => self.changes.push(END),
        }
        self.ply = self.changes.len();
    }

    /// Records a start position: everything that affects the legal moves.
    fn begin(&mut self, setup: &Setup) {
        for (square, piece) in setup.board.clone() {
            let man = u32::from(piece.role) << 1 | u32::from(piece.color.is_white());
            self.changes.push(man << 6 | u32::from(square));
        }
        let rights = setup.castling_rights.0;
        self.changes
            .extend([rights as u32 & !END, (rights >> 32) as u32 & !END]);
        self.changes.push(u32::from(setup.turn.is_white()));
        self.changes
            .push(setup.ep_square.map_or(64, u32::from) | END);
        self.ply = self.changes.len();
    }
}

impl Follow for Moves {
    fn reset(&mut self) {
        *self = Moves::default();
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.changes.clear();
        self.ply = 0;
        if let Start::Custom(setup) = start {
            let standard = Setup::initial();
            let same = setup.board == standard.board
                && setup.turn == standard.turn
                && setup.castling_rights == standard.castling_rights;
            if !same {
                self.begin(setup);
                return Flow::Continue(());
            }
        }
        self.changes.push(END);
        self.ply = 1;
        Flow::Continue(())
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        let (from, to) = (from.index() as u32, to.index() as u32);
        self.changes.push(SHIFT | from << 10 | to);
    }

    fn remove(&mut self, gone: Placed) {
        self.changes.push(REMOVE | gone.index() as u32);
    }

    fn place(&mut self, new: Placed) {
        self.changes.push(PLACE | new.index() as u32);
    }

    fn ply_done(&mut self) -> Flow {
        self.end();
        Flow::Continue(())
    }
}

/// Records the start and the first plies of a game.
#[derive(Debug)]
pub(super) struct Beginning {
    moves: Moves,
    plies: usize,
    plies_max: usize,
}

impl Beginning {
    /// Records at most this many plies.
    pub(super) fn new(plies_max: usize) -> Beginning {
        Beginning {
            moves: Moves::default(),
            plies: 0,
            plies_max,
        }
    }

    /// Returns a number that is the same for the same beginning, and the number of its plies.
    pub(super) fn finish(self) -> (u64, usize) {
        let mut hasher = DefaultHasher::new();
        self.moves.changes[..self.moves.ply].hash(&mut hasher);
        (hasher.finish(), self.plies)
    }
}

impl Follow for Beginning {
    fn reset(&mut self) {
        self.moves.reset();
        self.plies = 0;
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.moves.start(start)
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        self.moves.moved(from, to);
    }

    fn remove(&mut self, gone: Placed) {
        self.moves.remove(gone);
    }

    fn place(&mut self, new: Placed) {
        self.moves.place(new);
    }

    fn ply_done(&mut self) -> Flow {
        self.plies += 1;
        self.moves.ply_done()?;
        break_if(self.plies >= self.plies_max)
    }
}
