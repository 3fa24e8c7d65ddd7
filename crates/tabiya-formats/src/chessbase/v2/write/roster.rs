//! The names of one type, and the file of all.

use std::collections::HashMap;

use crate::{
    Ask, check_interrupt,
    chessbase::v2::names::{HEADER_BYTES, Type},
    error::{Error, Result},
    interner::NameHasher,
    output::Output,
};

/// Bytes of a record of each type, in the order of their numbers. The fourth is not used.
const CONTAINERS: [u32; 6] = [1024, 1120, 220, 1024, 314, 532];
/// Greatest number of names of a type: readers number them in 32 bits.
const NAMES_MAX: u32 = u32::MAX - 1;
/// Names between two questions whether to go on.
const ASK_NAMES: usize = 1 << 14;

/// Returns how many bytes a name of a type may have.
pub(super) const fn room(of: Type) -> usize {
    CONTAINERS[of as usize] as usize - size_of::<u32>()
}

/// The names of one type, numbered in the order of their first use.
#[derive(Debug)]
pub(super) struct Roster {
    pub(super) of: Type,
    numbers: HashMap<Box<[u8]>, u32, NameHasher>,
}

impl Roster {
    pub(super) fn new(of: Type) -> Roster {
        Roster {
            of,
            numbers: HashMap::default(),
        }
    }

    /// Returns the number of a name, adding it if it is new.
    pub(super) fn number(&mut self, name: &[u8]) -> Result<u32> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        let number = self.numbers.len() as u32;
        if number >= NAMES_MAX {
            let (what, limit) = ("the number of names of a kind", NAMES_MAX.into());
            return Err(Error::limit(what, limit));
        }
        self.numbers.insert(name.into(), number);
        Ok(number)
    }

    /// Returns the names by their numbers.
    fn in_order(&self) -> Vec<&[u8]> {
        let mut names: Vec<&[u8]> = vec![&[]; self.numbers.len()];
        for (name, &number) in &self.numbers {
            names[number as usize] = name;
        }
        names
    }
}

/// Writes all names: records of all types by turns, the nth of each. The file ends with the last.
pub(super) fn write_names(rosters: &[Roster], file: &mut Output, ask: Ask<'_>) -> Result<()> {
    let lists = rosters.iter().map(|roster| (roster.of, roster.in_order()));
    let lists: Vec<(Type, Vec<&[u8]>)> = lists.collect();
    let rounds = lists.iter().map(|(_, names)| names.len()).max();
    let mut round_of_names = Vec::new();
    // Zeros up to the next name are written with it.
    let mut gap = 0;
    for number in 0..rounds.unwrap_or_default() {
        for (of, container) in (0..).zip(CONTAINERS.map(|bytes| bytes as usize)) {
            let list = lists.iter().find(|(known, _)| *known as usize == of);
            let Some(name) = list.and_then(|(_, names)| names.get(number)) else {
                gap += container;
                continue;
            };
            round_of_names.resize(round_of_names.len() + gap, 0);
            round_of_names.extend_from_slice(&(name.len() as u32).to_le_bytes());
            round_of_names.extend_from_slice(name);
            gap = container - size_of::<u32>() - name.len();
        }
        file.append(&round_of_names)?;
        round_of_names.clear();
        if number % ASK_NAMES == 0 {
            check_interrupt(ask)?;
        }
    }
    file.set_header(&header(&lists))
}

/// Returns the header: its size, the number of types, and for each the bytes of a record, the
/// number of records and the first deleted one, -1 for none. Pairs follow whose meaning is not
/// known; they are those of every new database.
fn header(lists: &[(Type, Vec<&[u8]>)]) -> Vec<u8> {
    let mut header = [HEADER_BYTES as u32, CONTAINERS.len() as u32]
        .map(u32::to_be_bytes)
        .concat();
    for (of, bytes) in CONTAINERS.into_iter().enumerate() {
        let list = lists.iter().find(|(known, _)| *known as usize == of);
        let count = list.map_or(0, |(_, names)| names.len() as i64);
        header.extend(bytes.to_be_bytes());
        header.extend(count.to_be_bytes());
        header.extend((-1_i64).to_be_bytes());
    }
    for first in -1..CONTAINERS.len() as i32 {
        header.extend([first, 1].map(i32::to_be_bytes).concat());
    }
    header
}
