//! The meaning of a game's columns.

use memchr::memmem;
use tabiya_chess::{Eco, Elo, GameResult, PartialDate, RatingKind, text::decode, variant::Variant};

use crate::{GameHeader, NameSlot, Rating, encoding::Charset, error::Result, header::flag};

use super::{
    names::Names,
    tables::{Row, Table},
};

/// The numbers of the columns of `Game`, or of the first half of `IO_Game`.
#[derive(Debug)]
pub(super) struct HeadColumns {
    pub(super) id: Option<usize>,
    collection: usize,
    attributes: usize,
    /// Half-moves of the main line.
    pub(super) plies: Option<usize>,
    result: usize,
    white: usize,
    black: usize,
    white_elo: usize,
    black_elo: usize,
    event: usize,
    site: usize,
    date: usize,
    event_date: usize,
    date_flags: usize,
    eco: usize,
    annotator: usize,
}

/// The numbers of the columns of `MoreGame`, or of the second half of `IO_Game`.
#[derive(Debug)]
pub(super) struct MoreColumns {
    pub(super) id: Option<usize>,
    white_title: usize,
    black_title: usize,
    round: usize,
    board: usize,
    fen: usize,
    info: usize,
    bin: usize,
    comments: usize,
}

/// The collection of deleted games.
const TRASH: u32 = 3;
/// The attribute bit for Chess960.
const CHESS960: u32 = 8;

impl HeadColumns {
    pub(super) fn of(table: &Table) -> Result<HeadColumns> {
        let column = |name| table.required(name);
        Ok(HeadColumns {
            id: table.column("Id"),
            collection: column("CId")?,
            attributes: column("Attributes")?,
            plies: table.column("PlyCount"),
            result: column("Result")?,
            white: column("WhiteId")?,
            black: column("BlackId")?,
            white_elo: column("WhiteELO")?,
            black_elo: column("BlackELO")?,
            event: column("EventId")?,
            site: column("SiteId")?,
            date: column("GameDate")?,
            event_date: column("EventDate")?,
            date_flags: column("DateFlags")?,
            eco: column("ECO")?,
            annotator: column("AnnotatorId")?,
        })
    }

    /// Returns the header of a game; `round` comes from the other half.
    pub(super) fn header(&self, row: &Row<'_>, round: String, names: &Names) -> GameHeader {
        let flags = row.number(self.date_flags);
        let eco = row.value(self.eco).unwrap_or_default();
        let in_trash = row.number(self.collection) == TRASH;
        GameHeader {
            event: names.events.get(row.number(self.event)),
            site: names.sites.get(row.number(self.site)),
            date: date(row.value(self.date), flags),
            round,
            white: names.players.get(row.number(self.white)),
            black: names.players.get(row.number(self.black)),
            result: result(row.value(self.result)),
            white_rating: rating(row.number(self.white_elo)),
            black_rating: rating(row.number(self.black_elo)),
            eco: decode(eco).trim().parse::<Eco>().ok(),
            event_date: date(row.value(self.event_date), flags >> 8),
            marks: if in_trash { flag::DELETED } else { 0 },
        }
    }

    /// Whether the row refers to a missing name.
    pub(super) fn lacks_name(&self, row: &Row<'_>, slot: NameSlot, names: &Names) -> bool {
        let (table, column) = match slot {
            NameSlot::White => (&names.players, self.white),
            NameSlot::Black => (&names.players, self.black),
            NameSlot::Event => (&names.events, self.event),
            NameSlot::Site => (&names.sites, self.site),
            NameSlot::Round => return false,
        };
        table.lacks(row.number(column))
    }

    /// Calls `tell` with the tags of a game's first half that are not in its header, until it
    /// returns true; returns its last result.
    pub(super) fn tags(
        &self,
        row: &Row<'_>,
        names: &Names,
        tell: &mut dyn FnMut(&str, &str) -> bool,
    ) -> bool {
        let annotator = row.number(self.annotator);
        annotator != 0 && tell("Annotator", &names.players.get(annotator))
            || row.number(self.attributes) & CHESS960 != 0 && tell("Variant", "Chess960")
    }
}

impl MoreColumns {
    pub(super) fn of(table: &Table) -> Result<MoreColumns> {
        let column = |name| table.required(name);
        Ok(MoreColumns {
            id: table.column("GId"),
            white_title: column("WhiteTitle")?,
            black_title: column("BlackTitle")?,
            round: column("Round")?,
            board: column("Board")?,
            fen: column("FEN")?,
            info: column("Info")?,
            bin: column("Bin")?,
            comments: column("Comments")?,
        })
    }

    pub(super) fn round(&self, row: &Row<'_>, charset: Charset) -> String {
        let round = row.value(self.round).filter(|round| !round.is_empty());
        round.map_or_else(
            || "?".to_owned(),
            |round| charset.decode(round).into_owned(),
        )
    }

    /// Returns the start position as FEN; `None` for the standard one.
    pub(super) fn fen<'r>(&self, row: &'r Row<'_>) -> Option<&'r [u8]> {
        row.value(self.fen)
            .map(<[u8]>::trim_ascii)
            .filter(|fen| !fen.is_empty())
    }

    pub(super) fn bin<'r>(&self, row: &'r Row<'_>) -> &'r [u8] {
        row.value(self.bin).unwrap_or_default()
    }

    pub(super) fn comments<'r>(&self, row: &'r Row<'_>) -> &'r [u8] {
        row.value(self.comments).unwrap_or_default()
    }

    /// Calls `tell` with the tags of a game's second half until it returns true; returns its last
    /// result. `Info` is a list: `name=value;name=value`.
    pub(super) fn tags(
        &self,
        row: &Row<'_>,
        charset: Charset,
        tell: &mut dyn FnMut(&str, &str) -> bool,
    ) -> bool {
        let columns = [
            ("WhiteTitle", self.white_title),
            ("BlackTitle", self.black_title),
            ("Board", self.board),
        ];
        for (name, column) in columns {
            let value = row.value(column).filter(|value| !value.is_empty());
            if value.is_some_and(|value| tell(name, &charset.decode(value))) {
                return true;
            }
        }
        let info = charset.decode(row.value(self.info).unwrap_or_default());
        // The attributes state Chess960.
        let is_told = |(name, value): &(&str, &str)| {
            !name.is_empty() && (*name != VARIANT || Variant::of_tag(value) == Variant::Other)
        };
        pairs(&info)
            .filter(is_told)
            .any(|(name, value)| tell(name, value))
    }

    /// Whether a game is of a variant that is not supported.
    pub(super) fn is_other_variant(&self, row: &Row<'_>) -> bool {
        let info = row.value(self.info).unwrap_or_default();
        memmem::find(info, VARIANT.as_bytes()).is_some()
            && pairs(&decode(info))
                .any(|(name, value)| name == VARIANT && Variant::of_tag(value) == Variant::Other)
    }
}

const VARIANT: &str = "Variant";

/// Iterates over the tags in a text of the form `name=value;name=value`.
fn pairs(info: &str) -> impl Iterator<Item = (&str, &str)> {
    info.split(';').filter_map(|pair| pair.split_once('='))
}

/// Decodes a date: three bytes, little-endian, day in bits 4 to 0, month in 8 to 5, year above. The
/// flags mark unknown parts.
fn date(bytes: Option<&[u8]>, flags: u32) -> PartialDate {
    let Some(&[low, middle, high]) = bytes else {
        return PartialDate::UNKNOWN;
    };
    let bits = u32::from_le_bytes([low, middle, high, 0]);
    let known = |bit: u32, value: u32| if flags & bit == 0 { value } else { 0 };
    PartialDate::new(
        known(0x40, bits >> 9) as u16,
        known(0x20, bits >> 5 & 15) as u8,
        known(0x10, bits & 31) as u8,
    )
}

fn result(bytes: Option<&[u8]>) -> GameResult {
    match bytes {
        Some([2, ..]) => GameResult::WhiteWins,
        Some([1, ..]) => GameResult::Draw,
        // A 0 may be left out.
        Some([] | [0, ..]) => GameResult::BlackWins,
        _ => GameResult::Unknown,
    }
}

fn rating(number: u32) -> Option<Rating> {
    /// The largest value that a rating can hold.
    const RATING_MAX: u32 = 4095;
    let value = u16::try_from(number).ok().filter(|_| number <= RATING_MAX);
    value.and_then(Elo::new).map(|value| Rating {
        value,
        kind: RatingKind::Elo,
    })
}
