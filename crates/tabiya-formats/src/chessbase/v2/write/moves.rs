//! Encodes a tree of moves as words.

use shakmaty::{Move as Played, Role};
use tabiya_chess::follow::Ignore;

use super::setup::Begun;
use crate::{
    chessbase::common::write::tree::Tree,
    chessbase::v2::{
        codes::{ALTERNATIVE, END, Move, NULL, man_of, word_of, words},
        men::{BLACK, Men, Side},
    },
    error::{Error, ErrorKind, Result},
    limits::VARIATION_DEPTH_MAX,
    tree::Node,
};

/// What the moves of a game come to.
pub(super) struct Ends {
    /// Half-moves of the main line.
    pub(super) plies: u32,
    pub(super) has_variations: bool,
    /// The men after the main line.
    pub(super) men: Men,
}

/// A position to which the end of a line can return.
#[derive(Clone, Copy)]
struct Point {
    men: Men,
    side: Side,
}

/// Appends the words of all moves: the main line first, then for each move with alternatives, from
/// the last to the first, the next of them.
///
/// # Errors
/// `IllegalMove` for a move that no man on the board can make; `LimitExceeded` if more moves have
/// pending alternatives than readers can track.
pub(super) fn append(tree: &Tree, begun: &Begun, told: &mut Vec<u16>) -> Result<Ends> {
    let mut point = Point {
        men: begun.men,
        side: begun.side,
    };
    let mut open: Vec<(Point, Node)> = Vec::new();
    let mut ends: Option<Ends> = None;
    let mut plies = 0;
    let mut next = tree.first_child(Node::START);
    loop {
        let node = match next {
            Some(node) => node,
            None => {
                told.push(END);
                let first = ends.is_none();
                let ends = ends.get_or_insert(Ends {
                    plies,
                    has_variations: false,
                    men: point.men,
                });
                let Some((back, node)) = open.pop() else {
                    ends.has_variations = !first;
                    return Ok(Ends { ..*ends });
                };
                point = back;
                node
            }
        };
        let before = point;
        told.push(word(tree.played(node), &mut point, begun)?);
        if let Some(sibling) = tree.next_sibling(node) {
            told.push(ALTERNATIVE);
            if open.len() >= VARIATION_DEPTH_MAX {
                let what = "the number of moves with alternatives in one line";
                let limit = VARIATION_DEPTH_MAX as u64;
                return Err(Error::limit(what, limit));
            }
            open.push((before, sibling));
        }
        plies += u32::from(ends.is_none());
        next = tree.first_child(node);
    }
}

/// Plays a move and returns its word.
fn word(played: Option<Played>, point: &mut Point, begun: &Begun) -> Result<u16> {
    let side = point.side;
    point.side = BLACK - side;
    let Some(played) = played else {
        return Ok(NULL);
    };
    let men = &mut point.men;
    let word = match played {
        Played::Castle { king, rook } => {
            let king_side = king < rook;
            let is_home = begun.homes[usize::from(side != 0) * 2 + usize::from(king_side)];
            let may = is_home == Some(rook) && men.at(king as u8) == side;
            let nth = u16::from(side != 0) * 2 + u16::from(king_side);
            may.then_some(begun.castling + nth)
        }
        _ => meaning(played, men, side).and_then(word_of),
    };
    let illegal = || Error::new(ErrorKind::IllegalMove(played.to_string()));
    let word = word.ok_or_else(illegal)?;
    let done = men.play(side, words().get(word), &begun.homes, &mut Ignore);
    done.map_or_else(|_| Err(illegal()), |()| Ok(word))
}

/// Returns what the word of a move other than castling means.
fn meaning(played: Played, men: &Men, side: Side) -> Option<Move> {
    let man = |role: Role| man_of(role, side);
    match played {
        Played::Normal {
            role,
            from,
            to,
            promotion,
            ..
        } => {
            let victim = men.at(to as u8);
            let becomes = promotion.map_or(0, man);
            Some(Move::new(man(role), from as u8, to as u8, victim, becomes))
        }
        Played::EnPassant { from, to } => {
            Some(Move::en_passant(man(Role::Pawn), from as u8, to as u8))
        }
        Played::Castle { .. } | Played::Put { .. } => None,
    }
}

/// Returns by node the index of its move in the order of a PGN file, in which a move's alternatives
/// and all that follows them come right after it; -1 for the start.
pub(super) fn positions(tree: &Tree) -> Vec<i32> {
    /// What is to be told next.
    enum Next {
        /// A move.
        Move(Node),
        /// What follows a move.
        After(Node),
    }
    let mut positions = vec![-1; tree.len()];
    let mut told = 0;
    let mut tell = |node: Node| {
        positions[node.index()] = told;
        told += 1;
    };
    let mut stack = vec![Next::After(Node::START)];
    while let Some(next) = stack.pop() {
        match next {
            Next::Move(node) => {
                tell(node);
                stack.push(Next::After(node));
            }
            Next::After(node) => {
                let Some(main) = tree.first_child(node) else {
                    continue;
                };
                tell(main);
                stack.push(Next::After(main));
                let from = stack.len();
                let mut sibling = tree.next_sibling(main);
                while let Some(node) = sibling {
                    stack.push(Next::Move(node));
                    sibling = tree.next_sibling(node);
                }
                stack[from..].reverse();
            }
        }
    }
    positions
}
