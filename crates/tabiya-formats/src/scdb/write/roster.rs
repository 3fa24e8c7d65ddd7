//! A names file being written.

use std::collections::HashMap;

use super::{
    super::{layout::MAGIC, names::NAME_BYTES},
    GameLosses, Loss,
};
use crate::{
    error::{Error, Result},
    interner::NameHasher,
    output::{Destination, Output},
    scdb::flaws,
};

/// Returns a name as the format stores it: without white space around it, cut to at most 36
/// bytes at a character boundary.
pub(super) fn cut(name: &str, losses: &mut GameLosses) -> String {
    let trimmed = name.trim_ascii();
    if trimmed.len() != name.len() {
        losses.add(Loss::NamesTrimmed);
    }
    if trimmed.len() <= NAME_BYTES {
        return trimmed.to_owned();
    }
    losses.add(Loss::NamesCutAt36);
    let cut = &trimmed[..trimmed.floor_char_boundary(NAME_BYTES)];
    cut.trim_ascii().to_owned()
}

/// All names of a file so far, with their offsets.
#[derive(Debug)]
pub(super) struct Names {
    places: HashMap<Box<[u8]>, u32, NameHasher>,
    /// Number of bytes of the file that are not in `added`.
    begun: u32,
    added: Vec<u8>,
}

impl Names {
    /// Begins a file with this letter in its magic.
    pub(super) fn new(letter: u8) -> Names {
        let mut added = MAGIC.to_vec();
        added.push(letter);
        Names {
            places: HashMap::default(),
            begun: 0,
            added,
        }
    }

    /// Goes on with the names of a database.
    pub(super) fn resume(old: &[u8]) -> Result<Names> {
        let (head, names) = old.split_at_checked(MAGIC.len() + 1).unwrap_or_default();
        let (names, rest) = names.as_chunks::<NAME_BYTES>();
        if !head.starts_with(MAGIC) || !rest.is_empty() {
            return Err(Error::corrupt(flaws::FILE_ENDS_IN_NAME));
        }
        let begun = u32::try_from(old.len()).map_err(|_| full())?;
        let mut places = HashMap::with_capacity_and_hasher(names.len(), NameHasher::default());
        for (place, name) in (head.len() as u32..).step_by(NAME_BYTES).zip(names) {
            places.entry(name.trim_ascii_end().into()).or_insert(place);
        }
        Ok(Names {
            places,
            begun,
            added: Vec::new(),
        })
    }

    /// Returns the reference to a name, adding the name if it is new; 0 for the empty name.
    pub(super) fn reference(&mut self, name: &str) -> Result<u32> {
        if name.is_empty() {
            return Ok(0);
        }
        if let Some(&place) = self.places.get(name.as_bytes()) {
            return Ok(place);
        }
        let added = u32::try_from(self.added.len()).ok();
        let place = added
            .and_then(|added| self.begun.checked_add(added))
            .ok_or_else(full)?;
        self.added.extend_from_slice(name.as_bytes());
        self.added
            .resize((place - self.begun) as usize + NAME_BYTES, b' ');
        self.places.insert(name.as_bytes().into(), place);
        Ok(place)
    }

    /// Returns the file, of which only the end is new if it goes on.
    pub(super) fn into_output(self, place: &Destination, suffix: &'static str) -> Result<Output> {
        let mut output = match self.begun {
            0 => Output::new(place, suffix, 0)?,
            begun => Output::growing(place, suffix, begun.into())?,
        };
        output.append(&self.added)?;
        Ok(output)
    }
}

fn full() -> Error {
    Error::limit("the bytes of a names file", u32::MAX.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_at_whole_characters_and_trimmed() {
        let mut losses = GameLosses::default();
        assert_eq!(cut(&"é".repeat(19), &mut losses), "é".repeat(18));
        assert_eq!(cut(" x ", &mut losses), "x");
        assert_eq!(cut(&"y".repeat(36), &mut losses).len(), 36);
        let counts = [Loss::NamesCutAt36, Loss::NamesTrimmed].map(|loss| losses.count(loss));
        assert_eq!(counts, [1, 1]);
    }

    #[test]
    fn a_name_has_one_place() {
        let mut names = Names::new(b'n');
        let mut reference = |name| names.reference(name).unwrap();
        assert_eq!((reference(""), reference("A")), (0, 10));
        assert_eq!((reference("B"), reference("A")), (46, 10));
        assert_eq!(names.places.len(), 2);
        let file = names.into_output(&Destination::Memory, "dcn").unwrap();
        let file = file.into_bytes().unwrap();
        assert!(file.starts_with(b"SimpleCDbnA  ") && file.len() == 82);
    }
}
