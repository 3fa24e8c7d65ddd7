//! Every way to an answer: by the index, by decoding everything, with a sidecar, on one thread and
//! on two, and by the slow evaluator. They must all say the same.

use std::sync::LazyLock;

use proptest::{prelude::*, test_runner::TestCaseError};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tabiya::{
    Bounds, Database, GameId, GameSet, Match, PgnParts, Query, Search, Strategy as Way,
    format::GameText,
};

use super::{naive::Known, pool::Pool};

static THREADS: LazyLock<[ThreadPool; 2]> = LazyLock::new(|| {
    [1, 2].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be had")
    })
});

fn expected(pool: &Pool, query: &Query, variations: bool) -> Vec<Match> {
    let found = |known: &Known| {
        let spot = known.find(query, variations)?;
        let mut hit = Match::from(known.id);
        (hit.ply, hit.variation) = (spot.map(|spot| spot.0), spot.and_then(|spot| spot.1));
        Some(hit)
    };
    pool.games.iter().filter_map(found).collect()
}

/// Runs a search on 1 or 2 threads.
pub(crate) fn run(pool: &Pool, search: &Search<'_>, threads: usize) -> Vec<Match> {
    run_on(&pool.database, search, threads)
}

fn run_on(database: &Database, search: &Search<'_>, threads: usize) -> Vec<Match> {
    THREADS[threads - 1].install(|| {
        let found = search.run(database).expect("the search runs");
        assert_eq!(found.report().damaged, 0);
        found.into_parts().0
    })
}

/// Says which games differ, and shows one of them.
pub(crate) fn compare(
    pool: &Pool,
    query: &Query,
    what: &str,
    have: &[Match],
    want: &[Match],
) -> Result<(), TestCaseError> {
    if have == want {
        return Ok(());
    }
    let differs = |list: &[Match], other: &[Match]| -> Vec<String> {
        let missing = list.iter().filter(|hit| !other.contains(hit));
        missing
            .map(|hit| format!("{}@{:?}", hit.game.number_in_part(), hit.place()))
            .collect()
    };
    let (extra, missing) = (differs(have, want), differs(want, have));
    let first = have
        .iter()
        .chain(want)
        .find(|hit| have.contains(hit) != want.contains(hit));
    let game = first.map(|hit| show(pool, hit.game));
    Err(TestCaseError::fail(format!(
        "{what}: {query}\n  too many: {extra:?}\n  missing: {missing:?}\n{}",
        game.unwrap_or_default()
    )))
}

fn show(pool: &Pool, game: GameId) -> String {
    let known = &pool.games[game.index()];
    let mut text = GameText::new(&known.game.header);
    let _ = known.game.tell(&mut text);
    text.finish().unwrap_or_else(|error| error.to_string())
}

/// Compares a database that was opened for the query.
pub(crate) fn agrees_if_opened_for(
    pool: &Pool,
    database: &Database,
    query: &Query,
) -> Result<(), TestCaseError> {
    for variations in [false, true] {
        let want = expected(pool, query, variations);
        let search = Search::new(query).variations(variations);
        for way in [Way::Auto, Way::FullDecode] {
            let have = run_on(database, &search.clone().strategy(way), 2);
            let what = format!("opened for it, {way:?}, variations {variations}");
            compare(pool, query, &what, &have, &want)?;
        }
    }
    Ok(())
}

/// Compares the parts of a file, which has the games of the pool in their order, on one thread and
/// on two.
pub(crate) fn agrees_in_parts(
    pool: &Pool,
    mut parts: PgnParts,
    query: &Query,
) -> Result<(), TestCaseError> {
    let (mut have, mut games) = ([Vec::new(), Vec::new()], 0);
    while let Some(part) = parts.next_part().expect("the part can be read") {
        for (have, threads) in have.iter_mut().zip([1, 2]) {
            for mut hit in run_on(&part, &Search::new(query), threads) {
                hit.game = GameId(games + hit.game.0);
                have.push(hit);
            }
        }
        games += part.len();
    }
    let want = expected(pool, query, false);
    have.iter()
        .try_for_each(|have| compare(pool, query, "in parts", have, &want))
}

/// Compares all ways.
pub(crate) fn agrees(pool: &Pool, query: &Query) -> Result<(), TestCaseError> {
    for variations in [false, true] {
        let want = expected(pool, query, variations);
        let search = Search::new(query).variations(variations);
        let full = run(pool, &search.clone().strategy(Way::FullDecode), 1);
        compare(
            pool,
            query,
            &format!("full, variations {variations}"),
            &full,
            &want,
        )?;
        for threads in [1, 2] {
            let auto = run(pool, &search, threads);
            compare(
                pool,
                query,
                &format!("auto, variations {variations}"),
                &auto,
                &want,
            )?;
            let indexed = run_on(&pool.indexed, &search, threads);
            compare(
                pool,
                query,
                &format!("with sidecar, variations {variations}"),
                &indexed,
                &want,
            )?;
        }
        let some: GameSet = pool.database.games().step_by(3).collect();
        let wanted: Vec<_> = want.iter().filter(|hit| some.contains(hit.game)).collect();
        for database in [&pool.database, &pool.indexed] {
            let among = search.clone().among(&some).run(database);
            let among = among.expect("the search runs");
            prop_assert!(
                among.iter().eq(wanted.iter().copied()),
                "{query}: among some games, variations {variations}"
            );
        }
        let games: GameSet = want.iter().map(|hit| hit.game).collect();
        for (way, database) in [
            (Way::Auto, &pool.database),
            (Way::Auto, &pool.indexed),
            (Way::FullDecode, &pool.indexed),
        ] {
            let bounds = search.clone().strategy(way).bounds(database);
            let Bounds { certain, possible } = bounds.expect("bounds can be had");
            prop_assert!(
                certain.is_subset(&games),
                "{query}: certain but wrong, {way:?}"
            );
            prop_assert!(
                games.is_subset(&possible),
                "{query}: right but impossible, {way:?}"
            );
        }
    }
    Ok(())
}

/// What the slow evaluator does not know is compared without it: the contract leaves open what
/// some of these mean, but not that all ways take them in one sense.
pub(crate) fn all_ways_agree(pool: &Pool, query: &Query) {
    for variations in [false, true] {
        let search = Search::new(query).variations(variations);
        let full = search.clone().strategy(Way::FullDecode).run(&pool.database);
        let full = full.expect("the search runs").into_parts().0;
        for database in [&pool.database, &pool.indexed] {
            let auto = search.run(database).expect("the search runs");
            assert_eq!(auto.as_slice(), full, "{query}, variations {variations}");
            let bounds = search.bounds(database).expect("bounds can be had");
            let games = full.iter().map(|hit| hit.game).collect();
            assert!(
                bounds.certain.is_subset(&games),
                "{query}: certain but wrong"
            );
            assert!(
                games.is_subset(&bounds.possible),
                "{query}: right but impossible"
            );
        }
    }
}
