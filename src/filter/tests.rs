//! Clauses that look at one record: ratings, dates, codes, flags, counts.
//!
//! All of these are exact, since the index holds the value itself. The exceptions: the number
//! of plies is stored modulo 1024, so a game long enough in bytes to have wrapped is undecided,
//! and [`IndexTest::Decode`] asks for something that the index does not hold at all.

use shakmaty::Color;

use super::{Lanes, PositionFilter, names::NameSet};
use crate::{
    chess::PartialDate,
    format::{Header, NameSlot},
};

/// A range of numbers, ends included, or all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) low: i32,
    pub(crate) high: i32,
    /// Numbers outside the range pass instead.
    pub(crate) outside: bool,
}

impl Range {
    #[inline]
    pub(crate) fn contains(self, number: i32) -> bool {
        (self.low <= number && number <= self.high) != self.outside
    }

    /// Tells whether the range is 0 alone, which absent ratings and years satisfy.
    pub(crate) fn is_zero(self) -> bool {
        self.low == 0 && self.high == 0 && !self.outside
    }
}

/// One clause of a query, as the index sees it.
#[derive(Debug)]
pub(crate) enum IndexTest {
    /// One of the names is in its set.
    Names(Vec<(NameSlot, NameSet)>),
    /// A rating; `None` for both. An absent rating passes only for `=0`.
    Rating(Option<Color>, Range),
    /// The sum of both ratings; both must be there.
    RatingSum(Range),
    /// White's rating minus Black's; both must be there.
    RatingDifference(Range),
    /// The date lies in the range (packed) or outside; wholly unknown dates never pass.
    Date(DateSlot, Range),
    /// The date is wholly unknown.
    DateUnknown(DateSlot),
    /// The year; unknown years pass only for `=0`.
    Year(Range),
    /// The opening code; 0 for none. Games without a code pass only for the range of 0.
    Eco(Range),
    /// The result is one of these: bit 0 none, 1 White, 2 Black, 3 draw.
    Result(u8),
    /// All bits of the mask are set.
    Flags(u32),
    /// Comments, variations or NAGs.
    Count(CountSlot, Range),
    /// Half-moves.
    Plies(Range),
    /// Full moves.
    Moves(Range),
    /// The game's number, from 1.
    Number(Range),
    /// Nothing can be said without decoding.
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
    /// Tells whether the index always decides this clause.
    pub(crate) fn is_exact(&self) -> bool {
        !matches!(
            self,
            IndexTest::Plies(_) | IndexTest::Moves(_) | IndexTest::Decode | IndexTest::Position(_)
        )
    }

    /// Evaluates up to 64 records; `first` is the game of the first.
    pub(crate) fn lanes<R: Header>(&self, first: u32, records: &[R]) -> Lanes {
        match self {
            IndexTest::Names(sets) => names(records, sets),
            IndexTest::Rating(color, range) => ratings(records, *color, *range),
            IndexTest::RatingSum(range) => {
                both_rated(records, |white, black| range.contains(white + black))
            }
            IndexTest::RatingDifference(range) => {
                both_rated(records, |white, black| range.contains(white - black))
            }
            IndexTest::Date(slot, range) => each(records, |record| {
                let date = slot.of(record).packed();
                date != 0 && range.contains(date as i32)
            }),
            IndexTest::DateUnknown(slot) => each(records, |record| slot.of(record).is_unknown()),
            IndexTest::Year(range) => each(records, |record| match record.date().year() {
                None => range.is_zero(),
                Some(year) => range.contains(i32::from(year)),
            }),
            IndexTest::Eco(range) => each(records, |record| {
                let code = i32::from(record.eco().map_or(0, |eco| eco.code()));
                range.contains(code) && (code != 0 || range.is_zero())
            }),
            IndexTest::Result(mask) => {
                each(records, |record| mask >> record.result() as u8 & 1 == 1)
            }
            IndexTest::Flags(mask) => each(records, |record| record.flags() & mask == *mask),
            IndexTest::Count(slot, range) => {
                each(records, |record| range.contains(slot.of(record).into()))
            }
            IndexTest::Plies(range) => plies(records, |plies| range.contains(plies)),
            IndexTest::Moves(range) => plies(records, |plies| range.contains((plies + 1) / 2)),
            IndexTest::Number(range) => {
                let mut number = first;
                each(records, |_| {
                    number += 1;
                    range.contains(i32::try_from(number).unwrap_or(i32::MAX))
                })
            }
            IndexTest::Decode => Lanes::UNKNOWN,
            IndexTest::Position(filter) => filter.lanes(records),
        }
    }
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
        // One pass for either player, which is what people ask for most.
        [first, second] => each(records, |record| has(record, first) | has(record, second)),
        sets => each(records, |record| sets.iter().any(|set| has(record, set))),
    }
}

fn ratings<R: Header>(records: &[R], color: Option<Color>, range: Range) -> Lanes {
    let zero = range.is_zero();
    let passes = |record: &R, color| {
        let rating = record.rating_value(color);
        range.contains(i32::from(rating)) && (rating != 0 || zero)
    };
    match color {
        Some(color) => each(records, |record| passes(record, color)),
        None => each(records, |record| {
            passes(record, Color::White) & passes(record, Color::Black)
        }),
    }
}

fn both_rated<R: Header>(records: &[R], test: impl Fn(i32, i32) -> bool) -> Lanes {
    each(records, |record| {
        let white = i32::from(record.rating_value(Color::White));
        let black = i32::from(record.rating_value(Color::Black));
        white != 0 && black != 0 && test(white, black)
    })
}

/// Evaluates a test of the half-moves; games whose stored number may have wrapped stay open.
fn plies<R: Header>(records: &[R], test: impl Fn(i32) -> bool) -> Lanes {
    let exact = each(records, |record| test(i32::from(record.plies().low)));
    let wrapped = each(records, |record| record.plies().may_wrap);
    Lanes {
        certain: exact.certain & !wrapped.certain,
        possible: exact.possible | wrapped.possible,
    }
}

impl DateSlot {
    fn of<R: Header>(self, record: &R) -> PartialDate {
        match self {
            DateSlot::Game => record.date(),
            DateSlot::Event => record.event_date(),
        }
    }
}

impl CountSlot {
    fn of<R: Header>(self, record: &R) -> u8 {
        match self {
            CountSlot::Comments => record.comment_count(),
            CountSlot::Variations => record.variation_count(),
            CountSlot::Nags => record.nag_count(),
        }
    }
}
