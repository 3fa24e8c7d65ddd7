//! Random addresses and bodies, made of what the server knows and damaged here and there.

use fastrand::Rng;
use tabiya_explorer::{Limits, Options, PageOptions};

use crate::{
    client::{ask, encoded, read, send},
    server::{Server, fixture, options},
};

const PATHS: [&str; 27] = [
    "/masters",
    "/lichess",
    "/player",
    "/masters/pgn/00000003",
    "/masters/pgn/",
    "/master",
    "/api/search",
    "/api/tree",
    "/api/export",
    "/api/lines",
    "/api/report",
    "/api/repertoires",
    "/api/repertoire",
    "/api/departure",
    "/api/novelties",
    "/api/diagram",
    "/api/games",
    "/api/game",
    "/api/position",
    "/api/query",
    "/api/stats",
    "/api/databases",
    "/api/positions",
    "/api/openapi.json",
    "/",
    "/api",
    "/masters/",
];

const NAMES: [&str; 38] = [
    "fen",
    "play",
    "since",
    "until",
    "moves",
    "topGames",
    "recentGames",
    "history",
    "ratings",
    "speeds",
    "modes",
    "player",
    "color",
    "variant",
    "db",
    "q",
    "sort",
    "offset",
    "limit",
    "format",
    "variations",
    "number",
    "id",
    "fens",
    "ids",
    "like",
    "name",
    "last",
    "side",
    "title",
    "file",
    "games",
    "speeds[]",
    "play[]",
    "",
    "FEN",
    "%66en",
    "x",
];

const VALUES: [&str; 46] = [
    "",
    "0",
    "1",
    "-1",
    "3",
    "65535",
    "65536",
    "2047",
    "18446744073709551615",
    "1e9",
    "true",
    "False",
    "white",
    "black",
    "asc",
    "date:desc",
    "white:desc",
    "games",
    "jsonl",
    "json",
    "standard",
    "chess960",
    "crazyhouse",
    "blitz,rapid",
    "rated",
    "2200,2500",
    "2010-05",
    "1900",
    "0000-00",
    "e2e4",
    "e2e4,e7e5",
    "e1g1",
    "e7e8q",
    "0000",
    "Carlsen",
    "famous",
    "lines/white.pgn",
    "lines/../lines/white.pgn",
    "8/8/8/8/8/8/8/8 w - -",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    "K7/8/8/8/8/8/8/k7_b_-_-_99_5000",
    "mate",
    "at(Q=0 q=1) then mate",
    "white:\"",
    "((((not",
];

/// An address of known and unknown pieces, some of them damaged.
fn random_address(random: &mut Rng) -> String {
    let mut address = random.choice(PATHS).unwrap_or("/").to_owned();
    let mut mark = '?';
    for _ in 0..random.usize(..6) {
        let value = random.choice(VALUES).unwrap_or_default();
        let mut bytes = value.as_bytes().to_vec();
        if random.u8(..4) == 0 {
            let at = random.usize(..=bytes.len());
            bytes.insert(at, random.u8(..));
        }
        let name = random.choice(NAMES).unwrap_or_default();
        let value: String = match random.u8(..3) {
            0 => bytes.iter().map(|byte| format!("%{byte:02x}")).collect(),
            _ => encoded(&String::from_utf8_lossy(&bytes)),
        };
        address += &format!("{mark}{name}={value}");
        mark = '&';
    }
    if random.u8(..8) == 0 {
        let printable = (0..random.usize(..5)).map(|_| char::from(random.u8(b'!'..=b'~')));
        address.extend(printable);
    }
    address
}

#[test]
fn no_address_whatever_makes_the_server_fail() {
    let databases = vec![fixture("famous.si4"), fixture("famous.cbh")];
    let server = Server::of(Options {
        page: PageOptions {
            repertoires: vec![fixture("lines")],
            ..PageOptions::default()
        },
        ..options(databases, Limits::default())
    });
    let mut answered = [0; 6];
    for seed in 0..2000 {
        let address = random_address(&mut Rng::with_seed(seed));
        let status = ask(server.address, "GET", &address, "\r\n").status;
        assert!(status < 500 || status == 503, "{seed}: {address}: {status}");
        answered[usize::from(status / 100)] += 1;
    }
    // Nothing would be shown by addresses that are all turned away, or all answered.
    assert!(answered[2] > 200 && answered[4] > 200, "{answered:?}");
    server.wait_until_idle();
}

#[test]
fn no_body_whatever_makes_the_server_fail() {
    const BODY: &str = r#"{"positions": ["8/8/8/8/8/8/8/8 w - -", {"fen": "4k3/8/8/8/8/8/8/4K3",
        "label": "kings"}], "q": "mate", "variations": true, "db": ["famous"]}"#;
    let server = Server::famous();
    let mut answered = [0; 6];
    for seed in 0..500 {
        let mut random = Rng::with_seed(seed);
        let mut body = BODY.as_bytes().to_vec();
        for _ in 0..random.usize(..3) {
            let at = random.usize(..body.len());
            match random.u8(..3) {
                0 => body[at] = random.u8(..),
                1 => body.truncate(at.max(1)),
                _ => body.extend_from_within(at..),
            }
        }
        let length = body.len();
        let head = "POST /api/positions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
        let head = format!("{head}Content-Length: {length}\r\n\r\n");
        let mut stream = send(server.address, [head.as_bytes(), &body].concat());
        let status = read(&mut stream).map_or(0, |answer| answer.status);
        assert!(
            (200..500).contains(&status) || status == 503,
            "{seed}: {status}"
        );
        answered[usize::from(status / 100)] += 1;
    }
    assert!(answered[2] > 50 && answered[4] > 50, "{answered:?}");
}
