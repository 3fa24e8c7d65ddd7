//! What an engine's evaluations say of moves: how much they change, mistakes, accuracy.
//!
//! Mistakes and accuracy follow Lichess (`WinPercent`, `Advice` and `AccuracyPercent` in its
//! sources). The evaluation of a move is that of the position after it.

use shakmaty::Color;

use super::{named, remark::Evaluation};

named! {
    /// What a move was, by the evaluations before and after it.
    #[non_exhaustive]
    Judgement, JUDGEMENT_NAMES[3]:
    Blunder "blunder" "It cost 15 percent of the chances to win, or more; or a mate.";
    Mistake "mistake" "It cost 10 percent or more.";
    Inaccuracy "inaccuracy" "It cost 5 percent or more.";
}

/// The evaluation of a start position of which none is told, in thousandths of pawns.
const START: i32 = 150;
/// Evaluations count as no more than this in means, in thousandths of pawns.
const CUT: i32 = 10_000;
/// What a mate counts as in changes, in thousandths of pawns.
const MATE: i32 = 1_000_000;
/// Numbers that differ by less are the same.
const TOLERANCE: f64 = 1e-9;

impl Evaluation {
    /// Returns the evaluation of a start position of which none is told.
    #[must_use]
    pub fn of_start() -> Evaluation {
        Evaluation::from_thousandths(START)
    }

    /// Returns thousandths of pawns as a side sees them, not beyond `most`; mates count as that.
    fn seen_by(self, side: Color, most: i32) -> i32 {
        let number = self.number().clamp(-most, most);
        side.fold_wb(number, -number)
    }

    /// Returns whether it is a mate by this side.
    fn is_mate_by(self, side: Color) -> bool {
        self.mate_in().is_some() && (self.number() > 0) == side.is_white()
    }

    /// Returns the same where it is no mate.
    fn pawns_seen_by(self, side: Color) -> Option<i32> {
        self.pawns()?;
        Some(side.fold_wb(self.number(), -self.number()))
    }
}

/// Returns what a move has changed, as the side that made it sees it, in thousandths of pawns. A
/// mate counts as 1000 pawns.
#[must_use]
pub fn swing(before: Evaluation, after: Evaluation, mover: Color) -> i32 {
    let pawns = |evaluation: Evaluation| match evaluation.pawns_seen_by(mover) {
        Some(pawns) => pawns,
        None => evaluation.seen_by(mover, MATE),
    };
    pawns(after).saturating_sub(pawns(before))
}

/// Returns the chances to win less those to lose, from -1 to 1, of thousandths of pawns.
fn chances(thousandths: i32) -> f64 {
    let centipawns = f64::from(thousandths) / 10.0;
    2.0 / (1.0 + (-0.003_682_08 * centipawns).exp()) - 1.0
}

impl Judgement {
    /// Returns what a move was; `None` if it was none of these.
    #[must_use]
    pub fn of(before: Evaluation, after: Evaluation, mover: Color) -> Option<Judgement> {
        use Judgement::{Blunder, Inaccuracy, Mistake};
        // From a side's chances where a mate is on the other side.
        let beside_a_mate = |pawns: i32| match pawns {
            9_991.. => Inaccuracy,
            7_001.. => Mistake,
            _ => Blunder,
        };
        match (before.pawns_seen_by(mover), after.pawns_seen_by(mover)) {
            (Some(before), Some(after)) => {
                let lost = chances(before) - chances(after) + TOLERANCE;
                [(0.3, Blunder), (0.2, Mistake), (0.1, Inaccuracy)]
                    .into_iter()
                    .find_map(|(least, judgement)| (lost >= least).then_some(judgement))
            }
            (Some(before), None) if after.is_mate_by(mover.other()) => {
                Some(beside_a_mate(before.saturating_neg()))
            }
            (None, Some(after)) if before.is_mate_by(mover) => Some(beside_a_mate(after)),
            (None, None) if before.is_mate_by(mover) && after.is_mate_by(mover.other()) => {
                Some(Blunder)
            }
            _ => None,
        }
    }
}

/// The evaluations of a main line, by move.
#[derive(Debug, Clone, Copy)]
pub struct Evaluated<'e> {
    /// The evaluation of the start position, if it is told.
    pub start: Option<Evaluation>,
    /// The evaluations of the moves.
    pub moves: &'e [Option<Evaluation>],
    /// The side that makes the first move.
    pub first: Color,
    /// Whether the last move mates.
    pub mates: bool,
}

impl Evaluated<'_> {
    fn mover(&self, number: usize) -> Color {
        if number.is_multiple_of(2) {
            self.first
        } else {
            self.first.other()
        }
    }

    /// Returns the mean loss of a side's moves in centipawns; `None` without a move of which both
    /// evaluations are told.
    #[must_use]
    pub fn mean_loss(&self, side: Color) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        let mut before = Some(self.start.unwrap_or(Evaluation::of_start()));
        for (number, &after) in self.moves.iter().enumerate() {
            if let (Some(before), Some(after)) = (before, after)
                && self.mover(number) == side
            {
                let lost = before.seen_by(side, CUT) - after.seen_by(side, CUT);
                sum += f64::from(lost.max(0)) / 10.0;
                count += 1.0;
            }
            before = after;
        }
        (count > 0.0).then_some(sum / count)
    }

    /// Returns the accuracy of a side from 0 to 100; `None` unless all moves have an evaluation, or
    /// all but a last one that mates, and at least two have.
    #[must_use]
    pub fn accuracy(&self, side: Color) -> Option<f64> {
        let told = match self.moves.split_last() {
            Some((None, before)) if self.mates => before,
            _ => self.moves,
        };
        let percent =
            |evaluation: Evaluation| 50.0 + 50.0 * chances(evaluation.seen_by(Color::White, CUT));
        let mut wins = vec![percent(Evaluation::of_start())];
        for evaluation in told {
            wins.push(percent((*evaluation)?));
        }
        let count = told.len();
        if count < 2 {
            return None;
        }
        let width = (count / 10).clamp(2, 8);
        let (mut weights, mut weighted, mut inverse, mut moves) = (0.0, 0.0, 0.0, 0.0);
        for number in (0..count).filter(|&number| self.mover(number) == side) {
            let window = number.saturating_sub(width - 2);
            let weight = deviation(&wins[window..window + width]).clamp(0.5, 12.0);
            let fall = wins[number] - wins[number + 1];
            let score = score(side.fold_wb(fall, -fall));
            weights += weight;
            weighted += weight * score;
            inverse += 1.0 / score.max(1.0);
            moves += 1.0;
        }
        (moves > 0.0).then(|| f64::midpoint(weighted / weights, moves / inverse))
    }
}

/// Returns the score of a move by how much the percentage to win has fallen.
fn score(fall: f64) -> f64 {
    if fall <= 0.0 {
        return 100.0;
    }
    let score = 103.166_810_071_164_9 * (-0.043_544_153_867_539_51 * fall).exp();
    (score - 3.166_924_740_191_411 + 1.0).clamp(0.0, 100.0)
}

/// Returns the standard deviation of a population.
fn deviation(numbers: &[f64]) -> f64 {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    (squares / count).sqrt()
}

/// Returns whether a computed number lies in an inclusive range, but for what is lost in computing.
#[must_use]
pub fn is_within(number: f64, low: f64, high: f64) -> bool {
    low - TOLERANCE <= number && number <= high + TOLERANCE
}
