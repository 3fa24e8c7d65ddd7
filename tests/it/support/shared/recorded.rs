//! Answers to queries that are recorded in the shared folder, by database.

use serde_json::Value;
use tabiya::{Database, Search, Strategy};

use crate::support::{ask, shared};

/// Returns a file of recorded answers, by its path as for [`shared::packed`].
pub(crate) fn answers(part: &str) -> Option<Value> {
    let text = std::fs::read(shared::packed(part)?);
    let text = text.expect("the recorded answers can be read");
    Some(serde_json::from_slice(&text).expect("recorded answers are JSON"))
}

/// Asks what is recorded about a database, in each way. Returns how many queries that were.
pub(crate) fn are_given(database: &Database, cases: &Value, strategies: &[Strategy]) -> usize {
    let cases = cases.as_array().expect("cases");
    for case in cases {
        let query = case["query"].as_str().expect("a query");
        let variations = case.get("options").is_some();
        for strategy in strategies {
            let asked = ask::query(query);
            let search = Search::new(&asked)
                .strategy(*strategy)
                .variations(variations);
            let found = search.run(database);
            let found = found.unwrap_or_else(|error| panic!("{query}: {error}"));
            let games: Vec<u32> = found.iter().map(|hit| hit.game.number_in_part()).collect();
            assert_eq!(games, numbers(&case["games"]), "{strategy:?} {query}");
            if let Some(plies) = case.get("ply") {
                let found: Vec<u32> = found.iter().filter_map(|hit| hit.ply).collect();
                assert_eq!(found, numbers(plies), "{strategy:?} {query}");
            }
        }
    }
    cases.len()
}

fn numbers(of: &Value) -> Vec<u32> {
    let numbers = of.as_array().expect("a list").iter();
    numbers
        .map(|number| number.as_u64().expect("a number") as u32)
        .collect()
}
