//! The men on their squares, and their moves in the order in which ChessBase numbers them.
//!
//! Numbers begin with 1. Squares are gone through file by file: a1 to a8, b1 to b8, and so on. The
//! moves of a piece come in the order of [`directions`](crate::chessbase::common::directions),
//! along a line from the nearest square on; those of a pawn are two squares ahead, one, and
//! [`PAWN_CAPTURES`]. Check does not matter, and a king is never captured. A pawn on its last rank
//! has four numbers: queen, rook, bishop, knight. Castling comes after the other moves of the king,
//! to the h side first; the rook must be in its corner and no man between, whether the right to
//! castle is left or not.
//!
//! The file of a pawn that has just gone two squares makes numbers for pawns beside it, after their
//! other moves. ChessBase has this wrong in two cases, and so some numbers mean no move:
//!
//! * no pawn went two squares: a pawn on the a file that could capture to its left, if there was
//!   one, has a number for that;
//! * after castling the file is not forgotten, so the side that went two squares before has numbers
//!   for capturing its own pawn.

use shakmaty::{Color, File, Move, Rank, Role, Square};
use tabiya_chess::{Flow, Follow, Man, Placed, Start, follow::make};

use crate::chessbase::common::directions::{Direction, KING_STEPS, KNIGHT_STEPS, LINES};

/// The first directions of a queen are those of a bishop, the others those of a rook.
const BISHOP: usize = 4;

/// After two squares ahead and one; ranks ahead.
const PAWN_CAPTURES: [Direction; 2] = [(-1, 1), (1, 1)];
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// A position.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    board: [Option<Man>; 64],
    turn: Color,
    /// The file of a pawn that has gone two squares.
    passed: Option<File>,
    /// Whether a castling came after that.
    is_stale: bool,
}

/// Counts moves up to the one that is sought.
struct Count(u8);

/// The move that is sought; `None` if its number means none.
type Found = Option<Move>;

impl Count {
    /// Passes by some numbers. Returns which of them is sought, from 0 on.
    fn pass(&mut self, numbers: u8) -> Option<u8> {
        if self.0 <= numbers {
            return Some(self.0.saturating_sub(1));
        }
        self.0 -= numbers;
        None
    }

    fn pass_move(&mut self, played: impl FnOnce() -> Move) -> Option<Found> {
        self.pass(1).map(|_| Some(played()))
    }
}

impl Pieces {
    pub(super) fn new(start: Start<'_>) -> Pieces {
        let setup = start.setup();
        let man = |square| {
            let piece = setup.board.piece_at(square)?;
            Some(Man::new(piece.color, piece.role))
        };
        Pieces {
            board: Square::ALL.map(man),
            turn: setup.turn,
            passed: setup.ep_square.map(Square::file),
            is_stale: false,
        }
    }

    fn at(&self, square: Square) -> Option<Man> {
        self.board[square as usize]
    }

    /// Returns the square a step away; `None` off the board.
    fn square(&self, from: Square, (files, ranks): Direction) -> Option<Square> {
        let file = File::try_from(from.file() as i32 + i32::from(files)).ok()?;
        let rank = Rank::try_from(from.rank() as i32 + i32::from(ranks)).ok()?;
        Some(Square::from_coords(file, rank))
    }

    /// Returns the same for a pawn of the side to move.
    fn ahead(&self, from: Square, (files, ranks): Direction) -> Option<Square> {
        self.square(from, (files, self.turn.fold_wb(ranks, -ranks)))
    }

    /// Whether a man may go to a square: it is empty, or another's who is no king.
    fn is_free(&self, to: Square) -> bool {
        self.at(to).is_none_or(|man| self.may_capture(man))
    }

    fn may_capture(&self, man: Man) -> bool {
        man.color() != self.turn && man.role() != Role::King
    }

    /// Returns the move with a number, 1 to 127; `None` if there is none.
    pub(super) fn decode(&self, number: u8) -> Option<Move> {
        let mut count = Count(number);
        for file in File::ALL {
            for rank in Rank::ALL {
                let from = Square::from_coords(file, rank);
                let Some(man) = self.at(from).filter(|man| man.color() == self.turn) else {
                    continue;
                };
                let found = match man.role() {
                    Role::Pawn => self.pawn(from, &mut count),
                    Role::King => self.king(from, &mut count),
                    Role::Knight => self.leaps(Role::Knight, from, &KNIGHT_STEPS, &mut count),
                    Role::Bishop => self.lines(Role::Bishop, from, &LINES[..BISHOP], &mut count),
                    Role::Rook => self.lines(Role::Rook, from, &LINES[BISHOP..], &mut count),
                    Role::Queen => self.lines(Role::Queen, from, &LINES, &mut count),
                };
                if let Some(found) = found {
                    return found;
                }
            }
        }
        None
    }

    fn normal(&self, role: Role, from: Square, to: Square, promotion: Option<Role>) -> Move {
        Move::Normal {
            role,
            from,
            capture: self.at(to).map(|man| man.role()),
            to,
            promotion,
        }
    }

    fn leaps(
        &self,
        role: Role,
        from: Square,
        steps: &[Direction],
        count: &mut Count,
    ) -> Option<Found> {
        let targets = steps.iter().filter_map(|&step| self.square(from, step));
        targets
            .filter(|&to| self.is_free(to))
            .find_map(|to| count.pass_move(|| self.normal(role, from, to, None)))
    }

    fn lines(
        &self,
        role: Role,
        from: Square,
        steps: &[Direction],
        count: &mut Count,
    ) -> Option<Found> {
        for &step in steps {
            let mut at = from;
            while let Some(to) = self.square(at, step).filter(|&to| self.is_free(to)) {
                let found = count.pass_move(|| self.normal(role, from, to, None));
                if found.is_some() {
                    return found;
                }
                if self.at(to).is_some() {
                    break;
                }
                at = to;
            }
        }
        None
    }

    fn king(&self, from: Square, count: &mut Count) -> Option<Found> {
        let found = self.leaps(Role::King, from, &KING_STEPS, count);
        if found.is_some() || from != Square::from_coords(File::E, self.turn.backrank()) {
            return found;
        }
        let corners: [(File, &[File]); 2] = [
            (File::H, &[File::F, File::G]),
            (File::A, &[File::B, File::C, File::D]),
        ];
        let home = |file| Square::from_coords(file, self.turn.backrank());
        corners.into_iter().find_map(|(corner, between)| {
            let is_rook = self.at(home(corner)) == Some(Man::new(self.turn, Role::Rook));
            let is_open = between.iter().all(|&file| self.at(home(file)).is_none());
            let castle = || Move::Castle {
                king: from,
                rook: home(corner),
            };
            (is_rook && is_open)
                .then(|| count.pass_move(castle))
                .flatten()
        })
    }

    fn pawn(&self, from: Square, count: &mut Count) -> Option<Found> {
        let is_empty = |to: &Square| self.at(*to).is_none();
        let one = self.ahead(from, (0, 1)).filter(is_empty);
        let is_home = from.rank() == self.turn.fold_wb(Rank::Second, Rank::Seventh);
        let two = one.and(self.ahead(from, (0, 2)));
        let two = two.filter(|to| is_home && is_empty(to));
        let captures = PAWN_CAPTURES.into_iter().filter_map(|step| {
            let to = self.ahead(from, step)?;
            self.at(to)
                .is_some_and(|man| self.may_capture(man))
                .then_some(to)
        });
        let last = self.turn.other().backrank();
        let targets = two.into_iter().chain(one).chain(captures);
        let found = targets.into_iter().find_map(|to| {
            if to.rank() != last {
                return count.pass_move(|| self.normal(Role::Pawn, from, to, None));
            }
            let which = count.pass(PROMOTIONS.len() as u8)?;
            let role = PROMOTIONS.get(usize::from(which)).copied();
            Some(Some(self.normal(Role::Pawn, from, to, role)))
        });
        found.or_else(|| self.en_passant(from, count))
    }

    fn en_passant(&self, from: Square, count: &mut Count) -> Option<Found> {
        if from.rank() != self.turn.fold_wb(Rank::Fifth, Rank::Fourth) {
            return None;
        }
        let Some(passed) = self.passed else {
            let has_number = from.file() == File::A;
            return has_number.then(|| count.pass(1).map(|_| None)).flatten();
        };
        let mut targets = PAWN_CAPTURES
            .into_iter()
            .filter_map(|step| self.ahead(from, step));
        let to = targets.find(|to| to.file() == passed)?;
        let captured = || Move::EnPassant { from, to };
        count.pass(1).map(|_| (!self.is_stale).then(captured))
    }

    /// Plays a move of the side to move.
    pub(super) fn play(&mut self, played: Move) {
        let goes_two = |from: Square, to: Square| from.rank().distance(to.rank()) == 2;
        match played {
            Move::Castle { .. } => self.is_stale = true,
            Move::Normal { role, from, to, .. } if role == Role::Pawn && goes_two(from, to) => {
                (self.passed, self.is_stale) = (Some(to.file()), false);
            }
            _ => (self.passed, self.is_stale) = (None, false),
        }
        make(played, self.turn, self);
        self.turn = self.turn.other();
    }

    pub(super) fn turn(&self) -> Color {
        self.turn
    }
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
        if self.at(from.square()) == Some(from.man()) {
            self.board[from.square() as usize] = None;
        }
        self.board[to.square() as usize] = Some(to.man());
    }

    fn remove(&mut self, gone: Placed) {
        self.board[gone.square() as usize] = None;
    }

    fn place(&mut self, new: Placed) {
        self.board[new.square() as usize] = Some(new.man());
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, fen::Fen};

    use super::*;

    fn pieces(fen: &str) -> Pieces {
        let setup = fen.parse::<Fen>().unwrap().into_setup();
        Pieces::new(Start::Custom(&setup))
    }

    /// The moves of a position in their order; `-` for a number that means none.
    fn moves(pieces: &Pieces) -> String {
        let told = |number| match pieces.decode(number) {
            Some(played) => played.to_uci(CastlingMode::Standard).to_string(),
            None => "-".to_owned(),
        };
        let told: Vec<String> = (1..128).map(told).collect();
        let end = told.iter().rposition(|told| told != "-");
        told[..end.map_or(0, |end| end + 1)].join(" ")
    }

    #[test]
    fn men_are_numbered_by_files_and_their_moves_by_directions() {
        assert_eq!(
            moves(&Pieces::new(Start::Standard)),
            "a2a4 a2a3 b1a3 b1c3 b2b4 b2b3 c2c4 c2c3 d2d4 d2d3 e2e4 e2e3 f2f4 f2f3 g1f3 g1h3 \
             g2g4 g2g3 h2h4 h2h3"
        );
        assert_eq!(
            moves(&pieces("8/8/8/8/3Q4/8/5k2/1K6 w - - 0 1")),
            "b1a1 b1a2 b1b2 b1c1 b1c2 d4c3 d4b2 d4a1 d4e3 d4e5 d4f6 d4g7 d4h8 d4c5 d4b6 d4a7 \
             d4c4 d4b4 d4a4 d4d3 d4d2 d4d1 d4e4 d4f4 d4g4 d4h4 d4d5 d4d6 d4d7 d4d8"
        );
        assert_eq!(
            moves(&pieces("8/8/8/8/8/p7/7k/R3K2R w - - 0 1")),
            "a1b1 a1c1 a1d1 a1a2 a1a3 e1d1 e1d2 e1e2 e1f1 e1f2 e1g1 e1c1 h1g1 h1f1"
        );
        assert_eq!(
            moves(&pieces("k7/8/8/8/8/8/2p5/1N1B3K b - - 0 1")),
            "a8a7 a8b7 a8b8 c2c1q c2c1r c2c1b c2c1n c2b1q c2b1r c2b1b c2b1n c2d1q c2d1r c2d1b \
             c2d1n"
        );
    }

    #[test]
    fn pawns_on_the_a_file_may_have_a_number_too_many() {
        let with = |passed| {
            let fen = format!("7k/8/8/Pp6/8/8/8/6BK w - {passed} 0 1");
            moves(&pieces(&fen))
        };
        assert!(with("-").starts_with("a5a6 - g1h2"), "{}", with("-"));
        assert!(with("b6").starts_with("a5a6 a5b6 g1h2"));
    }

    #[test]
    fn castling_leaves_numbers_for_what_went_two_squares_before() {
        let mut position = pieces("r3k3/8/8/1P6/8/8/P7/7K w - - 0 1");
        let play = |position: &mut Pieces, uci: &str| {
            let found = (1..128).find_map(|number| {
                let played = position.decode(number)?;
                let is_it = played.to_uci(CastlingMode::Standard).to_string() == uci;
                is_it.then_some(played)
            });
            position.play(found.expect("a move of this name"));
        };
        play(&mut position, "a2a4");
        play(&mut position, "e8c8");
        assert_eq!(moves(&position), "a4a5 b5b6 - h1g1 h1g2 h1h2");
        play(&mut position, "h1g1");
        play(&mut position, "c8b8");
        assert_eq!(moves(&position), "a4a5 b5b6 g1f1 g1f2 g1g2 g1h1 g1h2");
    }
}
