//! Writes databases of ChessBase 2: `.2cbh`, `.2cbg`, `.2cba` and `.2lid`.
//!
//! An [`Encoder`] builds an [`EncodedGame`](crate::EncodedGame) from the events of a
//! reader; a [`Writer`] appends encoded games to a database. Games are written as ChessBase writes
//! new ones, with spare bytes after each. `.2lgd` and `.2lcd`, which list and sort the names, are
//! not written: ChessBase makes them anew. Creation times are left out, so that the output depends
//! only on the games.

mod assemble;
mod commands;
mod encode;
mod moves;
mod names;
mod notes;
mod record;
mod roster;
mod setup;
#[cfg(test)]
mod tests;
mod text;

pub use self::assemble::Assembler;
pub use self::encode::Encoder;
use crate::suffix::CHESSBASE2;

/// Writes databases of ChessBase 2.
pub type Writer = crate::Writer<Assembler>;

/// The suffixes of the written files, the index first.
pub const SUFFIXES: &[&str] = CHESSBASE2.split_at(4).0;
