//! A database is shortened while the program reads it.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

const HEADER_BYTES: usize = 182;
const RECORD_BYTES: usize = 47;

/// Writes an index that has the games of the fixture so often that printing them all takes more
/// than any pipe holds.
fn long(folder: &Path) {
    for suffix in ["sg4", "sn4"] {
        let fixture = format!("{}/fixtures/famous.{suffix}", env!("CARGO_MANIFEST_DIR"));
        fs::copy(fixture, folder.join(format!("long.{suffix}"))).unwrap();
    }
    let fixture = format!("{}/fixtures/famous.si4", env!("CARGO_MANIFEST_DIR"));
    let mut index = fs::read(fixture).unwrap();
    let records = index.split_off(HEADER_BYTES);
    for _ in 0..400 {
        index.extend_from_slice(&records);
    }
    let games = ((index.len() - HEADER_BYTES) / RECORD_BYTES) as u32;
    index[14..17].copy_from_slice(&games.to_be_bytes()[1..]);
    fs::write(folder.join("long.si4"), index).unwrap();
}

/// Starts printing all games and returns when the first line is there, so that the program waits
/// for somebody to read the others.
fn printing(folder: &Path, options: &[&str]) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .current_dir(folder)
        .args(["search", "long.si4", "plies>=0", "--format", "pgn"])
        .args(options)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut String::new()).unwrap();
    (child, out)
}

fn shorten(folder: &Path) {
    let games = fs::File::options()
        .write(true)
        .open(folder.join("long.sg4"))
        .unwrap();
    games.set_len(0).unwrap();
}

#[test]
fn a_database_that_is_shortened_meanwhile_ends_the_program_with_a_message() {
    let folder = TempDir::new().unwrap();
    long(folder.path());
    let (mut child, mut out) = printing(folder.path(), &[]);
    shorten(folder.path());
    out.read_to_end(&mut Vec::new()).unwrap();
    let mut told = String::new();
    let errors = child.stderr.as_mut().unwrap();
    errors.read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3), "{told}");
    assert!(told.contains("shortened"), "{told}");
}

#[test]
fn a_database_in_memory_may_be_shortened_meanwhile() {
    let folder = TempDir::new().unwrap();
    long(folder.path());
    let (mut child, mut out) = printing(folder.path(), &["--in-memory"]);
    shorten(folder.path());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(rest.matches("[Event ").count() % 91, 90);
}
