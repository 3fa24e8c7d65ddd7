//! What is wrong is said with the right status, where it is, and without a path.

use serde_json::json;

use crate::{
    client::encoded,
    server::{Folder, Server},
};

#[test]
fn malformed_requests_get_the_status_of_the_original() {
    let server = Server::public();
    let cases = [
        (400, "/masters?fen=nonsense"),
        (400, "/masters?fen=8/8/8/8/8/8/8/8"),
        (400, "/masters?play=e2e5"),
        (400, "/masters?play=zz"),
        (400, "/masters?since=long-ago"),
        (400, "/masters?moves=-1"),
        (400, "/masters?topGames=many"),
        (400, "/lichess?variant=antichess"),
        (400, "/lichess?speeds=sonic"),
        (400, "/lichess?ratings=1234"),
        (400, "/lichess?since=2010"),
        (400, "/lichess?until=2010-13"),
        (400, "/player?color=white"),
        (400, "/player?player=x"),
        (400, "/player?player=x&color=green"),
        (404, "/masters/pgn/nothing"),
        (404, "/masters/pgn/000000ZZ"),
        (404, "/masters/pgn/zzzzzzzz"),
        (404, "/nowhere"),
        (404, "/../../etc/passwd"),
        (400, "/api/search?q=elow%3E2000"),
        (400, "/api/search?sort=colour"),
        (400, "/api/search?limit=x"),
        (400, "/api/search?format=xml"),
        (404, "/api/search?db=../famous"),
        (400, "/api/tree?fen=x"),
        (400, "/api/tree?variations=perhaps"),
        (400, "/api/game"),
        (400, "/api/game?number=0"),
        (404, "/api/game?number=1000"),
        (405, "/api/positions"),
    ];
    for (status, address) in cases {
        let answer = server.get(address);
        let is_told = status == 405 || !answer.body.is_empty();
        assert!(answer.status == status && is_told, "{address}: {answer:?}");
        assert_eq!(
            answer.header("access-control-allow-origin"),
            "*",
            "{address}"
        );
    }
    assert!(
        server
            .get("/masters?fen=x")
            .body
            .starts_with("bad request: ")
    );
}

#[test]
fn malformed_bodies_are_turned_away() {
    let server = Server::famous();
    let bodies = [
        "",
        "[]",
        "{}",
        "{\"positions\": 1}",
        "{\"positions\": [\"nonsense\"]}",
        "{\"positions\": [\"\"]}",
        "{\"positions\": [], \"q\": \"elow:1\"}",
        "{\"positions\": [], \"path\": \"x\"}",
        "{\"positions\": [{\"fen\": \"8/8/8/8/8/8/8/8\", \"label\": \"\", \"x\": 1}]}",
    ];
    for body in bodies {
        assert_eq!(server.post("/api/positions", body).status, 400, "{body}");
    }
}

#[test]
fn a_fault_in_a_query_says_where_it_is_and_what_was_meant() {
    let server = Server::famous();
    let query = "white:carlsen flag:novelti";
    let answer = server.get(&format!("/api/search?q={}", encoded(query)));
    assert_eq!(answer.status, 400);
    let fault: serde_json::Value = serde_json::from_str(&answer.body).expect("JSON");
    assert_eq!(fault["start"], 19);
    assert_eq!(fault["end"], 26);
    assert_eq!(fault["suggestion"], "novelty");
    assert!(fault["error"].is_string());
}

#[test]
fn a_missing_file_is_told_without_its_path() {
    let folder = Folder::new("explorer-missing");
    let path = folder.copy("half", &["si4", "sn4"]);
    let server = Server::new(vec![path], Default::default());
    let databases = server.get("/api/databases").json();
    let notes = &databases["databases"][0]["notes"];
    assert!(
        notes.as_array().is_some_and(|notes| !notes.is_empty()),
        "{notes}"
    );
    for address in [
        "/api/game?number=3",
        "/masters/pgn/00000003",
        "/api/search?q=mate",
    ] {
        let answer = server.get(address);
        assert_eq!(answer.status, 500, "{address}: {}", answer.body);
        assert!(
            answer.body.contains("a file that is missing"),
            "{}",
            answer.body
        );
        assert!(!answer.body.contains("half"), "{}", answer.body);
    }
}

#[test]
fn a_database_that_changes_is_opened_again() {
    let folder = Folder::new("explorer-changing");
    let path = folder.copy("moving", &["si4", "sg4", "sn4"]);
    let server = Server::new(vec![path], Default::default());
    let before = server.get("/masters?play=e2e4").json();
    folder.copy("moving", &["si4", "sg4", "sn4"]);
    assert_eq!(server.get("/masters?play=e2e4").json(), before);
    // Now it is none any more, and then one again.
    folder.put("moving.si4", b"nonsense");
    let answer = server.get("/masters?play=e2e4");
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert_eq!(answer.header("retry-after"), "1");
    folder.copy("moving", &["si4"]);
    assert_eq!(server.get("/masters?play=e2e4").json(), before);
}

#[test]
fn positions_have_a_bound() {
    let limits = tabiya_explorer::Limits {
        positions: 2,
        ..Default::default()
    };
    let fixture = crate::server::fixture("famous.si4");
    let server = Server::new(vec![fixture], limits);
    let fen = "8/8/8/8/8/8/8/8";
    let two = json!({ "positions": [fen, fen] }).to_string();
    let three = json!({ "positions": [fen, fen, fen] }).to_string();
    assert_eq!(server.post("/api/positions", &two).status, 200);
    assert_eq!(server.post("/api/positions", &three).status, 400);
}
