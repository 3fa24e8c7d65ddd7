//! A names file being written.

use std::collections::HashMap;

use super::{
    super::{layout::MAGIC, names::NAME_BYTES},
    GameLosses, Loss,
};
use crate::{
    error::{Error, Result},
    interner::NameHasher,
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
    places: HashMap<Box<str>, u32, NameHasher>,
    file: Vec<u8>,
}

impl Names {
    /// Begins a file with this letter in its magic.
    pub(super) fn new(letter: u8) -> Names {
        let mut file = MAGIC.to_vec();
        file.push(letter);
        Names {
            places: HashMap::default(),
            file,
        }
    }

    /// Returns the reference to a name, adding the name if it is new; 0 for the empty name.
    pub(super) fn reference(&mut self, name: &str) -> Result<u32> {
        if name.is_empty() {
            return Ok(0);
        }
        if let Some(&place) = self.places.get(name) {
            return Ok(place);
        }
        let place = u32::try_from(self.file.len()).map_err(|_| {
            let (what, limit) = ("the bytes of a names file", u32::MAX.into());
            Error::limit(what, limit)
        })?;
        self.file.extend_from_slice(name.as_bytes());
        self.file.resize(place as usize + NAME_BYTES, b' ');
        self.places.insert(name.into(), place);
        Ok(place)
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.file
    }
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
        let file = names.into_bytes();
        assert!(file.starts_with(b"SimpleCDbnA  ") && file.len() == 82);
    }
}
