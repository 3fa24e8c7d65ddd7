//! The records of `.2cbg` and `.2cba`, found by the offsets in the index.
//!
//! | offset | bytes | meaning |
//! |---|---|---|
//! | 0 | 8 | 88 77 66 55 44 33 22 11 |
//! | 8 | 4 | A, bytes of content |
//! | 12 | 4 | B, bytes to spare |
//! | 16 | 8 | checksum, big-endian |
//! | 24 | 2 | what it is: 1 chess, 2 Chess960, 1000h text, 2000h annotations |
//! | 26 | A | content |
//! | | B | zeros |
//! | | 8 | A + B + 34 |

use super::flaws;
use crate::{Decoded, bytes::Cursor, damage::Flaw, damage_at};

/// Bytes before the content.
pub(super) const HEAD_BYTES: usize = 26;
/// Bytes besides content and spare ones.
const FRAME_BYTES: u64 = 34;
const MAGIC: [u8; 8] = [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
/// Greatest number of bytes of content and of spare bytes.
pub(super) const BYTES_MAX: u32 = 64 << 20;

/// What a record is.
pub(super) mod tag {
    pub(crate) const CHESS: u16 = 1;
    pub(crate) const CHESS960: u16 = 2;
    pub(crate) const TEXT: u16 = 0x1000;
    pub(crate) const ANNOTATIONS: u16 = 0x2000;
}

/// A record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) tag: u16,
    pub(super) content: &'a [u8],
    checksum: u64,
    /// What comes after the content, to the end of the file.
    after: &'a [u8],
    spare: u32,
}

impl<'a> Frame<'a> {
    /// Reads the record at this offset as far as its content goes.
    #[inline]
    pub(super) fn new(file: &'a [u8], offset: i64) -> Decoded<Frame<'a>> {
        let rest = usize::try_from(offset).ok().and_then(|at| file.get(at..));
        let rest = rest.ok_or(damage_at(flaws::BEYOND_FILE, 0))?;
        let Some((head, rest)) = rest.split_first_chunk::<HEAD_BYTES>() else {
            return Err(damage_at(flaws::BEYOND_FILE, 0));
        };
        let mut head = Cursor::new(head);
        if head.take(MAGIC.len()) != Some(&MAGIC) {
            return Err(damage_at(flaws::NO_FRAME, 0));
        }
        let mut number = || head.uint_be(4).unwrap_or_default().swap_bytes();
        let (length, spare) = (number(), number());
        if length > BYTES_MAX || spare > BYTES_MAX {
            return Err(damage_at(flaws::RECORD_SIZES, 8));
        }
        let Some((content, after)) = rest.split_at_checked(length as usize) else {
            return Err(damage_at(flaws::RECORD_CUT, 8));
        };
        let checksum = head.take(8).and_then(|bytes| bytes.first_chunk());
        Ok(Frame {
            checksum: checksum.map_or(0, |&bytes| u64::from_be_bytes(bytes)),
            tag: head.u16_le().unwrap_or_default(),
            content,
            after,
            spare,
        })
    }

    /// Returns the number of bytes from the first of the record to its last.
    pub(super) fn bytes(&self) -> u64 {
        FRAME_BYTES + self.content.len() as u64 + u64::from(self.spare)
    }

    /// Checks the checksum and the length at the end, which decoding does not need. O(bytes).
    pub(super) fn check(&self) -> Decoded<()> {
        let fault = |what: Flaw, at: usize| Err(damage_at(what, at));
        if checksum(self.content) != self.checksum {
            return fault(flaws::CHECKSUM, 16);
        }
        let end = HEAD_BYTES + self.content.len();
        let last = self.after.get(self.spare as usize..);
        match last.and_then(|last| last.first_chunk()) {
            None => fault(flaws::RECORD_CUT, end),
            Some(&last) if u64::from_le_bytes(last) != self.bytes() => {
                fault(flaws::RECORD_END, end + self.spare as usize)
            }
            Some(_) => Ok(()),
        }
    }
}

/// Bytes of a new record that are left for additions, before it is filled up.
const SPARE: u32 = 96;
const SPARE_OF_TEXT: u32 = 192;
/// Alignment of records in bytes.
const ALIGNED: u64 = 8;
/// Greatest number of spare bytes of a new record.
pub(super) const SPARE_MAX: usize = SPARE_OF_TEXT as usize + ALIGNED as usize;
/// Where the number of spare bytes is.
const SPARE_AT: usize = 12;

/// Returns a record of this content without spare bytes and what follows them.
pub(super) fn begun(tag: u16, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD_BYTES + content.len());
    bytes.extend(MAGIC);
    bytes.extend((content.len() as u32).to_le_bytes());
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend(checksum(content).to_be_bytes());
    bytes.extend(tag.to_le_bytes());
    bytes.extend_from_slice(content);
    bytes
}

/// Returns the number of spare bytes of a new record at this offset: more than the least, up to
/// where the next record may begin.
pub(super) fn spare(begun: &[u8], offset: u64) -> u32 {
    let is_text = begun.get(HEAD_BYTES - 2..HEAD_BYTES) == Some(&tag::TEXT.to_le_bytes());
    let least = if is_text { SPARE_OF_TEXT } else { SPARE };
    let end = offset + bytes_with(begun, least);
    least + (ALIGNED - end % ALIGNED) as u32
}

/// Returns the bytes of a record before and after the number of its spare bytes.
pub(super) fn around_spare(begun: &[u8]) -> (&[u8], &[u8]) {
    let (before, rest) = begun.split_at(SPARE_AT);
    (before, &rest[size_of::<u32>()..])
}

/// Returns the length of a record with this many spare bytes.
pub(super) fn bytes_with(begun: &[u8], spare: u32) -> u64 {
    begun.len() as u64 - HEAD_BYTES as u64 + u64::from(spare) + FRAME_BYTES
}

/// Returns the checksum of a content: the sums of its eighths, modulo 256. Up to seven bytes at the
/// end are in no eighth. A content below eight bytes is its own checksum.
fn checksum(content: &[u8]) -> u64 {
    let part = content.len() / 8;
    let mut bytes = [0; 8];
    if part == 0 {
        bytes[..content.len()].copy_from_slice(content);
    } else {
        for (sum, part) in bytes.iter_mut().zip(content.chunks_exact(part)) {
            *sum = part.iter().fold(0, |sum: u8, &byte| sum.wrapping_add(byte));
        }
    }
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bytes_of_a_content_are_in_no_sum() {
        assert_eq!(checksum(&[]), 0);
        assert_eq!(checksum(&[1, 2, 3]), 0x03_0201);
        assert_eq!(checksum(&[1; 8]), 0x0101_0101_0101_0101);
        let mut content = [1; 23];
        assert_eq!(checksum(&content), 0x0202_0202_0202_0202);
        content[16] = 9;
        assert_eq!(checksum(&content), 0x0202_0202_0202_0202);
        content[15] = 0xff;
        assert_eq!(checksum(&content), 0x0002_0202_0202_0202);
    }

    #[test]
    fn sizes_are_checked_before_they_are_used() {
        let mut file = MAGIC.to_vec();
        file.extend([3, 0, 0, 0, 2, 0, 0, 0]);
        file.extend([0, 0, 0, 0, 0, 3, 2, 1, 1, 0]);
        file.extend([1, 2, 3, 0, 0]);
        file.extend(39_u64.to_le_bytes());
        let frame = Frame::new(&file, 0).unwrap();
        assert_eq!((frame.tag, frame.content), (tag::CHESS, &[1, 2, 3][..]));
        assert_eq!(frame.check(), Ok(()));
        for cut in 0..file.len() {
            let frame = Frame::new(&file[..cut], 0);
            assert!(frame.is_err() || frame.unwrap().check().is_err(), "{cut}");
        }
        for offset in [-1, 1, i64::MAX, i64::MIN] {
            assert!(Frame::new(&file, offset).is_err());
        }
        for at in [11, 15] {
            let mut file = file.clone();
            file[at] = 0x7f;
            assert!(Frame::new(&file, 0).is_err());
        }
    }
}
