//! The pass: first the index decides what it can for each position, then each open game is decoded
//! once for all positions.

use std::time::Instant;

use tabiya_chess::{Flow, GameId, Tally};
use tabiya_formats::{
    Damage, Header, Remaining, View,
    error::{Error, Result},
    progress::Progress,
    run_ordered,
    sound::Sound,
};

use super::{
    PositionCount, PositionCounts, Positions,
    lookout::{Lookout, PositionIndex},
};
use crate::{
    database::Database,
    filter::{Batch, Lanes},
    plan::{Plan, Strategy},
    query::Query,
    search::{Report, Search},
};

/// Number of games of one task; a multiple of 64.
const TASK_GAMES: usize = 1 << 14;
/// Number of concurrent tasks.
const TASKS: usize = 8;
/// With more positions than this the index is not used: testing a game for all of them then takes
/// longer than decoding it.
const INDEXED_POSITIONS_MAX: usize = 64;
/// With more positions than this a sidecar is not used either: it takes about as long as playing
/// all games once.
const SIDECAR_POSITIONS_MAX: usize = 2048;

/// Counts the positions. See [`Positions::run`].
pub(super) fn counts<V: View>(
    positions: &Positions<'_>,
    database: &Database,
    view: V,
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<PositionCounts> {
    let started = Instant::now();
    let mut report = Report {
        games: view.game_count() as u64,
        ..Report::default()
    };
    let among = match (positions.query, positions.among) {
        (None, None) => None,
        (None, Some(games)) => {
            let mut words = words(database);
            games.iter().for_each(|game| mark(&mut words, game));
            Some(words)
        }
        (Some(query), _) => Some(games_of(positions, query, database, progress, &mut report)?),
    };
    let run = Run {
        positions,
        database,
        view,
        wanted: PositionIndex::new(&positions.wanted),
        plans: plans(positions, database)?,
        among,
    };
    report.bind_time = started.elapsed();
    let started = Instant::now();
    let known = if asks_sidecar(positions, database) {
        run.ask_sidecar(progress, &mut report)?
    } else {
        None
    };
    let counted = match known {
        Some(counted) => counted,
        None => run.execute(progress, &mut report)?,
    };
    report.decode_time = started.elapsed();
    let rows = counted.into_iter().map(|(tally, games)| PositionCount {
        tally,
        games: games.into_iter().collect(),
    });
    Ok(PositionCounts {
        rows: rows.collect(),
        report,
    })
}

/// Returns the games that match the query, one bit each.
fn games_of(
    positions: &Positions<'_>,
    query: &Query,
    database: &Database,
    progress: &mut dyn FnMut(Progress) -> Flow,
    report: &mut Report,
) -> Result<Vec<u64>> {
    let mut words = words(database);
    let mut search = Search::new(query)
        .strategy(positions.strategy)
        .variations(positions.variations);
    if let Some(among) = positions.among {
        search = search.among(among);
    }
    let found = search.for_all_games(database, |game| mark(&mut words, game), progress)?;
    report.decoded += found.decoded;
    report.add_damage_of(found);
    Ok(words)
}

/// Returns one bit for each game, none of them set.
fn words(database: &Database) -> Vec<u64> {
    vec![0; (database.len() as usize).div_ceil(64)]
}

fn mark(words: &mut [u64], game: GameId) {
    if let Some(word) = words.get_mut(game.index() / 64) {
        *word |= 1 << (game.0 % 64);
    }
}

/// Returns whether a sidecar is used for each position.
fn asks_sidecar(positions: &Positions<'_>, database: &Database) -> bool {
    positions.strategy == Strategy::Auto
        && positions.wanted.len() <= SIDECAR_POSITIONS_MAX
        && database.sidecar().is_some()
}

/// Returns a plan for each position; none if the index is not used.
fn plans(positions: &Positions<'_>, database: &Database) -> Result<Vec<Plan>> {
    let is_asked = positions.strategy == Strategy::Auto
        && positions.wanted.len() <= INDEXED_POSITIONS_MAX
        && !asks_sidecar(positions, database);
    let wanted = positions.wanted.iter().filter(|_| is_asked);
    wanted
        .map(|wanted| {
            let query = Query::from(wanted.fen.clone());
            Plan::new(
                &query,
                database,
                positions.strategy,
                positions.variations,
                &mut || Flow::Continue(()),
            )
        })
        .collect()
}

/// The inputs of a run, which do not change.
pub(super) struct Run<'a, V> {
    pub(super) positions: &'a Positions<'a>,
    pub(super) database: &'a Database,
    pub(super) view: V,
    pub(super) wanted: PositionIndex,
    /// By position; empty if the index is not used.
    plans: Vec<Plan>,
    /// The games that may count, one bit each; `None` if all do.
    pub(super) among: Option<Vec<u64>>,
}

/// The games of each position: by result, and as a list if they are kept.
pub(super) type Counted = Vec<(Tally, Vec<GameId>)>;

impl<V: View> Run<'_, V> {
    fn execute(
        &self,
        progress: &mut dyn FnMut(Progress) -> Flow,
        report: &mut Report,
    ) -> Result<Counted> {
        let mut counted: Counted = vec![Default::default(); self.positions.wanted.len()];
        let total = if counted.is_empty() {
            0
        } else {
            self.view.game_count()
        };
        let tasks = (0..total).step_by(TASK_GAMES).map(|start| {
            let end = total.min(start + TASK_GAMES);
            (Task::new(self, end), end - start)
        });
        let deliver = |task: &mut Task<'_, V>, left| {
            if task.decoded > 0 {
                self.database.require_games()?;
            }
            if left > 0 {
                return Ok(());
            }
            report.possible += task.possible;
            report.certain += task.possible - task.decoded;
            report.decoded += task.decoded;
            report.matched += task.matched;
            report.add_damaged(std::mem::take(&mut task.damaged));
            report.add_harmed(std::mem::take(&mut task.harmed));
            let found = std::mem::take(&mut task.counted);
            for ((sum, games), (tally, more)) in counted.iter_mut().zip(found) {
                sum.merge(&tally);
                games.extend(more);
            }
            Ok(())
        };
        let total = total as u64;
        let ask = &mut |done| progress(Progress::of(done, total));
        run_ordered(tasks, TASKS, Task::work, deliver, ask)?;
        Ok(counted)
    }

    /// Plays the main line, then all lines if variations are searched and there may be any.
    pub(super) fn follow(
        &self,
        record: &V::Record,
        sound: &mut Sound,
        lookout: &mut Lookout<'_>,
    ) -> std::result::Result<(), Damage> {
        let Positions {
            variations,
            strategy,
            ..
        } = *self.positions;
        sound.begin();
        sound.main_line(self.view, record, lookout)?;
        let may_have_some =
            strategy == Strategy::FullDecode || record.variation_count().at_most != 0;
        if variations && may_have_some && !lookout.is_content() {
            lookout.look_in_all_lines();
            sound.tree(self.view, record, lookout)?;
        }
        Ok(())
    }
}

/// A range of the games, and the results so far.
struct Task<'r, V> {
    run: &'r Run<'r, V>,
    /// The index after its last game.
    end: usize,
    counted: Counted,
    lookout: Lookout<'r>,
    sound: Sound,
    /// Games that the index does not exclude for all positions.
    possible: u64,
    decoded: u64,
    matched: u64,
    damaged: Vec<Error>,
    harmed: Vec<Error>,
}

impl<'r, V: View> Task<'r, V> {
    fn new(run: &'r Run<'r, V>, end: usize) -> Task<'r, V> {
        Task {
            run,
            end,
            counted: vec![Default::default(); run.positions.wanted.len()],
            lookout: Lookout::new(&run.wanted),
            sound: Sound::default(),
            possible: 0,
            decoded: 0,
            matched: 0,
            damaged: Vec::new(),
            harmed: Vec::new(),
        }
    }

    /// Counts the remaining games.
    fn work(&mut self, left: &mut Remaining) {
        let start = self.end - left.count();
        let records = self.run.view.records_in(start..self.end);
        let mut open = vec![0; self.run.plans.len()];
        for (first, records) in (start as u32..).step_by(64).zip(records.chunks(64)) {
            let mut present = u64::MAX >> (64 - records.len());
            if let Some(among) = &self.run.among {
                present &= among[first as usize / 64];
            }
            let known = if self.run.plans.is_empty() {
                Lanes {
                    certain: 0,
                    possible: present,
                }
            } else {
                self.ask_index(first, records, present, &mut open)
            };
            self.possible += u64::from(known.possible.count_ones());
            let undecided = if self.run.plans.is_empty() {
                present
            } else {
                open.iter().fold(0, |games, open| games | open)
            };
            let found = self.decode(first, undecided);
            self.matched += u64::from((known.certain | found).count_ones());
            if left.done(records.len()).is_break() {
                break;
            }
        }
    }

    /// Counts what the index decides of 64 games, and stores undecided games in `open`, by
    /// position. Returns the games that are certain to have some position, and those that may.
    fn ask_index(
        &mut self,
        first: u32,
        records: &[V::Record],
        present: u64,
        open: &mut [u64],
    ) -> Lanes {
        let mut all = Lanes::NONE;
        for (position, plan) in self.run.plans.iter().enumerate() {
            let lanes = plan
                .node
                .lanes(self.run.view, Batch::new(first, records))
                .and(Lanes::exact(present));
            all = all.or(lanes);
            open[position] = lanes.possible & !lanes.certain;
            let mut certain = lanes.certain;
            while certain != 0 {
                let lane = certain.trailing_zeros();
                self.count(position, GameId(first + lane), &records[lane as usize]);
                certain &= certain - 1;
            }
        }
        self.lookout.ask(open);
        all
    }

    fn count(&mut self, position: usize, game: GameId, record: &V::Record) {
        let (tally, games) = &mut self.counted[position];
        tally.add(record.result());
        if self.run.positions.keeps_games {
            games.push(game);
        }
    }

    /// Decodes some of 64 games. Returns those that have a wanted position.
    fn decode(&mut self, first: u32, undecided: u64) -> u64 {
        if undecided == 0 {
            return 0;
        }
        self.decoded += u64::from(undecided.count_ones());
        let lanes = (0..u64::BITS).filter(|lane| undecided >> lane & 1 == 1);
        let games: Vec<GameId> = lanes.map(|lane| GameId(first + lane)).collect();
        let mut found = 0;
        let _ = self.run.view.for_each_touched(&games, |game, record| {
            let lane = game.0 - first;
            self.lookout.begin(lane);
            let followed = self.run.follow(record, &mut self.sound, &mut self.lookout);
            if let Err(damage) = followed {
                let error = self.run.database.damaged(game, record, damage);
                self.damaged.push(error);
            }
            if let Some(damage) = self.sound.damage() {
                let error = self.run.database.damaged(game, record, damage);
                self.harmed.push(error);
            }
            for place in 0..self.lookout.found().len() {
                self.count(self.lookout.found()[place], game, record);
                found |= 1 << lane;
            }
            Flow::Continue(())
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::with_view;
    use crate::slow::ends_soon;

    #[test]
    fn positions_end_soon_whatever_a_game_costs() {
        let database = Database::open("fixtures/famous.si4").unwrap();
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b";
        let positions = Positions::from_epd(fen).unwrap();
        let positions = positions.strategy(Strategy::FullDecode);
        ends_soon(64, |games, ask| {
            let progress = &mut |_| ask();
            let counted = with_view!(database.tags(), view => {
                counts(&positions, &database, games.of(view), progress)
            });
            assert!(counted.is_ok() || ask().is_break());
        });
    }
}
