//! Training data of the engine Stockfish (`.binpack` that begins with `BINP`): games with scores.
//!
//! A file is a sequence of blocks: `BINP`, the length of the data (u32, little-endian), the data,
//! about 1 MiB of it. All else is big-endian. The data are chains back to back, while at least 34
//! bytes are left. A chain is a stem of 32 bytes (see `header`), the number of its further entries
//! (u16), and their bits, padded to a byte. A further entry follows from the move before it, with
//! the next ply and the result of the other side. Its bits, most significant first:
//!
//! * which man moves: its place among the men of the side to move from a1 up, in as many bits as
//!   the number of these men takes;
//! * where to: the place among the squares that the man could go to if there were no checks (see
//!   `men`), in as many bits as their number takes; for a pawn before its last rank four times as
//!   many, by N B R Q;
//! * the score less the negated score before it, modulo 2^16 and with the sign in bit 0, in groups
//!   of five bits: one that says whether another group follows, then four of the number, the lowest
//!   first.
//!
//! A chain is a game: its stem is the start, and all its moves are played, the last one too. Ply
//! and result cannot break off inside a chain, since only the stem states them. A chain of one
//! entry, a loose position, is a game of one move, or of none if its stem holds none. Two chains
//! are two games, also if one goes on where the other ends.
//!
//! A score belongs to the position before its move and is that of the side to move, in the engine's
//! own unit; 32 002 means that there is none.
//!
//! A block whose length leads to no other block ends where the next one is found. After a damaged
//! chain the next one in its block is searched for, see `survey`.

mod bits;
mod flaws;
mod game;
mod header;
mod layout;
mod men;
mod opened;
mod survey;

pub(crate) use self::{layout::is_stockfish, opened::open};
