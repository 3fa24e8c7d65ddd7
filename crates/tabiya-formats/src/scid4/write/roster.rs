//! The names of a database being written.

use std::{
    cmp::Ordering,
    collections::{HashMap, hash_map::Entry},
};

use tabiya_chess::{NameId, NameKind};

use super::edition::Edition;
use crate::{
    error::{Error, Result},
    interner::NameHasher,
    output::{Destination, Output},
    scid4::{
        flaws,
        names::{HEADER_BYTES, MAGIC, Names, Widths},
        names5,
    },
};

/// The highest number in three bytes. Higher frequencies are written as this; no reader uses
/// them.
const FREQUENCY_MAX: u32 = (1 << 24) - 1;

/// The most names of one kind that are remembered of a `.sn5` file: some 250 MB with what finding
/// them takes.
const KNOWN_MAX: usize = 3_500_000;

/// All names so far, numbered by first use.
///
/// Those of a `.sn4` file are limited, and written in order at the end. Those of a `.sn5` file are
/// written as they come. When too many are known, those that have been used only once since the
/// last time are forgotten; a name that is used again later gets a second entry. Games of an online
/// service have a site each, so memory is bounded and names of players are hardly ever repeated.
#[derive(Debug)]
pub(super) struct Roster {
    edition: Edition,
    lists: [List; 4],
    known_max: usize,
    /// Whether there are new names or frequencies.
    has_changed: bool,
    /// The entries of names and properties; `None` for `.sn4`.
    written: Option<Output>,
    entry: Vec<u8>,
}

/// The names of one kind.
#[derive(Debug, Default)]
struct List {
    /// Number of names.
    count: u32,
    known: Known,
    /// Names of a `.sn4` file that are in it more than once, but for the first.
    repeated: Vec<(Box<[u8]>, Name)>,
}

type Known = HashMap<Box<[u8]>, Name, NameHasher>;

/// The number and the frequency of a name.
#[derive(Debug, Clone, Copy)]
struct Name {
    id: u32,
    /// How often it has been used, in `.sn5` since names were last forgotten.
    frequency: u32,
}

impl Roster {
    pub(super) fn new(edition: Edition, place: &Destination) -> Result<Roster> {
        let [.., names] = *edition.suffixes();
        let (known_max, written) = match edition {
            Edition::Si4 => (usize::MAX, None),
            Edition::Si5 => (KNOWN_MAX, Some(Output::new(place, names, 0)?)),
        };
        Ok(Roster {
            edition,
            lists: Default::default(),
            known_max,
            has_changed: false,
            written,
            entry: Vec::new(),
        })
    }

    /// Goes on with the names of a database.
    pub(super) fn resume(edition: Edition, place: &Destination, old: &[u8]) -> Result<Roster> {
        let [.., suffix] = *edition.suffixes();
        let mut frequencies: [Vec<u32>; 4] = Default::default();
        let (names, written) = match edition {
            Edition::Si4 => {
                let tell = |list: usize, id: u32, frequency: u32| {
                    let found = &mut frequencies[list];
                    // An ID out of range is an error of its own.
                    if id < Edition::Si4.names_max()[list] {
                        found.resize(found.len().max(id as usize + 1), 0);
                        found[id as usize] = frequency;
                    }
                };
                (Names::parse_with(old, tell)?, None)
            }
            Edition::Si5 => {
                let growing = Output::growing(place, suffix, old.len() as u64)?;
                (names5::parse(old, false), Some(growing))
            }
        };
        if let Some(damage) = names.damage {
            return Err(damage);
        }
        let mut roster = Roster {
            edition,
            lists: Default::default(),
            known_max: if edition == Edition::Si4 {
                usize::MAX
            } else {
                KNOWN_MAX
            },
            has_changed: false,
            written,
            entry: Vec::new(),
        };
        for (kind, names) in names.lists.iter().enumerate() {
            if edition == Edition::Si4 && names.named() < names.ids() {
                return Err(Error::corrupt(flaws::ID_GIVEN_TWICE));
            }
            let of_id = |id: usize| frequencies[kind].get(id).copied().unwrap_or(1);
            for id in 0..names.ids() {
                let text = names.get(NameId(id as u32)).unwrap_or_default();
                roster.remember(kind, text, of_id(id));
            }
        }
        Ok(roster)
    }

    /// Gives the next number to a name of the database that goes on.
    fn remember(&mut self, kind: usize, text: &[u8], frequency: u32) {
        let list = &mut self.lists[kind];
        if list.known.len() >= self.known_max {
            list.forget();
        }
        let name = Name {
            id: list.count,
            frequency,
        };
        list.count += 1;
        match list.known.entry(text.into()) {
            Entry::Vacant(place) => drop(place.insert(name)),
            Entry::Occupied(_) if self.edition == Edition::Si4 => {
                list.repeated.push((text.into(), name));
            }
            Entry::Occupied(_) => {}
        }
    }

    /// Whether anything is to be written.
    pub(super) fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// Returns the number of a name, assigning one if it is new.
    pub(super) fn find_or_intern(&mut self, kind: NameKind, name: &[u8]) -> Result<u32> {
        match self.lists[kind as usize].known.get(name) {
            Some(known) => Ok(known.id),
            None => self.intern(kind, name),
        }
    }

    /// Returns the number of a name, assigning one if it is new, and counts its use.
    pub(super) fn intern(&mut self, kind: NameKind, name: &[u8]) -> Result<u32> {
        self.has_changed = true;
        let list = &mut self.lists[kind as usize];
        if let Some(known) = list.known.get_mut(name) {
            known.frequency = known.frequency.saturating_add(1);
            return Ok(known.id);
        }
        let id = list.count;
        let limit = self.edition.names_max()[kind as usize];
        if id >= limit {
            let what = match kind {
                NameKind::Player => "the number of players",
                NameKind::Event => "the number of events",
                NameKind::Site => "the number of sites",
                NameKind::Round => "the number of rounds",
            };
            let limit = limit.into();
            return Err(Error::limit(what, limit));
        }
        if list.known.len() >= self.known_max {
            list.forget();
        }
        list.count += 1;
        list.known.insert(name.into(), Name { id, frequency: 1 });
        self.write(kind as u32, name)?;
        Ok(id)
    }

    /// Writes an entry of a `.sn5` file.
    fn write(&mut self, kind: u32, text: &[u8]) -> Result<()> {
        let Some(written) = &mut self.written else {
            return Ok(());
        };
        self.entry.clear();
        names5::append(&mut self.entry, kind, text);
        written.append(&self.entry)
    }

    /// Returns the number of names of each kind.
    pub(super) fn counts(&self) -> [u32; 4] {
        self.lists.each_ref().map(|list| list.count)
    }

    /// Returns the names file.
    pub(super) fn into_output(self, place: &Destination) -> Result<Output> {
        let [.., names] = *self.edition.suffixes();
        let front_coded = match self.written {
            Some(written) => return Ok(written),
            None => self.front_coded(),
        };
        Output::whole(place, names, &front_coded)
    }

    /// Adds a property of the database, which only `.sn5` stores: its key and its value.
    pub(super) fn tell_about(&mut self, property: &[u8]) -> Result<()> {
        self.write(names5::ABOUT, property)
    }

    fn front_coded(&self) -> Vec<u8> {
        let counts = self.counts();
        let highest = self.lists.each_ref().map(|list| {
            let frequencies = list.all().map(|(_, name)| name.frequency);
            frequencies.max().unwrap_or(0).min(FREQUENCY_MAX)
        });
        let text_bytes = self
            .lists
            .iter()
            .flat_map(|list| list.all())
            .map(|(text, _)| text.len());
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

impl List {
    /// Iterates over all names with their texts.
    fn all(&self) -> impl Iterator<Item = (&[u8], Name)> {
        let known = self.known.iter().map(|(text, name)| (&**text, *name));
        known.chain(self.repeated.iter().map(|(text, name)| (&**text, *name)))
    }

    /// Forgets the names that have been used only once since the last time.
    fn forget(&mut self) {
        self.known.retain(|_, name| name.frequency > 1);
        for name in self.known.values_mut() {
            name.frequency = 1;
        }
    }
}

/// Appends one list, in the order of [`compare`], front-coded.
fn append_list(file: &mut Vec<u8>, list: &List, widths: Widths) {
    let mut names: Vec<(&[u8], Name)> = list.all().collect();
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
    use crate::error::ErrorKind;

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
        let mut roster = Roster::new(Edition::Si4, &Destination::Memory).unwrap();
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

    #[test]
    fn memory_is_bounded_and_a_forgotten_name_is_stored_again() {
        let mut roster = Roster::new(Edition::Si5, &Destination::Memory).unwrap();
        roster.known_max = 100;
        let mut expected = Vec::new();
        for game in 0..10_000_u32 {
            let often = roster.intern(NameKind::Player, format!("{}", game % 7).as_bytes());
            let once = roster.intern(NameKind::Player, format!("once {game}").as_bytes());
            for (id, name) in [
                (often, format!("{}", game % 7)),
                (once, format!("once {game}")),
            ] {
                expected.push((NameId(id.unwrap()), name));
            }
            assert!(roster.lists[0].known.len() <= 100);
        }
        // Names in use keep their numbers.
        assert_eq!(roster.counts()[0], 10_007);
        let seldom = roster.intern(NameKind::Player, b"once 1").unwrap();
        assert_eq!(seldom, 10_007);
        expected.push((NameId(seldom), "once 1".into()));
        let file = roster.into_output(&Destination::Memory).unwrap();
        let names = names5::parse(&file.into_bytes().unwrap(), true);
        for (id, name) in expected {
            assert_eq!(names.lists[0].get(id), Some(name.as_bytes()));
        }
    }
}
