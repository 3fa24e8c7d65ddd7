//! The bytes of one file: mapped, or owned. The only module with `unsafe`.

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    ops::Deref,
    path::Path,
};

use memmap2::{Mmap, MmapOptions};

use crate::error::{Error, Result};

/// The bytes of one file, mapped read-only or held in memory.
///
/// Everything that reads a `Source` accepts any bytes, so another program that *writes* to a
/// mapped file can cause wrong values but nothing worse. A mapped file that another program
/// *shortens* while it is being read ends the process (SIGBUS on Unix): what is mapped behind its
/// new end is no longer there. Searches
/// [find out before and after](crate::Database::check_unchanged) whether that has happened, which
/// leaves the time in between. Who cannot exclude it uses [`Source::read`]; a program that wants
/// at least a message calls `end_when_lost`. Going on is not offered: whatever were put in the
/// place of the lost bytes, answers would be made of it.
pub struct Source(Bytes);

enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Source {
    /// Maps a file. O(1); an empty file cannot be mapped and becomes empty owned bytes.
    ///
    /// # Errors
    /// `Io` when the file cannot be opened or mapped, or is no ordinary file.
    #[expect(
        unsafe_code,
        reason = "mapping a file is the one thing Rust cannot check"
    )]
    pub fn map(path: &Path) -> Result<Source> {
        let file = open_regular(path).map_err(|cause| Error::io("open", path, cause))?;
        let metadata = file
            .metadata()
            .map_err(|cause| Error::io("read", path, cause))?;
        if metadata.len() == 0 {
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
    /// `Io` when the file cannot be opened or read, or is no ordinary file.
    pub fn read(path: &Path) -> Result<Source> {
        let mut file = open_regular(path).map_err(|cause| Error::io("open", path, cause))?;
        let mut bytes = Vec::new();
        match file.read_to_end(&mut bytes) {
            Ok(_) => Ok(Source::from_vec(bytes)),
            Err(cause) => Err(Error::io("read", path, cause)),
        }
    }

    /// Takes bytes that are in memory already.
    #[must_use]
    pub fn from_vec(bytes: Vec<u8>) -> Source {
        Source(Bytes::Owned(bytes))
    }
}

/// Opens a file for reading, and nothing else that may have its name: opening a pipe waits until
/// somebody writes into it, and devices may have no end.
///
/// # Errors
/// Those of the system; `InvalidInput` for what is no ordinary file.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    // Asked before, since opening is what may take forever.
    if path.metadata()?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no ordinary file",
        ))
    }
}

/// From now on the process ends with a message on standard error and an exit code when a mapped
/// file cannot be read: when it has become shorter, or its disk fails. Without this it is ended by
/// SIGBUS without a word. For programs, once at their start; on Unix, with the feature
/// `lost-files`.
///
/// # Errors
/// When the system refuses the handler or another handle of standard error.
#[cfg(all(unix, feature = "lost-files"))]
#[expect(
    unsafe_code,
    reason = "only what may run between any two instructions may be done in a handler"
)]
pub fn end_when_lost(message: &'static str, exit_code: i32) -> std::io::Result<()> {
    use std::{io::Write, os::fd::AsFd};
    let errors = File::from(std::io::stderr().as_fd().try_clone_to_owned()?);
    let end = move || {
        // Nobody is left to tell when even this fails.
        let _ = (&errors).write(message.as_bytes());
        signal_hook::low_level::exit(exit_code);
    };
    // SAFETY: the handler makes two calls of the system, write and _exit, which may be made in a
    // handler; it takes no lock, allocates nothing and does not return, so that it does not
    // matter what it has interrupted.
    unsafe { signal_hook::low_level::register(signal_hook::consts::SIGBUS, end) }?;
    Ok(())
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
