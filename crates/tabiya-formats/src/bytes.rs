//! Checked reads from untrusted bytes.

use zerocopy::{FromBytes, Immutable};

/// Returns the records after a header; none if there are fewer than `count`, which is checked when
/// a file is opened.
pub(crate) fn records_after<R: FromBytes + Immutable>(
    bytes: &[u8],
    header_bytes: usize,
    count: usize,
) -> &[R] {
    bytes
        .get(header_bytes..)
        .and_then(|area| <[R]>::ref_from_prefix_with_elems(area, count).ok())
        .map_or(&[], |(records, _)| records)
}

/// A position in a slice of bytes. Every read returns `None` at the end, without advancing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, offset: 0 }
    }

    /// Returns the number of bytes read so far.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the number of bytes left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.offset
    }

    /// Returns the unread bytes.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.offset..).unwrap_or_default()
    }

    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.rest().get(..length)?;
        self.offset += length;
        Some(taken)
    }

    #[inline]
    pub(crate) fn u8(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.offset)?;
        self.offset += 1;
        Some(byte)
    }

    pub(crate) fn u24_be(&mut self) -> Option<u32> {
        self.uint_be(3)
    }

    /// Reads a big-endian number of one to four bytes.
    pub(crate) fn uint_be(&mut self, width: usize) -> Option<u32> {
        let bytes = self.take(width)?;
        Some(bytes.iter().fold(0, |n, &byte| n << 8 | u32::from(byte)))
    }

    pub(crate) fn u16_le(&mut self) -> Option<u16> {
        let (bytes, _) = self.rest().split_first_chunk()?;
        self.offset += bytes.len();
        Some(u16::from_le_bytes(*bytes))
    }

    pub(crate) fn u16_be(&mut self) -> Option<u16> {
        self.u16_le().map(u16::swap_bytes)
    }

    /// Reads up to and including the next zero byte. Returns the text without the zero.
    pub(crate) fn until_nul(&mut self) -> Option<&'a [u8]> {
        let length = memchr::memchr(0, self.rest())?;
        let text = self.take(length)?;
        self.offset += 1;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_stop_at_the_end_without_moving() {
        let mut cursor = Cursor::new(&[1, 2, 3, 0, 5]);
        assert_eq!(cursor.u24_be(), Some(0x1_0203));
        assert_eq!(cursor.take(3), None);
        assert_eq!(cursor.offset(), 3);
        assert_eq!(cursor.until_nul(), Some(&[][..]));
        assert_eq!(cursor.until_nul(), None);
        assert_eq!((cursor.u8(), cursor.u8()), (Some(5), None));
        assert_eq!(cursor.left(), 0);
    }
}
