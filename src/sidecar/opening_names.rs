//! The openings of the games, as numbers of positions in the table of openings.

use std::sync::OnceLock;

use tabiya_chess::{
    Flow, Follow, Placed, Start,
    opening_names::{OpeningSeeker, TABLE},
};
use zerocopy::{FromBytes, IntoBytes, little_endian::U16};

use super::{
    Sidecar,
    collect::{Begun, Collect, GameEnd},
    write::Blobs,
};

/// The number for games that could not be decoded.
pub(crate) const UNKNOWN_OPENING: u16 = u16::MAX;

/// Returns the checksum of the table of openings, and of what the numbers stand for: files had
/// numbers of names before.
fn table() -> u32 {
    static CHECKSUM: OnceLock<u32> = OnceLock::new();
    *CHECKSUM.get_or_init(|| crc32fast::hash(&[TABLE.as_bytes(), b"positions"].concat()))
}

/// Collects the numbers of a block.
#[derive(Debug)]
pub(super) struct OpeningNames {
    seeker: OpeningSeeker,
    /// Whether the seeker still follows the game.
    seeks: bool,
    numbers: Vec<U16>,
}

impl OpeningNames {
    pub(super) fn new() -> OpeningNames {
        OpeningNames {
            seeker: OpeningSeeker::at_start(),
            seeks: false,
            numbers: Vec::new(),
        }
    }

    /// Takes over the names of the games that need not be played; `None` if they are damaged.
    pub(super) fn resume(&mut self, begun: &Begun<'_>) -> Option<()> {
        self.numbers = begun.names.get(..begun.games)?.to_vec();
        Some(())
    }
}

impl Collect for OpeningNames {
    fn end_game(&mut self, ended: GameEnd) {
        let number = if ended.is_decoded {
            self.seeker.number()
        } else {
            UNKNOWN_OPENING
        };
        self.numbers.push(number.into());
    }

    fn finish(self, _: u32) -> Blobs {
        let mut blobs = Blobs::default();
        let checksum = table().to_le_bytes();
        blobs.push_bytes(&[&checksum, self.numbers.as_bytes()].concat());
        blobs
    }
}

/// It never breaks.
impl Follow for OpeningNames {
    fn reset(&mut self) {
        self.seeks = false;
        self.seeker.reset();
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.seeks = self.seeker.start(start).is_continue();
        Flow::Continue(())
    }

    #[inline]
    fn moved(&mut self, from: Placed, to: Placed) {
        if self.seeks {
            self.seeker.moved(from, to);
        }
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        if self.seeks {
            self.seeker.remove(gone);
        }
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        if self.seeks {
            self.seeker.place(new);
        }
    }

    #[inline]
    fn ply_done(&mut self) -> Flow {
        self.seeks = self.seeks && self.seeker.ply_done().is_continue();
        Flow::Continue(())
    }
}

impl Sidecar {
    /// Returns whether there are names of openings.
    pub(crate) fn has_opening_names(&self) -> bool {
        self.opening_names.is_some()
    }

    /// Returns the number of the opening of each game of a block; see [`UNKNOWN_OPENING`]. `None`
    /// if they are damaged or those of another table.
    pub(crate) fn opening_names(&self, block: usize) -> Option<&[U16]> {
        let block = self.block(self.opening_names.as_ref()?, block)?;
        let (checksum, numbers) = block.bytes(0)?.split_first_chunk()?;
        let numbers = <[U16]>::ref_from_bytes(numbers).ok()?;
        let is_ours = u32::from_le_bytes(*checksum) == table();
        (is_ours && numbers.len() == block.games as usize).then_some(numbers)
    }
}
