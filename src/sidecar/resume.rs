//! Goes on with the last block of an older sidecar that was not complete: what it says of its games
//! is taken over, and only the games after them are played.

use tabiya_formats::View;
use zerocopy::{FromBytes, little_endian::U16};

use super::{
    BLOCK_GAMES, Sidecar,
    openings::{choose::Chosen, rows::Rows},
    part::Block,
    rows::GROUP_GAMES,
    sum::{StoredSum, Sum},
};

/// What is known of the games of a block that was not complete.
pub(super) struct Begun<'o> {
    /// Number of games that need not be played. Sets are gathered from groups of games, so those
    /// of the last group are played again.
    pub(super) games: usize,
    /// Number of games that `rows` count.
    pub(super) counted: usize,
    /// The sum of the games that need not be played.
    pub(super) sum: Sum,
    pub(super) sets: Block<'o>,
    pub(super) timelines: Block<'o>,
    pub(super) openings: Block<'o>,
    pub(super) names: &'o [U16],
    pub(super) rows: Rows,
}

impl<'o> Begun<'o> {
    /// Returns what an older sidecar says of its last block, unless it is complete, damaged, or of
    /// other games.
    pub(super) fn of<V: View>(old: &'o Sidecar, view: V, chosen: &Chosen) -> Option<Begun<'o>> {
        let number = (old.games / BLOCK_GAMES) as usize;
        let counted = (old.games % BLOCK_GAMES) as usize;
        let games = counted / GROUP_GAMES * GROUP_GAMES;
        let first = number * BLOCK_GAMES as usize;
        let records = view.records().get(first..)?.get(..counted)?;
        let (kept, again) = records.split_at(games);
        let mut sum = Sum::default();
        kept.iter().for_each(|record| sum.add(view, record));
        let mut all = sum.clone();
        again.iter().for_each(|record| all.add(view, record));
        let sums = old.block(old.sums.as_ref()?, number)?;
        let stored = StoredSum::ref_from_bytes(sums.bytes(0)?).ok()?;
        let openings = old.block(&old.openings.as_ref()?.games, number)?;
        if games == 0 || *stored != all.stored() || openings.blobs() != chosen.blobs() {
            return None;
        }
        let sets = old.sets(number)?;
        let timelines = old.block(old.timelines.as_ref()?, number)?;
        let [_, rows] = old.opening_row_blocks()?;
        for part in [sets, timelines, openings] {
            part.whole()?;
        }
        Some(Begun {
            games,
            counted,
            sum,
            sets,
            timelines,
            openings,
            names: old.opening_names(number)?,
            rows: Rows::read(rows)?,
        })
    }
}
