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
/// All readers of a `Source` accept any bytes, so another program that *writes* to a mapped file
/// can cause wrong values but nothing worse. If another program *shortens* a mapped file while it
/// is being read, the process is killed (SIGBUS on Unix), because the pages after the new end no
/// longer exist. Searches check before and after whether that
/// has happened, but not in between. Use [`Source::read`] if it cannot be excluded; a program that
/// wants at least a message calls `end_when_lost`. Continuing is not possible: any replacement for
/// the lost bytes would give wrong answers.
pub struct Source(Bytes);

enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Source {
    /// Maps a file. O(1). An empty file cannot be mapped and becomes empty owned bytes.
    ///
    /// # Errors
    /// `Io` if the file cannot be opened or mapped, or is not a regular file.
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
        let options = MmapOptions::new();
        // SAFETY: the map is read-only, and every view of it accepts any bit pattern, so a
        // concurrent writer can change values but cannot break a Rust invariant. A concurrent
        // truncation can end the process; the type's documentation says so and names the
        // alternative.
        let map = unsafe {
            if cfg!(windows) {
                // Windows reserves memory or paging file for the whole of a private map.
                options.map(&file)
            } else {
                options.map_copy_read_only(&file)
            }
        };
        let map = map.map_err(|cause| Error::io("map", path, cause))?;
        Ok(Source(Bytes::Mapped(map)))
    }

    /// Reads a whole file into memory. O(size of the file).
    ///
    /// # Errors
    /// `Io` if the file cannot be opened or read, or is not a regular file.
    pub fn read(path: &Path) -> Result<Source> {
        let mut file = open_regular(path).map_err(|cause| Error::io("open", path, cause))?;
        let mut bytes = Vec::new();
        match file.read_to_end(&mut bytes) {
            Ok(_) => Ok(Source::from_vec(bytes)),
            Err(cause) => Err(Error::io("read", path, cause)),
        }
    }

    /// Creates a source from bytes in memory.
    #[must_use]
    pub fn from_vec(bytes: Vec<u8>) -> Source {
        Source(Bytes::Owned(bytes))
    }
}

/// Opens a regular file for reading. Other files are rejected: opening a pipe waits for a writer,
/// and devices may have no end.
///
/// # Errors
/// Those of the system; `InvalidInput` for anything but a regular file.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    // Checked before, since opening may block forever.
    if path.metadata()?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}

/// Makes the process exit with a message on standard error and an exit code if a mapped file cannot
/// be read: because it has become shorter, or its disk fails. Without this, SIGBUS kills it without
/// a message. Programs call it once at their start; on Unix, with the feature `lost-files`.
///
/// # Errors
/// If the system rejects the handler or another handle of standard error.
#[cfg(all(unix, feature = "lost-files"))]
#[expect(
    unsafe_code,
    reason = "only what may run between any two instructions may be done in a handler"
)]
pub fn end_when_lost(message: &'static str, exit_code: i32) -> std::io::Result<()> {
    use std::{io::Write, os::fd::AsFd};
    let errors = File::from(std::io::stderr().as_fd().try_clone_to_owned()?);
    let end = move || {
        // Nothing can be reported if even this fails.
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
