//! Plays on after the book: legal moves that resemble those of people, chosen quickly.

use shakmaty::{Bitboard, Board, Chess, Move, Position, Role, Square, attacks};

use super::dice::{Dice, mixed};

/// Up to this ply, positions have favourite moves.
const HABIT_PLIES: usize = 20;
/// Number of moves considered at a time afterwards.
const IDEAS: usize = 3;
/// Number of attempts before all legal moves are considered.
const GLANCES: usize = 3;

/// Chooses a move; `None` if there is none.
pub(super) fn choose(position: &Chess, ply: usize, dice: &mut Dice) -> Option<Move> {
    if ply < HABIT_PLIES {
        return usual(position, ply, dice);
    }
    let glances = if position.is_check() { 0 } else { GLANCES };
    let seen = (0..glances).find_map(|_| glance(position, dice));
    seen.or_else(|| {
        let moves = position.legal_moves();
        let number = dice.below(moves.len() as u32);
        moves.get(number as usize).copied()
    })
}

/// Chooses a move as in a known position: every position has a favourite move, and others are
/// played occasionally. So the games diverge slowly, and positions are shared as in real games: a
/// few by very many games, many by a few.
fn usual(position: &Chess, ply: usize, dice: &mut Dice) -> Option<Move> {
    let board = position.board();
    let habit = habit(board);
    // The longer the game, the more often another move is played.
    let mood = if dice.below(100) < 20 + ply as u32 {
        dice.below(u32::MAX).into()
    } else {
        0
    };
    let liking = |played: &Move| {
        let from = played.from().unwrap_or(played.to());
        let squares = (from as u64) << 6 | played.to() as u64;
        let taste = mixed(habit ^ mood ^ squares) & 63;
        let appeal = if played.is_castle() {
            70
        } else {
            appeal(played.role(), from, played.to(), played.capture(), true)
        };
        appeal + taste as i32
    };
    position.legal_moves().iter().copied().max_by_key(liking)
}

/// Chooses the best of a few moves of random men, if it is legal. Generating all legal moves takes
/// three times as long.
fn glance(position: &Chess, dice: &mut Dice) -> Option<Move> {
    let board = position.board();
    let mut idea = || {
        let from = any_of(position.us(), dice)?;
        let role = board.role_at(from)?;
        let targets = targets(position, from)?;
        let captures = targets & position.them();
        let looks = if captures.any() { captures } else { targets };
        let to = any_of(looks, dice)?;
        // Most pawns are stopped earlier.
        if role == Role::Pawn && is_far(to) && !dice.one_in(64) {
            return None;
        }
        Some((appeal(role, from, to, board.role_at(to), false), role, to))
    };
    let ideas: [_; IDEAS] = std::array::from_fn(|_| idea());
    let (_, role, to) = ideas.into_iter().flatten().max_by_key(|idea| idea.0)?;
    let moves = position.san_candidates(role, to);
    // The candidates of a promoting pawn begin with the promotion to a queen.
    let is_odd = moves.len() > 1 && dice.one_in(20);
    if is_odd { moves.last() } else { moves.first() }.copied()
}

/// Returns the squares to which a man of the side to move can go, if it is not pinned.
fn targets(position: &Chess, from: Square) -> Option<Bitboard> {
    let board = position.board();
    let piece = board.piece_at(from)?;
    let attacked = attacks::attacks(from, piece, board.occupied());
    Some(match piece.role {
        Role::Pawn => {
            let ahead = from.offset(piece.color.fold_wb(8, -8));
            let ahead = Bitboard::from_iter(ahead) & !board.occupied();
            attacked & position.them() | ahead
        }
        _ => attacked & !position.us(),
    })
}

/// Returns the first square after a random one: not uniformly distributed, but without counting.
fn any_of(squares: Bitboard, dice: &mut Dice) -> Option<Square> {
    let turn = dice.below(64);
    let first = Bitboard(u64::from(squares).rotate_right(turn)).first()?;
    Some(Square::new((first as u32 + turn) & 63))
}

/// Returns a hash of the board.
fn habit(board: &Board) -> u64 {
    let men = Role::ALL.map(|role| u64::from(board.by_role(role)));
    let all = men.into_iter().chain([u64::from(board.white())]);
    all.fold(0, |habit, men| mixed(habit ^ men))
}

/// Returns how much a move resembles a typical move.
fn appeal(role: Role, from: Square, to: Square, victim: Option<Role>, is_early: bool) -> i32 {
    // For a king, capturing has no risk.
    let worth = |role: Role| [0, 10, 31, 32, 50, 95, 10][role as usize];
    let taken = victim.map_or(0, |victim| 6 + worth(victim) - worth(role));
    let moved = match role {
        Role::King => -12 * i32::from(is_early),
        Role::Queen => -25 * i32::from(is_early),
        Role::Knight | Role::Bishop => 25 * i32::from(is_back(from)) - 40 * i32::from(is_back(to)),
        Role::Pawn if is_early => 4 - 12 * i32::from(is_edge(to)),
        Role::Pawn => -5,
        Role::Rook => -8 * i32::from(is_early),
    };
    taken + moved
}

fn is_back(square: Square) -> bool {
    matches!(square as u32 >> 3, 0 | 7)
}

/// Returns whether a square is beyond the usual range of pawns, seen from either side.
fn is_far(square: Square) -> bool {
    !matches!(square as u32 >> 3, 2..=5)
}

fn is_edge(square: Square) -> bool {
    matches!(square as u32 & 7, 0 | 1 | 6 | 7)
}
