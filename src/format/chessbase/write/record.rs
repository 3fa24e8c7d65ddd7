//! The record of a game in `.cbh`, before its names have numbers and its bytes have places.

use super::{
    loss::{GameLosses, Loss},
    moves::Plies,
    names::fitting,
};
use crate::{
    chess::{Eco, GameResult, RatingKind},
    format::{
        game::{GameHeader, Rating},
        header::flag,
    },
};

/// Bytes of a record.
pub(super) const RECORD_BYTES: usize = 46;

/// In Scid a basic code has 131 codes with its refinements, numbered from 1.
const SCID_SUBCODES: u16 = 131;
/// In ChessBase it has 128, of which the first basic code's begin at 128.
const SUBCODES: u16 = 128;
/// Opening codes from here on are numbers of start positions of Chess960.
const CHESS960_OPENINGS: u16 = 64_576;

/// Offsets of fields.
mod at {
    pub(super) const KIND: usize = 0;
    pub(super) const GAME: usize = 1;
    pub(super) const ANNOTATIONS: usize = 5;
    pub(super) const NAMES: usize = 9;
    pub(super) const DATE: usize = 24;
    pub(super) const RESULT: usize = 27;
    pub(super) const VERDICT: usize = 28;
    pub(super) const ROUND: usize = 29;
    pub(super) const RATINGS: [usize; 2] = [31, 33];
    pub(super) const OPENING: usize = 35;
    pub(super) const MEDALS: usize = 37;
    pub(super) const CONTENT: usize = 39;
    pub(super) const MAGNITUDES: usize = 43;
    pub(super) const MOVE_COUNT: usize = 45;
}

/// Bits of a record's first byte.
const IN_USE: u8 = 1;
const DELETED: u8 = 128;
/// The result of a game without one.
const NO_RESULT: u8 = 3;

/// Which of Scid's marks, by letter, is which medal: brilliancy the best game, blunder the
/// tactical one; novelty, pawn structure, tactics, endgame and user's mark are both. The
/// others are no medals.
const MEDALS: [(u8, u16); 7] = [
    (b'!', 1 << 0),
    (b'N', 1 << 3),
    (b'P', 1 << 4),
    (b'T', 1 << 6),
    (b'E', 1 << 12),
    (b'?', 1 << 13),
    (b'U', 1 << 15),
];

/// A record in the making.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    bytes: [u8; RECORD_BYTES],
}

impl Record {
    /// Takes what a header says but the names.
    pub(super) fn new(header: &GameHeader, losses: &mut GameLosses) -> Record {
        let mut record = Record {
            bytes: [0; RECORD_BYTES],
        };
        let is_deleted = header.marks & flag::DELETED != 0;
        record.bytes[at::KIND] = IN_USE | if is_deleted { DELETED } else { 0 };
        let date = fitting(header.date, losses).packed();
        record.put(at::DATE, &date.to_be_bytes()[1..]);
        record.bytes[at::RESULT] = match header.result {
            GameResult::BlackWins => 0,
            GameResult::Draw => 1,
            GameResult::WhiteWins => 2,
            GameResult::Unknown => NO_RESULT,
        };
        record.put(at::ROUND, &round(&header.round, losses));
        let ratings = [header.white_rating, header.black_rating];
        for (at, rating) in at::RATINGS.into_iter().zip(ratings) {
            record.put(at, &elo(rating, losses).to_be_bytes());
        }
        record.put(at::OPENING, &opening(header, losses).to_be_bytes());
        record.put(at::MEDALS, &medals(header.marks, losses).to_be_bytes());
        record
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Takes a tag if it belongs here: ChessBase's own subdivision of an opening, `B90/07`, and
    /// the NAG that judges a line without a result.
    pub(super) fn tag(&mut self, name: &str, value: &str) -> bool {
        match name {
            "ECOSub" => self.subdivide(value),
            "LineEvaluation" => self.judge(value),
            _ => None,
        }
        .is_some()
    }

    fn subdivide(&mut self, value: &str) -> Option<()> {
        let (basic, sub) = value.split_once('/')?;
        let (basic, sub) = (basic.parse::<Eco>().ok()?, sub.parse::<u16>().ok()?);
        let word = opening_word(basic);
        let here = u16::from_be_bytes([self.bytes[at::OPENING], self.bytes[at::OPENING + 1]]);
        (word == here && sub < SUBCODES).then(|| self.put(at::OPENING, &(word + sub).to_be_bytes()))
    }

    fn judge(&mut self, value: &str) -> Option<()> {
        let nag = value.strip_prefix('$')?.parse::<u8>().ok()?;
        (self.bytes[at::RESULT] == NO_RESULT).then(|| self.bytes[at::VERDICT] = nag)
    }

    /// A Chess960 start position takes the place of the opening code.
    pub(super) fn set_chess960_start(&mut self, number: u16) {
        self.put(at::OPENING, &(CHESS960_OPENINGS + number).to_be_bytes());
    }

    /// Says how many moves there are; the half move of a Black that begins counts as one.
    pub(super) fn set_plies(&mut self, plies: Plies, black_begins: bool) {
        let moves = match (plies.main_line, black_begins) {
            (0, _) => 0,
            (plies, true) => (plies + 2) / 2,
            (plies, false) => plies.div_ceil(2),
        };
        self.bytes[at::MOVE_COUNT] = moves.min(255) as u8;
    }

    /// Says what the game holds besides moves.
    pub(super) fn set_content(&mut self, content: u32, magnitudes: u16) {
        self.put(at::CONTENT, &content.to_be_bytes());
        self.put(at::MAGNITUDES, &magnitudes.to_be_bytes());
    }

    /// Says where the game and its annotations are, 0 for no annotations.
    pub(super) fn set_offsets(&mut self, game: u32, annotations: u32) {
        self.put(at::GAME, &game.to_be_bytes());
        self.put(at::ANNOTATIONS, &annotations.to_be_bytes());
    }

    /// Says the numbers of White, Black, tournament, annotator and source, each below 2^24.
    pub(super) fn set_names(&mut self, ids: [u32; 5]) {
        for (nth, id) in ids.into_iter().enumerate() {
            self.put(at::NAMES + 3 * nth, &id.to_be_bytes()[1..]);
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8; RECORD_BYTES] {
        &self.bytes
    }
}

/// Returns the numbers of White, Black, tournament, annotator and source of a record.
pub(super) fn names_of(record: &[u8; RECORD_BYTES]) -> [u32; 5] {
    let id = |nth: usize| {
        let at = at::NAMES + 3 * nth;
        u32::from_be_bytes([0, record[at], record[at + 1], record[at + 2]])
    };
    std::array::from_fn(id)
}

/// Reads a round as two numbers, 0 for none: "7", "7.2".
fn round(text: &str, losses: &mut GameLosses) -> [u8; 2] {
    if matches!(text, "" | "?" | "-") {
        return [0; 2];
    }
    let (round, sub) = text.split_once('.').unwrap_or((text, ""));
    let number = |text: &str| text.parse::<u8>().unwrap_or(0);
    let numbers = [number(round), number(sub)];
    let told = match numbers {
        [round, 0] => round.to_string(),
        [round, sub] => format!("{round}.{sub}"),
    };
    if told != text || numbers[0] == 0 {
        losses.add(Loss::RoundsReduced);
    }
    numbers
}

fn elo(rating: Option<Rating>, losses: &mut GameLosses) -> u16 {
    let Some(rating) = rating else {
        return 0;
    };
    if rating.kind != RatingKind::Elo {
        losses.add(Loss::RatingKindsDropped);
    }
    rating.value.get()
}

fn opening(header: &GameHeader, losses: &mut GameLosses) -> u16 {
    let Some(eco) = header.eco else {
        return 0;
    };
    if eco != eco.basic() {
        losses.add(Loss::EcoRefinementsDropped);
    }
    opening_word(eco)
}

fn opening_word(eco: Eco) -> u16 {
    ((eco.code() - 1) / SCID_SUBCODES + 1) * SUBCODES
}

fn medals(marks: u32, losses: &mut GameLosses) -> u16 {
    let mut medals = 0;
    let letters = (3..).zip(flag::MARK_LETTERS);
    for (_, letter) in letters.filter(|&(bit, _)| marks >> bit & 1 == 1) {
        match MEDALS.iter().find(|(known, _)| known == letter) {
            Some((_, medal)) => medals |= medal,
            None if *letter != b'D' => losses.add(Loss::MarksDropped),
            None => {}
        }
    }
    medals
}
