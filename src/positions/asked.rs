//! Many positions with a sidecar: what it knows is asked position by position, then each game
//! that is open for any of them is decoded once.

use rayon::prelude::*;

use super::{
    WantedPosition,
    lookout::Lookout,
    run::{Counted, Run},
};
use crate::{
    chess::{Flow, GameId, Tally},
    error::{Error, Result},
    filter::GameSet,
    format::{Header, Scratch, View},
    plan::Plan,
    query::Query,
    search::{Progress, Report},
    sidecar::BLOCK_WORDS,
};

/// Positions that are asked at the same time.
const TOGETHER: usize = 64;
/// Open pairs of a game and a position that one task takes, and a few more.
const TASK_PAIRS: usize = 512;

/// So many open pairs are never too many.
const FEW_PAIRS: u64 = 1 << 16;

/// A game that may have a position, and the position's number.
type Pair = (GameId, u32);

/// What the sidecar knows of one position.
struct Known {
    tally: Tally,
    /// The games that have it for certain.
    games: GameSet,
    /// Games that may have it.
    open: GameSet,
}

/// What one task found in its games.
#[derive(Default)]
struct Found {
    pairs: Vec<Pair>,
    decoded: u64,
    damaged: Vec<Error>,
}

impl<V: View> Run<'_, V> {
    /// Counts by asking the sidecar; `None` when it leaves so much open that one pass over all
    /// games is cheaper.
    ///
    /// # Errors
    /// `Interrupted` when `progress` breaks.
    pub(super) fn ask_sidecar(
        &self,
        progress: &mut dyn FnMut(Progress) -> Flow,
        report: &mut Report,
    ) -> Result<Option<Counted>> {
        let wanted = &self.positions.wanted;
        let among = self.among.as_ref().map(|words| games_in(words));
        let (mut counted, mut open) = (Counted::new(), Vec::new());
        let mut certain = GameSet::default();
        for positions in wanted.chunks(TOGETHER) {
            let known: Result<Vec<Known>> = positions
                .par_iter()
                .map(|position| self.ask(position, among.as_ref()))
                .collect();
            for known in known? {
                if open.len() as u64 + known.open.len() > report.games.max(FEW_PAIRS) {
                    return Ok(None);
                }
                let number = counted.len() as u32;
                open.extend(known.open.iter().map(|game| (game, number)));
                certain = certain.or(&known.games);
                let games = match self.positions.keeps_games {
                    true => known.games.iter().collect(),
                    false => Vec::new(),
                };
                counted.push((known.tally, games));
            }
            self.tell(counted.len(), progress)?;
        }
        open.sort_unstable();
        self.decode_pairs(&open, certain, &mut counted, report)?;
        Ok(Some(counted))
    }

    /// Tells how far it is, as if games were counted one after the other.
    fn tell(&self, positions: usize, progress: &mut dyn FnMut(Progress) -> Flow) -> Result<()> {
        let total = self.view.records().len() as u64;
        let done = total * positions as u64 / self.positions.wanted.len() as u64;
        match progress(Progress { done, total }).is_break() {
            true => Err(Error::interrupted()),
            false => Ok(()),
        }
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
        let bounds = plan.bounds(self.view, false, go_on)?;
        let within = |games: GameSet| match among {
            Some(among) => games.and(among),
            None => games,
        };
        let open = within(bounds.undecided());
        let games = within(bounds.certain);
        let mut tally = Tally::default();
        for game in games.iter() {
            tally.add(self.view.records()[game.index()].result());
        }
        Ok(Known { tally, games, open })
    }

    /// Decodes the games of some pairs, which ascend, and counts what they have.
    fn decode_pairs(
        &self,
        open: &[Pair],
        certain: GameSet,
        counted: &mut Counted,
        report: &mut Report,
    ) -> Result<()> {
        if !open.is_empty() {
            self.database.require_games()?;
        }
        let found: Vec<Found> = tasks(open)
            .into_par_iter()
            .map(|pairs| self.decode_task(pairs))
            .collect();
        let mut matched = GameSet::default();
        let decoded: u64 = found.iter().map(|found| found.decoded).sum();
        report.decoded += decoded;
        for found in found {
            matched.add_last(found.pairs.iter().map(|(game, _)| game.0));
            report.add_damaged(found.damaged);
            for (game, position) in found.pairs {
                let (tally, games) = &mut counted[position as usize];
                tally.add(self.view.records()[game.index()].result());
                if self.positions.keeps_games {
                    games.push(game);
                }
            }
        }
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

    fn decode_task(&self, open: &[Pair]) -> Found {
        let mut lookout = Lookout::new(&self.wanted);
        let (mut scratch, mut found) = (Scratch::default(), Found::default());
        let mut games: Vec<GameId> = open.iter().map(|(game, _)| *game).collect();
        games.dedup();
        found.decoded = games.len() as u64;
        let mut of_games = open.chunk_by(|one, other| one.0 == other.0);
        self.view.for_each_touched(&games, |game, record| {
            let asked = of_games.next().unwrap_or_default();
            lookout.begin_for(asked.iter().map(|&(_, position)| position as usize));
            if let Err(damage) = self.follow(record, &mut scratch, &mut lookout) {
                let error = self.database.damaged(game, record, damage);
                found.damaged.push(error);
            }
            let has = lookout.found().iter();
            let pairs = has.map(|&position| (game, position as u32));
            // What is known for certain is found here again.
            let counts = |pair: &Pair| asked.binary_search(pair).is_ok();
            found.pairs.extend(pairs.filter(counts));
        });
        found
    }
}

/// Cuts pairs into tasks, never within a game.
fn tasks(mut open: &[Pair]) -> Vec<&[Pair]> {
    let mut tasks = Vec::new();
    while let Some(last) = open.get(open.len().min(TASK_PAIRS).wrapping_sub(1)) {
        let end = open.partition_point(|pair| pair.0 <= last.0);
        let (task, behind) = open.split_at(end);
        tasks.push(task);
        open = behind;
    }
    tasks
}

/// Returns the games of one bit each.
fn games_in(words: &[u64]) -> GameSet {
    let mut games = GameSet::default();
    for (block, words) in (0..).zip(words.chunks(BLOCK_WORDS)) {
        games.add_block(block, words);
    }
    games
}
