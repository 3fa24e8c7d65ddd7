//! The `.cbh` record of a game, before the IDs of its names and its offsets are known.

use tabiya_chess::{Medal, RatingKind};
use zerocopy::{FromZeros, IntoBytes};

use super::{GameLosses, Loss, content::Content, moves::Plies};
use crate::{
    chessbase::common::{
        record::FIRST_CHESS960,
        write::{
            names::fitting,
            record::{NO_RESULT, medals, opening, result, subdivided},
        },
    },
    chessbase::v1::record::{DELETED, IN_USE, Id, Record},
    game::{GameHeader, Rating},
    header::flag,
};

/// A record being built.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draft(Record);

impl Draft {
    /// Creates a record from a header, without names.
    pub(super) fn new(header: &GameHeader, losses: &mut GameLosses) -> Draft {
        let mut record = Record::new_zeroed();
        let is_deleted = header.marks & flag::DELETED != 0;
        record.kind = IN_USE | if is_deleted { DELETED } else { 0 };
        record.date = Id::new(fitting(header.date, losses).packed());
        record.result = result(header.result);
        [record.round, record.sub_round] = round(&header.round, losses);
        record.white_elo.set(elo(header.white_rating, losses));
        record.black_elo.set(elo(header.black_rating, losses));
        record.eco.set(opening(header, losses));
        record.medals.set(medals(header.marks, losses));
        Draft(record)
    }

    /// Stores a tag that has a field in the record: ChessBase's subdivision of an opening
    /// (`B90/07`), the NAG that evaluates a line without a result, and medals. Returns whether it
    /// was stored.
    pub(super) fn tag(&mut self, name: &str, value: &str) -> bool {
        match name {
            "ECOSub" => self.subdivide(value),
            "LineEvaluation" => self.judge(value),
            "Medals" => Medal::set(value).map(|medals| self.award(medals)),
            _ => None,
        }
        .is_some()
    }

    fn subdivide(&mut self, value: &str) -> Option<()> {
        let word = subdivided(self.0.eco.get(), value)?;
        self.0.eco.set(word);
        Some(())
    }

    fn judge(&mut self, value: &str) -> Option<()> {
        let nag = value.strip_prefix('$')?.parse::<u8>().ok()?;
        (self.0.result == NO_RESULT).then(|| self.0.verdict = nag)
    }

    fn award(&mut self, medals: u16) {
        self.0.medals.set(self.0.medals.get() | medals);
    }

    /// Sets the Chess960 start position, which replaces the opening code.
    pub(super) fn set_chess960_start(&mut self, number: u16, losses: &mut GameLosses) {
        if self.0.eco.get() != 0 {
            losses.add(Loss::OpeningCodesDropped);
        }
        self.0.eco.set(FIRST_CHESS960 + number);
    }

    /// Sets the number of full moves. If Black moves first, that ply counts as one.
    pub(super) fn set_plies(&mut self, plies: Plies, black_begins: bool) {
        let moves = match (plies.main_line, black_begins) {
            (0, _) => 0,
            (plies, true) => plies / 2 + 1,
            (plies, false) => plies.div_ceil(2),
        };
        self.0.moves = moves.min(255) as u8;
    }

    /// Sets the content flags and magnitudes.
    pub(super) fn set_content(&mut self, content: Content) {
        self.0.content.set(content.bits);
        self.0.magnitudes.set(content.magnitudes);
    }

    /// Sets the offsets of the game and its annotations, 0 for no annotations.
    pub(super) fn set_offsets(&mut self, game: u32, annotations: u32) {
        self.0.offset.set(game);
        self.0.annotations.set(annotations);
    }

    /// Sets the IDs of White, Black, tournament, annotator and source, each below 2^24.
    pub(super) fn set_names(&mut self, ids: [u32; 5]) {
        let record = &mut self.0;
        [
            record.white,
            record.black,
            record.tournament,
            record.annotator,
            record.source,
        ] = ids.map(Id::new);
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Parses a round as two numbers, 0 for none: "7", "7.2".
fn round(text: &str, losses: &mut GameLosses) -> [u8; 2] {
    if matches!(text, "" | "?") {
        return [0; 2];
    }
    let (round, sub) = text.split_once('.').unwrap_or((text, ""));
    let number = |text: &str| text.parse::<u8>().unwrap_or(0);
    let numbers = [number(round), number(sub)];
    let told = match numbers {
        [round, 0] => round.to_string(),
        [round, sub] => format!("{round}.{sub}"),
    };
    if told != text || numbers == [0; 2] {
        losses.add(Loss::RoundsReduced);
    }
    numbers
}

fn elo(rating: Option<Rating>, losses: &mut GameLosses) -> u16 {
    let Some(rating) = rating else {
        return 0;
    };
    if rating.kind != RatingKind::Elo {
        losses.add(Loss::RatingSystemsDropped);
    }
    rating.value.get()
}
