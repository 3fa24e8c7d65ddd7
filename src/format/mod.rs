//! Formats.
pub mod game;
pub mod pgn;
pub use game::{GameHeader, Rating, Visitor};
