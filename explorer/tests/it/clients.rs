//! Programs that were written for the Lichess explorer, unchanged, asking this one.
//!
//! They need Python with the packages of `tests/clients/requirements.txt`. Where the `python3` of
//! this machine has them they run; with `TABIYA_REQUIRE_CLIENTS=1` they are installed into an
//! environment of their own first, which takes a network; else one line says that they were
//! skipped.

use std::{
    env,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use crate::server::{Server, fixture};

/// The Python that has the packages. Found or made at first use.
static PYTHON: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients");
    let own_python = own.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let found = [PathBuf::from("python3"), own_python.clone()];
    if let Some(python) = found.into_iter().find(|python| has_packages(python)) {
        return Some(python);
    }
    if env::var("TABIYA_REQUIRE_CLIENTS").is_ok_and(|value| value == "1") {
        run(Command::new("python3").args(["-m", "venv"]).arg(&own));
        let install = ["-m", "pip", "install", "--quiet", "--requirement"];
        run(Command::new(&own_python)
            .args(install)
            .arg(script("requirements.txt")));
        return Some(own_python);
    }
    // Past the test harness, which keeps back what passing tests print.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: no Python with berserk and chess"
    );
    None
});

fn script(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/clients").join(name)
}

fn has_packages(python: &Path) -> bool {
    let asked = Command::new(python)
        .args(["-c", "import berserk, chess.pgn"])
        .output();
    asked.is_ok_and(|asked| asked.status.success())
}

/// Runs a program, which must say that all is well. Returns what it printed.
fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    text(&output.stdout)
}

/// Runs one of the scripts against a server of its own.
fn ask(python: &Path, name: &str, arguments: &[PathBuf]) -> String {
    let server = Server::famous();
    run(Command::new(python)
        .arg(script(name))
        .arg(format!("http://{}", server.address))
        .args(arguments)
        // Nothing may come between the script and this machine.
        .env("NO_PROXY", "127.0.0.1"))
}

#[test]
fn the_python_client_of_lichess_gets_its_answers() {
    let Some(python) = &*PYTHON else { return };
    let said = ask(python, "berserk_client.py", &[]);
    assert_eq!(said.lines().count(), 5, "{said}");
}

#[test]
fn python_chess_finds_every_move_legal_and_counts_the_same() {
    let Some(python) = &*PYTHON else { return };
    let said = ask(python, "chess_walk.py", &[fixture("famous.pgn")]);
    assert!(said.starts_with("ok"), "{said}");
}
