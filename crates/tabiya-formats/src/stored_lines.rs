//! The 254 opening lines whose codes index records store.
//!
//! A game with code k begins with exactly the moves of line k. The code implies nothing more:
//! some writers stored a shorter line than the longest that fits, so a code never proves that a
//! game does not continue along another line. Code 0 means no line, and 255 is never written.

use std::sync::LazyLock;

use shakmaty::{Chess, Move, Position, Square, san::San};
use tabiya_chess::castling::way;

/// One opening line.
#[derive(Debug)]
pub(crate) struct Line {
    /// The moves from the start position.
    pub(crate) moves: Vec<Move>,
}

/// Returns the line with this code; `None` for 0 and 255.
pub(crate) fn line(code: u8) -> Option<&'static Line> {
    LINES.get(usize::from(code).checked_sub(1)?)
}

/// Returns all lines with their codes.
pub(crate) fn lines() -> impl Iterator<Item = (u8, &'static Line)> {
    (1..=u8::MAX).zip(LINES.iter())
}

/// Finds the longest line that a game from the standard start position begins with.
///
/// Takes one move at a time. Lines with a common prefix share tree nodes, so each move is only
/// compared with the few moves that continue a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineMatch {
    /// Index in [`TREE`]; [`OFF`] when the game has left all lines.
    node: u16,
    code: u8,
}

/// No node of the tree.
const OFF: u16 = u16::MAX;

impl LineMatch {
    /// A game without moves.
    pub(crate) const START: LineMatch = LineMatch { node: 0, code: 0 };

    /// A game that matches no line because it has its own start position.
    pub(crate) const NONE: LineMatch = LineMatch { node: OFF, code: 0 };

    /// Plays a move, given by the squares its man (castling: the king) moves between; `None` for a
    /// null move.
    #[inline]
    pub(crate) fn play(&mut self, squares: Option<(Square, Square)>) {
        if !self.is_over() {
            self.follow(squares);
        }
    }

    fn follow(&mut self, squares: Option<(Square, Square)>) {
        let key = squares.map(|(from, to)| key(from, to));
        let branches = &TREE[usize::from(self.node)].branches;
        let branch = branches.iter().find(|branch| Some(branch.0) == key);
        self.node = branch.map_or(OFF, |branch| branch.1);
        let code = branch.map_or(0, |branch| TREE[usize::from(branch.1)].code);
        if code != 0 {
            self.code = code;
        }
    }

    /// Whether no further move can change the code.
    #[inline]
    pub(crate) fn is_over(self) -> bool {
        self.node == OFF
    }

    /// Whether the game begins with the line of a code, 1 to 254.
    pub(crate) fn passed(self, code: u8) -> bool {
        // Every line that the game begins with is a prefix of the longest one.
        match (line(self.code), line(code)) {
            (Some(longest), Some(asked)) => longest.moves.starts_with(&asked.moves),
            _ => false,
        }
    }

    /// Returns the code of the longest line so far, 0 for none.
    pub(crate) fn code(self) -> u8 {
        self.code
    }
}

fn key(from: Square, to: Square) -> u16 {
    (from as u16) << 6 | to as u16
}

/// A position in the tree of all lines.
#[derive(Debug, Default)]
struct Node {
    /// The line that ends here, 0 for none.
    code: u8,
    /// Moves and the nodes they lead to.
    branches: Vec<(u16, u16)>,
}

/// All lines as a prefix tree.
static TREE: LazyLock<Vec<Node>> = LazyLock::new(|| {
    let mut tree = vec![Node::default()];
    for (code, line) in lines() {
        let mut node = 0;
        for (from, to) in line.moves.iter().copied().filter_map(way) {
            let key = key(from, to);
            let known = tree[node].branches.iter().find(|branch| branch.0 == key);
            node = match known {
                Some(branch) => usize::from(branch.1),
                None => {
                    let new = tree.len();
                    tree[node].branches.push((key, new as u16));
                    tree.push(Node::default());
                    new
                }
            };
        }
        tree[node].code = code;
    }
    tree
});

/// Parsed once, on first use; about two thousand moves.
static LINES: LazyLock<Vec<Line>> = LazyLock::new(|| TEXTS.into_iter().map(parse).collect());

/// Parses a line of the table. An unreadable move ends the line, so the line stays correct; a
/// test checks that every line is read to its end.
fn parse(text: &str) -> Line {
    let mut position = Chess::default();
    let mut moves = Vec::new();
    for word in text.split(' ') {
        let Ok(played) = word
            .parse::<San>()
            .map_err(drop)
            .and_then(|san| san.to_move(&position).map_err(drop))
        else {
            break;
        };
        position.play_unchecked(played);
        moves.push(played);
    }
    Line { moves }
}

/// Indexed by code minus one.
#[rustfmt::skip]
const TEXTS: [&str; 254] = [
    "b3",
    "c4",
    "c4 c5",
    "c4 c5 Nf3",
    "c4 e5",
    "c4 e5 Nc3",
    "c4 e5 Nc3 Nf6",
    "c4 e6",
    "c4 e6 Nf3",
    "c4 g6",
    "c4 Nf6",
    "c4 Nf6 Nc3",
    "c4 Nf6 Nc3 e6",
    "c4 Nf6 Nc3 g6",
    "d4",
    "d4 d5",
    "d4 d5 c4",
    "d4 d5 c4 c6",
    "d4 d5 c4 c6 Nc3",
    "d4 d5 c4 c6 Nc3 Nf6",
    "d4 d5 c4 c6 Nc3 Nf6 Nf3",
    "d4 d5 c4 c6 Nf3",
    "d4 d5 c4 c6 Nf3 Nf6",
    "d4 d5 c4 c6 Nf3 Nf6 Nc3",
    "d4 d5 c4 c6 Nf3 Nf6 Nc3 e6",
    "d4 d5 c4 dxc4",
    "d4 d5 c4 dxc4 Nf3",
    "d4 d5 c4 dxc4 Nf3 Nf6",
    "d4 d5 c4 e6",
    "d4 d5 c4 e6 Nc3",
    "d4 d5 c4 e6 Nc3 c6",
    "d4 d5 c4 e6 Nc3 Nf6",
    "d4 d5 c4 e6 Nf3",
    "d4 d5 Nf3",
    "d4 d5 Nf3 Nf6",
    "d4 d5 Nf3 Nf6 c4",
    "d4 d5 Nf3 Nf6 c4 c6",
    "d4 d5 Nf3 Nf6 c4 e6",
    "d4 d6",
    "d4 d6 Nf3",
    "d4 e6",
    "d4 e6 c4",
    "d4 e6 c4 Nf6",
    "d4 f5",
    "d4 f5 g3 Nf6 Bg2",
    "d4 g6",
    "d4 g6 c4 Bg7",
    "d4 Nf6",
    "d4 Nf6 Bg5",
    "d4 Nf6 Bg5 Ne4",
    "d4 Nf6 c4",
    "d4 Nf6 c4 c5",
    "d4 Nf6 c4 c5 d5",
    "d4 Nf6 c4 c5 d5 b5",
    "d4 Nf6 c4 c5 d5 b5 cxb5 a6",
    "d4 Nf6 c4 e6 g3",
    "d4 Nf6 c4 e6 g3 d5",
    "d4 Nf6 c4 e6 Nc3",
    "d4 Nf6 c4 e6 Nc3 Bb4",
    "d4 Nf6 c4 e6 Nc3 Bb4 e3",
    "d4 Nf6 c4 e6 Nc3 Bb4 e3 O-O",
    "d4 Nf6 c4 e6 Nc3 Bb4 Qc2",
    "d4 Nf6 c4 e6 Nc3 Bb4 Qc2 O-O",
    "d4 Nf6 c4 e6 Nc3 Bb4 Qc2 O-O a3 Bxc3+ Qxc3",
    "d4 Nf6 c4 e6 Nc3 d5",
    "d4 Nf6 c4 e6 Nf3",
    "d4 Nf6 c4 e6 Nf3 b6",
    "d4 Nf6 c4 e6 Nf3 b6 a3",
    "d4 Nf6 c4 e6 Nf3 b6 g3",
    "d4 Nf6 c4 e6 Nf3 b6 g3 Ba6",
    "d4 Nf6 c4 e6 Nf3 Bb4+",
    "d4 Nf6 c4 e6 Nf3 d5",
    "d4 Nf6 c4 e6 Nf3 d5 Nc3",
    "d4 Nf6 c4 g6",
    "d4 Nf6 c4 g6 Nc3 Bg7",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Be2 O-O",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Be2 O-O Nf3",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3 O-O",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3 O-O Be3",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5 O-O",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5 O-O Nc6 d5 Ne7",
    "d4 Nf6 c4 g6 Nc3 d5",
    "d4 Nf6 c4 g6 Nc3 d5 Nf3",
    "d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5",
    "d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5 e4 Nxc3 bxc3 Bg7",
    "d4 Nf6 Nf3",
    "d4 Nf6 Nf3 c5",
    "d4 Nf6 Nf3 d5",
    "d4 Nf6 Nf3 e6",
    "d4 Nf6 Nf3 e6 Bg5",
    "d4 Nf6 Nf3 e6 c4",
    "d4 Nf6 Nf3 g6",
    "d4 Nf6 Nf3 g6 Bg5",
    "d4 Nf6 Nf3 g6 c4",
    "d4 Nf6 Nf3 g6 c4 Bg7",
    "d4 Nf6 Nf3 g6 c4 Bg7 Nc3",
    "d4 Nf6 Nf3 g6 c4 Bg7 Nc3 O-O",
    "d4 Nf6 Nf3 g6 g3",
    "d4 Nf6 Nf3 g6 g3 Bg7 Bg2",
    "e4",
    "e4 c5",
    "e4 c5 c3",
    "e4 c5 c3 d5 exd5 Qxd5 d4",
    "e4 c5 c3 d5 exd5 Qxd5 d4 Nf6",
    "e4 c5 c3 Nf6 e5 Nd5",
    "e4 c5 c3 Nf6 e5 Nd5 d4 cxd4",
    "e4 c5 d4 cxd4",
    "e4 c5 Nc3",
    "e4 c5 Nc3 Nc6",
    "e4 c5 Nc3 Nc6 g3",
    "e4 c5 Nc3 Nc6 g3 g6",
    "e4 c5 Nc3 Nc6 g3 g6 Bg2 Bg7",
    "e4 c5 Nc3 Nc6 g3 g6 Bg2 Bg7 d3",
    "e4 c5 Nf3",
    "e4 c5 Nf3 d6",
    "e4 c5 Nf3 d6 Bb5+",
    "e4 c5 Nf3 d6 d4",
    "e4 c5 Nf3 d6 d4 cxd4",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bc4",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be2",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be3",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3 O-O",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6 Bg5",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6 Bg5 e6 Qd2",
    "e4 c5 Nf3 e6",
    "e4 c5 Nf3 e6 d3",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6 Bd3",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6 Nc3",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6 Nc3 Qc7",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nf6",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nf6 Nc3",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nf6 Nc3 d6",
    "e4 c5 Nf3 Nc6",
    "e4 c5 Nf3 Nc6 Bb5",
    "e4 c5 Nf3 Nc6 Bb5 g6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 e5",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 g6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 d6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 d6 Bg5",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5 Ndb5 d6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5 Ndb5 d6 Bg5 a6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5 Ndb5 d6 Bg5 a6 Na3 b5",
    "e4 c6",
    "e4 c6 d4 d5",
    "e4 c6 d4 d5 e5",
    "e4 c6 d4 d5 e5 Bf5",
    "e4 c6 d4 d5 exd5 cxd5",
    "e4 c6 d4 d5 exd5 cxd5 c4 Nf6 Nc3",
    "e4 c6 d4 d5 Nc3",
    "e4 c6 d4 d5 Nc3 dxe4 Nxe4",
    "e4 c6 d4 d5 Nd2 dxe4 Nxe4",
    "e4 d5 exd5 Nf6",
    "e4 d5 exd5 Qxd5",
    "e4 d5 exd5 Qxd5 Nc3",
    "e4 d5 exd5 Qxd5 Nc3 Qa5",
    "e4 d6",
    "e4 d6 d4",
    "e4 d6 d4 Nf6",
    "e4 d6 d4 Nf6 Nc3",
    "e4 d6 d4 Nf6 Nc3 g6",
    "e4 d6 d4 Nf6 Nc3 g6 f4 Bg7 Nf3",
    "e4 d6 d4 Nf6 Nc3 g6 Nf3 Bg7",
    "e4 e5",
    "e4 e5 f4",
    "e4 e5 Nc3",
    "e4 e5 Nf3",
    "e4 e5 Nf3 Nc6",
    "e4 e5 Nf3 Nc6 Bb5",
    "e4 e5 Nf3 Nc6 Bb5 a6",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O b5 Bb3",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 O-O",
    "e4 e5 Nf3 Nc6 Bb5 Nf6",
    "e4 e5 Nf3 Nc6 Bc4",
    "e4 e5 Nf3 Nc6 Bc4 Nf6",
    "e4 e5 Nf3 Nc6 d4 exd4",
    "e4 e5 Nf3 Nc6 d4 exd4 Nxd4",
    "e4 e5 Nf3 Nc6 Nc3",
    "e4 e5 Nf3 Nc6 Nc3 Nf6",
    "e4 e5 Nf3 Nf6",
    "e4 e5 Nf3 Nf6 Nxe5 d6",
    "e4 e6",
    "e4 e6 d3",
    "e4 e6 d4",
    "e4 e6 d4 d5",
    "e4 e6 d4 d5 e5 c5",
    "e4 e6 d4 d5 e5 c5 c3",
    "e4 e6 d4 d5 Nc3",
    "e4 e6 d4 d5 Nc3 Bb4",
    "e4 e6 d4 d5 Nc3 Bb4 e5",
    "e4 e6 d4 d5 Nc3 Bb4 e5 c5",
    "e4 e6 d4 d5 Nc3 Bb4 e5 c5 a3 Bxc3+ bxc3",
    "e4 e6 d4 d5 Nc3 Nf6",
    "e4 e6 d4 d5 Nc3 Nf6 Bg5",
    "e4 e6 d4 d5 Nd2",
    "e4 e6 d4 d5 Nd2 c5",
    "e4 e6 d4 d5 Nd2 Nf6",
    "e4 e6 d4 d5 Nd2 Nf6 e5 Nfd7",
    "e4 e6 d4 d5 Nd2 Nf6 e5 Nfd7 Bd3 c5 c3 Nc6 Ne2",
    "e4 g6",
    "e4 g6 d4",
    "e4 g6 d4 Bg7",
    "e4 g6 d4 Bg7 Nc3",
    "e4 g6 d4 Bg7 Nc3 d6",
    "e4 Nf6",
    "e4 Nf6 e5 Nd5",
    "e4 Nf6 e5 Nd5 d4 d6",
    "e4 Nf6 e5 Nd5 d4 d6 Nf3",
    "f4",
    "g3",
    "Nf3",
    "Nf3 c5",
    "Nf3 c5 c4",
    "Nf3 d5",
    "Nf3 d5 c4",
    "Nf3 d5 d4",
    "Nf3 d5 g3",
    "Nf3 g6",
    "Nf3 Nf6",
    "Nf3 Nf6 c4",
    "Nf3 Nf6 c4 c5",
    "Nf3 Nf6 c4 e6",
    "Nf3 Nf6 c4 g6",
    "Nf3 Nf6 c4 g6 Nc3",
    "Nf3 Nf6 g3",
    "Nf3 Nf6 g3 g6",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_reads_to_its_end() {
        for (line, text) in LINES.iter().zip(TEXTS) {
            assert_eq!(line.moves.len(), text.split(' ').count(), "{text}");
        }
        assert_eq!(LINES.iter().map(|line| line.moves.len()).max(), Some(21));
        assert!(line(0).is_none() && line(255).is_none());
    }

    #[test]
    fn every_line_is_found_by_its_moves_castling_included() {
        for (code, line) in lines() {
            let mut found = LineMatch::START;
            for played in &line.moves {
                found.play(way(*played));
            }
            assert_eq!(found.code(), code);
            // After a move that continues no line the code stays.
            found.play(Some((Square::A1, Square::A1)));
            found.play(Some((Square::G1, Square::F3)));
            assert_eq!(found.code(), code);
        }
        let mut found = LineMatch::START;
        found.play(None);
        found.play(Some((Square::E2, Square::E4)));
        assert_eq!(found.code(), 0);
    }
}
