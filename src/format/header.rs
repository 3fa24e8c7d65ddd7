//! What an index record answers without decoding its game, whichever format it belongs to.

use shakmaty::Color;

use crate::chess::{
    Eco, Elo, FinalMaterial, GameResult, HomePawns, NameId, NameKind, PartialDate, RatingKind,
};

/// The names that a header refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameSlot {
    /// PGN `White`.
    White,
    /// PGN `Black`.
    Black,
    /// PGN `Event`.
    Event,
    /// PGN `Site`.
    Site,
    /// PGN `Round`.
    Round,
}

impl NameSlot {
    /// Returns the PGN tag that holds the name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            NameSlot::White => "White",
            NameSlot::Black => "Black",
            NameSlot::Event => "Event",
            NameSlot::Site => "Site",
            NameSlot::Round => "Round",
        }
    }

    /// Returns the list that the name is in.
    #[must_use]
    pub const fn kind(self) -> NameKind {
        match self {
            NameSlot::White | NameSlot::Black => NameKind::Player,
            NameSlot::Event => NameKind::Event,
            NameSlot::Site => NameKind::Site,
            NameSlot::Round => NameKind::Round,
        }
    }
}

/// Bits of [`Header::flags`], numbered as in Scid's files up to 21.
pub mod flag {
    /// The game has its own start position.
    pub const CUSTOM_START: u32 = 1 << 0;
    /// The main line holds a promotion.
    pub const PROMOTION: u32 = 1 << 1;
    /// The main line holds a promotion to something else than a queen.
    pub const UNDERPROMOTION: u32 = 1 << 2;
    /// Both of these.
    pub const ANY_PROMOTION: u32 = PROMOTION | UNDERPROMOTION;
    /// Marked as deleted; the game is still there.
    pub const DELETED: u32 = 1 << 3;
    /// Bits 3 to 21, which users set: deleted, white opening, ... custom 6.
    pub const MARKS: u32 = 0x3f_fff8;
    /// The game is one of Chess960: a right to castle is none of standard chess. Where
    /// [`Evidence::chess960`](super::Evidence::chess960) holds, also if only its tag or the order
    /// of its men says so.
    pub const CHESS960: u32 = 1 << 22;
    /// The game could not be read to its end when its record was made, so the record proves
    /// nothing about its moves. Only in records that are made when a file is opened.
    pub const UNREAD: u32 = 1 << 23;
    /// Games with one of these are not judged by home pawns, stored line and final material.
    pub const UNPROVED: u32 = CUSTOM_START | UNREAD;
    /// The letters that Scid prints for bits 3 to 21 in the PGN tag `ScidFlags`.
    pub const MARK_LETTERS: &[u8; 19] = b"DWBMENPTKQ!?U123456";
}

/// What an index tells about a number: it lies between these, ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The least it can be.
    pub at_least: u32,
    /// The most it can be; [`u32::MAX`] when there is no bound.
    pub at_most: u32,
}

impl Extent {
    /// Nothing is known.
    pub const UNKNOWN: Extent = Extent {
        at_least: 0,
        at_most: u32::MAX,
    };

    /// Returns the extent of a number that is known.
    #[must_use]
    pub const fn exactly(number: u32) -> Extent {
        Extent {
            at_least: number,
            at_most: number,
        }
    }

    /// Returns the number when it is certain.
    #[must_use]
    pub const fn exact(self) -> Option<u32> {
        if self.at_least == self.at_most {
            Some(self.at_least)
        } else {
            None
        }
    }
}

/// Which of the things that prefilters live on the records of a format hold at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// The order in which pawns left home.
    pub home_pawns: bool,
    /// Whether the main line holds promotions, and others than to queens.
    pub promotions: bool,
    /// Whether a game has its own start position.
    pub starts: bool,
    /// Whether a game is one of Chess960, even if its rights to castle are of standard chess.
    pub chess960: bool,
    /// Numbers of comments, variations and NAGs as exact as they get.
    pub counts: bool,
    /// Records that are no games but texts.
    pub texts: bool,
    /// Medals, and what else there is besides the main line.
    pub contents: bool,
}

impl Evidence {
    /// What Scid's records hold.
    pub const SCID: Evidence = Evidence {
        home_pawns: true,
        promotions: true,
        starts: true,
        chess960: false,
        counts: true,
        texts: false,
        contents: false,
    };
}

/// The facts of one index record that [`GameHeader`](super::GameHeader) does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordFacts {
    /// Where the game lies in the games file, in bytes.
    pub offset_bytes: u64,
    /// Its length in bytes; 0 when there is no game data.
    pub length_bytes: u32,
    /// Half-moves of the main line.
    pub plies: Extent,
    /// Flags, see [`flag`].
    pub flags: u32,
    /// Comments, as the index counts them.
    pub comment_count: Extent,
    /// Variations, as the index counts them.
    pub variation_count: Extent,
    /// NAGs, as the index counts them.
    pub nag_count: Extent,
    /// Material after the last move of the main line.
    pub final_material: FinalMaterial,
    /// Which pawns left home in which order; `None` for games with their own start position.
    pub home_pawns: Option<HomePawns>,
    /// Code of the stored opening line; `None` when there is none.
    pub stored_line: Option<u8>,
}

/// What any index record answers without decoding the game.
///
/// Values are returned as stored: a name may be out of range and a date may be the 31st of
/// February when the file is damaged.
pub trait Header: Copy + Send + Sync {
    /// Which facts mean something in these records.
    const EVIDENCE: Evidence;

    /// Offset of the game in the games file, in bytes.
    fn offset_bytes(&self) -> u64;
    /// Length of the game in the games file, in bytes; 0 when there is no game data.
    fn length_bytes(&self) -> u32;
    /// A name, by its number.
    fn name(&self, slot: NameSlot) -> NameId;
    /// A rating as stored, 0 when absent.
    fn rating_value(&self, color: Color) -> u16;
    /// The system of a rating.
    fn rating_kind(&self, color: Color) -> RatingKind;
    /// The date.
    fn date(&self) -> PartialDate;
    /// The event's date; unknown when not stored.
    fn event_date(&self) -> PartialDate;
    /// The opening code as stored, 0 when absent. See [`Eco::from_code`].
    fn eco_code(&self) -> u16;
    /// The result.
    fn result(&self) -> GameResult;
    /// Comments, as the index counts them.
    fn comment_count(&self) -> Extent;
    /// Variations, as the index counts them; at most 0 only if there are none.
    fn variation_count(&self) -> Extent;
    /// NAGs, as the index counts them.
    fn nag_count(&self) -> Extent;
    /// Flags, see [`flag`].
    fn flags(&self) -> u32;
    /// Half-moves of the main line.
    fn plies(&self) -> Extent;
    /// Material after the last move of the main line; [`FinalMaterial::NONE`] when it is not
    /// known, which excludes nothing.
    fn final_material(&self) -> FinalMaterial;
    /// The same if the record tells it.
    fn told_material(&self) -> Option<FinalMaterial> {
        Some(self.final_material())
    }
    /// Home-pawn list as stored; empty for custom starts, where it means nothing, and where the
    /// records hold none.
    fn home_pawns(&self) -> HomePawns;
    /// Code of the stored opening line, 0 when there is none.
    fn stored_line(&self) -> u8;

    /// Whether this is a game and not a text of ChessBase.
    fn is_game(&self) -> bool {
        true
    }

    /// Medals that the game was given, bit 0 upwards as in [`Medal::ALL`](crate::query::Medal);
    /// none where the records hold none.
    fn medals(&self) -> u16 {
        0
    }

    /// What the game holds besides its main line, as ChessBase numbers it; nothing where the
    /// records do not tell.
    fn contents(&self) -> u32 {
        0
    }

    /// Tells whether the main line may have so many half-moves.
    fn allows_plies(&self, plies: u32) -> bool {
        let told = self.plies();
        (told.at_least..=told.at_most).contains(&plies)
    }

    /// Returns what a record says of so many comments, variations or NAGs, if it says all that
    /// its format allows.
    fn reported(count: usize) -> Extent {
        Extent::exactly(u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// Returns what a header does not tell.
    fn facts(&self) -> RecordFacts {
        RecordFacts {
            offset_bytes: self.offset_bytes(),
            length_bytes: self.length_bytes(),
            plies: self.plies(),
            flags: self.flags(),
            comment_count: self.comment_count(),
            variation_count: self.variation_count(),
            nag_count: self.nag_count(),
            final_material: self.final_material(),
            home_pawns: (Self::EVIDENCE.home_pawns && !self.is_custom_start())
                .then(|| self.home_pawns()),
            stored_line: Some(self.stored_line()).filter(|code| (1..255).contains(code)),
        }
    }

    /// Whether the game has its own start position.
    fn is_custom_start(&self) -> bool {
        self.flags() & flag::CUSTOM_START != 0
    }

    /// Whether the game may have its own start position, for all that the record tells, or
    /// could not be read when the record was made: then its moves are not judged by the record.
    #[inline]
    fn may_be_custom_start(&self) -> bool {
        !Self::EVIDENCE.starts || self.flags() & flag::UNPROVED != 0
    }

    /// A rating.
    fn rating(&self, color: Color) -> Option<Elo> {
        Elo::new(self.rating_value(color))
    }

    /// The opening code.
    fn eco(&self) -> Option<Eco> {
        Eco::from_code(self.eco_code())
    }
}
