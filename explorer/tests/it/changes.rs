//! Another program changes a database while the server has it.

use std::{
    fs,
    io::Read,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use tabiya_explorer::{Limits, Options};

use crate::{
    client::send,
    server::{Folder, Server, options},
};

const FILES: [&str; 3] = ["si4", "sg4", "sn4"];

/// Answers are not kept, so that each request goes to the files.
fn limits() -> Limits {
    Limits {
        cache: 0,
        ..Limits::default()
    }
}

#[test]
fn while_a_database_is_replaced_answers_are_right_or_say_that_it_changes() {
    const TIMES: usize = 40;
    let folder = Folder::new("explorer-replaced");
    let server = Server::new(vec![folder.copy("moving", &FILES)], limits());
    let addresses = [
        "/masters?play=e2e4",
        "/api/search?q=mate&format=jsonl",
        "/api/stats",
        "/api/game?number=3",
        "/masters/pgn/00000003",
    ];
    let before = addresses.map(|address| server.get(address).body);
    let is_over = AtomicBool::new(false);
    let right = thread::scope(|scope| {
        let asking = (0..3).map(|client| {
            let (server, before, is_over) = (&server, &before, &is_over);
            scope.spawn(move || {
                let mut right = 0;
                for turn in client.. {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    let place = turn % addresses.len();
                    let answer = server.get(addresses[place]);
                    match answer.status {
                        200 => {
                            assert_eq!(answer.body, before[place], "{}", addresses[place]);
                            right += 1;
                        }
                        503 => assert_eq!(answer.header("retry-after"), "1"),
                        _ => panic!("{}: {answer:?}", addresses[place]),
                    }
                }
                right
            })
        });
        let asking: Vec<_> = asking.collect();
        for _ in 0..TIMES {
            folder.copy("moving", &FILES);
            thread::sleep(std::time::Duration::from_millis(5));
        }
        is_over.store(true, Ordering::Relaxed);
        let counts = asking
            .into_iter()
            .map(|client| client.join().expect("a client"));
        counts.sum::<usize>()
    });
    assert!(right > 0, "every answer said that the database changes");
    server.wait_until_idle();
    assert_eq!(addresses.map(|address| server.get(address).body), before);
}

#[test]
fn a_database_that_is_cut_short_in_place_gets_a_clear_status() {
    let folder = Folder::new("explorer-cut");
    let path = folder.copy("cut", &FILES);
    let server = Server::new(vec![path.clone()], limits());
    let before = server.get("/masters?play=e2e4").body;
    for (suffix, statuses) in [
        ("sg4", [200, 500]),
        ("sn4", [200, 500]),
        ("si4", [503, 503]),
    ] {
        let path = path.with_extension(suffix);
        let whole = fs::read(&path).expect("a file");
        for length in [whole.len() / 2, 10, 0] {
            let file = fs::OpenOptions::new()
                .write(true)
                .open(&path)
                .expect("a file");
            file.set_len(length as u64).expect("a shorter file");
            for address in ["/masters?play=e2e4", "/api/search?q=mate", "/api/databases"] {
                let status = server.get(address).status;
                let is_clear = statuses.contains(&status) || status == 503 || status == 200;
                assert!(is_clear, "{suffix} {length} {address}: {status}");
            }
        }
        fs::write(&path, whole).expect("a file");
        assert_eq!(server.get("/masters?play=e2e4").body, before, "{suffix}");
    }
}

#[test]
fn what_is_in_memory_is_answered_while_its_file_is_cut_short() {
    let folder = Folder::new("explorer-in-memory");
    let path = folder.large(100);
    let server = Server::of(Options {
        in_memory: true,
        ..options(vec![path.clone()], limits())
    });
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let cutting = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let file = fs::OpenOptions::new().write(true).open(&path);
                file.expect("a file").set_len(10).expect("a shorter file");
                thread::sleep(Duration::from_millis(2));
                folder.large(100);
                thread::sleep(Duration::from_millis(20));
            }
        });
        for _ in 0..30 {
            let status = server.get("/api/search?q=mate&limit=200").status;
            assert!([200, 503].contains(&status), "{status}");
        }
        is_over.store(true, Ordering::Relaxed);
        cutting.join().expect("the file is written");
    });
    assert_eq!(server.get("/api/search?q=mate").status, 200);
}

#[test]
fn games_that_are_added_in_place_are_found() {
    let folder = Folder::new("explorer-added");
    let path = folder.large(1);
    let server = Server::new(vec![path.clone()], limits());
    let games = |server: &Server| server.get("/api/search?limit=1").json()["total"].as_u64();
    let before = games(&server).expect("games");
    let text = fs::read(&path).expect("a file");
    fs::write(&path, text.repeat(2)).expect("a file");
    assert_eq!(games(&server), Some(2 * before));
}

#[test]
fn lines_of_a_database_that_is_replaced_end_with_an_error() {
    let folder = Folder::new("explorer-lines-replaced");
    // More than a connection's buffers take, so that most of it is made after the change.
    let server = Server::new(vec![folder.large(600)], limits());
    let request = "GET /api/search?format=jsonl HTTP/1.1\r\nConnection: close\r\n\r\n";
    let mut stream = send(server.address, request);
    let mut first = [0; 100];
    stream.read_exact(&mut first).expect("the first line");
    folder.large(599);
    let mut text = Vec::new();
    stream.read_to_end(&mut text).expect("the rest");
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().rfind(|line| line.starts_with('{'));
    let last = last.expect("a line");
    assert!(last.starts_with("{\"error\":"), "{last}");
}
