//! `repair` and what `verify` says of damage, on the command line.

use std::fs;

use super::Bench;

const HEADER: usize = 182;
const RECORD: usize = 47;

/// Damages `small.si4`: its header, and the places of games 2 and 4.
fn harm(bench: &Bench) {
    harm_games(bench);
    let mut index = fs::read(bench.path("small.si4")).unwrap();
    index[..20].fill(0);
    fs::write(bench.path("small.si4"), index).unwrap();
}

/// Damages the places of games 2 and 4 of `small.si4`.
fn harm_games(bench: &Bench) {
    let mut index = fs::read(bench.path("small.si4")).unwrap();
    for game in [1, 3] {
        index[HEADER + game * RECORD..][..4].fill(0xff);
    }
    fs::write(bench.path("small.si4"), index).unwrap();
}

fn games(bench: &Bench, name: &str) -> usize {
    bench.ids(&[name]).split_whitespace().count()
}

#[test]
fn repair_saves_what_can_be_read_reports_the_rest_and_ends_with_3() {
    let bench = Bench::new();
    let all = games(&bench, "small.si4");
    harm(&bench);
    assert_eq!(bench.run(&["convert", "small.si4", "new.pgn"]).code, 3);
    let ran = bench.run(&["repair", "small.si4", "new.pgn"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert_eq!(games(&bench, "new.pgn"), all - 2);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0].starts_with("game 2 ("), "{}", ran.out);
    assert!(
        lines[0].contains("lost: small.sg4: game 2: damaged: "),
        "{}",
        ran.out
    );
    assert!(lines[1].starts_with("game 4 ("), "{}", ran.out);
    assert!(
        lines[2..]
            .iter()
            .all(|line| line.starts_with("note: small.si4: ")),
        "{}",
        ran.out
    );
    let counts = format!("of {all} games {} sound, 0 harmed, 2 lost", all - 2);
    assert!(ran.err.contains(&counts), "{}", ran.err);
}

#[test]
fn a_report_in_a_file_is_json_by_line_when_wanted() {
    let bench = Bench::new();
    harm(&bench);
    let arguments = [
        "repair",
        "small.si4",
        "new.cbh",
        "--report",
        "lost.txt",
        "--format",
        "jsonl",
    ];
    let ran = bench.run(&arguments);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{}", ran.err);
    let report = fs::read_to_string(bench.path("lost.txt")).unwrap();
    let rows: Vec<serde_json::Value> = report
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&rows[0]["game"], &rows[0]["lost"]),
        (&2.into(), &"game".into())
    );
    assert!(
        rows[0]["newGame"].is_null() && rows[0]["offset"].is_u64(),
        "{report}"
    );
    assert_eq!(rows[2]["lost"], "note");
    // Nothing that is there is replaced, whatever it is.
    assert_eq!(bench.run(&arguments).code, 2);
    let sound = fs::read(bench.path("small.sg4")).unwrap();
    for other in ["other.sg3", "player.MYD"] {
        fs::write(bench.path(other), "a file of another database").unwrap();
    }
    for report in ["small.sg4", "new.cbg", "other.sg3", "player.MYD"] {
        let ran = bench.run(&[
            "repair",
            "small.si4",
            "new.cbh",
            "--force",
            "--report",
            report,
        ]);
        assert_eq!(ran.code, 2, "{}", ran.err);
    }
    assert_eq!(fs::read(bench.path("small.sg4")).unwrap(), sound);
    fs::write(bench.path("small.txt"), "an older report").unwrap();
    let again = [
        "repair",
        "small",
        "new.si5",
        "--force",
        "--report",
        "small.txt",
    ];
    assert_eq!(bench.run(&again).code, 3);
    let report = fs::read_to_string(bench.path("small.txt")).unwrap();
    assert!(!report.contains("older"), "{report}");
}

#[test]
fn repair_of_a_sound_database_ends_with_0_and_reports_nothing() {
    let bench = Bench::new();
    let ran = bench.run(&["repair", "small", "new.si4"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert_eq!(games(&bench, "new.si4"), games(&bench, "small.si4"));
}

#[test]
fn repair_never_writes_over_what_it_reads() {
    let bench = Bench::new();
    let before = fs::read(bench.path("small.si4")).unwrap();
    for target in ["small.si4", "./small.si4", "small.xyz"] {
        let ran = bench.run(&["repair", "small.si4", target, "--force"]);
        assert_eq!(ran.code, 2, "{target}: {}", ran.err);
    }
    assert_eq!(
        bench
            .run(&["repair", "small.sg4", "small.si4", "--force"])
            .code,
        2
    );
    fs::write(bench.path("new.si4"), "mine").unwrap();
    assert_eq!(bench.run(&["repair", "small.si4", "new.si4"]).code, 2);
    assert_eq!(fs::read(bench.path("small.si4")).unwrap(), before);
    assert_eq!(fs::read(bench.path("new.si4")).unwrap(), b"mine");
}

#[test]
fn verify_says_what_damage_means_and_what_to_do() {
    let bench = Bench::new();
    let path = bench.path("small.si4");
    let mut index = fs::read(&path).unwrap();
    index[HEADER + RECORD..][..4].fill(0xff);
    fs::write(&path, &index).unwrap();
    let ran = bench.run(&["verify", "small.si4"]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.err.contains("place of a game (1): the record leads to"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("`repair` saves the others"), "{}", ran.err);
    index[..20].fill(0);
    fs::write(&path, &index).unwrap();
    let ran = bench.run(&["verify", "small.si4"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("header (1): "), "{}", ran.err);
}

/// A few kilobytes can unpack to millions of damaged games.
#[test]
fn a_report_of_repair_lists_so_many_games_and_counts_the_rest() {
    const LISTED: usize = 10_000;
    let bench = Bench::new();
    let mut index = fs::read(bench.path("small.si4")).unwrap();
    let games = (index.len() - HEADER) / RECORD;
    index.resize(HEADER + (games + LISTED + 7) * RECORD, 0);
    fs::write(bench.path("small.si4"), index).unwrap();
    let ran = bench.run(&["repair", "small.si4", "new.pgn"]);
    let lines = ran
        .out
        .lines()
        .filter(|line| line.starts_with("game "))
        .count();
    assert_eq!(lines, LISTED);
    assert!(ran.out.contains("and 7 more games that are not sound\n"));
    assert!(
        ran.err.contains(&format!(" {} lost", LISTED + 7)),
        "{}",
        ran.err
    );
    let rows = bench.run(&["repair", "small.si4", "new.si4", "--format", "jsonl"]);
    assert!(rows.out.contains(r#"{"games":7,"lost":"more"}"#));
}

/// Runs a command whose standard output nobody reads; returns the exit code and what was told.
#[cfg(unix)]
fn run_unread(bench: &Bench, arguments: &[&str]) -> (i32, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(arguments)
        .current_dir(bench.directory.path())
        .stdout(writer)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), told)
}

#[cfg(unix)]
#[test]
fn a_repair_is_finished_when_nobody_reads_its_report() {
    let bench = Bench::new();
    harm(&bench);
    let whole = bench.run(&["repair", "small.si4", "whole.si4"]);
    let (code, told) = run_unread(&bench, &["repair", "small.si4", "unread.si4"]);
    assert_eq!((code, whole.code), (3, 3), "{told}");
    assert!(told.contains("written to unread.si4"), "{told}");
    for suffix in ["si4", "sg4", "sn4"] {
        let read = |stem: &str| fs::read(bench.path(&format!("{stem}.{suffix}"))).unwrap();
        assert!(read("unread") == read("whole"), "{suffix}");
    }
}

#[cfg(unix)]
#[test]
fn verify_ends_with_3_when_nobody_reads_what_is_damaged() {
    let bench = Bench::new();
    harm_games(&bench);
    let (code, told) = run_unread(&bench, &["verify", "small.si4"]);
    assert_eq!(code, 3, "{told}");
    assert!(told.contains("2 damaged games"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_search_ends_quietly_when_nobody_reads_it() {
    let bench = Bench::new();
    for format in ["table", "csv", "jsonl", "pgn", "ids"] {
        let arguments = ["search", "small.si4", "--format", format];
        assert_eq!(run_unread(&bench, &arguments), (0, String::new()));
    }
}
