//! The rows of a damaged table: where blocks do not follow each other, the next is looked for.
//!
//! A row that can be read and whose values fill it is one, whatever stands around it. Any other
//! block is believed only where more blocks follow it and no such row begins inside.

use super::{
    Table,
    rows::{BLOCK_ALIGNMENT, Block},
};

/// Blocks that must follow each other to be believed.
const FOLLOWING: usize = 3;
/// Bytes of a row in several blocks at most: putting it together is tried at many places.
const SPLIT_ROW_BYTES_MAX: u64 = 1 << 18;

impl Table {
    /// Returns where the rows begin that can be read, and those between them that cannot. The
    /// second result tells where the first bytes are that are neither.
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
            // How much of a block is not used may be damaged too.
            let hidden = whole_rows.first(self, block.used_end(at), block.end(at));
            at = hidden.unwrap_or_else(|| block.end(at));
        }
        (offsets, gap)
    }

    /// Reads the header of a block that ends within the file.
    fn block_inside(&self, at: u64) -> Option<Block> {
        let length = self.rows.bytes.len() as u64;
        // The last block may lack what would fill it up.
        self.block(at)
            .filter(|block| block.end(at) < length + BLOCK_ALIGNMENT)
    }

    /// Tells whether a row begins here whose values fill it.
    fn is_whole_row(&self, at: u64) -> bool {
        let may_be_one = |block: Block| {
            let row_bytes = block.row_bytes.unwrap_or_default();
            block.begins && row_bytes <= SPLIT_ROW_BYTES_MAX
        };
        self.block(at).is_some_and(may_be_one) && self.row(at).is_ok_and(|row| row.is_filled())
    }

    /// Tells whether several blocks follow each other from here on, or all that are left.
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

/// Looks for whole rows, at each place once.
#[derive(Default)]
struct WholeRows {
    /// No whole row begins from where the latest question began up to here.
    searched_to: u64,
}

impl WholeRows {
    /// Returns where the first whole row begins from an offset on and before `end`. Questions
    /// come in the order of their offsets.
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
