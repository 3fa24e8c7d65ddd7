//! Collects the games of the chosen positions while a block is played.

use tabiya_chess::{
    Flow, Follow, Placed, Start,
    placement::Placement,
    step::{Step, StepTaken},
};
use tabiya_formats::{Header, figures::Figures};
use zerocopy::IntoBytes;

use super::{
    super::collect::{Begun, GameEnd},
    ALONE, FIRST, Head, OtherPly, TOGETHER, UNDECIDED,
    choose::{Chosen, LEAST_MEN},
    positions_of,
    rare::{RareVisits, games_of},
    rows::{self, Counter, OpeningRow, Visit, merge, read_all},
};
use crate::sidecar::{BLOCK_WORDS, container, write::Blobs};

/// A game with more chosen positions than this is stored as undecided, so that memory is bounded.
/// Few games have thirty.
const VISITS_MAX: usize = 250;

/// The collected data of one block.
pub(in super::super) struct OpeningVisits<'c> {
    chosen: &'c Chosen,
    standard: Placement,
    now: Placement,
    ply: u16,
    /// In game order.
    visits: Vec<Visit>,
    /// Where the visits of the present game begin.
    first: usize,
    /// The index of the present game in the block.
    place: usize,
    /// By position: one more than the index of the last game that had it.
    seen_in: Vec<u32>,
    /// The next move after the latest visit, as far as known.
    taken: StepTaken,
    awaits_step: bool,
    /// Whether the rest of the present game has no chosen positions.
    is_over: bool,
    rare: RareVisits,
    undecided: Vec<u64>,
    /// Number of games that the rows of an older sidecar count.
    counted: usize,
    /// These rows; `None` if they are not known.
    older_rows: Option<Vec<Vec<OpeningRow>>>,
}

impl<'c> OpeningVisits<'c> {
    pub(in super::super) fn new(chosen: &'c Chosen) -> OpeningVisits<'c> {
        let standard = Placement::at(Start::Standard);
        OpeningVisits {
            chosen,
            standard,
            now: standard,
            ply: 0,
            visits: Vec::new(),
            first: 0,
            place: 0,
            seen_in: vec![0; chosen.placements.count()],
            taken: StepTaken::default(),
            awaits_step: false,
            is_over: false,
            rare: RareVisits::new(),
            undecided: vec![0; BLOCK_WORDS],
            counted: 0,
            older_rows: None,
        }
    }

    /// Takes over the games that need not be played; `None` if they are damaged. Their next moves
    /// are in the older rows only.
    pub(in super::super) fn resume(&mut self, begun: &Begun<'_>) -> Option<()> {
        let block = &begun.openings;
        let is_kept = |place: u16| usize::from(place) < begun.games;
        let undecided = &mut self.undecided;
        games_of(block, UNDECIDED)?.for_each(|place| {
            if is_kept(place) {
                undecided[usize::from(place) / 64] |= 1 << (place % 64);
            }
        });
        self.rare.resume(begun)?;
        let blobs = (FIRST..).take(block.blobs().checked_sub(FIRST.into())?);
        let mut position = 0;
        for blob in blobs {
            for games in positions_of(block, blob)? {
                let games = games?;
                games.games().for_each(|place| {
                    if is_kept(place) {
                        self.visits.push(Visit {
                            position,
                            place,
                            ply: games.first_ply(place) as u16,
                            step: Step::END,
                        });
                    }
                });
                position += 1;
            }
        }
        let positions = self.chosen.placements.count();
        if self
            .visits
            .iter()
            .any(|visit| usize::from(visit.position) >= positions)
        {
            return None;
        }
        self.first = self.visits.len();
        self.place = begun.games;
        self.counted = begun.counted;
        self.older_rows = read_all(&begun.rows);
        Some(())
    }

    #[inline]
    fn test(&mut self) -> Flow {
        let (mut new, mut is_chosen) = (None, false);
        self.chosen.placements.look_up(&self.now, |position| {
            is_chosen = true;
            let seen_in = &mut self.seen_in[position];
            if *seen_in != self.place as u32 + 1 {
                *seen_in = self.place as u32 + 1;
                new = Some(position as u16);
            }
        });
        if !is_chosen {
            self.rare.look(&self.now, self.place);
        }
        if let Some(position) = new {
            self.visits.push(Visit {
                position,
                place: self.place as u16,
                ply: self.ply,
                step: Step::END,
            });
            (self.awaits_step, self.taken) = (true, StepTaken::default());
        }
        Flow::Continue(())
    }

    /// Records the last game followed.
    pub(in super::super) fn end_game(
        &mut self,
        GameEnd {
            place, is_decoded, ..
        }: GameEnd,
    ) {
        let is_bounded = self.visits.len() - self.first <= VISITS_MAX && self.ply < u16::MAX;
        if !is_decoded || !is_bounded {
            self.visits.truncate(self.first);
            self.undecided[place / 64] |= 1 << (place % 64);
        }
        self.first = self.visits.len();
        self.place = place + 1;
    }

    /// Returns the games of each position, and their rows. `records` are those of the block.
    pub(in super::super) fn finish<R: Header>(mut self, records: &[R]) -> [Blobs; 2] {
        let games = records.len() as u32;
        let positions = self.chosen.placements.count();
        let starts = self.order();
        let visits = |position: usize| &self.visits[starts[position]..starts[position + 1]];
        let older = self.older_rows.take();
        let is_complete =
            self.undecided.iter().all(|&word| word == 0) && (self.counted == 0 || older.is_some());
        let rows = is_complete.then(|| {
            let figures: Vec<Figures> = records.iter().map(Figures::of).collect();
            let mut counter = Counter::default();
            let new = |position| {
                let visits = visits(position);
                let known = visits.partition_point(|it| usize::from(it.place) < self.counted);
                counter.rows(&visits[known..], &figures)
            };
            let mut rows: Vec<Vec<OpeningRow>> = (0..positions).map(new).collect();
            for (rows, older) in rows.iter_mut().zip(older.unwrap_or_default()) {
                merge(rows, &older);
            }
            rows
        });
        let rows = rows::blobs(positions, rows);
        let mut blobs = Blobs::default();
        blobs.push_set(&self.undecided, games);
        self.rare.finish(games, &mut blobs);
        let mut group = Group::new(games);
        for position in 0..positions {
            group.add(visits(position));
            if position < usize::from(ALONE) || group.heads.len() == usize::from(TOGETHER) {
                group.finish(&mut blobs);
            }
        }
        if !group.heads.is_empty() {
            group.heads.resize(TOGETHER.into(), Head::NONE);
            group.finish(&mut blobs);
        }
        [blobs, rows]
    }

    /// Sorts the visits by position, then by game. Returns the start of each position's visits, and
    /// the end of all.
    fn order(&mut self) -> Vec<usize> {
        let mut starts = vec![0; self.chosen.placements.count() + 1];
        for visit in &self.visits {
            starts[usize::from(visit.position) + 1] += 1;
        }
        for position in 1..starts.len() {
            starts[position] += starts[position - 1];
        }
        let mut next = starts.clone();
        let mut ordered = vec![Visit::default(); self.visits.len()];
        for visit in &self.visits {
            let place = &mut next[usize::from(visit.position)];
            ordered[*place] = *visit;
            *place += 1;
        }
        self.visits = ordered;
        starts
    }
}

/// One blob under construction.
struct Group {
    block_games: u32,
    heads: Vec<Head>,
    bytes: Vec<u8>,
}

impl Head {
    /// No game.
    const NONE: Head = Head {
        shape: zerocopy::little_endian::U32::ZERO,
        ply: zerocopy::little_endian::U16::ZERO,
        others: zerocopy::little_endian::U16::ZERO,
    };
}

impl Group {
    fn new(block_games: u32) -> Group {
        Group {
            block_games,
            heads: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Adds the games of the next position.
    fn add(&mut self, visits: &[Visit]) {
        let places = visits.iter().map(|visit| visit.place);
        let shape = container::write_list(places, self.block_games, &mut self.bytes);
        let ply = commonest_ply(visits);
        let others = visits.iter().filter(|visit| visit.ply != ply);
        let before = self.bytes.len();
        for other in others {
            let stored = OtherPly {
                place: other.place.into(),
                ply: other.ply.into(),
            };
            self.bytes.extend_from_slice(stored.as_bytes());
        }
        let others = (self.bytes.len() - before) / size_of::<OtherPly>();
        self.heads.push(Head {
            shape: shape.0.into(),
            ply: ply.into(),
            // Fits 16 bits: at least one game has the most common ply.
            others: (others as u16).into(),
        });
    }

    fn finish(&mut self, blobs: &mut Blobs) {
        let heads = self.heads.as_bytes();
        blobs.push_bytes(&[heads, &self.bytes].concat());
        self.heads.clear();
        self.bytes.clear();
    }
}

/// Returns the most common ply of the visits; the lowest if several are equally common.
fn commonest_ply(visits: &[Visit]) -> u16 {
    let mut counts: Vec<(u16, u32)> = Vec::new();
    for visit in visits {
        match counts.iter_mut().find(|(ply, _)| *ply == visit.ply) {
            Some((_, count)) => *count += 1,
            None => counts.push((visit.ply, 1)),
        }
    }
    let most = counts
        .iter()
        .max_by_key(|&&(ply, count)| (count, std::cmp::Reverse(ply)));
    most.map_or(0, |&(ply, _)| ply)
}

impl Follow for OpeningVisits<'_> {
    /// Visits are recorded when a game ends.
    fn reset(&mut self) {
        (self.ply, self.awaits_step) = (0, false);
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.now = match start {
            Start::Standard => self.standard,
            custom => Placement::at(custom),
        };
        (self.ply, self.awaits_step, self.is_over) = (0, false, false);
        self.rare.start(&self.now);
        self.test()
    }

    #[inline]
    fn moved(&mut self, from: Placed, to: Placed) {
        if self.is_over {
            return;
        }
        if self.awaits_step {
            self.taken.shift(from, to);
        }
        self.now.shift(from, to);
        self.rare.change(from);
        self.rare.change(to);
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        if !self.is_over {
            self.now.remove(gone);
            self.rare.change(gone);
        }
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        if !self.is_over {
            self.taken.place(new);
            self.now.place(new);
            self.rare.change(new);
        }
    }

    #[inline]
    fn ply_done(&mut self) -> Flow {
        if self.is_over {
            return Flow::Continue(());
        }
        if self.awaits_step {
            self.awaits_step = false;
            if let Some(visit) = self.visits.last_mut() {
                visit.step = self.taken.step();
            }
        }
        // The number of men never grows: a promotion replaces one.
        self.is_over = self.now.men < LEAST_MEN;
        self.now.pass();
        self.ply = self.ply.saturating_add(1);
        self.test()
    }
}
