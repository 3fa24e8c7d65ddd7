//! Necessary conditions on one record for a pattern to match its main line.
//!
//! [`position`](super::position) gives the reasons.

use fearless_simd::prelude::*;
use tabiya_chess::Man;
use tabiya_formats::{Header, header::flag};

use super::{
    columns::{Columns, flags_of},
    material_limit::MaterialLimit,
    pawn_order::PawnOrder,
};
use crate::pattern::Pattern;

/// With this few games in a batch, each one is tested on its own.
pub(super) const FEW_GAMES: u32 = 16;

/// Necessary conditions on one record for a pattern to match its main line.
#[derive(Debug)]
pub(super) struct Necessary {
    /// For the checks specific to a format.
    pub(super) pattern: Pattern,
    possible: bool,
    material: MaterialLimit,
    pawns: PawnOrder,
    /// Flags that a game from the standard start must have.
    flags: u32,
    plies_min: u32,
}

impl Necessary {
    pub(super) fn new(pattern: &Pattern) -> Necessary {
        let low = |letter| Man::from_char(letter).map_or(0, |man| pattern.counts.low.get(man));
        let mut flags = 0;
        let (promotes, underpromotes) = pattern.promotions();
        if promotes || ['Q', 'q'].into_iter().any(|queen| low(queen) > 1) {
            flags |= flag::PROMOTION;
        }
        if underpromotes {
            flags |= flag::UNDERPROMOTION;
        }
        if ['R', 'B', 'N', 'r', 'b', 'n']
            .into_iter()
            .any(|piece| low(piece) > 2)
        {
            flags |= flag::PROMOTION | flag::UNDERPROMOTION;
        }
        Necessary {
            pattern: pattern.clone(),
            possible: !pattern.impossible,
            material: MaterialLimit::new(pattern.counts.high),
            pawns: PawnOrder::new(pattern),
            flags,
            plies_min: pattern.plies.0,
        }
    }

    /// Returns whether the columns must contain home-pawn entries.
    pub(super) fn wants_pawns(&self) -> bool {
        self.pawns
            .prefix
            .as_ref()
            .is_some_and(|prefix| !prefix.is_all())
    }

    /// Returns which of a few games may match, among those given.
    #[inline]
    pub(super) fn games<R: Header>(&self, records: &[R], among: u64) -> u64 {
        if self.possible {
            without(among, among, records, |record| self.holds(record))
        } else {
            0
        }
    }

    /// Returns which of 64 games may match, among those given. The most selective conditions are
    /// tested on all games in columns, the rest on those that remain.
    #[inline(always)]
    pub(super) fn games_in_columns<S: Simd, R: Header>(
        &self,
        simd: S,
        columns: &Columns,
        records: &[R],
        among: u64,
    ) -> u64 {
        if !self.possible || among == 0 {
            return 0;
        }
        let mut games = among & (columns.unproved(simd) | self.proved::<_, R>(simd, columns));
        if self.plies_min != 0 {
            let is_long = |record: &R| record.plies().at_most >= self.plies_min;
            games = without(games, games, records, is_long);
        }
        let doubtful = if games != 0 && self.is_told_by_columns() {
            games & columns.promoting_to_queens(simd)
        } else {
            games
        };
        without(games, doubtful, records, |record| self.holds(record))
    }

    /// Returns the games that the columns do not exclude, among those they prove anything about.
    #[inline(always)]
    fn proved<S: Simd, R: Header>(&self, simd: S, columns: &Columns) -> u64 {
        let mut games = self.material.may_allow(simd, columns);
        if let (true, Some(prefix)) = (R::EVIDENCE.home_pawns, &self.pawns.prefix) {
            games &= columns.with_pawns_left(simd, prefix.count());
            if !prefix.is_all() {
                games &= columns.with_pawns(
                    simd,
                    #[inline(always)]
                    |entries| prefix.staying(entries).simd_eq(0),
                );
            }
        }
        games
    }

    /// Returns whether only promotions remain to be tested in games that the columns do not
    /// exclude.
    fn is_told_by_columns(&self) -> bool {
        self.flags == 0 && self.pawns.is_prefix_or_anything()
    }

    /// Tests all conditions on one game.
    #[inline]
    fn holds<R: Header>(&self, record: &R) -> bool {
        let flags = flags_of(record);
        if flags & flag::UNPROVED == 0
            && (flags & self.flags != self.flags
                || (R::EVIDENCE.home_pawns && !self.pawns.allows(record.home_pawns()))
                || !self.material.allows(record.final_material(), flags))
        {
            return false;
        }
        self.plies_min == 0 || record.plies().at_most >= self.plies_min
    }
}

/// Removes the `doubtful` games whose records fail a test.
#[inline(always)]
fn without<R>(
    mut games: u64,
    mut doubtful: u64,
    records: &[R],
    passes: impl Fn(&R) -> bool,
) -> u64 {
    while doubtful != 0 {
        let lane = doubtful.trailing_zeros();
        doubtful &= doubtful - 1;
        let record = records.get(lane as usize);
        games &= !(u64::from(!record.is_some_and(&passes)) << lane);
    }
    games
}
