//! What `path:` means, in the slowest and most obvious way: every man of a game gets a diary of
//! where it stood, and the diaries are read.

use shakmaty::{Board, CastlingSide, Move, Piece, Role, Square};
use tabiya::{chess::Man, query::Path};

use super::naive::{Found, Known};

/// Where one man stood, one entry for each time it came to stand somewhere, with what it was
/// there: a pawn that promotes stands on its last square as what it has become.
pub(crate) type Diary = Vec<(Square, Man)>;

impl Known {
    /// The first place where some man has been along the path.
    pub(crate) fn first_place_of_path(&self, path: &Path, variations: bool) -> Found {
        let mut places = self.places(variations).into_iter();
        let found = places.find(|&node| {
            let diaries = self.diaries(node);
            diaries.iter().any(|diary| goes_along(diary, path))
        });
        found.map(|node| self.spot(node))
    }

    /// The diaries of all men, the captured ones too, on the line that leads to a node.
    pub(crate) fn diaries(&self, node: usize) -> Vec<Diary> {
        let line = self.line_to(node);
        let mut men = Men::new(&self.nodes[line[0]].place.board);
        for &node in &line[1..] {
            if let Some(played) = self.nodes[node].moved {
                men.play(played);
            }
        }
        men.diaries
    }
}

/// Tells whether a diary holds the squares in their order, other entries between them or not.
/// The man is what the path says when it stands on the first of them.
fn goes_along(diary: &[(Square, Man)], path: &Path) -> bool {
    let is = |wanted: &Option<Square>, square| wanted.is_none_or(|wanted| wanted == square);
    (0..diary.len()).any(|first| {
        let (square, man) = diary[first];
        if man != path.man || !is(&path.squares[0], square) {
            return false;
        }
        let mut rest = diary[first + 1..].iter();
        path.squares[1..]
            .iter()
            .all(|wanted| rest.any(|&(square, _)| is(wanted, square)))
    })
}

/// The men on the board, by the numbers of their diaries.
struct Men {
    at: [Option<usize>; 64],
    diaries: Vec<Diary>,
}

impl Men {
    fn new(board: &Board) -> Men {
        let mut men = Men {
            at: [None; 64],
            diaries: Vec::new(),
        };
        for (square, piece) in board.iter() {
            men.at[square as usize] = Some(men.diaries.len());
            men.diaries.push(vec![(square, piece.into())]);
        }
        men
    }

    fn take_up(&mut self, square: Square) -> usize {
        let man = self.at[square as usize].take();
        man.expect("a man that moves")
    }

    fn put_down(&mut self, man: usize, square: Square, promotion: Option<Role>) {
        self.at[square as usize] = Some(man);
        let (_, before) = *self.diaries[man].last().expect("a first entry");
        let now = match promotion {
            Some(role) => Man::from(Piece {
                color: before.color(),
                role,
            }),
            None => before,
        };
        self.diaries[man].push((square, now));
    }

    fn play(&mut self, played: Move) {
        match played {
            Move::Normal {
                from,
                to,
                promotion,
                ..
            } => {
                let man = self.take_up(from);
                self.put_down(man, to, promotion);
            }
            Move::EnPassant { from, to } => {
                self.take_up(Square::from_coords(to.file(), from.rank()));
                let man = self.take_up(from);
                self.put_down(man, to, None);
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(king < rook);
                let (king_man, rook_man) = (self.take_up(king), self.take_up(rook));
                let rank = king.rank();
                self.put_down(
                    king_man,
                    Square::from_coords(side.king_to_file(), rank),
                    None,
                );
                self.put_down(
                    rook_man,
                    Square::from_coords(side.rook_to_file(), rank),
                    None,
                );
            }
            Move::Put { .. } => panic!("no game of chess"),
        }
    }
}
