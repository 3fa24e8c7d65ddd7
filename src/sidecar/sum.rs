//! Sums over the input of a block, to detect later whether it is unchanged.
//!
//! They detect accidental changes, not malicious ones: whoever can write the database can write the
//! sidecar too. There are two sums of 64 bits, and each step of each is a bijection both of the
//! previous sum and of the added word, so a change within one word is always detected; any other is
//! missed by each sum in one of 2^64 cases, and the sums miss different ones.

use std::hash::{Hash, Hasher};

use tabiya_formats::View;
use zerocopy::{
    FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
    little_endian::{U32, U64},
};

/// By sum: an odd factor, and a rotation after the multiplication, so that the highest bits matter
/// too.
const STEPS: [(u64, u32); 2] = [(0x9e37_79b9_7f4a_7c15, 29), (0xd134_2543_de82_ef95, 37)];

/// The stored sums of one block: 32 bytes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub(super) struct StoredSum {
    sums: [U64; 2],
    /// Number of bytes added.
    bytes: U64,
    games: U32,
    zero: U32,
}

/// The sums of a block while it is read.
#[derive(Default, Clone)]
pub(super) struct Sum {
    sums: [u64; 2],
    bytes: u64,
    games: u32,
}

impl Sum {
    /// Adds the next game: its record and the bytes of its main line.
    pub(super) fn add<V: View>(&mut self, view: V, record: &V::Record) {
        record.hash(self);
        view.sources(record, &mut |bytes| self.write(bytes));
        self.games += 1;
    }

    /// Returns the sums of some games.
    pub(super) fn of<V: View>(view: V, records: &[V::Record]) -> StoredSum {
        let mut sum = Sum::default();
        for record in records {
            sum.add(view, record);
        }
        sum.stored()
    }

    pub(super) fn stored(&self) -> StoredSum {
        StoredSum {
            sums: self.sums.map(U64::new),
            bytes: self.bytes.into(),
            games: self.games.into(),
            zero: U32::ZERO,
        }
    }

    #[inline]
    fn add_word(&mut self, word: u64) {
        for (sum, (factor, turn)) in self.sums.iter_mut().zip(STEPS) {
            *sum = (*sum ^ word).wrapping_mul(factor).rotate_left(turn);
        }
    }
}

/// Allows records to be added as a whole.
impl Hasher for Sum {
    /// Adds bytes: their number, then words of eight bytes, the last padded with zeros.
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.wrapping_add(bytes.len() as u64);
        self.add_word(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.add_word(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.add_word(u64::from_le_bytes(last));
        }
    }

    fn finish(&self) -> u64 {
        self.sums[0]
    }
}
