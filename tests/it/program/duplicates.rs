//! `duplicates`: games that are in a database more than once.

use super::{Bench, damage};

/// Makes a database of the games of `small.si4`, twice each.
fn doubled(bench: &Bench) {
    let ran = bench.run(&["convert", "small.si4", "small.si4", "double.si4"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn groups_print_as_a_table_and_as_objects() {
    let bench = Bench::new();
    doubled(&bench);
    let ran = bench.run(&["duplicates", "double"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.err, "10 games, 10 decoded, 10 in 5 groups\n");
    let lines: Vec<&str> = ran.out.lines().take(3).collect();
    assert_eq!(
        lines,
        [
            "group  number  white         black         result   date        event         \
             round  plies",
            "    1       1  Fool, Frank   Sharp, Sue    0-1      2001.05.17  Club, Monday  \
             10         4",
            "    1       6  Fool, Frank   Sharp, Sue    0-1      2001.05.17  Club, Monday  \
             10         4",
        ]
    );
    let ran = bench.run(&["duplicates", "double", "--spelling", "--format", "jsonl"]);
    assert_eq!(
        ran.out.lines().next(),
        Some(concat!(
            r#"{"games":[1,6],"shortest":1,"plies":4,"white":"Fool, Frank","#,
            r#""black":"Sharp, Sue","year":2001,"result":"0-1"}"#
        ))
    );
}

#[test]
fn no_group_ends_with_1_and_missing_files_with_3() {
    let bench = Bench::new();
    let ran = bench.run(&["duplicates", "small"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert_eq!(ran.err, "5 games, 0 decoded, 0 in 0 groups\n");
    assert_eq!(bench.run(&["duplicates", "absent"]).code, 3);
    std::fs::remove_file(bench.path("small.sg4")).unwrap();
    assert_eq!(bench.run(&["duplicates", "small"]).code, 3);
}

#[test]
fn damaged_games_are_left_out_with_a_warning() {
    let bench = Bench::new();
    damage(&bench);
    std::fs::copy(bench.path("small.sg4"), bench.path("twice.sg4")).unwrap();
    std::fs::copy(bench.path("small.sn4"), bench.path("twice.sn4")).unwrap();
    let mut index = std::fs::read(bench.path("small.si4")).unwrap();
    index.extend_from_within(182..);
    index[14..17].copy_from_slice(&[0, 0, 10]);
    std::fs::write(bench.path("twice.si4"), index).unwrap();
    let ran = bench.run(&["duplicates", "twice", "--format", "jsonl"]);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 4));
    assert!(
        ran.err.contains("damaged games left out: 2;"),
        "{}",
        ran.err
    );
}
