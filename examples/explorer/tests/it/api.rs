//! The interface that takes queries.

use std::collections::HashSet;

use serde_json::{Value, json};
use tabiya::{Database, Query, Search};

use crate::{
    client::{ask, encoded},
    server::{Server, fixture},
};

fn ids(games: &[Value]) -> Vec<String> {
    let id = |game: &Value| game["id"].as_str().expect("a name").to_owned();
    games.iter().map(id).collect()
}

/// Reads all pages.
fn pages(server: &Server, address: &str) -> Vec<Value> {
    let (mut games, mut offset) = (Vec::new(), 0);
    loop {
        let page = server
            .get(&format!("{address}&limit=7&offset={offset}"))
            .json();
        let rows = page["games"].as_array().expect("games");
        assert!(rows.len() <= 7);
        games.extend(rows.iter().cloned());
        match page["next"].as_u64() {
            Some(next) => offset = next,
            None => {
                assert_eq!(page["total"], games.len());
                return games;
            }
        }
    }
}

#[test]
fn pages_are_complete_without_duplicates_and_equal_to_the_lines() {
    let databases = vec![fixture("famous.si4"), fixture("famous.pgn")];
    let server = Server::new(databases, Default::default());
    let queries = [
        "",
        "result:1-0",
        "at(piece:Qf7 mate)",
        "played:Qxf7",
        "number<1",
    ];
    for query in queries {
        for sort in [
            "",
            "date:desc",
            "white",
            "elo:desc",
            "number:desc",
            "event",
            "eco",
        ] {
            let address = format!("/api/search?q={}&sort={sort}", encoded(query));
            let games = pages(&server, &address);
            let names: HashSet<String> = ids(&games).into_iter().collect();
            assert_eq!(names.len(), games.len(), "{address}");
            let lines = server.get(&format!("{address}&format=jsonl")).lines();
            assert_eq!(lines, games, "{address}");
        }
    }
}

#[test]
fn matches_and_their_plies_are_those_of_the_library() {
    let server = Server::famous();
    let database = Database::open(fixture("famous.si4")).expect("a database");
    for text in [
        "mate",
        "at(Q=0 q=1) then mate",
        "player:morphy",
        "path:\"Nb1-d2-f1-g3\"",
    ] {
        for variations in [false, true] {
            let query: Query = text.parse().expect("a query");
            let found = Search::new(&query).variations(variations);
            let found = found.run(&database).expect("matches");
            let expected: Vec<Value> = found
                .iter()
                .map(|hit| json!([hit.game.number(), hit.ply, hit.variation.is_some()]))
                .collect();
            let query = encoded(text);
            let address = format!("/api/search?q={query}&variations={variations}&format=jsonl");
            let lines = server.get(&address).lines();
            let lines: Vec<Value> = lines
                .iter()
                .map(|line| json!([line["number"], line["ply"], line["variation"]]))
                .collect();
            assert_eq!(lines, expected, "{text}");
        }
    }
}

#[test]
fn lines_come_to_those_who_accept_them() {
    let server = Server::famous();
    let accept = "Accept: application/x-ndjson\r\n\r\n";
    let answer = ask(
        server.address,
        "GET",
        "/api/search?limit=3&offset=2",
        accept,
    );
    assert_eq!(answer.header("content-type"), "application/x-ndjson");
    let lines = answer.lines();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["number"], 3);
}

#[test]
fn sorted_rows_ascend_or_descend() {
    let server = Server::famous();
    let column = |sort: &str, name: &str| -> Vec<String> {
        let games = server
            .get(&format!("/api/search?limit=200&sort={sort}"))
            .json();
        let games = games["games"].as_array().expect("games").clone();
        let text = |game: &Value| game[name].as_str().unwrap_or_default().to_lowercase();
        games.iter().map(text).collect()
    };
    assert!(column("white", "white").is_sorted());
    assert!(column("date:desc", "date").is_sorted_by(|one, other| one.get(..4) >= other.get(..4)));
    assert!(column("event:desc", "event").is_sorted_by(|one, other| one >= other));
}

#[test]
fn a_game_is_told_move_by_move() {
    let server = Server::famous();
    let game = server.get("/api/game?number=3&fens=true").json();
    let moves = game["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 33);
    let last = &moves[32];
    assert_eq!(last["san"], "Rd8#");
    assert_eq!(last["uci"], "d1d8");
    let fen = "1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b k - 1 17";
    assert_eq!(last["fen"], fen);
}

#[test]
fn comments_and_marks_stand_at_their_moves_and_those_of_variations_do_not() {
    let server = Server::famous();
    let game = server.get("/api/game?number=3").json();
    let moves = game["moves"].as_array().expect("moves");
    assert_eq!(moves[5]["nags"], json!([6]));
    assert_eq!(moves[12]["comment"], "Two threats at once: f7 and\nb7.");
    assert_eq!(
        moves.iter().filter(|row| !row["comment"].is_null()).count(),
        1
    );
    assert!(moves.iter().all(|row| row.get("fen").is_none()));
    assert!(
        game["pgn"]
            .as_str()
            .is_some_and(|pgn| pgn.contains("holds for now"))
    );
}

#[test]
fn positions_are_counted_in_one_request() {
    let server = Server::famous();
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -";
    let body = json!({ "positions": [fen, { "fen": fen, "label": "open" }], "q": "result:1-0" });
    let answer = server.post("/api/positions", &body.to_string()).json();
    let tree = server.get("/api/tree?play=e2e4,e7e5&q=result:1-0").json();
    let total = &tree["trees"][0]["total"];
    for (place, label) in [(0, Value::Null), (1, json!("open"))] {
        let row = &answer["positions"][place];
        assert_eq!(row["label"], label);
        assert_eq!(row["games"], total["games"]);
        assert_eq!(row["white"], row["games"]);
        assert!(row["games"].as_u64() > Some(0));
    }
}

#[test]
fn every_answer_tells_how_long_it_took() {
    let server = Server::famous();
    for (status, address) in [
        (200, "/masters"),
        (200, "/api/search?q=mate&format=jsonl"),
        (400, "/api/tree?fen=x"),
        (404, "/nowhere"),
    ] {
        let answer = server.get(address);
        assert_eq!(answer.status, status);
        let timing = answer.header("server-timing");
        let milliseconds = timing.strip_prefix("total;dur=").map(str::parse::<f64>);
        let is_told = matches!(milliseconds, Some(Ok(time)) if time > 0.0 && time < 60_000.0);
        assert!(is_told, "{address}: {timing}");
    }
}
