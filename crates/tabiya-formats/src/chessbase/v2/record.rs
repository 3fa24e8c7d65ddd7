//! The records of a `.2cbh` file, byte for byte.
//!
//! All integers are little-endian; "bit 0" is the lowest. A record describes a game, a text among
//! the games, or an analysis: moves and annotations without players.
//!
//! The record's final material is not read. Records of converted games keep that of an earlier
//! state of the game, and nothing tells them from others.

use shakmaty::Color;
use tabiya_chess::{
    Content, FinalMaterial, GameResult, HomePawns, NameId, PartialDate, RatingKind,
};
use zerocopy::{
    ByteHash, FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
    byteorder::little_endian::{I16, I32, I64, U16, U32},
};

use crate::{
    chessbase::common::{
        content,
        record::{self as older, Opening},
    },
    header::{Evidence, Extent, Header, NameSlot, flag},
};

/// One entry of a `.2cbh` file, 192 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, ByteHash, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Record {
    /// Offset 0: bit 0 in use, bit 1 a text, bit 7 deleted.
    pub(super) state: u8,
    unused_1: u8,
    /// Offset 2: 1 a game or text, 2 an analysis.
    pub(super) kind: u8,
    /// Offset 3: as offset 0, without bit 7.
    pub(super) kept_state: u8,
    unused_4: [u8; 4],
    /// Offset 8: offset in `.2cbg`.
    pub(super) offset: I64,
    /// Offset 16: offset in `.2cba`. Every game has a record there.
    pub(super) annotations: I64,
    /// Offset 24: White and Black, players.
    pub(super) players: [I64; 2],
    /// Offset 40.
    pub(super) tournament: I64,
    /// Offset 48: a player.
    pub(super) annotator: I64,
    /// Offset 56.
    pub(super) source: I64,
    /// Offset 64: White's and Black's, -1 for none.
    pub(super) teams: [I64; 2],
    /// Offset 80: the title, a tag.
    pub(super) title: I64,
    /// Offset 88: as in a `.cbh` record.
    pub(super) result: u8,
    /// Offset 89: NAG that evaluates a line without a result.
    pub(super) verdict: u8,
    /// Offset 90: round, 0 for none.
    pub(super) round: I16,
    /// Offset 92: round within the round, 0 for none.
    pub(super) sub_round: I16,
    /// Offset 94: board, 0 for none.
    pub(super) board: I16,
    /// Offset 96: White's and Black's rating.
    pub(super) ratings: [Rating; 2],
    /// Offset 128: opening, as in a `.cbh` record.
    pub(super) eco: U16,
    /// Offset 130: medals, as in a `.cbh` record.
    pub(super) medals: U16,
    /// Offset 132: contents of the game, as in a `.cbh` record.
    pub(super) content: U32,
    /// Offset 136: how much there is of some annotations.
    pub(super) magnitudes: U16,
    /// Offset 138: full moves of the main line as on a score sheet.
    pub(super) moves: I16,
    /// Offset 140: final material of the side with more of it, and of the other.
    pub(super) material: [U32; 2],
    unused_148: [u8; 4],
    /// Offset 152: when the record was made, and when it was changed.
    times: [I64; 2],
    /// Offset 168: endgames that occurred, scores.
    unread: [u8; 16],
    /// Offset 184: how often the game was saved.
    pub(super) version: U32,
    /// Offset 188: date, see [`date`].
    pub(super) date: I32,
}

/// A rating of a side, 16 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Rating {
    /// 0 for none.
    pub(super) value: I16,
    /// Bits 0 to 2: 1 international, 2 national, 3 of a server. The rest: 0 normal, 1 bullet, 2
    /// blitz, 3 rapid, 4 correspondence.
    pub(super) kind: I16,
    pub(super) list: I16,
    pub(super) nation: I16,
    pub(super) name: [u8; 8],
}

/// The same entry for a text.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct TextRecord {
    /// Offset 0: as in games.
    head: [u8; 16],
    /// Offset 16.
    pub(super) tournament: I64,
    /// Offset 24.
    pub(super) source: I64,
    /// Offset 32: the author, a player.
    pub(super) annotator: I64,
    /// Offset 40: the title, a tag.
    pub(super) title: I64,
    unread: [u8; 16],
    /// Offset 64: how often the text was saved.
    pub(super) version: I64,
    rest: [u8; 120],
}

/// The same entry for an analysis.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct AnalysisRecord {
    /// Offset 0: as in games.
    head: [u8; 24],
    /// Offset 24: the title, a tag.
    title: I64,
    /// Offset 32.
    source: I64,
    /// Offset 40: the author, a player.
    annotator: I64,
    rest: [u8; 144],
}

const _: () = assert!(size_of::<Record>() == 192);
const _: () = assert!(size_of::<TextRecord>() == 192);
const _: () = assert!(size_of::<AnalysisRecord>() == 192);

pub(super) const IN_USE: u8 = 1;
pub(super) const TEXT: u8 = 1 << 1;
pub(super) const DELETED: u8 = 1 << 7;
pub(super) const GAME: u8 = 1;
const ANALYSIS: u8 = 2;
/// The result of a line.
const LINE: u8 = 3;

/// The ID of no name, which reads as unknown.
const UNKNOWN: NameId = NameId(0);
/// An ID that no name has.
const NO_SUCH: NameId = NameId(u32::MAX);

/// What a record describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Game,
    Text,
    Analysis,
}

/// Returns the ID for a number of a name in its file: one more, so that 0 is for an unknown name.
pub(super) fn name_id(number: i64) -> NameId {
    let id = u32::try_from(number)
        .ok()
        .and_then(|number| number.checked_add(1));
    id.map_or(NO_SUCH, NameId)
}

/// Rounds with one inside them up to this number have names.
pub(super) const ROUND_MAX: i16 = 1023;
/// The first ID of rounds with one inside them.
const FIRST_SUB_ROUND: u32 = 1 << 15;

/// Returns the ID of a round.
fn round_id(round: i16, sub_round: i16) -> NameId {
    match (round, sub_round) {
        (..0, _) => UNKNOWN,
        (_, ..=0) => NameId(round as u32),
        (..=ROUND_MAX, ..=ROUND_MAX) => {
            let before = (sub_round as u32 - 1) << 10;
            NameId(FIRST_SUB_ROUND + before + round as u32)
        }
        _ => NO_SUCH,
    }
}

/// Returns the name of the round with this ID.
pub(super) fn round_name(id: u32) -> String {
    match id.checked_sub(FIRST_SUB_ROUND) {
        None if id == 0 => "?".to_owned(),
        None => id.to_string(),
        Some(pair) => format!("{}.{}", pair & 1023, (pair >> 10) + 1),
    }
}

/// Nations with systems of their own.
pub(super) const GERMANY: i16 = 53;
pub(super) const ENGLAND: i16 = 42;
pub(super) const USA: i16 = 147;

impl Rating {
    pub(super) fn kind(&self) -> RatingKind {
        match (self.kind.get() & 7, self.kind.get() >> 3) {
            (0 | 1, 3) => RatingKind::Rapid,
            (0 | 1, 4) => RatingKind::Iccf,
            (0 | 1, _) => RatingKind::Elo,
            (2, _) => match self.nation.get() {
                GERMANY => RatingKind::Dwz,
                ENGLAND => RatingKind::Ecf,
                USA => RatingKind::Uscf,
                _ => RatingKind::Rating,
            },
            _ => RatingKind::Rating,
        }
    }

    /// Returns the list and the time class in words, `LiChess blitz`; `None` for the usual Elo
    /// rating, and for what the kind of rating says.
    pub(super) fn list(&self) -> Option<String> {
        const CLASSES: [&str; 5] = ["", "bullet", "blitz", "rapid", "correspondence"];
        let name = self
            .name
            .split(|&byte| byte == 0)
            .next()
            .unwrap_or_default();
        let name = String::from_utf8_lossy(name);
        let class = usize::try_from(self.kind.get() >> 3).ok();
        let class = class.and_then(|class| CLASSES.get(class)).copied();
        let is_international = matches!(self.kind.get() & 7, 0 | 1);
        match (name.as_ref(), class.unwrap_or_default()) {
            ("" | "FIDE", "") => None,
            ("FIDE", "rapid") | ("ICCF", "correspondence") if is_international => None,
            (name, "") => Some(name.to_owned()),
            ("", class) => Some(class.to_owned()),
            (name, class) => Some(format!("{name} {class}")),
        }
    }
}

impl Record {
    /// Returns what the record describes; `None` for what is not known.
    #[inline]
    pub(super) fn described(&self) -> Option<Kind> {
        match (self.state & (IN_USE | TEXT), self.kind) {
            (IN_USE, GAME) => Some(Kind::Game),
            (IN_USE, ANALYSIS) => Some(Kind::Analysis),
            (state, GAME) if state == IN_USE | TEXT => Some(Kind::Text),
            _ => None,
        }
    }

    pub(super) fn is_text(&self) -> bool {
        self.described() == Some(Kind::Text)
    }

    /// Whether the fields of games mean something.
    fn has_header(&self) -> bool {
        matches!(self.described(), Some(Kind::Game) | None)
    }

    /// Whether any byte is nonzero.
    pub(super) fn is_written(&self) -> bool {
        self.as_bytes().iter().any(|&byte| byte != 0)
    }

    fn text(&self) -> &TextRecord {
        zerocopy::transmute_ref!(self)
    }

    fn analysis(&self) -> &AnalysisRecord {
        zerocopy::transmute_ref!(self)
    }

    pub(super) fn offset(&self) -> i64 {
        self.offset.get()
    }

    /// Returns the offset of the annotations; `None` for a text.
    pub(super) fn annotations(&self) -> Option<i64> {
        (!self.is_text()).then(|| self.annotations.get())
    }

    /// Returns the number of the tournament; `None` for an analysis.
    pub(super) fn tournament(&self) -> Option<i64> {
        match self.described() {
            Some(Kind::Text) => Some(self.text().tournament.get()),
            Some(Kind::Analysis) => None,
            _ => Some(self.tournament.get()),
        }
    }

    /// Returns the number of the annotator or author, a player.
    #[inline]
    pub(super) fn annotator(&self) -> i64 {
        match self.described() {
            Some(Kind::Text) => self.text().annotator.get(),
            Some(Kind::Analysis) => self.analysis().annotator.get(),
            _ => self.annotator.get(),
        }
    }

    pub(super) fn source(&self) -> i64 {
        match self.described() {
            Some(Kind::Text) => self.text().source.get(),
            Some(Kind::Analysis) => self.analysis().source.get(),
            _ => self.source.get(),
        }
    }

    /// Returns the number of the title, a tag.
    pub(super) fn title(&self) -> i64 {
        match self.described() {
            Some(Kind::Text) => self.text().title.get(),
            Some(Kind::Analysis) => self.analysis().title.get(),
            _ => self.title.get(),
        }
    }

    /// Returns the numbers of the teams, White's first; `None` for none.
    pub(super) fn teams(&self) -> [Option<i64>; 2] {
        let team = |team: I64| Some(team.get()).filter(|&team| team != -1 && self.has_header());
        self.teams.map(team)
    }

    /// Returns the number of the player of a colour; `None` where there are none.
    pub(super) fn player(&self, color: Color) -> Option<i64> {
        let [white, black] = self.players;
        self.has_header().then(|| color.fold_wb(white, black).get())
    }

    /// Returns the rating of a colour; `None` without one.
    pub(super) fn rating_of(&self, color: Color) -> Option<&Rating> {
        let [white, black] = &self.ratings;
        let rating = color.fold_wb(white, black);
        Some(rating).filter(|rating| self.has_header() && rating.value.get() > 0)
    }

    /// Returns the board in a team event; `None` for none.
    pub(super) fn board(&self) -> Option<i16> {
        Some(self.board.get()).filter(|&board| board > 0 && self.has_header())
    }

    /// Returns the NAG that evaluates a line without a result.
    pub(super) fn verdict(&self) -> Option<u8> {
        let is_line = self.result == LINE && self.has_header();
        Some(self.verdict).filter(|&nag| nag > 0 && is_line)
    }

    /// Returns the decoded opening word.
    pub(super) fn opening(&self) -> Opening {
        if self.has_header() {
            Opening::of(self.eco.get())
        } else {
            Opening::None
        }
    }

    /// Returns the contents of the game, see [`content`]. Of an analysis they are not known.
    pub(super) fn content(&self) -> u32 {
        if self.has_header() {
            self.content.get()
        } else {
            0
        }
    }

    /// Whether the record is that of an analysis, which says nothing about its moves.
    fn is_analysis(&self) -> bool {
        self.described() == Some(Kind::Analysis)
    }
}

impl Header for Record {
    const EVIDENCE: Evidence = Evidence {
        home_pawns: false,
        promotions: false,
        starts: true,
        chess960: false,
        counts: false,
        texts: true,
        // A bit tells of videos in the file, not of those beside it.
        contents: !Content::Video.bit(),
    };

    fn offset_bytes(&self) -> u64 {
        self.offset.get().try_into().unwrap_or_default()
    }

    /// The length is stored in the games file, at the start of the game.
    fn length_bytes(&self) -> u32 {
        0
    }

    #[inline]
    fn name(&self, slot: NameSlot) -> NameId {
        let or_unknown = |number: Option<i64>| number.map_or(UNKNOWN, name_id);
        match slot {
            NameSlot::White => or_unknown(self.player(Color::White)),
            NameSlot::Black => or_unknown(self.player(Color::Black)),
            NameSlot::Event | NameSlot::Site => or_unknown(self.tournament()),
            NameSlot::Round if self.has_header() => {
                round_id(self.round.get(), self.sub_round.get())
            }
            NameSlot::Round => UNKNOWN,
        }
    }

    fn rating_value(&self, color: Color) -> u16 {
        let rating = self.rating_of(color);
        rating.map_or(0, |rating| rating.value.get().unsigned_abs().min(4095))
    }

    fn rating_kind(&self, color: Color) -> RatingKind {
        self.rating_of(color).map_or(RatingKind::Elo, Rating::kind)
    }

    fn date(&self) -> PartialDate {
        if self.has_header() {
            date(self.date.get())
        } else {
            PartialDate::UNKNOWN
        }
    }

    /// The tournament's date is stored in the names file.
    fn event_date(&self) -> PartialDate {
        PartialDate::UNKNOWN
    }

    fn eco_code(&self) -> u16 {
        match self.opening() {
            Opening::Eco(eco, _) => eco.code(),
            _ => 0,
        }
    }

    fn result(&self) -> GameResult {
        if self.has_header() {
            older::result(self.result)
        } else {
            GameResult::Unknown
        }
    }

    /// Clocks, squares and arrows read as comments too, and no bit tells of some other kinds. So
    /// does what a text says.
    fn comment_count(&self) -> Extent {
        Extent::UNKNOWN
    }

    fn variation_count(&self) -> Extent {
        match self.content() & content::VARIATIONS {
            _ if self.is_analysis() => Extent::UNKNOWN,
            0 => Extent::exactly(0),
            _ => Extent {
                at_least: 1,
                at_most: u32::MAX,
            },
        }
    }

    fn nag_count(&self) -> Extent {
        if self.is_analysis() || self.content() & content::SYMBOLS != 0 {
            Extent::UNKNOWN
        } else {
            Extent::exactly(0)
        }
    }

    fn flags(&self) -> u32 {
        let mut flags = 0;
        if self.content() & (content::CUSTOM_START | content::UNORTHODOX) != 0 {
            flags |= flag::CUSTOM_START;
        }
        if self.content() & content::UNORTHODOX != 0 {
            flags |= flag::CHESS960;
        }
        if self.is_analysis() {
            flags |= flag::UNREAD;
        }
        if self.state & DELETED != 0 {
            flags |= flag::DELETED;
        }
        flags
    }

    fn medals(&self) -> u16 {
        if self.has_header() {
            self.medals.get()
        } else {
            0
        }
    }

    fn contents(&self) -> u32 {
        self.content()
    }

    fn plies(&self) -> Extent {
        let moves = u32::try_from(self.moves.get()).unwrap_or_default();
        match moves {
            _ if self.is_text() => Extent::exactly(0),
            _ if !self.has_header() => Extent::UNKNOWN,
            // Other programs may leave the field empty.
            0 => Extent::UNKNOWN,
            // If Black moved first, the first move is a single ply.
            _ => Extent {
                at_least: 2 * moves - 1 - u32::from(self.is_custom_start()),
                at_most: if moves == i16::MAX as u32 {
                    u32::MAX
                } else {
                    2 * moves
                },
            },
        }
    }

    fn final_material(&self) -> FinalMaterial {
        FinalMaterial::NONE
    }

    fn told_material(&self) -> Option<FinalMaterial> {
        None
    }

    fn home_pawns(&self) -> HomePawns {
        HomePawns::from_packed(0, 0)
    }

    fn stored_line(&self) -> u8 {
        0
    }

    fn is_game(&self) -> bool {
        !self.is_text()
    }
}

/// Decodes a date: bits 9 to 20 year, 5 to 8 month, 0 to 4 day; each 0 when unknown.
pub(super) fn date(packed: i32) -> PartialDate {
    u32::try_from(packed).map_or(PartialDate::UNKNOWN, older::date)
}
