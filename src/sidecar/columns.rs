//! Copies of the fields that header queries scan, stored by field instead of by game.
//!
//! A query reads only the columns that it needs, sequentially, and compares many values at a time.

use shakmaty::Color;
use tabiya_formats::{Header, NameSlot};
use zerocopy::{
    FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
    little_endian::{U16, U32},
};

use super::{part::Block, write::Blobs};

/// Blob numbers of the columns.
#[derive(Debug, Clone, Copy)]
enum Column {
    WhiteRating = 0,
    BlackRating = 1,
    Date = 2,
    Eco = 3,
    Result = 4,
    PliesAtLeast = 5,
    PliesAtMost = 6,
    White = 7,
    Black = 8,
    Flags = 9,
}

/// In the column of greatest plies: no bound, or none that fits.
pub(crate) const NO_BOUND: u16 = u16::MAX;

/// Returns the columns of a block.
pub(super) fn collect<R: Header>(records: &[R]) -> Blobs {
    let mut blobs = Blobs::default();
    let mut push = |bytes: &[u8]| blobs.push_bytes(bytes);
    let wide = |value: &dyn Fn(&R) -> u32| -> Vec<U32> {
        records.iter().map(|record| value(record).into()).collect()
    };
    let short = |value: &dyn Fn(&R) -> u16| -> Vec<U16> {
        records.iter().map(|record| value(record).into()).collect()
    };
    let clamped = |number: u32| u16::try_from(number).unwrap_or(NO_BOUND);
    push(short(&|record| record.rating_value(Color::White)).as_bytes());
    push(short(&|record| record.rating_value(Color::Black)).as_bytes());
    push(wide(&|record| record.date().packed()).as_bytes());
    push(short(&|record| record.eco().map_or(0, |eco| eco.code())).as_bytes());
    let results: Vec<u8> = records.iter().map(|record| record.result() as u8).collect();
    push(&results);
    push(short(&|record| clamped(record.plies().at_least)).as_bytes());
    push(short(&|record| clamped(record.plies().at_most)).as_bytes());
    push(wide(&|record| record.name(NameSlot::White).0).as_bytes());
    push(wide(&|record| record.name(NameSlot::Black).0).as_bytes());
    push(wide(&Header::flags).as_bytes());
    blobs
}

/// The columns of one block. Each is `None` if it is damaged.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a>(pub(super) Block<'a>);

impl<'a> Columns<'a> {
    /// Returns the ratings as stored, 0 if missing.
    pub(crate) fn ratings(self, color: Color) -> Option<&'a [U16]> {
        self.values(color.fold_wb(Column::WhiteRating, Column::BlackRating))
    }

    /// Returns the packed dates.
    pub(crate) fn dates(self) -> Option<&'a [U32]> {
        self.values(Column::Date)
    }

    /// Returns the opening codes; 0 if missing.
    pub(crate) fn ecos(self) -> Option<&'a [U16]> {
        self.values(Column::Eco)
    }

    /// Returns the results, as numbers of [`GameResult`](tabiya_chess::GameResult).
    pub(crate) fn results(self) -> Option<&'a [u8]> {
        self.values(Column::Result)
    }

    /// Returns the least and the greatest number of plies of each game; see [`NO_BOUND`].
    pub(crate) fn plies(self) -> Option<(&'a [U16], &'a [U16])> {
        self.values(Column::PliesAtLeast)
            .zip(self.values(Column::PliesAtMost))
    }

    /// Returns the name IDs of the players.
    pub(crate) fn players(self, color: Color) -> Option<&'a [U32]> {
        self.values(color.fold_wb(Column::White, Column::Black))
    }

    /// Returns the flags.
    pub(crate) fn flags(self) -> Option<&'a [U32]> {
        self.values(Column::Flags)
    }

    fn values<T>(self, column: Column) -> Option<&'a [T]>
    where
        T: FromBytes + Immutable + KnownLayout + Unaligned,
    {
        let values = <[T]>::ref_from_bytes(self.0.bytes(column as u16)?).ok()?;
        (values.len() == self.0.games as usize).then_some(values)
    }
}
