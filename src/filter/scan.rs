//! One pass over the records for all clauses of a query.

use rayon::prelude::*;

use super::{Bounds, GameSet, IndexTest, Lanes, Verdict};
use crate::format::View;

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

/// Games in one block: one task, one container of a bitmap.
pub(crate) const BLOCK_GAMES: usize = 1 << 16;

/// Evaluates a query over all records, in blocks, in the current rayon pool. One pass over
/// the index.
pub(crate) fn bounds<V: View>(node: &Node, view: V) -> Bounds {
    let blocks: Vec<(Vec<u64>, Vec<u64>)> = view
        .records()
        .par_chunks(BLOCK_GAMES)
        .enumerate()
        .map(|(block, records)| scan_block(node, view, block, records))
        .collect();
    let (mut certain, mut possible) = (GameSet::default(), GameSet::default());
    for (block, (certain_bits, possible_bits)) in (0..).zip(&blocks) {
        certain.add_block(block, certain_bits);
        possible.add_block(block, possible_bits);
    }
    Bounds { certain, possible }
}

/// Returns the bits of one block: certain and possible.
fn scan_block<V: View>(
    node: &Node,
    view: V,
    block: usize,
    records: &[V::Record],
) -> (Vec<u64>, Vec<u64>) {
    let first = (block * BLOCK_GAMES) as u32;
    (0..)
        .step_by(64)
        .zip(records.chunks(64))
        .map(|(offset, records)| {
            let lanes = node.lanes(view, first + offset, records);
            let present = u64::MAX >> (64 - records.len());
            (lanes.certain & present, lanes.possible & present)
        })
        .unzip()
}

impl Node {
    /// Evaluates up to 64 records; `first` is the game of the first. Bits behind the last
    /// record mean nothing.
    pub(crate) fn lanes<V: View>(&self, view: V, first: u32, records: &[V::Record]) -> Lanes {
        match self {
            Node::All => Lanes::ALL,
            Node::And(nodes) => {
                let mut lanes = Lanes::ALL;
                for node in nodes {
                    lanes = lanes.and(node.lanes(view, first, records));
                    if lanes.possible == 0 {
                        break;
                    }
                }
                lanes
            }
            Node::Or(nodes) => nodes.iter().fold(Lanes::NONE, |lanes, node| {
                lanes.or(node.lanes(view, first, records))
            }),
            Node::Not(node) => node.lanes(view, first, records).not(),
            Node::Test(_, test) => test.lanes(view, first, records),
        }
    }

    /// Evaluates one record.
    pub(crate) fn verdict<V: View>(&self, view: V, game: u32, record: &V::Record) -> Verdict {
        self.lanes(view, game, std::slice::from_ref(record)).first()
    }
}
