//! Training data of the engine Monty (`.binpack`): games with scores and search results.
//!
//! A file is a sequence of games: no magic, no index, nothing between them. A game is a header (see
//! `header`), its moves and zeros:
//!
//! * policy data: move (2 bytes), expectation of the side to move (2), a count (1) that is 0 or
//!   the number of legal moves, and that many bytes of visits; two zero bytes end the game;
//! * value data: move (2) and centipawns for White (2, signed); four zero bytes end it.
//!
//! All numbers are little-endian. Value data written before November 2024 has headers without the
//! move number. The layout of a file is detected by trying: only the right one gives games of legal
//! moves.
//!
//! A damaged game ends the file, since nothing marks where the next one begins. The games before it
//! are kept.

mod codes;
mod flaws;
mod game;
mod header;
mod layout;
mod men;
mod opened;
mod salvage;
mod score;
mod survey;
mod view;
mod write;

pub use self::{
    game::{Game, named_visits},
    score::Score,
    write::{GameWriter, encode},
};
pub(crate) use self::{men::Men, opened::MontyFile, score::without_commands};
pub use crate::layout::MontyLayout as Layout;
