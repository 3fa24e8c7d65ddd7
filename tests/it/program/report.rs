//! The `report` command.

use std::fs;

use serde_json::Value;

use super::{Bench, damage};

const BASE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/famous.si4");

#[test]
fn a_report_is_written_in_every_format() {
    let bench = Bench::new();
    let morphy = |more: &[&str]| {
        let report = ["report", "player", "Morphy, Paul", BASE];
        bench.run(&[&report[..], more].concat())
    };
    let told = morphy(&[]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(told.out.starts_with("# Morphy, Paul\n\n## Results\n"));
    assert!(
        told.out
            .contains("| All games | 7 | 100.0% | 7 | 0 | 0 | 100.0% | 6 |")
    );
    for name in ["m.html", "m.md", "m.json"] {
        let written = morphy(&["-o", name]);
        assert_eq!((written.code, written.out.as_str()), (0, ""), "{name}");
        assert!(written.err.contains(&format!("{name} written")));
    }
    let page = fs::read_to_string(bench.path("m.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    let json: Value = serde_json::from_slice(&fs::read(bench.path("m.json")).unwrap()).unwrap();
    assert_eq!(
        (&json["title"], &json["games"]),
        (&"Morphy, Paul".into(), &7.into())
    );
    assert_eq!(
        json["sections"][0]["rows"][1]["query"],
        "white=\"Morphy, Paul\""
    );
    let some = morphy(&["year:1858", "--format", "json"]);
    let json: Value = serde_json::from_str(&some.out).unwrap();
    assert_eq!(json["games"], 3);
    assert_eq!(morphy(&["-o", "m.md"]).code, 2);
    assert_eq!(morphy(&["-o", "m.md", "--force"]).code, 0);
    assert_eq!(morphy(&["-o", "m.xyz"]).code, 2);
}

#[test]
fn a_report_about_nobody_says_what_would_find_somebody() {
    let bench = Bench::new();
    let ran = bench.run(&["report", "player", "Morphy", BASE]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("called exactly Morphy"), "{}", ran.err);
    assert!(ran.err.contains("player:Morphy"), "{}", ran.err);
}

#[test]
fn a_report_on_several_bases_tells_of_damaged_games_once() {
    let bench = Bench::new();
    damage(&bench);
    let header = bench.run(&["search", "small.si4", "number:2", "--format", "jsonl", "-q"]);
    let header: Value = serde_json::from_str(&header.out).unwrap();
    let name = header["white"].as_str().unwrap();
    let ran = bench.run(&[
        "report",
        "player",
        name,
        "small.si4",
        "small.si4",
        "at(check)",
    ]);
    let warnings = ran.err.matches("damaged games").count();
    assert_eq!(warnings, 1, "{}", ran.err);
    assert!(ran.err.contains("left out: 2;"), "{}", ran.err);
}

#[test]
fn a_report_about_an_opening_is_chosen_by_moves_fen_or_name() {
    let bench = Bench::new();
    let games = |more: &[&str]| {
        let report = ["report", "opening", BASE, "--format", "json"];
        let ran = bench.run(&[&report[..], more].concat());
        let json: Value = serde_json::from_str(&ran.out).unwrap_or_default();
        (ran.code, json["games"].clone(), json["title"].clone())
    };
    let count = |query: &str| -> Value {
        let ran = bench.run(&["search", BASE, query, "--count"]);
        serde_json::from_str(ran.out.trim()).unwrap()
    };
    let open = count("1.e4 e5");
    assert_eq!(
        games(&["--moves", "1.e4 e5"]),
        (0, open.clone(), "King's Pawn Game: 1.e4 e5".into())
    );
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w";
    assert_eq!(games(&["--fen", fen]).1, open);
    assert_eq!(games(&["--opening", "gambit"]).1, count("opening:gambit"));
    let some = games(&["--moves", "e4 e5", "result:1-0"]);
    assert_eq!(some.1, count("1.e4 e5 result:1-0"));
    assert_eq!(games(&["--moves", "1.a3 h5"]).0, 1);
    assert_eq!(games(&[]).0, 2);
    assert_eq!(games(&["--moves", "e4", "--opening", "gambit"]).0, 2);
}

#[test]
fn a_report_tells_of_damage_that_its_query_does_not_meet() {
    let bench = Bench::new();
    damage(&bench);
    // On Windows, which leaves that to programs, `*` alone is expanded to files.
    let ran = bench.run(&["report", "opening", "small.si4", "--opening=*"]);
    assert!(ran.err.contains("left out: 1;"), "{}", ran.err);
    let header = bench.run(&["search", "small.si4", "number:2", "--format", "jsonl", "-q"]);
    let header: Value = serde_json::from_str(&header.out).unwrap();
    let name = header["white"].as_str().unwrap();
    let ran = bench.run(&["report", "player", name, "small.si4"]);
    assert!(ran.err.contains("left out: 1;"), "{}", ran.err);
    for format in ["markdown", "html", "json"] {
        let ran = bench.run(&["report", "player", name, "small.si4", "--format", format]);
        let told = ["games left out: 1;", "\"damaged\":1,"];
        assert!(
            told.iter().any(|told| ran.out.contains(told)),
            "{}",
            ran.out
        );
    }
}

#[test]
fn a_report_on_games_is_about_who_plays_in_most_of_them() {
    let bench = Bench::new();
    let ran = bench.run(&["report", "games", BASE, "player:morphy", "year:1858"]);
    assert!(
        ran.out.starts_with("# Morphy, Paul\n"),
        "{}{}",
        ran.out,
        ran.err
    );
    assert!(ran.out.contains("| All games | 3 |"), "{}", ran.out);
    let ran = bench.run(&["report", "games", BASE]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("nobody plays in most of these games"),
        "{}",
        ran.err
    );
    assert_eq!(bench.run(&["report", "games", BASE, "player:nemo"]).code, 1);
}

#[test]
fn mistakes_and_clocks_of_a_report_are_the_players_own() {
    let bench = Bench::new();
    let game = |white: &str, black: &str| {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"0-1\"]\n\n1. f3 {{[%eval 0.0] \
             [%clk 0:01:40]}} e5 {{[%eval 0.1] [%clk 0:01:40]}} 2. g4 {{[%eval -9.0] \
             [%clk 0:00:05]}} Qh4# {{[%clk 0:00:50]}} 0-1\n\n"
        )
    };
    fs::write(
        bench.path("own.pgn"),
        [game("A", "B"), game("B", "A")].concat(),
    )
    .unwrap();
    let ran = bench.run(&["report", "player", "A", "own.pgn"]);
    let rows = |title: &str| -> Vec<String> {
        let section = ran.out.split("\n## ").find(|part| part.starts_with(title));
        let lines = section
            .unwrap_or_default()
            .lines()
            .filter(|line| line.starts_with("| "));
        let rows = lines.map(|line| line.split(" | ").take(2).collect::<Vec<_>>().join(" "));
        rows.filter(|row| !row.contains("games")).collect()
    };
    assert_eq!(rows("Mistakes"), ["| Blunders in the opening 1"]);
    assert_eq!(
        rows("Time left"),
        [
            "| less than 10 seconds 1",
            "| less than 30 seconds 1",
            "| less than a minute 2",
            "| less than five minutes 2"
        ]
    );
}

#[test]
fn a_report_tells_hours_and_weekdays_of_games_with_times() {
    let bench = Bench::new();
    let game = |date: &str, time: &str| {
        format!(
            "[White \"A\"]\n[Black \"B\"]\n[Date \"{date}\"]\n[UTCTime \"{time}\"]\n\n1. e4 *\n\n"
        )
    };
    let games = [
        game("2024.02.29", "20:59:59"),
        game("2024.03.03", "21:00:00"),
        game("2024.03.??", "00:00:01"),
        game("2023.02.29", "?"),
    ];
    fs::write(bench.path("timed.pgn"), games.concat()).unwrap();
    let ran = bench.run(&["report", "player", "A", "timed.pgn", "--format", "json"]);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    let rows = |title: &str| -> Vec<String> {
        let sections = told["sections"].as_array().unwrap();
        let section = sections.iter().find(|section| section["title"] == title);
        let rows = section.unwrap()["rows"].as_array().unwrap();
        let text = |row: &Value| format!("{} {} {}", row["label"], row["games"], row["query"]);
        rows.iter().map(text).collect()
    };
    let hours = rows("Hours");
    assert_eq!(hours.len(), 3, "{hours:?}");
    assert!(hours[0].starts_with("\"0:00 to 2:59\" 1 "), "{hours:?}");
    assert!(hours[1].starts_with("\"18:00 to 20:59\" 1 "), "{hours:?}");
    let days = rows("Weekdays");
    assert_eq!(days.len(), 2, "{days:?}");
    assert!(days[0].starts_with("\"Thursday\" 1 "), "{days:?}");
    assert!(days[1].starts_with("\"Sunday\" 1 "), "{days:?}");
    let ran = bench.run(&["report", "player", "Morphy, Paul", BASE]);
    assert!(!ran.out.contains("Weekdays"), "{}", ran.out);
}

#[test]
fn a_report_without_the_file_of_events_says_what_it_does_not_tell() {
    let bench = Bench::new();
    assert_eq!(bench.run(&["convert", BASE, "f.cbh"]).code, 0);
    fs::remove_file(bench.path("f.cbt")).unwrap();
    let ran = bench.run(&["report", "player", "Morphy, Paul", "f.cbh"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("\n## Speed\n\nNot told: "), "{}", ran.out);
    assert!(ran.out.contains("| All games | 7 |"), "{}", ran.out);
}
