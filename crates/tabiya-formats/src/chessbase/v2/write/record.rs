//! The `.2cbh` record of a game, before the numbers of its names and its offsets are known.

use shakmaty::Color;
use tabiya_chess::{Counts, Medal, RatingKind};
use zerocopy::{FromZeros, IntoBytes};

use crate::{
    chessbase::common::{
        record::FIRST_CHESS960,
        write::{
            names::fitting,
            record::{NO_RESULT, material, medals, opening, result, subdivided},
        },
    },
    chessbase::v2::record::{
        DELETED, ENGLAND, GAME, GERMANY, IN_USE, ROUND_MAX, Rating as Stored, Record, TEXT,
        TextRecord, USA,
    },
    game::{GameHeader, Rating},
    header::flag,
    loss::{GameLosses, Loss},
};

/// A field for the number of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    White,
    Black,
    Tournament,
    Annotator,
    Source,
    WhiteTeam,
    BlackTeam,
    Title,
}

/// Kinds of ratings, in bits 0 to 2.
const INTERNATIONAL: i16 = 1;
const NATIONAL: i16 = 2;
const OF_SERVER: i16 = 3;
/// Time classes by their numbers, and by their names in tags.
const CLASSES: [&str; 5] = ["", "bullet", "blitz", "rapid", "correspondence"];
const RAPID: i16 = 3;
const CORRESPONDENCE: i16 = 4;
/// What stands for a nation in ratings of most servers.
const NET: i16 = 196;
const ANY_NATIONAL: i16 = 100;

/// The lists that are known: kind, time class, name, number, nation.
const LISTS: [(i16, i16, &str, i16, i16); 8] = [
    (INTERNATIONAL, 0, "FIDE", 1, 0),
    (INTERNATIONAL, 2, "FIDE", 2, 0),
    (INTERNATIONAL, RAPID, "FIDE", 3, 0),
    (INTERNATIONAL, CORRESPONDENCE, "ICCF", 4, 0),
    (OF_SERVER, 1, "CB", 6, NET),
    (OF_SERVER, 1, "chess.co", 10, 0),
    (OF_SERVER, 2, "LiChess", 16, NET),
    (OF_SERVER, RAPID, "LiChess", 17, NET),
];

/// A record being built.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draft(Record);

impl Draft {
    /// Creates a record from a header, without names.
    pub(super) fn new(header: &GameHeader, losses: &mut GameLosses) -> Draft {
        let mut record = Record::new_zeroed();
        let is_deleted = header.marks & flag::DELETED != 0;
        record.state = IN_USE | if is_deleted { DELETED } else { 0 };
        record.kind = GAME;
        record.kept_state = IN_USE;
        record.teams.iter_mut().for_each(|team| team.set(-1));
        record.result = result(header.result);
        let [round, sub_round] = round(&header.round, losses);
        record.round.set(round);
        record.sub_round.set(sub_round);
        record.ratings = [header.white_rating, header.black_rating].map(rating);
        record.eco.set(opening(header, losses));
        record.medals.set(medals(header.marks, losses));
        record.version.set(1);
        record
            .date
            .set(fitting(header.date, losses).packed() as i32);
        Draft(record)
    }

    /// Stores a tag that has a field in the record. Returns whether it was stored.
    pub(super) fn tag(&mut self, name: &str, value: &str) -> bool {
        let record = &mut self.0;
        match name {
            "ECOSub" => subdivided(record.eco.get(), value).map(|word| record.eco.set(word)),
            "LineEvaluation" => {
                let nag = value
                    .strip_prefix('$')
                    .and_then(|nag| nag.parse::<u8>().ok());
                let nag = nag.filter(|&nag| nag > 0 && record.result == NO_RESULT);
                nag.map(|nag| record.verdict = nag)
            }
            "Medals" => Medal::set(value).map(|medals| {
                record.medals.set(record.medals.get() | medals);
            }),
            "Board" => {
                let board = value.parse::<i16>().ok();
                let board = board.filter(|board| *board > 0 && board.to_string() == value);
                board.map(|board| record.board.set(board))
            }
            "WhiteRatingList" => enlist(&mut record.ratings[0], value),
            "BlackRatingList" => enlist(&mut record.ratings[1], value),
            _ => None,
        }
        .is_some()
    }

    /// Sets the number of the start position of Chess960, which replaces the opening code.
    pub(super) fn set_chess960_start(&mut self, number: u16, losses: &mut GameLosses) {
        if self.0.eco.get() != 0 {
            losses.add(Loss::OpeningCodesDropped);
        }
        self.0.eco.set(FIRST_CHESS960 + number);
    }

    /// Sets how many numbers of moves the main line touches.
    pub(super) fn set_plies(&mut self, plies: u32, black_begins: bool) {
        let moves = match plies {
            0 => 0,
            plies => (plies + u32::from(black_begins)).div_ceil(2),
        };
        self.0.moves.set(i16::try_from(moves).unwrap_or(i16::MAX));
    }

    /// Sets the content flags and magnitudes.
    pub(super) fn set_content(&mut self, bits: u32, magnitudes: u16) {
        self.0.content.set(bits);
        self.0.magnitudes.set(magnitudes);
    }

    /// Sets the final material, that of the side with more of it first.
    pub(super) fn set_material(&mut self, counts: Counts) {
        let sides = [Color::White, Color::Black].map(|color| material(counts, color));
        let [greater, lesser] = &mut self.0.material;
        greater.set(sides[0].max(sides[1]));
        lesser.set(sides[0].min(sides[1]));
    }

    /// Sets the offsets of the game and its annotations, which a text does not have.
    pub(super) fn set_offsets(&mut self, game: u64, annotations: u64) {
        self.0.offset.set(game as i64);
        if !self.0.is_text() {
            self.0.annotations.set(annotations as i64);
        }
    }

    /// Makes it the record of a text, without names.
    pub(super) fn make_text(&mut self) {
        let mut text = Record::new_zeroed();
        text.state = self.0.state | TEXT;
        text.kind = GAME;
        text.kept_state = IN_USE | TEXT;
        let fields: &mut TextRecord = zerocopy::transmute_mut!(&mut text);
        fields.version.set(1);
        self.0 = text;
    }

    /// Sets the number of a name. Texts have a field for few of them.
    pub(super) fn set_name(&mut self, field: Field, number: u32) {
        let record = &mut self.0;
        if record.is_text() {
            let text: &mut TextRecord = zerocopy::transmute_mut!(record);
            let place = match field {
                Field::Tournament => &mut text.tournament,
                Field::Annotator => &mut text.annotator,
                Field::Source => &mut text.source,
                Field::Title => &mut text.title,
                _ => return,
            };
            return place.set(number.into());
        }
        let place = match field {
            Field::White => &mut record.players[0],
            Field::Black => &mut record.players[1],
            Field::Tournament => &mut record.tournament,
            Field::Annotator => &mut record.annotator,
            Field::Source => &mut record.source,
            Field::WhiteTeam => &mut record.teams[0],
            Field::BlackTeam => &mut record.teams[1],
            Field::Title => &mut record.title,
        };
        place.set(number.into());
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Parses a round as two numbers, 0 for none: "7", "7.2". A round with one inside it has less room.
/// What follows the second number is lost.
fn round(text: &str, losses: &mut GameLosses) -> [i16; 2] {
    if matches!(text, "" | "?") {
        return [0; 2];
    }
    let mut parts = text.split('.');
    let mut number = || parts.next()?.parse::<i16>().ok();
    let mut number = || number().unwrap_or(0).max(0);
    let numbers = match [number(), number()] {
        [round, sub] if sub > ROUND_MAX || (sub > 0 && round > ROUND_MAX) => [round, 0],
        numbers => numbers,
    };
    let told = match numbers {
        [round, 0] => round.to_string(),
        [round, sub] => format!("{round}.{sub}"),
    };
    if told != text || numbers == [0; 2] {
        losses.add(Loss::RoundsReducedToFit);
    }
    numbers
}

fn rating(rating: Option<Rating>) -> Stored {
    let mut stored = Stored::new_zeroed();
    let Some(Rating { value, kind }) = rating else {
        return stored;
    };
    stored.value.set(value.get() as i16);
    let (kind, class, nation, name) = match kind {
        RatingKind::Rapid => (INTERNATIONAL, RAPID, 0, "FIDE"),
        RatingKind::Iccf => (INTERNATIONAL, CORRESPONDENCE, 0, "ICCF"),
        RatingKind::Dwz => (NATIONAL, 0, GERMANY, ""),
        RatingKind::Ecf => (NATIONAL, 0, ENGLAND, ""),
        RatingKind::Uscf => (NATIONAL, 0, USA, ""),
        RatingKind::Rating => (NATIONAL, 0, 0, ""),
        RatingKind::Elo => (INTERNATIONAL, 0, 0, "FIDE"),
    };
    stored.nation.set(nation);
    set_list(&mut stored, kind, class, name);
    stored
}

/// Sets the kind, the time class and the name of a rating's list, and what else is known of it.
fn set_list(rating: &mut Stored, kind: i16, class: i16, name: &str) {
    rating.kind.set(kind | class << 3);
    let known = LISTS
        .iter()
        .find(|list| (list.0, list.1, list.2) == (kind, class, name));
    match known {
        Some(&(.., list, nation)) => {
            rating.list.set(list);
            rating.nation.set(nation);
        }
        None => rating
            .list
            .set(if kind == NATIONAL { ANY_NATIONAL } else { 0 }),
    }
    rating.name = [0; 8];
    let bytes = rating.name.iter_mut().zip(name.bytes());
    bytes.for_each(|(place, byte)| *place = byte);
}

/// Stores the list and the time class of a rating, `LiChess blitz`, if they are read as that again
/// and the system of the rating stays the same.
fn enlist(rating: &mut Stored, value: &str) -> Option<()> {
    let system = rating.kind();
    let (name, class) = match value.rsplit_once(' ').unwrap_or(("", value)) {
        (name, class) if CLASSES[1..].contains(&class) => (name, class),
        _ => (value, ""),
    };
    let class = CLASSES.iter().position(|known| *known == class)? as i16;
    let kind = match rating.kind.get() & 7 {
        NATIONAL if rating.nation.get() == 0 && !name.is_empty() => OF_SERVER,
        kind => kind,
    };
    let mut enlisted = *rating;
    set_list(&mut enlisted, kind, class, name);
    let is_so = rating.value.get() > 0
        && enlisted.kind() == system
        && enlisted.list().as_deref() == Some(value);
    is_so.then(|| *rating = enlisted)
}
