//! Names of a damaged `.sn4` file: behind an entry that cannot be, the next that can is looked
//! for.
//!
//! An entry can be what it seems when its number is one that no name has had yet, when it does
//! not share more than there is, and when its text holds no control characters; another such
//! entry, or the end of the file, must follow. Where the name before it is lost, the beginning
//! that it shares is too: each such byte reads `?`.

use super::names::{HEADER_BYTES, MAGIC, Names, Widths};
use crate::{bytes::Cursor, error::Error, format::names::NameList};

/// Reads all that can be read. O(size of the file).
pub(super) fn names(file: &[u8]) -> Names {
    let mut names = Names::default();
    let mut cursor = Cursor::new(file);
    if cursor.take(8) != Some(MAGIC) {
        names.damage = Some(Error::corrupt("not a Scid name file").at_offset(0));
    }
    cursor.take(4);
    let mut numbers = [0; 8];
    for number in &mut numbers[..8] {
        *number = cursor.u24_be().unwrap_or_default();
    }
    let shapes = [0, 1, 2, 3].map(|kind| Shape::of(numbers[kind], numbers[kind + 4]));
    let mut at = HEADER_BYTES;
    for (kind, shape) in shapes.into_iter().enumerate() {
        let entry_bytes_min = shape.widths.id + shape.widths.frequency + 1;
        let left = file.len().saturating_sub(at);
        let list = NameList::with_len((shape.count as usize).min(left / entry_bytes_min));
        let mut reading = Reading {
            file,
            at,
            shape,
            next: shapes.get(kind + 1).copied(),
            list,
            previous: Vec::new(),
            known_from: 0,
            gap: None,
        };
        reading.read();
        at = reading.at;
        names.lists[kind] = reading.list;
        if let (None, Some(gap)) = (&names.damage, reading.gap) {
            let what = "names that cannot be read are left out";
            names.damage = Some(Error::corrupt(what).at_offset(gap as u64));
        }
    }
    names
}

/// What the entries of one list look like.
#[derive(Clone, Copy)]
struct Shape {
    count: u32,
    frequency_max: u32,
    widths: Widths,
}

impl Shape {
    fn of(count: u32, frequency_max: u32) -> Shape {
        Shape {
            count,
            frequency_max,
            widths: Widths::of(count, frequency_max),
        }
    }
}

/// One entry as it stands in the file.
struct Entry<'f> {
    id: u32,
    shared: usize,
    rest: &'f [u8],
    /// Where the next begins.
    end: usize,
}

/// One list while it is read.
struct Reading<'f> {
    file: &'f [u8],
    at: usize,
    shape: Shape,
    /// The shape of the next list.
    next: Option<Shape>,
    list: NameList,
    /// The name before, and from where on it is known.
    previous: Vec<u8>,
    known_from: usize,
    /// Where the first bytes are that could not be read.
    gap: Option<usize>,
}

impl<'f> Reading<'f> {
    fn read(&mut self) {
        let (mut read, mut is_first) = (0, true);
        while read < self.list.len() && self.at < self.file.len() {
            let entry = self.entry(self.shape, self.at, is_first);
            let entry = entry.filter(|entry| self.is_new(entry) && self.is_shared(entry));
            if let Some(entry) = entry {
                self.take(&entry);
                read += 1;
                is_first = false;
                continue;
            }
            self.gap.get_or_insert(self.at);
            is_first = false;
            if !self.find_on() {
                return;
            }
        }
    }

    /// Goes to the next place where entries of this list are; false when there is none, or the
    /// next list comes first.
    fn find_on(&mut self) -> bool {
        // What was shared with names in the gap is not known.
        self.known_from = usize::MAX;
        self.previous.clear();
        for at in self.at..self.file.len() {
            let begins_next = |next| self.chain(next, at, true).is_some();
            if at > self.at
                && self
                    .chain(self.shape, at, false)
                    .is_some_and(|entry| self.is_new(&entry))
            {
                self.at = at;
                return true;
            }
            if self.next.is_some_and(begins_next) {
                self.at = at;
                return false;
            }
        }
        self.at = self.file.len();
        false
    }

    /// Reads an entry that another follows, or the end of the file.
    fn chain(&self, shape: Shape, at: usize, is_first: bool) -> Option<Entry<'f>> {
        let entry = self.entry(shape, at, is_first)?;
        let follows = entry.end == self.file.len()
            || self.entry(shape, entry.end, false).is_some()
            || self
                .next
                .is_some_and(|next| self.entry(next, entry.end, true).is_some());
        follows.then_some(entry)
    }

    /// Reads an entry if it can be one for itself.
    fn entry(&self, shape: Shape, at: usize, is_first: bool) -> Option<Entry<'f>> {
        let mut cursor = Cursor::new(self.file.get(at..)?);
        let id = cursor.uint_be(shape.widths.id)?;
        let frequency = cursor.uint_be(shape.widths.frequency)?;
        let length = usize::from(cursor.u8()?);
        let shared = match is_first {
            true => 0,
            false => usize::from(cursor.u8()?),
        };
        let rest = cursor.take(length.checked_sub(shared)?)?;
        let is_possible = id < shape.count
            && frequency <= shape.frequency_max
            && !rest.iter().any(u8::is_ascii_control);
        let end = at + cursor.offset();
        is_possible.then_some(Entry {
            id,
            shared,
            rest,
            end,
        })
    }

    fn is_new(&self, entry: &Entry<'_>) -> bool {
        self.list.get(crate::chess::NameId(entry.id)).is_none()
    }

    fn is_shared(&self, entry: &Entry<'_>) -> bool {
        self.known_from == usize::MAX || entry.shared <= self.previous.len()
    }

    fn take(&mut self, entry: &Entry<'_>) {
        self.previous.resize(entry.shared, b'?');
        let unknown = self.known_from.min(entry.shared);
        // Nothing is known of a name behind a gap but what it does not share.
        self.known_from = match self.known_from {
            usize::MAX => entry.shared,
            _ => unknown,
        };
        self.previous.extend_from_slice(entry.rest);
        let is_whole = self.known_from == 0;
        let _ = self.list.set(entry.id as usize, &self.previous);
        if !is_whole {
            self.list.mark_partial(entry.id);
        }
        self.at = entry.end;
    }
}
