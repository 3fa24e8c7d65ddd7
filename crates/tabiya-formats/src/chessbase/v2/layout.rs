//! The files of a database, and the header of its index.

use super::{flaws, record::Record};
use crate::{
    error::{Error, Result},
    suffix::CHESSBASE2,
};

pub(super) const RECORD_BYTES: usize = size_of::<Record>();

/// The companion files that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Companion {
    Games,
    Annotations,
    Names,
}

impl Companion {
    pub(super) const ALL: [Companion; 3] =
        [Companion::Games, Companion::Annotations, Companion::Names];

    pub(super) const fn suffix(self) -> &'static str {
        CHESSBASE2[self as usize + 1]
    }

    /// Returns what cannot be read without the file.
    pub(super) const fn purpose(self) -> &'static str {
        match self {
            Companion::Games => "the moves of a game",
            Companion::Annotations => "an annotation",
            Companion::Names => "a name",
        }
    }
}

/// Refuses an index whose header gives no shape.
pub(super) fn check_header(index: &[u8]) -> Result<()> {
    const RECORD_BYTES_AT: usize = 10;
    let (needed, found) = (RECORD_BYTES as u64, index.len() as u64);
    if found < needed {
        return Err(Error::truncated("the header of the index", needed, found));
    }
    if index[RECORD_BYTES_AT..].first_chunk() == Some(&(RECORD_BYTES as u16).to_le_bytes()) {
        Ok(())
    } else {
        Err(Error::corrupt(flaws::NOT_AN_INDEX).at_offset(RECORD_BYTES_AT as u64))
    }
}
