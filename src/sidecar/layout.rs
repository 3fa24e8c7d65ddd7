//! The header and the directories, byte by byte as [the module](super) says.

use std::ops::Range;

use zerocopy::{
    FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
    little_endian::{U32, U64},
};

use super::{container::Shape, identity::Identity};

const MAGIC: [u8; 8] = *b"tabiya\x1a\x0a";
const VERSION: u32 = 1;
const SECTIONS: usize = 2;

/// Containers of one block: one for each man on each square, and one for the games that could
/// not be decoded.
pub(super) const CONTAINERS: usize = 769;
/// The number of the last of these.
pub(super) const UNDECODED: u16 = 768;

/// What a section holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionKind {
    Directories = 1,
    Containers = 2,
}

#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Section {
    kind: U32,
    zero: U32,
    offset: U64,
    bytes: U64,
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
    sections: U32,
    zero: U32,
    identity: Identity,
    section: [Section; SECTIONS],
    checksum: U32,
    end: U32,
}

/// Bytes of the header before its checksum.
const CHECKED_BYTES: usize = size_of::<RawHeader>() - 8;

/// What a header says.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) games: u32,
    pub(super) identity: Identity,
    section: [Section; SECTIONS],
}

impl Header {
    pub(super) const BYTES: usize = size_of::<RawHeader>();

    /// Describes a file that holds the directories right behind the header, and then the
    /// containers.
    pub(super) fn write(
        games: u32,
        identity: Identity,
        directories: u64,
        containers: u64,
    ) -> Vec<u8> {
        let section = |kind, offset: u64, bytes: u64| Section {
            kind: U32::new(kind as u32),
            zero: U32::ZERO,
            offset: offset.into(),
            bytes: bytes.into(),
        };
        let start = Header::BYTES as u64;
        let mut header = RawHeader {
            magic: MAGIC,
            version: VERSION.into(),
            header_bytes: (Header::BYTES as u32).into(),
            file_bytes: (start + directories + containers).into(),
            games: games.into(),
            files: 2.into(),
            sections: (SECTIONS as u32).into(),
            zero: U32::ZERO,
            identity,
            section: [
                section(SectionKind::Directories, start, directories),
                section(SectionKind::Containers, start + directories, containers),
            ],
            checksum: U32::ZERO,
            end: U32::ZERO,
        };
        header.checksum = crc32fast::hash(&header.as_bytes()[..CHECKED_BYTES]).into();
        header.as_bytes().to_vec()
    }

    /// Reads and checks the header of a file; says what is wrong with it.
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
        if header.file_bytes != bytes.len() as u64 {
            return Err("it is cut short");
        }
        Ok(Header {
            games: header.games.get(),
            identity: header.identity,
            section: header.section,
        })
    }

    /// Returns where a section lies.
    pub(super) fn section(&self, kind: SectionKind) -> Option<Range<usize>> {
        let is_it = |section: &&Section| section.kind == kind as u32;
        let section = self.section.iter().find(is_it)?;
        let start = usize::try_from(section.offset.get()).ok()?;
        let bytes = usize::try_from(section.bytes.get()).ok()?;
        Some(start..start.checked_add(bytes)?)
    }
}

/// Where one container of a block is.
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

    #[inline]
    pub(super) fn shape(&self) -> Shape {
        Shape(self.shape.get())
    }
}

/// What one block holds.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Directory {
    checksum: U32,
    pub(super) games: U32,
    pub(super) offset: U64,
    pub(super) entries: [Entry; CONTAINERS],
    zero: U32,
}

impl Directory {
    pub(super) const BYTES: usize = size_of::<Directory>();

    pub(super) fn new(games: u32, offset: u64, entries: [Entry; CONTAINERS]) -> Directory {
        let mut directory = Directory {
            checksum: U32::ZERO,
            games: games.into(),
            offset: offset.into(),
            entries,
            zero: U32::ZERO,
        };
        directory.checksum = directory.true_checksum().into();
        directory
    }

    pub(super) fn is_sound(&self) -> bool {
        self.checksum == self.true_checksum()
    }

    fn true_checksum(&self) -> u32 {
        crc32fast::hash(&self.as_bytes()[size_of::<U32>()..])
    }
}
