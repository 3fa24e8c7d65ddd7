//! Writes a sidecar: first the blobs, block by block, then the directories with their offsets.

use std::{
    io::{BufWriter, Seek, SeekFrom, Write},
    path::Path,
};

use rayon::prelude::*;
use tabiya_formats::{
    Ask, Overwrite, Target, Temporary,
    error::{Error, Result},
};

use super::{
    container::{self, Shape},
    identity::Identity,
    layout::{ALIGN_BYTES, Directory, Entry, Header, PartKind, PartPlace},
};

/// Bytes of one blob of a run: 1024 records.
pub(super) const RUN_BLOB_BYTES: usize = 80 << 10;

/// The blobs of one block of one part.
#[derive(Debug, Default)]
pub(super) struct Blobs {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
}

impl Blobs {
    /// Appends a set of games, in which bit n is game n of the block.
    pub(super) fn push_set(&mut self, bits: &[u64], games: u32) {
        let start = self.bytes.len();
        let shape = container::write(bits, games, &mut self.bytes);
        self.push(start, shape);
    }

    /// Appends a set of games, given as an ascending list.
    pub(super) fn push_list(&mut self, places: impl ExactSizeIterator<Item = u16>, games: u32) {
        let start = self.bytes.len();
        let shape = container::write_list(places, games, &mut self.bytes);
        self.push(start, shape);
    }

    /// Appends raw data of less than 2^24 bytes.
    pub(super) fn push_bytes(&mut self, bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        self.push(start, Shape::raw(bytes.len()));
    }

    /// Returns the entries and the bytes.
    pub(super) fn parts(&self) -> (&[Entry], &[u8]) {
        (&self.entries, &self.bytes)
    }

    /// Adds the bytes appended since `start` as a blob.
    fn push(&mut self, start: usize, shape: Shape) {
        let entry = Entry::new(start as u32, shape, &self.bytes[start..]);
        self.entries.push(entry);
        let aligned = self.bytes.len().next_multiple_of(ALIGN_BYTES);
        self.bytes.resize(aligned, 0);
    }
}

/// A part while it is written.
struct WrittenPart {
    kind: PartKind,
    blobs: usize,
    directories: Vec<u8>,
}

/// A sidecar that is written to a temporary file.
pub(super) struct Writer {
    target: Target,
    out: BufWriter<Temporary>,
    offset: u64,
    parts: Vec<WrittenPart>,
}

impl Writer {
    /// Creates a temporary file.
    ///
    /// # Errors
    /// `Io` if it cannot be created.
    pub(super) fn create(path: &Path) -> Result<Writer> {
        let target = Target::for_file(path, Overwrite::Replace)?;
        let mut writer = Writer {
            out: BufWriter::with_capacity(1 << 20, target.temporary()?),
            target,
            offset: Header::BYTES as u64,
            parts: Vec::new(),
        };
        let first = SeekFrom::Start(writer.offset);
        writer
            .out
            .seek(first)
            .map_err(|cause| writer.failed(cause))?;
        Ok(writer)
    }

    /// Writes the next block of a part, of this number of games.
    ///
    /// # Errors
    /// `Io` if it cannot be written.
    pub(super) fn add(&mut self, kind: PartKind, games: u32, blobs: &Blobs) -> Result<()> {
        self.add_made(kind, games, blobs.parts())
    }

    /// Writes the next block from another file: the entries of its blobs and their bytes.
    ///
    /// # Errors
    /// `Io` if it cannot be written.
    pub(super) fn add_made(
        &mut self,
        kind: PartKind,
        games: u32,
        (entries, bytes): (&[Entry], &[u8]),
    ) -> Result<()> {
        let known = self.parts.iter().position(|part| part.kind == kind);
        let place = known.unwrap_or_else(|| {
            self.parts.push(WrittenPart {
                kind,
                blobs: entries.len(),
                directories: Vec::new(),
            });
            self.parts.len() - 1
        });
        let directories = &mut self.parts[place].directories;
        Directory::write(games, self.offset, entries, directories);
        self.write(bytes)
    }

    /// Writes the only block of a part: bytes that stay together, less than 4 GiB. They are blobs
    /// of [`RUN_BLOB_BYTES`], of which the last may be smaller.
    ///
    /// # Errors
    /// `Io` if it cannot be written.
    pub(super) fn add_run(&mut self, kind: PartKind, games: u32, bytes: &[u8]) -> Result<()> {
        let entry = |(number, blob): (usize, &[u8])| {
            Entry::new(
                (number * RUN_BLOB_BYTES) as u32,
                Shape::raw(blob.len()),
                blob,
            )
        };
        let blobs = bytes.par_chunks(RUN_BLOB_BYTES).enumerate();
        let entries: Vec<Entry> = blobs.map(entry).collect();
        self.add_made(kind, games, (&entries, bytes))?;
        let padding = bytes.len().next_multiple_of(ALIGN_BYTES) - bytes.len();
        self.write(&[0; ALIGN_BYTES][..padding])
    }

    /// Writes the directories and the header, and renames the file.
    ///
    /// # Errors
    /// `Io` if it cannot be written; `Interrupted` if `ask` breaks.
    pub(super) fn finish(mut self, games: u32, identity: Identity, ask: Ask<'_>) -> Result<()> {
        let mut places = Vec::new();
        for part in std::mem::take(&mut self.parts) {
            let (offset, length) = (self.offset, part.directories.len() as u64);
            places.push(PartPlace::new(part.kind, part.blobs as u32, offset, length));
            self.write(&part.directories)?;
        }
        let header = Header::write(games, identity, self.offset, &places);
        let path = self.target.index();
        let failed = |cause| Error::io("write", &path, cause);
        self.out.rewind().map_err(failed)?;
        self.out.write_all(&header).map_err(failed)?;
        let file = self
            .out
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        self.target.publish(vec![(file, "")], ask)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.offset += bytes.len() as u64;
        self.out
            .write_all(bytes)
            .map_err(|cause| self.failed(cause))
    }

    fn failed(&self, cause: std::io::Error) -> Error {
        Error::io("write", &self.target.index(), cause)
    }
}
