//! The numbered men of both sides, and how move codes move them.
//!
//! Men are numbered by kind, in the order of the squares a1, a2, ... h8: at most three pieces of a
//! kind, and eight pawns. When a piece is captured, the later ones of its kind move up by one
//! number. The number of a pawn that is gone stays unused. A promoted piece takes the next free
//! number of its kind. If there is none, it stays unnumbered for good.

use shakmaty::{Color, Setup, Square};
use tabiya_chess::{Follow, Man};

use super::{
    codes::{
        self, CASTLE_KING_SIDE, CASTLE_QUEEN_SIDE, Entry, KING, Mover, PAWN, ROOK, SLOTS, slot,
    },
    flaws,
    setup::{Homes, NOWHERE},
    stream::{Stream, Word},
};
use crate::damage::Flaw;

/// The kind of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A move, which has been played.
    Move,
    /// An alternative to the next move follows later.
    Branch,
    /// The line ends.
    LineEnd,
    /// A code without effect.
    Padding,
}

/// An empty square in [`Men::board`].
const NOBODY: u8 = 0xff;

/// The side to move: 0 for White, 1 for Black.
pub(super) type Side = u8;

/// The bit of a slot that is set for Black.
const BLACK: u8 = SLOTS as u8;

/// Whether a square is on the first or last rank, where no pawn can be.
fn is_last_rank(square: u8) -> bool {
    square.wrapping_sub(8) >= 48
}

/// All men of both sides. The side to move is tracked by the caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct Men {
    /// Square of the man in each slot, White's first, or [`NOWHERE`]. The shared slots of men
    /// without a number stay empty.
    squares: [u8; 2 * SLOTS],
    /// Slot of the man on each square, or [`NOBODY`]. Entries from [`NOWHERE`] on are meaningless.
    board: [u8; 128],
}

/// The standard start position, its men numbered from a1.
static STANDARD: Men = standard(false);
/// The standard start position, its men numbered from h8.
static STANDARD_REVERSED: Men = standard(true);

const fn standard(reversed: bool) -> Men {
    const KINDS: [u8; 8] = [2, 4, 3, 1, 0, 3, 4, 2];
    let mut men = Men::EMPTY;
    let mut index = 0;
    while index < 64 {
        let square = met(index, reversed);
        let (rank, file) = (square >> 3, square & 7);
        match rank {
            0 | 7 => _ = men.number(KINDS[file as usize], rank == 7, square),
            1 | 6 => _ = men.number(PAWN, rank == 6, square),
            _ => {}
        }
        index += 1;
    }
    men
}

/// Returns the square at an index in numbering order.
const fn met(index: u8, reversed: bool) -> u8 {
    let index = if reversed { 63 - index } else { index };
    (index & 7) << 3 | index >> 3
}

impl Men {
    const EMPTY: Men = Men {
        squares: [NOWHERE; 2 * SLOTS],
        board: [NOBODY; 128],
    };

    /// Returns the men of the standard start position.
    #[inline]
    pub(super) fn standard(reversed: bool) -> Men {
        if reversed {
            STANDARD_REVERSED
        } else {
            STANDARD
        }
    }

    /// Numbers the men of a position.
    pub(super) fn from_setup(setup: &Setup, reversed: bool) -> Result<Men, Flaw> {
        if Color::ALL
            .into_iter()
            .any(|color| setup.board.by_color(color).count() > 16)
        {
            return Err(flaws::START_TOO_MANY_MEN);
        }
        let mut men = Men::EMPTY;
        for index in 0..64 {
            let square = met(index, reversed);
            if let Some(piece) = setup.board.piece_at(Square::new(u32::from(square))) {
                let kind = Man::new(Color::White, piece.role).index() as u8;
                men.number(kind, piece.color.is_black(), square);
            }
        }
        Ok(men)
    }

    /// Adds a man to the board under the next free number of its kind, or unnumbered if there is
    /// none. Returns its slot.
    const fn number(&mut self, kind: u8, black: bool, square: u8) -> u8 {
        let side = if black { BLACK } else { 0 };
        let mut at = slot::FIRST[kind as usize];
        while at < slot::END[kind as usize] && self.squares[(side | at) as usize] != NOWHERE {
            at += 1;
        }
        if at == slot::END[kind as usize] {
            at = slot::UNNUMBERED + kind;
        } else {
            self.squares[(side | at) as usize] = square;
        }
        self.board[square as usize] = side | at;
        side | at
    }

    /// Executes the code at `at` for the side to move, after `moves` moves (modulo 256), and
    /// returns its kind. On success, moves `at` past the code; on failure, leaves it.
    #[inline(always)]
    pub(super) fn step<F: Follow>(
        &mut self,
        stream: &Stream<'_>,
        side: Side,
        moves: u8,
        at: &mut usize,
        follow: &mut F,
    ) -> Result<Step, Flaw> {
        let Some(&byte) = stream.bytes.get(*at) else {
            return Err(flaws::GAME_ENDLESS);
        };
        let entry = stream.translation.entry(byte, moves, side != 0);
        if entry.slot == Entry::SPECIAL {
            let step = self.special(stream, entry.files, side, moves, *at + 1, follow)?;
            *at += if entry.files == codes::WORD { 3 } else { 1 };
            return Ok(step);
        }
        let from = self.squares[usize::from(entry.slot & 63)];
        if from == NOWHERE {
            return Err(flaws::NO_SUCH_MAN);
        }
        let to = entry.target(from);
        let victim = self.board[usize::from(to & 127)];
        if victim != NOBODY {
            if entry.mover == Mover::Pawn {
                return Err(flaws::PAWN_CAPTURES_AHEAD);
            }
            self.capture(side, victim, to, follow)?;
        } else if entry.mover == Mover::CapturingPawn {
            self.en_passant(side, from, to, follow)?;
        }
        // Promotions are always words.
        if !entry.allows(to) {
            return Err(flaws::PAWN_STAYS_PAWN);
        }
        self.board[usize::from(from & 127)] = NOBODY;
        self.board[usize::from(to & 127)] = entry.slot;
        self.squares[usize::from(entry.slot & 63)] = to;
        follow.moved(entry.man.moved_to(from), entry.man.moved_to(to));
        *at += 1;
        Ok(Step::Move)
    }

    /// Executes a code that is not a plain step. The cold half of `step`, kept out of line.
    #[inline(never)]
    fn special<F: Follow>(
        &mut self,
        stream: &Stream<'_>,
        code: u8,
        side: Side,
        moves: u8,
        at: usize,
        follow: &mut F,
    ) -> Result<Step, Flaw> {
        match code {
            codes::NULL => {}
            codes::BRANCH => return Ok(Step::Branch),
            codes::LINE_END => return Ok(Step::LineEnd),
            codes::PADDING => return Ok(Step::Padding),
            CASTLE_KING_SIDE | CASTLE_QUEEN_SIDE => {
                self.castle(&stream.homes, side, code == CASTLE_KING_SIDE, follow)?;
            }
            codes::WORD => {
                let word = stream.word(at, moves).ok_or(flaws::GAME_ENDLESS)?;
                self.word(&stream.homes, side, word, follow)?;
            }
            _ => return Err(flaws::UNKNOWN_MOVE_CODE),
        }
        Ok(Step::Move)
    }

    /// Plays a two-byte move: from, to and promotion.
    fn word<F: Follow>(
        &mut self,
        homes: &Homes,
        side: Side,
        word: Word,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        let (from, to) = (word.from(), word.to());
        if let Some(king_side) = self.castling(homes, side, from, to) {
            return self.castle(homes, side, king_side, follow);
        }
        let slot = self.board[usize::from(from)];
        if slot == NOBODY || slot / BLACK != side {
            return Err(flaws::NO_SUCH_MAN);
        }
        let kind = slot::kind(slot);
        let victim = self.board[usize::from(to)];
        if victim != NOBODY {
            self.capture(side, victim, to, follow)?;
        } else if kind == PAWN && (from ^ to) & 7 != 0 {
            self.en_passant(side, from, to, follow)?;
        }
        self.relocate(slot, from, to);
        let mover = slot::man(slot);
        follow.moved(mover.moved_to(from), mover.moved_to(to));
        if kind == PAWN && is_last_rank(to) {
            self.clear(slot, to);
            follow.remove(mover.moved_to(to));
            let slot = self.number(word.promotion(), side != 0, to);
            follow.place(slot::man(slot).moved_to(to));
        }
        Ok(())
    }

    /// Returns the castling side if a word means castling: `true` for the king's side. In ordinary
    /// chess the king goes two files. In Chess960 both squares of the word are the king's target
    /// square.
    fn castling(&self, homes: &Homes, side: Side, from: u8, to: u8) -> Option<bool> {
        let back_rank = 56 * side;
        let king_side = match to ^ back_rank {
            6 => true,
            2 => false,
            _ => return None,
        };
        let king = homes.kings[usize::from(side)];
        let king_is_home = self.squares[usize::from(side * BLACK)] == king;
        let goes_two_files = from == king && from == 4 | back_rank && king_is_home;
        (from == to || goes_two_files).then_some(king_side)
    }

    /// Castles from any start squares of king and rook.
    fn castle<F: Follow>(
        &mut self,
        homes: &Homes,
        side: Side,
        king_side: bool,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        let king_slot = side * BLACK;
        let king = homes.kings[usize::from(side)];
        let rook = homes.rooks[usize::from(side)][usize::from(!king_side)];
        let rook_slot = match (king, rook) {
            (0..64, 0..64) => self.board[usize::from(rook)],
            _ => NOBODY,
        };
        let is_rook =
            rook_slot != NOBODY && rook_slot / BLACK == side && slot::kind(rook_slot) == ROOK;
        if !is_rook || self.squares[usize::from(king_slot)] != king {
            return Err(flaws::CASTLING_MISPLACED);
        }
        let back_rank = 56 * side;
        let (king_to, rook_to) = if king_side {
            (back_rank | 6, back_rank | 5)
        } else {
            (back_rank | 2, back_rank | 3)
        };
        for to in [king_to, rook_to] {
            let there = self.board[usize::from(to)];
            if there != NOBODY && there != king_slot && there != rook_slot {
                return Err(flaws::CASTLING_THROUGH_MEN);
            }
        }
        self.board[usize::from(rook)] = NOBODY;
        self.relocate(king_slot, king, king_to);
        self.put(rook_slot, rook_to);
        for (slot, from, to) in [(king_slot, king, king_to), (rook_slot, rook, rook_to)] {
            let man = slot::man(slot);
            follow.moved(man.moved_to(from), man.moved_to(to));
        }
        Ok(())
    }

    /// Moves a man to an empty square.
    fn relocate(&mut self, slot: u8, from: u8, to: u8) {
        self.board[usize::from(from & 127)] = NOBODY;
        self.put(slot, to);
    }

    fn put(&mut self, slot: u8, to: u8) {
        self.board[usize::from(to & 127)] = slot;
        if slot % BLACK < slot::UNNUMBERED {
            self.squares[usize::from(slot & 63)] = to;
        }
    }

    /// Removes a captured man from the board.
    #[inline(always)]
    fn capture<F: Follow>(
        &mut self,
        by: Side,
        victim: u8,
        at: u8,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        if victim / BLACK == by {
            return Err(flaws::CAPTURES_OWN_MAN);
        }
        if slot::kind(victim) == KING {
            return Err(flaws::KING_CAPTURED);
        }
        self.clear(victim, at);
        follow.remove(slot::man(victim).moved_to(at));
        Ok(())
    }

    /// Empties a square and its man's slot. The up to two later pieces of the kind move up. There
    /// is no branch on whether they exist, since it could not be predicted.
    #[inline(always)]
    fn clear(&mut self, gone: u8, at: u8) {
        self.board[usize::from(at & 127)] = NOBODY;
        let second = slot::next_of_kind(gone);
        let third = slot::next_of_kind(second);
        let up = self.squares[usize::from(second & 63)];
        let up_behind = self.squares[usize::from(third & 63)];
        self.squares[usize::from(gone & 63)] = up;
        self.squares[usize::from(second & 63)] = up_behind;
        self.squares[usize::from(third & 63)] = NOWHERE;
        self.board[usize::from(up & 127)] = gone;
        self.board[usize::from(up_behind & 127)] = second;
    }

    /// Captures the pawn that is passed by a pawn's diagonal step to an empty square.
    #[inline(never)]
    fn en_passant<F: Follow>(
        &mut self,
        by: Side,
        from: u8,
        to: u8,
        follow: &mut F,
    ) -> Result<(), Flaw> {
        let passed = from & 56 | to & 7;
        let victim = self.board[usize::from(passed & 63)];
        if victim == NOBODY || slot::kind(victim) != PAWN {
            return Err(flaws::PAWN_CAPTURES_NOTHING);
        }
        self.capture(by, victim, passed, follow)
    }
}
