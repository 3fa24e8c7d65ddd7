//! Reuses the data of an older sidecar about unchanged games.
//!
//! Games are appended at the end, so only complete blocks can be kept: those in which each game is
//! as it was when the block was built. If any is different or damaged, or the positions were chosen
//! from far fewer games, the whole sidecar is rebuilt.

use rayon::prelude::*;
use tabiya_formats::{Ask, View, check_interrupt, error::Result};
use zerocopy::FromBytes;

use super::{
    BLOCK_GAMES, Sidecar,
    layout::{Entry, PartKind},
    openings::{choose::Chosen, rows::Rows},
    part::Part,
    resume::Resumed,
    sum::{StoredSum, Sum},
};

/// The chosen positions are kept until the number of games has grown to this many quarters.
const GROWN_QUARTERS: u64 = 5;

/// The data of a sidecar before the first game is played.
pub(super) struct Base<'o> {
    pub(super) chosen: Chosen,
    /// The rows of the trees for the games of `blocks`.
    pub(super) rows: Rows,
    pub(super) blocks: Vec<KeptBlock<'o>>,
    /// What is known of the first games after these.
    pub(super) begun: Option<Resumed<'o>>,
}

/// The kept data of each part of a block: the entries of its blobs, and their bytes.
pub(super) type KeptBlock<'o> = [(PartKind, (&'o [Entry], &'o [u8])); PartKind::BY_BLOCK.len()];

impl<'o> Base<'o> {
    /// Creates an empty base.
    pub(super) fn anew(chosen: Chosen) -> Base<'o> {
        Base {
            rows: Rows::new(chosen.ready),
            chosen,
            blocks: Vec::new(),
            begun: None,
        }
    }

    /// Reuses the complete blocks of an older sidecar, after reading all of their games and all of
    /// the sidecar's bytes about them; `None` if they cannot be kept.
    ///
    /// # Errors
    /// `Interrupted` if `ask` breaks.
    pub(super) fn of<V: View>(old: &'o Sidecar, view: V, ask: Ask<'_>) -> Result<Option<Base<'o>>> {
        let Some(mut base) = Base::without_blocks(old, view) else {
            return Ok(None);
        };
        let complete = (old.games / BLOCK_GAMES) as usize;
        let wave_blocks = rayon::current_num_threads();
        for first in (0..complete).step_by(wave_blocks) {
            check_interrupt(ask)?;
            let wave = (first..complete.min(first + wave_blocks)).into_par_iter();
            let keep = |number| kept_block(old, number, view, &base.chosen);
            let Some(kept) = wave.map(keep).collect::<Option<Vec<_>>>() else {
                return Ok(None);
            };
            base.blocks.extend(kept);
        }
        base.begun = Resumed::of(old, view, &base.chosen);
        Ok(Some(base))
    }

    /// Reuses the data about all complete blocks together.
    fn without_blocks<V: View>(old: &Sidecar, view: V) -> Option<Base<'o>> {
        let (games, block_games) = (view.game_count(), BLOCK_GAMES as usize);
        let complete = (old.games / BLOCK_GAMES) as usize;
        if complete == 0 || games < complete * block_games {
            return None;
        }
        let openings = old.openings.as_ref()?;
        let [rows, _] = old.opening_row_blocks()?;
        let table = old.block_of_all(&openings.table)?;
        let chosen = Chosen::read(table, rows.blobs())?;
        if 4 * games as u64 > GROWN_QUARTERS * u64::from(chosen.games) {
            return None;
        }
        Some(Base {
            blocks: Vec::new(),
            begun: None,
            rows: Rows::read(rows)?,
            chosen,
        })
    }
}

/// Returns the data of a block in an older sidecar; `None` unless it was built from exactly these
/// games.
fn kept_block<'o, V: View>(
    old: &'o Sidecar,
    number: usize,
    view: V,
    chosen: &Chosen,
) -> Option<KeptBlock<'o>> {
    let mut blocks = view.records().chunks_exact(BLOCK_GAMES as usize);
    let records = blocks.nth(number)?;
    let sums = old.block(old.sums.as_ref()?, number)?;
    let sum = StoredSum::ref_from_bytes(sums.bytes(0)?).ok()?;
    if *sum != Sum::of(view, records) {
        return None;
    }
    // Those of another table have other numbers.
    old.opening_names(number)?;
    let mut kept = PartKind::BY_BLOCK.map(|kind| (kind, Default::default()));
    for (kind, blobs) in &mut kept {
        let block = old.block(old.part_by_block(*kind)?, number)?;
        if *kind == PartKind::Openings && block.blobs() != chosen.blobs() {
            return None;
        }
        *blobs = block.whole()?;
    }
    Some(kept)
}

impl Sidecar {
    fn part_by_block(&self, kind: PartKind) -> Option<&Part> {
        match kind {
            PartKind::Sets => Some(&self.sets),
            PartKind::Timeline => self.timelines.as_ref(),
            PartKind::Openings => Some(&self.openings.as_ref()?.games),
            PartKind::OpeningNames => self.opening_names.as_ref(),
            PartKind::Sums => self.sums.as_ref(),
            _ => None,
        }
    }
}
