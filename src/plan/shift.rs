//! The images of a condition under `shift`: all that it names moved by the same number of files
//! and ranks.

use shakmaty::Square;

use crate::query::{At, BoardPattern, Designator, ManSet, Place, PositionTest};

/// Returns the conditions with all that they name moved as far as the board goes, themselves
/// included.
pub(super) fn shifts(at: &At) -> Vec<At> {
    let named = Named::of(at);
    let mut shifts = Vec::new();
    for files in room(named.files) {
        for ranks in room(named.ranks) {
            shifts.extend(Shift { files, ranks }.at(at));
        }
    }
    shifts
}

/// By file and by rank: a bit for each that is named, alone or as part of a square.
#[derive(Debug, Default)]
struct Named {
    files: u8,
    ranks: u8,
}

/// Returns by how much lines may be moved with all of them still on the board.
fn room(lines: u8) -> std::ops::RangeInclusive<i32> {
    if lines == 0 {
        return 0..=0;
    }
    -(lines.trailing_zeros() as i32)..=lines.leading_zeros() as i32
}

impl Named {
    fn of(at: &At) -> Named {
        let mut named = Named::default();
        for condition in &at.conditions {
            match &condition.test {
                PositionTest::Piece(_, place) => named.add(*place),
                PositionTest::Board(board) => {
                    let squares = Square::ALL.into_iter();
                    squares
                        .filter(|&square| board.0[square as usize] != ManSet::ANY)
                        .for_each(|square| named.add(Place::Square(square)));
                }
                PositionTest::Relation(relation) => {
                    let _ = relation.try_map(|men: &Designator| {
                        men.place.into_iter().for_each(|place| named.add(place));
                        Some(())
                    });
                }
                _ => {}
            }
        }
        named
    }

    fn add(&mut self, place: Place) {
        let (file, rank) = match place {
            Place::Square(square) => (Some(square.file()), Some(square.rank())),
            Place::File(file) => (Some(file), None),
            Place::Rank(rank) => (None, Some(rank)),
        };
        self.files |= file.map_or(0, |file| 1 << file as u32);
        self.ranks |= rank.map_or(0, |rank| 1 << rank as u32);
    }
}

/// A number of files and ranks.
#[derive(Clone, Copy)]
struct Shift {
    files: i32,
    ranks: i32,
}

impl Shift {
    /// Returns the moved conditions; `None` if a square leaves the board.
    fn at(self, at: &At) -> Option<At> {
        let mut moved = at.clone();
        for condition in &mut moved.conditions {
            match &mut condition.test {
                PositionTest::Piece(_, place) => *place = self.place(*place)?,
                PositionTest::Board(board) => **board = self.board(board)?,
                PositionTest::Relation(relation) => {
                    *relation = relation.try_map(|men| self.men(*men))?;
                }
                _ => {}
            }
        }
        Some(moved)
    }

    fn men(self, men: Designator) -> Option<Designator> {
        let place = match men.place {
            Some(place) => Some(self.place(place)?),
            None => None,
        };
        Some(Designator { place, ..men })
    }

    fn place(self, place: Place) -> Option<Place> {
        Some(match place {
            Place::Square(square) => Place::Square(self.square(square)?),
            Place::File(file) => Place::File(file.offset(self.files)?),
            Place::Rank(rank) => Place::Rank(rank.offset(self.ranks)?),
        })
    }

    fn square(self, square: Square) -> Option<Square> {
        let file = square.file().offset(self.files)?;
        Some(Square::from_coords(file, square.rank().offset(self.ranks)?))
    }

    fn board(self, board: &BoardPattern) -> Option<BoardPattern> {
        let mut moved = BoardPattern([ManSet::ANY; 64]);
        for square in Square::ALL {
            let set = board.0[square as usize];
            if set != ManSet::ANY {
                moved.0[self.square(square)? as usize] = set;
            }
        }
        Some(moved)
    }
}
