//! The columns of a table.

use crate::error::{Error, Result};
use crate::jose::flaws;

/// The first bytes of a `.MYI` file.
const MAGIC: [u8; 4] = [0xfe, 0xfe, 7, 1];
/// Bits of the options at offset 4.
const PACKED: u16 = 1;
const COMPRESSED: u16 = 4;
/// Bytes of a column description at the end of the header.
const COLUMN_BYTES: usize = 7;
/// More columns than any table of jose has.
pub(super) const COLUMNS_MAX: usize = 64;

/// How a value is packed into a row stored in blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    /// Stored as is.
    Plain,
    /// Without trailing blanks, if flagged.
    WithoutBlanks,
    /// Left out if flagged: then all its bytes are 0.
    UnlessZero,
    /// A length of this many bytes, little-endian, and the value; left out if flagged.
    Blob(usize),
    /// A length of one byte, or if long of one or three, and the value.
    Text { is_long: bool },
}

impl Packing {
    /// Whether a row contains a flag for such a column.
    pub(super) fn has_flag(self) -> bool {
        !matches!(self, Packing::Plain | Packing::Text { .. })
    }
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    pub(super) packing: Packing,
    /// Bytes of the value in an unpacked row.
    pub(super) length: usize,
    /// The mask of the NULL bit in the row's flags, and its byte; 0 if there is no such bit.
    pub(super) null_bit: u8,
    pub(super) null_byte: usize,
}

/// How the rows of a table are laid out.
#[derive(Debug)]
pub(super) struct Layout {
    /// Whether rows are packed into blocks.
    pub(super) is_packed: bool,
    /// Bytes of an unpacked row.
    pub(super) row_bytes: usize,
    pub(super) columns: Vec<Column>,
}

/// Reads the header of a `.MYI` file; its numbers are big-endian.
pub(super) fn read_layout(file: &[u8]) -> Result<Layout> {
    if file.get(..4) != Some(&MAGIC) {
        return Err(Error::corrupt(flaws::NOT_A_TABLE_INDEX).at_offset(0));
    }
    let cut = || Error::corrupt(flaws::TABLE_HEADER_CUT);
    let number = |at: usize, width: usize| {
        let bytes = file.get(at..at.checked_add(width)?)?;
        Some(
            bytes
                .iter()
                .fold(0, |n: usize, &byte| n << 8 | usize::from(byte)),
        )
    };
    let options = number(4, 2).ok_or_else(cut)? as u16;
    if options & COMPRESSED != 0 {
        let what = "a compressed MyISAM table (a new export from jose as .jose is read)";
        return Err(Error::unsupported(what));
    }
    let header_bytes = number(6, 2).ok_or_else(cut)?;
    let base = number(12, 2).ok_or_else(cut)?;
    let row_bytes = number(base + 44, 4).ok_or_else(cut)?;
    let count = number(base + 64, 4).ok_or_else(cut)?;
    if count == 0 || count > COLUMNS_MAX || row_bytes == 0 {
        return Err(Error::corrupt(flaws::COLUMN_COUNT));
    }
    let first = header_bytes
        .checked_sub(COLUMN_BYTES * count)
        .ok_or_else(cut)?;
    let columns = (0..count).map(|index| {
        let at = first + COLUMN_BYTES * index;
        let length = number(at + 2, 2)?;
        Some(Column {
            packing: packing(number(at, 2)?, length)?,
            length,
            null_bit: number(at + 4, 1)? as u8,
            null_byte: number(at + 5, 2)?,
        })
    });
    let columns = columns.collect::<Option<_>>();
    Ok(Layout {
        is_packed: options & PACKED != 0,
        row_bytes,
        columns: columns.ok_or_else(|| Error::corrupt(flaws::UNKNOWN_COLUMN))?,
    })
}

/// Returns the packing of a column type; `None` for types that jose's tables do not use.
fn packing(kind: usize, length: usize) -> Option<Packing> {
    Some(match kind {
        0 => Packing::Plain,
        1 => Packing::WithoutBlanks,
        3 => Packing::UnlessZero,
        4 => Packing::Blob(
            length
                .checked_sub(8)
                .filter(|width| (1..=4).contains(width))?,
        ),
        // The length includes that of the prefix.
        8 => Packing::Text {
            is_long: length > 256,
        },
        _ => return None,
    })
}

impl Layout {
    /// Whether the NULL bits are as in MyISAM: the nullable columns have consecutive bits, after a
    /// bit for deleted rows if there is one.
    pub(super) fn has_null_bits_in_turn(&self) -> bool {
        let nullable = |column: &&Column| column.null_bit != 0;
        let mut bits = self.columns.iter().filter(nullable);
        let Some(first) = bits.next() else {
            return true;
        };
        let begins = first.null_byte == 0 && matches!(first.null_bit, 1 | 2);
        let in_turn = |number: usize, column: &Column| {
            (column.null_byte, column.null_bit) == (number / 8, 1 << (number % 8))
        };
        let next = usize::from(first.null_bit);
        begins
            && (next..)
                .zip(bits)
                .all(|(number, column)| in_turn(number, column))
    }

    /// Assigns consecutive bits to the nullable columns. `nullable` covers all columns except the
    /// flags column.
    pub(super) fn set_null_bits(&mut self, nullable: &[bool]) {
        let flags_only = self.columns.len() - nullable.len();
        let mut number = usize::from(!self.is_packed);
        for column in &mut self.columns {
            (column.null_byte, column.null_bit) = (0, 0);
        }
        for (column, _) in self.columns[flags_only..]
            .iter_mut()
            .zip(nullable)
            .filter(|of| *of.1)
        {
            (column.null_byte, column.null_bit) = (number / 8, 1 << (number % 8));
            number += 1;
        }
    }
}

/// A column as the `.frm` file describes it.
#[derive(Debug)]
pub(super) struct Described {
    pub(super) name: String,
    /// Whether a value may be NULL.
    pub(super) is_nullable: bool,
}

/// Reads the descriptions of the columns from a `.frm` file; its numbers are little-endian.
pub(super) fn read_described(file: &[u8]) -> Result<Vec<Described>> {
    described(file).ok_or_else(|| Error::corrupt(flaws::NOT_A_DESCRIPTION))
}

fn described(file: &[u8]) -> Option<Vec<Described>> {
    /// Size of a column's description before the names, and the offset of its flags.
    const COLUMN_BYTES: usize = 17;
    const FLAGS_AT: usize = 8;
    const NULLABLE: usize = 1 << 15;
    let number = |at: usize, width: usize| {
        let bytes = file.get(at..at.checked_add(width)?)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |n: usize, &byte| n << 8 | usize::from(byte)),
        )
    };
    let form = number(64 + number(4, 2)?, 4)?;
    let count = number(form.checked_add(258)?, 2).filter(|&count| count <= COLUMNS_MAX)?;
    let columns = form.checked_add(288 + number(form + 260, 2)?)?;
    let rest = file.get(columns.checked_add(COLUMN_BYTES * count)?..)?;
    // A byte 255 precedes the first name and follows each name.
    let mut parts = rest.split(|&byte| byte == 0xff).skip(1);
    (0..count)
        .map(|column| {
            let name = String::from_utf8(parts.next()?.to_vec()).ok()?;
            let flags = number(columns + COLUMN_BYTES * column + FLAGS_AT, 2)?;
            let is_nullable = flags & NULLABLE != 0;
            Some(Described { name, is_nullable })
        })
        .collect()
}
