//! The entries of a `.dci` file, byte for byte.
//!
//! All integers are big-endian. Source of every fact: files written by pgn2dcg and the published
//! description, where it agrees with them.

use std::hash::Hash;

use shakmaty::{Color, Role};
use tabiya_chess::{
    Counts, FinalMaterial, GameResult, HomePawns, Man, NameId, PartialDate, RatingKind,
};
use zerocopy::{
    FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
    big_endian::{U16, U32, U64},
};

use super::names::id_of_ref;
use crate::header::{Evidence, Extent, Header, NameSlot, flag};

/// One entry: 39 bytes as written by all programs, 61 bytes with the [`Totals`] of the published
/// description, version 1.1.
#[derive(Clone, Copy, Debug, Hash, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Record<T> {
    /// Offset 0: 0xFF if the game is deleted.
    pub(super) status: u8,
    /// Offset 1: offset of the game's length in `.dcg`, in bytes.
    pub(super) offset: U64,
    /// Offset 9: reference to White's name, see `names`.
    pub(super) white: U32,
    /// Offset 13: Black.
    pub(super) black: U32,
    /// Offset 17: round, 0 when unknown.
    pub(super) round: U16,
    /// Offset 19: site.
    pub(super) site: U32,
    /// Offset 23: event.
    pub(super) event: U32,
    /// Offset 27: White's Elo, 0 when unknown.
    pub(super) white_elo: U16,
    /// Offset 29: Black's Elo, 0 when unknown.
    pub(super) black_elo: U16,
    /// Offset 31: 0 none, 1 White won, 2 Black won, 3 draw.
    pub(super) result: u8,
    /// Offset 32: opening code in letters, zeros when unknown.
    pub(super) eco: [u8; 3],
    /// Offset 35: year, 0 when unknown.
    pub(super) year: U16,
    /// Offset 37: month, 0 when unknown.
    pub(super) month: u8,
    /// Offset 38: day, 0 when unknown.
    pub(super) day: u8,
    /// Offset 39: totals of the moves.
    pub(super) totals: T,
}

/// The totals of a game's moves in entries of 39 bytes: none.
#[derive(
    Clone, Copy, Debug, Default, Hash, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct Untold {}

/// The totals of a game's moves in entries of 61 bytes.
#[derive(Clone, Copy, Debug, Hash, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Totals {
    /// Offset 39: half-moves of the main line; 0 is treated as unknown.
    pub(super) half_moves: U16,
    /// Offset 41: bit 31 set if the rest is known; Black's P in bits 30 to 28, N 27 and 26,
    /// B 25 and 24, R 23 and 22, Q 21 and 20; White's in the same order from bit 14 down.
    pub(super) material: U32,
    /// Offset 45: the order in which pawns made their first move, White's and Black's alternating:
    /// 0 to 7 for White's pawns a to h, 8 to 15 for Black's, 16 for the end. The list ends as soon
    /// as one side has no further pawn, and omits pawns captured at home. So a missing pawn may be
    /// at home or not: the list excludes nothing and is not used.
    pub(super) pawn_moves: [u8; 16],
}

/// An entry of 39 bytes.
pub(crate) type Short = Record<Untold>;
/// An entry of 61 bytes.
pub(crate) type Long = Record<Totals>;

const _: () = assert!(size_of::<Short>() == 39);
const _: () = assert!(size_of::<Long>() == 61);

/// The status of a deleted game.
pub(super) const DELETED: u8 = 0xff;
/// Ends the list of pawn moves.
pub(super) const NO_PAWN: u8 = 16;
const MATERIAL_KNOWN: u32 = 1 << 31;

/// The lowest bit and the width of a man's field in [`Totals::material`]; `None` for kings.
fn field(man: Man) -> Option<(u32, u32)> {
    let half = man.color().fold_wb(0, 16);
    match man.role() {
        Role::King => None,
        Role::Queen => Some((half + 4, 2)),
        Role::Rook => Some((half + 6, 2)),
        Role::Bishop => Some((half + 8, 2)),
        Role::Knight => Some((half + 10, 2)),
        Role::Pawn => Some((half + 12, 3)),
    }
}

/// Returns the field for these counts; 0 (unknown) if eight pawns or four pieces of a kind do
/// not fit.
pub(super) fn packed_material(counts: Counts) -> u32 {
    let mut bits = MATERIAL_KNOWN;
    for man in Man::ALL {
        let Some((shift, width)) = field(man) else {
            continue;
        };
        let count = u32::from(counts.get(man));
        if count >> width != 0 {
            return 0;
        }
        bits |= count << shift;
    }
    bits
}

fn unpacked_material(bits: u32) -> FinalMaterial {
    if bits & MATERIAL_KNOWN == 0 {
        return FinalMaterial::NONE;
    }
    let mut counts = Counts::default();
    for man in Man::ALL {
        if let Some((shift, width)) = field(man) {
            counts = counts.with(man, (bits >> shift & ((1 << width) - 1)) as u8);
        }
    }
    FinalMaterial::of(counts)
}

/// The facts that the two kinds of entries provide differently.
pub trait EntryFacts: Copy + Send + Sync + Hash {
    fn plies(&self) -> Extent;
    fn material(&self) -> FinalMaterial;
    /// Returns the raw material field, if it is known.
    fn material_bits(&self) -> Option<u32>;
}

impl EntryFacts for Untold {
    fn plies(&self) -> Extent {
        Extent::UNKNOWN
    }

    fn material(&self) -> FinalMaterial {
        FinalMaterial::NONE
    }

    fn material_bits(&self) -> Option<u32> {
        None
    }
}

impl EntryFacts for Totals {
    fn plies(&self) -> Extent {
        match self.half_moves.get() {
            0 => Extent::UNKNOWN,
            plies => Extent::exactly(plies.into()),
        }
    }

    fn material(&self) -> FinalMaterial {
        unpacked_material(self.material.get())
    }

    fn material_bits(&self) -> Option<u32> {
        Some(self.material.get()).filter(|bits| bits & MATERIAL_KNOWN != 0)
    }
}

impl<T> Record<T> {
    /// Returns the four references to names: White, Black, site, event.
    pub(super) fn refs(&self) -> [u32; 4] {
        [self.white, self.black, self.site, self.event].map(U32::get)
    }

    /// Returns the same entry with other totals.
    pub(super) fn with_totals<U>(self, totals: U) -> Record<U> {
        Record {
            status: self.status,
            offset: self.offset,
            white: self.white,
            black: self.black,
            round: self.round,
            site: self.site,
            event: self.event,
            white_elo: self.white_elo,
            black_elo: self.black_elo,
            result: self.result,
            eco: self.eco,
            year: self.year,
            month: self.month,
            day: self.day,
            totals,
        }
    }
}

impl<T: EntryFacts> Header for Record<T> {
    const EVIDENCE: Evidence = Evidence {
        home_pawns: false,
        promotions: false,
        chess960: false,
        counts: false,
        contents: 0,
        starts: false,
        texts: false,
    };

    fn offset_bytes(&self) -> u64 {
        self.offset.get()
    }

    /// The length is stored in the games file, before the game.
    fn length_bytes(&self) -> u32 {
        0
    }

    fn name(&self, slot: NameSlot) -> NameId {
        match slot {
            NameSlot::White => id_of_ref(self.white.get()),
            NameSlot::Black => id_of_ref(self.black.get()),
            NameSlot::Event => id_of_ref(self.event.get()),
            NameSlot::Site => id_of_ref(self.site.get()),
            NameSlot::Round => NameId(self.round.get().into()),
        }
    }

    fn rating_value(&self, color: Color) -> u16 {
        color.fold_wb(self.white_elo, self.black_elo).get()
    }

    fn rating_kind(&self, _: Color) -> RatingKind {
        RatingKind::Elo
    }

    /// Months above 12 and days above 31, as in damaged files, are unknown.
    fn date(&self) -> PartialDate {
        let month = if self.month > 12 { 0 } else { self.month };
        let day = if self.day > 31 { 0 } else { self.day };
        PartialDate::new(self.year.get(), month, day)
    }

    fn event_date(&self) -> PartialDate {
        PartialDate::UNKNOWN
    }

    fn eco_code(&self) -> u16 {
        match self.eco {
            [letter @ b'A'..=b'E', tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => {
                let [letter, tens, ones] = [letter - b'A', tens - b'0', ones - b'0'].map(u16::from);
                1 + 131 * (100 * letter + 10 * tens + ones)
            }
            _ => 0,
        }
    }

    fn result(&self) -> GameResult {
        GameResult::from_code(self.result)
    }

    fn comment_count(&self) -> Extent {
        Extent::UNKNOWN
    }

    fn variation_count(&self) -> Extent {
        Extent::UNKNOWN
    }

    fn nag_count(&self) -> Extent {
        Extent::UNKNOWN
    }

    fn flags(&self) -> u32 {
        match self.status {
            DELETED => flag::DELETED,
            _ => 0,
        }
    }

    fn plies(&self) -> Extent {
        self.totals.plies()
    }

    fn final_material(&self) -> FinalMaterial {
        self.totals.material()
    }

    fn told_material(&self) -> Option<FinalMaterial> {
        self.totals.material_bits().map(unpacked_material)
    }

    fn home_pawns(&self) -> HomePawns {
        HomePawns::default()
    }

    fn stored_line(&self) -> u8 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_reads_from_its_place() {
        let mut bytes = vec![0xff, 0, 0, 0, 0, 0, 1, 0, 5];
        bytes.extend([0, 0, 0, 46, 0, 0, 0, 0, 1, 2, 0, 0, 0, 10, 0, 0, 0, 11]);
        bytes.extend([0x0a, 0x8c, 0, 0, 2, b'B', b'9', b'0', 0x07, 0xcf, 12, 31]);
        let record = Short::read_from_bytes(&bytes).unwrap();
        assert_eq!(record.offset_bytes(), 0x1_0005);
        assert_eq!(record.flags(), flag::DELETED);
        let name = |slot| record.name(slot).0;
        assert_eq!((name(NameSlot::White), name(NameSlot::Black)), (2, 0));
        assert_eq!((name(NameSlot::Site), name(NameSlot::Event)), (1, 0));
        assert_eq!(name(NameSlot::Round), 0x102);
        assert_eq!(record.rating_value(Color::White), 2700);
        assert_eq!(record.result(), GameResult::BlackWins);
        assert_eq!(record.eco().unwrap().to_string(), "B90");
        assert_eq!(record.date().to_string(), "1999.12.31");
        assert_eq!(record.plies(), Extent::UNKNOWN);
        bytes.extend([0, 5, 0xd0, 0x90, 0x50, 0x40]);
        bytes.extend([NO_PAWN; 16]);
        let record = Long::read_from_bytes(&bytes).unwrap();
        assert_eq!(record.plies(), Extent::exactly(5));
        let men = [('P', 5), ('R', 1), ('p', 5), ('r', 2), ('q', 1), ('Q', 0)];
        for (letter, count) in men {
            let man = Man::from_char(letter).unwrap();
            assert_eq!(record.final_material().at_least(man), count, "{letter}");
        }
        assert_eq!(record.totals.material_bits(), Some(0xd090_5040));
    }

    #[test]
    fn what_does_not_fit_is_not_known() {
        assert_eq!(packed_material(Counts::STANDARD), 0);
        let queen = Counts::default().with(Man::from_char('Q').unwrap(), 3);
        assert_eq!(packed_material(queen), 1 << 31 | 3 << 4);
        assert_eq!(unpacked_material(3 << 4), FinalMaterial::NONE);
    }
}
