//! Men that are lost wherever they go, and attacks that the last move has uncovered.

use shakmaty::{Bitboard, Board, Color, Position as _, Role, Square, attacks};

use tabiya_chess::Man;

use super::boards::Boards;

/// Returns what a man is worth; kings above all.
const fn worth(role: Role) -> i32 {
    match role {
        Role::King => i32::MAX,
        other => Man::new(Color::White, other).points(),
    }
}

/// Returns whether a man is attacked by one that is worth less, or attacked and not defended.
fn is_in_danger(board: &Board, square: Square, color: Color, role: Role) -> bool {
    let attackers = board.attacks_to(square, color.other(), board.occupied());
    let worth_less = |attacker: Square| {
        board
            .role_at(attacker)
            .is_some_and(|attacker| worth(attacker) < worth(role))
    };
    attackers.any()
        && (attackers.into_iter().any(worth_less)
            || board.attacks_to(square, color, board.occupied()).is_empty())
}

impl Boards {
    /// Returns whether one of some men of the side to move is trapped.
    pub(super) fn traps(&self, men: u64) -> bool {
        if men == 0 || self.is_check() {
            return false;
        }
        let color = self.turn;
        let enemies = super::relation::Attackers::new(self, self.side(color.other()));
        let mut attacked = Bitboard(men)
            .into_iter()
            .filter(|&square| enemies.attack(square));
        let Some(first) = attacked.next() else {
            return false;
        };
        let Some(position) = self.position() else {
            return false;
        };
        let moves = position.legal_moves();
        let is_trapped = |square: Square| {
            let Some(role) = position.board().role_at(square) else {
                return false;
            };
            !matches!(role, Role::King | Role::Pawn)
                && is_in_danger(position.board(), square, color, role)
                && moves
                    .iter()
                    .filter(|played| played.from() == Some(square))
                    .all(|played| {
                        let gains = played
                            .capture()
                            .is_some_and(|taken| worth(taken) >= worth(role));
                        !gains && {
                            let mut after = position.clone();
                            after.play_unchecked(*played);
                            is_in_danger(after.board(), played.to(), color, role)
                        }
                    })
        };
        is_trapped(first) || attacked.any(is_trapped)
    }

    /// Returns whether a sliding man of the first squares, of the side that has moved last, attacks
    /// a man on the others, both of which have stood there before, and did not before the move.
    pub(super) fn discovers(&self, by: u64, on: u64) -> bool {
        let Some((last, moved)) = self.last().and_then(|last| Some((last, last.moved?))) else {
            return false;
        };
        let (mut left, mut arrived) = (0, 0);
        for (from, to) in [Some(moved), last.rook].into_iter().flatten() {
            // In Chess960 a man may castle without leaving its square.
            if from.square_index() != to.square_index() {
                left |= 1_u64 << from.square_index();
                arrived |= 1_u64 << to.square_index();
            }
        }
        let captured = last.captured.map_or(0, |square| 1_u64 << square);
        let before = self.occupied() & !arrived | left | captured;
        let targets = on & !arrived;
        let mut sliders = self.sliders(by & self.side(self.turn.other()) & !arrived);
        sliders.any(|(slider, line)| {
            let targets = Bitboard(u64::from(line) & targets);
            targets.into_iter().any(|target| {
                let between = u64::from(attacks::between(slider, target));
                between & self.occupied() == 0 && between & before != 0
            })
        })
    }
}
