//! A file of a database being written.

use std::{
    io::{self, BufReader, BufWriter, Seek, SeekFrom, Write},
    path::PathBuf,
};

use crate::{
    error::{Error, Result},
    format::{Target, Temporary},
};

const BUFFER_BYTES: usize = 1 << 18;

/// A file that does not have its final name yet.
#[derive(Debug)]
pub(super) struct Output {
    file: BufWriter<Temporary>,
    pub(super) suffix: &'static str,
    /// For error messages.
    path: PathBuf,
    length: u64,
}

impl Output {
    /// Creates a file with room for its header.
    pub(super) fn new(
        target: &Target,
        suffix: &'static str,
        header_bytes: usize,
    ) -> Result<Output> {
        let mut output = Output {
            file: BufWriter::with_capacity(BUFFER_BYTES, target.temporary()?),
            suffix,
            path: target.path(suffix),
            length: 0,
        };
        output.append(&vec![0; header_bytes])?;
        Ok(output)
    }

    /// Creates a file with these contents.
    pub(super) fn whole(target: &Target, suffix: &'static str, bytes: &[u8]) -> Result<Output> {
        let mut output = Output::new(target, suffix, 0)?;
        output.append(bytes)?;
        Ok(output)
    }

    /// Returns the length of the file in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.write_all(bytes);
        written.map_err(|cause| Error::io("write", &self.path, cause))
    }

    /// Overwrites the start of the file.
    pub(super) fn set_header(&mut self, header: &[u8]) -> Result<()> {
        let file = &mut self.file;
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.write_all(header))
            .and_then(|()| file.seek(SeekFrom::Start(self.length)))
            .map(drop)
            .map_err(|cause| Error::io("write", &self.path, cause))
    }

    /// Returns a reader of the written bytes from an offset on.
    pub(super) fn read_from(&mut self, offset: u64) -> Result<BufReader<&mut Temporary>> {
        let failed = |cause| Error::io("read", &self.path, cause);
        self.file.flush().map_err(failed)?;
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        Ok(BufReader::with_capacity(BUFFER_BYTES, file))
    }

    /// Returns the complete file.
    pub(super) fn finish(self) -> Result<(Temporary, &'static str)> {
        let file = self.file.into_inner();
        let file = file.map_err(|error| Error::io("write", &self.path, error.into_error()))?;
        Ok((file, self.suffix))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
