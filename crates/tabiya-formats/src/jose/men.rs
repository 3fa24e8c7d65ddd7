//! jose's numbering of the men, and the codes of their moves.
//!
//! Each side has slots for eight pawns, two knights, bishops and rooks, a queen and the king. They
//! are assigned in the order in which a FEN lists the men, and are kept when men are captured. A
//! promoted man is named by the slot of its pawn. A man of the start position without a slot, such
//! as a second queen, cannot be named.

use shakmaty::{CastlingSide, Color, File, Move, Rank, Role, Setup, Square};
use tabiya_chess::{Flow, Follow, Man, Placed, Start, follow::make};

/// Slots per side; pawns come first.
const SLOTS: usize = 16;
pub(super) const PAWNS: usize = 8;

/// Promotion roles, in the order of the codes.
pub(super) const PROMOTED: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Knight moves as (ranks, files), seen from White for both sides.
const KNIGHT: [(i8, i8); 8] = [
    (1, 2),
    (-1, 2),
    (-2, 1),
    (-2, -1),
    (-1, -2),
    (1, -2),
    (2, -1),
    (2, 1),
];

/// King moves in the same form.
const KING: [(i8, i8); 8] = [
    (1, 1),
    (-1, 1),
    (-1, -1),
    (1, -1),
    (0, 1),
    (0, -1),
    (1, 0),
    (-1, 0),
];

/// Pawn moves seen from the moving side: one step, captures to its right and left, two steps.
const PAWN: [(i8, i8); 4] = [(1, 0), (1, 1), (1, -1), (2, 0)];

/// The first slot of a role.
pub(super) const fn first_slot(role: Role) -> usize {
    match role {
        Role::Pawn => 0,
        Role::Knight => 8,
        Role::Bishop => 10,
        Role::Rook => 12,
        Role::Queen => 14,
        Role::King => 15,
    }
}

const fn slot_count(role: Role) -> usize {
    match role {
        Role::Pawn => PAWNS,
        Role::Knight | Role::Bishop | Role::Rook => 2,
        Role::Queen | Role::King => 1,
    }
}

/// A position with numbered men.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    board: [Option<Man>; 64],
    slots: [[Option<Square>; SLOTS]; 2],
    pub(super) turn: Color,
    /// The rooks that may castle: by colour, then the a side and the h side.
    rooks: [[Option<Square>; 2]; 2],
}

/// A move: a man by its slot, and how it moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    /// The man in a slot, with the code of its role.
    Man(usize, u8),
    /// The promoted man of a pawn's slot, with the code of its role.
    Promoted(usize, u8),
    /// A pawn in a slot, its direction, and its promotion role.
    Promotion(usize, u8, Role),
    Castle(CastlingSide),
}

impl Pieces {
    pub(super) fn new(start: Start<'_>) -> Pieces {
        let setup = start.setup();
        let mut pieces = Pieces {
            board: [None; 64],
            slots: [[None; SLOTS]; 2],
            turn: setup.turn,
            rooks: castling_rooks(&setup),
        };
        for rank in Rank::ALL.into_iter().rev() {
            for file in File::ALL {
                let square = Square::from_coords(file, rank);
                if let Some(piece) = setup.board.piece_at(square) {
                    pieces.board[square as usize] = Some(Man::new(piece.color, piece.role));
                    let first = first_slot(piece.role);
                    let slots = &mut pieces.slots[piece.color.fold_wb(0, 1)];
                    let free = slots[first..first + slot_count(piece.role)]
                        .iter_mut()
                        .find(|slot| slot.is_none());
                    if let Some(slot) = free {
                        *slot = Some(square);
                    }
                }
            }
        }
        pieces
    }

    fn at(&self, square: Square) -> Option<Man> {
        self.board[square as usize]
    }

    /// Returns the man in a slot: a pawn's slot also holds what the pawn has become.
    fn in_slot(&self, slot: usize) -> Option<(Role, Square)> {
        let square = (*self.slots[self.turn.fold_wb(0, 1)].get(slot)?)?;
        Some((self.at(square)?.role(), square))
    }

    /// Decodes a move; `None` if there is no such man or target.
    #[inline]
    pub(super) fn decode(&self, code: Code) -> Option<Move> {
        match code {
            Code::Castle(side) => self.castle(side),
            Code::Man(slot, code) => {
                let (role, from) = self.in_slot(slot)?;
                let to = target(role, from, code, self.turn)?;
                let is_own = slot >= PAWNS || role == Role::Pawn;
                // A pawn that reaches its last rank must promote.
                let stays = role != Role::Pawn || to.rank() != self.turn.other().backrank();
                self.normal(role, from, to, None)
                    .filter(|_| is_own && stays)
            }
            Code::Promoted(slot, code) => {
                let (role, from) = self.in_slot(slot).filter(|man| man.0 != Role::Pawn)?;
                let to = target(role, from, code, self.turn)?;
                self.normal(role, from, to, None)
            }
            Code::Promotion(slot, direction, promoted) => {
                let (role, from) = self.in_slot(slot)?;
                let to = target(role, from, direction, self.turn)?;
                let is_last = role == Role::Pawn && to.rank() == self.turn.other().backrank();
                self.normal(role, from, to, Some(promoted))
                    .filter(|_| is_last)
            }
        }
    }

    fn castle(&self, side: CastlingSide) -> Option<Move> {
        let king = self.slots[self.turn.fold_wb(0, 1)][first_slot(Role::King)]?;
        let index = usize::from(side == CastlingSide::KingSide);
        let rook = self.rooks[self.turn.fold_wb(0, 1)][index]?;
        let is_there = self.at(rook) == Some(Man::new(self.turn, Role::Rook));
        let is_beside =
            king.rank() == rook.rank() && side == CastlingSide::from_king_side(king < rook);
        (is_there && is_beside).then_some(Move::Castle { king, rook })
    }

    fn normal(
        &self,
        role: Role,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) -> Option<Move> {
        let captured = self.at(to);
        if captured.is_some_and(|man| man.color() == self.turn) {
            return None;
        }
        if role == Role::Pawn && from.file() != to.file() && captured.is_none() {
            let victim = Square::from_coords(to.file(), from.rank());
            let is_pawn = self.at(victim) == Some(Man::new(self.turn.other(), Role::Pawn));
            return is_pawn.then_some(Move::EnPassant { from, to });
        }
        Some(Move::Normal {
            role,
            from,
            capture: captured.map(|man| man.role()),
            to,
            promotion,
        })
    }

    /// Returns the code of a move; `None` if its man has no slot.
    pub(super) fn encode(&self, played: Move) -> Option<Code> {
        if let Some(side) = played.castling_side() {
            return Some(Code::Castle(side));
        }
        let from = played.from()?;
        let slots = &self.slots[self.turn.fold_wb(0, 1)];
        let slot = slots.iter().position(|&square| square == Some(from))?;
        let codes = 0..32;
        let role = played.role();
        let code = codes
            .into_iter()
            .find(|&code| target(role, from, code, self.turn) == Some(played.to()))?;
        Some(match played.promotion() {
            Some(promoted) => Code::Promotion(slot, code, promoted),
            None if slot < PAWNS && role != Role::Pawn => Code::Promoted(slot, code),
            None => Code::Man(slot, code),
        })
    }

    /// Plays a move; `None` is a null move.
    #[inline]
    pub(super) fn play(&mut self, played: Option<Move>) {
        if let Some(played) = played {
            make(played, self.turn, self);
        }
        self.turn = self.turn.other();
    }

    fn slot_at(&mut self, placed: Placed) -> Option<&mut Option<Square>> {
        let slots = &mut self.slots[placed.man().color().fold_wb(0, 1)];
        slots
            .iter_mut()
            .find(|slot| **slot == Some(placed.square()))
    }
}

/// Returns the target of a code for a man of a role; `None` for a target off the board or its own
/// square.
fn target(role: Role, from: Square, code: u8, turn: Color) -> Option<Square> {
    let (rank, file) = (from.rank() as i8, from.file() as i8);
    let line = i8::try_from(code & 7).ok()?;
    let (ranks, files) = match role {
        Role::Pawn => {
            let (ranks, files) = *PAWN.get(usize::from(code))?;
            turn.fold_wb((ranks, files), (-ranks, -files))
        }
        Role::Knight => *KNIGHT.get(usize::from(code))?,
        Role::King => *KING.get(usize::from(code))?,
        Role::Bishop => diagonal(code, line - rank)?,
        Role::Rook => straight(code, line, rank, file)?,
        Role::Queen if code < 16 => diagonal(code, line - rank)?,
        Role::Queen => straight(code - 16, line, rank, file)?,
    };
    let on_board = |at: i8| (0..8).contains(&at);
    let (rank, file) = (rank + ranks, file + files);
    ((ranks, files) != (0, 0) && on_board(rank) && on_board(file))
        .then(|| Square::from_coords(File::new(file as u32), Rank::new(rank as u32)))
}

/// Codes below 8 mean the diagonal that rises to the right, codes from 8 the one that falls; the
/// rest of the code is the target's rank.
fn diagonal(code: u8, ranks: i8) -> Option<(i8, i8)> {
    match code {
        0..8 => Some((ranks, ranks)),
        8..16 => Some((ranks, -ranks)),
        _ => None,
    }
}

/// Codes below 8 move along the file to a rank, codes from 8 along the rank to a file.
fn straight(code: u8, line: i8, rank: i8, file: i8) -> Option<(i8, i8)> {
    match code {
        0..8 => Some((line - rank, 0)),
        8..16 => Some((0, line - file)),
        _ => None,
    }
}

/// Finds the rooks that may castle. A castling right remains when its rook is captured.
fn castling_rooks(setup: &Setup) -> [[Option<Square>; 2]; 2] {
    [Color::White, Color::Black].map(|color| {
        let king = setup.board.king_of(color);
        let mut rooks = [None; 2];
        for rook in setup.castling_rights {
            if let Some(king) = king
                && rook.rank() == color.backrank()
                && king.rank() == rook.rank()
            {
                rooks[usize::from(king < rook)] = Some(rook);
            }
        }
        rooks
    })
}

impl Follow for Pieces {
    fn reset(&mut self) {
        *self = Pieces::new(Start::Standard);
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        *self = Pieces::new(start);
        Flow::Continue(())
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        // Castling shifts the king first, perhaps to the rook's square. Two slots then hold the
        // same square, and the role shows which one is meant.
        let first = first_slot(from.man().role());
        let own = first..first + slot_count(from.man().role());
        let slots = &mut self.slots[from.man().color().fold_wb(0, 1)];
        let is_meant = |slot: &usize| {
            (*slot < PAWNS || own.contains(slot)) && slots[*slot] == Some(from.square())
        };
        if let Some(slot) = (0..SLOTS).find(is_meant) {
            slots[slot] = Some(to.square());
        }
        if self.at(from.square()) == Some(from.man()) {
            self.board[from.square() as usize] = None;
        }
        self.board[to.square() as usize] = Some(to.man());
    }

    fn remove(&mut self, gone: Placed) {
        let last = gone.man().color().other().backrank();
        let promotes = gone.man().role() == Role::Pawn && gone.square().rank() == last;
        // A promoting pawn keeps its slot for the promoted man.
        if let Some(slot) = self.slot_at(gone).filter(|_| !promotes) {
            *slot = None;
        }
        self.board[gone.square() as usize] = None;
    }

    fn place(&mut self, new: Placed) {
        self.board[new.square() as usize] = Some(new.man());
    }
}
