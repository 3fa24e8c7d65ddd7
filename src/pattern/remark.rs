//! Tests of what the comments of the last move tell.

use tabiya_chess::{Color, Judgement, remark::Remark};

use super::symmetry::Symmetry;

/// What a test is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topic {
    /// Time left for the side that has moved.
    Clock,
    /// Time spent on the move.
    Spent,
    /// The evaluation for White.
    Eval,
    /// What the move has changed in it, for the side that made it.
    Swing,
    /// What the move was: the number of a [`Judgement`].
    Judgement,
}

impl Topic {
    /// Returns what is told of it.
    pub(crate) fn of(self, told: &Told) -> Option<i32> {
        let remark = &told.remark;
        match self {
            Topic::Clock => remark.clock.map(|clock| clock.thousandths()),
            Topic::Spent => remark.spent.map(|spent| spent.thousandths()),
            Topic::Eval => remark.eval.map(|eval| eval.number()),
            Topic::Swing => told.swing,
            Topic::Judgement => told.judgement.map(|judgement| judgement as i32),
        }
    }
}

/// What is told of a move: by its comments, and by those of the move before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Told {
    pub(crate) remark: Remark,
    /// The side that has made the move.
    pub(crate) mover: Color,
    /// In thousandths of pawns.
    pub(crate) swing: Option<i32>,
    pub(crate) judgement: Option<Judgement>,
}

/// A test of one number. Fails where it is not told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RemarkTest {
    pub(crate) topic: Topic,
    /// An inclusive range, in the units of [`Remark`].
    pub(crate) low: i32,
    pub(crate) high: i32,
    /// Whether numbers outside the range pass instead.
    pub(crate) outside: bool,
}

impl Default for Told {
    /// Nothing is told.
    fn default() -> Told {
        Told {
            remark: Remark::default(),
            mover: Color::White,
            swing: None,
            judgement: None,
        }
    }
}

impl RemarkTest {
    pub(crate) fn holds(&self, told: &Told) -> bool {
        let told = self.topic.of(told);
        told.is_some_and(|number| (self.low <= number && number <= self.high) != self.outside)
    }

    /// Returns the mirror image: evaluations are for the other side, clocks stay.
    pub(super) fn image(self, symmetry: Symmetry) -> RemarkTest {
        match self.topic {
            Topic::Eval if symmetry.flip => RemarkTest {
                low: self.high.saturating_neg(),
                high: self.low.saturating_neg(),
                ..self
            },
            _ => self,
        }
    }
}
