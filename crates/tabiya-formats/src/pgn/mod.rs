//! PGN, plain or compressed: reading on all processors, writing.
//!
//! Reading provides a [`Game`] for each game of an [`Input`]. Its header is parsed; its moves
//! are played and passed to a [`Visitor`](crate::Visitor) on request. Writing uses such
//! a visitor: [`GameText`] for the text of one game.
//!
//! ```
//! use tabiya_formats::{GameText, pgn::{self, Input}};
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
//! # Ok::<(), tabiya_formats::error::Error>(())
//! ```
//!
//! # What is read
//!
//! Beyond the standard: text that mixes UTF-8 and Latin-1; tags and comments of any length;
//! `;` comments; comments inside comments; blank lines anywhere; games without tags; `--`,
//! `Z0` and `null` for a null move, even in check; `0-0`, `e8Q`, `e8(Q)`, `Ng1-f3`, `exd6 e.p.`;
//! symbols such as `+-` and `±` for NAGs; unescaped quotes in tags; Chess960 if the start position
//! or the `Variant` tag says so. A word that is no legal move so is read in the other ways of
//! [`spelling`] if the rules leave one meaning; text between games is skipped. Text that cannot be
//! parsed is an error that names its line, and reading continues with the next game. A game of any
//! other variant is an error too. Text in other encodings than UTF-8 and Latin-1 is converted
//! ([`written`]).
//!
//! Only move numbers, `+` and `#` signs, `%` lines, NAGs `$0` and above `$255`, `e.p.`, and
//! results inside variations are dropped. A result at the end of the movetext counts only if
//! there is no `Result` tag.
//!
//! # What is written
//!
//! The export format of the standard, except that comments keep their text and lines. Reading
//! a legal game back gives the same events, with these exceptions: a `SetUp` tag is added if a
//! start position lacks it; line breaks in tag values become spaces; a comment that holds a `}`,
//! which PGN cannot express, is written as one `;` comment; the lines of such a comment, and of
//! one that readers would take for unclosed, are joined by spaces.

mod boundary;
mod each;
mod flaws;
mod frame_text;
mod frames;
mod game;
mod gather;
mod grow;
mod header;
mod input;
mod lex;
mod opened;
mod own_text;
mod packed;
mod packing;
mod parts;
#[cfg(test)]
mod peer_tests;
mod place;
mod position;
mod relay;
mod san;
mod skim;
mod spelling;
mod split;
mod stream;
mod survey;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod unpacked;
mod view;
mod write;
mod written;
mod zip;

pub use each::for_each_game;
pub use each::for_each_or_pause;
pub use frame_text::bytes_of_part;
pub use game::Game;
pub use grow::TextFile;
pub use input::Input;
pub(crate) use input::text_head;
pub use input::{ENDS, has_pgn_name, seems_pgn, standard_input};
pub use opened::PgnFile;
pub use packed::BytesRead;
pub use packing::Packing;
pub use parts::PartReader;
pub use write::GameText;
pub use write::fen_of;
