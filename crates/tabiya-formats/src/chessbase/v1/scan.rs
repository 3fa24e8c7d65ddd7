//! The squares of pawns and kings in a game, found from its codes without a board.
//!
//! In games from the standard start position, a code names its man: the third pawn is always the
//! one from c2 or c7, and a king is a king. So their squares follow from the codes alone, at the
//! cost of one addition per move; no piece is tracked. Captures are not seen: a captured pawn stays
//! where it was. So the tracked pawns include all that exist and perhaps some more; the kings are
//! exact. This gives three rules:
//!
//! * a pattern that requires a pawn on a square cannot match while no pawn is seen there;
//! * nothing matches any more once a pawn has left a home square where the pattern requires one,
//!   since pawns never return;
//! * a pattern that requires the kings on certain squares matches only while they are there.
//!
//! Two-byte moves name squares, not men. They are checked to be promotions or moves of unnumbered
//! men. A game with any other two-byte move, or with a code without a meaning, has to be decoded.

use std::{convert::Infallible, ops::ControlFlow as Flow};

use shakmaty::{Bitboard, Color, Square};
use tabiya_chess::requirements::Requirements;

use super::{
    codes::{self, slot},
    stream::{Parts, Word},
    tables::MODES,
};

/// The mode of nearly all games; others are not examined.
const MODE: u8 = 0;
const PAWNS: u32 = 8;
/// Bits of a square: its file in the lower three, its rank in the higher three.
const SQUARE_BITS: u32 = 6;
/// Pawns one to eight from bit 0 on, then the king.
const FIELDS: u32 = PAWNS + 1;
const KING_SHIFT: u32 = PAWNS * SQUARE_BITS;
const SQUARE: u64 = (1 << SQUARE_BITS) - 1;
/// The lowest bit of every pawn's square.
const LOW: u64 = repeated(1, PAWNS);
/// The highest bit of every file and every rank, where a sum must not carry into the next.
const TOPS: u64 = repeated(0b10_0100, FIELDS);

/// Repeats a square's bits in the lowest fields.
const fn repeated(square: u64, fields: u32) -> u64 {
    let (mut all, mut field) = (0, 0);
    while field < fields {
        all |= square << (field * SQUARE_BITS);
        field += 1;
    }
    all
}

/// The squares of one side's pawns and king.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Walkers(u64);

impl Walkers {
    const fn start(black: bool) -> Walkers {
        let (pawns, king) = if black { (48, 60) } else { (8, 4) };
        let (mut all, mut file) = (king << KING_SHIFT, 0);
        while file < PAWNS {
            all |= (pawns + file as u64) << (file * SQUARE_BITS);
            file += 1;
        }
        Walkers(all)
    }

    /// Adds the stride's files and ranks, each modulo 8.
    #[inline(always)]
    fn walked(self, stride: u64) -> Walkers {
        let sum = (self.0 & !TOPS) + (stride & !TOPS);
        Walkers(sum ^ (self.0 ^ stride) & TOPS)
    }

    #[inline(always)]
    fn king(self) -> u64 {
        1 << (self.0 >> KING_SHIFT & SQUARE)
    }

    /// Whether a pawn is on the square.
    #[inline(always)]
    fn has_pawn(self, square: Square) -> bool {
        let everywhere = LOW * square as u64;
        // A zero field borrows, which sets its highest bit. The lowest field to do so is really
        // zero.
        let differs = (self.0 ^ everywhere) & repeated(SQUARE, PAWNS);
        differs.wrapping_sub(LOW) & !differs & (LOW << (SQUARE_BITS - 1)) != 0
    }
}

/// Bit of a stride: the code is neither a step, a null move nor castling.
const SPECIAL: u64 = 1 << 63;

/// The stride of each code of one side, indexed by its byte before the first move.
type Strides = [u64; 256];

static STRIDES: [Strides; 2] = [strides(false), strides(true)];

const fn strides(black: bool) -> Strides {
    let mut all = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        all[byte] = stride(MODES[MODE as usize].decode[byte], black);
        byte += 1;
    }
    all
}

const fn stride(code: u8, black: bool) -> u64 {
    const FIRST_PAWN: u8 = slot::FIRST[codes::PAWN as usize];
    match (codes::step(code, black), code) {
        (None, codes::NULL) => 0,
        // Two files to the right, or six, which wraps to two to the left.
        (None, codes::CASTLE_KING_SIDE) => 2 << KING_SHIFT,
        (None, codes::CASTLE_QUEEN_SIDE) => 6 << KING_SHIFT,
        (None, _) => SPECIAL,
        (Some(step), _) => {
            let squares = (step.files | step.ranks << 3) as u64;
            match step.slot {
                0 => squares << KING_SHIFT,
                FIRST_PAWN.. => squares << ((step.slot - FIRST_PAWN) as u32 * SQUARE_BITS),
                _ => 0,
            }
        }
    }
}

/// What is required of pawns and kings. Built once per few games, so it does not allocate.
#[derive(Debug)]
pub(super) struct CodeScan {
    /// By side: the fields of pawns that must be at home.
    at_home: [u64; 2],
    /// By side: squares other than home squares that must have a pawn.
    pawns: [Bitboard; 2],
    /// By side: squares where the king may be.
    kings: [u64; 2],
    turn: Option<Color>,
    plies: (u32, u32),
}

impl CodeScan {
    /// Returns `None` if nothing is required of pawns and kings.
    pub(super) fn new(requirements: &Requirements) -> Option<CodeScan> {
        let home_fields = |squares: u64, first: u32| {
            let files = (0..PAWNS).filter(|file| squares >> (first + file) & 1 == 1);
            files.fold(0, |fields, file| fields | SQUARE << (file * SQUARE_BITS))
        };
        let [white, black] = requirements.pawns_at_home();
        let scan = CodeScan {
            at_home: [home_fields(white, 8), home_fields(black, 48)],
            pawns: [
                Bitboard(requirements.pawns[0] & !white),
                Bitboard(requirements.pawns[1] & !black),
            ],
            kings: requirements.kings,
            turn: requirements.turn,
            plies: requirements.plies,
        };
        let sees = scan.at_home != [0; 2]
            || scan.kings != [u64::MAX; 2]
            || scan.pawns.iter().any(|pawns| pawns.any());
        sees.then_some(scan)
    }

    /// Whether any position of a game's main line may match.
    #[inline]
    pub(super) fn may_match(&self, game: &Parts<'_>) -> bool {
        if game.mode != MODE || game.setup.is_some() {
            return true;
        }
        match self.walk(game.moves) {
            Flow::Continue(never) => match never {},
            Flow::Break(may_match) => may_match,
        }
    }

    /// Walks a main line until it is known whether a position may match.
    fn walk(&self, moves: &[u8]) -> Flow<bool, Infallible> {
        let mut codes = Codes {
            bytes: moves,
            at: 0,
            moves: 0,
        };
        let (mut white, mut black) = (Walkers::start(false), Walkers::start(true));
        loop {
            self.look([white, black], codes.moves)?;
            white = white.walked(codes.next::<WHITE>(white)?);
            self.look_home::<WHITE>(white)?;
            self.look([white, black], codes.moves)?;
            black = black.walked(codes.next::<BLACK>(black)?);
            self.look_home::<BLACK>(black)?;
        }
    }

    /// Breaks when a pawn that must be at home has left.
    #[inline(always)]
    fn look_home<const SIDE: usize>(&self, walkers: Walkers) -> Flow<bool> {
        let gone = walkers.0 ^ Walkers::start(SIDE == BLACK).0;
        match gone & self.at_home[SIDE] {
            0 => Flow::Continue(()),
            _ => Flow::Break(false),
        }
    }

    /// Breaks when the pattern may match with pawns and kings on these squares, and when the ply is
    /// past the last one that can match.
    #[inline(always)]
    fn look(&self, sides: [Walkers; 2], ply: u32) -> Flow<bool> {
        let king_fits = |side: usize| sides[side].king() & self.kings[side] != 0;
        let pawns_fit = |side: usize| {
            let mut pawns = self.pawns[side].into_iter();
            pawns.all(|square| sides[side].has_pawn(square))
        };
        if ply > self.plies.1 {
            return Flow::Break(false);
        }
        let is_here = king_fits(WHITE)
            && king_fits(BLACK)
            && pawns_fit(WHITE)
            && pawns_fit(BLACK)
            && ply >= self.plies.0
            && self
                .turn
                .is_none_or(|turn| turn.is_black() == (ply % 2 == 1));
        if is_here {
            Flow::Break(true)
        } else {
            Flow::Continue(())
        }
    }
}

const WHITE: usize = 0;
const BLACK: usize = 1;

/// Cursor over the bytes of a main line.
struct Codes<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Moves so far.
    moves: u32,
}

impl Codes<'_> {
    /// Returns the stride of the next move. Breaks at the end of the line and at a move that needs
    /// a board.
    #[inline(always)]
    fn next<const SIDE: usize>(&mut self, own: Walkers) -> Flow<bool, u64> {
        let strides = &STRIDES[SIDE];
        loop {
            let Some(&byte) = self.bytes.get(self.at) else {
                return Flow::Break(!self.bytes.is_empty());
            };
            self.at += 1;
            let stride = strides[usize::from(byte.wrapping_sub(self.moves as u8))];
            if stride != SPECIAL || self.special(byte, own)? {
                self.moves = self.moves.wrapping_add(1);
                return Flow::Continue(stride & !SPECIAL);
            }
        }
    }

    /// Whether a special code is a move: a two-byte move that is neither the king's nor that of a
    /// pawn that does not promote.
    #[inline(never)]
    fn special(&mut self, byte: u8, own: Walkers) -> Flow<bool, bool> {
        let (encoding, moves) = (&MODES[usize::from(MODE)], self.moves as u8);
        match encoding.code(byte, moves) {
            codes::BRANCH | codes::PADDING => Flow::Continue(false),
            codes::WORD => {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                let Some(word) = Word::read(encoding, rest, moves) else {
                    return Flow::Break(true);
                };
                self.at += 2;
                let (from, to) = (word.from(), word.to());
                let is_last_rank = matches!(to >> 3, 0 | 7);
                let is_pawn = own.has_pawn(Square::new(from.into()));
                if from == to || own.king() == 1 << from || is_pawn && !is_last_rank {
                    Flow::Break(true)
                } else {
                    Flow::Continue(true)
                }
            }
            codes::LINE_END => Flow::Break(false),
            _ => Flow::Break(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Board, Role};

    use super::*;
    use crate::Scratch;
    use tabiya_chess::{Follow, Placed, Rewind, Start, material::CountRange};

    /// Collects every position of a main line.
    #[derive(Default)]
    struct Positions {
        board: Board,
        all: Vec<Board>,
    }

    impl Follow for Positions {
        fn reset(&mut self) {
            self.all.clear();
        }

        fn start(&mut self, start: Start<'_>) -> tabiya_chess::Flow {
            self.board = start.setup().board;
            self.ply_done()
        }

        fn moved(&mut self, from: Placed, to: Placed) {
            self.remove(from);
            self.place(to);
        }

        fn remove(&mut self, gone: Placed) {
            self.board.discard_piece_at(gone.square());
        }

        fn place(&mut self, new: Placed) {
            let (color, role) = (new.man().color(), new.man().role());
            self.board.set_piece_at(new.square(), role.of(color));
        }

        fn ply_done(&mut self) -> tabiya_chess::Flow {
            self.all.push(self.board.clone());
            Flow::Continue(())
        }
    }

    impl Rewind for Positions {
        type Snapshot = Board;

        fn snapshot(&self) -> Board {
            self.board.clone()
        }

        fn restore(&mut self, board: &Board) {
            self.board = board.clone();
        }
    }

    fn game(moves: &[u8]) -> Parts<'_> {
        Parts {
            mode: MODE,
            setup: None,
            moves,
            moves_at: 4,
        }
    }

    /// Plays a stream; `None` if a move is invalid.
    fn positions(moves: &[u8]) -> Option<Vec<Board>> {
        let mut positions = Positions::default();
        let played = game(moves).main_line(&mut Scratch::default(), &mut positions);
        played.is_ok().then_some(positions.all)
    }

    /// Returns a random stream, in which men may wrap around the edge of the board, and its
    /// positions.
    fn random_stream(seed: u64) -> (Vec<u8>, Vec<Board>) {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = move |bound: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) % bound
        };
        let (mut stream, mut told) = (Vec::new(), positions(&end(&[], 0)).unwrap());
        for _ in 0..400 {
            let moves = told.len() as u8 - 1;
            let code = match random(4) {
                0 => random(11) as u8,
                1 | 2 => 111 + random(32) as u8,
                _ => random(237) as u8,
            };
            let mut longer = stream.clone();
            longer.push(MODES[0].byte(code, moves));
            if code == codes::WORD {
                longer.extend([0; 2].map(|_| MODES[0].byte(random(64) as u8, moves)));
            }
            let plies = moves + u8::from(code != codes::PADDING);
            if let Some(boards) = positions(&end(&longer, plies)) {
                (stream, told) = (longer, boards);
            }
        }
        (end(&stream, told.len() as u8 - 1), told)
    }

    fn end(stream: &[u8], moves: u8) -> Vec<u8> {
        let end = MODES[0].byte(codes::LINE_END, moves);
        [stream, &[end]].concat()
    }

    /// Requires the pawns and kings of a position, at its ply.
    fn requirements(board: &Board, ply: u32) -> Requirements {
        let squares =
            |role: Role| Color::ALL.map(|color| u64::from(board.by_piece(role.of(color))));
        let pawns = squares(Role::Pawn);
        Requirements {
            counts: CountRange::ANY,
            turn: Some(if ply.is_multiple_of(2) {
                Color::White
            } else {
                Color::Black
            }),
            plies: (ply, ply + 7),
            pawns,
            kings: squares(Role::King),
        }
    }

    #[test]
    fn no_position_that_a_game_comes_by_is_ruled_out() {
        let games: Vec<_> = (1..40).map(random_stream).collect();
        let (mut long, mut ruled_out) = (0, 0);
        for (stream, told) in &games {
            long += usize::from(told.len() > 60);
            for (ply, board) in (0..).zip(told) {
                let scan = CodeScan::new(&requirements(board, ply)).unwrap();
                assert!(scan.may_match(&game(stream)), "{ply} {board}");
                let others = games.iter().filter(|(other, _)| other != stream);
                let never = others.filter(|(other, _)| !scan.may_match(&game(other)));
                ruled_out += usize::from(ply > 20 && never.count() == games.len() - 1);
            }
        }
        assert!(long > 20 && ruled_out > 500, "{long} {ruled_out}");
    }

    #[test]
    fn counts_and_plies_alone_are_not_looked_for() {
        let requirements = Requirements {
            counts: CountRange::ANY,
            turn: None,
            plies: (0, 9),
            pawns: [0; 2],
            kings: [u64::MAX; 2],
        };
        assert!(CodeScan::new(&requirements).is_none());
    }

    #[test]
    fn games_that_cannot_be_told_without_a_board_are_left_alone() {
        let mut board = Board::new();
        board.discard_piece_at(shakmaty::Square::E2);
        board.set_piece_at(shakmaty::Square::E5, Role::Pawn.of(Color::White));
        let scan = CodeScan::new(&requirements(&board, 2)).unwrap();
        let stream = end(&[], 0);
        assert!(!scan.may_match(&game(&stream)));
        let other_mode = Parts {
            mode: 4,
            ..game(&stream)
        };
        let setup = Parts {
            setup: Some(&[]),
            ..game(&stream)
        };
        // Without an end, with a code without a meaning, with a pawn moved to e4 by a word.
        let damaged = [MODES[0].byte(codes::NULL, 0)];
        let odd = [MODES[0].byte(240, 0)];
        let word = |low| {
            end(
                &[codes::WORD, 0x08, low].map(|code| MODES[0].byte(code, 0)),
                1,
            )
        };
        let pawn = word(0xe1);
        for parts in [other_mode, setup, game(&damaged), game(&odd), game(&pawn)] {
            assert!(scan.may_match(&parts));
        }
        // With a man moved there from e1's neighbour, where there is no pawn and no king.
        assert!(!scan.may_match(&game(&word(0xd8))));
    }

    #[test]
    fn fields_are_compared_one_by_one() {
        for file in 0..8 {
            for square in 0..64 {
                let walkers = Walkers(repeated(63 - square, 8) & !(SQUARE << (6 * file)));
                let walkers = Walkers(walkers.0 | square << (6 * file));
                for wanted in Square::ALL {
                    let is_there = [square, 63 - square].contains(&(wanted as u64));
                    assert_eq!(walkers.has_pawn(wanted), is_there);
                }
            }
        }
    }
}
