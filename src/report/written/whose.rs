//! Whose games some games are.

use std::borrow::Borrow;

use tabiya_chess::Flow;
use tabiya_formats::{error::Result, progress::Progress};

use super::PlayerReport;
use crate::{
    database::Database,
    filter::GameSet,
    query::Query,
    report::stats::{StatsOptions, StatsSum},
    search::Search,
};

/// Whose games some games are: for reports about the games of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MainPlayer {
    /// There are no games.
    NoGames,
    /// Nobody plays in more than half of them.
    Nobody,
    /// The player of this name does.
    Name(String),
}

impl PlayerReport<'_> {
    /// Returns who plays in most of the games of a query, such as `player:carlsen`, in all these
    /// databases together.
    ///
    /// # Errors
    /// Those of a search; `Interrupted` if the callback breaks.
    pub fn main_player(
        query: &Query,
        databases: &[impl Borrow<Database>],
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<MainPlayer> {
        let mut sums = StatsSum::default();
        for database in databases {
            let database = database.borrow();
            let mut ids = Vec::new();
            let take = |game| ids.push(game);
            Search::new(query).for_all_games(database, take, &mut progress)?;
            let games: GameSet = ids.into_iter().collect();
            sums.add(database, &games, &mut progress)?;
        }
        let stats = sums.finish(&StatsOptions::new().top(1));
        let all = u64::from(stats.total.games());
        if all == 0 {
            return Ok(MainPlayer::NoGames);
        }
        let most = stats.players.into_iter().next();
        let most = most.filter(|most| 2 * u64::from(most.games()) > all);
        Ok(most.map_or(MainPlayer::Nobody, |most| MainPlayer::Name(most.name)))
    }
}
