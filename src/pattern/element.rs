//! One element of a sequence of patterns: its alternatives, and how many positions match them.

use super::{Boards, Pattern, shifted::Shifted};

/// One element of a sequence.
#[derive(Debug, Clone)]
pub(crate) struct PatternStep {
    /// Any of these must match: a pattern and its mirror images. All positions of a consecutive run
    /// must match the same one.
    pub(crate) alternatives: Vec<Pattern>,
    /// For each image, how it may be moved on the board; empty unless the condition has `shift`.
    pub(crate) shifted: Vec<Shifted>,
    /// The number of consecutive positions, at least 1.
    pub(crate) consecutive: u32,
    /// Whether the run must begin right after the previous step is complete.
    pub(crate) immediately: bool,
}

impl PatternStep {
    /// Returns whether a position matches any of the alternatives.
    #[inline]
    pub(crate) fn matches(&self, boards: &Boards) -> bool {
        if self.shifted.is_empty() {
            let mut alternatives = self.alternatives.iter();
            return alternatives.any(|pattern| pattern.matches(boards));
        }
        let candidates = self.shifted.iter();
        candidates
            .flat_map(|shifted| shifted.candidates(boards))
            .any(|number| self.alternatives[number].matches(boards))
    }

    /// Returns patterns one of which matches wherever an alternative does: the alternatives, or
    /// with `shift` what they have in common.
    pub(crate) fn outlines(&self) -> impl Iterator<Item = &Pattern> + Clone {
        let alternatives = if self.shifted.is_empty() {
            self.alternatives.as_slice()
        } else {
            &[]
        };
        let shifted = self.shifted.iter().map(|shifted| &shifted.outline);
        alternatives.iter().chain(shifted)
    }

    /// Returns the alternatives that may match.
    pub(super) fn candidates(&self, boards: &Boards) -> Candidates {
        if self.shifted.is_empty() {
            return Candidates(None);
        }
        let mut set = [0; Candidates::WORDS];
        for shifted in &self.shifted {
            for number in shifted.candidates(boards) {
                set[number / 64] |= 1 << (number % 64);
            }
        }
        Candidates(Some(set))
    }
}

/// Numbers of alternatives; `None` for all.
pub(super) struct Candidates(Option<[u64; Candidates::WORDS]>);

impl Candidates {
    /// The board has 64 anchors, and a condition up to four images, each for both sides to move.
    const WORDS: usize = 8;

    #[inline]
    pub(super) fn has(&self, number: usize) -> bool {
        match &self.0 {
            Some(set) => set[number / 64] >> (number % 64) & 1 == 1,
            None => true,
        }
    }
}
