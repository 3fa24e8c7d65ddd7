//! Games by the names of their openings.

use std::collections::BTreeMap;

use tabiya_chess::{
    Flow, GameId, GameResult, Tally,
    opening_names::{OpeningNumber, name},
};
use tabiya_formats::{
    Header as _, Remaining, View, error::Result, progress::Progress, run_ordered, sound::Sound,
};

use super::{TASK_GAMES, TASKS};
use crate::{
    database::{Database, with_view},
    filter::GameSet,
    keys::sought,
    progress::WithProgress,
};

impl Database {
    /// Returns the results of some games by the names of their openings, as `opening` in queries
    /// means them. Games without one are left out, and damaged ones. Games that the database does
    /// not have are skipped.
    ///
    /// Games whose opening the sidecar does not have are decoded up to 40 plies, in the caller's
    /// current rayon pool.
    ///
    /// # Errors
    /// `Missing` without a games file; `Changed` if another program changes the database.
    pub fn openings(&self, games: &GameSet) -> Result<BTreeMap<&'static str, Tally>> {
        self.on_progress(Progress::ignore).openings(games)
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&Database, F> {
    /// Returns the results of some games by the names of their openings. See
    /// [`Database::openings`].
    ///
    /// # Errors
    /// Those of [`Database::openings`]; `Interrupted` if the callback breaks.
    pub fn openings(mut self, games: &GameSet) -> Result<BTreeMap<&'static str, Tally>> {
        let mut tallies: BTreeMap<&'static str, Tally> = BTreeMap::new();
        let mut take = |_, number, result| {
            if let Some(name) = name(number) {
                tallies.entry(name).or_default().add(result);
            }
        };
        each(self.work, games, &mut take, &mut self.progress)?;
        Ok(tallies)
    }
}

/// The games of a task, and what has been found of them.
type Task<'g> = (&'g [GameId], Vec<(GameId, OpeningNumber, GameResult)>);

/// Passes the opening and the result of each of these games that the database has to a function.
pub(in crate::report) fn each(
    database: &Database,
    games: &GameSet,
    take: &mut dyn FnMut(GameId, OpeningNumber, GameResult),
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<()> {
    let games = games.iter().filter(|game| game.0 < database.len());
    let games: Vec<GameId> = games.collect();
    database.unchanged(|| find(database, &games, take, progress))
}

fn find(
    database: &Database,
    games: &[GameId],
    take: &mut dyn FnMut(GameId, OpeningNumber, GameResult),
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<()> {
    database.require_games()?;
    let total = games.len() as u64;
    let tasks = games.chunks(TASK_GAMES);
    let tasks = tasks.map(|games| ((games, Vec::new()), games.len()));
    let deliver = |(_, found): &mut Task<'_>, _| {
        found
            .drain(..)
            .for_each(|(game, number, result)| take(game, number, result));
        Ok(())
    };
    let ask = &mut |done| progress(Progress::of(done, total));
    with_view!(database.tags(), view => {
        let work = |(games, found): &mut Task<'_>, left: &mut Remaining| {
            let mut sound = Sound::default();
            let done = games.len() - left.count();
            let _ = view.for_each_touched(&games[done..], |game, record| {
                let number = match database.told_opening(game) {
                    Some(number) => number,
                    // A game of which no half-move can be read has no opening.
                    None => sought(view, record, &mut sound).unwrap_or_default(),
                };
                found.push((game, number, record.result()));
                left.done(1)
            });
        };
        run_ordered(tasks, TASKS, work, deliver, ask)
    })
}
