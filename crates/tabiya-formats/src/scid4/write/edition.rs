//! The differences between `.si4` and `.si5` for a writer.

use crate::scid4::Version;

/// The version of Scid's format to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Edition {
    /// `.si4`, `.sg4`, `.sn4`: readable by Scid 4, Scid vs PC and Scid 5.
    #[default]
    Si4,
    /// `.si5`, `.sg5`, `.sn5`: readable by Scid 5. Supports Chess960 and every event date, and has
    /// higher limits.
    Si5,
}

impl Edition {
    /// Returns the suffixes of the index, games and names files.
    pub const fn suffixes(self) -> &'static [&'static str; 3] {
        match self {
            Edition::Si4 => Version::Si4.suffixes(),
            Edition::Si5 => Version::Si5.suffixes(),
        }
    }

    /// Maximum number of games. In `.si4` it has 24 bits, minus one value that Scid's autoload
    /// needs; in `.si5` only the 32-bit game numbers limit it.
    pub(super) const fn games_max(self) -> u32 {
        match self {
            Edition::Si4 => (1 << 24) - 2,
            Edition::Si5 => u32::MAX - 1,
        }
    }

    /// Maximum size of the games file in bytes: offsets have 32 and 47 bits.
    pub(super) const fn games_bytes_max(self) -> u64 {
        match self {
            Edition::Si4 => 1 << 32,
            Edition::Si5 => 1 << 47,
        }
    }

    /// Maximum number of names of each kind, in the order of
    /// [`NameKind::ALL`](tabiya_chess::NameKind::ALL), as limited by the record's fields. In
    /// `.si4`, Scid does not use the highest value.
    pub(super) const fn names_max(self) -> [u32; 4] {
        match self {
            Edition::Si4 => [(1 << 20) - 1, (1 << 19) - 1, (1 << 19) - 1, (1 << 18) - 1],
            Edition::Si5 => [1 << 28, 1 << 28, u32::MAX, 1 << 31],
        }
    }
}
