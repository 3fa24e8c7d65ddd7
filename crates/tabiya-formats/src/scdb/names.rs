//! Names: packed records of 36 bytes after a magic of 10 bytes, one file for each kind.
//!
//! An entry of the index refers to a name by the offset of its record in the file. An invalid
//! reference, usually 0, means the empty name. Rounds are numbers and have no file.

use tabiya_chess::NameId;

use super::flaws;
use crate::{error::Error, names::NameList};

/// Size of a name in bytes.
pub(super) const NAME_BYTES: usize = 36;
/// Bytes before the first name.
pub(super) const START: usize = 10;

/// Converts a reference to the ID of its name; 0 is the empty name.
pub(super) fn id_of_ref(reference: u32) -> NameId {
    let (start, size) = (START as u32, NAME_BYTES as u32);
    match reference.checked_sub(start) {
        Some(place) if place.is_multiple_of(size) => NameId(1 + place / size),
        _ => NameId(0),
    }
}

/// Whether a reference is 0 or the offset of the beginning of a name.
pub(super) fn is_aligned(reference: u32) -> bool {
    reference == 0 || id_of_ref(reference) != NameId(0)
}

/// Returns the names of a file. O(its size). Trims white space around names and ignores an
/// incomplete name at the end.
pub(super) fn list(file: &[u8]) -> NameList {
    let mut names = NameList::default();
    let records = file
        .get(START..)
        .unwrap_or_default()
        .as_chunks::<NAME_BYTES>()
        .0;
    let trimmed = records.iter().map(|record| record.trim_ascii());
    for name in std::iter::once(&[][..]).chain(trimmed) {
        // A file has fewer names and less text than a list can hold.
        if names.push(name).is_none() {
            break;
        }
    }
    names
}

/// Returns the names of the rounds that occur. The round is the ID; round 0 is unknown.
pub(super) fn rounds(occurring: impl Iterator<Item = u16>) -> NameList {
    NameList::of_rounds(occurring.map(u32::from), |round| match round {
        0 => "?".to_owned(),
        round => round.to_string(),
    })
}

/// Reports a names file that ends inside a name.
pub(super) fn length_fault(file: &[u8]) -> Option<Error> {
    let names = file.len().saturating_sub(START);
    (!names.is_multiple_of(NAME_BYTES)).then(|| {
        let at = file.len() - names % NAME_BYTES;
        Error::corrupt(flaws::FILE_ENDS_IN_NAME).at_offset(at as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_offsets_of_records() {
        let ids = [0, 9, 10, 11, 46, 82].map(|reference| id_of_ref(reference).0);
        assert_eq!(ids, [0, 0, 1, 0, 2, 3]);
        assert!(is_aligned(0) && is_aligned(46) && !is_aligned(45));
        let mut file = b"SimpleCDbn".to_vec();
        file.extend(format!("{:36}{:>36}{:36}", "A", "B", "?").bytes());
        file.extend(b"cut");
        let names = list(&file);
        let name = |id| names.get(NameId(id));
        assert_eq!(name(0), Some(&b""[..]));
        assert_eq!((name(2), name(3)), (Some(&b"B"[..]), Some(&b"?"[..])));
        assert_eq!(name(4), None);
        assert_eq!(length_fault(&file).unwrap().offset(), Some(118));
    }

    #[test]
    fn rounds_are_listed_under_themselves() {
        let names = rounds([7, 0, 7].into_iter());
        assert_eq!((names.ids(), names.named()), (8, 2));
        assert_eq!(names.get(NameId(7)), Some(&b"7"[..]));
        assert_eq!(names.get(NameId(0)), Some(&b"?"[..]));
        assert_eq!(names.get(NameId(3)), None);
    }
}
