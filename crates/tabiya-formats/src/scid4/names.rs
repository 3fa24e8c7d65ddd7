//! The names of a `.sn4` file: four front-coded lists.
//!
//! | offset | bytes | meaning |
//! |---|---|---|
//! | 0 | 8 | `Scid.sn\0` |
//! | 8 | 4 | unused |
//! | 12 | 4 × 3 | number of players, events, sites, rounds; big-endian |
//! | 24 | 4 × 3 | highest frequency in each list |
//! | 36 | | the lists, consecutively in this order |
//!
//! An entry is the ID (3 bytes if the list holds 65 536 names or more, else 2), the frequency
//! (1, 2 or 3 bytes, as the highest needs), the name's length (1), the number of bytes shared
//! with the previous entry (1, absent in a list's first entry) and the remaining bytes.
//! Frequencies are ignored, except when salvaging and when games are added.

use tabiya_chess::NameKind;

use super::flaws;
use crate::{
    TextEncoding,
    bytes::Cursor,
    damage::Flaw,
    encoding::{Charset, Evidence},
    error::{Error, Result},
    names::NameList,
};

pub(super) const MAGIC: &[u8; 8] = b"Scid.sn\0";
pub(super) const HEADER_BYTES: usize = 36;

/// Front coding can encode 255 bytes in six. Real files expand to two or three times their
/// size; this bound keeps a crafted file whose entries add no bytes from exhausting memory.
const EXPANSION_MAX: usize = 48;

/// All names of a database, stored as undecoded bytes.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(super) lists: [NameList; 4],
    /// How the names were read, and other texts are.
    pub(super) charset: Charset,
    /// The user's description of the database; only `.sn5` stores it.
    pub(super) description: Vec<u8>,
    /// Why the file could not be read to its end; the names before that are kept.
    pub(crate) damage: Option<Error>,
    /// Faults of the file that did not keep anything from being read.
    pub(crate) oddities: Vec<Error>,
}

impl Names {
    /// Reads all lists. O(size of the file).
    ///
    /// Names before damage are kept, see [`Names::damage`].
    pub(crate) fn parse(file: &[u8]) -> Result<Names> {
        Names::parse_with(file, |_, _, _| {})
    }

    /// Reads all lists, and tells of each name the list, the ID, and how many games have it.
    pub(super) fn parse_with(file: &[u8], mut tell: impl FnMut(usize, u32, u32)) -> Result<Names> {
        if file.len() < HEADER_BYTES {
            let (needed, found) = (HEADER_BYTES as u64, file.len() as u64);
            return Err(Error::truncated("the header of the names", needed, found));
        }
        let mut cursor = Cursor::new(file);
        if cursor.take(8) != Some(MAGIC) {
            return Err(Error::corrupt(flaws::NOT_A_NAME_FILE).at_offset(0));
        }
        cursor.take(4);
        let mut counts = [0; 4];
        let mut frequencies_max = [0; 4];
        for number in counts.iter_mut().chain(&mut frequencies_max) {
            *number = cursor.u24_be().unwrap_or_default();
        }
        let mut names = Names::default();
        let mut budget = EXPANSION_MAX * file.len();
        for (index, list) in names.lists.iter_mut().enumerate() {
            let widths = Widths::of(counts[index], frequencies_max[index]);
            let tell = |id, frequency| tell(index, id, frequency);
            let read = read_list(list, &mut cursor, counts[index], widths, &mut budget, tell);
            if let Err(what) = read {
                names.damage = Some(Error::corrupt(what).at_offset(cursor.offset() as u64));
                break;
            }
            if list.named() < list.ids() {
                let what = flaws::ID_GIVEN_TWICE;
                names.oddities.push(Error::corrupt(what));
            }
        }
        if names.damage.is_none() && cursor.left() > 0 {
            let what = flaws::NAME_FILE_TOO_LONG;
            let offset = cursor.offset() as u64;
            names.oddities.push(Error::corrupt(what).at_offset(offset));
        }
        Ok(names)
    }

    /// Converts all lists to UTF-8, from an encoding that somebody said or that is guessed of them
    /// all.
    pub(super) fn converted(mut self, said: Option<TextEncoding>) -> Names {
        let guess = || {
            let mut evidence = Evidence::default();
            self.lists.iter().for_each(|list| list.tell(&mut evidence));
            evidence.guess()
        };
        self.charset = Charset::Latin1.or(said.or_else(guess));
        let lists = self.lists.iter_mut();
        lists.for_each(|list| list.convert(self.charset));
        self
    }

    /// Returns the list of one kind.
    pub(crate) fn list(&self, kind: NameKind) -> &NameList {
        &self.lists[kind as usize]
    }
}

/// Widths in bytes of the ID and the frequency in one list.
#[derive(Clone, Copy)]
pub(super) struct Widths {
    pub(super) id: usize,
    pub(super) frequency: usize,
}

impl Widths {
    pub(super) fn of(count: u32, frequency_max: u32) -> Widths {
        Widths {
            id: if count >= 65_536 { 3 } else { 2 },
            frequency: match frequency_max {
                0..256 => 1,
                256..65_536 => 2,
                _ => 3,
            },
        }
    }
}

/// Reads one list. On error the names read so far are in the list.
fn read_list(
    list: &mut NameList,
    cursor: &mut Cursor<'_>,
    count: u32,
    widths: Widths,
    budget: &mut usize,
    mut tell: impl FnMut(u32, u32),
) -> Result<(), Flaw> {
    // The file's size limits how many names are reserved.
    let entry_bytes_min = widths.id + widths.frequency + 1;
    *list = NameList::with_len((count as usize).min(cursor.left() / entry_bytes_min));
    let mut previous = 0..0;
    for index in 0..count {
        let id = cursor.uint_be(widths.id).ok_or(flaws::NAMES_CUT)?;
        let frequency = cursor.uint_be(widths.frequency).ok_or(flaws::NAMES_CUT)?;
        tell(id, frequency);
        let length = usize::from(cursor.u8().ok_or(flaws::NAMES_CUT)?);
        let shared = match index {
            0 => 0,
            _ => usize::from(cursor.u8().ok_or(flaws::NAMES_CUT)?),
        };
        let rest = length
            .checked_sub(shared)
            .ok_or(flaws::NAME_SHARES_TOO_MUCH)?;
        let rest = cursor.take(rest).ok_or(flaws::NAMES_CUT)?;
        *budget = budget
            .checked_sub(length)
            .ok_or(flaws::NAMES_EXPAND_TOO_FAR)?;
        previous = list
            .set_front_coded(id as usize, &previous, shared, rest)
            .ok_or(flaws::NAME_ID_OUT_OF_RANGE)?;
    }
    Ok(())
}
