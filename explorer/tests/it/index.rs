//! The index of a database, built for the page.

use std::{
    fs,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tabiya_explorer::{Limits, Options, PageOptions};

use crate::server::{Folder, Server, options};

fn server(database: PathBuf, index: bool) -> Server {
    Server::of(Options {
        page: PageOptions {
            index,
            ..PageOptions::default()
        },
        ..options(vec![database], Limits::default())
    })
}

fn build(server: &Server, db: &str) -> u16 {
    server
        .post("/api/index", &json!({ "db": db }).to_string())
        .status
}

/// Waits until nothing is built, and returns what became of it.
fn built(server: &Server) -> Value {
    let started = Instant::now();
    loop {
        let told = server.get("/api/index").json();
        if told["running"].is_null() {
            return told["last"].clone();
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{told}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_index_is_built_and_searches_use_it_without_a_restart() {
    let folder = Folder::new("explorer-index");
    let server = server(folder.large(20), true);
    let before = server.get("/api/tree?play=e2e4").json();
    assert_eq!(
        server.get("/api/databases").json()["databases"][0]["sidecar"],
        false
    );
    assert_eq!(build(&server, "large"), 200);
    let last = built(&server);
    assert_eq!(
        (&last["fault"], &last["stopped"]),
        (&Value::Null, &json!(false))
    );
    assert_eq!(
        server.get("/api/databases").json()["databases"][0]["sidecar"],
        true
    );
    assert!(folder.0.join("large.tabiya").is_file());
    assert_eq!(server.get("/api/tree?play=e2e4").json(), before);
}

#[test]
fn one_index_is_built_at_a_time_and_can_be_stopped() {
    let folder = Folder::new("explorer-index-stopped");
    let server = server(folder.large(2000), true);
    assert_eq!(build(&server, "large"), 200);
    assert_eq!(build(&server, "large"), 409);
    // Searches go on meanwhile.
    assert_eq!(server.get("/api/search?q=white:morphy&limit=1").status, 200);
    let told = server.post("/api/index", r#"{"stop": true}"#);
    assert_eq!(told.status, 200);
    let last = built(&server);
    assert_eq!(last["stopped"], true, "{last}");
    let files: Vec<_> = fs::read_dir(&folder.0).expect("a folder").collect();
    assert_eq!(files.len(), 1, "{files:?}");
    // What was stopped can be begun again, and ends with the server.
    assert_eq!(build(&server, "large"), 200);
    drop(server);
    let files: Vec<_> = fs::read_dir(&folder.0).expect("a folder").collect();
    assert_eq!(files.len(), 1, "{files:?}");
}

#[test]
fn an_index_that_cannot_be_written_is_told() {
    let folder = Folder::new("explorer-index-fault");
    let server = server(folder.large(1), true);
    fs::create_dir_all(folder.0.join("large.tabiya/in the way")).expect("a folder");
    assert_eq!(build(&server, "large"), 200);
    let last = built(&server);
    assert!(last["fault"].is_string(), "{last}");
    assert_eq!(server.get("/api/search?limit=1").status, 200);
}

#[test]
fn without_the_option_no_index_is_built() {
    let folder = Folder::new("explorer-no-index");
    let server = server(folder.large(1), false);
    assert_eq!(server.get("/api/index").json()["allowed"], false);
    assert_eq!(build(&server, "large"), 403);
    assert!(!folder.0.join("large.tabiya").exists());
}

#[test]
fn an_index_of_nothing_is_refused() {
    let folder = Folder::new("explorer-index-nothing");
    let server = server(folder.large(1), true);
    assert_eq!(build(&server, "other"), 404);
    for body in ["{}", r#"{"db": "large", "stop": true}"#] {
        assert_eq!(server.post("/api/index", body).status, 400, "{body}");
    }
}
