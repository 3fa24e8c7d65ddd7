//! How values are serialized: as the text that people see, with `null` for what is unknown.

use std::time::Duration;

use serde::{Serialize, Serializer};

use super::{Eco, GameResult, PartialDate, Share, Tally};

impl Serialize for Eco {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for GameResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for PartialDate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_unknown() {
            serializer.serialize_none()
        } else {
            serializer.collect_str(self)
        }
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.get())
    }
}

/// Games without a result are the rest of all games.
impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Counts {
            games: u32,
            white: u32,
            draws: u32,
            black: u32,
        }
        let counts = Counts {
            games: self.games(),
            white: self.count(GameResult::WhiteWins),
            draws: self.count(GameResult::Draw),
            black: self.count(GameResult::BlackWins),
        };
        counts.serialize(serializer)
    }
}

/// Serializes a time as seconds.
///
/// # Errors
/// Those of the serializer.
pub fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}
