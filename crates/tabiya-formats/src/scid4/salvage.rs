//! Reads the names of a damaged `.sn4` file: after an invalid entry, searches for the next
//! plausible one.
//!
//! An entry is plausible if its ID is valid and unused, it does not share more bytes than the
//! previous name has, and its text holds no control characters; another such entry, or the end
//! of the file, must follow. The skipped bytes are treated as one entry if their lengths allow
//! it, since the next name shares its prefix. Otherwise the shared prefix is lost. The
//! [order](super::sorted) of the names recovers some of it; each byte that stays lost reads `?`.

use std::ops::Range;

use tabiya_chess::NameId;

use super::{
    flaws,
    names::{HEADER_BYTES, MAGIC, Names, Widths},
    sorted::{self, Taken},
};
use crate::{bytes::Cursor, error::Error, names::NameList};

/// Reads all names that can be read. O(size of the file).
pub(super) fn names(file: &[u8]) -> Names {
    let mut names = Names::default();
    let mut cursor = Cursor::new(file);
    if cursor.take(8) != Some(MAGIC) {
        names.damage = Some(Error::corrupt(flaws::NOT_A_NAME_FILE).at_offset(0));
    }
    cursor.take(4);
    let mut numbers = [0; 8];
    for number in &mut numbers {
        *number = cursor.u24_be().unwrap_or_default();
    }
    let shapes = [0, 1, 2, 3].map(|kind| Shape::of(numbers[kind], numbers[kind + 4]));
    let mut at = HEADER_BYTES;
    for (kind, shape) in shapes.into_iter().enumerate() {
        let left = file.len().saturating_sub(at);
        let room = left / (shape.head_bytes() - 1);
        let mut reading = Reading {
            file,
            at,
            shape,
            next: shapes.get(kind + 1).copied(),
            list: NameList::with_len((shape.count as usize).min(room)),
            previous: Vec::new(),
            is_cut: false,
            taken: Vec::new(),
            gap: None,
            possible: 0,
        };
        reading.read();
        at = reading.at;
        sorted::fill(&mut reading.list, reading.taken);
        names.lists[kind] = reading.list;
        if let (None, Some(gap)) = (&names.damage, reading.gap) {
            let what = flaws::NAMES_LEFT_OUT;
            names.damage = Some(Error::corrupt(what).at_offset(gap as u64));
        }
    }
    names
}

/// The layout and limits of the entries of one list.
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

    /// Returns the number of bytes of an entry before its text.
    fn head_bytes(self) -> usize {
        self.widths.id + self.widths.frequency + 2
    }
}

/// One entry as stored in the file.
#[derive(Clone, Copy)]
struct Entry<'f> {
    id: u32,
    frequency: u32,
    length: usize,
    shared: usize,
    rest: &'f [u8],
    /// Offset of the next entry.
    end: usize,
}

impl Entry<'_> {
    /// Whether its ID and frequency are in range for a list.
    fn fits(&self, shape: Shape) -> bool {
        self.id < shape.count && self.frequency <= shape.frequency_max
    }

    fn is_text(&self) -> bool {
        !self.rest.iter().any(u8::is_ascii_control)
    }
}

/// A byte of a name; `None` where it is lost.
type Letter = Option<u8>;

/// One list while it is being read.
struct Reading<'f> {
    file: &'f [u8],
    at: usize,
    shape: Shape,
    /// The shape of the next list.
    next: Option<Shape>,
    list: NameList,
    /// The previous name, as far as it is known.
    previous: Vec<Letter>,
    /// Whether the previous name may have been longer.
    is_cut: bool,
    /// The names so far, in file order.
    taken: Vec<Taken>,
    /// Offset of the first bytes that could not be read.
    gap: Option<usize>,
    /// Maximum number of entries up to here, including lost ones.
    possible: usize,
}

impl<'f> Reading<'f> {
    fn read(&mut self) {
        let (mut read, mut is_first) = (0, true);
        while read < self.list.ids() && self.at < self.file.len() {
            match self.entry(self.shape, self.at, is_first) {
                Some(entry) if self.is_sound(&entry, read + 1) => {
                    self.take(entry.id, entry.shared, entry.rest);
                    self.at = entry.end;
                    read += 1;
                    self.possible += 1;
                }
                _ => {
                    self.gap.get_or_insert(self.at);
                    if !self.find_on(is_first) {
                        return;
                    }
                }
            }
            is_first = false;
        }
    }

    /// Whether the entry at the current offset is plausible. `read` counts the entries so far,
    /// including this one.
    fn is_sound(&self, entry: &Entry<'_>, read: usize) -> bool {
        if !entry.fits(self.shape) || !self.is_new(entry) || entry.shared > self.shared_max() {
            return false;
        }
        if entry.end == self.file.len() || read == self.list.ids() {
            return true;
        }
        let following = self.entry(self.shape, entry.end, false);
        let follows =
            following.is_some_and(|next| next.fits(self.shape) && next.shared <= entry.length);
        if follows && entry.is_text() {
            return true;
        }
        if self.begins_next(self.at) {
            return false;
        }
        // Either this entry or the following one is damaged. This one is too long if another
        // entry starts inside it, and too short if the next one starts so soon after its end that
        // no entry fits in between.
        let head_bytes = self.shape.head_bytes();
        let room = if follows { 0 } else { head_bytes };
        let near = self.at + head_bytes..self.file.len().min(entry.end + room);
        (follows || entry.is_text()) && self.find(near).is_none()
    }

    /// Whether the next list may begin at `at`, with enough room for all of this list before it.
    fn begins_next(&self, at: usize) -> bool {
        if self.possible + self.lost(at) < self.list.ids() {
            return false;
        }
        let next = self.next.and_then(|next| self.chain(next, at, true));
        next.is_some()
    }

    /// Advances to the next entries of this list and treats the skipped bytes as one entry.
    /// Returns false if there are none or the next list comes first.
    fn find_on(&mut self, is_first: bool) -> bool {
        let found = self.find(self.at + 1..self.file.len());
        let end = found.unwrap_or(self.file.len());
        if let Some(next) = (self.at..end).find(|&at| self.begins_next(at)) {
            self.at = next;
            return false;
        }
        match found {
            Some(_) if !is_first => self.take_damaged(end),
            _ => self.cut(0),
        }
        self.possible += self.lost(end);
        self.at = end;
        found.is_some()
    }

    /// Returns the maximum number of entries between the current offset and `end`.
    fn lost(&self, end: usize) -> usize {
        (end - self.at) / self.shape.head_bytes() + 1
    }

    /// Treats the bytes up to `end` as one entry with a damaged field.
    fn take_damaged(&mut self, end: usize) {
        let Widths { id, frequency } = self.shape.widths;
        let text_at = self.at + self.shape.head_bytes();
        let (Some(rest), Some(head)) =
            (self.file.get(text_at..end), self.file.get(self.at..text_at))
        else {
            return self.cut(0);
        };
        let (length, shared) = (head[id + frequency], head[id + frequency + 1]);
        let id = Cursor::new(head).uint_be(id).unwrap_or(u32::MAX);
        let by_length = usize::from(length).checked_sub(rest.len());
        let both = [Some(usize::from(shared)), by_length].into_iter().flatten();
        let mut possible = both.filter(|&shared| self.may_share(shared, rest));
        match (possible.next(), possible.next()) {
            _ if rest.iter().any(u8::is_ascii_control) => self.cut(0),
            (Some(one), other) if other.is_none_or(|other| other == one) => {
                self.take(id, one, rest);
            }
            // If both are possible and differ, only the shorter prefix is certain.
            (Some(one), Some(other)) => self.cut(one.min(other)),
            _ => self.cut(0),
        }
    }

    /// Whether a name may share this many bytes with the previous one and continue with `rest`:
    /// it must sort later and must not share the next byte.
    fn may_share(&self, shared: usize, rest: &[u8]) -> bool {
        let (before, own) = (self.previous.get(shared), rest.first());
        let is_later = match (before, own) {
            (Some(Some(before)), Some(own)) if before.is_ascii() && own.is_ascii() => before < own,
            _ => true,
        };
        shared <= self.shared_max() && is_later
    }

    /// Returns how many bytes the next name may share with the previous one.
    fn shared_max(&self) -> usize {
        if self.is_cut {
            usize::MAX
        } else {
            self.previous.len()
        }
    }

    /// Skips a name of which only the first `known` letters, shared with the previous one, are
    /// known.
    fn cut(&mut self, known: usize) {
        self.previous.truncate(known);
        self.is_cut = true;
    }

    /// Returns the first offset at which an unused entry is followed by another.
    fn find(&self, mut places: Range<usize>) -> Option<usize> {
        let is_one = |at: &usize| {
            let entry = self.chain(self.shape, *at, false);
            entry.is_some_and(|entry| self.is_new(&entry))
        };
        places.find(is_one)
    }

    /// Reads a plausible entry that is followed by another or by the end of the file.
    fn chain(&self, shape: Shape, at: usize, is_first: bool) -> Option<Entry<'f>> {
        let is_possible = |entry: &Entry<'_>, shape: Shape| entry.fits(shape) && entry.is_text();
        let entry = self.entry(shape, at, is_first)?;
        let of = |shape: Shape, is_first| {
            let following = self.entry(shape, entry.end, is_first);
            following.is_some_and(|following| {
                is_possible(&following, shape) && following.shared <= entry.length
            })
        };
        let follows = entry.end == self.file.len()
            || of(shape, false)
            || self.next.is_some_and(|next| of(next, true));
        (is_possible(&entry, shape) && follows).then_some(entry)
    }

    /// Reads an entry without checking its values.
    fn entry(&self, shape: Shape, at: usize, is_first: bool) -> Option<Entry<'f>> {
        let mut cursor = Cursor::new(self.file.get(at..)?);
        let id = cursor.uint_be(shape.widths.id)?;
        let frequency = cursor.uint_be(shape.widths.frequency)?;
        let length = usize::from(cursor.u8()?);
        let shared = if is_first {
            0
        } else {
            usize::from(cursor.u8()?)
        };
        let rest = cursor.take(length.checked_sub(shared)?)?;
        Some(Entry {
            id,
            frequency,
            length,
            shared,
            rest,
            end: at + cursor.offset(),
        })
    }

    fn is_new(&self, entry: &Entry<'_>) -> bool {
        self.list.get(NameId(entry.id)).is_none()
    }

    /// Builds a name from the shared prefix and its own bytes, and stores it if its ID is unused.
    fn take(&mut self, id: u32, shared: usize, rest: &[u8]) {
        let name = &mut self.previous;
        name.resize(shared, None);
        name.extend(rest.iter().copied().map(Some));
        self.is_cut = false;
        if self.list.get(NameId(id)).is_none() {
            let bytes: Vec<u8> = name.iter().map(|letter| letter.unwrap_or(b'?')).collect();
            if self.list.set(id as usize, &bytes).is_some() {
                let lost = |letter: &Letter| letter.is_none();
                let first = name.iter().position(lost).unwrap_or(name.len());
                let after = name.iter().rposition(lost).map_or(first, |last| last + 1);
                self.taken.push(Taken {
                    id,
                    lost: first as u16..after as u16,
                });
            }
        }
    }
}
