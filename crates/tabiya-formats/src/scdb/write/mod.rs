//! Writing Simple Chess Databases, game by game byte for byte as the reference program does.
//!
//! An [`Encoder`] turns the events of a game into an [`EncodedGame`](crate::EncodedGame); a
//! [`Writer`] appends encoded games to a database. Any number of threads can encode for one writer.
//!
//! Names that are too long are cut and referred to. The reference program cuts them but stores no
//! reference.

mod assemble;
mod encode;
mod record;
mod roster;
mod totals;

pub use self::assemble::{Assembler, layout_of};
pub use self::encode::Encoder;
use crate::loss::{GameLosses, Loss};

/// Writes Simple Chess Databases.
pub type Writer = crate::Writer<Assembler>;
