//! Names: which ids satisfy a text condition.

use memchr::memmem;

use crate::{
    chess::{
        NameId,
        text::{Needle, decode},
    },
    error::Result,
    format::names::{Folded, NameList},
};

/// A set of name ids of one kind.
#[derive(Debug, Clone)]
pub(crate) struct NameSet(Vec<u64>);

impl NameSet {
    fn empty(count: usize) -> NameSet {
        NameSet(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, id: usize) {
        if let Some(word) = self.0.get_mut(id / 64) {
            *word |= 1 << (id % 64);
        }
    }

    /// Tells whether an id is in the set; ids out of range are not.
    #[inline]
    pub(crate) fn contains(&self, id: NameId) -> bool {
        let word = self.0.get(id.index() / 64).copied().unwrap_or_default();
        word >> (id.index() % 64) & 1 == 1
    }
}

/// Returns the names that contain the needle. One search through all names, of which `names` are
/// the spellings; they are asked for only if the folded names do not settle it.
///
/// # Errors
/// As those of `names`.
pub(crate) fn containing<'n>(
    folded: &Folded,
    needle: &Needle,
    names: impl FnOnce() -> Result<&'n NameList>,
) -> Result<NameSet> {
    let names = match needle.folded_is_enough() {
        true => None,
        false => Some(names()?),
    };
    let is_in = |id: usize| match names.map(|names| names.get(NameId(id as u32))) {
        None => true,
        Some(name) => needle.is_in(&decode(name.unwrap_or_default())),
    };
    let mut set = NameSet::empty(folded.starts.len());
    let finder = memmem::Finder::new(needle.folded());
    let mut at = 0;
    while let Some(hit) = finder.find(folded.text.get(at..).unwrap_or_default()) {
        let begun = folded.starts.partition_point(|&start| start <= at + hit);
        let Some(id) = begun.checked_sub(1) else {
            break;
        };
        if is_in(id) {
            set.insert(id);
        }
        match folded.starts.get(id + 1) {
            Some(&next) => at = next,
            None => break,
        }
    }
    Ok(set)
}

/// Returns the names that equal the text exactly.
pub(crate) fn equal_to(text: &str, names: &NameList) -> NameSet {
    let mut set = NameSet::empty(names.len());
    for id in 0..names.len() {
        let name = names.get(NameId(id as u32)).unwrap_or_default();
        if name == text.as_bytes() || (!name.is_ascii() && decode(name) == text) {
            set.insert(id);
        }
    }
    set
}
