//! Names by ID, as bytes.

use std::collections::HashSet;

use tabiya_chess::{NameId, text::fold_into};

use crate::encoding::{Charset, Evidence};

/// The names of one kind. They stay bytes until text is needed.
#[derive(Debug, Default)]
pub struct NameList {
    text: Vec<u8>,
    /// Start and length within `text`, by ID; [`UNNAMED`] for an ID without a name.
    spans: Vec<(u32, u32)>,
    /// IDs of names that have lost letters.
    partial: HashSet<u32>,
}

/// The number of rounds that may have names.
const ROUNDS_MAX: u32 = 1 << 21;
/// The span of an ID without a name: beyond any text, so that it reads as `None`.
const UNNAMED: (u32, u32) = (u32::MAX, 0);

impl NameList {
    /// Returns a list of this many IDs, all without a name.
    pub fn with_len(len: usize) -> NameList {
        NameList {
            text: Vec::new(),
            spans: vec![UNNAMED; len],
            partial: HashSet::new(),
        }
    }

    /// Returns names that follow each other in a text; `None` if their lengths do not add up.
    pub(crate) fn of_text(text: &[u8], lengths: impl Iterator<Item = u32>) -> Option<NameList> {
        let mut start = 0_u32;
        let mut spans = Vec::with_capacity(lengths.size_hint().0);
        for length in lengths {
            spans.push((start, length));
            start = start.checked_add(length)?;
        }
        (start as usize == text.len()).then(|| NameList {
            text: text.to_vec(),
            spans,
            partial: HashSet::new(),
        })
    }

    /// Returns the names of the rounds that occur, each with its number as its ID. Rounds from
    /// [`ROUNDS_MAX`] on have no name.
    pub(crate) fn of_rounds(
        occurring: impl Iterator<Item = u32>,
        name: impl Fn(u32) -> String,
    ) -> NameList {
        let mut occurs = Vec::new();
        for round in occurring.filter(|&round| round < ROUNDS_MAX) {
            let round = round as usize;
            if round >= occurs.len() {
                occurs.resize(round + 1, false);
            }
            occurs[round] = true;
        }
        let mut names = NameList::with_len(occurs.len());
        for (round, _) in (0..).zip(&occurs).filter(|(_, occurs)| **occurs) {
            let _ = names.set(round as usize, name(round).as_bytes());
        }
        names
    }

    /// Returns the number of IDs.
    pub fn ids(&self) -> usize {
        self.spans.len()
    }

    /// Returns the number of IDs that have a name.
    pub fn named(&self) -> usize {
        self.spans.iter().filter(|&&span| span != UNNAMED).count()
    }

    /// Returns the bytes of a name; `None` if the ID is out of range or has no name.
    pub fn get(&self, id: NameId) -> Option<&[u8]> {
        let &(start, length) = self.spans.get(id.index())?;
        self.text.get(start as usize..)?.get(..length as usize)
    }

    /// Returns the bytes of a name for modification.
    pub(crate) fn get_mut(&mut self, id: NameId) -> Option<&mut [u8]> {
        let &(start, length) = self.spans.get(id.index())?;
        self.text
            .get_mut(start as usize..)?
            .get_mut(..length as usize)
    }

    /// Converts all names to UTF-8, if they are in an encoding that not everybody expects. After
    /// that, whatever reads names sees the same text.
    pub(crate) fn convert(&mut self, charset: Charset) {
        if charset.encoding().is_none() || self.text.is_ascii() {
            return;
        }
        let mut converted = NameList::with_len(self.ids());
        for id in 0..self.ids() {
            if let Some(name) = self.get(NameId(id as u32)) {
                // There is no room for names beyond four gigabytes.
                let _ = converted.set(id, charset.decode(name).as_bytes());
            }
        }
        converted.partial = std::mem::take(&mut self.partial);
        *self = converted;
    }

    /// Shows all names to whoever guesses their encoding.
    pub(crate) fn tell(&self, evidence: &mut Evidence) {
        if !self.text.is_ascii() {
            let names = (0..self.ids()).filter_map(|id| self.get(NameId(id as u32)));
            names.for_each(|name| evidence.add(name));
        }
    }

    /// Records that a name has lost letters.
    pub(crate) fn mark_partial(&mut self, id: u32) {
        self.partial.insert(id);
    }

    /// Whether the name exists and is complete.
    pub fn is_whole(&self, id: NameId) -> bool {
        self.get(id).is_some() && !self.partial.contains(&id.0)
    }

    /// Folds all names. O(bytes of the names).
    pub fn folded(&self) -> Folded {
        let mut folded = Folded::default();
        for id in 0..self.ids() {
            folded.starts.push(folded.text.len());
            let name = self.get(NameId(id as u32)).unwrap_or_default();
            fold_into(name, &mut folded.text);
            folded.text.push(b'\n');
        }
        folded
    }

    /// Appends a name. Its ID is the number of names before it. `None` if there is no room.
    pub fn push(&mut self, name: &[u8]) -> Option<()> {
        let id = self.spans.len();
        u32::try_from(id).ok()?;
        self.spans.push(UNNAMED);
        self.set_front_coded(id, &(0..0), 0, name).map(drop)
    }

    /// Sets the name of an ID. `None` if there is no such ID, or no room for the name.
    pub fn set(&mut self, id: usize, name: &[u8]) -> Option<()> {
        self.set_front_coded(id, &(0..0), 0, name).map(drop)
    }

    /// Sets the name of an ID to the first `shared` bytes of `previous` and then `rest`; returns
    /// the range of the name, for use as the next call's `previous`. `None` if impossible.
    pub(crate) fn set_front_coded(
        &mut self,
        id: usize,
        previous: &std::ops::Range<usize>,
        shared: usize,
        rest: &[u8],
    ) -> Option<std::ops::Range<usize>> {
        if shared > previous.len() {
            return None;
        }
        let length = u32::try_from(shared + rest.len()).ok()?;
        let start = self.text.len();
        let span = self.spans.get_mut(id)?;
        *span = (u32::try_from(start).ok()?, length);
        self.text
            .extend_from_within(previous.start..previous.start + shared);
        self.text.extend_from_slice(rest);
        Some(start..self.text.len())
    }
}

/// All names of one kind in folded form, one after the other, for substring search.
#[derive(Debug, Default)]
pub struct Folded {
    /// Folded names, each followed by a line feed, which folding never leaves in a name.
    pub text: Vec<u8>,
    /// Start of each name, by ID.
    pub starts: Vec<usize>,
}

impl Folded {
    /// Returns a folded name; empty for an ID out of range.
    pub fn get(&self, id: usize) -> &[u8] {
        let start = self.starts.get(id).copied().unwrap_or(self.text.len());
        let next = self.starts.get(id + 1).copied().unwrap_or(self.text.len());
        let name = self.text.get(start..next).unwrap_or_default();
        name.strip_suffix(b"\n").unwrap_or(name)
    }

    /// Creates the list from text that was folded before.
    pub fn new(text: &[u8]) -> Folded {
        let ends = memchr::memchr_iter(b'\n', text).map(|end| end + 1);
        let mut starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        // Nothing starts after the last name.
        starts.pop();
        Folded {
            text: text.to_vec(),
            starts,
        }
    }
}
