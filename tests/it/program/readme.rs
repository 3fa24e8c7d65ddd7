//! The commands of the README and of the page on damage run as they stand on the fixtures.

#![cfg(unix)]

use std::{fs, path::Path};

use super::shell::Shell;

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
    let shell = Shell::new();
    let pages = [page("README.md"), page("docs/damage.md")];
    let commands: Vec<&str> = pages.iter().flat_map(|page| commands(page)).collect();
    assert!(commands.len() > 10, "{commands:?}");
    for command in commands {
        let output = shell.run(command);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{command}\n{told}");
    }
}
