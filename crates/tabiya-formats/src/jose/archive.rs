//! Archives (`.jose`, `.jos`): the table files packed into one file.
//!
//! jose writes a tar file compressed by gzip. A tar file is a sequence of headers of 512 bytes
//! (name at 0, 100 bytes; length at 124, 12 octal digits), each followed by its file, padded to a
//! multiple of 512.

use std::{
    collections::HashMap,
    io::{self, Read},
    path::{Path, PathBuf},
};

use flate2::bufread::{DeflateDecoder, MultiGzDecoder};

use super::{flaws, tables::TableFiles};
use crate::{
    File, Report,
    error::{Error, Result},
    limits::JOSE_UNPACKED_BYTES_MAX,
    progress::Progress,
};

const BLOCK_BYTES: usize = 512;
/// Magic in the header of every file in a tar file.
const TAR_MAGIC: &[u8; 5] = b"ustar";
const TAR_MAGIC_AT: usize = 257;

/// An unpacked archive.
#[derive(Debug, Default)]
pub(super) struct Archive {
    /// By name in lower case.
    files: HashMap<String, File>,
    /// Why the archive could not be read to its end.
    pub(super) damage: Option<Error>,
}

impl Archive {
    /// Unpacks an archive into memory.
    ///
    /// `Unsupported` for packers that jose knows but does not use, `LimitExceeded` for more than
    /// [`JOSE_UNPACKED_BYTES_MAX`], `Corrupt` if the file is not an archive. If the packed bytes
    /// are damaged, the files before the damage are returned. When salvaging, a file that is not a
    /// tar file is treated as gzip with a damaged header, and tar headers are searched for.
    /// `Interrupted` after a `Break` from the callback.
    pub(super) fn open(file: &File, salvage: bool, report: Report<'_>) -> Result<Archive> {
        let bytes: &[u8] = &file.bytes;
        let unsupported = |what| Err(Error::unsupported(what));
        if salvage {
            return self::salvage(file, report);
        }
        match bytes {
            [0x1f, 0x8b, ..] => {
                let mut reader = Asking::new(MultiGzDecoder::new(bytes), report);
                reader.tar(&file.path, WHOLE)
            }
            [b'B', b'Z', b'h', ..] | [b'h', b'1'..=b'9', ..] => {
                unsupported("a jose archive packed by bzip2 (a new export as .jose is read)")
            }
            [b'R', b'a', b'r', ..] => {
                unsupported("a jose archive packed by rar (a new export as .jose is read)")
            }
            [b'P', b'K', 3, 4, ..] => {
                unsupported("a jose archive packed by zip (a new export as .jose is read)")
            }
            tar => Asking::new(tar, report).tar(&file.path, WHOLE),
        }
    }

    /// Removes the files of a table from the archive and returns them.
    pub(super) fn table(&mut self, name: &str) -> Option<TableFiles> {
        let mut file = |suffix| self.files.remove(&format!("{name}.{suffix}"));
        Some(TableFiles {
            frm: file("frm")?,
            myi: file("myi")?,
            myd: file("myd")?,
        })
    }
}

/// Unpacks an archive in which any byte may be damaged. A gzip header is ten bytes and, in most
/// archives, the zero-terminated file name.
fn salvage(file: &File, report: Report<'_>) -> Result<Archive> {
    const HEAD_BYTES: usize = 10;
    let bytes: &[u8] = &file.bytes;
    let after = |at| bytes.get(at..).unwrap_or_default();
    if after(TAR_MAGIC_AT).starts_with(TAR_MAGIC) {
        return Asking::new(bytes, report).tar(&file.path, SALVAGED);
    }
    let name = after(HEAD_BYTES).iter().position(|&byte| byte == 0);
    let deflated = [
        name.map_or(HEAD_BYTES, |end| HEAD_BYTES + end + 1),
        HEAD_BYTES,
    ];
    let mut unpack = |at| {
        let mut reader = Asking::new(DeflateDecoder::new(after(at)), report);
        reader.tar(&file.path, SALVAGED)
    };
    unpack(deflated[0]).or_else(|_| unpack(deflated[1]))
}

/// Bytes between two questions whether to go on.
const STEP_BYTES: u64 = 1 << 20;

/// A reader that asks now and then whether to go on, and fails if not.
struct Asking<'r, R> {
    reader: R,
    report: Report<'r>,
    read: u64,
    is_stopped: bool,
}

impl<'r, R: Read> Asking<'r, R> {
    fn new(reader: R, report: Report<'r>) -> Asking<'r, R> {
        Asking {
            reader,
            report,
            read: 0,
            is_stopped: false,
        }
    }

    /// Reads all of a tar file.
    fn tar(&mut self, path: &Path, reach: Reach) -> Result<Archive> {
        let archive = read_tar(&mut *self, path, reach);
        if self.is_stopped {
            return Err(Error::interrupted());
        }
        archive
    }
}

impl<R: Read> Read for Asking<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        let before = self.read / STEP_BYTES;
        self.read += read as u64;
        if self.read / STEP_BYTES > before {
            let so_far = Progress::new(self.read, None, None);
            self.is_stopped |= (self.report)(so_far).is_break();
        }
        if self.is_stopped {
            return Err(io::Error::other("stopped"));
        }
        Ok(read)
    }
}

/// How far an archive is read.
#[derive(Clone, Copy)]
struct Reach {
    bytes_max: u64,
    /// Whether headers are searched for after a block that is not one.
    salvage: bool,
}

const WHOLE: Reach = Reach {
    bytes_max: JOSE_UNPACKED_BYTES_MAX,
    salvage: false,
};
const SALVAGED: Reach = Reach {
    salvage: true,
    ..WHOLE
};

/// Reads the files of a tar file. Headers and padding count towards the limit too, so that an
/// endless sequence of empty files is refused.
fn read_tar(mut reader: impl Read, path: &Path, reach: Reach) -> Result<Archive> {
    let Reach { bytes_max, salvage } = reach;
    let mut archive = Archive::default();
    let mut left = bytes_max;
    loop {
        let mut header = [0; BLOCK_BYTES];
        let read = reader.read_exact(&mut header);
        let is_read = read.is_ok();
        let Some((name, length)) = entry(&header).filter(|_| is_read) else {
            if salvage && is_read && left > 0 {
                // A damaged header, or a block of a file with a damaged header.
                left = left.saturating_sub(BLOCK_BYTES as u64);
                continue;
            }
            // A header of zeros ends the archive. Some archives lack it.
            return if archive.files.is_empty() {
                Err(Error::corrupt(flaws::NOT_AN_ARCHIVE))
            } else {
                Ok(archive)
            };
        };
        let padding = length.wrapping_neg() % BLOCK_BYTES as u64;
        let taken = length.saturating_add(padding + BLOCK_BYTES as u64);
        let too_long = || Error::limit("the unpacked length of the archive in bytes", bytes_max);
        left = left.checked_sub(taken).ok_or_else(too_long)?;
        let mut bytes = Vec::new();
        let read = reader.by_ref().take(length).read_to_end(&mut bytes);
        archive.damage = match read {
            Err(cause) => Some(Error::io_unnamed("decompress", cause)),
            Ok(read) if (read as u64) < length => Some(Error::corrupt(flaws::ARCHIVE_CUT)),
            Ok(_) => None,
        };
        let path = PathBuf::from(format!("{}/{name}", path.display()));
        let file = File::in_memory(path, bytes);
        archive.files.insert(name.to_ascii_lowercase(), file);
        let skipped = std::io::copy(&mut reader.by_ref().take(padding), &mut std::io::sink());
        if archive.damage.is_some() || skipped.is_err() {
            return Ok(archive);
        }
    }
}

/// Reads the name and the length of a header.
fn entry(header: &[u8; BLOCK_BYTES]) -> Option<(String, u64)> {
    let name = header[..100].split(|&byte| byte == 0).next()?;
    let name = String::from_utf8(name.to_vec()).ok()?;
    if name.is_empty() {
        return None;
    }
    let digits = std::str::from_utf8(&header[124..136]).ok()?;
    let digits = digits.trim_matches([' ', '\0']);
    Some((name, u64::from_str_radix(digits, 8).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use tabiya_chess::follow::break_if;

    fn header(name: &str, length: u64) -> Vec<u8> {
        let mut header = vec![0; BLOCK_BYTES];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{length:011o}").as_bytes());
        header
    }

    fn read(tar: &[u8], bytes_max: u64) -> Result<Archive> {
        let reach = Reach { bytes_max, ..WHOLE };
        read_tar(tar, Path::new("a.jose"), reach)
    }

    #[test]
    fn an_archive_of_endless_empty_files_is_over_the_limit() {
        let tar: Vec<u8> = (0..1000)
            .flat_map(|number| header(&number.to_string(), 0))
            .collect();
        let length = tar.len() as u64;
        assert_eq!(read(&tar, length).unwrap().files.len(), 1000);
        let error = read(&tar, length - 1).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::LimitExceeded { .. }));
    }

    #[test]
    fn unpacking_stops_when_it_is_asked_to() {
        let mut tar = [header("a.myd", 4 << 20), vec![7; 4 << 20]].concat();
        tar[TAR_MAGIC_AT..][..TAR_MAGIC.len()].copy_from_slice(TAR_MAGIC);
        for salvage in [false, true] {
            let mut asked = 0;
            let mut stop = |_| {
                asked += 1;
                break_if(asked == 2)
            };
            let file = File::in_memory("a.jose".into(), tar.clone());
            let error = Archive::open(&file, salvage, &mut stop).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::Interrupted);
        }
    }

    #[test]
    fn a_file_that_claims_too_much_is_refused_unread() {
        let tar = [header("a.myd", 1000), vec![7; 1024]].concat();
        assert_eq!(read(&tar, 1536).unwrap().files["a.myd"].bytes.len(), 1000);
        for (claimed, bytes_max) in [(1000, 1535), ((1 << 33) - 1, 1 << 31)] {
            let tar = [header("a.myd", claimed), vec![7; 1024]].concat();
            let error = read(&tar, bytes_max).unwrap_err();
            let what = "the unpacked length of the archive in bytes";
            let limit = bytes_max;
            assert_eq!(error.kind(), &ErrorKind::LimitExceeded { what, limit });
        }
    }
}
