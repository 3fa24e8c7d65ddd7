//! What files held before a change: the content of `NAME.tabiya-undo`.
//!
//! All numbers are little-endian.
//!
//! ```text
//! a line of text, `HEADER`
//! before the change:
//!   4  number of games, from the first on, whose records and moves the change does not touch;
//!      all ones if it only appends games
//!   4  number of files
//!   for each file
//!      1  length of its suffix, and the suffix
//!     36  its stamp
//!     20  what it is going to hold: 8 the length in bytes, 8 the offset from which on that is new,
//!         and 4 the CRC-32 of the first 4096 new bytes, or of all if they are fewer
//!      4  number of parts that the change overwrites
//!      for each part 8 offset, 8 length in bytes
//!   the bytes of all parts
//!   4  CRC-32 of all since the header
//! after the change, if it was finished:
//!   for each file 36 its stamp
//!   4  CRC-32 of these
//! ```
//!
//! A stamp is:
//!
//! ```text
//!   8  length in bytes; all ones, and the rest zero, if the file does not exist
//!   8  time of the last change, seconds since 1970 (signed)
//!   4  and nanoseconds
//!   8  time that only the system sets (ctime), seconds (signed)
//!   8  and nanoseconds; all ones if there is none
//! ```

use std::{
    fs::{File, Metadata, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    time::SystemTime,
};

use super::FAMILIES;
use crate::{
    bytes::Cursor,
    file::{self, since_1970},
};

pub(super) const HEADER: &str = "tabiya: what NAME held before it was changed; 3\n";
/// More than the number of files of any database.
const FILES_MAX: usize = 64;

/// What a database held before a change.
pub(super) struct Before<'a> {
    /// Number of games, from the first on, that the change does not touch; all ones if it only
    /// appends games.
    pub(super) untouched: u32,
    pub(super) files: Vec<OldFile<'a>>,
    /// What the files were like after it, if it was finished.
    pub(super) after: Option<Vec<Option<Stamp>>>,
}

/// What one file held.
pub(super) struct OldFile<'a> {
    pub(super) suffix: &'static str,
    /// `None` if it did not exist.
    pub(super) stamp: Option<Stamp>,
    pub(super) planned: Planned,
    /// The offset of each part that was overwritten, and what it held.
    pub(super) parts: Vec<(u64, &'a [u8])>,
}

impl OldFile<'_> {
    /// Whether all of the file is in the parts.
    pub(super) fn is_whole(&self) -> bool {
        let whole = |&(offset, part): &(u64, &[u8])| {
            let bytes = self.stamp.map(|stamp| stamp.bytes);
            offset == 0 && bytes == Some(part.len() as u64)
        };
        self.parts.iter().any(whole)
    }

    /// Whether the file at a path can be what the change has made of it, however far that came. If
    /// not, somebody else has written it since, and would lose that if it became as it was.
    pub(super) fn is_left_by_change(&self, path: &Path) -> bool {
        let Some(now) = Stamp::of(path) else {
            return true;
        };
        let is_as_long = |old: &Stamp| old.bytes == now.bytes;
        if self.stamp.as_ref().is_some_and(is_as_long) {
            return true;
        }
        let Planned { bytes, from, begin } = self.planned;
        let found = || File::open(path).and_then(|file| checksum_of_begin(file, from));
        now.bytes <= bytes && found().is_ok_and(|found| found == begin)
    }
}

/// What a file is going to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Planned {
    /// Its length in bytes.
    pub(super) bytes: u64,
    /// The offset of what replaces or follows the old content.
    pub(super) from: u64,
    /// The checksum of the first bytes of that.
    pub(super) begin: u32,
}

impl Planned {
    fn write(self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&self.bytes.to_le_bytes())?;
        to.write_all(&self.from.to_le_bytes())?;
        to.write_all(&self.begin.to_le_bytes())
    }

    fn read(cursor: &mut Cursor<'_>) -> Option<Planned> {
        Some(Planned {
            bytes: u64_of(cursor)?,
            from: u64_of(cursor)?,
            begin: u32_of(cursor)?,
        })
    }
}

/// Bytes by which new content is known again. A process that is killed has written none or all.
const BEGIN_BYTES: u64 = 4096;

/// Returns the checksum of the first bytes of a file from an offset on.
pub(super) fn checksum_of_begin(mut file: impl Read + Seek, from: u64) -> io::Result<u32> {
    let mut begin = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.take(BEGIN_BYTES).read_to_end(&mut begin)?;
    Ok(crc32fast::hash(&begin))
}

/// By which it is known whether a file was written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Its length in bytes.
    pub bytes: u64,
    /// The time of the last change: seconds since 1970 and nanoseconds.
    pub modified: (i64, u32),
    /// The time that only the system sets (ctime): seconds and nanoseconds; `None` where there is
    /// none.
    pub changed: Option<(i64, i64)>,
}

impl Stamp {
    const BYTES: usize = 36;
    const ABSENT: u64 = u64::MAX;
    /// The nanoseconds of no time.
    const NONE: i64 = -1;

    /// Returns the stamp of a file; `None` if it does not exist.
    pub(super) fn of(path: &Path) -> Option<Stamp> {
        Some(Stamp::of_metadata(&path.metadata().ok()?))
    }

    fn of_metadata(found: &Metadata) -> Stamp {
        let modified = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        Stamp {
            bytes: found.len(),
            modified: since_1970(modified),
            changed: file::changed(found),
        }
    }

    /// Returns whether a file with these two stamps was not written to. Its name and who may read
    /// it do not matter.
    pub(super) fn is_unwritten(&self, now: &Stamp) -> bool {
        (self.bytes, self.modified) == (now.bytes, now.modified)
    }

    /// Lets a file have been changed last when it was then.
    pub(super) fn give_time(&self, path: &Path) -> io::Result<()> {
        let time = file::time_of(self.modified).ok_or(io::ErrorKind::InvalidData)?;
        OpenOptions::new()
            .write(true)
            .open(path)?
            .set_modified(time)
    }

    fn write(stamp: Option<Stamp>, to: &mut impl Write) -> io::Result<()> {
        let Some(stamp) = stamp else {
            let rest = [0; Stamp::BYTES - 8];
            to.write_all(&Stamp::ABSENT.to_le_bytes())?;
            return to.write_all(&rest);
        };
        let (seconds, nanoseconds) = stamp.changed.unwrap_or((0, Stamp::NONE));
        to.write_all(&stamp.bytes.to_le_bytes())?;
        to.write_all(&stamp.modified.0.to_le_bytes())?;
        to.write_all(&stamp.modified.1.to_le_bytes())?;
        to.write_all(&seconds.to_le_bytes())?;
        to.write_all(&nanoseconds.to_le_bytes())
    }

    /// Reads a stamp; `None` if there are too few bytes, `Some(None)` of a file that is absent.
    fn read(cursor: &mut Cursor<'_>) -> Option<Option<Stamp>> {
        let bytes = u64_of(cursor)?;
        let modified = (u64_of(cursor)?.cast_signed(), u32_of(cursor)?);
        let changed = (u64_of(cursor)?.cast_signed(), u64_of(cursor)?.cast_signed());
        let stamp = Stamp {
            bytes,
            modified,
            changed: Some(changed).filter(|changed| changed.1 != Stamp::NONE),
        };
        Some((bytes != Stamp::ABSENT).then_some(stamp))
    }
}

/// A file that is going to be overwritten.
pub(super) struct Overwritten {
    pub(super) suffix: &'static str,
    /// `None` if it does not exist.
    pub(super) file: Option<File>,
    pub(super) planned: Planned,
    /// The offset and the length of each part.
    pub(super) parts: Vec<(u64, u64)>,
}

/// Writes what files hold.
pub(super) fn write_before(
    to: impl Write,
    untouched: u32,
    files: &mut [Overwritten],
) -> io::Result<()> {
    let mut to = Summing::new(to);
    to.write_all(&untouched.to_le_bytes())?;
    to.write_all(&(files.len() as u32).to_le_bytes())?;
    for Overwritten {
        suffix,
        file,
        planned,
        parts,
    } in files.iter()
    {
        to.write_all(&[suffix.len() as u8])?;
        to.write_all(suffix.as_bytes())?;
        let found = file.as_ref().map(|file| file.metadata()).transpose()?;
        Stamp::write(found.as_ref().map(Stamp::of_metadata), &mut to)?;
        planned.write(&mut to)?;
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
        Stamp::write(*stamp, &mut to)?;
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
        let untouched = u32_of(&mut cursor)?;
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
                stamp: head.stamp,
                planned: head.planned,
                parts: head.parts.into_iter().map(part).collect::<Option<_>>()?,
            });
        }
        let summed = body.get(..cursor.offset())?;
        (u32_of(&mut cursor)? == crc32fast::hash(summed)).then_some(())?;
        let after = after(&mut cursor, count);
        let before = Before {
            untouched,
            files,
            after,
        };
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
    stamp: Option<Stamp>,
    planned: Planned,
    parts: Vec<(u64, u64)>,
}

impl Head {
    /// Reads what is told of one file; `None` if a part reaches beyond its end.
    fn read(cursor: &mut Cursor<'_>) -> Option<Head> {
        let length = cursor.u8()?;
        let suffix = cursor.take(length.into())?;
        let known = FAMILIES.iter().flat_map(|family| *family).chain(&[""]);
        let suffix = known.copied().find(|known| known.as_bytes() == suffix)?;
        let stamp = Stamp::read(cursor)?;
        let planned = Planned::read(cursor)?;
        let bytes = stamp.map_or(u64::MAX, |stamp| stamp.bytes);
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
            stamp,
            planned,
            parts,
        })
    }
}

fn after(cursor: &mut Cursor<'_>, count: usize) -> Option<Vec<Option<Stamp>>> {
    let summed = cursor.rest();
    let begun = cursor.offset();
    let mut stamps = Vec::with_capacity(count);
    for _ in 0..count {
        stamps.push(Stamp::read(cursor)?);
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
