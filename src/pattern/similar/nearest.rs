//! Follows games and finds the position of each that is most similar to another.
//!
//! Nearly all moves change nothing that counts. So how many men are on the same squares is kept as
//! a sum, to which each man on its square adds; a position is looked at when a man has come to such
//! a square, or has left the board. No board is needed.

use shakmaty::{Role, Setup};
use tabiya_chess::{Flow, Follow, Man, Placed, Start};

use super::{Likeness, Material, TOLERANCE};

/// The most images that a position has.
const IMAGES_MAX: usize = 4;
/// Bits of a sum for each image: eight for pawns, then eight for other men.
const IMAGE_BITS: usize = 16;

/// Follows games and finds the position of each that is most similar to another.
#[derive(Debug)]
pub(crate) struct Nearest<'a> {
    /// The position and its images.
    images: &'a [Likeness],
    /// What each man on its square adds to the sum.
    weights: Box<[u64; Placed::TABLE]>,
    standard: State,
    state: State,
    ply: u32,
    /// The greatest similarity so far, and the ply at which it was first found.
    best: Option<(f64, u32)>,
    /// Positions that are less similar are of no interest.
    pub(crate) least: f64,
    /// The ply from which on no position is of interest.
    pub(crate) until: u32,
}

/// What is known of the men of a position.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// How many men are on the squares of each image.
    sum: u64,
    /// By [`Man::index`]; padded so that no index is out of bounds.
    counts: [i32; 16],
    /// Of each image.
    material: [Material; IMAGES_MAX],
    /// Whether something that counts has changed since the last test.
    is_new: bool,
}

impl<'a> Nearest<'a> {
    /// Compares with a position and its images, at most four.
    pub(crate) fn new(images: &'a [Likeness]) -> Nearest<'a> {
        let mut nearest = Nearest {
            images,
            weights: weights(images),
            standard: State::default(),
            state: State::default(),
            ply: 0,
            best: None,
            least: 0.0,
            until: u32::MAX,
        };
        nearest.standard = nearest.state_of(&Setup::initial());
        nearest
    }

    /// Returns the greatest similarity in the last game, and the first ply with it; `None` if it is
    /// of no interest.
    pub(crate) fn best(&self) -> Option<(f64, u32)> {
        self.best
    }

    fn state_of(&self, setup: &Setup) -> State {
        let mut state = State {
            is_new: true,
            ..State::default()
        };
        let mut counts = [0; Man::COUNT];
        for (square, piece) in setup.board.clone() {
            let placed = Placed::new(piece.into(), square);
            state.sum += self.weights[placed.index()];
            counts[placed.man_index()] += 1;
        }
        state.counts[..Man::COUNT].copy_from_slice(&counts);
        for (material, image) in state.material.iter_mut().zip(self.images) {
            *material = image.material(&counts);
        }
        state
    }

    /// Counts a man that leaves (-1) or is added (1).
    fn change(&mut self, man: Placed, by: i32) {
        let count = &mut self.state.counts[man.man_index()];
        let before = *count;
        *count += by;
        let man = man.man();
        for (material, image) in self.state.material.iter_mut().zip(self.images) {
            let mine = image.counts[man.index()];
            let closer = (mine - before).abs() - (mine - before - by).abs();
            material.difference -= closer * man.points();
            material.worth += by * man.points();
            match man.role() {
                Role::Pawn => material.pawns += by,
                _ => material.others += by,
            }
            material.finish();
        }
        self.state.is_new = true;
    }

    fn test(&mut self) {
        self.state.is_new = false;
        let mut sum = self.state.sum;
        for (_, material) in self.images.iter().zip(&self.state.material) {
            let [pawns, others, ..] = sum.to_le_bytes();
            sum >>= IMAGE_BITS;
            let similarity = material.similarity(pawns.into(), others.into());
            // Only what is more similar counts as another.
            let is_better = match self.best {
                Some((best, _)) => similarity >= best + TOLERANCE,
                None => similarity >= self.least - TOLERANCE,
            };
            if is_better {
                self.best = Some((similarity, self.ply));
            }
        }
    }
}

fn weights(images: &[Likeness]) -> Box<[u64; Placed::TABLE]> {
    let mut weights = Box::new([0; Placed::TABLE]);
    for (number, image) in images.iter().take(IMAGES_MAX).enumerate() {
        for (man, square) in image.placed() {
            let is_other = usize::from(man.role() != Role::Pawn);
            let lane = number * IMAGE_BITS + is_other * IMAGE_BITS / 2;
            weights[Placed::new(man, square).index()] += 1 << lane;
        }
    }
    weights
}

impl Follow for Nearest<'_> {
    fn reset(&mut self) {
        self.best = None;
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        (self.best, self.ply) = (None, 0);
        self.state = match start {
            Start::Standard => self.standard,
            Start::Custom(setup) => self.state_of(setup),
        };
        self.test();
        Flow::Continue(())
    }

    #[inline]
    fn moved(&mut self, from: Placed, to: Placed) {
        let (left, come) = (self.weights[from.index()], self.weights[to.index()]);
        self.state.sum = self.state.sum.wrapping_sub(left).wrapping_add(come);
        // What only lessens the sum makes no position more similar than the one before.
        self.state.is_new |= come != 0 && come != left;
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        self.state.sum = self.state.sum.wrapping_sub(self.weights[gone.index()]);
        self.change(gone, -1);
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.state.sum += self.weights[new.index()];
        self.change(new, 1);
    }

    #[inline]
    fn ply_done(&mut self) -> Flow {
        self.ply += 1;
        if self.state.is_new {
            self.test();
        }
        if self.ply + 1 < self.until {
            Flow::Continue(())
        } else {
            Flow::Break(())
        }
    }
}
