//! A fast board that reads the notation of moves, plays them by the rules of chess and writes their
//! notation.
//!
//! A move is checked alone: whether its man is present, reaches the square and leaves its king
//! safe. No lists of legal moves are generated. A move that is not recognised as legal is refused;
//! the caller then uses shakmaty. Tests compare this board with shakmaty.
//!
//! One file because all moves change the fields of one board, which agree only after a whole move.

mod kings;
mod meaning;

use std::num::NonZeroU32;

use shakmaty::{
    Bitboard, ByColor, Chess, Color, EnPassantMode, Move, Piece, Position as _, Role, Setup,
    Square, attacks,
};

use super::{
    Man,
    castling::castled,
    rays::{between, reach},
};

use self::kings::is_any_clear;
pub use self::meaning::Meaning;

/// A move in notation: `Qa1xb2#` is among the longest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Word {
    /// The first letter is the lowest byte. Unlike an array, a number stays in a register.
    pub letters: u64,
    /// Number of bytes.
    pub length: u32,
}

impl Word {
    /// Appends a byte.
    #[inline(always)]
    pub fn push(&mut self, byte: u8) {
        self.letters |= u64::from(byte) << ((8 * self.length) & 63);
        self.length += 1;
    }

    /// Appends the name of a square.
    #[inline(always)]
    pub fn square(&mut self, square: Square) {
        self.file(square);
        self.rank(square);
    }

    #[inline(always)]
    fn file(&mut self, square: Square) {
        self.push(b'a' + (square as u8 & 7));
    }

    #[inline(always)]
    fn rank(&mut self, square: Square) {
        self.push(b'1' + (square as u8 >> 3));
    }

    /// At most eight bytes.
    pub fn text(text: &[u8]) -> Word {
        let mut word = Word::default();
        text.iter().for_each(|&byte| word.push(byte));
        word
    }

    /// Replaces the last byte.
    pub fn replace_last(&mut self, byte: u8) {
        let shift = (8 * self.length).wrapping_sub(8) & 63;
        self.letters = self.letters & !(0xff << shift) | u64::from(byte) << shift;
    }

    /// Appends the bytes to others.
    pub fn append_to(self, out: &mut Vec<u8>) {
        out.extend(self.letters.to_le_bytes().iter().take(self.length as usize));
    }
}

/// A legal position: one king per side, and the side not to move is not in check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Light {
    /// By role; padded so that no index is out of bounds.
    roles: [Bitboard; 8],
    sides: ByColor<Bitboard>,
    /// Where the kings are, as `roles` and `sides` say too.
    kings: ByColor<Square>,
    turn: Color,
    /// The rooks that may still castle.
    rights: Bitboard,
    /// The square that a pawn has just passed over.
    passed: Option<Square>,
    halfmoves: u32,
    fullmoves: NonZeroU32,
    is_check: bool,
    /// Ranks, files and diagonals of the king of the side to move.
    lines: Bitboard,
    /// The other side's queens, rooks and bishops that would attack this king if no man were
    /// between.
    aimed: Bitboard,
}

impl Light {
    /// The standard start position.
    pub const STANDARD: Light = Light {
        roles: [
            Bitboard::EMPTY,
            Bitboard(0x00ff_0000_0000_ff00),
            Bitboard(0x4200_0000_0000_0042),
            Bitboard(0x2400_0000_0000_0024),
            Bitboard(0x8100_0000_0000_0081),
            Bitboard(0x0800_0000_0000_0008),
            Bitboard(0x1000_0000_0000_0010),
            Bitboard::EMPTY,
        ],
        sides: ByColor {
            black: Bitboard(0xffff_0000_0000_0000),
            white: Bitboard(0xffff),
        },
        kings: ByColor {
            black: Square::E8,
            white: Square::E1,
        },
        turn: Color::White,
        rights: Bitboard::CORNERS,
        passed: None,
        halfmoves: 0,
        fullmoves: NonZeroU32::MIN,
        is_check: false,
        lines: reach(Role::Queen, Square::E1),
        aimed: Bitboard::EMPTY,
    };

    /// Creates the board from a position.
    pub fn new(position: &Chess) -> Light {
        let setup = position.to_setup(EnPassantMode::Always);
        let mut roles = [Bitboard::EMPTY; 8];
        for role in Role::ALL {
            roles[role as usize] = setup.board.by_role(role);
        }
        let mut light = Light {
            roles,
            sides: ByColor::new_with(|color| setup.board.by_color(color)),
            // There is always one.
            kings: ByColor::new_with(|color| setup.board.king_of(color).unwrap_or(Square::A1)),
            turn: setup.turn,
            rights: setup.castling_rights,
            passed: setup.ep_square,
            halfmoves: setup.halfmoves,
            fullmoves: setup.fullmoves,
            is_check: position.is_check(),
            lines: Bitboard::EMPTY,
            aimed: Bitboard::EMPTY,
        };
        light.aim(light.turn);
        light
    }

    /// Returns the position in shakmaty's form.
    pub fn setup(&self) -> Setup {
        let mut setup = Setup::empty();
        for man in Man::ALL {
            for square in self.men(man) {
                setup.board.set_piece_at(square, Piece::from(man));
            }
        }
        setup.turn = self.turn;
        setup.castling_rights = self.rights;
        setup.ep_square = self.passed;
        setup.halfmoves = self.halfmoves;
        setup.fullmoves = self.fullmoves;
        setup
    }

    /// Returns the squares of all men of one kind.
    pub fn men(&self, man: Man) -> Bitboard {
        self.of(man.color(), man.role())
    }

    /// Returns the side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Returns the rooks that may still castle.
    pub fn rights(&self) -> Bitboard {
        self.rights
    }

    /// Returns the numbers of the last two fields of FEN.
    pub fn clocks(&self) -> (u32, NonZeroU32) {
        (self.halfmoves, self.fullmoves)
    }

    /// Whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.is_check
    }

    /// Passes the turn; `false` in check, after which the position would not be legal.
    pub fn pass(&mut self) -> bool {
        if self.is_check {
            return false;
        }
        if self.turn.is_black() {
            self.fullmoves = self.fullmoves.saturating_add(1);
        }
        self.turn = self.turn.other();
        self.halfmoves = self.halfmoves.saturating_add(1);
        self.passed = None;
        self.aim(self.turn);
        true
    }

    /// Plays a move and returns its notation, with `+` if it gives check or mate. Returns `None`
    /// and plays nothing if the move is not recognised as legal.
    #[inline]
    pub fn play(&mut self, played: Move) -> Option<Word> {
        let mut word = match played {
            Move::Normal {
                role,
                from,
                capture,
                to,
                promotion,
            } => {
                self.may_take(capture, to)?;
                match role {
                    Role::Pawn => self.push_pawn(from, capture, to, promotion)?,
                    _ if promotion.is_some() => return None,
                    _ => self.move_piece(role, from, capture, to)?,
                }
            }
            Move::EnPassant { from, to } => self.pass_by(from, to)?,
            Move::Castle { king, rook } => self.castle(king, rook)?,
            Move::Put { .. } => return None,
        };
        self.end_turn();
        if self.is_check {
            word.push(b'+');
        }
        Some(word)
    }

    #[inline(always)]
    fn end_turn(&mut self) {
        let is_black = u32::from(self.turn.is_black());
        self.fullmoves = self.fullmoves.saturating_add(is_black);
        self.turn = self.turn.other();
    }

    /// Checks that a square holds the captured man, or is empty if nothing is captured.
    #[inline(always)]
    fn may_take(&self, capture: Option<Role>, to: Square) -> Option<()> {
        let is_so = match capture {
            None => !self.occupied().contains(to),
            Some(Role::King) => false,
            Some(taken) => self.of(self.turn.other(), taken).contains(to),
        };
        is_so.then_some(())
    }

    #[inline(always)]
    fn move_piece(
        &mut self,
        role: Role,
        from: Square,
        capture: Option<Role>,
        to: Square,
    ) -> Option<Word> {
        let (turn, occupied) = (self.turn, self.occupied());
        let alike = self.of(turn, role);
        let candidates = alike & reach(role, to);
        if !candidates.contains(from) || (between(from, to) & occupied).any() {
            return None;
        }
        let mut word = Word::default();
        word.push(role.upper_char() as u8);
        let rivals = candidates.without(from);
        // There is only one king.
        if rivals.any() {
            self.tell_apart(&mut word, rivals, from, to);
        }
        if capture.is_some() {
            word.push(b'x');
        }
        word.square(to);
        self.put_piece(role, from, capture, to)?;
        Some(word)
    }

    /// Moves a piece to a square that it reaches, which holds the captured man or is empty. Returns
    /// `None` and changes nothing if the king could then be captured.
    #[inline(always)]
    fn put_piece(
        &mut self,
        role: Role,
        from: Square,
        capture: Option<Role>,
        to: Square,
    ) -> Option<()> {
        if role == Role::King {
            let occupied = self.occupied().without(from);
            if self.is_attacked(to, occupied, Bitboard::from(to)) {
                return None;
            }
            self.rights &= !Bitboard::from(self.turn.backrank());
            *self.kings.get_mut(self.turn) = to;
        } else if self.exposes(from, to) {
            return None;
        }
        if let Some(taken) = capture {
            self.remove(taken, to);
            self.halfmoves = 0;
        } else {
            self.halfmoves = self.halfmoves.saturating_add(1);
        }
        self.shift(role, from, to);
        self.rights = self.rights.without(from).without(to);
        self.passed = None;
        self.attack(reach(role, to), from, to);
        Some(())
    }

    /// Adds the file or rank that distinguishes a man from others of its kind.
    #[inline(never)]
    fn tell_apart(&self, word: &mut Word, rivals: Bitboard, from: Square, to: Square) {
        let occupied = self.occupied();
        let (mut any, mut same_file, mut same_rank) = (false, false, false);
        for rival in rivals {
            // Empty for a knight's move.
            if (between(rival, to) & occupied).is_empty() && !self.exposes(rival, to) {
                any = true;
                same_file |= rival.file() == from.file();
                same_rank |= rival.rank() == from.rank();
            }
        }
        if any && (!same_file || same_rank) {
            word.file(from);
        }
        if same_file {
            word.rank(from);
        }
    }

    #[inline(always)]
    fn push_pawn(
        &mut self,
        from: Square,
        capture: Option<Role>,
        to: Square,
        promotion: Option<Role>,
    ) -> Option<Word> {
        let turn = self.turn;
        if !self.of(turn, Role::Pawn).contains(from) {
            return None;
        }
        if capture.is_some() {
            if !attacks::pawn_attacks(turn, from).contains(to) {
                return None;
            }
        } else if !self.is_advance(from, to) {
            return None;
        }
        let mut word = Word::default();
        if capture.is_some() {
            word.file(from);
            word.push(b'x');
        }
        word.square(to);
        if let Some(piece) = promotion {
            word.push(b'=');
            word.push(piece.upper_char() as u8);
        }
        self.put_pawn(from, capture, to, promotion)?;
        Some(word)
    }

    /// Whether a pawn advances by one square, or from its first square by two. The square that it
    /// comes to must be empty.
    #[inline(always)]
    fn is_advance(&self, from: Square, to: Square) -> bool {
        let (ahead, home) = if self.turn.is_white() {
            (8, 1)
        } else {
            (-8, 6)
        };
        let way = to as i32 - from as i32;
        let is_free = || (between(from, to) & self.occupied()).is_empty();
        way == ahead || way == 2 * ahead && from.rank() as u32 == home && is_free()
    }

    /// Moves a pawn to a square that it reaches, not en passant. Returns `None` and changes nothing
    /// if the king could then be captured, or if the promotion does not suit the square.
    #[inline(always)]
    fn put_pawn(
        &mut self,
        from: Square,
        capture: Option<Role>,
        to: Square,
        promotion: Option<Role>,
    ) -> Option<()> {
        let is_last = to.rank() == self.turn.other().backrank();
        let becomes_piece = match promotion {
            None => false,
            Some(Role::King | Role::Pawn) => return None,
            Some(_) => true,
        };
        if is_last != becomes_piece || self.exposes(from, to) {
            return None;
        }
        if let Some(taken) = capture {
            self.remove(taken, to);
            self.rights = self.rights.without(to);
        }
        self.shift(Role::Pawn, from, to);
        if let Some(piece) = promotion {
            self.roles[Role::Pawn as usize].toggle(to);
            self.roles[piece as usize & 7].toggle(to);
        }
        self.halfmoves = 0;
        // Only of an advance by two squares is one between.
        self.passed = between(from, to).first();
        let reach = match promotion {
            None => attacks::pawn_attacks(self.turn, to),
            Some(piece) => reach(piece, to),
        };
        self.attack(reach, from, to);
        Some(())
    }

    fn pass_by(&mut self, from: Square, to: Square) -> Option<Word> {
        let victim = self.victim_of(from, to)?;
        let turn = self.turn;
        let mut word = Word::default();
        word.file(from);
        word.push(b'x');
        word.square(to);
        self.remove(Role::Pawn, victim);
        self.shift(Role::Pawn, from, to);
        self.halfmoves = 0;
        self.passed = None;
        let king = self.king(turn.other());
        self.aim(turn.other());
        self.is_check = attacks::pawn_attacks(turn, to).contains(king)
            || is_any_clear(self.aimed, king, self.occupied());
        Some(word)
    }

    /// Returns the pawn that one on `from` captures en passant; `None` if it may not.
    fn victim_of(&self, from: Square, to: Square) -> Option<Square> {
        let turn = self.turn;
        let victim = Square::from_coords(to.file(), from.rank());
        let is_there = self.passed == Some(to)
            && self.of(turn, Role::Pawn).contains(from)
            && attacks::pawn_attacks(turn, from).contains(to)
            && self.of(turn.other(), Role::Pawn).contains(victim);
        let after = self.occupied().without(from).without(victim).with(to);
        let is_legal =
            is_there && !self.is_attacked(self.king(turn), after, Bitboard::from(victim));
        is_legal.then_some(victim)
    }

    fn castle(&mut self, king: Square, rook: Square) -> Option<Word> {
        let turn = self.turn;
        let (king_to, rook_to) = castled(king, rook);
        let is_there = self.rights.contains(rook)
            && self.of(turn, Role::King).contains(king)
            && self.of(turn, Role::Rook).contains(rook)
            && king.rank() == rook.rank()
            && !self.is_check;
        let others = self.occupied().without(king).without(rook);
        let ways = between(king, king_to) | between(rook, rook_to);
        if !is_there || (ways.with(king_to).with(rook_to) & others).any() {
            return None;
        }
        let without_king = others.with(rook);
        let over = between(king, king_to).with(king_to);
        let is_attacked = over
            .into_iter()
            .any(|square| self.is_attacked(square, without_king, Bitboard::EMPTY));
        if is_attacked || self.is_attacked(king_to, others.with(rook_to), Bitboard::EMPTY) {
            return None;
        }
        let kings = &mut self.roles[Role::King as usize];
        *kings = kings.without(king).with(king_to);
        *self.kings.get_mut(turn) = king_to;
        let rooks = &mut self.roles[Role::Rook as usize];
        *rooks = rooks.without(rook).with(rook_to);
        let side = self.sides.get_mut(turn);
        *side = side.without(king).without(rook).with(king_to).with(rook_to);
        self.rights &= !Bitboard::from(turn.backrank());
        self.halfmoves = self.halfmoves.saturating_add(1);
        self.passed = None;
        self.aim(turn.other());
        self.is_check = is_any_clear(self.aimed, self.king(turn.other()), self.occupied());
        let is_long = rook.file() < king.file();
        Some(Word::text(if is_long { b"O-O-O" } else { b"O-O" }))
    }

    #[inline(always)]
    fn of(&self, color: Color, role: Role) -> Bitboard {
        self.roles[role as usize & 7] & *self.sides.get(color)
    }

    #[inline(always)]
    fn king(&self, color: Color) -> Square {
        *self.kings.get(color)
    }

    #[inline(always)]
    fn occupied(&self) -> Bitboard {
        self.sides.white | self.sides.black
    }

    #[inline(always)]
    fn shift(&mut self, role: Role, from: Square, to: Square) {
        let way = Bitboard::from(from) ^ Bitboard::from(to);
        self.roles[role as usize & 7] ^= way;
        *self.sides.get_mut(self.turn) ^= way;
    }

    /// Removes a man of the side not to move from the board.
    #[inline(always)]
    fn remove(&mut self, role: Role, square: Square) {
        let waiting = self.turn.other();
        self.roles[role as usize & 7].toggle(square);
        self.sides.get_mut(waiting).toggle(square);
    }

    /// Returns the square on which an en-passant capture is legal.
    pub fn en_passant(&self) -> Option<Square> {
        let to = self.passed?;
        let pawns = attacks::pawn_attacks(self.turn.other(), to) & self.of(self.turn, Role::Pawn);
        let mut takers = pawns.into_iter();
        let is_legal = takers.any(|from| self.victim_of(from, to).is_some());
        is_legal.then_some(to)
    }
}
