//! Builds a sidecar by playing every main line once.

use std::path::Path;

use tabiya_chess::{Flow, Follow, Placed, Start};
use tabiya_formats::{
    Ask, Header, Remaining, Runs, Scratch, Store, View, check_interrupt, error::Result,
    run_ordered, sound::Sound,
};
use zerocopy::IntoBytes;

use super::{
    BLOCK_GAMES, Identity, Sidecar, blocks,
    collect::{Begun, Collect, GameEnd},
    columns,
    events::Events,
    layout::PartKind,
    names,
    opening_names::OpeningNames,
    openings::{choose::Chosen, collect::OpeningVisits},
    refresh::{Base, KeptBlock, KeptIndex},
    remarks::RemarkWriter,
    resume::Resumed,
    rows::VisitRows,
    sum::Sum,
    write::{Blobs, Writer},
};
use crate::pattern::told_moves::ToldMoves;

/// How many times the room behind the records of an index fits into them, about.
const ROOM_UNITS: usize = 32;

/// Which of the optional parts are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Parts {
    pub(crate) columns: bool,
}

/// The inputs and the output path of a build.
pub(crate) struct BuildRequest<'o> {
    pub(crate) store: &'o dyn Store,
    pub(crate) parts: Parts,
    pub(crate) path: &'o Path,
    /// Whether the older sidecar may grow instead of being copied.
    pub(crate) grows: bool,
}

/// How much of a sidecar was built, in blocks of 65 536 games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BuildReport {
    /// All blocks.
    pub blocks: usize,
    /// Those taken from an older sidecar.
    pub kept: usize,
}

/// Builds the sidecar of a database and renames it when it is complete. Unchanged data of an older
/// sidecar is kept. Blocks are built in the current rayon pool, one per thread at a time; each
/// takes about 50 MB of memory.
///
/// # Errors
/// `Unsupported` for a database without files of its own; `Io` if the sidecar cannot be written;
/// `Interrupted` if `progress` breaks. It receives the games done and the games to do, or 0 and all
/// games while it is unknown which are kept.
pub(crate) fn build<V: View>(
    view: V,
    order: &BuildRequest<'_>,
    older: Option<Sidecar>,
    progress: &mut dyn FnMut(u64, u64) -> Flow,
) -> Result<BuildReport> {
    let all = view.game_count() as u64;
    let base = match &older {
        Some(older) => {
            let untouched = older.untouched(order.store);
            Base::of(older, untouched, view, &mut || progress(0, all))?
        }
        None => None,
    };
    let mut base = match base {
        Some(base) => base,
        None => Base::anew(Chosen::new(view, &mut || progress(0, all))?),
    };
    if let Some(older) = &older {
        base.known = older.known(order.store);
    }
    base.index = order.store.index();
    let grown = older.as_ref().filter(|_| order.grows);
    if let (Some(older), Some(index)) = (grown, &base.index) {
        base.kept_index = older.kept_index(index);
    }
    let writer = match grown.and_then(|older| base.writer_after(older)) {
        Some(writer) => writer,
        None => {
            base.kept_index = KeptIndex::default();
            Writer::create(order.path)?
        }
    };
    build_on(base, writer, view, order, progress)
}

/// Builds everything that is not in the base.
pub(super) fn build_on<V: View>(
    base: Base<'_>,
    mut writer: Writer,
    view: V,
    order: &BuildRequest<'_>,
    progress: &mut dyn FnMut(u64, u64) -> Flow,
) -> Result<BuildReport> {
    let Base {
        chosen,
        blocks: mut kept,
        begun,
        known,
        index,
        kept_index,
    } = base;
    let identity = Identity::of(order.store, &known)?;
    let games = view.records();
    let all = blocks(games.len() as u32);
    kept.resize_with(all, || None);
    let new: Vec<usize> = (0..all).filter(|&block| kept[block].is_none()).collect();
    let mut tasks = Vec::with_capacity(new.len());
    for &block in &new {
        let records = games.chunks(BLOCK_GAMES as usize).nth(block);
        let begun = begun.as_ref().filter(|begun| begun.block == block);
        tasks.push(BlockBuilder::new(
            records.unwrap_or_default(),
            &chosen,
            begun,
        ));
    }
    let total = tasks.iter().map(|(_, left)| *left as u64).sum();
    let work =
        |making: &mut BlockBuilder<'_, V::Record>, left: &mut Remaining| making.work(view, left);
    let mut written = 0;
    let deliver = |making: &mut BlockBuilder<'_, V::Record>, _| {
        written += write_kept(&mut writer, &kept[written..])?;
        let Some(block) = making.made.take() else {
            return Ok(());
        };
        for (kind, blobs) in PartKind::BY_BLOCK.into_iter().zip(&block.parts) {
            writer.add(kind, block.games, blobs)?;
        }
        written += 1;
        Ok(())
    };
    let threads = rayon::current_num_threads();
    run_ordered(tasks, threads, work, deliver, &mut |done| {
        progress(done, total)
    })?;
    write_kept(&mut writer, &kept[written..])?;
    let mut ask = || progress(total, total);
    let games = games.len() as u32;
    writer.add(PartKind::OpeningTable, games, &chosen.table())?;
    if order.parts.columns {
        write_columns(&mut writer, view, &mut ask)?;
    }
    if let Some(names) = names::collect(order.store, &known) {
        writer.add(PartKind::Names, games, &names)?;
    }
    if let Some(index) = index {
        write_index(&mut writer, games, &index, &kept_index)?;
    }
    writer.finish(games, identity, &mut ask)?;
    Ok(BuildReport {
        blocks: all,
        kept: all - new.len(),
    })
}

/// Takes over blocks of an older sidecar up to the first that is not kept; returns their number.
fn write_kept(writer: &mut Writer, blocks: &[Option<KeptBlock<'_>>]) -> Result<usize> {
    let kept = blocks.iter().map_while(Option::as_ref);
    let mut count = 0;
    for block in kept {
        for (kind, blobs) in PartKind::BY_BLOCK.into_iter().zip(block) {
            writer.keep(kind, BLOCK_GAMES, blobs)?;
        }
        count += 1;
    }
    Ok(count)
}

/// Writes the columns. They need no decoding, so none are kept.
fn write_columns<V: View>(writer: &mut Writer, view: V, ask: Ask<'_>) -> Result<()> {
    for records in view.records().chunks(BLOCK_GAMES as usize) {
        let columns = columns::collect(records);
        writer.add(PartKind::Columns, records.len() as u32, &columns)?;
        check_interrupt(ask)?;
    }
    Ok(())
}

/// Writes the index of a database whose files hold none, unless it is too long.
fn write_index(
    writer: &mut Writer,
    games: u32,
    runs: &Runs<'_>,
    kept: &KeptIndex<'_>,
) -> Result<()> {
    if runs.iter().any(|run| u32::try_from(run.len()).is_err()) {
        return Ok(());
    }
    let room_unit = match kept.room_unit {
        // Without a complete block all is written anew in any case.
        0 if games < BLOCK_GAMES => 0,
        0 => (runs[0].len() / ROOM_UNITS).next_power_of_two() as u32,
        older => older,
    };
    writer.set_room_unit(room_unit);
    for ((kind, run), kept) in PartKind::INDEX.into_iter().zip(runs).zip(&kept.runs) {
        match kept {
            Some(kept) => writer.extend_run(kind, games, run, kept)?,
            None => writer.add_run(kind, games, run)?,
        }
    }
    Ok(())
}

/// The data of all parts for one block.
struct Block {
    games: u32,
    /// In the order of [`PartKind::BY_BLOCK`].
    parts: [Blobs; PartKind::BY_BLOCK.len()],
}

/// A block under construction.
struct BlockBuilder<'m, R> {
    records: &'m [R],
    /// `None` after the last game.
    collectors: Option<(Collectors<'m>, Sum)>,
    made: Option<Block>,
}

impl<'m, R: Header + std::hash::Hash> BlockBuilder<'m, R> {
    /// Returns a builder, and the number of games to be played.
    fn new(
        records: &'m [R],
        chosen: &'m Chosen,
        resumed: Option<&Resumed<'_>>,
    ) -> (BlockBuilder<'m, R>, usize) {
        let mut builder = BlockBuilder {
            records,
            collectors: Some((Collectors::new(chosen), Sum::default())),
            made: None,
        };
        let is_shorter = |resumed: &&Resumed<'_>| resumed.begun.games < records.len();
        let Some(Resumed { begun, sum, .. }) = resumed.filter(is_shorter) else {
            return (builder, records.len());
        };
        let mut collectors = Collectors::new(chosen);
        if collectors.resume(begun).is_none() {
            return (builder, records.len());
        }
        builder.collectors = Some((collectors, sum.clone()));
        (builder, records.len() - begun.games)
    }

    /// Follows the remaining games; finishes the block after the last.
    fn work<V: View<Record = R>>(&mut self, view: V, left: &mut Remaining) {
        let Some((mut collectors, mut sum)) = self.collectors.take() else {
            return;
        };
        let mut scratch = Scratch::default();
        let mut comments = Comments::default();
        let done = self.records.len() - left.count();
        for (place, record) in self.records.iter().enumerate().skip(done) {
            let decoded = view.main_line(record, &mut scratch, &mut collectors);
            collectors.end_game(GameEnd {
                place,
                is_decoded: decoded.is_ok(),
                final_material: record.final_material(),
            });
            comments.read(view, record, decoded.is_ok(), &mut collectors.remarks);
            sum.add(view, record);
            if left.done(1).is_break() {
                break;
            }
        }
        match left.count() {
            0 => self.made = Some(Block::new(self.records, collectors, &sum)),
            _ => self.collectors = Some((collectors, sum)),
        }
    }
}

impl Block {
    fn new<R: Header>(records: &[R], collectors: Collectors<'_>, sum: &Sum) -> Block {
        let games = records.len() as u32;
        let mut sums = Blobs::default();
        sums.push_bytes(sum.stored().as_bytes());
        let [openings, opening_rows] = collectors.openings.finish(records);
        let [visits, ends] = collectors.visits.finish(games);
        Block {
            games,
            parts: [
                visits,
                collectors.events.finish(games),
                openings,
                opening_rows,
                collectors.names.finish(games),
                ends,
                collectors.remarks.finish(),
                sums,
            ],
        }
    }
}

/// Reads the comments of one game after the other.
#[derive(Default)]
struct Comments {
    sound: Sound,
    told: ToldMoves,
}

impl Comments {
    /// Adds what the comments of the next game tell.
    fn read<V: View>(
        &mut self,
        view: V,
        record: &V::Record,
        is_decoded: bool,
        remarks: &mut RemarkWriter,
    ) {
        if record.comment_count().at_most == 0 {
            return remarks.add_nothing();
        }
        self.sound.begin();
        let is_known = is_decoded && view.has_comments_in_sources();
        let is_read = is_known && self.told.read(view, record, &mut self.sound, false) == Ok(true);
        remarks.add(is_read.then_some(&self.told));
    }
}

/// All collectors.
struct Collectors<'c> {
    visits: VisitRows,
    events: Events,
    openings: OpeningVisits<'c>,
    names: OpeningNames,
    remarks: RemarkWriter,
}

impl Collectors<'_> {
    fn new(chosen: &Chosen) -> Collectors<'_> {
        Collectors {
            visits: VisitRows::new(),
            events: Events::new(),
            openings: OpeningVisits::new(chosen),
            names: OpeningNames::new(),
            remarks: RemarkWriter::default(),
        }
    }

    /// Takes over what is known of the first games; `None` if that is damaged.
    fn resume(&mut self, begun: &Begun<'_>) -> Option<()> {
        self.visits.resume(begun)?;
        self.events.resume(begun)?;
        self.openings.resume(begun)?;
        self.remarks.resume(begun)?;
        self.names.resume(begun)
    }

    fn end_game(&mut self, ended: GameEnd) {
        self.visits.end_game(ended);
        self.events.end_game(ended);
        self.openings.end_game(ended);
        self.names.end_game(ended);
    }
}

/// They never break.
impl Follow for Collectors<'_> {
    fn reset(&mut self) {
        self.visits.reset();
        self.events.reset();
        self.openings.reset();
        self.names.reset();
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.visits.start(start)?;
        self.events.start(start)?;
        self.openings.start(start)?;
        self.names.start(start)
    }

    #[inline(always)]
    fn moved(&mut self, from: Placed, to: Placed) {
        self.visits.moved(from, to);
        self.events.moved(from, to);
        self.openings.moved(from, to);
        self.names.moved(from, to);
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        self.visits.remove(gone);
        self.events.remove(gone);
        self.openings.remove(gone);
        self.names.remove(gone);
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.visits.place(new);
        self.events.place(new);
        self.openings.place(new);
        self.names.place(new);
    }

    #[inline(always)]
    fn ply_done(&mut self) -> Flow {
        self.visits.ply_done()?;
        self.events.ply_done()?;
        self.openings.ply_done()?;
        self.names.ply_done()
    }
}
