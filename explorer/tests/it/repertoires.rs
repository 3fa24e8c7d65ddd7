//! Files of lines: what they have in a position, where games leave them, reports about both, and
//! that nothing else is ever read.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use tabiya::{Database, PlayerReport, Repertoire, RepertoireCheck, shakmaty::Color};
use tabiya_explorer::{Explorer, Limits, Options, PageOptions};

use crate::{
    client::encoded,
    server::{Folder, Server, fixture, options},
};

const WHITE: &str = "lines%2Fwhite.pgn";

fn with(folders: Vec<PathBuf>) -> Options {
    Options {
        page: PageOptions {
            repertoires: folders,
            ..PageOptions::default()
        },
        ..options(vec![fixture("famous.si4")], Limits::default())
    }
}

/// Serves famous games beside the lines of the fixtures.
fn server() -> Server {
    Server::of(with(vec![fixture("lines")]))
}

/// Serves famous games beside files of lines in a folder with the name `mine`.
fn beside(outer: &Folder, files: &[(&str, &str)]) -> Server {
    let folder = Folder(outer.0.join("mine"));
    fs::create_dir_all(&folder.0).expect("a folder");
    for (name, text) in files {
        folder.put(name, text.as_bytes());
    }
    let server = Server::of(with(vec![folder.0.clone()]));
    // It goes with the outer one.
    std::mem::forget(folder);
    server
}

fn famous() -> Database {
    Database::open(fixture("famous.si4")).expect("a database")
}

fn lines() -> Repertoire {
    let file = Database::open(fixture("lines/white.pgn")).expect("a file");
    Repertoire::of(&[file]).expect("lines")
}

fn sans(answer: &Value) -> Vec<&str> {
    let moves = answer["moves"].as_array().expect("moves").iter();
    moves
        .map(|played| played["san"].as_str().expect("a move"))
        .collect()
}

#[test]
fn files_of_lines_are_listed_by_folder_without_paths() {
    let outer = Folder::new("explorer-lines-list");
    let server = beside(
        &outer,
        &[
            ("black.PGN", "1. e4 c5 *\n"),
            ("notes.txt", "no lines"),
            ("white.pgn", "1. d4 *\n"),
            ("games.si4", "no lines either"),
        ],
    );
    let answer = server.get("/api/repertoires");
    assert!(!answer.body.contains(&outer.0.display().to_string()));
    let folder = &answer.json()["folders"][0];
    assert_eq!(folder["name"], "mine");
    let files = folder["files"].as_array().expect("files");
    let names: Vec<&Value> = files.iter().map(|file| &file["file"]).collect();
    assert_eq!(names, ["mine/black.PGN", "mine/white.pgn"]);
    assert_eq!(
        (&files[1]["bytes"], &files[1]["fault"]),
        (&json!(8), &Value::Null)
    );
    // Without the option there are none, and no file is one.
    let server = Server::famous();
    assert_eq!(
        server.get("/api/repertoires").json(),
        json!({ "folders": [] })
    );
    let answer = server.get(&format!("/api/repertoire?file={WHITE}"));
    assert_eq!(answer.status, 404, "{}", answer.body);
}

#[test]
fn moves_of_a_file_are_those_that_it_has_in_a_position() {
    let server = server();
    let moves = |place: &str| {
        server
            .get(&format!("/api/repertoire?file={WHITE}&{place}"))
            .json()
    };
    let start = moves("");
    assert_eq!(start["moves"], json!([{ "uci": "e2e4", "san": "e4" }]));
    assert_eq!(start["positions"], lines().positions());
    assert_eq!(start["damaged"], 0);
    assert_eq!(sans(&moves("play=e2e4")), ["e5", "e6", "c6"]);
    // A variation, and the same position by other moves.
    assert_eq!(sans(&moves("play=e2e4,e7e5,g1f3")), ["Nc6", "d6", "Nf6"]);
    assert_eq!(sans(&moves("play=g1f3,e7e5,e2e4")), ["Nc6", "d6", "Nf6"]);
    assert_eq!(moves("play=d2d4")["moves"], Value::Null);
    let end = "play=e2e4,e7e6,d2d4,d7d5,b1d2,c7c5";
    assert_eq!(moves(end)["moves"], json!([]));
}

#[test]
fn each_games_departure_is_that_of_the_library() {
    let server = server();
    let (database, lines) = (famous(), lines());
    for (color, name) in [(Color::White, "white"), (Color::Black, "black")] {
        let report = RepertoireCheck::new(&lines, color)
            .run(&[&database])
            .expect("a report");
        let mut games = report.games().iter().peekable();
        let page = server.get("/api/search?sort=number&limit=100").json();
        for row in page["games"].as_array().expect("games") {
            let id = row["id"].as_str().expect("an id");
            let address = format!("/api/departure?id={id}&color={name}&file={WHITE}");
            let told = server.get(&address).json();
            let number = row["number"].as_u64();
            let own = games.next_if(|game| Some(u64::from(game.game.number_in_part())) == number);
            let Some(game) = own else {
                assert_eq!(
                    (&told["left"], &told["ply"]),
                    (&Value::Null, &Value::Null),
                    "{id}"
                );
                continue;
            };
            let place = &report.places()[game.place];
            assert_eq!(told["left"], place.left.name(), "{id}");
            assert_eq!(told["ply"].as_u64(), game.ply.map(u64::from), "{id}");
            assert_eq!(told["answers"], json!(place.answers), "{id}");
            let played = place.played.iter().find(|played| played.next == game.next);
            assert_eq!(
                told["played"].as_str(),
                played.map(|played| &*played.san),
                "{id}"
            );
            let by = match place.left.name() {
                "me" => json!(name),
                "opponent" => json!(if name == "white" { "black" } else { "white" }),
                _ => Value::Null,
            };
            assert_eq!(told["by"], by, "{id}");
        }
        assert!(games.next().is_none());
    }
}

#[test]
fn the_report_on_lines_is_the_librarys_for_the_filter() {
    let server = server();
    let (database, lines) = (famous(), lines());
    let query = "player:morphy".parse().expect("a query");
    let report = RepertoireCheck::new(&lines, Color::White)
        .query(&query)
        .run(&[&database])
        .expect("a report");
    let address = format!("/api/report?file={WHITE}&color=white&q=player:morphy&db=famous");
    let page = server.get(&address);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(
        page.header("content-security-policy")
            .starts_with("default-src 'none'")
    );
    let all = report.report().matched;
    let about = format!("<p>{all} games of famous that match player:morphy, beside the lines of");
    assert!(page.body.contains(&about), "{}", page.body);
    // All that comes after that is the library's page.
    let own = report.to_html("", "", Some("/?db=famous&q=player%3Amorphy&fen="));
    let tables = &own[own.find("<h2>").expect("a table")..];
    assert!(page.body.ends_with(tables) && tables.contains("/?db=famous&amp;q=player%3Amorphy"));
    let pgn = server.get(&format!("{address}&format=pgn"));
    assert_eq!(pgn.header("content-type"), "application/x-chess-pgn");
    assert_eq!(pgn.body, report.to_pgn());
}

#[test]
fn the_report_on_my_games_is_about_who_plays_in_most() {
    let server = Server::famous();
    let query = "player:morphy".parse().expect("a query");
    let database = famous();
    let report = PlayerReport::new("Morphy, Paul").query(&query);
    let report = report.run(&[&database]).expect("a report");
    let report = report.call_databases(vec!["famous".to_owned()]);
    let page = server.get("/api/report?games=true&q=player:morphy&format=markdown");
    assert_eq!(page.body, report.to_markdown());
    let none = server.get("/api/report?games=true&q=player:nobody");
    assert_eq!(none.status, 404, "{}", none.body);
    let many = server.get("/api/report?games=true");
    assert_eq!(many.status, 400, "{}", many.body);
    assert!(many.body.contains("nobody plays in most"), "{}", many.body);
}

#[test]
fn reports_refuse_what_does_not_go_together() {
    let server = server();
    for wrong in [
        "player=x&games=true",
        "games=true&opening=najdorf",
        "games=maybe",
        &format!("file={WHITE}"),
        &format!("file={WHITE}&color=red"),
        &format!("file={WHITE}&color=white&player=x"),
        &format!("file={WHITE}&color=white&format=markdown"),
        &format!("file={WHITE}&color=white&q=nothing:x"),
        "color=white",
        "format=pgn",
    ] {
        let answer = server.get(&format!("/api/report?{wrong}"));
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.body);
    }
    for (status, wrong) in [
        (400, format!("id=x&color=white&file={WHITE}")),
        (400, format!("id=00000001&file={WHITE}")),
        (400, "id=00000001&color=white".to_owned()),
        (404, format!("id=000000ZZ&color=white&file={WHITE}")),
        (404, "id=00000001&color=white&file=x".to_owned()),
    ] {
        let answer = server.get(&format!("/api/departure?{wrong}"));
        assert_eq!(answer.status, status, "{wrong}: {}", answer.body);
    }
    let answer = server.get(&format!("/api/repertoire?file={WHITE}&play=e2e5"));
    assert_eq!(answer.status, 400, "{}", answer.body);
}

// Windows has no pipes among files, and lets few make links.
#[cfg(unix)]
#[test]
fn no_name_of_a_file_of_lines_leads_out_of_its_folder() {
    use std::os::unix::fs::symlink;
    let outer = Folder::new("explorer-lines-out");
    let secret = outer.put("secret.pgn", b"[Event \"secret\"]\n\n1. d4 *\n");
    let inner = outer.0.join("mine");
    fs::create_dir_all(inner.join("deep")).expect("a folder");
    fs::write(inner.join("deep/in.pgn"), "1. c4 *\n").expect("a file");
    fs::write(inner.join("games.txt"), "1. c4 *\n").expect("a file");
    symlink(&secret, inner.join("link.pgn")).expect("a link");
    symlink(&outer.0, inner.join("up")).expect("a link");
    let made = std::process::Command::new("mkfifo")
        .arg(inner.join("pipe.pgn"))
        .status();
    assert!(made.expect("mkfifo").success());
    // What opening would read beside it.
    symlink(&secret, inner.join("open.tabiya")).expect("a link");
    let server = beside(&outer, &[("open.pgn", "1. e4 *\n")]);
    let listed = server.get("/api/repertoires").json();
    let files = listed["folders"][0]["files"].as_array().expect("files");
    assert_eq!(files.len(), 1, "{listed}");
    assert!(
        files[0]["fault"]
            .as_str()
            .is_some_and(|fault| fault.contains("link"))
    );
    let absolute = secret.display().to_string();
    for name in [
        "mine/link.pgn",
        "mine/pipe.pgn",
        "mine/../secret.pgn",
        "mine/up/secret.pgn",
        "mine/deep/in.pgn",
        "mine/games.txt",
        "mine/deep",
        "../secret.pgn",
        "mine/..",
        "mine/",
        "/",
        "..",
        "mine",
        "/etc/passwd",
        "mine/open.pgn\0",
        "mine\\open.pgn",
        &absolute,
        &format!("mine/{absolute}"),
        &format!("file://{absolute}"),
    ] {
        for path in ["/api/repertoire?", "/api/report?color=white&"] {
            let answer = server.get(&format!("{path}file={}", encoded(name)));
            assert_eq!(answer.status, 404, "{name}: {}", answer.body);
        }
    }
    let answer = server.get("/api/repertoire?file=mine/open.pgn");
    assert_eq!(answer.status, 500, "{}", answer.body);
    assert!(answer.body.contains("link"), "{}", answer.body);
    // The language's own word for files stays closed.
    let asked = format!("repertoire.white:\"{absolute}\"");
    let answer = server.get(&format!("/api/search?q={}", encoded(&asked)));
    assert_eq!(answer.status, 400, "{}", answer.body);
}

#[test]
fn damaged_files_of_lines_and_their_damaged_games_are_told() {
    let outer = Folder::new("explorer-lines-damaged");
    let damaged = "[Event \"one\"]\n\n1. e4 e5 2. Qxq9 *\n\n[Event \"two\"]\n\n1. d4 d5 *\n";
    let server = beside(
        &outer,
        &[
            ("empty.pgn", ""),
            ("none.pgn", "[Event \"x\"]\n\n*\n"),
            ("binary.pgn", "\0\u{1}\u{2}PK\u{3}\u{4}"),
            ("damaged.pgn", damaged),
        ],
    );
    for name in ["empty", "none", "binary"] {
        let answer = server.get(&format!("/api/repertoire?file=mine/{name}.pgn"));
        assert_eq!(answer.status, 500, "{name}: {}", answer.body);
        assert!(
            answer.body.contains("no game with lines"),
            "{name}: {}",
            answer.body
        );
        assert!(!answer.body.contains("mine"), "{name}: {}", answer.body);
    }
    let has = server.get("/api/repertoire?file=mine/damaged.pgn").json();
    assert_eq!((sans(&has), &has["damaged"]), (vec!["e4", "d4"], &json!(1)));
    let report = server.get("/api/report?file=mine/damaged.pgn&color=black");
    assert!(
        report.body.contains("Damaged games of damaged.pgn"),
        "{}",
        report.body
    );
    let told = "/api/departure?file=mine/damaged.pgn&color=black&id=00000003";
    assert_eq!(server.get(told).json()["damaged"], 1);
}

#[test]
fn a_file_of_lines_that_changes_is_read_again() {
    let outer = Folder::new("explorer-lines-changed");
    let server = beside(&outer, &[("my.pgn", "1. e4 *\n")]);
    let moves = || server.get("/api/repertoire?file=mine/my.pgn").json();
    assert_eq!(sans(&moves()), ["e4"]);
    assert_eq!(sans(&moves()), ["e4"]);
    let folder = outer.0.join("mine");
    fs::write(folder.join("my.pgn"), "1. d4 *\n\n1. c4 *\n").expect("a file");
    assert_eq!(sans(&moves()), ["d4", "c4"]);
    fs::remove_file(folder.join("my.pgn")).expect("a file");
    assert_eq!(server.get("/api/repertoire?file=mine/my.pgn").status, 404);
}

#[test]
fn a_file_of_lines_that_is_too_large_is_not_read() {
    let outer = Folder::new("explorer-lines-large");
    let server = beside(&outer, &[("my.pgn", "1. e4 *\n")]);
    let path = outer.0.join("mine/my.pgn");
    // It takes no room on the disk.
    let file = fs::File::options().write(true).open(path).expect("a file");
    file.set_len((64 << 20) + 1).expect("a hole");
    let answer = server.get("/api/repertoire?file=mine/my.pgn");
    assert_eq!(answer.status, 400, "{}", answer.body);
    assert!(answer.body.contains("64 megabytes"), "{}", answer.body);
}

// Windows has no such names.
#[cfg(unix)]
#[test]
fn hostile_names_of_files_are_text_in_lists_and_reports() {
    const EVIL: &str = "<img src=x onerror=alert(1)>,\"'&\u{202e}.pgn";
    let outer = Folder::new("explorer-lines-evil");
    let server = beside(&outer, &[(EVIL, "1. e4 *\n")]);
    let listed = server.get("/api/repertoires").json();
    let file = listed["folders"][0]["files"][0]["file"]
        .as_str()
        .expect("a name");
    assert_eq!(file, format!("mine/{EVIL}"));
    let address = format!("/api/report?color=white&file={}", encoded(file));
    let report = server.get(&format!("{address}&q={}", encoded("white:\"<script>\"")));
    assert_eq!(report.status, 200, "{}", report.body);
    assert!(!report.body.contains("<img") && !report.body.contains("<script"));
    assert!(report.body.contains("&lt;img src=x") && !report.body.contains('\u{202e}'));
    assert_eq!(
        server
            .get(&format!("/api/repertoire?file={}", encoded(file)))
            .status,
        200
    );
}

#[test]
fn a_folder_of_lines_that_is_none_ends_the_program() {
    let error = Explorer::open(&with(vec![fixture("famous.si4")]));
    let error = error.expect_err("no folder").to_string();
    assert!(error.contains("famous.si4"), "{error}");
}
