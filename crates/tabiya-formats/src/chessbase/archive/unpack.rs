//! Unpacks the packed bytes of a member.
//!
//! They consist of blocks. A block is the number of bytes after its header (2), two bytes that
//! readers ignore, and the bytes. The first of these is the block's method:
//!
//! | method | content |
//! |---|---|
//! | 0 | the member's bytes themselves |
//! | 1 | LZ tokens |
//! | 2 | Huffman codes |
//! | 3 | Huffman codes of LZ tokens |
//!
//! LZ: a control word of 16 bits, then one element per bit, from the highest bit: 0 is a literal
//! byte, 1 a token. The high half of a token's first byte selects its meaning; `low` is its other
//! half:
//!
//! | high | bytes that follow | meaning |
//! |---|---|---|
//! | 0 | b | repeat b `low + 3` times |
//! | 1 | a, b | repeat b `low + 16 a + 19` times |
//! | 2 | a, n | copy `n + 16` bytes from `low + 16 a + 3` bytes back |
//! | 3 to 15 | a | copy `high` bytes from `low + 16 a + 3` bytes back |
//!
//! A copy may reach back over all bytes unpacked so far. If only one byte is left for a control
//! word, it is a literal. Programs make one block of each 61 440 bytes, and one of the rest.
//!
//! Huffman: the number of bytes (2, big-endian), for each byte value from 0 the length of its code
//! (4 bits) and the code, then the codes of the bytes. Bits are read from the high end of each
//! byte.

use tabiya_chess::Flow;

use crate::{
    Report, bytes::Cursor, chessbase::archive::flaws, damage::Flaw, error::Error,
    progress::Progress,
};

/// Unpacked size of every block but the last.
const BLOCK_BYTES_UNPACKED: usize = 61_440;
/// Bytes of a block's header after its length.
const UNUSED_BYTES: usize = 2;
/// The longest run of a three-byte token.
const RUN_BYTES_MAX: u64 = 15 + 16 * 255 + 19;
/// Maximum length of a Huffman code in bits.
const CODE_BITS_MAX: u32 = 15;

/// Returns an upper bound on the unpacked size of this many packed bytes.
///
/// With Huffman codes, each bit can be a byte, and every three of these bytes a run token.
pub(super) fn most_bytes(packed: usize) -> u64 {
    (packed as u64).saturating_mul(8 * RUN_BYTES_MAX / 3)
}

/// A fault in a member, at an offset from the start of its packed bytes.
#[derive(Debug)]
pub(super) struct Fault {
    stop: Stop,
    at: usize,
    /// Bytes that the member should have unpacked.
    size: u64,
}

impl Fault {
    pub(super) fn at(&self) -> u64 {
        self.at as u64
    }

    pub(super) fn error(&self) -> Error {
        match self.stop {
            Stop::Damage(what) => Error::corrupt(what),
            Stop::TooMuch => Error::limit("what a member of the archive unpacks to", self.size),
            Stop::Interrupted => Error::interrupted(),
        }
    }
}

/// Unpacks a member that must yield `size` bytes. Asks before each block whether to go on.
pub(super) fn unpacked(packed: &[u8], size: u64, report: Report<'_>) -> Result<Vec<u8>, Fault> {
    let mut blocks = Cursor::new(packed);
    let mut output = Output {
        bytes: Vec::new(),
        size: usize::try_from(size).unwrap_or(usize::MAX),
    };
    let mut codes = Codes::default();
    while blocks.left() > 0 {
        let at = blocks.offset();
        let fault = |stop| Fault { stop, at, size };
        check_interrupt(at, packed, report).map_err(fault)?;
        let block = block(&mut blocks).ok_or_else(|| fault(CUT))?;
        unpack_block(block, &mut codes, &mut output).map_err(fault)?;
    }
    if output.bytes.len() < output.size {
        return Err(Fault {
            stop: Stop::Damage(flaws::MEMBER_TOO_SMALL),
            at: packed.len(),
            size,
        });
    }
    Ok(output.bytes)
}

fn check_interrupt(at: usize, packed: &[u8], report: Report<'_>) -> Result<(), Stop> {
    match report(Progress::of(at as u64, packed.len() as u64)) {
        Flow::Continue(()) => Ok(()),
        Flow::Break(()) => Err(Stop::Interrupted),
    }
}

/// Unpacks a block, given without its header, to the output.
fn unpack_block(block: &[u8], codes: &mut Codes, output: &mut Output) -> Result<(), Stop> {
    let (&method, data) = block.split_first().ok_or(CUT)?;
    match method {
        0 => output.push(data),
        1 => tokens(data, output),
        2 => codes.decode(data).and_then(|decoded| output.push(&decoded)),
        3 => codes
            .decode(data)
            .and_then(|decoded| tokens(&decoded, output)),
        _ => Err(Stop::Damage(flaws::UNKNOWN_PACKING)),
    }
}

/// Unpacks as much as possible of a damaged member that should yield `size` bytes. Unreadable parts
/// become zeros, so that all other bytes keep their offsets. The second result is the first fault.
///
/// Every block but the last unpacks to the same number of bytes. If a block's length is damaged,
/// the next block is at the first later offset from which blocks follow one another to the member's
/// end.
pub(super) fn salvaged(packed: &[u8], size: u64, report: Report<'_>) -> (Vec<u8>, Option<Fault>) {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let following = following_blocks(packed);
    let mut output = Output {
        bytes: Vec::new(),
        size,
    };
    let (mut codes, mut first, mut at) = (Codes::default(), None, 0);
    while at < packed.len() && output.bytes.len() < size {
        if let Err(stop) = check_interrupt(at, packed, report) {
            let size = size as u64;
            return (output.bytes, Some(Fault { stop, at, size }));
        }
        let start = output.bytes.len();
        let mut blocks = Cursor::new(packed.get(at..).unwrap_or_default());
        let block = block(&mut blocks).filter(|_| following[at] > 0);
        let end = start.saturating_add(BLOCK_BYTES_UNPACKED).min(size);
        output.size = end;
        let done = match block {
            Some(block) => unpack_block(block, &mut codes, &mut output),
            None => Err(CUT),
        };
        if let Err(stop) = done {
            first.get_or_insert_with(|| {
                let size = size as u64;
                Fault { stop, at, size }
            });
        }
        output.bytes.resize(end, 0);
        match block {
            Some(_) => at += blocks.offset(),
            None => {
                let next = (at + 1..packed.len()).find(|&next| following[next] > 0);
                at = next.unwrap_or(packed.len());
                let after = next.map_or(0, |next| following[next] as usize);
                let all = size.div_ceil(BLOCK_BYTES_UNPACKED);
                let place = all.saturating_sub(after) * BLOCK_BYTES_UNPACKED;
                output.bytes.resize(place.clamp(start, size), 0);
            }
        }
    }
    output.bytes.resize(size, 0);
    (output.bytes, first)
}

/// Returns for each offset the number of blocks that follow one another from there to the end of
/// the member; 0 if that is not the case.
fn following_blocks(packed: &[u8]) -> Vec<u32> {
    let mut following = vec![0; packed.len() + 1];
    for at in (0..packed.len()).rev() {
        let mut blocks = Cursor::new(&packed[at..]);
        if block(&mut blocks).is_some_and(|block| !block.is_empty()) {
            let end = at + blocks.offset();
            following[at] = match following[end] {
                0 if end < packed.len() => 0,
                after => after + 1,
            };
        }
    }
    following
}

/// Why unpacking ends early.
#[derive(Debug, Clone, Copy)]
enum Stop {
    Damage(Flaw),
    /// More bytes than the member has.
    TooMuch,
    /// The caller does not want the rest.
    Interrupted,
}

const CUT: Stop = Stop::Damage(flaws::BLOCK_CUT);

/// Reads one block and returns it without its header.
fn block<'a>(blocks: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let length = blocks.u16_le()?;
    blocks.take(UNUSED_BYTES)?;
    blocks.take(length.into())
}

/// The bytes unpacked so far, never more than the member's size.
struct Output {
    bytes: Vec<u8>,
    size: usize,
}

impl Output {
    fn has_room(&self, length: usize) -> Result<(), Stop> {
        if length <= self.size - self.bytes.len() {
            Ok(())
        } else {
            Err(Stop::TooMuch)
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.has_room(bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn run(&mut self, byte: u8, length: usize) -> Result<(), Stop> {
        self.has_room(length)?;
        self.bytes.resize(self.bytes.len() + length, byte);
        Ok(())
    }

    /// Copies `length` bytes from `back` bytes before the end; the two ranges may overlap.
    fn copy(&mut self, back: usize, length: usize) -> Result<(), Stop> {
        self.has_room(length)?;
        let from = self.bytes.len().checked_sub(back);
        let from = from.ok_or(Stop::Damage(flaws::COPY_FROM_BEFORE))?;
        for at in from..from + length {
            self.bytes.push(self.bytes[at]);
        }
        Ok(())
    }
}

/// Decodes LZ tokens to the output.
fn tokens(data: &[u8], output: &mut Output) -> Result<(), Stop> {
    let mut data = Cursor::new(data);
    while data.left() > 1 {
        let control = data.u16_le().ok_or(CUT)?;
        for bit in (0..16).rev() {
            if data.left() == 0 {
                return Ok(());
            }
            match control >> bit & 1 {
                0 => output.push(data.take(1).ok_or(CUT)?)?,
                _ => token(&mut data, output)?,
            }
        }
    }
    output.push(data.rest())
}

/// Decodes one token to the output.
fn token(data: &mut Cursor<'_>, output: &mut Output) -> Result<(), Stop> {
    let mut next = || data.u8().map(usize::from).ok_or(CUT);
    let first = next()?;
    let (high, low) = (first >> 4, first & 15);
    match high {
        0 => output.run(next()? as u8, low + 3),
        1 => {
            let length = low + (next()? << 4) + 19;
            output.run(next()? as u8, length)
        }
        2 => {
            let back = low + (next()? << 4) + 3;
            output.copy(back, next()? + 16)
        }
        length => {
            let back = low + (next()? << 4) + 3;
            output.copy(back, length)
        }
    }
}

/// The Huffman codes of one block: for each possible next 15 bits, the byte and the length of its
/// code, which is 0 if there is none.
#[derive(Default)]
struct Codes(Vec<(u8, u8)>);

impl Codes {
    fn decode(&mut self, data: &[u8]) -> Result<Vec<u8>, Stop> {
        let (head, data) = data.split_first_chunk().ok_or(CUT)?;
        let length = usize::from(u16::from_be_bytes(*head));
        let mut bits = Bits::new(data);
        self.read(&mut bits)?;
        let mut decoded = Vec::with_capacity(length);
        for _ in 0..length {
            let (byte, width) = self.0[bits.peek() as usize];
            if width == 0 {
                return Err(Stop::Damage(flaws::NO_HUFFMAN_CODE));
            }
            bits.skip(width.into())?;
            decoded.push(byte);
        }
        Ok(decoded)
    }

    fn read(&mut self, bits: &mut Bits<'_>) -> Result<(), Stop> {
        self.0.clear();
        self.0.resize(1 << CODE_BITS_MAX, (0, 0));
        for byte in 0..=u8::MAX {
            let width = bits.take(4)?;
            if width == 0 {
                continue;
            }
            let first = bits.take(width)? << (CODE_BITS_MAX - width);
            let places = first as usize..(first + (1 << (CODE_BITS_MAX - width))) as usize;
            let places = &mut self.0[places];
            if places.iter().any(|&(_, width)| width > 0) {
                return Err(Stop::Damage(flaws::HUFFMAN_PREFIX));
            }
            places.fill((byte, width as u8));
        }
        Ok(())
    }
}

/// Reads bits from the high end of each byte. Peeking past the last one yields zeros.
struct Bits<'a> {
    bytes: std::slice::Iter<'a, u8>,
    /// The next bits at the high end.
    held: u64,
    count: u32,
}

impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8]) -> Bits<'a> {
        let bytes = bytes.iter();
        let mut bits = Bits {
            bytes,
            held: 0,
            count: 0,
        };
        bits.fill();
        bits
    }

    fn fill(&mut self) {
        while self.count <= 56 {
            let Some(&byte) = self.bytes.next() else {
                return;
            };
            self.held |= u64::from(byte) << (56 - self.count);
            self.count += 8;
        }
    }

    /// Returns the next 15 bits, the length of the longest code, without consuming them.
    fn peek(&self) -> u32 {
        (self.held >> (64 - CODE_BITS_MAX)) as u32
    }

    fn skip(&mut self, width: u32) -> Result<(), Stop> {
        self.count = self.count.checked_sub(width).ok_or(CUT)?;
        self.held <<= width;
        if self.count < CODE_BITS_MAX {
            self.fill();
        }
        Ok(())
    }

    /// Reads 1 to 15 bits.
    fn take(&mut self, width: u32) -> Result<u32, Stop> {
        let taken = self.peek() >> (CODE_BITS_MAX - width);
        self.skip(width)?;
        Ok(taken)
    }
}
