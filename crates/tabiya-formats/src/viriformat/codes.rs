//! Moves in 16 bits: from square in bits 0 to 5, to square in 6 to 11, promotion in 12 and 13, kind
//! in 14 and 15. Castling goes from the king to its rook.

use shakmaty::{Color, Move, Role, Square};

use crate::monty::Men;

const NORMAL: u16 = 0;
const EN_PASSANT: u16 = 1;
const CASTLING: u16 = 2;
const PROMOTION: u16 = 3;

/// Promotion roles, in the order of the codes.
const PROMOTED: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Decodes a move. `None` if there is no such move with these men; legality is not checked.
#[inline]
pub(super) fn decode(code: u16, men: &Men, turn: Color) -> Option<Move> {
    let from = Square::new(u32::from(code & 63));
    let to = Square::new(u32::from(code >> 6 & 63));
    let role = men.at(from).filter(|man| man.color() == turn)?.role();
    let played = match code >> 14 {
        EN_PASSANT => Move::EnPassant { from, to },
        CASTLING => Move::Castle {
            king: from,
            rook: to,
        },
        kind => Move::Normal {
            role,
            from,
            capture: men.at(to).map(|man| man.role()),
            to,
            promotion: (kind == PROMOTION).then(|| PROMOTED[usize::from(code >> 12 & 3)]),
        },
    };
    let is_own = men.at(to).is_some_and(|man| man.color() == turn);
    let may_be_own = matches!(played, Move::Castle { .. });
    let fits = encode(played) == code && men.allow(played, turn) && (may_be_own || !is_own);
    fits.then_some(played)
}

/// Returns the 16 bits of a move.
pub(super) fn encode(played: Move) -> u16 {
    let (from, to, promotion, kind) = match played {
        Move::Castle { king, rook } => (king, rook, 0, CASTLING),
        Move::EnPassant { from, to } => (from, to, 0, EN_PASSANT),
        Move::Normal {
            from,
            to,
            promotion,
            ..
        } => match PROMOTED.iter().position(|&role| Some(role) == promotion) {
            Some(index) => (from, to, index as u16, PROMOTION),
            None => (from, to, 0, NORMAL),
        },
        Move::Put { to, .. } => (to, to, 0, NORMAL),
    };
    from as u16 | (to as u16) << 6 | promotion << 12 | kind << 14
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Chess, Position, fen::Fen};

    use super::*;
    use tabiya_chess::{Follow, Start};

    #[test]
    fn every_legal_move_is_read_as_it_was_written() {
        for fen in [
            "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1",
            "rkqrbbnn/pppppppp/8/8/8/8/PPPPPPPP/RKQRBBNN w KQkq - 0 1",
            "4k3/8/8/3pP3/8/8/8/RK5R w HA d6 0 1",
        ] {
            let setup = fen.parse::<Fen>().expect("a position").into_setup();
            let position = setup.clone().position::<Chess>(CastlingMode::Chess960);
            let mut men = Men::new();
            let _ = men.start(Start::Custom(&setup));
            for played in position.expect("a legal position").legal_moves() {
                let code = encode(played);
                assert_eq!(decode(code, &men, setup.turn), Some(played), "{fen}");
            }
        }
    }

    #[test]
    fn moves_that_no_man_can_make_are_refused() {
        let mut men = Men::new();
        let _ = men.start(Start::Standard);
        let code = |from: u16, to: u16, rest: u16| from | to << 6 | rest << 12;
        let read = |code| decode(code, &men, Color::White);
        assert!(read(code(12, 28, 0)).is_some());
        for wrong in [
            code(0, 0, 0),
            code(28, 36, 0),
            code(52, 36, 0),
            code(0, 8, 0),
            code(12, 28, 1),
            code(12, 21, 4),
            code(4, 6, 8),
            code(1, 18, 12),
        ] {
            assert_eq!(read(wrong), None, "{wrong:#x}");
        }
    }
}
