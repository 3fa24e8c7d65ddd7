//! Reuses the data of an older sidecar about unchanged games.
//!
//! Only complete blocks can be kept: those in which each game is as it was when the block was made.
//! That is known of the games before the first that the last change touched, if the older sidecar
//! is of the state before this change and the files are as it left them. The other blocks are
//! compared by their sums. If the positions were chosen from far fewer or far more games, the whole
//! sidecar is rebuilt.

use rayon::prelude::*;
use tabiya_formats::{
    Ask, Runs, Store, View, check_interrupt, error::Result, indexed::stored::RUNS,
};
use zerocopy::FromBytes;

use super::{
    BLOCK_GAMES, Sidecar,
    identity::Known,
    layout::{Header, PartKind},
    openings::choose::Chosen,
    part::{KeptBlobs, Part},
    resume::Resumed,
    sum::{StoredSum, Sum},
    write::{RUN_BLOB_BYTES, Writer, room_end},
};

/// The chosen positions are kept until the number of games is this many quarters of what it was, or
/// the other way round.
const GROWN_QUARTERS: u64 = 5;
/// Bytes that one thread compares at a time.
const PIECE_BYTES: usize = 1 << 20;

/// The data of a sidecar before the first game is played.
pub(super) struct Base<'o> {
    pub(super) chosen: Chosen,
    /// By block: what is kept of it. Blocks after these are not kept.
    pub(super) blocks: Vec<Option<KeptBlock<'o>>>,
    /// What is known of the first games of a block that is not kept.
    pub(super) begun: Option<Resumed<'o>>,
    /// What is known of the database's files.
    pub(super) known: Known,
    /// The index of a database whose files hold none.
    pub(super) index: Option<Runs<'o>>,
    pub(super) kept_index: KeptIndex<'o>,
}

/// The runs of an index in an older sidecar that only need the rest of the bytes behind them.
#[derive(Default)]
pub(super) struct KeptIndex<'o> {
    /// See [`Header::room_unit`]; 0 if nothing is kept.
    pub(super) room_unit: u32,
    /// In the order of [`PartKind::INDEX`].
    pub(super) runs: [Option<KeptBlobs<'o>>; RUNS],
}

/// The kept data of a block, in the order of [`PartKind::BY_BLOCK`].
pub(super) type KeptBlock<'o> = [KeptBlobs<'o>; PartKind::BY_BLOCK.len()];

impl<'o> Base<'o> {
    /// Returns a writer that leaves what is kept where it is, unless that is too little of the
    /// older sidecar: what it was replaced by would make the file longer and longer.
    pub(super) fn writer_after(&self, older: &Sidecar) -> Option<Writer> {
        let header = Header::read(&older.file.bytes).ok()?;
        let blobs = self.blocks.iter().flatten().flatten();
        let blobs = blobs.chain(self.kept_index.runs.iter().flatten());
        let kept: u64 = blobs.map(|blobs| blobs.bytes.len() as u64).sum();
        let is_most = kept > header.file_bytes / 4 * 3;
        is_most.then(|| Writer::after(&older.file, header.file_bytes))?
    }

    /// Creates an empty base.
    pub(super) fn anew(chosen: Chosen) -> Base<'o> {
        Base {
            chosen,
            blocks: Vec::new(),
            begun: None,
            known: Known::default(),
            index: None,
            kept_index: KeptIndex::default(),
        }
    }

    /// Reuses the complete blocks of an older sidecar, after reading those of their games that may
    /// have changed and all of the sidecar's bytes about them; `None` if none can be kept.
    /// `untouched` is the number of games, from the first on, that are known to be the same.
    ///
    /// # Errors
    /// `Interrupted` if `ask` breaks.
    pub(super) fn of<V: View>(
        old: &'o Sidecar,
        untouched: u32,
        view: V,
        ask: Ask<'_>,
    ) -> Result<Option<Base<'o>>> {
        let games = view.game_count();
        let complete = (old.games / BLOCK_GAMES) as usize;
        let Some(chosen) = Chosen::of(old).filter(|chosen| chosen.still_fits(games as u64)) else {
            return Ok(None);
        };
        let mut blocks = Vec::with_capacity(complete);
        let wave_blocks = rayon::current_num_threads();
        for first in (0..complete).step_by(wave_blocks) {
            check_interrupt(ask)?;
            let wave = (first..complete.min(first + wave_blocks)).into_par_iter();
            let keep = |number: usize| {
                let is_same = number < (untouched / BLOCK_GAMES) as usize;
                kept_block(old, (number, is_same), view, &chosen)
            };
            blocks.extend(wave.map(keep).collect::<Vec<_>>());
        }
        if blocks.iter().all(Option::is_none) {
            return Ok(None);
        }
        let begun = Resumed::of(old, view, &chosen);
        Ok(Some(Base {
            chosen,
            blocks,
            begun,
            known: Known::default(),
            index: None,
            kept_index: KeptIndex::default(),
        }))
    }
}

impl Chosen {
    /// Returns the positions of an older sidecar; `None` if they are damaged.
    pub(super) fn of(old: &Sidecar) -> Option<Chosen> {
        let openings = old.openings.as_ref()?;
        let table = old.block_of_all(&openings.table)?;
        Chosen::read(table)
    }

    fn still_fits(&self, games: u64) -> bool {
        let then = u64::from(self.games);
        4 * games.max(then) <= GROWN_QUARTERS * games.min(then)
    }
}

/// Returns the data of a block in an older sidecar; `None` unless it was built from exactly these
/// games. If it is known that they are the same, neither they nor the data are read.
fn kept_block<'o, V: View>(
    old: &'o Sidecar,
    (number, is_same): (usize, bool),
    view: V,
    chosen: &Chosen,
) -> Option<KeptBlock<'o>> {
    let mut blocks = view.records().chunks_exact(BLOCK_GAMES as usize);
    let records = blocks.nth(number)?;
    let sums = old.block(old.sums.as_ref()?, number)?;
    let sum = StoredSum::ref_from_bytes(sums.bytes(0)?).ok()?;
    if !is_same && *sum != Sum::of(view, records) {
        return None;
    }
    // Those of another table have other numbers.
    old.opening_names(number)?;
    let openings = old.openings.as_ref()?;
    let blobs = |part| Some(old.block(part, number)?.blobs());
    if !chosen.has_blobs(blobs(&openings.games)?, blobs(&openings.rows)?) {
        return None;
    }
    let kept = PartKind::BY_BLOCK.map(|kind| {
        let block = old.block(old.part_by_block(kind)?, number)?;
        if is_same {
            block.unchecked()
        } else {
            block.whole()
        }
    });
    let kept: Vec<KeptBlobs<'o>> = kept.into_iter().collect::<Option<_>>()?;
    kept.try_into().ok()
}

/// Returns whether bytes begin with others, which are compared on all threads.
fn begins_with(bytes: &[u8], others: &[u8]) -> bool {
    let pieces = others.par_chunks(PIECE_BYTES).enumerate();
    pieces.all(|(number, piece)| {
        let rest = bytes.get(number * PIECE_BYTES..);
        rest.is_some_and(|rest| rest.starts_with(piece))
    })
}

impl Sidecar {
    /// Returns for how many games, from the first on, it is known that they are as they were when
    /// this sidecar was made. O(1).
    pub(super) fn untouched(&self, store: &dyn Store) -> u32 {
        let header = Header::read(&self.file.bytes);
        let identity = header.ok().map(|header| header.identity);
        let untouched = identity.and_then(|identity| identity.untouched(self.games, store));
        untouched.unwrap_or(0)
    }

    /// Returns what can be kept of the index where it is: runs that are the beginning of those of
    /// the new index, with enough room behind them. Whoever has this sidecar open goes on using it,
    /// so none of its bytes may be overwritten.
    pub(super) fn kept_index(&self, index: &Runs<'_>) -> KeptIndex<'_> {
        let header = Header::read(&self.file.bytes);
        let room_unit = header.map_or(0, |header| header.room_unit);
        if room_unit == 0 {
            return KeptIndex::default();
        }
        let run = |number: usize| {
            let block = self.block_of_all(self.index[number].as_ref()?)?;
            let kept = block.run_of(RUN_BLOB_BYTES)?;
            let end = (kept.offset + kept.bytes.len()) as u64;
            let room = room_end(PartKind::INDEX[number], end, room_unit) - end;
            let added = index[number].len().checked_sub(kept.bytes.len())?;
            let fits = added as u64 <= room;
            (fits && begins_with(&index[number], kept.bytes)).then_some(kept)
        };
        let runs: [_; RUNS] = std::array::from_fn(run);
        let is_any = runs.iter().any(Option::is_some);
        KeptIndex {
            room_unit: if is_any { room_unit } else { 0 },
            runs,
        }
    }

    pub(super) fn part_by_block(&self, kind: PartKind) -> Option<&Part> {
        match kind {
            PartKind::Sets => Some(&self.sets),
            PartKind::Timeline => self.timelines.as_ref(),
            PartKind::Openings => Some(&self.openings.as_ref()?.games),
            PartKind::OpeningRows => Some(&self.openings.as_ref()?.rows),
            PartKind::OpeningNames => self.opening_names.as_ref(),
            PartKind::Ends => self.ends.as_ref(),
            PartKind::Remarks => self.remarks.as_ref(),
            PartKind::Sums => self.sums.as_ref(),
            _ => None,
        }
    }
}
