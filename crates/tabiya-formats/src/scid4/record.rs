//! The records of `.si4` and `.si3` files, byte for byte.
//!
//! All integers are big-endian; "bit 0" is the lowest. Offsets are those of `.si4`; a `.si3`
//! record lacks the byte at offset 6. Source of every fact: files written by Scid 4.5 to 5.0
//! and Scid vs PC 4.23, checked field by field against decoded games.

use shakmaty::Color;
use tabiya_chess::{FinalMaterial, GameResult, HomePawns, NameId, PartialDate, RatingKind};
use zerocopy::{
    ByteHash, FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
    byteorder::big_endian::{U16, U32, U64},
};

use crate::header::{Evidence, Extent, Header, NameSlot};

/// One entry of a `.si4` file (version 400), 47 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, ByteHash, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Record {
    /// Offset 0: where the game starts in `.sg4`, in bytes.
    pub(super) offset: U32,
    /// Offset 4: length of the game in bytes, low 16 bits.
    pub(super) length_low: U16,
    /// Offset 6: bit 7 is bit 16 of the length; bits 5 to 0 are custom flags 6 to 1.
    pub(super) length_high: u8,
    /// Offset 7: the rest.
    pub(super) common: Common,
}

/// One entry of a `.si3` file (version 300), 46 bytes: no custom flags, 16-bit lengths.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, ByteHash, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct OldRecord {
    /// Offset 0: where the game starts in `.sg3`, in bytes.
    offset: U32,
    /// Offset 4: length of the game in bytes.
    length: U16,
    /// Offset 6: the rest.
    common: Common,
}

/// The last 40 bytes of both records.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, ByteHash, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Common {
    /// Offset 7: flags, bits 0 to 15 of [`Header::flags`].
    pub(super) flags: U16,
    /// Offset 9: bits 7 to 4 are bits 19 to 16 of White's id, bits 3 to 0 of Black's.
    pub(super) players_high: u8,
    /// Offset 10: White's id, low 16 bits.
    pub(super) white_low: U16,
    /// Offset 12: Black's id, low 16 bits.
    pub(super) black_low: U16,
    /// Offset 14: bits 7 to 5 are bits 18 to 16 of the event's id, bits 4 to 2 of the site's,
    /// bits 1 and 0 are bits 17 and 16 of the round's.
    pub(super) places_high: u8,
    /// Offset 15: event id, low 16 bits.
    pub(super) event_low: U16,
    /// Offset 17: site id, low 16 bits.
    pub(super) site_low: U16,
    /// Offset 19: round id, low 16 bits.
    pub(super) round_low: U16,
    /// Offset 21: bits 15 to 12 result, 11 to 8 NAG code, 7 to 4 comment code, 3 to 0
    /// variation code.
    pub(super) result_and_counts: U16,
    /// Offset 23: opening code, 0 for none.
    pub(super) eco: U16,
    /// Offset 25: bits 31 to 29 event year minus year plus 4 (0: no event date), 28 to 25
    /// event month, 24 to 20 event day, 19 to 0 the date.
    pub(super) dates: U32,
    /// Offset 29: bits 15 to 12 rating system of White, 11 to 0 rating.
    pub(super) white_rating: U16,
    /// Offset 31: the same for Black.
    pub(super) black_rating: U16,
    /// Offset 33: bits 31 to 24 stored opening line, 1 to 254, 0 for none; 23 to 0 final
    /// material.
    pub(super) line_and_material: U32,
    /// Offset 37: bits 15 to 8 are bits 7 to 0 of the half-moves, bits 7 and 6 are bits 9 and 8 of
    /// them; bits 5 to 0 the number of home-pawn entries.
    pub(super) plies_and_pawns: U16,
    /// Offset 39: home-pawn entries, 16 × 4 bits, the first in the highest bits.
    pub(super) home_pawns: U64,
}

const _: () = assert!(size_of::<Record>() == 47);
const _: () = assert!(size_of::<OldRecord>() == 46);
const _: () = assert!(size_of::<Common>() == 40);

/// Half-moves are stored modulo this.
pub(super) const PLIES_MODULUS: u32 = 1024;

/// A game of fewer bytes than this cannot have 1 024 half-moves, so its stored number is exact.
const WRAP_BYTES_MIN: u32 = 1024;

/// The count that Scid reports for each 4-bit annotation counter. Codes from 10 on cover
/// ranges: 10 to 12, 13 to 17, 18 to 24, 25 to 34, 35 to 44, 45 and more.
const COUNTER: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 40, 50];

/// Returns the 4-bit code of a true count.
pub(super) fn counter_code(count: usize) -> u16 {
    match count {
        0..=9 => count as u16,
        10..=12 => 10,
        13..=17 => 11,
        18..=24 => 12,
        25..=34 => 13,
        35..=44 => 14,
        _ => 15,
    }
}

/// Returns what a record reports for a true count, see [`Header::comment_count`].
pub(super) fn reported(count: usize) -> Extent {
    counted(counter_code(count))
}

/// Returns the count of a 4-bit code. It counts as exact, because it is what Scid shows.
pub(super) fn counted(code: u16) -> Extent {
    Extent::exactly(COUNTER[usize::from(code & 15)].into())
}

/// Returns the possible numbers of half-moves for one stored modulo 1024.
pub(super) fn plies_extent(stored: u32, length_bytes: u32) -> Extent {
    Extent {
        at_least: stored,
        at_most: if length_bytes >= WRAP_BYTES_MIN {
            u32::MAX
        } else {
            stored
        },
    }
}

/// The fields that the two records store differently.
pub(super) trait Layout {
    fn common(&self) -> &Common;
    fn offset(&self) -> u32;
    fn length(&self) -> u32;
    fn custom_flags(&self) -> u8;
}

impl Layout for Record {
    fn common(&self) -> &Common {
        &self.common
    }

    fn offset(&self) -> u32 {
        self.offset.get()
    }

    fn length(&self) -> u32 {
        u32::from(self.length_high & 0x80) << 9 | u32::from(self.length_low.get())
    }

    fn custom_flags(&self) -> u8 {
        self.length_high & 0x3f
    }
}

impl Layout for OldRecord {
    fn common(&self) -> &Common {
        &self.common
    }

    fn offset(&self) -> u32 {
        self.offset.get()
    }

    fn length(&self) -> u32 {
        u32::from(self.length.get())
    }

    fn custom_flags(&self) -> u8 {
        0
    }
}

impl<L: Layout + Copy + Send + Sync> Header for L {
    const EVIDENCE: Evidence = Evidence::SCID;

    fn offset_bytes(&self) -> u64 {
        u64::from(self.offset())
    }

    fn length_bytes(&self) -> u32 {
        self.length()
    }

    fn name(&self, slot: NameSlot) -> NameId {
        let common = self.common();
        let (high, low) = match slot {
            NameSlot::White => (common.players_high >> 4, common.white_low),
            NameSlot::Black => (common.players_high & 15, common.black_low),
            NameSlot::Event => (common.places_high >> 5, common.event_low),
            NameSlot::Site => (common.places_high >> 2 & 7, common.site_low),
            NameSlot::Round => (common.places_high & 3, common.round_low),
        };
        NameId(u32::from(high) << 16 | u32::from(low.get()))
    }

    fn rating_value(&self, color: Color) -> u16 {
        self.rating_field(color) & 0xfff
    }

    fn rating_kind(&self, color: Color) -> RatingKind {
        RatingKind::from_code((self.rating_field(color) >> 12 & 7) as u8)
    }

    fn date(&self) -> PartialDate {
        PartialDate::from_packed(self.common().dates.get() & 0xf_ffff)
    }

    fn event_date(&self) -> PartialDate {
        let dates = self.common().dates.get();
        let (delta, year) = (dates >> 29, dates >> 9 & 0x7ff);
        // Writers store a delta of 4 and year 0 for two unknown years.
        let year = (year + delta).saturating_sub(4);
        if delta == 0 || year == 0 {
            return PartialDate::UNKNOWN;
        }
        PartialDate::new(
            year as u16,
            (dates >> 25 & 15) as u8,
            (dates >> 20 & 31) as u8,
        )
    }

    fn eco_code(&self) -> u16 {
        self.common().eco.get()
    }

    fn result(&self) -> GameResult {
        GameResult::from_code((self.common().result_and_counts.get() >> 12) as u8)
    }

    fn comment_count(&self) -> Extent {
        counted(self.common().result_and_counts.get() >> 4 & 15)
    }

    fn variation_count(&self) -> Extent {
        counted(self.common().result_and_counts.get() & 15)
    }

    fn nag_count(&self) -> Extent {
        counted(self.common().result_and_counts.get() >> 8 & 15)
    }

    fn flags(&self) -> u32 {
        u32::from(self.custom_flags()) << 16 | u32::from(self.common().flags.get())
    }

    fn plies(&self) -> Extent {
        let field = u32::from(self.common().plies_and_pawns.get());
        plies_extent((field & 0xc0) << 2 | field >> 8, self.length())
    }

    fn allows_plies(&self, plies: u32) -> bool {
        self.plies().at_least == plies % PLIES_MODULUS
    }

    fn reported(count: usize) -> Extent {
        reported(count)
    }

    #[inline]
    fn final_material(&self) -> FinalMaterial {
        FinalMaterial(self.common().line_and_material.get() & 0xff_ffff)
    }

    #[inline]
    fn home_pawns(&self) -> HomePawns {
        let common = self.common();
        let count = common.plies_and_pawns.get() as u8 & 63;
        HomePawns::from_packed(common.home_pawns.get(), count)
    }

    #[inline]
    fn stored_line(&self) -> u8 {
        (self.common().line_and_material.get() >> 24) as u8
    }
}

/// Access to the stored rating fields, which is not part of [`Header`].
trait RatingField {
    fn rating_field(&self, color: Color) -> u16;
}

impl<L: Layout> RatingField for L {
    fn rating_field(&self, color: Color) -> u16 {
        match color {
            Color::White => self.common().white_rating.get(),
            Color::Black => self.common().black_rating.get(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a record with a distinctive value in every field.
    fn sample() -> Record {
        let mut bytes = [0; 47];
        bytes[..4].copy_from_slice(&[0, 1, 2, 3]);
        bytes[4..7].copy_from_slice(&[0, 9, 0x80 | 0b10_0001]);
        bytes[7..9].copy_from_slice(&[0x80, 0x07]);
        bytes[9..14].copy_from_slice(&[0x12, 0, 5, 0, 6]);
        bytes[14..21].copy_from_slice(&[0b0010_1011, 0, 7, 0, 8, 0, 9]);
        bytes[21..25].copy_from_slice(&[0x3a, 0xf1, 0x33, 0x2d]);
        bytes[25..29].copy_from_slice(
            &(5u32 << 29 | 6 << 25 | 7 << 20 | 1999 << 9 | 12 << 5 | 31).to_be_bytes(),
        );
        bytes[29..33].copy_from_slice(&[0x2a, 0x5c, 0, 0]);
        bytes[33..39].copy_from_slice(&[254, 0x6a, 0x86, 0xa8, 0x21, 0xc0 | 3]);
        bytes[39..].copy_from_slice(&[0xb4, 0x30, 0, 0, 0, 0, 0, 0]);
        Record::read_from_bytes(&bytes).unwrap()
    }

    #[test]
    fn every_field_reads_from_its_place() {
        let record = sample();
        assert_eq!(record.offset_bytes(), 0x1_0203);
        assert_eq!(record.length_bytes(), 0x1_0009);
        assert_eq!(record.flags(), 0x21_8007);
        assert_eq!(record.name(NameSlot::White), NameId(0x1_0005));
        assert_eq!(record.name(NameSlot::Black), NameId(0x2_0006));
        assert_eq!(record.name(NameSlot::Event), NameId(0x1_0007));
        assert_eq!(record.name(NameSlot::Site), NameId(0x2_0008));
        assert_eq!(record.name(NameSlot::Round), NameId(0x3_0009));
        assert_eq!(record.result(), GameResult::Draw);
        assert_eq!(
            (
                record.nag_count(),
                record.comment_count(),
                record.variation_count()
            ),
            (Extent::exactly(10), Extent::exactly(50), Extent::exactly(1))
        );
        assert_eq!(record.eco().unwrap().to_string(), "B00");
        assert_eq!(record.date().to_string(), "1999.12.31");
        assert_eq!(record.event_date().to_string(), "2000.06.07");
        assert_eq!(record.rating(Color::White).unwrap().get(), 2652);
        assert_eq!(record.rating_kind(Color::White), RatingKind::Rapid);
        assert_eq!(record.rating(Color::Black), None);
        assert_eq!(record.stored_line(), 254);
        assert_eq!(record.final_material().0, 0x6a_86a8);
        assert_eq!(
            record.plies(),
            Extent {
                at_least: 0x321,
                at_most: u32::MAX
            }
        );
        assert_eq!(record.home_pawns().iter().collect::<Vec<_>>(), [11, 4, 3]);
    }

    #[test]
    fn an_event_date_without_a_year_is_unknown() {
        for dates in [0, 4 << 29 | 5 << 25, 1 << 29 | 2 << 9] {
            let mut record = sample();
            record.common.dates = U32::new(dates);
            assert_eq!(record.event_date(), PartialDate::UNKNOWN);
        }
    }

    #[test]
    fn counters_read_as_the_lowest_or_middle_count_of_their_range() {
        for (count, reported) in [(9, 9), (12, 10), (13, 15), (24, 20), (34, 30), (44, 40)] {
            assert_eq!(COUNTER[usize::from(counter_code(count))], reported);
        }
        assert_eq!(counter_code(45), 15);
        assert_eq!(counter_code(10_000), 15);
    }
}
