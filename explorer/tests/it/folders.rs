//! Databases that the page opens and closes.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use tabiya_explorer::{Explorer, Limits, Options, PageOptions};

use crate::{
    client::{Answer, ask},
    server::{Folder, Server, fixture, options},
};

/// A folder with the name `games` inside one that goes with its test.
fn games(outer: &Folder) -> Folder {
    let inner = Folder(outer.0.join("games"));
    fs::create_dir_all(&inner.0).expect("a folder");
    inner
}

fn server(databases: Vec<PathBuf>, folders: Vec<PathBuf>) -> Server {
    Server::of(with(databases, folders))
}

fn with(databases: Vec<PathBuf>, folders: Vec<PathBuf>) -> Options {
    Options {
        page: PageOptions {
            folders,
            ..PageOptions::default()
        },
        ..options(databases, Limits::default())
    }
}

fn open(server: &Server, folder: &str, file: &str) -> Answer {
    let body = json!({ "folder": folder, "file": file });
    server.post("/api/open", &body.to_string())
}

fn close(server: &Server, db: &str) -> Answer {
    server.post("/api/close", &json!({ "db": db }).to_string())
}

fn listed(server: &Server) -> Vec<Value> {
    let answer = server.get("/api/folders").json();
    let rows = answer["folders"][0]["databases"].as_array();
    rows.expect("databases").clone()
}

fn total(server: &Server) -> u64 {
    let answer = server.get("/api/search?limit=1").json();
    answer["total"].as_u64().expect("a number")
}

#[test]
fn a_folder_is_listed_and_its_databases_are_opened_and_closed() {
    let outer = Folder::new("explorer-folder");
    let folder = games(&outer);
    folder.copy("one", &["si4", "sg4", "sn4"]);
    folder.copy("two", &["pgn"]);
    folder.put("notes.txt", b"no database");
    let server = server(Vec::new(), vec![folder.0.clone()]);
    assert_eq!(total(&server), 0);
    assert_eq!(server.get("/masters").json()["white"], 0);
    let rows = listed(&server);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[0]["file"], "one.si4");
    assert_eq!(rows[0]["format"], "Scid 4 (.si4)");
    assert!(rows[0]["bytes"].as_u64() > Some(1000) && rows[0]["modified"].is_u64());
    // Nothing is read for the list, so that it is not known how many games are in PGN.
    assert!(rows[0]["games"].is_u64() && rows[1]["games"].is_null());
    assert_eq!(open(&server, "games", "one.si4").json()["db"], "one");
    let one = total(&server);
    assert_eq!(rows[0]["games"], one);
    assert_eq!(open(&server, "games", "two.pgn").json()["db"], "two");
    assert_eq!(open(&server, "games", "two.pgn").json()["db"], "two");
    assert_eq!(total(&server), 2 * one);
    assert_eq!(listed(&server)[1]["games"], one);
    assert_eq!(close(&server, "one").status, 200);
    assert_eq!(total(&server), one);
    assert_eq!(server.get("/api/search?db=one").status, 404);
    assert_eq!(close(&server, "one").status, 404);
    assert_eq!(listed(&server)[0]["db"], Value::Null);
}

#[test]
fn names_of_games_stay_right_whatever_is_opened_and_closed() {
    let outer = Folder::new("explorer-ids");
    let folder = games(&outer);
    for name in ["a", "b", "c", "famous"] {
        folder.copy(name, &["pgn"]);
    }
    let first = |server: &Server, db: &str| {
        let found = server.get(&format!("/api/search?db={db}&limit=1")).json();
        found["games"][0]["id"].as_str().expect("an id").to_owned()
    };
    let db_of = |server: &Server, id: &str| {
        let answer = server.get(&format!("/api/game?id={id}"));
        (answer.status == 200).then(|| answer.json()["db"].clone())
    };
    let folders = vec![folder.0.clone()];
    let server_one = server(vec![fixture("famous.si4")], folders.clone());
    for name in ["b", "a", "famous"] {
        assert_eq!(
            open(&server_one, "games", &format!("{name}.pgn")).status,
            200
        );
    }
    let (a, b) = (first(&server_one, "a"), first(&server_one, "b"));
    // The name that the command line has taken.
    let other = first(&server_one, "famous.pgn");
    assert_eq!(first(&server_one, "famous"), "00000001");
    for db in ["a", "famous.pgn"] {
        assert_eq!(close(&server_one, db).status, 200);
    }
    assert_eq!(open(&server_one, "games", "c.pgn").status, 200);
    // No game of another database stands in for one of a closed one.
    assert_eq!(db_of(&server_one, &a), None);
    assert_eq!(db_of(&server_one, &b), Some(json!("b")));
    for file in ["famous.pgn", "a.pgn"] {
        assert_eq!(open(&server_one, "games", file).status, 200);
    }
    assert_eq!(first(&server_one, "a"), a);
    assert_eq!(db_of(&server_one, &other), Some(json!("famous.pgn")));
    // Another run, another order, and another database on the command line.
    let server_two = server(vec![fixture("famous.pgn"), fixture("famous.si4")], folders);
    for file in ["c.pgn", "a.pgn"] {
        assert_eq!(open(&server_two, "games", file).status, 200);
    }
    assert_eq!(first(&server_two, "a"), a);
    assert_eq!(db_of(&server_two, &b), None);
}

// Windows has no pipes among files, and lets few make links.
#[cfg(unix)]
#[test]
fn links_and_dots_do_not_lead_out_of_a_folder() {
    use std::os::unix::fs::symlink;
    let outer = Folder::new("explorer-links");
    let secret = outer.copy("secret", &["si4", "sg4", "sn4"]);
    let folder = games(&outer);
    symlink(&secret, folder.0.join("link.si4")).expect("a link");
    // A real index whose other files are links.
    folder.copy("half", &["si4", "sn4"]);
    symlink(outer.0.join("secret.sg4"), folder.0.join("half.sg4")).expect("a link");
    folder.copy("indexed", &["pgn"]);
    symlink(outer.0.join("x"), folder.0.join("indexed.tabiya")).expect("a link");
    let made = std::process::Command::new("mkfifo")
        .arg(folder.0.join("pipe.pgn"))
        .status();
    assert!(made.expect("mkfifo").success());
    let server = server(Vec::new(), vec![folder.0.clone()]);
    let rows = listed(&server);
    let files: Vec<&Value> = rows.iter().map(|row| &row["file"]).collect();
    assert_eq!(files, ["half.si4", "indexed.pgn"]);
    for row in &rows {
        assert!(
            row["fault"]
                .as_str()
                .is_some_and(|fault| fault.contains("link")),
            "{row}"
        );
    }
    for (file, status) in [
        ("half.si4", 500),
        ("indexed.pgn", 500),
        ("link.si4", 404),
        ("pipe.pgn", 404),
        ("../secret.si4", 404),
        ("..", 404),
        ("", 404),
        (".", 404),
        ("/etc/passwd", 404),
        ("one.si4\0", 404),
    ] {
        assert_eq!(open(&server, "games", file).status, status, "{file}");
    }
    let absolute = secret.display().to_string();
    for name in ["..", "", "/", "games/..", "other"] {
        assert_eq!(open(&server, name, "secret.si4").status, 404, "{name}");
    }
    let body = json!({ "folder": "games", "file": absolute }).to_string();
    let rest = format!(
        "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = crate::client::send(
        server.address,
        format!("POST /api/open HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{rest}"),
    );
    let answer = crate::client::read(&mut stream).expect("an answer");
    assert_eq!(answer.status, 404);
    assert_eq!(total(&server), 0);
}

// Windows has no such names.
#[cfg(unix)]
#[test]
fn what_is_damaged_or_strangely_named_is_told() {
    let outer = Folder::new("explorer-odd-names");
    let folder = games(&outer);
    folder.put("broken.si4", b"nonsense");
    let evil = "<img src=x onerror=alert(1)>,\"\n.pgn";
    let text = fs::read(fixture("famous.pgn")).expect("a fixture");
    folder.put(evil, &text);
    let server = server(Vec::new(), vec![folder.0.clone()]);
    let rows = listed(&server);
    assert_eq!(rows[0]["file"], evil);
    assert!(rows[1]["fault"].is_string(), "{rows:?}");
    let answer = open(&server, "games", "broken.si4");
    assert_eq!(answer.status, 500);
    assert!(answer.body.contains("error"), "{}", answer.body);
    let db = open(&server, "games", evil).json()["db"].clone();
    assert!(db.as_str().is_some_and(|db| !db.contains(',')), "{db}");
    assert_eq!(
        server.get("/api/databases").json()["databases"][0]["name"],
        db
    );
    // A file that has gone since the list was made.
    fs::remove_file(folder.0.join("broken.si4")).expect("a file");
    assert_eq!(open(&server, "games", "broken.si4").status, 404);
}

#[test]
fn databases_of_the_command_line_stay_open() {
    let server = Server::famous();
    let answer = close(&server, "famous");
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("command line"), "{}", answer.body);
    assert_eq!(server.get("/api/folders").json(), json!({ "folders": [] }));
    assert_eq!(open(&server, "games", "one.si4").status, 404);
}

#[test]
fn a_folder_that_is_none_ends_the_program_with_its_name() {
    let error = Explorer::open(&with(Vec::new(), vec![fixture("famous.si4")]));
    let error = error.expect_err("no folder").to_string();
    assert!(error.contains("famous.si4"), "{error}");
}

#[test]
fn pages_of_other_sites_change_nothing_even_when_the_server_is_public() {
    let outer = Folder::new("explorer-foreign");
    let folder = games(&outer);
    folder.copy("one", &["pgn"]);
    let server = Server::of(Options {
        public: true,
        ..with(Vec::new(), vec![folder.0.clone()])
    });
    let body = json!({ "folder": "games", "file": "one.pgn" }).to_string();
    let length = body.len();
    for head in [
        "Content-Type: application/json\r\nOrigin: https://site.example\r\n",
        "Content-Type: application/json\r\nOrigin: null\r\n",
        "Content-Type: application/json\r\nSec-Fetch-Site: cross-site\r\n",
        "Content-Type: text/plain\r\n",
        "",
    ] {
        let rest = format!("{head}Content-Length: {length}\r\n\r\n{body}");
        for path in ["/api/open", "/api/close", "/api/index", "/api/engine"] {
            let answer = ask(server.address, "POST", path, &rest);
            assert_eq!(answer.status, 403, "{path} {head}: {}", answer.body);
        }
    }
    assert_eq!(total(&server), 0);
    // Where the page itself comes from.
    let head = "Content-Type: application/json\r\nOrigin: http://localhost\r\n";
    let rest = format!("{head}Content-Length: {length}\r\n\r\n{body}");
    assert_eq!(ask(server.address, "POST", "/api/open", &rest).status, 200);
}

#[test]
fn what_is_posted_must_make_sense() {
    let server = Server::famous();
    for path in ["/api/open", "/api/close", "/api/index", "/api/engine"] {
        for body in ["", "[]", "{", "{\"x\": 1}", "{\"folder\": 1, \"file\": 2}"] {
            let status = server.post(path, body).status;
            assert_eq!(status, 400, "{path} {body}");
        }
        assert_eq!(
            server.post(path, &"[".repeat(100_000)).status,
            400,
            "{path}"
        );
        let long = format!("{{\"db\": \"{}\"}}", "x".repeat(2 << 20));
        assert_eq!(server.post(path, &long).status, 413, "{path}");
    }
}
