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
            engines: vec![self.path.clone()],
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

    /// Returns its process; nothing before it was started.
    fn process(&self) -> String {
        let id = fs::read_to_string(self.folder.0.join("fake.pid")).expect("a file");
        id.trim().to_owned()
    }

    fn is_running(&self) -> bool {
        is_there(&self.process())
    }

    fn wait_until_started(&self) {
        while self.process().is_empty() {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until its process is gone.
    fn wait_until_gone(&self) {
        let id = self.process();
        assert!(!id.is_empty(), "no process was started");
        let started = Instant::now();
        while is_there(&id) {
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
    request_of(&body(fen, milliseconds))
}

fn request_of(body: &str) -> String {
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
            engines: vec![PathBuf::from("/tmp/no engine/here")],
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
fn a_line_is_told_to_its_end_with_depth_and_speed() {
    let fake = Fake::new("long", "long");
    let found = last(&fake.server(), START, 100);
    let line = &found["lines"][0];
    for moves in [&line["uci"], &line["san"]] {
        assert_eq!(moves.as_array().expect("moves").len(), 28, "{line}");
    }
    assert_eq!(line["san"][8], "O-O");
    assert_eq!(
        (&found["depth"], &found["seldepth"], &found["nps"]),
        (&json!(28), &json!(40), &json!(1_000_000))
    );
}

/// Asks with other fields beside the position and returns the last line.
fn last_of(server: &Server, mut asked: Value) -> Value {
    asked["fen"] = json!(START);
    let answer = server.post("/api/engine", &asked.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    lines(&answer.body).pop().expect("a line")
}

#[test]
fn one_of_several_engines_runs_and_the_one_before_ends() {
    let (first, second) = (Fake::new("good", "first"), Fake::new("long", "second"));
    let server = first.server_with(|page| {
        page.engines.push(second.path.clone());
        page.engines.push(engine("rubbish"));
    });
    let answer = server.get("/api/engine");
    let told = &answer.json()["engines"];
    assert_eq!(
        told[2],
        json!({ "number": 3, "name": null, "file": "rubbish.sh" })
    );
    assert!(!answer.body.contains('/'), "a path: {}", answer.body);
    let found = last_of(&server, json!({ "time": 50 }));
    assert_eq!(found["engine"], "Fake 1.0 <b>&");
    assert!(first.is_running());
    let found = last_of(&server, json!({ "time": 50, "engine": 2 }));
    assert_eq!(found["engine"], "Long 2");
    assert!(first.told().contains("quit"), "{}", first.told());
    first.wait_until_gone();
    assert!(second.is_running());
    let told = &server.get("/api/engine").json()["engines"];
    assert_eq!(
        (&told[0]["name"], &told[1]["name"]),
        (&json!("Fake 1.0 <b>&"), &json!("Long 2"))
    );
    // By what it calls itself, and by its file.
    for (name, part) in [
        ("Long 2", "Long"),
        ("Fake 1.0 <b>&", "Fake"),
        ("rubbish.sh", ""),
    ] {
        let found = last_of(&server, json!({ "time": 50, "engine": name }));
        let told = found["engine"].as_str().expect("a name");
        assert!(told.contains(part), "{name}: {told}");
    }
    second.wait_until_gone();
    for wrong in [
        json!(0),
        json!(4),
        json!("Long 3"),
        json!(-1),
        json!(["Long 2"]),
    ] {
        let asked = json!({ "fen": START, "engine": wrong }).to_string();
        assert_eq!(server.post("/api/engine", &asked).status, 400, "{asked}");
    }
}

#[test]
fn an_engine_that_does_not_stop_gives_way_to_another_one() {
    let (deaf, other) = (
        Fake::new("deaf", "deaf-first"),
        Fake::new("good", "after-deaf"),
    );
    let server = deaf.server_with(|page| page.engines.push(other.path.clone()));
    let mut stream = send(server.address, request(START, 50_000));
    deaf.wait_until_started();
    let found = last_of(&server, json!({ "time": 100, "engine": 2 }));
    assert_eq!(found["lines"][0]["san"][0], "e4", "{found}");
    let answer = read(&mut stream).expect("an answer");
    let found = lines(&answer.body).pop().expect("a line");
    assert!(found["over"].is_string(), "{found}");
    deaf.wait_until_gone();
}

#[test]
fn an_endless_analysis_lasts_as_long_as_the_command_line_lets() {
    for (seconds, go) in [(0.3, "go infinite\n"), (0.0, "go movetime 200\n")] {
        let fake = Fake::new("good", &format!("endless-{seconds}"));
        let server = fake.server_with(|page| {
            page.engine_time = Duration::from_millis(200);
            page.engine_endless = Duration::from_secs_f64(seconds);
        });
        let told = &server.get("/api/engine").json()["endless"];
        assert_eq!(*told, seconds > 0.0);
        let found = last_of(&server, json!({ "endless": true }));
        assert_eq!(found["over"], "time", "{found}");
        assert!(fake.told().contains(go), "{}", fake.told());
    }
    // Who writes without end is not waited for all that time.
    let fake = Fake::new("floods", "endless-flood");
    let found = last_of(&fake.server(), json!({ "endless": true }));
    let error = found["error"].as_str().expect("a message");
    assert!(error.contains("writes without end"), "{error}");
}

#[test]
fn who_leaves_lets_the_engine_rest() {
    let fake = Fake::new("good", "leaves");
    let server = fake.server();
    for (body, go) in [
        (body(START, 50_000), "go movetime"),
        (
            json!({ "fen": START, "endless": true }).to_string(),
            "go infinite",
        ),
    ] {
        rests_when_left(&fake, &server, &body, go);
    }
}

fn rests_when_left(fake: &Fake, server: &Server, body: &str, go: &str) {
    fake.folder.put("fake.log", b"");
    let stream = send(server.address, request_of(body));
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
    wait_for(go);
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
