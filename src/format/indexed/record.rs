//! The record of a game whose file holds none.

use shakmaty::Color;

use super::survey::Survey;
use crate::{
    chess::{FinalMaterial, GameResult, HomePawns, NameId, PartialDate, RatingKind},
    format::{
        game::{GameHeader, Rating},
        header::{Evidence, Extent, Header, NameSlot, flag},
    },
};

/// One game of an index that exists only in memory. All values are as in the game, without the
/// limits of any file format.
#[derive(Debug, Clone, Copy, Hash)]
pub(crate) struct Record {
    offset_bytes: u64,
    length_bytes: u32,
    /// 0-based number of the game.
    pub(super) number: u32,
    /// In the order of [`NameSlot::ALL`].
    pub(super) names: [NameId; 5],
    date: PartialDate,
    event_date: PartialDate,
    ratings: [u16; 2],
    /// Codes of the rating systems: bits 3 to 0 White's, 7 to 4 Black's.
    rating_kinds: u8,
    eco: u16,
    result: GameResult,
    flags: u32,
    /// [`u32::MAX`] if unknown.
    plies: u32,
    final_material: FinalMaterial,
    home_pawns: u64,
    home_pawn_count: u8,
    stored_line: u8,
    /// Comments, variations, NAGs; [`COUNT_MAX`] means that many or more.
    counts: [u16; 3],
}

const _: () = assert!(size_of::<Record>() <= 80);

/// The highest count that is stored.
const COUNT_MAX: u16 = u16::MAX;

impl Record {
    /// Creates a record, still without names. `is_read` is false if the game could not be read to
    /// its end; nothing is then proved about its moves.
    pub(super) fn new(
        header: &GameHeader,
        offset_bytes: u64,
        length_bytes: u32,
        survey: &Survey,
        is_read: bool,
    ) -> Record {
        let facts = &survey.facts;
        let told = survey.annotations;
        let value = |rating: Option<Rating>| rating.map_or(0, |rating| rating.value.get());
        let kind = |rating: Option<Rating>| rating.map_or(0, |rating| rating.kind.code());
        let unread = flag::UNREAD | flag::ANY_PROMOTION;
        let count = |count: usize| u16::try_from(count).unwrap_or(COUNT_MAX);
        Record {
            offset_bytes,
            length_bytes,
            number: 0,
            names: [NameId(0); 5],
            date: header.date,
            event_date: header.event_date,
            ratings: [value(header.white_rating), value(header.black_rating)],
            rating_kinds: kind(header.white_rating) | kind(header.black_rating) << 4,
            eco: header.eco.map_or(0, |eco| eco.code()),
            result: header.result,
            flags: header.marks & flag::MARKS
                | facts.flags
                | survey.start_flags
                | if is_read { 0 } else { unread },
            plies: if is_read { facts.plies } else { u32::MAX },
            final_material: if is_read {
                FinalMaterial::of(facts.counts)
            } else {
                FinalMaterial::NONE
            },
            home_pawns: facts.home_pawns.packed(),
            home_pawn_count: facts.home_pawns.count(),
            // The beginning of an unread game is certain.
            stored_line: facts.line.code(),
            counts: [told.comments, told.variations, told.nags].map(count),
        }
    }

    /// Returns the game's 0-based number.
    pub(crate) fn number(&self) -> usize {
        self.number as usize
    }

    fn count(&self, index: usize) -> Extent {
        let count = u32::from(self.counts[index]);
        let is_exact = count < u32::from(COUNT_MAX) && self.flags & flag::UNREAD == 0;
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
        self.offset_bytes
    }

    fn length_bytes(&self) -> u32 {
        self.length_bytes
    }

    fn name(&self, slot: NameSlot) -> NameId {
        self.names[slot as usize]
    }

    fn rating_value(&self, color: Color) -> u16 {
        self.ratings[color.fold_wb(0, 1)]
    }

    fn rating_kind(&self, color: Color) -> RatingKind {
        RatingKind::from_code(self.rating_kinds >> color.fold_wb(0, 4) & 15)
    }

    fn date(&self) -> PartialDate {
        self.date
    }

    fn event_date(&self) -> PartialDate {
        self.event_date
    }

    fn eco_code(&self) -> u16 {
        self.eco
    }

    fn result(&self) -> GameResult {
        self.result
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
        self.flags
    }

    fn plies(&self) -> Extent {
        match self.plies {
            u32::MAX => Extent::UNKNOWN,
            plies => Extent::exactly(plies),
        }
    }

    fn final_material(&self) -> FinalMaterial {
        self.final_material
    }

    fn home_pawns(&self) -> HomePawns {
        HomePawns::from_packed(self.home_pawns, self.home_pawn_count)
    }

    fn stored_line(&self) -> u8 {
        self.stored_line
    }
}
