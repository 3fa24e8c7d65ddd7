//! The blocks of a file, and its first bytes.

use std::ops::Range;

use memchr::memmem;

use super::flaws;
use crate::{damage::Flaw, limits::STOCKFISH_BLOCK_BYTES_MAX as BLOCK_BYTES_MAX};

/// The first bytes of a block, and so of a file.
const MAGIC: &[u8] = b"BINP";

/// Tells whether these are the first bytes of a file of this format.
pub(crate) fn is_stockfish(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Bytes before the data of a block.
const HEAD_BYTES: usize = 8;

/// A block of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// Where its data lie. They end where the next block begins or the file ends.
    pub(super) data: Range<usize>,
    /// What is wrong with its length.
    pub(super) flaw: Option<Flaw>,
}

/// The blocks of a file that begins with one, in order.
///
/// A length is believed if it leads to the first bytes of another block, or to the end of the file.
/// Otherwise the block ends at the next bytes that can be the head of one. Every byte is searched
/// at most once.
#[derive(Debug)]
pub(super) struct Blocks<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Blocks<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Blocks<'b> {
        Blocks { bytes, at: 0 }
    }

    /// Returns the length that the head of a block states.
    fn length(&self, head: usize) -> Option<usize> {
        let bytes = self.bytes.get(head + MAGIC.len()..)?.first_chunk()?;
        usize::try_from(u32::from_le_bytes(*bytes)).ok()
    }

    /// Returns the next place of a head with a length that can be.
    fn next_head(&self, from: usize) -> Option<usize> {
        let bytes = self.bytes.get(from..)?;
        memmem::find_iter(bytes, MAGIC)
            .map(|place| from + place)
            .find(|&head| {
                let left = self.bytes.len().saturating_sub(head + HEAD_BYTES);
                self.length(head)
                    .is_some_and(|length| length <= left.min(BLOCK_BYTES_MAX))
            })
    }
}

impl Iterator for Blocks<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        let file_end = self.bytes.len();
        if self.at >= file_end {
            return None;
        }
        let start = (self.at + HEAD_BYTES).min(file_end);
        let stated = self.length(self.at).map(|length| start + length);
        let is_believed = |end: &usize| {
            let follows = self.bytes.get(*end..);
            let leads_on = follows.is_some_and(|next| next.is_empty() || next.starts_with(MAGIC));
            leads_on && end - start <= BLOCK_BYTES_MAX
        };
        let believed = stated.filter(is_believed);
        let next = believed.or_else(|| self.next_head(start));
        let end = next.unwrap_or(file_end);
        let is_cut = next.is_none() && stated.is_none_or(|end| end > file_end);
        let wrong = if is_cut {
            flaws::BLOCK_CUT
        } else {
            flaws::BLOCK_LENGTH
        };
        self.at = end;
        Some(Block {
            data: start..end,
            flaw: believed.is_none().then_some(wrong),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(bytes: &[u8]) -> Vec<(Range<usize>, Option<Flaw>)> {
        let blocks = Blocks::new(bytes);
        blocks.map(|block| (block.data, block.flaw)).collect()
    }

    #[test]
    fn a_wrong_length_costs_no_other_block() {
        let three = b"BINP\x03\0\0\0abcBINP\0\0\0\0BINP\x02\0\0\0de".to_vec();
        let whole = [(8..11, None), (19..19, None), (27..29, None)];
        assert_eq!(found(&three), whole);
        for length in [0, 1, 4, 18, 19, 22, 100, u32::MAX] {
            let mut wrong = three.clone();
            wrong[4..8].copy_from_slice(&length.to_le_bytes());
            let mut expected = whole.to_vec();
            expected[0].1 = Some(flaws::BLOCK_LENGTH);
            assert_eq!(found(&wrong), expected, "{length}");
        }
        // The length of the last block is wrong.
        for length in [0, 1, 3, u32::MAX] {
            let mut wrong = three.clone();
            wrong[23..27].copy_from_slice(&length.to_le_bytes());
            let blocks = found(&wrong);
            assert_eq!(blocks.len(), 3);
            assert_eq!(blocks[2].0, 27..29);
            assert!(blocks[2].1.is_some());
        }
    }

    #[test]
    fn a_file_may_end_anywhere() {
        let whole = b"BINP\x03\0\0\0abcBINP\x02\0\0\0de";
        for end in 0..whole.len() {
            let blocks = found(&whole[..end]);
            assert!(blocks.iter().all(|(data, _)| data.end <= end));
            assert_eq!(
                blocks.iter().all(|(_, flaw)| flaw.is_none()),
                [0, 11].contains(&end)
            );
        }
    }
}
