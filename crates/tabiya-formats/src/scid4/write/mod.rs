//! Writing `.si4` and `.si5` databases, byte for byte as Scid 5.0.2 does.
//!
//! An [`Encoder`] turns the events of a game into an [`EncodedGame`]; a
//! [`Writer`] appends encoded games to a database. Encoding is most of the work and order does not
//! matter for it, so any number of threads can encode for one writer:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use shakmaty::{Chess, Position};
//! use tabiya_formats::{
//!     Encode, GameHeader, Overwrite, Visitor,
//!     scid4::{Edition, Encoder, Writer},
//! };
//!
//! # let directory = tempfile::tempdir()?;
//! let path = directory.path().join("new.si4");
//! let mut writer = Writer::create(path, Edition::Si4, Overwrite::Refuse)?;
//! let mut encoder = Encoder::new();
//! encoder.begin(&GameHeader {
//!     white: "Morphy, Paul".into(),
//!     ..GameHeader::default()
//! });
//! let first = Chess::default().legal_moves()[0];
//! let _ = encoder.play(Some(first));
//! let _ = encoder.comment("A move.");
//! writer.append(&encoder.finish()?)?;
//! let summary = writer.finish()?;
//! assert_eq!((summary.games, summary.losses.is_empty()), (1, true));
//! # Ok(())
//! # }
//! ```
//!
//! With a database to read from, `database.visit(game, &mut encoder)` replaces the calls of
//! `play` and `comment`.
//!
//! The output differs from Scid's in two points. Comments that had to be joined are separated
//! by a space, where Scid runs the last word of one into the first of the next. NAGs before the
//! first move of a line, which Scid drops, are stored where its readers expect them.

mod assemble;
mod edition;
mod encode;
mod line;
pub(super) mod moves;
mod narrow;
mod record;
mod roster;

pub use self::assemble::Assembler;
pub(crate) use self::line::LineEncoder;
pub use self::{edition::Edition, encode::Encoder};
use crate::loss::{GameLosses, Loss};

/// A game encoded for `.si4` or `.si5`.
pub type EncodedGame = crate::EncodedGame<encode::GameMeta>;

/// Writes `.si4` or `.si5` databases.
pub type Writer = crate::Writer<Assembler>;

/// The user's settings in the header of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Properties {
    /// The user's description. At most 107 bytes are stored.
    pub description: String,
    /// The type chosen by the user, which selects Scid's icon; 0 is "unknown".
    pub kind: u32,
    /// The 1-based number of the game that Scid loads on opening; 0 for none. A number that is
    /// too large means the last game.
    pub autoload: u32,
    /// Labels of the six custom flags. At most eight bytes of each are stored.
    pub flag_labels: [String; 6],
}

impl Default for Properties {
    /// Returns the settings of a new database in Scid.
    fn default() -> Properties {
        Properties {
            description: String::new(),
            kind: 0,
            autoload: 1,
            flag_labels: Default::default(),
        }
    }
}

impl Writer {
    /// Sets the properties of the database. Without a call, they are those of a new database.
    pub fn set_properties(&mut self, properties: Properties) {
        self.assembler.set_properties(properties);
    }
}
