//! The header and the directories, byte by byte as described in [the module](super).

use std::ops::Range;

use tabiya_formats::indexed::stored::RUNS;
use zerocopy::{
    FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout, Unaligned,
    little_endian::{U32, U64},
};

use super::{container::Shape, identity::Identity};

const MAGIC: [u8; 8] = *b"tabiya\x1a\x0a";
const VERSION: u32 = 13;
/// The number of parts for which a header has space.
const PARTS_MAX: usize = 16;

/// Blobs are aligned to this many bytes, so that words do not cross cache lines.
pub(super) const ALIGN_BYTES: usize = 8;

/// The content of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    /// Sets of games.
    Sets = 1,
    /// The changes of material in each game.
    Timeline = 2,
    /// The games of frequent positions.
    Openings = 3,
    /// These positions, in one block.
    OpeningTable = 4,
    /// The rows of their trees.
    OpeningRows = 5,
    /// The sums of each block's input.
    Sums = 6,
    /// Copies of the fields that header queries scan.
    Columns = 7,
    /// Names in their folded form, in one block.
    Names = 8,
    /// The records of a database whose files hold none, in one block.
    Records = 9,
    /// Their names, in one block.
    RecordNames = 10,
    /// Where the main lines end, in one block.
    LineEnds = 11,
    /// The main lines, in one block.
    Lines = 12,
    /// The names of the games' openings.
    OpeningNames = 13,
    /// The final positions.
    Ends = 14,
    /// Where the text of packed PGN is, in one block.
    TextPlaces = 15,
    /// What comments tell of clocks and evaluations.
    Remarks = 16,
}

impl PartKind {
    /// The parts that are collected while games are played, and kept with their blocks, in the
    /// order in which they are written.
    pub(super) const BY_BLOCK: [PartKind; 8] = [
        PartKind::Sets,
        PartKind::Timeline,
        PartKind::Openings,
        PartKind::OpeningRows,
        PartKind::OpeningNames,
        PartKind::Ends,
        PartKind::Remarks,
        PartKind::Sums,
    ];

    /// The parts of an index, in the order of [its runs](tabiya_formats::Runs).
    pub(super) const INDEX: [PartKind; RUNS] = [
        PartKind::Records,
        PartKind::RecordNames,
        PartKind::LineEnds,
        PartKind::Lines,
        PartKind::TextPlaces,
    ];
}

/// A part's entry in the header.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct PartPlace {
    kind: U32,
    /// The number of blobs in each of its directories.
    pub(super) blobs: U32,
    offset: U64,
    bytes: U64,
}

impl PartPlace {
    pub(super) fn new(kind: PartKind, blobs: u32, offset: u64, bytes: u64) -> PartPlace {
        PartPlace {
            kind: (kind as u32).into(),
            blobs: blobs.into(),
            offset: offset.into(),
            bytes: bytes.into(),
        }
    }

    /// Returns the byte range of its directories.
    pub(super) fn directories(&self) -> Option<Range<usize>> {
        let start = usize::try_from(self.offset.get()).ok()?;
        let bytes = usize::try_from(self.bytes.get()).ok()?;
        Some(start..start.checked_add(bytes)?)
    }
}

#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RawHeader {
    magic: [u8; 8],
    version: U32,
    header_bytes: U32,
    file_bytes: U64,
    games: U32,
    files: U32,
    parts: U32,
    room_unit: U32,
    identity: Identity,
    part: [PartPlace; PARTS_MAX],
    checksum: U32,
    end: U32,
}

/// Bytes of the header before its checksum.
const CHECKED_BYTES: usize = size_of::<RawHeader>() - 8;

/// The checked content of a header.
#[derive(Debug)]
pub(super) struct Header {
    /// Length of the file in bytes; it may be longer.
    pub(super) file_bytes: u64,
    pub(super) games: u32,
    /// Behind each run of an index that grows, nothing else is written up to the next multiple of
    /// this many bytes; 0 if there is no such room.
    pub(super) room_unit: u32,
    pub(super) identity: Identity,
    part: [PartPlace; PARTS_MAX],
}

impl Header {
    pub(super) const BYTES: usize = size_of::<RawHeader>();

    /// Returns the header of a file of this length with these parts.
    pub(super) fn write(
        games: u32,
        identity: Identity,
        file_bytes: u64,
        room_unit: u32,
        parts: &[PartPlace],
    ) -> Vec<u8> {
        let mut header = RawHeader {
            magic: MAGIC,
            version: VERSION.into(),
            header_bytes: (Header::BYTES as u32).into(),
            file_bytes: file_bytes.into(),
            games: games.into(),
            files: 2.into(),
            parts: (parts.len() as u32).into(),
            room_unit: room_unit.into(),
            identity,
            part: [PartPlace::new_zeroed(); PARTS_MAX],
            checksum: U32::ZERO,
            end: U32::ZERO,
        };
        for (place, part) in header.part.iter_mut().zip(parts) {
            *place = *part;
        }
        header.checksum = crc32fast::hash(&header.as_bytes()[..CHECKED_BYTES]).into();
        header.as_bytes().to_vec()
    }

    /// Reads and checks the header of a file. Returns what is wrong with it otherwise.
    pub(super) fn read(bytes: &[u8]) -> Result<Header, &'static str> {
        let (header, _) = RawHeader::ref_from_prefix(bytes).map_err(|_| "it is cut short")?;
        if header.magic != MAGIC {
            return Err("it is no sidecar of tabiya");
        }
        if header.version != VERSION {
            return Err("another version of tabiya made it");
        }
        if header.checksum != crc32fast::hash(&bytes[..CHECKED_BYTES]) {
            return Err("it is damaged");
        }
        // What follows was to become part of it, and did not.
        if header.file_bytes > bytes.len() as u64 {
            return Err("it is cut short");
        }
        Ok(Header {
            file_bytes: header.file_bytes.get(),
            games: header.games.get(),
            room_unit: header.room_unit.get(),
            identity: header.identity,
            part: header.part,
        })
    }

    /// Returns the entry of a part.
    pub(super) fn part(&self, kind: PartKind) -> Option<PartPlace> {
        self.part
            .iter()
            .find(|part| part.kind == kind as u32)
            .copied()
    }
}

/// The location of one blob of a block.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Entry {
    pub(super) offset: U32,
    shape: U32,
    pub(super) checksum: U32,
}

impl Entry {
    pub(super) fn new(offset: u32, shape: Shape, bytes: &[u8]) -> Entry {
        Entry {
            offset: offset.into(),
            shape: shape.0.into(),
            checksum: crc32fast::hash(bytes).into(),
        }
    }

    /// Returns the entry of a blob that is this many bytes later.
    pub(super) fn moved_by(self, bytes: u32) -> Entry {
        Entry {
            offset: self.offset + bytes,
            ..self
        }
    }

    #[inline]
    pub(super) fn shape(&self) -> Shape {
        Shape(self.shape.get())
    }
}

/// The location of the blobs of one block.
#[derive(Debug, FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Directory {
    checksum: U32,
    pub(super) games: U32,
    pub(super) offset: U64,
    pub(super) entries: [Entry],
}

impl Directory {
    /// Returns the length of a directory of this number of blobs.
    pub(super) const fn bytes(blobs: usize) -> usize {
        16 + blobs * size_of::<Entry>()
    }

    /// Appends a directory to others.
    pub(super) fn write(games: u32, offset: u64, entries: &[Entry], out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([0; 4]);
        out.extend(games.to_le_bytes());
        out.extend(offset.to_le_bytes());
        out.extend(entries.as_bytes());
        let checksum = crc32fast::hash(&out[start + 4..]);
        out[start..start + 4].copy_from_slice(&checksum.to_le_bytes());
    }

    /// Reads a directory of this number of blobs. The caller must check its checksum.
    pub(super) fn read(bytes: &[u8], blobs: usize) -> Option<&Directory> {
        let (directory, _) = Directory::ref_from_prefix_with_elems(bytes, blobs).ok()?;
        Some(directory)
    }

    /// Returns whether the checksum of a directory is right.
    pub(super) fn is_sound(bytes: &[u8]) -> bool {
        let [a, b, c, d, rest @ ..] = bytes else {
            return false;
        };
        u32::from_le_bytes([*a, *b, *c, *d]) == crc32fast::hash(rest)
    }
}
