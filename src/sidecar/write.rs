//! Writes a sidecar: first the blobs, block by block, then the directories with their offsets.

use std::{
    fs,
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use rayon::prelude::*;
use tabiya_formats::{
    Ask, File, Overwrite, Target, Temporary,
    error::{Error, Result},
};

use super::{
    container::{self, Shape},
    identity::Identity,
    layout::{ALIGN_BYTES, Directory, Entry, Header, PartKind, PartPlace},
    part::KeptBlobs,
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

    /// Appends the blobs of others.
    pub(super) fn append(&mut self, others: Blobs) {
        let start = self.bytes.len() as u32;
        let moved = others
            .entries
            .into_iter()
            .map(|entry| entry.moved_by(start));
        self.entries.extend(moved);
        self.bytes.extend(others.bytes);
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

/// A sidecar that is written to a temporary file, or after the end of an older one, of which parts
/// are used where they are.
pub(super) struct Writer {
    path: PathBuf,
    out: BufWriter<Out>,
    offset: u64,
    /// See [`Header::room_unit`].
    room_unit: u32,
    parts: Vec<WrittenPart>,
}

enum Out {
    New(Target, Temporary),
    Older(fs::File),
}

impl Writer {
    /// Creates a temporary file.
    ///
    /// # Errors
    /// `Io` if it cannot be created.
    pub(super) fn create(path: &Path) -> Result<Writer> {
        let target = Target::for_file(path, Overwrite::Replace)?;
        let file = target.temporary()?;
        Writer::at(target.index(), Out::New(target, file), Header::BYTES as u64)
    }

    /// Goes on after the end of an older sidecar, which stays valid until [`finish`](Self::finish);
    /// whoever has it open can go on using it. `None` if it cannot be written, somebody else is
    /// doing that, or it is no longer what it was.
    pub(super) fn after(older: &File, length: u64) -> Option<Writer> {
        let file = fs::File::options().write(true).open(&older.path).ok()?;
        file.try_lock().ok()?;
        // What was replaced or has grown before this is not the file that was opened now.
        older.check_unchanged().ok()?;
        let end = length.next_multiple_of(ALIGN_BYTES as u64);
        Writer::at(older.path.clone(), Out::Older(file), end).ok()
    }

    fn at(path: PathBuf, out: Out, offset: u64) -> Result<Writer> {
        let mut writer = Writer {
            path,
            out: BufWriter::with_capacity(1 << 20, out),
            offset,
            room_unit: 0,
            parts: Vec::new(),
        };
        let sought = writer.out.seek(SeekFrom::Start(offset));
        sought.map_err(|cause| writer.failed(cause))?;
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
        self.list(kind, games, entries, self.offset);
        self.write(bytes)
    }

    /// Takes over a block of a sidecar as the next block of a part: copies it, unless it is in the
    /// same file.
    ///
    /// # Errors
    /// `Io` if it cannot be written.
    pub(super) fn keep(&mut self, kind: PartKind, games: u32, kept: &KeptBlobs<'_>) -> Result<()> {
        if let Out::Older(_) = self.out.get_ref() {
            self.list(kind, games, kept.entries, kept.offset as u64);
            return Ok(());
        }
        self.add_made(kind, games, (kept.entries, kept.bytes))
    }

    /// Adds a block, whose blobs are at an offset, to a part.
    fn list(&mut self, kind: PartKind, games: u32, entries: &[Entry], offset: u64) {
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
        Directory::write(games, offset, entries, directories);
    }

    /// Sets [`Header::room_unit`] for the runs that follow: that of the older sidecar if any of its
    /// runs is kept.
    pub(super) fn set_room_unit(&mut self, bytes: u32) {
        self.room_unit = bytes;
    }

    /// Writes the only block of a part: bytes that stay together, less than 4 GiB. They are blobs
    /// of [`RUN_BLOB_BYTES`], of which the last may be smaller.
    ///
    /// # Errors
    /// `Io` if it cannot be written.
    pub(super) fn add_run(&mut self, kind: PartKind, games: u32, bytes: &[u8]) -> Result<()> {
        let after = self.offset + bytes.len() as u64;
        let least = u64::from(room_unit_of(kind, self.room_unit) / 2);
        if room_end(kind, after, self.room_unit) - after < least {
            self.go_to(self.offset + least.next_multiple_of(ALIGN_BYTES as u64))?;
        }
        self.add_made(kind, games, (&run_entries(&[], bytes), bytes))?;
        let end = self.offset.next_multiple_of(ALIGN_BYTES as u64);
        self.write(&[0; ALIGN_BYTES][..(end - self.offset) as usize])?;
        self.go_to(room_end(kind, end, self.room_unit))
    }

    /// Writes the rest of such bytes into the room behind those that are in the same file.
    ///
    /// # Errors
    /// `Io` if it cannot be written.
    pub(super) fn extend_run(
        &mut self,
        kind: PartKind,
        games: u32,
        bytes: &[u8],
        kept: &KeptBlobs<'_>,
    ) -> Result<()> {
        let entries = run_entries(kept.entries, bytes);
        self.list(kind, games, &entries, kept.offset as u64);
        let end = self.offset;
        self.go_to((kept.offset + kept.bytes.len()) as u64)?;
        self.write(bytes.get(kept.bytes.len()..).unwrap_or_default())?;
        self.go_to(end)
    }

    fn go_to(&mut self, offset: u64) -> Result<()> {
        if offset != self.offset {
            let sought = self.out.seek(SeekFrom::Start(offset));
            self.offset = sought.map_err(|cause| self.failed(cause))?;
        }
        Ok(())
    }

    /// Writes the directories and then the header; renames a new file.
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
        let header = Header::write(games, identity, self.offset, self.room_unit, &places);
        let path = self.path;
        let failed = |cause| Error::io("write", &path, cause);
        let out = self.out.into_inner();
        let mut out = out.map_err(|error| failed(error.into_error()))?;
        if let Out::Older(file) = &out {
            // The header may say nothing that is not there yet.
            file.sync_data().map_err(failed)?;
        }
        out.rewind().map_err(failed)?;
        out.write_all(&header).map_err(failed)?;
        match out {
            Out::New(target, file) => target.publish(vec![(file, "")], ask),
            Out::Older(_) => Ok(()),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.offset += bytes.len() as u64;
        self.out
            .write_all(bytes)
            .map_err(|cause| self.failed(cause))
    }

    fn failed(&self, cause: std::io::Error) -> Error {
        Error::io("write", &self.path, cause)
    }
}

/// Returns the entries of the blobs of a run, of which those of the first blobs may be known; of
/// these the last may have been smaller.
fn run_entries(known: &[Entry], bytes: &[u8]) -> Vec<Entry> {
    let known = known.split_last().map_or(known, |(_, whole)| whole);
    let entry = |(number, blob): (usize, &[u8])| {
        let offset = (known.len() + number) * RUN_BLOB_BYTES;
        Entry::new(offset as u32, Shape::raw(blob.len()), blob)
    };
    let new = bytes.get(known.len() * RUN_BLOB_BYTES..);
    let blobs = new.unwrap_or_default().par_chunks(RUN_BLOB_BYTES);
    let new: Vec<Entry> = blobs.enumerate().map(entry).collect();
    [known, &new].concat()
}

/// Returns where the room behind a run ends. See [`Header::room_unit`].
pub(super) fn room_end(kind: PartKind, end: u64, unit: u32) -> u64 {
    let unit = room_unit_of(kind, unit).into();
    end.checked_next_multiple_of(unit).unwrap_or(end)
}

/// Runs that begin with their length are always written anew.
fn room_unit_of(kind: PartKind, unit: u32) -> u32 {
    match kind {
        PartKind::RecordNames | PartKind::TextPlaces => 0,
        _ => unit,
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::New(_, file) => file.write(bytes),
            Out::Older(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::New(_, file) => file.flush(),
            Out::Older(file) => file.flush(),
        }
    }
}

impl Seek for Out {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Out::New(_, file) => file.seek(to),
            Out::Older(file) => file.seek(to),
        }
    }
}
