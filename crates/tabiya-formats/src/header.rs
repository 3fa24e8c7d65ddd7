//! What an index record answers without decoding its game, for all formats.

use shakmaty::Color;
use tabiya_chess::{
    Eco, Elo, FinalMaterial, GameResult, HomePawns, NameId, NameKind, PartialDate, RatingKind,
};

/// A name field of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
    /// All fields, in the order of the PGN tags above.
    pub const ALL: [NameSlot; 5] = [
        NameSlot::White,
        NameSlot::Black,
        NameSlot::Event,
        NameSlot::Site,
        NameSlot::Round,
    ];

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

    /// Returns the kind of name, which is the list that holds it.
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

/// Bits of [`RecordFacts::flags`](super::RecordFacts::flags), numbered as in Scid's files up to 21.
pub mod flag {
    /// The game has its own start position.
    pub const CUSTOM_START: u32 = 1 << 0;
    /// The main line contains a promotion.
    pub const PROMOTION: u32 = 1 << 1;
    /// The main line contains a promotion to a piece other than a queen.
    pub const UNDERPROMOTION: u32 = 1 << 2;
    /// Both promotion flags.
    pub const ANY_PROMOTION: u32 = PROMOTION | UNDERPROMOTION;
    /// Marked as deleted; the game is still stored.
    pub const DELETED: u32 = 1 << 3;
    /// Bits 3 to 21, which users set: deleted, white opening, ... custom 6.
    pub const MARKS: u32 = 0x3f_fff8;
    /// The game is Chess960: it has a castling right that standard chess does not have. In formats
    /// whose records tell more, also if only its tag or the order of its men says so.
    pub const CHESS960: u32 = 1 << 22;
    /// The game could not be read to its end when its record was made, so the record proves nothing
    /// about its moves. Set only in records that are made when a file is opened.
    pub const UNREAD: u32 = 1 << 23;
    /// Games with one of these flags are not filtered by home pawns, stored line or final material.
    pub const UNPROVED: u32 = CUSTOM_START | UNREAD;
    /// The letters that Scid prints for bits 3 to 21 in the PGN tag `ScidFlags`.
    pub const MARK_LETTERS: &[u8; 19] = b"DWBMENPTKQ!?U123456";
}

/// What an index states about a number: an inclusive range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The smallest possible value.
    pub at_least: u32,
    /// The largest possible value; [`u32::MAX`] if unbounded.
    pub at_most: u32,
}

impl Extent {
    /// Nothing is known about the number.
    pub const UNKNOWN: Extent = Extent {
        at_least: 0,
        at_most: u32::MAX,
    };

    /// Returns the extent of a known number.
    #[must_use]
    pub const fn exactly(number: u32) -> Extent {
        Extent {
            at_least: number,
            at_most: number,
        }
    }

    /// Returns the number if it is certain.
    #[must_use]
    pub const fn exact(self) -> Option<u32> {
        if self.at_least == self.at_most {
            Some(self.at_least)
        } else {
            None
        }
    }
}

/// Which facts used by prefilters the records of a format hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// Order in which pawns left home.
    pub home_pawns: bool,
    /// Whether the main line contains promotions, and underpromotions.
    pub promotions: bool,
    /// Whether a game has its own start position.
    pub starts: bool,
    /// Whether a game is Chess960, even if its castling rights are those of standard chess.
    pub chess960: bool,
    /// Whether numbers of comments, variations and NAGs are as exact as in any format.
    pub counts: bool,
    /// Whether some records are texts, not games.
    pub texts: bool,
    /// Mask of the bits that [`contents`](Header::contents) stores; 0 if it stores none, nor
    /// medals.
    pub contents: u32,
}

impl Evidence {
    /// The facts in Scid's records.
    pub const SCID: Evidence = Evidence {
        home_pawns: true,
        promotions: true,
        starts: true,
        chess960: false,
        counts: true,
        texts: false,
        contents: 0,
    };
}

/// The facts of one index record that [`GameHeader`](super::GameHeader) does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordFacts {
    /// Offset of the game in the games file, in bytes.
    pub offset_bytes: u64,
    /// Length in bytes; 0 if there is no game data.
    pub length_bytes: u32,
    /// Number of half-moves of the main line.
    pub plies: Extent,
    /// Flags, see [`flag`].
    pub flags: u32,
    /// Number of comments, as the index counts them.
    pub comment_count: Extent,
    /// Number of variations, as the index counts them.
    pub variation_count: Extent,
    /// Number of NAGs, as the index counts them.
    pub nag_count: Extent,
    /// Material after the last move of the main line.
    pub final_material: FinalMaterial,
    /// Order in which pawns left home; `None` for games with their own start position.
    pub home_pawns: Option<HomePawns>,
    /// Code of the stored opening line; `None` if there is none.
    pub stored_line: Option<u8>,
}

/// What any index record answers without decoding the game.
///
/// Values are returned as stored: in a damaged file a name ID may be out of range and a date may be
/// 31 February.
pub trait Header: Copy + Send + Sync {
    /// Which facts are meaningful in these records.
    const EVIDENCE: Evidence;

    /// Offset of the game in the games file, in bytes.
    fn offset_bytes(&self) -> u64;
    /// Length of the game in the games file, in bytes; 0 if there is no game data.
    fn length_bytes(&self) -> u32;
    /// The ID of a name.
    fn name(&self, slot: NameSlot) -> NameId;
    /// A rating as stored; 0 if absent.
    fn rating_value(&self, color: Color) -> u16;
    /// The system of a rating.
    fn rating_kind(&self, color: Color) -> RatingKind;
    /// The date.
    fn date(&self) -> PartialDate;
    /// The event's date; unknown if not stored.
    fn event_date(&self) -> PartialDate;
    /// The opening code as stored, 0 if absent. See [`Eco::from_code`].
    fn eco_code(&self) -> u16;
    /// The result.
    fn result(&self) -> GameResult;
    /// Number of comments, as the index counts them.
    fn comment_count(&self) -> Extent;
    /// Number of variations, as the index counts them; `at_most` is 0 only if there are none.
    fn variation_count(&self) -> Extent;
    /// Number of NAGs, as the index counts them.
    fn nag_count(&self) -> Extent;
    /// Flags, see [`flag`].
    fn flags(&self) -> u32;
    /// Number of half-moves of the main line.
    fn plies(&self) -> Extent;
    /// Material after the last move of the main line; [`FinalMaterial::NONE`] if unknown, which
    /// excludes nothing.
    fn final_material(&self) -> FinalMaterial;
    /// The final material if the record states it.
    fn told_material(&self) -> Option<FinalMaterial> {
        Some(self.final_material())
    }
    /// Home-pawn list as stored; empty for custom starts, where it has no meaning, and in formats
    /// without it.
    fn home_pawns(&self) -> HomePawns;
    /// Code of the stored opening line; 0 if there is none.
    fn stored_line(&self) -> u8;

    /// Whether the record is a game and not a ChessBase text.
    fn is_game(&self) -> bool {
        true
    }

    /// Medals of the game, one bit each in the order of [`Medal::ALL`](tabiya_chess::Medal); 0 in
    /// formats without medals.
    fn medals(&self) -> u16 {
        0
    }

    /// What the game contains besides its main line, as bits in ChessBase's numbering; 0 in formats
    /// that do not store it.
    fn contents(&self) -> u32 {
        0
    }

    /// Whether the main line may have this number of half-moves.
    fn allows_plies(&self, plies: u32) -> bool {
        let told = self.plies();
        (told.at_least..=told.at_most).contains(&plies)
    }

    /// Returns the extent that a complete record states for this number of comments, variations or
    /// NAGs.
    fn reported(count: usize) -> Extent {
        Extent::exactly(u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// Returns the facts that a header does not hold.
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

    /// Whether the game may have its own start position as far as the record shows, or could not be
    /// read when the record was made. Its moves are then not filtered by the record.
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
