//! Encodes a tree of moves as bytes of `.cbg`.

use shakmaty::Color;
use tabiya_chess::Counts;

use super::men::{Code, Pieces};
use crate::{
    chessbase::common::write::tree::Tree,
    chessbase::v1::{
        codes::{BRANCH, LINE_END, WORD},
        tables::{Encoding, MODES},
    },
    error::{Error, ErrorKind, Result},
    limits::VARIATION_DEPTH_MAX,
    tree::Node,
};

/// Returns the mode of the encoding: the one ChessBase uses, or the one for Chess960.
pub(super) fn mode(chess960: bool) -> u8 {
    if chess960 { 10 } else { 0 }
}

/// A position to play from, to which the end of a line can return.
#[derive(Debug, Clone, Copy)]
struct Point {
    pieces: Pieces,
    turn: Color,
}

/// Encodes codes as bytes.
#[derive(Debug)]
struct Stream<'b> {
    encoding: &'static Encoding,
    bytes: &'b mut Vec<u8>,
    /// Moves so far, modulo 256.
    moves: u8,
}

impl Stream<'_> {
    fn mark(&mut self, code: u8) {
        self.bytes.push(self.encoding.byte(code, self.moves));
    }

    fn play(&mut self, code: Code) {
        match code {
            Code::Short(code) => self.mark(code),
            Code::Word(word) => {
                self.mark(WORD);
                for byte in word.to_be_bytes() {
                    self.mark(byte);
                }
            }
        }
        self.moves = self.moves.wrapping_add(1);
    }
}

/// Numbers of half-moves written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Plies {
    pub(super) main_line: u32,
    pub(super) variations: u32,
}

/// Appends all moves, depth first with the main move first. Records the positions in this order,
/// without the start, in `order`. Returns the men at the end of the main line as well.
///
/// # Errors
/// `IllegalMove` for a move that no man on the board can make; `LimitExceeded` if more moves have
/// pending alternatives than readers can track.
pub(super) fn append_moves(
    tree: &Tree,
    (pieces, turn): (Pieces, Color),
    chess960: bool,
    bytes: &mut Vec<u8>,
    order: &mut Vec<Node>,
) -> Result<(Plies, Counts)> {
    let mut stream = Stream {
        encoding: &MODES[usize::from(mode(chess960))],
        bytes,
        moves: 0,
    };
    let mut point = Point { pieces, turn };
    let mut branches: Vec<(Point, Node)> = Vec::new();
    let mut plies = Plies::default();
    let mut final_men = None;
    let mut next = tree.first_child(Node::START);
    loop {
        let node = match next {
            Some(node) => node,
            None => {
                stream.mark(LINE_END);
                let counts = *final_men.get_or_insert_with(|| point.pieces.counts());
                let Some((back, node)) = branches.pop() else {
                    return Ok((plies, counts));
                };
                point = back;
                node
            }
        };
        if let Some(sibling) = tree.next_sibling(node) {
            stream.mark(BRANCH);
            remember(&mut branches, (point, sibling))?;
        }
        append_move(tree, node, chess960, &mut point, &mut stream)?;
        if final_men.is_none() {
            plies.main_line += 1
        } else {
            plies.variations += 1
        }
        order.push(node);
        next = tree.first_child(node);
    }
}

fn remember(branches: &mut Vec<(Point, Node)>, branch: (Point, Node)) -> Result<()> {
    if branches.len() >= VARIATION_DEPTH_MAX {
        let what = "the number of moves with alternatives in one line";
        let limit = VARIATION_DEPTH_MAX as u64;
        return Err(Error::limit(what, limit));
    }
    branches.push(branch);
    Ok(())
}

/// Plays and appends the move that leads to a position.
fn append_move(
    tree: &Tree,
    node: Node,
    chess960: bool,
    point: &mut Point,
    stream: &mut Stream<'_>,
) -> Result<()> {
    match tree.played(node) {
        None => stream.play(Pieces::NULL),
        Some(played) => {
            let Some((code, played)) = point.pieces.code(point.turn, played, chess960) else {
                return Err(Error::new(ErrorKind::IllegalMove(played.to_string())));
            };
            stream.play(code);
            point.pieces.make(point.turn, played);
        }
    }
    point.turn = point.turn.other();
    Ok(())
}
