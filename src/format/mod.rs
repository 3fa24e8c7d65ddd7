//! Formats.
pub mod game;
pub use game::{GameHeader, Rating, Visitor};
