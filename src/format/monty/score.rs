//! What an engine thought of a position, as text and as numbers.

use std::fmt;

use shakmaty::Color;

/// What is stored about the position before a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Policy data: the expectation of the side to move, 0 (loss) to 65 535 (win).
    Expectation(u16),
    /// Value data: centipawns for White.
    Centipawns(i16),
}

/// Centipawns for the natural logarithm of the odds.
const SCALE: f64 = 400.0;

impl Score {
    /// Returns the expectation of the side to move, 0 to 1.
    #[must_use]
    pub fn expectation(self, turn: Color) -> f64 {
        match self {
            Score::Expectation(score) => f64::from(score) / f64::from(u16::MAX),
            Score::Centipawns(score) => {
                let own = turn.fold_wb(f64::from(score), -f64::from(score));
                1.0 / (1.0 + (-own / SCALE).exp())
            }
        }
    }

    /// Returns centipawns for White, truncated; 32 767 and -32 768 stand for everything beyond.
    #[must_use]
    pub fn centipawns(self, turn: Color) -> i16 {
        match self {
            Score::Expectation(score) => {
                let own = f64::from(score) / f64::from(u16::MAX);
                let white = turn.fold_wb(own, 1.0 - own);
                // `as` saturates, infinity included.
                (SCALE * (white / (1.0 - white)).ln()) as i16
            }
            Score::Centipawns(score) => score,
        }
    }

    /// Returns the expectation of the side to move as policy data holds it, truncated.
    #[must_use]
    pub fn policy(self, turn: Color) -> u16 {
        match self {
            Score::Expectation(score) => score,
            Score::Centipawns(_) => (self.expectation(turn) * f64::from(u16::MAX)) as u16,
        }
    }

    /// Reads what [`Told`] has written: the expectation if it is there, as it is exact.
    #[must_use]
    pub fn parse(comment: &str) -> Option<Score> {
        let number = |command: &str| -> Option<f64> {
            let (_, rest) = comment.split_once(command)?;
            let (number, _) = rest.split_once([']', ',', ' '])?;
            number.trim().parse().ok()
        };
        if let Some(score) = number("[%score ").filter(|score| (0.0..=1.0).contains(score)) {
            return Some(Score::Expectation(
                (score * f64::from(u16::MAX)).round() as u16
            ));
        }
        number("[%eval ")
            .filter(|pawns| pawns.is_finite())
            .map(|pawns| Score::Centipawns((pawns * 100.0).round() as i16))
    }
}

/// A score as a comment of PGN: pawns for White, as engines' evaluations are written. For policy
/// data also the expectation, with digits enough to give the stored number back.
pub(super) struct Told {
    pub(super) score: Score,
    pub(super) turn: Color,
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pawns = f64::from(self.score.centipawns(self.turn)) / 100.0;
        write!(f, "[%eval {pawns:.2}]")?;
        match self.score {
            Score::Expectation(_) => {
                write!(f, " [%score {:.5}]", self.score.expectation(self.turn))
            }
            Score::Centipawns(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_come_back_from_their_comments() {
        for score in (0..=u16::MAX).map(Score::Expectation) {
            let turn = Color::Black;
            assert_eq!(Score::parse(&Told { score, turn }.to_string()), Some(score));
        }
        for score in (i16::MIN..=i16::MAX).map(Score::Centipawns) {
            let turn = Color::White;
            assert_eq!(Score::parse(&Told { score, turn }.to_string()), Some(score));
        }
        assert_eq!(Score::parse("[%eval #3]"), None);
        assert_eq!(Score::parse("[%clk 0:10:00]"), None);
    }

    #[test]
    fn expectations_and_centipawns_tell_the_same_for_both_sides() {
        for turn in Color::ALL {
            let even = Score::Centipawns(0);
            assert_eq!((even.expectation(turn), even.policy(turn)), (0.5, 32_767));
            assert_eq!(
                Score::Expectation(u16::MAX).centipawns(turn),
                turn.fold_wb(32_767, -32_768)
            );
        }
        let ahead = Score::Centipawns(120);
        assert!(ahead.expectation(Color::White) > 0.5 && ahead.expectation(Color::Black) < 0.5);
    }
}
