//! Opening books: alone, and beside a tree.

use std::fs;

use serde_json::Value;

use super::Bench;
use crate::support::{books, dice::Dice, viri};

/// A bench with a book of each format.
fn shelf() -> Bench {
    let bench = Bench::new();
    let put = |name: &str, bytes: &[u8]| fs::write(bench.path(name), bytes).unwrap();
    put("a.bin", &books::some_polyglot());
    put("a.abk", &books::some_arena());
    let [pages, table, bounds] = books::some_chessbase();
    put("a.ctg", &pages);
    put("a.cto", &table);
    put("a.ctb", &bounds);
    bench
}

#[test]
fn a_book_alone_is_told_with_what_its_format_has() {
    let bench = shelf();
    for (name, expected) in [
        (
            "a.bin",
            "move  weight  share  opening\n\
             e4         3  75.0%  King's Pawn Game\n\
             a4         1  25.0%  Ware Opening\n",
        ),
        (
            "a.abk",
            "move  priority  games  share  white  draw  black  score  opening\n\
             e4           5    100  66.7%     40    30     30  55.0%  King's Pawn Game\n\
             d4           9     50  33.3%     20    20     10  60.0%  Queen's Pawn Game\n",
        ),
        (
            "a.ctg",
            "move  mark     games  share  white  draw  black  score  opening\n\
             e4    green !     60  75.0%     30    20     10  66.7%  King's Pawn Game\n\
             d4    red         20  25.0%      4    10      6  45.0%  Queen's Pawn Game\n\
             Nf3                    0.0%                             Zukertort Opening\n",
        ),
    ] {
        let ran = bench.run(&["tree", name, "-q"]);
        assert_eq!((ran.code, ran.out.as_str()), (0, expected), "{}", ran.err);
        assert_eq!(ran.err, "");
        let absent = bench.run(&["tree", name, "--moves", "h4"]);
        assert_eq!((absent.code, absent.out.as_str()), (1, ""));
    }
    let ran = bench.run(&["tree", "a.ctg", "--format", "jsonl", "-n", "1"]);
    assert_eq!(
        ran.out,
        "{\"san\":\"e4\",\"uci\":\"e2e4\",\"weight\":null,\"learn\":null,\"priority\":null,\
         \"games\":60,\"share\":75.0,\"white\":30,\"draw\":20,\"black\":10,\"score\":66.7,\
         \"advice\":\"green\",\"nag\":1,\"opening\":\"King's Pawn Game\"}\n"
    );
    assert!(ran.err.contains("3 moves, ChessBase book"), "{}", ran.err);
}

#[test]
fn a_position_of_a_book_comes_as_moves_or_as_a_fen() {
    let bench = shelf();
    let e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b";
    for more in [["--moves", "1.e4"], ["--fen", e4]] {
        let all = [&["tree", "a.abk", "--format", "csv"], &more[..]].concat();
        let out = bench.run(&all).out;
        let moves: Vec<&str> = out.lines().skip(1).map(|row| &row[..2]).collect();
        assert_eq!(moves, ["e5", "c5"], "{more:?}");
    }
}

#[test]
fn a_book_beside_a_tree_adds_its_columns_and_moves() {
    let bench = shelf();
    let ran = bench.run(&[
        "tree",
        "small.si4",
        "--book",
        "a.ctg",
        "--sort",
        "name",
        "-q",
    ]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let row = |name: &str| {
        let found = ran.out.lines().find(|row| row.starts_with(name));
        let words = found.unwrap_or_default().split_whitespace();
        words.take(7).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("move"), "move games share book mark white draw");
    assert_eq!(row("d4"), "d4 1 25.0% 25.0% red 0 1");
    let ran = bench.run(&["tree", "small.si4", "--book", "a.bin", "-q"]);
    // No game of the database begins with it.
    assert!(
        ran.out.contains("\na4         0    0.0%  25.0%"),
        "{}",
        ran.out
    );
    let jsonl = |more: &[&str]| -> Vec<Value> {
        let all = [&["tree", "small.si4", "--format", "jsonl"], more].concat();
        let out = bench.run(&all).out;
        out.lines()
            .map(|row| serde_json::from_str(row).unwrap())
            .collect()
    };
    let plain = jsonl(&[]);
    assert!(
        plain.iter().all(|row| row["bookShare"].is_null()),
        "{plain:?}"
    );
    let keys = |row: &Value| row.as_object().unwrap().len();
    let with = jsonl(&["--book", "a.abk"]);
    assert_eq!(keys(&plain[0]), keys(&with[0]));
    let find = |san: &str| with.iter().find(|row| row["san"] == san).unwrap();
    let d4 = find("d4");
    assert_eq!((&d4["games"], &d4["bookGames"]), (&1.into(), &50.into()));
    assert_eq!(d4["bookScore"], 60.0);
    assert_eq!(
        (&d4["bookPriority"], &d4["bookWeight"]),
        (&9.into(), &Value::Null)
    );
    // Games that the book does not know keep their rows, and e4 and d4 are in both.
    assert_eq!(with.len(), plain.len());
    let a4 = jsonl(&["--book", "a.bin"]);
    let a4 = a4.iter().find(|row| row["san"] == "a4").unwrap();
    assert_eq!((&a4["games"], &a4["bookWeight"]), (&0.into(), &1.into()));
    assert_eq!(
        (&a4["score"], &a4["averageElo"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn what_is_no_book_or_has_no_games_is_refused_with_why() {
    let bench = shelf();
    fs::write(bench.path("junk.bin"), [7; 40]).unwrap();
    fs::write(bench.path("junk.abk"), [7; 40]).unwrap();
    fs::write(bench.path("alone.ctg"), [0; 8192]).unwrap();
    fs::write(bench.path("a.txt"), "").unwrap();
    for (book, told) in [
        ("junk.bin", "ends inside an entry"),
        ("junk.abk", "no opening book of Arena"),
        ("alone.ctg", "needs the file alone.cto, which is missing"),
        ("absent.bin", "cannot open"),
    ] {
        let ran = bench.run(&["tree", "small.si4", "--book", book]);
        assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{book}");
        assert!(
            ran.err.contains(told) && ran.err.contains(book),
            "{}",
            ran.err
        );
    }
    for (arguments, told) in [
        (
            &["small.si4", "--book", "a.txt"][..],
            "another suffix than .bin, .abk or .ctg",
        ),
        (&["a.bin", "elo:2000"], "no games to search"),
        (&["a.abk", "--sort", "score"], "no games to search"),
        (&["a.ctg", "--book", "a.bin"], "no games to search"),
        (&["small.si4", "a.abk"], "`--book` shows it"),
    ] {
        let ran = bench.run(&[&["tree"], arguments].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.err.contains(told), "{}", ran.err);
    }
}

#[test]
fn other_commands_say_that_only_trees_read_books() {
    let bench = shelf();
    for arguments in [["search", "a.bin"], ["info", "a.abk"], ["verify", "a.ctg"]] {
        let ran = bench.run(&arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.err.contains("which only `tree` reads"), "{}", ran.err);
    }
}

#[test]
fn entries_that_cannot_be_played_are_warned_of() {
    let bench = shelf();
    let mut book = books::some_arena();
    book[25_200 + 1] = 60;
    fs::write(bench.path("a.abk"), book).unwrap();
    let ran = bench.run(&["tree", "a.abk", "-q"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.out.contains("\nd4 ") && !ran.out.contains("\ne4 "),
        "{}",
        ran.out
    );
    let warned = "a.abk: damaged: an illegal move (at byte 25200); entries of the book";
    assert!(ran.err.contains(warned), "{}", ran.err);
}

#[test]
fn training_data_with_the_suffix_of_a_book_stays_a_database() {
    let bench = Bench::new();
    let games = viri::random_file(&mut Dice::new(3), 20);
    fs::write(bench.path("games.bin"), games).unwrap();
    let ran = bench.run(&["tree", "games.bin"]);
    assert!(ran.err.contains("20 games"), "{}", ran.err);
}
