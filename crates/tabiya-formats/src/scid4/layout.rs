//! The layouts of an index, and the files of a database.

use super::{
    flaws,
    record::{OldRecord, Record},
    record5::Record5,
};
use crate::{
    bytes::Cursor,
    error::{Error, ErrorKind, Result},
};

/// The first bytes of every `.si3` and `.si4` index.
pub(crate) const MAGIC: &[u8; 8] = b"Scid.si\0";

/// Which of the three layouts an index has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    Si3,
    Si4,
    Si5,
}

impl Version {
    /// Reads the version from an index header. `.si5` has none and cannot be recognized.
    pub(crate) fn of_header(index: &[u8]) -> Result<Version> {
        let mut cursor = Cursor::new(index);
        if cursor.take(8) != Some(MAGIC) {
            return Err(Error::corrupt(flaws::NOT_AN_INDEX).at_offset(0));
        }
        match cursor.uint_be(2) {
            Some(300) => Ok(Version::Si3),
            Some(400) => Ok(Version::Si4),
            Some(found) => Err(Error::new(ErrorKind::UnsupportedVersion { found })),
            None => Err(Error::truncated("the index", 10, index.len() as u64)),
        }
    }

    pub(super) const fn header_bytes(self) -> usize {
        match self {
            Version::Si3 => 128,
            Version::Si4 => 182,
            Version::Si5 => 0,
        }
    }

    pub(super) const fn record_bytes(self) -> usize {
        match self {
            Version::Si3 => size_of::<OldRecord>(),
            Version::Si4 => size_of::<Record>(),
            Version::Si5 => size_of::<Record5>(),
        }
    }

    /// Returns the suffixes of the index, games and names files.
    pub(crate) const fn suffixes(self) -> &'static [&'static str; 3] {
        match self {
            Version::Si3 => &["si3", "sg3", "sn3"],
            Version::Si4 => &["si4", "sg4", "sn4"],
            Version::Si5 => &["si5", "sg5", "sn5"],
        }
    }

    /// Returns the suffix of the games file.
    pub(crate) const fn games_suffix(self) -> &'static str {
        self.suffixes()[1]
    }

    /// Returns the suffix of the names file.
    pub(crate) const fn names_suffix(self) -> &'static str {
        self.suffixes()[2]
    }
}
