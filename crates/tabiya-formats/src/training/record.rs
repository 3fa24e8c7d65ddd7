//! The record of a game, made when the file is opened.

use shakmaty::Color;
use tabiya_chess::{FinalMaterial, GameResult, HomePawns, NameId, PartialDate, RatingKind};
use zerocopy::little_endian::{U32, U64};

use crate::header::{Evidence, Extent, Header, NameSlot, flag};

/// What is known of a game without decoding it. Small, since loose positions come by the millions:
/// a record is smaller than the shortest game in any of
/// these formats.
#[derive(Debug, Clone, Copy, Hash)]
pub struct Record {
    offset_bytes: U64,
    length_bytes: U32,
    /// [`u32::MAX`] if unknown.
    plies: U32,
    /// Positions with a score.
    comments: U32,
    final_material: U32,
    /// Flags below bit 24, and the result above.
    flags_and_result: U32,
}

const _: () = assert!(size_of::<Record>() == 28);

const RESULT_SHIFT: u32 = 24;

/// What a survey has found out about a game.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    pub(crate) flags: u32,
    pub(crate) result: GameResult,
    pub(crate) comments: u32,
    /// Half-moves and the material after the last one; `None` if the game is damaged.
    pub(crate) end: Option<(u32, FinalMaterial)>,
}

impl Record {
    pub(crate) fn new((offset, length): (u64, usize), facts: &Facts) -> Record {
        let (plies, material) = facts.end.unwrap_or((u32::MAX, FinalMaterial::NONE));
        let unread = match facts.end {
            None => flag::UNREAD | flag::ANY_PROMOTION,
            Some(_) => 0,
        };
        let flags = facts.flags | unread | (facts.result as u32) << RESULT_SHIFT;
        Record {
            offset_bytes: offset.into(),
            length_bytes: u32::try_from(length).unwrap_or(u32::MAX).into(),
            plies: plies.into(),
            comments: facts.comments.into(),
            final_material: material.0.into(),
            flags_and_result: flags.into(),
        }
    }
}

impl Record {
    /// Whether the whole game was read, and all its moves are legal.
    pub(super) fn is_sound(&self) -> bool {
        self.flags() & flag::UNREAD == 0
    }
}

impl Header for Record {
    const EVIDENCE: Evidence = Evidence {
        home_pawns: false,
        chess960: true,
        ..Evidence::SCID
    };

    fn offset_bytes(&self) -> u64 {
        self.offset_bytes.get()
    }

    fn length_bytes(&self) -> u32 {
        self.length_bytes.get()
    }

    fn name(&self, _: NameSlot) -> NameId {
        NameId(0)
    }

    fn rating_value(&self, _: Color) -> u16 {
        0
    }

    fn rating_kind(&self, _: Color) -> RatingKind {
        RatingKind::default()
    }

    fn date(&self) -> PartialDate {
        PartialDate::default()
    }

    fn event_date(&self) -> PartialDate {
        PartialDate::default()
    }

    fn eco_code(&self) -> u16 {
        0
    }

    fn result(&self) -> GameResult {
        GameResult::from_code((self.flags_and_result.get() >> RESULT_SHIFT) as u8)
    }

    fn comment_count(&self) -> Extent {
        Extent {
            at_least: self.comments.get(),
            at_most: if self.is_sound() {
                self.comments.get()
            } else {
                u32::MAX
            },
        }
    }

    fn variation_count(&self) -> Extent {
        Extent::exactly(0)
    }

    fn nag_count(&self) -> Extent {
        Extent::exactly(0)
    }

    fn flags(&self) -> u32 {
        self.flags_and_result.get() & ((1 << RESULT_SHIFT) - 1)
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
        HomePawns::from_packed(0, 0)
    }

    fn stored_line(&self) -> u8 {
        0
    }
}
