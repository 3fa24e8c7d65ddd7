//! The system refuses to write: full disks and folders that are read-only.

#![cfg(unix)]

use std::{
    fs::{self, File, Permissions},
    io::Write as _,
    os::unix::{
        fs::{PermissionsExt as _, chown},
        process::CommandExt as _,
    },
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

#[test]
fn without_room_for_what_was_before_a_change_stays() {
    let famous = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/famous.si4");
    for suffix in ["si4", "si5", "cbh", "2cbh", "dci", "pgn"] {
        let bench = Bench::new();
        let base = format!("all.{suffix}");
        bench.run(&["convert", famous, &base]);
        let before = files_in(bench.directory.path());
        assert_eq!(bench.run(&["add", &base, "small.si4"]).code, 0, "{suffix}");
        nothing_changes_before_there_is_room(&bench, &["undo", &base], "all.");
        assert!(files_in(bench.directory.path()) == before, "{suffix}");
    }
}

#[test]
fn a_change_is_told_though_its_sidecar_cannot_be_refreshed() {
    let bench = Bench::new();
    bench.run(&["index", "small.si4"]);
    fs::remove_file(bench.path("small.tabiya")).unwrap();
    fs::create_dir(bench.path("small.tabiya")).unwrap();
    for (change, told) in [
        (&["add", "small.si4", "small.si4"][..], "games added"),
        (&["edit", "small.si4", "--set", "site=x"], "changed in"),
        (&["replace", "small.si4", "1", "small.pgn"], "replaced in"),
        (&["remove", "small.si4", "number:1"], "marked as deleted"),
        (&["compact", "small.si4"], "left out"),
    ] {
        let made = [
            "search",
            "small.si4",
            "number:2",
            "-o",
            "small.pgn",
            "--force",
        ];
        assert_eq!(bench.run(&made).code, 0);
        let ran = bench.run(change);
        assert_eq!(ran.code, 0, "{change:?}: {}", ran.err);
        assert!(ran.err.contains(told), "{change:?}: {}", ran.err);
        for words in ["sidecar could not be refreshed", "`tabiya index small.si4`"] {
            assert!(ran.err.contains(words), "{change:?}: {}", ran.err);
        }
    }
    let ran = bench.run(&["undo", "small.si4"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

/// Runs the program as somebody who may not do everything; `None` if that is impossible here.
fn run_as_a_user(bench: &Bench, arguments: &[&str]) -> Option<(Option<i32>, String)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.args(arguments).current_dir(bench.directory.path());
    if bench.may_write_everywhere() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output().ok()?;
    let told = String::from_utf8(output.stderr).unwrap();
    Some((output.status.code(), told))
}

/// The number that most systems have for a user without rights.
const NOBODY: u32 = 65_534;

impl Bench {
    /// Lets a user without rights be the owner of all files, if this user can do that.
    fn give_away(&self) {
        let entries = fs::read_dir(self.directory.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        for path in paths.chain([self.directory.path().to_owned()]) {
            let _ = chown(path, Some(NOBODY), Some(NOBODY));
        }
    }

    fn may_write_everywhere(&self) -> bool {
        let probe = self.path("probe");
        fs::write(&probe, "").unwrap();
        fs::set_permissions(&probe, Permissions::from_mode(0o444)).unwrap();
        let is_allowed = File::options().write(true).open(&probe).is_ok();
        fs::remove_file(probe).unwrap();
        is_allowed
    }
}

#[test]
fn read_only_files_are_not_changed_and_can_still_be_read() {
    for suffix in ["si4", "si5", "dci", "cbh", "2cbh", "pgn"] {
        let bench = Bench::new();
        let base = format!("base.{suffix}");
        bench.run(&["convert", "small.si4", &base]);
        let add = ["add", &base, "small.si4"];
        assert_eq!(bench.run(&add).code, 0, "{suffix}");
        bench.give_away();
        for name in files_in(bench.directory.path()).keys() {
            let path = bench.path(name);
            fs::set_permissions(path, Permissions::from_mode(0o444)).unwrap();
        }
        let before = files_in(bench.directory.path());
        for change in [
            &add[..],
            &["edit", &base, "--set", "site=x"],
            &["remove", &base, "white:fool"],
            &["replace", &base, "1", "other.pgn"],
            &["undo", &base],
        ] {
            fs::write(bench.path("other.pgn"), "1. e4 *\n").unwrap();
            let Some((code, told)) = run_as_a_user(&bench, change) else {
                let _ = writeln!(std::io::stderr(), "SKIPPED: no other user can be tried");
                return;
            };
            fs::remove_file(bench.path("other.pgn")).unwrap();
            assert_eq!(code, Some(3), "{change:?}: {told}");
            assert!(told.contains("base."), "{told}");
            assert!(told.contains("cannot write: Permission denied"), "{told}");
            assert!(
                files_in(bench.directory.path()) == before,
                "{change:?}: {told}"
            );
        }
        assert_eq!(bench.run(&["verify", &base]).code, 0, "{suffix}");
    }
}

#[test]
fn a_read_only_folder_is_told_with_the_database_in_it() {
    let bench = Bench::new();
    fs::write(bench.path("base.pgn"), "1. e4 *\n").unwrap();
    bench.give_away();
    let before = files_in(bench.directory.path());
    let folder = bench.directory.path();
    for base in ["small.si4", "base.pgn"] {
        for change in [
            &["add", base, "small.si4"][..],
            &["remove", base, "plies>=1"],
        ] {
            fs::set_permissions(folder, Permissions::from_mode(0o555)).unwrap();
            let ran = run_as_a_user(&bench, change);
            fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
            let Some((code, told)) = ran else {
                let _ = writeln!(std::io::stderr(), "SKIPPED: no other user can be tried");
                return;
            };
            assert_eq!(code, Some(3), "{change:?}: {told}");
            let expected = format!("{base}: cannot create files beside it: Permission denied");
            assert!(told.contains(&expected), "{change:?}: {told}");
            assert!(files_in(folder) == before, "{change:?}");
        }
    }
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
