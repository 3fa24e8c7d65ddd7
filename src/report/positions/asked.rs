//! Counts many positions with a sidecar: first it is asked for each position, then each game that
//! is open for any of them is decoded once.

use tabiya_chess::{Flow, GameId, Tally};
use tabiya_formats::{
    Ask, Header, Remaining, View,
    error::{Error, Result},
    progress::Progress,
    run_ordered,
    sound::Sound,
};

use super::{
    WantedPosition,
    lookout::Lookout,
    run::{Counted, Run},
};
use crate::{filter::GameSet, plan::Plan, query::Query, search::Report, sidecar::BLOCK_WORDS};

/// Number of positions asked concurrently.
const TOGETHER: usize = 64;
/// Number of concurrent decoding tasks.
const TASKS: usize = 64;
/// Approximate number of open pairs of a game and a position in one task.
const TASK_PAIRS: usize = 512;

/// This many open pairs are always accepted.
const FEW_PAIRS: u64 = 1 << 16;

/// A game that may have a position, and the position's number.
type Pair = (GameId, u32);

/// The sidecar's data on one position.
struct Known {
    tally: Tally,
    /// The games that are certain to have it.
    games: GameSet,
    /// The games that may have it.
    open: GameSet,
}

/// Some pairs, and the results of decoding their games.
struct Task<'p> {
    pairs: &'p [Pair],
    games: Vec<GameId>,
    found: Vec<Pair>,
    damaged: Vec<Error>,
    harmed: Vec<Error>,
}

impl<V: View> Run<'_, V> {
    /// Counts by asking the sidecar. Returns `None` if it leaves open more games than one pass
    /// over all games is cheaper.
    ///
    /// # Errors
    /// `Interrupted` if `progress` breaks.
    pub(super) fn ask_sidecar(
        &self,
        progress: &mut dyn FnMut(Progress) -> Flow,
        report: &mut Report,
    ) -> Result<Option<Counted>> {
        let wanted = &self.positions.wanted;
        let among = self.among.as_ref().map(|words| games_in(words));
        let (mut counted, mut open) = (Counted::new(), Vec::new());
        let mut certain = GameSet::default();
        let mut leaves_too_much = false;
        let asked = wanted.iter().map(|position| ((position, None), 1));
        type Asked<'p> = (&'p WantedPosition, Option<Result<Known>>);
        let work = |(position, known): &mut Asked<'_>, left: &mut Remaining| {
            *known = Some(self.ask(position, among.as_ref()));
            let _ = left.done(1);
        };
        let deliver = |(_, known): &mut Asked<'_>, _| {
            let Some(known) = known.take() else {
                return Ok(());
            };
            let known = known?;
            if open.len() as u64 + known.open.len() > report.games.max(FEW_PAIRS) {
                leaves_too_much = true;
                return Err(Error::interrupted());
            }
            let number = counted.len() as u32;
            open.extend(known.open.iter().map(|game| (game, number)));
            certain = certain.or(&known.games);
            let games = if self.positions.keeps_games {
                known.games.iter().collect()
            } else {
                Vec::new()
            };
            counted.push((known.tally, games));
            Ok(())
        };
        let total = self.view.game_count() as u64;
        // Progress is reported as if games were counted one after the other.
        let games = |positions| total * positions / wanted.len().max(1) as u64;
        let ask = &mut |done| {
            let done = games(done);
            progress(Progress::of(done, total))
        };
        let told = run_ordered(asked, TOGETHER, work, deliver, ask);
        if leaves_too_much {
            return Ok(None);
        }
        told?;
        open.sort_unstable();
        let ask = &mut || progress(Progress::of(total, total));
        self.decode_pairs(&open, certain, &mut counted, report, ask)?;
        Ok(Some(counted))
    }

    fn ask(&self, position: &WantedPosition, among: Option<&GameSet>) -> Result<Known> {
        let query = Query::from(position.fen.clone());
        let positions = self.positions;
        let go_on = &mut || Flow::Continue(());
        let plan = Plan::new(
            &query,
            self.database,
            positions.strategy,
            positions.variations,
            go_on,
        )?;
        let bounds = plan.bounds(self.view, (None, false), go_on)?;
        let within = |games: GameSet| match among {
            Some(among) => games.and(among),
            None => games,
        };
        let open = within(bounds.undecided());
        let games = within(bounds.certain);
        let mut tally = Tally::default();
        for game in games.iter() {
            tally.add(self.view.record(game).result());
        }
        Ok(Known { tally, games, open })
    }

    /// Decodes the games of some ascending pairs, and counts their positions.
    fn decode_pairs(
        &self,
        open: &[Pair],
        certain: GameSet,
        counted: &mut Counted,
        report: &mut Report,
        ask: Ask<'_>,
    ) -> Result<()> {
        if !open.is_empty() {
            self.database.require_games()?;
        }
        let (mut matched, mut decoded) = (GameSet::default(), 0);
        let deliver = |task: &mut Task<'_>, left| {
            if left > 0 {
                return Ok(());
            }
            decoded += task.games.len() as u64;
            let pairs = std::mem::take(&mut task.found);
            matched.add_last(pairs.iter().map(|(game, _)| game.0));
            report.add_damaged(std::mem::take(&mut task.damaged));
            report.add_harmed(std::mem::take(&mut task.harmed));
            for (game, position) in pairs {
                let (tally, games) = &mut counted[position as usize];
                tally.add(self.view.record(game).result());
                if self.positions.keeps_games {
                    games.push(game);
                }
            }
            Ok(())
        };
        let work = |task: &mut Task<'_>, left: &mut Remaining| self.decode_task(task, left);
        run_ordered(tasks(open), TASKS, work, deliver, &mut |_| ask())?;
        report.decoded += decoded;
        let open = GameSet::of_list(open.iter().map(|(game, _)| game.0));
        let possible = certain.or(&open).len();
        report.possible += possible;
        report.certain += possible - decoded;
        report.matched += certain.or(&matched).len();
        for (_, games) in counted.iter_mut() {
            games.sort_unstable();
        }
        Ok(())
    }

    /// Decodes the remaining games of a task.
    fn decode_task(&self, task: &mut Task<'_>, left: &mut Remaining) {
        let mut lookout = Lookout::new(&self.wanted);
        let mut sound = Sound::default();
        let games = &task.games[task.games.len() - left.count()..];
        let _ = self.view.for_each_touched(games, |game, record| {
            let rest = &task.pairs[task.pairs.partition_point(|pair| pair.0 < game)..];
            let asked = &rest[..rest.partition_point(|pair| pair.0 == game)];
            lookout.begin_for(asked.iter().map(|&(_, position)| position as usize));
            if let Err(damage) = self.follow(record, &mut sound, &mut lookout) {
                let error = self.database.damaged(game, record, damage);
                task.damaged.push(error);
            }
            if let Some(damage) = sound.damage() {
                let error = self.database.damaged(game, record, damage);
                task.harmed.push(error);
            }
            let has = lookout.found().iter();
            let pairs = has.map(|&position| (game, position as u32));
            // Certain games may be found here again, so only open pairs count.
            let counts = |pair: &Pair| asked.binary_search(pair).is_ok();
            task.found.extend(pairs.filter(counts));
            left.done(1)
        });
    }
}

/// Splits pairs into tasks without splitting a game. Returns each with the number of its games.
fn tasks(mut open: &[Pair]) -> Vec<(Task<'_>, usize)> {
    let mut tasks = Vec::new();
    while let Some(last) = open.get(open.len().min(TASK_PAIRS).wrapping_sub(1)) {
        let end = open.partition_point(|pair| pair.0 <= last.0);
        let (pairs, after) = open.split_at(end);
        let mut games: Vec<GameId> = pairs.iter().map(|(game, _)| *game).collect();
        games.dedup();
        let count = games.len();
        let task = Task {
            pairs,
            games,
            found: Vec::new(),
            damaged: Vec::new(),
            harmed: Vec::new(),
        };
        tasks.push((task, count));
        open = after;
    }
    tasks
}

/// Converts a bitmap to a set of games.
fn games_in(words: &[u64]) -> GameSet {
    let mut games = GameSet::default();
    for (block, words) in (0..).zip(words.chunks(BLOCK_WORDS)) {
        games.add_block(block, words);
    }
    games
}
