//! The first version: `.cbh` with its companions.
//!
//! The index starts with a header as long as one record. Fixed-length records follow. All integers
//! are big-endian:
//!
//! | offset | bytes | meaning |
//! |---|---|---|
//! | 0 | 1 | 0 |
//! | 1 | 2 | bytes in use of this header, 44 or 36 |
//! | 3 | 2 | bytes of a record, 46 |
//! | 5 | 1 | 1 |
//! | 6 | 4 | number of records plus 1 |
//! | 46 | 46 each | records, see [`record`] |
//!
//! The companion files share the index's base name and differ in suffix. The modules document what
//! is read of them:
//!
//! ```text
//! .cbh record ─▶ .cbg stream ─▶ setup, moves (by tables, codes) ─▶ game
//!            │               └▶ text
//!            ├▶ .cba annotations
//!            ├▶ .cbp .cbt .cbtt .cbc .cbs names
//!            └▶ .cbj extended ─▶ .cbe .cbl names
//! ```

pub mod annotations;
mod codes;
mod extended;
mod flaws;
mod game;
mod layout;
mod men;
mod names;
mod opened;
pub(crate) mod record;
mod scan;
mod setup;
mod stream;
mod tables;
mod tags;
mod text;
mod verify;
pub(crate) mod view;
pub mod write;

#[cfg(test)]
mod tests;

pub use self::{
    annotations::{Annotations, Content, Item, Marks},
    opened::ChessBase,
    write::{Encoder, SUFFIXES, Writer},
};
pub(crate) use self::{
    layout::Companion,
    opened::{open, open_set},
};
