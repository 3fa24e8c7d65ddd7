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
//!
//! A part of a file that has a sidecar of its own is identified by the same facts of the file, but
//! by the checksum of the bytes that this part is in.

use std::path::Path;

use crc32fast::Hasher;
use rayon::prelude::*;
use tabiya_formats::{
    File, FileChange, IndexedPart, LastChange, Patch, Stamp, Store,
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
    /// Returns the state of a database's files. O(size of the files), but of files that are known
    /// O(bytes that the last change wrote).
    ///
    /// # Errors
    /// `Unsupported` for a database without files of its own.
    pub(crate) fn of(store: &dyn Store, known: &Known) -> Result<Identity> {
        let [index, games] = files(store)?;
        if let Some(part) = store.part() {
            return Ok(Identity([FileState::of(index, whole_of(index, &part))?; 2]));
        }
        let of_index = known.state_of(index)?;
        let is_one = index.path == games.path;
        let of_games = if is_one {
            of_index
        } else {
            known.state_of(games)?
        };
        Ok(Identity([of_index, of_games]))
    }

    /// Returns whether a database's files are in this state. O(1), but O(size of the files) for
    /// copied files, and where the system has no ctime.
    ///
    /// # Errors
    /// `Unsupported` for a database without files of its own.
    pub(crate) fn is_of(&self, store: &dyn Store) -> Result<bool> {
        let [index, games] = files(store)?;
        match store.part() {
            Some(part) => self.is_of_part(index, &part),
            None => Ok(self.0[0].is_of(index)? && self.0[1].is_of(games)?),
        }
    }

    /// Returns whether this has the times of a database of one file, those that only the system
    /// sets among them. O(1).
    pub(super) fn is_current(&self, store: &dyn Store) -> bool {
        let now = files(store).and_then(|[file, _]| FileState::without_reading(file));
        now.is_ok_and(|now| {
            let whole = self.0[0].whole;
            self.0 == [FileState { whole, ..now }; 2]
        })
    }

    /// Returns whether a part of a file is in this state. O(1), but O(bytes of the part) for copied
    /// files, and where the system has no ctime.
    ///
    /// # Errors
    /// `Unsupported` for bytes that are not a file of their own.
    pub(super) fn is_of_part(&self, file: &File, part: &IndexedPart) -> Result<bool> {
        let whole = || whole_of(file, part);
        Ok(self.0[0] == self.0[1] && self.0[0].is_of_bytes(file, whole)?)
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
pub(super) fn of_names(store: &dyn Store, known: &Known) -> Option<Vec<FileState>> {
    let others = others(store).into_iter();
    others.map(|file| known.state_of(file).ok()).collect()
}

/// What is known of a database before it is read: the states of its files when an older sidecar was
/// made, and what the last change did to them.
#[derive(Debug, Default)]
pub(crate) struct Known {
    states: Vec<FileState>,
    change: Option<LastChange>,
}

impl Known {
    /// Returns what an older sidecar knows, of the files that names come from `of_names`.
    pub(super) fn new(older: Identity, of_names: &[u8], store: &dyn Store) -> Known {
        let of_names = <[FileState]>::ref_from_bytes(of_names).unwrap_or_default();
        let index = files(store).map(|[index, _]| &index.path);
        Known {
            states: [&older.0, of_names].concat(),
            change: index.ok().and_then(|path| last_change(path)),
        }
    }

    fn state_of(&self, file: &File) -> Result<FileState> {
        let whole = self.whole(file).unwrap_or_else(|| whole(&file.bytes));
        FileState::of(file, whole)
    }

    /// Returns the checksum of all bytes of a file, if it is known what has changed in it since
    /// that was computed.
    fn whole(&self, file: &File) -> Option<u32> {
        let change = self.change.as_ref()?;
        let suffix = suffix_of(&file.path);
        let then = self.states.iter().find(|then| then.suffix == suffix)?;
        if !then.led_to(file, change) {
            return None;
        }
        match change_of(file, change) {
            Some(change) => whole_after(then, &file.bytes, change.overwritten.as_ref()?),
            None => Some(then.whole.get()),
        }
    }
}

/// Returns what a change did to a file.
fn change_of<'c>(file: &File, change: &'c LastChange) -> Option<&'c FileChange> {
    let suffix = suffix_of(&file.path);
    let mut changed = change.files.iter();
    changed.find(|change| suffix_of(&change.path) == suffix)
}

/// Returns the checksum of a file that has grown, and of which some parts were overwritten: what it
/// was, and for each part the old bytes; `None` if these overlap.
///
/// The checksums of two texts of one length differ by that of their difference, so it is enough to
/// know how the part differs and how many bytes follow it.
fn whole_after(then: &FileState, bytes: &[u8], overwritten: &[Patch]) -> Option<u32> {
    let length = usize::try_from(then.bytes.get()).ok()?;
    let (kept, added) = bytes.split_at_checked(length)?;
    let mut parts: Vec<_> = overwritten.iter().collect();
    parts.sort_unstable_by_key(|(offset, _)| *offset);
    let (mut sum, mut end) = (then.whole.get(), 0);
    for (offset, old) in parts {
        let start = usize::try_from(*offset).ok()?;
        let new = kept.get(start..)?.get(..old.len())?;
        if start < end {
            return None;
        }
        end = start + old.len();
        let difference = crc32fast::hash(old) ^ crc32fast::hash(new);
        let mut moved = Hasher::new_with_initial_len(difference, old.len() as u64);
        moved.combine(&Hasher::new_with_initial_len(0, (length - end) as u64));
        sum ^= moved.finalize();
    }
    let mut hasher = Hasher::new_with_initial_len(sum, length as u64);
    hasher.update(added);
    Some(hasher.finalize())
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

/// Returns the checksum of the bytes that a part of a file is in.
fn whole_of(file: &File, part: &IndexedPart) -> u32 {
    let end = part.bytes.end.min(file.bytes.len());
    let bytes = file.bytes.get(part.bytes.start..end);
    whole(bytes.unwrap_or_default())
}

impl FileState {
    /// Returns the state of a file with this checksum of its bytes, or of those of a part.
    fn of(file: &File, whole: u32) -> Result<FileState> {
        Ok(FileState {
            whole: whole.into(),
            ..FileState::without_reading(file)?
        })
    }

    fn is_of(&self, file: &File) -> Result<bool> {
        self.is_of_bytes(file, || whole(&file.bytes))
    }

    fn is_of_bytes(&self, file: &File, whole: impl FnOnce() -> u32) -> Result<bool> {
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
        Ok(then == now && (is_untouched || self.whole == whole()))
    }

    /// Returns whether a change found the file in this state and left it as it is now.
    fn led_to(&self, file: &File, change: &LastChange) -> bool {
        let Some(FileChange { before, after, .. }) = change_of(file, change) else {
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
        let mut hasher = Hasher::new();
        hasher.update(bytes);
        hasher
    };
    let pieces = bytes.par_chunks(PIECE_BYTES).map(hasher);
    let joined = pieces.reduce(Hasher::new, |mut one, next| {
        one.combine(&next);
        one
    });
    joined.finalize()
}

/// Returns the checksum of a file's samples.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(&bytes[..bytes.len().min(END_BYTES)]);
    let distance = bytes.len() / (SAMPLES + 1);
    for sample in (1..=SAMPLES).map(|number| number * distance) {
        let end = bytes.len().min(sample + SAMPLE_BYTES);
        hasher.update(&bytes[sample..end]);
    }
    hasher.update(&bytes[bytes.len().saturating_sub(END_BYTES)..]);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the state of a file with these bytes.
    fn state(bytes: &[u8]) -> FileState {
        let file = File::in_memory("some.pgn".into(), bytes.to_vec());
        FileState {
            suffix: suffix_of(&file.path),
            bytes: (bytes.len() as u64).into(),
            modified_seconds: 0.into(),
            modified_nanoseconds: 0.into(),
            checksum: 0.into(),
            changed_seconds: 0.into(),
            changed_nanoseconds: 0.into(),
            whole: whole(bytes).into(),
        }
    }

    #[test]
    fn what_has_changed_is_enough_for_the_checksum_of_a_file() {
        let old: Vec<u8> = (0..5000_u32).map(|n| (n * n % 251) as u8).collect();
        for places in [
            &[][..],
            &[(0, 3)],
            &[(4990, 5000), (7, 8), (8, 900)],
            &[(0, 5000)],
            &[(9, 9)],
        ] {
            for added in [0, 1, 700] {
                let mut new = old.clone();
                let mut patches: Vec<Patch> = Vec::new();
                for &(start, end) in places {
                    patches.push((start as u64, old[start..end].to_vec()));
                    new[start..end].iter_mut().for_each(|byte| *byte ^= 0x5a);
                }
                new.extend((0..added).map(|n| n as u8));
                let sum = whole_after(&state(&old), &new, &patches);
                assert_eq!(sum, Some(whole(&new)), "{places:?} {added}");
            }
        }
    }

    #[test]
    fn what_was_overwritten_twice_or_cut_off_is_not_known() {
        let old = [7; 100];
        let part = |offset: u64, bytes: usize| (offset, vec![7; bytes]);
        for parts in [
            [part(0, 10), part(9, 2)],
            [part(50, 50), part(0, 51)],
            [part(0, 1), part(100, 1)],
            [part(0, 1), part(u64::MAX, 1)],
        ] {
            assert_eq!(whole_after(&state(&old), &[7; 120], &parts), None);
        }
        assert_eq!(whole_after(&state(&old), &old[..99], &[]), None);
    }
}
