//! Detects the layout of an index from its entries.

use super::record::{Long, Short};
use crate::{bytes::Cursor, scdb::names::is_aligned};

/// Bytes of the magic of all files: `SimpleCDb` and a letter.
pub(super) const MAGIC_BYTES: usize = 10;
pub(super) const MAGIC: &[u8; 9] = b"SimpleCDb";
/// The third byte of the magic in the published description.
const DESCRIBED_THIRD: u8 = 0xed;
/// Maximum number of entries of an index that are examined.
const SAMPLES: usize = 64;

/// The layout of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// Bytes before the first entry.
    pub(super) header_bytes: usize,
    /// Whether entries have 61 bytes and not 39.
    pub(super) is_long: bool,
}

/// A version byte 0 and eight bytes for the game to open first; entries of 39 bytes.
pub(super) const REFERENCE: Layout = Layout {
    header_bytes: 19,
    is_long: false,
};
/// A version byte 1; entries of 61 bytes.
pub(super) const DESCRIBED: Layout = Layout {
    header_bytes: 11,
    is_long: true,
};
/// The long entries after the header of [`REFERENCE`].
const MIXED: Layout = Layout {
    header_bytes: 19,
    is_long: true,
};

impl Layout {
    /// Returns the size of an entry in bytes.
    pub(super) const fn entry_bytes(self) -> usize {
        if self.is_long {
            size_of::<Long>()
        } else {
            size_of::<Short>()
        }
    }

    /// Detects the layout of an index: the one in which most entries are plausible. The version
    /// byte decides ties. `None` if the file ends before its version or is plausible in no
    /// layout.
    pub(super) fn of(index: &[u8]) -> Option<Layout> {
        let by_version = match index.get(MAGIC_BYTES)? {
            1 => [DESCRIBED, MIXED, REFERENCE],
            _ => [REFERENCE, DESCRIBED, MIXED],
        };
        let rated = by_version.map(|layout| (layout, layout.sense(index)));
        // Reversed to get the first of the best, because `max_by` returns the last maximum.
        let best = rated
            .into_iter()
            .rev()
            .max_by(|one, other| one.1.total_cmp(&other.1));
        let (layout, sense) = best?;
        (sense > 0.0).then_some(layout)
    }

    /// Returns the share of plausible entries among the samples; 1 if the index ends after its
    /// header. The share is halved if the index ends inside an entry: the first entry of one
    /// layout is plausible in another, and must not outweigh several entries with a damaged one.
    fn sense(self, index: &[u8]) -> f64 {
        const CUT: f64 = 0.5;
        const NO_ENTRY: f64 = 0.01;
        let Some(area) = index.get(self.header_bytes..) else {
            return 0.0;
        };
        let count = area.len() / self.entry_bytes();
        if count == 0 {
            return if area.is_empty() { 1.0 } else { NO_ENTRY };
        }
        let samples = count.min(SAMPLES);
        let makes_sense = |sample: &usize| {
            let entry = sample * count / samples * self.entry_bytes();
            area.get(entry..).is_some_and(makes_sense)
        };
        let sensible = (0..samples).filter(makes_sense).count();
        let share = sensible as f64 / samples as f64;
        if area.len().is_multiple_of(self.entry_bytes()) {
            share
        } else {
            share * CUT
        }
    }
}

/// Whether these bytes may be an entry, judged by the fields that both lengths share.
fn makes_sense(entry: &[u8]) -> bool {
    let mut cursor = Cursor::new(entry);
    let read = |cursor: &mut Cursor<'_>, width| cursor.uint_be(width).unwrap_or(u32::MAX);
    let status = read(&mut cursor, 1);
    let offset_high = read(&mut cursor, 4);
    let offset = read(&mut cursor, 4);
    let players = [read(&mut cursor, 4), read(&mut cursor, 4)];
    cursor.take(2);
    let places = [read(&mut cursor, 4), read(&mut cursor, 4)];
    cursor.take(4);
    let result = read(&mut cursor, 1);
    cursor.take(5);
    let (month, day) = (read(&mut cursor, 1), read(&mut cursor, 1));
    matches!(status, 0 | 0xff)
        && (offset_high > 0 || offset >= MAGIC_BYTES as u32)
        && offset_high < 1 << 16
        && players.into_iter().chain(places).all(is_aligned)
        && result <= 3
        && month <= 12
        && day <= 31
}

/// Whether these are the first bytes of an index.
pub(crate) fn is_index(bytes: &[u8]) -> bool {
    has_magic(bytes, b'i')
}

/// Whether a file begins with the magic of this format and this letter.
pub(super) fn has_magic(file: &[u8], letter: u8) -> bool {
    let Some(found) = file.first_chunk::<MAGIC_BYTES>() else {
        return false;
    };
    let mut magic = *found;
    if magic[2] == DESCRIBED_THIRD {
        magic[2] = MAGIC[2];
    }
    magic.starts_with(MAGIC) && magic[9] == letter
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(layout: Layout, version: u8, entries: usize) -> Vec<u8> {
        let mut index = b"SimpleCDbi".to_vec();
        index.push(version);
        index.resize(layout.header_bytes, 0);
        for number in 0..entries {
            let mut entry = vec![0; layout.entry_bytes()];
            entry[8] = 10 + number as u8;
            entry[12] = 46;
            entry[31] = 3;
            if layout.is_long {
                entry[45..].fill(16);
            }
            index.extend(entry);
        }
        index
    }

    #[test]
    fn layouts_are_told_by_content_and_not_by_version() {
        for layout in [REFERENCE, DESCRIBED, MIXED] {
            for entries in [1, 2, 3, 100] {
                for version in [0, 1] {
                    let index = index(layout, version, entries);
                    assert_eq!(Layout::of(&index), Some(layout), "{entries} {version}");
                }
            }
        }
        assert_eq!(Layout::of(&index(REFERENCE, 0, 0)), Some(REFERENCE));
        assert_eq!(Layout::of(&index(DESCRIBED, 1, 0)), Some(DESCRIBED));
        assert_eq!(Layout::of(b"SimpleCDbi"), None);
    }

    #[test]
    fn one_entry_without_sense_changes_no_layout() {
        for (layout, version) in [(REFERENCE, 0), (DESCRIBED, 1), (MIXED, 0)] {
            for entries in 2..9 {
                for damaged in 0..entries {
                    let mut index = index(layout, version, entries);
                    let entry = layout.header_bytes + damaged * layout.entry_bytes();
                    index[entry + 1..entry + 9].fill(0xff);
                    let found = Layout::of(&index);
                    assert_eq!(found, Some(layout), "{entries} {damaged}");
                }
            }
        }
    }

    #[test]
    fn the_magic_of_the_description_passes() {
        assert!(has_magic(b"SimpleCDbi\0", b'i'));
        assert!(has_magic(b"Si\xedpleCDbg", b'g'));
        assert!(!has_magic(b"SimpleCDbi", b'g') && !has_magic(b"SimpleCD", b'i'));
    }
}
