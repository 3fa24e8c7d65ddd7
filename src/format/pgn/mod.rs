//! PGN, plain or compressed: reading on all processors, writing.
//!
//! Reading hands over a [`Game`] for each game of an [`Input`]; its header is read, its moves
//! are played through and told to a [`Visitor`](crate::format::Visitor) when asked for. Writing
//! is such a visitor: [`GameText`] for the text of one game, [`Writer`] for a file.
//!
//! ```
//! use tabiya::format::pgn::{self, GameText, Input};
//!
//! let input = Input::from_bytes(b"[White \"A\"]\n\n1. e4 e5 *\n\n1. e5 *".to_vec())?;
//! let (mut texts, mut faults) = (Vec::new(), Vec::new());
//! pgn::for_each_game(
//!     &input,
//!     // On all processors: make something of a game.
//!     |game| {
//!         let mut text = GameText::new(game.header());
//!         game.replay(&mut text)?;
//!         text.finish()
//!     },
//!     // On this thread, in the order of the file: take what was made of it.
//!     |_place, result| {
//!         match result {
//!             Ok(text) => texts.push(text),
//!             Err(fault) => faults.push(fault.to_string()),
//!         }
//!         Ok(())
//!     },
//! )?;
//! assert!(texts[0].ends_with("\n1. e4 e5 *\n\n"));
//! assert_eq!(faults, ["line 5: game 2: illegal move e5 (at byte 28)"]);
//! # Ok::<(), tabiya::Error>(())
//! ```
//!
//! # What is read
//!
//! Beyond the standard: text that mixes UTF-8 and Latin-1; tags and comments of any length;
//! `;` comments; comments inside comments; blank lines anywhere; games without tags; `--`,
//! `Z0` and `null` for a null move, in check too; `0-0`, `e8Q`, `e8(Q)`, `Ng1-f3`, `exd6 e.p.`;
//! symbols as `+-` for glyphs; quotes in tags that are not escaped; Chess960 if the `Variant` tag
//! says so. What is not understood is an error that names its line, and the next game is read. A
//! game of any other variant is an error too.
//!
//! Nothing is dropped but move numbers, `+` and `#` signs, `%` lines, glyphs `$0` and above
//! `$255`, `e.p.`, and results inside variations. A result at the end of the movetext counts only
//! where there is no `Result` tag.
//!
//! # What is written
//!
//! The export format of the standard, but every comment keeps its text and lines. Reading back
//! gives the same events, with these exceptions: a `SetUp` tag is added where a start position
//! lacks it; line breaks in tag values become spaces; a comment that holds a `}`, which PGN
//! cannot express, is written as `;` comments, one for each line.

mod each;
mod flaws;
mod game;
mod header;
mod input;
mod lex;
mod opened;
mod san;
mod split;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod write;
mod zip;

pub use each::for_each_game;
pub use game::Game;
pub(crate) use input::{ENDS, standard_input};
pub use input::{Input, has_pgn_name};
pub(crate) use opened::PgnFile;
pub use split::Place;
pub(crate) use write::fen_of;
pub use write::{GameText, Writer};
