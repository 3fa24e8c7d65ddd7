//! What files held before a change: the content of `NAME.tabiya-undo`.
//!
//! All numbers are little-endian.
//!
//! ```text
//! a line of text, `HEADER`
//! before the change:
//!   4  number of files
//!   for each file
//!      1  length of its suffix, and the suffix
//!      8  its length in bytes; all ones if it did not exist
//!      4  number of parts that the change overwrites
//!      for each part 8 offset, 8 length in bytes
//!   the bytes of all parts
//!   4  CRC-32 of all since the header
//! after the change, if it was finished:
//!   for each file
//!      8  its length in bytes; all ones if it does not exist
//!      8  time of the last change, seconds since 1970 (signed)
//!      4  and nanoseconds
//!   4  CRC-32 of these
//! ```

use std::{
    fs::File,
    io::{self, Read, Seek as _, SeekFrom, Write},
    path::Path,
    time::SystemTime,
};

use super::FAMILIES;
use crate::bytes::Cursor;

pub(super) const HEADER: &str = "tabiya: what NAME held before it was changed; 1\n";
const ABSENT: u64 = u64::MAX;
/// More than the number of files of any database.
const FILES_MAX: usize = 64;

/// What a database held before a change.
pub(super) struct Before<'a> {
    pub(super) files: Vec<OldFile<'a>>,
    /// What the files were like after it, if it was finished.
    pub(super) after: Option<Vec<Option<Stamp>>>,
}

/// What one file held.
pub(super) struct OldFile<'a> {
    pub(super) suffix: &'static str,
    /// Its length; `None` if it did not exist.
    pub(super) bytes: Option<u64>,
    /// The offset of each part that was overwritten, and what it held.
    pub(super) parts: Vec<(u64, &'a [u8])>,
}

/// By which it is known whether a file was written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    bytes: u64,
    seconds: i64,
    nanoseconds: u32,
}

impl Stamp {
    /// Returns the stamp of a file; `None` if it does not exist.
    pub(super) fn of(path: &Path) -> Option<Stamp> {
        let found = path.metadata().ok()?;
        let modified = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let (seconds, nanoseconds) = match modified.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => (after.as_secs() as i64, after.subsec_nanos()),
            Err(before) => {
                let before = before.duration();
                (-(before.as_secs() as i64), before.subsec_nanos())
            }
        };
        Some(Stamp {
            bytes: found.len(),
            seconds,
            nanoseconds,
        })
    }
}

/// A file that is going to be overwritten.
pub(super) struct Overwritten {
    pub(super) suffix: &'static str,
    /// `None` if it does not exist.
    pub(super) file: Option<File>,
    /// The offset and the length of each part.
    pub(super) parts: Vec<(u64, u64)>,
}

/// Writes what files hold.
pub(super) fn write_before(to: impl Write, files: &mut [Overwritten]) -> io::Result<()> {
    let mut to = Summing::new(to);
    to.write_all(&(files.len() as u32).to_le_bytes())?;
    for Overwritten {
        suffix,
        file,
        parts,
    } in files.iter()
    {
        to.write_all(&[suffix.len() as u8])?;
        to.write_all(suffix.as_bytes())?;
        let bytes = file.as_ref().map(|file| file.metadata()).transpose()?;
        let bytes = bytes.map_or(ABSENT, |found| found.len());
        to.write_all(&bytes.to_le_bytes())?;
        to.write_all(&(parts.len() as u32).to_le_bytes())?;
        for (offset, length) in parts {
            to.write_all(&offset.to_le_bytes())?;
            to.write_all(&length.to_le_bytes())?;
        }
    }
    for Overwritten { file, parts, .. } in files {
        let Some(file) = file else { continue };
        for (offset, length) in parts {
            file.seek(SeekFrom::Start(*offset))?;
            let copied = io::copy(&mut Read::by_ref(file).take(*length), &mut to)?;
            if copied < *length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
    to.finish()
}

/// Writes what the same files are like after the change.
pub(super) fn write_after(to: impl Write, stamps: &[Option<Stamp>]) -> io::Result<()> {
    let mut to = Summing::new(to);
    for stamp in stamps {
        let stamp = stamp.unwrap_or(Stamp {
            bytes: ABSENT,
            seconds: 0,
            nanoseconds: 0,
        });
        to.write_all(&stamp.bytes.to_le_bytes())?;
        to.write_all(&stamp.seconds.to_le_bytes())?;
        to.write_all(&stamp.nanoseconds.to_le_bytes())?;
    }
    to.finish()
}

/// Writes bytes and then their checksum.
struct Summing<W>(W, crc32fast::Hasher);

impl<W: Write> Summing<W> {
    fn new(to: W) -> Summing<W> {
        Summing(to, crc32fast::Hasher::new())
    }

    fn finish(mut self) -> io::Result<()> {
        let sum = self.1.finalize();
        self.0.write_all(&sum.to_le_bytes())?;
        self.0.flush()
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        self.1.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<'a> Before<'a> {
    /// Reads what was written; `None` unless all of `before` is there and true.
    pub(super) fn of_bytes(bytes: &'a [u8]) -> Option<Before<'a>> {
        let body = bytes.strip_prefix(HEADER.as_bytes())?;
        let mut cursor = Cursor::new(body);
        let count = u32_of(&mut cursor)? as usize;
        if count > FILES_MAX {
            return None;
        }
        let mut heads = Vec::with_capacity(count);
        for _ in 0..count {
            heads.push(Head::read(&mut cursor)?);
        }
        let mut files = Vec::with_capacity(count);
        for head in heads {
            let part = |(offset, length): (u64, u64)| {
                let held = cursor.take(usize::try_from(length).ok()?)?;
                Some((offset, held))
            };
            files.push(OldFile {
                suffix: head.suffix,
                bytes: head.bytes,
                parts: head.parts.into_iter().map(part).collect::<Option<_>>()?,
            });
        }
        let summed = body.get(..cursor.offset())?;
        (u32_of(&mut cursor)? == crc32fast::hash(summed)).then_some(())?;
        let after = after(&mut cursor, count);
        let before = Before { files, after };
        before.suffixes().is_some().then_some(before)
    }

    /// Returns all suffixes of the database whose files these are, the index first; `None` if they
    /// are of several, or none.
    pub(super) fn suffixes(&self) -> Option<&'static [&'static str]> {
        let mut suffixes = self.files.iter().map(|file| file.suffix);
        if matches!(&*self.files, [alone] if alone.suffix.is_empty()) {
            return Some(&[""]);
        }
        let families = FAMILIES.into_iter();
        let mut of_all = families.filter(|family| suffixes.all(|suffix| family.contains(&suffix)));
        of_all.next()
    }
}

struct Head {
    suffix: &'static str,
    bytes: Option<u64>,
    parts: Vec<(u64, u64)>,
}

impl Head {
    /// Reads what is told of one file; `None` if a part reaches beyond its end.
    fn read(cursor: &mut Cursor<'_>) -> Option<Head> {
        let length = cursor.u8()?;
        let suffix = cursor.take(length.into())?;
        let known = FAMILIES.iter().flat_map(|family| *family).chain(&[""]);
        let suffix = known.copied().find(|known| known.as_bytes() == suffix)?;
        let bytes = u64_of(cursor)?;
        let count = u32_of(cursor)? as usize;
        if count > cursor.left() / 16 {
            return None;
        }
        let mut parts = Vec::with_capacity(count);
        for _ in 0..count {
            let (offset, length) = (u64_of(cursor)?, u64_of(cursor)?);
            (offset.checked_add(length)? <= bytes).then_some(())?;
            parts.push((offset, length));
        }
        Some(Head {
            suffix,
            bytes: (bytes != ABSENT).then_some(bytes),
            parts,
        })
    }
}

fn after(cursor: &mut Cursor<'_>, count: usize) -> Option<Vec<Option<Stamp>>> {
    let summed = cursor.rest();
    let begun = cursor.offset();
    let mut stamps = Vec::with_capacity(count);
    for _ in 0..count {
        let bytes = u64_of(cursor)?;
        let stamp = Stamp {
            bytes,
            seconds: u64_of(cursor)?.cast_signed(),
            nanoseconds: u32_of(cursor)?,
        };
        stamps.push((bytes != ABSENT).then_some(stamp));
    }
    let summed = summed.get(..cursor.offset() - begun)?;
    (u32_of(cursor)? == crc32fast::hash(summed)).then_some(stamps)
}

fn u32_of(cursor: &mut Cursor<'_>) -> Option<u32> {
    Some(u32::from_le_bytes(cursor.take(4)?.try_into().ok()?))
}

fn u64_of(cursor: &mut Cursor<'_>) -> Option<u64> {
    Some(u64::from_le_bytes(cursor.take(8)?.try_into().ok()?))
}
