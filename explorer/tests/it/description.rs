//! The description says what the server does.

use std::fs;

use serde_json::Value;
use tabiya_explorer::{Limits, Options, PageOptions};

use crate::{
    client::encoded,
    schema::faults,
    server::{Folder, Server, engine, fixture, options},
};

/// Every address, in the order of the alphabet.
const PATHS: [&str; 33] = [
    "/api/close",
    "/api/complete",
    "/api/databases",
    "/api/departure",
    "/api/diagram",
    "/api/engine",
    "/api/export",
    "/api/folders",
    "/api/game",
    "/api/games",
    "/api/index",
    "/api/lines",
    "/api/novelties",
    "/api/open",
    "/api/openapi.json",
    "/api/openings",
    "/api/pasted",
    "/api/position",
    "/api/positions",
    "/api/query",
    "/api/remove",
    "/api/repertoire",
    "/api/repertoires",
    "/api/report",
    "/api/save",
    "/api/search",
    "/api/stats",
    "/api/tree",
    "/api/undo",
    "/lichess",
    "/masters",
    "/masters/pgn/{id}",
    "/player",
];

fn resolved<'d>(description: &'d Value, value: &'d Value) -> &'d Value {
    match value["$ref"].as_str() {
        Some(name) => description
            .pointer(name.trim_start_matches('#'))
            .expect("what a reference names"),
        None => value,
    }
}

/// Returns the address of an operation with the examples of its parameters.
fn example(description: &Value, path: &str, operation: &Value) -> String {
    let (mut address, mut query) = (path.to_owned(), Vec::new());
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let parameter = resolved(description, parameter);
        let name = parameter["name"].as_str().expect("a name");
        assert!(parameter["description"].is_string(), "{path} {name}");
        let value = match &parameter["example"] {
            Value::String(text) => text.clone(),
            Value::Null => panic!("{path} {name}: no example"),
            value => value.to_string(),
        };
        match parameter["in"].as_str() {
            Some("path") => address = address.replace(&format!("{{{name}}}"), &value),
            _ => query.push(format!("{name}={}", encoded(&value))),
        }
    }
    format!("{address}?{}", query.join("&"))
}

// The engine is a shell script, and Windows starts none.
#[cfg(unix)]
#[test]
fn every_example_of_the_description_is_answered_in_the_form_that_it_gives() {
    let folder = Folder::new("explorer-described");
    let games = folder.0.join("games");
    fs::create_dir(&games).expect("a folder");
    fs::copy(fixture("famous.pgn"), games.join("lines.pgn")).expect("a file");
    let saved = folder.0.join("saved");
    fs::create_dir(&saved).expect("a folder");
    fs::copy(fixture("famous.pgn"), saved.join("mine.pgn")).expect("a file");
    let server = Server::of(Options {
        page: PageOptions {
            folders: vec![games],
            write: vec![saved],
            repertoires: vec![fixture("lines")],
            index: true,
            engines: vec![engine("good")],
            ..PageOptions::default()
        },
        ..options(vec![fixture("famous.si4")], Limits::default())
    });
    let opened = server.post("/api/open", r#"{"folder": "games", "file": "lines.pgn"}"#);
    assert_eq!(opened.json()["db"], "lines");
    let opened = server.post("/api/open", r#"{"folder": "saved", "file": "mine.pgn"}"#);
    assert_eq!(opened.json()["db"], "mine");
    // No other game than the one that is known is removed.
    let first = server.get("/api/game?db=mine&number=1").json();
    let description = server.get("/api/openapi.json").json();
    let paths = description["paths"].as_object().expect("paths");
    assert!(paths.keys().map(String::as_str).eq(PATHS));
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().expect("operations") {
            let address = example(&description, path, operation);
            let body = &operation["requestBody"]["content"]["application/json"];
            let answer = match method.as_str() {
                "get" => server.get(&address),
                _ => {
                    let wrong = faults(&body["example"], &body["schema"], &description);
                    assert!(wrong.is_empty(), "{path}: {wrong:?}");
                    let mut example = body["example"].clone();
                    if path == "/api/remove" {
                        example["was"] = first["pgn"].clone();
                    }
                    server.post(path, &example.to_string())
                }
            };
            assert_eq!(answer.status, 200, "{address}: {}", answer.body);
            let content = &operation["responses"]["200"]["content"];
            let schema = &content[answer.header("content-type")]["schema"];
            assert!(!schema.is_null(), "{path}: {:?}", answer.headers);
            if schema["type"] != "string" {
                let wrong = faults(&answer.json(), schema, &description);
                assert!(wrong.is_empty(), "{address}: {wrong:#?}");
            }
        }
    }
}

#[test]
fn lines_have_the_form_of_the_description() {
    let server = Server::famous();
    let description = server.get("/api/openapi.json").json();
    let schema = &description["components"]["schemas"]["Hit"];
    let lines = server.get("/api/search?format=jsonl&q=mate").lines();
    assert!(lines.len() > 10);
    for line in lines {
        assert!(faults(&line, schema, &description).is_empty(), "{line}");
        assert!(line["ply"].is_u64());
    }
}
