//! The men on their squares, and playing moves given by two squares.

use super::flaws;
use shakmaty::{Color, Role, Setup, Square};
use tabiya_chess::{Follow, Man, Placed};

use crate::damage::Flaw;

/// An empty square of [`Men`].
const EMPTY: u8 = 0xff;
/// Maximum men of a side in a start position.
const MEN_MAX: usize = 16;

/// The man on each square, as [`Man::index`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Men([u8; 64]);

/// The standard start position.
pub(super) static STANDARD: Men = standard();

const fn standard() -> Men {
    const BACK: [u8; 8] = [2, 4, 3, 1, 0, 3, 4, 2];
    let mut men = [EMPTY; 64];
    let mut file = 0;
    while file < 8 {
        men[file] = BACK[file];
        men[8 + file] = 5;
        men[48 + file] = 11;
        men[56 + file] = BACK[file] + 6;
        file += 1;
    }
    Men(men)
}

impl Men {
    /// Returns the men of a start position, if it is playable.
    pub(super) fn from_setup(setup: &Setup) -> Result<Men, Flaw> {
        let board = &setup.board;
        for color in Color::ALL {
            let side = board.by_color(color);
            if (board.kings() & side).count() != 1 {
                return Err(flaws::START_KINGS);
            }
            if side.count() > MEN_MAX {
                return Err(flaws::START_TOO_MANY_MEN);
            }
        }
        if (board.pawns() & shakmaty::Bitboard::BACKRANKS).any() {
            return Err(flaws::START_PAWN_RANK);
        }
        let mut men = [EMPTY; 64];
        for (square, piece) in board.clone() {
            men[square as usize] = Man::from(piece).index() as u8;
        }
        Ok(Men(men))
    }

    #[inline(always)]
    fn at(&self, square: u8) -> u8 {
        self.0[usize::from(square & 63)]
    }

    /// Plays a move: bits 14 to 12 promotion, 11 to 6 from, 5 to 0 to.
    #[inline(always)]
    pub(super) fn play<F: Follow>(
        &mut self,
        turn: Color,
        bits: u16,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        let (from, to) = ((bits >> 6 & 63) as u8, (bits & 63) as u8);
        let (man, victim) = (self.at(from), self.at(to));
        let own = if turn.is_white() { 0..6 } else { 6..12 };
        if !own.contains(&man) {
            return Err(flaws::NOT_A_MAN_TO_MOVE);
        }
        if own.contains(&victim) || from == to {
            return Err(flaws::CAPTURES_OWN_MAN);
        }
        let leap = (from & 7).abs_diff(to & 7);
        let kind = man - own.start;
        if kind == 0 && leap > 1 {
            return self.castle(man, from, to, follow);
        }
        if victim != EMPTY {
            self.take(victim, to, follow)?;
        } else if kind == 5 && leap != 0 {
            self.take_en_passant(own.start, from, to, follow)?;
        }
        self.shift(man, from, to, follow);
        if kind == 5 && matches!(to >> 3, 0 | 7) {
            return self.promote(man, to, (bits >> 12) as u8, follow);
        }
        match bits >> 12 {
            0 => Ok(()),
            _ => Err(flaws::PROMOTION_ELSEWHERE),
        }
    }

    #[inline(always)]
    fn shift<F: Follow>(&mut self, man: u8, from: u8, to: u8, follow: &mut F) {
        self.0[usize::from(from & 63)] = EMPTY;
        self.0[usize::from(to & 63)] = man;
        follow.moved(placed(man, from), placed(man, to));
    }

    #[inline(always)]
    fn take<F: Follow>(&mut self, victim: u8, square: u8, follow: &mut F) -> Result<(), Flaw> {
        if victim.is_multiple_of(6) {
            return Err(flaws::KING_CAPTURED);
        }
        self.0[usize::from(square & 63)] = EMPTY;
        follow.remove(placed(victim, square));
        Ok(())
    }

    #[cold]
    fn take_en_passant<F: Follow>(
        &mut self,
        own_start: u8,
        from: u8,
        to: u8,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        let square = from & 56 | to & 7;
        let enemy_pawn = 6 - own_start + 5;
        if self.at(square) == enemy_pawn {
            self.take(enemy_pawn, square, follow)
        } else {
            Err(flaws::PAWN_CAPTURES_NOTHING)
        }
    }

    #[cold]
    fn promote<F: Follow>(
        &mut self,
        pawn: u8,
        square: u8,
        code: u8,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        let role = promotion(code).ok_or(flaws::PAWN_BECOMES_NOTHING)?;
        let color = if pawn < 6 { Color::White } else { Color::Black };
        let man = Man::new(color, role).index() as u8;
        self.0[usize::from(square & 63)] = man;
        follow.remove(placed(pawn, square));
        follow.place(placed(man, square));
        Ok(())
    }

    /// Castles: the king moves two squares from the e-file, the rook comes from its corner.
    #[cold]
    fn castle<F: Follow>(
        &mut self,
        king: u8,
        from: u8,
        to: u8,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        let rank = if king == 0 { 0 } else { 56 };
        let (corner, rook_to) = match to.checked_sub(rank) {
            Some(6) => (rank | 7, rank | 5),
            Some(2) => (rank, rank | 3),
            _ => return Err(flaws::KING_LEAPS),
        };
        if from != rank | 4 || self.at(corner) != king + 2 {
            return Err(flaws::CASTLING_MISPLACED);
        }
        if self.at(to) != EMPTY || self.at(rook_to) != EMPTY {
            return Err(flaws::CASTLING_THROUGH_MEN);
        }
        self.shift(king, from, to, follow);
        self.shift(king + 2, corner, rook_to, follow);
        Ok(())
    }
}

/// Returns the promotion of a code. The published description counts from 1, every known program
/// from 2. No file indicates which it uses, so 1 is damage, but only of its own game.
pub(super) fn promotion(code: u8) -> Option<Role> {
    match code {
        2 => Some(Role::Knight),
        3 => Some(Role::Bishop),
        4 => Some(Role::Rook),
        5 => Some(Role::Queen),
        _ => None,
    }
}

#[inline(always)]
fn placed(man: u8, square: u8) -> Placed {
    let man = Man::from_index(usize::from(man)).unwrap_or(Man::ALL[0]);
    Placed::new(man, Square::new(u32::from(square & 63)))
}
