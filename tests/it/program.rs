//! The program keeps the contract of its commands: standard output, standard error, exit codes.

use std::{fs, io, path::PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

use super::small_base;

/// A directory with the database `small.si4` in it.
struct Bench {
    directory: TempDir,
}

/// What a run left behind.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Bench {
    fn new() -> Bench {
        let directory = TempDir::new().unwrap();
        small_base::write(directory.path(), "small");
        Bench { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
        command.current_dir(self.directory.path()).args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let output = self.command(arguments).output().unwrap();
        Ran {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Returns the game numbers that a search prints, on one line.
    fn ids(&self, arguments: &[&str]) -> String {
        let all = [&["search"], arguments, &["--format", "ids"]].concat();
        let out = self.run(&all).out;
        out.lines().collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn info_tells_what_the_database_holds() {
    let ran = Bench::new().run(&["info", "small.si4"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.out,
        "\
database      small.si4
format        Scid 4 (.si4), version 400
description   Five games
file          small.si4 417 bytes
file          small.sg4 78 bytes
file          small.sn4 195 bytes
sidecar       none
players       6
events        3
sites         3
rounds        4
games         5
dates         1999 to 2010.12.24; 4 games dated
ratings       1500 to 2450; both players rated in 2 games, one in 1
results       1-0 1 (20.0 %), 1/2-1/2 1 (20.0 %), 0-1 1 (20.0 %), * 2 (40.0 %)
comments      in 1 of 5 games
variations    in 1 of 5 games
nags          in 1 of 5 games
custom starts 1
deleted       0
"
    );
}

#[test]
fn a_table_without_a_terminal_is_plain_aligned_columns() {
    let ran = Bench::new().run(&["search", "small.si4", "elo>=1500"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.out,
        [
            "number  white          elo  black        elo  result   date        event         site ",
            "     eco  plies  ply\n",
            "     1  Fool, Frank   1500  Sharp, Sue  2100  0-1      2001.05.17  Club, Monday  Bonn ",
            "GER  A00      4\n",
            "     3  de Vries, Bo  2400  \"Q\", x      2450  1/2-1/2  2010.12.??  Open          Bonn ",
            "GER  D06      3\n",
        ]
        .concat()
    );
}

#[test]
fn ids_are_numbers_one_a_line() {
    let ran = Bench::new().run(&["search", "small.si4", "result:1-0,0-1", "--format", "ids"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "1\n2\n"));
}

#[test]
fn jsonl_has_its_fields_in_order_and_null_for_what_is_absent() {
    let bench = Bench::new();
    let ran = bench.run(&["search", "small.si4", "mate", "--format", "jsonl"]);
    assert_eq!(
        ran.out,
        concat!(
            r#"{"number":1,"white":"Fool, Frank","black":"Sharp, Sue","whiteElo":1500,"#,
            r#""blackElo":2100,"event":"Club, Monday","site":"Bonn GER","round":"10","#,
            r#""date":"2001.05.17","result":"0-1","eco":"A00","plies":4,"ply":4}"#,
            "\n",
            r#"{"number":2,"white":"Sharp, Sue","black":"Müller, Jan","whiteElo":2100,"#,
            r#""blackElo":null,"event":"Club, Monday","site":null,"round":"2","#,
            r#""date":"1999.??.??","result":"1-0","eco":"C20","plies":7,"ply":7}"#,
            "\n"
        )
    );
    let ran = bench.run(&["search", "small.si4", "number:5", "--format", "jsonl"]);
    assert_eq!(
        ran.out,
        concat!(
            r#"{"number":5,"white":"?","black":"?","whiteElo":null,"blackElo":null,"#,
            r#""event":"?","site":"?","round":"?","date":null,"result":"*","eco":null,"#,
            r#""plies":0,"ply":null}"#,
            "\n"
        )
    );
}

#[test]
fn csv_has_a_header_and_quotes_what_needs_it() {
    let ran = Bench::new().run(&["search", "small.si4", "number:3", "--format", "csv"]);
    assert_eq!(
        ran.out,
        "number,white,black,whiteElo,blackElo,event,site,round,date,result,eco,plies,ply\n\
         3,\"de Vries, Bo\",\"\"\"Q\"\", x\",2400,2450,Open,Bonn GER,1,2010.12.??,1/2-1/2,D06,3,\n"
    );
}

#[test]
fn pgn_prints_the_games_themselves() {
    let bench = Bench::new();
    let ran = bench.run(&["search", "small.si4", "number:1", "--format", "pgn"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("[White \"Fool, Frank\"]\n"), "{}", ran.out);
    assert!(ran.out.ends_with("\n0-1\n\n") || ran.out.ends_with(" 0-1\n\n"));
    let moves = ran.out.split("]\n\n").last().unwrap().replace(". ", ".");
    assert_eq!(moves.trim_end(), "1.f3 e5 2.g4 Qh4# 0-1");
    let shown = bench.run(&["show", "small.si4", "1"]);
    assert_eq!(shown.out, ran.out);
}

#[test]
fn count_prints_the_number_alone() {
    let bench = Bench::new();
    let ran = bench.run(&["search", "small.si4", "result:*", "--count"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "2\n"));
    let ran = bench.run(&["search", "small.si4", "white:nobody", "--count"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, "0\n"));
    let paged = [
        "search",
        "small.si4",
        "--count",
        "--offset",
        "1",
        "--limit",
        "3",
    ];
    assert_eq!(bench.run(&paged).out, "3\n");
}

#[test]
fn an_empty_query_matches_every_game() {
    assert_eq!(Bench::new().ids(&["small.si4"]), "1 2 3 4 5");
}

#[test]
fn several_words_make_one_query() {
    let bench = Bench::new();
    assert_eq!(
        bench.ids(&["small.si4", "white:fool", "or", "white:bo"]),
        "1 3"
    );
    assert_eq!(
        bench.ids(&["small.si4", "player:\"de vries\"", "result:*"]),
        "4"
    );
}

#[test]
fn a_query_may_begin_with_a_hyphen() {
    let bench = Bench::new();
    assert_eq!(bench.ids(&["small.si4", "-result:*", "-eco:a"]), "2 3");
    let ran = bench.run(&["search", "small.si4", "--count", "--", "-result:*"]);
    assert_eq!(ran.out, "3\n");
}

#[test]
fn limit_and_offset_give_a_page() {
    let bench = Bench::new();
    assert_eq!(bench.ids(&["small.si4", "--limit", "2"]), "1 2");
    assert_eq!(
        bench.ids(&["small.si4", "--offset", "1", "--limit", "2"]),
        "2 3"
    );
    assert_eq!(bench.ids(&["small.si4", "--offset", "4"]), "5");
    assert_eq!(bench.run(&["search", "small.si4", "--offset", "9"]).code, 1);
}

#[test]
fn games_sort_by_any_key_before_they_are_paged() {
    let bench = Bench::new();
    let sorted = |keys: &str| bench.ids(&["small.si4", "--sort", keys]);
    assert_eq!(sorted("date"), "5 2 1 3 4");
    assert_eq!(sorted("date:desc"), "4 3 1 2 5");
    assert_eq!(sorted("year:desc,white:desc"), "4 3 1 2 5");
    assert_eq!(sorted("white"), "5 3 1 4 2");
    assert_eq!(sorted("round"), "3 2 1 4 5");
    assert_eq!(sorted("elo:desc"), "3 1 2 4 5");
    assert_eq!(sorted("blackelo:desc,number:desc"), "3 1 5 4 2");
    assert_eq!(sorted("plies:desc"), "2 1 3 4 5");
    assert_eq!(sorted("result:desc"), "2 3 1 4 5");
    assert_eq!(sorted("comments:desc"), "3 1 2 4 5");
    let page = [
        "small.si4",
        "--sort",
        "date:desc",
        "--offset",
        "1",
        "--limit",
        "2",
    ];
    assert_eq!(bench.ids(&page), "3 1");
    let repeated = ["small.si4", "--sort", "year", "--sort", "number:desc"];
    assert_eq!(bench.ids(&repeated), "5 2 1 4 3");
    let ran = bench.run(&["search", "small.si4", "--sort", "colour"]);
    assert_eq!(ran.code, 2);
}

#[test]
fn several_databases_name_themselves() {
    let bench = Bench::new();
    small_base::write(bench.directory.path(), "other");
    let both = ["search", "small.si4", "other", "white:fool"];
    let run = |more: &[&str]| bench.run(&[&both, more].concat()).out;
    assert_eq!(run(&["--format", "ids"]), "small:1\nother:1\n");
    assert_eq!(run(&["--count"]), "small:1\nother:1\n");
    assert!(run(&["--format", "jsonl"]).starts_with(r#"{"database":"small","number":1,"#));
    assert!(run(&["--format", "csv"]).starts_with("database,number,"));
    let sorted = [
        "search",
        "small.si4",
        "other.si4",
        "--sort",
        "date:desc",
        "--limit",
        "3",
    ];
    let ran = bench.run(&[&sorted[..], &["--format", "ids"]].concat());
    assert_eq!(ran.out, "small:4\nother:4\nsmall:3\n");
    let paged = [
        "search",
        "small.si4",
        "other.si4",
        "--offset",
        "4",
        "--limit",
        "2",
    ];
    let ran = bench.run(&[&paged[..], &["--format", "ids"]].concat());
    assert_eq!(ran.out, "small:5\nother:1\n");
}

#[test]
fn strategies_threads_and_variations_are_obeyed() {
    let bench = Bench::new();
    for strategy in ["auto", "full"] {
        for threads in ["1", "3"] {
            let options = ["small.si4", "played:Nf6", "--strategy", strategy];
            let options = [&options[..], &["--threads", threads]].concat();
            assert_eq!(bench.ids(&options), "2");
            assert_eq!(
                bench.ids(&[&options[..], &["--variations"]].concat()),
                "2 3"
            );
        }
    }
}

#[test]
fn the_summary_is_one_line_on_standard_error() {
    let bench = Bench::new();
    let ran = bench.run(&["search", "small.si4", "result:1-0"]);
    assert_eq!(ran.err.lines().count(), 1);
    assert!(
        ran.err
            .starts_with("5 games, 0 undecided, 0 decoded, 1 matched, "),
        "{}",
        ran.err
    );
    let ran = bench.run(&["search", "small.si4", "result:1-0", "--quiet"]);
    assert_eq!(ran.err, "");
}

#[test]
fn nothing_found_ends_with_1() {
    for format in ["table", "ids", "jsonl", "pgn"] {
        let ran = Bench::new().run(&["search", "small.si4", "elo>2900", "--format", format]);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    }
}

#[test]
fn a_fault_in_the_query_is_drawn_with_its_suggestion_and_ends_with_2() {
    let ran = Bench::new().run(&["search", "small.si4", "white:fool", "elow:2500"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(
        ran.err,
        "tabiya: error: there is no field `elow`\n\
         white:fool elow:2500\n           ^^^^\n\
         help: did you mean `elo`?\n"
    );
}

#[test]
fn wrong_usage_ends_with_2() {
    let bench = Bench::new();
    for wrong in [
        &["search"][..],
        &["search", "white:fool"],
        &["search", "small.si4", "--cuont"],
        &["search", "small.si4", "--format", "xml"],
        &["search", "small.si4", "--threads", "0"],
        &["show", "small.si4", "6"],
        &["show", "small.si4", "0"],
        &["show", "small.si4", "3..1"],
        &["show", "small.si4", "one"],
        &["show", "small.si4", "1", "--ply", "3"],
        &["show", "small.si4", "1", "--format", "board", "--ply", "5"],
        &["frobnicate"],
        &["convert", "small.si4", "small.xyz"],
        &["convert", "small.si4", "small.si4"],
    ] {
        let ran = bench.run(wrong);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{wrong:?}");
        assert!(!ran.err.is_empty());
    }
}

#[test]
fn what_cannot_be_opened_ends_with_3() {
    let bench = Bench::new();
    fs::write(bench.path("text.si4"), "no database").unwrap();
    fs::write(bench.path("empty.si4"), "").unwrap();
    for path in ["absent.si4", "text.si4", "empty.si4"] {
        for command in [
            &["search", path, "white:x"][..],
            &["info", path],
            &["verify", path],
        ] {
            let ran = bench.run(command);
            assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{command:?}");
            assert!(ran.err.starts_with("tabiya: error: "), "{}", ran.err);
            assert!(ran.err.contains(path), "{}", ran.err);
        }
    }
    let ran = bench.run(&["search", "small.si4", "absent.si4", "white:x"]);
    assert_eq!(ran.code, 3);
}

#[test]
fn missing_names_are_warned_of_and_only_matter_where_they_are_needed() {
    let bench = Bench::new();
    fs::remove_file(bench.path("small.sn4")).unwrap();
    let ran = bench.run(&["search", "small.si4", "result:1-0", "--format", "ids"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "2\n"));
    assert!(
        ran.err.contains("warning: ") && ran.err.contains("small.sn4"),
        "{}",
        ran.err
    );
    let ran = bench.run(&["search", "small.si4", "white:fool"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
}

#[test]
fn a_missing_games_file_is_warned_of_and_only_matters_where_it_is_needed() {
    let bench = Bench::new();
    fs::remove_file(bench.path("small.sg4")).unwrap();
    assert_eq!(bench.ids(&["small.si4", "white:fool"]), "1");
    let ran = bench.run(&["search", "small.si4", "check"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
    assert!(ran.err.contains("small.sg4"), "{}", ran.err);
}

/// Makes the second game's first move one that no piece can make.
fn damage(bench: &Bench) {
    let path = bench.path("small.sg4");
    let mut bytes = fs::read(&path).unwrap();
    bytes[small_base::SECOND_GAME_MOVES] = 0x5f;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_search_leaves_damaged_games_out_and_warns() {
    let bench = Bench::new();
    damage(&bench);
    let ran = bench.run(&["search", "small.si4", "mate", "--format", "ids"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "1\n"));
    assert!(
        ran.err
            .contains("warning: small.si4: damaged games left out: 1;"),
        "{}",
        ran.err
    );
}

#[test]
fn verify_lists_damaged_games_with_number_and_offset_and_ends_with_3() {
    let bench = Bench::new();
    let ran = bench.run(&["verify", "small.si4"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert!(
        ran.err
            .starts_with("5 games, 16 moves in main lines, 18 in all, 0 damaged")
    );
    damage(&bench);
    let ran = bench.run(&["verify", "small.si4"]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.out.starts_with("small.sg4: game 2: damaged: "),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("(at byte "));
    assert_eq!(ran.out.lines().count(), 1);
}

#[test]
fn show_prints_numbers_and_ranges_in_the_order_asked_for() {
    let bench = Bench::new();
    let ran = bench.run(&["show", "small.si4", "4", "1..2"]);
    assert_eq!(ran.code, 0);
    let whites: Vec<&str> = ran
        .out
        .lines()
        .filter(|line| line.starts_with("[White "))
        .collect();
    assert_eq!(
        whites,
        [
            "[White \"Müller, Jan\"]",
            "[White \"Fool, Frank\"]",
            "[White \"Sharp, Sue\"]"
        ]
    );
}

#[test]
fn show_goes_on_after_a_damaged_game_and_ends_with_3() {
    let bench = Bench::new();
    damage(&bench);
    let ran = bench.run(&["show", "small.si4", "1..3"]);
    assert_eq!(ran.code, 3);
    assert_eq!(ran.out.matches("[Event ").count(), 2);
    assert!(ran.err.contains("game 2: damaged"), "{}", ran.err);
}

#[test]
fn show_gives_moves_as_json() {
    let ran = Bench::new().run(&["show", "small.si4", "4", "--format", "jsonl"]);
    assert_eq!(
        ran.out,
        concat!(
            r#"{"number":4,"white":"Müller, Jan","black":"de Vries, Bo","whiteElo":null,"#,
            r#""blackElo":null,"event":"Open","site":"?","round":"?","date":"2010.12.24","#,
            r#""result":"*","eco":null,"plies":2,"fen":"4k3/P7/8/8/8/8/8/4K3 w - - 0 1","#,
            r#""san":["a8=Q+","Ke7"],"uci":["a7a8q","e8e7"]}"#,
            "\n"
        )
    );
}

#[test]
fn show_draws_a_position_with_its_fen() {
    let bench = Bench::new();
    let ran = bench.run(&["show", "small.si4", "1", "--format", "board", "--ply", "2"]);
    assert_eq!(
        ran.out,
        "\
1: Fool, Frank - Sharp, Sue 0-1, ply 2 after e5
8  r n b q k b n r
7  p p p p . p p p
6  . . . . . . . .
5  . . . . p . . .
4  . . . . . . . .
3  . . . . . P . .
2  P P P P P . P P
1  R N B Q K B N R
   a b c d e f g h
rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2
"
    );
    let last = bench
        .run(&["show", "small.si4", "1", "--format", "board"])
        .out;
    assert!(
        last.starts_with("1: Fool, Frank - Sharp, Sue 0-1, ply 4 after Qh4#\n"),
        "{last}"
    );
}

#[test]
fn explain_tells_clause_by_clause_what_the_index_leaves_over() {
    let ran = Bench::new().run(&["explain", "small.si4", "result:1-0", "-white:fool", "mate"]);
    assert_eq!(ran.code, 0);
    let lines: Vec<&str> = ran.out.lines().collect();
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        words(lines[0]),
        ["clause", "served", "by", "possible", "certain"]
    );
    assert_eq!(words(lines[1]), ["result:1-0", "result", "1", "1"]);
    assert_eq!(words(lines[2]), ["not", "white:fool", "names", "4", "4"]);
    assert!(lines[3].starts_with("mate "));
    assert_eq!(words(lines[4]), ["whole", "query", "1", "0"]);
    assert_eq!(
        lines[5],
        "games 5, undecided 1, decoded 1, matched 1, damaged 0"
    );
    assert!(lines[6].starts_with("time: "));
    let searched = ["search", "small.si4", "result:1-0", "--count", "--explain"];
    let ran = Bench::new().run(&searched);
    assert_eq!(ran.out, "1\n");
    assert!(ran.err.contains("result:1-0   result"), "{}", ran.err);
}

#[test]
fn convert_does_not_overwrite() {
    let bench = Bench::new();
    small_base::write(bench.directory.path(), "other");
    let before = fs::read(bench.path("other.si4")).unwrap();
    let ran = bench.run(&["convert", "small.si4", "other.si4"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--force"), "{}", ran.err);
    for source in ["small.si4", "small.sg4", "small"] {
        let ran = bench.run(&["convert", source, "small.si4", "--force"]);
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains("cannot be written to"), "{}", ran.err);
    }
    assert_eq!(fs::read(bench.path("other.si4")).unwrap(), before);
}

#[test]
fn help_teaches_the_query_language_and_the_version_is_told() {
    let bench = Bench::new();
    let ran = bench.run(&["search", "--help"]);
    assert_eq!(ran.code, 0);
    for word in [
        "THE QUERY LANGUAGE",
        "avgelo",
        "bishops:opposite",
        "e.g. ",
        "Exit codes",
    ] {
        assert!(ran.out.contains(word), "{word}");
    }
    let ran = bench.run(&["--version"]);
    assert_eq!(ran.out, format!("tabiya {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = Bench::new().run(&["completions", shell]);
        assert_eq!(ran.code, 0);
        assert!(ran.out.contains("tabiya"), "{shell}");
    }
}

#[test]
fn a_broken_pipe_ends_quietly() {
    let bench = Bench::new();
    for arguments in [
        &["search", "small.si4"][..],
        &["show", "small.si4", "1"],
        &["--help"],
    ] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .current_dir(bench.directory.path())
            .args(arguments)
            .stdout(writer)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "",
            "{arguments:?}"
        );
    }
}
