//! The files of a new database while they are written.

use std::{
    io::{self, BufWriter, Cursor, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{ChangedFile, Content, Patch, Target, Temporary};
use crate::error::{Error, Result};

const BUFFER_BYTES: usize = 1 << 18;
/// Zeros that are written at once.
const ZEROS: usize = 1 << 12;

/// Where the files of a new database are.
#[derive(Debug)]
pub enum Destination {
    /// In a folder, under temporary names until all are complete.
    Folder(Target),
    /// In memory.
    Memory,
}

impl Destination {
    /// Returns the final path of a file, for messages.
    pub(super) fn path(&self, suffix: &str) -> PathBuf {
        match self {
            Destination::Folder(target) if suffix.is_empty() => target.index(),
            Destination::Folder(target) => target.path(suffix),
            Destination::Memory => Path::new("(database in memory)").with_extension(suffix),
        }
    }
}

/// A file that does not have its final name yet.
#[derive(Debug)]
pub struct Output {
    bytes: BufWriter<Bytes>,
    pub(super) suffix: &'static str,
    /// For messages.
    path: PathBuf,
    length: u64,
    /// Of a file that exists and grows: its length before, of which nothing is in `bytes`, and what
    /// is overwritten of it.
    grows: Option<(u64, Vec<Patch>)>,
}

#[derive(Debug)]
enum Bytes {
    File(Temporary),
    Memory(Cursor<Vec<u8>>),
}

impl Output {
    /// Creates a file with room for its header.
    pub(super) fn new(
        place: &Destination,
        suffix: &'static str,
        header_bytes: usize,
    ) -> Result<Output> {
        let bytes = match place {
            Destination::Folder(target) => Bytes::File(target.temporary()?),
            Destination::Memory => Bytes::Memory(Cursor::default()),
        };
        let mut output = Output {
            bytes: BufWriter::with_capacity(BUFFER_BYTES, bytes),
            suffix,
            path: place.path(suffix),
            length: 0,
            grows: None,
        };
        output.append(&vec![0; header_bytes])?;
        Ok(output)
    }

    /// Appends to a file that exists and has this length.
    pub(super) fn growing(
        place: &Destination,
        suffix: &'static str,
        length: u64,
    ) -> Result<Output> {
        let mut output = Output::new(place, suffix, 0)?;
        output.length = length;
        output.grows = Some((length, Vec::new()));
        Ok(output)
    }

    /// Creates a file with these contents.
    pub(super) fn whole(place: &Destination, suffix: &'static str, bytes: &[u8]) -> Result<Output> {
        let mut output = Output::new(place, suffix, 0)?;
        output.append(bytes)?;
        Ok(output)
    }

    /// Returns the length of the file in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.write_all(bytes);
        written.map_err(|cause| Error::io("write", &self.path, cause))
    }

    /// Overwrites the start of the file.
    pub(super) fn set_header(&mut self, header: &[u8]) -> Result<()> {
        self.overwrite(0, header)
    }

    /// Overwrites bytes of the file; of one that grows, bytes that it had before.
    pub(super) fn overwrite(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        if let Some((_, patches)) = &mut self.grows {
            match patches.last_mut() {
                Some((start, last)) if *start + last.len() as u64 == offset => {
                    last.extend_from_slice(bytes);
                }
                _ => patches.push((offset, bytes.to_owned())),
            }
            return Ok(());
        }
        let file = &mut self.bytes;
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.write_all(bytes))
            .and_then(|()| file.seek(SeekFrom::Start(self.length)))
            .map(drop)
            .map_err(|cause| Error::io("write", &self.path, cause))
    }

    /// Writes bytes at an offset, which the file need not reach yet: what lies between becomes
    /// zeros.
    /// Overwrites what a file that grows had before; otherwise the offset is not before the end.
    pub(super) fn put(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let before = self.grows.as_ref().map_or(0, |(before, _)| *before);
        let inside = before.saturating_sub(offset).min(bytes.len() as u64);
        let (old, new) = bytes.split_at(inside as usize);
        if !old.is_empty() {
            self.overwrite(offset, old)?;
        }
        if new.is_empty() {
            return Ok(());
        }
        let mut gap = (offset + inside).saturating_sub(self.length);
        while gap > 0 {
            let zeros = &[0; ZEROS][..ZEROS.min(gap as usize)];
            self.append(zeros)?;
            gap -= zeros.len() as u64;
        }
        self.append(new)
    }

    /// Returns the complete file and its suffix.
    pub(super) fn into_file(self) -> Result<(Temporary, &'static str)> {
        let suffix = self.suffix;
        match self.flushed()? {
            Bytes::File(file) => Ok((file, suffix)),
            Bytes::Memory(_) => {
                let what = "giving bytes in memory a name";
                Err(Error::unsupported(what))
            }
        }
    }

    /// Returns what becomes of the file of a database that is changed.
    pub(super) fn into_changed(mut self) -> Result<ChangedFile> {
        let grows = self.grows.take();
        let length = self.length;
        let (new, suffix) = self.into_file()?;
        let content = match grows {
            None => Content::Whole(new),
            Some((bytes, patches)) => Content::InPlace {
                bytes,
                tail: (length > bytes).then_some(new),
                patches,
            },
        };
        Ok(ChangedFile { suffix, content })
    }

    /// Returns the complete bytes; none of a file in a folder.
    pub(super) fn into_bytes(self) -> Result<Vec<u8>> {
        match self.flushed()? {
            Bytes::File(_) => Ok(Vec::new()),
            Bytes::Memory(bytes) => Ok(bytes.into_inner()),
        }
    }

    fn flushed(self) -> Result<Bytes> {
        let bytes = self.bytes.into_inner();
        bytes.map_err(|error| Error::io("write", &self.path, error.into_error()))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.bytes.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.bytes.flush()
    }
}

/// What both kinds of bytes can do.
trait Storage: Write + Seek {}

impl<T: Write + Seek> Storage for T {}

impl Bytes {
    fn storage(&mut self) -> &mut dyn Storage {
        match self {
            Bytes::File(file) => file,
            Bytes::Memory(memory) => memory,
        }
    }
}

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.storage().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.storage().flush()
    }
}

impl Seek for Bytes {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.storage().seek(to)
    }
}
