//! The highest counts of men that a pattern allows, against what a game ends with.

use shakmaty::{Color, Role};

use super::columns::Facts;
use crate::{
    chess::{Counts, FinalMaterial, Man},
    format::header::flag,
};

/// Highest counts, compared with final material in two subtractions.
///
/// The 24 bits are split into two sets of fields that do not touch, so that the bit above each
/// field is free to show whether the subtraction of that field borrowed.
#[derive(Debug)]
pub(super) struct MaterialLimit {
    /// The limit with the guard bits set, for both sets of fields; without promotions and with.
    guarded: [[u32; 2]; 2],
    /// By promotion flags (bits 1 and 2 of the flags): the guard bits that must stay.
    required: [[u32; 2]; 4],
    /// Limits on queens and pawns together, by colour as in [`Color::ALL`].
    queens_and_pawns: [u32; 2],
}

const WHITE_PAWN: Man = Man::new(Color::White, Role::Pawn);

/// The fields of one set: white P, B, Q and black N, R lie in different sets from the rest.
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

/// Which set a field is in: neighbours are in different ones.
const fn field_set(shift: u32) -> usize {
    match shift {
        0 | 6 | 10 | 16 | 20 => 0,
        _ => 1,
    }
}

impl MaterialLimit {
    pub(super) fn new(high: Counts) -> MaterialLimit {
        let mut limit = MaterialLimit {
            guarded: [[0; 2]; 2],
            required: [[0; 2]; 4],
            queens_and_pawns: Color::ALL.map(|color| {
                let count = |role| u32::from(high.get(Man::new(color, role)));
                // As for the pawns alone.
                count(Role::Queen) + count(Role::Pawn) + u32::from(color.is_white())
            }),
        };
        for man in Man::ALL {
            let Some((shift, width)) = FinalMaterial::field(man) else {
                continue;
            };
            let (set, guard) = (field_set(shift), 1 << (shift + width));
            for (promotions, guarded) in limit.guarded.iter_mut().enumerate() {
                // A count of four black queens runs over into White's pawns.
                let slack = u32::from(promotions == 1 && man == WHITE_PAWN);
                let count = (u32::from(high.get(man)) + slack).min((1 << width) - 1);
                guarded[set] |= count << shift | guard;
            }
            for (promotions, required) in limit.required.iter_mut().enumerate() {
                let (promoted, underpromoted) = (promotions & 1 != 0, promotions & 2 != 0);
                let never_grows = match man.role() {
                    Role::Pawn => true,
                    Role::Queen => !promoted && !underpromoted,
                    _ => !underpromoted,
                };
                if never_grows {
                    required[set] |= guard;
                }
            }
        }
        limit
    }

    /// Tells whether a game with this final material may have had a position within the limit.
    #[inline]
    pub(super) fn allows(&self, material: FinalMaterial, flags: u32) -> bool {
        let promotions = (flags >> 1 & 3) as usize;
        self.is_within(material.0, promotions) && self.allows_with_queens(material, flags)
    }

    /// The same without a branch, but for the tests that take some promotions to be others than
    /// those they were.
    #[inline(always)]
    pub(super) fn may_allow(&self, facts: Facts) -> bool {
        self.is_within(facts.0, 0) | (facts.has_promotions() & self.is_within(facts.0, 3))
    }

    /// Compares final material, in the low 24 bits, with the limit; `promotions` is as in
    /// `required`.
    #[inline(always)]
    fn is_within(&self, material: u32, promotions: usize) -> bool {
        let required = &self.required[promotions & 3];
        let guarded = &self.guarded[usize::from(promotions != 0)];
        let left = |set: usize| guarded[set].wrapping_sub(material & FIELDS[set]) & required[set];
        (left(0) == required[0]) & (left(1) == required[1])
    }

    /// The weaker test of queens when some may have been promoted and nothing else was.
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
