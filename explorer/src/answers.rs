//! The games of filters: each is searched once for all who ask at the same time, and kept.
//!
//! The page asks for rows, charts and moves of one filter at once. The first request starts the
//! search, the others wait for it, and it ends early only when all of them are gone. What it has
//! found is kept as sets of games, a few bits each, for the next click.
//!
//! A position is told apart from the rest of a filter: whoever steps from position to position
//! within one filter has the same rest. Its games are searched once, and those with the position
//! among them.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use futures_util::future::{BoxFuture, FutureExt, Shared, WeakShared};
use shakmaty::Bitboard;
use tabiya::{
    Error, Flow, GameId, GameSet, Match, Query, Search,
    query::{Condition, PositionTest, Sequence},
};

use crate::{
    cache::Cache,
    errors::Fault,
    limits::Ask,
    state::{self, Explorer, Held},
};

/// Matches between two questions whether to go on.
const MATCHES_PER_LOOK: usize = 1 << 14;
/// A position is common if more than one of so many games may have it. Of a rare one, all of the
/// query is asked at once: that takes less than finding all games of the rest.
const COMMON_SHARE: u64 = 8;

/// What is asked of games; and what was found, once it is.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    query: Query,
    variations: bool,
    apart: Option<Apart>,
    answer: Option<Arc<Answer>>,
}

/// The position that a query asks for, and the rest of the query.
#[derive(Debug, Clone)]
struct Apart {
    position: Query,
    rest: Box<Filter>,
}

/// The games that match, of some databases.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The databases, as they were then.
    of: String,
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

type Asked = Result<Arc<Answer>, Fault>;
type Running = BoxFuture<'static, Asked>;

/// What was found, and what is being searched.
#[derive(Debug)]
pub(crate) struct Answers {
    kept: Cache<Arc<Answer>>,
    running: Mutex<HashMap<String, WeakShared<Running>>>,
    /// Filters that were searched.
    searched: AtomicU64,
}

impl Filter {
    pub(crate) fn new(query: Query, variations: bool) -> Filter {
        let apart = apart(&query).map(|(position, rest)| Apart {
            position,
            rest: Box::new(Filter::whole(rest, variations)),
        });
        Filter {
            apart,
            ..Filter::whole(query, variations)
        }
    }

    fn whole(query: Query, variations: bool) -> Filter {
        Filter {
            query,
            variations,
            apart: None,
            answer: None,
        }
    }

    /// Returns what makes games differ.
    fn key(&self, of: &str) -> String {
        let variations = self.variations;
        match &self.apart {
            Some(Apart { position, rest }) => {
                format!("{of} {variations} {position} {}", rest.query)
            }
            None => format!("{of} {variations} - {}", self.query),
        }
    }

    /// Finds the games, or waits until they are found for another request.
    ///
    /// # Errors
    /// Those of [`Explorer::search`].
    pub(crate) async fn ask(
        &mut self,
        explorer: &Arc<Explorer>,
        databases: &[String],
    ) -> Result<(), Fault> {
        let key = self.key(&state::key(&explorer.held(databases)?));
        if let Some(kept) = explorer.filtered.kept.get(&key) {
            self.answer = Some(kept);
            return Ok(());
        }
        let (search, is_shared) = explorer.begin(self, databases)?;
        let mut asked = search.await;
        if is_shared && asked == Err(Fault::Slow) {
            // The time that was over was that of the first who asked.
            let (search, _) = explorer.begin(self, databases)?;
            asked = search.await;
        }
        self.answer = Some(asked?);
        Ok(())
    }

    /// Returns the games of these databases, which are searched now if they were not, or not as
    /// they are now.
    ///
    /// # Errors
    /// Those of a search.
    pub(crate) fn games(&self, explorer: &Explorer, held: &[Held], ask: &Ask) -> Asked {
        match self.known(&explorer.filtered, &state::key(held)) {
            Some(answer) => Ok(answer),
            None => explorer.filtered.find(self, held, ask),
        }
    }

    /// Returns the games of these databases if they are known.
    fn known(&self, answers: &Answers, of: &str) -> Option<Arc<Answer>> {
        let answer = self.answer.clone().filter(|answer| answer.of == of);
        answer.or_else(|| answers.kept.get(&self.key(of)))
    }
}

impl PartialEq for Answer {
    fn eq(&self, other: &Answer) -> bool {
        std::ptr::eq(self, other)
    }
}

/// Tells the position that a query asks for from the rest, if it asks for one and for more.
fn apart(query: &Query) -> Option<(Query, Query)> {
    let Query::And(parts) = query else {
        return None;
    };
    let mut positions = parts.iter().enumerate();
    let (place, position) = positions.find_map(|(place, part)| Some((place, position(part)?)))?;
    let rest = parts
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != place);
    Some((position, Query::all_of(rest.map(|(_, part)| part.clone()))))
}

/// Returns a query for a position as all write it, without the rights that it does not compare.
fn position(query: &Query) -> Option<Query> {
    let Query::Position(Sequence { first, .. }) = query else {
        return None;
    };
    let [
        Condition {
            test: PositionTest::Fen(fen),
            ..
        },
    ] = &first.conditions[..]
    else {
        return None;
    };
    let mut fen = (**fen).clone();
    let is_plain = Query::from(fen.clone()) == *query;
    (fen.castling, fen.en_passant) = (Bitboard::EMPTY, None);
    is_plain.then(|| Query::from(fen))
}

impl Explorer {
    /// Returns how many filters were searched until now: whoever asks for one that is being
    /// searched, or is kept, makes no new one.
    #[must_use]
    pub fn searched(&self) -> u64 {
        self.filtered.searched.load(Ordering::Relaxed)
    }

    /// Begins a search, or joins one for the same games. Tells also which of both.
    fn begin(
        self: &Arc<Self>,
        filter: &Filter,
        databases: &[String],
    ) -> Result<(Shared<Running>, bool), Fault> {
        let key = filter.key(&state::key(&self.held(databases)?));
        let mut running = self.filtered.running();
        if let Some(same) = usable(&running, &key) {
            return Ok((same, true));
        }
        let (explorer, databases, mut filter) = (self.clone(), databases.to_vec(), filter.clone());
        let search = async move {
            if let Some(apart) = &mut filter.apart {
                explorer.ask_rest(apart, &databases).await?;
            }
            let find = move |explorer: &Explorer, held: &[Held], ask: &Ask| {
                explorer.filtered.find(&filter, held, ask)
            };
            explorer.search(databases, find).await
        };
        let search = search.boxed().shared();
        running.retain(|_, other| other.upgrade().is_some());
        running.extend(search.downgrade().map(|search| (key, search)));
        Ok((search, false))
    }

    /// Finds the games of the rest of a filter first, if others ask for them or will: many games
    /// have the position, and the next one is soon asked for.
    async fn ask_rest(
        self: &Arc<Self>,
        apart: &mut Apart,
        databases: &[String],
    ) -> Result<(), Fault> {
        let key = apart.rest.key(&state::key(&self.held(databases)?));
        let is_running = usable(&self.filtered.running(), &key).is_some();
        if is_running || self.filtered.kept.get(&key).is_some() {
            // If that goes wrong, all of the query is asked.
            let _ = apart.rest.ask(self, databases).await;
            return Ok(());
        }
        let (position, variations) = (apart.position.clone(), apart.rest.variations);
        let is_common = self.search(databases.to_vec(), move |_, held, _| {
            is_common(&Search::new(&position).variations(variations), held)
        });
        if is_common.await? {
            apart.rest.ask(self, databases).await?;
        }
        Ok(())
    }
}

/// Returns a search that is under way. One that has failed is of no use to others.
fn usable(running: &HashMap<String, WeakShared<Running>>, key: &str) -> Option<Shared<Running>> {
    let search = running.get(key).and_then(WeakShared::upgrade)?;
    let is_usable = search.peek().is_none_or(Result::is_ok);
    is_usable.then_some(search)
}

impl Answers {
    /// Returns room for so many bytes of games.
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

    fn running(&self) -> MutexGuard<'_, HashMap<String, WeakShared<Running>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the games of a filter.
    fn find(&self, filter: &Filter, held: &[Held], ask: &Ask) -> Asked {
        let of = state::key(held);
        let key = filter.key(&of);
        if let Some(kept) = self.kept.get(&key) {
            return Ok(kept);
        }
        let search = |query| Search::new(query).variations(filter.variations);
        let all = filter.apart.as_ref().and_then(|apart| {
            let all = apart.rest.known(self, &of)?;
            let is_listed = all.parts.iter().all(Part::is_listed);
            is_listed.then_some((search(&apart.position), all))
        });
        let parts: Result<Vec<Part>, Fault> = match all {
            Some((position, all)) => {
                let parts = held.iter().zip(&all.parts);
                let with = |(held, all): (_, &Part)| all.with(position.clone(), held, ask);
                parts.map(with).collect()
            }
            None => {
                self.searched.fetch_add(1, Ordering::Relaxed);
                let part = |held| Part::new(search(&filter.query), held, ask);
                held.iter().map(part).collect()
            }
        };
        let parts = parts?;
        let answer = Arc::new(Answer { of, parts });
        let bytes = held.iter().zip(&answer.parts);
        let bytes = bytes.map(|(held, part)| part.bytes(held)).sum();
        self.kept.put(key, answer.clone(), bytes);
        Ok(answer)
    }
}

/// Tells whether many games may have a position.
fn is_common(position: &Search<'_>, held: &[Held]) -> Result<bool, Fault> {
    let (mut possible, mut all) = (0, 0);
    for held in held {
        possible += position.bounds(held)?.possible.len();
        all += u64::from(held.len());
    }
    Ok(possible > all / COMMON_SHARE)
}

impl Part {
    /// Searches a database.
    fn new(search: Search<'_>, held: &Held, ask: &Ask) -> Result<Part, Fault> {
        let mut games = Vec::new();
        let sink = |found: Match| {
            games.push(found.game);
            match games.len() % MATCHES_PER_LOOK {
                0 => ask.flow(),
                _ => Flow::Continue(()),
            }
        };
        let report = search.plies(false).for_each(held, sink, |_| ask.flow())?;
        ask.check()?;
        held.opened.met_damaged(report.damaged);
        Ok(Part {
            games: games.into_iter().collect(),
            damaged: report.damaged,
            harmed: report.harmed,
            damaged_games: listed(&report.damaged_games),
            harmed_games: listed(&report.harmed_games),
        })
    }

    /// Searches the same games for one thing more. What is damaged may have it too.
    fn with(&self, more: Search<'_>, held: &Held, ask: &Ask) -> Result<Part, Fault> {
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
    fn is_listed(&self) -> bool {
        self.damaged_games.len() == self.damaged && self.harmed_games.len() == self.harmed
    }

    /// Returns the bytes that it takes at most.
    fn bytes(&self, held: &Held) -> usize {
        // A set has blocks of 65 536 games: lists of two bytes a game, or a bit for each.
        let blocks = (held.len() as usize).div_ceil(1 << 16);
        let bytes = |games: &GameSet| (4 * games.len() as usize).min(blocks << 13) + 48 * blocks;
        let sets = [&self.games, &self.damaged_games, &self.harmed_games];
        size_of::<Part>() + sets.map(bytes).iter().sum::<usize>()
    }
}

fn listed(games: &[Error]) -> GameSet {
    let numbers = games.iter().filter_map(Error::game);
    numbers.filter_map(GameId::from_number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Limits, Options};
    use clap::Parser;
    use std::{
        path::Path,
        pin::pin,
        task::{Context, Poll, Waker},
        time::Duration,
    };

    fn explorer(limits: Limits) -> Arc<Explorer> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        opened(&root.join("../fixtures/famous.si4"), limits)
    }

    fn opened(path: &Path, limits: Limits) -> Arc<Explorer> {
        let options = Options::parse_from(["tabiya-explorer".as_ref(), path.as_os_str()]);
        let explorer = Explorer::open(&Options { limits, ..options });
        Arc::new(explorer.expect("a database"))
    }

    /// Keeps nothing, so that only what is under way is shared.
    fn forgetful() -> Arc<Explorer> {
        explorer(Limits {
            cache: 0,
            ..Limits::default()
        })
    }

    fn filter(query: &str) -> Filter {
        Filter::new(query.parse().expect("a query"), false)
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Runtime::new().expect("a runtime")
    }

    #[test]
    fn who_asks_while_a_filter_is_searched_waits_for_it() {
        let explorer = forgetful();
        let (mut one, mut other) = (filter("mate"), filter("mate"));
        runtime().block_on(async {
            let asked = tokio::join!(one.ask(&explorer, &[]), other.ask(&explorer, &[]));
            assert_eq!(asked, (Ok(()), Ok(())));
        });
        assert_eq!(explorer.searched(), 1);
        assert!(one.answer.is_some() && one.answer == other.answer);
        assert!(
            one.answer
                .is_some_and(|found| !found.parts[0].games.is_empty())
        );
    }

    #[test]
    fn who_leaves_does_not_end_a_search_that_others_wait_for() {
        let explorer = forgetful();
        let (mut one, mut other) = (filter("mate"), filter("mate"));
        runtime().block_on(async {
            let mut first = Box::pin(one.ask(&explorer, &[]));
            let mut second = pin!(other.ask(&explorer, &[]));
            let mut context = Context::from_waker(Waker::noop());
            let _ = first.as_mut().poll(&mut context);
            let soon = second.as_mut().poll(&mut context);
            drop(first);
            let asked = match soon {
                Poll::Ready(asked) => asked,
                Poll::Pending => second.await,
            };
            assert_eq!(asked, Ok(()));
        });
        assert_eq!(explorer.searched(), 1);
        assert!(other.answer.is_some());
    }

    #[test]
    fn a_search_that_nobody_waits_for_any_more_is_begun_anew() {
        let explorer = forgetful();
        runtime().block_on(async {
            let mut context = Context::from_waker(Waker::noop());
            {
                let mut gone = filter("mate");
                let mut first = pin!(gone.ask(&explorer, &[]));
                let _ = first.as_mut().poll(&mut context);
            }
            assert_eq!(filter("mate").ask(&explorer, &[]).await, Ok(()));
        });
    }

    #[test]
    fn who_waited_shorter_than_a_search_may_take_asks_once_more() {
        let explorer = explorer(Limits {
            search_time: Duration::from_nanos(1),
            ..Limits::default()
        });
        let (mut one, mut other) = (filter("mate"), filter("mate"));
        runtime().block_on(async {
            let asked = tokio::join!(one.ask(&explorer, &[]), other.ask(&explorer, &[]));
            assert_eq!(asked, (Err(Fault::Slow), Err(Fault::Slow)));
        });
        assert_eq!(explorer.searched(), 2);
    }

    /// Sound games, one of which nothing can be read, and some that break off: before and behind
    /// the position and what the filter asks for.
    const GAMES: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n1. Ke3 e5 2. Nf3 *\n\n\
        [White \"x\"]\n\n1. Ke3 *\n\n1. e4 e5 2. Ke3 *\n\n1. e4 e5 2. Nf3 Ke3 *\n\n\
        [White \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 Ke3 *\n\n1. d4 d5 2. Nf3 Ke3 *\n\n\
        [White \"x\"]\n\n1. e4 c5 2. Nf3 d6 *\n\n1. Nf3 Nc6 2. e4 e5 3. Bc4 *\n\n";

    #[test]
    fn games_with_a_position_are_those_of_the_whole_query() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hurt.pgn");
        std::fs::write(&path, GAMES).expect("a file");
        let explorer = opened(&path, Limits::default());
        let held = explorer.held(&[]).expect("the database");
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b";
        let rests = [
            "piece:Bb5",
            "not piece:Bb5",
            "plies>=4",
            "white:x",
            "not white:x",
            "piece:Nc6 or white:x",
        ];
        let mut harmed = 0;
        for rest in rests {
            let mut filter = filter(&format!("fen:\"{fen}\" ({rest})"));
            let mut alone = self::filter(rest);
            runtime().block_on(async {
                assert_eq!(alone.ask(&explorer, &[]).await, Ok(()));
                let searched = explorer.searched();
                assert_eq!(filter.ask(&explorer, &[]).await, Ok(()));
                assert_eq!(explorer.searched(), searched, "{rest}");
            });
            let found = filter.answer.clone().expect("the games");
            let whole = Search::new(&filter.query).plies(false).run(&held[0]);
            let whole = whole.expect("the games");
            let part = &found.parts[0];
            let report = whole.report();
            assert_eq!(part.games, whole.games(), "{rest}");
            assert_eq!(part.damaged, report.damaged, "{rest}");
            // A game that cannot have the position may be read in part for the rest alone.
            assert!(part.harmed <= report.harmed, "{rest}: {}", part.harmed);
            harmed += part.harmed;
        }
        assert!(harmed > 0);
    }

    #[test]
    fn a_position_is_told_apart_however_it_is_written() {
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b";
        let key = |query: &str| filter(query).key("0");
        let one = key(&format!("fen:\"{fen}\" (white:x mate\n)"));
        for same in [
            format!("white:x mate fen:\"{fen}\""),
            format!("white:x fen:\"{fen} KQkq e3 0 1\" mate"),
        ] {
            assert_eq!(key(&same), one, "{same}");
        }
        for other in [
            "white:x mate".to_owned(),
            format!("white:x mate at(fen:\"{fen}\" flip)"),
            format!("white:x mate not fen:\"{fen}\""),
            format!("white:x mate at(fen:\"{fen}\" check)"),
        ] {
            assert!(filter(&other).apart.is_none(), "{other}");
        }
        let alone = filter(&format!("fen:\"{fen}\""));
        assert!(alone.apart.is_none());
        let two = filter(&format!("fen:\"{fen}\" fen:\"{fen}\""));
        assert_ne!(two.key("0"), alone.key("0"));
    }
}
