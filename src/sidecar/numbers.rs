//! Short ascending lists of numbers below 65 536.
//!
//! Up to 512 of them are stored as they are, two bytes each, little-endian. Of longer lists only
//! the low bytes are stored, after 256 numbers of two bytes: how many of the numbers have at most
//! this high byte, from 0 to 255. That takes little more than half the space, and testing for a
//! number takes one look-up instead of a search.

use zerocopy::{FromBytes, little_endian::U16};

/// Numbers in their stored form. Invalid bytes can make a number be missed, or found, but cause no
/// failure.
#[derive(Debug, Clone, Copy)]
pub(super) enum Numbers<'a> {
    Wide(&'a [U16]),
    Narrow {
        /// By high byte: the end of its low bytes.
        ends: &'a [U16; HIGHS],
        lows: &'a [u8],
    },
}

/// Number of high bytes.
const HIGHS: usize = 256;
const ENDS_BYTES: usize = 2 * HIGHS;
/// With more numbers than this, low bytes alone take less space.
const WIDE_MAX: usize = ENDS_BYTES;

impl<'a> Numbers<'a> {
    /// Returns the number of bytes for `count` numbers.
    pub(super) fn bytes(count: usize) -> usize {
        if count <= WIDE_MAX {
            2 * count
        } else {
            ENDS_BYTES + count
        }
    }

    /// Appends `count` numbers, which must be ascending.
    pub(super) fn write(count: usize, numbers: impl Iterator<Item = u16>, out: &mut Vec<u8>) {
        if count <= WIDE_MAX {
            out.extend(numbers.flat_map(u16::to_le_bytes));
            return;
        }
        let mut ends = [U16::ZERO; HIGHS];
        let start = out.len();
        out.resize(start + ENDS_BYTES, 0);
        for (number, end) in numbers.zip(1u16..) {
            let [low, high] = number.to_le_bytes();
            out.push(low);
            ends[usize::from(high)] = end.into();
        }
        let mut so_far = U16::ZERO;
        for (place, end) in out[start..].chunks_exact_mut(2).zip(&mut ends) {
            so_far = so_far.max(*end);
            place.copy_from_slice(&so_far.to_bytes());
        }
    }

    /// Reads `count` numbers.
    pub(super) fn read(count: usize, bytes: &'a [u8]) -> Option<Numbers<'a>> {
        if count <= WIDE_MAX {
            return <[U16]>::ref_from_bytes(bytes).ok().map(Numbers::Wide);
        }
        let (ends, lows) = <[U16; HIGHS]>::ref_from_prefix(bytes).ok()?;
        Some(Numbers::Narrow { ends, lows })
    }

    /// Returns whether a number is among them.
    #[inline]
    pub(super) fn contains(self, number: u16) -> bool {
        match self {
            Numbers::Wide(numbers) => {
                let found = numbers.binary_search_by_key(&number, |number| number.get());
                found.is_ok()
            }
            Numbers::Narrow { ends, lows } => {
                let [low, high] = number.to_le_bytes();
                let high = usize::from(high);
                let start = high.checked_sub(1).map_or(0, |before| ends[before].get());
                let near = lows.get(start.into()..ends[high].get().into());
                near.is_some_and(|lows| lows.contains(&low))
            }
        }
    }

    /// Calls `each` with all numbers, in ascending order.
    #[inline]
    pub(super) fn for_each(self, mut each: impl FnMut(u16)) {
        match self {
            Numbers::Wide(numbers) => numbers.iter().for_each(|number| each(number.get())),
            Numbers::Narrow { ends, lows } => {
                let mut start = 0;
                for (high, end) in (0..=u8::MAX).zip(ends) {
                    let end = usize::from(end.get());
                    for &low in lows.get(start..end).unwrap_or_default() {
                        each(u16::from_le_bytes([low, high]));
                    }
                    start = end;
                }
            }
        }
    }
}
