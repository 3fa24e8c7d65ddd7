//! Compares the highest counts of men that a pattern allows with the final material of a game.

use fearless_simd::prelude::*;
use shakmaty::{Color, Role};
use tabiya_chess::{Counts, FinalMaterial, Man};
use tabiya_formats::header::flag;

use super::columns::{Columns, Word};

/// Highest counts, compared with final material in two additions.
///
/// The 24 bits are split into two sets of fields that do not touch, so that the bit above each
/// field is free to show an overflow.
#[derive(Debug)]
pub(super) struct MaterialLimit {
    /// How far each limit is below the maximum of its field, for both sets of fields; without
    /// promotions and with.
    room: [[u32; 2]; 2],
    /// By promotion flags (bits 1 and 2 of the flags): the overflow bits that must be clear.
    guards: [[u32; 2]; 4],
    /// Limits on queens and pawns together, by colour as in [`Color::ALL`].
    queens_and_pawns: [u32; 2],
}

const WHITE_PAWN: Man = Man::new(Color::White, Role::Pawn);

/// The fields of each set: neighbouring fields are in different sets.
const FIELDS: [u32; 2] = {
    let mut fields = [0; 2];
    let mut index = 0;
    while index < Man::COUNT {
        if let Some((shift, width)) = FinalMaterial::field(Man::ALL[index]) {
            fields[field_set(shift)] |= ((1 << width) - 1) << shift;
        }
        index += 1;
    }
    fields
};

/// Returns which set a field is in. Neighbours are in different ones.
const fn field_set(shift: u32) -> usize {
    match shift {
        0 | 6 | 10 | 16 | 20 => 0,
        _ => 1,
    }
}

impl MaterialLimit {
    pub(super) fn new(high: Counts) -> MaterialLimit {
        let mut limit = MaterialLimit {
            room: [[0; 2]; 2],
            guards: [[0; 2]; 4],
            queens_and_pawns: Color::ALL.map(|color| {
                let count = |role| u32::from(high.get(Man::new(color, role)));
                // The same slack as for White's pawns alone.
                count(Role::Queen) + count(Role::Pawn) + u32::from(color.is_white())
            }),
        };
        for man in Man::ALL {
            let Some((shift, width)) = FinalMaterial::field(man) else {
                continue;
            };
            let (set, guard) = (field_set(shift), 1 << (shift + width));
            for (promotions, room) in limit.room.iter_mut().enumerate() {
                // A count of four black queens overflows into White's pawns.
                let slack = u32::from(promotions == 1 && man == WHITE_PAWN);
                let greatest = (1 << width) - 1;
                let count = (u32::from(high.get(man)) + slack).min(greatest);
                room[set] |= (greatest - count) << shift;
            }
            for (promotions, guards) in limit.guards.iter_mut().enumerate() {
                let (promoted, underpromoted) = (promotions & 1 != 0, promotions & 2 != 0);
                let never_grows = match man.role() {
                    Role::Pawn => true,
                    Role::Queen => !promoted && !underpromoted,
                    _ => !underpromoted,
                };
                if never_grows {
                    guards[set] |= guard;
                }
            }
        }
        limit
    }

    /// Returns whether a game with this final material may have had a position within the limit.
    #[inline]
    pub(super) fn allows(&self, material: FinalMaterial, flags: u32) -> bool {
        let promotions = (flags >> 1 & 3) as usize;
        self.excess(material.0, promotions) == 0 && self.allows_with_queens(material, flags)
    }

    /// Like `allows` for 64 games, without the queen test; every promoting game is tested as if it
    /// had underpromotions.
    #[inline(always)]
    pub(super) fn may_allow<S: Simd>(&self, simd: S, columns: &Columns) -> u64 {
        let promoting = columns.promoting(simd);
        self.within(simd, columns, 0) | (promoting & self.within(simd, columns, 3))
    }

    /// Returns the games whose final material lies within the limit.
    #[inline(always)]
    fn within<S: Simd>(&self, simd: S, columns: &Columns, promotions: usize) -> u64 {
        columns.with_material(
            simd,
            #[inline(always)]
            |material| self.excess(material, promotions).simd_eq(0),
        )
    }

    /// Compares final material with the limit: 0 if it lies within. `promotions` is as in
    /// `guards`.
    #[inline(always)]
    fn excess<W: Word<u32>>(&self, material: W, promotions: usize) -> W {
        let guards = &self.guards[promotions & 3];
        let room = &self.room[usize::from(promotions != 0)];
        let low = ((material & FIELDS[0]) + room[0]) & guards[0];
        let high = ((material & FIELDS[1]) + room[1]) & guards[1];
        low | high
    }

    /// The weaker test of queens and pawns together, for games that promoted to queens only.
    fn allows_with_queens(&self, material: FinalMaterial, flags: u32) -> bool {
        const ONLY_QUEENS: u32 = flag::PROMOTION;
        if flags & (flag::PROMOTION | flag::UNDERPROMOTION) != ONLY_QUEENS {
            return true;
        }
        let mut limits = Color::ALL.into_iter().zip(self.queens_and_pawns);
        limits.all(|(color, limit)| {
            let count = |role| u32::from(material.at_least(Man::new(color, role)));
            count(Role::Queen) + count(Role::Pawn) <= limit
        })
    }
}
