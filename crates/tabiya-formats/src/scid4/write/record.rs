//! Builds a record before its name IDs and its game's offset are known.

use shakmaty::{Bitboard, Color, File, Piece, Role, Setup};
use tabiya_chess::PartialDate;
use zerocopy::FromZeros;

use super::{GameLosses, Loss, edition::Edition};
use crate::{
    error::{Error, Result},
    game::{GameHeader, Rating},
    header::flag,
    scid4::record5::Record5,
};

/// The highest rating that Scid writes.
const RATING_MAX: u16 = 4000;
/// Maximum difference in years between a game and its event in `.si4`.
const EVENT_YEARS_MAX: u16 = 3;
/// Maximum bytes of a name, whose length is one byte.
pub(super) const TEXT_BYTES_MAX: usize = 255;

/// Returns a record with all fields of a header except the names.
pub(super) fn record_of(header: &GameHeader, edition: Edition, losses: &mut GameLosses) -> Record5 {
    let mut record = Record5::new_zeroed();
    record.add_flags(header.marks & flag::MARKS);
    record.set_outcome(header.result, header.eco.map_or(0, |eco| eco.code()));
    let date = fitting(header.date, losses);
    let mut event_date = fitting(header.event_date, losses);
    if is_beyond_index(header, edition) {
        losses.add(Loss::EventDatesAsTags);
        event_date = PartialDate::UNKNOWN;
    }
    record.set_dates(date, event_date);
    for (color, rating) in [
        (Color::White, header.white_rating),
        (Color::Black, header.black_rating),
    ] {
        let Some(Rating { value, kind }) = rating else {
            continue;
        };
        if value.get() > RATING_MAX {
            losses.add(Loss::RatingsClamped);
        }
        record.set_rating(color, value.get().min(RATING_MAX), kind);
    }
    record
}

/// Whether an event's year is near enough to the game's for `.si4`, which stores their difference.
pub(super) fn is_near(date: PartialDate, event_date: PartialDate) -> bool {
    let year = |date: PartialDate| date.year().unwrap_or(0);
    year(date).abs_diff(year(event_date)) <= EVENT_YEARS_MAX
}

/// Whether the index cannot express the event date.
pub(super) fn is_beyond_index(header: &GameHeader, edition: Edition) -> bool {
    let event_date = header.event_date;
    let is_expressed = is_near(header.date, event_date) && event_date.year().is_some();
    edition == Edition::Si4 && !event_date.is_unknown() && !is_expressed
}

/// Returns a date with parts that are too large for their bits set to unknown.
fn fitting(date: PartialDate, losses: &mut GameLosses) -> PartialDate {
    let year = date.year().filter(|&year| year < 1 << 11).unwrap_or(0);
    let month = Some(date.month()).filter(|&month| month < 1 << 4);
    let day = Some(date.day()).filter(|&day| day < 1 << 5);
    let fitting = PartialDate::new(year, month.unwrap_or(0), day.unwrap_or(0));
    if fitting != date {
        losses.add(Loss::DatesReduced);
    }
    fitting
}

/// Appends the FEN of a start position as Scid writes it: all six fields, the en-passant square
/// unchanged, and only castling rights that king and rook could use. Returns whether any of
/// them is a Chess960 right.
///
/// # Errors
/// `Unsupported` if one is and the edition does not support Chess960.
pub(super) fn append_fen(
    setup: &Setup,
    edition: Edition,
    fen: &mut String,
    losses: &mut GameLosses,
) -> Result<bool> {
    use std::fmt::Write;

    setup.board.board_fen().append_to_string(fen);
    fen.push(' ');
    fen.push(setup.turn.char());
    fen.push(' ');
    let is_chess960 = append_castling(setup, fen, losses);
    if is_chess960 && edition == Edition::Si4 {
        return Err(chess960());
    }
    match setup.ep_square {
        Some(square) => write!(fen, " {square}"),
        None => write!(fen, " -"),
    }
    .and_then(|()| write!(fen, " {} {}", setup.halfmoves, setup.fullmoves))
    .map_err(|_| Error::unsupported("this start position"))?;
    Ok(is_chess960)
}

/// Appends White's castling rights, then Black's, each with the h-side first. Returns whether any
/// is a Chess960 right.
fn append_castling(setup: &Setup, fen: &mut String, losses: &mut GameLosses) -> bool {
    let length = fen.len();
    let mut is_chess960 = false;
    for color in [Color::White, Color::Black] {
        let back = Bitboard::from(color.backrank());
        let rooks = setup.board.by_piece(Piece {
            color,
            role: Role::Rook,
        }) & back;
        let rights = setup.castling_rights & rooks;
        let king = setup
            .board
            .king_of(color)
            .filter(|&king| back.contains(king));
        let Some(king) = king else {
            continue;
        };
        for rook in rights.into_iter().rev() {
            let is_standard = king.file() == File::E && Bitboard::CORNERS.contains(rook);
            is_chess960 |= !is_standard;
            // K and Q mean the outermost rook; other rooks are named by their file.
            let letter = match () {
                () if rook > king && rooks.last() == Some(rook) => 'k',
                () if rook < king && rooks.first() == Some(rook) => 'q',
                () => rook.file().char(),
            };
            fen.push(color.fold_wb(letter.to_ascii_uppercase(), letter));
        }
    }
    let used = (fen.len() - length) as u32;
    let all = setup.castling_rights.count() as u32;
    (used..all).for_each(|_| losses.add(Loss::CastlingRightsDropped));
    if used == 0 {
        fen.push('-');
    }
    is_chess960
}

/// Returns the error for Chess960 games, which `.si4` does not support.
pub(super) fn chess960() -> Error {
    Error::unsupported("Chess960 in a .si4 database")
}

/// Appends text with its zero bytes, which would end it, replaced by spaces.
pub(super) fn append_text(to: &mut Vec<u8>, text: &str, losses: &mut GameLosses) {
    let start = to.len();
    to.extend_from_slice(text.as_bytes());
    if memchr::memchr(0, text.as_bytes()).is_some() {
        losses.add(Loss::ZeroBytesReplaced);
        for byte in &mut to[start..] {
            if *byte == 0 {
                *byte = b' ';
            }
        }
    }
}

/// Cuts a text to `bytes_max` at a character boundary and records the loss, if any.
pub(super) fn cut<'t>(
    text: &'t str,
    bytes_max: usize,
    loss: Loss,
    losses: &mut GameLosses,
) -> &'t str {
    if text.len() <= bytes_max {
        return text;
    }
    losses.add(loss);
    &text[..text.floor_char_boundary(bytes_max)]
}
