//! Making a sidecar: every main line is played once.

use std::path::Path;

use rayon::prelude::*;

use super::{
    BLOCK_GAMES, Identity, columns,
    events::Events,
    layout::PartKind,
    names,
    openings::{OpeningRow, choose::Chosen, collect::OpeningVisits},
    rows::VisitRows,
    write::{Blobs, Writer},
};
use crate::{
    chess::{Flow, Follow, Placed, Start},
    error::{Error, Result},
    format::{Scratch, Store, View},
};

/// Which of the parts that are not always there are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Parts {
    pub(crate) columns: bool,
}

/// Makes the sidecar of a database and gives it its name when it is complete. Blocks are made in
/// the current rayon pool, one for each thread at a time; each takes some 50 MB of memory.
///
/// # Errors
/// `Unsupported` for a database that is not in files of its own; `Io` when it cannot be written;
/// `Interrupted` when `progress`, which is told the games done,
/// breaks.
pub(crate) fn build<V: View>(
    view: V,
    store: &dyn Store,
    wanted: Parts,
    path: &Path,
    progress: &mut dyn FnMut(u64) -> Flow,
) -> Result<()> {
    let identity = Identity::of(store)?;
    let mut writer = Writer::create(path)?;
    let chosen = Chosen::new(view);
    let mut rows = chosen.rows();
    let mut done = 0;
    let wave_games = rayon::current_num_threads() * BLOCK_GAMES as usize;
    for wave in view.records().chunks(wave_games) {
        let tasks = wave.par_chunks(BLOCK_GAMES as usize);
        let made: Vec<Block> = tasks
            .map(|records| Block::new(view, records, &chosen, wanted))
            .collect();
        for block in made {
            for (kind, blobs) in &block.parts {
                writer.add(*kind, block.games, blobs)?;
            }
            rows.add(block.opening_rows.as_deref());
        }
        done += wave.len() as u64;
        if progress(done).is_break() {
            return Err(Error::interrupted());
        }
    }
    let games = view.records().len() as u32;
    writer.add(PartKind::OpeningTable, games, &chosen.table(rows))?;
    if let Some(names) = names::collect(store) {
        writer.add(PartKind::Names, games, &names)?;
    }
    writer.finish(games, identity)
}

/// What all parts have of one block.
struct Block {
    games: u32,
    parts: Vec<(PartKind, Blobs)>,
    /// See [`OpeningVisits::finish`].
    opening_rows: Option<Vec<Vec<OpeningRow>>>,
}

impl Block {
    fn new<V: View>(view: V, records: &[V::Record], chosen: &Chosen, wanted: Parts) -> Block {
        let games = records.len() as u32;
        let mut scratch = Scratch::default();
        let mut collectors = Collectors::new(chosen);
        for (place, record) in records.iter().enumerate() {
            let decoded = view.main_line(record, &mut scratch, &mut collectors);
            collectors.end_game(place, decoded.is_ok());
        }
        let (openings, opening_rows) = collectors.openings.finish(records);
        let mut parts = vec![
            (PartKind::Sets, collectors.visits.finish(games)),
            (PartKind::Timeline, collectors.events.finish(games)),
            (PartKind::Openings, openings),
        ];
        if wanted.columns {
            parts.push((PartKind::Columns, columns::collect(records)));
        }
        Block {
            games,
            parts,
            opening_rows,
        }
    }
}

/// Something that is collected from the games of one block for one part. It follows each game to
/// its end, in their order.
pub(super) trait Collect: Follow<Snapshot = ()> {
    /// Takes what the last game followed has told; `place` is its place in the block. A game
    /// that could not be decoded may have told a beginning, and anything may follow.
    fn end_game(&mut self, place: usize, is_decoded: bool);

    /// Returns what was collected from a block of so many games.
    fn finish(self, games: u32) -> Blobs;
}

/// All of them.
struct Collectors<'c> {
    visits: VisitRows,
    events: Events,
    openings: OpeningVisits<'c>,
}

impl Collectors<'_> {
    fn new(chosen: &Chosen) -> Collectors<'_> {
        Collectors {
            visits: VisitRows::new(),
            events: Events::new(),
            openings: OpeningVisits::new(chosen),
        }
    }

    fn end_game(&mut self, place: usize, is_decoded: bool) {
        self.visits.end_game(place, is_decoded);
        self.events.end_game(place, is_decoded);
        self.openings.end_game(place, is_decoded);
    }
}

/// None of them ever has seen enough.
impl Follow for Collectors<'_> {
    type Snapshot = ();

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.visits.start(start)?;
        self.events.start(start)?;
        self.openings.start(start)
    }

    #[inline(always)]
    fn shift(&mut self, from: Placed, to: Placed) {
        self.visits.shift(from, to);
        self.events.shift(from, to);
        self.openings.shift(from, to);
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        self.visits.remove(gone);
        self.events.remove(gone);
        self.openings.remove(gone);
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.visits.place(new);
        self.events.place(new);
        self.openings.place(new);
    }

    #[inline(always)]
    fn look(&mut self) -> Flow {
        self.visits.look()?;
        self.events.look()?;
        self.openings.look()
    }

    /// Only main lines are followed.
    fn snapshot(&self) {}

    fn restore(&mut self, (): &()) {}
}
