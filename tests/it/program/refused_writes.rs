//! The system refuses to write: full disks and folders that are read-only.

#![cfg(unix)]

use std::{
    fs::{self, File, Permissions},
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    process::Command,
};

use super::{
    Bench,
    kills::{Files, files_in},
};

const SUFFIXES: [&str; 8] = ["si4", "si5", "cbh", "2cbh", "dci", "binpack", "vf", "pgn"];

/// Runs the program in a shell that limits files to a number of blocks; returns the exit code
/// and what was told.
fn run_with_small_files(bench: &Bench, blocks: u32, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f $0; exec \"$@\""])
        .args([&blocks.to_string(), env!("CARGO_BIN_EXE_tabiya")])
        .args(arguments)
        .current_dir(bench.directory.path())
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), told)
}

/// Allows more and more bytes until a run succeeds. Before that nothing changes.
fn nothing_changes_before_there_is_room(bench: &Bench, arguments: &[&str], written: &str) {
    let before: Files = files_in(bench.directory.path());
    for blocks in (0..).step_by(2) {
        let (code, told) = run_with_small_files(bench, blocks, arguments);
        if code == Some(0) {
            assert!(blocks > 0 && files_in(bench.directory.path()) != before);
            return;
        }
        assert_eq!(code, Some(3), "{told}");
        assert!(told.contains(written), "{told}");
        assert!(told.contains("File too large"), "{told}");
        assert!(files_in(bench.directory.path()) == before, "{blocks}");
    }
}

#[test]
fn without_room_for_a_new_database_the_old_one_stays() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/famous.si4");
    for suffix in SUFFIXES {
        let bench = Bench::new();
        let target = format!("all.{suffix}");
        let convert = ["convert", source, &target, "--force"];
        fs::write(bench.path(&target), "an old file").unwrap();
        nothing_changes_before_there_is_room(&bench, &convert, "all.");
    }
}

#[test]
fn without_room_for_a_new_sidecar_the_old_one_stays() {
    let bench = Bench::new();
    fs::write(bench.path("small.tabiya"), "an old file").unwrap();
    nothing_changes_before_there_is_room(&bench, &["index", "small.si4"], "small.tabiya");
}

/// Those who may do everything cannot be refused: for them there is nothing to test.
#[test]
fn in_a_folder_that_is_read_only_databases_are_searched_and_writing_says_what_is_wrong() {
    let bench = Bench::new();
    let folder = bench.directory.path();
    fs::set_permissions(folder, Permissions::from_mode(0o555)).unwrap();
    if File::create(bench.path("probe")).is_ok() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: this user may write everywhere");
        return;
    }
    assert_eq!(bench.ids(&["small.si4", "white:fool"]), "1");
    for (arguments, written) in [
        (&["convert", "small.si4", "all.cbh"][..], "all.cbh"),
        (&["convert", "small.si4", "all.si4"], "all.si4"),
        (&["convert", "small.si4", "small.si5"], "small.si5"),
        (&["convert", "small.si4", "all.dci"], "all.dci"),
        (&["convert", "small.si4", "all.binpack"], "all.binpack"),
        (&["convert", "small.si4", "all.pgn"], "all.pgn"),
        (&["index", "small.si4"], "small.tabiya"),
    ] {
        let ran = bench.run(arguments);
        assert_eq!(ran.code, 3, "{}", ran.err);
        let told = format!("{written}: cannot create: Permission denied");
        assert!(ran.err.contains(&told), "{}", ran.err);
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("all.cbh").display().to_string();
    assert_eq!(bench.run(&["convert", "small.si4", &target]).code, 0);
    fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
}
