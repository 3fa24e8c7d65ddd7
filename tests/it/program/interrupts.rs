//! Ctrl-C ends every command.

use std::{
    fs,
    io::{self, Write as _},
    iter::{once, repeat_n},
    os::unix::process::ExitStatusExt as _,
    process::{Command, Stdio},
};

use super::Bench;

/// Games of which no part of the text is like another, so that a pipe cannot hold them all.
fn many_games() -> String {
    let comment = |number: u64| -> String {
        let words =
            (1..200_u64).map(|word| (number * 1000 + word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        words.map(|word| format!("{word:x} ")).collect()
    };
    let games = (1..100).map(|number| {
        format!(
            "[Round \"{number}\"]\n\n1. e4 {{{}}} e5 *\n\n",
            comment(number)
        )
    });
    games.collect()
}

/// Returns whether programs that are started here ignore interrupts, as those of a shell's
/// background jobs do.
fn are_ignored() -> bool {
    let survivor = Command::new("sh")
        .args(["-c", "kill -INT $$; echo alive"])
        .output();
    !survivor.unwrap().stdout.is_empty()
}

/// The program reads a pipe, and the interrupt comes before the rest of the games does.
#[test]
fn an_interrupt_ends_every_command_that_reads_games() {
    if are_ignored() {
        let _ = writeln!(io::stderr(), "SKIPPED: interrupts are ignored here");
        return;
    }
    let commands: &[&[&str]] = &[
        &["search", "-", "not result:1-0"],
        &["search", "-", "--count", "played:e5"],
        &["search", "-", "--sort", "date"],
        &["search", "-", "--positions", "start.epd"],
        &["search", "-", "-o", "found.si4"],
        &["tree", "-"],
        &["lines", "-"],
        &["report", "player", "A", "-"],
        &["report", "opening", "-", "--opening", "*"],
        &["report", "games", "-"],
        &["repertoire", "-", "--file", "small.si4", "--color=white"],
        &["show", "-", "1"],
        &["explain", "-", "mate"],
        &["stats", "-"],
        &["names", "-"],
        &["novelty", "-", "--against", "small.si4"],
        &["duplicates", "-"],
        &["duplicates", "-", "--moves-only"],
        &["dedupe", "-", "-o", "better.si4"],
        &["verify", "-"],
        &["info", "-"],
        &["convert", "-", "made.si4"],
        &["add", "small.si4", "-"],
        &["add", "small.si4", "-", "--skip-duplicates"],
        &["replace", "small.si4", "1", "-"],
        &["repair", "-", "mended.si4"],
    ];
    let bench = Bench::new();
    // A sidecar has no place beside standard input; the others read no games themselves.
    let without = [
        "index",
        "explore",
        "completions",
        "man",
        "help",
        "new",
        "edit",
        "remove",
        "compact",
        "undo",
    ];
    let help = bench.run(&["--help"]).out;
    let listed = help.split("Commands:").nth(1).unwrap().lines().skip(1);
    let listed = listed.take_while(|line| line.starts_with("  "));
    // What a command does may take two lines.
    let listed = listed.filter(|line| !line.starts_with("   "));
    for name in listed.filter_map(|line| line.split_whitespace().next()) {
        let is_run = commands.iter().any(|command| command[0] == name);
        assert!(
            is_run || without.contains(&name),
            "{name} is not interrupted"
        );
    }
    fs::write(bench.path("start.epd"), "4k3/8/8/8/8/8/8/4K3 w - -\n").unwrap();
    let (games, before) = (
        many_games(),
        fs::read_dir(bench.directory.path()).unwrap().count(),
    );
    let (begin, rest) = games.split_at(games.len() / 2);
    for command in commands {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .current_dir(bench.directory.path())
            .args(*command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(begin.as_bytes()).unwrap();
        let kill = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
        // Until it ends, or far longer than a signal takes to arrive on a busy machine.
        let more = once(rest).chain(repeat_n(&*games, 200));
        let mut more = more.map(|games| input.write_all(games.as_bytes()));
        let _ = more.find(Result::is_err);
        drop(more);
        drop(input);
        let output = child.wait_with_output().unwrap();
        let is_interrupted = output.status.code() == Some(130) || output.status.signal() == Some(2);
        assert!(is_interrupted, "{command:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{command:?}");
        let after = fs::read_dir(bench.directory.path()).unwrap().count();
        assert_eq!(after, before, "{command:?} leaves files");
    }
}
