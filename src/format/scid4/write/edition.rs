//! In what `.si4` and `.si5` differ for a writer.

use std::path::Path;

use crate::{
    error::{Error, ErrorKind, Result},
    format::{scid4::Version, suffix::has_suffix},
};

/// Which of Scid's formats is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Edition {
    /// `.si4`, `.sg4`, `.sn4`: what Scid 4, Scid vs PC and Scid 5 read.
    #[default]
    Si4,
    /// `.si5`, `.sg5`, `.sn5`: what Scid 5 reads. Holds Chess960, every event date and more of
    /// everything.
    Si5,
}

impl Edition {
    /// The suffixes of index, games and names.
    pub const fn suffixes(self) -> &'static [&'static str; 3] {
        match self {
            Edition::Si4 => Version::Si4.suffixes(),
            Edition::Si5 => Version::Si5.suffixes(),
        }
    }

    /// Returns which edition a path means: one of its files, or else a stem, which means `.si4`.
    ///
    /// # Errors
    /// `Unsupported` for the suffixes of `.si3`.
    pub(super) fn of_path(path: &Path) -> Result<Edition> {
        if has_suffix(path, Version::Si3.suffixes()) {
            let what = "writing this version of Scid's format";
            return Err(Error::new(ErrorKind::Unsupported { what }).at_path(path));
        }
        let named = [Edition::Si4, Edition::Si5]
            .into_iter()
            .find(|edition| has_suffix(path, edition.suffixes()));
        Ok(named.unwrap_or_default())
    }

    /// Games that can be counted. In `.si4` that is 24 bits, less one value that Scid's autoload
    /// needs; here, all numbers of a game.
    pub(super) const fn games_max(self) -> u32 {
        match self {
            Edition::Si4 => (1 << 24) - 2,
            Edition::Si5 => u32::MAX - 1,
        }
    }

    /// Bytes of the games file: offsets have 32 and 47 bits.
    pub(super) const fn games_bytes_max(self) -> u64 {
        match self {
            Edition::Si4 => 1 << 32,
            Edition::Si5 => 1 << 47,
        }
    }

    /// Names of each kind, in the order of [`NameKind::ALL`](crate::chess::NameKind::ALL), as
    /// many as the record's fields number. Of `.si4` Scid does not use the highest value.
    pub(super) const fn names_max(self) -> [u32; 4] {
        match self {
            Edition::Si4 => [(1 << 20) - 1, (1 << 19) - 1, (1 << 19) - 1, (1 << 18) - 1],
            Edition::Si5 => [1 << 28, 1 << 28, u32::MAX, 1 << 31],
        }
    }
}
