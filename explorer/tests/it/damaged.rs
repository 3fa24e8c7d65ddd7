//! Damaged games: what answers leave out is counted, and what can be read of one is shown.

use crate::{
    client::encoded,
    server::{Folder, Server, fixture},
};

/// Three games; the moves of the second are against the rules.
const GAMES: &str = "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n\
    [White \"B\"]\n[Result \"1-0\"]\n\n1. e4 {good} (1. d4 d5) e5 2. Ke3 Nf6 1-0\n\n\
    [White \"C\"]\n[Result \"*\"]\n\n1. d4 d5 *\n\n";

fn server(folder: &Folder) -> Server {
    Server::new(
        vec![folder.put("hurt.pgn", GAMES.as_bytes())],
        Default::default(),
    )
}

#[test]
fn answers_say_how_many_damaged_games_they_leave_out() {
    let folder = Folder::new("explorer-left-out");
    // Nothing of the second game can be read.
    let games = GAMES.replace("1. e4 {good} (1. d4 d5) e5 2. Ke3 Nf6", "1. Ke3 Nf6");
    let path = folder.put("hurt.pgn", games.as_bytes());
    let server = Server::new(vec![path], Default::default());
    let damaged = |address: &str, place: &str| {
        let answer = server.get(address).json();
        answer.pointer(place).and_then(serde_json::Value::as_u64)
    };
    assert_eq!(damaged("/api/databases", "/databases/0/damaged"), Some(0));
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R%20b";
    let query = format!("q=fen:%22{fen}%22");
    assert_eq!(
        damaged(&format!("/api/search?{query}"), "/damaged"),
        Some(1)
    );
    // The second time it is kept.
    assert_eq!(
        damaged(&format!("/api/search?{query}&limit=1"), "/damaged"),
        Some(1)
    );
    assert_eq!(
        damaged(&format!("/api/stats?{query}"), "/stats/0/damaged"),
        Some(1)
    );
    let tree = damaged("/api/tree?play=e2e4,e7e5,g1f3", "/trees/0/damaged");
    assert_eq!(tree, Some(1));
    assert_eq!(damaged("/api/databases", "/databases/0/damaged"), Some(1));
    let pgn = server.get(&format!("/api/export?{query}"));
    assert!(
        pgn.body
            .starts_with("% 1 damaged game is left out; `tabiya verify` lists it\n\n["),
        "{}",
        pgn.body
    );
    for format in ["format=csv", "format=pgn"] {
        let answer = server.get(&format!("/api/export?{query}&{format}"));
        assert_eq!(answer.header("damaged-games"), "1");
    }
    for address in [
        "/api/lines?play=e2e4,e7e5,g1f3",
        "/api/report?play=e2e4,e7e5,g1f3",
    ] {
        let answer = server.get(address);
        assert_eq!(answer.header("damaged-games"), "1", "{address}");
        let told = ["% 1 damaged game is left out", "games left out: 1;"];
        assert!(
            told.iter().any(|told| answer.body.contains(told)),
            "{address}"
        );
    }
    let lines = server.get(&format!("/api/search?{query}&format=jsonl"));
    assert_eq!(lines.header("damaged-games"), "1");
    // Headers are not damaged.
    assert_eq!(damaged("/api/search?q=white:b", "/damaged"), Some(0));
}

#[test]
fn answers_say_how_many_games_were_searched_in_part() {
    let folder = Folder::new("explorer-in-part");
    let server = server(&folder);
    let told = |answer: &serde_json::Value, place: &str| {
        let of = |name| answer.pointer(&format!("{place}/{name}"));
        let games = |name| of(name).and_then(serde_json::Value::as_u64);
        (games("damaged"), games("harmed"))
    };
    let one = (Some(0), Some(1));
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b";
    let query = format!("q={}", encoded(&format!("fen:\"{fen}\"")));
    let search = server.get(&format!("/api/search?{query}")).json();
    assert_eq!(told(&search, ""), one, "{search}");
    let stats = server.get(&format!("/api/stats?{query}")).json();
    assert_eq!(told(&stats, "/stats/0"), one, "{stats}");
    for address in ["/api/tree?play=e2e4,e7e5,g1f3", "/api/tree?q=piece:Nf3"] {
        let tree = server.get(address).json();
        assert_eq!(told(&tree, "/trees/0"), one, "{address}: {tree}");
    }
    let posted = format!("{{\"positions\": [\"{fen} - -\"]}}");
    let positions = server.post("/api/positions", &posted);
    let positions: serde_json::Value = serde_json::from_str(&positions.body).expect("JSON");
    assert_eq!(told(&positions, ""), one, "{positions}");
    assert_eq!(positions["positions"][0]["games"], 1);
    let pgn = server.get(&format!("/api/export?{query}"));
    let line = "% 1 damaged game is searched as far as it can be read; `tabiya verify` lists it\n";
    assert!(pgn.body.starts_with(line), "{}", pgn.body);
    assert_eq!(pgn.header("harmed-games"), "1");
    // The list of databases has every damaged game that was met.
    let databases = server.get("/api/databases").json();
    assert_eq!(databases["databases"][0]["damaged"], 1, "{databases}");
}

#[test]
fn a_damaged_game_is_shown_as_far_as_it_can_be_read() {
    let folder = Folder::new("explorer-beginning");
    let server = server(&folder);
    let game = server
        .get("/api/game?number=2&notation=true&fens=true")
        .json();
    let san = |moves: &serde_json::Value| {
        let moves = moves.as_array().expect("moves").iter();
        moves
            .map(|one| one["san"].as_str().expect("a move").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(san(&game["moves"]), ["e4", "e5"], "{game}");
    assert_eq!(san(&game["notation"]), ["e4", "d4", "d5", "e5"], "{game}");
    assert_eq!(game["white"], "B");
    let damage = game["damage"].as_str().expect("a reason");
    assert!(damage.contains("illegal move Ke3"), "{damage}");
    let pgn = game["pgn"].as_str().expect("a text");
    assert!(
        pgn.contains("( 1. d4 d5 )") || pgn.contains("(1. d4 d5)"),
        "{pgn}"
    );
    let whole = server.get("/api/game?number=1").json();
    assert!(whole["damage"].is_null(), "{whole}");
}

#[test]
fn no_answer_about_a_damaged_or_absent_game_is_a_failure() {
    let folder = Folder::new("explorer-no-failure");
    let games = format!("{GAMES}[White \"D\"]\n[Date \"2020\"]\n[Result \"*\"]\n\n1. Ke3 *\n\n");
    let server = Server::new(
        vec![folder.put("hurt.pgn", games.as_bytes())],
        Default::default(),
    );
    for (id, status) in [
        ("00000002", 200),
        ("00000004", 200),
        ("00000005", 404),
        ("99999999", 404),
    ] {
        for address in [
            format!("/api/game?id={id}&notation=true&fens=true"),
            format!("/masters/pgn/{id}"),
            format!("/api/novelties?ids={id}"),
            format!("/api/export?ids={id}&format=csv"),
        ] {
            let answer = server.get(&address);
            assert_eq!(answer.status, status, "{address}: {}", answer.body);
        }
    }
    let pgn = server.get("/masters/pgn/00000004").body;
    assert!(pgn.contains("[White \"D\"]"), "{pgn}");
    let novelties = server.get("/api/novelties?ids=00000004").json();
    assert!(novelties["harmed"].as_u64() > Some(0), "{novelties}");
}

#[test]
fn a_body_that_is_too_long_is_told_as_json() {
    let limits = tabiya_explorer::Limits {
        body_bytes: 1000,
        ..Default::default()
    };
    let server = Server::new(vec![fixture("famous.si4")], limits);
    for path in ["/api/positions", "/api/games", "/api/pasted"] {
        let answer = server.post(path, &"[".repeat(2000));
        assert_eq!(answer.status, 413, "{path}");
        let told: serde_json::Value = serde_json::from_str(&answer.body).expect("JSON");
        let told = told["error"].as_str().expect("a text");
        assert!(told.contains("--body-bytes"), "{path}: {told}");
    }
}

#[test]
fn a_database_that_is_named_often_is_asked_once() {
    let server = Server::famous();
    let often = vec!["famous"; 500].join(",");
    for (path, member) in [("stats", "stats"), ("tree", "trees")] {
        let once = server.get(&format!("/api/{path}?db=famous")).json();
        assert_eq!(once[member].as_array().map(Vec::len), Some(1));
        assert_eq!(server.get(&format!("/api/{path}?db={often}")).json(), once);
    }
    let once = server.get("/api/search?db=famous&q=mate").json();
    assert_eq!(
        server.get(&format!("/api/search?db={often}&q=mate")).json(),
        once
    );
}

#[test]
fn json_has_no_commands_of_files_to_a_terminal() {
    let folder = Folder::new("explorer-commands");
    let name = "W\u{7f}\u{9b}31m\u{202e}";
    let game = format!("[White \"{name}\"]\n[Result \"*\"]\n\n1. e4 {{{name}}} *\n");
    let path = folder.put("odd.pgn", game.as_bytes());
    let server = Server::new(vec![path], Default::default());
    for (address, place) in [
        ("/api/search", "/games/0/white"),
        ("/api/search?format=jsonl", "/white"),
        ("/api/game?number=1", "/moves/0/comment"),
        ("/api/stats", "/stats/0/players/0/name"),
    ] {
        let answer = server.get(address);
        let commands = |letter| tabiya::is_command(letter) && letter != '\n';
        assert!(
            !answer.body.contains(commands),
            "{address}: {:?}",
            answer.body
        );
        let told = answer.json();
        let told = told.pointer(place).and_then(serde_json::Value::as_str);
        assert_eq!(told, Some(name), "{address}: {}", answer.body);
    }
}
