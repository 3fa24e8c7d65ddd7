//! The frames of a zstd file.
//!
//! Each is packed by itself, so those that follow each other are unpacked at the same time, if they
//! are not too long. Where they end is found by the headers of their blocks: what the frames that
//! `pzstd` puts between them say is not needed. Behind a damaged frame reading goes on with the
//! next one: where the damaged one ends, or where a whole one begins.

use std::{
    collections::VecDeque,
    io::{self, BufRead as _, Read},
    sync::{Mutex, PoisonError},
};

use rayon::prelude::*;
use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};

use super::packed::Packed;
use crate::limits::ZSTD_FRAMES_TEXT_BYTES_MAX;

/// Reads all frames of a zstd file.
pub(super) struct ZstdFrames<'a> {
    packed: Packed<'a>,
    decoder: FrameDecoder,
    /// The text of whole frames that is still to be returned.
    unpacked: VecDeque<Text>,
    spare: Spare,
    /// The damage after the text that is still to be returned.
    damage: Option<io::Error>,
    /// Bytes of text returned, and those before them.
    read: u64,
    /// Whether frames that follow each other are unpacked at the same time.
    is_parallel: bool,
    /// Where the present frame begins in the file.
    begin: usize,
}

/// The rest of an unpacked text, in memory that may be longer.
type Text = io::Take<io::Cursor<Vec<u8>>>;

/// Memory that is used for frame after frame, since new memory takes time.
#[derive(Default)]
struct Spare {
    decoders: Mutex<Vec<FrameDecoder>>,
    texts: Vec<Vec<u8>>,
}

/// What stands in the text for that of a damaged frame: it ends a comment and is no move, so that
/// the game around it is damaged too.
const LOST_TEXT: &[u8] = b"\n} lost-in-a-damaged-frame \n";

/// How a frame of text begins.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A frame of which all blocks are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Frame<'a> {
    bytes: &'a [u8],
    /// Its text has at most so many bytes.
    text_bytes_max: usize,
}

/// Greatest number of bytes that one block unpacks to.
const BLOCK_TEXT_BYTES_MAX: usize = 128 << 10;

/// Frames for each thread that are unpacked at the same time. There are more of short ones, since
/// all wait for the last.
const FRAMES_PER_THREAD: usize = 2;
const SHORT_FRAMES_PER_THREAD: usize = 32;
const SHORT_FRAMES_TEXT_BYTES: usize = 32 << 20;

/// A block that ends a frame, and a checksum.
const LAST_BLOCK: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

impl<'a> Frame<'a> {
    /// Returns the frame of text at the beginning of some bytes; `None` if there is none, if it is
    /// cut short, or if it is long.
    fn first_in(bytes: &'a [u8]) -> Option<Frame<'a>> {
        Frame::up_to(bytes, ZSTD_FRAMES_TEXT_BYTES_MAX)
    }

    /// The same for a text of at most so many bytes. Only the headers of its blocks are looked at:
    /// 3 bytes, little-endian, with whether it is the last in bit 0, its kind in bits 1 and 2 and
    /// its length above (RFC 8878, 3.1.1).
    fn up_to(bytes: &'a [u8], most: usize) -> Option<Frame<'a>> {
        let header = bytes.strip_prefix(&MAGIC)?;
        let flags = *header.first()?;
        let is_single_segment = flags & 0x20 != 0;
        let has_checksum = flags & 4 != 0;
        let window = usize::from(!is_single_segment);
        let dictionary = [0, 1, 2, 4][usize::from(flags & 3)];
        let text_length = [usize::from(is_single_segment), 2, 4, 8][usize::from(flags >> 6)];
        let mut at = 5 + window + dictionary + text_length;
        let mut text_bytes_max = 0;
        loop {
            let [low, middle, high] = *bytes.get(at..)?.first_chunk()?;
            let block = u32::from_le_bytes([low, middle, high, 0]);
            let (kind, length) = (block >> 1 & 3, (block >> 3) as usize);
            let (stored, text) = match kind {
                0 => (length, length),
                // One byte, repeated.
                1 => (1, length),
                2 => (length, BLOCK_TEXT_BYTES_MAX),
                _ => return None,
            };
            at += 3 + stored;
            text_bytes_max += text;
            if text_bytes_max > most {
                return None;
            }
            if block & 1 == 1 {
                break;
            }
        }
        let bytes = bytes.get(..at + if has_checksum { 4 } else { 0 })?;
        Some(Frame {
            bytes,
            text_bytes_max,
        })
    }

    /// Returns the text; `None` if anything is wrong.
    fn unpack(self, mut memory: Vec<u8>, decoders: &Mutex<Vec<FrameDecoder>>) -> Option<Text> {
        let lock = || decoders.lock().unwrap_or_else(PoisonError::into_inner);
        let mut decoder = lock().pop().unwrap_or_default();
        if memory.len() < self.text_bytes_max {
            memory.resize(self.text_bytes_max, 0);
        }
        let length = decoder.decode_all(self.bytes, &mut memory).ok()?;
        check_frame(&decoder).ok()?;
        lock().push(decoder);
        Some(io::Cursor::new(memory).take(length as u64))
    }
}

impl Spare {
    /// Keeps the memory of a text, but no more than texts may have that are unpacked together.
    fn keep(&mut self, text: Text) {
        let memory = text.into_inner().into_inner();
        let kept: usize = self.texts.iter().map(Vec::len).sum();
        if kept + memory.len() <= ZSTD_FRAMES_TEXT_BYTES_MAX {
            self.texts.push(memory);
        }
    }
}

/// Checks the checksum at the end of a frame, if it has one.
fn check_frame(decoder: &FrameDecoder) -> io::Result<()> {
    match decoder.get_checksum_from_data() {
        Some(sum) if Some(sum) != decoder.get_calculated_checksum() => {
            let what = "a checksum does not match";
            Err(io::Error::new(io::ErrorKind::InvalidData, what))
        }
        _ => Ok(()),
    }
}

impl ZstdFrames<'_> {
    pub(super) fn new(packed: Packed<'_>) -> ZstdFrames<'_> {
        ZstdFrames {
            packed,
            decoder: FrameDecoder::new(),
            unpacked: VecDeque::new(),
            spare: Spare::default(),
            damage: None,
            read: 0,
            is_parallel: true,
            begin: 0,
        }
    }

    /// Reads on from a frame before which the text has so many bytes.
    pub(super) fn from_text(packed: Packed<'_>, read: u64) -> ZstdFrames<'_> {
        ZstdFrames {
            read,
            ..ZstdFrames::new(packed)
        }
    }

    /// Reads the text of one frame and what is near it on the calling thread.
    pub(super) fn alone(packed: Packed<'_>) -> ZstdFrames<'_> {
        ZstdFrames {
            is_parallel: false,
            ..ZstdFrames::new(packed)
        }
    }

    /// Unpacks the next frames at the same time if there are several that are whole and not too
    /// long. What cannot be read is left to reading block by block, which tells what is wrong.
    fn unpack_ahead(&mut self) {
        let mut rest = behind_other_data(self.packed.rest());
        let (mut frames, mut text_bytes) = (Vec::new(), 0);
        let threads = rayon::current_num_threads();
        let is_enough = |frames: usize, text_bytes: usize| {
            frames >= FRAMES_PER_THREAD * threads && text_bytes >= SHORT_FRAMES_TEXT_BYTES
                || frames >= SHORT_FRAMES_PER_THREAD * threads
        };
        while !is_enough(frames.len(), text_bytes) {
            let Some(frame) = Frame::first_in(rest) else {
                break;
            };
            text_bytes += frame.text_bytes_max;
            if text_bytes > ZSTD_FRAMES_TEXT_BYTES_MAX {
                break;
            }
            let begin = rest.len();
            rest = behind_other_data(&rest[frame.bytes.len()..]);
            let memory = self.spare.texts.pop().unwrap_or_default();
            frames.push((frame, memory, begin, rest.len()));
        }
        if frames.len() < 2 {
            return;
        }
        let unpack = |(frame, memory, begin, rest): (Frame<'_>, Vec<u8>, _, _)| {
            (frame.unpack(memory, &self.spare.decoders), begin, rest)
        };
        let unpacked: Vec<_> = frames.into_par_iter().with_max_len(1).map(unpack).collect();
        let mut read = self.read;
        for (text, begin, rest) in unpacked {
            let Some(text) = text else {
                break;
            };
            self.packed.note_frame(begin, read);
            read += text.limit();
            self.packed.consume(self.packed.rest().len() - rest);
            self.unpacked.push_back(text);
        }
    }

    /// Begins the next data frame; returns whether there is one.
    fn begin_frame(&mut self) -> io::Result<bool> {
        let rest = self.packed.rest();
        self.packed
            .consume(rest.len() - behind_other_data(rest).len());
        if self.packed.rest().is_empty() {
            return Ok(false);
        }
        self.begin = self.packed.offset();
        self.packed.note_frame(self.packed.rest().len(), self.read);
        match self.decoder.reset(&mut self.packed) {
            Ok(()) => Ok(true),
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                ..
            })) => {
                let what = "a frame is cut short";
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, what))
            }
            Err(cause) => Err(io::Error::new(io::ErrorKind::InvalidData, cause)),
        }
    }

    /// Goes on behind the present frame, which is damaged.
    ///
    /// # Errors
    /// The damage, if what is behind it is not wanted, or no frame is found there.
    fn go_on(&mut self, damage: io::Error) -> io::Result<()> {
        let file = self.packed.behind_damage();
        let next = file.and_then(|file| Some(self.begin + next_frame(file.get(self.begin..)?)?));
        let Some(next) = next else {
            return Err(damage);
        };
        self.packed.go_on(next, damage, self.read)?;
        self.decoder = FrameDecoder::new();
        let lost = io::Cursor::new(LOST_TEXT.to_vec());
        self.unpacked.push_back(lost.take(LOST_TEXT.len() as u64));
        Ok(())
    }

    fn decode_block(&mut self) -> io::Result<()> {
        let one = BlockDecodingStrategy::UptoBlocks(1);
        match self.decoder.decode_blocks(&mut self.packed, one) {
            Ok(_) => Ok(()),
            Err(_) if self.packed.rest().is_empty() => {
                let what = "the file is cut short";
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, what))
            }
            Err(cause) => Err(io::Error::new(io::ErrorKind::InvalidData, cause)),
        }
    }
}

/// Returns whether a file begins with a whole frame of text that is not too long.
pub(super) fn begins_with_frame(bytes: &[u8]) -> bool {
    Frame::first_in(behind_other_data(bytes)).is_some()
}

/// Returns where the next frame begins behind a damaged one: where that ends if its blocks say so,
/// otherwise where a whole one begins.
fn next_frame(bytes: &[u8]) -> Option<usize> {
    let end = Frame::up_to(bytes, usize::MAX).map(|frame| frame.bytes.len());
    let is_border = |end: &usize| {
        let behind = behind_other_data(&bytes[*end..]);
        behind.is_empty() || behind.starts_with(&MAGIC)
    };
    let is_whole = |at: &usize| Frame::up_to(&bytes[*at..], usize::MAX).is_some();
    end.filter(is_border).or_else(|| {
        let mut others = memchr::memmem::find_iter(bytes.get(1..)?, &MAGIC);
        others.find_map(|at| Some(at + 1).filter(is_whole))
    })
}

/// Returns what is behind the whole frames of other data at the beginning of some bytes.
fn behind_other_data(mut bytes: &[u8]) -> &[u8] {
    while let [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, data @ ..] = bytes {
        let length = usize::try_from(u32::from_le_bytes([*a, *b, *c, *d]));
        match length.ok().and_then(|length| data.get(length..)) {
            Some(behind) => bytes = behind,
            None => break,
        }
    }
    bytes
}

impl Read for ZstdFrames<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.read_some(buffer)?;
        self.read += read as u64;
        Ok(read)
    }
}

impl ZstdFrames<'_> {
    fn read_some(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if buffer.is_empty() {
                return Ok(0);
            }
            if let Some(text) = self.unpacked.front_mut() {
                match text.read(buffer)? {
                    0 => {
                        let text = self.unpacked.pop_front();
                        text.into_iter().for_each(|text| self.spare.keep(text));
                    }
                    read => return Ok(read),
                }
                continue;
            }
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            }
            if let Some(damage) = self.damage.take() {
                self.go_on(damage)?;
                continue;
            }
            if self.decoder.is_finished() {
                if let Err(damage) = check_frame(&self.decoder) {
                    self.go_on(damage)?;
                    continue;
                }
                // Who reads only the beginning of a file needs no more than the first frame.
                if self.is_parallel && self.packed.has_begun() {
                    self.unpack_ahead();
                }
                if self.unpacked.is_empty() {
                    match self.begin_frame() {
                        Ok(true) => {}
                        Ok(false) => return Ok(0),
                        Err(damage) => self.go_on(damage)?,
                    }
                }
            } else if let Err(damage) = self.decode_block() {
                // The decoder holds back what later blocks may repeat, until the last has come.
                self.damage = Some(damage);
                if !self.decoder.is_finished() {
                    let end = BlockDecodingStrategy::UptoBlocks(1);
                    let _ = self.decoder.decode_blocks(&LAST_BLOCK[..], end);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
