//! Training data of the engine Monty (`.binpack`): games with scores and search results.
//!
//! A file is games one after the other: no magic, no index, nothing between them. A game is a
//! header (see `header`), its moves and zeros:
//!
//! * policy data: move (2 bytes), expectation of the side to move (2), a count (1) that is 0 or
//!   the number of legal moves, and so many bytes of visits; two zero bytes end the game;
//! * value data: move (2) and centipawns for White (2, signed); four zero bytes end it.
//!
//! All numbers are little-endian. Value data written before November 2024 has headers that lack
//! the number of the move. What a file holds is told by trying: only the true layout gives games
//! of legal moves.
//!
//! A damaged game ends the file: nothing marks where another begins. The games before it stay.

pub mod encode;
mod flaws;
mod game;
mod header;
mod moves;
mod opened;
mod salvage;
mod score;
mod write;

pub use self::{
    game::{Game, Ply, named_visits},
    score::Score,
    write::GameWriter,
};
pub(crate) use opened::MontyFile;

/// What a file's games are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Layout {
    /// Moves with expectations and visits.
    #[default]
    Policy,
    /// Moves with centipawns.
    Value,
    /// The same, with headers of 41 bytes: as written before November 2024.
    OldValue,
}

impl Layout {
    /// In the order in which they are tried.
    const ALL: [Layout; 3] = [Layout::Policy, Layout::Value, Layout::OldValue];

    const fn head_bytes(self) -> usize {
        match self {
            Layout::Policy | Layout::Value => 43,
            Layout::OldValue => 41,
        }
    }
}
