//! The interface that takes queries.

use std::{collections::HashSet, path::Path};

use serde_json::{Value, json};
use tabiya::{Database, Query, Search, query::SortField};

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
            "avgelo:desc",
            "elodiff",
            "winner",
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
                .map(|hit| json!([database.number(hit.game), hit.ply, hit.variation.is_some()]))
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
        let text =
            |game: &Value| SortField::Event.sort_text(game[name].as_str().unwrap_or_default());
        games.iter().map(text).collect()
    };
    assert!(column("white", "white").is_sorted());
    let games = server.get("/api/search?limit=200&sort=elo").json();
    let lower = |game: &Value| Some(game["whiteElo"].as_u64()?.min(game["blackElo"].as_u64()?));
    let games = games["games"].as_array().expect("games").iter();
    assert!(games.map(lower).is_sorted());
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
fn all_lines_of_a_game_are_told_each_move_with_the_one_it_follows() {
    let server = Server::famous();
    let game = server.get("/api/game?number=3&notation=true").json();
    let all = game["notation"].as_array().expect("moves");
    let main: Vec<&Value> = all.iter().filter(|noted| noted["depth"] == 0).collect();
    let moves = game["moves"].as_array().expect("moves");
    assert!(
        main.iter()
            .map(|noted| &noted["san"])
            .eq(moves.iter().map(|row| &row["san"]))
    );
    assert!(
        main.iter()
            .map(|noted| &noted["nags"])
            .eq(moves.iter().map(|row| &row["nags"]))
    );
    let deepest = all.iter().position(|noted| noted["depth"] == 3);
    let castled = &all[deepest.expect("a variation of a variation of a variation")];
    assert_eq!(castled["san"], "O-O");
    let fen = "rn2kb1r/ppp2ppp/5n2/4p3/2B1P3/8/PPP2PPP/RNB2RK1 b kq - 1 8";
    assert_eq!(castled["fen"], fen);
    for (index, noted) in all.iter().enumerate() {
        let ply = match noted["after"].as_u64() {
            Some(after) => {
                let before = &all[usize::try_from(after).expect("a place")];
                assert!(after < index as u64);
                assert!(before["depth"].as_u64() <= noted["depth"].as_u64());
                before["ply"].as_u64().expect("a number")
            }
            None => 0,
        };
        assert_eq!(noted["ply"], ply + 1);
    }
    let said = |text: &str| all.iter().filter(|noted| noted["comment"] == text).count();
    assert_eq!(said("holds for now."), 1);
}

#[test]
fn the_rules_are_told_for_any_position() {
    let server = Server::famous();
    let start = server.get("/api/position").json();
    assert_eq!(start["moves"].as_array().map(Vec::len), Some(20));
    assert_eq!(start["line"], json!([]));
    let mate = server.get("/api/position?play=f2f3,e7e5,g2g4,d8h4").json();
    assert_eq!(mate["end"], "checkmate");
    assert_eq!(mate["check"], true);
    assert_eq!(mate["line"][3], json!({ "uci": "d8h4", "san": "Qh4#" }));
    let stuck = server
        .get("/api/position?fen=7k/5Q2/6K1/8/8/8/8/8_b")
        .json();
    assert_eq!(
        (&stuck["end"], &stuck["turn"]),
        (&json!("stalemate"), &json!("black"))
    );
    let bare = server.get("/api/position?fen=7k/8/6K1/8/8/8/8/8").json();
    assert_eq!(bare["end"], "material");
}

#[test]
fn openings_are_named_for_positions_moves_and_games() {
    let server = Server::famous();
    let named = |path: &str| server.get(&format!("/api/position{path}")).json()["opening"].clone();
    assert_eq!(named(""), Value::Null);
    assert_eq!(named("?play=e2e4,c7c5"), "Sicilian Defense");
    // What has no name of its own is called as what it comes from.
    let name = "Sicilian Defense: Myers Attack, with a4";
    assert_eq!(named("?play=e2e4,c7c5,a2a4,h7h6"), name);
    assert_eq!(named("?fen=8/8/8/8/8/2k5/8/K7_w"), Value::Null);
    let tree = server.get("/api/tree?play=e2e4").json();
    let rows = tree["trees"][0]["rows"].as_array().unwrap();
    let sicilian = rows.iter().find(|row| row["san"] == "c5").unwrap();
    assert_eq!(sicilian["opening"], "Sicilian Defense");
    let found = server.get("/api/search?q=number:1").json();
    let game = server.get("/api/game?number=1").json();
    let name = "King's Gambit Accepted: Bishop's Gambit, Bryan Countergambit";
    assert_eq!(
        (&found["games"][0]["opening"], &game["opening"]),
        (&name.into(), &name.into())
    );
}

#[test]
fn every_legal_move_is_written_so_that_it_is_taken_back_as_the_same_move() {
    let server = Server::famous();
    // The last two have kings whose castling goes where a step of theirs goes too.
    for fen in [
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "8/P6k/8/8/8/8/8/K7 w - - 0 1",
        "1k4r1/8/8/8/8/8/8/R4KR1 w AG - 0 1",
        "1r3kr1/8/8/8/8/8/8/K7 b g - 0 1",
    ] {
        let fen = encoded(fen);
        let position = server.get(&format!("/api/position?fen={fen}")).json();
        let moves = position["moves"].as_array().expect("moves");
        assert!(moves.len() > 3);
        for row in moves {
            let uci = row["uci"].as_str().expect("a move");
            let after = server
                .get(&format!("/api/position?fen={fen}&play={uci}"))
                .json();
            assert_eq!(after["line"], json!([row]), "{fen}");
        }
    }
}

#[test]
fn a_query_is_understood_or_its_fault_told_without_a_search() {
    let server = Server::famous();
    let good = server.get("/api/query?q=elo%3E2000++year:1990").json();
    assert_eq!(
        good,
        json!({ "query": "elo>2000 year:1990", "fault": null })
    );
    let bad = server.get("/api/query?q=elow%3E2000").json();
    assert_eq!(bad["query"], Value::Null);
    assert_eq!(bad["fault"]["end"], 4);
    assert_eq!(bad["fault"]["suggestion"], "elo");
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

#[test]
fn peoples_files_give_the_games_that_the_library_gives() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases");
    let answers = std::fs::read_to_string(cases.join("answers.txt")).expect("the answers");
    for line in answers.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<_> = line.split('|').map(str::trim).collect();
        let server = Server::new(vec![cases.join(fields[0])], Default::default());
        let found = server.get(&format!("/api/search?q={}", encoded(fields[1])));
        let games = found.json()["games"].as_array().expect("games").clone();
        let numbers: Vec<_> = games
            .iter()
            .map(|game| game["number"].to_string())
            .collect();
        assert_eq!(numbers.join(" "), fields[2], "{line}");
    }
}
