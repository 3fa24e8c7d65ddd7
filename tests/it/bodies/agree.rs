//! Small databases and questions to them: every way gives the same answer.

use std::sync::Arc;

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use tabiya::Query;

use super::pieces::{Pieces, joined};
use crate::support::{
    ask::OF_ALL_KINDS,
    dice::Dice,
    pool::{Pool, random_game},
    queries,
    ways::{agrees, all_ways_agree},
};

/// Games of one database.
const GAMES_MAX: usize = 6;
/// What games are made of, the seed of a query (32 bytes), and a query as text.
const GAMES: u8 = b'g';
const SEED: u8 = b's';
const TEXT: u8 = b't';

pub(crate) fn check(input: &[u8]) {
    let pieces = Pieces::of(input);
    let mut dice = Dice::of_bytes(pieces.get(GAMES).unwrap_or_default());
    let games = 1 + dice.below(GAMES_MAX);
    let games = (0..games).map(|_| random_game(&mut dice)).collect();
    let pool = Arc::new(Pool::of(games));
    if let Some(seed) = pieces.get(SEED) {
        let query = chosen(&pool, seed);
        agrees(&pool, &query).unwrap_or_else(|failure| panic!("{failure}"));
    }
    let text = pieces.get(TEXT).map(String::from_utf8_lossy);
    if let Some(Ok(query)) = text.map(|text| text.parse::<Query>()) {
        all_ways_agree(&pool, &query);
    }
}

/// Makes a query that asks of the games what they have, most often.
fn chosen(pool: &Arc<Pool>, bytes: &[u8]) -> Query {
    let mut seed = [0; 32];
    seed.iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = *from);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let tree = queries::query(pool).new_tree(&mut runner);
    tree.expect("nothing is rejected").current()
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut dice = Dice::new(1);
    let mut bytes = |length| -> Vec<u8> { (0..length).map(|_| dice.below(256) as u8).collect() };
    let random = (0..12).map(|_| joined([(GAMES, bytes(120)), (SEED, bytes(32))]));
    let mut seeds: Vec<Vec<u8>> = random.collect();
    let asked = OF_ALL_KINDS.iter().map(|text| {
        let games = bytes(60);
        joined([(GAMES, &*games), (TEXT, text.as_bytes())])
    });
    seeds.extend(asked);
    seeds
}
