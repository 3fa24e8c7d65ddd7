//! Evaluates header clauses over the columns of a sidecar, one block at a time.

use shakmaty::Color;
use tabiya_chess::{NameId, PartialDate};
use tabiya_formats::{
    NameSlot,
    header::{Extent, flag},
};
use zerocopy::little_endian::{U16, U32};

use super::{
    BlockBounds, IndexTest, Node,
    index_test::{DateSlot, MAY_BE_CHESS960, Range, dates, ecos, has, ratings, weekdays, years},
};
use crate::sidecar::{BLOCK_WORDS, BlockGames, Columns, NO_BOUND};

/// Evaluates a clause for a block. Returns `None` if the columns do not hold the field, or are
/// damaged.
pub(super) fn bounds(test: &IndexTest, columns: Columns<'_>) -> Option<BlockBounds> {
    let games = match test {
        IndexTest::Names(sets) => {
            let mut games = BlockGames::NONE;
            for (slot, set) in sets {
                let color = match slot {
                    NameSlot::White => Color::White,
                    NameSlot::Black => Color::Black,
                    NameSlot::Event | NameSlot::Site | NameSlot::Round => return None,
                };
                let names = columns.players(color)?;
                games = games.or(each(names, |id| set.contains(NameId(id.get()))));
            }
            games
        }
        IndexTest::Rating(color, range) => {
            let passes = ratings(*range);
            let of = |color| {
                Some(each(columns.ratings(color)?, |value: U16| {
                    passes(value.get())
                }))
            };
            match color {
                Some(color) => of(*color)?,
                None => of(Color::White)?.and(of(Color::Black)?),
            }
        }
        IndexTest::RatingSum(range) => {
            rated(columns, |white, black| range.contains(white + black))?
        }
        IndexTest::RatingDifference(range) => {
            rated(columns, |white, black| range.contains(white - black))?
        }
        IndexTest::Date(DateSlot::Game, range) => by_date(columns, dates(*range))?,
        IndexTest::DateUnknown(DateSlot::Game) => by_date(columns, PartialDate::is_unknown)?,
        IndexTest::Year(range) => by_date(columns, years(*range))?,
        IndexTest::Weekday(range) => by_date(columns, weekdays(*range))?,
        IndexTest::Eco(range) => {
            let passes = ecos(*range);
            each(columns.ecos()?, |code: U16| passes(code.get()))
        }
        IndexTest::Result(mask) => each(columns.results()?, |result: u8| {
            mask >> (result & 3) & 1 == 1
        }),
        IndexTest::Flags(mask) => each(columns.flags()?, |flags: U32| flags.get() & mask == *mask),
        IndexTest::Chess960 => {
            let flags = columns.flags()?;
            return Some(BlockBounds {
                possible: each(flags, |flags: U32| has(flags.get(), MAY_BE_CHESS960)),
                certain: each(flags, |flags: U32| has(flags.get(), flag::CHESS960)),
            });
        }
        IndexTest::Plies(range) => return by_plies(columns, *range),
        _ => return None,
    };
    Some(BlockBounds {
        possible: games.clone(),
        certain: games,
    })
}

/// Returns whether the columns alone answer a query.
pub(crate) fn serve(node: &Node, columns: Columns<'_>) -> bool {
    match node {
        Node::All => false,
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().all(|node| serve(node, columns)),
        Node::Not(node) => serve(node, columns),
        Node::Test(_, test) => bounds(test, columns).is_some(),
    }
}

fn by_date(columns: Columns<'_>, passes: impl Fn(PartialDate) -> bool) -> Option<BlockGames> {
    let dates = columns.dates()?;
    Some(each(dates, |date: U32| {
        passes(PartialDate::from_packed(date.get()))
    }))
}

fn rated(columns: Columns<'_>, test: impl Fn(i32, i32) -> bool) -> Option<BlockGames> {
    let (white, black) = (
        columns.ratings(Color::White)?,
        columns.ratings(Color::Black)?,
    );
    let passes = |white: U16, black: U16| {
        let (white, black) = (i32::from(white.get()), i32::from(black.get()));
        white != 0 && black != 0 && test(white, black)
    };
    Some(pairs(white, black, passes))
}

fn by_plies(columns: Columns<'_>, range: Range) -> Option<BlockBounds> {
    let (least, most) = columns.plies()?;
    let extent = |least: U16, most: U16| Extent {
        at_least: least.get().into(),
        at_most: match most.get() {
            NO_BOUND => u32::MAX,
            most => most.into(),
        },
    };
    Some(BlockBounds {
        certain: pairs(least, most, |least, most| {
            range.contains_all(extent(least, most))
        }),
        possible: pairs(least, most, |least, most| {
            range.overlaps(extent(least, most))
        }),
    })
}

/// Returns the games whose value passes a test.
pub(super) fn each<T: Copy>(values: &[T], test: impl Fn(T) -> bool) -> BlockGames {
    let mut words = Box::new([0; BLOCK_WORDS]);
    for (word, values) in words.iter_mut().zip(values.chunks(64)) {
        let mut passes = [0; 64];
        for (passes, &value) in passes.iter_mut().zip(values) {
            *passes = u8::from(test(value));
        }
        *word = bits(&passes);
    }
    BlockGames::Many(words)
}

/// Returns the games whose pair of values passes a test.
fn pairs<T: Copy>(left: &[T], right: &[T], test: impl Fn(T, T) -> bool) -> BlockGames {
    let mut words = Box::new([0; BLOCK_WORDS]);
    let chunks = left.chunks(64).zip(right.chunks(64));
    for (word, (left, right)) in words.iter_mut().zip(chunks) {
        let mut passes = [0; 64];
        for ((passes, &left), &right) in passes.iter_mut().zip(left).zip(right) {
            *passes = u8::from(test(left, right));
        }
        *word = bits(&passes);
    }
    BlockGames::Many(words)
}

/// Packs 64 numbers, each 0 or 1, into bits.
#[inline(always)]
fn bits(truths: &[u8; 64]) -> u64 {
    // Packs eight bytes of 0 or 1 into eight bits: the factor moves each to its place at the top.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = truths.as_chunks::<8>();
    eights.iter().zip(0..).fold(0, |bits, (&eight, place)| {
        let eight = u64::from_le_bytes(eight).wrapping_mul(GATHER) >> 56;
        bits | eight << (8 * place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_its_bit() {
        for game in 0..64 {
            let mut truths = [0; 64];
            truths[game] = 1;
            assert_eq!(bits(&truths), 1 << game);
        }
        assert_eq!(bits(&[1; 64]), u64::MAX);
    }
}
