//! An index as bytes, for sidecars.
//!
//! It is five runs of bytes: the records; the names; the ends of the main lines, 8 bytes each,
//! little-endian; the main lines; where the text of packed PGN is, empty for other files. The names
//! are those of players, events, sites and rounds: of each
//! kind first their number and the bytes of their text, 8 bytes each, then the length of each name,
//! 4 bytes, then the text.

use std::{borrow::Cow, fmt::Debug, ops::Range, path::Path, sync::OnceLock};

use tabiya_chess::{NameId, NameKind};
use zerocopy::{
    FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
    little_endian::{U32, U64},
};

use super::{Index, Record};
use crate::{bytes::Cursor, names::NameList};

/// The number of runs.
pub const RUNS: usize = 5;

/// The runs of an index.
pub type Runs<'a> = [Cow<'a, [u8]>; RUNS];

/// One run in a file, whose bytes are compared with checksums before their first use.
pub trait Run: Debug + Send + Sync {
    /// Returns the number of bytes.
    fn size(&self) -> usize;

    /// Returns the bytes of a range; `None` if they are damaged. O(bytes) at their first use.
    fn get(&self, range: Range<usize>) -> Option<&[u8]>;

    /// Returns the path of the file.
    fn path(&self) -> &Path;
}

/// An index in a file, used where it is.
#[derive(Debug)]
pub struct StoredIndex {
    runs: [Box<dyn Run>; RUNS],
    games: usize,
    /// By kind; `None` in it if they are damaged.
    names: [OnceLock<Option<NameList>>; 4],
}

impl StoredIndex {
    /// Returns an index of which only the lengths have been checked; `None` if they cannot be those
    /// of an index. O(1).
    pub fn new(runs: [Box<dyn Run>; RUNS]) -> Option<StoredIndex> {
        let [records, _, ends, _, _] = &runs;
        let games = records.size() / size_of::<Record>();
        let is_whole = records.size() == games * size_of::<Record>()
            && (ends.size() == 0 || ends.size() == games * size_of::<U64>())
            && u32::try_from(games).is_ok();
        is_whole.then_some(StoredIndex {
            runs,
            games,
            names: Default::default(),
        })
    }

    /// Returns the number of games.
    pub fn game_count(&self) -> u32 {
        self.games as u32
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        self.runs[0].path()
    }

    /// Returns the records of some games; `None` if they are damaged, or there are fewer games.
    #[inline]
    pub(crate) fn records_in(&self, games: Range<usize>) -> Option<&[Record]> {
        items(&*self.runs[0], games)
    }

    /// Returns the names of one kind; `None` if they are damaged. O(bytes of these names) at the
    /// first call.
    pub(crate) fn names(&self, kind: NameKind) -> Option<&NameList> {
        let known = &self.names[kind as usize];
        let names = match known.get() {
            Some(names) => names,
            None => {
                // Not inside the lock: checking is work for all threads.
                let names = self.read_names(kind);
                known.get_or_init(|| names)
            }
        };
        names.as_ref()
    }

    /// Reads the names of one kind. Those of sites may be a hundred times as long as those of
    /// players, so the others are skipped.
    fn read_names(&self, kind: NameKind) -> Option<NameList> {
        let run = &self.runs[1];
        let mut at = 0_usize;
        for _ in 0..kind as usize {
            at = names_in(&**run, at)?.end;
        }
        let range = names_in(&**run, at)?;
        read_names(&mut Cursor::new(run.get(range)?))
    }

    /// Returns a game's main line; empty if it is not kept, or is damaged.
    #[inline]
    pub(crate) fn line(&self, record: &Record) -> &[u8] {
        let line = || {
            let number = record.number();
            let (start, end) = match number.checked_sub(1) {
                None => (0, items::<U64>(&*self.runs[2], 0..1)?[0].get()),
                Some(before) => {
                    let ends = items::<U64>(&*self.runs[2], before..number + 1)?;
                    (ends[0].get(), ends[1].get())
                }
            };
            self.runs[3].get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
        };
        line().unwrap_or_default()
    }

    /// Returns the ends and the bytes of the main lines of the first games, none if lines are not
    /// kept; `None` if they are damaged.
    pub(super) fn lines(&self, games: usize) -> Option<(&[U64], &[u8])> {
        if self.runs[2].size() == 0 {
            return Some((&[], &[]));
        }
        let ends = items::<U64>(&*self.runs[2], 0..games)?;
        let end = ends.last().map_or(0, |end| end.get());
        Some((ends, self.runs[3].get(0..usize::try_from(end).ok()?)?))
    }

    /// Returns where the text is in a packed file; empty if that is not kept, or is damaged.
    pub fn places(&self) -> &[u8] {
        let run = &self.runs[4];
        run.get(0..run.size()).unwrap_or_default()
    }

    /// Returns the runs; `None` if any is damaged.
    pub(crate) fn runs(&self) -> Option<Runs<'_>> {
        let mut runs = Runs::default();
        for (bytes, run) in runs.iter_mut().zip(&self.runs) {
            *bytes = Cow::Borrowed(run.get(0..run.size())?);
        }
        Some(runs)
    }
}

/// Returns some of the items of a run.
#[inline]
fn items<T: FromBytes + Immutable + KnownLayout + Unaligned>(
    run: &dyn Run,
    range: Range<usize>,
) -> Option<&[T]> {
    let bytes = range.start.checked_mul(size_of::<T>())?..range.end.checked_mul(size_of::<T>())?;
    <[T]>::ref_from_bytes(run.get(bytes)?).ok()
}

impl Index {
    /// Returns the runs of bytes; the text may be in a packed file at these places.
    pub(crate) fn runs(&self, places: Vec<u8>) -> Runs<'_> {
        let length = self.names.iter().map(names_length).sum();
        let mut names = Vec::with_capacity(length);
        for list in &self.names {
            write_names(list, &mut names);
        }
        [
            Cow::Borrowed(self.records.as_bytes()),
            Cow::Owned(names),
            Cow::Borrowed(self.lines.ends.as_bytes()),
            Cow::Borrowed(&self.lines.bytes),
            Cow::Owned(places),
        ]
    }
}

fn all(names: &NameList) -> impl Iterator<Item = &[u8]> {
    let name = |id: usize| names.get(NameId(id as u32)).unwrap_or_default();
    (0..names.ids()).map(name)
}

/// Returns the number of bytes that [`write_names`] writes.
fn names_length(names: &NameList) -> usize {
    HEAD_BYTES + 4 * names.ids() + all(names).map(<[u8]>::len).sum::<usize>()
}

fn write_names(names: &NameList, bytes: &mut Vec<u8>) {
    let text_bytes: usize = all(names).map(<[u8]>::len).sum();
    bytes.extend((names.ids() as u64).to_le_bytes());
    bytes.extend((text_bytes as u64).to_le_bytes());
    bytes.extend(all(names).flat_map(|name| (name.len() as u32).to_le_bytes()));
    all(names).for_each(|name| bytes.extend(name));
}

/// Returns where the names are in a run that begin at an offset; `None` if they cannot be there.
fn names_in(run: &dyn Run, at: usize) -> Option<Range<usize>> {
    let head = run.get(at..at.checked_add(HEAD_BYTES)?)?;
    let (count, text_bytes) = counts(&mut Cursor::new(head))?;
    let length = count.checked_mul(4)?.checked_add(text_bytes)?;
    let end = at.checked_add(HEAD_BYTES)?.checked_add(length)?;
    (end <= run.size()).then_some(at..end)
}

/// Bytes of the numbers in front of the names of a kind.
const HEAD_BYTES: usize = 16;

/// Reads the number of names, and that of the bytes of their text.
fn counts(cursor: &mut Cursor<'_>) -> Option<(usize, usize)> {
    let mut number = || {
        let bytes = cursor.take(8)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(bytes)).ok()
    };
    Some((number()?, number()?))
}

fn read_names(cursor: &mut Cursor<'_>) -> Option<NameList> {
    let (count, text_bytes) = counts(cursor)?;
    let lengths = cursor.take(count.checked_mul(4)?)?;
    let lengths = <[U32]>::ref_from_bytes(lengths).ok()?;
    NameList::of_text(
        cursor.take(text_bytes)?,
        lengths.iter().map(|length| length.get()),
    )
}
