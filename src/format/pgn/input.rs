//! Sources of PGN text: files and memory, plain or compressed.

use std::{
    fmt,
    io::{self, BufRead, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use memchr::memchr;
use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};

use super::{
    split::{Batch, Batches},
    zip,
};
use crate::{
    error::{Error, Result},
    format::suffix::has_end,
    limits::{PGN_UNPACKED_BYTES_MAX, XZ_MEMORY_BYTES_MAX},
    source::Source,
};

/// Bytes at the start of a file that are searched for line ends. If they contain carriage
/// returns but no line feed, all lines of the file end with a carriage return only.
const LINE_SEARCH_BYTES: usize = 64 << 10;

/// PGN text in a file or in memory; plain, or compressed with gzip, bzip2, zstd or xz, in any
/// number of parts, or in a zip archive. The first bytes determine the kind, not the name.
pub struct Input {
    path: Option<PathBuf>,
    source: Source,
    packing: Packing,
    read: BytesRead,
}

/// How many bytes of a file have been read, as they are stored. Clones count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct BytesRead {
    read: Arc<AtomicUsize>,
    all: usize,
}

impl BytesRead {
    /// Returns the number of bytes that have been read, and of all bytes.
    pub(crate) fn of_all(&self) -> (u64, u64) {
        (self.get() as u64, self.all as u64)
    }

    pub(super) fn get(&self) -> usize {
        self.read.load(Ordering::Relaxed)
    }

    fn set(&self, read: usize) {
        self.read.store(read, Ordering::Relaxed);
    }
}

/// How the bytes encode the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    /// Lines end with a carriage return only.
    OldMac,
    Gzip,
    Bzip2,
    Zstd,
    Xz,
    Zip,
}

/// Ends of the names of PGN files, and of archives with such in them.
pub(crate) const ENDS: &[&str] = &["pgn", "pgn.gz", "pgn.zst", "pgn.bz2", "pgn.xz", "zip"];

/// Whether a path ends like a PGN file: in `.pgn`, in `.pgn` and a compression suffix (`.gz`,
/// `.bz2`, `.zst`, `.xz`), or in `.zip`; case is ignored.
#[must_use]
pub(crate) fn has_pgn_name(path: &Path) -> bool {
    ENDS.iter().any(|end| has_end(path, end))
}

impl Input {
    /// Maps a file. O(1); nothing is decompressed yet.
    ///
    /// # Errors
    /// `Io` if the file cannot be opened or mapped; `Unsupported` for UTF-16 text and for zip
    /// archives without PGN, encrypted or compressed with other methods; `Corrupt` for damaged zip
    /// archives.
    pub fn open(path: &Path) -> Result<Input> {
        Input::of_file(path, Source::map(path)?)
    }

    /// Creates an input from the bytes of a file with its name.
    pub(crate) fn of_file(path: &Path, bytes: Source) -> Result<Input> {
        let mut input = Input::new(bytes).map_err(|error| error.at_path(path))?;
        input.path = Some(path.to_owned());
        Ok(input)
    }

    /// Creates an input from bytes in memory. Errors will not name a file.
    ///
    /// # Errors
    /// As [`open`](Input::open).
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Input> {
        Input::new(Source::from_vec(bytes))
    }

    fn new(source: Source) -> Result<Input> {
        Ok(Input {
            path: None,
            packing: Packing::of(&source)?,
            read: BytesRead {
                read: Arc::default(),
                all: source.len(),
            },
            source,
        })
    }

    /// Adds the file's name to an error, if there is a file.
    pub(super) fn named(&self, error: Error) -> Error {
        match &self.path {
            Some(path) => error.at_path(path),
            None => error,
        }
    }

    /// Returns the batches of the text.
    pub(super) fn batches(&self) -> Result<Batches<'_>> {
        Ok(match self.packing {
            Packing::Plain => Batches::of_slice(&self.source),
            packed => Batches::of_stream(packed.reader(&self.source, &self.read)?),
        })
    }

    /// Returns how many bytes of the file have been read.
    pub(crate) fn bytes_read(&self) -> BytesRead {
        self.read.clone()
    }

    /// Counts the bytes up to the end of a batch. Those of compressed text count as they are read.
    pub(super) fn count(&self, batch: &Batch<'_>) {
        if let (Packing::Plain, Some(last)) = (self.packing, batch.pieces.last()) {
            self.read.set(last.range.end);
        }
    }
}

impl Packing {
    /// Detects the encoding of a file from its first bytes.
    pub(super) fn of(bytes: &[u8]) -> Result<Packing> {
        Ok(match bytes {
            [0x1f, 0x8b, 8, ..] => Packing::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Packing::Bzip2,
            // A frame, or a skippable frame of other data.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Packing::Xz,
            archive if zip::is_archive(archive) => {
                // Reads the list of members now, so that opening a file reports its faults.
                zip::Members::new(archive)?;
                Packing::Zip
            }
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                return Err(Error::unsupported("UTF-16 text"));
            }
            text => {
                let head = text.get(..LINE_SEARCH_BYTES).unwrap_or(text);
                if memchr(b'\n', head).is_none() && memchr(b'\r', head).is_some() {
                    Packing::OldMac
                } else {
                    Packing::Plain
                }
            }
        })
    }

    pub(super) fn reader<'b>(
        self,
        bytes: &'b [u8],
        at: &BytesRead,
    ) -> Result<Box<dyn Read + Send + 'b>> {
        at.set(0);
        let at = at.clone();
        let packed = Packed {
            bytes,
            at: at.clone(),
        };
        let text: Box<dyn Read + Send + '_> = match self {
            Packing::Plain => return Ok(Box::new(bytes)),
            Packing::OldMac => return Ok(Box::new(LineFeeds(bytes))),
            Packing::Zip => return Ok(Box::new(zip::Members::new(bytes)?)),
            Packing::Gzip => Box::new(MultiGzDecoder::new(packed)),
            Packing::Bzip2 => Box::new(MultiBzDecoder::new(packed)),
            Packing::Zstd => Box::new(ZstdFrames::new(packed)),
            Packing::Xz => Box::new(XzReader::new_mem_limit(packed, true, XZ_KIBIBYTES_MAX)),
        };
        Ok(Box::new(Unpacked { text, at, read: 0 }))
    }
}

/// The bytes of a compressed file, which tell how far they have been read.
struct Packed<'a> {
    bytes: &'a [u8],
    at: BytesRead,
}

impl<'a> Packed<'a> {
    fn rest(&self) -> &'a [u8] {
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
struct Unpacked<'a> {
    text: Box<dyn Read + Send + 'a>,
    at: BytesRead,
    /// Bytes of text read.
    read: u64,
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

const XZ_KIBIBYTES_MAX: u32 = (XZ_MEMORY_BYTES_MAX >> 10) as u32;

/// Reads the bytes on standard input, compressed or plain, into memory.
///
/// # Errors
/// `Io` if reading fails; `LimitExceeded` for more than [`PGN_UNPACKED_BYTES_MAX`].
pub(crate) fn standard_input() -> Result<Vec<u8>> {
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
        return Err(Error::limit(
            "the unpacked length of the text in bytes",
            bytes_max,
        ));
    }
    Ok(())
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

/// Replaces carriage returns by line feeds.
struct LineFeeds<'a>(&'a [u8]);

impl Read for LineFeeds<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.read(buffer)?;
        for byte in &mut buffer[..length] {
            if *byte == b'\r' {
                *byte = b'\n';
            }
        }
        Ok(length)
    }
}

/// Reads all frames of a zstd file; the decoder itself stops after the first frame.
struct ZstdFrames<'a> {
    packed: Packed<'a>,
    decoder: FrameDecoder,
}

impl ZstdFrames<'_> {
    fn new(packed: Packed<'_>) -> ZstdFrames<'_> {
        ZstdFrames {
            packed,
            decoder: FrameDecoder::new(),
        }
    }

    /// Begins the next data frame; returns whether there is one.
    fn begin_frame(&mut self) -> io::Result<bool> {
        while !self.packed.rest().is_empty() {
            match self.decoder.reset(&mut self.packed) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = usize::try_from(length).unwrap_or(usize::MAX);
                    if length > self.packed.rest().len() {
                        let what = "a frame is cut short";
                        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
                    }
                    self.packed.consume(length);
                }
                Err(cause) => return Err(io::Error::new(io::ErrorKind::InvalidData, cause)),
            }
        }
        Ok(false)
    }

    /// Checks the checksum at the end of a frame, if it has one.
    fn check_frame(&self) -> io::Result<()> {
        match self.decoder.get_checksum_from_data() {
            Some(sum) if Some(sum) != self.decoder.get_calculated_checksum() => Err(
                io::Error::new(io::ErrorKind::InvalidData, "a checksum does not match"),
            ),
            _ => Ok(()),
        }
    }
}

impl Read for ZstdFrames<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if buffer.is_empty() {
                return Ok(0);
            }
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            }
            if self.decoder.is_finished() {
                self.check_frame()?;
                if !self.begin_frame()? {
                    return Ok(0);
                }
            } else {
                self.decoder
                    .decode_blocks(&mut self.packed, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(|cause| io::Error::new(io::ErrorKind::InvalidData, cause))?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use bzip2::write::BzEncoder;
    use flate2::write::GzEncoder;
    use lzma_rust2::{XzOptions, XzWriter};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::{
        super::{
            for_each_game,
            unpacked::{STEP_BYTES, unpacked},
            zip::tests::archive,
        },
        *,
    };
    use crate::{error::ErrorKind, progress::Progress};

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn bzip2(text: &[u8]) -> Vec<u8> {
        let mut encoder = BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn xz(text: &[u8]) -> Vec<u8> {
        let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).unwrap();
        writer.write_all(text).unwrap();
        writer.finish().unwrap()
    }

    fn zip(text: &[u8]) -> Vec<u8> {
        archive(&[("a.pgn", text)])
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    /// A frame of user data.
    fn skippable() -> Vec<u8> {
        b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec()
    }

    fn events(input: &Input) -> (Vec<String>, Result<()>) {
        let mut events = Vec::new();
        let end = for_each_game(
            input,
            |game| Ok(game.header().event.clone()),
            |_, event| {
                events.push(event?);
                Ok(())
            },
        );
        (events, end)
    }

    #[test]
    fn compressed_text_in_several_parts_is_read_through() {
        let (one, two) = (
            &b"[Event \"1\"]\n\n1. e4 *\n\n[Event"[..],
            &b" \"2\"]\n*\n"[..],
        );
        for packed in [
            [one, two].concat(),
            [gzip(one), gzip(two)].concat(),
            [bzip2(one), bzip2(two)].concat(),
            [xz(one), xz(two)].concat(),
            [zstd(one), skippable(), zstd(two), skippable()].concat(),
            [skippable(), zstd(one), zstd(two)].concat(),
        ] {
            let input = Input::from_bytes(packed).unwrap();
            let (events, end) = events(&input);
            assert_eq!(events, ["1", "2"], "{input:?}");
            end.unwrap();
        }
    }

    #[test]
    fn damaged_compression_is_an_error_after_the_games_before_it() {
        let text = b"[Event \"1\"]\n*\n".repeat(20_000);
        for packed in [gzip(&text), bzip2(&text), zstd(&text), xz(&text)] {
            let whole = events(&Input::from_bytes(packed.clone()).unwrap()).0.len();
            assert_eq!(whole, 20_000);
            for cut in [packed.len() / 2, packed.len() - 2] {
                let input = Input::from_bytes(packed[..cut].to_vec()).unwrap();
                let (events, end) = events(&input);
                assert!(events.len() < 20_000);
                let error = end.unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Io { .. }), "{input:?}");
            }
        }
    }

    #[test]
    fn text_that_unpacks_to_more_than_the_limit_is_refused() {
        let text = b"* ".repeat(1 << 19);
        let length = text.len() as u64;
        for packed in [
            gzip(&text),
            bzip2(&text),
            zstd(&text),
            xz(&text),
            zip(&text),
        ] {
            assert!(packed.len() < text.len() / 50);
            let packing = Packing::of(&packed).unwrap();
            assert!(
                unpacked(packing, &packed, length, &mut Progress::ignore)
                    .unwrap()
                    .0
                    == text
            );
            let error = unpacked(packing, &packed, length - 1, &mut Progress::ignore).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::LimitExceeded { .. }));
        }
    }

    #[test]
    fn unpacking_stops_when_it_is_asked_to() {
        let text = b"* ".repeat(2 * STEP_BYTES as usize);
        for packed in [gzip(&text), bzip2(&text), zstd(&text), xz(&text)] {
            let packing = Packing::of(&packed).unwrap();
            let mut asked = 0;
            let stop = &mut |_| {
                asked += 1;
                crate::chess::follow::break_if(asked == 3)
            };
            let error = unpacked(packing, &packed, u64::MAX - 1, stop).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Interrupted), "{error}");
            assert_eq!(asked, 3);
        }
    }

    #[test]
    fn an_archive_is_read_member_after_member() {
        let one = &b"[Event \"1\"]\n\n1. e4"[..];
        let two = &b"\xef\xbb\xbf[Event \"2\"]\n*"[..];
        let packed = archive(&[("a.pgn", one), ("b.txt", one), ("c.pgn", two)]);
        let (events, end) = events(&Input::from_bytes(packed).unwrap());
        assert_eq!(events, ["1", "2"]);
        end.unwrap();
    }

    #[test]
    fn xz_that_needs_more_memory_than_the_limit_is_refused() {
        let mut packed = xz(b"*");
        // The size of the dictionary and the checksum of its header.
        let at = 12;
        packed[at + 4] = 38;
        let mut crc = flate2::Crc::new();
        crc.update(&packed[at..at + 8]);
        packed[at + 8..at + 12].copy_from_slice(&crc.sum().to_le_bytes());
        let (_, end) = events(&Input::from_bytes(packed).unwrap());
        assert!(end.unwrap_err().to_string().contains("emory"));
    }

    #[test]
    fn random_damage_to_compressed_bytes_never_panics() {
        let text = b"[Event \"1\"]\n\n1. e4 e5 *\n".repeat(20);
        for packed in [
            gzip(&text),
            bzip2(&text),
            zstd(&text),
            xz(&text),
            zip(&text),
        ] {
            for index in 0..packed.len() {
                let mut damaged = packed.clone();
                damaged[index] ^= 0x55;
                if let Ok(input) = Input::from_bytes(damaged) {
                    let _ = events(&input);
                }
                if let Ok(input) = Input::from_bytes(packed[..index].to_vec()) {
                    let _ = events(&input);
                }
            }
        }
    }

    #[test]
    fn lines_that_end_with_carriage_returns_only_are_lines() {
        let text = b"[Event \"1\"]\r[Site \"x\"]\r\r1. e4 ; x\re5 *\r\r[Event \"2\"]\r*";
        let (events, _) = events(&Input::from_bytes(text.to_vec()).unwrap());
        assert_eq!(events, ["1", "2"]);
    }

    #[test]
    fn utf_16_is_refused() {
        let error = Input::from_bytes(b"\xff\xfe[\0".to_vec()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }));
    }

    #[test]
    fn an_empty_file_holds_no_games() {
        for bytes in [&b""[..], b" \r\n\n", b"% nothing\n", b"\xef\xbb\xbf"] {
            let input = Input::from_bytes(bytes.to_vec()).unwrap();
            assert!(events(&input).0.is_empty());
        }
    }
}
