//! The `.2lid` file: players, tournaments, sources, teams, tags.
//!
//! The header is big-endian: its size (4 bytes), the number of types (4), and for each type the
//! bytes of a record (4), the number of records (8) and the first of those deleted (8, -1 none).
//! What follows it differs from version to version and is not read. The rest of the file is
//! little-endian: records of all types by turns, the nth of each. A type may have records of no
//! bytes.
//!
//! | offset in the record | bytes | meaning |
//! |---|---|---|
//! | 0 | 4 | bytes of the data, 0 for none |
//! | 4 | | the data |
//!
//! Texts are a length (4) and bytes. The data of a deleted record are eight bytes of a mark and the
//! number of the next deleted one. The counts are not read: the file's length gives the number of
//! records.

use std::ops::ControlFlow;

use tabiya_chess::PartialDate;

use crate::{
    bytes::Cursor,
    damage::Flaw,
    encoding::{Charset, Evidence},
    error::{Error, Result},
    names::NameList,
};

use super::{flaws, record};

/// The types of names that are read, with their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Player = 0,
    Tournament = 1,
    Source = 2,
    Team = 4,
    Tag = 5,
}

impl Type {
    pub(super) const ALL: [Type; 5] = [
        Type::Player,
        Type::Tournament,
        Type::Source,
        Type::Team,
        Type::Tag,
    ];
}

const TYPES: usize = 6;
const TYPES_MAX: usize = 32;
const HEADER_BYTES_MAX: usize = 64 << 10;
const RECORD_BYTES_MAX: usize = 1 << 20;
/// Bytes of the header before the types, and of each type.
const HEAD_BYTES: usize = 8;
const TYPE_BYTES: usize = 20;
const LENGTH_BYTES: usize = 4;
/// Bytes of the header of a new file.
pub(super) const HEADER_BYTES: usize = 184;
const DELETED: [u8; 8] = [0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99];

/// Where the records of a type lie in each round of records.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RecordPlace {
    pub(super) at: usize,
    pub(super) bytes: usize,
    pub(super) count: i64,
    first_deleted: i64,
}

/// A names file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names<'a> {
    /// The records, without the header.
    records: &'a [u8],
    pub(super) places: [RecordPlace; TYPES],
    /// Bytes of one record of each type.
    pub(super) stride: usize,
    pub(super) header_bytes: usize,
    charset: Charset,
}

/// A record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry<'a> {
    /// There is none with this number.
    None,
    Deleted {
        next: i64,
    },
    Data(&'a [u8]),
    /// Its bytes are not those of a record.
    Bad(Flaw),
}

impl<'a> Names<'a> {
    /// Reads the header.
    pub(super) fn new(file: &'a [u8]) -> Result<Names<'a>> {
        let (needed, found) = ((HEAD_BYTES + TYPES * TYPE_BYTES) as u64, file.len() as u64);
        if found < needed {
            return Err(Error::truncated("the header of the names", needed, found));
        }
        let shape = |at| Error::corrupt(flaws::NAMES_SHAPE).at_offset(at as u64);
        let (header_bytes, types) = (size_at(file, 0), size_at(file, 4));
        let header_bytes = header_bytes.filter(|&bytes| bytes <= HEADER_BYTES_MAX);
        let types = types.filter(|types| (TYPES..=TYPES_MAX).contains(types));
        let (Some(header_bytes), Some(types)) = (header_bytes, types) else {
            return Err(shape(0));
        };
        let records = file.get(header_bytes..).ok_or_else(|| shape(0))?;
        if header_bytes < HEAD_BYTES + types * TYPE_BYTES {
            return Err(shape(0));
        }
        let (mut places, mut stride) = ([RecordPlace::default(); TYPES], 0);
        for number in 0..types {
            let at = HEAD_BYTES + number * TYPE_BYTES;
            let bytes = size_at(file, at).filter(|&bytes| bytes <= RECORD_BYTES_MAX);
            let bytes = bytes.ok_or_else(|| shape(at))?;
            let long = |at: usize| {
                let bytes = file.get(at..).and_then(|bytes| bytes.first_chunk());
                bytes.map_or(-1, |&bytes| i64::from_be_bytes(bytes))
            };
            if let Some(place) = places.get_mut(number) {
                *place = RecordPlace {
                    at: stride,
                    bytes,
                    count: long(at + 4),
                    first_deleted: long(at + 12),
                };
            }
            stride += bytes;
        }
        Ok(Names {
            records,
            places,
            stride,
            header_bytes,
            charset: Charset::Windows1252,
        })
    }

    /// Sets how texts are read that are not UTF-8.
    pub(super) fn with_charset(self, charset: Charset) -> Names<'a> {
        Names { charset, ..self }
    }

    /// Shows all texts to whoever guesses their encoding.
    pub(super) fn tell(self, evidence: &mut Evidence) {
        for of in Type::ALL {
            for number in 0..self.len() {
                if let Entry::Data(data) = self.entry(of, number) {
                    each_text(of, data, &mut |text| evidence.add(text));
                }
            }
        }
    }

    /// Whether all texts of a record are UTF-8.
    pub(super) fn is_utf8(self, of: Type, number: i64) -> bool {
        let mut is_utf8 = true;
        if let Some(data) = self.data(of, number) {
            each_text(of, data, &mut |text| {
                is_utf8 &= std::str::from_utf8(text).is_ok()
            });
        }
        is_utf8
    }

    /// Returns one more than the greatest number that a record may have.
    pub(super) fn len(self) -> usize {
        match self.stride {
            0 => 0,
            stride => self.records.len().div_ceil(stride),
        }
    }

    /// Returns one more than the greatest number of a record of a type.
    pub(super) fn count(self, of: Type) -> i64 {
        let numbers = (0..self.len()).rev();
        let last = numbers.map(|number| self.entry(of, number));
        let after = last.take_while(|entry| *entry == Entry::None).count();
        (self.len() - after) as i64
    }

    /// Calls `tell` with all records that there are, round by round, with the data of those that
    /// are not deleted.
    ///
    /// # Errors
    /// `Corrupt` for the first one that has not the form of a record.
    pub(super) fn each(self, mut tell: impl FnMut(Type, usize, Option<&'a [u8]>)) -> Result<()> {
        for number in 0..self.len() {
            for of in Type::ALL {
                match self.entry(of, number) {
                    Entry::None => {}
                    Entry::Deleted { .. } => tell(of, number, None),
                    Entry::Data(data) => tell(of, number, Some(data)),
                    Entry::Bad(what) => return Err(Error::corrupt(what)),
                }
            }
        }
        Ok(())
    }

    /// Returns the offset of the number of records of a type.
    pub(super) const fn count_at(of: Type) -> u64 {
        (HEAD_BYTES + of as usize * TYPE_BYTES + 4) as u64
    }

    fn entry(self, of: Type, number: usize) -> Entry<'a> {
        let RecordPlace { at, bytes, .. } = self.places[of as usize];
        let start = number.checked_mul(self.stride);
        let start = start.and_then(|start| start.checked_add(at));
        let Some(record) = start.and_then(|start| self.records.get(start..)) else {
            return Entry::None;
        };
        let is_cut = record.len() < bytes;
        let mut record = Cursor::new(record.get(..bytes).unwrap_or(record));
        let length = record.uint_be(LENGTH_BYTES).map(u32::swap_bytes);
        match length.map(|length| record.take(length as usize)) {
            None if bytes == 0 || record.left() == 0 => Entry::None,
            None => Entry::Bad(flaws::NAMES_CUT),
            Some(Some([])) => Entry::None,
            Some(Some(data)) => match data.strip_prefix(&DELETED) {
                Some(next) => {
                    let next = next.first_chunk().copied().unwrap_or([0xff; 8]);
                    let next = i64::from_le_bytes(next);
                    Entry::Deleted { next }
                }
                None => Entry::Data(data),
            },
            Some(None) if is_cut => Entry::Bad(flaws::NAMES_CUT),
            Some(None) => Entry::Bad(flaws::NAME_FORM),
        }
    }

    /// Returns the data of a record.
    pub(super) fn data(self, of: Type, number: i64) -> Option<&'a [u8]> {
        match self.entry(of, usize::try_from(number).ok()?) {
            Entry::Data(data) => Some(data),
            _ => None,
        }
    }

    /// Returns a player's name as `Last, First`.
    pub(super) fn player(self, number: i64) -> Option<String> {
        player(self.data(Type::Player, number)?).map(|player| player.name(self.charset))
    }

    /// Returns the number of a player with FIDE, if it is known.
    pub(super) fn fide_id(self, number: i64) -> Option<i64> {
        let player = player(self.data(Type::Player, number)?)?;
        Some(player.fide_id).filter(|&id| id > 0)
    }

    pub(super) fn tournament(self, number: i64) -> Option<Tournament<'a>> {
        let tournament = tournament(self.data(Type::Tournament, number)?)?;
        Some(Tournament {
            charset: self.charset,
            ..tournament
        })
    }

    pub(super) fn source(self, number: i64) -> Option<Source<'a>> {
        let source = source(self.data(Type::Source, number)?)?;
        Some(Source {
            charset: self.charset,
            ..source
        })
    }

    /// Returns the name of a team.
    pub(super) fn team(self, number: i64) -> Option<String> {
        let name = text(&mut Cursor::new(self.data(Type::Team, number)?))?;
        Some(self.charset.decode(name).into_owned())
    }

    /// Returns the titles of a tag that are not empty, each with the number of its language.
    pub(super) fn titles(self, number: i64) -> Option<Vec<(u8, String)>> {
        let titles = titles(self.data(Type::Tag, number)?)?.into_iter();
        let told = titles.map(|(language, title)| (language, self.charset.decode(title)));
        Some(
            told.map(|(language, title)| (language, title.into_owned()))
                .collect(),
        )
    }

    /// Returns the names of one type by [`record::name_id`]. A blank name becomes `?`, as for
    /// unknown names in PGN.
    pub(super) fn list(
        self,
        of: Type,
        name: impl Fn(Names<'a>, i64) -> Option<String>,
    ) -> NameList {
        let mut list = NameList::with_len(self.len() + 1);
        let _ = list.set(0, b"?");
        for number in 0..self.len() {
            if let Entry::Data(_) = self.entry(of, number)
                && let Some(name) = name(self, number as i64)
            {
                let told = if name.is_empty() { "?" } else { &name };
                let _ = list.set(number + 1, told.as_bytes());
            }
        }
        list
    }

    /// Returns what is wrong with the records, at most one fault of each kind for each type.
    /// O(records).
    pub(super) fn faults(self) -> Vec<Flaw> {
        let mut faults = Vec::new();
        for of in Type::ALL {
            let (mut form, mut cut) = (None, None);
            for number in 0..self.len() {
                match self.entry(of, number) {
                    Entry::Bad(what) if what == flaws::NAMES_CUT => cut = Some(what),
                    Entry::Bad(what) => form = Some(what),
                    Entry::Data(data) if !has_form(of, data) => form = Some(flaws::NAME_FORM),
                    _ => {}
                }
            }
            faults.extend(form.into_iter().chain(cut));
            faults.extend(self.count_fault(of));
            faults.extend(self.deleted_fault(of).break_value());
        }
        faults
    }

    /// The last rounds of records need not hold one of each type.
    fn count_fault(self, of: Type) -> Option<Flaw> {
        let place = self.places[of as usize];
        let count = usize::try_from(place.count);
        let is_possible = count.is_ok_and(|count| count <= self.len());
        (place.bytes > 0 && !is_possible).then_some(flaws::NAME_COUNT)
    }

    /// Follows the list of deleted records.
    fn deleted_fault(self, of: Type) -> ControlFlow<Flaw> {
        let mut next = self.places[of as usize].first_deleted;
        for _ in 0..=self.len() {
            if next == -1 {
                return ControlFlow::Continue(());
            }
            let number = usize::try_from(next).unwrap_or(usize::MAX);
            match self.entry(of, number) {
                Entry::Deleted { next: following } => next = following,
                _ => return ControlFlow::Break(flaws::DELETED_NOWHERE),
            }
        }
        ControlFlow::Break(flaws::DELETED_CIRCLE)
    }
}

/// Reads a size from the header; `None` for a negative one.
fn size_at(file: &[u8], at: usize) -> Option<usize> {
    let bytes = file.get(at..)?.first_chunk()?;
    usize::try_from(i32::from_be_bytes(*bytes)).ok()
}

fn has_form(of: Type, data: &[u8]) -> bool {
    match of {
        Type::Player => player(data).is_some(),
        Type::Tournament => tournament(data).is_some(),
        Type::Source => source(data).is_some(),
        Type::Team => text(&mut Cursor::new(data)).is_some(),
        Type::Tag => titles(data).is_some(),
    }
}

/// Reads a little-endian number.
pub(super) fn int(cursor: &mut Cursor<'_>) -> Option<i32> {
    cursor.uint_be(4).map(|number| number.swap_bytes() as i32)
}

/// Reads a text and its length.
pub(super) fn text<'a>(cursor: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let length = usize::try_from(int(cursor)?).ok()?;
    cursor.take(length)
}

/// Calls `tell` with the texts of a record that are read.
fn each_text<'a>(of: Type, data: &'a [u8], tell: &mut dyn FnMut(&'a [u8])) {
    match of {
        Type::Tag => {
            let titles = titles(data).unwrap_or_default();
            titles.into_iter().for_each(|(_, title)| tell(title));
        }
        _ => {
            let mut cursor = Cursor::new(data);
            let texts = if of == Type::Team { 1 } else { 2 };
            let texts = (0..texts).map_while(|_| text(&mut cursor));
            texts.for_each(tell);
        }
    }
}

struct Player<'a> {
    last: &'a [u8],
    first: &'a [u8],
    fide_id: i64,
}

impl Player<'_> {
    /// Returns the name as `Last, First`.
    fn name(&self, charset: Charset) -> String {
        let mut name = charset.decode(self.last).into_owned();
        if !self.first.is_empty() {
            name.push_str(", ");
            name.push_str(&charset.decode(self.first));
        }
        name
    }
}

fn player(data: &[u8]) -> Option<Player<'_>> {
    let mut cursor = Cursor::new(data);
    let (last, first) = (text(&mut cursor)?, text(&mut cursor)?);
    // Two unused numbers, the number with ChessBase, and its kind.
    let fide_id = cursor.take(16).and_then(|_| cursor.rest().first_chunk());
    Some(Player {
        last,
        first,
        fide_id: fide_id.map_or(0, |&id| i64::from_le_bytes(id)),
    })
}

/// What is read of a tournament.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tournament<'a> {
    charset: Charset,
    place: &'a [u8],
    title: &'a [u8],
    pub(super) date: PartialDate,
    pub(super) end_date: PartialDate,
    /// As in a `.cbt` file.
    pub(super) kind: u8,
    pub(super) category: u8,
    pub(super) rounds: u8,
}

impl Tournament<'_> {
    pub(super) fn place(&self) -> String {
        self.charset.decode(self.place).into_owned()
    }

    pub(super) fn title(&self) -> String {
        self.charset.decode(self.title).into_owned()
    }
}

fn tournament(data: &[u8]) -> Option<Tournament<'_>> {
    /// Offset after the texts of the number of tie-breaks.
    const TIE_BREAKS_AT: usize = 58;
    let mut cursor = Cursor::new(data);
    let (place, title) = (text(&mut cursor)?, text(&mut cursor)?);
    let tail = cursor.rest();
    let byte = |at: usize| tail.get(at).copied().unwrap_or_default();
    let date_at = |at: usize| {
        let bytes = tail.get(at..).and_then(|tail| tail.first_chunk());
        bytes.map_or(PartialDate::UNKNOWN, |&bytes| {
            record::date(i32::from_le_bytes(bytes))
        })
    };
    let breaks = u16::from_le_bytes([byte(TIE_BREAKS_AT), byte(TIE_BREAKS_AT + 1)]);
    Some(Tournament {
        charset: Charset::Windows1252,
        place,
        title,
        date: date_at(0),
        end_date: date_at(TIE_BREAKS_AT + 2 + 2 * usize::from(breaks)),
        kind: byte(4),
        category: byte(8),
        rounds: byte(10),
    })
}

/// What is read of a source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    charset: Charset,
    title: &'a [u8],
    publisher: &'a [u8],
    pub(super) date: PartialDate,
}

impl Source<'_> {
    pub(super) fn title(&self) -> String {
        self.charset.decode(self.title).into_owned()
    }

    pub(super) fn publisher(&self) -> String {
        self.charset.decode(self.publisher).into_owned()
    }
}

fn source(data: &[u8]) -> Option<Source<'_>> {
    let mut cursor = Cursor::new(data);
    let (title, publisher) = (text(&mut cursor)?, text(&mut cursor)?);
    // The day of publication comes first.
    let date = int(&mut cursor).and_then(|_| int(&mut cursor));
    Some(Source {
        charset: Charset::Windows1252,
        title,
        publisher,
        date: date.map_or(PartialDate::UNKNOWN, record::date),
    })
}

fn titles(data: &[u8]) -> Option<Vec<(u8, &[u8])>> {
    let mut cursor = Cursor::new(data);
    let mut titles = Vec::new();
    for _ in 0..int(&mut cursor)? {
        let language = int(&mut cursor)?;
        let title = text(&mut cursor)?;
        if !title.is_empty() {
            let language = u8::try_from(language).unwrap_or(u8::MAX);
            titles.push((language, title));
        }
    }
    Some(titles)
}
