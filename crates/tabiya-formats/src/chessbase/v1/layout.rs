//! The files of a database, and the header of its index.

use super::{flaws, record::Record};
use crate::{
    bytes::Cursor,
    error::{Error, Result},
};

pub(super) const RECORD_BYTES: usize = size_of::<Record>();

/// The companion files, in listing order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Companion {
    Games,
    Annotations,
    Players,
    Tournaments,
    TournamentDetails,
    Annotators,
    Sources,
    Extended,
    Teams,
    GameTags,
    TopGames,
}

impl Companion {
    /// All companions.
    pub(crate) const ALL: [Companion; 11] = [
        Companion::Games,
        Companion::Annotations,
        Companion::Players,
        Companion::Tournaments,
        Companion::TournamentDetails,
        Companion::Annotators,
        Companion::Sources,
        Companion::Extended,
        Companion::Teams,
        Companion::GameTags,
        Companion::TopGames,
    ];

    /// Returns the file name suffix.
    pub(crate) const fn suffix(self) -> &'static str {
        match self {
            Companion::Games => "cbg",
            Companion::Annotations => "cba",
            Companion::Players => "cbp",
            Companion::Tournaments => "cbt",
            Companion::TournamentDetails => "cbtt",
            Companion::Annotators => "cbc",
            Companion::Sources => "cbs",
            Companion::Extended => "cbj",
            Companion::Teams => "cbe",
            Companion::GameTags => "cbl",
            Companion::TopGames => "flags",
        }
    }

    /// Returns what cannot be read without the file; `None` for files that many databases lack.
    pub(super) const fn purpose(self) -> Option<&'static str> {
        match self {
            Companion::Games => Some("the moves of a game"),
            Companion::Annotations => Some("an annotation"),
            Companion::Players => Some("a player's name"),
            Companion::Tournaments => Some("an event's name"),
            _ => None,
        }
    }
}

/// Returns the number of records stated in the header of an index.
pub(super) fn head(index: &[u8]) -> Result<usize> {
    let mut cursor = Cursor::new(index);
    let (needed, found) = (RECORD_BYTES as u64, index.len() as u64);
    if found < needed {
        return Err(Error::truncated("the header of the index", needed, found));
    }
    let header = (cursor.take(3), cursor.uint_be(2), cursor.take(1));
    if header.1 != Some(RECORD_BYTES as u32) {
        return Err(Error::corrupt(flaws::NOT_AN_INDEX).at_offset(3));
    }
    Ok(cursor.uint_be(4).unwrap_or_default().saturating_sub(1) as usize)
}
