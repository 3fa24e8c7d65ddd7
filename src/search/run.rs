//! The run itself: one pass over the index, then waves of undecided games.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::{Match, Progress, Report};
use crate::{
    chess::{Flow, GameId},
    database::Database,
    error::{Error, Result},
    filter::{Bounds, GameSet, Turn},
    format::View,
    plan::{Plan, decide::Decider},
};

/// Where matches go; `None` when they are only counted.
pub(super) type Sink<'s> = &'s mut dyn FnMut(Match) -> Flow;

/// Undecided games that one task decodes.
const TASK_GAMES: usize = 512;
/// Undecided games in the first wave and at most in a later one. Small at first, so that a
/// search with a limit is done soon; large later, so that threads have work. Many conditions
/// make them smaller, and so do waves that take long: between them the caller is asked whether to
/// go on.
const WAVE_GAMES_MIN: usize = 4 * TASK_GAMES;
const WAVE_GAMES_MAX: usize = 256 * TASK_GAMES;

/// Everything that a run needs and does not change.
pub(super) struct Run<'a> {
    pub(super) database: &'a Database,
    pub(super) plan: &'a Plan,
    pub(super) wants_plies: bool,
    pub(super) limit: u64,
    pub(super) bind_time: Duration,
}

/// What one task found.
#[derive(Default)]
struct Found {
    hits: Vec<Match>,
    damaged: Vec<Error>,
    decoded: u64,
}

impl Run<'_> {
    pub(super) fn execute<V: View>(
        &self,
        view: V,
        sink: Option<Sink<'_>>,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<Report> {
        let started = Instant::now();
        let bounds = match self.plan.decodes_every_game() {
            false => {
                let total = self.database.len().into();
                let ask = &mut || progress(Progress { done: 0, total });
                self.plan.bounds(view, self.wants_plies, ask)?
            }
            true => Bounds {
                certain: GameSet::default(),
                possible: GameSet::all(self.database.len()),
            },
        };
        let mut report = Report {
            games: view.records().len() as u64,
            possible: bounds.possible.len(),
            certain: bounds.certain.len(),
            bind_time: self.bind_time,
            index_time: started.elapsed(),
            ..Report::default()
        };
        let started = Instant::now();
        if report.possible > report.certain {
            self.database.require_games()?;
        }
        match sink {
            Some(sink) => self.deliver(view, &bounds, sink, progress, &mut report),
            None => self.count(view, &bounds, progress, &mut report),
        }
        report.decode_time = started.elapsed();
        Ok(report)
    }

    /// Counts: what is certain, and what decoding finds.
    fn count<V: View>(
        &self,
        view: V,
        bounds: &Bounds,
        progress: &mut dyn FnMut(Progress) -> Flow,
        report: &mut Report,
    ) {
        report.matched = report.certain;
        let _ = self.waves(view, bounds, progress, report, |report, found, _| {
            report.matched += found.len() as u64;
            match report.matched < self.limit {
                true => Flow::Continue(()),
                false => Flow::Break(()),
            }
        });
        report.matched = report.matched.min(self.limit);
    }

    /// Delivers certain games and found ones in one order.
    fn deliver<V: View>(
        &self,
        view: V,
        bounds: &Bounds,
        sink: Sink<'_>,
        progress: &mut dyn FnMut(Progress) -> Flow,
        report: &mut Report,
    ) {
        let mut decider = Decider::new(self.plan, view, self.wants_plies);
        let mut out = Output {
            certain: bounds.certain.iter().peekable(),
            certain_match: |game| self.certain_match(&mut decider, view, game),
            sink,
            limit: self.limit,
        };
        let stopped = self.waves(view, bounds, progress, report, |report, found, last| {
            out.deliver(report, found, Some(last))
        });
        if stopped.is_continue() && out.deliver(report, &[], None).is_break() {
            report.stopped_early = true;
        }
    }

    /// Decodes the undecided games wave by wave. `take` gets what each wave found and the last
    /// game that the wave looked at.
    fn waves<V: View>(
        &self,
        view: V,
        bounds: &Bounds,
        progress: &mut dyn FnMut(Progress) -> Flow,
        report: &mut Report,
        mut take: impl FnMut(&mut Report, &[Match], GameId) -> Flow,
    ) -> Flow {
        let undecided = bounds.undecided();
        let total = undecided.len();
        let mut games = undecided.iter();
        let mut wave_games = match self.limit {
            u64::MAX => WAVE_GAMES_MAX,
            _ => WAVE_GAMES_MIN,
        };
        wave_games = (wave_games / (1 + self.plan.conditions / 8).pow(2)).max(1);
        let mut done = 0;
        loop {
            let turn = Turn::begin();
            let wave: Vec<GameId> = games.by_ref().take(wave_games).collect();
            let Some(&last) = wave.last() else {
                return Flow::Continue(());
            };
            done += wave.len() as u64;
            let mut hits = Vec::new();
            for found in self.decode(view, &wave) {
                report.decoded += found.decoded;
                report.add_damaged(found.damaged);
                hits.extend(found.hits);
            }
            wave_games = match turn.is_over() {
                true => (wave_games / 2).max(1),
                false => (wave_games * 2).min(WAVE_GAMES_MAX),
            };
            let flow = take(report, &hits, last);
            if flow.is_break() || progress(Progress { done, total }).is_break() {
                report.stopped_early = true;
                return Flow::Break(());
            }
        }
    }

    /// Decodes one wave in parallel; the results come in the order of the games.
    fn decode<V: View>(&self, view: V, wave: &[GameId]) -> Vec<Found> {
        let threads = rayon::current_num_threads();
        wave.par_chunks(wave.len().div_ceil(threads).clamp(1, TASK_GAMES))
            .map(|games| self.task(view, games))
            .collect()
    }

    fn task<V: View>(&self, view: V, games: &[GameId]) -> Found {
        let mut decider = Decider::new(self.plan, view, self.wants_plies);
        let mut found = Found::default();
        view.for_each_touched(games, |game, record| {
            let (decided, decoded) = decider.decide_open(game.0, record);
            found.decoded += u64::from(decoded);
            match decided {
                Ok(Some(spot)) => {
                    let spot = spot.filter(|_| self.wants_plies);
                    found.hits.push(Match::new(game, spot));
                }
                Ok(None) => {}
                Err(damage) => {
                    let error = self.database.damaged(game, record, damage);
                    found.damaged.push(error);
                }
            }
        });
        found
    }

    /// Returns the match of a game that the index knows to match. Its ply is known without
    /// decoding too.
    fn certain_match<V: View>(&self, decider: &mut Decider<'_, V>, view: V, game: GameId) -> Match {
        if !self.wants_plies {
            return Match::from(game);
        }
        let (decided, _) = decider.decide(game.0, &view.records()[game.index()]);
        Match::new(game, decided.ok().flatten().flatten())
    }
}

/// Merges certain games with found ones and hands them on.
struct Output<'s, I: Iterator<Item = GameId>, F> {
    certain: std::iter::Peekable<I>,
    certain_match: F,
    sink: Sink<'s>,
    limit: u64,
}

impl<I: Iterator<Item = GameId>, F: FnMut(GameId) -> Match> Output<'_, I, F> {
    /// Delivers `found` and all certain games up to `last`, or all of them.
    fn deliver(&mut self, report: &mut Report, found: &[Match], last: Option<GameId>) -> Flow {
        let mut found = found.iter().copied().peekable();
        loop {
            let certain = self.certain.peek().copied();
            let certain = certain.filter(|&game| last.is_none_or(|last| game <= last));
            let next = match (certain, found.peek()) {
                (Some(game), Some(hit)) if hit.game < game => found.next(),
                (Some(game), _) => {
                    self.certain.next();
                    Some((self.certain_match)(game))
                }
                (None, _) => found.next(),
            };
            let Some(hit) = next else {
                return Flow::Continue(());
            };
            if report.matched >= self.limit {
                return Flow::Break(());
            }
            report.matched += 1;
            (self.sink)(hit)?;
        }
    }
}
