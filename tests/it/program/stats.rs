//! `stats`: counts of the games of a query.

use super::{Bench, damage};

#[test]
fn tables_follow_each_other() {
    let ran = Bench::new().run(&["stats", "small.si4", "--eco-depth", "3", "--top", "1"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let expected = "\
result   games      %
1-0          1   20.0
1/2-1/2      1   20.0
0-1          1   20.0
*            2   40.0
all          5  100.0

               White   Black     all
score %         50.0    50.0
mean rating   2000.0  2275.0  2110.0
mean plies                       3.2
median plies                     3.0

year  games     %  score
1999      1  20.0  100.0
2001      1  20.0    0.0
2010      2  40.0   50.0

rating  games     %  score
1800        1  20.0    0.0
2400        1  20.0   50.0

eco  games     %  score
A00      1  20.0    0.0
C20      1  20.0  100.0
D06      1  20.0   50.0

moves from  games      %  score
0               5  100.0   50.0

player        games  white  black  score
de Vries, Bo      2      1      1   50.0

event         games     %  score
Club, Monday      2  40.0   50.0
";
    assert_eq!(ran.out, expected);
}

#[test]
fn rows_are_json_objects() {
    let arguments = [
        "stats",
        "small",
        "-result:*",
        "--format",
        "jsonl",
        "--top",
        "1",
    ];
    let ran = Bench::new().run(&arguments);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let rows: Vec<serde_json::Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows[0]["by"], "all");
    assert_eq!(
        (&rows[0]["games"], &rows[0]["whiteScore"]),
        (&3.into(), &0.5.into())
    );
    assert_eq!(rows[0]["medianPlies"], 4.0);
    let count = |by: &str| rows.iter().filter(|row| row["by"] == by).count();
    assert_eq!(["year", "elo", "eco", "moves"].map(count), [3, 2, 3, 1]);
    assert_eq!(["player", "event"].map(count), [1, 1]);
    let last = &rows[rows.len() - 1];
    assert_eq!(
        (&last["key"], &last["score"]),
        (&"Sharp, Sue".into(), &1.0.into())
    );
}

#[test]
fn no_game_ends_with_1_and_wrong_usage_with_2() {
    let bench = Bench::new();
    let ran = bench.run(&["stats", "small", "elo>2900"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    for wrong in [
        &["stats", "small", "elow>1"][..],
        &["stats", "small", "--eco-depth", "6"],
        &["stats", "small", "--eco-depth", "0"],
        &["stats"],
    ] {
        let ran = bench.run(wrong);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{wrong:?}");
    }
}

#[test]
fn what_is_missing_or_damaged_is_left_out() {
    let bench = Bench::new();
    damage(&bench);
    std::fs::remove_file(bench.path("small.sn4")).unwrap();
    let ran = bench.run(&["stats", "small", "mate", "--format", "jsonl"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.out
            .starts_with("{\"by\":\"all\",\"key\":null,\"games\":1,")
    );
    assert!(!ran.out.contains("player"));
    assert!(
        ran.err.contains("damaged games left out: 1;"),
        "{}",
        ran.err
    );
}

/// Returns a game of this many half-moves.
fn shuffle(plies: usize) -> String {
    let moves = ["Nf3", "Nf6", "Ng1", "Ng8"].into_iter().cycle().take(plies);
    let moves: Vec<&str> = moves.collect();
    format!("[White \"A\"]\n[Black \"B\"]\n\n{} *\n\n", moves.join(" "))
}

#[test]
fn lengths_are_exact_in_every_format() {
    let bench = Bench::new();
    let text = shuffle(600) + &shuffle(40) + &shuffle(1500) + &shuffle(39);
    std::fs::write(bench.path("long.pgn"), text).unwrap();
    for suffix in ["pgn", "si4", "si5", "cbh", "2cbh", "dci"] {
        let base = format!("long.{suffix}");
        if suffix != "pgn" {
            let ran = bench.run(&["convert", "long.pgn", &base]);
            assert_eq!(ran.code, 0, "{}", ran.err);
        }
        let ran = bench.run(&["stats", &base]);
        for line in [
            "mean plies                  544.8",
            "median plies                320.0",
        ] {
            assert!(ran.out.contains(line), "{base}\n{}", ran.out);
        }
        assert!(!ran.out.contains("length unknown"), "{base}\n{}", ran.out);
        assert_eq!(bench.ids(&[&base, "--sort", "plies"]), "4 2 1 3", "{base}");
        assert_eq!(
            bench.ids(&[&base, "--sort", "moves:desc"]),
            "3 1 2 4",
            "{base}"
        );
    }
}

#[test]
fn lengths_that_cannot_be_known_are_said_to_be_so() {
    let bench = Bench::new();
    std::fs::write(bench.path("long.pgn"), shuffle(40) + &shuffle(1500)).unwrap();
    bench.run(&["convert", "long.pgn", "long.si4"]);
    std::fs::remove_file(bench.path("long.sg4")).unwrap();
    let ran = bench.run(&["stats", "long.si4"]);
    for line in [
        "mean plies                    40.0",
        "length unknown                   1",
    ] {
        assert!(ran.out.contains(line), "{}", ran.out);
    }
}

#[test]
fn a_game_against_oneself_counts_once() {
    let bench = Bench::new();
    let against = |black: &str| {
        format!("[White \"A\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n")
    };
    std::fs::write(bench.path("self.pgn"), against("A") + &against("B")).unwrap();
    let ran = bench.run(&["stats", "self.pgn", "--format", "jsonl"]);
    let wanted = r#"{"by":"player","key":"A","games":2,"white":2,"black":1,"oneself":1,"#;
    assert!(ran.out.contains(wanted), "{}", ran.out);
    let names = bench.run(&["names", "self.pgn"]).out;
    assert!(names.contains("A         2      2      1"), "{names}");
}
