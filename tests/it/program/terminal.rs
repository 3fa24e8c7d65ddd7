//! What is typed at a terminal besides queries: threads, short forms, folders, numbers from a pipe,
//! completions, pages of the manual.

use std::fs;

use super::{Bench, small_base};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/famous.pgn");

#[test]
fn threads_may_be_chosen_for_every_format_and_command() {
    let bench = Bench::new();
    fs::copy(FIXTURE, bench.path("famous.pgn")).unwrap();
    let converted = bench.run(&["convert", "famous.pgn", "famous.binpack", "--threads", "2"]);
    assert!(converted.err.contains("games written"), "{}", converted.err);
    for database in ["small.si4", "famous.pgn", "famous.binpack"] {
        for command in [
            "search", "tree", "stats", "explain", "info", "names", "verify",
        ] {
            for threads in ["1", "2"] {
                let ran = bench.run(&[command, database, "--threads", threads]);
                assert_eq!(ran.code, 0, "{command} {database}: {}", ran.err);
            }
        }
    }
    let ran = bench.run(&["duplicates", "famous.pgn", "--threads", "1"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let ran = bench.run(&["index", "small.si4", "--threads", "1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn a_target_with_the_sources_stem_can_be_written_again() {
    let bench = Bench::new();
    for suffix in ["pgn", "si5", "cbh", "2cbh", "dci", "binpack", "vf"] {
        let target = format!("small.{suffix}");
        for source in ["small.si4", "small.sg4", "small"] {
            let first = bench.run(&["convert", source, &target, "--force"]);
            assert!(first.err.contains("games written"), "{}", first.err);
            // Without leave nothing is replaced.
            let again = bench.run(&["convert", "small.si4", &target]);
            assert_eq!(again.code, 2);
            assert!(again.err.contains("--force replaces it"), "{}", again.err);
            // Of the databases with one stem the stem means that of Scid 5.
            if suffix == "si5" {
                break;
            }
        }
        if suffix == "si5" {
            for suffix in ["si5", "sg5", "sn5"] {
                fs::remove_file(bench.path(&format!("small.{suffix}"))).unwrap();
            }
        }
    }
}

#[test]
fn what_is_read_is_never_written_to() {
    let bench = Bench::new();
    let before = fs::read(bench.path("small.si4")).unwrap();
    for source in ["small.si4", "small.sg4", "small.sn4", "small", "./small"] {
        let ran = bench.run(&["convert", source, "small.si4", "--force"]);
        assert_eq!(ran.code, 2, "{source}");
        assert!(
            ran.err.contains("is read and cannot be written to"),
            "{}",
            ran.err
        );
    }
    assert_eq!(fs::read(bench.path("small.si4")).unwrap(), before);
}

#[test]
fn n_is_limit_and_a_denied_condition_is_still_one() {
    let bench = Bench::new();
    assert_eq!(bench.ids(&["small.si4", "-n", "2"]), "1 2");
    assert_eq!(bench.ids(&["small.si4", "-n3", "-result:*"]), "1 2 3");
    assert_eq!(bench.ids(&["small.si4", "-n>=0"]), "");
    let ran = bench.run(&["names", "small.si4", "-n", "1"]);
    assert_eq!(ran.out.lines().count(), 2);
}

#[test]
fn a_database_alone_tells_what_can_be_done_with_it() {
    let bench = Bench::new();
    let info = bench.run(&["info", "small.si4"]).out;
    let alone = bench.run(&["small.si4"]);
    assert_eq!(alone.code, 0, "{}", alone.err);
    let rest = alone.out.strip_prefix(&info).unwrap();
    for command in ["search", "tree", "show", "convert"] {
        let line = format!("\n  tabiya {command} small.si4");
        assert!(rest.contains(&line), "{rest}");
    }
    assert_eq!(bench.run(&["absent.si4"]).code, 3);
    assert_eq!(bench.run(&["serach"]).code, 2);
}

#[test]
fn a_folder_tells_its_databases_once_each() {
    let bench = Bench::new();
    fs::create_dir(bench.path("empty")).unwrap();
    let folder = bench.path("all");
    fs::create_dir(&folder).unwrap();
    small_base::write(&folder, "one");
    fs::copy(FIXTURE, folder.join("two.pgn")).unwrap();
    fs::write(folder.join("notes.txt"), "no database").unwrap();
    let ran = bench.run(&["info", "all"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, "2 databases in all\n"));
    let words: Vec<Vec<&str>> = ran
        .out
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(words.len(), 3, "{}", ran.out);
    assert_eq!((words[1][0], words[1][4]), ("one.si4", "5"));
    assert_eq!(words[2][0], "two.pgn");
    fs::write(folder.join("bad.si4"), "no database").unwrap();
    let ran = bench.run(&["all"]);
    assert_eq!((ran.code, ran.out.lines().count()), (3, 3));
    assert!(ran.err.contains("bad.si4"), "{}", ran.err);
    assert_eq!(bench.run(&["info", "empty"]).code, 1);
    let ran = bench.run(&["search", "all", "mate"]);
    assert_eq!(ran.code, 2);
    let what = "all is a folder; name its databases, as in `all/*.pgn`; `info` lists them";
    assert!(ran.err.contains(what), "{}", ran.err);
}

#[test]
fn numbers_of_games_come_from_a_pipe() {
    let bench = Bench::new();
    let show = |input: &str| {
        let mut command = bench.command(&["show", "small.si4", "-", "--format", "jsonl"]);
        let output = command.write_stdin(input).output().unwrap();
        let games = String::from_utf8(output.stdout).unwrap();
        let numbers = games.lines().map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            row["number"].to_string()
        });
        (
            output.status.code().unwrap(),
            numbers.collect::<Vec<_>>().join(" "),
        )
    };
    assert_eq!(show("3\n1\n4..\n"), (0, "3 1 4 5".to_owned()));
    assert_eq!(show(""), (1, String::new()));
    assert_eq!(show("1 small:2"), (2, String::new()));
    assert_eq!(show("9"), (2, String::new()));
}

#[test]
fn places_are_told_only_where_a_position_was_asked_for() {
    let bench = Bench::new();
    let titles = |query: &str| {
        let out = bench.run(&["search", "small.si4", query]).out;
        out.lines().next().unwrap().ends_with("plies  ply")
    };
    assert!(!titles("elo>1000"));
    assert!(titles("elo>1000 or mate"));
    assert!(titles("path:Pf2-f3"));
}

#[test]
fn rows_print_as_comma_separated_values() {
    let bench = Bench::new();
    let csv = |arguments: &[&str]| bench.run(&[arguments, &["--format", "csv"]].concat()).out;
    assert!(
        csv(&["tree", "small.si4", "white:fool"])
            .starts_with("san,uci,games,share,white,draw,black,score,draws,averageElo,")
    );
    assert!(csv(&["tree", "small.si4", "white:fool"]).contains("\nf3,f2f3,1,100.0,0,0,1,0.0,"));
    assert!(
        csv(&["names", "small.si4", "q"]).contains("\n\"\"\"Q\"\", x\",1,2010,2010,0,1,2450\n")
    );
    let stats = csv(&["stats", "small.si4"]);
    let columns = stats.lines().map(|line| line.split(',').count()).min();
    assert_eq!(columns, Some(20));
    assert!(stats.contains("\nyear,1999,1,0.2,1,0,0,0,1.0,"), "{stats}");
}

#[test]
fn several_databases_are_counted_together() {
    let bench = Bench::new();
    small_base::write(bench.directory.path(), "twin");
    let ran = bench.run(&[
        "tree",
        "small.si4",
        "twin.si4",
        "white:fool",
        "--format",
        "csv",
    ]);
    assert!(
        ran.out.contains("\nf3,f2f3,2,100.0,0,0,2,0.0,"),
        "{}",
        ran.out
    );
    assert!(ran.err.starts_with("10 games, "), "{}", ran.err);
    let ran = bench.run(&["stats", "small.si4", "twin.si4", "--top", "1"]);
    assert!(ran.out.contains("\nall         10  100.0\n"), "{}", ran.out);
    assert!(
        ran.out
            .contains("\nde Vries, Bo      4      2      2   50.0\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("\nClub, Monday      4  40.0   50.0\n"),
        "{}",
        ran.out
    );
}

#[test]
fn a_manual_page_and_completions_know_the_language() {
    let bench = Bench::new();
    let page = bench.run(&["man"]);
    assert_eq!(page.code, 0);
    assert!(
        page.out.contains(".TH") && page.out.contains("tabiya\\-search"),
        "{}",
        page.out
    );
    let page = bench.run(&["man", "search"]).out;
    assert!(page.contains("tabiya\\-search") && page.contains("whiteelo"));
    assert_eq!(bench.run(&["man", "sing"]).code, 2);
    for shell in ["bash", "zsh", "fish"] {
        let script = bench.run(&["completions", shell]).out;
        for word in ["white:", "whiteelo:", "fen:", "mate"] {
            assert!(script.contains(word), "{shell} {word}");
        }
    }
}

#[cfg(unix)]
#[test]
fn bash_completes_databases_and_fields() {
    let bench = Bench::new();
    fs::write(bench.path("notes.txt"), "no database").unwrap();
    fs::write(
        bench.path("tabiya.bash"),
        bench.run(&["completions", "bash"]).out,
    )
    .unwrap();
    let complete = |words: &str| {
        let script = format!(
            "source ./tabiya.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); \
             _tabiya_query tabiya \"${{COMP_WORDS[COMP_CWORD]}}\" x 2>&1; \
             echo \"${{COMPREPLY[@]}}\""
        );
        let mut command = std::process::Command::new("bash");
        let command = command
            .args(["-c", &script])
            .current_dir(bench.directory.path());
        // Not every system has it.
        let output = command.output().ok()?;
        Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
    };
    let Some(database) = complete("tabiya search ''") else {
        return;
    };
    assert_eq!(database, "small.si4");
    assert_eq!(
        complete("tabiya search small.si4 blacke"),
        Some("blackelo:".to_owned())
    );
    assert_eq!(
        complete("tabiya search small.si4 --lim"),
        Some("--limit".to_owned())
    );
    assert_eq!(complete("tabiya verif"), Some("verify".to_owned()));
}

#[test]
fn the_help_of_search_begins_with_twelve_examples() {
    let help = Bench::new().run(&["search", "--help"]).out;
    let (examples, _) = help.split_once("Usage:").unwrap();
    let examples: Vec<&str> = examples
        .lines()
        .filter_map(|line| line.strip_prefix("  tabiya search base.si4 '"))
        .collect();
    assert_eq!(examples.len(), 12);
    for example in examples {
        let (query, _) = example.split_once('\'').unwrap();
        assert!(query.parse::<tabiya::Query>().is_ok(), "{query}");
    }
}

#[test]
fn a_file_that_is_not_there_is_told_with_the_one_that_was_meant() {
    let bench = Bench::new();
    small_base::write(bench.directory.path(), "kingbase");
    for (typed, command) in [
        ("kingbas.si4", "search"),
        ("kingbase.si5", "info"),
        ("Kingbsae.si4", "verify"),
        ("kingbas", "tree"),
        ("kingbase.pgn", "index"),
    ] {
        let ran = bench.run(&[command, typed]);
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert!(
            ran.err.ends_with("help: did you mean `kingbase.si4`?\n"),
            "{command} {typed}: {}",
            ran.err
        );
    }
    let ran = bench.run(&["search", "elsewhere.si4"]);
    assert!(!ran.err.contains("did you mean"), "{}", ran.err);
    let ran = bench.run(&["convert", "small.si4", "nosuch/new.pgn"]);
    assert!(
        ran.err.contains("nosuch/new.pgn: cannot create: "),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains(".tabiya-"), "{}", ran.err);
}

#[test]
fn a_name_that_is_a_suffix_alone_is_not_written() {
    let bench = Bench::new();
    for target in ["..pgn", "..si4", "..cbh", "..vf", "..2cbh"] {
        let ran = bench.run(&["convert", "small.si4", target]);
        assert_eq!(ran.code, 2, "{target}: {}", ran.err);
        assert!(!bench.path(target).exists());
    }
}
