//! ChessBase databases of both versions, and the archives that hold them.
//!
//! | folder | files |
//! |---|---|
//! | [`v1`] | `.cbh` with its companions |
//! | [`v2`] | `.2cbh` with its companions, of ChessBase 17 and later |
//! | [`common`] | what both share |
//! | [`archive`] | `.cbv` and `.cbz`, which hold files of the first version |
//! | [`cbf`] | `.cbf` and `.cbi`, of ChessBase 1 to 5, which have nothing in common with these |

pub mod archive;
pub mod cbf;
pub(crate) mod common;
pub mod v1;
pub mod v2;
