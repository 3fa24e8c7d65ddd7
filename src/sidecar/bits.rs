//! Numbers of few bits each, one after the other: the lowest bit of each byte comes first.

/// Bits of a number that is stored as it is.
const RAW_BITS: u32 = 36;
/// So many ones announce a [plain](BitWriter::plain) number.
const ONES_MAX: u32 = 8;
/// Bits of the length of a [plain](BitWriter::plain) number; the greatest length means that it is
/// stored as it is.
const LENGTH_BITS: u32 = 5;
const LENGTH_MAX: u32 = (1 << LENGTH_BITS) - 1;

/// Writes numbers.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that do not fill a byte yet.
    word: u64,
    count: u32,
}

impl BitWriter {
    /// Writes the lowest bits of a number, at most 36.
    pub(super) fn bits(&mut self, number: u64, count: u32) {
        self.word |= (number & ((1 << count) - 1)) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.word as u8);
            self.word >>= 8;
            self.count -= 8;
        }
    }

    /// Writes a number of which nothing is expected: the number of its bits, then these.
    pub(super) fn plain(&mut self, number: u64) {
        let length = (u64::BITS - number.leading_zeros()).min(LENGTH_MAX);
        self.bits(length.into(), LENGTH_BITS);
        let bits = if length < LENGTH_MAX {
            length
        } else {
            RAW_BITS
        };
        self.bits(number, bits);
    }

    /// Writes a number that is expected to be like those before it: as many ones as its higher bits
    /// say, a zero, and the lower bits.
    pub(super) fn next(&mut self, number: u64, mean: &mut Mean) {
        let low = mean.low_bits();
        let ones = u32::try_from(number >> low)
            .unwrap_or(ONES_MAX)
            .min(ONES_MAX);
        self.bits((1 << ones) - 1, ones);
        if ones < ONES_MAX {
            self.bits(0, 1);
            self.bits(number, low);
        } else {
            self.plain(number);
        }
        mean.add(number);
    }

    /// Takes the bytes; the last is filled with zeros.
    pub(super) fn take(&mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.word as u8);
        }
        (self.word, self.count) = (0, 0);
        std::mem::take(&mut self.bytes)
    }
}

/// Reads numbers; `None` after the end of the bytes.
#[derive(Debug)]
pub(super) struct BitReader<'b> {
    bytes: &'b [u8],
    /// The next bit.
    at: usize,
}

impl<'b> BitReader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> BitReader<'b> {
        BitReader { bytes, at: 0 }
    }

    /// Returns the next 57 bits or more; zeros after the end.
    #[inline]
    fn ahead(&self) -> u64 {
        let rest = self.bytes.get(self.at / 8..).unwrap_or_default();
        let word = match rest.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None => {
                let mut word = [0; 8];
                word[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(word)
            }
        };
        word >> (self.at % 8)
    }

    #[inline]
    fn skip(&mut self, count: u32) -> Option<()> {
        self.at += count as usize;
        (self.at <= 8 * self.bytes.len()).then_some(())
    }

    /// Reads some bits, at most 36.
    #[inline]
    pub(super) fn bits(&mut self, count: u32) -> Option<u64> {
        let number = self.ahead() & ((1 << count) - 1);
        self.skip(count)?;
        Some(number)
    }

    /// Reads what [`BitWriter::plain`] writes.
    pub(super) fn plain(&mut self) -> Option<u64> {
        match self.bits(LENGTH_BITS)? as u32 {
            LENGTH_MAX => self.bits(RAW_BITS),
            length => self.bits(length),
        }
    }

    /// Reads what [`BitWriter::next`] writes.
    #[inline]
    pub(super) fn next(&mut self, mean: &mut Mean) -> Option<u64> {
        let ones = self.ahead().trailing_ones().min(ONES_MAX);
        let number = if ones < ONES_MAX {
            self.skip(ones + 1)?;
            let low = mean.low_bits();
            u64::from(ones) << low | self.bits(low)?
        } else {
            self.skip(ones)?;
            self.plain()?
        };
        mean.add(number);
        Some(number)
    }
}

/// How large the latest numbers were.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mean {
    /// In sixteenths; older numbers count less and less.
    sixteenths: u32,
}

impl Mean {
    /// Numbers count up to this one.
    const NUMBER_MAX: u64 = 1 << 16;

    pub(super) fn new(expected: u32) -> Mean {
        Mean {
            sixteenths: 16 * expected,
        }
    }

    #[inline]
    fn add(&mut self, number: u64) {
        let number = number.min(Mean::NUMBER_MAX) as u32;
        self.sixteenths += 2 * number;
        self.sixteenths -= self.sixteenths / 8;
    }

    /// Returns how many bits of a number are stored as they are.
    #[inline]
    fn low_bits(self) -> u32 {
        (u32::BITS - (self.sixteenths / 16).leading_zeros()).saturating_sub(1)
    }
}

/// Makes a number of a difference; small ones stay small.
#[inline]
pub(super) fn folded(difference: i64) -> u64 {
    (difference << 1 ^ difference >> 63) as u64
}

/// Returns the difference of which [`folded`] has made a number.
#[inline]
pub(super) fn unfolded(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_size_are_read_as_they_were_written() {
        let mut numbers: Vec<u64> = (0..RAW_BITS)
            .flat_map(|bit| [1 << bit, (1 << bit) - 1])
            .collect();
        numbers.extend([0, 3, 5, 900, 2, 70_000, 1]);
        let mut out = BitWriter::default();
        let mut mean = Mean::new(4);
        for &number in &numbers {
            out.next(number, &mut mean);
            out.plain(number);
            out.bits(number, 5);
        }
        let bytes = out.take();
        let read = |bytes: &[u8]| {
            let (mut bits, mut mean) = (BitReader::new(bytes), Mean::new(4));
            let mut read = Vec::new();
            while let Some(number) = bits.next(&mut mean) {
                read.push(number);
                if bits.plain() != Some(number) || bits.bits(5) != Some(number & 31) {
                    return read;
                }
            }
            read
        };
        assert_eq!(read(&bytes)[..numbers.len()], numbers);
        for end in 0..bytes.len() {
            assert!(
                numbers.starts_with(
                    &read(&bytes[..end])[..read(&bytes[..end]).len().saturating_sub(1)]
                )
            );
        }
    }

    #[test]
    fn differences_and_numbers_stand_for_each_other() {
        for difference in [0, 1, -1, 2, -2, 1 << 34, -(1 << 34)] {
            assert_eq!(unfolded(folded(difference)), difference);
            assert!(folded(difference) < 1 << RAW_BITS);
        }
    }
}
