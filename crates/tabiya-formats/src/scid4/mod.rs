//! Scid databases: `.si4` (version 400), `.si3` (version 300) and `.si5`, with their games and
//! names.
//!
//! The index file of the first two is a header and fixed records, all big-endian:
//!
//! | offset | bytes | meaning |
//! |---|---|---|
//! | 0 | 8 | `Scid.si\0` |
//! | 8 | 2 | version, 400 or 300 |
//! | 10 | 4 | type of the database, chosen by its user |
//! | 14 | 3 | number of games |
//! | 17 | 3 | game to load at once: 0 none, 1 the first, ... |
//! | 20 | 108 | description, ended by a zero |
//! | 128 | 6 × 9 | labels of the custom flags, each ended by a zero; not in version 300 |
//! | 182 (128) | 47 (46) each | records, see [`record`] |
//!
//! The index of `.si5` consists only of records of 56 bytes, see [`record5`]; nothing but its
//! file name identifies it.
//!
//! The games file has no header and is the same in all three: a record gives offset and length.
//! The names file is described in `names`, that of `.si5` in `names5`. Only the file name ties
//! the three files together.

mod codes;
mod facts;
pub mod flaws;
pub(crate) mod game;
mod layout;
mod men;
pub(crate) mod names;
mod names5;
mod opened;
pub(crate) mod record;
pub(crate) mod record5;
mod salvage;
mod scan;
mod sorted;
pub(crate) mod verify;
mod view;
pub mod write;

pub(crate) use self::{
    game::Blob,
    layout::{MAGIC, Version},
    write::LineEncoder,
};
pub use self::{
    opened::Scid4,
    write::{Edition, EncodedGame, Encoder, Writer},
};
