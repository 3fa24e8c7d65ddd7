//! The identity of the database that a sidecar was made from.
//!
//! The formats have no generation number, so the two files that visit sets are made from are
//! identified by their lengths, the times of their last change and samples of their content: the
//! first and the last 4 KiB, and between them 64 pieces of 256 bytes at even distances. Programs
//! that change a database change its index header or its length.
//!
//! The time of the last change can be set by programs, and content can change between the samples.
//! So the change time that only the system sets (ctime) is stored too, with a checksum of each
//! whole file. A file with the same times is the same. If only the ctime differs, as for every
//! copy, the file must have the same checksum; so a database copied with its times keeps its
//! sidecar. Where a system has no such time (Windows), the checksum is compared in any case.

use std::path::Path;

use rayon::prelude::*;
use tabiya_formats::{
    File, LastChange, Stamp, Store,
    error::{Error, Result},
    last_change,
};
use zerocopy::{
    FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
    little_endian::{I64, U32, U64},
};

/// Number of bytes that are compared at either end of a file.
const END_BYTES: usize = 4096;
/// Number of pieces that are compared in between, and the length of each.
const SAMPLES: usize = 64;
const SAMPLE_BYTES: usize = 256;
/// Bytes that one thread sums at a time.
const PIECE_BYTES: usize = 1 << 22;

/// The state of the index file and the games file.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub(crate) struct Identity([FileState; 2]);

/// The state of one file. The layout is that of the sidecar's header.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub(crate) struct FileState {
    suffix: [u8; 8],
    bytes: U64,
    modified_seconds: I64,
    modified_nanoseconds: U32,
    /// The checksum of the samples.
    checksum: U32,
    /// The time set by the system (ctime); zeros if there is none.
    changed_seconds: I64,
    changed_nanoseconds: U32,
    /// The checksum of all bytes.
    whole: U32,
}

impl Identity {
    /// Returns the state of a database's files. O(size of the files).
    ///
    /// # Errors
    /// `Unsupported` for a database without files of its own.
    pub(crate) fn of(store: &dyn Store) -> Result<Identity> {
        let [index, games] = files(store)?;
        Ok(Identity([FileState::of(index)?, FileState::of(games)?]))
    }

    /// Returns whether a database's files are in this state. O(1), but O(size of the files) for
    /// copied files, and where the system has no ctime.
    ///
    /// # Errors
    /// `Unsupported` for a database without files of its own.
    pub(crate) fn is_of(&self, store: &dyn Store) -> Result<bool> {
        let [index, games] = files(store)?;
        Ok(self.0[0].is_of(index)? && self.0[1].is_of(games)?)
    }

    /// Returns whether a database that is one file is in this state. The time is as for
    /// [`is_of`](Identity::is_of).
    ///
    /// # Errors
    /// `Unsupported` for bytes that are not a file of their own.
    pub(super) fn is_of_file(&self, file: &File) -> Result<bool> {
        Ok(self.0[0] == self.0[1] && self.0[0].is_of(file)?)
    }
}

impl Identity {
    /// Returns the length in bytes that a database of one file had, if the file has grown since and
    /// begins as it was. O(that length), unless it is known that a change only appended to it.
    pub(super) fn is_of_beginning(&self, file: &File) -> Option<usize> {
        let then = &self.0[0];
        let length = usize::try_from(then.bytes.get()).ok()?;
        let grew = last_change(&file.path).filter(|change| change.untouched == u32::MAX);
        if self.0[0] == self.0[1] && grew.is_some_and(|change| then.led_to(file, &change)) {
            return Some(length);
        }
        let beginning = file.bytes.get(..length)?;
        let is_same = self.0[0] == self.0[1]
            && then.suffix == suffix_of(&file.path)
            && length < file.bytes.len()
            && then.checksum == checksum(beginning)
            && then.whole == whole(beginning);
        is_same.then_some(length)
    }
}

impl Identity {
    /// Returns for how many games, from the first on, records and moves are as they were in this
    /// state, if the last change that was made here led from this state of that many games to the
    /// present one. `None` where nothing proves that.
    pub(super) fn untouched(&self, games: u32, store: &dyn Store) -> Option<u32> {
        let files = files(store).ok()?;
        let change = last_change(&files[0].path)?;
        let is_led_from = |(then, file): (&FileState, &&File)| then.led_to(file, &change);
        let is_proved = self.0.iter().zip(&files).all(is_led_from);
        let settled = store.settled_games(games, self.0[1].bytes.get());
        is_proved.then(|| settled.min(change.untouched))
    }
}

/// Returns the index file and the games file.
fn files(store: &dyn Store) -> Result<[&File; 2]> {
    let files = store.files();
    let games = files.iter().find(|file| file.path == store.games_path());
    let index = files.first().ok_or_else(without_files)?;
    // If the index is an archive, it contains the games as well.
    Ok([index, games.unwrap_or(index)])
}

/// Returns the state of the files other than index and games, which names may come from; `None` for
/// a database without files of its own.
pub(super) fn of_names(store: &dyn Store) -> Option<Vec<FileState>> {
    let others = others(store).into_iter();
    others.map(|file| FileState::of(file).ok()).collect()
}

/// Returns whether the files other than index and games are in these states.
pub(super) fn are_of_names(states: &[u8], store: &dyn Store) -> bool {
    let Ok(states) = <[FileState]>::ref_from_bytes(states) else {
        return false;
    };
    let others = others(store);
    let is_same = |(state, file): (&FileState, &File)| matches!(state.is_of(file), Ok(true));
    states.len() == others.len() && states.iter().zip(others).all(is_same)
}

fn others(store: &dyn Store) -> Vec<&File> {
    let others = store.files().into_iter().skip(1);
    others
        .filter(|file| file.path != store.games_path())
        .collect()
}

impl FileState {
    fn of(file: &File) -> Result<FileState> {
        Ok(FileState {
            whole: whole(&file.bytes).into(),
            ..FileState::without_reading(file)?
        })
    }

    fn is_of(&self, file: &File) -> Result<bool> {
        let now = FileState::without_reading(file)?;
        let then = FileState {
            changed_seconds: now.changed_seconds,
            changed_nanoseconds: now.changed_nanoseconds,
            whole: now.whole,
            ..*self
        };
        // Without such a time nothing but the bytes can show a change.
        let is_untouched = file.changed.is_some()
            && (self.changed_seconds, self.changed_nanoseconds)
                == (now.changed_seconds, now.changed_nanoseconds);
        Ok(then == now && (is_untouched || self.whole == whole(&file.bytes)))
    }

    /// Returns whether a change found the file in this state and left it as it is now.
    fn led_to(&self, file: &File, change: &LastChange) -> bool {
        let mut changed = change.files.iter();
        let Some((_, before, after)) =
            changed.find(|(path, ..)| suffix_of(path) == suffix_of(&file.path))
        else {
            return matches!(self.is_of(file), Ok(true));
        };
        let is_now = after.is_some_and(|after| after.changed.is_some()) && file.stamp() == *after;
        is_now && self.suffix == suffix_of(&file.path) && before.is_some_and(|it| self.is(&it))
    }

    /// Returns whether this is the state of a file with this stamp.
    fn is(&self, stamp: &Stamp) -> bool {
        let changed = (
            self.changed_seconds.get(),
            self.changed_nanoseconds.get().into(),
        );
        let modified = (self.modified_seconds.get(), self.modified_nanoseconds.get());
        stamp.changed == Some(changed)
            && stamp.modified == modified
            && stamp.bytes == self.bytes.get()
    }

    /// Returns the state without the checksum of the whole file.
    fn without_reading(file: &File) -> Result<FileState> {
        let stamp = file.stamp().ok_or_else(without_files)?;
        let (changed_seconds, changed_nanoseconds) = stamp.changed.unwrap_or_default();
        Ok(FileState {
            suffix: suffix_of(&file.path),
            bytes: stamp.bytes.into(),
            modified_seconds: stamp.modified.0.into(),
            modified_nanoseconds: stamp.modified.1.into(),
            checksum: checksum(&file.bytes).into(),
            changed_seconds: changed_seconds.into(),
            changed_nanoseconds: (changed_nanoseconds as u32).into(),
            whole: U32::ZERO,
        })
    }
}

/// Returns a file's suffix in lower case, padded with zeros.
fn suffix_of(path: &Path) -> [u8; 8] {
    let mut suffix = [0; 8];
    let name = path.extension().unwrap_or_default();
    for (byte, letter) in suffix.iter_mut().zip(name.as_encoded_bytes()) {
        *byte = letter.to_ascii_lowercase();
    }
    suffix
}

/// Returns the error for a database in memory or in an archive.
fn without_files() -> Error {
    Error::unsupported("a sidecar for a database that is not in files of its own")
}

/// Returns the checksum of all bytes.
fn whole(bytes: &[u8]) -> u32 {
    let hasher = |bytes: &[u8]| {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(bytes);
        hasher
    };
    let pieces = bytes.par_chunks(PIECE_BYTES).map(hasher);
    let joined = pieces.reduce(crc32fast::Hasher::new, |mut one, next| {
        one.combine(&next);
        one
    });
    joined.finalize()
}

/// Returns the checksum of a file's samples.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..bytes.len().min(END_BYTES)]);
    let distance = bytes.len() / (SAMPLES + 1);
    for sample in (1..=SAMPLES).map(|number| number * distance) {
        let end = bytes.len().min(sample + SAMPLE_BYTES);
        hasher.update(&bytes[sample..end]);
    }
    hasher.update(&bytes[bytes.len().saturating_sub(END_BYTES)..]);
    hasher.finalize()
}
