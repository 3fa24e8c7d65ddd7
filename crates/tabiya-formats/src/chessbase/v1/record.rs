//! The records of a `.cbh` file, byte for byte.
//!
//! All integers are big-endian; "bit 0" is the lowest. A record describes a game or a text (a
//! report, a title page) among the games. Texts have the same first two fields; the later fields
//! differ.
//!
//! One file because it is one table: the fields of a record, and what each means.

use shakmaty::Color;
use tabiya_chess::{FinalMaterial, GameResult, HomePawns, NameId, PartialDate, RatingKind};
use zerocopy::{
    ByteHash, FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
    byteorder::big_endian::{U16, U32},
};

use crate::chessbase::common::{
    content,
    record::{Opening, date, result},
};
use crate::header::{Evidence, Extent, Header, NameSlot, flag};

/// One entry of a `.cbh` file, 46 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, ByteHash, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Record {
    /// Offset 0: bit 0 in use, bit 1 a text, bit 7 deleted.
    pub(super) kind: u8,
    /// Offset 1: low 32 bits of the byte offset of the game or text in `.cbg`.
    pub(super) offset: U32,
    /// Offset 5: low 32 bits of the byte offset of its annotations in `.cba`, 0 for none.
    pub(super) annotations: U32,
    /// Offset 9: White's number in `.cbp`.
    pub(super) white: Id,
    /// Offset 12: Black's number in `.cbp`.
    pub(super) black: Id,
    /// Offset 15: number in `.cbt`.
    pub(super) tournament: Id,
    /// Offset 18: number in `.cbc`.
    pub(super) annotator: Id,
    /// Offset 21: number in `.cbs`.
    pub(super) source: Id,
    /// Offset 24: bits 9 to 20 year, 5 to 8 month, 0 to 4 day; each 0 when unknown.
    pub(super) date: Id,
    /// Offset 27: 0 Black won, 1 draw, 2 White won, 3 a line without a result, 4 to 6 like 0 to
    /// 2 without play, 7 both lost.
    pub(super) result: u8,
    /// Offset 28: NAG that evaluates a line without a result.
    pub(super) verdict: u8,
    /// Offset 29: round, 0 for none.
    pub(super) round: u8,
    /// Offset 30: round within the round, 0 for none.
    pub(super) sub_round: u8,
    /// Offset 31: White's Elo rating, 0 for none.
    pub(super) white_elo: U16,
    /// Offset 33: Black's.
    pub(super) black_elo: U16,
    /// Offset 35: opening, see [`Record::opening`].
    pub(super) eco: U16,
    /// Offset 37: medals, see [`Record::medals`].
    pub(super) medals: U16,
    /// Offset 39: contents of the game, see [`content`].
    pub(super) content: U32,
    /// Offset 43: bits 0 and 1 class of the number of half-moves inside variations: up to 50, 300,
    /// 1000, any.
    pub(super) magnitudes: U16,
    /// Offset 45: full moves of the main line as on a score sheet, 255 for 255 or more.
    pub(super) moves: u8,
}

/// A 24-bit number.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(transparent)]
pub(crate) struct Id([u8; 3]);

impl Id {
    /// Creates an ID from the low 24 bits of a number.
    pub(super) fn new(number: u32) -> Id {
        let [_, high, middle, low] = number.to_be_bytes();
        Id([high, middle, low])
    }

    pub(super) fn get(self) -> u32 {
        let [high, middle, low] = self.0;
        u32::from_be_bytes([0, high, middle, low])
    }
}

/// The same entry for a text.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct TextRecord {
    /// Offset 0: kind and `.cbg` offset, as in games.
    head: [u8; 5],
    /// Offset 5: unused.
    unused: [u8; 2],
    /// Offset 7: number in `.cbt`.
    tournament: Id,
    /// Offset 10: number in `.cbs`.
    source: Id,
    /// Offset 13: number of the author in `.cbc`.
    annotator: Id,
    /// Offset 16: round, 0 for none.
    round: u8,
    /// Offset 17: round within the round, 0 for none.
    sub_round: u8,
    /// Offset 18: media in the text; otherwise unused.
    rest: [u8; 28],
}

const _: () = assert!(size_of::<Record>() == 46);
const _: () = assert!(size_of::<TextRecord>() == 46);

pub(super) const IN_USE: u8 = 1;

/// Returns the name of a round, which may have a round within it; 0 is none.
pub(super) fn round_name(round: u8, sub_round: u8) -> String {
    match (round, sub_round) {
        (0, 0) => "?".to_owned(),
        (round, 0) => round.to_string(),
        (round, sub_round) => format!("{round}.{sub_round}"),
    }
}

const TEXT: u8 = 1 << 1;
pub(super) const DELETED: u8 = 1 << 7;

/// A name ID that is never used, returned for the players of a text.
const NOBODY: NameId = NameId(u32::MAX);
impl Record {
    /// Whether the record is a text.
    pub(super) fn is_text(&self) -> bool {
        self.kind & TEXT != 0
    }

    /// Whether the record is in use; all-zero records may follow the last one.
    pub(super) fn is_in_use(&self) -> bool {
        self.kind & IN_USE != 0
    }

    /// Whether any byte is nonzero.
    pub(super) fn is_written(&self) -> bool {
        self.as_bytes().iter().any(|&byte| byte != 0)
    }

    /// Returns the record as a text's.
    fn text(&self) -> &TextRecord {
        zerocopy::transmute_ref!(self)
    }

    /// Returns the tournament's number in `.cbt`.
    pub(super) fn tournament(&self) -> NameId {
        NameId(if self.is_text() {
            self.text().tournament.get()
        } else {
            self.tournament.get()
        })
    }

    /// Returns the annotator's number in `.cbc`.
    pub(super) fn annotator(&self) -> NameId {
        NameId(if self.is_text() {
            self.text().annotator.get()
        } else {
            self.annotator.get()
        })
    }

    /// Returns the source's number in `.cbs`.
    pub(super) fn source(&self) -> NameId {
        NameId(if self.is_text() {
            self.text().source.get()
        } else {
            self.source.get()
        })
    }

    /// Returns round × 256 + round within the round.
    pub(super) fn round(&self) -> u16 {
        let text = self.text();
        u16::from_be_bytes(if self.is_text() {
            [text.round, text.sub_round]
        } else {
            [self.round, self.sub_round]
        })
    }

    /// Returns the NAG that evaluates a line without a result.
    pub(super) fn verdict(&self) -> Option<u8> {
        const LINE: u8 = 3;
        Some(self.verdict).filter(|&nag| nag > 0 && self.result == LINE && !self.is_text())
    }

    /// Returns the decoded opening word.
    pub(crate) fn opening(&self) -> Opening {
        if self.is_text() {
            Opening::None
        } else {
            Opening::of(self.eco.get())
        }
    }

    /// Returns the game's medals, bit 0 upwards: best game, decided a tournament, model game,
    /// novelty, pawn structure, strategy, tactics, attack, defence, sacrifice, material, piece
    /// play, endgame, tactical blunder, strategic blunder, user.
    #[must_use]
    pub(crate) fn medals(&self) -> u16 {
        if self.is_text() { 0 } else { self.medals.get() }
    }

    /// Returns the contents of the game, see [`content`].
    #[must_use]
    pub(crate) fn content(&self) -> u32 {
        if self.is_text() {
            0
        } else {
            self.content.get()
        }
    }

    /// Whether the game has no annotations of any kind.
    fn is_bare(&self) -> bool {
        !self.is_text() && self.annotations.get() == 0
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
        contents: u32::MAX,
    };

    fn offset_bytes(&self) -> u64 {
        self.offset.get().into()
    }

    /// The length is stored in the games file, at the start of the game.
    fn length_bytes(&self) -> u32 {
        0
    }

    fn name(&self, slot: NameSlot) -> NameId {
        match slot {
            NameSlot::White | NameSlot::Black if self.is_text() => NOBODY,
            NameSlot::White => NameId(self.white.get()),
            NameSlot::Black => NameId(self.black.get()),
            NameSlot::Event | NameSlot::Site => self.tournament(),
            NameSlot::Round => NameId(self.round().into()),
        }
    }

    fn rating_value(&self, color: Color) -> u16 {
        if self.is_text() {
            0
        } else {
            color.fold_wb(self.white_elo, self.black_elo).get()
        }
    }

    fn rating_kind(&self, _: Color) -> RatingKind {
        RatingKind::Elo
    }

    fn date(&self) -> PartialDate {
        if self.is_text() {
            PartialDate::UNKNOWN
        } else {
            date(self.date.get())
        }
    }

    /// The tournament's date is stored in the tournament file.
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
        if self.is_text() {
            GameResult::Unknown
        } else {
            result(self.result)
        }
    }

    fn comment_count(&self) -> Extent {
        // Clocks, squares and arrows read as comments too. And the annotations file may be missing,
        // so that there are no comments whatever the record states.
        if self.is_bare() {
            Extent::exactly(0)
        } else {
            Extent::UNKNOWN
        }
    }

    fn variation_count(&self) -> Extent {
        match self.content() & content::VARIATIONS {
            0 => Extent::exactly(0),
            _ => Extent {
                at_least: 1,
                at_most: u32::MAX,
            },
        }
    }

    fn nag_count(&self) -> Extent {
        if self.is_bare() || self.content() & content::SYMBOLS == 0 {
            Extent::exactly(0)
        } else {
            Extent::UNKNOWN
        }
    }

    fn flags(&self) -> u32 {
        let own_start = content::CUSTOM_START | content::UNORTHODOX;
        let mut flags = 0;
        if self.content() & own_start != 0 {
            flags |= flag::CUSTOM_START;
        }
        if self.content() & content::UNORTHODOX != 0 {
            flags |= flag::CHESS960;
        }
        if self.kind & DELETED != 0 {
            flags |= flag::DELETED;
        }
        flags
    }

    fn medals(&self) -> u16 {
        Record::medals(self)
    }

    fn contents(&self) -> u32 {
        self.content()
    }

    fn plies(&self) -> Extent {
        let moves = u32::from(self.moves);
        match self.moves {
            _ if self.is_text() => Extent::exactly(0),
            // Old programs left the field empty.
            0 => Extent::UNKNOWN,
            // If Black moved first, the first move is a single ply.
            _ => Extent {
                at_least: 2 * moves - 1 - u32::from(self.is_custom_start()),
                at_most: if self.moves == u8::MAX {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn record(bytes: &[u8]) -> Record {
        let mut all = [0; 46];
        all[..bytes.len()].copy_from_slice(bytes);
        Record::read_from_bytes(&all).unwrap()
    }

    /// A game with a distinct value in every field.
    fn sample() -> Record {
        let mut bytes = vec![0x81, 0, 1, 2, 3, 0, 0, 0, 9];
        bytes.extend([0, 1, 5, 2, 0, 6, 0, 0, 7, 0, 0, 8, 0, 0, 9]);
        bytes.extend(&(1999_u32 << 9 | 12 << 5 | 31).to_be_bytes()[1..]);
        bytes.extend([5, 0, 3, 2, 0x0a, 0x5c, 0, 0]);
        bytes.extend((191_u16 * 128 + 7).to_be_bytes());
        bytes.extend([2, 0, 0, 0, 0, 6, 0, 1, 40]);
        record(&bytes)
    }

    #[test]
    fn every_field_reads_from_its_place() {
        let record = sample();
        assert_eq!(record.offset_bytes(), 0x1_0203);
        assert_eq!(record.flags(), flag::DELETED);
        assert_eq!(record.name(NameSlot::White), NameId(0x105));
        assert_eq!(record.name(NameSlot::Black), NameId(0x2_0006));
        assert_eq!(record.name(NameSlot::Event), NameId(7));
        assert_eq!(record.name(NameSlot::Site), NameId(7));
        assert_eq!(
            (record.annotator(), record.source()),
            (NameId(8), NameId(9))
        );
        assert_eq!(record.date().to_string(), "1999.12.31");
        assert_eq!(record.result(), GameResult::Draw);
        assert_eq!(record.name(NameSlot::Round), NameId(3 << 8 | 2));
        assert_eq!(record.rating(Color::White).unwrap().get(), 2652);
        assert_eq!(record.rating(Color::Black), None);
        assert_eq!(record.opening().subdivision().unwrap(), "B90/07");
        assert_eq!(record.eco().unwrap().to_string(), "B90");
        assert_eq!((record.medals(), record.content()), (1 << 9, 6));
        assert_eq!((record.plies().at_least, record.plies().at_most), (79, 80));
        assert_eq!(record.variation_count().at_least, 1);
        assert_eq!(record.nag_count().exact(), Some(0));
        assert_eq!(record.comment_count(), Extent::UNKNOWN);
    }

    #[test]
    fn a_text_is_not_read_as_a_game() {
        let mut bytes = [0xff; 46];
        bytes[0] = 0x03;
        bytes[5..18].copy_from_slice(&[0, 0, 0, 0, 7, 0, 0, 8, 0, 0, 9, 3, 2]);
        let text = record(&bytes);
        assert!(!text.is_game());
        assert_eq!(text.name(NameSlot::White), NOBODY);
        assert_eq!(text.name(NameSlot::Event), NameId(7));
        assert_eq!((text.source(), text.annotator()), (NameId(8), NameId(9)));
        assert_eq!(text.name(NameSlot::Round), NameId(3 << 8 | 2));
        assert_eq!(text.date(), PartialDate::UNKNOWN);
        assert_eq!((text.eco(), text.rating(Color::White)), (None, None));
        assert_eq!((text.medals(), text.flags()), (0, 0));
    }

    #[test]
    fn openings_are_codes_subdivisions_or_start_positions() {
        let opening = |word: u16| {
            let mut record = sample();
            record.eco = U16::new(word);
            record.opening()
        };
        let eco = |code: &str, sub| Opening::Eco(code.parse().unwrap(), sub);
        assert_eq!(opening(0), Opening::None);
        assert_eq!(opening(127), Opening::None);
        assert_eq!(opening(128), eco("A00", 0));
        assert_eq!(opening(500 * 128 + 99), eco("E99", 99));
        assert_eq!(opening(501 * 128), Opening::None);
        assert_eq!(opening(64_576 + 518), Opening::Chess960(518));
    }

    #[test]
    fn the_number_of_moves_bounds_half_moves() {
        let plies = |moves, content: u32| {
            let mut record = sample();
            record.moves = moves;
            record.content = U32::new(content);
            (record.plies().at_least, record.plies().at_most)
        };
        assert_eq!(plies(0, 0), (0, u32::MAX));
        assert_eq!(plies(1, 0), (1, 2));
        assert_eq!(plies(1, content::CUSTOM_START), (0, 2));
        assert_eq!(plies(255, 0), (509, u32::MAX));
    }
}
