//! Comparisons as ranges of the numbers that an index stores.

use tabiya_chess::{Eco, EcoRange, PartialDate};

use crate::{
    filter::index_test::Range,
    query::{Compare, HeaderClause, Op, Query, Values},
};

/// Converts a comparison of numbers to a range.
pub(super) fn range(compare: Compare<i32>) -> Range {
    covering(compare, |value| value, |value| value)
}

/// Converts a comparison with the mean of two numbers to one with their sum, so that halves count:
/// 2500.5 is above 2500.
pub(super) fn sum_range(compare: Compare<i32>) -> Range {
    let double = |bound: i32| bound.saturating_mul(2);
    let values = match compare.values {
        Values::One(value) => Values::One(double(value)),
        Values::Range(low, high) => Values::Range(low.map(double), high.map(double)),
    };
    range(Compare {
        op: compare.op,
        values,
    })
}

/// Converts a comparison of values that each cover a range to one range of numbers.
fn covering<T: Copy>(
    compare: Compare<T>,
    first: impl Fn(T) -> i32,
    last: impl Fn(T) -> i32,
) -> Range {
    let inside = |low, high| Range {
        low,
        high,
        outside: false,
    };
    match (compare.op, compare.values) {
        (Op::Has | Op::Equal, Values::One(value)) => inside(first(value), last(value)),
        (Op::Differ, Values::One(value)) => Range {
            outside: true,
            ..inside(first(value), last(value))
        },
        (Op::Less, Values::One(value)) => inside(i32::MIN, first(value).saturating_sub(1)),
        (Op::AtMost, Values::One(value)) => inside(i32::MIN, last(value)),
        (Op::Greater, Values::One(value)) => inside(last(value).saturating_add(1), i32::MAX),
        (Op::AtLeast, Values::One(value)) => inside(first(value), i32::MAX),
        (op, Values::Range(low, high)) => Range {
            outside: op == Op::Differ,
            ..inside(low.map_or(i32::MIN, first), high.map_or(i32::MAX, last))
        },
    }
}

/// Converts to a range of packed dates. A bound without month or day covers its whole year or
/// month; files store months up to 15, so a year ends there.
pub(super) fn date_range(compare: Compare<PartialDate>) -> Range {
    let last = |date: PartialDate| {
        let month = if date.month() == 0 { 15 } else { date.month() };
        let day = if date.day() == 0 { 31 } else { date.day() };
        PartialDate::new(date.year().unwrap_or_default(), month, day).packed() as i32
    };
    covering(compare, |date| date.packed() as i32, last)
}

/// Converts to a range of opening codes. A game without a code is in none.
pub(super) fn eco_range(compare: Compare<EcoRange>) -> Range {
    let code = |eco: Eco| i32::from(eco.code());
    covering(compare, |range| code(range.first), |range| code(range.last))
}

/// Number of plies of a repertoire unless the query says another.
const PLIES: u32 = 16;

/// Returns for how many plies a query asks games to follow a repertoire.
pub(super) fn plies_of(query: &Query) -> u32 {
    match query {
        Query::Header(HeaderClause::RepertoirePlies(plies)) => *plies,
        Query::And(queries) | Query::Or(queries) => {
            let asked = queries.iter().map(plies_of);
            asked
                .into_iter()
                .find(|&plies| plies != PLIES)
                .unwrap_or(PLIES)
        }
        Query::Not(query) => plies_of(query),
        _ => PLIES,
    }
}
