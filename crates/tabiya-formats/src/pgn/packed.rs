//! The bytes of a packed file, and how many of them have been read.

use std::{
    io::{self, BufRead, Read},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// How many bytes of a file have been read, as they are stored. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct BytesRead {
    read: Arc<AtomicUsize>,
    all: usize,
}

impl BytesRead {
    /// Returns the number of bytes that have been read, and of all bytes.
    pub fn of_all(&self) -> (u64, u64) {
        (self.get() as u64, self.all as u64)
    }

    /// Returns that nothing has been read of so many bytes.
    pub(super) fn of(all: usize) -> BytesRead {
        BytesRead {
            read: Arc::default(),
            all,
        }
    }

    pub(super) fn get(&self) -> usize {
        self.read.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, read: usize) {
        self.read.store(read, Ordering::Relaxed);
    }
}

/// The bytes of a compressed file, which tell how far they have been read.
pub(super) struct Packed<'a> {
    bytes: &'a [u8],
    at: BytesRead,
}

impl<'a> Packed<'a> {
    pub(super) fn new(bytes: &'a [u8], at: BytesRead) -> Packed<'a> {
        Packed { bytes, at }
    }

    /// Returns whether something has been read.
    pub(super) fn has_begun(&self) -> bool {
        self.at.get() > 0
    }

    /// Returns what has not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at.get()..).unwrap_or_default()
    }
}

impl Read for Packed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.rest().read(buffer)?;
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Packed<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.rest())
    }

    fn consume(&mut self, length: usize) {
        self.at.set(self.at.get() + length);
    }
}

/// Unpacked text, whose errors tell where they are in the file and in the text.
pub(super) struct Unpacked<'a> {
    text: Box<dyn Read + Send + 'a>,
    at: BytesRead,
    /// Bytes of text read.
    read: u64,
}

impl<'a> Unpacked<'a> {
    pub(super) fn new(text: Box<dyn Read + Send + 'a>, at: BytesRead) -> Unpacked<'a> {
        Unpacked { text, at, read: 0 }
    }
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(buffer).map_err(|cause| {
            let (at, read) = (self.at.get(), self.read);
            let message = format!("{cause} (about byte {at} of the file, byte {read} of the text)");
            io::Error::new(cause.kind(), message)
        })?;
        self.read += read as u64;
        Ok(read)
    }
}
