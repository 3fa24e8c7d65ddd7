//! One pass over the records for all clauses of a query.

use rayon::prelude::*;

use super::{Bounds, GameSet, IndexTest, Lanes, Verdict, known::Known};
use crate::{
    format::View,
    sidecar::{BLOCK_GAMES, BlockGames, Sidecar},
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
    /// What a sidecar tells about their block.
    known: Option<&'r Known>,
}

impl<'r, R> Batch<'r, R> {
    /// Asks about all of some records.
    pub(crate) fn new(first: u32, records: &'r [R]) -> Batch<'r, R> {
        Batch {
            first,
            records,
            among: u64::MAX >> (64 - records.len().clamp(1, 64)),
            known: None,
        }
    }

    fn knowing(self, known: &'r Known) -> Batch<'r, R> {
        Batch {
            known: Some(known),
            ..self
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
/// the index, or over what a sidecar leaves of it. With `wants_plies`, a game is called certain
/// only if the ply at which it matches is known too. Positions have the sidecar with them;
/// `sidecar` answers for headers.
pub(crate) fn bounds<V: View>(
    node: &Node,
    view: V,
    sidecar: Option<&Sidecar>,
    wants_plies: bool,
) -> Bounds {
    let blocks: Vec<Block> = view
        .records()
        .par_chunks(BLOCK_GAMES as usize)
        .enumerate()
        .map(|(block, records)| {
            let known = Known::new(node, block, records, sidecar, wants_plies);
            let first = block as u32 * BLOCK_GAMES;
            scan_block(node, view, first, records, &known)
        })
        .collect();
    let (mut certain, mut possible) = (GameSet::default(), GameSet::default());
    let mut settled = GameSet::default();
    for (number, block) in (0..).zip(blocks) {
        match block {
            Block::Settled(games) => settled.add(games),
            Block::Few(games) => {
                let is_certain = |(_, verdict): &&(u32, Verdict)| *verdict == Verdict::Yes;
                possible.add_last(games.iter().map(|(game, _)| *game));
                certain.add_last(games.iter().filter(is_certain).map(|(game, _)| *game));
            }
            Block::Many(certain_bits, possible_bits) => {
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

/// What is known of one block: one task, one container of a bitmap.
enum Block {
    /// These games match and no others.
    Settled(GameSet),
    /// Only these games are possible.
    Few(Vec<(u32, Verdict)>),
    /// One bit a game: certain and possible.
    Many(Vec<u64>, Vec<u64>),
}

fn scan_block<V: View>(
    node: &Node,
    view: V,
    first: u32,
    records: &[V::Record],
    known: &Known,
) -> Block {
    match known.settled(node) {
        Some(BlockGames::Few(games)) => {
            let games = games.iter().map(|&game| first + u32::from(game));
            return Block::Settled(GameSet::of_list(games));
        }
        Some(BlockGames::Many(bits)) => {
            return Block::Settled(GameSet::of_block(first / BLOCK_GAMES, &bits[..]));
        }
        None => {}
    }
    match known.possible(node) {
        Some(BlockGames::Few(games)) => {
            let verdict = |&place: &u16| {
                let game = first + u32::from(place);
                let batch = Batch::one(game, records.get(usize::from(place))?).knowing(known);
                let verdict = node.lanes(view, batch).first();
                (verdict != Verdict::No).then_some((game, verdict))
            };
            Block::Few(games.iter().filter_map(verdict).collect())
        }
        Some(BlockGames::Many(among)) => {
            scan(node, view, first, records, known, among.iter().copied())
        }
        None => scan(
            node,
            view,
            first,
            records,
            known,
            std::iter::repeat(u64::MAX),
        ),
    }
}

/// Evaluates the records of a block; others than those among the given are not possible.
fn scan<V: View>(
    node: &Node,
    view: V,
    first: u32,
    records: &[V::Record],
    known: &Known,
    among: impl Iterator<Item = u64>,
) -> Block {
    let firsts = (first..).step_by(64);
    let (certain, possible) = firsts
        .zip(records.chunks(64))
        .zip(among)
        .map(|((first, records), among)| {
            let mut batch = Batch::new(first, records).knowing(known);
            batch.among &= among;
            let lanes = match batch.among {
                0 => Lanes::NONE,
                _ => node.lanes(view, batch),
            };
            let among = batch.among;
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
