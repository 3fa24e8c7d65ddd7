//! A record before its names have numbers and its game has a place.

use shakmaty::{Board, CastlingSide, Color, File, Piece, Role, Setup, Square};
use zerocopy::FromZeros;

use super::loss::{GameLosses, Loss};
use crate::{
    chess::PartialDate,
    error::{Error, ErrorKind, Result},
    format::{
        game::{GameHeader, Rating},
        header::flag,
        scid4::record::Record,
    },
};

/// The highest rating that Scid writes.
const RATING_MAX: u16 = 4000;
/// Years between a game and its event that can be expressed.
const EVENT_YEARS_MAX: u16 = 3;
/// Bytes of a name, and of a tag's value: their length is one byte.
pub(super) const TEXT_BYTES_MAX: usize = 255;

/// Returns a record with what a header says but the names.
pub(super) fn record_of(header: &GameHeader, losses: &mut GameLosses) -> Record {
    let mut record = Record::new_zeroed();
    let marks = header.marks & flag::MARKS;
    record.length_high = (marks >> 16) as u8;
    let common = &mut record.common;
    common.flags.set(marks as u16);
    common.result_and_counts.set((header.result as u16) << 12);
    common.eco.set(header.eco.map_or(0, |eco| eco.code()));
    common.dates.set(dates(header, losses));
    common.white_rating.set(rating(header.white_rating, losses));
    common.black_rating.set(rating(header.black_rating, losses));
    record
}

fn rating(rating: Option<Rating>, losses: &mut GameLosses) -> u16 {
    let Some(Rating { value, kind }) = rating else {
        return 0;
    };
    if value.get() > RATING_MAX {
        losses.add(Loss::RatingsClamped);
    }
    u16::from(kind.code()) << 12 | value.get().min(RATING_MAX)
}

/// Tells whether the index cannot express the event's date: it counts the year from the game's.
pub(super) fn is_beyond_index(header: &GameHeader) -> bool {
    let year = header.date.year().unwrap_or(0);
    let event_year = header.event_date.year().unwrap_or(0);
    let is_near = year.abs_diff(event_year) <= EVENT_YEARS_MAX;
    !header.event_date.is_unknown() && (!is_near || event_year == 0)
}

/// Both dates in 32 bits. The event's year is counted from the game's.
fn dates(header: &GameHeader, losses: &mut GameLosses) -> u32 {
    let date = fitting(header.date, losses);
    let event = fitting(header.event_date, losses);
    let year = date.year().unwrap_or(0);
    let event_year = event.year().unwrap_or(0);
    let is_near = year.abs_diff(event_year) <= EVENT_YEARS_MAX;
    if is_beyond_index(header) {
        losses.add(Loss::EventDatesAsTags);
    }
    if !is_near {
        return date.packed();
    }
    let delta = u32::from(event_year + 4 - year);
    // Without a year the rest of an event's date means nothing.
    let event = if event_year == 0 {
        PartialDate::UNKNOWN
    } else {
        event
    };
    let (month, day) = (u32::from(event.month()), u32::from(event.day()));
    delta << 29 | month << 25 | day << 20 | date.packed()
}

/// Returns a date without the parts that are too large for their bits.
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

/// Appends the FEN of a start position as Scid spells it: all six fields, the en-passant
/// square as it came, only rights to castle that king and rook could use.
///
/// # Errors
/// `Unsupported` when the rights are those of Chess960.
pub(super) fn append_fen(setup: &Setup, fen: &mut String, losses: &mut GameLosses) -> Result<()> {
    use std::fmt::Write;

    setup.board.board_fen().append_to_string(fen);
    fen.push(' ');
    fen.push(setup.turn.char());
    fen.push(' ');
    append_castling(setup, fen, losses)?;
    match setup.ep_square {
        Some(square) => write!(fen, " {square}"),
        None => write!(fen, " -"),
    }
    .and_then(|()| write!(fen, " {} {}", setup.halfmoves, setup.fullmoves))
    .map_err(|_| {
        Error::new(ErrorKind::Unsupported {
            what: "this start position",
        })
    })
}

fn append_castling(setup: &Setup, fen: &mut String, losses: &mut GameLosses) -> Result<()> {
    let length = fen.len();
    let mut rights = setup.castling_rights;
    for color in Color::ALL {
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            let corner = match side {
                CastlingSide::KingSide => Square::from_coords(File::H, color.backrank()),
                CastlingSide::QueenSide => Square::from_coords(File::A, color.backrank()),
            };
            let king = Square::from_coords(File::E, color.backrank());
            let stands = |square, role| setup.board.piece_at(square) == Some(Piece { color, role });
            if rights.contains(corner) && stands(corner, Role::Rook) && stands(king, Role::King) {
                rights.discard(corner);
                let letter = match side {
                    CastlingSide::KingSide => 'k',
                    CastlingSide::QueenSide => 'q',
                };
                fen.push(color.fold_wb(letter.to_ascii_uppercase(), letter));
            }
        }
    }
    for rook in rights {
        if is_chess960(&setup.board, rook) {
            return Err(chess960());
        }
        losses.add(Loss::CastlingRightsDropped);
    }
    if fen.len() == length {
        fen.push('-');
    }
    Ok(())
}

/// Tells whether a right to castle that is none of standard chess could be used in Chess960.
fn is_chess960(board: &Board, rook: Square) -> bool {
    board.piece_at(rook).is_some_and(|piece| {
        let king = board.king_of(piece.color);
        piece.role == Role::Rook
            && piece.color.backrank() == rook.rank()
            && king.is_some_and(|king| king.rank() == rook.rank())
    })
}

/// Returns the error for games that only a later format holds.
pub(super) fn chess960() -> Error {
    Error::new(ErrorKind::Unsupported {
        what: "Chess960 in a .si4 database",
    })
}

/// Appends text as the format holds it: without zero bytes, which would end it.
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

/// Returns as many whole characters of a text as fit, and notes it if that is not all.
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
