//! Patterns as sums over the men on the board.
//!
//! Most conditions are about a number to which every man on its square contributes: men on certain
//! squares, squares that hold what a term requires, pawns on each file. A move changes such a
//! number by one man's weights on two squares. Several numbers share one word, each in a lane with
//! a spare bit above it, so a move costs one subtraction and one addition, and a position two
//! subtractions, however many conditions there are. Unlike a hash, a sum cannot match by accident.
//!
//! Other lanes detect that nothing later can match: they count men that never return.

use shakmaty::{Board, Color, Piece, Role, Square};
use tabiya_chess::{Man, Placed};

use super::{Pattern, Test, term::Term, word::Measure};

/// A pattern turned into sums.
#[derive(Debug, Clone)]
pub(crate) struct SumWeights {
    /// The weight of each man on each square, by [`Placed::index`].
    table: Box<[u64; Placed::TABLE]>,
    /// The spare bit of every lane.
    spare: u64,
    /// The lowest value of every lane with which the pattern matches.
    low: u64,
    /// The highest value of every lane, with the spare bits set.
    high: u64,
    /// The lowest value of every lane with which a later position can match.
    keep: u64,
    /// The sum of the empty board.
    empty: u64,
    /// The sum of the standard start position.
    pub(crate) standard: u64,
    pub(crate) pattern: Pattern,
}

/// A sum over the men.
struct Lane {
    /// By [`Placed::index`].
    weights: Box<[i64; Placed::TABLE]>,
    /// The pattern matches between these, inclusive.
    match_low: i64,
    match_high: i64,
    /// Below this no later position matches.
    keep: i64,
}

/// The greatest number of terms that are worth converting to sums.
const TERMS_MAX: usize = 100;

impl SumWeights {
    /// Converts a pattern to sums. Returns `None` if a term cannot be a sum, or if the lanes do not
    /// fit into one word.
    pub(crate) fn new(pattern: &Pattern) -> Option<SumWeights> {
        if pattern.terms.len() > TERMS_MAX {
            return None;
        }
        let mut weights = SumWeights {
            table: Box::new([0; Placed::TABLE]),
            spare: 0,
            low: 0,
            high: 0,
            keep: 0,
            empty: 0,
            standard: 0,
            pattern: pattern.clone(),
        };
        let mut bits = 0;
        for lane in lanes(pattern)? {
            bits = weights.add(&lane, bits)?;
        }
        for lane in keeps(pattern) {
            // These lanes only save time, so they are left out if they do not fit.
            bits = weights.add(&lane, bits).unwrap_or(bits);
        }
        weights.standard = weights.sum(&Board::new());
        Some(weights)
    }

    /// Adds a lane above the lowest `bits` bits. Returns the number of bits used afterwards.
    fn add(&mut self, lane: &Lane, bits: u32) -> Option<u32> {
        let (least, most) = lane.extremes();
        let range = u64::try_from(most - least).ok()?;
        let width = u64::BITS - range.leading_zeros();
        if bits + width + 1 > u64::BITS {
            return None;
        }
        let largest = (1_i64 << width) - 1;
        // Lanes count from their least value, so that they are never negative.
        let clamped = |value: i64| value.saturating_sub(least).clamp(0, largest) as u64;
        self.spare |= 1 << (bits + width);
        self.low |= clamped(lane.match_low) << bits;
        self.high |= clamped(lane.match_high) << bits | 1 << (bits + width);
        self.keep |= clamped(lane.keep) << bits;
        self.empty = self.empty.wrapping_add((-least as u64) << bits);
        self.pattern.impossible |= lane.match_low > most || lane.match_high < least;
        for (sum, &weight) in self.table.iter_mut().zip(lane.weights.iter()) {
            *sum = sum.wrapping_add((weight as u64) << bits);
        }
        Some(bits + width + 1)
    }

    /// Returns the weight of a man on a square.
    #[inline(always)]
    pub(crate) fn of(&self, placed: Placed) -> u64 {
        self.table[placed.index()]
    }

    /// Returns the sum of a position.
    pub(crate) fn sum(&self, board: &Board) -> u64 {
        let weight = |(square, piece): (_, Piece)| self.of(Placed::new(piece.into(), square));
        let add = |sum: u64, weight| sum.wrapping_add(weight);
        board.iter().map(weight).fold(self.empty, add)
    }

    /// Returns whether a position with this sum satisfies all terms.
    #[inline(always)]
    pub(crate) fn match_at(&self, sum: u64) -> bool {
        let above = (sum | self.spare).wrapping_sub(self.low);
        let below = self.high.wrapping_sub(sum);
        above & below & self.spare == self.spare
    }

    /// Returns whether a position after one with this sum may satisfy all terms.
    #[inline(always)]
    pub(crate) fn may_match_after(&self, sum: u64) -> bool {
        (sum | self.spare).wrapping_sub(self.keep) & self.spare == self.spare
    }
}

impl Lane {
    /// Returns a lane that counts the men of a set (bit [`Man::index`]) on some squares.
    fn counting(men: u16, squares: u64) -> Lane {
        let mut lane = Lane::empty();
        lane.add(|man, square| {
            i64::from(men >> man.index() & 1 == 1 && squares >> square as u32 & 1 == 1)
        });
        lane
    }

    /// Returns a lane without weights and limits.
    fn empty() -> Lane {
        Lane {
            weights: Box::new([0; Placed::TABLE]),
            match_low: i64::MIN,
            match_high: i64::MAX,
            keep: i64::MIN,
        }
    }

    fn add(&mut self, weight: impl Fn(Man, Square) -> i64) {
        for index in 0..Placed::TABLE {
            if let Some(placed) = Placed::from_index(index) {
                self.weights[index] += weight(placed.man(), placed.square());
            }
        }
    }

    fn matching(self, low: i64, high: i64) -> Lane {
        Lane {
            match_low: low,
            match_high: high,
            ..self
        }
    }

    fn kept_from(self, keep: i64) -> Lane {
        Lane { keep, ..self }
    }

    /// Returns the least and the greatest sum: a square holds one man or none.
    fn extremes(&self) -> (i64, i64) {
        let extremes = |(least, most), square| {
            let weight = |man| self.weights[Placed::new(man, square).index()];
            let (mut low, mut high) = (0, 0);
            for weight in Man::ALL.map(weight) {
                (low, high) = (weight.min(low), weight.max(high));
            }
            (least + low, most + high)
        };
        Square::ALL.into_iter().fold((0, 0), extremes)
    }
}

/// Returns the lanes of the terms; `None` if a term cannot be a sum.
///
/// Terms that require something on each of some squares share a lane. Each adds 1 for a square that
/// is as required and -1 for a man that it forbids, so its share is at most the number of squares
/// that it requires filled, and equals that number only if it holds.
fn lanes(pattern: &Pattern) -> Option<Vec<Lane>> {
    let mut sum_matcher = Lane::empty();
    let mut wanted = 0;
    let mut lanes = Vec::new();
    for term in &pattern.terms {
        match agree(term, &mut sum_matcher) {
            Some(squares) => wanted += squares,
            None => lanes.push(lane(term)?),
        }
    }
    lanes.push(sum_matcher.matching(wanted, i64::MAX));
    Some(lanes)
}

/// Adds a term to the shared lane. Returns how many squares it requires filled.
fn agree(term: &Term, sum_matcher: &mut Lane) -> Option<i64> {
    let on = |squares: u64, square: Square| squares >> square as u32 & 1 == 1;
    match (&term.test, term.negated) {
        (&Test::Exactly { man, squares }, false) => {
            sum_matcher.add(|other, square| match (other == man, on(squares, square)) {
                (false, _) => 0,
                (true, true) => 1,
                (true, false) => -1,
            });
            Some(i64::from(squares.count_ones()))
        }
        (&Test::All { men, squares }, false) => {
            sum_matcher
                .add(|man, square| i64::from(men >> man.index() & 1 == 1 && on(squares, square)));
            Some(i64::from(squares.count_ones()))
        }
        (&Test::Some { men, squares }, false) if squares.is_power_of_two() => {
            sum_matcher
                .add(|man, square| i64::from(men >> man.index() & 1 == 1 && on(squares, square)));
            Some(1)
        }
        (&Test::Some { men, squares }, true) => {
            sum_matcher
                .add(|man, square| -i64::from(men >> man.index() & 1 == 1 && on(squares, square)));
            Some(0)
        }
        _ => None,
    }
}

/// Returns the lane of a term that needs its own.
fn lane(term: &Term) -> Option<Lane> {
    let lane = match (&term.test, term.negated) {
        (&Test::Some { men, squares }, false) => Lane::counting(men, squares).matching(1, i64::MAX),
        (&Test::All { men, squares }, true) => {
            let most = i64::from(squares.count_ones()) - 1;
            Lane::counting(men, squares).matching(0, most)
        }
        (&Test::Measure(Measure::Men, low, high), false) => {
            Lane::counting(u16::MAX, u64::MAX).matching(low.into(), high.into())
        }
        (&Test::Measure(Measure::Minors(color), low, high), false) => {
            let minors = [Role::Bishop, Role::Knight].map(|role| Man::new(color, role));
            let men = minors.iter().fold(0, |men, man| men | 1 << man.index());
            Lane::counting(men, u64::MAX).matching(low.into(), high.into())
        }
        (&Test::Measure(Measure::Difference, low, high), false) => {
            let mut lane = Lane::empty();
            lane.add(|man, _| value(man));
            lane.matching(low.into(), high.into())
        }
        (Test::Sum(sum), false) => {
            let mut lane = Lane::empty();
            for part in &sum.parts {
                lane.add(|man, square| {
                    let is_counted =
                        part.men >> man.index() & 1 == 1 && part.squares >> square as u32 & 1 == 1;
                    i64::from(part.times) * i64::from(is_counted)
                });
            }
            lane.matching(sum.low, sum.high)
        }
        (Test::Files(white, black), false) => on_files(white, black),
        (&Test::Bishops { same }, false) => bishops(same),
        _ => return None,
    };
    Some(lane)
}

/// Returns what a man counts in the difference of material.
fn value(man: Man) -> i64 {
    let points = i64::from(man.points());
    man.color().fold_wb(points, -points)
}

/// Returns the lane of the pawns of both sides on all files: digits in base 9, since a file holds
/// at most eight pawns.
fn on_files(white: &[u8; 8], black: &[u8; 8]) -> Lane {
    let digit = |color: Color, file: usize| 9_i64.pow(color.fold_wb(0, 8) + file as u32);
    let mut lane = Lane::empty();
    lane.add(|man, square| match man.role() {
        Role::Pawn => digit(man.color(), square.file() as usize),
        _ => 0,
    });
    let side = |color, pawns: &[u8; 8]| -> i64 {
        let digits = (0..8).map(|file| digit(color, file) * i64::from(pawns[file].min(9)));
        digits.sum()
    };
    let too_many = white.iter().chain(black).any(|&pawns| pawns > 8);
    if too_many {
        lane.matching(i64::MAX, i64::MAX)
    } else {
        let sum = side(Color::White, white) + side(Color::Black, black);
        lane.matching(sum, sum)
    }
}

/// Returns the lane of White's dark-squared bishops minus Black's, or plus Black's if the bishops
/// must differ. The pattern's counts require one bishop each, so the sum is 0 for bishops on the
/// same colour, or 1 for different ones.
fn bishops(same: bool) -> Lane {
    const DARK: u64 = 0xaa55_aa55_aa55_aa55;
    let dark = |square: Square| i64::from(DARK >> square as u32 & 1 == 1);
    let mut lane = Lane::empty();
    if same {
        lane.add(|man, square| match (man.role(), man.color()) {
            (Role::Bishop, Color::White) => dark(square),
            (Role::Bishop, Color::Black) => -dark(square),
            _ => 0,
        })
    } else {
        lane.add(|man, square| match man.role() {
            Role::Bishop => dark(square),
            _ => 0,
        })
    }
    if same {
        lane.matching(0, 0)
    } else {
        lane.matching(1, 1)
    }
}

/// Returns the lanes of men that never return, the most selective first.
fn keeps(pattern: &Pattern) -> Vec<Lane> {
    let mut lanes = Vec::new();
    let mut home = Lane::empty();
    let mut astray = Lane::empty();
    let mut at_home = 0;
    for color in Color::ALL {
        let pawn = Man::new(color, Role::Pawn);
        let on = |squares: u64, square: Square| squares >> square as u32 & 1 == 1;
        let vital = pattern.pawns_at_home(color);
        at_home += i64::from(vital.count_ones());
        home.add(|man, square| i64::from(man == pawn && on(vital, square)));
        let dead_ends = pattern.pawns_astray(color);
        astray.add(|man, square| -i64::from(man == pawn && on(dead_ends, square)));
    }
    if at_home > 0 {
        lanes.push(home.kept_from(at_home));
    }
    if astray.extremes() != (0, 0) {
        lanes.push(astray.kept_from(0));
    }
    let mut origins: Vec<(Color, u64)> = Color::ALL
        .into_iter()
        .flat_map(|color| {
            pattern
                .pawn_origins(color)
                .iter()
                .map(move |&squares| (color, squares))
        })
        .collect();
    origins.sort_unstable_by_key(|(_, squares)| squares.count_ones());
    let counting = |(color, squares): (Color, u64)| {
        let pawn = Man::new(color, Role::Pawn);
        Lane::counting(1 << pawn.index(), squares).kept_from(1)
    };
    lanes.extend(origins.into_iter().map(counting));
    lanes
}

#[cfg(test)]
mod tests;
