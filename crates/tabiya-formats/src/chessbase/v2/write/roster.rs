//! The names of all types, and their file.

use std::collections::HashMap;

use crate::{
    Ask, check_interrupt,
    chessbase::v2::{
        flaws,
        names::{HEADER_BYTES, Names, Type},
    },
    error::{Error, Result},
    interner::NameHasher,
    output::{Destination, Output},
};

/// Bytes of a record of each type, in the order of their numbers. The fourth is not used.
const CONTAINERS: [u32; 6] = [1024, 1120, 220, 1024, 314, 532];
/// Greatest number of names of a type: readers number them in 32 bits.
const NAMES_MAX: u32 = u32::MAX - 1;
/// Names between two questions whether to go on.
const ASK_NAMES: u32 = 1 << 14;

/// Returns how many bytes a name of a type may have.
pub(super) const fn room(of: Type) -> usize {
    CONTAINERS[of as usize] as usize - size_of::<u32>()
}

/// All names of a database.
#[derive(Debug)]
pub(super) struct Roster {
    /// In the order of [`Type::ALL`].
    lists: [List; Type::ALL.len()],
    /// Bytes of the file before the first record.
    header_bytes: u64,
    /// Bytes of one record of each type.
    stride: u64,
    /// The length of the file, if it exists and grows.
    old_bytes: Option<u64>,
}

/// The names of one type, numbered in the order of their first use.
#[derive(Debug)]
struct List {
    of: Type,
    /// Offset of the first record.
    at: u64,
    numbers: HashMap<Box<[u8]>, u32, NameHasher>,
    /// The number of the first name that is not in the file yet, and of the next one.
    begun: u32,
    next: u32,
}

impl Roster {
    pub(super) fn new() -> Roster {
        let (mut places, mut stride) = ([0; CONTAINERS.len()], 0);
        for (place, bytes) in places.iter_mut().zip(CONTAINERS) {
            *place = stride;
            stride += u64::from(bytes);
        }
        Roster {
            lists: Type::ALL.map(|of| List::new(of, places[of as usize])),
            header_bytes: HEADER_BYTES as u64,
            stride,
            old_bytes: None,
        }
    }

    /// Goes on with the names of a database; `None` if its records are shorter than those that are
    /// written. The numbers of deleted names are not given again: nothing of them changes.
    ///
    /// # Errors
    /// `Truncated` or `Corrupt` if the file is damaged.
    pub(super) fn resume(file: &[u8]) -> Result<Option<Roster>> {
        let names = Names::new(file)?;
        let place = |of: Type| names.places[of as usize];
        if Type::ALL
            .iter()
            .any(|&of| place(of).bytes < CONTAINERS[of as usize] as usize)
        {
            return Ok(None);
        }
        let mut roster = Roster {
            lists: Type::ALL.map(|of| List::new(of, place(of).at as u64)),
            header_bytes: names.header_bytes as u64,
            stride: names.stride as u64,
            old_bytes: Some(file.len() as u64),
        };
        let most = u32::try_from(names.len()).unwrap_or(u32::MAX);
        for list in &mut roster.lists {
            let count = u32::try_from(place(list.of).count).ok();
            let count = count.filter(|&count| count <= most);
            list.begun = count.ok_or_else(|| Error::corrupt(flaws::NAME_COUNT))?;
        }
        names.each(|of, number, data| {
            if let Some(list) = roster.lists.iter_mut().find(|list| list.of == of) {
                list.begun = list.begun.max(number as u32 + 1);
                if let Some(data) = data.filter(|_| number < NAMES_MAX as usize) {
                    list.numbers.entry(data.into()).or_insert(number as u32);
                }
            }
        })?;
        for list in &mut roster.lists {
            list.next = list.begun;
        }
        Ok(Some(roster))
    }

    /// Returns the number of a name, adding it if it is new.
    pub(super) fn number(&mut self, of: Type, name: &[u8]) -> Result<u32> {
        let list = self.lists.iter_mut().find(|list| list.of == of);
        list.map_or(Ok(0), |list| list.number(name))
    }

    /// Writes the new names: records of all types by turns, the nth of each. The file ends with the
    /// last.
    pub(super) fn into_output(self, place: &Destination, ask: Ask<'_>) -> Result<Output> {
        let mut file = match self.old_bytes {
            None => Output::new(place, "2lid", HEADER_BYTES)?,
            Some(bytes) => Output::growing(place, "2lid", bytes)?,
        };
        let new = self.lists.each_ref().map(|list| list.new_names());
        let growing = || self.lists.iter().filter(|list| list.next > list.begun);
        let first = growing().map(|list| list.begun).min();
        let last = growing().map(|list| list.next).max();
        let mut record = Vec::new();
        for number in first.unwrap_or_default()..last.unwrap_or_default() {
            for (list, names) in self.lists.iter().zip(&new) {
                let nth = number.checked_sub(list.begun);
                let Some(name) = nth.and_then(|nth| names.get(nth as usize)) else {
                    continue;
                };
                record.clear();
                record.extend_from_slice(&(name.len() as u32).to_le_bytes());
                record.extend_from_slice(name);
                let round = self.header_bytes + u64::from(number) * self.stride;
                file.put(round + list.at, &record)?;
            }
            if number % ASK_NAMES == 0 {
                check_interrupt(ask)?;
            }
        }
        match self.old_bytes {
            None => file.set_header(&self.header())?,
            Some(_) => {
                for list in growing() {
                    let count = i64::from(list.next).to_be_bytes();
                    file.overwrite(Names::count_at(list.of), &count)?;
                }
            }
        }
        Ok(file)
    }

    /// Returns the header: its size, the number of types, and for each the bytes of a record, the
    /// number of records and the first deleted one, -1 for none. Pairs follow whose meaning is not
    /// known; they are those of every new database.
    fn header(&self) -> Vec<u8> {
        let mut header = [HEADER_BYTES as u32, CONTAINERS.len() as u32]
            .map(u32::to_be_bytes)
            .concat();
        for (of, bytes) in CONTAINERS.into_iter().enumerate() {
            let list = self.lists.iter().find(|list| list.of as usize == of);
            let count = list.map_or(0, |list| i64::from(list.next));
            header.extend(bytes.to_be_bytes());
            header.extend(count.to_be_bytes());
            header.extend((-1_i64).to_be_bytes());
        }
        for first in -1..CONTAINERS.len() as i32 {
            header.extend([first, 1].map(i32::to_be_bytes).concat());
        }
        header
    }
}

impl List {
    fn new(of: Type, at: u64) -> List {
        List {
            of,
            at,
            numbers: HashMap::default(),
            begun: 0,
            next: 0,
        }
    }

    fn number(&mut self, name: &[u8]) -> Result<u32> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        let number = self.next;
        if number >= NAMES_MAX {
            let (what, limit) = ("the number of names of a kind", NAMES_MAX.into());
            return Err(Error::limit(what, limit));
        }
        self.next += 1;
        self.numbers.insert(name.into(), number);
        Ok(number)
    }

    /// Returns the names that are not in the file yet, by their numbers.
    fn new_names(&self) -> Vec<&[u8]> {
        let mut names: Vec<&[u8]> = vec![&[]; (self.next - self.begun) as usize];
        for (name, &number) in &self.numbers {
            if let Some(nth) = number.checked_sub(self.begun) {
                names[nth as usize] = name;
            }
        }
        names
    }
}
