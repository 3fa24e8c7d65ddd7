//! Following games to collect the data of a block.

use tabiya_chess::{FinalMaterial, Follow};

use super::write::Blobs;

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

/// Collects the data of one part from the games of one block. It follows each game to its end, in
/// order.
pub(super) trait Collect: Follow {
    /// Records the last game followed.
    fn end_game(&mut self, ended: GameEnd);

    /// Returns the collected data of a block of this number of games.
    fn finish(self, games: u32) -> Blobs;
}
