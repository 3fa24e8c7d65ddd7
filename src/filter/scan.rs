//! One pass over the records for all clauses of a query.

use rayon::prelude::*;

use super::{Bounds, GameSet, IndexTest, Lanes, Verdict};
use crate::{
    format::{Header, View},
    sidecar::{BLOCK_GAMES, BlockGames},
};

/// A query as far as the index is concerned.
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

/// Up to 64 records, of which some are asked about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch<'r, R> {
    /// The game of the first record.
    pub(crate) first: u32,
    pub(crate) records: &'r [R],
    /// Which records, one bit each. What the others' bits of an answer say means nothing.
    pub(crate) among: u64,
}

impl<'r, R> Batch<'r, R> {
    /// Asks about all of some records.
    pub(crate) fn new(first: u32, records: &'r [R]) -> Batch<'r, R> {
        Batch {
            first,
            records,
            among: u64::MAX >> (64 - records.len().clamp(1, 64)),
        }
    }

    /// Iterates over the records asked about, each with its place.
    #[inline]
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, &'r R)> + use<'r, R> {
        let (records, mut rest) = (self.records, self.among);
        std::iter::from_fn(move || {
            let lane = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some((lane, records.get(lane)?))
        })
    }

    /// Asks about one record.
    pub(crate) fn one(game: u32, record: &'r R) -> Batch<'r, R> {
        Batch::new(game, std::slice::from_ref(record))
    }
}

/// Evaluates a query over all records, in blocks, in the current rayon pool. One pass over
/// the index, or over what a sidecar leaves of it.
pub(crate) fn bounds<V: View>(node: &Node, view: V) -> Bounds {
    let blocks: Vec<Block> = view
        .records()
        .par_chunks(BLOCK_GAMES as usize)
        .enumerate()
        .map(|(block, records)| scan_block(node, view, block, records))
        .collect();
    let (mut certain, mut possible) = (GameSet::default(), GameSet::default());
    for (number, block) in (0..).zip(&blocks) {
        match block {
            Block::Few(games) => {
                let is_certain = |(_, verdict): &&(u32, Verdict)| *verdict == Verdict::Yes;
                possible.add_last(games.iter().map(|(game, _)| *game));
                certain.add_last(games.iter().filter(is_certain).map(|(game, _)| *game));
            }
            Block::Many(certain_bits, possible_bits) => {
                certain.add_block(number, certain_bits);
                possible.add_block(number, possible_bits);
            }
        }
    }
    Bounds { certain, possible }
}

/// What is known of one block: one task, one container of a bitmap.
enum Block {
    /// Only these games are possible.
    Few(Vec<(u32, Verdict)>),
    /// One bit a game: certain and possible.
    Many(Vec<u64>, Vec<u64>),
}

fn scan_block<V: View>(node: &Node, view: V, block: usize, records: &[V::Record]) -> Block {
    let first = block as u32 * BLOCK_GAMES;
    match node.candidates(block, records) {
        Some(BlockGames::Few(games)) => {
            let verdict = |&place: &u16| {
                let game = first + u32::from(place);
                let verdict = node.verdict(view, game, records.get(usize::from(place))?);
                (verdict != Verdict::No).then_some((game, verdict))
            };
            Block::Few(games.iter().filter_map(verdict).collect())
        }
        Some(BlockGames::Many(among)) => scan(node, view, first, records, among.iter().copied()),
        None => scan(node, view, first, records, std::iter::repeat(u64::MAX)),
    }
}

/// Evaluates the records of a block; others than those among the given are not possible.
fn scan<V: View>(
    node: &Node,
    view: V,
    first: u32,
    records: &[V::Record],
    among: impl Iterator<Item = u64>,
) -> Block {
    let firsts = (first..).step_by(64);
    let (certain, possible) = firsts
        .zip(records.chunks(64))
        .zip(among)
        .map(|((first, records), among)| {
            let among = among & u64::MAX >> (64 - records.len());
            let lanes = match among {
                0 => Lanes::NONE,
                among => node.lanes(
                    view,
                    Batch {
                        first,
                        records,
                        among,
                    },
                ),
            };
            (lanes.certain & among, lanes.possible & among)
        })
        .unzip();
    Block::Many(certain, possible)
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
            Node::Test(_, test) => test.lanes(view, batch),
        }
    }

    /// Returns the games of a block that are possible as far as a sidecar tells; `None` when
    /// all are. `records` are those of the block.
    fn candidates<R: Header>(&self, block: usize, records: &[R]) -> Option<BlockGames> {
        let each = |nodes: &[Node]| -> Vec<Option<BlockGames>> {
            let candidates = |node: &Node| node.candidates(block, records);
            nodes.iter().map(candidates).collect()
        };
        match self {
            Node::And(nodes) => each(nodes).into_iter().flatten().reduce(BlockGames::and),
            Node::Or(nodes) => {
                let any: Option<Vec<BlockGames>> = each(nodes).into_iter().collect();
                any?.into_iter().reduce(BlockGames::or)
            }
            Node::Test(_, IndexTest::Position(filter)) => filter.candidates(block, records),
            // What a clause does not exclude its contrary may.
            Node::All | Node::Not(_) | Node::Test(..) => None,
        }
    }

    /// Returns a bound of how many games are possible as far as a sidecar tells.
    pub(crate) fn candidates_at_most(&self) -> Option<u64> {
        match self {
            Node::And(nodes) => nodes.iter().filter_map(Node::candidates_at_most).min(),
            Node::Test(_, IndexTest::Position(filter)) => filter.candidates_at_most(),
            _ => None,
        }
    }

    /// Evaluates one record.
    pub(crate) fn verdict<V: View>(&self, view: V, game: u32, record: &V::Record) -> Verdict {
        self.lanes(view, Batch::one(game, record)).first()
    }
}
