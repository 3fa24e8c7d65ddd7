//! The path of one piece: the same man visits these squares in this order.

use shakmaty::{Color, Square};
use tabiya_chess::{Flow, Follow, Man, Placed, Rewind, Start};

use super::Finder;

/// Squares that one man visits in this order. It may stand elsewhere in between, and a promoted
/// pawn is still the same man.
#[derive(Debug, Clone)]
pub(crate) struct PiecePath {
    /// The kind of man on the first square.
    pub(crate) man: Man,
    /// The squares; `None` for any square.
    pub(crate) squares: Vec<Option<Square>>,
}

/// Follows every man of a game along a path.
#[derive(Debug)]
pub(crate) struct PathRun<'a> {
    path: &'a PiecePath,
    now: Now,
    found: Option<u32>,
}

/// The state at the present position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Now {
    /// By square: how much of the path the man on it has completed.
    progress: [u16; 64],
    ply: u32,
    /// The moves of the present ply. Both men of a castling leave before either arrives, since one
    /// may go where the other was.
    shifts: [Option<(Placed, Placed)>; 2],
    promoted: Option<Placed>,
}

impl<'a> PathRun<'a> {
    pub(crate) fn new(path: &'a PiecePath) -> PathRun<'a> {
        PathRun {
            path,
            now: Now {
                progress: [0; 64],
                ply: 0,
                shifts: [None; 2],
                promoted: None,
            },
            found: None,
        }
    }

    /// Records that a man arrives on a square. Matching each square of the path at its first visit
    /// is never worse than waiting for a later one.
    fn arrive(&mut self, placed: Placed, progress: u16) {
        let at = usize::from(placed.square_index());
        let wanted = self.path.squares.get(usize::from(progress)).copied();
        let fits = match wanted {
            Some(square) => square.is_none_or(|square| square == placed.square()),
            None => false,
        };
        let is_it = progress > 0 || placed.man() == self.path.man;
        self.now.progress[at] = progress + u16::from(fits && is_it);
        if usize::from(self.now.progress[at]) == self.path.squares.len() {
            self.found.get_or_insert(self.now.ply);
        }
    }

    fn flow(&self) -> Flow {
        match self.found {
            Some(_) => Flow::Break(()),
            None => Flow::Continue(()),
        }
    }

    /// Places all men of a start position.
    fn set_up(&mut self, board: &shakmaty::Board) {
        for color in Color::ALL {
            for square in board.by_color(color) {
                if let Some(piece) = board.piece_at(square) {
                    self.arrive(Placed::new(piece.into(), square), 0);
                }
            }
        }
    }
}

impl Follow for PathRun<'_> {
    fn reset(&mut self) {
        self.found = None;
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        *self = PathRun::new(self.path);
        match start {
            Start::Standard => self.set_up(&shakmaty::Board::new()),
            Start::Custom(setup) => self.set_up(&setup.board),
        }
        self.flow()
    }

    #[inline]
    fn moved(&mut self, from: Placed, to: Placed) {
        let second = usize::from(self.now.shifts[0].is_some());
        self.now.shifts[second] = Some((from, to));
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        // A promoting pawn is removed after it has moved; that does not end its path.
        if self.now.shifts[0].is_none() {
            self.now.progress[usize::from(gone.square_index())] = 0;
        }
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.now.promoted = Some(new);
    }

    #[inline]
    fn ply_done(&mut self) -> Flow {
        self.now.ply += 1;
        let shifts = std::mem::take(&mut self.now.shifts);
        let progress = shifts.map(|shift| match shift {
            Some((from, _)) => {
                std::mem::take(&mut self.now.progress[usize::from(from.square_index())])
            }
            None => 0,
        });
        for (shift, progress) in shifts.into_iter().zip(progress) {
            let Some((_, to)) = shift else { break };
            // A pawn that reaches its last rank has become the promoted piece.
            let placed = self.now.promoted.take().unwrap_or(to);
            self.arrive(placed, progress);
        }
        self.flow()
    }
}

impl Rewind for PathRun<'_> {
    type Snapshot = Now;

    fn snapshot(&self) -> Now {
        self.now
    }

    fn restore(&mut self, now: &Now) {
        self.now = *now;
    }
}

impl Finder for PathRun<'_> {
    fn found(&self) -> Option<u32> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Chess, Move, Position, san::San};

    use super::*;
    use tabiya_chess::follow::follow_line;

    fn found(man: char, squares: &str, line: &str) -> Option<u32> {
        let mut position = Chess::default();
        let mut moves: Vec<Move> = Vec::new();
        for word in line.split(' ') {
            let played = word.parse::<San>().unwrap().to_move(&position).unwrap();
            position.play_unchecked(played);
            moves.push(played);
        }
        let path = PiecePath {
            man: Man::from_char(man).unwrap(),
            squares: squares
                .split('-')
                .map(|square| square.parse().ok())
                .collect(),
        };
        let mut run = PathRun::new(&path);
        let _ = follow_line(&moves, &mut run);
        run.found()
    }

    #[test]
    fn a_path_is_followed_by_one_and_the_same_man() {
        let line = "e4 e5 d3 d6 Be2 Nf6 Nd2 Be7 Ngf3 O-O O-O c6 Re1 a6 Nf1 b6 Ng3";
        assert_eq!(found('N', "b1-d2-f1-g3", line), Some(17));
        assert_eq!(found('N', "b1-g3", line), Some(17));
        assert_eq!(found('N', "b1-?-f1", line), Some(15));
        assert_eq!(found('N', "b1-f3", line), None);
        assert_eq!(found('N', "g1-g3", line), None);
        assert_eq!(found('r', "h8-f8", line), Some(10));
        assert_eq!(found('k', "e8-g8", line), Some(10));
    }

    #[test]
    fn a_path_goes_on_through_promotion_and_ends_with_capture() {
        let line = "a4 b5 axb5 a6 bxa6 Nc6 a7 Rb8 a8=Q Rb5 Qxc6 dxc6";
        assert_eq!(found('P', "a2-b5-a7-a8-c6", line), Some(11));
        assert_eq!(found('Q', "a8-c6", line), Some(11));
        assert_eq!(found('Q', "a7-a8", line), None);
        assert_eq!(found('P', "a8-c6", line), None);
        assert_eq!(found('n', "b8-c6-?", line), None);
        assert_eq!(found('p', "d7-c6", line), Some(12));
    }
}
