//! Training data in viriformat (`.vf`, `.viribin`): games with scores, Chess960 too.
//!
//! A file is a sequence of games: no magic, no index, nothing between them. A game is a start of 32
//! bytes (see `header`), its moves of 4 bytes each, and 4 zero bytes. A move has its code (2 bytes,
//! see `codes`) and the score of the position before it in centipawns for White (2, signed). All
//! numbers are little-endian.
//!
//! A game without moves is a loose position, whose score stands in its start. The start of a game
//! with moves has a score too, which is mostly 0, and a byte for anything. Where they are not 0
//! they become the tags `StartScore` and `StartExtra`, so that they can be written again.
//!
//! Nothing marks where a game begins. After a damaged one the next is searched for, see `survey`.

mod codes;
mod flaws;
mod game;
mod header;
mod opened;
mod survey;
mod write;

pub(crate) use self::opened::open;
pub use self::{survey::is_viriformat, write::Encoder};

/// Tag for the score in the start of a game with moves.
const START_SCORE: &str = "StartScore";
/// Tag for the last byte of a start.
const START_EXTRA: &str = "StartExtra";
