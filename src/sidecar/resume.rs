//! Goes on with the last block of an older sidecar that was not complete: what it says of its games
//! is taken over, and only the games after them are played.

use tabiya_formats::View;
use zerocopy::FromBytes;

use super::{
    BLOCK_GAMES, Sidecar,
    collect::Begun,
    openings::choose::Chosen,
    rows::GROUP_GAMES,
    sum::{StoredSum, Sum},
};

/// What is known of the games of a block that was not complete.
pub(super) struct Resumed<'o> {
    pub(super) begun: Begun<'o>,
    /// The sum of the games that need not be played.
    pub(super) sum: Sum,
    /// The number of the block.
    pub(super) block: usize,
}

impl<'o> Resumed<'o> {
    /// Returns what an older sidecar says of its last block, unless it is complete, damaged, or of
    /// other games.
    pub(super) fn of<V: View>(old: &'o Sidecar, view: V, chosen: &Chosen) -> Option<Resumed<'o>> {
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
        let old_openings = old.openings.as_ref()?;
        let openings = old.block(&old_openings.games, number)?;
        let rows = old.block(&old_openings.rows, number)?;
        let is_of_chosen = chosen.has_blobs(openings.blobs(), rows.blobs());
        if games == 0 || *stored != all.stored() || !is_of_chosen {
            return None;
        }
        let sets = old.sets(number)?;
        let timelines = old.block(old.timelines.as_ref()?, number)?;
        let ends = old.block(old.ends.as_ref()?, number)?;
        let remarks = old.block(old.remarks.as_ref()?, number)?;
        for part in [sets, timelines, ends, remarks, openings, rows] {
            part.whole()?;
        }
        Some(Resumed {
            begun: Begun {
                games,
                counted,
                sets,
                timelines,
                ends,
                remarks,
                openings,
                rows,
                names: old.opening_names(number)?,
            },
            sum,
            block: number,
        })
    }
}
