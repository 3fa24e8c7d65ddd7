//! The records of `.si5` files, byte for byte.
//!
//! Twelve little-endian words and the home pawns. The file has no header. The `.si4` writer uses
//! this record too, because it is the wider one. Source of every fact: files written by Scid
//! 5.0, checked field by field against decoded games.

use shakmaty::Color;
use tabiya_chess::{FinalMaterial, GameResult, HomePawns, NameId, PartialDate, RatingKind};
use zerocopy::{
    ByteHash, FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, big_endian::U64,
    little_endian::U32,
};

use super::record::{PLIES_MODULUS, counted, plies_extent, reported};
use crate::header::{Evidence, Extent, Header, NameSlot, flag};

/// One entry of a `.si5` file, 56 bytes. Fields are named from the highest bit down.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, ByteHash, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Record5 {
    /// Offset 0: 4 bits comment code, 28 bits White's id.
    comments_white: U32,
    /// Offset 4: 4 bits variation code, 28 bits Black's id.
    variations_black: U32,
    /// Offset 8: 4 bits NAG code, 28 bits event id.
    nags_event: U32,
    /// Offset 12: site id.
    site: U32,
    /// Offset 16: 1 bit Chess960, 31 bits round id.
    chess960_round: U32,
    /// Offset 20: 12 bits rating of White, 20 bits date.
    white_rating_date: U32,
    /// Offset 24: 12 bits rating of Black, 20 bits event date.
    black_rating_event_date: U32,
    /// Offset 28: 10 bits half-moves, 22 bits flags.
    plies_flags: U32,
    /// Offset 32: 17 bits length of the game in bytes, 15 bits highest bits of the offset.
    length_offset: U32,
    /// Offset 36: where the game starts in `.sg5`, in bytes, low 32 bits.
    offset_low: U32,
    /// Offset 40: 8 bits stored opening line, 24 bits final material.
    line_material: U32,
    /// Offset 44: 8 bits number of home-pawn entries, 3 bits rating system of White, 3 of Black,
    /// 2 bits result, 16 bits opening code.
    pawns_kinds_result_eco: U32,
    /// Offset 48: home-pawn entries, 16 × 4 bits, the first in the highest bits.
    home_pawns: U64,
}

const _: () = assert!(size_of::<Record5>() == 56);

const OFFSET_HIGH_BITS: u32 = 15;
const CHESS960_BIT: u32 = 31;
/// Mask of a date.
const DATE: u32 = (1 << 20) - 1;
/// Mask of the bits of [`Header::flags`] that the record stores.
const FLAGS: u32 = (1 << 22) - 1;

/// Replaces `bits` bits of a word from `shift` on; higher bits of the value are cut off.
fn put(word: &mut U32, shift: u32, bits: u32, value: u32) {
    let mask = (u32::MAX >> (32 - bits)) << shift;
    word.set(word.get() & !mask | value << shift & mask);
}

impl Record5 {
    /// Sets the game's offset (47 bits) and length (17 bits).
    pub(super) fn set_place(&mut self, offset: u64, length: u32) {
        self.offset_low.set(offset as u32);
        put(
            &mut self.length_offset,
            0,
            OFFSET_HIGH_BITS,
            (offset >> 32) as u32,
        );
        put(&mut self.length_offset, OFFSET_HIGH_BITS, 17, length);
    }

    /// Sets the number of a name: 28 bits for players and events, 32 for sites, 31 for rounds.
    pub(super) fn set_name(&mut self, slot: NameSlot, id: u32) {
        match slot {
            NameSlot::White => put(&mut self.comments_white, 0, 28, id),
            NameSlot::Black => put(&mut self.variations_black, 0, 28, id),
            NameSlot::Event => put(&mut self.nags_event, 0, 28, id),
            NameSlot::Site => self.site.set(id),
            NameSlot::Round => put(&mut self.chess960_round, 0, 31, id),
        }
    }

    /// Sets a rating of at most 4095 and its system.
    pub(super) fn set_rating(&mut self, color: Color, value: u16, kind: RatingKind) {
        let (word, kind_shift) = match color {
            Color::White => (&mut self.white_rating_date, 21),
            Color::Black => (&mut self.black_rating_event_date, 18),
        };
        put(word, 20, 12, value.into());
        put(
            &mut self.pawns_kinds_result_eco,
            kind_shift,
            3,
            kind.code().into(),
        );
    }

    /// Sets both dates, whose parts must fit.
    pub(super) fn set_dates(&mut self, date: PartialDate, event_date: PartialDate) {
        put(&mut self.white_rating_date, 0, 20, date.packed());
        put(
            &mut self.black_rating_event_date,
            0,
            20,
            event_date.packed(),
        );
    }

    /// Sets result and opening code.
    pub(super) fn set_outcome(&mut self, result: GameResult, eco_code: u16) {
        put(&mut self.pawns_kinds_result_eco, 16, 2, result as u32);
        put(&mut self.pawns_kinds_result_eco, 0, 16, eco_code.into());
    }

    /// Adds flags.
    pub(super) fn add_flags(&mut self, flags: u32) {
        let all = self.flags() | flags;
        put(&mut self.plies_flags, 0, 22, all);
        put(
            &mut self.chess960_round,
            CHESS960_BIT,
            1,
            u32::from(all & flag::CHESS960 != 0),
        );
    }

    /// Sets the codes of the counters, 4 bits each: NAGs, comments, variations.
    pub(super) fn set_counter_codes(&mut self, nags: u16, comments: u16, variations: u16) {
        put(&mut self.nags_event, 28, 4, nags.into());
        put(&mut self.comments_white, 28, 4, comments.into());
        put(&mut self.variations_black, 28, 4, variations.into());
    }

    /// Sets the facts of the main line. Only the low ten bits of the half-moves are stored.
    pub(super) fn set_moves(&mut self, plies: u32, material: FinalMaterial, line: u8) {
        put(&mut self.plies_flags, 22, 10, plies);
        self.line_material
            .set(u32::from(line) << 24 | material.0 & 0xff_ffff);
    }

    /// Sets the order in which pawns left home.
    pub(super) fn set_home_pawns(&mut self, pawns: HomePawns) {
        put(
            &mut self.pawns_kinds_result_eco,
            24,
            8,
            pawns.count().into(),
        );
        self.home_pawns.set(pawns.packed());
    }
}

impl Header for Record5 {
    const EVIDENCE: Evidence = Evidence::SCID;

    fn offset_bytes(&self) -> u64 {
        let high = self.length_offset.get() & ((1 << OFFSET_HIGH_BITS) - 1);
        u64::from(high) << 32 | u64::from(self.offset_low.get())
    }

    fn length_bytes(&self) -> u32 {
        self.length_offset.get() >> OFFSET_HIGH_BITS
    }

    fn name(&self, slot: NameSlot) -> NameId {
        const LOW_28: u32 = (1 << 28) - 1;
        NameId(match slot {
            NameSlot::White => self.comments_white.get() & LOW_28,
            NameSlot::Black => self.variations_black.get() & LOW_28,
            NameSlot::Event => self.nags_event.get() & LOW_28,
            NameSlot::Site => self.site.get(),
            NameSlot::Round => self.chess960_round.get() & !(1 << CHESS960_BIT),
        })
    }

    fn rating_value(&self, color: Color) -> u16 {
        let word = match color {
            Color::White => self.white_rating_date,
            Color::Black => self.black_rating_event_date,
        };
        (word.get() >> 20) as u16
    }

    fn rating_kind(&self, color: Color) -> RatingKind {
        let shift = color.fold_wb(21, 18);
        RatingKind::from_code((self.pawns_kinds_result_eco.get() >> shift & 7) as u8)
    }

    fn date(&self) -> PartialDate {
        PartialDate::from_packed(self.white_rating_date.get() & DATE)
    }

    fn event_date(&self) -> PartialDate {
        PartialDate::from_packed(self.black_rating_event_date.get() & DATE)
    }

    fn eco_code(&self) -> u16 {
        self.pawns_kinds_result_eco.get() as u16
    }

    fn result(&self) -> GameResult {
        GameResult::from_code((self.pawns_kinds_result_eco.get() >> 16 & 3) as u8)
    }

    fn comment_count(&self) -> Extent {
        counted((self.comments_white.get() >> 28) as u16)
    }

    fn variation_count(&self) -> Extent {
        counted((self.variations_black.get() >> 28) as u16)
    }

    fn nag_count(&self) -> Extent {
        counted((self.nags_event.get() >> 28) as u16)
    }

    fn flags(&self) -> u32 {
        let chess960 = self.chess960_round.get() >> CHESS960_BIT;
        self.plies_flags.get() & FLAGS | (chess960 * flag::CHESS960)
    }

    fn plies(&self) -> Extent {
        plies_extent(self.plies_flags.get() >> 22, self.length_bytes())
    }

    fn allows_plies(&self, plies: u32) -> bool {
        self.plies().at_least == plies % PLIES_MODULUS
    }

    fn reported(count: usize) -> Extent {
        reported(count)
    }

    #[inline]
    fn final_material(&self) -> FinalMaterial {
        FinalMaterial(self.line_material.get() & 0xff_ffff)
    }

    #[inline]
    fn home_pawns(&self) -> HomePawns {
        let count = self.pawns_kinds_result_eco.get() >> 24;
        HomePawns::from_packed(self.home_pawns.get(), count as u8)
    }

    #[inline]
    fn stored_line(&self) -> u8 {
        (self.line_material.get() >> 24) as u8
    }
}

#[cfg(test)]
mod tests {
    use zerocopy::FromZeros;

    use super::*;

    /// Every field has its own value and sets no bit of another field.
    #[test]
    fn every_field_lies_in_its_place() {
        let mut record = Record5::new_zeroed();
        record.set_counter_codes(1, 2, 3);
        record.set_name(NameSlot::White, 0x0abc_def1);
        record.set_name(NameSlot::Black, 2);
        record.set_name(NameSlot::Event, 3);
        record.set_name(NameSlot::Site, u32::MAX);
        record.set_name(NameSlot::Round, 5);
        record.add_flags(flag::CHESS960 | 0x2a_0001);
        record.set_rating(Color::White, 2700, RatingKind::Rapid);
        record.set_rating(Color::Black, 4000, RatingKind::Ecf);
        record.set_dates(PartialDate::new(2001, 2, 3), PartialDate::new(1900, 0, 0));
        record.set_place(0x1234_5678_9abc, 0x1_0001);
        record.set_moves(1025, FinalMaterial(0x6a_86a8), 199);
        record.set_outcome(GameResult::Draw, 65_500);
        record.set_home_pawns(HomePawns::from_packed(0xb4 << 56, 2));
        let words = [
            0x2abc_def1,
            0x3000_0002,
            0x1000_0003,
            u32::MAX,
            0x8000_0005,
            2700 << 20 | 2001 << 9 | 2 << 5 | 3,
            4000 << 20 | 1900 << 9,
            1 << 22 | 0x2a_0001,
            0x1_0001 << 15 | 0x1234,
            0x5678_9abc,
            199 << 24 | 0x6a_86a8,
            2 << 24 | 2 << 21 | 6 << 18 | 3 << 16 | 65_500,
        ];
        let mut bytes: Vec<u8> = words
            .iter()
            .flat_map(|word: &u32| word.to_le_bytes())
            .collect();
        bytes.extend([0xb4, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(record.as_bytes(), bytes);

        assert_eq!(record.offset_bytes(), 0x1234_5678_9abc);
        assert_eq!(record.length_bytes(), 0x1_0001);
        assert_eq!(record.name(NameSlot::White), NameId(0x0abc_def1));
        assert_eq!(record.name(NameSlot::Round), NameId(5));
        assert_eq!(record.flags(), flag::CHESS960 | 0x2a_0001);
        assert_eq!(record.rating_value(Color::Black), 4000);
        assert_eq!(record.rating_kind(Color::White), RatingKind::Rapid);
        assert_eq!(record.event_date(), PartialDate::new(1900, 0, 0));
        assert_eq!(record.plies().at_least, 1);
        assert_eq!(record.nag_count(), Extent::exactly(1));
        assert_eq!(record.comment_count(), Extent::exactly(2));
        assert_eq!(record.variation_count(), Extent::exactly(3));
        assert!(record.home_pawns().iter().eq([11, 4]));
        assert_eq!((record.stored_line(), record.eco_code()), (199, 65_500));
    }
}
