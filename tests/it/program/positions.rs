//! `search --positions`, and queries from a file.

use std::{fs, io::Write as _};

use tabiya::limits::POSITIONS_MAX;

use super::Bench;
use crate::small_base;

const EPD: &str = "\
# what the second half-move made of it
rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - id \"Fool\";

rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
rnbqkb1r/pppppppp/5n2/8/3P4/8/PPP1PPPP/RNBQKBNR w
";

fn bench() -> Bench {
    let bench = Bench::new();
    fs::write(bench.path("positions.epd"), EPD).unwrap();
    bench
}

#[test]
fn positions_are_counted_one_line_each_in_the_order_of_the_file() {
    let bench = bench();
    let count = ["search", "small.si4", "--positions", "positions.epd"];
    let ran = bench.run(&count);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (
            0,
            "\
games  white  draw  black  score  position
    1      0     0      1    0.0  Fool
    4      1     1      1   50.0  rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -
    0      0     0      0         rnbqkb1r/pppppppp/5n2/8/3P4/8/PPP1PPPP/RNBQKBNR w - -
"
        )
    );
    assert!(ran.err.starts_with("5 games, "), "{}", ran.err);
    let ran = bench.run(&[&count[..], &["--variations", "--format", "jsonl", "-q"]].concat());
    assert_eq!(ran.err, "");
    assert_eq!(
        ran.out.lines().last(),
        Some(concat!(
            r#"{"label":null,"fen":"rnbqkb1r/pppppppp/5n2/8/3P4/8/PPP1PPPP/RNBQKBNR w - -","#,
            r#""games":1,"white":0,"draw":1,"black":0,"score":50.0}"#
        ))
    );
    let ran = bench.run(&[&count[..], &["result:0-1", "--format", "csv"]].concat());
    assert_eq!(
        ran.out,
        "\
games,white,draw,black,score,label,fen
1,0,0,1,0.0,Fool,rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq -
1,0,0,1,0.0,,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -
0,0,0,0,,,rnbqkb1r/pppppppp/5n2/8/3P4/8/PPP1PPPP/RNBQKBNR w - -
"
    );
    let ran = bench.run(&[&count[..], &["white:nobody"]].concat());
    assert_eq!(ran.code, 1);
}

#[test]
fn positions_come_from_standard_input_and_several_databases_name_themselves() {
    let bench = bench();
    small_base::write(bench.directory.path(), "other");
    let count = ["search", "small", "other", "--positions", "-", "-q"];
    let output = bench.command(&count).write_stdin(EPD).output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let first: Vec<&str> = out
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(
        first,
        [
            "database", "small", "small", "small", "other", "other", "other"
        ]
    );
}

#[test]
fn faults_in_positions_are_told_with_their_line_and_end_with_2() {
    let bench = bench();
    fs::write(bench.path("wrong.epd"), "\n8/8/8/8 w - -\n").unwrap();
    fs::write(bench.path("empty.epd"), "# nothing\n").unwrap();
    let ran = bench.run(&["search", "small.si4", "--positions", "wrong.epd"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(
        ran.err.contains("wrong.epd: line 2: a board has 8 ranks"),
        "{}",
        ran.err
    );
    let ran = bench.run(&["search", "small.si4", "--positions", "empty.epd"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    for more in [
        &["--count"][..],
        &["--sort", "date"],
        &["--format", "ids"],
        &["--format", "pgn"],
    ] {
        let count = ["search", "small.si4", "--positions", "positions.epd"];
        let ran = bench.run(&[&count[..], more].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{more:?}");
    }
    let ran = bench.run(&["search", "small.si4", "--positions", "absent.epd"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
    assert!(ran.err.contains("absent.epd"), "{}", ran.err);
}

/// As `/dev/zero` and other programs' files do, these have no end, or none of their lines has.
#[test]
fn a_file_of_positions_is_read_up_to_a_limit() {
    let bench = bench();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
    let count = ["search", "small.si4", "--positions"];
    fs::write(bench.path("zeros"), vec![0; 1 << 20]).unwrap();
    let long = format!("{start}{} c0 \"{}\";\n", start.trim_end(), "a".repeat(5000));
    fs::write(bench.path("long.epd"), long).unwrap();
    fs::write(bench.path("many.epd"), start.repeat(POSITIONS_MAX + 1)).unwrap();
    fs::write(
        bench.path("binary.epd"),
        [start.as_bytes(), b"\xff\n"].concat(),
    )
    .unwrap();
    for (name, told) in [
        ("zeros", "zeros: line 1: more than 4096 bytes"),
        ("long.epd", "long.epd: line 2: more than 4096 bytes"),
        (
            "many.epd",
            "many.epd: line 65537: more than 65536 positions",
        ),
        ("binary.epd", "binary.epd: line 2: not valid UTF-8"),
    ] {
        let ran = bench.run(&[&count[..], &[name]].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{name}");
        assert!(ran.err.contains(told), "{}", ran.err);
    }
    let mut endless = std::process::Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .current_dir(bench.directory.path())
        .args(count)
        .arg("-")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut input = endless.stdin.take().unwrap();
    // The program ends although its input does not.
    while input.write_all(&[b' '; 1000]).is_ok() {}
    assert_eq!(endless.wait().unwrap().code(), Some(2));
}

#[test]
fn a_query_is_read_from_a_file_with_comments_wherever_a_query_is_taken() {
    let bench = bench();
    let text = "# Sharp's wins\n(white:sharp   # as White\n or black:sharp)\nmate\n";
    fs::write(bench.path("mates.txt"), text).unwrap();
    let file = ["--query-file", "mates.txt"];
    let ids = |more: &[&str]| bench.ids(&[&["small.si4"], &file[..], more].concat());
    assert_eq!(ids(&[]), "1 2");
    assert_eq!(ids(&["result:1-0"]), "2");
    assert_eq!(ids(&["white:fool", "or", "white:nobody"]), "1");
    // A regular expression may look like one.
    let text = "white:/nobody # x|^sharp/ # as White\nmate\n";
    fs::write(bench.path("regex.txt"), text).unwrap();
    assert_eq!(bench.ids(&["small.si4", "--query-file", "regex.txt"]), "2");
    for (command, games) in [("tree", "total"), ("stats", "all"), ("explain", "games 5")] {
        let ran = bench.run(&[&[command, "small.si4"], &file[..]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains(games), "{}", ran.out);
    }
    let ran = bench.run(&[
        "tree",
        "small.si4",
        "--query-file",
        "mates.txt",
        "--format",
        "jsonl",
    ]);
    assert_eq!(ran.out.lines().count(), 2, "{}", ran.out);
}

#[test]
fn a_fault_in_a_query_file_is_drawn_with_file_and_line() {
    let bench = bench();
    fs::write(
        bench.path("wrong.txt"),
        "# one\nwhite:fool # two\n  elow:2500\n",
    )
    .unwrap();
    let ran = bench.run(&["search", "small.si4", "--query-file", "wrong.txt"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(
        ran.err,
        "tabiya: error: wrong.txt: line 3: there is no field `elow`\n  elow:2500\n  ^^^^\n\
         help: did you mean `elo`?\n"
    );
    let ran = bench.run(&["stats", "small.si4", "--query-file", "absent.txt"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
}
