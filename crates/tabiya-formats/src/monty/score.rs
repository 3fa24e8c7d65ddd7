//! An engine's evaluation of a position, as text and as numbers.

use std::fmt;

use shakmaty::Color;

/// The score stored for the position before a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Policy data: the expectation of the side to move, 0 (loss) to 65 535 (win).
    Expectation(u16),
    /// Value data: centipawns for White.
    Centipawns(i16),
}

/// Centipawns per unit of the natural logarithm of the odds.
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

    /// Returns centipawns for White, truncated and saturated to the range of `i16`.
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

    /// Returns the expectation of the side to move in the form of policy data, truncated.
    #[must_use]
    pub fn policy(self, turn: Color) -> u16 {
        match self {
            Score::Expectation(score) => score,
            Score::Centipawns(_) => (self.expectation(turn) * f64::from(u16::MAX)) as u16,
        }
    }

    /// Parses the score in a comment. Prefers the expectation, since it is exact.
    #[must_use]
    pub fn parse(comment: &str) -> Option<Score> {
        let number = |name: &str| -> Option<f64> { command(comment, name)?.parse().ok() };
        if let Some(score) = number(SCORE).filter(|score| (0.0..=1.0).contains(score)) {
            return Some(Score::Expectation(
                (score * f64::from(u16::MAX)).round() as u16
            ));
        }
        number(EVAL)
            .filter(|pawns| pawns.is_finite())
            .map(|pawns| Score::Centipawns((pawns * 100.0).round() as i16))
    }
}

const EVAL: &str = "[%eval ";
const SCORE: &str = "[%score ";
const VISITS: &str = "[%visits ";

/// Returns the value of a command in a comment, up to the first comma.
fn command<'c>(comment: &'c str, name: &str) -> Option<&'c str> {
    let (_, rest) = comment.split_once(name)?;
    let (value, _) = rest.split_once([']', ','])?;
    Some(value.trim())
}

/// Parses the visits that [`MoveComment`] has written; empty if there are none.
pub(super) fn parse_visits(comment: &str) -> Vec<u8> {
    let digits = command(comment, VISITS).unwrap_or_default().as_bytes();
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(pair, 16).ok()
    };
    digits
        .chunks(2)
        .map(byte)
        .collect::<Option<_>>()
        .unwrap_or_default()
}

/// Returns a comment without the commands that [`Score::parse`] and [`parse_visits`] read.
pub(crate) fn without_commands(comment: &str) -> String {
    let mut text = comment.to_owned();
    for name in [EVAL, SCORE, VISITS] {
        if let Some(start) = text.find(name)
            && let Some(length) = text[start..].find(']')
        {
            text.replace_range(start..=start + length, "");
        }
    }
    text.trim().to_owned()
}

/// Data of a move, displayed as a PGN comment: pawns for White, as engine evaluations are usually
/// written. For policy data also the expectation, with enough digits to restore the stored number,
/// and the visits of all legal moves in the order of their codes, two hexadecimal digits each.
pub(super) struct MoveComment<'a> {
    pub(super) score: Score,
    pub(super) turn: Color,
    pub(super) visits: &'a [u8],
}

impl fmt::Display for MoveComment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pawns = f64::from(self.score.centipawns(self.turn)) / 100.0;
        write!(f, "{EVAL}{pawns:.2}]")?;
        if let Score::Expectation(_) = self.score {
            write!(f, " {SCORE}{:.5}]", self.score.expectation(self.turn))?;
        }
        if !self.visits.is_empty() {
            write!(f, " {VISITS}")?;
            self.visits
                .iter()
                .try_for_each(|visits| write!(f, "{visits:02x}"))?;
            f.write_str("]")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_come_back_from_their_comments() {
        for score in (0..=u16::MAX).map(Score::Expectation) {
            let (turn, visits) = (Color::Black, &[0, 255, 16][..]);
            let told = MoveComment {
                score,
                turn,
                visits,
            }
            .to_string();
            assert_eq!(Score::parse(&told), Some(score));
            assert_eq!(parse_visits(&told), visits);
            assert_eq!(without_commands(&told), "");
        }
        for score in (i16::MIN..=i16::MAX).map(Score::Centipawns) {
            let (turn, visits) = (Color::White, &[][..]);
            let told = MoveComment {
                score,
                turn,
                visits,
            }
            .to_string();
            assert_eq!(Score::parse(&told), Some(score));
        }
        assert_eq!(Score::parse("[%eval #3]"), None);
        assert_eq!(Score::parse("[%clk 0:10:00]"), None);
        assert_eq!(
            without_commands("well [%eval 0.1,20] played"),
            "well  played"
        );
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
