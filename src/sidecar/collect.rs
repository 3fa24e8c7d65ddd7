//! Following games to collect the data of a block.

use tabiya_chess::{FinalMaterial, Follow};

use zerocopy::little_endian::U16;

use super::{part::Block, write::Blobs};

/// A game that has been followed to its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct GameEnd {
    /// Its index in the block.
    pub(super) place: usize,
    /// Whether it was decoded. If not, a beginning may have been followed, and the rest is unknown.
    pub(super) is_decoded: bool,
    /// The final material in its record.
    pub(super) final_material: FinalMaterial,
}

/// What an older sidecar says of the first games of a block that was not complete.
pub(super) struct Begun<'o> {
    /// Number of games that need not be played. Sets are gathered from groups of games, so those
    /// of the last group are played again.
    pub(super) games: usize,
    /// Number of games that the rows count: all.
    pub(super) counted: usize,
    pub(super) sets: Block<'o>,
    pub(super) timelines: Block<'o>,
    pub(super) ends: Block<'o>,
    pub(super) remarks: Block<'o>,
    pub(super) openings: Block<'o>,
    /// The rows of all its games.
    pub(super) rows: Block<'o>,
    /// The names of openings, of all its games.
    pub(super) names: &'o [U16],
}

/// Collects the data of one part from the games of one block. It follows each game to its end, in
/// order.
pub(super) trait Collect: Follow {
    /// Records the last game followed.
    fn end_game(&mut self, ended: GameEnd);

    /// Returns the collected data of a block of this number of games.
    fn finish(self, games: u32) -> Blobs;
}
