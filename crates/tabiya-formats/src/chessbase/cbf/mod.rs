//! Databases of ChessBase 1 to 5 and of the first Fritz (`.cbf`, `.cbi`), 1987 to 1998. They are
//! only read.
//!
//! `.cbi` says where each game begins, see [`layout`]. All else of a game is in `.cbf`, big-endian
//! and without gaps:
//!
//! | bytes | meaning |
//! |---|---|
//! | 14 | the head, see [`header`]: year, result, ratings, ECO, and the lengths of what follows |
//! | up to 63 | the players, as `White-Black` |
//! | up to 63 | where the game was played, with the round |
//! | | moves and variations, see [`codes`] |
//! | | annotations, see [`text`] |
//! | 33 | the start position, if it is not the usual one, see [`setup`] |
//!
//! Head, names and moves are scrambled, each by a key that changes from byte to byte. A move is its
//! number among all that the side to move has, in the order in which ChessBase found them, see
//! [`men`].
//!
//! Sources: the description of `.cbi` of 17 June 1993 that came with Andy Duplain's utilities; for
//! all else the reader of the program Scidb, which its author compared with more than 1860
//! databases.

mod codes;
mod flaws;
mod game;
mod header;
mod layout;
mod men;
mod opened;
mod scrambled;
mod setup;
mod survey;
mod text;
mod view;

pub(crate) use self::opened::{CbfBase, open};
