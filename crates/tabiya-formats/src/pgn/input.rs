//! Sources of PGN text: files and memory, plain or compressed.

use std::{
    fmt,
    io::{self, Read},
    path::{Path, PathBuf},
    str::from_utf8,
};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use tabiya_chess::text::decode;

use super::{
    frame_text::Resume,
    frames::{ZstdFrames, begins_with_frame},
    game::begins_as_pgn,
    packed::{BytesRead, Packed, Unpacked},
    split::{Batch, Batches},
    written::{Writing, Written},
    zip,
};
use crate::{
    TextEncoding,
    error::{Error, Result},
    limits::{PGN_UNPACKED_BYTES_MAX, XZ_MEMORY_BYTES_MAX},
    source::Source,
    suffix::has_end,
};

/// PGN text in a file or in memory; plain, or compressed with gzip, bzip2, zstd or xz, in any
/// number of parts, or in a zip archive. The first bytes determine the kind, not the name.
pub struct Input {
    path: Option<PathBuf>,
    source: Source,
    packing: Packing,
    /// The encoding, if somebody said it.
    encoding: Option<TextEncoding>,
    read: BytesRead,
}

/// How the bytes encode the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    /// Not packed, but written in another way than the parser reads: in this encoding, or with
    /// other ends of lines.
    Converted(Option<TextEncoding>),
    Gzip,
    Bzip2,
    Zstd,
    Xz,
    Zip,
}

/// Ends of the names of PGN files, and of archives with such in them.
pub const ENDS: &[&str] = &["pgn", "pgn.gz", "pgn.zst", "pgn.bz2", "pgn.xz", "zip"];

/// Whether a path ends like a PGN file: in `.pgn`, in `.pgn` and a compression suffix (`.gz`,
/// `.bz2`, `.zst`, `.xz`), or in `.zip`; case is ignored.
#[must_use]
pub fn has_pgn_name(path: &Path) -> bool {
    ENDS.iter().any(|end| has_end(path, end))
}

impl Input {
    /// Maps a file. O(1); nothing is decompressed yet.
    ///
    /// # Errors
    /// `Io` if the file cannot be opened or mapped; `Unsupported` for zip archives without PGN,
    /// encrypted or compressed with other methods; `Corrupt` for damaged zip archives.
    pub fn open(path: &Path) -> Result<Input> {
        Input::of_file(path, Source::map(path)?, None)
    }

    /// Creates an input from the bytes of a file with its name, in an encoding that somebody said.
    pub fn of_file(path: &Path, bytes: Source, encoding: Option<TextEncoding>) -> Result<Input> {
        let mut input = Input::new(bytes, encoding).map_err(|error| error.at_path(path))?;
        input.path = Some(path.to_owned());
        Ok(input)
    }

    /// Creates an input from bytes in memory. Errors will not name a file.
    ///
    /// # Errors
    /// As [`open`](Input::open).
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Input> {
        Input::new(Source::from_vec(bytes), None)
    }

    fn new(source: Source, encoding: Option<TextEncoding>) -> Result<Input> {
        Ok(Input {
            path: None,
            packing: Packing::of(&source, encoding)?,
            encoding,
            read: BytesRead::of(source.len()).skipping_damage(),
            source,
        })
    }

    /// Adds the file's name to an error, if there is a file.
    pub fn named(&self, error: Error) -> Error {
        match &self.path {
            Some(path) => error.at_path(path),
            None => error,
        }
    }

    /// Returns the batches of the text. Those of plain text share it.
    pub(super) fn batches(&self) -> Result<Batches<'_>> {
        match self.packing {
            Packing::Plain => Ok(Batches::of_slice(&self.source)),
            _ => self.text(None).map(Batches::of_stream),
        }
    }

    /// Returns a reader of the text, or of that from a frame on.
    pub(super) fn text(&self, from: Option<Resume>) -> Result<Box<dyn Read + Send + '_>> {
        let Some(from) = from else {
            return self.packing.reader(&self.source, self.encoding, &self.read);
        };
        let text = from.reader(&self.source, &self.read);
        let text = text.map_err(|cause| Error::io_unnamed("decompress", cause))?;
        Ok(Box::new(text))
    }

    /// Returns whether the text is what the frames of a zstd file unpack to, and the first of them
    /// is not too long.
    pub(super) fn is_in_frames(&self) -> bool {
        let mut head = Vec::new();
        let frames = ZstdFrames::alone(Packed::new(&self.source, BytesRead::default()));
        let read = frames.take(HEAD_BYTES).read_to_end(&mut head);
        self.packing == Packing::Zstd
            && begins_with_frame(&self.source)
            && read.is_ok()
            && Writing::of(&head, self.encoding) == Writing::Plain
    }

    /// Returns how many bytes of the file have been read.
    pub fn bytes_read(&self) -> BytesRead {
        self.read.clone()
    }

    /// Returns the damage that reading has gone on behind, if there is some.
    pub(super) fn damaged(&self) -> Result<()> {
        let damaged = self.read.check_damages(u64::MAX);
        damaged.map_err(|damage| self.named(damage))
    }

    /// Counts the bytes up to the end of a batch. Those of compressed text count as they are read.
    pub(super) fn count(&self, batch: &Batch<'_>) {
        if let (Packing::Plain, Some(last)) = (self.packing, batch.pieces.last()) {
            self.read.set(last.range.end);
        }
    }
}

impl Packing {
    /// Detects how a file is stored from its first bytes.
    pub(super) fn of(bytes: &[u8], encoding: Option<TextEncoding>) -> Result<Packing> {
        Ok(match bytes {
            [0x1f, 0x8b, 8, ..] => Packing::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Packing::Bzip2,
            // A frame, or a skippable frame of other data.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Packing::Xz,
            archive if zip::is_archive(archive) => {
                // Reads the list of members now, so that opening a file reports its faults.
                zip::Members::new(archive, encoding)?;
                Packing::Zip
            }
            text => match Writing::of(text, encoding) {
                Writing::Plain => Packing::Plain,
                Writing::OldMac => Packing::Converted(None),
                Writing::In(encoding) => Packing::Converted(Some(encoding)),
            },
        })
    }

    pub(super) fn reader<'b>(
        self,
        bytes: &'b [u8],
        encoding: Option<TextEncoding>,
        at: &BytesRead,
    ) -> Result<Box<dyn Read + Send + 'b>> {
        at.set(0);
        let at = at.clone();
        let packed = Packed::new(bytes, at.clone());
        let text: Box<dyn Read + Send + '_> = match self {
            Packing::Plain => return Ok(Box::new(packed)),
            Packing::Converted(_) => {
                return Ok(Box::new(Written::new(Box::new(bytes), encoding)));
            }
            Packing::Zip => return Ok(Box::new(zip::Members::new(bytes, encoding)?)),
            Packing::Gzip => Box::new(MultiGzDecoder::new(packed)),
            Packing::Bzip2 => Box::new(MultiBzDecoder::new(packed)),
            Packing::Zstd => Box::new(ZstdFrames::new(packed)),
            Packing::Xz => Box::new(XzReader::new_mem_limit(packed, true, XZ_KIBIBYTES_MAX)),
        };
        let unpacked = Unpacked::new(text, at);
        Ok(Box::new(Written::new(Box::new(unpacked), encoding)))
    }
}

/// Returns the text of a file to whose bytes no UTF-8 can be appended, since it is in another
/// encoding or has other ends of lines; `None` if it can.
///
/// # Errors
/// `Unsupported` for a packed file, which must be unpacked first.
pub(super) fn text_to_convert(bytes: &[u8]) -> Result<Option<Box<dyn Read + Send + '_>>> {
    match Packing::of(bytes, None)? {
        // Of a short text in Latin-1 another encoding might be guessed with the new letters.
        Packing::Plain if bytes.len() < HEAD_BYTES as usize && from_utf8(bytes).is_err() => {
            let text = decode(bytes).into_owned().into_bytes();
            Ok(Some(Box::new(io::Cursor::new(text))))
        }
        Packing::Plain => Ok(None),
        Packing::Converted(_) => Ok(Some(Box::new(Written::new(Box::new(bytes), None)))),
        _ => {
            let what = "adding games to packed PGN, which must be unpacked first,";
            Err(Error::unsupported(what))
        }
    }
}

const XZ_KIBIBYTES_MAX: u32 = (XZ_MEMORY_BYTES_MAX >> 10) as u32;

/// Whether the bytes of a file, packed or plain, seem to be PGN: a tag or a legal move comes first.
pub fn seems_pgn(bytes: &[u8]) -> bool {
    let head = text_head(bytes);
    let batch = Batches::of_slice(&head).next().ok().flatten();
    let first = batch.as_ref().and_then(|batch| batch.pieces.first());
    first.is_some_and(|piece| begins_as_pgn(&head[piece.range.clone()]))
}

/// Returns the beginning of a text, which may be packed. What can be read of damaged bytes counts.
pub(crate) fn text_head(bytes: &[u8]) -> Vec<u8> {
    let at = BytesRead::default();
    let reader = Packing::of(bytes, None).and_then(|packing| packing.reader(bytes, None, &at));
    let mut head = Vec::new();
    if let Ok(reader) = reader {
        let _ = reader.take(HEAD_BYTES).read_to_end(&mut head);
    }
    head
}

/// Bytes of text that say whether a file is PGN, or a list.
const HEAD_BYTES: u64 = 64 << 10;

/// Reads the bytes on standard input, compressed or plain, into memory.
///
/// # Errors
/// `Io` if reading fails; `LimitExceeded` for more than [`PGN_UNPACKED_BYTES_MAX`].
pub fn standard_input() -> Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut reader = io::stdin().lock().take(PGN_UNPACKED_BYTES_MAX + 1);
    reader
        .read_to_end(&mut text)
        .map_err(|cause| Error::io_unnamed("read", cause))?;
    check_length(&text, PGN_UNPACKED_BYTES_MAX)?;
    Ok(text)
}

pub(super) fn check_length(text: &[u8], bytes_max: u64) -> Result<()> {
    if text.len() as u64 > bytes_max {
        return Err(too_much(bytes_max));
    }
    Ok(())
}

/// Returns the error for a text that is too long.
pub(super) fn too_much(bytes_max: u64) -> Error {
    Error::limit("the unpacked length of the text in bytes", bytes_max)
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input")
            .field("path", &self.path)
            .field("source", &self.source)
            .field("packing", &self.packing)
            .finish()
    }
}

#[cfg(test)]
mod tests;
