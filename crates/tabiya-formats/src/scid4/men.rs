//! The piece lists of both sides and how move bytes change them.
//!
//! Each side's men have numbers 0 to 15, which they keep through the game, but a captured man's
//! number goes to the man with the highest number of that side. Number 0 is always the king.
//!
//! One file because every kind of move changes both tables of [`Pieces`], which agree only after
//! it.

use shakmaty::{Bitboard, Color, Role, Setup, Square};
use tabiya_chess::{Follow, Man, Placed, rays::DIAGONAL};

use super::{
    codes::{self, NO_CODE, PAWN_STEPS},
    flaws,
};
use crate::damage::Flaw;

/// The meaning of one byte of the move section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A move, which has been played.
    Move,
    /// A NAG follows in the next byte.
    Nag,
    /// A comment belongs here.
    Comment,
    /// A variation starts.
    Variation,
    /// The variation ends.
    VariationEnd,
    /// The game ends.
    GameEnd,
}

impl Step {
    /// Converts a result of [`codes::target`]; `None` for moves and invalid values.
    #[inline(always)]
    fn token(value: u8) -> Option<Step> {
        match value {
            codes::NAG => Some(Step::Nag),
            codes::COMMENT => Some(Step::Comment),
            codes::VARIATION => Some(Step::Variation),
            codes::VARIATION_END => Some(Step::VariationEnd),
            codes::GAME_END => Some(Step::GameEnd),
            _ => None,
        }
    }
}

/// Whether a byte is a move and no [mark](Step::token): those are codes of the king, who has number
/// 0, beyond his moves.
#[inline(always)]
pub(super) fn is_move(byte: u8) -> bool {
    !(11..=15).contains(&byte)
}

/// No man: an empty square of [`Pieces::board`].
const EMPTY: u8 = 0xff;

/// All men of both sides by number. The caller keeps track of the side to move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pieces {
    /// Indexed by slot: number, plus 16 for Black.
    list: [Placed; 32],
    /// Slot of the man on each square, or [`EMPTY`].
    board: [u8; 64],
    /// Number of men of each side.
    count: [u8; 2],
    castling: Castling,
}

/// Squares from which kings and rooks castle, by colour; the a-side rook before the h-side one.
/// Constant through a game, because castling men have not moved before.
#[derive(Debug, Clone, Copy)]
struct Castling {
    kings: [u8; 2],
    rooks: [[u8; 2]; 2],
}

impl Castling {
    const STANDARD: Castling = Castling {
        kings: [4, 60],
        rooks: [[0, 7], [56, 63]],
    };

    /// Returns the standard squares, unless the start position grants rights to other men, as in
    /// Chess960.
    fn of(setup: &Setup) -> Castling {
        let mut castling = Castling::STANDARD;
        for (index, color) in [Color::White, Color::Black].into_iter().enumerate() {
            let back = Bitboard::from(color.backrank());
            let Some(king) = setup
                .board
                .king_of(color)
                .filter(|&king| back.contains(king))
            else {
                continue;
            };
            let rooks = setup.board.rooks() & setup.board.by_color(color) & back;
            for rook in rooks & setup.castling_rights {
                castling.kings[index] = king as u8;
                castling.rooks[index][usize::from(rook > king)] = rook as u8;
            }
        }
        castling
    }
}

/// The side to move: 0 for White, 16 for Black, so that `side | number` is a slot.
pub(super) type Side = u8;

pub(super) const WHITE: Side = 0;
pub(super) const BLACK: Side = 16;

/// Converts a colour to a side.
pub(super) fn side_of(color: Color) -> Side {
    if color.is_white() { WHITE } else { BLACK }
}

/// The standard start position with the numbers that the format assigns when a game has no FEN.
pub(super) static STANDARD: Pieces = standard();

const fn standard() -> Pieces {
    // King, a-rook, b-knight, c-bishop, queen, f-bishop, g-knight, h-rook.
    const FILES: [u8; 8] = [4, 0, 1, 2, 3, 5, 6, 7];
    const ROLES: [u8; 8] = [0, 2, 4, 3, 1, 3, 4, 2];
    let mut pieces = Pieces {
        list: [Placed::NONE; 32],
        board: [EMPTY; 64],
        count: [16; 2],
        castling: Castling::STANDARD,
    };
    let mut slot = 0;
    while slot < 32 {
        let (black, number) = (slot >= 16, slot % 16);
        let (kind, rank, file) = if number < 8 {
            (ROLES[number], if black { 7 } else { 0 }, FILES[number])
        } else {
            (5, if black { 6 } else { 1 }, number as u8 - 8)
        };
        let man = Man::ALL[kind as usize + if black { 6 } else { 0 }];
        let square = rank * 8 + file;
        pieces.list[slot] = Placed::new(man, Square::new(square as u32));
        pieces.board[square as usize] = slot as u8;
        slot += 1;
    }
    pieces
}

impl Pieces {
    /// Numbers the men of a position given as a FEN from rank 8 to rank 1, file a to file h.
    /// The king then swaps numbers with the man that got 0.
    pub(super) fn from_setup(setup: &Setup) -> Result<Pieces, Flaw> {
        let mut pieces = Pieces {
            list: [Placed::NONE; 32],
            board: [EMPTY; 64],
            count: [0; 2],
            castling: Castling::of(setup),
        };
        for rank in (0..8).rev() {
            for file in 0..8 {
                let square = Square::new(rank * 8 + file);
                if let Some(piece) = setup.board.piece_at(square) {
                    pieces.number(Placed::new(piece.into(), square))?;
                }
            }
        }
        for color in Color::ALL {
            let kings = setup.board.kings() & setup.board.by_color(color);
            if kings.count() != 1 {
                return Err(flaws::START_KINGS);
            }
        }
        Ok(pieces)
    }

    /// Assigns the next number of its side to a man of a start position.
    fn number(&mut self, placed: Placed) -> Result<(), Flaw> {
        let side = if placed.man().color().is_white() {
            0
        } else {
            16
        };
        let count = &mut self.count[side / 16];
        if *count >= 16 {
            return Err(flaws::START_TOO_MANY_MEN);
        }
        let mut slot = side + usize::from(*count);
        *count += 1;
        if placed.man().role() == Role::King && slot != side {
            let first = self.list[side];
            self.list[slot] = first;
            self.board[usize::from(first.square_index())] = slot as u8;
            slot = side;
        }
        self.list[slot] = placed;
        self.board[usize::from(placed.square_index())] = slot as u8;
        Ok(())
    }

    /// Executes the byte at `at` for the side to move, sets `at` after it and returns its meaning.
    /// On error `at` is unchanged.
    #[inline(always)]
    pub(super) fn step<F: Follow>(
        &mut self,
        side: Side,
        bytes: &[u8],
        at: &mut usize,
        follow: &mut F,
    ) -> Result<Step, Flaw> {
        let Some(&byte) = bytes.get(*at) else {
            return Err(flaws::GAME_ENDLESS);
        };
        let slot = side | byte >> 4;
        let mover = self.list[usize::from(slot & 31)];
        let to = codes::target(mover, byte & 15);
        if to < 64 {
            self.relocate(slot, mover, to, follow)?;
            *at += 1;
            return Ok(Step::Move);
        }
        if to == codes::QUEEN_DIAGONAL {
            let to = queen_diagonal(mover, bytes.get(*at + 1))?;
            self.relocate(slot, mover, to, follow)?;
            *at += 2;
            return Ok(Step::Move);
        }
        if let Some(token) = Step::token(to) {
            *at += 1;
            return Ok(token);
        }
        self.special(to, byte & 15, slot, mover, follow)?;
        *at += 1;
        Ok(Step::Move)
    }

    /// Takes over what changes in a game, from a position of the same game.
    #[inline(always)]
    pub(super) fn copy_men(&mut self, other: &Pieces) {
        // One by one: short enough to be copied without a call.
        self.list = other.list;
        self.board = other.board;
        self.count = other.count;
    }

    /// Plays an ordinary move or capture to a square and returns its byte; `None` if it is another
    /// move, or has two bytes. Then nothing is played.
    #[inline(always)]
    pub(super) fn play_plain<F: Follow>(
        &mut self,
        side: Side,
        from: Square,
        to: Square,
        follow: &mut F,
    ) -> Option<u8> {
        let slot = self.board[from as usize];
        let mover = self.list[usize::from(slot & 31)];
        let code = codes::code(mover, to);
        if slot & !15 != side || code == NO_CODE {
            return None;
        }
        self.relocate(slot, mover, to as u8, follow).ok()?;
        Some(slot << 4 | code)
    }

    /// Plays a diagonal move or capture of a queen and returns its bytes; `None` for other moves.
    /// Then nothing is played.
    #[inline(never)]
    pub(super) fn play_diagonal<F: Follow>(
        &mut self,
        side: Side,
        from: Square,
        to: Square,
        follow: &mut F,
    ) -> Option<[u8; 2]> {
        let slot = self.board[from as usize];
        let mover = self.list[usize::from(slot & 31)];
        let first = from as u8 & 7;
        let is_diagonal = codes::target(mover, first) == codes::QUEEN_DIAGONAL
            && DIAGONAL[from as usize].contains(to);
        if slot & !15 != side || !is_diagonal {
            return None;
        }
        self.relocate(slot, mover, to as u8, follow).ok()?;
        Some([slot << 4 | first, to as u8 + 64])
    }

    /// Moves a man and captures the man on its target square.
    #[inline(always)]
    fn relocate<F: Follow>(
        &mut self,
        slot: u8,
        mover: Placed,
        to: u8,
        follow: &mut F,
    ) -> Result<Placed, Flaw> {
        let victim = self.board[usize::from(to & 63)];
        if victim != EMPTY {
            self.capture(slot, victim, follow)?;
        }
        // The capture may have renumbered men of the other side only, so `slot` still holds.
        self.board[usize::from(mover.square_index())] = EMPTY;
        self.board[usize::from(to & 63)] = slot;
        let moved = mover.moved_to(to);
        self.list[usize::from(slot & 31)] = moved;
        follow.moved(mover, moved);
        Ok(moved)
    }

    /// Removes a man from the board and gives its number to the last man of its side.
    #[inline(always)]
    fn capture<F: Follow>(&mut self, by: u8, victim: u8, follow: &mut F) -> Result<(), Flaw> {
        let side = victim & 16;
        if side == by & 16 {
            return Err(flaws::CAPTURES_OWN_MAN);
        }
        if victim == side {
            return Err(flaws::KING_CAPTURED);
        }
        let gone = self.list[usize::from(victim & 31)];
        let count = &mut self.count[usize::from(side >> 4)];
        *count -= 1;
        let last = side | *count & 15;
        let renumbered = self.list[usize::from(last & 31)];
        // This order also works when the captured man is the last one.
        self.list[usize::from(victim & 31)] = renumbered;
        self.list[usize::from(last & 31)] = Placed::NONE;
        self.board[usize::from(renumbered.square_index())] = victim;
        self.board[usize::from(gone.square_index())] = EMPTY;
        follow.remove(gone);
        Ok(())
    }

    /// Plays any move that is not a plain one. The cold half of `step`, kept out of line.
    #[inline(never)]
    fn special<F: Follow>(
        &mut self,
        kind: u8,
        code: u8,
        slot: u8,
        mover: Placed,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        match kind {
            codes::NULL => Ok(()),
            codes::PERHAPS_EN_PASSANT => self.pawn_to_sixth(code, slot, mover, follow),
            codes::PROMOTION => self.promote(code, slot, mover, follow),
            codes::CASTLE_A | codes::CASTLE_H => {
                self.castle(kind == codes::CASTLE_H, slot, mover, follow)
            }
            _ => Err(flaws::UNKNOWN_MOVE),
        }
    }

    /// Plays a diagonal pawn move to the sixth rank: a capture, en passant if the square is empty.
    fn pawn_to_sixth<F: Follow>(
        &mut self,
        code: u8,
        slot: u8,
        mover: Placed,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        let to = pawn_target(code, slot, mover);
        if self.board[usize::from(to & 63)] == EMPTY {
            let behind = to ^ 8;
            let victim = self.board[usize::from(behind & 63)];
            let is_pawn = |slot: u8| self.list[usize::from(slot & 31)].man().role() == Role::Pawn;
            if victim == EMPTY || !is_pawn(victim) {
                return Err(flaws::PAWN_CAPTURES_NOTHING);
            }
            self.capture(slot, victim, follow)?;
        }
        self.relocate(slot, mover, to, follow)?;
        Ok(())
    }

    fn promote<F: Follow>(
        &mut self,
        code: u8,
        slot: u8,
        mover: Placed,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        let to = pawn_target(code, slot, mover);
        let moved = self.relocate(slot, mover, to, follow)?;
        let role = match code / 3 {
            1 => Role::Queen,
            2 => Role::Rook,
            3 => Role::Bishop,
            _ => Role::Knight,
        };
        let promoted = Placed::new(Man::new(mover.man().color(), role), moved.square());
        self.list[usize::from(slot & 31)] = promoted;
        follow.remove(moved);
        follow.place(promoted);
        Ok(())
    }

    /// Castles. In Chess960 king and rook may pass each other.
    fn castle<F: Follow>(
        &mut self,
        kingside: bool,
        slot: u8,
        king: Placed,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        let color = usize::from(slot >> 4 & 1);
        let rook_from = self.castling.rooks[color][usize::from(kingside)];
        let rook_slot = self.board[usize::from(rook_from & 63)];
        let rook = match rook_slot {
            EMPTY => return Err(flaws::CASTLING_WITHOUT_ROOK),
            _ => self.list[usize::from(rook_slot & 31)],
        };
        let is_own_rook = rook.man().role() == Role::Rook && rook_slot & 16 == slot & 16;
        if !is_own_rook || king.square_index() != self.castling.kings[color] {
            return Err(flaws::CASTLING_MISPLACED);
        }
        let rank = rook_from & 56;
        let (king_to, rook_to) = if kingside {
            (rank | 6, rank | 5)
        } else {
            (rank | 2, rank | 3)
        };
        for target in [king_to, rook_to] {
            let there = self.board[usize::from(target & 63)];
            if there != EMPTY && there != slot && there != rook_slot {
                return Err(flaws::CASTLING_THROUGH_MEN);
            }
        }
        for man in [king, rook] {
            self.board[usize::from(man.square_index())] = EMPTY;
        }
        for (slot, man, to) in [(slot, king, king_to), (rook_slot, rook, rook_to)] {
            let moved = man.moved_to(to);
            self.board[usize::from(to & 63)] = slot;
            self.list[usize::from(slot & 31)] = moved;
            follow.moved(man, moved);
        }
        Ok(())
    }

    /// Returns the wing of this castling, true for the h-side; `None` if king or rook are not on
    /// castling squares.
    pub(super) fn castling_side(&self, side: Side, king: Square, rook: Square) -> Option<bool> {
        let color = usize::from(side >> 4 & 1);
        let rooks = self.castling.rooks[color];
        let kingside = rooks.iter().position(|&home| home == rook as u8)? == 1;
        (self.castling.kings[color] == king as u8).then_some(kingside)
    }

    /// Returns the man with this number and its square.
    pub(super) fn placed(&self, side: Side, number: u8) -> Placed {
        self.list[usize::from((side | number) & 31)]
    }

    /// Returns the number of this side's man on a square, if there is one.
    pub(super) fn number_at(&self, side: Side, square: Square) -> Option<u8> {
        let slot = self.board[square as usize];
        (slot != EMPTY && slot & 16 == side).then_some(slot & 15)
    }
}

/// Returns the target of a queen's diagonal move, given by the second byte.
#[inline(always)]
fn queen_diagonal(mover: Placed, second: Option<&u8>) -> Result<u8, Flaw> {
    let to = match second {
        Some(&byte @ 64..128) => byte - 64,
        _ => return Err(flaws::QUEEN_MOVE_CUT),
    };
    let from = mover.square_index();
    let files = (from & 7).abs_diff(to & 7);
    if files == 0 || files != (from >> 3).abs_diff(to >> 3) {
        return Err(flaws::QUEEN_NO_DIAGONAL);
    }
    Ok(to)
}

/// Returns the target of a pawn move other than a double step. The table has checked that it
/// exists.
fn pawn_target(code: u8, slot: u8, mover: Placed) -> u8 {
    let step = PAWN_STEPS[usize::from(code % 3)];
    let step = if slot & 16 == 0 { step } else { -step };
    mover.square_index().wrapping_add_signed(step) & 63
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::follow::Ignore;

    #[test]
    fn a_capture_gives_its_number_to_the_last_man() {
        let setup: shakmaty::fen::Fen = "4k3/8/8/3p4/4P3/8/8/R3K2R w KQ - 0 1".parse().unwrap();
        let mut pieces = Pieces::from_setup(setup.as_setup()).unwrap();
        // Black: king 0 (met first), pawn 1. White: the e-pawn takes 2, its 0 goes to the king.
        let white = side_of(Color::White);
        assert_eq!(pieces.number_at(white, Square::E1), Some(0));
        assert_eq!(pieces.number_at(white, Square::E4), Some(2));
        assert_eq!(pieces.number_at(white, Square::A1), Some(1));
        assert_eq!(pieces.number_at(white, Square::H1), Some(3));
        pieces.step(white, &[0x20], &mut 0, &mut Ignore).unwrap();
        assert_eq!(pieces.count, [4, 1]);
        assert_eq!(pieces.number_at(white, Square::D5), Some(2));
    }
}
