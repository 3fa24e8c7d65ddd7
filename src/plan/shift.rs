//! The images of a condition under `shift`: all that it names moved by the same number of files
//! and ranks.

use shakmaty::Square;
use tabiya_chess::Man;

use crate::{
    pattern::{
        Pattern, Symmetry,
        shifted::{self, Line, Named, Shifted},
    },
    query::{
        At, BoardPattern, Compare, Condition, Designator, ManSet, Op, Place, PositionTest,
        Relation, Values, Zone,
    },
};

/// Returns the conditions with all that they name moved as far as the board goes, themselves
/// included.
pub(super) fn shifts(at: &At) -> Vec<At> {
    let (mut files, mut ranks) = (0, 0);
    for named in named(at) {
        let (file, rank) = match named.place {
            Line::Square(square) => (Some(square.file()), Some(square.rank())),
            Line::File(file) => (Some(file), None),
            Line::Rank(rank) => (None, Some(rank)),
        };
        files |= file.map_or(0, |file| 1 << file as u32);
        ranks |= rank.map_or(0, |rank| 1 << rank as u32);
    }
    let mut shifts = Vec::new();
    for files in room(files) {
        for ranks in room(ranks) {
            shifts.extend(Shift { files, ranks }.at(at));
        }
    }
    shifts
}

/// Returns the anchor of an image of a condition.
pub(super) fn anchor(at: &At, symmetry: Symmetry) -> Square {
    shifted::anchor(&named_in(at, symmetry))
}

/// Combines the patterns of an image of a condition, which have these anchors and numbers.
pub(super) fn shifted(
    at: &At,
    symmetry: Symmetry,
    outline: Pattern,
    patterns: Vec<(Square, u16)>,
) -> Shifted {
    Shifted::new(outline, &named_in(at, symmetry), patterns.into_iter())
}

fn named_in(at: &At, symmetry: Symmetry) -> Vec<Named> {
    let named = named(at).into_iter();
    named.map(|named| named.image(symmetry)).collect()
}

/// Returns all places that a condition names, with the men that must be there or must not.
fn named(at: &At) -> Vec<Named> {
    let mut all = Vec::new();
    name_all(&at.conditions, true, &mut all);
    all
}

/// Adds the places that some conditions name. Of men only if all of these `must_hold`.
fn name_all(conditions: &[Condition], must_hold: bool, all: &mut Vec<Named>) {
    for Condition { negated, test } in conditions {
        let mut name = |place: Place, men: Option<(u16, bool)>| {
            let place = match place {
                Place::Square(square) => Line::Square(square),
                Place::File(file) => Line::File(file),
                Place::Rank(rank) => Line::Rank(rank),
            };
            let men = men.filter(|_| must_hold);
            all.push(Named { place, men });
        };
        match test {
            PositionTest::Any(branches) => {
                for branch in branches {
                    name_all(branch, false, all);
                }
            }
            PositionTest::Sum(sum) => {
                for zone in sum.terms().filter_map(|term| term.count.zone()) {
                    let [low, high] = match zone {
                        Zone::Files(low, high) => [low, high].map(Place::File),
                        Zone::Ranks(low, high) => [low, high].map(Place::Rank),
                        Zone::Light | Zone::Dark => continue,
                    };
                    name(low, None);
                    name(high, None);
                }
            }
            PositionTest::Piece(man, place) => name(*place, Some((1 << man.index(), *negated))),
            PositionTest::Board(board) => {
                for (square, set) in squares_of(board) {
                    // Of a board that must not be, any square may differ.
                    let men = Some((set.0, false)).filter(|_| !negated);
                    name(Place::Square(square), men);
                }
            }
            PositionTest::Relation(relation) => {
                for men in designators(relation) {
                    let wanted = Some((men.men.0, false));
                    let wanted = wanted.filter(|_| !negated && men.men != ManSet::ANY);
                    men.place.into_iter().for_each(|place| name(place, wanted));
                }
            }
            _ => {}
        }
    }
}

/// Returns the squares that a board names.
fn squares_of(board: &BoardPattern) -> impl Iterator<Item = (Square, ManSet)> {
    let squares = Square::ALL.into_iter().zip(board.0);
    squares.filter(|&(_, set)| set != ManSet::ANY)
}

fn designators(relation: &Relation<Designator>) -> Vec<Designator> {
    let mut all = Vec::new();
    let _ = relation.try_map(|men| {
        all.push(*men);
        Some(())
    });
    all
}

/// Returns a condition that holds wherever one of the moved conditions does. Instead of places it
/// has the number of men that must be in them.
pub(super) fn outline(at: &At) -> At {
    let mut outline = at.clone();
    outline.conditions.clear();
    for condition in &at.conditions {
        match &condition.test {
            PositionTest::Piece(man, _) if !condition.negated => {
                outline.conditions.extend(at_least(*man, 1));
            }
            PositionTest::Board(board) if !condition.negated => {
                for man in Man::ALL {
                    let squares = squares_of(board).filter(|(_, set)| *set == ManSet::of(man));
                    let count = squares.count() as i32;
                    outline.conditions.extend(at_least(man, count));
                }
            }
            PositionTest::Piece(..) | PositionTest::Board(_) => {}
            PositionTest::Sum(sum) if sum.terms().all(|term| term.count.zone().is_none()) => {
                outline.conditions.push(condition.clone());
            }
            // What moves, and more, which is not worth the trouble.
            PositionTest::Sum(_) | PositionTest::Any(_) => {}
            PositionTest::Relation(relation) => {
                let anywhere = relation.try_map(|men| {
                    let is_square = men.men == ManSet::ANY;
                    let moves = condition.negated && men.place.is_some();
                    (!is_square && !moves).then_some(Designator {
                        place: None,
                        ..*men
                    })
                });
                outline
                    .conditions
                    .extend(anywhere.map(|relation| Condition {
                        negated: condition.negated,
                        test: PositionTest::Relation(relation),
                    }));
            }
            _ => outline.conditions.push(condition.clone()),
        }
    }
    outline
}

/// Returns the condition on the number of men of a kind; none for kings.
fn at_least(man: Man, count: i32) -> Option<Condition> {
    let compare = Compare {
        op: Op::AtLeast,
        values: Values::One(count),
    };
    let is_counted = man.role() != shakmaty::Role::King && count > 0;
    is_counted.then_some(Condition {
        negated: false,
        test: PositionTest::Count(man, compare),
    })
}

/// Returns by how much lines may be moved with all of them still on the board.
fn room(lines: u8) -> std::ops::RangeInclusive<i32> {
    if lines == 0 {
        return 0..=0;
    }
    -(lines.trailing_zeros() as i32)..=lines.leading_zeros() as i32
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
        self.conditions(&mut moved.conditions)?;
        Some(moved)
    }

    fn conditions(self, conditions: &mut [Condition]) -> Option<()> {
        for condition in conditions {
            match &mut condition.test {
                PositionTest::Any(branches) => {
                    for branch in branches {
                        self.conditions(branch)?;
                    }
                }
                PositionTest::Sum(sum) => *sum = sum.try_map(|zone| self.zone(zone))?,
                PositionTest::Piece(_, place) => *place = self.place(*place)?,
                PositionTest::Board(board) => **board = self.board(board)?,
                PositionTest::Relation(relation) => {
                    *relation = relation.try_map(|men| self.men(*men))?;
                }
                _ => {}
            }
        }
        Some(())
    }

    fn zone(self, zone: Zone) -> Option<Zone> {
        Some(match zone {
            Zone::Files(low, high) => {
                Zone::Files(low.offset(self.files)?, high.offset(self.files)?)
            }
            Zone::Ranks(low, high) => {
                Zone::Ranks(low.offset(self.ranks)?, high.offset(self.ranks)?)
            }
            colour => colour,
        })
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
