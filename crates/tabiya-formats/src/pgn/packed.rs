//! The bytes of a packed file, and how many of them have been read.

use std::{
    io::{self, BufRead, Read},
    ops::Range,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, little_endian::U64};

use crate::error::{Error, Result};

/// How many bytes of a file have been read, as they are stored, and where its frames are. Clones
/// count together.
#[derive(Debug, Clone, Default)]
pub struct BytesRead {
    read: Arc<AtomicUsize>,
    all: usize,
    frames: Arc<Mutex<Vec<FramePlace>>>,
    damages: Arc<Mutex<Vec<Damaged>>>,
    /// Whether what is behind a damaged frame is read too.
    skips_damage: bool,
}

/// Damage that reading has gone on behind, and how many bytes of text are before it.
type Damaged = (u64, io::Error);

/// Greatest number of damages that reading goes on behind.
const DAMAGES_MAX: usize = 100;

impl BytesRead {
    /// Returns the number of bytes that have been read, and of all bytes.
    pub fn of_all(&self) -> (u64, u64) {
        (self.get() as u64, self.all as u64)
    }

    /// Returns that nothing has been read of so many bytes.
    pub(super) fn of(all: usize) -> BytesRead {
        BytesRead {
            all,
            ..BytesRead::default()
        }
    }

    /// Returns the same, for reading on behind damaged frames.
    pub(super) fn skipping_damage(self) -> BytesRead {
        BytesRead {
            skips_damage: true,
            ..self
        }
    }

    /// Takes the damages before an offset of the text.
    pub(super) fn take_damages(&self, until: u64) -> Vec<Error> {
        let mut damages = self.damages.lock().unwrap_or_else(PoisonError::into_inner);
        let end = damages.partition_point(|(text, _)| *text < until);
        let before = damages.drain(..end);
        before
            .map(|(_, cause)| Error::io_unnamed("decompress", cause))
            .collect()
    }

    /// Returns the first of these damages as an error that tells how many there are.
    pub(super) fn check_damages(&self, until: u64) -> Result<()> {
        let damages = self.take_damages(until);
        let others = damages.len().saturating_sub(1);
        match damages.into_iter().next() {
            None => Ok(()),
            Some(first) if others == 0 => Err(first),
            Some(first) => {
                let message = format!("{first}; {others} more frames are damaged");
                let cause = io::Error::new(io::ErrorKind::InvalidData, message);
                Err(Error::io_unnamed("decompress", cause))
            }
        }
    }

    pub(super) fn get(&self) -> usize {
        self.read.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, read: usize) {
        self.read.store(read, Ordering::Relaxed);
    }

    /// Notes where a frame is, unless it begins near the last one that was noted.
    pub(super) fn note_frame(&self, place: FramePlace) {
        let mut frames = self.frames.lock().unwrap_or_else(PoisonError::into_inner);
        if frames.last().is_none_or(|last| place.is_far_behind(last)) {
            frames.push(place);
        }
    }

    /// Returns an offset of the file behind the frame that the text up to an offset is in: that of
    /// the next frame that has been noted, or up to which the file has been read.
    pub(super) fn frame_behind(&self, text: u64) -> u64 {
        let frames = self.frames.lock().unwrap_or_else(PoisonError::into_inner);
        let behind = frames.partition_point(|frame| frame.is_until(text));
        frames
            .get(behind)
            .map_or(self.get() as u64, FramePlace::in_file)
    }

    /// Returns the frames that a part of the text is in, as far as they have been noted.
    pub(super) fn frames_of(&self, text: Range<u64>) -> Vec<FramePlace> {
        let frames = self.frames.lock().unwrap_or_else(PoisonError::into_inner);
        let first = frames.partition_point(|frame| frame.is_until(text.start));
        let first = first.saturating_sub(1);
        let end = frames.partition_point(|frame| frame.is_until(text.end.saturating_sub(1)));
        frames.get(first..end).unwrap_or_default().to_vec()
    }
}

/// Where a frame begins, in bytes: in the file and in the text.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub(super) struct FramePlace {
    file: U64,
    text: U64,
}

/// Least distance in bytes of text between frames that are noted: from one it takes little time to
/// reach those that follow it, and however many there are, few are noted.
const DISTANCE_BYTES: u64 = 1 << 20;

impl FramePlace {
    pub(super) fn new(file: u64, text: u64) -> FramePlace {
        FramePlace {
            file: file.into(),
            text: text.into(),
        }
    }

    /// Returns its offset in the file.
    pub(super) fn in_file(&self) -> u64 {
        self.file.get()
    }

    /// Returns its offset in the text.
    pub(super) fn in_text(&self) -> u64 {
        self.text.get()
    }

    /// Returns whether the frame begins at an offset of the text or before it.
    pub(super) fn is_until(&self, offset: u64) -> bool {
        self.text.get() <= offset
    }

    fn is_far_behind(&self, last: &FramePlace) -> bool {
        self.text.get() >= last.text.get().saturating_add(DISTANCE_BYTES)
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

    /// Notes that a frame of the text from an offset on begins some bytes before the end.
    pub(super) fn note_frame(&self, rest: usize, text: u64) {
        let file = self.bytes.len().saturating_sub(rest) as u64;
        self.at.note_frame(FramePlace::new(file, text));
    }

    /// Returns the offset of the next byte.
    pub(super) fn offset(&self) -> usize {
        self.at.get()
    }

    /// Returns the whole file, if what is behind damage is to be read.
    pub(super) fn behind_damage(&self) -> Option<&'a [u8]> {
        self.at.skips_damage.then_some(self.bytes)
    }

    /// Goes on at an offset behind damage, before which the text has so many bytes. Returns the
    /// damage if there is too much of it.
    pub(super) fn go_on(&self, offset: usize, damage: io::Error, text: u64) -> io::Result<()> {
        let damage = located(damage, self.offset(), text);
        let mut damages = self
            .at
            .damages
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if damages.len() >= DAMAGES_MAX {
            return Err(damage);
        }
        damages.push((text, damage));
        self.at.set(offset);
        Ok(())
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

    /// Returns the same for text before which there are so many bytes.
    pub(super) fn after(self, read: u64) -> Unpacked<'a> {
        Unpacked { read, ..self }
    }
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(buffer);
        let read = read.map_err(|cause| located(cause, self.at.get(), self.read))?;
        self.read += read as u64;
        Ok(read)
    }
}

/// Adds to an error where it is, in bytes of the file and of the text.
fn located(cause: io::Error, file: usize, text: u64) -> io::Error {
    let message = format!("{cause} (about byte {file} of the file, byte {text} of the text)");
    io::Error::new(cause.kind(), message)
}
