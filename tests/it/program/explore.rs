//! `explore` lets the explorer run. A shell script stands for it, so that these tests are for Unix.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Output,
};

use tempfile::TempDir;

/// A folder with the program alone in it.
struct Installed {
    folder: TempDir,
}

impl Installed {
    fn new() -> Installed {
        // A link needs the same file system; a copy could still be open for writing in the child
        // of another test, and would not start.
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::hard_link(env!("CARGO_BIN_EXE_tabiya"), folder.path().join("tabiya")).unwrap();
        Installed { folder }
    }

    fn run(&self, arguments: &[&str], path: &str) -> Output {
        std::process::Command::new(self.folder.path().join("tabiya"))
            .args(arguments)
            .env("PATH", path)
            .output()
            .unwrap()
    }
}

/// Returns the folder of the program that stands for the explorer.
fn stand_in() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/program/stand_in")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn explore_runs_its_neighbour_with_all_that_follows() {
    let installed = Installed::new();
    let neighbour = installed.folder.path().join("tabiya-explorer");
    symlink(stand_in().join("tabiya-explorer"), neighbour).unwrap();
    for arguments in [
        &["a.pgn", "b c.si4"][..],
        &["--in-memory", "--threads", "2", "a.pgn", "-q", "--", "-x"],
        &["--version"],
        &[],
    ] {
        let ran = installed.run(&[&["explore"], arguments].concat(), "");
        let told = [&["--open"], arguments].concat().join(" ");
        assert_eq!(text(&ran.stdout), format!("{told}\n"));
        assert_eq!(ran.status.code(), Some(7), "the exit code is its own");
    }
}

#[test]
fn explore_finds_its_program_on_the_path_too() {
    let path = format!("/nowhere:{}", stand_in().display());
    let ran = Installed::new().run(&["explore", "a.pgn"], &path);
    assert_eq!(text(&ran.stdout), "--open a.pgn\n", "{}", text(&ran.stderr));
}

#[test]
fn explore_without_its_program_says_how_to_get_it() {
    let installed = Installed::new();
    let ran = installed.run(&["explore", "a.pgn"], ":/nowhere");
    assert_eq!((ran.status.code(), text(&ran.stdout)), (Some(3), ""));
    let told = text(&ran.stderr);
    let own = installed
        .folder
        .path()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap();
    for part in [
        "`tabiya-explorer`",
        own,
        "PATH",
        "cargo install --path explorer",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn explore_refuses_options_before_it_and_has_help() {
    let installed = Installed::new();
    let ran = installed.run(&["--in-memory", "explore", "a.pgn"], "");
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran.stderr));
    let ran = installed.run(&["explore", "--help"], "");
    assert_eq!(ran.status.code(), Some(0));
    assert!(text(&ran.stdout).contains("tabiya-explorer --help"));
}

#[test]
fn explore_has_a_manual_page_without_options_it_refuses() {
    let installed = Installed::new();
    let ran = installed.run(&["man", "explore"], "");
    let page = text(&ran.stdout).replace("\\-", "-");
    assert!(page.contains("[OPTIONS] [DB]..."), "{page}");
    for option in ["--quiet", "--password", "--threads"] {
        assert!(!page.contains(option), "{option}: {page}");
        let other = installed.run(&["man", "search"], "");
        assert!(text(&other.stdout).replace("\\-", "-").contains(option));
    }
}
