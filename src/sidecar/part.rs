//! Reading a part: which blobs a block has, and that they are sound.

use std::{
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{
    container::Container,
    layout::{ALIGN_BYTES, Directory, Entry, PartPlace},
};

/// One part of an open sidecar.
#[derive(Debug)]
pub(super) struct Part {
    /// How many blobs each block has.
    blobs: usize,
    /// Where the directories are.
    directories: Range<usize>,
    checks: Checks,
}

/// What has been compared with its checksum: a bit for each blob of each block, and one for its
/// directory.
#[derive(Debug)]
struct Checks(Vec<AtomicU64>);

impl Checks {
    /// Returns whether something is sound; `check` is called until it says so.
    #[inline]
    fn is_sound(&self, number: usize, check: impl FnOnce() -> bool) -> bool {
        let Some(word) = self.0.get(number / 64) else {
            return false;
        };
        let bit = 1 << (number % 64);
        // The bytes do not change, so no order of memory is needed between the threads.
        if word.load(Ordering::Relaxed) & bit != 0 {
            return true;
        }
        let sound = check();
        if sound {
            word.fetch_or(bit, Ordering::Relaxed);
        }
        sound
    }
}

impl Part {
    /// Takes a part as the header describes it; `None` if it cannot have so many blocks, or does
    /// not lie in a file of so many bytes.
    pub(super) fn new(place: PartPlace, blocks: usize, file_bytes: usize) -> Option<Part> {
        let directories = place.directories()?;
        let blobs = place.blobs.get() as usize;
        let fits = directories.end <= file_bytes
            && Directory::bytes(blobs).checked_mul(blocks) == Some(directories.len());
        let checks = (blobs + 1) * blocks;
        fits.then(|| Part {
            blobs,
            directories,
            checks: Checks(
                (0..checks.div_ceil(64))
                    .map(|_| AtomicU64::new(0))
                    .collect(),
            ),
        })
    }

    /// Returns the part of a database without games, which has no blocks.
    pub(super) fn empty() -> Part {
        Part {
            blobs: 0,
            directories: 0..0,
            checks: Checks(Vec::new()),
        }
    }

    /// Returns a block of so many games; `None` when its directory is damaged. `file` is all of
    /// the sidecar.
    pub(super) fn block<'a>(
        &'a self,
        file: &'a [u8],
        number: usize,
        games: u32,
    ) -> Option<Block<'a>> {
        let length = Directory::bytes(self.blobs);
        let start = self
            .directories
            .start
            .checked_add(number.checked_mul(length)?)?;
        let bytes = file.get(self.directories.clone())?;
        let bytes = bytes.get(start - self.directories.start..)?.get(..length)?;
        let first_check = number * (self.blobs + 1);
        let is_sound = || Directory::is_sound(bytes);
        let directory = Directory::read(bytes, self.blobs)?;
        (directory.games == games && self.checks.is_sound(first_check, is_sound)).then_some(Block {
            file,
            checks: &self.checks,
            first_check,
            games,
            offset: usize::try_from(directory.offset.get()).ok()?,
            entries: &directory.entries,
        })
    }
}

/// What a part has of one block.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    file: &'a [u8],
    checks: &'a Checks,
    first_check: usize,
    /// How many games the block has.
    pub(super) games: u32,
    offset: usize,
    entries: &'a [Entry],
}

impl<'a> Block<'a> {
    /// Returns how many games a set has, as the directory says.
    #[inline]
    pub(super) fn count(&self, number: u16) -> u32 {
        let entry = self.entries.get(usize::from(number));
        entry.map_or(0, |entry| entry.shape().count())
    }

    /// Returns a set; `None` when it is damaged.
    pub(super) fn set(&self, number: u16) -> Option<Container<'a>> {
        let number = usize::from(number);
        let entry = self.entries.get(number)?;
        let bytes = self.sound(number, entry.shape().bytes(self.games)?)?;
        entry.shape().read(self.games, bytes)
    }

    /// Returns a blob that is no set; `None` when it is damaged.
    pub(super) fn bytes(&self, number: u16) -> Option<&'a [u8]> {
        let number = usize::from(number);
        let length = self.entries.get(number)?.shape().raw_bytes()?;
        self.sound(number, length)
    }

    /// Returns how many blobs there are.
    pub(super) fn blobs(&self) -> usize {
        self.entries.len()
    }

    /// Returns the entries of all blobs and the bytes of all; `None` when any is damaged.
    pub(super) fn whole(&self) -> Option<(&'a [Entry], &'a [u8])> {
        let mut length = 0;
        for (number, entry) in self.entries.iter().enumerate() {
            let shape = entry.shape();
            let bytes = shape.raw_bytes().or_else(|| shape.bytes(self.games))?;
            self.sound(number, bytes)?;
            let end = (entry.offset.get() as usize).checked_add(bytes)?;
            length = length.max(end.next_multiple_of(ALIGN_BYTES));
        }
        let end = self.offset.checked_add(length)?;
        Some((self.entries, self.file.get(self.offset..end)?))
    }

    /// Returns the bytes of a blob, if they are sound.
    fn sound(&self, number: usize, length: usize) -> Option<&'a [u8]> {
        let entry = self.entries.get(number)?;
        let start = self.offset.checked_add(entry.offset.get() as usize)?;
        let bytes = self.file.get(start..start.checked_add(length)?)?;
        let is_sound = || crc32fast::hash(bytes) == entry.checksum.get();
        let checked = self
            .checks
            .is_sound(self.first_check + 1 + number, is_sound);
        checked.then_some(bytes)
    }
}
