//! `add`, `edit`, `remove`, `compact` and `undo`.

use std::fs;

use super::Bench;

const MATE: &str =
    "[White \"Fool\"]\n[Black \"Wise\"]\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n";

#[test]
fn games_of_files_folders_and_standard_input_are_added() {
    let bench = Bench::new();
    let count = |query: &str| {
        let ran = bench.run(&["search", "small.si4", query, "--count"]);
        ran.out.trim().parse::<usize>().unwrap()
    };
    let (before, fools) = (count(""), count("white:fool"));
    fs::create_dir(bench.path("more")).unwrap();
    fs::write(bench.path("more/a.pgn"), MATE).unwrap();
    fs::write(bench.path("more/b.pgn"), MATE).unwrap();
    fs::write(bench.path("more/note.txt"), "no games").unwrap();
    let ran = bench.run(&["add", "small.si4", "more", "more/a.pgn"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert!(
        ran.err.contains("3 games added to small.si4"),
        "{}",
        ran.err
    );
    let mut reading = bench.command(&["add", "small.si4", "-"]);
    assert!(reading.write_stdin(MATE).output().unwrap().status.success());
    assert_eq!((count(""), count("white:fool")), (before + 4, fools + 4));
    let ran = bench.run(&["add", "small.si4", "more", "--query", "white:nobody"]);
    assert!(ran.err.contains("0 games added"), "{}", ran.err);
    assert_eq!(bench.run(&["undo", "small.si4"]).code, 0);
}

#[test]
fn games_that_are_there_already_are_left_out_when_asked_for() {
    let bench = Bench::new();
    let famous = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/famous.si4");
    assert_eq!(
        bench.run(&["convert", famous, "base.si5", "-n", "60"]).code,
        0
    );
    fs::write(bench.path("more.pgn"), MATE).unwrap();
    let ran = bench.run(&["add", "base.si5", famous, "more.pgn", "--skip-duplicates"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let count = |query: &str| bench.run(&["search", "base.si5", query, "--count"]).out;
    assert_eq!(count("").trim(), "92", "{}", ran.err);
    assert!(
        ran.err.contains("60 games were there already"),
        "{}",
        ran.err
    );
    assert_eq!(bench.run(&["add", "base.si5", famous]).code, 0);
    assert_eq!(bench.run(&["dedupe", "base.si5", "--mark"]).code, 0);
    // Of four games a player is not named, which is no evidence.
    assert_eq!(count("flag:deleted").trim(), "87");
}

#[test]
fn an_edit_shows_what_it_would_change_and_changes_it() {
    let bench = Bench::new();
    fs::write(bench.path("base.pgn"), MATE.repeat(2)).unwrap();
    bench.run(&["convert", "base.pgn", "base.si5"]);
    let edit = [
        "edit",
        "base.si5",
        "white:fool",
        "--set",
        "white=Fool, A",
        "--flag",
        "user",
    ];
    let dry = bench.run(&[&edit[..], &["--dry-run"]].concat());
    assert_eq!(dry.code, 0, "{}", dry.err);
    for shown in ["White", "Fool, A", "user", "2 games would change"] {
        assert!(
            dry.out.contains(shown) || dry.err.contains(shown),
            "{shown}"
        );
    }
    let found = |query: &str| bench.run(&["search", "base.si5", query, "--count"]).out;
    assert_eq!(found("flag:user").trim(), "0");
    assert_eq!(bench.run(&edit).code, 0);
    assert_eq!(found("white=\"Fool, A\" flag:user").trim(), "2");
    assert_eq!(bench.run(&edit).code, 1, "nothing is left to change");
    assert_eq!(bench.run(&["undo", "base.si5"]).code, 0);
    assert_eq!(found("white=\"Fool, A\"").trim(), "0");
    let again = bench.run(&["undo", "base.si5"]);
    assert_eq!(again.code, 1);
    assert!(
        again.err.contains("no change to take back"),
        "{}",
        again.err
    );
}

#[test]
fn a_list_of_names_renames_players_and_events() {
    let bench = Bench::new();
    fs::write(bench.path("base.pgn"), MATE).unwrap();
    bench.run(&["convert", "base.pgn", "base.si4"]);
    let list = "kind,from,to,games\nplayer,Fool,\"Fool, A\",1\nevent,?,Club,1\n";
    fs::write(bench.path("names.csv"), list).unwrap();
    let ran = bench.run(&["edit", "base.si4", "--rename-from", "names.csv"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found = bench.run(&[
        "search",
        "base.si4",
        "white=\"Fool, A\" event:club",
        "--count",
    ]);
    assert_eq!(found.out.trim(), "1");
    fs::write(bench.path("names.csv"), "kind,from,to\nplanet,a,b\n").unwrap();
    let ran = bench.run(&["edit", "base.si4", "--rename-from", "names.csv"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("planet"), "{}", ran.err);
}

#[test]
fn wrong_edits_are_faults_that_say_what_is_right() {
    let bench = Bench::new();
    for (edit, said) in [
        (&["--set", "whte=x"][..], "whiteelo"),
        (&["--set", "date=soon"], "2024.05.17"),
        (&["--set", "whiteelo=9000"], "4000"),
        (&["--set", "white"], "`=`"),
        (&["--flag", "nice"], "tactics"),
        (
            &["--rename", "planet", "a", "b"],
            "player, event, site, round",
        ),
        (&[], "nothing to change"),
    ] {
        let ran = bench.run(&[&["edit", "small.si4"][..], edit].concat());
        assert_eq!(ran.code, 2, "{edit:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{edit:?}: {}", ran.err);
    }
}

#[test]
fn removed_games_are_marked_and_compacting_leaves_them_out() {
    let bench = Bench::new();
    for suffix in ["si4", "pgn"] {
        let base = format!("base.{suffix}");
        fs::write(
            bench.path("in.pgn"),
            [MATE, &MATE.replace("Fool", "King")].concat(),
        )
        .unwrap();
        bench.run(&["convert", "in.pgn", &base]);
        let count = |query: &str| bench.run(&["search", &base, query, "--count"]).out;
        assert_eq!(bench.run(&["remove", &base, "white:fool"]).code, 0);
        let marked = if suffix == "pgn" {
            ["0", "1"]
        } else {
            ["1", "2"]
        };
        assert_eq!([count("flag:deleted").trim(), count("").trim()], marked);
        let compacted = bench.run(&["compact", &base]);
        assert_eq!(
            compacted.code,
            i32::from(suffix == "pgn"),
            "{}",
            compacted.err
        );
        assert_eq!(count("").trim(), "1");
        let purged = bench.run(&["remove", &base, "white:king", "--purge"]);
        assert_eq!(purged.code, 0, "{}", purged.err);
        assert_eq!(count("").trim(), "0");
        assert_eq!(bench.run(&["undo", &base]).code, 0);
        assert_eq!(count("").trim(), "1");
    }
}

#[test]
fn a_new_database_gets_games_and_one_of_them_is_replaced() {
    let bench = Bench::new();
    fs::write(bench.path("in.pgn"), MATE).unwrap();
    fs::write(bench.path("other.pgn"), MATE.replace("Fool", "King")).unwrap();
    for base in ["b.si4", "b.si5", "b.cbh", "b.2cbh", "b.dci", "b.pgn"] {
        assert_eq!(bench.run(&["new", base]).code, 0);
        assert_eq!(bench.run(&["new", base]).code, 2, "it exists");
        let count = |query: &str| bench.run(&["search", base, query, "--count"]).out;
        assert_eq!(count("").trim(), "0");
        let added = bench.run(&["add", base, "in.pgn", "in.pgn"]);
        assert_eq!(added.code, 0, "{base}: {}", added.err);
        let replaced = bench.run(&["replace", base, "2", "other.pgn"]);
        assert_eq!(replaced.code, 0, "{base}: {}", replaced.err);
        assert_eq!(
            [count("white:fool").trim(), count("white:king").trim()],
            ["1", "1"]
        );
        assert_eq!(bench.run(&["replace", base, "3", "other.pgn"]).code, 2);
        let verified = bench.run(&["verify", base]);
        assert_eq!(verified.code, 0, "{base}: {}", verified.err);
        assert_eq!(bench.run(&["undo", base]).code, 0);
        assert_eq!(count("white:fool").trim(), "2");
    }
}

#[test]
fn what_is_no_database_to_add_to_is_refused() {
    let bench = Bench::new();
    fs::write(bench.path("in.pgn"), MATE).unwrap();
    for base in ["absent.si4", "absent.pgn", "in.txt", "x.binpack"] {
        let ran = bench.run(&["add", base, "in.pgn"]);
        assert!(matches!(ran.code, 2 | 3), "{base}: {}", ran.err);
        assert!(ran.err.contains(base), "{base}: {}", ran.err);
        assert!(!bench.path(base).exists());
    }
}

#[test]
fn a_damaged_database_is_not_changed_but_repair_is_named() {
    let bench = Bench::new();
    fs::write(bench.path("in.pgn"), MATE).unwrap();
    let games = fs::read(bench.path("small.sg4")).unwrap();
    fs::write(bench.path("small.sg4"), &games[..games.len() - 1]).unwrap();
    let changes: [&[&str]; 5] = [
        &["add", "small.si4", "in.pgn"],
        &["edit", "small.si4", "--set", "site=x"],
        &["remove", "small.si4", "plies:1.."],
        &["compact", "small.si4"],
        &["replace", "small.si4", "1", "in.pgn"],
    ];
    for change in changes {
        let ran = bench.run(change);
        assert_eq!(ran.code, 3, "{change:?}: {}", ran.err);
        assert!(
            ran.err.contains("`tabiya repair`"),
            "{change:?}: {}",
            ran.err
        );
        assert!(ran.err.contains("small.sg4"), "{change:?}: {}", ran.err);
    }
}
