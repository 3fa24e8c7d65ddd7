//! Names: which ids satisfy a text condition.

use memchr::memmem;

use crate::{
    chess::{
        NameId,
        text::{Needle, decode, fold_into},
    },
    format::names::NameList,
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

/// All names of one kind in folded form, one after the other, for substring search.
#[derive(Debug, Default)]
pub(crate) struct FoldedNames {
    /// Folded names, each followed by a line feed, which folding never leaves in a name.
    text: Vec<u8>,
    /// By id: where the name starts.
    starts: Vec<usize>,
}

impl FoldedNames {
    /// Folds all names. O(bytes of the names).
    pub(crate) fn new(names: &NameList) -> FoldedNames {
        let mut folded = FoldedNames::default();
        for id in 0..names.len() {
            folded.starts.push(folded.text.len());
            let name = names.get(NameId(id as u32)).unwrap_or_default();
            fold_into(name, &mut folded.text);
            folded.text.push(b'\n');
        }
        folded
    }

    /// Returns the names that contain the needle. One search through all names.
    pub(crate) fn containing(&self, needle: &Needle, names: &NameList) -> NameSet {
        let mut set = NameSet::empty(self.starts.len());
        let finder = memmem::Finder::new(needle.folded());
        let mut at = 0;
        while let Some(hit) = finder.find(self.text.get(at..).unwrap_or_default()) {
            let id = self.starts.partition_point(|&start| start <= at + hit) - 1;
            let name = || decode(names.get(NameId(id as u32)).unwrap_or_default());
            if needle.folded_is_enough() || needle.is_in(&name()) {
                set.insert(id);
            }
            match self.starts.get(id + 1) {
                Some(&next) => at = next,
                None => break,
            }
        }
        set
    }
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
