//! The commands of the README and of the page on damage run as they stand on the fixtures, and the
//! README's queries are queries.

#![cfg(unix)]

use std::{env, fs, path::Path, process::Command};

use tabiya::Query;
use tempfile::TempDir;

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(path).unwrap()
}

/// Returns the lines of a page's blocks of commands that call the program.
fn commands(page: &str) -> Vec<&str> {
    let mut in_block = false;
    let lines = page.lines().filter(|line| {
        if line.starts_with("```") {
            in_block = *line == "```sh";
        }
        in_block
    });
    lines.filter(|line| line.starts_with("tabiya ")).collect()
}

#[test]
fn the_commands_of_the_pages_run_as_they_stand() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("fixtures")).unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for entry in fixtures.read_dir().unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() {
            let copy = folder.path().join("fixtures").join(entry.file_name());
            fs::copy(entry.path(), copy).unwrap();
        }
    }
    let program = Path::new(env!("CARGO_BIN_EXE_tabiya")).parent().unwrap();
    let mut path = program.as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    let pages = [page("README.md"), page("docs/damage.md")];
    let commands: Vec<&str> = pages.iter().flat_map(|page| commands(page)).collect();
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands {
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(folder.path())
            .env("PATH", &path)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{command}\n{told}");
    }
}

#[test]
fn the_queries_of_the_readme_are_queries() {
    let readme = page("README.md");
    let (_, table) = readme.split_once("| you want | you type |").unwrap();
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let quoted = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    let queries: Vec<&str> = quoted
        .filter(|text| !text.starts_with(['-', '#']))
        .collect();
    assert!(queries.len() > 15, "{queries:?}");
    for text in queries {
        assert!(text.parse::<Query>().is_ok(), "{text}");
    }
}
