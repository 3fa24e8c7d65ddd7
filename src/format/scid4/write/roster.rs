//! The names of a database being written.

use std::{cmp::Ordering, collections::HashMap};

use super::edition::Edition;
use crate::{
    chess::NameKind,
    error::{Error, ErrorKind, Result},
    format::scid4::{
        names::{HEADER_BYTES, MAGIC, Widths},
        names5,
    },
};

/// The highest number in three bytes. Higher frequencies are written as this; no reader uses
/// them.
const FREQUENCY_MAX: u32 = (1 << 24) - 1;

/// All names so far, numbered by first use.
#[derive(Debug, Default)]
pub(super) struct Roster {
    edition: Edition,
    lists: [HashMap<Box<[u8]>, Name>; 4],
    /// Entries of names and properties in order of arrival, as `.sn5` stores them.
    as_they_came: Vec<u8>,
}

/// The number and the frequency of a name.
#[derive(Debug, Clone, Copy)]
struct Name {
    id: u32,
    frequency: u32,
}

impl Roster {
    pub(super) fn new(edition: Edition) -> Roster {
        Roster {
            edition,
            ..Roster::default()
        }
    }

    /// Returns the number of a name, assigning one if it is new, and counts its use.
    pub(super) fn intern(&mut self, kind: NameKind, name: &[u8]) -> Result<u32> {
        let list = &mut self.lists[kind as usize];
        if let Some(known) = list.get_mut(name) {
            known.frequency = known.frequency.saturating_add(1);
            return Ok(known.id);
        }
        let id = list.len() as u32;
        let limit = self.edition.names_max()[kind as usize];
        if id >= limit {
            let what = match kind {
                NameKind::Player => "the number of players",
                NameKind::Event => "the number of events",
                NameKind::Site => "the number of sites",
                NameKind::Round => "the number of rounds",
            };
            let limit = limit.into();
            return Err(Error::new(ErrorKind::LimitExceeded { what, limit }));
        }
        list.insert(name.into(), Name { id, frequency: 1 });
        if self.edition == Edition::Si5 {
            names5::append(&mut self.as_they_came, kind as u32, name);
        }
        Ok(id)
    }

    /// Returns the number of names of each kind.
    pub(super) fn counts(&self) -> [u32; 4] {
        self.lists.each_ref().map(|list| list.len() as u32)
    }

    /// Returns the bytes of the names file.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        match self.edition {
            Edition::Si4 => self.front_coded(),
            Edition::Si5 => self.as_they_came,
        }
    }

    /// Adds a property of the database, which only `.sn5` stores.
    pub(super) fn tell_about(&mut self, key: &str, value: &str) {
        let entry = format!("{key}{value}");
        names5::append(&mut self.as_they_came, names5::ABOUT, entry.as_bytes());
    }

    fn front_coded(&self) -> Vec<u8> {
        let counts = self.counts();
        let highest = self.lists.each_ref().map(|list| {
            let frequencies = list.values().map(|name| name.frequency);
            frequencies.max().unwrap_or(0).min(FREQUENCY_MAX)
        });
        let text_bytes = self
            .lists
            .iter()
            .flat_map(HashMap::keys)
            .map(|key| key.len());
        let mut file = Vec::with_capacity(HEADER_BYTES + text_bytes.sum::<usize>());
        file.extend_from_slice(MAGIC);
        // Formerly a time stamp.
        file.extend_from_slice(&[0; 4]);
        for number in counts.into_iter().chain(highest) {
            append_uint(&mut file, number, 3);
        }
        for (index, list) in self.lists.iter().enumerate() {
            append_list(&mut file, list, Widths::of(counts[index], highest[index]));
        }
        file
    }
}

/// Appends one list, in the order of [`compare`], front-coded.
fn append_list(file: &mut Vec<u8>, list: &HashMap<Box<[u8]>, Name>, widths: Widths) {
    let mut names: Vec<(&[u8], Name)> = list.iter().map(|(key, &name)| (&**key, name)).collect();
    names.sort_unstable_by(|one, other| compare(one.0, other.0));
    let mut previous: Option<&[u8]> = None;
    for (text, name) in names {
        append_uint(file, name.id, widths.id);
        append_uint(file, name.frequency.min(FREQUENCY_MAX), widths.frequency);
        file.push(text.len() as u8);
        let shared = previous.map_or(0, |previous| {
            let pairs = previous.iter().zip(text);
            pairs.take_while(|(one, other)| one == other).count()
        });
        if previous.is_some() {
            file.push(shared as u8);
        }
        file.extend_from_slice(&text[shared..]);
        previous = Some(text);
    }
}

/// Compares names in the order of Scid's lists. The first byte is compared as unsigned; the
/// others are compared as signed, including the name's terminating NUL: "ab" comes before "abc"
/// but after "abé".
fn compare(one: &[u8], other: &[u8]) -> Ordering {
    let end = |name: &[u8], at: usize| name.get(at).copied().unwrap_or(0);
    let first = end(one, 0).cmp(&end(other, 0));
    let length = one.len().max(other.len());
    first.then_with(|| {
        (1..length)
            .map(|at| (end(one, at) as i8).cmp(&(end(other, at) as i8)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    })
}

/// Appends the `width` low bytes of a number in big-endian order.
fn append_uint(file: &mut Vec<u8>, number: u32, width: usize) {
    file.extend_from_slice(&number.to_be_bytes()[4 - width..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_order_as_scid_orders_them() {
        let ordered: [&[u8]; 7] = [b"", b"Ab", b"a\xc3\xa9", b"a", b"ab", b"b", b"\xc3\xa9"];
        for pair in ordered.windows(2) {
            assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare(pair[1], pair[0]), Ordering::Greater);
        }
        assert_eq!(compare(b"ab", b"ab"), Ordering::Equal);
    }

    #[test]
    fn a_full_list_is_an_error() {
        let mut roster = Roster::default();
        for number in 0..Edition::Si4.names_max()[3] {
            roster
                .intern(NameKind::Round, number.to_string().as_bytes())
                .unwrap();
        }
        assert_eq!(roster.intern(NameKind::Round, b"7").unwrap(), 7);
        let error = roster.intern(NameKind::Round, b"one more").unwrap_err();
        let limit = 262_143;
        let what = "the number of rounds";
        assert_eq!(error.kind(), &ErrorKind::LimitExceeded { what, limit });
    }
}
