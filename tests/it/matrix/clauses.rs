//! Every kind of clause is asked of every format, and whether the index and the prefilters are
//! asked makes no difference.
//!
//! Both lists are those of the program: a new word and a new format are demanded here.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::Arc,
};

use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use tabiya::{
    Query,
    format::{GameText, MontyLayout as Layout, SUPPORT},
    query::table::{FIELDS, Field},
};

use super::base::{Base, Kind};
use crate::support::{
    cbf,
    dice::Dice,
    game::{Event, PlainGame},
    lists::List,
    pool::{Pool, told_game},
    queries,
    ways::{agrees, all_ways_agree},
};

/// Games of a database.
const GAMES: u32 = 16;
/// Random queries of each kind of clause, and how many are made until there are enough.
const OF_EACH: usize = 2;
const DRAWS: usize = 20_000;
/// Random queries of numbers of men, which prefilters take part in most.
const ABOUT_MATERIAL: usize = 40;

/// A kind of clause, and a format.
type Pair = (&'static str, String);

fn text_of(games: &[PlainGame]) -> String {
    let text = |game: &PlainGame| {
        let mut text = GameText::new(&game.header);
        let _ = game.tell(&mut text);
        text.finish().expect("a random game can be told")
    };
    games.iter().map(text).collect()
}

/// Whether the tables that are made here can hold a game.
fn fits_jose(game: &PlainGame) -> bool {
    game.start.is_none() && !game.events.contains(&Event::Play(None))
}

fn pool_of(kind: Kind, seed: u64) -> Pool {
    let mut dice = Dice::new(seed);
    let fits: fn(&PlainGame) -> bool = match kind {
        Kind::Jose => fits_jose,
        Kind::Cbf => cbf::fits,
        _ => |_| true,
    };
    let mut games = Vec::new();
    while games.len() < GAMES as usize {
        let mut game = told_game(&mut dice);
        if fits(&game) {
            if kind == Kind::Jose {
                game.tags.clear();
            }
            games.push(game);
        }
    }
    Pool::of_database(Base::new(kind, &text_of(&games)).open())
}

/// Whether what is inside is another kind, which is asked too.
fn is_wrapped(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Archive | Kind::JoseFolder | Kind::Gzip | Kind::Bzip2 | Kind::Zstd
    )
}

/// Databases of random games in every format.
fn pools() -> Vec<Pool> {
    let kinds = Kind::ALL
        .into_iter()
        .filter(|kind| !kind.is_training() && !is_wrapped(*kind));
    let mut pools: Vec<Pool> = (1..)
        .zip(kinds)
        .map(|(seed, kind)| pool_of(kind, seed))
        .collect();
    pools.extend([
        Pool::in_monty(1, GAMES, Layout::Policy),
        Pool::in_monty(2, GAMES, Layout::Value),
        Pool::in_monty(3, GAMES, Layout::OldValue),
        Pool::in_stockfish(4, GAMES),
        Pool::in_viriformat(5, GAMES),
    ]);
    pools.extend([List::Puzzles, List::Positions, List::Lines].map(|list| list.pool(6, GAMES)));
    pools
}

/// Returns the kinds of clauses that a query has, by the names in its text.
fn fields_of(query: &Query) -> BTreeSet<&'static str> {
    let text = query.to_string();
    // Values that hold more than letters are in quotes.
    let bare: String = text.split('"').step_by(2).collect::<Vec<_>>().join("\"");
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '.';
    let has = |field: &&Field| {
        if field.name == "R@ZONE" {
            return has_zone(&bare);
        }
        let name = field.name.trim_end_matches("NAME");
        bare.match_indices(name).any(|(at, _)| {
            let rest = &bare[at + name.len()..];
            let begins = !bare[..at].ends_with(|letter| is_part(letter) || ":=<>".contains(letter));
            let is_whole = name.ends_with('.') || !rest.starts_with(is_part);
            let has_value = rest.starts_with(|letter| ":=<>!".contains(letter));
            begins && is_whole && (name.ends_with('.') || has_value || field.is_bare())
        })
    };
    FIELDS.iter().filter(has).map(|field| field.name).collect()
}

/// Whether men are counted in some zone: `R@7>=2`, not `piece:R@7`.
fn has_zone(bare: &str) -> bool {
    let is_count = |(at, _): (usize, &str)| {
        let mut before = bare[..at].chars().rev();
        let is_man = before.next().is_some_and(|man| man.is_ascii_alphabetic());
        is_man
            && before
                .next()
                .is_none_or(|letter| " (+-=<>".contains(letter))
    };
    bare.match_indices('@').any(is_count)
}

fn runner(seed: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    TestRunner::new_with_rng(Config::default(), rng)
}

fn draw(queries: &impl Strategy<Value = Query>, runner: &mut TestRunner) -> Query {
    let tree = queries.new_tree(runner);
    tree.expect("nothing is rejected").current()
}

/// Makes random queries until each kind of clause is in some of them.
fn random_queries(pool: &Arc<Pool>, runner: &mut TestRunner) -> Vec<Query> {
    let any = queries::any_query(pool);
    let mut missing: BTreeMap<&str, usize> = FIELDS
        .iter()
        .filter(|field| !reads_a_file(field))
        .map(|field| (field.name, OF_EACH))
        .collect();
    let mut queries = Vec::new();
    for _ in 0..DRAWS {
        let query = draw(&any, runner);
        let mut is_wanted = false;
        for name in fields_of(&query) {
            if let Some(more) = missing.get_mut(name) {
                is_wanted = true;
                *more -= 1;
                if *more == 0 {
                    missing.remove(name);
                }
            }
        }
        if is_wanted {
            queries.push(query);
        }
        if missing.is_empty() {
            break;
        }
    }
    let never: Vec<&&str> = missing.keys().collect();
    assert!(
        never.is_empty(),
        "no random query is about {never:?}, see `support/queries.rs`"
    );
    queries
}

/// The slow evaluator reads no files.
fn reads_a_file(field: &Field) -> bool {
    field.example.contains("repertoire")
}

/// The examples of the help, and words that stand alone.
fn examples(lines: &Path) -> Vec<Query> {
    let mut queries = Vec::new();
    for field in FIELDS {
        let mut parts: Vec<&str> = field.example.split('"').collect();
        if reads_a_file(field) {
            parts[1] = lines.to_str().unwrap();
        }
        let example = parts.join("\"");
        queries.push(example.parse().expect("an example"));
        if field.is_bare() {
            queries.extend(field.name.parse::<Query>());
        }
    }
    queries
}

#[test]
fn every_kind_of_clause_is_asked_of_every_format() {
    let overflows = std::panic::catch_unwind(|| std::hint::black_box(u8::MAX) + 1);
    assert!(
        overflows.is_err(),
        "the tests are to run with overflow checks"
    );
    let folder = tempfile::tempdir().unwrap();
    let lines = folder.path().join("lines.pgn");
    let games: Vec<PlainGame> = (0..4).map(|seed| told_game(&mut Dice::new(seed))).collect();
    fs::write(&lines, text_of(&games)).unwrap();
    let examples = examples(&lines);
    let (mut asked, mut faults) = (BTreeSet::<Pair>::new(), Vec::new());
    for (seed, pool) in (1..).zip(pools()) {
        let format = pool.database.kind().to_string();
        let (pool, mut runner) = (Arc::new(pool), runner(seed));
        let mut ask = |query: &Query| {
            asked.extend(
                fields_of(query)
                    .into_iter()
                    .map(|name| (name, format.clone())),
            );
        };
        for query in &examples {
            all_ways_agree(&pool, query);
            ask(query);
        }
        let mut queries = random_queries(&pool, &mut runner);
        let material = queries::material_query(&pool);
        queries.extend((0..ABOUT_MATERIAL).map(|_| draw(&material, &mut runner)));
        for query in queries {
            if let Err(failure) = agrees(&pool, &query) {
                faults.push(format!("{format}: {failure}"));
            }
            ask(&query);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let formats = SUPPORT.iter().flat_map(|support| support.kinds);
    for format in formats.map(ToString::to_string) {
        let never = FIELDS.iter().map(|field| field.name);
        let never: Vec<&str> = never
            .filter(|name| !asked.contains(&(*name, format.clone())))
            .collect();
        assert!(never.is_empty(), "{format} is never asked {never:?}");
    }
}
