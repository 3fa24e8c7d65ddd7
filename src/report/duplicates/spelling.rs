//! Groups names that are spellings of the same name.

use std::collections::HashMap;

use tabiya_chess::{NameId, text::folded};
use tabiya_formats::names::NameList;

/// Returns for each name, by ID, the first ID with the same name. Some programs store a name again
/// with every import.
pub(super) fn equal_names(names: &NameList) -> Vec<u32> {
    let mut first_ids: HashMap<&[u8], u32> = HashMap::with_capacity(names.ids());
    let first_id = |id| match names.get(NameId(id)) {
        Some(name) => *first_ids.entry(name).or_insert(id),
        None => id,
    };
    (0..names.ids() as u32).map(first_id).collect()
}

/// Returns a number for each name, by ID. Names that count as the same have the same number.
pub(super) fn classes(names: &NameList) -> Vec<u32> {
    let mut numbers: HashMap<(String, Option<char>), u32> = HashMap::new();
    let ids = (0..names.ids()).map(|id| NameId(id as u32));
    let classes = ids.map(|id| {
        let next = numbers.len() as u32;
        let spelling = spelling(names.get(id).unwrap_or_default());
        *numbers.entry(spelling).or_insert(next)
    });
    classes.collect()
}

/// Returns surname and first initial. The surname ends at the comma; without one, before a single
/// last letter (`Carlsen M.`), otherwise the whole name is the surname.
fn spelling(name: &[u8]) -> (String, Option<char>) {
    let folded = folded(name);
    let folded = String::from_utf8_lossy(&folded);
    let text = folded.trim();
    let (surname, first) = match (text.split_once(','), text.rsplit_once(' ')) {
        (Some(parts), _) => parts,
        (None, Some((surname, last))) if last.trim_end_matches('.').chars().count() == 1 => {
            (surname, last)
        }
        _ => (text, ""),
    };
    let letters: String = surname.chars().filter(|it| it.is_alphanumeric()).collect();
    let initial = first.chars().find(|character| character.is_alphanumeric());
    if letters.is_empty() {
        // Only punctuation, such as `?`.

        (text.to_owned(), None)
    } else {
        (letters, initial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_agree_in_surname_and_first_initial() {
        let same = |one: &str, other: &str| spelling(one.as_bytes()) == spelling(other.as_bytes());
        assert!(same("Carlsen, Magnus", "CARLSEN,M."));
        assert!(same("Carlsen M.", "Carlsen, M"));
        assert!(same("Müller, Karsten", "Muller, K"));
        assert!(same("Van der Berg, Jan", "vanderberg, J"));
        assert!(same("O'Kelly", "okelly"));
        assert!(!same("Carlsen, Magnus", "Carlsen, Henrik"));
        assert!(!same("Carlsen, Magnus", "Carlsen"));
        assert!(!same("?", ""));
        assert!(!same("?", "NN"));
    }
}
