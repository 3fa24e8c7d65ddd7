//! The names of a `.sn5` file: entries in the order in which names were first used.
//!
//! An entry starts with a number in base-128 encoding (seven bits per byte, lowest first, the
//! highest bit set if more follow). Its three lowest bits are the kind: 0 a player, 1 an event,
//! 2 a site, 3 a round, 4 a property of the database. The other bits are the number of text
//! bytes that follow. The names of each kind are numbered in file order. A property is a key
//! directly followed by its value: `type`, `description`, `autoload`, `flag1` to `flag6`; the
//! last one of a key counts.

use super::{flaws, names::Names};
use crate::{bytes::Cursor, damage::Flaw, error::Error};

/// The kind of a database property.
pub(super) const ABOUT: u32 = 4;
const DESCRIPTION: &[u8] = b"description";

/// Reads all names. O(size of the file). Names before damage are kept; after it, their numbers
/// are unknown. If `strict`, an entry of an unknown kind counts as damage.
pub(super) fn parse(file: &[u8], strict: bool) -> Names {
    let mut names = Names::default();
    let mut cursor = Cursor::new(file);
    while cursor.left() > 0 {
        let offset = cursor.offset() as u64;
        if let Err(what) = read_entry(&mut names, &mut cursor, offset, strict) {
            names.damage = Some(Error::corrupt(what).at_offset(offset));
            break;
        }
    }
    names
}

fn read_entry(
    names: &mut Names,
    cursor: &mut Cursor<'_>,
    offset: u64,
    strict: bool,
) -> Result<(), Flaw> {
    let head = varint(cursor).ok_or(flaws::NAME_LENGTH)?;
    let bytes = cursor.take((head >> 3) as usize);
    let bytes = bytes.ok_or(flaws::NAMES_CUT)?;
    match head & 7 {
        kind @ 0..ABOUT => {
            let list = &mut names.lists[kind as usize];
            list.push(bytes).ok_or(flaws::TOO_MANY_NAMES)
        }
        ABOUT => {
            if let Some(description) = bytes.strip_prefix(DESCRIPTION) {
                names.description = description.to_owned();
            }
            Ok(())
        }
        _ if strict => Err(flaws::UNKNOWN_ENTRY),
        _ => {
            // Only the first is reported.
            if names.oddities.is_empty() {
                names
                    .oddities
                    .push(Error::corrupt(flaws::UNKNOWN_ENTRY).at_offset(offset));
            }
            Ok(())
        }
    }
}

/// Tells the properties of a database: each key, directly followed by its value.
pub(super) fn each_property(file: &[u8], mut tell: impl FnMut(&[u8])) {
    let mut cursor = Cursor::new(file);
    while let Some(head) = varint(&mut cursor)
        && let Some(text) = cursor.take((head >> 3) as usize)
    {
        if head & 7 == ABOUT {
            tell(text);
        }
    }
}

/// Reads a base-128 number of up to 32 bits.
fn varint(cursor: &mut Cursor<'_>) -> Option<u32> {
    let mut number = 0_u64;
    for shift in (0..35).step_by(7) {
        let byte = cursor.u8()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(number).ok();
        }
    }
    None
}

/// Appends an entry.
pub(super) fn append(file: &mut Vec<u8>, kind: u32, text: &[u8]) {
    let mut head = (text.len() as u64) << 3 | u64::from(kind);
    while head >= 0x80 {
        file.push(head as u8 | 0x80);
        head >>= 7;
    }
    file.push(head as u8);
    file.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::{NameId, NameKind};

    #[test]
    fn names_of_any_length_are_numbered_as_they_come() {
        let long = vec![b'x'; 5000];
        let mut file = Vec::new();
        for (kind, text) in [
            (1, &b"Event"[..]),
            (0, b"A"),
            (4, b"descriptionold"),
            (0, &long),
        ] {
            append(&mut file, kind, text);
        }
        append(&mut file, ABOUT, b"descriptionnew");
        append(&mut file, 3, b"");
        let names = parse(&file, false);
        assert!(names.damage.is_none() && names.oddities.is_empty());
        let name = |kind, id| names.list(kind).get(NameId(id));
        assert_eq!(name(NameKind::Event, 0), Some(&b"Event"[..]));
        assert_eq!(name(NameKind::Player, 0), Some(&b"A"[..]));
        assert_eq!(name(NameKind::Player, 1), Some(&long[..]));
        assert_eq!(name(NameKind::Round, 0), Some(&b""[..]));
        assert_eq!(name(NameKind::Site, 0), None);
        assert_eq!(names.description, b"new");
    }

    #[test]
    fn damage_keeps_the_names_before_it() {
        let whole = b"\x08A\x18Bob\x20";
        for (file, players) in [
            (&whole[..5], 1),
            (&[0x08, b'A', 0x80][..], 1),
            (&[0xff; 9][..], 0),
        ] {
            let names = parse(file, false);
            assert_eq!(names.list(NameKind::Player).ids(), players, "{file:?}");
            assert!(names.damage.is_some(), "{file:?}");
        }
        assert_eq!(parse(&[0x0d, b'?', 0x08, b'A'], false).oddities.len(), 1);
    }
}
