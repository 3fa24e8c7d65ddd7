//! What sums of counts count: men of one kind or side, also of one zone, and words for some.
//!
//! ```text
//! count = letter [ "@" zone ] | "men" | "wminor" | "bminor" | "diff"
//! zone  = file | rank | file "-" file | rank "-" rank | "light" | "dark"
//! ```

use std::fmt;

use shakmaty::{Bitboard, Color, File, Rank};
use tabiya_chess::Man;

use super::{ManSet, Measure};

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

/// Parses a count. Returns it with what follows.
pub(super) fn count(text: &str) -> Option<(Counted, &str)> {
    match everywhere(text)? {
        (Counted::Men(men, _), rest) if rest.starts_with('@') => {
            let (zone, rest) = zone(&rest[1..])?;
            Some((Counted::Men(men, Some(zone)), rest))
        }
        other => Some(other),
    }
}

/// Returns whether a name begins as a sum of counts, or as a count in a zone: `P-p`, `R@7`.
pub(super) fn begins_sum(name: &str) -> bool {
    everywhere(name).is_some_and(|(_, rest)| rest.starts_with(['@', '+', '-']))
}

/// Parses a count without its zone. Returns it with what follows.
fn everywhere(text: &str) -> Option<(Counted, &str)> {
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
    Some((Counted::Men(men, None), &text[1..]))
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
