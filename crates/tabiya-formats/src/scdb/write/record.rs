//! Builds an entry before the offsets of its names and its game are known.

use shakmaty::{Bitboard, Color, File, Role, Setup};
use tabiya_chess::{Eco, RatingKind};
use zerocopy::FromZeros;

use super::{
    super::record::{DELETED, Long},
    GameLosses, Loss,
};
use crate::{
    error::{Error, Result},
    game::{GameHeader, Rating},
    header::flag,
};

/// Returns an entry with all fields of a header except the names.
pub(super) fn record_of(header: &GameHeader, losses: &mut GameLosses) -> Long {
    let mut record = Long::new_zeroed();
    if header.marks & flag::DELETED != 0 {
        record.status = DELETED;
    }
    let marks = header.marks & flag::MARKS & !flag::DELETED;
    (0..marks.count_ones()).for_each(|_| losses.add(Loss::OtherMarksDropped));
    record.round.set(round(&header.round, losses));
    record.white_elo.set(rating(header.white_rating, losses));
    record.black_elo.set(rating(header.black_rating, losses));
    record.result = header.result as u8;
    record.eco = header.eco.map_or([0; 3], |eco| letters(eco, losses));
    let date = header.date;
    record.year.set(date.year().unwrap_or(0));
    record.month = if date.month() > 12 { 0 } else { date.month() };
    record.day = if date.day() > 31 { 0 } else { date.day() };
    if (record.month, record.day) != (date.month(), date.day()) {
        losses.add(Loss::DatesReduced);
    }
    if !header.event_date.is_unknown() {
        losses.add(Loss::EventDatesDropped);
    }
    record
}

/// Parses a round that is a number from 1 to 65535 in plain form; 0 for any other.
fn round(text: &str, losses: &mut GameLosses) -> u16 {
    match text.parse::<u16>() {
        Ok(round) if round > 0 && round.to_string() == text => round,
        _ => {
            if !matches!(text, "" | "?") {
                losses.add(Loss::RoundsDropped);
            }
            0
        }
    }
}

fn rating(rating: Option<Rating>, losses: &mut GameLosses) -> u16 {
    let Some(Rating { value, kind }) = rating else {
        return 0;
    };
    if kind != RatingKind::Elo {
        losses.add(Loss::RatingSystemsDropped);
    }
    value.get()
}

fn letters(eco: Eco, losses: &mut GameLosses) -> [u8; 3] {
    if eco.basic() != eco {
        losses.add(Loss::EcoRefinementsDropped);
    }
    let text = eco.basic().to_string();
    text.as_bytes().first_chunk().copied().unwrap_or_default()
}

/// Returns a start position with only those castling rights that king and rook could use.
///
/// # Errors
/// `Unsupported` if any of them is a Chess960 right.
pub(super) fn playable(setup: &Setup, losses: &mut GameLosses) -> Result<Setup> {
    let mut setup = setup.clone();
    let mut usable = Bitboard(0);
    for color in Color::ALL {
        let back = Bitboard::from(color.backrank());
        let rooks = setup.board.by_piece(Role::Rook.of(color));
        let rights = setup.castling_rights & rooks & back;
        match setup.board.king_of(color) {
            Some(king) if king.file() == File::E && back.contains(king) => {
                if !(rights & !Bitboard::CORNERS).is_empty() {
                    return Err(chess960());
                }
                usable |= rights;
            }
            Some(king) if back.contains(king) && rights.any() => return Err(chess960()),
            _ => {}
        }
    }
    let dropped = (setup.castling_rights & !usable).count();
    (0..dropped).for_each(|_| losses.add(Loss::CastlingRightsDropped));
    setup.castling_rights = usable;
    Ok(setup)
}

/// Returns the error for Chess960 games, which the format does not support.
pub(super) fn chess960() -> Error {
    Error::unsupported("Chess960 in a Simple Chess Database")
}
