//! The meanings of [compact](super::tables::Width::Compact) move codes.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | null move |
//! | 1 to 8 | king, clockwise from straight ahead of White |
//! | 9, 10 | castling on the king's side, on the queen's side |
//! | 11 to 38 | first queen |
//! | 39 to 66 | first and second rook, 14 codes each |
//! | 67 to 94 | first and second bishop, 14 codes each |
//! | 95 to 110 | first and second knight, 8 codes each |
//! | 111 to 142 | pawns one to eight, 4 codes each: one step, two, capture to the right, left |
//! | 143 to 198 | second and third queen |
//! | 199 to 212 | third rook |
//! | 213 to 226 | third bishop |
//! | 227 to 234 | third knight |
//! | 235 | the next two bytes are a move |
//! | 236 | nothing; other programs skip it too |
//! | 254 | another move follows later for the present position |
//! | 255 | the line ends |
//!
//! Right and left are as the mover sees them. A step is a number of files and a number of ranks,
//! both modulo 8: a piece that leaves the board on one side reenters on the other. So steps of 1 to
//! 7 reach every target on a line.

use tabiya_chess::Placed;

use super::tables::{Counter, Encoding, MODES};

pub(crate) const NULL: u8 = 0;
pub(crate) const CASTLE_KING_SIDE: u8 = 9;
pub(crate) const CASTLE_QUEEN_SIDE: u8 = 10;
pub(crate) const WORD: u8 = 235;
pub(crate) const PADDING: u8 = 236;
pub(crate) const BRANCH: u8 = 254;
pub(crate) const LINE_END: u8 = 255;

/// Number of slots of one side, see [`slot`].
pub(crate) const SLOTS: usize = 32;

/// The slots of the men of one side, by kind and then by number.
///
/// The format numbers at most three pieces of a kind and eight pawns. Others can only be moved by
/// words. They share one slot per kind so that the board can refer to them; no square is stored for
/// it.
pub(crate) mod slot {
    use shakmaty::Square;

    use super::SLOTS;
    use tabiya_chess::{Man, Placed};

    /// The first slot of a kind, in the order of [`Man`]: K Q R B N P.
    pub(crate) const FIRST: [u8; 6] = [0, 1, 4, 7, 10, 13];
    /// The slot after the last of a kind.
    pub(crate) const END: [u8; 6] = [1, 4, 7, 10, 13, 21];
    /// The shared slot of unnumbered men is this plus the kind.
    pub(crate) const UNNUMBERED: u8 = 24;

    /// The kind of man in a slot of one side.
    const KINDS: [u8; SLOTS] = {
        let mut kinds = [0; SLOTS];
        let mut kind = 0;
        while kind < 6 {
            let mut at = FIRST[kind];
            while at < END[kind] {
                kinds[at as usize] = kind as u8;
                at += 1;
            }
            kinds[UNNUMBERED as usize + kind] = kind as u8;
            kind += 1;
        }
        kinds
    };

    /// A slot that stays empty.
    const NOBODY: u8 = SLOTS as u8 - 1;

    /// The next slot of the same kind for each slot of either side, or [`NOBODY`]. Pawns have none.
    const NEXT_OF_KIND: [u8; 2 * SLOTS] = {
        let mut next = [NOBODY; 2 * SLOTS];
        let mut slot = 0;
        while slot < 2 * SLOTS {
            let kind = KINDS[slot % SLOTS] as usize;
            // Pawns keep their numbers.
            let is_last = slot % SLOTS + 1 >= END[kind] as usize;
            if kind != super::PAWN as usize && !is_last {
                next[slot] = slot as u8 + 1;
            }
            slot += 1;
        }
        next
    };

    /// Returns the slot whose man moves up when the man of this slot is gone, or [`NOBODY`].
    #[inline(always)]
    pub(crate) const fn next_of_kind(slot: u8) -> u8 {
        NEXT_OF_KIND[slot as usize % (2 * SLOTS)]
    }

    /// The man in each slot of either side, on an arbitrary square.
    const MEN: [Placed; 2 * SLOTS] = {
        let mut men = [Placed::NONE; 2 * SLOTS];
        let mut at = 0;
        while at < 2 * SLOTS {
            let man = KINDS[at % SLOTS] as usize + 6 * (at / SLOTS);
            men[at] = Placed::new(Man::ALL[man], Square::A1);
            at += 1;
        }
        men
    };

    /// Returns the kind of man in a slot of either side.
    #[inline(always)]
    pub(crate) const fn kind(slot: u8) -> u8 {
        KINDS[slot as usize % SLOTS]
    }

    /// Returns the man in a slot of either side, on an arbitrary square.
    #[inline(always)]
    pub(crate) const fn man(slot: u8) -> Placed {
        MEN[slot as usize % (2 * SLOTS)]
    }
}

/// A step that a compact code names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// The moving man's [`slot`] within its side.
    pub(crate) slot: u8,
    /// Files towards the h-file, 0 to 7, added modulo 8.
    pub(crate) files: u8,
    /// Ranks towards the eighth rank, 0 to 7, added modulo 8.
    pub(crate) ranks: u8,
}

/// Returns the step that a code names; `None` for codes that are not steps.
pub(crate) const fn step(code: u8, black: bool) -> Option<Step> {
    let index = code as usize;
    let (slot, kind, nth) = match code {
        1..=8 => (0, KING, index - 1),
        11..=38 => (1, QUEEN, index - 11),
        39..=66 => (4 + (index - 39) / 14, ROOK, (index - 39) % 14),
        67..=94 => (7 + (index - 67) / 14, BISHOP, (index - 67) % 14),
        95..=110 => (10 + (index - 95) / 8, KNIGHT, (index - 95) % 8),
        111..=142 => (13 + (index - 111) / 4, PAWN, (index - 111) % 4),
        143..=198 => (2 + (index - 143) / 28, QUEEN, (index - 143) % 28),
        199..=212 => (6, ROOK, index - 199),
        213..=226 => (9, BISHOP, index - 213),
        227..=234 => (12, KNIGHT, index - 227),
        _ => return None,
    };
    let (files, ranks) = displacement(kind, nth);
    // Black pawns move the other way; pieces of both sides have the same steps.
    let turn = if black && kind == PAWN { -1 } else { 1 };
    Some(Step {
        slot: slot as u8,
        files: (files * turn) as u8 & 7,
        ranks: (ranks * turn) as u8 & 7,
    })
}

pub(super) const KING: u8 = 0;
const QUEEN: u8 = 1;
pub(super) const ROOK: u8 = 2;
const BISHOP: u8 = 3;
const KNIGHT: u8 = 4;
pub(crate) const PAWN: u8 = 5;

/// Returns the nth step of a kind of man as files and ranks.
const fn displacement(kind: u8, nth: usize) -> (i8, i8) {
    const KING_STEPS: [(i8, i8); 8] = [
        (0, 1),
        (1, 1),
        (1, 0),
        (1, -1),
        (0, -1),
        (-1, -1),
        (-1, 0),
        (-1, 1),
    ];
    const KNIGHT_STEPS: [(i8, i8); 8] = [
        (2, 1),
        (1, 2),
        (-1, 2),
        (-2, 1),
        (-2, -1),
        (-1, -2),
        (1, -2),
        (2, -1),
    ];
    const PAWN_STEPS: [(i8, i8); 4] = [(0, 1), (0, 2), (1, 1), (-1, 1)];
    let along = (nth % 7) as i8 + 1;
    match (kind, nth / 7) {
        (KING, _) => KING_STEPS[nth],
        (KNIGHT, _) => KNIGHT_STEPS[nth],
        (PAWN, _) => PAWN_STEPS[nth],
        (ROOK | QUEEN, 0) => (0, along),
        (ROOK | QUEEN, 1) => (along, 0),
        (BISHOP, 0) | (QUEEN, 2) => (along, along),
        _ => (along, -along),
    }
}

/// The kind of man that steps, as far as legality checks need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mover {
    Piece,
    /// A pawn that steps straight ahead.
    Pawn,
    /// A pawn that captures.
    CapturingPawn,
}

/// A code prepared for the decoder: which man steps, and how to find its target in few operations.
/// Aligned so that indexing needs no multiplication.
#[derive(Debug, Clone, Copy)]
#[repr(align(8))]
pub(crate) struct Entry {
    /// The man, on an arbitrary square.
    pub(crate) man: Placed,
    /// The man's slot, plus [`SLOTS`] for Black; [`Entry::SPECIAL`] for codes that are not steps.
    pub(crate) slot: u8,
    /// Files to add to a square's number, modulo 8; the code itself if it is not a step.
    pub(crate) files: u8,
    /// Ranks to add, times 8, modulo 64.
    pub(crate) ranks: u8,
    pub(crate) mover: Mover,
    /// See [`Entry::allows`].
    allowed: u8,
}

impl Entry {
    /// The slot of a code that is not a step.
    pub(crate) const SPECIAL: u8 = 255;

    const fn new(code: u8, black: bool) -> Entry {
        match step(code, black) {
            Some(step) => {
                let slot = step.slot + if black { SLOTS as u8 } else { 0 };
                Entry {
                    man: slot::man(slot),
                    slot,
                    files: step.files,
                    ranks: step.ranks << 3,
                    mover: match (slot::kind(slot), step.files) {
                        (PAWN, 0) => Mover::Pawn,
                        (PAWN, _) => Mover::CapturingPawn,
                        _ => Mover::Piece,
                    },
                    allowed: if slot::kind(slot) == PAWN { 0x30 } else { 0x78 },
                }
            }
            None => Entry {
                man: Placed::NONE,
                slot: Entry::SPECIAL,
                files: code,
                ranks: 0,
                mover: Mover::Piece,
                allowed: 0,
            },
        }
    }

    /// Whether the man may be on the target: pawns may not be on the first and last rank. One test
    /// serves all men, since a branch on pawns could not be predicted: the number of the target's
    /// rank plus 1 is 2 to 7, not 1 or 8, exactly if bit 1 or 2 of it is set.
    #[inline(always)]
    pub(crate) const fn allows(self, target: u8) -> bool {
        (target + 8) & self.allowed != 0
    }

    /// Returns the target of the step from a square, 0 (a1) to 63 (h8).
    #[inline(always)]
    pub(crate) const fn target(self, from: u8) -> u8 {
        from.wrapping_add(self.files) & 7 | from.wrapping_add(self.ranks) & 56
    }
}

/// Lookup tables from a byte to its meaning: `entries[black][first[byte] - moves]`. They serve
/// encodings that count before their table and those that count after it: one of the two lookups is
/// the identity.
#[derive(Debug)]
pub(crate) struct Translation {
    pub(crate) first: [u8; 256],
    pub(crate) entries: [[Entry; 256]; 2],
}

/// Indexed by mode. The entries of simple modes are meaningless.
pub(crate) static TRANSLATIONS: [Translation; MODES.len()] = {
    let mut all = [const { Translation::new(&MODES[0]) }; MODES.len()];
    let mut mode = 0;
    while mode < MODES.len() {
        all[mode] = Translation::new(&MODES[mode]);
        mode += 1;
    }
    all
};

impl Translation {
    /// Returns the meaning of a byte for a side after `moves` moves (modulo 256).
    #[inline(always)]
    pub(crate) const fn entry(&self, byte: u8, moves: u8, black: bool) -> Entry {
        let index = self.first[byte as usize].wrapping_sub(moves);
        self.entries[black as usize][index as usize]
    }

    const fn new(encoding: &Encoding) -> Translation {
        let mut translation = Translation {
            first: encoding.decode,
            entries: [[Entry::new(0, false); 256]; 2],
        };
        let mut index = 0;
        while index < 256 {
            let code = match encoding.counter {
                Counter::BeforeTable => {
                    translation.first[index] = index as u8;
                    encoding.decode[index]
                }
                Counter::AfterTable => index as u8,
            };
            translation.entries[0][index] = Entry::new(code, false);
            translation.entries[1][index] = Entry::new(code, true);
            index += 1;
        }
        translation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_below_235_but_null_and_castling_is_a_step() {
        for code in 0..=255 {
            let is_step = step(code, false).is_some();
            assert_eq!(is_step, (1..235).contains(&code) && code != 9 && code != 10);
            assert_eq!(is_step, step(code, true).is_some());
        }
    }

    #[test]
    fn a_kind_of_man_reaches_each_of_its_targets_by_some_code_of_each_slot() {
        let mut reached = [0_u64; SLOTS];
        for step in (0..=255).filter_map(|code| step(code, false)) {
            reached[usize::from(step.slot)] |= 1 << (step.ranks * 8 + step.files);
        }
        let targets = reached.map(u64::count_ones);
        assert_eq!(targets[0], 8);
        // The diagonals meet again after four steps: 28 codes, 27 targets.
        assert_eq!(targets[1..4], [27; 3]);
        assert_eq!(targets[4..7], [14; 3]);
        assert_eq!(targets[7..10], [13; 3]);
        assert_eq!(targets[10..13], [8; 3]);
        assert_eq!(targets[13..21], [4; 8]);
    }

    #[test]
    fn steps_wrap_around_the_board() {
        // Queen from d1 (3): six files towards the h-file wrap to b1.
        let queen = Entry::new(11 + 7 + 5, false);
        assert_eq!((queen.slot, queen.target(3)), (1, 1));
        // Black's first pawn captures to its right: from b7 (49) to a6 (40).
        let pawn = Entry::new(113, true);
        assert_eq!((pawn.slot, pawn.target(49)), (32 + 13, 40));
        assert_eq!(
            (pawn.man.man().char(), pawn.mover),
            ('p', Mover::CapturingPawn)
        );
    }

    #[test]
    fn only_pawns_are_kept_from_the_last_ranks() {
        for square in 0..64 {
            let is_last = matches!(square / 8, 0 | 7);
            assert_eq!(Entry::new(111, false).allows(square), !is_last);
            assert!(Entry::new(39, false).allows(square));
        }
    }

    #[test]
    fn both_kinds_of_translation_agree_with_the_encoding() {
        for (encoding, translation) in MODES.iter().zip(&TRANSLATIONS) {
            for byte in 0..=255_u8 {
                let entry = translation.entry(byte, 7, true);
                let expected = Entry::new(encoding.code(byte, 7), true);
                assert_eq!((entry.slot, entry.man), (expected.slot, expected.man));
                assert_eq!(entry.target(0), expected.target(0));
            }
        }
    }
}
