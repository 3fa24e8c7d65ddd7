//! A filter is searched once, whoever asks for its games and however often.

use std::{fs, sync::Barrier, thread};

use serde_json::Value;
use tabiya_explorer::Limits;

use crate::{
    client::encoded,
    server::{Folder, Server, fixture},
};

/// Games of a filter, decided by what their moves are.
const FILTER: &str = "hanging:Q or mate";
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";
const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b";

/// The filter as the page writes it with a position.
fn at(fen: &str) -> String {
    encoded(&format!("fen:\"{fen}\" ({FILTER}\n)"))
}

/// What asks for the games with a position that match, the position being after some moves.
fn addresses(fen: &str, play: &str) -> Vec<String> {
    let (q, filter) = (at(fen), encoded(FILTER));
    vec![
        format!("/api/search?q={q}"),
        format!("/api/search?q={q}&sort=date:desc&offset=10"),
        format!("/api/search?q={q}&format=jsonl"),
        format!("/api/stats?q={q}"),
        format!("/api/tree?q={filter}&play={play}"),
        format!("/api/export?q={q}&format=csv"),
    ]
}

/// Asks for all of it at once. Returns the answers in order.
fn ask_at_once(server: &Server, addresses: &[String]) -> Vec<String> {
    let ready = Barrier::new(addresses.len());
    let get = |address: &String| {
        ready.wait();
        let answer = server.get(address);
        assert_eq!(answer.status, 200, "{address}: {}", answer.body);
        answer.body
    };
    thread::scope(|scope| {
        let asking = addresses.iter().map(|address| scope.spawn(|| get(address)));
        let asking: Vec<_> = asking.collect();
        let answers = asking.into_iter().map(|one| one.join());
        answers.map(|one| one.expect("an answer")).collect()
    })
}

#[test]
fn a_filter_that_many_ask_is_searched_once() {
    let server = Server::famous();
    let answers = ask_at_once(&server, &addresses(START, ""));
    assert_eq!(server.explorer.searched(), 1);
    // Another order is no new search, nor are all games of the filter or other positions.
    let filter = encoded(FILTER);
    for more in [format!("q={}&sort=elo", at(START)), format!("q={filter}")] {
        assert_eq!(server.get(&format!("/api/search?{more}")).status, 200);
    }
    ask_at_once(&server, &addresses(AFTER_E4, "e2e4"));
    assert_eq!(server.explorer.searched(), 1);
    // Each alone says the same.
    let limits = Limits {
        cache: 0,
        ..Limits::default()
    };
    let forgetful = Server::new(vec![fixture("famous.si4")], limits);
    for (address, answer) in addresses(START, "").iter().zip(answers) {
        assert_eq!(forgetful.get(address).body, answer, "{address}");
    }
}

#[test]
fn what_was_found_before_a_change_is_not_told_after_it() {
    let folder = Folder::new("explorer-filter-changed");
    let path = folder.large(1);
    let server = Server::new(vec![path.clone()], Limits::default());
    let games = |address: &str, place: &str| {
        let answer = server.get(address).json();
        answer.pointer(place).and_then(Value::as_u64)
    };
    let filter = encoded(FILTER);
    let all = || {
        [
            games(&format!("/api/search?q={filter}"), "/total"),
            games(&format!("/api/stats?q={filter}"), "/stats/0/total/games"),
            games(&format!("/api/tree?q={filter}"), "/trees/0/total/games"),
        ]
    };
    let before = all();
    assert!(before[0] > Some(0));
    assert_eq!(before, [before[0]; 3]);
    let text = fs::read(&path).expect("a file");
    fs::write(&path, text.repeat(2)).expect("a file");
    assert_eq!(all(), [before[0].map(|games| 2 * games); 3]);
    assert_eq!(server.explorer.searched(), 2);
}
