//! The games of filters: each is searched once for all who ask at the same time.
//!
//! The page asks for rows, charts and moves of one filter at once. The first request starts the
//! search, the others wait for it, and it ends early only when all of them are gone. What it has
//! found is kept (`answers`) for the next click.
//!
//! A position is told apart from the rest of a filter: whoever steps from position to position
//! within one filter has the same rest. Its games are searched once, and those with the position
//! among them.

use std::sync::Arc;

use futures_util::future::{FutureExt, Shared};
use shakmaty::Bitboard;
use tabiya::{
    Query, Search,
    query::{Condition, PositionTest, Sequence},
};

use crate::{
    answers::{Answer, Answered, Answers, Part, Running},
    errors::Fault,
    limits::Ask,
    registry::{self, DatabaseRef},
    state::Explorer,
};

/// A position is common if more than one game in this number may have it. Of a rare one, the whole
/// query is searched at once: that takes less than finding all games of the rest.
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
    pub(crate) fn key(&self, of: &str) -> String {
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
        let key = self.key(&registry::key(&explorer.held(databases)?));
        if let Some(kept) = explorer.filtered.kept(&key) {
            self.answer = Some(kept);
            return Ok(());
        }
        let (search, is_shared) = self.begin(explorer, databases)?;
        let mut asked = search.await;
        if is_shared && asked == Err(Fault::Slow) {
            // The time that was over was that of the first who asked.
            let (search, _) = self.begin(explorer, databases)?;
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
    pub(crate) fn games(&self, explorer: &Explorer, held: &[DatabaseRef], ask: &Ask) -> Answered {
        match self.known(&explorer.filtered, &registry::key(held)) {
            Some(answer) => Ok(answer),
            None => self.find(&explorer.filtered, held, ask),
        }
    }

    /// Returns the games of these databases if they are known.
    fn known(&self, answers: &Answers, of: &str) -> Option<Arc<Answer>> {
        let answer = self.answer.clone().filter(|answer| answer.of == of);
        answer.or_else(|| answers.kept(&self.key(of)))
    }

    /// Begins a search, or joins one for the same games. Tells also which of both.
    fn begin(
        &self,
        explorer: &Arc<Explorer>,
        databases: &[String],
    ) -> Result<(Shared<Running>, bool), Fault> {
        let key = self.key(&registry::key(&explorer.held(databases)?));
        let search = || {
            let (explorer, databases) = (explorer.clone(), databases.to_vec());
            self.clone().search(explorer, databases).boxed()
        };
        Ok(explorer.filtered.join(key, search))
    }

    /// Searches, the rest first if it is told apart.
    async fn search(mut self, explorer: Arc<Explorer>, databases: Vec<String>) -> Answered {
        if let Some(apart) = &mut self.apart {
            apart.ask_rest(&explorer, &databases).await?;
        }
        let find = move |explorer: &Explorer, held: &[DatabaseRef], ask: &Ask| {
            self.find(&explorer.filtered, held, ask)
        };
        explorer.search(databases, find).await
    }

    /// Searches these databases, unless their games are kept, and keeps what it finds.
    fn find(&self, answers: &Answers, held: &[DatabaseRef], ask: &Ask) -> Answered {
        let of = registry::key(held);
        let key = self.key(&of);
        if let Some(kept) = answers.kept(&key) {
            return Ok(kept);
        }
        let search = |query| Search::new(query).variations(self.variations);
        let all = self.apart.as_ref().and_then(|apart| {
            let all = apart.rest.known(answers, &of)?;
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
                answers.note_searched();
                let part = |held| Part::new(search(&self.query), held, ask);
                held.iter().map(part).collect()
            }
        };
        let parts = parts?;
        let answer = Arc::new(Answer { of, parts });
        answers.keep(key, answer.clone(), held);
        Ok(answer)
    }
}

impl Apart {
    /// Finds the games of the rest of a filter first, if others ask for them or will: many games
    /// have the position, and the next one is soon asked for.
    async fn ask_rest(
        &mut self,
        explorer: &Arc<Explorer>,
        databases: &[String],
    ) -> Result<(), Fault> {
        let key = self.rest.key(&registry::key(&explorer.held(databases)?));
        let answers = &explorer.filtered;
        if answers.is_running(&key) || answers.kept(&key).is_some() {
            // If that goes wrong, all of the query is asked.
            let _ = self.rest.ask(explorer, databases).await;
            return Ok(());
        }
        let (position, variations) = (self.position.clone(), self.rest.variations);
        let is_common = explorer.search(databases.to_vec(), move |_, held, _| {
            is_common(&Search::new(&position).variations(variations), held)
        });
        if is_common.await? {
            self.rest.ask(explorer, databases).await?;
        }
        Ok(())
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

/// Tells whether many games may have a position.
fn is_common(position: &Search<'_>, held: &[DatabaseRef]) -> Result<bool, Fault> {
    let (mut possible, mut all) = (0, 0);
    for held in held {
        possible += position.bounds(held)?.possible.len();
        all += u64::from(held.len());
    }
    Ok(possible > all / COMMON_SHARE)
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

    /// Sound games, one of which nothing can be read, and some that break off: before and after
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
