//! The fields of 64 records that the scan looks at first, as columns.
//!
//! A processor compares eight or sixteen numbers at once if they are adjacent; in records they are
//! not. Copying them costs a few instructions per game, and the tests then cost less. They have no
//! branches that could be mispredicted.

use std::ops::{Add, BitAnd, BitOr, BitXor, Shr};

use fearless_simd::{mask32x16, mask64x8, prelude::*, u8x64, u32x16, u64x8};
use tabiya_formats::{Header, header::flag};

/// Games that are processed together.
pub(super) const LANES: usize = 64;

/// A number, or several adjacent ones that are calculated at once. `N` is one number.
pub(super) trait Word<N>:
    Copy
    + Add<N, Output = Self>
    + BitAnd<N, Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<N, Output = Self>
    + BitXor<Output = Self>
    + Shr<u32, Output = Self>
{
}

impl Word<u32> for u32 {}
impl Word<u64> for u64 {}
impl<S: Simd> Word<u32> for u32x16<S> {}
impl<S: Simd> Word<u64> for u64x8<S> {}

/// The columns: one number per game.
#[derive(Debug)]
pub(super) struct Columns {
    /// Bits for each game's stored line; the caller defines them.
    lines: [u8; LANES],
    /// Bits 1 and 2 are the promotion flags. Bit 0: the record proves nothing about moves.
    flags: [u8; LANES],
    /// Numbers of home-pawn entries.
    pawns_left: [u8; LANES],
    /// Packed home-pawn entries; unset unless wanted.
    pawns: [u64; LANES],
    /// Final material, as its 24 bits.
    material: [u32; LANES],
}

/// Bit 0 of the column of flags.
const UNPROVED: u8 = 1;
const _: () = assert!(flag::PROMOTION == 2 && flag::ANY_PROMOTION == 6);

impl Columns {
    pub(super) const EMPTY: Columns = Columns {
        lines: [0; LANES],
        flags: [0; LANES],
        pawns_left: [0; LANES],
        pawns: [0; LANES],
        material: [0; LANES],
    };

    /// Copies the fields. `line` returns the bits of a record's stored line.
    #[inline(always)]
    pub(super) fn fill<R: Header>(
        &mut self,
        records: &[R; LANES],
        wants_pawns: bool,
        line: impl Fn(&R) -> u8,
    ) {
        for (lane, record) in records.iter().enumerate() {
            let flags = flags_of(record);
            let is_unproved = flags & flag::UNPROVED != 0;
            self.lines[lane] = line(record);
            self.flags[lane] = (flags & flag::ANY_PROMOTION) as u8 | u8::from(is_unproved);
            self.pawns_left[lane] = record.home_pawns().count();
            self.material[lane] = record.final_material().0;
        }
        if wants_pawns {
            for (pawns, record) in self.pawns.iter_mut().zip(records) {
                *pawns = record.home_pawns().packed();
            }
        }
    }

    /// Returns the games whose stored lines have any of the wanted bits.
    #[inline(always)]
    pub(super) fn with_lines<S: Simd>(&self, simd: S, wanted: u8) -> u64 {
        let lines = u8x64::simd_from(simd, self.lines);
        (lines & wanted).simd_gt(0).to_bitmask()
    }

    /// Returns the games whose records prove nothing about the moves.
    #[inline(always)]
    pub(super) fn unproved<S: Simd>(&self, simd: S) -> u64 {
        (self.flags(simd) & UNPROVED).simd_gt(0).to_bitmask()
    }

    /// Returns the games whose main lines may hold promotions.
    #[inline(always)]
    pub(super) fn promoting<S: Simd>(&self, simd: S) -> u64 {
        self.flags(simd).simd_gt(UNPROVED).to_bitmask()
    }

    /// Returns the games whose promotions are all to queens.
    #[inline(always)]
    pub(super) fn promoting_to_queens<S: Simd>(&self, simd: S) -> u64 {
        let promotions = self.flags(simd) & flag::ANY_PROMOTION as u8;
        promotions.simd_eq(flag::PROMOTION as u8).to_bitmask()
    }

    /// Returns the games in which at least this many pawns have left home.
    #[inline(always)]
    pub(super) fn with_pawns_left<S: Simd>(&self, simd: S, least: u8) -> u64 {
        let counts = u8x64::simd_from(simd, self.pawns_left);
        counts.simd_ge(least).to_bitmask()
    }

    #[inline(always)]
    fn flags<S: Simd>(&self, simd: S) -> u8x64<S> {
        u8x64::simd_from(simd, self.flags)
    }

    /// Returns the games whose final material passes a test.
    #[inline(always)]
    pub(super) fn with_material<S: Simd>(
        &self,
        simd: S,
        test: impl Fn(u32x16<S>) -> mask32x16<S>,
    ) -> u64 {
        let (sixteens, _) = self.material.as_chunks::<16>();
        let mut games = 0;
        for (material, place) in sixteens.iter().zip(0..) {
            let passing = test(u32x16::simd_from(simd, *material));
            games |= passing.to_bitmask() << (16 * place);
        }
        games
    }

    /// Returns the games whose home-pawn entries pass a test.
    #[inline(always)]
    pub(super) fn with_pawns<S: Simd>(
        &self,
        simd: S,
        test: impl Fn(u64x8<S>) -> mask64x8<S>,
    ) -> u64 {
        let (eights, _) = self.pawns.as_chunks::<8>();
        let mut games = 0;
        for (pawns, place) in eights.iter().zip(0..) {
            let passing = test(u64x8::simd_from(simd, *pawns));
            games |= passing.to_bitmask() << (8 * place);
        }
        games
    }
}

/// Returns the flags of a record. If its format does not store promotions, there may be any.
#[inline(always)]
pub(super) fn flags_of<R: Header>(record: &R) -> u32 {
    if R::EVIDENCE.promotions {
        record.flags()
    } else {
        record.flags() | flag::ANY_PROMOTION
    }
}
