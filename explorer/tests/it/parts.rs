//! A long file that is indexed in parts is one database, which answers as the same games in one
//! file; and a list is all databases that it names.

#[path = "../../../tests/it/support/frames.rs"]
mod frames;

use std::{fs, path::Path};

use serde_json::{Value, json};
use tabiya::{OpenOptions, SidecarOptions};
use tabiya_explorer::{Limits, Options, PageOptions};

use self::frames::in_frames;
use crate::server::{Folder, Server, fixture, options};

/// Enough games for three parts of three megabytes.
const COPIES: usize = 200;
const GAMES: u64 = 91 * 200 + 2;
const DAMAGED: &str = "[White \"last\"]\n\n1. e4 Ke7 *\n\n[White \"none\"]\n\n1. Ke3 *\n";

fn limits() -> Limits {
    Limits {
        unpacked_bytes_max: Some(100_000),
        ..Limits::default()
    }
}

/// Makes an index in parts.
fn index(path: &Path) {
    let options = OpenOptions::new().unpacked_bytes_max(100_000);
    let made = SidecarOptions::new().refresh_parts(path, &options);
    assert_eq!(made.expect("an index").parts, 3);
}

/// Writes the games as a text, and packed and indexed in parts.
fn both(folder: &Folder) -> [std::path::PathBuf; 2] {
    let games = fs::read_to_string(fixture("famous.pgn")).expect("a fixture");
    let text = games.repeat(COPIES) + DAMAGED;
    let whole = folder.put("big.pgn", text.as_bytes());
    fs::create_dir_all(folder.0.join("packed")).expect("a folder");
    let packed = folder.put("packed/big.pgn.zst", &in_frames(text.as_bytes(), 800_000));
    index(&packed);
    [whole, packed]
}

/// Takes the names of games away: those in parts have others.
fn nameless(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(nameless),
        Value::Object(fields) => {
            fields.remove("id");
            fields.values_mut().for_each(nameless);
        }
        _ => {}
    }
}

#[test]
fn a_file_in_parts_answers_as_the_same_games_in_one_file() {
    let folder = Folder::new("explorer-parts");
    let [whole, packed] = both(&folder);
    let whole = Server::new(vec![whole], Limits::default());
    let parts = Server::new(vec![packed], limits());
    let rows = parts.get("/api/databases").json()["databases"].clone();
    let row = &rows[0];
    assert_eq!(rows.as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&row["name"], &row["games"]),
        (&json!("big"), &json!(GAMES))
    );
    assert_eq!(row["sidecar"], true);
    for path in [
        "/api/tree?play=e2e4",
        "/api/tree?play=e2e4&q=result:1-0&db=big",
        "/api/stats?q=mate",
        "/api/search?q=mate&limit=7",
        "/api/search?q=mate&limit=20&offset=3000",
        "/api/search?q=number:9000..9003&db=big",
        "/api/search?q=number%3E18195",
        "/api/search?q=white:none%20plies%3E0",
        "/api/search?limit=5&offset=12130&sort=date",
        "/api/lines?play=e2e4&depth=4",
        "/masters?play=e2e4&topGames=0&recentGames=0",
        "/lichess?play=e2e4&topGames=0&recentGames=0",
    ] {
        let (one, other) = (whole.get(path), parts.get(path));
        assert_eq!(
            (one.status, other.status),
            (200, 200),
            "{path} {}",
            other.body
        );
        // Lines are PGN.
        let read = |body: &str| serde_json::from_str(body).unwrap_or_else(|_| json!(body));
        let (mut one, mut other) = (read(&one.body), read(&other.body));
        nameless(&mut one);
        nameless(&mut other);
        assert!(one == other, "{path}");
    }
    for number in [1, 9000, 18_200] {
        let found = |server: &Server| {
            let path = format!("/api/search?q=number:{number}");
            let id = server.get(&path).json()["games"][0]["id"].clone();
            let id = id.as_str().expect("a name").to_owned();
            let pgn = server.get(&format!("/masters/pgn/{id}")).body;
            let mut game = server.get(&format!("/api/game?id={id}")).json();
            nameless(&mut game);
            assert_eq!(game["number"], number);
            (game, pgn)
        };
        assert!(found(&whole) == found(&parts), "{number}");
        let posted = json!({ "games": [{ "db": "big", "number": number }] }).to_string();
        let mut row = parts.post("/api/games", &posted).json()["games"][0].clone();
        nameless(&mut row);
        assert_eq!(row["number"], number);
    }
}

#[test]
fn a_file_in_parts_is_opened_from_a_folder_and_closed_as_one() {
    let folder = Folder::new("explorer-parts-folder");
    let [_, packed] = both(&folder);
    let games = folder.0.join("packed");
    let server = Server::of(Options {
        page: PageOptions {
            folders: vec![games],
            index: true,
            ..PageOptions::default()
        },
        ..options(Vec::new(), limits())
    });
    let body = json!({ "folder": "packed", "file": "big.pgn.zst" }).to_string();
    for _ in 0..2 {
        let opened = server.post("/api/open", &body);
        assert_eq!(opened.json()["db"], "big", "{}", opened.body);
    }
    let listed = server.get("/api/folders").json();
    let row = &listed["folders"][0]["databases"][0];
    assert_eq!((&row["games"], &row["db"]), (&json!(GAMES), &json!("big")));
    let search = server.get("/api/search?q=number:18200").json();
    let closed = server.post("/api/close", &json!({ "db": "big" }).to_string());
    assert_eq!(closed.status, 200);
    assert_eq!(server.get("/api/databases").json()["databases"], json!([]));
    // It has the places that it had.
    server.post("/api/open", &body);
    let again = server.get("/api/search?q=number:18200").json();
    assert_eq!(again["games"][0]["id"], search["games"][0]["id"]);
    let built = server.post("/api/index", &json!({ "db": "big" }).to_string());
    assert_eq!(built.status, 200, "{}", built.body);
    while !server.get("/api/index").json()["running"].is_null() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(
        server.get("/api/index").json()["last"]["fault"],
        Value::Null
    );
    assert_eq!(server.get("/api/search?limit=1").json()["total"], GAMES);
    server.post("/api/close", &json!({ "db": "big" }).to_string());
    fs::remove_dir_all(packed.with_extension("tabiya-parts")).expect("an index");
    let refused = server.post("/api/open", &body);
    assert!(refused.body.contains("`tabiya index`"), "{}", refused.body);
}

#[test]
#[cfg(unix)]
fn an_index_in_parts_that_is_a_link_is_not_followed_from_a_folder() {
    let folder = Folder::new("explorer-parts-link");
    let [_, packed] = both(&folder);
    let parts = packed.with_extension("tabiya-parts");
    let elsewhere = folder.0.join("elsewhere");
    fs::rename(&parts, &elsewhere).expect("a folder");
    std::os::unix::fs::symlink(&elsewhere, &parts).expect("a link");
    let server = Server::of(Options {
        page: PageOptions {
            folders: vec![folder.0.join("packed")],
            ..PageOptions::default()
        },
        ..options(Vec::new(), limits())
    });
    let body = json!({ "folder": "packed", "file": "big.pgn.zst" }).to_string();
    let refused = server.post("/api/open", &body).body;
    assert!(refused.contains("is a link"), "{refused}");
}

#[test]
fn a_list_on_the_command_line_is_all_databases_that_it_names() {
    let folder = Folder::new("explorer-list");
    folder.copy("a", &["pgn"]);
    folder.copy("b", &["si4", "sg4", "sn4"]);
    let list = folder.put("all.tabiyaset", b"# two\n*\nb\n");
    let server = Server::new(vec![list], Limits::default());
    let rows = server.get("/api/databases").json()["databases"].clone();
    assert_eq!(
        (&rows[0]["name"], &rows[1]["name"]),
        (&json!("a"), &json!("b"))
    );
    assert_eq!(server.get("/api/search?limit=1").json()["total"], 182);
}
