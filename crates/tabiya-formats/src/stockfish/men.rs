//! The board of a chain: where men can go, and whether a move leaves its king in check.

use shakmaty::{Bitboard, Board, CastlingSide, Color, Move, Piece, Rank, Role, Square, attacks};
use tabiya_chess::castling::castled;

use super::flaws;
use crate::damage::Flaw;

/// What a pawn becomes, in the order of the codes.
pub(super) const PROMOTED: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// A position, as far as it decides which moves there are.
#[derive(Debug, Clone)]
pub(super) struct Men {
    pub(super) board: Board,
    pub(super) turn: Color,
    /// Rooks, all in corners, that may still castle.
    pub(super) rights: Bitboard,
    /// The square behind a pawn that has just made a double step, if a legal move captures it
    /// there. Only then the square counts among the targets of pawns.
    pub(super) en_passant: Option<Square>,
}

/// A man and where it can go. Pseudo-legal, castling even through check or other men.
#[derive(Debug, Clone, Copy)]
pub(super) struct Targets {
    pub(super) from: Square,
    pub(super) role: Role,
    squares: Bitboard,
    /// Rooks to castle with, the long side before the short one.
    rooks: Bitboard,
}

impl Targets {
    /// Whether the man is a pawn before its last rank.
    fn promotes(&self, turn: Color) -> bool {
        self.role == Role::Pawn && self.from.rank() == turn.relative_rank(Rank::Seventh)
    }
}

impl Men {
    /// Returns the number of men of the side to move.
    #[inline]
    pub(super) fn own_count(&self) -> usize {
        self.board.by_color(self.turn).count()
    }

    /// Returns where a man of the side to move can go, by its place among them.
    #[inline]
    pub(super) fn targets_of(&self, index: usize) -> Option<Targets> {
        let from = nth(self.board.by_color(self.turn), index)?;
        self.targets(from)
    }

    /// Returns where the man on a square can go; `None` without a man of the side to move.
    #[inline]
    pub(super) fn targets(&self, from: Square) -> Option<Targets> {
        let own = self.board.by_color(self.turn);
        let role = self.board.role_at(from).filter(|_| own.contains(from))?;
        let occupied = self.board.occupied();
        let (mut squares, mut rooks) = (Bitboard::EMPTY, Bitboard::EMPTY);
        if role == Role::Pawn {
            let others = occupied & !own;
            let captured = self.en_passant.map_or(others, |square| others.with(square));
            let up = self.turn.fold_wb(8, -8);
            squares = attacks::pawn_attacks(self.turn, from) & captured;
            let step = Bitboard::from_square(from).shift(up) & !occupied;
            squares |= step;
            if from.rank() == self.turn.relative_rank(Rank::Second) {
                squares |= step.shift(up) & !occupied;
            }
        } else {
            let piece = role.of(self.turn);
            squares |= attacks::attacks(from, piece, occupied) & !own;
            if role == Role::King {
                rooks = self.rights & self.turn.backrank();
            }
        }
        Some(Targets {
            from,
            role,
            squares,
            rooks,
        })
    }

    /// Returns the number of moves of a man.
    #[inline]
    pub(super) fn move_count(&self, targets: &Targets) -> usize {
        let squares = targets.squares.count();
        if targets.promotes(self.turn) {
            return 4 * squares;
        }
        squares + targets.rooks.count()
    }

    /// Returns one of the moves of a man by its number.
    #[inline]
    pub(super) fn numbered(&self, targets: &Targets, number: usize) -> Option<Move> {
        if targets.promotes(self.turn) {
            let to = nth(targets.squares, number / 4)?;
            return Some(self.normal(targets, to, Some(PROMOTED[number % 4])));
        }
        match nth(targets.squares, number) {
            Some(to) if targets.role == Role::Pawn && Some(to) == self.en_passant => {
                let from = targets.from;
                Some(Move::EnPassant { from, to })
            }
            Some(to) => Some(self.normal(targets, to, None)),
            None => {
                let rook = nth(targets.rooks, number - targets.squares.count())?;
                let king = targets.from;
                Some(Move::Castle { king, rook })
            }
        }
    }

    fn normal(&self, targets: &Targets, to: Square, promotion: Option<Role>) -> Move {
        Move::Normal {
            role: targets.role,
            from: targets.from,
            capture: self.board.role_at(to),
            to,
            promotion,
        }
    }

    /// Returns the move between two squares of this kind; castling goes to the rook's square.
    pub(super) fn between(&self, from: Square, to: Square, kind: Kind) -> Option<Move> {
        let targets = self.targets(from)?;
        let can_go = targets.squares.contains(to);
        let is_en_passant = targets.role == Role::Pawn && Some(to) == self.en_passant;
        let promotes = targets.promotes(self.turn);
        match kind {
            Kind::Normal if can_go && !is_en_passant && !promotes => {
                Some(self.normal(&targets, to, None))
            }
            Kind::Promotion(role) if can_go && promotes => {
                Some(self.normal(&targets, to, Some(role)))
            }
            Kind::Castling if targets.rooks.contains(to) => Some(Move::Castle {
                king: from,
                rook: to,
            }),
            Kind::EnPassant if can_go && is_en_passant => Some(Move::EnPassant { from, to }),
            _ => None,
        }
    }

    /// Plays one of the moves that this position gives.
    ///
    /// # Errors
    /// If it is illegal: it leaves the king in check, or castles through men or checks.
    #[inline]
    pub(super) fn play(&mut self, played: Move) -> Result<(), Flaw> {
        let turn = self.turn;
        let mut double_step = None;
        match played {
            Move::Castle { king, rook } => {
                if !self.may_castle(king, rook) {
                    return Err(flaws::ILLEGAL_MOVE);
                }
                let (king_to, rook_to) = castled(king, rook);
                self.board.discard_piece_at(king);
                self.board.discard_piece_at(rook);
                self.board.set_piece_at(king_to, Role::King.of(turn));
                self.board.set_piece_at(rook_to, Role::Rook.of(turn));
                self.rights &= !Bitboard::from(turn.backrank());
            }
            Move::EnPassant { from, to } => capture_en_passant(&mut self.board, from, to, turn),
            Move::Normal {
                role,
                from,
                to,
                promotion,
                ..
            } => {
                self.board.discard_piece_at(from);
                let role_there = promotion.unwrap_or(role);
                self.board.set_piece_at(to, role_there.of(turn));
                self.rights &= !(Bitboard::from_square(from) | Bitboard::from_square(to));
                if role == Role::King {
                    self.rights &= !Bitboard::from(turn.backrank());
                }
                if role == Role::Pawn && from.distance(to) == 2 {
                    double_step = from.offset(turn.fold_wb(8, -8));
                }
            }
            Move::Put { .. } => return Err(flaws::ILLEGAL_MOVE),
        }
        if is_in_check(&self.board, turn) {
            return Err(flaws::ILLEGAL_MOVE);
        }
        self.turn = turn.other();
        self.en_passant = double_step.filter(|&square| self.is_capturable(square));
        Ok(())
    }

    /// Whether the squares between king and rook are empty and those that the king passes are not
    /// attacked.
    fn may_castle(&self, king: Square, rook: Square) -> bool {
        let occupied = self.board.occupied();
        let side = CastlingSide::from_king_side(king < rook);
        let king_to = Square::from_coords(side.king_to_file(), king.rank());
        let path = attacks::between(king, king_to).with(king).with(king_to);
        let attacked = |square| {
            let attackers = self.board.attacks_to(square, self.turn.other(), occupied);
            attackers.any()
        };
        (attacks::between(king, rook) & occupied).is_empty() && !path.into_iter().any(attacked)
    }

    /// Whether a legal move of the side to move captures en passant on a square.
    pub(super) fn is_capturable(&self, square: Square) -> bool {
        let own = self.board.by_piece(Role::Pawn.of(self.turn));
        let from = attacks::pawn_attacks(self.turn.other(), square) & own;
        from.into_iter().any(|from| {
            let mut after = self.board.clone();
            capture_en_passant(&mut after, from, square, self.turn);
            !is_in_check(&after, self.turn)
        })
    }
}

/// How a move is stored in a stem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Normal,
    Promotion(Role),
    Castling,
    EnPassant,
}

fn capture_en_passant(board: &mut Board, from: Square, to: Square, turn: Color) {
    board.discard_piece_at(from);
    board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
    board.set_piece_at(to, Role::Pawn.of(turn));
}

/// Whether a king is attacked.
#[inline]
pub(super) fn is_in_check(board: &Board, color: Color) -> bool {
    let occupied = board.occupied();
    let king = board.by_piece(Piece {
        color,
        role: Role::King,
    });
    king.first()
        .is_some_and(|king| board.attacks_to(king, color.other(), occupied).any())
}

/// Returns the square with this index in ascending order.
#[inline]
fn nth(mut squares: Bitboard, index: usize) -> Option<Square> {
    for _ in 0..index.min(64) {
        squares.discard_first();
    }
    squares.first()
}
