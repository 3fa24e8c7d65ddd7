//! `dedupe`: databases written anew without the worse of equal games.

use std::fs;

use super::Bench;

const MOVES: &str = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. Nf3 Nf6 \
                     8. Ng1 Ng8 9. Nf3 Nf6 10. Ng1 Ng8";

fn game(white: &str, date: &str, result: &str, more: &str) -> String {
    format!(
        "[Event \"Club\"]\n[White \"{white}\"]\n[Black \"Short, N\"]\n[Date \"{date}\"]\n\
         [Result \"{result}\"]\n\n{MOVES} {more} {result}\n\n"
    )
}

/// Writes three spellings of one game, and another one.
fn spelt(bench: &Bench) {
    let games = [
        game("Mueller, K", "????.??.??", "*", ""),
        game("Müller, Karsten", "2001.02.03", "1-0", "11. e4"),
        game("Karsten Müller", "2001", "1-0", "11. e4 {good}"),
        game("Miles, A", "2001.02.03", "1-0", "11. e4"),
    ];
    fs::write(bench.path("base.pgn"), games.concat()).unwrap();
}

#[test]
fn the_better_games_are_written_and_the_others_reported() {
    let bench = Bench::new();
    spelt(&bench);
    let ran = bench.run(&[
        "dedupe", "base.pgn", "-o", "new.si5", "--report", "left.txt",
    ]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert!(
        ran.err
            .starts_with("4 games, 3 decoded, 2 repeat others\n2 games written to new.si5"),
        "{}",
        ran.err
    );
    assert_eq!(bench.ids(&["new.si5", "white:müller comments>0"]), "1");
    let report = fs::read_to_string(bench.path("left.txt")).unwrap();
    let rows: Vec<Vec<&str>> = report
        .lines()
        .map(|line| {
            line.split("  ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .collect()
        })
        .collect();
    let titles = "number kept reason white black result date event plies differs";
    assert_eq!(rows[0].join(" "), titles);
    let differs = "white Karsten Müller; date 2001.??.??; result 1-0; plies 21";
    assert_eq!(
        (rows[1][..3].join(" "), rows[1][9]),
        ("1 3 longer".to_owned(), differs)
    );
    assert_eq!(rows[2][..3].join(" "), "2 3 annotated");
    assert_eq!(rows.len(), 3);
}

#[test]
fn a_dry_run_prints_pairs_and_writes_nothing() {
    let bench = Bench::new();
    spelt(&bench);
    let before = fs::read_dir(bench.directory.path()).unwrap().count();
    let ran = bench.run(&["dedupe", "base.pgn", "--dry-run", "--format", "csv"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let first = ran.out.lines().nth(1).unwrap();
    assert_eq!(
        first,
        "base,1,base,3,longer,white date result plies,\"Mueller, K\",\"Short, N\",*,????.??.??,\
         Club,?,?,20,Karsten Müller,\"Short, N\",1-0,2001.??.??,Club,?,?,21"
    );
    assert_eq!(
        fs::read_dir(bench.directory.path()).unwrap().count(),
        before
    );
    let ran = bench.run(&["dedupe", "small", "--dry-run"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
}

#[test]
fn what_other_databases_have_is_left_out_and_theirs_is_not_written() {
    let bench = Bench::new();
    spelt(&bench);
    let new = game("Müller, K", "2001", "1-0", "") + &game("Miles, Tony", "1999", "1-0", "11. e4");
    fs::write(bench.path("new.pgn"), new).unwrap();
    let ran = bench.run(&[
        "dedupe",
        "new.pgn",
        "--against",
        "base.pgn",
        "-o",
        "out.pgn",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let out = fs::read_to_string(bench.path("out.pgn")).unwrap();
    assert_eq!(out.matches("[White ").count(), 1);
    assert!(out.contains("Miles, Tony"));
    // Together they are one base.
    let ran = bench.run(&["dedupe", "new.pgn", "base.pgn", "-o", "out.si4"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.err
            .contains("6 games, 6 decoded, 3 repeat others\n3 games"),
        "{}",
        ran.err
    );
}

#[test]
fn duplicates_across_databases_name_the_database_of_each_game() {
    let bench = Bench::new();
    spelt(&bench);
    fs::write(bench.path("new.pgn"), game("Müller, K", "2001", "1-0", "")).unwrap();
    let ran = bench.run(&[
        "duplicates",
        "new.pgn",
        "--across",
        "base.pgn",
        "--format",
        "csv",
    ]);
    let rows: Vec<&str> = ran.out.lines().skip(1).collect();
    assert_eq!(
        rows[0],
        "1,3,Karsten Müller,\"Short, N\",1-0,2001.??.??,Club,?,21,base"
    );
    assert_eq!(
        rows[1],
        "1,1,\"Müller, K\",\"Short, N\",1-0,2001.??.??,Club,?,20,new"
    );
    assert_eq!(rows.len(), 4);
    let ran = bench.run(&[
        "duplicates",
        "base.pgn",
        "--across",
        "new.pgn",
        "--format",
        "jsonl",
    ]);
    assert!(
        ran.out.starts_with(
            "{\"games\":[{\"database\":\"base\",\"number\":3},{\"database\":\"base\",\"number\":1},"
        ),
        "{}",
        ran.out
    );
    let ran = bench.run(&["duplicates", "base.pgn", "--moves-only"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
}

#[test]
fn no_source_is_replaced_nor_a_file_without_force() {
    let bench = Bench::new();
    spelt(&bench);
    for wrong in [
        &["dedupe", "base.pgn"][..],
        &["dedupe", "base.pgn", "-o", "base.pgn", "--force"],
        &["dedupe", "base.pgn", "-o", "small.si4"],
        &[
            "dedupe", "base.pgn", "-o", "new.si4", "--report", "base.pgn",
        ],
        &["dedupe", "base.pgn", "-o", "new.si4", "--dry-run"],
    ] {
        let ran = bench.run(wrong);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{wrong:?}");
    }
}
