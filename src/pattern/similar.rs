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

use shakmaty::{Bitboard, Board, Color, Role, Square};

use super::{Boards, Symmetry};
use crate::chess::{Flow, Follow, Man, Placed, Share, Start};

/// A position that others are compared with, and the least similarity that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Likeness {
    /// The squares of each kind of men, by [`Man::index`].
    men: [u64; Man::COUNT],
    counts: [i32; Man::COUNT],
    pawns: i32,
    others: i32,
    value: i32,
    least: f64,
}

/// Similarities that differ by less than this are equal. Two different ones are never so close:
/// they are fractions whose denominators have few digits.
pub(crate) const TOLERANCE: f64 = 1e-9;

const PAWNS: f64 = 0.5;
const OTHERS: f64 = 0.3;
const MATERIAL: f64 = 0.2;

fn value(man: Man) -> i32 {
    match man.role() {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 0,
    }
}

/// Returns the share of `common` things in those of either of two sets, whose sizes add up to
/// `both`.
#[inline]
fn jaccard(common: i32, both: i32) -> f64 {
    if both == 0 {
        return 1.0;
    }
    f64::from(common) / f64::from(both - common)
}

/// What the counts of a position say about its similarity.
#[derive(Debug, Clone, Copy)]
struct Material {
    /// The sums of the numbers of pawns and of other men in both positions.
    pawns: i32,
    others: i32,
    /// The last part of the similarity.
    part: f64,
    /// The greatest similarity of any position with these counts.
    ceiling: f64,
}

impl Likeness {
    pub(crate) fn new(board: &Board, least: Share) -> Likeness {
        let men = Man::ALL.map(|man| u64::from(board.by_piece(man.into())));
        Likeness::of_men(men, least.get() - TOLERANCE)
    }

    fn of_men(men: [u64; Man::COUNT], least: f64) -> Likeness {
        let counts = men.map(|squares| squares.count_ones() as i32);
        let of = |man: Man| counts[man.index()];
        let (pawns, others): (Vec<Man>, Vec<Man>) = Man::ALL
            .into_iter()
            .partition(|man| man.role() == Role::Pawn);
        Likeness {
            men,
            pawns: pawns.into_iter().map(of).sum(),
            others: others.into_iter().map(of).sum(),
            value: Man::ALL.into_iter().map(|man| value(man) * of(man)).sum(),
            counts,
            least,
        }
    }

    /// Returns the image of the position.
    pub(crate) fn image(&self, symmetry: Symmetry) -> Likeness {
        let men = Man::ALL.map(|man| {
            let man = Man::new(symmetry.color(man.color()), man.role());
            symmetry.squares(self.men[man.index()])
        });
        Likeness::of_men(men, self.least)
    }

    /// Returns the men and their squares.
    pub(crate) fn placed(&self) -> impl Iterator<Item = (Man, Square)> {
        let of = |man: Man| Bitboard(self.men[man.index()]).into_iter();
        Man::ALL
            .into_iter()
            .flat_map(move |man| of(man).map(move |square| (man, square)))
    }

    /// Returns an upper bound of the similarity of positions that have at most so many pawns and
    /// other men in common with this one: those in common are no more, and those in either no fewer
    /// than its own.
    pub(crate) fn ceiling(&self, pawns: i32, others: i32) -> f64 {
        let share = |common: i32, all: i32| match all {
            0 => 1.0,
            all => f64::from(common.min(all)) / f64::from(all),
        };
        PAWNS * share(pawns, self.pawns) + OTHERS * share(others, self.others) + MATERIAL
    }

    /// Returns whether a position is as similar as asked for.
    pub(super) fn holds(&self, boards: &Boards) -> bool {
        self.between(boards, &self.material(boards), self.least)
            .is_some()
    }

    fn material(&self, boards: &Boards) -> Material {
        let (mut common_pawns, mut common_others) = (0, 0);
        let (mut pawns, mut others) = (self.pawns, self.others);
        let (mut difference, mut worth) = (0, self.value);
        for man in Man::ALL {
            let mine = self.counts[man.index()];
            let theirs = boards.of(man).count_ones() as i32;
            let common = mine.min(theirs);
            if man.role() == Role::Pawn {
                (pawns, common_pawns) = (pawns + theirs, common_pawns + common);
            } else {
                (others, common_others) = (others + theirs, common_others + common);
            }
            difference += (mine - theirs).abs() * value(man);
            worth += theirs * value(man);
        }
        let part = match worth {
            0 => MATERIAL,
            _ => MATERIAL * (1.0 - f64::from(difference) / f64::from(worth)),
        };
        let ceiling =
            PAWNS * jaccard(common_pawns, pawns) + OTHERS * jaccard(common_others, others) + part;
        Material {
            pawns,
            others,
            part,
            ceiling,
        }
    }

    /// Returns the similarity of a position with these counts; `None` if it is below `least`.
    #[inline]
    fn between(&self, boards: &Boards, material: &Material, least: f64) -> Option<f64> {
        let common = |man: Man| (boards.of(man) & self.men[man.index()]).count_ones() as i32;
        if material.ceiling < least {
            return None;
        }
        let pawn = |color| common(Man::new(color, Role::Pawn));
        let pawns = PAWNS * jaccard(pawn(Color::White) + pawn(Color::Black), material.pawns);
        if pawns + OTHERS + material.part < least {
            return None;
        }
        let others = Man::ALL.into_iter().filter(|man| man.role() != Role::Pawn);
        let others = OTHERS * jaccard(others.map(common).sum(), material.others);
        Some(pawns + others + material.part).filter(|&similarity| similarity >= least)
    }
}

/// Follows games and finds the position of each that is most similar to another.
#[derive(Debug)]
pub(crate) struct Nearest<'a> {
    /// The position and its images.
    images: &'a [Likeness],
    /// Of each image.
    material: Vec<Material>,
    standard: Boards,
    boards: Boards,
    /// The greatest similarity so far, and the ply at which it was first found.
    best: Option<(f64, u32)>,
    /// Positions that are less similar are of no interest.
    pub(crate) least: f64,
}

impl<'a> Nearest<'a> {
    pub(crate) fn new(images: &'a [Likeness]) -> Nearest<'a> {
        let standard = Boards::standard();
        Nearest {
            images,
            material: Vec::new(),
            boards: standard.clone(),
            standard,
            best: None,
            least: 0.0,
        }
    }

    /// Returns the greatest similarity in the last game, and the first ply with it; `None` if it is
    /// of no interest.
    pub(crate) fn best(&self) -> Option<(f64, u32)> {
        self.best
    }

    fn test(&mut self) {
        if self.boards.men_changed {
            self.boards.men_changed = false;
            self.material.clear();
            let material = self.images.iter().map(|image| image.material(&self.boards));
            self.material.extend(material);
        }
        for (image, material) in self.images.iter().zip(&self.material) {
            // Only what is more similar counts as another.
            let least = match self.best {
                Some((best, _)) => best + TOLERANCE,
                None => self.least - TOLERANCE,
            };
            if let Some(similarity) = image.between(&self.boards, material, least) {
                self.best = Some((similarity, self.boards.ply));
            }
        }
    }
}

impl Follow for Nearest<'_> {
    fn forget(&mut self) {
        self.best = None;
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.best = None;
        match start {
            Start::Standard => self.boards.restart(&self.standard),
            Start::Custom(setup) => self.boards = Boards::new(setup),
        }
        self.boards.men_changed = true;
        self.test();
        Flow::Continue(())
    }

    #[inline]
    fn shift(&mut self, from: Placed, to: Placed) {
        self.boards.shift(from, to);
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        self.boards.remove(gone);
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.boards.place(new);
    }

    #[inline]
    fn look(&mut self) -> Flow {
        self.boards.pass();
        self.test();
        Flow::Continue(())
    }
}
