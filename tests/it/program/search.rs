//! `search`: formats, pages, order, several databases.

use super::{Bench, damage};
use crate::small_base;

#[test]
fn a_table_without_a_terminal_is_plain_aligned_columns() {
    let ran = Bench::new().run(&["search", "small.si4", "elo>=1500"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.out,
        [
            "number  white          elo  black        elo  result   date        event ",
            "        site      eco  plies\n",
            "     1  Fool, Frank   1500  Sharp, Sue  2100  0-1      2001.05.17  Club, ",
            "Monday  Bonn GER  A00      4\n",
            "     3  de Vries, Bo  2400  \"Q\", x      2450  1/2-1/2  2010.12.??  Open ",
            "         Bonn GER  D06      3\n",
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
            r#""date":"2001.05.17","result":"0-1","eco":"A00","plies":4,"ply":4,"line":null,"#,
            r#""isoDate":"2001-05-17","year":2001,"month":5,"day":17,"#,
            r#""opening":"Barnes Opening: Fool's Mate"}"#,
            "\n",
            r#"{"number":2,"white":"Sharp, Sue","black":"Müller, Jan","whiteElo":2100,"#,
            r#""blackElo":null,"event":"Club, Monday","site":null,"round":"2","#,
            r#""date":"1999.??.??","result":"1-0","eco":"C20","plies":7,"ply":7,"line":null,"#,
            r#""isoDate":"1999","year":1999,"month":null,"day":null,"#,
            r#""opening":"King's Pawn Game: Wayward Queen Attack"}"#,
            "\n"
        )
    );
    let ran = bench.run(&["search", "small.si4", "number:5", "--format", "jsonl"]);
    assert_eq!(
        ran.out,
        concat!(
            r#"{"number":5,"white":null,"black":null,"whiteElo":null,"blackElo":null,"#,
            r#""event":null,"site":null,"round":null,"date":null,"result":"*","eco":null,"#,
            r#""plies":0,"ply":null,"line":null,"isoDate":null,"year":null,"month":null,"#,
            r#""day":null,"opening":null}"#,
            "\n"
        )
    );
}

#[test]
fn csv_has_a_header_and_quotes_what_needs_it() {
    let ran = Bench::new().run(&["search", "small.si4", "number:3", "--format", "csv"]);
    assert_eq!(
        ran.out,
        "number,white,black,whiteElo,blackElo,event,site,round,date,result,eco,plies,ply,line,\
         isoDate,year,month,day,opening\n\
         3,\"de Vries, Bo\",\"\"\"Q\"\", x\",2400,2450,Open,Bonn GER,1,2010.12.??,1/2-1/2,D06,3,,,\
         2010-12,2010,12,,Queen's Gambit\n"
    );
}

#[test]
fn pgn_prints_the_games_themselves() {
    let bench = Bench::new();
    let ran = bench.run(&["search", "small.si4", "number:1", "--format", "pgn"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.out,
        r#"[Event "Club, Monday"]
[Site "Bonn GER"]
[Date "2001.05.17"]
[Round "10"]
[White "Fool, Frank"]
[Black "Sharp, Sue"]
[Result "0-1"]
[WhiteElo "1500"]
[BlackElo "2100"]
[ECO "A00"]

1. f3 e5 2. g4 Qh4# 0-1

"#
    );
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
fn databases_of_every_format_follow_one_another() {
    let bench = Bench::new();
    for suffix in ["si5", "cbh", "2cbh", "dci", "binpack", "vf", "pgn"] {
        let copy = format!("a-{suffix}.{suffix}");
        let ran = bench.run(&["convert", "small.si4", &copy]);
        assert!(matches!(ran.code, 0 | 3), "{copy}: {}", ran.err);
        let stem = format!("a-{suffix}");
        let names = match suffix {
            "binpack" | "vf" | "pgn" => vec![&copy],
            _ => vec![&copy, &stem],
        };
        for second in names {
            let ran = bench.run(&[
                "search",
                "small.si4",
                second,
                "small",
                "plies>=1",
                "--count",
            ]);
            let labels: Vec<_> = ran.out.lines().map(|line| line.split(':').next()).collect();
            let (first, third) = (Some("small.si4"), Some("small"));
            assert_eq!(labels, [first, Some(&stem), third], "{}", ran.err);
        }
    }
    // A database whose name was mistyped is no text to look for.
    for absent in ["b.si5", "b.dcg", "b.sg3", "b.JOSE"] {
        let ran = bench.run(&["search", "small.si4", absent, "plies>=1"]);
        assert!(
            ran.code == 3 && ran.err.contains("cannot open"),
            "{absent}: {}",
            ran.err
        );
    }
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
fn a_match_in_a_variation_tells_the_line_to_its_place() {
    let bench = Bench::new();
    let run = |format: &str, query: &str| {
        let search = ["search", "small.si4", query, "--variations", "--format"];
        bench.run(&[&search[..], &[format]].concat()).out
    };
    let json = run("jsonl", "at(ply=3 not board:8/8/8/3p4/8/8/8/8) number:3");
    assert!(json.contains("\"ply\":3,\"line\":\"d4 Nf6 c4\","), "{json}");
    let csv = run("csv", "at(ply=3 not board:8/8/8/3p4/8/8/8/8) number:3");
    assert!(csv.contains(",3,3,d4 Nf6 c4,"), "{csv}");
    let table = run("table", "played:Nf6");
    let plies: Vec<&str> = table
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    assert_eq!(plies, ["ply", "6", "(2)"]);
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

/// The pipe is full long before the last database, so the search waits in the middle.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_search_with_130_and_valid_lines() {
    use std::{
        io::{BufRead as _, BufReader},
        process::{Command, Stdio},
    };

    let bench = Bench::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .current_dir(bench.directory.path())
        .arg("search")
        .args(vec!["small.si4"; 2000])
        .args(["--format", "jsonl"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    let lines: Vec<String> = lines.map(Result::unwrap).collect();
    assert!((1..9999).contains(&lines.len()), "{} lines", lines.len());
    assert!(
        lines
            .iter()
            .all(|line| line.starts_with('{') && line.ends_with('}'))
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.ends_with("interrupted\n"), "{err}");
}

#[test]
fn a_search_that_finds_nothing_says_what_would_find_something() {
    let bench = Bench::new();
    for (query, told) in [
        (
            "player:scharp",
            "nothing fits `player:scharp`; did you mean `player:\"Sharp, Sue\"`?",
        ),
        (
            "white:\"sharp sue\"",
            "nothing fits `white:\"sharp sue\"`; did you mean `white:\"Sharp, Sue\"`?",
        ),
        (
            "site:bon event:opne",
            "nothing fits `event:opne`; did you mean `event:Open`?",
        ),
        (
            "event:clab or event:xyz",
            "nothing fits `event:clab`; did you mean `event:Club`?",
        ),
        (
            "event=Club*",
            "nothing fits `event=Club*`; did you mean `event:Club*`?",
        ),
        (
            "white=Sharp",
            "nothing fits `white=Sharp`; did you mean `white:Sharp`?",
        ),
        (
            "event=~Club",
            "nothing fits `event=\"~Club\"`; a regular expression stands between slashes, \
             and `*` for any letters; did you mean `event:Club`?",
        ),
        (
            "white:\"^Sha\"",
            "nothing fits `white:\"^Sha\"`; a regular expression stands between slashes, \
             and `*` for any letters; did you mean `white:Sha*`?",
        ),
        ("event:xyzzy", "nothing fits `event:xyzzy`"),
        ("chekc", "nothing fits `chekc`; did you mean `check`?"),
        ("B90", "nothing fits `B90`; did you mean `eco:B90`?"),
        ("1-0", "nothing fits `1-0`; did you mean `result:1-0`?"),
        (
            "najdorff",
            "nothing fits `najdorff`; did you mean `Najdorf`?",
        ),
        (
            "scharp",
            "nothing fits `scharp`; did you mean `\"Sharp, Sue\"`?",
        ),
        ("clab", "nothing fits `clab`; did you mean `Club`?"),
        ("xyzzy", "nothing fits `xyzzy`"),
    ] {
        for command in ["search", "stats", "tree"] {
            let ran = bench.run(&[command, "small.si4", query]);
            assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{command} {query}");
            let told = format!("tabiya: {told}");
            assert!(
                ran.err.lines().any(|line| line == told),
                "{command} {query}: {}",
                ran.err
            );
        }
    }
    for silent in [
        &["search", "small.si4", "player:scharp", "--quiet"][..],
        &["search", "small.si4", "not player:sharp", "player:sharp"],
        &["search", "small.si4", "white:fool", "black:fool"],
        &["search", "small.si4", "white!=fool", "elo>3000"],
        &["search", "small.si4", "eco:A00..E99", "elo>3000"],
        &["search", "small.si4", "player:scharp or player:sharp"],
        &["search", "small.si4", "sharp", "sicilian", "open"],
    ] {
        let ran = bench.run(silent);
        assert!(!ran.err.contains("nothing fits"), "{silent:?}: {}", ran.err);
    }
}

#[test]
fn words_alone_are_looked_for_in_players_events_places_and_openings() {
    let bench = Bench::new();
    let ids = |words: &[&str]| bench.ids(&[&["small.si4"], words].concat());
    assert_eq!(ids(&["sharp"]), "1 2");
    assert_eq!(ids(&["sue", "fool"]), "1");
    assert_eq!(ids(&["\"sue sharp\""]), "1 2");
    assert_eq!(ids(&["club"]), "1 2");
    assert_eq!(ids(&["bonn", "-club"]), "3");
    assert_eq!(ids(&["bonn or muller"]), "1 2 3 4");
    assert_eq!(ids(&["fool's"]), "1");
}

#[test]
fn a_text_of_two_words_finds_the_name_behind_the_comma() {
    let bench = Bench::new();
    assert_eq!(bench.ids(&["small.si4", "player:\"Sue Sharp\""]), "1 2");
    assert_eq!(bench.ids(&["small.si4", "white:Sharp,*"]), "2");
    assert_eq!(bench.ids(&["small.si4", "white:harp,*"]), "");
    for words in [&["sue", "sharp"][..], &["*sue"], &["sharp,*"]] {
        let ran = bench.run(&[&["names", "small.si4"], words].concat());
        assert_eq!(ran.out.lines().count(), 2, "{words:?}: {}", ran.out);
        assert!(ran.out.contains("Sharp, Sue"));
    }
    let ran = bench.run(&["names", "small.si4", "scharp"]);
    let told = "tabiya: nothing fits `player:scharp`; did you mean `player:\"Sharp, Sue\"`?\n";
    assert_eq!((ran.code, ran.err.as_str()), (1, told));
}
