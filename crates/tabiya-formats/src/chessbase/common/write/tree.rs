//! The positions of a game with the moves that follow each.
//!
//! Readers report a variation after the move that it replaces, but at each position ChessBase needs
//! to know how many moves follow.

use shakmaty::Move;

use crate::tree::{Node, Step};

/// The move to a position and the positions around it.
#[derive(Debug, Clone, Copy, Default)]
struct Links {
    played: Option<Move>,
    first_child: Node,
    last_child: Node,
    next_sibling: Node,
}

/// Returns `None` for the start, which follows no position and so can mean "none".
fn or_none(node: Node) -> Option<Node> {
    (node != Node::START).then_some(node)
}

/// All positions of a game, numbered as nodes.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Links>,
}

impl Tree {
    /// Takes the moves of another game.
    pub(crate) fn set(&mut self, steps: &[Step]) {
        self.nodes.clear();
        self.nodes.resize(steps.len() + 1, Links::default());
        let (mut parent, mut at) = (Node::START, Node::START);
        let mut outer = Vec::new();
        for (node, step) in (1..).map(Node).zip(steps) {
            match *step {
                Step::Move(played) => {
                    self.link(at, node);
                    self.nodes[node.index()].played = played;
                    (parent, at) = (at, node);
                }
                Step::Begin => {
                    outer.push((parent, at));
                    at = parent;
                }
                Step::End => (parent, at) = outer.pop().unwrap_or_default(),
            }
        }
    }

    fn link(&mut self, parent: Node, new: Node) {
        let links = &mut self.nodes[parent.index()];
        let last = std::mem::replace(&mut links.last_child, new);
        match or_none(last) {
            None => links.first_child = new,
            Some(last) => self.nodes[last.index()].next_sibling = new,
        }
    }

    /// Returns the number of nodes, including the start and those that are no positions.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the move that leads to a position.
    pub(crate) fn played(&self, node: Node) -> Option<Move> {
        self.nodes[node.index()].played
    }

    /// Returns the main move of a position.
    pub(crate) fn first_child(&self, node: Node) -> Option<Node> {
        or_none(self.nodes[node.index()].first_child)
    }

    /// Returns the next alternative to the move that leads to a position.
    pub(crate) fn next_sibling(&self, node: Node) -> Option<Node> {
        or_none(self.nodes[node.index()].next_sibling)
    }
}
