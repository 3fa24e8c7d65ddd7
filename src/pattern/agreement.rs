//! The fast path for patterns that only say which men stand where: exact positions above all.
//!
//! Every man on the board has a weight that depends on its kind and square. The weights are
//! such that their sum reaches a certain number exactly when the pattern's squares are right:
//! each term gives 1 for a man that it wants on a square and -1 for a man that it forbids, so a
//! term's share is at most the number of squares it wants filled, and is that number exactly
//! when the term holds. The sum over terms is the sum of those numbers only if all hold. A move
//! then costs one subtraction and one addition, and a position one comparison, whatever the
//! pattern; and unlike a hash the sum cannot be right by accident.

use shakmaty::{Bitboard, Board, Color, Piece, Role};

use super::{Boards, Finder, Pattern, Test};
use crate::chess::{Counts, Flow, Follow, Man, Placed, Start};

/// A pattern turned into weights.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    /// By [`Placed::index`].
    table: Box<[Weight; Placed::TABLE]>,
    /// The sum at which all terms hold.
    wanted: i32,
    standard_sum: i32,
    pattern: Pattern,
}

/// What one man on one square counts.
#[derive(Debug, Clone, Copy, Default)]
struct Weight {
    weight: i8,
    /// A pawn at home that the pattern needs: once it leaves, nothing later can match.
    vital: bool,
    /// A pawn that has gone where it cannot come from to where the pattern needs it.
    astray: bool,
}

impl Weights {
    /// Turns a pattern into weights; `None` when a term says more than which men stand where.
    pub(crate) fn new(pattern: &Pattern) -> Option<Weights> {
        // Weights are small numbers; more terms than this could overflow them.
        if pattern.terms.len() > 100 {
            return None;
        }
        let mut weights = Weights {
            table: Box::new([Weight::default(); Placed::TABLE]),
            wanted: 0,
            standard_sum: 0,
            pattern: pattern.clone(),
        };
        for term in &pattern.terms {
            let men = |man: Man, set: u16| set >> man.index() & 1 == 1;
            match (&term.test, term.negated) {
                (&Test::Exactly { man, squares }, false) => weights.add(|placed| {
                    let inside = squares >> placed.square_index() & 1 == 1;
                    let weight = if inside { 1 } else { -1 };
                    if placed.man() == man { weight } else { 0 }
                }),
                (&Test::All { men: set, squares }, false) => weights.add(|placed| {
                    let inside = squares >> placed.square_index() & 1 == 1;
                    i8::from(inside && men(placed.man(), set))
                }),
                (&Test::Some { men: set, squares }, true) => weights.add(|placed| {
                    let inside = squares >> placed.square_index() & 1 == 1;
                    -i8::from(inside && men(placed.man(), set))
                }),
                (&Test::Some { men: set, squares }, false) if squares.is_power_of_two() => weights
                    .add(|placed| {
                        let inside = squares >> placed.square_index() & 1 == 1;
                        i8::from(inside && men(placed.man(), set))
                    }),
                _ => return None,
            }
            weights.wanted += match &term.test {
                Test::Some { .. } if term.negated => 0,
                Test::Exactly { squares, .. }
                | Test::All { squares, .. }
                | Test::Some { squares, .. } => squares.count_ones() as i32,
                _ => 0,
            };
        }
        weights.mark_pawns();
        weights.standard_sum = weights.sum(&Board::new());
        Some(weights)
    }

    fn add(&mut self, weight: impl Fn(Placed) -> i8) {
        for index in 0..Placed::TABLE {
            if let Some(placed) = Placed::from_index(index) {
                let entry = &mut self.table[index].weight;
                *entry += weight(placed);
            }
        }
    }

    fn mark_pawns(&mut self) {
        for color in Color::ALL {
            let pawn = |square| Placed::new(Man::new(color, Role::Pawn), square).index();
            for square in Bitboard(self.pattern.pawns_at_home(color)) {
                self.table[pawn(square)].vital = true;
            }
            for square in Bitboard(self.pattern.pawns_astray(color)) {
                self.table[pawn(square)].astray = true;
            }
        }
    }

    fn sum(&self, board: &Board) -> i32 {
        let weight = |(square, piece): (_, Piece)| {
            i32::from(self.table[Placed::new(piece.into(), square).index()].weight)
        };
        board.iter().map(weight).sum()
    }
}

/// Follows a game until its position agrees with a pattern.
#[derive(Debug)]
pub(crate) struct Agreement<'a> {
    weights: &'a Weights,
    now: Now,
    /// The ply at which the position agreed, once it did.
    found: Option<u32>,
    /// See [`Finder::look_in_all_lines`].
    all_lines: bool,
    /// Goes on although the pattern cannot match any more on this line.
    looks_on: bool,
}

/// The present position, as far as it matters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Now {
    sum: i32,
    counts: Counts,
    /// The pattern cannot match any more on this line.
    lost: bool,
    /// Whether the counts are what the pattern wants, unless `recount` says that they have
    /// changed since.
    counts_agree: bool,
    recount: bool,
    turn: Color,
    ply: u32,
}

impl<'a> Agreement<'a> {
    /// Prepares a run.
    pub(crate) fn new(weights: &'a Weights) -> Agreement<'a> {
        Agreement {
            weights,
            now: Now {
                sum: weights.standard_sum,
                counts: Counts::STANDARD,
                lost: false,
                counts_agree: false,
                recount: true,
                turn: Color::White,
                ply: 0,
            },
            found: None,
            all_lines: false,
            looks_on: false,
        }
    }

    /// Looks at a position: `Break` when the matter is settled.
    #[inline(always)]
    fn test(&mut self) -> Flow {
        if self.now.recount {
            self.recount();
        }
        let pattern = &self.weights.pattern;
        if self.now.sum == self.weights.wanted
            && self.now.counts_agree
            && pattern.turn.is_none_or(|turn| turn == self.now.turn)
            && pattern.plies.0 <= self.now.ply
            && self.now.ply <= pattern.plies.1
        {
            self.found = Some(self.now.ply);
            return Flow::Break(());
        }
        if (self.now.lost || self.now.ply >= pattern.plies.1) && !self.looks_on {
            return Flow::Break(());
        }
        Flow::Continue(())
    }

    /// Looks at the counts after they have changed.
    fn recount(&mut self) {
        let pattern = &self.weights.pattern;
        self.now.recount = false;
        self.now.counts_agree = pattern.counts.contains(self.now.counts) && !pattern.impossible;
        self.now.lost |= !pattern.counts_within_reach(self.now.counts);
    }

    #[inline]
    fn weight(&self, placed: Placed) -> Weight {
        self.weights.table[placed.index()]
    }
}

impl Follow for Agreement<'_> {
    type Snapshot = Now;

    #[inline]
    fn start(&mut self, start: Start<'_>) -> Flow {
        self.found = None;
        self.looks_on = self.all_lines;
        self.now = match start {
            Start::Standard => Now {
                sum: self.weights.standard_sum,
                counts: Counts::STANDARD,
                lost: false,
                counts_agree: false,
                recount: true,
                turn: Color::White,
                ply: 0,
            },
            Start::Custom(setup) => {
                // What is said of pawns gone astray is said of eight pawns.
                let pawns = |color| setup.board.pawns() & setup.board.by_color(color);
                self.looks_on |= Color::ALL.into_iter().any(|color| pawns(color).count() > 8);
                Now {
                    sum: self.weights.sum(&setup.board),
                    counts: Counts::of(&setup.board),
                    lost: !self.weights.pattern.is_within_reach(&Boards::new(setup)),
                    counts_agree: false,
                    recount: true,
                    turn: setup.turn,
                    ply: 0,
                }
            }
        };
        self.test()
    }

    #[inline]
    fn shift(&mut self, from: Placed, to: Placed) {
        let (left, reached) = (self.weight(from), self.weight(to));
        self.now.sum += i32::from(reached.weight) - i32::from(left.weight);
        self.now.lost |= left.vital | reached.astray;
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        let left = self.weight(gone);
        self.now.sum -= i32::from(left.weight);
        self.now.counts.take(gone.man());
        self.now.lost |= left.vital;
        // Not counted yet: a promoting pawn is gone before its queen is there.
        self.now.recount = true;
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.now.sum += i32::from(self.weight(new).weight);
        self.now.counts.add(new.man());
    }

    #[inline(always)]
    fn look(&mut self) -> Flow {
        self.now.turn = self.now.turn.other();
        self.now.ply += 1;
        self.test()
    }

    fn snapshot(&self) -> Now {
        self.now
    }

    fn restore(&mut self, now: &Now) {
        self.now = *now;
    }
}

impl Finder for Agreement<'_> {
    fn found(&self) -> Option<u32> {
        self.found
    }

    fn look_in_all_lines(&mut self, all_lines: bool) {
        self.all_lines = all_lines;
    }
}
