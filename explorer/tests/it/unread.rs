//! What clients do not take costs no more than the server was given for it.

use std::{
    io::Read,
    net::TcpStream,
    time::{Duration, Instant},
};

use tabiya_explorer::Limits;

use crate::{
    client::send,
    server::{Folder, Server},
};

/// Room for two streams of a small database, and not for three.
const UNREAD_MEGABYTES: usize = 5;
const PATIENCE: Duration = Duration::from_secs(60);

fn server(folder: &Folder) -> Server {
    let limits = Limits {
        unread: UNREAD_MEGABYTES,
        ..Limits::default()
    };
    // More lines than a connection's buffers take.
    Server::new(vec![folder.large(600)], limits)
}

/// Asks for lines of its own and takes only the first bytes of them.
fn begin(server: &Server, number: usize) -> (TcpStream, bool) {
    let request = format!(
        "GET /api/search?format=jsonl&q=number:{number}.. HTTP/1.1\r\nHost: localhost\r\n\r\n"
    );
    let mut stream = send(server.address, request);
    let mut first = [0; 12];
    stream.read_exact(&mut first).expect("a status");
    let status = &first[9..];
    assert!(status == b"200" || status == b"503");
    (stream, status == b"200")
}

#[test]
fn streams_of_lines_are_bounded_together() {
    let folder = Folder::new("explorer-streams");
    let server = server(&folder);
    let mut streams: Vec<TcpStream> = Vec::new();
    for number in 1..=2 {
        let (stream, is_fine) = begin(&server, number);
        assert!(is_fine);
        streams.push(stream);
    }
    for number in 3..20 {
        assert!(!begin(&server, number).1, "{number}");
    }
    let busy = server.get("/api/search?format=jsonl&q=number:21..");
    assert_eq!((busy.status, busy.header("retry-after")), (503, "1"));
    assert!(
        busy.body.contains("wait for their clients"),
        "{}",
        busy.body
    );
    // Others are answered meanwhile.
    assert_eq!(server.get("/api/search?q=number:22..").status, 200);
    drop(streams);
    let started = Instant::now();
    while !begin(&server, 30).1 {
        assert!(started.elapsed() < PATIENCE, "the room is not given back");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_stream_that_is_read_comes_whole_however_little_room_there_is() {
    let folder = Folder::new("explorer-little-room");
    let limits = Limits {
        unread: 1,
        ..Limits::default()
    };
    let server = Server::new(vec![folder.large(100)], limits);
    for _ in 0..3 {
        let lines = server.get("/api/search?format=jsonl").lines();
        let total = server.get("/api/search?limit=0").json()["total"].as_u64();
        assert_eq!(Some(lines.len() as u64), total);
    }
}

#[test]
fn long_answers_that_nobody_takes_are_bounded_together() {
    let folder = Folder::new("explorer-long-answers");
    // One game, longer than a connection's buffers are.
    let comment = "word ".repeat(4 << 20);
    let path = folder.put("long.pgn", format!("1. e4 {{{comment}}} *\n").as_bytes());
    let limits = Limits {
        unread: 30,
        ..Limits::default()
    };
    let server = Server::new(vec![path], limits);
    let request = "GET /masters/pgn/00000001 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut first = send(server.address, request);
    first.read_exact(&mut [0; 100]).expect("a head");
    assert_eq!(server.get("/masters/pgn/00000001").status, 503);
    assert_eq!(server.get("/masters").status, 200);
    drop(first);
    let started = Instant::now();
    while server.get("/masters/pgn/00000001").status != 200 {
        assert!(started.elapsed() < PATIENCE, "the room is not given back");
    }
}
