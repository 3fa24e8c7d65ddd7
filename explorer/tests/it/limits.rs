//! Nobody can make the server hang, leak or work for nothing.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use tabiya_explorer::Limits;

use crate::{
    client::{ask, long_search, send},
    server::{Folder, Server, fixture, listening},
};

/// Copies of the fixture that keep a search busy for a while.
const TIMES: usize = 30;

#[test]
fn long_addresses_and_bodies_are_turned_away() {
    let limits = Limits {
        body_bytes: 1000,
        ..Limits::default()
    };
    let server = Server::new(vec![fixture("famous.si4")], limits);
    let fen = "8/".repeat(9000);
    assert_eq!(server.get(&format!("/masters?fen={fen}")).status, 414);
    let body = format!("{{\"positions\": [\"{}\"]}}", "8/".repeat(1000));
    assert_eq!(server.post("/api/positions", &body).status, 413);
    let huge = format!("GET /masters?fen={} HTTP/1.1\r\n\r\n", "8/".repeat(1 << 20));
    let mut answer = String::new();
    let _ = send(server.address, &huge).read_to_string(&mut answer);
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 4"),
        "{answer}"
    );
    assert_eq!(server.get("/masters").status, 200);
}

#[test]
fn a_search_that_takes_too_long_ends() {
    let folder = Folder::new("explorer-slow");
    let limits = Limits {
        search_time: Duration::from_micros(10),
        ..Limits::default()
    };
    let server = Server::new(vec![folder.large(2)], limits);
    let long = long_search();
    for address in [&long, "/masters?since=1900", "/api/tree", "/api/stats"] {
        let answer = server.get(address);
        assert_eq!(answer.status, 503, "{address}: {}", answer.body);
        assert!(answer.body.contains("too long"), "{}", answer.body);
    }
    assert_eq!(server.explorer.running(), 0);
}

#[test]
fn when_too_many_wait_the_next_one_is_told_to_come_back() {
    let folder = Folder::new("explorer-busy");
    let limits = Limits {
        searches: 1,
        queue: 1,
        cache: 0,
        ..Limits::default()
    };
    let server = Server::new(vec![folder.large(10 * TIMES)], limits);
    let searching = server.begin(&long_search());
    let (answers, arriving) = mpsc::channel();
    thread::scope(|scope| {
        // Those that ask the same would wait for one search.
        for year in 1901..=1912 {
            let (server, answers) = (&server, answers.clone());
            scope.spawn(move || answers.send(server.get(&format!("/masters?since={year}"))));
        }
        for _ in 0..11 {
            let answer = arriving.recv().expect("an answer");
            assert_eq!(answer.status, 503, "{}", answer.body);
            assert_eq!(answer.header("retry-after"), "1");
        }
        drop(searching);
        let waited = arriving.recv().expect("an answer");
        assert_eq!(waited.status, 200, "{}", waited.body);
    });
}

#[test]
fn what_is_no_search_is_answered_while_searches_have_every_turn() {
    let folder = Folder::new("explorer-light");
    let limits = Limits {
        searches: 1,
        queue: 0,
        cache: 0,
        ..Limits::default()
    };
    let server = Server::new(vec![folder.large(10 * TIMES)], limits);
    // The files of the page need no proof.
    let light = [
        "/api/databases",
        "/api/game?number=3",
        "/masters/pgn/00000003",
        "/api/position?play=e2e4",
        "/api/query?q=mate",
        "/api/openapi.json",
    ];
    let searching = server.begin(&long_search());
    for address in light {
        assert_eq!(server.get(address).status, 200, "{address}");
    }
    // The search went on all the time, and another one would have waited.
    let busy = server.get("/masters");
    assert_eq!(busy.status, 503, "the search is over too soon");
    drop(searching);
    server.wait_until_idle();
}

#[test]
fn searches_of_clients_that_left_end() {
    let folder = Folder::new("explorer-left");
    let limits = Limits {
        cache: 0,
        ..Limits::default()
    };
    let server = Server::new(vec![folder.large(TIMES)], limits);
    let request = format!("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", long_search());
    let mut seen = 0;
    for number in 0..1000 {
        let stream = send(server.address, &request);
        if number % 20 == 0 {
            thread::sleep(Duration::from_millis(20));
        }
        seen = seen.max(server.explorer.running());
        drop(stream);
    }
    assert!(seen > 0, "no search was under way");
    server.wait_until_idle();
    assert_eq!(server.get("/masters?play=e2e4").status, 200);
    server.wait_until_idle();
}

#[test]
fn a_client_that_sends_half_a_request_is_left() {
    let limits = Limits {
        client_time: Duration::from_millis(300),
        ..Limits::default()
    };
    let server = Server::new(vec![fixture("famous.si4")], limits);
    let halves = [
        "GET /masters HTTP/1.1\r\nHost: loc",
        "POST /api/positions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
    ];
    for half in halves {
        let started = Instant::now();
        let mut stream = send(server.address, half);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let took = started.elapsed();
        assert!(took < Duration::from_secs(20), "{half}: {took:?}");
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{half}");
    }
    assert_eq!(server.get("/masters").status, 200);
}

#[test]
fn lines_that_nobody_takes_hold_no_search() {
    let folder = Folder::new("explorer-lines");
    let server = Server::new(vec![folder.large(TIMES)], Limits::default());
    let request = "GET /api/search?format=jsonl HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let _streams: Vec<_> = (0..8).map(|_| send(server.address, request)).collect();
    thread::sleep(Duration::from_millis(200));
    server.wait_until_idle();
    assert_eq!(server.get("/masters?play=e2e4").status, 200);
}

// Windows has no signals that one program could send another so.
#[cfg(unix)]
#[test]
fn a_signal_ends_the_program_in_order() {
    for signal in ["-TERM", "-INT"] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_tabiya-explorer"))
            .arg(fixture("famous.si4"))
            .args(["--listen", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        let mut lines = BufReader::new(program.stderr.take().expect("its errors")).lines();
        let line = lines.by_ref().find_map(|line| {
            let line = line.expect("a line");
            line.starts_with("listening on http://127.0.0.1:")
                .then_some(line)
        });
        assert!(line.is_some());
        let id = program.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.expect("kill").success());
        assert!(program.wait().expect("an end").success());
    }
}

#[test]
fn a_server_goes_on_when_nobody_reads_its_log() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tabiya-explorer"))
        .arg(fixture("famous.si4"))
        .args(["--listen", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut lines = BufReader::new(program.stderr.take().expect("its errors")).lines();
    let address = listening(&mut lines).expect("an address");
    drop(lines);
    for _ in 0..3 {
        let answer = ask(address, "GET", "/api/databases", "\r\n");
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    program.kill().expect("an end");
    program.wait().expect("an end");
}
