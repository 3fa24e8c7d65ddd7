//! Databases of ChessBase 2, as ChessBase 17 and later keep them: `.2cbh` with its companions.
//!
//! The index starts with a header as long as one record: the bytes of a record at offset 10 (2
//! bytes), one more than the number of records at 16 (4). Records follow, see [`record`]. All
//! integers are little-endian unless a module says otherwise. The companion files share the index's
//! base name and differ in suffix:
//!
//! ```text
//! .2cbh record ─▶ .2cbg frame ─▶ game: setup, codes
//!             │               └▶ text
//!             ├▶ .2cba frame ─▶ annotations
//!             └▶ .2lid names
//! ```
//!
//! `.2lgd` and `.2lcd` are made from these and are not read.

mod annotations;
mod codes;
mod flaws;
mod frame;
mod game;
mod layout;
mod men;
mod names;
mod opened;
pub(crate) mod record;
mod scan;
mod setup;
mod tags;
mod text;
mod verify;
pub(crate) mod view;
pub mod write;

use self::layout::Companion;
pub(crate) use self::opened::open;
pub use self::{
    opened::ChessBase2,
    write::{Encoder, SUFFIXES, Writer},
};
