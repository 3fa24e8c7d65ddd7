//! The men on their squares, and playing the moves that words name.

use shakmaty::{Bitboard, Color, Setup, Square};
use tabiya_chess::{Counts, Follow, Man, Placed, castling::castled};

use super::{
    codes::{Move, NOBODY},
    flaws,
};
use crate::damage::Flaw;

/// Maximum men of a side in a start position.
const MEN_MAX: usize = 16;
const KING: u8 = 0;
const ROOK: u8 = 2;
const PAWN: u8 = 5;

/// The number of White's king, and of Black's: what the men of a side are counted from.
pub(super) type Side = u8;
pub(super) const WHITE: Side = 0;
pub(super) const BLACK: Side = 6;

/// Where rooks castle from: White's queen's and king's rook, then Black's.
pub(super) type Homes = [Option<Square>; 4];

/// Ordinary chess.
pub(super) const STANDARD_HOMES: Homes = [
    Some(Square::A1),
    Some(Square::H1),
    Some(Square::A8),
    Some(Square::H8),
];

/// The man on each square, as [`Man::index`], or [`NOBODY`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Men([u8; 64]);

/// The standard start position.
pub(super) static STANDARD: Men = standard();

const fn standard() -> Men {
    const BACK: [u8; 8] = [2, 4, 3, 1, 0, 3, 4, 2];
    let mut men = [NOBODY; 64];
    let mut file = 0;
    while file < 8 {
        men[file] = BACK[file];
        men[8 + file] = PAWN;
        men[48 + file] = PAWN + BLACK;
        men[56 + file] = BACK[file] + BLACK;
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
        let mut men = [NOBODY; 64];
        for (square, piece) in board.clone() {
            men[square as usize] = Man::from(piece).index() as u8;
        }
        Ok(Men(men))
    }

    /// Counts the men of each kind.
    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        let men = self.0.iter();
        let men = men.filter_map(|&man| Man::from_index(man.into()));
        men.for_each(|man| counts.add(man));
        counts
    }

    #[inline(always)]
    pub(super) fn at(&self, square: u8) -> u8 {
        self.0[usize::from(square & 63)]
    }

    #[inline(always)]
    fn put(&mut self, square: u8, man: u8) {
        self.0[usize::from(square & 63)] = man;
    }

    /// Plays a move and passes its changes to the follower.
    #[inline(always)]
    pub(super) fn play<F: Follow>(
        &mut self,
        side: Side,
        played: Move,
        homes: &Homes,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        let (man, from, to) = (played.man(), played.from(), played.to());
        if man.wrapping_sub(side) > PAWN {
            return Err(if man == NOBODY {
                flaws::UNKNOWN_WORD
            } else {
                flaws::NOT_ITS_TURN
            });
        }
        if !played.is_plain() {
            return self.play_special(side, played, homes, follow);
        }
        let victim = played.victim();
        if self.at(from) != man {
            return Err(flaws::NO_SUCH_MAN);
        }
        if self.at(to) != victim {
            return Err(flaws::OTHER_CAPTURE);
        }
        if victim != NOBODY {
            follow.remove(placed(victim, to));
        }
        self.shift(man, from, to, follow);
        match played.becomes() {
            0 => {}
            new => {
                self.put(to, new);
                follow.remove(placed(man, to));
                follow.place(placed(new, to));
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn shift<F: Follow>(&mut self, man: u8, from: u8, to: u8, follow: &mut F) {
        self.put(from, NOBODY);
        self.put(to, man);
        follow.moved(placed(man, from), placed(man, to));
    }

    #[cold]
    fn play_special<F: Follow>(
        &mut self,
        side: Side,
        played: Move,
        homes: &Homes,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        if let Some(king_side) = played.castling() {
            return self.castle(side, king_side, homes, follow);
        }
        debug_assert!(played.is_en_passant());
        let (man, from, to) = (played.man(), played.from(), played.to());
        let (victim, square) = (PAWN + BLACK - side, from & 56 | to & 7);
        if self.at(from) != man {
            return Err(flaws::NO_SUCH_MAN);
        }
        if self.at(to) != NOBODY || self.at(square) != victim {
            return Err(flaws::PAWN_CAPTURES_NOTHING);
        }
        self.put(square, NOBODY);
        follow.remove(placed(victim, square));
        self.shift(man, from, to, follow);
        Ok(())
    }

    fn castle<F: Follow>(
        &mut self,
        side: Side,
        king_side: bool,
        homes: &Homes,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        let (king, rook) = (KING + side, ROOK + side);
        let home = homes[usize::from(king_side) + if side == WHITE { 0 } else { 2 }];
        let rook_at = home.filter(|&home| self.at(home as u8) == rook);
        let back_rank = Bitboard::from_rank(Color::from_white(side == WHITE).backrank());
        let king_at = back_rank
            .into_iter()
            .find(|&square| self.at(square as u8) == king);
        let Some((king_at, rook_at)) = king_at.zip(rook_at) else {
            return Err(flaws::CASTLING_MISPLACED);
        };
        if (king_at < rook_at) != king_side {
            return Err(flaws::CASTLING_MISPLACED);
        }
        let (king_to, rook_to) = castled(king_at, rook_at);
        self.put(king_at as u8, NOBODY);
        self.put(rook_at as u8, NOBODY);
        if self.at(king_to as u8) != NOBODY || self.at(rook_to as u8) != NOBODY {
            return Err(flaws::CASTLING_THROUGH_MEN);
        }
        self.put(king_to as u8, king);
        self.put(rook_to as u8, rook);
        follow.moved(placed(king, king_at as u8), placed(king, king_to as u8));
        follow.moved(placed(rook, rook_at as u8), placed(rook, rook_to as u8));
        Ok(())
    }
}

/// Returns a man, as its index, on a square.
#[inline(always)]
fn placed(man: u8, square: u8) -> Placed {
    let man = Man::from_index(usize::from(man)).unwrap_or(Man::ALL[0]);
    Placed::new(man, Square::new(u32::from(square & 63)))
}
