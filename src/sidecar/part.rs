//! Reads a part: the blobs of a block, with their checksums.

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
    /// Number of blobs in each block.
    blobs: usize,
    /// The byte range of the directories.
    directories: Range<usize>,
    checks: Checks,
}

/// Which data has passed its checksum: a bit for each blob of each block, and one for its
/// directory.
#[derive(Debug)]
struct Checks(Vec<AtomicU64>);

impl Checks {
    /// Returns whether an item is known to be sound.
    #[inline]
    fn has(&self, number: usize) -> bool {
        let word = self.0.get(number / 64);
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (number % 64) & 1 == 1)
    }

    /// Returns whether an item is sound; `check` is called until it returns `true`.
    #[inline]
    fn is_sound(&self, number: usize, check: impl FnOnce() -> bool) -> bool {
        let Some(word) = self.0.get(number / 64) else {
            return false;
        };
        let bit = 1 << (number % 64);
        // The bytes do not change, so relaxed ordering is enough.
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
    /// Creates a part from its header entry; `None` if it cannot have this number of blocks, or
    /// exceeds the file's length.
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

    /// Returns whether a blob of the first block is known to be sound.
    #[inline]
    pub(super) fn has_checked(&self, blob: usize) -> bool {
        self.checks.has(1 + blob)
    }

    /// Returns the part of a database without games, which has no blocks.
    pub(super) fn empty() -> Part {
        Part {
            blobs: 0,
            directories: 0..0,
            checks: Checks(Vec::new()),
        }
    }

    /// Returns block `number`, of `games` games; `None` if its directory is damaged. `file` is the
    /// whole sidecar.
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

/// All blobs of a block, where they are in a file.
#[derive(Clone, Copy)]
pub(super) struct KeptBlobs<'a> {
    pub(super) entries: &'a [Entry],
    pub(super) bytes: &'a [u8],
    /// The offset of the bytes in the file.
    pub(super) offset: usize,
}

/// One block of a part.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    file: &'a [u8],
    checks: &'a Checks,
    first_check: usize,
    /// Number of games in the block.
    pub(super) games: u32,
    offset: usize,
    entries: &'a [Entry],
}

impl<'a> Block<'a> {
    /// Returns the number of games in a set, according to the directory.
    #[inline]
    pub(super) fn count(&self, number: u16) -> u32 {
        let entry = self.entries.get(usize::from(number));
        entry.map_or(0, |entry| entry.shape().count())
    }

    /// Returns a set; `None` if it is damaged.
    pub(super) fn set(&self, number: u16) -> Option<Container<'a>> {
        let number = usize::from(number);
        let entry = self.entries.get(number)?;
        let bytes = self.sound(number, entry.shape().bytes(self.games)?)?;
        entry.shape().read(self.games, bytes)
    }

    /// Returns a blob of raw data; `None` if it is damaged.
    pub(super) fn bytes(&self, number: u16) -> Option<&'a [u8]> {
        let number = usize::from(number);
        let length = self.entries.get(number)?.shape().raw_bytes()?;
        self.sound(number, length)
    }

    /// Returns the number of blobs.
    pub(super) fn blobs(&self) -> usize {
        self.entries.len()
    }

    /// Returns all blobs; `None` if any is damaged.
    pub(super) fn whole(&self) -> Option<KeptBlobs<'a>> {
        let lengths = self.entries.iter().map(|entry| {
            let shape = entry.shape();
            shape.raw_bytes().or_else(|| shape.bytes(self.games))
        });
        for (number, length) in lengths.enumerate() {
            self.sound(number, length?)?;
        }
        self.unchecked()
    }

    /// The same without comparing any blob with its checksum; they are found damaged later.
    pub(super) fn unchecked(&self) -> Option<KeptBlobs<'a>> {
        let mut length = 0;
        for entry in self.entries {
            let shape = entry.shape();
            let bytes = shape.raw_bytes().or_else(|| shape.bytes(self.games))?;
            let end = (entry.offset.get() as usize).checked_add(bytes)?;
            length = length.max(end.next_multiple_of(ALIGN_BYTES));
        }
        let end = self.offset.checked_add(length)?;
        Some(KeptBlobs {
            entries: self.entries,
            bytes: self.file.get(self.offset..end)?,
            offset: self.offset,
        })
    }

    /// Returns the file range of the blobs; `None` unless they are contiguous and all but the last
    /// have `blob_bytes`. Checks none of them.
    pub(super) fn run(&self, blob_bytes: usize) -> Option<Range<usize>> {
        let mut end = 0;
        for (number, entry) in self.entries.iter().enumerate() {
            let bytes = entry.shape().raw_bytes()?;
            let follows = end == number * blob_bytes && entry.offset.get() as usize == end;
            (follows && bytes <= blob_bytes).then_some(())?;
            end += bytes;
        }
        Some(self.offset..self.offset.checked_add(end)?)
    }

    /// Returns the same bytes with what is known of them; none is checked.
    pub(super) fn run_of(&self, blob_bytes: usize) -> Option<KeptBlobs<'a>> {
        let range = self.run(blob_bytes)?;
        Some(KeptBlobs {
            entries: self.entries,
            offset: range.start,
            bytes: self.file.get(range)?,
        })
    }

    /// Returns whether a blob of raw data is sound.
    pub(super) fn is_sound(&self, number: usize) -> bool {
        let bytes = self
            .entries
            .get(number)
            .and_then(|entry| entry.shape().raw_bytes());
        bytes.and_then(|bytes| self.sound(number, bytes)).is_some()
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
