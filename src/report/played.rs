//! Counts the next moves of many positions in one pass over the games.

use std::ops::Range;

use shakmaty::Color;
use tabiya_chess::{
    Flow, Follow, GameId, Placed, Rewind, Start,
    placement::{Placement, Placements},
    step::{Step, StepTaken},
};
use tabiya_formats::{
    Damage, Remaining, View,
    error::{Error, Result},
    figures::{FigureSums, Figures},
    progress::Progress,
    run_ordered,
    sound::Sound,
};

use crate::{database::Database, filter::GameSet, search::Report};

/// Number of games of one task.
const TASK_GAMES: usize = 1 << 16;
/// Number of concurrent tasks.
const TASKS: usize = 4;

/// The games that have one position.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    /// All of them, each once.
    pub(super) total: FigureSums,
    /// Their next moves. In variations a game may have several.
    pub(super) moves: Vec<(Step, FigureSums)>,
}

impl Rows {
    /// Creates rows from moves, of which each game has one.
    pub(super) fn of_moves(moves: Vec<(Step, FigureSums)>) -> Rows {
        let mut total = FigureSums::default();
        moves.iter().for_each(|(_, sums)| total.merge(sums));
        Rows { total, moves }
    }

    /// Returns the sums of a move.
    pub(super) fn sums(&self, step: Step) -> FigureSums {
        let known = self.moves.iter().find(|row| row.0 == step);
        known.map(|row| row.1).unwrap_or_default()
    }

    /// Returns the sums of a move, which is added if missing.
    #[inline]
    fn sums_of(&mut self, step: Step) -> &mut FigureSums {
        let known = self.moves.iter().position(|row| row.0 == step);
        let place = known.unwrap_or_else(|| {
            self.moves.push((step, FigureSums::default()));
            self.moves.len() - 1
        });
        &mut self.moves[place].1
    }

    /// Adds other games.
    pub(super) fn merge(&mut self, other: &Rows) {
        self.total.merge(&other.total);
        for (step, sums) in &other.moves {
            self.sums_of(*step).merge(sums);
        }
    }
}

/// Counts the next moves of the positions in some games of a database, all if none are named; adds
/// to `rows`, which are by position. With `variations` all moves of a game count.
pub(super) fn count<V: View>(
    variations: bool,
    (database, view): (&Database, V),
    wanted: &[Placement],
    among: Option<&GameSet>,
    rows: &mut [Rows],
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<Report> {
    let games: Option<Vec<GameId>> = among.map(|games| games.iter().collect());
    let total = games.as_ref().map_or(view.game_count(), Vec::len);
    if total > 0 {
        database.require_games()?;
    }
    let placements = wanted.iter().map(|place| (*place, Some(place.turn)));
    let run = Run {
        database,
        view,
        games: games.as_deref(),
        wanted: Placements::new(placements),
        least_men: wanted.iter().map(|place| place.men).min().unwrap_or(0),
        variations,
    };
    let mut report = Report::default();
    let tasks = (0..total).step_by(TASK_GAMES).map(|start| {
        let games = start..total.min(start + TASK_GAMES);
        let count = games.len();
        (Task::new(&run, games), count)
    });
    let deliver = |task: &mut Task<'_, V>, left| {
        if left == 0 {
            for (rows, more) in rows.iter_mut().zip(std::mem::take(&mut task.rows)) {
                rows.merge(&more);
            }
            report.decoded += task.games.len() as u64;
            report.add_damaged(std::mem::take(&mut task.damaged));
            report.add_harmed(std::mem::take(&mut task.harmed));
        }
        Ok(())
    };
    let ask = &mut |done| progress(Progress::of(done, total as u64));
    run_ordered(tasks, TASKS, Task::work, deliver, ask)?;
    Ok(report)
}

/// The inputs of a pass, which do not change.
struct Run<'a, V> {
    database: &'a Database,
    view: V,
    /// The games; `None` for all.
    games: Option<&'a [GameId]>,
    wanted: Placements,
    least_men: u32,
    variations: bool,
}

/// A range of the games, and the results so far.
struct Task<'r, V> {
    run: &'r Run<'r, V>,
    games: Range<usize>,
    /// By position.
    rows: Vec<Rows>,
    visits: Visits<'r>,
    sound: Sound,
    damaged: Vec<Error>,
    harmed: Vec<Error>,
}

impl<'r, V: View> Task<'r, V> {
    fn new(run: &'r Run<'r, V>, games: Range<usize>) -> Task<'r, V> {
        Task {
            run,
            games,
            rows: Vec::new(),
            visits: Visits::new(&run.wanted, run.least_men, run.variations),
            sound: Sound::default(),
            damaged: Vec::new(),
            harmed: Vec::new(),
        }
    }

    /// Counts the remaining games.
    fn work(&mut self, left: &mut Remaining) {
        let run = self.run;
        self.rows.resize_with(run.wanted.count(), Rows::default);
        let rest = self.games.end - left.count()..self.games.end;
        match run.games {
            Some(games) => {
                let _ = run.view.for_each_touched(&games[rest], |game, record| {
                    self.take(game, record);
                    left.done(1)
                });
            }
            None => {
                let first = rest.start;
                for (place, record) in run.view.records_in(rest).iter().enumerate() {
                    self.take(GameId((first + place) as u32), record);
                    if left.done(1).is_break() {
                        break;
                    }
                }
            }
        }
    }

    /// Counts a game.
    fn take(&mut self, game: GameId, record: &V::Record) {
        if let Err(damage) = self.follow(record) {
            self.damaged
                .push(self.run.database.damaged(game, record, damage));
            return;
        }
        if let Some(damage) = self.sound.damage() {
            self.harmed
                .push(self.run.database.damaged(game, record, damage));
        }
        let figures = Figures::of(record);
        let mut before = None;
        for &(position, step) in self.visits.of_game() {
            let rows = &mut self.rows[position as usize];
            // Those of one position follow each other.
            if before.replace(position) != Some(position) {
                rows.total.add(&figures);
            }
            rows.sums_of(step).add(&figures);
        }
    }

    fn follow(&mut self, record: &V::Record) -> std::result::Result<(), Damage> {
        self.sound.begin();
        self.visits.begin();
        if self.run.variations {
            self.sound.tree(self.run.view, record, &mut self.visits)
        } else {
            self.sound
                .main_line(self.run.view, record, &mut self.visits)
        }
    }
}

/// Follows a game and notes the wanted positions that it has, each with the next move.
struct Visits<'a> {
    wanted: &'a Placements,
    standard: Placement,
    /// With fewer men no wanted position can follow. Their number never grows.
    least_men: u32,
    /// Whether all moves after a position count, and not only that after its first occurrence.
    variations: bool,
    now: Now,
    /// The positions of the game, each with the next move; [`Step::END`] where it is not known yet.
    visits: Vec<(u32, Step)>,
    game: u32,
    /// By position: the last game that had it.
    last: Vec<u32>,
}

/// The present position.
#[derive(Debug, Clone, Copy)]
struct Now {
    place: Placement,
    /// The number of the position, if the next move counts.
    awaiting: Option<u32>,
    /// What the present ply has moved.
    taken: StepTaken,
}

impl<'a> Visits<'a> {
    fn new(wanted: &'a Placements, least_men: u32, variations: bool) -> Visits<'a> {
        let standard = Placement::new(&shakmaty::Board::new(), Color::White);
        Visits {
            wanted,
            standard,
            least_men,
            variations,
            now: Now {
                place: standard,
                awaiting: None,
                taken: StepTaken::default(),
            },
            visits: Vec::new(),
            game: 0,
            last: vec![u32::MAX; wanted.count()],
        }
    }

    /// Begins the next game.
    fn begin(&mut self) {
        self.visits.clear();
        // No task has this many games.
        self.game = self.game.wrapping_add(1);
    }

    /// Returns the moves of the game after wanted positions, each once; [`Step::END`] for a
    /// position from which no line goes on.
    fn of_game(&mut self) -> &[(u32, Step)] {
        if self.variations {
            self.visits.sort_unstable();
            self.visits.dedup();
            // `END` is the greatest step.
            let mut before = None;
            self.visits.retain(|&(position, step)| {
                let goes_on = before.replace(position) == Some(position);
                step != Step::END || !goes_on
            });
        }
        &self.visits
    }

    /// Looks the present position up.
    #[inline(always)]
    fn look(&mut self) -> Flow {
        let place = &self.now.place;
        if self.wanted.may_hold(place) | (place.men < self.least_men) {
            return self.settle();
        }
        Flow::Continue(())
    }

    /// Handles a position that may be wanted, or has too few men.
    #[inline(never)]
    fn settle(&mut self) -> Flow {
        let mut found = None;
        let wanted = self.wanted;
        wanted.look_up(&self.now.place, |position| found = Some(position));
        let is_first = |position: &usize| self.variations || self.last[*position] != self.game;
        if let Some(position) = found.filter(is_first) {
            self.last[position] = self.game;
            self.visits.push((position as u32, Step::END));
            self.now.awaiting = Some(position as u32);
            self.now.taken = StepTaken::default();
        }
        let is_over = self.now.place.men < self.least_men && !self.variations;
        if is_over {
            Flow::Break(())
        } else {
            Flow::Continue(())
        }
    }
}

impl Follow for Visits<'_> {
    /// [`begin`](Visits::begin) does this, since damaged games are followed twice.
    fn reset(&mut self) {}

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.visits.clear();
        self.now = Now {
            place: match start {
                Start::Standard => self.standard,
                custom => Placement::at(custom),
            },
            awaiting: None,
            taken: StepTaken::default(),
        };
        self.settle()
    }

    #[inline(always)]
    fn moved(&mut self, from: Placed, to: Placed) {
        self.now.place.shift(from, to);
        if self.now.awaiting.is_some() {
            self.now.taken.shift(from, to);
        }
    }

    #[inline(always)]
    fn remove(&mut self, gone: Placed) {
        self.now.place.remove(gone);
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.now.place.place(new);
        if self.now.awaiting.is_some() {
            self.now.taken.place(new);
        }
    }

    #[inline(always)]
    fn ply_done(&mut self) -> Flow {
        self.now.place.pass();
        if let Some(position) = self.now.awaiting.take() {
            let step = self.now.taken.step();
            match self.visits.last_mut() {
                Some(visit) if !self.variations => visit.1 = step,
                _ => self.visits.push((position, step)),
            }
        }
        self.look()
    }
}

impl Rewind for Visits<'_> {
    type Snapshot = Now;

    fn snapshot(&self) -> Now {
        self.now
    }

    fn restore(&mut self, now: &Now) {
        self.now = *now;
    }
}
