//! Name sets: the IDs whose names satisfy a text condition.

use tabiya_chess::{
    NameId,
    text::{Needle, decode},
};
use tabiya_formats::{
    Ask, TimeSlice,
    error::Result,
    names::{Folded, NameList},
};

/// The names that formats use for an unknown name. They are equivalent, also to a missing name.
const ABSENT: [&str; 2] = ["?", ""];

/// Whether a name stands for an unknown one.
pub(crate) fn is_absent(name: &[u8]) -> bool {
    ABSENT.iter().any(|absent| absent.as_bytes() == name)
}

/// A set of name IDs of one kind.
#[derive(Debug, Clone)]
pub(crate) struct NameSet {
    words: Vec<u64>,
    /// Whether IDs out of range are in the set too: such games lack the name.
    absent: bool,
}

impl NameSet {
    /// Returns the empty set for `count` IDs.
    fn empty(count: usize, absent: bool) -> NameSet {
        let mut set = NameSet {
            words: vec![0; count.div_ceil(64)],
            absent,
        };
        for id in count..set.words.len() * 64 {
            if absent {
                set.insert(id);
            }
        }
        set
    }

    fn insert(&mut self, id: usize) {
        if let Some(word) = self.words.get_mut(id / 64) {
            *word |= 1 << (id % 64);
        }
    }

    /// Returns whether an ID is in the set. An ID out of range means a missing name.
    #[inline]
    pub(crate) fn contains(&self, id: NameId) -> bool {
        match self.words.get(id.index() / 64) {
            Some(word) => word >> (id.index() % 64) & 1 == 1,
            None => self.absent,
        }
    }

    /// Returns whether the set is empty.
    pub(crate) fn is_empty(&self) -> bool {
        !self.absent && self.words.iter().all(|&word| word == 0)
    }
}

/// Returns the names that contain the needle. Searches all names once per form of the needle;
/// `names`, the spellings, are loaded only if the folded names do not decide.
///
/// # Errors
/// Those of `names`; `Interrupted` if `ask`, which is called at intervals, breaks.
pub(crate) fn containing<'n>(
    folded: &Folded,
    needle: &Needle,
    names: impl FnOnce() -> Result<&'n NameList>,
    ask: Ask<'_>,
) -> Result<NameSet> {
    let names = if needle.folded_is_enough() {
        None
    } else {
        Some(names()?)
    };
    let is_in = |id: usize| match names.map(|names| names.get(NameId(id as u32))) {
        None => true,
        Some(name) => needle.is_in(&decode(name.unwrap_or_default())),
    };
    let absent = ABSENT.iter().any(|absent| needle.is_in(absent));
    let mut set = NameSet::empty(folded.starts.len(), absent);
    if absent {
        let ids = 0..folded.starts.len();
        ids.filter(|&id| is_absent(folded.get(id)))
            .for_each(|id| set.insert(id));
    }
    let mut turn = TimeSlice::begin();
    for form in needle.forms() {
        let Some(longest) = form.longest() else {
            continue;
        };
        let mut at = 0;
        while let Some(hit) = longest.find(folded.text.get(at..).unwrap_or_default()) {
            let begun = folded.starts.partition_point(|&start| start <= at + hit);
            let Some(id) = begun.checked_sub(1) else {
                break;
            };
            if form.is_in(folded.get(id)) && is_in(id) {
                set.insert(id);
            }
            match folded.starts.get(id + 1) {
                Some(&next) => at = next,
                None => break,
            }
            turn.yield_now(ask)?;
        }
        turn.yield_now(ask)?;
    }
    Ok(set)
}

/// Returns the names that equal the text exactly.
///
/// # Errors
/// `Interrupted` if `ask`, which is called at intervals, breaks.
pub(crate) fn equal_to(text: &str, names: &NameList, ask: Ask<'_>) -> Result<NameSet> {
    let absent = is_absent(text.as_bytes());
    let mut set = NameSet::empty(names.ids(), absent);
    let mut turn = TimeSlice::begin();
    for id in 0..names.ids() {
        let name = names.get(NameId(id as u32)).unwrap_or_default();
        let is_equal = if is_absent(name) {
            absent
        } else {
            name == text.as_bytes() || (!name.is_ascii() && decode(name) == text)
        };
        if is_equal {
            set.insert(id);
        }
        // To look at the clock costs more than to compare a name.
        if id % NAMES_PER_LOOK == 0 {
            turn.yield_now(ask)?;
        }
    }
    Ok(set)
}

/// Names compared between two looks at the clock.
const NAMES_PER_LOOK: usize = 1 << 10;

/// Returns the names that pass a test, which an unknown name does not.
///
/// # Errors
/// `Interrupted` if `ask`, which is called at intervals, breaks.
pub(crate) fn passing(
    names: &NameList,
    test: impl Fn(&str) -> bool,
    ask: Ask<'_>,
) -> Result<NameSet> {
    let mut set = NameSet::empty(names.ids(), false);
    let mut turn = TimeSlice::begin();
    for id in 0..names.ids() {
        if test(&decode(names.get(NameId(id as u32)).unwrap_or_default())) {
            set.insert(id);
        }
        turn.yield_now(ask)?;
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::limits::QUERY_TEXT_BYTES_MAX;
    use tabiya_chess::Flow;
    use tabiya_formats::error::ErrorKind;

    fn list(names: impl Iterator<Item = String>) -> NameList {
        let mut list = NameList::default();
        for name in names {
            list.push(name.as_bytes()).unwrap();
        }
        list
    }

    #[test]
    fn a_search_of_names_stops_when_it_is_asked_to() {
        // Every position of every name is compared with the whole needle.
        let names = list((0..1 << 9).map(|_| "é".repeat(4000)));
        let folded = Folded::new(
            &"e".repeat(4000)
                .into_bytes()
                .into_iter()
                .chain([b'\n'])
                .collect::<Vec<u8>>()
                .repeat(1 << 9),
        );
        let needle = format!("{}ê", "é".repeat(QUERY_TEXT_BYTES_MAX / 2 - 1));
        let begun = Instant::now();
        let stopped = containing(&folded, &Needle::new(&needle), || Ok(&names), &mut || {
            Flow::Break(())
        });
        assert!(matches!(
            stopped.unwrap_err().kind(),
            ErrorKind::Interrupted
        ));
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{:?}",
            begun.elapsed()
        );
    }

    #[test]
    fn names_that_are_missing_empty_or_question_marks_are_the_same() {
        let mut names = NameList::with_len(4);
        names.set(0, b"a").unwrap();
        names.set(2, b"").unwrap();
        names.set(3, b"?").unwrap();
        let folded = names.folded();
        let go_on: Ask<'_> = &mut || Flow::Continue(());
        let ids = |set: NameSet| -> Vec<u32> {
            let ids = [0, 1, 2, 3, 4, 63, 64, 900].into_iter();
            ids.filter(|&id| set.contains(NameId(id))).collect()
        };
        for (text, contained, equal) in [
            (
                "?",
                vec![1, 2, 3, 4, 63, 64, 900],
                vec![1, 2, 3, 4, 63, 64, 900],
            ),
            (
                "",
                vec![0, 1, 2, 3, 4, 63, 64, 900],
                vec![1, 2, 3, 4, 63, 64, 900],
            ),
            ("a", vec![0], vec![0]),
            ("b", vec![], vec![]),
        ] {
            let needle = Needle::new(text);
            let set = containing(&folded, &needle, || Ok(&names), go_on).unwrap();
            assert_eq!(ids(set), contained, "{text:?}");
            assert_eq!(
                ids(equal_to(text, &names, go_on).unwrap()),
                equal,
                "{text:?}"
            );
        }
    }
}
