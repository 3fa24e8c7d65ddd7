//! After thousands of dropped connections the program has no more files, threads and memory than
//! before. It runs in a process of its own, which is looked at from outside.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Rounds of a thousand connections; in the first ones memory may still grow to what is needed.
const ROUNDS: usize = 6;
const WARM_ROUNDS: usize = 2;
/// Less than a thousand connections can lose in the rounds after: two kilobytes each.
const GROWTH_KILOBYTES: u64 = (ROUNDS - WARM_ROUNDS) as u64 * 2000;
/// Idle threads stay for ten seconds, and this machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a client sends before it is gone: nothing, part of a head, part of a body, a search that
/// goes through every game, and one with an answer that is longer than a connection's buffers.
const LEFT_BEHIND: [&str; 5] = [
    "",
    "GET /masters?fen=",
    "POST /api/positions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
    "GET /api/search?q=at(men=3)%20then%20mate&limit=1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /api/search?format=jsonl HTTP/1.1\r\nHost: localhost\r\n\r\n",
];

/// The program, which ends with its test.
struct Program {
    child: Child,
    address: SocketAddr,
}

impl Program {
    fn start(database: &Path) -> Program {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya-explorer"))
            .arg(database)
            .args([
                "--listen",
                "127.0.0.1:0",
                "--client-time",
                "2",
                "--cache",
                "1",
            ])
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        let mut lines = BufReader::new(child.stderr.take().expect("its errors")).lines();
        let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let address = line.strip_prefix("listening on http://")?;
            address.trim_end_matches('/').parse().ok()
        });
        // Its log is read on, so that it never has to wait for that.
        thread::spawn(move || lines.for_each(drop));
        Program {
            child,
            address: address.expect("an address"),
        }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).expect("a connection")
    }

    fn is_fine(&self) -> bool {
        let mut stream = self.connect();
        let request = b"GET /masters?play=e2e4 HTTP/1.0\r\n\r\n";
        let mut answer = Vec::new();
        let asked = stream.write_all(request);
        asked.is_ok()
            && stream.read_to_end(&mut answer).is_ok()
            && answer.starts_with(b"HTTP/1.0 200")
    }

    fn count(&self, what: &str) -> usize {
        let folder = format!("/proc/{}/{what}", self.child.id());
        fs::read_dir(folder).expect("the process").count()
    }

    /// Waits until it has the number of files or threads of before.
    fn wait_until(&self, what: &str, at_most: usize) {
        let started = Instant::now();
        while self.count(what) > at_most {
            let count = self.count(what);
            assert!(
                started.elapsed() < PATIENCE,
                "{what}: {count}, {at_most} before"
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns its own memory, without files that are mapped.
    fn own_kilobytes(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("the process");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        let number = line.and_then(|line| line.split_whitespace().next());
        number
            .and_then(|number| number.parse().ok())
            .expect("a number")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes a file that has the fixture's games many times over.
fn large() -> PathBuf {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/famous.pgn");
    let games = fs::read(fixture).expect("a fixture");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("leaks.pgn");
    fs::write(&path, games.repeat(100)).expect("a file");
    path
}

#[test]
fn dropped_connections_leave_no_files_threads_or_memory_behind() {
    let program = Program::start(&large());
    let (files, threads) = (program.count("fd"), program.count("task"));
    let mut memory = Vec::new();
    for _ in 0..ROUNDS {
        for number in 0..1000 {
            let mut stream = program.connect();
            let text = LEFT_BEHIND[number % LEFT_BEHIND.len()];
            let _ = stream.write_all(text.as_bytes());
            if number % 50 == 0 {
                // Some are under way when their client goes.
                thread::sleep(Duration::from_millis(10));
            }
        }
        assert!(program.is_fine());
        program.wait_until("fd", files);
        memory.push(program.own_kilobytes());
    }
    let growth = memory[ROUNDS - 1].saturating_sub(memory[WARM_ROUNDS - 1]);
    assert!(
        growth < GROWTH_KILOBYTES,
        "kilobytes after each round: {memory:?}"
    );
    // A search that still runs has a thread.
    program.wait_until("task", threads);
    assert!(program.is_fine());
}
