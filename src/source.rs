//! The bytes of one file: mapped, or owned. The only module with `unsafe`.

use std::{fmt, fs::File, ops::Deref, path::Path};

use memmap2::{Mmap, MmapOptions};

use crate::error::{Error, Result};

/// The bytes of one file, mapped read-only or held in memory.
///
/// Everything that reads a `Source` accepts any bytes, so another program that *writes* to a
/// mapped file can cause wrong values but nothing worse. A mapped file that another program
/// *shortens* can end the process (SIGBUS on Unix); who cannot exclude that uses
/// [`Source::read`].
pub struct Source(Bytes);

enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Source {
    /// Maps a file. O(1); an empty file cannot be mapped and becomes empty owned bytes.
    ///
    /// # Errors
    /// `Io` when the file cannot be opened or mapped.
    #[expect(
        unsafe_code,
        reason = "mapping a file is the one thing Rust cannot check"
    )]
    pub fn map(path: &Path) -> Result<Source> {
        let file = File::open(path).map_err(|cause| Error::io("open", path, cause))?;
        let metadata = file
            .metadata()
            .map_err(|cause| Error::io("read", path, cause))?;
        if metadata.len() == 0 && metadata.is_file() {
            return Ok(Source::from_vec(Vec::new()));
        }
        // SAFETY: the map is private and read-only, and every view of it accepts any bit
        // pattern, so a concurrent writer can change values but cannot break a Rust
        // invariant. A concurrent truncation can end the process; the type's documentation
        // says so and names the alternative.
        let map = unsafe { MmapOptions::new().map_copy_read_only(&file) }
            .map_err(|cause| Error::io("map", path, cause))?;
        Ok(Source(Bytes::Mapped(map)))
    }

    /// Reads a whole file into memory. O(size of the file).
    ///
    /// # Errors
    /// `Io` when the file cannot be opened or read.
    pub fn read(path: &Path) -> Result<Source> {
        let bytes = std::fs::read(path).map_err(|cause| Error::io("read", path, cause))?;
        Ok(Source::from_vec(bytes))
    }

    /// Takes bytes that are in memory already.
    #[must_use]
    pub fn from_vec(bytes: Vec<u8>) -> Source {
        Source(Bytes::Owned(bytes))
    }
}

impl Deref for Source {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.0 {
            Bytes::Mapped(_) => "mapped",
            Bytes::Owned(_) => "owned",
        };
        write!(f, "Source({kind}, {} bytes)", self.len())
    }
}
