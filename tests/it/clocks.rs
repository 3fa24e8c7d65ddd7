//! Clocks, evaluations and the tags of servers, against recorded answers.

use serde_json::Value;
use tabiya::{Query, Search, Strategy};

use crate::support::shared;

/// The recorded queries with their games and, where they are fixed, the plies.
fn truth() -> Option<Vec<(String, Value)>> {
    let text = std::fs::read_to_string(shared::packed("truth/lichess-dev.json")?).unwrap();
    let truth: Value = serde_json::from_str(&text).unwrap();
    let cases = truth["queries"].as_array().unwrap().iter();
    let named = |case: &Value| (case["query"].as_str().unwrap().to_owned(), case.clone());
    Some(cases.map(named).collect())
}

#[test]
fn games_of_a_server_are_found_as_recorded() {
    let (Some(cases), Some(database)) = (truth(), shared::database("pgn-lichess/lichess.pgn"))
    else {
        return;
    };
    let mut asked = 0;
    for (text, case) in cases {
        let query: Query = text
            .parse()
            .unwrap_or_else(|fault| panic!("{text}: {fault}"));
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let found = Search::new(&query).strategy(strategy).run(&database);
            let hits = found.expect("the search runs").into_parts().0;
            let games: Vec<u32> = hits.iter().map(|hit| hit.game.number_in_part()).collect();
            assert_eq!(Value::from(games), case["games"], "{strategy:?} {text}");
            if let Some(plies) = case.get("ply") {
                let have: Vec<u32> = hits.iter().filter_map(|hit| hit.ply).collect();
                assert_eq!(Value::from(have), *plies, "{strategy:?} {text}");
            }
        }
        asked += 1;
    }
    assert!(asked > 20, "{asked}");
}
