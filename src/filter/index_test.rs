//! Clauses on one record: ratings, dates, codes, flags, counts.
//!
//! All of these are exact, since the index stores the value itself, with two exceptions. For
//! lengths and counts it may store only bounds (Scid stores the number of plies modulo 1024,
//! ChessBase that of moves up to 254). [`IndexTest::Commented`], [`IndexTest::OpeningName`] and
//! [`IndexTest::Decode`] are about data that the index does not have.

use shakmaty::Color;
use tabiya_chess::PartialDate;
use tabiya_formats::{
    Header, NameSlot, View,
    check::Annotations,
    header::{Extent, flag},
};

use super::{Batch, Lanes, OpeningNameFilter, PositionFilter, names::NameSet};

/// An inclusive range of numbers, or its complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) low: i32,
    pub(crate) high: i32,
    /// Whether numbers outside the range pass instead.
    pub(crate) outside: bool,
}

impl Range {
    /// Returns the range of numbers that are smaller by `less`.
    pub(crate) fn less(self, less: u32) -> Range {
        let less = i32::try_from(less).unwrap_or(i32::MAX);
        Range {
            low: self.low.saturating_sub(less),
            high: self.high.saturating_sub(less),
            ..self
        }
    }

    #[inline]
    pub(crate) fn contains(self, number: i32) -> bool {
        (self.low <= number && number <= self.high) != self.outside
    }

    /// Returns whether all numbers of an extent pass.
    #[inline]
    pub(super) fn contains_all(self, extent: Extent) -> bool {
        let (low, high) = (i64::from(extent.at_least), i64::from(extent.at_most));
        if self.outside {
            high < i64::from(self.low) || low > i64::from(self.high)
        } else {
            i64::from(self.low) <= low && high <= i64::from(self.high)
        }
    }

    /// Returns whether some number of an extent passes.
    #[inline]
    pub(super) fn overlaps(self, extent: Extent) -> bool {
        let other = Range {
            outside: !self.outside,
            ..self
        };
        !other.contains_all(extent)
    }

    /// Returns whether the range is 0 alone, which missing ratings and years satisfy.
    pub(crate) fn is_zero(self) -> bool {
        self.low == 0 && self.high == 0 && !self.outside
    }
}

/// One clause of a query, as the index evaluates it.
#[derive(Debug)]
pub(crate) enum IndexTest {
    /// One of the names is in its set.
    Names(Vec<(NameSlot, NameSet)>),
    /// A rating; `None` for both. A missing rating passes only for `=0`.
    Rating(Option<Color>, Range),
    /// The sum of both ratings; both must be present.
    RatingSum(Range),
    /// White's rating minus Black's; both must be present.
    RatingDifference(Range),
    /// The (packed) date is in the range, or outside; wholly unknown dates never pass.
    Date(DateSlot, Range),
    /// The date is wholly unknown.
    DateUnknown(DateSlot),
    /// The year; unknown years pass only for `=0`.
    Year(Range),
    /// The day of the week; unknown ones pass only for `=0`.
    Weekday(Range),
    /// The opening code; 0 for none. Games without a code pass only for the range of 0.
    Eco(Range),
    /// The result is one of these: bit 0 none, bit 1 White, bit 2 Black, bit 3 draw.
    Result(u8),
    /// All bits of the mask are set.
    Flags(u32),
    /// The game is Chess960. Records say so for some games, and for which others it is possible.
    Chess960,
    /// The number of comments, variations or NAGs.
    Count(CountSlot, Range),
    /// Number of plies.
    Plies(Range),
    /// Number of full moves.
    Moves(Range),
    /// The game's number, from 1.
    Number(Range),
    /// The game has all medals of the mask.
    Medals(u16),
    /// The game has all contents of the mask.
    Contents(u32),
    /// The name of the opening.
    OpeningName(Box<OpeningNameFilter>),
    /// The record is a game, not a text.
    Game,
    /// A text in a comment. A comment count of 0 is exact, so such a game does not match.
    Commented,
    /// No game matches.
    Nothing,
    /// Only decoding decides.
    Decode,
    /// A condition on positions.
    Position(Box<PositionFilter>),
}

/// Which date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateSlot {
    Game,
    Event,
}

/// Which of the index's counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountSlot {
    Comments,
    Variations,
    Nags,
}

impl IndexTest {
    /// Evaluates a batch of records.
    pub(crate) fn lanes<V: View>(&self, view: V, batch: Batch<'_, V::Record>) -> Lanes {
        let records = batch.records;
        match self {
            IndexTest::Names(sets) => names(records, sets),
            IndexTest::Rating(color, range) => rated(records, *color, *range),
            IndexTest::RatingSum(range) => {
                both_rated(records, |white, black| range.contains(white + black))
            }
            IndexTest::RatingDifference(range) => {
                both_rated(records, |white, black| range.contains(white - black))
            }
            IndexTest::Date(slot, range) => {
                let passes = dates(*range);
                each(records, |record| passes(slot.of(view, record)))
            }
            IndexTest::DateUnknown(slot) => {
                each(records, |record| slot.of(view, record).is_unknown())
            }
            IndexTest::Year(range) => {
                let passes = years(*range);
                each(records, |record| passes(record.date()))
            }
            IndexTest::Weekday(range) => {
                let passes = weekdays(*range);
                each(records, |record| passes(record.date()))
            }
            IndexTest::Eco(range) => {
                let passes = ecos(*range);
                each(records, |record| {
                    passes(record.eco().map_or(0, |eco| eco.code()))
                })
            }
            IndexTest::Result(mask) => {
                each(records, |record| mask >> record.result() as u8 & 1 == 1)
            }
            IndexTest::Flags(mask) => each(records, |record| record.flags() & mask == *mask),
            IndexTest::Chess960 => Lanes {
                certain: each(records, |record| has(record.flags(), flag::CHESS960)).certain,
                possible: each(records, |record| has(record.flags(), MAY_BE_CHESS960)).possible,
            },
            IndexTest::Count(slot, range) => within(records, *range, |record| slot.of(record)),
            IndexTest::Plies(range) => within(records, *range, Header::plies),
            IndexTest::Moves(range) => within(records, *range, |record| moves(record.plies())),
            IndexTest::Medals(mask) => each(records, |record| record.medals() & mask == *mask),
            IndexTest::Contents(mask) => each(records, |record| record.contents() & mask == *mask),
            IndexTest::OpeningName(filter) => filter.lanes(batch),
            IndexTest::Game => each(records, Header::is_game),
            IndexTest::Number(range) => {
                let mut number = batch.first;
                each(records, |_| {
                    number += 1;
                    range.contains(i32::try_from(number).unwrap_or(i32::MAX))
                })
            }
            IndexTest::Commented => Lanes {
                certain: 0,
                ..each(records, |record| record.comment_count().at_most > 0)
            },
            IndexTest::Nothing => Lanes::NONE,
            IndexTest::Decode => Lanes::UNKNOWN,
            IndexTest::Position(filter) => filter.lanes(view, batch),
        }
    }
}

/// A game with one of these flags may be Chess960.
pub(super) const MAY_BE_CHESS960: u32 = flag::CHESS960 | flag::CUSTOM_START;

/// Returns whether any bit of a mask is set.
pub(super) fn has(flags: u32, mask: u32) -> bool {
    flags & mask != 0
}

/// Evaluates an exact test.
#[inline]
fn each<R: Header>(records: &[R], mut test: impl FnMut(&R) -> bool) -> Lanes {
    let mut games = 0;
    for (lane, record) in records.iter().enumerate() {
        games |= u64::from(test(record)) << lane;
    }
    Lanes::exact(games)
}

fn names<R: Header>(records: &[R], sets: &[(NameSlot, NameSet)]) -> Lanes {
    let has = |record: &R, (slot, set): &(NameSlot, NameSet)| set.contains(record.name(*slot));
    match sets {
        // One pass for either player, the most common case.
        [first, second] => each(records, |record| has(record, first) | has(record, second)),
        sets => each(records, |record| sets.iter().any(|set| has(record, set))),
    }
}

fn rated<R: Header>(records: &[R], color: Option<Color>, range: Range) -> Lanes {
    let passes = ratings(range);
    let passes = |record: &R, color| passes(record.rating_value(color));
    match color {
        Some(color) => each(records, |record| passes(record, color)),
        None => each(records, |record| {
            passes(record, Color::White) & passes(record, Color::Black)
        }),
    }
}

/// Returns the test of a stored rating. See [`IndexTest::Rating`].
pub(super) fn ratings(range: Range) -> impl Fn(u16) -> bool {
    let zero = range.is_zero();
    move |rating| range.contains(i32::from(rating)) & ((rating != 0) | zero)
}

/// Returns the test of a date. See [`IndexTest::Date`].
pub(super) fn dates(range: Range) -> impl Fn(PartialDate) -> bool {
    move |date| (date.packed() != 0) & range.contains(date.packed() as i32)
}

/// Returns the test of a date's year. See [`IndexTest::Year`].
pub(super) fn years(range: Range) -> impl Fn(PartialDate) -> bool {
    number_of_date(range, PartialDate::year)
}

/// Returns the test of a date's day of the week. See [`IndexTest::Weekday`].
pub(super) fn weekdays(range: Range) -> impl Fn(PartialDate) -> bool {
    number_of_date(range, PartialDate::weekday)
}

/// Returns the test of a number of a date: an unknown one passes only for the range of 0.
fn number_of_date<N: Into<i32>>(
    range: Range,
    number: impl Fn(PartialDate) -> Option<N>,
) -> impl Fn(PartialDate) -> bool {
    let zero = range.is_zero();
    move |date| number(date).map_or(zero, |number| range.contains(number.into()))
}

/// Returns the test of an opening code, 0 for none. See [`IndexTest::Eco`].
pub(super) fn ecos(range: Range) -> impl Fn(u16) -> bool {
    let zero = range.is_zero();
    move |code| range.contains(i32::from(code)) & ((code != 0) | zero)
}

fn both_rated<R: Header>(records: &[R], test: impl Fn(i32, i32) -> bool) -> Lanes {
    each(records, |record| {
        let white = i32::from(record.rating_value(Color::White));
        let black = i32::from(record.rating_value(Color::Black));
        white != 0 && black != 0 && test(white, black)
    })
}

/// Evaluates a test of a number for which the records may have only bounds.
#[inline]
fn within<R: Header>(records: &[R], range: Range, extent: impl Fn(&R) -> Extent) -> Lanes {
    let (mut certain, mut possible) = (0, 0);
    for (lane, record) in records.iter().enumerate() {
        let extent = extent(record);
        certain |= u64::from(range.contains_all(extent)) << lane;
        possible |= u64::from(range.overlaps(extent)) << lane;
    }
    Lanes { certain, possible }
}

/// Converts plies to full moves, rounding up.
fn moves(plies: Extent) -> Extent {
    Extent {
        at_least: plies.at_least.div_ceil(2),
        at_most: plies.at_most.div_ceil(2),
    }
}

impl DateSlot {
    fn of<V: View>(self, view: V, record: &V::Record) -> PartialDate {
        match self {
            DateSlot::Game => record.date(),
            DateSlot::Event => view.event_date(record),
        }
    }
}

impl CountSlot {
    /// Returns the actual number.
    pub(crate) fn in_game(self, annotations: &Annotations) -> i32 {
        let count = match self {
            CountSlot::Comments => annotations.comments,
            CountSlot::Variations => annotations.variations,
            CountSlot::Nags => annotations.nags,
        };
        i32::try_from(count).unwrap_or(i32::MAX)
    }

    fn of<R: Header>(self, record: &R) -> Extent {
        match self {
            CountSlot::Comments => record.comment_count(),
            CountSlot::Variations => record.variation_count(),
            CountSlot::Nags => record.nag_count(),
        }
    }
}
