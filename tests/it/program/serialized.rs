//! What the feature `serde` makes of results has the names and values of the program's JSON.

use serde_json::{Value, json, to_string, to_value};
use tabiya::{Database, FormatKind, GameSet, Parts, Query, Search, StatsOptions, TreeSearch};

use super::Bench;

const TEXT: &str = r#"[Event "?"]
[White "A \"x\""]
[WhiteElo "2500"]
[Date "1999.??.??"]
[Result "1-0"]
[ECO "B90"]

1. e4 c5 1-0

[Black "B"]

1. e4 Ke7 *
"#;

fn database() -> Database {
    let mut parts = Parts::new(TEXT.into());
    parts.format = Some(FormatKind::Pgn);
    Database::from_bytes(parts).unwrap()
}

#[test]
fn a_header_is_serialized_as_in_jsonl() {
    let bench = Bench::new();
    std::fs::write(bench.path("some.pgn"), TEXT).unwrap();
    for name in ["some.pgn", "small.si4"] {
        let database = Database::open(bench.path(name)).unwrap();
        let ran = bench.run(&["search", name, "--format", "jsonl"]);
        let lines: Vec<&str> = ran.out.lines().collect();
        assert_eq!(lines.len(), database.len() as usize);
        for (line, game) in lines.into_iter().zip(database.games()) {
            let header = to_string(&database.header(game).unwrap()).unwrap();
            let fields = header.trim_matches(['{', '}']);
            assert!(line.contains(&format!(",{fields},\"")), "{line} {header}");
        }
    }
}

#[test]
fn figures_are_serialized_by_name() {
    let database = database();
    let tree = TreeSearch::new(&Default::default()).run(&database).unwrap();
    let figures = json!({
        "games": 2, "white": 1, "draws": 0, "black": 0, "ratedGames": 0, "averageRating": null,
        "averageOpponentRating": null, "performance": null, "averageYear": 1999.0, "eco": "B90",
    });
    let mut row = figures.clone();
    row["uci"] = json!("e2e4");
    row["san"] = json!("e4");
    row["opening"] = json!("King's Pawn Game");
    assert_eq!(
        to_value(&tree).unwrap(),
        json!({ "total": figures, "rows": [row] })
    );
    let stats = database.stats(&GameSet::all(2), &StatsOptions::new());
    let stats = to_value(stats.unwrap()).unwrap();
    let one = json!({ "games": 1, "white": 1, "draws": 0, "black": 0 });
    assert_eq!(stats["years"], json!({ "1999": one }));
    assert_eq!(stats["lengths"]["byTenMoves"], json!({ "0": one }));
    assert_eq!(stats["players"][1]["asBlack"]["games"], 1);
}

#[test]
fn damage_and_reports_are_serialized_with_places() {
    let database = database();
    let verification = to_value(database.verify().unwrap()).unwrap();
    let damaged = json!([{
        "cause": "illegal move Ke7", "path": "(index in memory)", "offset": 129, "line": 12,
        "game": 2,
    }]);
    assert_eq!(verification["damagedGames"], damaged);
    let query: Query = "at(piece:Pe4)".parse().unwrap();
    let found = Search::new(&query).run(&database).unwrap();
    let hits: Vec<Value> = found.iter().map(|hit| to_value(hit).unwrap()).collect();
    let hit = json!({ "game": 0, "ply": 1, "variation": null, "similarity": null });
    assert_eq!(hits[0], hit);
    assert_eq!(to_value(found.games()).unwrap()[0], 0);
    let report = to_value(found.report()).unwrap();
    assert!(report["indexTime"].is_f64() && report["games"] == 2);
}
