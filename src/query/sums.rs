//! Counts compared with each other: `P>=p+2`, `R@7>=2`, `b@light+b@dark>=2`.
//!
//! ```text
//! comparison = sum op sum | sum (":" | "=" | "!=") range
//! sum        = term { ("+" | "-") term }
//! term       = count | whole number
//! ```
//!
//! No spaces stand inside, and the left sum begins with a count. The module of counts says what
//! one is.

use std::fmt;

use super::{
    Counted, Fault, Op, Values, Zone, counts,
    fault::excerpt,
    part::Part,
    value::{self, Operand},
};

/// A comparison of sums of counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SumTest {
    /// What stands before the operator.
    pub left: CountSum,
    /// The operator.
    pub op: Op,
    /// What stands behind it.
    pub right: SumBound,
}

/// What a sum is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SumBound {
    /// Another sum, or a number alone.
    Sum(CountSum),
    /// An inclusive range.
    Range(Option<i32>, Option<i32>),
}

/// Counts and numbers that are added; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountSum(pub Vec<SumTerm>);

/// A term of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SumTerm {
    /// Whether it is subtracted.
    pub minus: bool,
    /// What is added or subtracted.
    pub count: Counted,
}

impl SumTest {
    /// Returns the number of terms on both sides.
    pub(super) fn term_count(&self) -> usize {
        let right = match &self.right {
            SumBound::Sum(sum) => sum.0.len(),
            SumBound::Range(..) => 1,
        };
        self.left.0.len() + right
    }

    /// Iterates over the terms of both sides.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &SumTerm> {
        let right = match &self.right {
            SumBound::Sum(sum) => sum.0.as_slice(),
            SumBound::Range(..) => &[],
        };
        self.left.0.iter().chain(right)
    }

    /// Converts the zones; `None` if `each` returns it for any.
    pub(crate) fn try_map(&self, each: impl Fn(Zone) -> Option<Zone>) -> Option<SumTest> {
        let sum = |sum: &CountSum| {
            let term = |term: &SumTerm| {
                let count = match term.count {
                    Counted::Men(men, Some(zone)) => Counted::Men(men, Some(each(zone)?)),
                    other => other,
                };
                Some(SumTerm { count, ..*term })
            };
            sum.0.iter().map(term).collect::<Option<_>>().map(CountSum)
        };
        Some(SumTest {
            left: sum(&self.left)?,
            op: self.op,
            right: match &self.right {
                SumBound::Sum(right) => SumBound::Sum(sum(right)?),
                SumBound::Range(low, high) => SumBound::Range(*low, *high),
            },
        })
    }
}

/// Parses a comparison whose left sum is the name of the field.
pub(super) fn comparison(operand: &Operand<'_>, left: &Part<'_>) -> Result<SumTest, Fault> {
    let left = sum(left)?;
    let part = operand.value.part().trim();
    let takes_range = matches!(operand.op, Op::Has | Op::Equal | Op::Differ);
    let right = if takes_range && part.text.contains("..") {
        match operand.numbers(i32::MIN)?.values {
            Values::Range(low, high) => SumBound::Range(low, high),
            Values::One(number) => SumBound::Range(Some(number), Some(number)),
        }
    } else {
        SumBound::Sum(sum(&part)?)
    };
    let is_number = |sum: &CountSum| {
        matches!(
            sum.0[..],
            [SumTerm {
                count: Counted::Number(_),
                ..
            }]
        )
    };
    match &right {
        SumBound::Sum(sum) if operand.op == Op::Has && !is_number(sum) => {
            let message = "`:` takes a number or a range; counts are compared with `=`, `<`, `>` \
                           and others";
            Err(part.fault(message))
        }
        _ => Ok(SumTest {
            left,
            op: operand.op,
            right,
        }),
    }
}

/// Parses a sum.
fn sum(part: &Part<'_>) -> Result<CountSum, Fault> {
    let mut terms = Vec::new();
    let mut rest = *part;
    let mut minus = false;
    if let Some(sign) = rest
        .text
        .chars()
        .next()
        .filter(|sign| matches!(sign, '+' | '-'))
    {
        minus = sign == '-';
        rest = rest.slice(1..rest.text.len());
    }
    loop {
        let (counted, after) = term(&rest)?;
        terms.push(SumTerm {
            minus,
            count: counted,
        });
        let Some(sign) = after.text.chars().next() else {
            return Ok(CountSum(terms));
        };
        if !matches!(sign, '+' | '-') {
            let message = format!(
                "expected `+`, `-` or the end, found {}",
                excerpt(after.text)
            );
            return Err(after.fault(message));
        }
        minus = sign == '-';
        rest = after.slice(1..after.text.len());
    }
}

/// Parses a term. Returns it with what follows.
fn term<'v>(part: &Part<'v>) -> Result<(Counted, Part<'v>), Fault> {
    let digits = part.text.bytes().take_while(u8::is_ascii_digit).count();
    let length = part.text.len();
    if digits > 0 {
        let number = value::number(&part.slice(0..digits), 0)?;
        return Ok((Counted::Number(number), part.slice(digits..length)));
    }
    match counts::count(part.text) {
        Some((counted, rest)) => Ok((counted, part.slice(length - rest.len()..length))),
        None => {
            let message = format!(
                "expected a number or a count such as `p`, `R@7`, `P@d-e`, `b@light` or `men`, \
                 found {}",
                excerpt(part.text)
            );
            Err(part.fault(message))
        }
    }
}

impl fmt::Display for SumTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.left, self.op)?;
        match &self.right {
            SumBound::Sum(sum) => sum.fmt(f),
            SumBound::Range(low, high) => {
                let end = |end: &Option<i32>| end.map_or(String::new(), |end| end.to_string());
                write!(f, "{}..{}", end(low), end(high))
            }
        }
    }
}

impl fmt::Display for CountSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, term) in self.0.iter().enumerate() {
            match (term.minus, index) {
                (true, _) => f.write_str("-")?,
                (false, 0) => {}
                (false, _) => f.write_str("+")?,
            }
            term.count.fmt(f)?;
        }
        Ok(())
    }
}
