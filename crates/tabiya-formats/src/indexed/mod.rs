//! An index of games whose files hold none: PGN, Monty, jose.
//!
//! It is made when the file is opened, in one pass over all games: every game is passed to a
//! [`Survey`] on some thread, and [builders](Builder) of games that follow each other are joined in
//! order. The records hold the same facts as Scid's, so the same prefilters serve the same queries.
//! A game takes 80 bytes; every name is stored once. Where playing a game's text is slow, the index
//! also keeps the main lines, about a byte a ply. A sidecar may hold the whole index, see
//! [`stored`].

mod record;
pub mod stored;
mod survey;

use tabiya_chess::{NameId, NameKind};
use zerocopy::little_endian::U64;

pub use self::stored::StoredIndex;
pub(crate) use self::{record::Record, survey::Survey};
use super::{
    game::GameHeader,
    header::{Header, NameSlot},
    interner::Interner,
    names::NameList,
};
use crate::error::{Error, Result};

/// Records, names and main lines of all games.
#[derive(Debug, Default)]
pub(crate) struct Index {
    records: Vec<Record>,
    names: [NameList; 4],
    lines: Lines,
}

/// The main lines of all games, one after the other, as [`LineEncoder`](super::scid4::LineEncoder)
/// writes them.
#[derive(Debug, Default)]
struct Lines {
    /// Where each game's line ends, and the next begins; empty if no lines are kept.
    ends: Vec<U64>,
    bytes: Vec<u8>,
}

impl Index {
    /// Returns the records, one per game.
    pub(crate) fn records(&self) -> &[Record] {
        &self.records
    }

    /// Returns the names of one kind.
    pub(crate) fn names(&self, kind: NameKind) -> &NameList {
        &self.names[kind as usize]
    }

    /// Returns the number of games.
    pub(crate) fn game_count(&self) -> u32 {
        self.records.len() as u32
    }

    /// Returns a game's main line; empty if it is not kept.
    #[inline]
    pub(crate) fn line(&self, record: &Record) -> &[u8] {
        let number = record.number();
        let end = |game: usize| {
            self.lines
                .ends
                .get(game)
                .map_or(0, |end| end.get() as usize)
        };
        let start = number.checked_sub(1).map_or(0, end);
        self.lines.bytes.get(start..end(number)).unwrap_or_default()
    }
}

/// Makes an index of games that follow each other.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    records: Vec<Record>,
    names: [Interner; 4],
    /// The names of the last game: the next often has the same.
    last: [NameId; 5],
    line_ends: Vec<U64>,
    lines: Vec<u8>,
}

impl Builder {
    /// Continues after the first games of an index; `None` if it is damaged. The result is the same
    /// as after these games alone.
    pub(crate) fn after(older: &StoredIndex, games: usize) -> Option<Builder> {
        let records = older.records_in(0..games)?;
        let (ends, lines) = older.lines(games)?;
        let (records, (names, (line_ends, lines))) = rayon::join(
            || records.to_vec(),
            || {
                let names = interned(older, records);
                (names, (ends.to_vec(), lines.to_vec()))
            },
        );
        Some(Builder {
            records,
            names: names?,
            line_ends,
            lines,
            ..Builder::default()
        })
    }

    /// Adds a game: its header, the range of its bytes and what a survey found; `is_read` says
    /// whether the survey saw the whole game.
    ///
    /// # Errors
    /// `LimitExceeded` if the names of one kind take more than 4 GiB, or if there are too many
    /// games.
    pub(crate) fn push(
        &mut self,
        header: &GameHeader,
        place: (u64, u32),
        survey: &mut Survey,
        is_read: bool,
    ) -> Result<()> {
        let names = [
            &header.white,
            &header.black,
            &header.event,
            &header.site,
            &header.round,
        ];
        let names = names.map(|name| name.as_bytes());
        self.push_named(header, names, place, survey, is_read)
    }

    /// Adds a game as [`push`](Builder::push) does, with names, by [`NameSlot`], that its header
    /// need not hold.
    ///
    /// # Errors
    /// Those of [`push`](Builder::push).
    pub(crate) fn push_named(
        &mut self,
        header: &GameHeader,
        names: [&[u8]; 5],
        place: (u64, u32),
        survey: &mut Survey,
        is_read: bool,
    ) -> Result<()> {
        let mut record = Record::new(header, place, survey, is_read);
        for (slot, name) in NameSlot::ALL.into_iter().zip(names) {
            let (kind, last) = (slot.kind(), self.last[slot as usize]);
            let id = match self.names[kind as usize].names().get(last) {
                Some(same) if same == name => last,
                _ => self.intern(kind, name)?,
            };
            self.last[slot as usize] = id;
            record.names[slot as usize] = id.0.into();
        }
        if let Some(line) = survey.line() {
            self.lines
                .extend(line.filter(|_| is_read).unwrap_or_default());
            self.line_ends.push((self.lines.len() as u64).into());
        }
        self.add(record)
    }

    fn add(&mut self, mut record: Record) -> Result<()> {
        let number = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
        if number == u32::MAX {
            return Err(Error::limit("the number of games", u32::MAX.into()));
        }
        record.number = number.into();
        self.records.push(record);
        Ok(())
    }

    /// Adds the games of another builder after these.
    ///
    /// # Errors
    /// Those of [`push`](Builder::push).
    pub(crate) fn append(&mut self, other: Builder) -> Result<()> {
        self.append_index(other.finish(), 0)
    }

    /// Adds the games of an index after these. `shift` is added to the offsets of its games.
    ///
    /// # Errors
    /// Those of [`push`](Builder::push).
    pub(crate) fn append_index(&mut self, other: Index, shift: u64) -> Result<()> {
        let mut ids: [Vec<NameId>; 4] = Default::default();
        for (kind, ids) in NameKind::ALL.into_iter().zip(&mut ids) {
            let names = other.names(kind);
            ids.reserve(names.ids());
            for id in 0..names.ids() {
                let name = names.get(NameId(id as u32)).unwrap_or_default();
                ids.push(self.intern(kind, name)?);
            }
        }
        for mut record in other.records {
            for (slot, id) in NameSlot::ALL.into_iter().zip(&mut record.names) {
                let joined = ids[slot.kind() as usize].get(id.get() as usize);
                *id = joined.map_or(u32::MAX, |id| id.0).into();
            }
            record.move_by(shift);
            self.add(record)?;
        }
        let before = self.lines.len() as u64;
        let ends = other.lines.ends.iter().map(|end| before + end.get());
        self.line_ends.extend(ends.map(U64::new));
        self.lines.extend_from_slice(&other.lines.bytes);
        Ok(())
    }

    fn intern(&mut self, kind: NameKind, name: &[u8]) -> Result<NameId> {
        let id = self.names[kind as usize].intern(name);
        id.ok_or_else(|| Error::limit("the length of all names", u32::MAX.into()))
    }

    /// Returns the number of games.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns the index.
    pub(crate) fn finish(mut self) -> Index {
        self.records.shrink_to_fit();
        self.lines.shrink_to_fit();
        Index {
            records: self.records,
            names: self.names.map(Interner::into_names),
            lines: Lines {
                ends: self.line_ends,
                bytes: self.lines,
            },
        }
    }
}

/// Returns the names of the first games of an index, whose records these are; `None` if they are
/// damaged.
fn interned(older: &StoredIndex, records: &[Record]) -> Option<[Interner; 4]> {
    // Names are numbered by first use.
    let mut counts = [0; 4];
    for record in records {
        for slot in NameSlot::ALL {
            let count = &mut counts[slot.kind() as usize];
            *count = record.name(slot).0.saturating_add(1).max(*count);
        }
    }
    let mut interned: [Interner; 4] = Default::default();
    for kind in NameKind::ALL {
        let names = older.names(kind)?;
        for id in (0..counts[kind as usize]).map(NameId) {
            let known = interned[kind as usize].intern(names.get(id)?)?;
            (known == id).then_some(())?;
        }
    }
    Some(interned)
}

/// Returns the bytes of a record's game.
pub(crate) fn game_bytes<'b>(bytes: &'b [u8], record: &Record) -> &'b [u8] {
    let start = usize::try_from(record.offset_bytes()).unwrap_or(usize::MAX);
    let game = bytes.get(start..).unwrap_or_default();
    game.get(..record.length_bytes() as usize).unwrap_or(game)
}
