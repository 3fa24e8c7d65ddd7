//! Sums of counts of men on squares, compared with a range.

use tabiya_chess::{Counts, Man};

use super::{
    boards::Boards,
    symmetry::{Men, Symmetry},
};

/// The sum lies in a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CountSum {
    pub(crate) parts: Vec<Part>,
    /// An inclusive range.
    pub(crate) low: i64,
    pub(crate) high: i64,
}

/// Men counted on some squares, each so many times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) times: i32,
    pub(crate) men: Men,
    pub(crate) squares: u64,
}

impl CountSum {
    pub(super) fn holds(&self, boards: &Boards) -> bool {
        self.contains(|part| (boards.union(part.men) & part.squares).count_ones())
    }

    /// Returns whether the sum lies in the range; `None` if that depends on squares.
    pub(super) fn holds_with(&self, counts: Counts) -> Option<bool> {
        if !self.is_about_material() {
            return None;
        }
        let counted = |part: &Part| {
            let men = Man::ALL
                .into_iter()
                .filter(|man| part.men >> man.index() & 1 == 1);
            men.map(|man| u32::from(counts.get(man))).sum()
        };
        Some(self.contains(counted))
    }

    fn contains(&self, counted: impl Fn(&Part) -> u32) -> bool {
        let parts = self.parts.iter();
        let sum: i64 = parts
            .map(|part| i64::from(part.times) * i64::from(counted(part)))
            .sum();
        self.low <= sum && sum <= self.high
    }

    /// Returns whether men are counted on all squares only.
    pub(super) fn is_about_material(&self) -> bool {
        self.parts.iter().all(|part| part.squares == u64::MAX)
    }

    /// Returns the least and the greatest number of men of a kind wherever this holds, on the whole
    /// board, if it is about them alone.
    pub(super) fn numbers_of(&self, man: Man) -> (u8, u8) {
        const MOST: i64 = 31;
        match self.parts.as_slice() {
            [part] if part.times == 1 && part.men == 1 << man.index() => {
                let high = if part.squares == u64::MAX {
                    self.high
                } else {
                    MOST
                };
                (self.low.clamp(0, MOST) as u8, high.clamp(0, MOST) as u8)
            }
            _ => (0, MOST as u8),
        }
    }

    pub(super) fn image(&self, symmetry: Symmetry) -> CountSum {
        let image = |part: &Part| Part {
            times: part.times,
            men: symmetry.men(part.men),
            squares: symmetry.squares(part.squares),
        };
        CountSum {
            parts: self.parts.iter().map(image).collect(),
            ..*self
        }
    }
}
