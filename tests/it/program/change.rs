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

#[test]
fn a_number_as_a_query_is_told_how_to_mean_a_game() {
    let bench = Bench::new();
    for change in [
        &["remove", "small.si4", "7"][..],
        &["remove", "small.si4", "7", "--purge"],
        &["edit", "small.si4", "7", "--flag", "user"],
        &["search", "small.si4", "7"],
    ] {
        let ran = bench.run(change);
        assert_eq!(ran.code, 1, "{change:?}: {}", ran.err);
        assert!(ran.err.contains("`number:7`"), "{change:?}: {}", ran.err);
        let quiet = bench.run(&[change, &["-q"]].concat());
        assert_eq!(quiet.err, "", "{change:?}");
    }
}

#[test]
fn an_empty_query_removes_nothing_and_all_games_are_named() {
    let bench = Bench::new();
    for query in ["", " ", "()"] {
        for more in [&[][..], &["--purge"], &["--dry-run"]] {
            let ran = bench.run(&[&["remove", "small.si4", query][..], more].concat());
            assert_eq!(ran.code, 2, "{query:?}: {}", ran.err);
            assert!(ran.err.contains("`number:1..`"), "{}", ran.err);
        }
        let ran = bench.run(&["edit", "small.si4", query, "--flag", "user"]);
        assert_eq!(ran.code, 2, "{query:?}: {}", ran.err);
        assert!(ran.err.contains("without one all games"), "{}", ran.err);
    }
    let games = bench.run(&["search", "small.si4", "--count"]).out;
    assert_eq!(bench.run(&["remove", "small.si4", "number:1.."]).code, 0);
    assert_eq!(
        bench
            .run(&["search", "small.si4", "flag:deleted", "--count"])
            .out,
        games
    );
}

#[test]
fn a_removal_shows_what_it_would_remove_and_writes_nothing() {
    let bench = Bench::new();
    fs::write(bench.path("base.pgn"), MATE.repeat(2)).unwrap();
    bench.run(&["convert", "base.pgn", "base.si4"]);
    for (base, more, told) in [
        ("base.si4", &[][..], "would be marked as deleted"),
        ("base.si4", &["--purge"], "would be left out"),
        ("base.pgn", &[], "would be left out"),
    ] {
        let remove = [&["remove", base, "number:2", "--dry-run"][..], more].concat();
        let ran = bench.run(&remove);
        assert_eq!(ran.code, 0, "{remove:?}: {}", ran.err);
        assert!(ran.err.contains(&format!("1 game {told}")), "{}", ran.err);
        assert!(ran.out.starts_with("game  field"), "{}", ran.out);
        assert_eq!(ran.out.lines().count(), 2, "{}", ran.out);
        let flagged = bench.run(&["search", base, "flag:deleted", "--count"]);
        let games = bench.run(&["search", base, "--count"]);
        assert_eq!((&*flagged.out, &*games.out), ("0\n", "2\n"));
        assert_eq!(bench.run(&["undo", base]).code, 1, "nothing was written");
    }
}

#[test]
fn a_change_that_finds_nothing_says_what_was_meant() {
    let bench = Bench::new();
    fs::write(
        bench.path("base.pgn"),
        MATE.replace("Fool", "Carlsen, Magnus"),
    )
    .unwrap();
    bench.run(&["convert", "base.pgn", "base.si4"]);
    let meant = "did you mean `player:\"Carlsen, Magnus\"`?";
    for change in [
        &["remove", "base.si4", "player:karlsen"][..],
        &["remove", "base.pgn", "player:karlsen"],
        &["remove", "base.si4", "player:karlsen", "--dry-run"],
        &["edit", "base.si4", "player:karlsen", "--set", "site=x"],
        &[
            "edit",
            "base.si4",
            "player:karlsen",
            "--set",
            "site=x",
            "--dry-run",
        ],
        &[
            "edit",
            "base.si4",
            "--rename",
            "player",
            "Karlsen, Magnus",
            "Carlsen, M",
        ],
    ] {
        let ran = bench.run(change);
        assert_eq!(ran.code, 1, "{change:?}: {}", ran.err);
        assert!(ran.err.contains(meant), "{change:?}: {}", ran.err);
    }
    let rename = [
        "edit",
        "base.si4",
        "--rename",
        "player",
        "carlsen, magnus",
        "x",
    ];
    let ran = bench.run(&rename);
    assert!(ran.err.contains("exactly"), "{}", ran.err);
    let missing = bench.run(&["replace", "base.si4", "2", "base.pgn"]);
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("game 2"), "{}", missing.err);
}

#[test]
fn dates_are_set_in_any_clear_form_and_others_are_refused() {
    let bench = Bench::new();
    let date = || {
        bench
            .run(&[
                "search",
                "small.si4",
                "number:1",
                "--format",
                "csv",
                "--columns",
                "date",
            ])
            .out
    };
    for text in [
        "25.11.2026",
        "2026-11-25",
        "2026/11/25",
        "2026.11.25",
        "25/11/2026",
    ] {
        let set = [
            "edit",
            "small.si4",
            "number:1",
            "--set",
            &format!("date={text}"),
        ];
        let ran = bench.run(&set);
        assert_eq!(ran.code, 0, "{text}: {}", ran.err);
        assert_eq!(date().lines().nth(1), Some("2026.11.25"), "{text}");
        assert_eq!(bench.run(&["undo", "small.si4"]).code, 0);
    }
    for text in [
        "02/03/2026",
        "25.11.26",
        "2026.25.11",
        "2026.13",
        "25",
        "2026.11.25.1",
    ] {
        let set = [
            "edit",
            "small.si4",
            "number:1",
            "--set",
            &format!("date={text}"),
        ];
        let ran = bench.run(&set);
        assert_eq!(ran.code, 2, "{text}: {}", ran.err);
        assert!(
            ran.err.contains("such as 2024.05.17"),
            "{text}: {}",
            ran.err
        );
    }
}

#[test]
fn one_game_is_replaced_by_one_and_not_by_the_first_of_several() {
    let bench = Bench::new();
    fs::write(bench.path("two.pgn"), MATE.repeat(2)).unwrap();
    let ran = bench.run(&["replace", "small.si4", "1", "two.pgn"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(
        ran.err.contains("tabiya search two.pgn number:1 -o"),
        "{}",
        ran.err
    );
    assert_eq!(
        bench.run(&["undo", "small.si4"]).code,
        1,
        "nothing was written"
    );
}

#[test]
fn one_game_is_told_in_the_singular() {
    let bench = Bench::new();
    fs::write(bench.path("one.pgn"), MATE).unwrap();
    for command in [
        &["convert", "one.pgn", "one.si4"][..],
        &["search", "one.si4"],
        &["tree", "one.si4"],
        &["verify", "one.si4"],
        &["index", "one.si4"],
        &["info", "one.si4"],
        &["edit", "one.si4", "--set", "site=x"],
        &["remove", "one.si4", "white:fool", "--dry-run"],
        &["remove", "one.si4", "white:fool"],
        &["dedupe", "one.si4", "--dry-run"],
        &["add", "one.si4", "one.pgn"],
        &["compact", "one.si4"],
        &["repair", "one.si4", "two.si4"],
    ] {
        let ran = bench.run(command);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("1 game"), "{command:?}: {told}");
        assert!(!told.contains("1 games"), "{command:?}: {told}");
    }
}

#[test]
fn words_of_other_programs_lead_to_the_command_meant() {
    let bench = Bench::new();
    for (word, told) in [
        ("merge", "`tabiya convert A B NEW`"),
        ("delete", "`tabiya remove BASE QUERY`"),
        ("enter", "`tabiya new BASE`"),
    ] {
        let ran = bench.run(&[word, "small.si4"]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{word}");
        assert!(ran.err.contains(told), "{word}: {}", ran.err);
    }
    let typed = bench.run(&["serch", "small.si4"]);
    assert!(typed.err.contains("search"), "{}", typed.err);
}

#[test]
fn an_incomplete_command_is_told_what_is_missing() {
    let bench = Bench::new();
    for (command, told) in [
        (&["dedupe", "small.si4"][..], "--mark"),
        (&["convert", "small.si4"], "last what to write"),
        (&["convert", "small.si4", "new.xyz"], ".si5, .si4, .cbh"),
    ] {
        let ran = bench.run(command);
        assert_eq!(ran.code, 2, "{command:?}: {}", ran.err);
        assert!(ran.err.contains(told), "{command:?}: {}", ran.err);
    }
    for _ in 0..2 {
        let convert = ["convert", "small.si4", "small.si4", "--force", "both.si5"];
        let ran = bench.run(&convert);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let marked = bench.run(&["dedupe", "both.si5", "--mark"]);
    assert!(
        marked.err.contains("next: `tabiya compact both.si5`"),
        "{}",
        marked.err
    );
}

#[test]
fn games_without_names_are_told_when_repeats_are_left_out() {
    let bench = Bench::new();
    let nameless = "[White \"?\"]\n[Black \"Wise\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n";
    fs::write(bench.path("new.pgn"), [MATE, nameless].concat()).unwrap();
    bench.run(&["new", "base.si4"]);
    for told in ["0 games were there", "1 game was there"] {
        let ran = bench.run(&["add", "base.si4", "new.pgn", "--skip-duplicates"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.err.contains(told), "{}", ran.err);
        let unnamed = "1 game without the name of a player";
        assert!(ran.err.contains(unnamed), "{}", ran.err);
    }
}
