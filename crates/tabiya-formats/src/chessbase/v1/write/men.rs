//! The numbered men of a game, and the conversion of moves to codes.

use shakmaty::{Bitboard, CastlingSide, Color, File, Move, Role, Setup, Square, attacks};
use tabiya_chess::{Counts, Flow, Follow, Man, Placed, Rewind, Start, follow};

use crate::chessbase::v1::codes::{
    self, CASTLE_KING_SIDE, CASTLE_QUEEN_SIDE, NULL,
    slot::{self, FIRST},
};

/// Number of numbered slots of a side: a king, three of each piece, eight pawns.
const NUMBERED: usize = slot::END[5] as usize;
/// An empty square or slot.
const NONE: u8 = 255;

/// The code of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    /// One byte.
    Short(u8),
    /// A marker and the two bytes of this word.
    Word(u16),
}

/// The squares and numbers of the men.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pieces {
    /// By square: [`Man::index`] or [`NONE`].
    men: [u8; 64],
    /// By side and slot: the square or [`NONE`].
    slots: [[u8; NUMBERED]; 2],
    /// One bit per [`Man::index`]: whether readers disagree about the numbers of such men.
    ///
    /// A fourth piece of a kind has no number. When one of the three leaves the board, ChessBase
    /// still gives it none, but other readers do. From then on, all moves of such men are written
    /// in the form that names squares.
    disputed: u16,
}

/// By side, slot, and files + 8 × ranks of the step: the lowest code, 0 for none. For queens and
/// bishops, two codes reach the square four files and four ranks away; the higher one is read but
/// never written.
static STEP_CODES: [[[u8; 64]; NUMBERED]; 2] = {
    let mut table = [[[0; 64]; NUMBERED]; 2];
    let mut black = 0;
    while black < 2 {
        let mut code = 255_u8;
        while code > 0 {
            if let Some(step) = codes::step(code, black == 1) {
                let displacement = step.files + 8 * step.ranks;
                table[black][step.slot as usize][displacement as usize] = code;
            }
            code -= 1;
        }
        black += 1;
    }
    table
};

impl Pieces {
    /// Numbers the men of a position by kind, in the order a1, a2, ... h8.
    pub(super) fn new(setup: &Setup) -> Pieces {
        let mut pieces = Pieces {
            men: [NONE; 64],
            slots: [[NONE; NUMBERED]; 2],
            disputed: 0,
        };
        for file in File::ALL {
            for square in Square::ALL
                .into_iter()
                .filter(|square| square.file() == file)
            {
                if let Some(piece) = setup.board.piece_at(square) {
                    pieces.put(Placed::new(piece.into(), square));
                }
            }
        }
        pieces
    }

    /// Returns the code of a move, and the move with its capture taken from the board. `None` for
    /// moves that no man on the board can make.
    pub(super) fn code(&self, turn: Color, played: Move, chess960: bool) -> Option<(Code, Move)> {
        match played {
            Move::Castle { king, rook } => {
                let code = self.castling(turn, king, rook, chess960)?;
                Some((code, played))
            }
            Move::EnPassant { from, to } => {
                let victim = Square::from_coords(to.file(), from.rank());
                let is_pawn = self.man(victim)? == Man::new(turn.other(), Role::Pawn);
                let is_free = self.man(to).is_none();
                let code = self.ordinary(turn, Role::Pawn, from, to, None)?;
                (is_pawn && is_free).then_some((code, played))
            }
            Move::Normal {
                role,
                from,
                to,
                promotion,
                ..
            } => {
                let capture = match self.man(to) {
                    Some(man) if man.color() == turn => return None,
                    victim => victim.map(Man::role),
                };
                let code = self.ordinary(turn, role, from, to, promotion)?;
                let played = Move::Normal {
                    role,
                    from,
                    capture,
                    to,
                    promotion,
                };
                Some((code, played))
            }
            Move::Put { .. } => None,
        }
    }

    /// The code of a null move.
    pub(super) const NULL: Code = Code::Short(NULL);

    /// Plays a move that has a code.
    pub(super) fn make(&mut self, turn: Color, played: Move) {
        follow::make(played, turn, self);
    }

    /// Counts the men on the board.
    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        let men = self.men.iter().map(|&man| Man::from_index(man.into()));
        men.flatten().for_each(|man| counts.add(man));
        counts
    }

    fn man(&self, square: Square) -> Option<Man> {
        Man::from_index(self.men[square as usize].into())
    }

    fn castling(&self, turn: Color, king: Square, rook: Square, chess960: bool) -> Option<Code> {
        let stands = |square, role| self.man(square) == Some(Man::new(turn, role));
        if king.rank() != rook.rank() || !stands(king, Role::King) || !stands(rook, Role::Rook) {
            return None;
        }
        let side = CastlingSide::from_king_side(king < rook);
        if chess960 {
            // From and to are the same square, as in no other move.
            let target = Square::from_coords(side.king_to_file(), turn.backrank());
            return Some(Code::Word(word(target, target, None)));
        }
        let corner = side.is_king_side() == (rook.file() == File::H)
            && matches!(rook.file(), File::A | File::H);
        let is_usual = corner && king.file() == File::E && king.rank() == turn.backrank();
        let code = match side {
            CastlingSide::KingSide => CASTLE_KING_SIDE,
            CastlingSide::QueenSide => CASTLE_QUEEN_SIDE,
        };
        is_usual.then_some(Code::Short(code))
    }

    fn ordinary(
        &self,
        turn: Color,
        role: Role,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) -> Option<Code> {
        let man = Man::new(turn, role);
        if self.man(from) != Some(man) || !reaches(man, from, to) {
            return None;
        }
        let is_last_rank = to.rank() == turn.other().backrank();
        match promotion {
            Some(Role::Queen | Role::Rook | Role::Bishop | Role::Knight)
                if role == Role::Pawn && is_last_rank =>
            {
                return Some(Code::Word(word(from, to, promotion)));
            }
            None if role != Role::Pawn || !is_last_rank => {}
            _ => return None,
        }
        let is_disputed = self.disputed >> man.index() & 1 == 1;
        let slot = self.slot_of(Placed::new(man, from));
        let Some(slot) = slot.filter(|_| !is_disputed) else {
            return Some(Code::Word(word(from, to, None)));
        };
        let files = (to.file() as u8).wrapping_sub(from.file() as u8) & 7;
        let ranks = (to.rank() as u8).wrapping_sub(from.rank() as u8) & 7;
        let code = STEP_CODES[side_of(turn)][slot][usize::from(files + 8 * ranks)];
        (code != NULL).then_some(Code::Short(code))
    }

    /// Returns the slot of a man; `None` if it has no number.
    fn slot_of(&self, placed: Placed) -> Option<usize> {
        let (side, slots) = slots_of(placed.man());
        let squares = &self.slots[side][slots.clone()];
        let nth = squares
            .iter()
            .position(|&square| square == placed.square_index())?;
        Some(slots.start + nth)
    }

    /// Adds a man to the board, with the next number of its kind if one is left.
    fn put(&mut self, new: Placed) {
        self.men[new.square() as usize] = new.man().index() as u8;
        let (side, slots) = slots_of(new.man());
        let free = self.slots[side][slots]
            .iter_mut()
            .find(|square| **square == NONE);
        if let Some(free) = free {
            *free = new.square_index();
        }
    }

    /// Marks a kind as disputed if an unnumbered man could take a number that has become free.
    fn dispute(&mut self, man: Man) {
        let is_such = |&&other: &&u8| usize::from(other) == man.index();
        let on_board = self.men.iter().filter(is_such).count();
        let (side, slots) = slots_of(man);
        let squares = self.slots[side][slots].iter();
        let numbered = squares.filter(|&&square| square != NONE).count();
        if on_board > numbered {
            self.disputed |= 1 << man.index();
        }
    }

    fn clear(&mut self, gone: Placed) {
        // In Chess960 the other castling man may already be there.
        let square = &mut self.men[gone.square() as usize];
        if usize::from(*square) == gone.man().index() {
            *square = NONE;
        }
    }
}

impl Follow for Pieces {
    fn reset(&mut self) {
        *self = Pieces::new(&Start::Standard.setup());
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        *self = Pieces::new(&start.setup());
        Flow::Continue(())
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        let slot = self.slot_of(from);
        self.clear(from);
        self.men[to.square() as usize] = to.man().index() as u8;
        if let Some(slot) = slot {
            self.slots[slots_of(to.man()).0][slot] = to.square_index();
        }
    }

    fn remove(&mut self, gone: Placed) {
        let slot = self.slot_of(gone);
        self.clear(gone);
        let Some(slot) = slot else {
            return;
        };
        let (side, slots) = slots_of(gone.man());
        let list = &mut self.slots[side][slot..slots.end];
        // Pawns keep their numbers; other men move up.
        if gone.man().role() != Role::Pawn {
            list.rotate_left(1);
            if let Some(last) = list.last_mut() {
                *last = NONE;
            }
            self.dispute(gone.man());
        } else if let Some(first) = list.first_mut() {
            *first = NONE;
        }
    }

    fn place(&mut self, new: Placed) {
        self.put(new);
    }

    fn ply_done(&mut self) -> Flow {
        Flow::Continue(())
    }
}

impl Rewind for Pieces {
    type Snapshot = Pieces;

    fn snapshot(&self) -> Pieces {
        *self
    }

    fn restore(&mut self, snapshot: &Pieces) {
        *self = *snapshot;
    }
}

fn side_of(color: Color) -> usize {
    color.fold_wb(0, 1)
}

/// Returns a man's side and the slots of its kind.
fn slots_of(man: Man) -> (usize, std::ops::Range<usize>) {
    let kind = man.index() % 6;
    let slots = usize::from(FIRST[kind])..usize::from(slot::END[kind]);
    (side_of(man.color()), slots)
}

/// Returns a square's number in file order: a1 0, a2 1, b1 8, h8 63.
pub(super) fn by_files(square: Square) -> u8 {
    square.file() as u8 * 8 + square.rank() as u8
}

fn word(from: Square, to: Square, promotion: Option<Role>) -> u16 {
    let promotion = match promotion {
        Some(Role::Rook) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Knight) => 3,
        _ => 0,
    };
    promotion << 12 | u16::from(by_files(to)) << 6 | u16::from(by_files(from))
}

/// Whether a man can move from one square to the other on an empty board, including pawn captures.
/// Codes wrap around the board, so they cannot decide this.
fn reaches(man: Man, from: Square, to: Square) -> bool {
    match man.role() {
        Role::Pawn => {
            let files = from.file().distance(to.file());
            let ranks = i32::from(to.rank() as u8) - i32::from(from.rank() as u8);
            let ahead = man.color().fold_wb(ranks, -ranks);
            ahead == 1 && files <= 1 || ahead == 2 && files == 0
        }
        _ => attacks::attacks(from, man.into(), Bitboard::EMPTY).contains(to),
    }
}
