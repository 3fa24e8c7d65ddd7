//! What the bytes of a text stand for, unpacked or plain: characters and ends of lines.
//!
//! The first bytes decide for the whole text, whatever it is packed in. UTF-8, Latin-1 and mixtures
//! of both are read where they lie; anything else becomes UTF-8 here.

use std::io::{self, Read};

use encoding_rs::{Decoder, Encoding, UTF_16BE, UTF_16LE};
use memchr::memchr;

use crate::encoding::{TextEncoding, detected};

/// Bytes at the start of a text that are looked at.
pub(super) const HEAD_BYTES: usize = 64 << 10;
/// Bytes that are decoded together.
const CHUNK_BYTES: usize = 32 << 10;

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// As the parser reads it.
    Plain,
    /// Lines end with a carriage return only.
    OldMac,
    /// In another encoding.
    In(TextEncoding),
}

impl Writing {
    /// Tells how a text is written by its first bytes. `said` is the encoding if somebody said it.
    pub(super) fn of(text: &[u8], said: Option<TextEncoding>) -> Writing {
        let head = text.get(..HEAD_BYTES).unwrap_or(text);
        let marked = Encoding::for_bom(head).map(|(encoding, _)| encoding.into());
        let known = marked
            .or(said)
            .or_else(|| utf16_without_mark(head))
            .or_else(|| guessed(head));
        match known.filter(|encoding| !encoding.is_utf8()) {
            Some(encoding) => Writing::In(encoding),
            None if memchr(b'\n', head).is_none() && memchr(b'\r', head).is_some() => {
                Writing::OldMac
            }
            None => Writing::Plain,
        }
    }
}

/// Recognises UTF-16 without a byte order mark: tags and moves are ASCII.
fn utf16_without_mark(head: &[u8]) -> Option<TextEncoding> {
    let is_zero = head.first_chunk()?.map(|byte| byte == 0);
    match is_zero {
        [false, true, false, true] => Some(UTF_16LE.into()),
        [true, false, true, false] => Some(UTF_16BE.into()),
        _ => None,
    }
}

/// Guesses the encoding of a text that is neither UTF-8 nor a mixture of that with Latin-1. Only
/// encodings with one byte for each character are guessed, since others are met too rarely.
fn guessed(head: &[u8]) -> Option<TextEncoding> {
    let foreign = head.iter().filter(|byte| **byte >= 0x80).count();
    let invalid: usize = head.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    // A few letters say too little, and among those of other encodings some happen to be UTF-8.
    if invalid < 8 || 2 * invalid < foreign {
        return None;
    }
    detected(std::iter::once(head))
}

/// Decodes a text piece by piece.
enum Decoding {
    /// A character may be cut by the end of a piece.
    Standard(Decoder),
    /// One byte for each character.
    Bytes(TextEncoding),
}

impl Decoding {
    fn new(encoding: TextEncoding) -> Decoding {
        match encoding.standard() {
            Some(standard) => Decoding::Standard(standard.new_decoder_with_bom_removal()),
            None => Decoding::Bytes(encoding),
        }
    }

    /// Decodes the next piece and appends it.
    fn decode(&mut self, mut bytes: &[u8], is_last: bool, decoded: &mut Vec<u8>) {
        let decoder = match self {
            Decoding::Standard(decoder) => decoder,
            Decoding::Bytes(encoding) => {
                decoded.extend_from_slice(encoding.decode(bytes).as_bytes());
                return;
            }
        };
        loop {
            let mut text = String::with_capacity(2 * CHUNK_BYTES);
            let (result, read, _) = decoder.decode_to_string(bytes, &mut text, is_last);
            decoded.extend_from_slice(text.as_bytes());
            bytes = &bytes[read..];
            if result == encoding_rs::CoderResult::InputEmpty {
                break;
            }
        }
    }
}

/// A text as the parser reads it.
pub(super) struct Written<'a> {
    bytes: Box<dyn Read + Send + 'a>,
    said: Option<TextEncoding>,
    /// How it is written, once the first bytes have been read.
    writing: Option<Writing>,
    /// What decodes the rest; `None` when that is done, or for text that needs none.
    decoder: Option<Decoding>,
    /// Text that has been read and not delivered yet, and how much of it has been.
    ready: Vec<u8>,
    delivered: usize,
    /// Why reading failed, after what is ready.
    failure: Option<io::Error>,
}

impl<'a> Written<'a> {
    pub(super) fn new(bytes: Box<dyn Read + Send + 'a>, said: Option<TextEncoding>) -> Written<'a> {
        Written {
            bytes,
            said,
            writing: None,
            decoder: None,
            ready: Vec::new(),
            delivered: 0,
            failure: None,
        }
    }

    /// Reads the first bytes.
    fn begin(&mut self) -> Writing {
        let mut head = Vec::new();
        let read = self
            .bytes
            .by_ref()
            .take(HEAD_BYTES as u64)
            .read_to_end(&mut head);
        self.failure = read.err();
        let writing = Writing::of(&head, self.said);
        match writing {
            Writing::Plain => self.ready = head,
            Writing::OldMac => {
                line_feeds(&mut head);
                self.ready = head;
            }
            Writing::In(encoding) => {
                self.decoder = Some(Decoding::new(encoding));
                self.decode(&head, self.failure.is_some());
            }
        }
        self.writing = Some(writing);
        writing
    }

    /// Decodes bytes after all that is ready has been delivered.
    fn decode(&mut self, bytes: &[u8], is_last: bool) {
        let Some(decoder) = &mut self.decoder else {
            return;
        };
        self.ready.clear();
        self.delivered = 0;
        decoder.decode(bytes, is_last, &mut self.ready);
        // Lines that end with a carriage return only, or with both.
        if !self.ready.contains(&b'\n') {
            line_feeds(&mut self.ready);
        }
    }

    /// Reads and decodes more; returns whether there may be more.
    fn fill(&mut self) -> io::Result<bool> {
        let mut chunk = vec![0; CHUNK_BYTES];
        let length = self.bytes.read(&mut chunk)?;
        self.decode(&chunk[..length], length == 0);
        if length == 0 {
            self.decoder = None;
        }
        Ok(length > 0)
    }
}

impl Read for Written<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let writing = match self.writing {
            Some(writing) => writing,
            None => self.begin(),
        };
        loop {
            let mut ready = self.ready.get(self.delivered..).unwrap_or_default();
            if !ready.is_empty() || buffer.is_empty() {
                let length = ready.read(buffer)?;
                self.delivered += length;
                return Ok(length);
            }
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if self.decoder.is_none() {
                let length = match writing {
                    Writing::In(_) => 0,
                    _ => self.bytes.read(buffer)?,
                };
                if writing == Writing::OldMac {
                    line_feeds(&mut buffer[..length]);
                }
                return Ok(length);
            }
            self.fill()?;
        }
    }
}

/// Replaces carriage returns by line feeds.
fn line_feeds(text: &mut [u8]) {
    for byte in text {
        if *byte == b'\r' {
            *byte = b'\n';
        }
    }
}
