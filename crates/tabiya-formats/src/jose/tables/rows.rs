//! The rows of a table.
//!
//! Packed rows are stored in blocks. A block begins with its type in one byte and one to three
//! big-endian numbers: the length of the row if the block is the row's first of several, the bytes
//! of the row in this block, the unused bytes, and the offset of the next block. Each block begins
//! at a multiple of four.
//!
//! A packed row is a flag bit for each column that may be left out, lowest bit first, and then the
//! columns in order.

use std::borrow::Cow;

use super::{
    Table,
    columns::{COLUMNS_MAX, Column, Layout, Packing},
};
use crate::{Damage, Decoded, bytes::Cursor, jose::flaws};

/// Blocks begin at multiples of this.
pub(super) const BLOCK_ALIGNMENT: u64 = 4;

/// The header of a block.
pub(super) struct Block {
    /// Bytes of the whole row, if it begins here and continues in another block.
    pub(super) row_bytes: Option<u64>,
    /// Whether a row begins here.
    pub(super) begins: bool,
    header_bytes: u64,
    bytes: u64,
    unused: u64,
    next: Option<u64>,
}

impl Block {
    /// Returns the end of the used bytes if this block begins at `at`.
    pub(super) fn used_end(&self, at: u64) -> u64 {
        at + self.header_bytes + self.bytes
    }

    /// Returns the offset of the next block if this one begins at `at`.
    pub(super) fn end(&self, at: u64) -> u64 {
        let end = self.used_end(at) + self.unused;
        end.next_multiple_of(BLOCK_ALIGNMENT)
    }
}

/// One row with the positions of its columns.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    bytes: Cow<'a, [u8]>,
    values: Values,
    /// Bytes up to the end of the last value.
    length: usize,
}

/// Start and end of each column's value; [`NULL`] if it has none.
type Values = [(u32, u32); COLUMNS_MAX];

/// The end is before the start, so that it reads as `None`.
const NULL: (u32, u32) = (u32::MAX, 0);

impl Row<'_> {
    /// Whether the row ends with its last value.
    pub(crate) fn is_filled(&self) -> bool {
        self.bytes.len() == self.length
    }

    /// Returns the bytes of a column; `None` for NULL. Values that are left out because they are 0
    /// are empty.
    pub(crate) fn value(&self, column: usize) -> Option<&[u8]> {
        let &(start, end) = self.values.get(column)?;
        self.bytes.get(start as usize..end as usize)
    }

    /// Returns a column as an unsigned number; 0 for NULL.
    pub(crate) fn number(&self, column: usize) -> u32 {
        let bytes = self.value(column).unwrap_or_default();
        let low = bytes.get(..4).unwrap_or(bytes);
        low.iter()
            .rev()
            .fold(0, |n, &byte| n << 8 | u32::from(byte))
    }
}

const CUT: Damage = Damage {
    what: flaws::ROW_CUT,
    at: 0,
};

impl Table {
    /// Returns the offsets of the rows, in file order, and the offset from which the file cannot be
    /// read.
    pub(crate) fn row_offsets(&self) -> (Vec<u64>, Option<u64>) {
        if self.layout.is_packed {
            self.packed_offsets()
        } else {
            (self.fixed_offsets(), None)
        }
    }

    pub(super) fn fixed_offsets(&self) -> Vec<u64> {
        let rows = self.rows.bytes.chunks_exact(self.layout.row_bytes);
        let rows = (0..).step_by(self.layout.row_bytes).zip(rows);
        // Bit 0 of a deleted row is clear.
        rows.filter(|(_, row)| row.first().is_some_and(|flags| flags & 1 != 0))
            .map(|(offset, _)| offset)
            .collect()
    }

    pub(super) fn packed_offsets(&self) -> (Vec<u64>, Option<u64>) {
        let mut offsets = Vec::new();
        let mut at = 0;
        while at < self.rows.bytes.len() as u64 {
            let Some(block) = self.block(at) else {
                return (offsets, Some(at));
            };
            if block.begins {
                offsets.push(at);
            }
            // A header is never empty, so the loop advances.
            at = block.end(at);
        }
        (offsets, None)
    }

    /// Reads the header of a block; `None` if there is none.
    pub(super) fn block(&self, at: u64) -> Option<Block> {
        let bytes = self.rows.bytes.get(usize::try_from(at).ok()?..)?;
        let mut cursor = Cursor::new(bytes);
        let kind = cursor.u8()?;
        // Widths of: length of the row, bytes here, bytes unused, offset of the next block.
        let (row, here, unused, next) = match kind {
            0 => (0, 3, 0, true),
            1 | 7 => (0, 2, 0, false),
            2 | 8 => (0, 3, 0, false),
            3 | 9 => (0, 2, 1, false),
            4 | 10 => (0, 3, 1, false),
            5 => (2, 2, 0, true),
            6 => (3, 3, 0, true),
            13 => (4, 3, 0, true),
            11 => (0, 2, 0, true),
            12 => (0, 3, 0, true),
            _ => return None,
        };
        let mut number = |width: usize| -> Option<u64> {
            let bytes = cursor.take(width)?;
            Some(bytes.iter().fold(0, |n, &byte| n << 8 | u64::from(byte)))
        };
        let (row_bytes, bytes, unused_bytes) = (number(row)?, number(here)?, number(unused)?);
        let next = if next { Some(number(8)?) } else { None };
        let header_bytes = cursor.offset() as u64;
        let is_deleted = kind == 0;
        Some(Block {
            row_bytes: (row > 0).then_some(row_bytes),
            begins: matches!(kind, 1..=6 | 13),
            header_bytes,
            // The length of a deleted block includes its header.
            bytes: if is_deleted {
                bytes.saturating_sub(header_bytes)
            } else {
                bytes
            },
            unused: unused_bytes,
            next: next.filter(|_| !is_deleted),
        })
    }

    /// Reads the row at an offset returned by [`row_offsets`](Table::row_offsets).
    pub(crate) fn row(&self, at: u64) -> Decoded<Row<'_>> {
        let bytes = if self.layout.is_packed {
            self.packed_bytes(at)
        } else {
            self.bytes_at(at, self.layout.row_bytes as u64)
                .map(Cow::Borrowed)
        };
        let bytes = bytes.ok_or(CUT)?;
        let values = if self.layout.is_packed {
            packed_values(&self.layout, &bytes)
        } else {
            fixed_values(&self.layout, &bytes)
        };
        let (values, length) = values.ok_or(CUT)?;
        Ok(Row {
            bytes,
            values,
            length,
        })
    }

    /// Returns the length of a row's first block, or of the whole fixed-length row, with its
    /// header.
    pub(crate) fn length(&self, at: u64) -> u32 {
        let length = if self.layout.is_packed {
            self.block(at)
                .map_or(0, |block| block.header_bytes + block.bytes)
        } else {
            self.layout.row_bytes as u64
        };
        u32::try_from(length).unwrap_or(u32::MAX)
    }

    fn bytes_at(&self, at: u64, length: u64) -> Option<&[u8]> {
        let (at, length) = (usize::try_from(at).ok()?, usize::try_from(length).ok()?);
        self.rows.bytes.get(at..)?.get(..length)
    }

    /// Returns the bytes of a packed row, joined if it is stored in several blocks.
    fn packed_bytes(&self, at: u64) -> Option<Cow<'_, [u8]>> {
        let first = self.block(at).filter(|block| block.begins)?;
        let part = |at: u64, block: &Block| self.bytes_at(at + block.header_bytes, block.bytes);
        let head = part(at, &first)?;
        let Some(row_bytes) = first.row_bytes else {
            return Some(Cow::Borrowed(head));
        };
        let mut bytes = head.to_vec();
        let mut next = first.next;
        while (bytes.len() as u64) < row_bytes {
            let at = next?;
            // Every block adds something, so that a cycle of blocks ends.
            let block = self
                .block(at)
                .filter(|block| !block.begins && block.bytes > 0)?;
            bytes.extend_from_slice(part(at, &block)?);
            next = block.next;
            if bytes.len() > self.rows.bytes.len() {
                return None;
            }
        }
        Some(Cow::Owned(bytes))
    }
}

/// Returns the values and the end of the last.
fn fixed_values(layout: &Layout, row: &[u8]) -> Option<(Values, usize)> {
    let mut values = [NULL; COLUMNS_MAX];
    let mut at = 0;
    for (column, value) in layout.columns.iter().zip(&mut values) {
        let start = at;
        at += column.length;
        if !is_null(column, row) {
            *value = (u32::try_from(start).ok()?, u32::try_from(at).ok()?);
        }
    }
    (at <= row.len()).then_some((values, at))
}

fn is_null(column: &Column, flags: &[u8]) -> bool {
    let flags = flags.get(column.null_byte).copied().unwrap_or_default();
    column.null_bit != 0 && flags & column.null_bit != 0
}

/// Returns the values and the end of the last.
fn packed_values(layout: &Layout, row: &[u8]) -> Option<(Values, usize)> {
    let flagged = layout
        .columns
        .iter()
        .filter(|column| column.packing.has_flag());
    let mut cursor = Cursor::new(row);
    let flags = cursor.take(flagged.count().div_ceil(8))?;
    let nulls_at = cursor.offset();
    let mut flag = 0;
    let mut values = [NULL; COLUMNS_MAX];
    for (column, value) in layout.columns.iter().zip(&mut values) {
        let is_flagged = column.packing.has_flag() && {
            flag += 1;
            flags[(flag - 1) / 8] >> ((flag - 1) % 8) & 1 != 0
        };
        let length = value_length(column, is_flagged, &mut cursor)?;
        let start = cursor.offset();
        cursor.take(length)?;
        if !is_null(column, &row[nulls_at..]) {
            *value = (
                u32::try_from(start).ok()?,
                u32::try_from(start + length).ok()?,
            );
        }
    }
    Some((values, cursor.offset()))
}

/// Reads the prefix of a value; returns the length of the value.
fn value_length(column: &Column, is_flagged: bool, cursor: &mut Cursor<'_>) -> Option<usize> {
    match column.packing {
        Packing::Plain => Some(column.length),
        Packing::UnlessZero | Packing::Blob(_) if is_flagged => Some(0),
        Packing::UnlessZero => Some(column.length),
        Packing::WithoutBlanks if !is_flagged => Some(column.length),
        Packing::WithoutBlanks => {
            let first = usize::from(cursor.u8()?);
            // Wide columns may use a second byte: the first then holds seven bits.
            if column.length > 255 && first & 0x80 != 0 {
                Some(first & 0x7f | usize::from(cursor.u8()?) << 7)
            } else {
                Some(first)
            }
        }
        Packing::Blob(width) => {
            let bytes = cursor.take(width)?;
            Some(
                bytes
                    .iter()
                    .rev()
                    .fold(0, |n, &byte| n << 8 | usize::from(byte)),
            )
        }
        Packing::Text { is_long } => match cursor.u8()? {
            255 if is_long => cursor.uint_be(2).map(|length| length as usize),
            length => Some(length.into()),
        },
    }
}
