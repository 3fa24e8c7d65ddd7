//! How similar positions are.
//!
//! The similarity of two positions is a number from 0 to 1; whose turn it is does not matter:
//!
//! ```text
//! 0.5 · J(pawns) + 0.3 · J(other men)
//!     + 0.2 · (1 − Σ |difference of counts| · value / Σ counts · value)
//! ```
//!
//! J is |A ∩ B| / |A ∪ B| over pairs of a man and its square, and 1 if both sets are empty. The
//! sums run over both colours and P N B R Q, worth 1 3 3 5 9; the last one is that of both
//! positions, and the term is 1 if it is 0.

mod at_home;
mod nearest;

use shakmaty::{Bitboard, Board, Color, Role, Square};
use tabiya_chess::{Counts, Man, Share};

pub(crate) use self::{
    at_home::{AtHome, LeastShare},
    nearest::Nearest,
};
use super::{Boards, Symmetry};

/// A position that others are compared with, and the least similarity that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Likeness {
    /// The squares of each kind of men, by [`Man::index`].
    men: [u64; Man::COUNT],
    counts: [i32; Man::COUNT],
    /// The same without kings, at most 31 of a kind.
    packed: Counts,
    pawns: i32,
    others: i32,
    value: i32,
    least: f64,
    /// By number of pawns that are in common: how many other men must be at least; `None` if a
    /// position with no more pawns in common cannot be as similar as asked for.
    least_others: Vec<Option<i32>>,
}

/// Similarities that differ by less than this are equal. Two different ones are never so close:
/// they are fractions whose denominators have few digits.
pub(crate) const TOLERANCE: f64 = 1e-9;

const PAWNS: f64 = 0.5;
const OTHERS: f64 = 0.3;
const MATERIAL: f64 = 0.2;

/// Returns the share of `common` things in those of either of two sets, whose sizes add up to
/// `both`.
#[inline]
fn jaccard(common: i32, both: i32) -> f64 {
    let row = SHARES.get(both as usize);
    let known = row.and_then(|row| row.get(common as usize));
    known.copied().unwrap_or_else(|| divided(common, both))
}

/// The shares of as many things as positions of games have: a division takes longer than a move.
static SHARES: [[f64; 17]; 48] = {
    let mut all = [[0.0; 17]; 48];
    let mut both = 0;
    while both < all.len() {
        let mut common = 0;
        while common < all[both].len() && (common < both || both == 0) {
            all[both][common] = divided(common as i32, both as i32);
            common += 1;
        }
        both += 1;
    }
    all
};

const fn divided(common: i32, both: i32) -> f64 {
    if both == 0 {
        return 1.0;
    }
    common as f64 / (both - common) as f64
}

/// Returns the greatest share of `common` things in those of either of two sets, of which one has
/// `all` things.
fn share_of(common: i32, all: i32) -> f64 {
    match all {
        0 => 1.0,
        all => f64::from(common.min(all)) / f64::from(all),
    }
}

/// What the numbers of men in both positions say about their similarity.
#[derive(Debug, Clone, Copy, Default)]
struct Material {
    /// The sums of the numbers of pawns and of other men.
    pawns: i32,
    others: i32,
    /// The sums of the differences and of the numbers, both by value.
    difference: i32,
    worth: i32,
    /// The part of the similarity that follows from these two.
    part: f64,
}

impl Material {
    /// Works out the part that follows from the sums by value.
    #[inline]
    fn finish(&mut self) {
        self.part = match self.worth {
            0 => MATERIAL,
            worth => MATERIAL * (1.0 - f64::from(self.difference) / f64::from(worth)),
        };
    }

    /// Returns the similarity of positions that have this number of pawns and other men on the same
    /// squares. It grows with both.
    #[inline]
    fn similarity(&self, pawns: i32, others: i32) -> f64 {
        self.of_pawns(pawns) + self.of_rest(others)
    }

    #[inline]
    fn of_pawns(&self, pawns: i32) -> f64 {
        PAWNS * jaccard(pawns, self.pawns)
    }

    #[inline]
    fn of_rest(&self, others: i32) -> f64 {
        OTHERS * jaccard(others, self.others) + self.part
    }
}

impl Likeness {
    pub(crate) fn new(board: &Board, least: Share) -> Likeness {
        let men = Man::ALL.map(|man| u64::from(board.by_piece(man.into())));
        Likeness::of_men(men, least.get() - TOLERANCE)
    }

    fn of_men(men: [u64; Man::COUNT], least: f64) -> Likeness {
        let counts = men.map(|squares| squares.count_ones() as i32);
        let (pawns, others) = sums(&counts);
        let mut likeness = Likeness {
            men,
            pawns,
            others,
            value: Man::ALL
                .into_iter()
                .map(|man| man.points() * counts[man.index()])
                .sum(),
            packed: Man::ALL.into_iter().fold(Counts::default(), |packed, man| {
                packed.with(man, counts[man.index()].min(Counts::MAX.into()) as u8)
            }),
            counts,
            least,
            least_others: Vec::new(),
        };
        let enough = |pawns| (0..=others).find(|&others| likeness.ceiling(pawns, others) >= least);
        likeness.least_others = (0..=pawns).map(enough).collect();
        likeness
    }

    /// Returns the image of the position.
    pub(crate) fn image(&self, symmetry: Symmetry) -> Likeness {
        let men = Man::ALL.map(|man| {
            let man = Man::new(symmetry.color(man.color()), man.role());
            symmetry.squares(self.men[man.index()])
        });
        Likeness::of_men(men, self.least)
    }

    /// Returns the squares of the pawns of one side.
    fn pawns_of(&self, color: Color) -> u64 {
        self.men[Man::new(color, Role::Pawn).index()]
    }

    /// Returns the men and their squares.
    pub(crate) fn placed(&self) -> impl Iterator<Item = (Man, Square)> {
        let of = |man: Man| Bitboard(self.men[man.index()]).into_iter();
        Man::ALL
            .into_iter()
            .flat_map(move |man| of(man).map(move |square| (man, square)))
    }

    /// Returns an upper bound of the similarity of positions that have at most `pawns` and `others`
    /// in common with this one: those in common are no more, and those in either no fewer than its
    /// own.
    pub(crate) fn ceiling(&self, pawns: i32, others: i32) -> f64 {
        PAWNS * share_of(pawns, self.pawns) + self.ceiling_of_rest(others)
    }

    /// Returns the same without the part of pawns.
    pub(crate) fn ceiling_of_rest(&self, others: i32) -> f64 {
        OTHERS * share_of(others, self.others) + MATERIAL
    }

    /// Returns upper bounds of two parts of the similarity, that of pawns and the rest, of
    /// positions with these men and a king each, which have at most `pawns` and `others` in common
    /// with this one.
    #[inline]
    pub(crate) fn ceilings_of(&self, counts: Counts, pawns: i32, others: i32) -> [f64; 2] {
        let numbers = |counts: Counts| {
            let pawns = i32::from(counts.pawns());
            (pawns, i32::from(counts.men()) - pawns)
        };
        let common = self.packed.common(counts);
        let (their_pawns, their_others) = numbers(counts);
        let (most_pawns, most_others) = numbers(common);
        let material = Material {
            pawns: self.pawns + their_pawns,
            others: self.others + their_others,
            part: match self.value + counts.value() {
                0 => MATERIAL,
                worth => MATERIAL * f64::from(2 * common.value()) / f64::from(worth),
            },
            ..Material::default()
        };
        // A position without kings has none in common with these men.
        let pawns = pawns.min(most_pawns).min(self.pawns);
        let others = others.min(most_others).min(self.others);
        [material.of_pawns(pawns), material.of_rest(others)]
    }

    /// Returns an upper bound of the similarity of positions with `count` men of a kind, which have
    /// at most `pawns` and `others` in common with this one: it is reached if all other men are the
    /// same, and the further the number is from that of this position, the lower it is.
    pub(crate) fn ceiling_with(&self, man: Man, count: u8, pawns: i32, others: i32) -> f64 {
        let more = i32::from(count) - self.counts[man.index()];
        let is_pawn = man.role() == Role::Pawn;
        let share = |common: i32, all: i32, is_theirs: bool| {
            let more = if is_theirs { more } else { 0 };
            let common = common.min(all + more.min(0));
            jaccard(common, all + more.max(0) + common)
        };
        let difference = more.abs() * man.points();
        let material = match difference {
            0 => 1.0,
            _ => 1.0 - f64::from(difference) / f64::from(2 * self.value + more * man.points()),
        };
        PAWNS * share(pawns, self.pawns, is_pawn)
            + OTHERS * share(others, self.others, !is_pawn)
            + MATERIAL * material
    }

    /// Returns the lowest and the highest number of men of a kind in positions of at least this
    /// similarity, which have at most `pawns` and `others` in common with this one.
    pub(crate) fn numbers(&self, man: Man, least: f64, [pawns, others]: [u8; 2]) -> (u8, u8) {
        let own = self.packed.get(man);
        if man.role() == Role::King {
            return (0, Counts::MAX);
        }
        let is_near = |&count: &u8| {
            let ceiling = self.ceiling_with(man, count, pawns.into(), others.into());
            ceiling + TOLERANCE >= least
        };
        let low = (0..own).rev().take_while(is_near).last();
        let high = (own..=Counts::MAX).take_while(is_near).last();
        (low.unwrap_or(own), high.unwrap_or(own))
    }

    /// Returns the lowest and the highest number of men of a kind in positions that are as similar
    /// as asked for.
    pub(super) fn numbers_asked(&self, man: Man) -> (u8, u8) {
        self.numbers(man, self.least, self.sizes())
    }

    /// Returns the numbers of pawns and of other men.
    pub(crate) fn sizes(&self) -> [u8; 2] {
        [self.pawns, self.others].map(|number| number as u8)
    }

    /// Returns whether a position is as similar as asked for.
    pub(super) fn holds(&self, boards: &Boards) -> bool {
        let pawns = self.common(boards, |role| role == Role::Pawn);
        // Nearly all positions fail here, by what is cheap to see.
        let Some(least) = self.least_others[pawns as usize] else {
            return false;
        };
        let others = self.common(boards, |role| role != Role::Pawn);
        if others < least {
            return false;
        }
        let with_material = |material: Material| material.similarity(pawns, others) >= self.least;
        with_material(self.same_material(boards)) && {
            let theirs = Man::ALL.map(|man| boards.of(man).count_ones() as i32);
            with_material(self.material(&theirs))
        }
    }

    /// Returns what would be said of as many pawns and other men, if all were as this position's.
    fn same_material(&self, boards: &Boards) -> Material {
        let pawns = boards.pawns(Color::White) | boards.pawns(Color::Black);
        let others = boards.occupied() & !pawns;
        Material {
            pawns: self.pawns + pawns.count_ones() as i32,
            others: self.others + others.count_ones() as i32,
            part: MATERIAL,
            ..Material::default()
        }
    }

    /// Returns how many men of some roles are on squares where the position has them too.
    #[inline]
    fn common(&self, boards: &Boards, is_counted: impl Fn(Role) -> bool) -> i32 {
        let counted = Man::ALL.into_iter().filter(|man| is_counted(man.role()));
        let common = counted.map(|man| boards.of(man) & self.men[man.index()]);
        // A square holds one man, so no two of these sets have one in common.
        common.fold(0, |all, squares| all | squares).count_ones() as i32
    }

    fn material(&self, theirs: &[i32; Man::COUNT]) -> Material {
        let (pawns, others) = sums(theirs);
        let mut material = Material {
            pawns: self.pawns + pawns,
            others: self.others + others,
            worth: self.value,
            ..Material::default()
        };
        for man in Man::ALL {
            let (mine, theirs) = (self.counts[man.index()], theirs[man.index()]);
            material.difference += (mine - theirs).abs() * man.points();
            material.worth += theirs * man.points();
        }
        material.finish();
        material
    }
}

/// Returns the sums of the numbers of pawns and of other men.
fn sums(counts: &[i32; Man::COUNT]) -> (i32, i32) {
    let of = |man: Man| counts[man.index()];
    let pawns = [Color::White, Color::Black].map(|color| of(Man::new(color, Role::Pawn)));
    let pawns = pawns.iter().sum();
    (pawns, counts.iter().sum::<i32>() - pawns)
}

#[cfg(test)]
mod tests {
    use shakmaty::Position as _;

    use super::*;
    use crate::pattern::walks::for_each_ply;

    /// The similarity by the formula, all men compared.
    fn similarity(likeness: &Likeness, boards: &Boards) -> f64 {
        let theirs = Man::ALL.map(|man| boards.of(man).count_ones() as i32);
        let common =
            Man::ALL.map(|man| (boards.of(man) & likeness.men[man.index()]).count_ones() as i32);
        let (pawns, others) = sums(&common);
        likeness.material(&theirs).similarity(pawns, others)
    }

    #[test]
    fn what_is_left_out_early_is_not_as_similar_as_asked_for() {
        let mut wanted: Vec<Likeness> = Vec::new();
        let (mut plies, mut held, mut left_out) = (0_u32, 0, 0);
        for_each_ply(300, |ply| {
            for likeness in &wanted {
                let is_similar = similarity(likeness, ply.boards) >= likeness.least;
                assert_eq!(likeness.holds(ply.boards), is_similar, "{likeness:?}");
                let has_numbers = Man::ALL.into_iter().all(|man| {
                    let (low, high) = likeness.numbers_asked(man);
                    (low..=high).contains(&ply.boards.counts.get(man))
                });
                assert!(has_numbers || !is_similar, "{likeness:?}");
                held += u32::from(is_similar);
                left_out += u32::from(!has_numbers);
            }
            if plies.is_multiple_of(16) {
                let least = Share::from_millionths(plies % 7 * 150_000).unwrap();
                wanted.insert(0, Likeness::new(ply.after.board(), least));
                wanted.truncate(4);
            }
            plies += 1;
        });
        assert!(held > 1000 && left_out > 1000, "{held} {left_out}");
    }
}
