//! Recovers lost letters of names from their order.
//!
//! Names are sorted by their bytes, and each shares the longest possible prefix with the previous
//! one. So when two names have a common prefix, all names between them have it too. At the next
//! position, their letter is not before that of the first name and not after that of the second.
//! If the first letters of some names between `Alekhine` and `Botvinnik` are lost, and
//! `Botvinnik` stores its own first letter, the lost letters can only be `A`.

use std::ops::Range;

use tabiya_chess::NameId;

use crate::names::NameList;

/// A name at its position in the order.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) id: u32,
    /// Range that contains all lost bytes. Names have at most 255 bytes.
    pub(super) lost: Range<u16>,
}

impl Taken {
    /// Whether the byte at `place` and all before it are known.
    fn knows(&self, place: usize, name: &[u8]) -> bool {
        let lost = usize::from(self.lost.start)..usize::from(self.lost.end);
        place < name.len() && (lost.is_empty() || place < lost.start)
    }
}

/// Fills in letters that have only one possible value and marks the names that stay incomplete.
/// O(names · length of the longest).
pub(super) fn fill(names: &mut NameList, mut order: Vec<Taken>) {
    let lost = |taken: &Taken| taken.lost.end;
    for place in 0..order.iter().map(lost).max().unwrap_or(0) {
        fill_place(names, &mut order, place.into());
    }
    for taken in order.iter().filter(|taken| !taken.lost.is_empty()) {
        names.mark_partial(taken.id);
    }
}

/// Fills in the letters at one place of all names.
fn fill_place(names: &mut NameList, order: &mut [Taken], place: usize) {
    let mut before: Option<usize> = None;
    for at in 0..order.len() {
        let name = names.get(NameId(order[at].id)).unwrap_or_default();
        if !order[at].knows(place, name) {
            continue;
        }
        if let Some(before) = before.filter(|before| before + 1 < at) {
            let first = names.get(NameId(order[before].id)).unwrap_or_default();
            if let Some(letter) = only_letter_between(first, name, place) {
                let start = first[..place].to_vec();
                for taken in &mut order[before + 1..at] {
                    fill_letter(names, taken, &start, letter);
                }
            }
        }
        before = Some(at);
    }
}

/// Returns the only letter that names between two others can have at `place`.
fn only_letter_between(first: &[u8], last: &[u8], place: usize) -> Option<u8> {
    let (low, high) = (*first.get(place)?, *last.get(place)?);
    // The order of non-ASCII letters depends on the writer.
    let is_only = low == high || low.checked_add(1) == Some(high);
    (first[..place] == last[..place] && is_only && high.is_ascii()).then_some(low)
}

/// Fills in a name's first lost letter if the name begins with `start`.
fn fill_letter(names: &mut NameList, taken: &mut Taken, start: &[u8], letter: u8) {
    let name = names.get_mut(NameId(taken.id)).unwrap_or_default();
    let is_next = usize::from(taken.lost.start) == start.len() && !taken.lost.is_empty();
    if is_next && name.starts_with(start) && start.len() < name.len() {
        name[start.len()] = letter;
        taken.lost.start += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs [`fill`] on names with `_` for lost letters and returns the resulting names.
    fn filled(lines: &[&str]) -> Vec<String> {
        let mut names = NameList::default();
        let mut order = Vec::new();
        for (id, line) in (0..).zip(lines) {
            names.push(line.as_bytes()).expect("there is room");
            let start = line.find('_').unwrap_or(line.len()) as u16;
            let end = line.rfind('_').map_or(start, |last| last as u16 + 1);
            order.push(Taken {
                id,
                lost: start..end,
            });
        }
        fill(&mut names, order);
        let text = |id| String::from_utf8_lossy(names.get(NameId(id)).unwrap()).into_owned();
        (0..lines.len() as u32).map(text).collect()
    }

    #[test]
    fn letters_that_can_be_only_one_are_given_back() {
        let damaged = [
            "Adams",
            "_delson",
            "_lekhine",
            "Botvinnik",
            "B_onstein",
            "Byrne",
        ];
        let wanted = [
            "Adams",
            "Adelson",
            "Alekhine",
            "Botvinnik",
            "B_onstein",
            "Byrne",
        ];
        assert_eq!(filled(&damaged), wanted);
        assert_eq!(
            filled(&["Karpov", "__sparov", "Kb"]),
            ["Karpov", "Kasparov", "Kb"]
        );
    }

    #[test]
    fn letters_that_may_be_several_stay_lost() {
        for damaged in [
            &["Adams", "_arlsen", "Euwe"][..],
            &["_dams", "Botvinnik"],
            &["Adams", "_lekhine"],
            &["Al", "A_x", "B"],
            &["B\u{e9}la", "B_x", "B\u{ea}ta"],
        ] {
            assert_eq!(filled(damaged), damaged);
        }
    }
}
