//! The move tree of a game while its events arrive.
//!
//! Readers report a variation after the move that it replaces, but at each position `.cbg` needs to
//! know how many moves follow. So the moves are kept until the game is complete.

use shakmaty::Move;

use super::MOVES_MAX;
use crate::{
    chessbase::v1::flaws,
    error::{Error, ErrorKind, Result},
    limits::VARIATION_DEPTH_MAX,
};

/// A position of the game, numbered by the event order of the moves that lead to it; 0 is the
/// start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Node(u32);

impl Node {
    pub(crate) const START: Node = Node(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns `None` for the start, which follows no position and so can mean "none".
    fn or_none(self) -> Option<Node> {
        (self != Node::START).then_some(self)
    }
}

/// The move to a position and the positions around it.
#[derive(Debug, Clone, Copy, Default)]
struct Links {
    played: Option<Move>,
    parent: Node,
    first_child: Node,
    last_child: Node,
    next_sibling: Node,
}

/// A line in progress.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    /// The current position.
    at: Node,
    /// Whether the line has moves of its own.
    has_moves: bool,
}

/// All moves of a game so far, and the current position.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Links>,
    line: Line,
    outer: Vec<Line>,
}

impl Tree {
    pub(crate) fn new() -> Tree {
        Tree {
            nodes: vec![Links::default()],
            line: Line::default(),
            outer: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.truncate(1);
        self.nodes[0] = Links::default();
        self.line = Line::default();
        self.outer.clear();
    }

    /// Returns the number of positions, including the start.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the current position.
    pub(crate) fn at(&self) -> Node {
        self.line.at
    }

    /// Whether the current line has moves of its own.
    pub(crate) fn line_has_moves(&self) -> bool {
        self.line.has_moves
    }

    /// Whether all variations have ended.
    pub(crate) fn is_complete(&self) -> bool {
        self.outer.is_empty()
    }

    /// Appends a move; `None` is a null move.
    pub(crate) fn play(&mut self, played: Option<Move>) -> Result<Node> {
        if self.nodes.len() > MOVES_MAX {
            let what = "the number of moves of a game";
            let limit = MOVES_MAX as u64;
            return Err(Error::new(ErrorKind::LimitExceeded { what, limit }));
        }
        let parent = self.line.at;
        let new = Node(self.nodes.len() as u32);
        self.nodes.push(Links {
            played,
            parent,
            ..Links::default()
        });
        let links = &mut self.nodes[parent.index()];
        let last = std::mem::replace(&mut links.last_child, new);
        match last.or_none() {
            None => links.first_child = new,
            Some(last) => self.nodes[last.index()].next_sibling = new,
        }
        self.line = Line {
            at: new,
            has_moves: true,
        };
        Ok(new)
    }

    /// Starts a variation of the last move.
    pub(crate) fn begin_variation(&mut self) -> Result<()> {
        if !self.line.has_moves {
            return Err(Error::corrupt(flaws::VARIATION_OF_NO_MOVE));
        }
        if self.outer.len() >= VARIATION_DEPTH_MAX {
            let what = "the depth of variations";
            let limit = VARIATION_DEPTH_MAX as u64;
            return Err(Error::new(ErrorKind::LimitExceeded { what, limit }));
        }
        self.outer.push(self.line);
        self.line = Line {
            at: self.nodes[self.line.at.index()].parent,
            has_moves: false,
        };
        Ok(())
    }

    /// Ends the current variation.
    pub(crate) fn end_variation(&mut self) -> Result<()> {
        let Some(outer) = self.outer.pop() else {
            return Err(Error::corrupt(flaws::VARIATION_NEVER_BEGAN));
        };
        self.line = outer;
        Ok(())
    }

    /// Returns the move that leads to a position.
    pub(crate) fn played(&self, node: Node) -> Option<Move> {
        self.nodes[node.index()].played
    }

    /// Returns the main move of a position.
    pub(crate) fn first_child(&self, node: Node) -> Option<Node> {
        self.nodes[node.index()].first_child.or_none()
    }

    /// Returns the next alternative to the move that leads to a position.
    pub(crate) fn next_sibling(&self, node: Node) -> Option<Node> {
        self.nodes[node.index()].next_sibling.or_none()
    }
}
