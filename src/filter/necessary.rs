//! The conditions on one record without which a pattern cannot match its main line.
//!
//! [`position`](super::position) gives the reasons.

use fearless_simd::{Level, dispatch};

use super::{
    columns::{Columns, Facts, LANES, flags_of, lanes},
    material_limit::MaterialLimit,
    pawn_order::PawnOrder,
};
use crate::{
    chess::Man,
    format::{Header, header::flag},
    pattern::Pattern,
};

/// Of so few games of a batch everything is tested one by one.
pub(super) const FEW_GAMES: u32 = 16;

/// The conditions on one record without which a pattern cannot match its main line.
#[derive(Debug)]
pub(super) struct Necessary {
    /// For what a format stores besides its records.
    pub(super) pattern: Pattern,
    possible: bool,
    material: MaterialLimit,
    pawns: PawnOrder,
    /// Flags that a game from the standard start must have.
    flags: u32,
    plies_min: u32,
    /// Which instructions the processor has.
    level: Level,
}

impl Necessary {
    pub(super) fn new(pattern: &Pattern) -> Necessary {
        let low = |letter| Man::from_char(letter).map_or(0, |man| pattern.counts.low.get(man));
        let mut flags = 0;
        if ['Q', 'q'].into_iter().any(|queen| low(queen) > 1) {
            flags |= flag::PROMOTION;
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
            level: Level::new(),
        }
    }

    /// Returns which of up to 64 games may match, among those given.
    ///
    /// If only few are given, everything is tested for these alone. Else what nearly all games
    /// depend on is tested for all of them, in columns, and the rest for the survivors.
    #[inline]
    pub(super) fn games<R: Header>(&self, records: &[R], among: u64) -> u64 {
        if !self.possible || among == 0 {
            return 0;
        }
        let (mut games, mut doubtful) = (among, among);
        if let (true, Ok(records)) = (among.count_ones() > FEW_GAMES, records.try_into()) {
            let survivors: Survivors = dispatch!(self.level, _simd => self.survivors(records));
            games &= survivors.games;
            doubtful = match self.is_told_by_columns() {
                true => games & survivors.doubtful,
                false => games,
            };
        }
        while doubtful != 0 {
            let lane = doubtful.trailing_zeros();
            doubtful &= doubtful - 1;
            let record = records.get(lane as usize);
            if !record.is_some_and(|record| self.holds(record)) {
                games &= !(1 << lane);
            }
        }
        games
    }

    /// Tests 64 games for what columns tell.
    #[inline(always)]
    fn survivors<R: Header>(&self, records: &[R; LANES]) -> Survivors {
        let columns = Columns::of(records);
        let material = |facts: Facts| self.material.may_allow(facts);
        let mut games = match &self.pawns.prefix {
            Some(prefix) if R::EVIDENCE.home_pawns => {
                let count = |facts: Facts| facts.home_pawns() >= prefix.count();
                match prefix.is_all() {
                    true => {
                        columns.lanes(|facts| facts.is_unproved() | material(facts) & count(facts))
                    }
                    false => columns.pawn_lanes(|facts, entries| {
                        facts.is_unproved() | material(facts) & count(facts) & prefix.fits(entries)
                    }),
                }
            }
            _ => columns.lanes(|facts| facts.is_unproved() | material(facts)),
        };
        if self.plies_min != 0 {
            games &= lanes(records, |record| record.plies().at_most >= self.plies_min);
        }
        let doubtful = match games {
            0 => 0,
            _ => columns.lanes(Facts::may_have_queens),
        };
        Survivors { games, doubtful }
    }

    /// Tells whether nothing but what promotions bring is left to be tested of what columns let
    /// through.
    fn is_told_by_columns(&self) -> bool {
        self.flags == 0 && self.pawns.is_prefix_or_anything()
    }

    /// Tests one game for everything.
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

/// What is left of 64 games, one bit each.
#[derive(Debug, Clone, Copy)]
struct Survivors {
    games: u64,
    /// Of these more is to be tested.
    doubtful: u64,
}
