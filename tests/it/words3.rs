//! Words about lines, counts, moves and evaluations give the recorded answers.

use serde_json::Value;
use tabiya::{Database, Search, Strategy};

use crate::support::{ask, shared};

/// The recorded answers; `None` without the shared folder.
fn recorded() -> Option<Value> {
    let text = std::fs::read(shared::packed("truth/words3-dev.json")?);
    let text = text.expect("the recorded answers can be read");
    Some(serde_json::from_slice(&text).expect("recorded answers are JSON"))
}

fn numbers(of: &Value) -> Vec<u32> {
    let numbers = of.as_array().expect("a list").iter();
    numbers
        .map(|number| number.as_u64().expect("a number") as u32)
        .collect()
}

fn gives_the_recorded_answers(
    database: &Database,
    cases: &Value,
    strategies: &[Strategy],
) -> usize {
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

#[test]
fn newer_words_give_the_recorded_answers() {
    let Some(recorded) = recorded() else {
        return;
    };
    let mut asked = 0;
    for (name, file) in recorded["files"].as_object().expect("files") {
        let file = file.as_str().expect("a path");
        // To play all games of the large one takes too long.
        let is_large = name == "kingbase";
        let (database, strategies) = if is_large {
            (shared::packed_database(file), &[Strategy::Auto][..])
        } else {
            let both = &[Strategy::Auto, Strategy::FullDecode][..];
            (shared::database(file), both)
        };
        let Some(database) = database else {
            return;
        };
        asked += gives_the_recorded_answers(&database, &recorded[name], strategies);
    }
    assert!(asked > 200, "{asked}");
}
