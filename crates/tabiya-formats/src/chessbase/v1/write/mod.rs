//! Writes ChessBase databases: `.cbh` and its companion files.
//!
//! An [`Encoder`] builds an [`EncodedGame`](crate::EncodedGame) from the events of a
//! reader; a [`Writer`] appends encoded games to a database. Encoding is most of the work and needs
//! no order, so any number of threads can encode for one writer:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use shakmaty::{Chess, Position};
//! use tabiya_formats::{Encode, GameHeader, Overwrite, Visitor, chessbase::v1::{Encoder, Writer}};
//!
//! # let directory = tempfile::tempdir()?;
//! let path = directory.path().join("new.cbh");
//! let mut writer = Writer::create(path, (), Overwrite::Refuse)?;
//! let mut encoder = Encoder::new();
//! encoder.begin(&GameHeader {
//!     white: "Morphy, Paul".into(),
//!     ..GameHeader::default()
//! });
//! let first = Chess::default().legal_moves()[0];
//! let _ = encoder.play(Some(first));
//! writer.append(&encoder.finish()?)?;
//! let summary = writer.finish()?;
//! assert_eq!((summary.games, summary.losses.is_empty()), (1, true));
//! # Ok(())
//! # }
//! ```
//!
//! Games are written in the encoding that ChessBase itself uses, Chess960 games in the one for
//! Chess960. What ChessBase stores with games is written too: flags and magnitudes in the records,
//! material, search trees of names. Its search boosters are not: it makes them itself. The output
//! depends only on the games, so writing them again gives the same bytes. Games that are added to a
//! database leave the search trees as they are but for what new names move, so trees differ from
//! those of writing all games at once.

mod assemble;
mod content;
mod details;
mod encode;
mod extended;
mod men;
mod moves;
mod names;
mod record;
mod roster;
mod setup;
#[cfg(test)]
mod tests;
mod text;
mod top_games;
mod tree;

pub use self::assemble::Assembler;
pub use self::encode::Encoder;
use crate::{
    loss::{GameLosses, Loss},
    suffix::CHESSBASE,
};

/// Writes ChessBase databases.
pub type Writer = crate::Writer<Assembler>;

/// The suffixes of the written files, the index first.
pub const SUFFIXES: &[&str] = CHESSBASE.split_at(13).0;
