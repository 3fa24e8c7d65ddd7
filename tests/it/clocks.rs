//! Clocks, evaluations and the tags of servers, against recorded answers.

use serde_json::Value;
use tabiya::{Database, Query, Search, Strategy};

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

/// The terms about evaluations are not asked of stored lines: without them more positions match,
/// which excludes no number.
#[test]
fn an_exact_number_of_evaluated_positions_is_found() {
    let text = "[Result \"*\"]\n\n1. e4 {[%eval 0.2]} e5 {[%eval 0.3]} 2. Nf3 {[%eval 0.1]} Nc6 \
                {[%eval 1.5]} 3. Bb5 {[%eval 1.6]} a6 {[%eval 1.7]} 4. Ba4 {[%eval 1.8]} Nf6 \
                {[%eval 0.4]} 5. O-O {[%eval 0.4]} *\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("evaluated.pgn");
    std::fs::write(&path, text).unwrap();
    let base = Database::open(&path).unwrap();
    for (condition, number) in [
        ("at(eval>=1)", 4),
        ("at(eval>=1 for:2)", 3),
        ("at(eval>=1 for:4)", 1),
        ("at(eval>=1 P=8)", 4),
        ("at(swing<=0.25 for:3)", 5),
        ("at(eval>=1) then at(eval>=0.4)", 5),
    ] {
        for bound in 0..8 {
            for (operator, holds) in [
                ("=", number == bound),
                ("!=", number != bound),
                ("<", number < bound),
                ("<=", number <= bound),
                (">", number > bound),
                (">=", number >= bound),
            ] {
                let text = format!("count({condition}){operator}{bound}");
                let query: Query = text.parse().unwrap();
                for strategy in [Strategy::Auto, Strategy::FullDecode] {
                    let found = Search::new(&query).strategy(strategy).run(&base).unwrap();
                    assert_eq!(!found.is_empty(), holds, "{strategy:?} {text}");
                }
            }
        }
    }
}
