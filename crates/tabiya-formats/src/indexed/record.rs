//! The record of a game whose file holds none.

use shakmaty::Color;
use tabiya_chess::{FinalMaterial, GameResult, HomePawns, NameId, PartialDate, RatingKind};
use zerocopy::{
    FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
    little_endian::{U16, U32, U64},
};

use super::survey::Survey;
use crate::{
    game::{GameHeader, Rating},
    header::{Evidence, Extent, Header, NameSlot, flag},
};

/// One game of an index that is made from the games. All values are as in the game, without the
/// limits of any file format. Sidecars hold these bytes.
#[derive(Debug, Clone, Copy, Hash, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Record {
    offset_bytes: U64,
    length_bytes: U32,
    /// 0-based number of the game.
    pub(super) number: U32,
    /// In the order of [`NameSlot::ALL`].
    pub(super) names: [U32; 5],
    /// As [`PartialDate::packed`] returns it.
    date: U32,
    event_date: U32,
    ratings: [U16; 2],
    flags: U32,
    /// [`u32::MAX`] if unknown.
    plies: U32,
    final_material: U32,
    home_pawns: U64,
    eco: U16,
    /// Comments, variations, NAGs; [`COUNT_MAX`] means that many or more.
    counts: [U16; 3],
    /// Codes of the rating systems: bits 3 to 0 White's, 7 to 4 Black's.
    rating_kinds: u8,
    result: u8,
    home_pawn_count: u8,
    stored_line: u8,
}

const _: () = assert!(size_of::<Record>() == 80);

/// The highest count that is stored.
const COUNT_MAX: u16 = u16::MAX;

impl Record {
    /// The record of a game that an index was to have, but has not.
    pub(crate) const UNKNOWN: Record = zerocopy::transmute!([0_u8; size_of::<Record>()]);

    /// Creates a record, still without names. `is_read` is false if the game could not be read to
    /// its end; nothing is then proved about its moves.
    pub(super) fn new(
        header: &GameHeader,
        (offset_bytes, length_bytes): (u64, u32),
        survey: &Survey,
        is_read: bool,
    ) -> Record {
        let facts = &survey.facts;
        let told = survey.annotations;
        let value =
            |rating: Option<Rating>| U16::new(rating.map_or(0, |rating| rating.value.get()));
        let kind = |rating: Option<Rating>| rating.map_or(0, |rating| rating.kind.code());
        let unread = flag::UNREAD | flag::ANY_PROMOTION;
        let count = |count: usize| U16::new(u16::try_from(count).unwrap_or(COUNT_MAX));
        Record {
            offset_bytes: offset_bytes.into(),
            length_bytes: length_bytes.into(),
            number: U32::ZERO,
            names: [U32::ZERO; 5],
            date: header.date.packed().into(),
            event_date: header.event_date.packed().into(),
            ratings: [header.white_rating, header.black_rating].map(value),
            rating_kinds: kind(header.white_rating) | kind(header.black_rating) << 4,
            eco: header.eco.map_or(0, |eco| eco.code()).into(),
            result: header.result as u8,
            flags: (header.marks & flag::MARKS
                | facts.flags
                | survey.start_flags
                | if is_read { 0 } else { unread })
            .into(),
            plies: if is_read { facts.plies } else { u32::MAX }.into(),
            final_material: if is_read {
                FinalMaterial::of(facts.counts).0
            } else {
                FinalMaterial::NONE.0
            }
            .into(),
            home_pawns: facts.home_pawns.packed().into(),
            home_pawn_count: facts.home_pawns.count(),
            // The beginning of an unread game is certain.
            stored_line: facts.line.code(),
            counts: [told.comments, told.variations, told.nags].map(count),
        }
    }

    /// Adds to the offset of the game.
    pub(super) fn move_by(&mut self, shift: u64) {
        self.offset_bytes = self.offset_bytes.get().saturating_add(shift).into();
    }

    /// Returns the game's 0-based number.
    pub(crate) fn number(&self) -> usize {
        self.number.get() as usize
    }

    fn count(&self, index: usize) -> Extent {
        let count = u32::from(self.counts[index].get());
        let is_exact = count < u32::from(COUNT_MAX) && self.flags.get() & flag::UNREAD == 0;
        Extent {
            at_least: count,
            at_most: if is_exact { count } else { u32::MAX },
        }
    }
}

impl Header for Record {
    const EVIDENCE: Evidence = Evidence {
        chess960: true,
        ..Evidence::SCID
    };

    fn offset_bytes(&self) -> u64 {
        self.offset_bytes.get()
    }

    fn length_bytes(&self) -> u32 {
        self.length_bytes.get()
    }

    fn name(&self, slot: NameSlot) -> NameId {
        NameId(self.names[slot as usize].get())
    }

    fn rating_value(&self, color: Color) -> u16 {
        self.ratings[color.fold_wb(0, 1)].get()
    }

    fn rating_kind(&self, color: Color) -> RatingKind {
        RatingKind::from_code(self.rating_kinds >> color.fold_wb(0, 4) & 15)
    }

    fn date(&self) -> PartialDate {
        PartialDate::from_packed(self.date.get())
    }

    fn event_date(&self) -> PartialDate {
        PartialDate::from_packed(self.event_date.get())
    }

    fn eco_code(&self) -> u16 {
        self.eco.get()
    }

    fn result(&self) -> GameResult {
        GameResult::from_code(self.result)
    }

    fn comment_count(&self) -> Extent {
        self.count(0)
    }

    fn variation_count(&self) -> Extent {
        self.count(1)
    }

    fn nag_count(&self) -> Extent {
        self.count(2)
    }

    fn flags(&self) -> u32 {
        self.flags.get()
    }

    fn plies(&self) -> Extent {
        match self.plies.get() {
            u32::MAX => Extent::UNKNOWN,
            plies => Extent::exactly(plies),
        }
    }

    fn final_material(&self) -> FinalMaterial {
        FinalMaterial(self.final_material.get())
    }

    fn home_pawns(&self) -> HomePawns {
        HomePawns::from_packed(self.home_pawns.get(), self.home_pawn_count)
    }

    fn stored_line(&self) -> u8 {
        self.stored_line
    }
}
