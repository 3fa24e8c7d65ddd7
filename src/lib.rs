//! tabiya

pub mod chess;
pub mod error;
pub mod format;
pub mod limits;
pub mod query;
pub mod source;
pub use error::{Error, ErrorKind, Result};
