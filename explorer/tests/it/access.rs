//! Who is answered, and whose pages may read the answers.

use tabiya_explorer::{Limits, Options};

use crate::{
    client::{Answer, ask, read, send},
    server::{Server, fixture, options},
};

/// Addresses of all kinds: the page, the interface of Lichess, the other one, a stream, a fault.
const ADDRESSES: [&str; 6] = [
    "/",
    "/masters",
    "/masters/pgn/00000003",
    "/api/databases",
    "/api/search?format=jsonl",
    "/nowhere",
];

/// Asks under the name of a host.
fn ask_as(server: &Server, host: &str, address: &str) -> Answer {
    let request = format!("GET {address} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    read(&mut send(server.address, request)).expect("an answer")
}

#[test]
fn requests_for_other_hosts_are_turned_away() {
    let server = Server::famous();
    let port = server.address.port();
    for address in ADDRESSES {
        for host in [
            "evil.example",
            "evil.example:9002",
            "127.0.0.1.evil.example",
        ] {
            let answer = ask_as(&server, host, address);
            assert_eq!(answer.status, 421, "{host} {address}");
            assert!(!answer.body.contains("Morphy"));
        }
        let expected = if address == "/nowhere" { 404 } else { 200 };
        for host in ["localhost", "127.0.0.1", "[::1]"] {
            let host = format!("{host}:{port}");
            assert_eq!(ask_as(&server, &host, address).status, expected, "{host}");
        }
    }
    assert!(ask_as(&server, "evil.example", "/").body.contains("--host"));
}

#[test]
fn hosts_of_the_command_line_are_answered() {
    let server = Server::of(Options {
        hosts: vec!["chess.example".to_owned(), "Other.Example".to_owned()],
        ..options(vec![fixture("famous.si4")], Limits::default())
    });
    for host in ["chess.example", "chess.example:8080", "other.example"] {
        assert_eq!(ask_as(&server, host, "/masters").status, 200, "{host}");
    }
    assert_eq!(ask_as(&server, "evil.example", "/masters").status, 421);
}

#[test]
fn pages_of_other_sites_read_nothing_unless_the_server_is_public() {
    let (own, public) = (Server::famous(), Server::public());
    let origin = "Origin: https://site.example\r\n\r\n";
    for address in ADDRESSES {
        for method in ["GET", "OPTIONS", "POST"] {
            let answer = ask(own.address, method, address, origin);
            let allowed = answer
                .headers
                .keys()
                .find(|name| name.starts_with("access-control"));
            assert_eq!(allowed, None, "{method} {address}");
            let answer = ask(public.address, method, address, origin);
            assert_eq!(
                answer.header("access-control-allow-origin"),
                "*",
                "{address}"
            );
        }
    }
}

#[test]
fn browsers_that_ask_a_public_server_first_are_told_what_they_may() {
    let server = Server::public();
    for address in ["/masters", "/api/positions"] {
        let answer = ask(server.address, "OPTIONS", address, "\r\n");
        assert_eq!(answer.status, 204);
        let headers = answer.header("access-control-allow-headers");
        assert!(headers.contains("Content-Type"), "{headers}");
        let methods = answer.header("access-control-allow-methods");
        assert!(methods.contains("POST"), "{methods}");
    }
    // That everybody may read does not make it another host.
    assert_eq!(ask_as(&server, "evil.example", "/masters").status, 421);
}
