//! PGN text in a zip archive: all members whose names end in `.pgn`, one after the other.
//!
//! Reads only the central directory at the end of the archive, and stored or deflated members.

use super::{flaws, written::Written};
use std::io::{self, Read};

use flate2::{Crc, bufread::DeflateDecoder};

use crate::{
    TextEncoding,
    error::{Error, Result},
};

/// Signatures of a local file header, a central directory entry and the end of central directory
/// record.
const MEMBER: &[u8] = b"PK\x03\x04";
const ENTRY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
/// Bytes of the end record, and the maximum length of the comment after it.
const END_BYTES: usize = 22;
const COMMENT_BYTES_MAX: usize = 0xffff;
/// Bytes of a directory entry and of a local file header, without names and extra fields.
const ENTRY_BYTES: usize = 46;
const HEAD_BYTES: usize = 30;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// A member: its compressed bytes, and the length and checksum of its text.
#[derive(Debug)]
struct Member<'a> {
    packed: &'a [u8],
    is_deflated: bool,
    length: u64,
    sum: u32,
}

/// Whether bytes begin like a zip archive.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(MEMBER) || bytes.starts_with(END)
}

/// The text of all PGN members, with an empty line between them. A member's checksum is checked
/// after the member has been read.
pub(super) struct Members<'a> {
    members: std::vec::IntoIter<Member<'a>>,
    current: Option<Written<'a>>,
    encoding: Option<TextEncoding>,
    /// Unread bytes of the separator before the current member.
    gap: &'static [u8],
}

/// Separates the last game of a member from the first of the next.
const GAP: &[u8] = b"\n\n";

/// A member that is being read.
struct Text<'a> {
    reader: Box<dyn Read + Send + 'a>,
    crc: Crc,
    length: u64,
    sum: u32,
}

impl<'a> Members<'a> {
    /// Reads the list of members. O(length of the list).
    ///
    /// # Errors
    /// `Corrupt` if the list or a member cannot be read, or members share bytes; `Unsupported`
    /// if the archive has no PGN member, or one is encrypted or compressed with another method.
    pub(super) fn new(bytes: &'a [u8], encoding: Option<TextEncoding>) -> Result<Members<'a>> {
        let end = end_of(bytes).ok_or_else(|| Error::corrupt(flaws::MEMBER_LIST_UNREADABLE))?;
        let mut entries = bytes.get(long(end, 16) as usize..).unwrap_or_default();
        let (mut members, mut places) = (Vec::new(), Vec::new());
        for _ in 0..short(end, 10) {
            let (entry, name, rest) = split_entry(entries)
                .ok_or_else(|| Error::corrupt(flaws::MEMBER_LIST_UNREADABLE))?;
            entries = rest;
            if !is_pgn(name) {
                continue;
            }
            let member = Member::of(bytes, entry)?;
            places.push(member.packed.as_ptr_range());
            members.push(member);
        }
        places.sort_unstable_by_key(|place| place.start);
        if places.windows(2).any(|pair| pair[1].start < pair[0].end) {
            return Err(Error::corrupt(flaws::MEMBERS_SHARE_BYTES));
        }
        if members.is_empty() {
            return Err(Error::unsupported("an archive without a .pgn file in it"));
        }
        Ok(Members {
            members: members.into_iter(),
            current: None,
            encoding,
            gap: &[],
        })
    }
}

impl<'a> Member<'a> {
    fn of(bytes: &'a [u8], entry: &[u8]) -> Result<Member<'a>> {
        let method = short(entry, 10);
        if short(entry, 8) & 1 != 0 {
            return Err(Error::unsupported("a zip archive in cipher"));
        }
        if !matches!(method, STORED | DEFLATED) {
            return Err(Error::unsupported(
                "a zip archive that is not packed by deflating",
            ));
        }
        let packed = || {
            let head = bytes.get(long(entry, 42) as usize..)?;
            let names = usize::from(short(head, 26)) + usize::from(short(head, 28));
            let body = head.get(HEAD_BYTES + names..)?;
            body.get(..long(entry, 20) as usize)
        };
        Ok(Member {
            packed: packed().ok_or_else(|| Error::corrupt(flaws::ARCHIVE_CUT))?,
            is_deflated: method == DEFLATED,
            length: long(entry, 24).into(),
            sum: long(entry, 16),
        })
    }

    fn text(self) -> Text<'a> {
        Text {
            reader: if self.is_deflated {
                Box::new(DeflateDecoder::new(self.packed))
            } else {
                Box::new(self.packed)
            },
            crc: Crc::new(),
            length: self.length,
            sum: self.sum,
        }
    }
}

impl Read for Members<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.gap.is_empty() {
                return self.gap.read(buffer);
            }
            if let Some(text) = &mut self.current {
                let length = text.read(buffer)?;
                if length > 0 {
                    return Ok(length);
                }
                self.gap = GAP;
            }
            let next = self.members.next().map(Member::text);
            self.current = next.map(|text| Written::new(Box::new(text), self.encoding));
            if self.current.is_none() {
                self.gap = &[];
                return Ok(0);
            }
        }
    }
}

impl Read for Text<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.crc.update(&buffer[..length]);
        if length == 0 && !buffer.is_empty() {
            self.check()?;
        }
        Ok(length)
    }
}

impl Text<'_> {
    fn check(&self) -> io::Result<()> {
        // The byte counter of the checksum wraps at 32 bits.
        if self.crc.sum() == self.sum && self.crc.amount() == self.length as u32 {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a checksum or a length does not match",
        ))
    }
}

/// Finds the end record, which stores the offset of the list of members.
fn end_of(bytes: &[u8]) -> Option<&[u8]> {
    let last = bytes.len().checked_sub(END_BYTES)?;
    let first = last.saturating_sub(COMMENT_BYTES_MAX);
    let at = memchr::memmem::rfind(&bytes[first..last + END.len()], END)?;
    bytes.get(first + at..)
}

/// Splits the list of members into its first entry, the entry's name and the rest of the list.
fn split_entry(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (entry, rest) = bytes.split_at_checked(ENTRY_BYTES)?;
    let (name, rest) = rest.split_at_checked(short(entry, 28).into())?;
    let more = usize::from(short(entry, 30)) + usize::from(short(entry, 32));
    entry.starts_with(ENTRY).then_some(())?;
    Some((entry, name, rest.get(more..)?))
}

/// Whether a member's name is that of a PGN file, and not of a macOS companion file (`._`).
fn is_pgn(name: &[u8]) -> bool {
    let file = name.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let suffix = file.len().checked_sub(4).and_then(|at| file.get(at..));
    suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case(b".pgn")) && !file.starts_with(b"._")
}

/// Reads a 16-bit little-endian number; 0 past the end.
fn short(bytes: &[u8], at: usize) -> u16 {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |&bytes| u16::from_le_bytes(bytes))
}

/// Reads a 32-bit little-endian number; 0 past the end.
fn long(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |&bytes| u32::from_le_bytes(bytes))
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use flate2::{Compression, write::DeflateEncoder};

    use super::*;

    /// Builds an archive in which every second member is stored and the others are deflated.
    pub(crate) fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut bytes, mut list) = (Vec::new(), Vec::new());
        for (index, (name, text)) in members.iter().enumerate() {
            let method = if index % 2 == 0 { DEFLATED } else { STORED };
            let packed = match method {
                STORED => text.to_vec(),
                _ => {
                    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
                    encoder.write_all(text).unwrap();
                    encoder.finish().unwrap()
                }
            };
            let mut crc = Crc::new();
            crc.update(text);
            let mut facts = [20, 0, 0, 0].to_vec();
            facts.extend(method.to_le_bytes());
            facts.extend([0; 4]);
            for number in [crc.sum(), packed.len() as u32, text.len() as u32] {
                facts.extend(number.to_le_bytes());
            }
            facts.extend((name.len() as u16).to_le_bytes());
            facts.extend([0; 2]);
            let at = bytes.len() as u32;
            bytes.extend([MEMBER, &facts, name.as_bytes(), &packed].concat());
            list.extend([ENTRY, &[20, 0], &facts, &[0; 10], &at.to_le_bytes()].concat());
            list.extend(name.as_bytes());
        }
        let count = (members.len() as u16).to_le_bytes();
        let place = [list.len() as u32, bytes.len() as u32].map(u32::to_le_bytes);
        bytes.extend(list);
        bytes.extend([END, &[0; 4], &count, &count, &place.concat(), &[0; 2]].concat());
        bytes
    }

    fn text(bytes: &[u8]) -> std::result::Result<String, String> {
        let mut text = String::new();
        let members = Members::new(bytes, None).map_err(|error| error.to_string());
        let read = members?.read_to_string(&mut text);
        read.map_err(|cause| cause.to_string())?;
        Ok(text)
    }

    #[test]
    fn all_members_with_games_are_read_and_no_others() {
        let members: [(&str, &[u8]); 5] = [
            ("twic/one.pgn", b"1. e4 *"),
            ("read.me", b"not games"),
            ("TWO.PGN", b"1. d4 *\n"),
            ("__MACOSX/._one.pgn", b"not games"),
            ("three.pgn", b""),
        ];
        let bytes = archive(&members);
        assert_eq!(text(&bytes).unwrap(), "1. e4 *\n\n1. d4 *\n\n\n");
        let commented = [&bytes[..], b"comment"].concat();
        assert_eq!(text(&commented), text(&bytes));
    }

    #[test]
    fn archives_that_cannot_be_read_say_why() {
        let one: [(&str, &[u8]); 1] = [("a.pgn", b"1. e4 *")];
        let kind = |bytes: &[u8]| text(bytes).unwrap_err();
        assert!(kind(&archive(&[("a.txt", b"x")])).contains("without a .pgn file"));
        assert!(kind(&archive(&one)[..20]).contains("cannot be read"));
        let entry = |bytes: &[u8]| memchr::memmem::find(bytes, ENTRY).unwrap();
        for (at, value, message) in [
            (8, 1, "in cipher"),
            (10, 9, "deflating"),
            (16, 0x55, "does not match"),
            (20, 0xff, "cut short"),
        ] {
            let mut bytes = archive(&one);
            let entry = entry(&bytes);
            bytes[entry + at] = value;
            assert!(kind(&bytes).contains(message), "{}", kind(&bytes));
        }
        let mut bytes = archive(&[one[0], one[0]]);
        let second = memchr::memmem::rfind(&bytes, ENTRY).unwrap();
        let first = entry(&bytes);
        bytes.copy_within(first..first + ENTRY_BYTES, second);
        assert!(kind(&bytes).contains("share bytes"));
    }
}
