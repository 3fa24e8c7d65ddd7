//! A single pass over the records for all clauses of a query.

use std::mem::take;

use rayon::prelude::*;
use tabiya_chess::GameId;
use tabiya_formats::{Ask, TimeSlice, View, check_interrupt, error::Result};

use super::{
    Bounds, GameSet, IndexTest, Lanes, Verdict,
    block_facts::{BlockFacts, GamesOfBlock},
};
use crate::sidecar::{BLOCK_GAMES, BlockGames, FEW_MAX, Sidecar};

/// A query as the index evaluates it.
#[derive(Debug)]
pub(crate) enum Node {
    /// Every game.
    All,
    /// All of these.
    And(Vec<Node>),
    /// Any of these.
    Or(Vec<Node>),
    /// Not this.
    Not(Box<Node>),
    /// One clause, and its number in the plan.
    Test(usize, IndexTest),
}

/// Up to 64 records, some of which are to be evaluated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch<'r, R> {
    /// The number of the first record's game.
    pub(crate) first: u32,
    pub(crate) records: &'r [R],
    /// The records to evaluate, one bit each. Other bits of a result are meaningless.
    pub(crate) among: u64,
    /// The sidecar's bounds for their block.
    known: Option<&'r BlockFacts>,
}

impl<'r, R> Batch<'r, R> {
    /// Creates a batch that evaluates all the records.
    pub(crate) fn new(first: u32, records: &'r [R]) -> Batch<'r, R> {
        Batch {
            first,
            records,
            among: u64::MAX >> (64 - records.len().clamp(1, 64)),
            known: None,
        }
    }

    fn knowing(self, known: &'r BlockFacts) -> Batch<'r, R> {
        Batch {
            known: Some(known),
            ..self
        }
    }

    /// Iterates over the records to evaluate, each with its index.
    #[inline]
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, &'r R)> + use<'r, R> {
        let (records, mut rest) = (self.records, self.among);
        std::iter::from_fn(move || {
            let lane = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some((lane, records.get(lane)?))
        })
    }

    /// Creates a batch of one record.
    pub(crate) fn one(game: u32, record: &'r R) -> Batch<'r, R> {
        Batch::new(game, std::slice::from_ref(record))
    }
}

/// Batches between two checks of the clock.
const BATCHES_PER_LOOK: usize = 16;

/// Evaluates a query over all records, in blocks, in the current rayon pool. One pass over the
/// index, or over the games that a sidecar leaves possible. With `wants_plies`, a game is called
/// certain only if the ply of its match is known too. Position filters hold their own sidecar;
/// `sidecar` is used for header clauses.
///
/// # Errors
/// `Interrupted` if `ask`, which is called at intervals, breaks.
pub(crate) fn bounds<V: View>(
    node: &Node,
    view: V,
    sidecar: Option<&Sidecar>,
    (among, wants_plies): (Option<&GameSet>, bool),
    ask: Ask<'_>,
) -> Result<Bounds> {
    let pass = Pass {
        node,
        view,
        sidecar,
        among,
        wants_plies,
    };
    let mut number = 0..;
    let games = std::iter::from_fn(|| GamesOfBlock::new(view, number.next()?));
    let mut blocks: Vec<(GamesOfBlock<V>, Work)> =
        games.map(|games| (games, Work::Waiting)).collect();
    loop {
        let turn = TimeSlice::begin();
        let work = blocks.par_iter_mut();
        work.for_each(|(games, work)| pass.work(work, games, turn));
        if blocks.iter().all(|(_, work)| matches!(work, Work::Done(_))) {
            let bounds = joined(blocks.into_iter().map(|(_, work)| work));
            return Ok(match among {
                Some(games) => bounds.among(games),
                None => bounds,
            });
        }
        check_interrupt(ask)?;
    }
}

/// Joins the bounds of all blocks.
fn joined(blocks: impl Iterator<Item = Work>) -> Bounds {
    let (mut certain, mut possible) = (GameSet::default(), GameSet::default());
    let mut settled = GameSet::default();
    for (number, work) in (0..).zip(blocks) {
        match work {
            Work::Waiting | Work::Scanning(_) => {}
            Work::Done(Block::Settled(games)) => settled.add(games),
            Work::Done(Block::Few(games)) => {
                let is_certain = |(_, verdict): &&(u32, Verdict)| *verdict == Verdict::Yes;
                possible.add_last(games.iter().map(|(game, _)| *game));
                certain.add_last(games.iter().filter(is_certain).map(|(game, _)| *game));
            }
            Work::Done(Block::Many(certain_bits, possible_bits)) => {
                certain.add_block(number, &certain_bits);
                possible.add_block(number, &possible_bits);
            }
        }
    }
    match (certain.is_empty(), possible.is_empty()) {
        (true, true) => Bounds {
            certain: settled.clone(),
            possible: settled,
        },
        _ => Bounds {
            certain: certain.or(&settled),
            possible: possible.or(&settled),
        },
    }
}

/// The bounds of one block: one task, one container of a bitmap.
enum Block {
    /// These games match and no others.
    Settled(GameSet),
    /// No other games are possible.
    Few(Vec<(u32, Verdict)>),
    /// One bit per game: certain and possible.
    Many(Vec<u64>, Vec<u64>),
}

/// The state of a block.
enum Work {
    Waiting,
    Scanning(Scan),
    Done(Block),
}

/// A block whose records are being evaluated.
struct Scan {
    known: BlockFacts,
    /// The possible games, one bit each; `None` if all are.
    among: Option<Vec<u64>>,
    /// The results so far, one bit per game.
    certain: Vec<u64>,
    possible: Vec<u64>,
}

impl Scan {
    fn new(known: BlockFacts, among: Option<Vec<u64>>) -> Scan {
        let words = BLOCK_GAMES as usize / 64;
        Scan {
            known,
            among,
            certain: Vec::with_capacity(words),
            possible: Vec::with_capacity(words),
        }
    }

    /// Continues the scan. Returns whether all records have been evaluated.
    fn go_on<V: View>(
        &mut self,
        pass: &Pass<'_, V>,
        games: &GamesOfBlock<V>,
        turn: TimeSlice,
    ) -> bool {
        let (first, records) = (games.games.start as u32, games.records());
        let begun = self.certain.len();
        for (word, records) in (begun..).zip(records.chunks(64).skip(begun)) {
            if word.is_multiple_of(BATCHES_PER_LOOK) && turn.is_over() {
                return false;
            }
            let mut batch = Batch::new(first + 64 * word as u32, records).knowing(&self.known);
            if let Some(among) = &self.among {
                batch.among &= among[word];
            }
            let lanes = match batch.among {
                0 => Lanes::NONE,
                _ => pass.node.lanes(pass.view, batch),
            };
            self.certain.push(lanes.certain & batch.among);
            self.possible.push(lanes.possible & batch.among);
        }
        true
    }
}

/// The inputs of a pass, which do not change.
struct Pass<'p, V> {
    node: &'p Node,
    view: V,
    sidecar: Option<&'p Sidecar>,
    /// The games that matter; of the others the bounds mean nothing.
    among: Option<&'p GameSet>,
    wants_plies: bool,
}

impl<V: View> Pass<'_, V> {
    /// Works on a block until it is done or the turn is over.
    fn work(&self, work: &mut Work, games: &GamesOfBlock<V>, turn: TimeSlice) {
        if matches!(work, Work::Waiting) && !turn.is_over() {
            *work = self.begin(games);
        }
        if let Work::Scanning(scan) = work
            && scan.go_on(self, games, turn)
        {
            let bits = (&mut scan.certain, &mut scan.possible);
            *work = Work::Done(Block::Many(take(bits.0), take(bits.1)));
        }
    }

    /// Determines the bounds of a block before its records are read.
    fn begin(&self, block: &GamesOfBlock<V>) -> Work {
        let first = block.games.start as u32;
        let asked = self.asked(block);
        if asked == Some(BlockGames::NONE) {
            return Work::Done(Block::Few(Vec::new()));
        }
        let known = BlockFacts::new(self.node, block, self.sidecar, self.wants_plies);
        match known.settled(self.node) {
            Some(BlockGames::Few(games)) => {
                let games = games.iter().map(|&game| first + u32::from(game));
                return Work::Done(Block::Settled(GameSet::of_list(games)));
            }
            Some(BlockGames::Many(bits)) => {
                return Work::Done(Block::Settled(GameSet::of_block(
                    block.number as u32,
                    &bits[..],
                )));
            }
            None => {}
        }
        let possible = [asked, known.possible(self.node)];
        match possible.into_iter().flatten().reduce(BlockGames::and) {
            Some(BlockGames::Few(games)) => {
                let verdict = |&place: &u16| {
                    let game = first + u32::from(place);
                    // A sidecar is not believed to name only games that are there.
                    let is_there = block.games.contains(&(game as usize));
                    let record = is_there.then(|| self.view.record(GameId(game)))?;
                    let batch = Batch::one(game, record).knowing(&known);
                    let verdict = self.node.lanes(self.view, batch).first();
                    (verdict != Verdict::No).then_some((game, verdict))
                };
                Work::Done(Block::Few(games.iter().filter_map(verdict).collect()))
            }
            Some(BlockGames::Many(among)) => {
                Work::Scanning(Scan::new(known, Some(among[..].to_vec())))
            }
            None => Work::Scanning(Scan::new(known, None)),
        }
    }

    /// Returns the games of a block that matter, if these are few.
    fn asked(&self, block: &GamesOfBlock<V>) -> Option<BlockGames> {
        let games = &self.among?.0;
        let (first, end) = (block.games.start as u32, block.games.end as u32);
        let is_few = games.range_cardinality(first..end) <= FEW_MAX as u64;
        let places = games.range(first..end).map(|game| (game - first) as u16);
        is_few.then(|| BlockGames::Few(places.collect()))
    }
}

impl Node {
    /// Evaluates a batch of records.
    pub(crate) fn lanes<V: View>(&self, view: V, mut batch: Batch<'_, V::Record>) -> Lanes {
        match self {
            Node::All => Lanes::ALL,
            Node::And(nodes) => {
                let mut lanes = Lanes::ALL;
                for node in nodes {
                    lanes = lanes.and(node.lanes(view, batch));
                    batch.among &= lanes.possible;
                    if batch.among == 0 {
                        break;
                    }
                }
                lanes
            }
            Node::Or(nodes) => nodes
                .iter()
                .fold(Lanes::NONE, |lanes, node| lanes.or(node.lanes(view, batch))),
            Node::Not(node) => node.lanes(view, batch).not(),
            Node::Test(clause, test) => match batch.known.and_then(|known| known.of(*clause)) {
                None => test.lanes(view, batch),
                Some(known) => {
                    let place = batch.first % BLOCK_GAMES;
                    let certain = known.certain.lanes(place);
                    batch.among &= known.possible.lanes(place) & !certain;
                    let open = match batch.among {
                        0 => Lanes::NONE,
                        _ => test.lanes(view, batch),
                    };
                    Lanes {
                        certain: certain | open.certain & batch.among,
                        possible: certain | open.possible & batch.among,
                    }
                }
            },
        }
    }

    /// Returns whether a sidecar reduces the possible games.
    pub(crate) fn has_candidates(&self) -> bool {
        match self {
            Node::And(nodes) => nodes.iter().any(Node::has_candidates),
            Node::Test(_, IndexTest::Position(filter)) => filter.has_candidates(),
            _ => false,
        }
    }

    /// Evaluates one record.
    pub(crate) fn verdict<V: View>(&self, view: V, game: u32, record: &V::Record) -> Verdict {
        self.lanes(view, Batch::one(game, record)).first()
    }
}
