//! What the scan looks at first of 64 records, as columns.
//!
//! A processor compares four or eight numbers at once if they lie side by side; in records they
//! do not. Copying them costs a few instructions a game, and the tests cost little more,
//! whatever they let through: there is nothing for the processor to guess.

use crate::format::{Header, header::flag};

/// Games that are looked at together.
pub(super) const LANES: usize = 64;

/// Final material, and in the bits above it what else is small. One number a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts(pub(super) u32);

const MATERIAL_BITS: u32 = 24;
/// The number of home-pawn entries, 0 to 16.
const HOME_PAWNS_BITS: u32 = 5;
const QUEENS_ONLY: u32 = 1 << 29;
const PROMOTION: u32 = 1 << 30;
const UNPROVED: u32 = 1 << 31;

impl Facts {
    #[inline(always)]
    fn of<R: Header>(record: &R) -> Facts {
        let flags = flags_of(record);
        let promotions = flags & flag::ANY_PROMOTION;
        let set = |bit: u32, is_set: bool| bit * u32::from(is_set);
        Facts(
            record.final_material().0 & ((1 << MATERIAL_BITS) - 1)
                | u32::from(record.home_pawns().count()) << MATERIAL_BITS
                | set(QUEENS_ONLY, promotions == flag::PROMOTION)
                | set(PROMOTION, promotions != 0)
                | set(UNPROVED, flags & flag::UNPROVED != 0),
        )
    }

    /// How many pawns have left home.
    #[inline(always)]
    pub(super) fn home_pawns(self) -> u32 {
        self.0 >> MATERIAL_BITS & ((1 << HOME_PAWNS_BITS) - 1)
    }

    /// Whether the main line may hold promotions.
    #[inline(always)]
    pub(super) fn has_promotions(self) -> bool {
        self.0 & PROMOTION != 0
    }

    /// Whether it holds promotions, all of them to queens.
    #[inline(always)]
    pub(super) fn may_have_queens(self) -> bool {
        self.0 & QUEENS_ONLY != 0
    }

    /// Whether the record proves nothing about the moves.
    #[inline(always)]
    pub(super) fn is_unproved(self) -> bool {
        self.0 & UNPROVED != 0
    }
}

/// The columns.
#[derive(Debug)]
pub(super) struct Columns {
    facts: [Facts; LANES],
    /// Packed home-pawn entries.
    pawns: [u64; LANES],
}

impl Columns {
    #[inline(always)]
    pub(super) fn of<R: Header>(records: &[R; LANES]) -> Columns {
        let mut columns = Columns {
            facts: [Facts(0); LANES],
            pawns: [0; LANES],
        };
        let cells = columns.facts.iter_mut().zip(&mut columns.pawns);
        for (record, (facts, pawns)) in records.iter().zip(cells) {
            *facts = Facts::of(record);
            *pawns = record.home_pawns().packed();
        }
        columns
    }

    /// Returns the games whose facts pass a test.
    #[inline(always)]
    pub(super) fn lanes(&self, test: impl Fn(Facts) -> bool) -> u64 {
        lanes(&self.facts, |&facts| test(facts))
    }

    /// Returns the games of which facts and home-pawn entries pass a test.
    #[inline(always)]
    pub(super) fn pawn_lanes(&self, test: impl Fn(Facts, u64) -> bool) -> u64 {
        let mut truths = [0; LANES];
        for (lane, truth) in truths.iter_mut().enumerate() {
            *truth = u8::from(test(self.facts[lane], self.pawns[lane]));
        }
        bits(&truths)
    }
}

/// Returns which of 64 items pass a test, one bit each.
#[inline(always)]
pub(super) fn lanes<T>(items: &[T; LANES], test: impl Fn(&T) -> bool) -> u64 {
    let mut truths = [0; LANES];
    for (truth, item) in truths.iter_mut().zip(items) {
        *truth = u8::from(test(item));
    }
    bits(&truths)
}

/// Returns 64 numbers that are 0 or 1 as bits.
#[inline(always)]
pub(super) fn bits(truths: &[u8; LANES]) -> u64 {
    // Eight bytes of 0 or 1 become eight bits: the factor moves each to its place at the top.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = truths.as_chunks::<8>();
    eights.iter().zip(0..).fold(0, |bits, (&eight, place)| {
        let eight = u64::from_le_bytes(eight).wrapping_mul(GATHER) >> 56;
        bits | eight << (8 * place)
    })
}

/// Returns the flags of a record; where it does not tell of promotions, there may be any.
#[inline(always)]
pub(super) fn flags_of<R: Header>(record: &R) -> u32 {
    match R::EVIDENCE.promotions {
        true => record.flags(),
        false => record.flags() | flag::ANY_PROMOTION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_has_its_bit() {
        let numbers: [u64; LANES] = std::array::from_fn(|lane| lane as u64);
        for lane in 0..64 {
            assert_eq!(lanes(&numbers, |&number| number == lane), 1 << lane);
        }
        assert_eq!(lanes(&numbers, |&number| number >= 32), !0 << 32);
    }
}
