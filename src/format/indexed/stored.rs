//! An index as bytes, for sidecars.
//!
//! It is four runs of bytes: the records; the names; the ends of the main lines, 8 bytes each,
//! little-endian; the main lines. The names are those of players, events, sites and rounds: of each
//! kind first their number and the bytes of their text, 8 bytes each, then the length of each name,
//! 4 bytes, then the text.

use std::{borrow::Cow, ops::Range, sync::Arc};

use zerocopy::{FromBytes, little_endian::U32};

use super::{Array, Index, Lines};
use crate::{
    bytes::Cursor,
    chess::NameId,
    format::{File, names::NameList},
};

/// The number of runs.
pub(crate) const RUNS: usize = 4;

impl Index {
    /// Returns the runs of bytes.
    pub(crate) fn runs(&self) -> [Cow<'_, [u8]>; RUNS] {
        let names = self.names.iter().flat_map(names_bytes).collect();
        [
            Cow::Borrowed(self.records.as_bytes()),
            Cow::Owned(names),
            Cow::Borrowed(self.lines.ends.as_bytes()),
            Cow::Borrowed(&self.lines.bytes),
        ]
    }

    /// Returns an index whose runs are in a file, for use where they are; `None` if they cannot
    /// be those of an index. Only the names are copied. O(bytes of the names).
    pub(crate) fn stored(file: &Arc<File>, runs: [Range<usize>; RUNS]) -> Option<Index> {
        let [records, names, ends, lines] = runs;
        let mut cursor = Cursor::new(file.bytes.get(names)?);
        let mut name_lists: [NameList; 4] = Default::default();
        for list in &mut name_lists {
            *list = read_names(&mut cursor)?;
        }
        let index = Index {
            records: Array::stored(file, records)?,
            names: name_lists,
            lines: Lines {
                ends: Array::stored(file, ends)?,
                bytes: Array::stored(file, lines)?,
            },
        };
        let lines = index.lines.ends.len();
        let is_whole = lines == 0 || lines == index.records.len();
        (is_whole && u32::try_from(index.records.len()).is_ok()).then_some(index)
    }
}

fn names_bytes(names: &NameList) -> Vec<u8> {
    let name = |id: usize| names.get(NameId(id as u32)).unwrap_or_default();
    let all = || (0..names.len()).map(name);
    let text_bytes: usize = all().map(<[u8]>::len).sum();
    let mut bytes = Vec::with_capacity(16 + 4 * names.len() + text_bytes);
    bytes.extend((names.len() as u64).to_le_bytes());
    bytes.extend((text_bytes as u64).to_le_bytes());
    bytes.extend(all().flat_map(|name| (name.len() as u32).to_le_bytes()));
    all().for_each(|name| bytes.extend(name));
    bytes
}

fn read_names(cursor: &mut Cursor<'_>) -> Option<NameList> {
    let mut number = || {
        let bytes = cursor.take(8)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(bytes)).ok()
    };
    let (count, text_bytes) = (number()?, number()?);
    let lengths = cursor.take(count.checked_mul(4)?)?;
    let lengths = <[U32]>::ref_from_bytes(lengths).ok()?;
    NameList::of_text(
        cursor.take(text_bytes)?,
        lengths.iter().map(|length| length.get()),
    )
}
