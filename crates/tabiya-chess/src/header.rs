//! The small values of a game's header.

use std::{fmt, str::FromStr};

use shakmaty::Color;

use super::parse_error::ParseError;

/// The 0-based index of a game's record, equal to its bit in a set of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GameId(pub u32);

impl GameId {
    /// Returns the 1-based number among the games of the database, which may be a part of a file.
    /// The one that people see is `Database::number`.
    #[doc(hidden)]
    #[must_use]
    pub const fn number_in_part(self) -> u32 {
        self.0 + 1
    }

    /// Returns the game with a 1-based number among those of the database, which may be a part of a
    /// file; `None` for 0. For a number that people give there is `Database::game`.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_number_in_part(number: u32) -> Option<GameId> {
        match number.checked_sub(1) {
            Some(index) => Some(GameId(index)),
            None => None,
        }
    }

    /// Returns the index for use with slices.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The list of names to which a [`NameId`] belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameKind {
    /// Players, White and Black alike.
    Player,
    /// Events.
    Event,
    /// Sites.
    Site,
    /// Rounds.
    Round,
}

impl NameKind {
    /// All kinds, in the order in which Scid stores them.
    pub const ALL: [NameKind; 4] = [
        NameKind::Player,
        NameKind::Event,
        NameKind::Site,
        NameKind::Round,
    ];
}

/// The 0-based ID of a name within its kind. It may be out of range in a damaged file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct NameId(pub u32);

impl NameId {
    /// Returns the ID for use with slices.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A rating, 1 to 4095. An absent rating is `None`; on disk it is 0.
pub type Elo = std::num::NonZeroU16;

/// The system of a rating, in Scid's numbering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RatingKind {
    /// Elo, code 0.
    #[default]
    Elo,
    /// Unspecified rating, code 1.
    Rating,
    /// Rapid, code 2.
    Rapid,
    /// ICCF, code 3.
    Iccf,
    /// USCF, code 4.
    Uscf,
    /// DWZ, code 5.
    Dwz,
    /// ECF (BCF), code 6.
    Ecf,
}

impl RatingKind {
    /// All systems, in the order of their codes.
    pub const ALL: [RatingKind; 7] = [
        RatingKind::Elo,
        RatingKind::Rating,
        RatingKind::Rapid,
        RatingKind::Iccf,
        RatingKind::Uscf,
        RatingKind::Dwz,
        RatingKind::Ecf,
    ];

    /// Returns the end of the PGN tag name: `WhiteElo`, `WhiteUSCF`, ...
    #[must_use]
    pub const fn tag_suffix(self) -> &'static str {
        match self {
            RatingKind::Elo => "Elo",
            RatingKind::Rating => "Rating",
            RatingKind::Rapid => "Rapid",
            RatingKind::Iccf => "ICCF",
            RatingKind::Uscf => "USCF",
            RatingKind::Dwz => "DWZ",
            RatingKind::Ecf => "ECF",
        }
    }

    /// Returns the system with this code; codes from 7 on do not occur and read as Elo.
    #[must_use]
    pub const fn from_code(code: u8) -> RatingKind {
        match code {
            1 => RatingKind::Rating,
            2 => RatingKind::Rapid,
            3 => RatingKind::Iccf,
            4 => RatingKind::Uscf,
            5 => RatingKind::Dwz,
            6 => RatingKind::Ecf,
            _ => RatingKind::Elo,
        }
    }

    /// Returns Scid's code.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// The result of a game. `Unknown` is the PGN `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GameResult {
    /// `*`
    #[default]
    Unknown,
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
}

impl GameResult {
    /// Returns the PGN text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            GameResult::Unknown => "*",
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
        }
    }

    /// Returns the result with this code, as Scid and the Simple Chess Database number them; codes
    /// from 4 on are unknown.
    pub const fn from_code(code: u8) -> GameResult {
        match code {
            1 => GameResult::WhiteWins,
            2 => GameResult::BlackWins,
            3 => GameResult::Draw,
            _ => GameResult::Unknown,
        }
    }

    /// Returns the winner; `None` if there is none.
    #[must_use]
    pub const fn winner(self) -> Option<Color> {
        match self {
            GameResult::WhiteWins => Some(Color::White),
            GameResult::BlackWins => Some(Color::Black),
            GameResult::Unknown | GameResult::Draw => None,
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error for text that is not a result.
const NO_RESULT: ParseError = ParseError("not a result: 1-0, 0-1, 1/2-1/2 or *");

impl FromStr for GameResult {
    type Err = ParseError;

    /// Parses `1-0`, `0-1`, `1/2-1/2`, `1/2`, `draw` or `*`.
    fn from_str(text: &str) -> Result<GameResult, ParseError> {
        match text {
            "1-0" => Ok(GameResult::WhiteWins),
            "0-1" => Ok(GameResult::BlackWins),
            "1/2-1/2" | "1/2" => Ok(GameResult::Draw),
            "*" => Ok(GameResult::Unknown),
            _ if text.eq_ignore_ascii_case("draw") => Ok(GameResult::Draw),
            _ => Err(NO_RESULT),
        }
    }
}
