//! The engine beside the page: asked within limits, and of any kind.

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tabiya_explorer::{Limits, Options, PageOptions};

use crate::{
    client::{ask, read, send},
    server::{Folder, Server, engine, fixture, listening, options},
};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

/// An engine under a name of its own, beside which it writes down its process and what it is told.
struct Fake {
    folder: Folder,
    path: PathBuf,
}

impl Fake {
    fn new(kind: &str, test: &str) -> Fake {
        let folder = Folder::new(&format!("explorer-engine-{test}"));
        let path = folder.0.join("fake");
        symlink(engine(kind), &path).expect("a link");
        for ending in ["pid", "log"] {
            folder.put(&format!("fake.{ending}"), b"");
        }
        Fake { folder, path }
    }

    fn server(&self) -> Server {
        self.server_with(|_| ())
    }

    fn server_with(&self, change: impl FnOnce(&mut PageOptions)) -> Server {
        let mut page = PageOptions {
            engine: Some(self.path.clone()),
            ..PageOptions::default()
        };
        change(&mut page);
        Server::of(Options {
            page,
            ..options(vec![fixture("famous.si4")], Limits::default())
        })
    }

    /// Returns what the engine was told so far.
    fn told(&self) -> String {
        fs::read_to_string(self.folder.0.join("fake.log")).expect("a file")
    }

    /// Waits until its process is gone.
    fn wait_until_gone(&self) {
        let id = fs::read_to_string(self.folder.0.join("fake.pid")).expect("a file");
        let id = id.trim();
        assert!(!id.is_empty(), "no process was started");
        let started = Instant::now();
        while is_there(id) {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "process {id} runs on"
            );
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Tells whether a process runs; one that has ended may still be listed.
fn is_there(id: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(id).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

fn body(fen: &str, milliseconds: u64) -> String {
    json!({ "fen": fen, "lines": 2, "time": milliseconds }).to_string()
}

fn request(fen: &str, milliseconds: u64) -> String {
    let body = body(fen, milliseconds);
    format!(
        "POST /api/engine HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn lines(body: &str) -> Vec<Value> {
    let lines = body.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// Asks and returns the last line.
fn last(server: &Server, fen: &str, milliseconds: u64) -> Value {
    let answer = server.post("/api/engine", &body(fen, milliseconds));
    assert_eq!(answer.status, 200, "{}", answer.body);
    lines(&answer.body).pop().expect("a line")
}

#[test]
fn an_engine_tells_its_lines_within_the_limits_of_the_command_line() {
    let fake = Fake::new("good", "good");
    let server = fake.server_with(|page| {
        page.engine_threads = 9;
        page.engine_hash = 33;
        page.engine_time = Duration::from_millis(300);
    });
    let told = server.get("/api/engine").json();
    let expected = json!({ "name": null, "seconds": 0.3, "threads": 9, "hash": 33 });
    assert_eq!(told["engine"], expected);
    // Longer than it may take.
    let found = last(&server, START, 1_000_000);
    assert_eq!(found["over"], "time");
    assert_eq!(found["engine"], "Fake 1.0 <b>&");
    assert_eq!(
        (&found["depth"], &found["nodes"]),
        (&json!(5), &json!(5000))
    );
    assert_eq!(found["lines"][0]["san"], json!(["e4", "e5", "Nf3"]));
    assert_eq!(found["lines"][0]["cp"], 35);
    assert_eq!(found["lines"][1]["san"], json!(["d4", "d5"]));
    // Seen from White.
    let found = last(&server, AFTER_E4, 100);
    assert_eq!(found["lines"][0]["cp"], -35);
    let told = fake.told();
    for line in [
        "setoption name Threads value 3\n",
        "setoption name Hash value 33\n",
        "setoption name MultiPV value 2\n",
        "go movetime 300\n",
        "go movetime 100\n",
    ] {
        assert!(told.contains(line), "{line} {told}");
    }
    assert_eq!(told.matches("uci \n").count(), 1, "{told}");
    assert_eq!(
        server.get("/api/engine").json()["engine"]["name"],
        "Fake 1.0 <b>&"
    );
}

#[test]
fn without_an_engine_nothing_is_asked() {
    let server = Server::famous();
    assert_eq!(server.get("/api/engine").json(), json!({ "engine": null }));
    assert_eq!(server.post("/api/engine", &body(START, 10)).status, 403);
}

#[test]
fn engines_that_fail_cost_a_message_and_their_process() {
    for (kind, part) in [
        ("hangs", "does not answer"),
        ("dies", "has ended (exit status: 7)"),
        ("rubbish", "no move that can be played"),
        ("floods", "writes without end"),
        ("deaf", "does not stop"),
    ] {
        let fake = Fake::new(kind, kind);
        let server = fake.server();
        let time = if kind == "floods" { 60_000 } else { 200 };
        let found = last(&server, START, time);
        assert_eq!(found["over"], "fault", "{kind}: {found}");
        let error = found["error"].as_str().expect("a message");
        assert!(error.contains(part), "{kind}: {error}");
        if kind != "rubbish" {
            fake.wait_until_gone();
        }
        // Another question starts it again, and everything else is as before.
        if kind == "dies" {
            assert_eq!(last(&server, START, 200)["over"], "fault");
        }
        assert_eq!(server.get("/masters").status, 200);
    }
}

#[test]
fn an_engine_that_is_not_there_is_told_without_its_path() {
    let server = Server::of(Options {
        page: PageOptions {
            engine: Some(PathBuf::from("/tmp/no engine/here")),
            ..PageOptions::default()
        },
        ..options(vec![fixture("famous.si4")], Limits::default())
    });
    let found = last(&server, START, 100);
    let error = found["error"].as_str().expect("a message");
    assert!(error.starts_with("the engine does not start"), "{error}");
}

#[test]
fn the_newest_question_is_the_only_one_and_asks_the_same_process() {
    let fake = Fake::new("good", "newest");
    let server = fake.server();
    let mut older: Vec<_> = (0..5)
        .map(|_| {
            let stream = send(server.address, request(START, 50_000));
            thread::sleep(Duration::from_millis(100));
            stream
        })
        .collect();
    let newest = last(&server, AFTER_E4, 200);
    assert_eq!(newest["over"], "time");
    for stream in &mut older {
        let answer = read(stream).expect("an answer");
        let found = lines(&answer.body).pop().expect("a line");
        assert_eq!(found["over"], "replaced");
    }
    assert_eq!(fake.told().matches("uci \n").count(), 1, "{}", fake.told());
}

#[test]
fn who_leaves_lets_the_engine_rest() {
    let fake = Fake::new("good", "leaves");
    let server = fake.server();
    let stream = send(server.address, request(START, 50_000));
    let started = Instant::now();
    let wait_for = |part: &str| {
        while !fake.told().contains(part) {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "{}",
                fake.told()
            );
            thread::sleep(Duration::from_millis(10));
        }
    };
    wait_for("go movetime");
    drop(stream);
    wait_for("stop");
}

#[test]
fn an_engine_ends_with_its_server() {
    for kind in ["good", "deaf"] {
        let fake = Fake::new(kind, &format!("ends-{kind}"));
        let server = fake.server();
        let _stream = send(server.address, request(START, 50_000));
        while fs::read(fake.folder.0.join("fake.pid"))
            .expect("a file")
            .is_empty()
        {
            thread::sleep(Duration::from_millis(10));
        }
        let started = Instant::now();
        drop(server);
        assert!(
            started.elapsed() < Duration::from_secs(8),
            "the server waits for the engine"
        );
        fake.wait_until_gone();
    }
}

#[test]
fn a_signal_to_the_program_ends_the_engine_too() {
    let fake = Fake::new("deaf", "signal");
    let mut program = Command::new(env!("CARGO_BIN_EXE_tabiya-explorer"))
        .arg(fixture("famous.si4"))
        .args(["--listen", "127.0.0.1:0", "--engine"])
        .arg(&fake.path)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut output = BufReader::new(program.stderr.take().expect("its errors")).lines();
    let address = listening(&mut output);
    thread::spawn(move || output.for_each(drop));
    let _stream = send(address.expect("an address"), request(START, 50_000));
    while fs::read(fake.folder.0.join("fake.pid"))
        .expect("a file")
        .is_empty()
    {
        thread::sleep(Duration::from_millis(10));
    }
    let id = program.id().to_string();
    assert!(
        Command::new("kill")
            .arg(&id)
            .status()
            .expect("kill")
            .success()
    );
    assert!(program.wait().expect("an end").success());
    fake.wait_until_gone();
}

#[test]
fn positions_without_moves_and_without_sense_are_not_thought_about() {
    let fake = Fake::new("good", "mated");
    let server = fake.server();
    let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    let found = last(&server, mated, 100);
    assert_eq!(
        (&found["over"], &found["lines"]),
        (&json!("end"), &json!([]))
    );
    for fen in ["", "nonsense", "8/8/8/8/8/8/8/8 w - - 0 1", "x\nquit"] {
        let answer = server.post("/api/engine", &body(fen, 100));
        assert_eq!(answer.status, 400, "{fen}: {}", answer.body);
    }
    assert_eq!(fake.told(), "");
    assert_eq!(
        ask(server.address, "GET", "/api/engine?fen=x", "\r\n").status,
        400
    );
}
