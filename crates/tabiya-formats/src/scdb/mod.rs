//! The Simple Chess Database: `.dci` index, `.dcg` games, `.dcn` players, `.dcs` sites, `.dce`
//! events.
//!
//! All integers are big-endian, and every file begins with `SimpleCDb` and the last letter of
//! its suffix. The index has one of these layouts, distinguished by its entries:
//!
//! | writer | after the magic | entries, see [`record`] |
//! |---|---|---|
//! | pgn2dcg and related programs | version 0, 8 bytes for the game to open first | 39 bytes |
//! | the published description, version 1.1 | version 1 | 61 bytes |
//! | no known program | as in the first row | 61 bytes |
//!
//! The games file is described in `codes`, the names files in `names`.

mod codes;
mod flaws;
mod game;
mod layout;
mod men;
mod names;
mod opened;
pub(crate) mod record;
mod verify;
mod view;
pub mod write;

pub(crate) use self::layout::is_index;
pub use self::{
    opened::Scdb,
    write::{Encoder, Writer},
};
