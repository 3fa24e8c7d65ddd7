//! What no friendly client sends: every answer is a clear one, and nobody else waits for it.

use std::{
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use tabiya_explorer::Limits;

use crate::{
    client::{read, send},
    server::{Folder, Server, fixture},
};

/// What a slow client has for everything.
const CLIENT_TIME: Duration = Duration::from_millis(500);
/// Between two bytes of a client that is slow but not silent.
const PAUSE: Duration = Duration::from_millis(20);
/// More than anything here may take.
const LONG: Duration = Duration::from_secs(20);

fn limits(connections: usize) -> Limits {
    Limits {
        client_time: CLIENT_TIME,
        connections,
        body_bytes: 1000,
        ..Limits::default()
    }
}

/// Tells whether the server has closed a connection.
fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).expect("a socket");
    let mut bytes = [0; 1024];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != std::io::ErrorKind::WouldBlock,
        }
    }
}

/// Sends the rest byte after byte, over all connections at once, until the server has closed
/// every one; returns how long that took.
fn trickle(streams: &mut [TcpStream], rest: &[u8]) -> Duration {
    let started = Instant::now();
    for byte in rest.iter().cycle() {
        if streams.iter_mut().all(is_closed) {
            break;
        }
        assert!(started.elapsed() < LONG, "still open");
        for stream in &mut *streams {
            let _ = stream.write_all(&[*byte]);
        }
        thread::sleep(PAUSE);
    }
    started.elapsed()
}

#[test]
fn many_slow_heads_and_bodies_hold_nobody_up_for_long() {
    const CLIENTS: usize = 100;
    let server = Server::new(vec![fixture("famous.si4")], limits(CLIENTS));
    let slow = [
        ("GET /masters HTTP/1.1\r\nHost: localhost\r\nX: ", "x"),
        (
            "POST /api/positions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n[",
            " ",
        ),
        (
            "POST /api/positions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
            "1\r\n \r\n",
        ),
    ];
    for (head, rest) in slow {
        let mut streams: Vec<_> = (0..CLIENTS).map(|_| send(server.address, head)).collect();
        // No place is left, so this one waits until the slow ones are sent away.
        thread::scope(|scope| {
            let friendly = scope.spawn(|| server.get("/masters").status);
            let took = trickle(&mut streams, rest.as_bytes());
            assert!(took >= CLIENT_TIME / 2, "{head}: {took:?}");
            assert_eq!(friendly.join().expect("an answer"), 200, "{head}");
        });
    }
}

#[test]
fn who_stops_reading_a_long_answer_loses_the_connection() {
    let folder = Folder::new("explorer-unread");
    // Ten times what a connection's buffers take, and one place for all.
    let server = Server::new(vec![folder.large(600)], limits(1));
    let request = "GET /api/search?format=jsonl HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut stream = send(server.address, request);
    let mut first = [0; 100];
    stream.read_exact(&mut first).expect("the first line");
    // The next client gets its place when the first one's time is up.
    let started = Instant::now();
    assert_eq!(server.get("/masters?play=e2e4").status, 200);
    assert!(started.elapsed() < LONG);
    server.wait_until_idle();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(
        !rest.ends_with(b"\r\n0\r\n\r\n"),
        "the answer went on to its end"
    );
}

#[test]
fn silent_connections_are_closed_before_and_after_a_request() {
    let server = Server::new(vec![fixture("famous.si4")], limits(16));
    for request in ["", "GET /masters HTTP/1.1\r\nHost: localhost\r\n\r\n"] {
        let mut stream = send(server.address, request);
        let started = Instant::now();
        let answer = read(&mut stream);
        assert!(started.elapsed() < LONG, "{request}");
        assert_eq!(answer.is_some(), !request.is_empty());
    }
}

/// Requests that are none, or odd ones, and the status of each; 0 for no answer at all.
const ODD: [(&[u8], &[u16]); 40] = [
    (b"GET /masters HTTP/1.0\r\n\r\n", &[200]),
    (
        b"GET http://elsewhere/masters HTTP/1.1\r\nHost: localhost\r\n",
        &[421],
    ),
    (b"GET http://localhost:1/masters HTTP/1.1\r\n", &[200]),
    (b"GET /masters HTTP/1.1\r\nHost: \xff\r\n", &[421]),
    (b"GET /masters HTTP/1.1\r\nHost:\r\n", &[421]),
    (
        b"GET /masters HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n",
        &[0, 400, 421],
    ),
    (b"GET /masters HTTP/1.1\r\n", &[200]),
    (b"HEAD /masters HTTP/1.1\r\n", &[200]),
    (b"OPTIONS * HTTP/1.1\r\n", &[404, 405]),
    (b"BREW /masters HTTP/1.1\r\n", &[405]),
    (b"DELETE /api/game?number=1 HTTP/1.1\r\n", &[405]),
    (b"POST /masters HTTP/1.1\r\nContent-Length: 0\r\n", &[405]),
    (b"CONNECT test:1 HTTP/1.1\r\n", &[404, 405, 421]),
    (b"get /masters HTTP/1.1\r\n", &[405]),
    (b"GET /masters HTTP/9.9\r\n", &[0, 400]),
    (b"GET /masters\r\n", &[0, 400]),
    (b"PRI * HTTP/2.0\r\n\r\nSM\r\n", &[0, 400]),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", &[0, 400]),
    (b"GET /ma\x00sters HTTP/1.1\r\n", &[0, 400]),
    (b"GET /masters?fen=\xff\xfe HTTP/1.1\r\n", &[400]),
    (b"GET /masters HTTP/1.1\r\nX\x00Y: z\r\n", &[0, 400]),
    (b"GET /masters HTTP/1.1\r\nX: \xff\xfe\r\n", &[200]),
    (b"GET /masters?fen=%00 HTTP/1.1\r\n", &[400]),
    (b"GET /masters?fen=%ff%fe HTTP/1.1\r\n", &[400]),
    (b"GET /masters?fen=%zz HTTP/1.1\r\n", &[400]),
    (b"GET /masters?fen=% HTTP/1.1\r\n", &[400]),
    (
        b"GET /masters/pgn/%ff%00%2e%2e%2f HTTP/1.1\r\n",
        &[400, 404],
    ),
    // Words without a field are texts to look for.
    (b"GET /api/search?q=%ff%00 HTTP/1.1\r\n", &[200]),
    (b"GET /api/search?q=elo:%ff%00 HTTP/1.1\r\n", &[400]),
    // Nobody reads files of the server.
    (
        b"GET /api/search?q=repertoire:lines.pgn HTTP/1.1\r\n",
        &[400],
    ),
    (
        b"GET /api/search?q=white:%22%00%ff%22 HTTP/1.1\r\n",
        &[200, 400],
    ),
    (b"GET /api/search?db=%00&db=%ff HTTP/1.1\r\n", &[404]),
    (
        b"GET /masters?fen=x&fen=&play=zz&play[]= HTTP/1.1\r\n",
        &[400],
    ),
    (
        b"GET /masters?since=x&since=1900&&&=&=1 HTTP/1.1\r\n",
        &[200],
    ),
    (
        b"POST /api/positions HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n",
        &[0, 400, 413, 431],
    ),
    (
        b"POST /api/positions HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n",
        &[0, 400, 431],
    ),
    (
        b"POST /api/positions HTTP/1.1\r\nContent-Length: -1\r\n",
        &[0, 400],
    ),
    (
        b"POST /api/positions HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n",
        &[0, 400],
    ),
    (
        b"POST /api/positions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        &[0, 400],
    ),
    (
        b"POST /api/positions HTTP/1.1\r\nTransfer-Encoding: rot13\r\n",
        &[0, 400],
    ),
];

#[test]
fn odd_requests_get_a_clear_status_and_the_next_client_an_answer() {
    let server = Server::new(vec![fixture("famous.si4")], limits(16));
    for (request, statuses) in ODD {
        let shown = String::from_utf8_lossy(request);
        let request = [request, b"Connection: close\r\n\r\n"].concat();
        let mut stream = send(server.address, request);
        let status = read(&mut stream).map_or(0, |answer| answer.status);
        assert!(statuses.contains(&status), "{shown}: {status}");
    }
    assert_eq!(server.get("/masters").status, 200);
}

#[test]
fn chunks_beyond_the_bound_are_turned_away() {
    let server = Server::new(vec![fixture("famous.si4")], limits(16));
    let chunk = format!("ff\r\n{}\r\n", " ".repeat(255));
    let head = "POST /api/positions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\
                Connection: close\r\n\r\n";
    for chunks in [5, 5000] {
        let body = chunk.repeat(chunks);
        let mut stream = send(server.address, format!("{head}{body}0\r\n\r\n"));
        // With much more to come the connection may be cut before the answer is read.
        let status = read(&mut stream).map_or(0, |answer| answer.status);
        assert!(
            status == 413 || status == 0 && chunks > 5,
            "{chunks}: {status}"
        );
    }
    let few = format!("{head}2\r\n{{}}\r\n0\r\n\r\n");
    assert_eq!(
        read(&mut send(server.address, few)).map(|answer| answer.status),
        Some(400)
    );
}

#[test]
fn requests_in_one_go_are_answered_in_their_order() {
    let server = Server::famous();
    let games = ["number=3", "number=0", "number=4"];
    let get = |game| format!("GET /api/game?{game} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let last = "GET /masters/pgn/00000005 HTTP/1.0\r\n\r\n".to_owned();
    let all: String = games.into_iter().map(get).chain([last]).collect();
    let mut text = String::new();
    let _ = send(server.address, all).read_to_string(&mut text);
    let heads: Vec<&str> = text.split("HTTP/1.").skip(1).collect();
    let found = |text: &&str| (text.get(2..5).map(str::to_owned), text.contains("Opera"));
    let found: Vec<_> = heads.iter().map(found).collect();
    let status = |status: &str| Some(status.to_owned());
    let expected = [
        ("200", true),
        ("400", false),
        ("200", false),
        ("200", false),
    ];
    assert_eq!(found, expected.map(|(code, opera)| (status(code), opera)));
}

#[test]
fn a_thousand_parameters_are_read() {
    let server = Server::famous();
    let many = "play=e2e4&".repeat(1000);
    assert_eq!(server.get(&format!("/masters?{many}")).status, 400);
    let other = "x=1&".repeat(1000);
    let answer = server.get(&format!("/masters?{other}play=e2e4")).json();
    assert_eq!(answer, server.get("/masters?play=e2e4").json());
}
