//! The rows of a damaged table: where a block is unreadable, the next one is searched for.
//!
//! A readable row that its values fill is accepted whatever surrounds it. Any other block is
//! accepted only if more blocks follow it and no such row begins inside it.

use super::{
    Table,
    rows::{BLOCK_ALIGNMENT, Block},
};

/// Consecutive blocks required to accept a block.
const FOLLOWING: usize = 3;
/// Largest row in several blocks, in bytes: joining its blocks is tried at many offsets.
const SPLIT_ROW_BYTES_MAX: u64 = 1 << 18;

impl Table {
    /// Returns the offsets of readable rows and of unreadable ones between them, and the offset of
    /// the first bytes that are neither.
    pub(crate) fn salvaged_offsets(&self) -> (Vec<u64>, Option<u64>) {
        if !self.layout.is_packed {
            return (self.fixed_offsets(), None);
        }
        let (mut offsets, mut gap) = (Vec::new(), None);
        let (mut at, end) = (0, self.rows.bytes.len() as u64);
        let mut whole_rows = WholeRows::default();
        while at < end {
            let block = self.block_inside(at).filter(|block| {
                self.is_whole_row(at)
                    || self.is_followed(at)
                        && whole_rows.first(self, at + 1, block.end(at)).is_none()
            });
            let Some(block) = block else {
                gap.get_or_insert(at);
                at += BLOCK_ALIGNMENT;
                continue;
            };
            if block.begins {
                offsets.push(at);
            }
            // The number of unused bytes in a block may be damaged too.
            let hidden = whole_rows.first(self, block.used_end(at), block.end(at));
            at = hidden.unwrap_or_else(|| block.end(at));
        }
        (offsets, gap)
    }

    /// Reads the header of a block that ends within the file.
    fn block_inside(&self, at: u64) -> Option<Block> {
        let length = self.rows.bytes.len() as u64;
        // The last block may lack its padding.
        self.block(at)
            .filter(|block| block.end(at) < length + BLOCK_ALIGNMENT)
    }

    /// Whether a row begins here that its values fill.
    fn is_whole_row(&self, at: u64) -> bool {
        let may_be_one = |block: Block| {
            let row_bytes = block.row_bytes.unwrap_or_default();
            block.begins && row_bytes <= SPLIT_ROW_BYTES_MAX
        };
        self.block(at).is_some_and(may_be_one) && self.row(at).is_ok_and(|row| row.is_filled())
    }

    /// Whether several consecutive blocks, or all the remaining ones, follow from here.
    fn is_followed(&self, mut at: u64) -> bool {
        for _ in 0..FOLLOWING {
            if at >= self.rows.bytes.len() as u64 {
                return true;
            }
            match self.block_inside(at) {
                Some(block) => at = block.end(at),
                None => return false,
            }
        }
        true
    }
}

/// Searches for whole rows, at each offset once.
#[derive(Default)]
struct WholeRows {
    /// No whole row begins between the start of the last search and here.
    searched_to: u64,
}

impl WholeRows {
    /// Returns the offset of the first whole row at or after `from` and before `end`. Calls must be
    /// in the order of their offsets.
    fn first(&mut self, table: &Table, from: u64, end: u64) -> Option<u64> {
        let from = from.next_multiple_of(BLOCK_ALIGNMENT);
        self.searched_to = self.searched_to.max(from);
        while self.searched_to < end {
            if table.is_whole_row(self.searched_to) {
                return Some(self.searched_to);
            }
            self.searched_to += BLOCK_ALIGNMENT;
        }
        None
    }
}
