//! How rows of trees are serialized.

use serde::{Serialize, Serializer};
use tabiya_chess::Eco;

use super::{NextMove, TreeStats};

/// In UCI notation; `null` where the games end.
impl Serialize for NextMove {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.uci().serialize(serializer)
    }
}

/// Means have one decimal, and are `null` when no game has the value.
impl Serialize for TreeStats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Figures {
            games: u64,
            white: u64,
            draws: u64,
            black: u64,
            rated_games: u64,
            average_rating: Option<f64>,
            average_opponent_rating: Option<f64>,
            performance: Option<f64>,
            average_year: Option<f64>,
            eco: Option<Eco>,
        }
        let tenths = |mean: Option<f64>| mean.map(|mean| (mean * 10.0).round() / 10.0);
        let figures = Figures {
            games: self.games(),
            white: self.white_wins(),
            draws: self.draws(),
            black: self.black_wins(),
            rated_games: self.rated_games(),
            average_rating: tenths(self.average_rating()),
            average_opponent_rating: tenths(self.average_opponent_rating()),
            performance: tenths(self.performance()),
            average_year: tenths(self.average_year()),
            eco: self.eco(),
        };
        figures.serialize(serializer)
    }
}
