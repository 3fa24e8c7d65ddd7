//! The games of a search for similar positions are played, in rounds and tasks.

use std::sync::{Mutex, PoisonError};

use tabiya_chess::{Flow, GameId, HomePawns};
use tabiya_formats::{
    Header, Remaining, Scratch, View,
    error::{Error, Result},
    progress::Progress,
    run_ordered,
};

use super::{
    SimilarGame,
    best::{Best, needed},
    ceilings::{Ceilings, LevelPlace, NearStretches},
};
use crate::{
    database::Database,
    pattern::similar::{Likeness, Nearest},
    search::Report,
    sidecar::Timelines,
};

/// Least and greatest number of games of one task.
const TASK_GAMES: [usize; 2] = [1 << 10, 1 << 13];
/// Games filtered together before any is played.
const GROUP_GAMES: usize = 1 << 7;
/// Number of concurrent tasks.
const TASKS: usize = 8;
/// With a sidecar, the first round plays one game of this many, or `limit` games if that is more.
const ROUND_SHARE: usize = 128;
/// How many times as many games the next round has.
const ROUND_GROWS: usize = 8;

/// The inputs of a run, which do not change.
#[derive(Clone, Copy)]
pub(super) struct Run<'a, V> {
    pub(super) database: &'a Database,
    pub(super) view: V,
    pub(super) images: &'a [Likeness],
    pub(super) limit: u64,
    pub(super) ceilings: Option<&'a Ceilings<'a>>,
    /// Once the list is full.
    pub(super) stretches: Option<&'a NearStretches<'a>>,
    /// The last game of a full list.
    pub(super) last: &'a Mutex<Option<SimilarGame>>,
}

/// Some games, and the best of those that were played.
struct Task<'a, V> {
    run: Run<'a, V>,
    games: &'a [GameId],
    best: Best,
    /// Number of games that were played.
    played: u64,
    /// The last game of the list.
    last: Option<SimilarGame>,
    /// Games of one group that are played, and the plies after their last positions of interest.
    near: Vec<GameId>,
    until: Vec<u32>,
    nearest: Nearest<'a>,
    timelines: Option<Timelines<'a>>,
    scratch: Scratch,
    damaged: Vec<Error>,
}

impl<'a, V: View> Run<'a, V> {
    /// Plays the games that may be among the best, those with the highest ceilings first.
    pub(super) fn play_in_rounds(
        &self,
        ceilings: &Ceilings<'_>,
        total: usize,
        best: &mut Best,
        report: &mut Report,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<()> {
        let (mut place, mut done) = (ceilings.first(), 0);
        let mut round = best.limit.max(total / ROUND_SHARE);
        while place != LevelPlace::END {
            let last = best.last();
            let games = ceilings.take(&mut place, round, |game| needed(game, last));
            let stretches = last.map(|last| ceilings.stretches(last.similarity));
            let run = Run {
                ceilings: Some(ceilings),
                stretches: stretches.as_ref(),
                ..*self
            };
            let before = done;
            let ask = &mut |played| progress(Progress::of(before + played, total as u64));
            run.play(&games, best, report, ask)?;
            done = done.saturating_add(round as u64).min(total as u64);
            round = round.saturating_mul(ROUND_GROWS);
        }
        Ok(())
    }

    /// Plays games and keeps the best.
    pub(super) fn play(
        &self,
        games: &'a [GameId],
        best: &mut Best,
        report: &mut Report,
        ask: &mut dyn FnMut(u64) -> Flow,
    ) -> Result<()> {
        let [least, most] = TASK_GAMES;
        let task_games = (games.len() / TASKS).clamp(least, most);
        let tasks = games.chunks(task_games).filter(|_| self.limit > 0);
        let tasks = tasks.map(|games| (self.task(games), games.len()));
        let deliver = |task: &mut Task<'_, V>, left| {
            if left == 0 {
                task.best.drain().for_each(|game| best.add(game));
                *self.last.lock().unwrap_or_else(PoisonError::into_inner) = best.last();
                report.decoded += task.played;
                report.add_damaged(std::mem::take(&mut task.damaged));
            }
            Ok(())
        };
        run_ordered(tasks, TASKS, Task::work, deliver, ask)
    }

    /// Whether a game may have a position of at least this similarity.
    fn allows(&self, game: GameId, least: f64) -> bool {
        self.ceilings
            .is_none_or(|ceilings| ceilings.allows(game, least))
    }

    /// Returns the ply after the last position of a game that may have at least this similarity; 0
    /// if none may.
    fn until(&self, game: GameId, least: f64, timelines: &mut Option<Timelines<'a>>) -> u32 {
        match self.stretches {
            _ if !self.allows(game, least) => 0,
            Some(stretches) => stretches.until(game, least, self.left(game), timelines),
            None => u32::MAX,
        }
    }

    /// Returns the order in which pawns left home in a game, if its record has it.
    #[inline]
    fn left(&self, game: GameId) -> Option<HomePawns> {
        let record = self.view.record(game);
        let is_known = V::Record::EVIDENCE.home_pawns && !record.is_custom_start();
        is_known.then(|| record.home_pawns())
    }

    fn task(&self, games: &'a [GameId]) -> Task<'a, V> {
        Task {
            run: *self,
            games,
            best: Best::new(self.limit),
            played: 0,
            last: None,
            near: Vec::new(),
            until: Vec::new(),
            nearest: Nearest::new(self.images),
            timelines: None,
            scratch: Scratch::default(),
            damaged: Vec::new(),
        }
    }
}

impl<V: View> Task<'_, V> {
    /// Plays the remaining games.
    fn work(&mut self, left: &mut Remaining) {
        let games = &self.games[self.games.len() - left.count()..];
        for group in games.chunks(GROUP_GAMES) {
            self.last = *self.run.last.lock().unwrap_or_else(PoisonError::into_inner);
            self.find_near(group);
            self.play_near();
            if left.done(group.len()).is_break() {
                return;
            }
        }
    }

    /// Finds the games that may be among the best, and how far each is of interest.
    fn find_near(&mut self, games: &[GameId]) {
        self.near.clear();
        self.until.clear();
        for &game in games {
            let least = self.needed(game);
            let until = self.run.until(game, least, &mut self.timelines);
            if until > 0 {
                self.near.push(game);
                self.until.push(until);
            }
        }
    }

    fn play_near(&mut self) {
        let near = std::mem::take(&mut self.near);
        let mut until = 0..;
        let view = self.run.view;
        let _ = view.for_each_touched(&near, |game, record| {
            self.nearest.least = self.needed(game);
            self.nearest.until = until.next().map_or(u32::MAX, |place| self.until[place]);
            let played = view.main_line(record, &mut self.scratch, &mut self.nearest);
            if let Err(damage) = played {
                let damage = self.run.database.damaged(game, record, damage);
                self.damaged.push(damage);
            }
            if let Some((similarity, ply)) = self.nearest.best() {
                self.best.add(SimilarGame {
                    game,
                    similarity,
                    ply,
                });
            }
            Flow::Continue(())
        });
        self.played += near.len() as u64;
        self.near = near;
    }

    fn needed(&self, game: GameId) -> f64 {
        needed(game, self.last).max(needed(game, self.best.last()))
    }
}
