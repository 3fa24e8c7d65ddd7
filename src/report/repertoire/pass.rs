//! Finds where games leave a repertoire, and counts what they play in its positions.

use std::{collections::HashMap, time::Instant};

use tabiya_chess::{Flow, GameId, Start, placement::Placement, step::Step};
use tabiya_formats::{
    Remaining, View,
    error::{Error, Result},
    figures::{FigureSums, Figures},
    progress::Progress,
    run_ordered,
    sound::Sound,
};

use super::RepertoireCheck;
use crate::{
    database::{Database, Needs, with_view},
    limits::LINE_POSITIONS_MAX,
    query::Query,
    repertoire::{Departure, Repertoire},
    report::played::{self, Rows},
    search::{Report, Search},
};

type Told<'a> = &'a mut dyn FnMut(Progress) -> Flow;

/// What the games of all databases do.
#[derive(Default)]
pub(super) struct Passed {
    /// By database: the games that have a position of the repertoire, ascending.
    pub(super) games: Vec<Vec<(GameId, Departure)>>,
    /// By the number of a position, and whether the games end there: those that leave after it, and
    /// their next moves.
    pub(super) leaving: HashMap<(u32, bool), Leaving>,
    pub(super) outside: u64,
    /// By position: what all games play there that have it.
    pub(super) rows: Vec<Rows>,
    pub(super) report: Report,
}

/// The games that leave at one place.
#[derive(Default)]
pub(super) struct Leaving {
    pub(super) sums: FigureSums,
    pub(super) next: HashMap<Step, u64>,
}

/// Passes over the games twice: for each one's place, and for what is played.
pub(super) fn over_games(
    check: &RepertoireCheck<'_>,
    databases: &[&Database],
    progress: Told<'_>,
) -> Result<Passed> {
    let started = Instant::now();
    let repertoire = check.repertoire;
    if repertoire.positions() > LINE_POSITIONS_MAX {
        return Err(Repertoire::too_large(LINE_POSITIONS_MAX));
    }
    let mut passed = Passed {
        rows: vec![Rows::default(); repertoire.positions()],
        ..Passed::default()
    };
    let places = repertoire.nodes().iter().map(|node| node.place);
    let wanted: Vec<Placement> = places.collect();
    for database in databases {
        let query = check.query.unwrap_or(&Query::All);
        let mut ids = Vec::new();
        let search = Search::new(query);
        let found = search.for_all_games(database, |game| ids.push(game), progress)?;
        ids.sort_unstable();
        let among = ids.iter().copied().collect();
        passed.report.games += u64::from(database.len());
        passed.report.matched += ids.len() as u64;
        passed.report.decoded += found.decoded;
        if ids.is_empty() {
            passed.games.push(Vec::new());
            continue;
        }
        database.require_games()?;
        let counted = database.unchanged(|| {
            with_view!(database.view(Needs::Moves, progress)?, view => {
                passed.leave(repertoire, (database, view), &ids, progress)?;
                let rows = &mut passed.rows;
                played::count(false, (database, view), &wanted, Some(&among), rows, progress)
            })
        })?;
        // The first pass has met the same damaged games.
        passed.report.decoded += counted.decoded;
    }
    passed.report.decode_time = started.elapsed();
    Ok(passed)
}

/// Number of games of one task, and of concurrent tasks.
const TASK_GAMES: usize = 1 << 13;
const TASKS: usize = 8;

/// Some games, and where they leave.
struct Task<'a> {
    repertoire: &'a Repertoire,
    games: &'a [GameId],
    standard: Placement,
    sound: Sound,
    left: Vec<(GameId, Departure, Figures)>,
    outside: u64,
    damaged: Vec<Error>,
    harmed: Vec<Error>,
}

impl Passed {
    /// Finds out where the games of a database leave.
    fn leave<V: View>(
        &mut self,
        repertoire: &Repertoire,
        (database, view): (&Database, V),
        ids: &[GameId],
        progress: Told<'_>,
    ) -> Result<()> {
        let tasks = ids.chunks(TASK_GAMES).map(|games| {
            let task = Task {
                repertoire,
                games,
                standard: Placement::at(Start::Standard),
                sound: Sound::default(),
                left: Vec::new(),
                outside: 0,
                damaged: Vec::new(),
                harmed: Vec::new(),
            };
            (task, games.len())
        });
        let work = |task: &mut Task<'_>, left: &mut Remaining| task.work((database, view), left);
        let mut games = Vec::new();
        let deliver = |task: &mut Task<'_>, left| {
            if left == 0 {
                self.take(task, &mut games);
            }
            Ok(())
        };
        let total = ids.len() as u64;
        run_ordered(tasks, TASKS, work, deliver, &mut |done| {
            progress(Progress::of(done, total))
        })?;
        self.games.push(games);
        Ok(())
    }

    fn take(&mut self, task: &mut Task<'_>, games: &mut Vec<(GameId, Departure)>) {
        for (game, departure, figures) in task.left.drain(..) {
            let key = (departure.number, departure.is_end());
            let leaving = self.leaving.entry(key).or_default();
            leaving.sums.add(&figures);
            *leaving.next.entry(departure.step).or_default() += 1;
            games.push((game, departure));
        }
        self.outside += task.outside;
        self.report.decoded += task.games.len() as u64;
        self.report.add_damaged(std::mem::take(&mut task.damaged));
        self.report.add_harmed(std::mem::take(&mut task.harmed));
    }
}

impl Task<'_> {
    /// Plays the remaining games.
    fn work<V: View>(&mut self, (database, view): (&Database, V), left: &mut Remaining) {
        let rest = &self.games[self.games.len() - left.count()..];
        let _ = view.for_each_touched(rest, |game, record| {
            self.sound.begin();
            let departure =
                self.repertoire
                    .departure((&self.standard, view), record, &mut self.sound);
            match departure {
                Ok(Some(departure)) => {
                    self.left.push((game, departure, Figures::of(record)));
                }
                Ok(None) => self.outside += 1,
                Err(damage) => self.damaged.push(database.damaged(game, record, damage)),
            }
            if let Some(damage) = self.sound.damage() {
                self.harmed.push(database.damaged(game, record, damage));
            }
            left.done(1)
        });
    }
}
