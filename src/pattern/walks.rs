//! Random games for tests, with each position both by the rules and as boards that followed it.

use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, fen::Fen};
use tabiya_chess::{Flow, Follow, Placed, Start, follow::make};

use super::Boards;

/// Start positions: with much and little material, castling on both sides, pawns about to promote,
/// several pieces that reach the same squares.
const STARTS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
    "8/5P1k/8/8/8/2K5/p5p1/8 w - - 0 1",
    "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1",
    "3r2k1/8/N1N5/8/1Q1Q4/8/1Q4K1/r6r w - - 0 1",
    "8/8/1p1p1p2/kPpPpPp1/P1P1P1P1/8/8/K7 w - c6 0 1",
    "5rk1/5ppp/8/8/8/8/1r6/K2R4 b - - 0 1",
];

/// A ply of a random game.
pub(super) struct Ply<'a> {
    pub(super) before: &'a Chess,
    pub(super) played: Move,
    pub(super) after: &'a Chess,
    pub(super) boards: &'a Boards,
}

/// Calls `look` for every ply of some random games. Captures and checks are preferred.
pub(super) fn for_each_ply(games: u64, mut look: impl FnMut(&Ply<'_>)) {
    for game in 0..games {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(game + 1);
        let mut below = |limit: usize| {
            // Marsaglia's xorshift.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 11) as usize % limit
        };
        let fen: Fen = STARTS[below(STARTS.len())].parse().unwrap();
        let mode = CastlingMode::detect(fen.as_setup());
        let mut position: Chess = fen.into_position(mode).unwrap();
        let mut boards = Boards::new(&position.to_setup(EnPassantMode::Always));
        boards.keep_last_move();
        boards.track_castling();
        let mut board = Driven(boards);
        for _ in 0..120 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            board.0.begin_ply();
            let mut played = moves[below(moves.len())];
            for _ in 0..3 {
                let mut next = position.clone();
                next.play_unchecked(played);
                if played.is_capture() || next.is_check() {
                    break;
                }
                played = moves[below(moves.len())];
            }
            let before = position.clone();
            make(played, before.turn(), &mut board);
            board.0.pass();
            position.play_unchecked(played);
            look(&Ply {
                before: &before,
                played,
                after: &position,
                boards: &board.0,
            });
        }
    }
}

struct Driven(Boards);

impl Follow for Driven {
    fn reset(&mut self) {}

    fn start(&mut self, _: Start<'_>) -> Flow {
        Flow::Continue(())
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        self.0.shift(from, to);
    }

    fn remove(&mut self, gone: Placed) {
        self.0.remove(gone);
    }

    fn place(&mut self, new: Placed) {
        self.0.place(new);
    }
}
