//! What fields of records mean in both versions.

use tabiya_chess::{Eco, GameResult, PartialDate};

/// The first opening word that means a Chess960 start position.
pub(crate) const FIRST_CHESS960: u16 = 64_576;
/// Number of words per opening: itself and 127 subdivisions.
pub(crate) const SUBDIVISIONS: u16 = 128;
/// Number of openings, A00 to E99.
const OPENINGS: u16 = 500;
/// Number of [`Eco`] codes per opening.
pub(crate) const ECO_CODES: u16 = 131;

/// A decoded opening word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// No opening.
    None,
    /// An opening and ChessBase's subdivision of it, 1 to 127, 0 for none.
    Eco(Eco, u8),
    /// The number of a Chess960 start position, 0 to 959.
    Chess960(u16),
}

impl Opening {
    /// Decodes an opening word.
    pub(crate) fn of(word: u16) -> Opening {
        if word >= FIRST_CHESS960 {
            return Opening::Chess960(word - FIRST_CHESS960);
        }
        let opening = |eco| Opening::Eco(eco, (word % SUBDIVISIONS) as u8);
        eco(word).map_or(Opening::None, opening)
    }

    /// Returns an opening with its subdivision as ChessBase shows it, such as `B90/07`; `None`
    /// without a subdivision.
    pub(crate) fn subdivision(self) -> Option<String> {
        match self {
            Opening::Eco(eco, sub @ 1..) => Some(format!("{eco}/{sub:02}")),
            _ => None,
        }
    }
}

/// Decodes a result as stored in records and quotations.
pub(crate) fn result(code: u8) -> GameResult {
    match code {
        0 | 4 => GameResult::BlackWins,
        1 | 5 => GameResult::Draw,
        2 | 6 => GameResult::WhiteWins,
        _ => GameResult::Unknown,
    }
}

/// Returns the opening of an opening word, without its subdivision.
pub(crate) fn eco(word: u16) -> Option<Eco> {
    let basic = (word / SUBDIVISIONS).checked_sub(1);
    let basic = basic.filter(|&basic| basic < OPENINGS)?;
    Eco::from_code(1 + ECO_CODES * basic)
}

/// Decodes a date as packed in records and tournaments.
pub(crate) fn date(packed: u32) -> PartialDate {
    PartialDate::new(
        (packed >> 9 & 0xfff) as u16,
        (packed >> 5 & 15) as u8,
        (packed & 31) as u8,
    )
}
