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
             round  plies  same",
            "    1       1  Fool, Frank   Sharp, Sue    0-1      2001.05.17  Club, Monday  \
             10         4   all",
            "    1       6  Fool, Frank   Sharp, Sue    0-1      2001.05.17  Club, Monday  \
             10         4   all",
        ]
    );
    let ran = bench.run(&["duplicates", "double", "--spelling", "--format", "jsonl"]);
    assert_eq!(
        ran.out.lines().next(),
        Some(concat!(
            r#"{"games":[1,6],"shortest":1,"plies":4,"whole":true,"white":"Fool, Frank","#,
            r#""black":"Sharp, Sue","year":2001,"result":"0-1"}"#
        ))
    );
}

#[test]
fn what_agrees_only_as_far_as_a_game_goes_says_so() {
    let moves = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. Nf3 Nf6 \
                 8. Ng1 Ng8 9. Nf3 Nf6 10. Ng1 Ng8";
    let game = |more: &str| {
        format!("[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n{moves} {more} 1-0\n\n")
    };
    let bench = Bench::new();
    let text = game("") + &game("11. e4") + &game("11. d4 d5");
    std::fs::write(bench.path("begun.pgn"), text).unwrap();
    let ran = bench.run(&["duplicates", "begun.pgn", "--format", "csv"]);
    let rows: Vec<&str> = ran.out.lines().skip(1).collect();
    let told: Vec<(&str, &str)> = rows
        .iter()
        .map(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            (cells[8], cells[9])
        })
        .collect();
    assert_eq!(told, [("20", "20"), ("21", "20"), ("22", "20")]);
    assert!(
        ran.err
            .ends_with("in 1 group; in 1 of these some games go on where another ends\n"),
        "{}",
        ran.err
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
