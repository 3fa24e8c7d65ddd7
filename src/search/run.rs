//! The search itself: one pass over the index, then the undecided games.

use std::time::{Duration, Instant};

use tabiya_chess::{Flow, GameId};
use tabiya_formats::{
    Remaining, View, Window, check_interrupt,
    error::{Error, Result},
    progress::Progress,
    run_ordered, task_items,
};

use super::{Match, Report};
use crate::{
    database::Database,
    filter::{Bounds, GameSet},
    plan::{Plan, decide::Decider},
};

/// Receives matches; `None` if they are only counted.
pub(super) type Sink<'s> = &'s mut dyn FnMut(Match) -> Flow;

/// Number of undecided games that one task decodes.
const TASK_GAMES: usize = 512;
/// Number of concurrent tasks. Few at first, so that a search with a limit ends soon; later more,
/// to keep all threads busy.
const WINDOW: Window = Window {
    first: 4,
    most: 256,
};

/// The inputs of a run, which do not change.
pub(super) struct Run<'a> {
    pub(super) database: &'a Database,
    pub(super) plan: &'a Plan,
    pub(super) wants_plies: bool,
    pub(super) limit: u64,
    /// The games that are searched; all of them without.
    pub(super) among: Option<&'a GameSet>,
    pub(super) bind_time: Duration,
}

/// The results of one task.
#[derive(Default)]
struct Found {
    hits: Vec<Match>,
    damaged: Vec<Error>,
    harmed: Vec<Error>,
    decoded: u64,
}

/// Some undecided games, and the results not yet delivered.
struct Task {
    games: Vec<GameId>,
    found: Found,
}

impl Run<'_> {
    pub(super) fn execute<V: View>(
        &self,
        view: V,
        sink: Option<Sink<'_>>,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<Report> {
        let (bounds, mut report) = self.bounds(view, progress)?;
        let started = Instant::now();
        match sink {
            Some(sink) => self.deliver(view, &bounds, sink, progress, &mut report),
            None => self.count(view, &bounds, progress, &mut report),
        }
        report.decode_time = started.elapsed();
        Ok(report)
    }

    /// Returns what the index proves, and the report so far.
    pub(super) fn bounds<V: View>(
        &self,
        view: V,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<(Bounds, Report)> {
        let started = Instant::now();
        let bounds = if self.plan.decodes_every_game() {
            let all = GameSet::all(self.database.len());
            Bounds {
                certain: GameSet::default(),
                possible: self
                    .among
                    .map_or_else(|| all.clone(), |games| all.and(games)),
            }
        } else {
            let total = self.database.len().into();
            let ask = &mut || progress(Progress::of(0, total));
            self.plan
                .bounds(view, (self.among, self.wants_plies), ask)?
        };
        let report = Report {
            games: view.game_count() as u64,
            possible: bounds.possible.len(),
            certain: bounds.certain.len(),
            bind_time: self.bind_time,
            index_time: started.elapsed(),
            ..Report::default()
        };
        if report.possible > report.certain {
            self.database.require_games()?;
        }
        Ok((bounds, report))
    }

    /// Counts certain games and those found by decoding.
    fn count<V: View>(
        &self,
        view: V,
        bounds: &Bounds,
        progress: &mut dyn FnMut(Progress) -> Flow,
        report: &mut Report,
    ) {
        report.matched = report.certain;
        let _ = self.decode(view, bounds, progress, report, |report, found, _| {
            report.matched += found.len() as u64;
            if report.matched < self.limit {
                Flow::Continue(())
            } else {
                Flow::Break(())
            }
        });
        report.matched = report.matched.min(self.limit);
    }

    /// Delivers certain games and those found by decoding in game order.
    pub(super) fn deliver<V: View>(
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
        let stopped = self.decode(view, bounds, progress, report, |report, found, last| {
            out.deliver(report, found, Some(last))
        });
        if stopped.is_continue() && out.deliver(report, &[], None).is_break() {
            report.stopped_early = true;
        }
    }

    /// Decodes the undecided games. `take` receives matches in order, and the last game examined so
    /// far.
    fn decode<V: View>(
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
        let task_games = task_items(usize::try_from(total).unwrap_or(usize::MAX), TASK_GAMES);
        let tasks = std::iter::from_fn(|| {
            let games: Vec<GameId> = games.by_ref().take(task_games).collect();
            let (found, count) = (Found::default(), games.len());
            (count > 0).then_some((Task { games, found }, count))
        });
        let window = match self.limit {
            u64::MAX => Window::from(WINDOW.most),
            _ => WINDOW,
        };
        let deliver = |task: &mut Task, left: usize| {
            let found = std::mem::take(&mut task.found);
            report.decoded += found.decoded;
            report.add_harmed(found.harmed);
            report.add_damaged(found.damaged);
            match task.games[..task.games.len() - left].last() {
                Some(&last) => check_interrupt(&mut || take(report, &found.hits, last)),
                None => Ok(()),
            }
        };
        let work = |task: &mut Task, left: &mut Remaining| self.work(view, task, left);
        let ask = &mut |done| progress(Progress::of(done, total));
        match run_ordered(tasks, window, work, deliver, ask) {
            Ok(()) => Flow::Continue(()),
            // `run_ordered` returns no other errors here.
            Err(_) => {
                report.stopped_early = true;
                Flow::Break(())
            }
        }
    }

    fn work<V: View>(&self, view: V, task: &mut Task, left: &mut Remaining) {
        let mut decider = Decider::new(self.plan, view, self.wants_plies);
        let Task { games, found } = task;
        let games = &games[games.len() - left.count()..];
        let _ = view.for_each_touched(games, |game, record| {
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
            if let Some(damage) = decider.damage() {
                let error = self.database.damaged(game, record, damage);
                found.harmed.push(error);
            }
            left.done(1)
        });
    }

    /// Returns the match of a game that matches by the index alone. If plies are wanted, its ply is
    /// known without decoding too.
    fn certain_match<V: View>(&self, decider: &mut Decider<'_, V>, view: V, game: GameId) -> Match {
        if !self.wants_plies {
            return Match::from(game);
        }
        let (decided, _) = decider.decide(game.0, view.record(game));
        Match::new(game, decided.ok().flatten().flatten())
    }
}

/// Merges certain games with those found by decoding and delivers them.
struct Output<'s, I: Iterator<Item = GameId>, F> {
    certain: std::iter::Peekable<I>,
    certain_match: F,
    sink: Sink<'s>,
    limit: u64,
}

impl<I: Iterator<Item = GameId>, F: FnMut(GameId) -> Match> Output<'_, I, F> {
    /// Delivers `found` and all certain games up to `last`, or up to the end without `last`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slow::ends_soon;
    use crate::{database::with_view, plan::Strategy, query::Query};

    #[test]
    fn a_search_ends_soon_whatever_a_game_costs() {
        let database = Database::open("fixtures/famous.si4").unwrap();
        let query: Query = "check".parse().unwrap();
        let search = super::super::Search::new(&query).strategy(Strategy::FullDecode);
        let plan = search.plan(&database, &mut || Flow::Continue(())).unwrap();
        let run = Run {
            database: &database,
            plan: &plan,
            wants_plies: true,
            limit: u64::MAX,
            among: None,
            bind_time: Duration::ZERO,
        };
        ends_soon(0, |games, ask| {
            let sink = &mut |_| Flow::Continue(());
            let mut last = 0;
            let progress = &mut |at: Progress| {
                assert!(at.done >= last && Some(at.done) <= at.total);
                last = at.done;
                ask()
            };
            with_view!(database.tags(), view => {
                run.execute(games.of(view), Some(sink), progress)
            })
            .unwrap();
        });
    }
}
