//! Games that the page saves into databases.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tabiya_explorer::{Options, PageOptions};

use crate::{
    client::{Answer, ask},
    server::{Folder, Server, fixture, options},
};

const PGN: &str = "[White \"Me, Myself\"]\n[Black \"You\"]\n[Result \"1-0\"]\n\n\
    { begun } 1. e4 $1 { [%cal Ge2e4] good } ( 1. d4 { <b>or</b> } d5 ) 1... c5 1-0\n";

/// A folder `saved` inside one that goes with its test.
fn saved(outer: &Folder) -> Folder {
    let inner = Folder(outer.0.join("saved"));
    fs::create_dir_all(&inner.0).expect("a folder");
    inner
}

fn server(databases: Vec<PathBuf>, folders: Vec<PathBuf>, write: Vec<PathBuf>) -> Server {
    Server::of(Options {
        page: PageOptions {
            folders,
            write,
            ..PageOptions::default()
        },
        ..options(databases, limits())
    })
}

fn limits() -> tabiya_explorer::Limits {
    tabiya_explorer::Limits::default()
}

fn save(server: &Server, file: &str, more: &Value) -> Answer {
    let mut body = json!({ "folder": "saved", "file": file, "pgn": PGN });
    for (name, value) in more.as_object().expect("members") {
        body[name] = value.clone();
    }
    server.post("/api/save", &body.to_string())
}

fn undo(server: &Server, file: &str) -> Answer {
    let body = json!({ "folder": "saved", "file": file });
    server.post("/api/undo", &body.to_string())
}

/// Returns all files of a folder with what they hold.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = paths
        .filter(|path| path.is_file() && path.extension().is_none_or(|end| end != "tabiya-undo"))
        .map(|path| (path.clone(), fs::read(&path).expect("a file")))
        .collect();
    files.sort();
    files
}

fn total(server: &Server, db: &str) -> Value {
    let answer = server.get(&format!("/api/search?db={db}&limit=1")).json();
    answer["total"].clone()
}

#[test]
fn a_saved_game_is_at_the_end_of_the_list_and_undo_restores_all_bytes() {
    let outer = Folder::new("explorer-save");
    let folder = saved(&outer);
    for suffixes in [&["si4", "sg4", "sn4"][..], &["pgn"]] {
        let base = folder.copy("base", suffixes);
        let before = files(&folder.0);
        let server = server(vec![base.clone()], Vec::new(), vec![folder.0.clone()]);
        let file = base.file_name().expect("a name").to_string_lossy();
        assert_eq!(undo(&server, &file).status, 409);
        let answer = save(&server, &file, &json!({})).json();
        assert_eq!(
            (&answer["number"], &answer["games"]),
            (&json!(92), &json!(92))
        );
        assert_eq!(total(&server, "base"), 92);
        let id = answer["id"].as_str().expect("an id");
        let game = server
            .get(&format!("/api/game?id={id}&notation=true"))
            .json();
        assert_eq!(game["white"], "Me, Myself");
        assert_eq!(game["comment"], "begun");
        assert_eq!(game["notation"][0]["comment"], "[%cal Ge2e4] good");
        assert_eq!(game["notation"][1]["comment"], "<b>or</b>");
        assert_eq!(game["pgn"], answer["pgn"]);
        let undone = undo(&server, &file).json();
        assert_eq!(
            (&undone["db"], &undone["games"]),
            (&json!("base"), &json!(91))
        );
        assert_eq!(files(&folder.0), before);
        assert_eq!(total(&server, "base"), 91);
        // Once is enough.
        assert_eq!(undo(&server, &file).status, 409);
        for (path, _) in before {
            fs::remove_file(path).expect("a file");
        }
    }
}

#[test]
fn a_game_is_replaced_only_if_it_is_the_one_that_was_shown() {
    let outer = Folder::new("explorer-replace");
    let folder = saved(&outer);
    let base = folder.copy("base", &["si4", "sg4", "sn4"]);
    let before = files(&folder.0);
    let server = server(vec![base], Vec::new(), vec![folder.0.clone()]);
    let game = |number: u32| {
        server
            .get(&format!("/api/game?db=base&number={number}"))
            .json()
    };
    let was = game(7)["pgn"].clone();
    let replace = |number: u32, was: &Value| {
        let more = json!({ "how": "replace", "number": number, "was": was });
        save(&server, "base.si4", &more)
    };
    let other = replace(8, &was);
    assert_eq!(other.status, 409, "{}", other.body);
    assert!(
        other.body.contains("game 8 is another one now"),
        "{}",
        other.body
    );
    assert_eq!(replace(700, &was).status, 404);
    assert_eq!(files(&folder.0), before);
    let answer = replace(7, &was).json();
    assert_eq!(
        (&answer["number"], &answer["games"]),
        (&json!(7), &json!(91))
    );
    assert_eq!(game(7)["white"], "Me, Myself");
    assert_eq!(undo(&server, "base.si4").status, 200);
    assert_eq!(game(7)["pgn"], was);
    assert_eq!(files(&folder.0), before);
    let more = json!({ "how": "replace", "number": 1 });
    assert_eq!(save(&server, "base.si4", &more).status, 400);
}

#[test]
fn a_new_database_is_begun_and_never_takes_the_place_of_another() {
    let outer = Folder::new("explorer-save-new");
    let folder = saved(&outer);
    let server = server(Vec::new(), Vec::new(), vec![folder.0.clone()]);
    let new = json!({ "how": "new" });
    for file in [
        "mine.pgn",
        "mine 2.si4",
        "three.si5",
        "four.2cbh",
        "five.cbh",
    ] {
        let answer = save(&server, file, &new).json();
        assert_eq!(answer["games"], 1, "{file}");
        let db = answer["db"].as_str().expect("a name").replace(' ', "%20");
        assert_eq!(total(&server, &db), 1, "{file}");
        let before = files(&folder.0);
        let again = save(&server, file, &new);
        assert_eq!(again.status, 409, "{}", again.body);
        assert!(again.body.contains("choose another name"), "{}", again.body);
        assert_eq!(files(&folder.0), before);
        assert_eq!(save(&server, file, &json!({})).json()["games"], 2, "{file}");
    }
}

#[test]
fn nothing_outside_the_named_folders_is_written() {
    let outer = Folder::new("explorer-save-outside");
    let (folder, read) = (saved(&outer), Folder(outer.0.join("games")));
    fs::create_dir_all(&read.0).expect("a folder");
    read.copy("base", &["pgn"]);
    outer.copy("base", &["pgn"]);
    #[cfg(unix)]
    for (name, target) in [("link.pgn", "../base.pgn"), ("gone.pgn", "../gone.pgn")] {
        std::os::unix::fs::symlink(target, folder.0.join(name)).expect("a link");
    }
    let server = server(Vec::new(), vec![read.0.clone()], vec![folder.0.clone()]);
    let before = [files(&outer.0), files(&read.0)];
    for file in [
        "../base.pgn",
        "..",
        "/base.pgn",
        "sub/base.pgn",
        "..\\base.pgn",
        "link.pgn",
        "gone.pgn",
        ".hidden.pgn",
        "c:base.pgn",
        "nul.pgn",
        "base.txt",
        "base.tabiya",
        "base.pgn.gz",
        "base\u{0}.pgn",
        "",
    ] {
        for how in ["add", "new"] {
            let answer = save(&server, file, &json!({ "how": how }));
            assert!(
                (400..410).contains(&answer.status),
                "{how} {file:?}: {}",
                answer.body
            );
        }
        assert!((400..410).contains(&undo(&server, file).status), "{file:?}");
    }
    let elsewhere = save(&server, "base.pgn", &json!({ "folder": "games" }));
    assert_eq!(elsewhere.status, 403, "{}", elsewhere.body);
    assert_eq!(
        save(&server, "base.pgn", &json!({ "folder": "saved/../games" })).status,
        404
    );
    assert_eq!([files(&outer.0), files(&read.0)], before);
    assert!(!outer.0.join("gone.pgn").exists());
}

#[test]
fn without_the_option_nothing_is_saved() {
    let outer = Folder::new("explorer-save-refused");
    let folder = saved(&outer);
    let base = folder.copy("base", &["pgn"]);
    let before = files(&folder.0);
    let server = server(vec![base], vec![folder.0.clone()], Vec::new());
    assert_eq!(
        server.get("/api/folders").json()["folders"][0]["saves"],
        false
    );
    for how in ["add", "new"] {
        let answer = save(&server, "base.pgn", &json!({ "how": how }));
        assert_eq!(answer.status, 403, "{}", answer.body);
        assert!(answer.body.contains("--write"), "{}", answer.body);
    }
    assert_eq!(undo(&server, "base.pgn").status, 403);
    assert_eq!(files(&folder.0), before);
}

#[test]
fn only_the_own_page_saves_also_on_a_public_server() {
    let outer = Folder::new("explorer-save-page");
    let folder = saved(&outer);
    folder.copy("base", &["pgn"]);
    let before = files(&folder.0);
    let server = Server::of(Options {
        public: true,
        page: PageOptions {
            write: vec![folder.0.clone()],
            ..PageOptions::default()
        },
        ..options(vec![fixture("famous.si4")], limits())
    });
    let body = json!({ "folder": "saved", "file": "base.pgn", "pgn": PGN }).to_string();
    for path in ["/api/save", "/api/remove", "/api/undo"] {
        for head in [
            "Content-Type: text/plain",
            "Content-Type: application/json\r\nOrigin: https://evil.example",
            "Content-Type: application/json\r\nSec-Fetch-Site: cross-site",
        ] {
            let rest = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            let answer = ask(server.address, "POST", path, &rest);
            assert_eq!(answer.status, 403, "{head}: {}", answer.body);
        }
        assert_eq!(server.get(path).status, 405);
    }
    assert_eq!(files(&folder.0), before);
}

#[test]
fn what_is_no_whole_game_is_refused_with_the_place() {
    let outer = Folder::new("explorer-save-wrong");
    let folder = saved(&outer);
    folder.copy("base", &["pgn"]);
    let before = files(&folder.0);
    let server = server(Vec::new(), Vec::new(), vec![folder.0.clone()]);
    let nested = format!("1. e4 {}*", "(1. d4 ".repeat(99) + &") ".repeat(99));
    for (pgn, told) in [
        ("1. e4 e5 2. Ke3 *", "illegal move Ke3"),
        ("", "these are 0"),
        ("1. e4 *\n\n[Event \"b\"]\n\n1. d4 *\n", "these are 2"),
        (&*nested, "nested"),
        (&"a".repeat(300 << 10), "longer than 256 KB"),
    ] {
        let answer = save(&server, "base.pgn", &json!({ "pgn": pgn }));
        assert_eq!(answer.status, 400, "{}", answer.body);
        assert!(answer.body.contains(told), "{told}: {}", answer.body);
    }
    let large = save(&server, "base.pgn", &json!({ "pgn": "a".repeat(2 << 20) }));
    assert_eq!(large.status, 413);
    assert_eq!(files(&folder.0), before);
}

#[test]
fn a_change_of_another_program_is_not_taken_back() {
    let outer = Folder::new("explorer-save-other");
    let folder = saved(&outer);
    let base = folder.copy("base", &["si4", "sg4", "sn4"]);
    let server = server(vec![base.clone()], Vec::new(), vec![folder.0.clone()]);
    assert_eq!(save(&server, "base.si4", &json!({})).status, 200);
    let new = [fixture("famous.pgn")];
    let options = tabiya::ConvertOptions::new();
    tabiya::add(&new, &base, options, tabiya::Progress::ignore).expect("more games");
    let after = files(&folder.0);
    let answer = undo(&server, "base.si4");
    assert_eq!(answer.status, 409, "{}", answer.body);
    assert!(
        answer.body.contains("changed again since"),
        "{}",
        answer.body
    );
    assert_eq!(files(&folder.0), after);
}

#[test]
fn a_damaged_database_is_left_alone_and_that_is_told() {
    let outer = Folder::new("explorer-save-damaged");
    let folder = saved(&outer);
    let base = folder.copy("base", &["si4", "sg4", "sn4"]);
    let names = folder.0.join("base.sn4");
    let bytes = fs::read(&names).expect("a file");
    fs::write(&names, &bytes[..bytes.len() / 2]).expect("a file");
    let before = files(&folder.0);
    let server = server(vec![base], Vec::new(), vec![folder.0.clone()]);
    let answer = save(&server, "base.si4", &json!({}));
    assert!((400..=500).contains(&answer.status), "{}", answer.body);
    assert!(answer.body.contains("nothing was saved"), "{}", answer.body);
    assert_eq!(files(&folder.0), before);
}

#[test]
fn the_index_beside_a_database_goes_with_it() {
    let outer = Folder::new("explorer-save-index");
    let folder = saved(&outer);
    let base = folder.copy("base", &["si4", "sg4", "sn4"]);
    let database = tabiya::Database::open(&base).expect("a database");
    tabiya::SidecarOptions::new()
        .refresh(&database)
        .expect("an index");
    drop(database);
    let server = server(vec![base], Vec::new(), vec![folder.0.clone()]);
    let has_index = || server.get("/api/databases").json()["databases"][0]["sidecar"].clone();
    assert_eq!(has_index(), true);
    assert_eq!(save(&server, "base.si4", &json!({})).status, 200);
    assert_eq!(has_index(), true);
    assert_eq!(undo(&server, "base.si4").status, 200);
    assert_eq!(has_index(), true);
}

#[test]
fn a_base_that_another_program_writes_is_told_and_saved_into_later() {
    let outer = Folder::new("explorer-save-locked");
    let folder = saved(&outer);
    let base = folder.copy("base", &["si4", "sg4", "sn4"]);
    let before = files(&folder.0);
    let server = server(vec![base.clone()], Vec::new(), vec![folder.0.clone()]);
    // As a program holds the database that has begun to change it.
    let record = folder.0.join(".base.tabiya-commit");
    fs::write(&record, "tabiya: what NAME held before it was changed; 2\n").expect("a file");
    let other = fs::File::open(&record).expect("a file");
    other.lock().expect("a lock");
    let answer = save(&server, "base.si4", &json!({}));
    assert_eq!(answer.status, 409, "{}", answer.body);
    for told in [
        "nothing was saved",
        "another program is writing",
        "try again",
    ] {
        assert!(answer.body.contains(told), "{told}: {}", answer.body);
    }
    fs::remove_file(record).expect("a file");
    drop(other);
    assert_eq!(files(&folder.0), before);
    assert_eq!(save(&server, "base.si4", &json!({})).json()["games"], 92);
}

/// Posts a game to the program, run by a user who may not write into the folder; `None` if there is
/// no such user to try.
#[cfg(unix)]
fn saved_by_a_user(folder: &Folder, file: &str, how: &str) -> Option<Answer> {
    use crate::server::listening;
    use std::{
        io::{BufRead as _, BufReader},
        os::unix::process::CommandExt as _,
        process::{Command, Stdio},
    };
    const NOBODY: u32 = 65_534;
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya-explorer"));
    command.args(["--no-open", "--listen", "127.0.0.1:0", "--write"]);
    command.arg(&folder.0).arg(folder.0.join("base.pgn"));
    command.current_dir("/").stderr(Stdio::piped());
    if fs::File::create(folder.0.join("probe")).is_ok() {
        let _ = fs::remove_file(folder.0.join("probe"));
        command.uid(NOBODY).gid(NOBODY);
    }
    let mut program = command.spawn().ok()?;
    let mut lines = BufReader::new(program.stderr.take()?).lines();
    let answer = listening(&mut lines).map(|address| {
        let body = json!({ "folder": "saved", "file": file, "pgn": PGN, "how": how }).to_string();
        let kind = "Content-Type: application/json";
        let rest = format!("{kind}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        ask(address, "POST", "/api/save", &rest)
    });
    program.kill().expect("an end");
    program.wait().expect("an end");
    answer
}

#[cfg(unix)]
#[test]
fn saving_into_a_read_only_folder_says_that_and_changes_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let outer = Folder::new("explorer-save-read-only");
    let folder = saved(&outer);
    folder.copy("base", &["pgn"]);
    let before = files(&folder.0);
    let allow = |mode| {
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(&folder.0, permissions).expect("permissions");
    };
    for (file, how) in [
        ("base.pgn", "add"),
        ("mine.si4", "new"),
        ("mine.pgn", "new"),
    ] {
        allow(0o555);
        let answer = saved_by_a_user(&folder, file, how);
        allow(0o755);
        let Some(answer) = answer else {
            eprintln!("SKIPPED: no other user can be tried");
            return;
        };
        assert_eq!(answer.status, 409, "{how}: {}", answer.body);
        let told = "nothing was saved: the folder or a file of the database is read-only";
        assert!(answer.body.contains(told), "{how}: {}", answer.body);
        assert_eq!(files(&folder.0), before);
    }
}

#[test]
fn a_game_is_removed_if_it_is_the_one_shown_and_taken_back() {
    let outer = Folder::new("explorer-remove");
    let folder = saved(&outer);
    for (suffixes, games) in [(&["si4", "sg4", "sn4"][..], 91), (&["pgn"], 90)] {
        let base = folder.copy("base", suffixes);
        let before = files(&folder.0);
        let server = server(vec![base.clone()], Vec::new(), vec![folder.0.clone()]);
        let file = base.file_name().expect("a name").to_string_lossy();
        let was = server.get("/api/game?db=base&number=7").json()["pgn"].clone();
        let remove = |number: u32| {
            let body = json!({ "folder": "saved", "file": file, "number": number, "was": was });
            server.post("/api/remove", &body.to_string())
        };
        let other = remove(8);
        assert_eq!(other.status, 409, "{}", other.body);
        assert!(
            other.body.contains("game 8 is another one now"),
            "{}",
            other.body
        );
        assert_eq!(remove(700).status, 404);
        assert_eq!(files(&folder.0), before);
        assert_eq!(remove(7).json()["games"], games);
        let marked = server
            .get("/api/search?db=base&limit=1&q=flag:deleted")
            .json();
        assert_eq!(marked["total"], u32::from(games == 91));
        // Marked already, or another game now.
        assert_eq!(remove(7).status, 409);
        assert_eq!(undo(&server, &file).json()["games"], 91);
        assert_eq!(files(&folder.0), before);
        for (path, _) in before {
            fs::remove_file(path).expect("a file");
        }
    }
}
