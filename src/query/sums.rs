//! Counts compared with each other: `P>=p+2`, `R@7>=2`, `b@light+b@dark>=2`.
//!
//! ```text
//! comparison = sum op sum | sum (":" | "=" | "!=") range
//! sum        = term { ("+" | "-") term }
//! term       = count | whole number
//! count      = letter [ "@" zone ] | "men" | "wminor" | "bminor" | "diff"
//! zone       = file | rank | file "-" file | rank "-" rank | "light" | "dark"
//! ```
//!
//! No spaces stand inside, and the left sum begins with a count.

use std::fmt;

use shakmaty::{Bitboard, Color, File, Rank};
use tabiya_chess::Man;

use super::{
    Fault, ManSet, Measure, Op, Values,
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

/// A number, or what is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Counted {
    /// This number.
    Number(i32),
    /// The men of a set: one kind, or all of one side. On all squares, or those of a zone.
    Men(ManSet, Option<Zone>),
    /// `men`, `wminor`, `bminor` or `diff`.
    Measure(Measure),
}

/// Squares on which men are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Zone {
    /// Files from one to another, or one alone.
    Files(File, File),
    /// Ranks from one to another, or one alone.
    Ranks(Rank, Rank),
    /// The light squares.
    Light,
    /// The dark squares; a1 is one.
    Dark,
}

impl Counted {
    /// Returns the zone in which men are counted, if there is one.
    pub(crate) fn zone(self) -> Option<Zone> {
        match self {
            Counted::Men(_, zone) => zone,
            Counted::Number(_) | Counted::Measure(_) => None,
        }
    }
}

impl Zone {
    /// Returns the squares.
    pub(crate) fn squares(self) -> u64 {
        let union = |lines: &mut dyn Iterator<Item = Bitboard>| {
            lines.fold(Bitboard::EMPTY, |all, line| all | line).into()
        };
        match self {
            Zone::Files(low, high) => {
                let within = |file: &File| (low..=high).contains(file);
                union(&mut File::ALL.into_iter().filter(within).map(Bitboard::from))
            }
            Zone::Ranks(low, high) => {
                let within = |rank: &Rank| (low..=high).contains(rank);
                union(&mut Rank::ALL.into_iter().filter(within).map(Bitboard::from))
            }
            Zone::Light => Bitboard::LIGHT_SQUARES.into(),
            Zone::Dark => Bitboard::DARK_SQUARES.into(),
        }
    }
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
            Values::One(number) => SumBound::Sum(CountSum(vec![SumTerm {
                minus: number < 0,
                count: Counted::Number(number.saturating_abs()),
            }])),
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
    match count(part.text) {
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

/// Parses a count. Returns it with what follows.
fn count(text: &str) -> Option<(Counted, &str)> {
    const WORDS: [(&str, Measure); 4] = [
        ("men", Measure::Men),
        ("diff", Measure::Difference),
        ("wminor", Measure::Minors(Color::White)),
        ("bminor", Measure::Minors(Color::Black)),
    ];
    for (word, measure) in WORDS {
        if let Some((head, rest)) = text.split_at_checked(word.len())
            && head.eq_ignore_ascii_case(word)
        {
            return Some((Counted::Measure(measure), rest));
        }
    }
    let letter = text.chars().next()?;
    let men = match letter {
        'A' => ManSet::WHITE,
        'a' => ManSet::BLACK,
        _ => ManSet::of(Man::from_char(letter)?),
    };
    let rest = &text[1..];
    match rest.strip_prefix('@') {
        None => Some((Counted::Men(men, None), rest)),
        Some(rest) => {
            let (zone, rest) = zone(rest)?;
            Some((Counted::Men(men, Some(zone)), rest))
        }
    }
}

/// Parses a zone. Returns it with what follows. What could be a range or a count that is
/// subtracted is a range if it ascends: `P@a-b`.
fn zone(text: &str) -> Option<(Zone, &str)> {
    for (word, zone) in [("light", Zone::Light), ("dark", Zone::Dark)] {
        if let Some(rest) = text.strip_prefix(word) {
            return Some((zone, rest));
        }
    }
    let mut signs = text.chars();
    let first = signs.next()?;
    let rest = signs.as_str();
    let last = rest.strip_prefix('-').and_then(|after| {
        let last = after.chars().next()?;
        let behind = &after[last.len_utf8()..];
        (behind.is_empty() || behind.starts_with(['+', '-'])).then_some((last, behind))
    });
    if let Some(low) = File::from_char(first) {
        let high = last.and_then(|(last, behind)| Some((File::from_char(last)?, behind)));
        let high = high.filter(|(high, _)| low < *high);
        let (high, rest) = high.unwrap_or((low, rest));
        return Some((Zone::Files(low, high), rest));
    }
    let low = Rank::from_char(first)?;
    let high = last.and_then(|(last, behind)| Some((Rank::from_char(last)?, behind)));
    // A number may be subtracted, too; the range comes first.
    let high = high.filter(|(high, _)| low < *high);
    let (high, rest) = high.unwrap_or((low, rest));
    Some((Zone::Ranks(low, high), rest))
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

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Counted::Number(number) => number.fmt(f),
            Counted::Men(men, None) => men.fmt(f),
            Counted::Men(men, Some(zone)) => write!(f, "{men}@{zone}"),
            Counted::Measure(Measure::Men) => f.write_str("men"),
            Counted::Measure(Measure::Minors(Color::White)) => f.write_str("wminor"),
            Counted::Measure(Measure::Minors(Color::Black)) => f.write_str("bminor"),
            Counted::Measure(_) => f.write_str("diff"),
        }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Zone::Files(low, high) if low == high => write!(f, "{}", low.char()),
            Zone::Files(low, high) => write!(f, "{}-{}", low.char(), high.char()),
            Zone::Ranks(low, high) if low == high => write!(f, "{}", low.char()),
            Zone::Ranks(low, high) => write!(f, "{}-{}", low.char(), high.char()),
            Zone::Light => f.write_str("light"),
            Zone::Dark => f.write_str("dark"),
        }
    }
}
