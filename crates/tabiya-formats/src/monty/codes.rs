//! Moves in 16 bits: from square in bits 15 to 10, to square in bits 9 to 4, kind in 3 to 0.

use shakmaty::{CastlingSide, Color, Move, Rank, Role, Square};

use super::men::Men;

const QUIET: u16 = 0;
const DOUBLE_STEP: u16 = 1;
const CASTLES_KING_SIDE: u16 = 2;
const CASTLES_QUEEN_SIDE: u16 = 3;
const CAPTURE: u16 = 4;
const EN_PASSANT: u16 = 5;
/// The first of four: knight, bishop, rook, queen. [`CAPTURE`] is added for captures.
const PROMOTION: u16 = 8;

/// Promotion roles, in the order of the codes.
const PROMOTED: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Decodes a move. `rook_files` are those of the game's header. `None` if there is no such move
/// with these men; legality is not checked.
#[inline]
pub(super) fn decode(code: u16, men: &Men, turn: Color, rook_files: [u8; 4]) -> Option<Move> {
    let from = Square::new(u32::from(code >> 10));
    let to = Square::new(u32::from(code >> 4 & 63));
    let man = men.at(from).filter(|man| man.color() == turn)?;
    let role = man.role();
    let played = match code & 15 {
        kind @ (CASTLES_KING_SIDE | CASTLES_QUEEN_SIDE) => {
            let side = usize::from(kind == CASTLES_KING_SIDE);
            let file = rook_files[turn.fold_wb(0, 2) + side];
            Move::Castle {
                king: from,
                rook: Square::from_coords(shakmaty::File::new(file.into()), from.rank()),
            }
        }
        EN_PASSANT => Move::EnPassant { from, to },
        kind => Move::Normal {
            role,
            from,
            capture: men.at(to).map(|man| man.role()),
            to,
            promotion: (kind >= PROMOTION).then(|| PROMOTED[usize::from(kind & 3)]),
        },
    };
    let is_own = men.at(to).is_some_and(|man| man.color() == turn);
    let may_be_own = matches!(played, Move::Castle { .. });
    let fits = encode(played) == code && men.allow(played, turn) && (may_be_own || !is_own);
    fits.then_some(played)
}

/// Returns the 16 bits of a move.
pub(super) fn encode(played: Move) -> u16 {
    let (from, to, kind) = match played {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            let to = Square::from_coords(side.king_to_file(), king.rank());
            (
                king,
                to,
                match side {
                    CastlingSide::KingSide => CASTLES_KING_SIDE,
                    CastlingSide::QueenSide => CASTLES_QUEEN_SIDE,
                },
            )
        }
        Move::EnPassant { from, to } => (from, to, EN_PASSANT),
        Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        } => {
            let capture = if capture.is_some() { CAPTURE } else { QUIET };
            let promoted = PROMOTED.iter().position(|&role| Some(role) == promotion);
            let kind = match promoted {
                Some(index) => PROMOTION + index as u16,
                None if role == Role::Pawn && is_double_step(from, to) => DOUBLE_STEP,
                None => QUIET,
            };
            (from, to, kind + capture)
        }
        Move::Put { to, .. } => (to, to, QUIET),
    };
    (from as u16) << 10 | (to as u16) << 4 | kind
}

fn is_double_step(from: Square, to: Square) -> bool {
    let ranks = (from.rank(), to.rank());
    from.file() == to.file()
        && matches!(
            ranks,
            (Rank::Second, Rank::Fourth) | (Rank::Seventh, Rank::Fifth)
        )
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Chess, Position, fen::Fen};

    use tabiya_chess::{Follow, Start};

    use super::*;

    /// From the examples in the published description, as written by the reference program.
    #[test]
    fn moves_have_the_codes_of_the_reference_program() {
        let code = |from: u16, to: u16, kind: u16| from << 10 | to << 4 | kind;
        assert_eq!(
            [code(6, 21, 0), code(12, 28, 1), code(12, 4, 14)],
            [6480, 12737, 12366]
        );
    }

    #[test]
    fn every_legal_move_is_read_as_it_was_written() {
        for fen in [
            "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1",
            "rkqrbbnn/pppppppp/8/8/8/8/PPPP1PPP/RKQRBBNN w KQkq - 0 1",
            "4k3/8/8/3pP3/8/8/8/RK5R w HA d6 0 1",
        ] {
            let setup = fen.parse::<Fen>().unwrap().into_setup();
            let position: Chess = setup.clone().position(CastlingMode::Chess960).unwrap();
            let mut men = Men::new();
            let _ = men.start(Start::Custom(&setup));
            let files = super::super::header::Head::of(&setup, 1).rook_files;
            for played in position.legal_moves() {
                let code = encode(played);
                assert_eq!(decode(code, &men, setup.turn, files), Some(played), "{fen}");
            }
        }
    }
}
