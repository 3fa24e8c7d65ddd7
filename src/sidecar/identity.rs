//! What ties a sidecar to the database that it was made from.
//!
//! The formats have no generation number, so the two files that visit sets are made from are
//! known by their lengths, by the times of their last change and by samples of their content:
//! the first and the last 4 KiB, and between them 64 pieces of 256 bytes at even distances.
//! Programs that change a database change its index header or its length.

use std::time::UNIX_EPOCH;

use zerocopy::{
    FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
    little_endian::{I64, U32, U64},
};

use crate::{
    error::{Error, ErrorKind, Result},
    format::{File, Store},
};

/// Bytes that are compared at either end of a file.
const END_BYTES: usize = 4096;
/// Pieces that are compared in between, and the bytes of one.
const SAMPLES: usize = 64;
const SAMPLE_BYTES: usize = 256;

/// The state of the files with the index and the games.
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
    checksum: U32,
}

impl Identity {
    /// Returns the state of a database's files. O(1).
    ///
    /// # Errors
    /// `Unsupported` for a database that is not in files of its own.
    pub(crate) fn of(store: &dyn Store) -> Result<Identity> {
        let files = store.files();
        let index = files.first();
        let games = files.iter().find(|file| file.path == store.games_path());
        let index = index.ok_or_else(without_files)?;
        // Where the index is an archive, it holds the games as well.
        let games = games.unwrap_or(index);
        Ok(Identity([FileState::of(index)?, FileState::of(games)?]))
    }
}

/// Returns the state of the files besides index and games, which names may come from; `None`
/// for a database that is not in files of its own.
pub(super) fn of_names(store: &dyn Store) -> Option<Vec<FileState>> {
    let files = store.files();
    let others = files.iter().skip(1);
    let others = others.filter(|file| file.path != store.games_path());
    others.map(|file| FileState::of(file).ok()).collect()
}

impl FileState {
    fn of(file: &File) -> Result<FileState> {
        let modified = file.modified.ok_or_else(without_files)?;
        let (seconds, nanoseconds) = match modified.duration_since(UNIX_EPOCH) {
            Ok(since) => (since.as_secs() as i64, since.subsec_nanos()),
            Err(before) => {
                let before = before.duration();
                (-(before.as_secs() as i64), before.subsec_nanos())
            }
        };
        let mut suffix = [0; 8];
        let name = file.path.extension().unwrap_or_default();
        for (byte, letter) in suffix.iter_mut().zip(name.as_encoded_bytes()) {
            *byte = letter.to_ascii_lowercase();
        }
        Ok(FileState {
            suffix,
            bytes: (file.bytes.len() as u64).into(),
            modified_seconds: seconds.into(),
            modified_nanoseconds: nanoseconds.into(),
            checksum: checksum(&file.bytes).into(),
        })
    }
}

/// Returns the error for a database in memory or in an archive.
fn without_files() -> Error {
    let what = "a sidecar for a database that is not in files of its own";
    Error::new(ErrorKind::Unsupported { what })
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
