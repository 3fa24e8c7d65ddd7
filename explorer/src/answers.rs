//! What was found of filters, and what is being searched.
//!
//! The games of a filter are kept as sets, a few bits each, for the next click. Whoever asks for
//! one that is being searched joins that search.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use futures_util::future::{BoxFuture, FutureExt, Shared, WeakShared};
use tabiya::{Error, Flow, GameSet, Match, Search};

use crate::{cache::Cache, errors::Fault, limits::Ask, registry::DatabaseRef};

/// Matches between two questions whether to go on.
const MATCHES_PER_LOOK: usize = 1 << 14;
/// The games that match, of some databases.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The databases, as they were then.
    pub(crate) of: String,
    /// One for each of them, in their order.
    pub(crate) parts: Vec<Part>,
}

/// The games of one database.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) games: GameSet,
    /// Games that are left out because they are damaged.
    pub(crate) damaged: u64,
    /// Damaged games that were searched as far as they can be read.
    pub(crate) harmed: u64,
    /// Which these are, as far as they are listed.
    damaged_games: GameSet,
    harmed_games: GameSet,
}

/// An answer, or why there is none.
pub(crate) type Answered = Result<Arc<Answer>, Fault>;
/// A search for an answer.
pub(crate) type Running = BoxFuture<'static, Answered>;

/// What was found, and what is being searched.
#[derive(Debug)]
pub(crate) struct Answers {
    kept: Cache<Arc<Answer>>,
    running: Mutex<HashMap<String, WeakShared<Running>>>,
    /// Filters that were searched.
    searched: AtomicU64,
}

impl PartialEq for Answer {
    fn eq(&self, other: &Answer) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Answers {
    /// Returns room for this number of bytes of games.
    pub(crate) fn new(bytes_max: usize) -> Answers {
        Answers {
            kept: Cache::new(bytes_max),
            running: Mutex::default(),
            searched: AtomicU64::new(0),
        }
    }

    /// Forgets what was found.
    pub(crate) fn clear(&self) {
        self.kept.clear();
    }

    /// Returns how many filters were searched until now.
    pub(crate) fn searched(&self) -> u64 {
        self.searched.load(Ordering::Relaxed)
    }

    /// Notes that a filter is searched.
    pub(crate) fn note_searched(&self) {
        self.searched.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns what was found for a filter, by its key.
    pub(crate) fn kept(&self, key: &str) -> Option<Arc<Answer>> {
        self.kept.get(key)
    }

    /// Keeps what was found for a filter in some databases.
    pub(crate) fn keep(&self, key: String, answer: Arc<Answer>, held: &[DatabaseRef]) {
        let bytes = held.iter().zip(&answer.parts);
        let bytes = bytes.map(|(held, part)| part.bytes(held)).sum();
        self.kept.put(key, answer, bytes);
    }

    /// Tells whether a filter is being searched.
    pub(crate) fn is_running(&self, key: &str) -> bool {
        usable(&self.running(), key).is_some()
    }

    /// Joins the search for a filter that is under way, or begins one. Tells also whether it was
    /// under way.
    pub(crate) fn join(
        &self,
        key: String,
        begin: impl FnOnce() -> Running,
    ) -> (Shared<Running>, bool) {
        let mut running = self.running();
        if let Some(same) = usable(&running, &key) {
            return (same, true);
        }
        let search = begin().shared();
        running.retain(|_, other| other.upgrade().is_some());
        running.extend(search.downgrade().map(|search| (key, search)));
        (search, false)
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, WeakShared<Running>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a search that is under way. One that has failed is of no use to others.
fn usable(running: &HashMap<String, WeakShared<Running>>, key: &str) -> Option<Shared<Running>> {
    let search = running.get(key).and_then(WeakShared::upgrade)?;
    let is_usable = search.peek().is_none_or(Result::is_ok);
    is_usable.then_some(search)
}

impl Part {
    /// Searches a database.
    pub(crate) fn new(search: Search<'_>, held: &DatabaseRef, ask: &Ask) -> Result<Part, Fault> {
        let mut games = Vec::new();
        let sink = |found: Match| {
            games.push(found.game);
            match games.len() % MATCHES_PER_LOOK {
                0 => ask.flow(),
                _ => Flow::Continue(()),
            }
        };
        let report = search
            .plies(false)
            .on_progress(|_| ask.flow())
            .for_each(held, sink)?;
        ask.check()?;
        held.opened.met_damaged(report.damaged, report.harmed);
        Ok(Part {
            games: games.into_iter().collect(),
            damaged: report.damaged,
            harmed: report.harmed,
            damaged_games: listed(held, &report.damaged_games),
            harmed_games: listed(held, &report.harmed_games),
        })
    }

    /// Searches the same games for one thing more. What is damaged may have it too.
    pub(crate) fn with(
        &self,
        more: Search<'_>,
        held: &DatabaseRef,
        ask: &Ask,
    ) -> Result<Part, Fault> {
        let among = self.games.or(&self.damaged_games).or(&self.harmed_games);
        let found = Part::new(more.among(&among), held, ask)?;
        let damaged = found.games.and(&self.damaged_games);
        let harmed = found.games.and(&self.harmed_games);
        let harmed = harmed.without(&found.harmed_games);
        Ok(Part {
            games: found.games.and(&self.games),
            damaged: found.damaged + damaged.len(),
            harmed: found.harmed + harmed.len(),
            damaged_games: found.damaged_games.or(&damaged),
            harmed_games: found.harmed_games.or(&harmed),
        })
    }

    /// Tells whether all damaged games are listed.
    pub(crate) fn is_listed(&self) -> bool {
        self.damaged_games.len() == self.damaged && self.harmed_games.len() == self.harmed
    }

    /// Returns the bytes that it takes at most.
    fn bytes(&self, held: &DatabaseRef) -> usize {
        // A set has blocks of 65 536 games: lists of two bytes a game, or a bit for each.
        let blocks = (held.len() as usize).div_ceil(1 << 16);
        let bytes = |games: &GameSet| (4 * games.len() as usize).min(blocks << 13) + 48 * blocks;
        let sets = [&self.games, &self.damaged_games, &self.harmed_games];
        size_of::<Part>() + sets.map(bytes).iter().sum::<usize>()
    }
}

fn listed(held: &DatabaseRef, games: &[Error]) -> GameSet {
    let numbers = games.iter().filter_map(Error::game);
    numbers
        .filter_map(|number| held.game(number).ok())
        .collect()
}
