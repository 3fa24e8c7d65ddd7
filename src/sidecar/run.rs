//! A run of bytes in a sidecar: the blobs of a part that has one block.

use std::{ops::Range, path::Path, sync::Arc};

use rayon::prelude::*;
use tabiya_formats::{File, Run};

use super::{layout::PartPlace, part::Part, write::RUN_BLOB_BYTES};

/// Ranges of more blobs are checked in parallel.
const BLOBS_ALONE: usize = 64;

/// A run whose blobs are compared with their checksums when they are first used.
#[derive(Debug)]
pub(super) struct StoredRun {
    file: Arc<File>,
    part: Part,
    games: u32,
    /// The bytes of the file that belong to the run.
    range: Range<usize>,
}

impl StoredRun {
    /// Returns a part of the sidecar of this number of games as a run; `None` if it is not one, or
    /// its directory is damaged. O(blobs), none of which is read.
    pub(super) fn new(file: &Arc<File>, place: PartPlace, games: u32) -> Option<StoredRun> {
        let part = Part::new(place, 1, file.bytes.len())?;
        let range = part.block(&file.bytes, 0, games)?.run(RUN_BLOB_BYTES)?;
        file.bytes.get(range.clone())?;
        Some(StoredRun {
            file: Arc::clone(file),
            part,
            games,
            range,
        })
    }

    #[inline]
    fn is_sound(&self, blob: usize) -> bool {
        self.part.has_checked(blob) || self.check(blob)
    }

    #[cold]
    fn check(&self, blob: usize) -> bool {
        let block = self.part.block(&self.file.bytes, 0, self.games);
        block.is_some_and(|block| block.is_sound(blob))
    }
}

impl Run for StoredRun {
    fn size(&self) -> usize {
        self.range.len()
    }

    #[inline]
    fn get(&self, range: Range<usize>) -> Option<&[u8]> {
        let bytes = self
            .file
            .bytes
            .get(self.range.clone())?
            .get(range.clone())?;
        let blobs = range.start / RUN_BLOB_BYTES..range.end.div_ceil(RUN_BLOB_BYTES);
        let are_sound = if blobs.len() > BLOBS_ALONE {
            blobs.into_par_iter().all(|blob| self.is_sound(blob))
        } else {
            blobs.into_iter().all(|blob| self.is_sound(blob))
        };
        are_sound.then_some(bytes)
    }

    fn path(&self) -> &Path {
        &self.file.path
    }
}
