//! Game counts by result.

use super::GameResult;

/// Game counts by result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally(pub [u32; 4]);

impl Tally {
    /// Returns the number of games, including those without a result.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.0.iter().sum()
    }

    /// Returns the number of games with this result.
    #[must_use]
    pub const fn count(&self, result: GameResult) -> u32 {
        self.0[result as usize]
    }

    /// Returns the number of games that were won, lost or drawn.
    #[must_use]
    pub fn finished(&self) -> u32 {
        self.games() - self.count(GameResult::Unknown)
    }

    /// Returns White's score, 0.0 to 1.0, in the finished games; `None` if there are none.
    #[must_use]
    pub fn white_score(&self) -> Option<f64> {
        let doubled = 2 * u64::from(self.count(GameResult::WhiteWins))
            + u64::from(self.count(GameResult::Draw));
        ratio(doubled, 2 * u64::from(self.finished()))
    }

    /// Returns Black's score, as [`white_score`](Tally::white_score).
    #[must_use]
    pub fn black_score(&self) -> Option<f64> {
        self.white_score().map(|score| 1.0 - score)
    }

    /// Counts a result.
    #[doc(hidden)]
    pub fn add(&mut self, result: GameResult) {
        self.0[result as usize] += 1;
    }

    /// Adds the games of another tally.
    pub fn merge(&mut self, other: &Tally) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
    }
}

/// Divides; `None` if `whole` is 0.
pub fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_leave_games_without_a_result_out() {
        let some = Tally([5, 2, 1, 1]);
        assert_eq!((some.games(), some.finished()), (9, 4));
        assert_eq!(some.white_score(), Some(0.625));
        assert_eq!(some.black_score(), Some(0.375));
        assert_eq!(Tally([3, 0, 0, 0]).white_score(), None);
    }
}
