//! Tests of what the comments of the last move tell.

use tabiya_chess::remark::Remark;

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

impl RemarkTest {
    pub(super) fn holds(&self, remark: &Remark) -> bool {
        let told = match self.topic {
            Topic::Clock => remark.clock.map(|clock| clock.thousandths()),
            Topic::Spent => remark.spent.map(|spent| spent.thousandths()),
            Topic::Eval => remark.eval.map(|eval| eval.number()),
        };
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
