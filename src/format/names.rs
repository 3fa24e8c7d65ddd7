//! Names by id, as bytes.

use crate::chess::NameId;

/// The names of one kind. They stay bytes until somebody asks for text.
#[derive(Debug, Default)]
pub(crate) struct NameList {
    text: Vec<u8>,
    /// Start and length within `text`, by id; [`UNNAMED`] for an id without a name.
    spans: Vec<(u32, u32)>,
}

/// The span of an id that has not been given a name: beyond any text, so that it reads as none.
const UNNAMED: (u32, u32) = (u32::MAX, 0);

impl NameList {
    /// Returns a list of this many names, all empty.
    pub(crate) fn with_len(len: usize) -> NameList {
        NameList {
            text: Vec::new(),
            spans: vec![UNNAMED; len],
        }
    }

    /// Returns how many ids there are.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns how many ids have been given a name.
    pub(crate) fn named(&self) -> usize {
        self.spans.iter().filter(|&&span| span != UNNAMED).count()
    }

    /// Returns the bytes of a name; `None` when the id is out of range.
    pub(crate) fn get(&self, id: NameId) -> Option<&[u8]> {
        let &(start, length) = self.spans.get(id.index())?;
        self.text.get(start as usize..)?.get(..length as usize)
    }

    /// Appends a name, whose id is the number of those before it. `None` when there is no room.
    pub(crate) fn push(&mut self, name: &[u8]) -> Option<()> {
        let id = self.spans.len();
        u32::try_from(id).ok()?;
        self.spans.push(UNNAMED);
        self.set_front_coded(id, &(0..0), 0, name).map(drop)
    }

    /// Sets the name of an id. `None` when there is no such id, or no room for the name.
    pub(crate) fn set(&mut self, id: usize, name: &[u8]) -> Option<()> {
        self.set_front_coded(id, &(0..0), 0, name).map(drop)
    }

    /// Sets the name of an id to `shared` bytes from `previous` and then `rest`; returns where
    /// the name lies, to be the next call's `previous`. `None` when that cannot be.
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
