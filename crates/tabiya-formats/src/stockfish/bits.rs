//! Numbers of any number of bits, most significant first.

use super::flaws;
use crate::damage::Flaw;

/// Bits of a group of a score, without the one that says whether another group follows.
const GROUP_BITS: u32 = 4;

/// Reads bits from bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// Number of bits that were read.
    at: usize,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Bits<'a> {
        Bits { bytes, at: 0 }
    }

    /// Returns the number of bytes of which bits were read.
    pub(super) fn bytes_begun(&self) -> usize {
        self.at.div_ceil(8)
    }

    /// Reads up to eight bits.
    #[inline]
    fn take(&mut self, count: u32) -> Result<u32, Flaw> {
        let end = self.at + count as usize;
        if end > 8 * self.bytes.len() {
            return Err(flaws::BLOCK_ENDS_IN_GAME);
        }
        let byte = |at: usize| u32::from(self.bytes.get(at).copied().unwrap_or_default());
        let first = self.at / 8;
        let pair = byte(first) << 8 | byte(first + 1);
        let after = 16 - (self.at % 8) as u32 - count;
        self.at = end;
        Ok(pair >> after & ((1 << count) - 1))
    }

    /// Reads an index below a count, which is at most 256; larger ones are returned too. An index
    /// below 1 takes no bits.
    #[inline]
    pub(super) fn index(&mut self, count: usize) -> Result<usize, Flaw> {
        let width = count.saturating_sub(1).min(255).checked_ilog2();
        self.take(width.map_or(0, |width| width + 1))
            .map(|index| index as usize)
    }

    /// Reads a number with its sign.
    #[inline]
    pub(super) fn number(&mut self) -> Result<i16, Flaw> {
        let mut folded = 0;
        for shift in (0..16).step_by(GROUP_BITS as usize) {
            let group = self.take(GROUP_BITS + 1)?;
            folded |= ((group & 15) as u16) << shift;
            if group >> GROUP_BITS == 0 {
                return Ok(unfolded(folded));
            }
        }
        Err(flaws::ENDLESS_SCORE)
    }
}

/// Returns a number whose sign is in bit 0: of a negative one the other bits are inverted.
#[inline]
pub(super) const fn unfolded(folded: u16) -> i16 {
    let number = folded.rotate_right(1);
    if number & 0x8000 != 0 {
        (number ^ 0x7fff) as i16
    } else {
        number as i16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_read_across_bytes_and_not_beyond_the_end() {
        let mut bits = Bits::new(&[0b1011_0011, 0b0101_1100]);
        assert_eq!(bits.take(3), Ok(0b101));
        assert_eq!(bits.take(0), Ok(0));
        assert_eq!(bits.take(8), Ok(0b1001_1010));
        assert_eq!(bits.bytes_begun(), 2);
        assert!(bits.take(6).is_err());
        assert_eq!(bits.take(5), Ok(0b11100));
        assert!(bits.take(1).is_err());
        assert_eq!(bits.take(0), Ok(0));
    }

    #[test]
    fn an_index_takes_as_many_bits_as_its_count() {
        for (count, bits) in [
            (0, 0),
            (1, 0),
            (2, 1),
            (3, 2),
            (4, 2),
            (5, 3),
            (16, 4),
            (112, 7),
        ] {
            let mut all = Bits::new(&[0xff, 0xff]);
            let index = all.index(count).unwrap();
            assert_eq!((all.at, index), (bits, (1 << bits) - 1), "{count}");
        }
    }

    #[test]
    fn signs_are_in_the_lowest_bit() {
        assert_eq!([0, 1, 2, 3, 4].map(unfolded), [0, -1, 1, -2, 2]);
        assert_eq!(unfolded(u16::MAX), i16::MIN);
        assert_eq!(unfolded(u16::MAX - 1), i16::MAX);
    }
}
