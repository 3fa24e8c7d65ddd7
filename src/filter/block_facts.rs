//! What a sidecar knows about the clauses of a query and the games of one block.
//!
//! It is determined once per block, before its records are read. It decides most blocks of most
//! position queries.

use std::ops::Range;

use tabiya_formats::View;

use super::{IndexTest, Node, headers};
use crate::sidecar::{BLOCK_GAMES, BlockGames, Sidecar};

/// The games of one block.
#[derive(Debug, Clone)]
pub(super) struct GamesOfBlock<V> {
    pub(super) view: V,
    /// 0-based number of the block.
    pub(super) number: usize,
    /// Their numbers, 0-based.
    pub(super) games: Range<usize>,
}

impl<V: View> GamesOfBlock<V> {
    /// Returns the block of this number; `None` after the last.
    pub(super) fn new(view: V, number: usize) -> Option<GamesOfBlock<V>> {
        let start = number.checked_mul(BLOCK_GAMES as usize)?;
        let end = view
            .game_count()
            .min(start.checked_add(BLOCK_GAMES as usize)?);
        let games = start..end;
        (!games.is_empty()).then_some(GamesOfBlock {
            view,
            number,
            games,
        })
    }

    /// Returns their records.
    pub(super) fn records(&self) -> &[V::Record] {
        self.view.records_in(self.games.clone())
    }
}

/// Bounds of one clause: `certain` ⊆ the right answer ⊆ `possible`.
#[derive(Debug)]
pub(crate) struct BlockBounds {
    /// Games that satisfy it for certain.
    pub(crate) certain: BlockGames,
    /// Games that may satisfy it.
    pub(crate) possible: BlockGames,
}

/// The bounds of some clauses of a query; clauses without bounds are left out.
#[derive(Debug, Default)]
pub(crate) struct BlockFacts(Vec<(usize, BlockBounds)>);

impl BlockFacts {
    /// Asks the sidecar. With `wants_plies`, games are called certain only if the ply of their
    /// match is known.
    pub(super) fn new<V: View>(
        node: &Node,
        block: &GamesOfBlock<V>,
        sidecar: Option<&Sidecar>,
        wants_plies: bool,
    ) -> BlockFacts {
        let mut known = BlockFacts::default();
        known.ask(node, &mut |test| match test {
            IndexTest::Position(filter) => filter.known(block, wants_plies),
            IndexTest::OpeningName(filter) => filter.known(block.number),
            _ => None,
        });
        // For few games, reading their records is faster than reading columns of the whole block.
        let few = matches!(known.possible(node), Some(BlockGames::Few(_)));
        let columns = sidecar.and_then(|sidecar| sidecar.columns(block.number));
        if let Some(columns) = columns.filter(|_| !few) {
            known.ask(node, &mut |test| headers::bounds(test, columns));
        }
        known
    }

    fn ask(&mut self, node: &Node, ask: &mut impl FnMut(&IndexTest) -> Option<BlockBounds>) {
        match node {
            Node::All => {}
            Node::And(nodes) | Node::Or(nodes) => {
                nodes.iter().for_each(|node| self.ask(node, ask));
            }
            Node::Not(node) => self.ask(node, ask),
            Node::Test(clause, test) => {
                self.0.extend(ask(test).map(|bounds| (*clause, bounds)));
            }
        }
    }

    /// Returns the bounds of a clause, if known.
    #[inline]
    pub(super) fn of(&self, clause: usize) -> Option<&BlockBounds> {
        let mut all = self.0.iter();
        let (_, bounds) = all.find(|(number, _)| *number == clause)?;
        Some(bounds)
    }

    /// Returns the games that satisfy a query, if no record has to be read to decide that.
    pub(super) fn settled(&self, node: &Node) -> Option<BlockGames> {
        let each = |nodes: &[Node]| -> Option<Vec<BlockGames>> {
            nodes.iter().map(|node| self.settled(node)).collect()
        };
        match node {
            Node::And(nodes) => each(nodes)?.into_iter().reduce(BlockGames::and),
            Node::Or(nodes) => each(nodes)?.into_iter().reduce(BlockGames::or),
            Node::Test(clause, _) => {
                let bounds = self.of(*clause)?;
                (bounds.certain == bounds.possible).then(|| bounds.certain.clone())
            }
            Node::All | Node::Not(_) => None,
        }
    }

    /// Returns the games that may satisfy a query; `None` if all may.
    pub(super) fn possible(&self, node: &Node) -> Option<BlockGames> {
        let each = |nodes: &[Node]| -> Vec<Option<BlockGames>> {
            nodes.iter().map(|node| self.possible(node)).collect()
        };
        match node {
            Node::And(nodes) => each(nodes).into_iter().flatten().reduce(BlockGames::and),
            Node::Or(nodes) => {
                let any: Option<Vec<BlockGames>> = each(nodes).into_iter().collect();
                any?.into_iter().reduce(BlockGames::or)
            }
            Node::Test(clause, _) => Some(self.of(*clause)?.possible.clone()),
            // The possible games of a clause do not limit those of its negation.
            Node::All | Node::Not(_) => None,
        }
    }
}
