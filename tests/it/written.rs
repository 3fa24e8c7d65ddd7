//! Reports say nothing that their queries do not give.

use std::collections::{BTreeMap, BTreeSet};

use shakmaty::Square;
use tabiya::{
    Database, OpeningReport, PlayerReport, Query, ReportRow, Search, Sidecar, TreePosition,
    WrittenReport,
};

use crate::support::pool::{NAMES, OPENINGS, Pool};

fn count(databases: &[&Database], query: &Query) -> u64 {
    let found = databases.iter().map(|database| {
        let found = Search::new(query).count(database).unwrap();
        found.matched
    });
    found.sum()
}

/// Asks every query of a report, as text, and compares what it finds.
fn follow(report: &WrittenReport, databases: &[&Database]) -> usize {
    let mut followed = 0;
    let mut ask = |query: &Query, told: u64, row: &ReportRow| {
        let query: Query = query.to_string().parse().unwrap();
        assert_eq!(count(databases, &query), told, "{}: {query}", row.label);
        followed += 1;
    };
    for row in report.sections().iter().flat_map(|section| &section.rows) {
        // A number names a game of each database.
        if databases.len() > 1 && row.game.is_some() {
            continue;
        }
        ask(&row.query, row.games, row);
        let outcomes = report.outcome_queries(row);
        for (query, told) in outcomes.iter().zip([row.won, row.drawn, row.lost]) {
            ask(query, told, row);
        }
        if let (Some(query), Some(told)) = (report.lately_query(row), row.lately) {
            ask(&query, told, row);
        }
        assert!(row.games <= row.of, "{}", row.label);
    }
    for map in report.sections().iter().flat_map(|section| &section.maps) {
        let squares = Square::ALL.into_iter().zip(map.games);
        for (square, told) in squares.filter(|(square, _)| square.to_u32() % 7 == 3) {
            let query: Query = map.query(square).to_string().parse().unwrap();
            assert_eq!(count(databases, &query), told, "{query}");
            followed += 1;
        }
    }
    followed
}

#[test]
fn every_figure_of_a_report_is_what_its_query_finds() {
    let famous = Database::open("fixtures/famous.si4").unwrap();
    let mut followed = 0;
    for name in ["Morphy, Paul", "Fischer, Robert James", "Tal, Mikhail"] {
        let report = PlayerReport::new(name).run(&[&famous]).unwrap();
        followed += follow(&report, &[&famous]);
    }
    for seed in 0..4 {
        let pool = Pool::new(0x0e_0000 + seed, 60);
        for (number, name) in NAMES.iter().enumerate() {
            let query: Query = ["", "not at(check)"][number % 2].parse().unwrap();
            let bases: &[&Database] = match number % 3 {
                0 => &[&pool.database],
                1 => &[&pool.indexed],
                _ => &[&pool.database, &pool.indexed],
            };
            let report = PlayerReport::new(name).query(&query).run(bases).unwrap();
            followed += follow(&report, bases);
        }
    }
    assert!(followed > 2000, "{followed}");
}

#[test]
fn draws_of_moves_that_a_player_avoids_are_his_alone() {
    let game = |white: &str, moves: &str| {
        format!("[White \"{white}\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n\n{moves} 1/2-1/2\n\n")
    };
    let games = [
        game("A", "1. e4 e5").repeat(20),
        game("C", "1. d4 d5").repeat(60),
    ];
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("b.pgn"), games.concat()).unwrap();
    let database = Database::open(folder.path().join("b.pgn")).unwrap();
    let report = PlayerReport::new("A").run(&[&database]).unwrap();
    let mut sections = report.sections().iter();
    let avoided = sections.find(|section| section.title == "Moves avoided with White");
    let row = &avoided.unwrap().rows[0];
    assert_eq!(
        (row.label.as_str(), row.games, row.drawn),
        ("1.d4, in all games", 60, 0)
    );
    follow(&report, &[&database]);
}

#[test]
fn every_figure_about_an_opening_is_what_its_query_finds() {
    let famous = Database::open("fixtures/famous.si4").unwrap();
    let mut followed = 0;
    for name in ["Gambit", "sicil*najdorf"] {
        let report = OpeningReport::named(name).run(&[&famous]).unwrap();
        followed += follow(&report, &[&famous]);
    }
    for seed in 0..3 {
        let pool = Pool::new(0x0e_1000 + seed, 60);
        for (number, moves) in OPENINGS.iter().step_by(3).enumerate() {
            let query: Query = ["", "not at(check)"][number % 2].parse().unwrap();
            let bases: &[&Database] = match number % 3 {
                0 => &[&pool.database],
                1 => &[&pool.indexed],
                _ => &[&pool.database, &pool.indexed],
            };
            let position = TreePosition::from_moves(moves).unwrap();
            let report = OpeningReport::of_position(&position).query(&query);
            followed += follow(&report.run(bases).unwrap(), bases);
        }
        let all = TreePosition::default();
        let bases = &[&pool.database];
        followed += follow(&OpeningReport::of_position(&all).run(bases).unwrap(), bases);
    }
    assert!(followed > 2000, "{followed}");
}

/// Returns games that all begin alike, with a move of their own each: in PGN, by years.
fn branching(games: &[(u16, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let games = games.iter().map(|(year, moves)| {
        format!(
            "[White \"A\"]\n[Black \"B\"]\n[Date \"{year}.01.01\"]\n[Result \"1-0\"]\n\n\
             {moves} 1-0\n\n"
        )
    });
    std::fs::write(folder.path().join("b.pgn"), games.collect::<String>()).unwrap();
    folder
}

#[test]
fn new_moves_are_those_that_only_the_latest_games_have() {
    let old = "1. e4 e5 2. Nf3 Nc6 3. Bb5";
    let new = "1. e4 e5 2. Nf3 Nf6 3. Nxe5";
    let other = "1. e4 e5 2. Nc3 Nf6";
    let games = [
        (2001, old),
        (2024, old),
        (2024, old),
        (2001, other),
        (2023, other),
        (2024, other),
        (2024, new),
        (2023, new),
        (2025, new),
    ];
    let folder = branching(&games);
    let database = Database::open(folder.path().join("b.pgn")).unwrap();
    let position = TreePosition::from_moves("e4 e5").unwrap();
    let report = OpeningReport::of_position(&position);
    let report = report.run(&[&database]).unwrap();
    let sections = report.sections().iter();
    let new: Vec<_> = sections
        .filter(|section| section.title == "New moves")
        .collect();
    let labels: Vec<&str> = new[0].rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels.len(), 1, "{labels:?}");
    assert!(
        labels[0].starts_with("2.Nf3 Nf6 \u{2013} first in A \u{2013} B"),
        "{labels:?}"
    );
    assert!(labels[0].ends_with("2023.01.01"), "{labels:?}");
    assert_eq!(new[0].rows[0].games, 3);
    // Where all games are late, nothing was known before.
    let late: Query = "year:2023..".parse().unwrap();
    let report = OpeningReport::of_position(&position).query(&late);
    let report = report.run(&[&database]).unwrap();
    let mut sections = report.sections().iter();
    assert!(sections.all(|section| section.title != "New moves"));
}

#[test]
fn moves_avoided_are_common_ones_that_the_player_lacks() {
    let game = |white: &str, moves: &str| {
        format!(
            "[White \"{white}\"]\n[Black \"B\"]\n[Date \"2001.01.01\"]\n[Result \"1-0\"]\n\n\
             {moves} 1-0\n\n"
        )
    };
    let mut games = Vec::new();
    for _ in 0..12 {
        games.push(game("A", "1. e4 e5 2. Nf3 Nc6 3. Bb5"));
        games.push(game("C", "1. d4 d5 2. c4"));
        games.push(game("C", "1. e4 e5 2. Nf3 Nc6 3. Bc4"));
        // What most games of the player have, too, and what few others play.
        games.push(game("C", "1. e4 c5 2. Nf3"));
    }
    // By other moves, which does not count.
    games.push(game("C", "1. c4 d5 2. d4"));
    games.push(game("C", "1. b3 e5"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.pgn");
    std::fs::write(&path, games.concat()).unwrap();
    let database = Database::open(&path).unwrap();
    let report = PlayerReport::new("A").run(&[&database]).unwrap();
    follow(&report, &[&database]);
    let titled = |section: &&tabiya::ReportSection| section.title == "Moves avoided with White";
    let section = report.sections().iter().find(titled).unwrap();
    let rows = section.rows.iter();
    let told: Vec<_> = rows
        .map(|row| (row.label.as_str(), row.games, row.of))
        .collect();
    assert_eq!(
        told,
        [
            ("1.e4 e5 2.Nf3 Nc6 3.Bc4, in all games", 12, 24),
            ("by the player", 0, 12),
            ("1.d4, in all games", 12, 50),
            ("by the player", 0, 12),
        ]
    );
}

#[test]
fn plans_count_a_man_once_for_each_square_of_a_game() {
    let folder = branching(&[
        (2001, "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6"),
        (2001, "1. Nc3 Nc6"),
    ]);
    let database = Database::open(folder.path().join("b.pgn")).unwrap();
    let start = TreePosition::default();
    let report = OpeningReport::of_position(&start);
    let report = report.run(&[&database]).unwrap();
    let mut sections = report.sections().iter();
    let plans = sections.find(|section| section.title == "Plans").unwrap();
    assert_eq!(plans.maps.len(), 12);
    let knights = plans.maps.iter().find(|map| map.man.char() == 'N').unwrap();
    let on = |square: Square| knights.games[square.to_usize()];
    assert_eq!(
        [
            on(Square::F3),
            on(Square::C3),
            on(Square::G1),
            on(Square::F6)
        ],
        [1, 1, 2, 0]
    );
    let labels: Vec<&str> = plans.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(
        labels,
        ["White: Nc3", "White: Nf3", "Black: Nc6", "Black: Nf6"]
    );
}

#[test]
fn other_spellings_of_a_player_are_named_and_not_counted() {
    let games = [
        ("Kramnik, Vladimir", 3),
        ("Kramnik, V.", 2),
        ("V Kramnik", 1),
        ("Kramnik, Boris", 1),
        ("Kramnikov, V", 1),
    ];
    let games = games.iter().flat_map(|(name, games)| {
        (0..*games)
            .map(move |round| format!("[White \"{name}\"]\n[Round \"{round}\"]\n\n1. e4 *\n\n"))
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.pgn");
    std::fs::write(&path, games.collect::<String>()).unwrap();
    let database = Database::open(&path).unwrap();
    let report = PlayerReport::new("Kramnik, Vladimir")
        .run(&[&database])
        .unwrap();
    let results = &report.sections()[0];
    assert_eq!(results.rows[0].games, 3);
    assert!(
        results.note.ends_with(": Kramnik, V. (2); V Kramnik (1)."),
        "{}",
        results.note
    );
}

#[test]
fn scores_furthest_from_the_mean_are_the_best_and_the_worst() {
    // Ten games each: won after 1.d4, lost after 1.e4 c5, drawn after 1.e4 e5.
    let games = [
        ("1. d4 d5", "1-0"),
        ("1. e4 c5", "0-1"),
        ("1. e4 e5", "1/2-1/2"),
    ];
    let games = games.iter().flat_map(|(moves, result)| {
        (0..10).map(move |round| {
            format!(
                "[White \"A, B\"]\n[Round \"{round}\"]\n[Result \"{result}\"]\n\n\
                 {moves} {result}\n\n"
            )
        })
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgn");
    std::fs::write(&path, games.collect::<String>()).unwrap();
    let database = Database::open(&path).unwrap();
    let report = PlayerReport::new("A, B").run(&[&database]).unwrap();
    let rows = |title: &str| -> Vec<(String, u64, u64, u64)> {
        let mut sections = report.sections().iter();
        let section = sections.find(|section| section.title == title).unwrap();
        let rows = section.rows.iter();
        let moves = |label: &str| label.split(" \u{2013} ").next().unwrap().to_owned();
        rows.map(|row| (moves(&row.label), row.won, row.drawn, row.lost))
            .collect()
    };
    let (best, worst) = (
        rows("Best scores with White"),
        rows("Worst scores with White"),
    );
    assert!(
        best.iter().all(|row| (row.1, row.2, row.3) == (10, 0, 0)),
        "{best:?}"
    );
    assert_eq!(worst[0].3, 10, "{worst:?}");
    assert!(worst.contains(&("1.e4".to_owned(), 0, 10, 10)), "{worst:?}");
    follow(&report, &[&database]);
}

#[test]
fn a_report_is_the_same_with_a_sidecar() {
    let folder = tempfile::tempdir().unwrap();
    for suffix in ["si4", "sg4", "sn4"] {
        let name = format!("famous.{suffix}");
        std::fs::copy(format!("fixtures/{name}"), folder.path().join(name)).unwrap();
    }
    let path = folder.path().join("famous.si4");
    let report = |database: &Database| {
        let player = PlayerReport::new("Fischer, Robert James");
        let position = TreePosition::from_moves("e4 e5").unwrap();
        let opening = OpeningReport::of_position(&position);
        let reports = [player.run(&[database]), opening.run(&[database])];
        reports.map(|report| report.unwrap().to_html())
    };
    let plain = Database::open(&path).unwrap();
    Sidecar::build(&plain).unwrap();
    let beside = Database::open(&path).unwrap();
    assert!(beside.sidecar().is_some());
    assert_eq!(report(&plain), report(&beside));
}

/// Returns the values of an attribute in a page.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let begin = format!(" {attribute}=\"");
    let parts = page.split(&begin).skip(1);
    parts.map(|part| part.split('"').next().unwrap()).collect()
}

#[test]
fn a_page_has_no_script_and_leads_nowhere_outside() {
    let famous = Database::open("fixtures/famous.si4").unwrap();
    let player = PlayerReport::new("Morphy, Paul").run(&[&famous]);
    let opening = OpeningReport::named("Gambit").run(&[&famous]);
    for report in [player, opening] {
        stays_inside(&report.unwrap().to_html());
    }
}

#[test]
fn queries_of_a_page_lead_to_the_address_that_is_told() {
    let famous = Database::open("fixtures/famous.si4").unwrap();
    let report = PlayerReport::new("Morphy, Paul").run(&[&famous]).unwrap();
    let report = report.call_databases(vec!["a <b>".to_owned()]);
    let page = report.ask_at("/?db=x&q=").to_html();
    assert!(
        page.contains("<a href=\"/?db=x&amp;q=player%3D%22Morphy%2C%20Paul%22\">"),
        "{page}"
    );
    assert!(page.contains("Games of a &lt;b&gt;.") && !page.contains("famous"));
}

fn stays_inside(page: &str) {
    for part in [
        "<script",
        "javascript:",
        "<img",
        "<link",
        "@import",
        "url(",
        " on",
        "src=",
    ] {
        let text: String = page
            .split("<style>")
            .map(|part| part.split("</style>").last().unwrap())
            .collect();
        assert!(part == " on" || !text.contains(part), "{part}");
    }
    let without: BTreeSet<&str> = values(page, "xmlns").into_iter().collect();
    assert!(
        without
            .iter()
            .all(|name| *name == "http://www.w3.org/2000/svg")
    );
    assert_eq!(page.matches("http").count(), values(page, "xmlns").len());
    let (links, ids) = (values(page, "href"), values(page, "id"));
    assert!(links.len() > 100, "{}", links.len());
    let known: BTreeMap<&str, usize> = ids.iter().map(|id| (*id, 1)).collect();
    assert_eq!(known.len(), ids.len(), "an id is there twice");
    for link in links {
        let id = link
            .strip_prefix('#')
            .unwrap_or_else(|| panic!("{link} leads outside"));
        assert!(known.contains_key(id), "{link} leads nowhere");
    }
}

#[test]
fn hostile_names_are_only_text_in_a_report() {
    let name = "<script>alert('1')</script>\"&|`*_[x](http://y)\u{202e}";
    let event = "</td></table><b onclick=\"x\">`|";
    let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let (name_text, event_text) = (escape(name), escape(event));
    let games = (1..4).map(|round| {
        format!(
            "[Event \"{event_text}\"]\n[White \"{name_text}\"]\n[Black \"{event_text}\"]\n\
             [Result \"1-0\"]\n[Round \"{round}\"]\n[WhiteElo \"4000\"]\n\
             [BlackElo \"3999\"]\n[Date \"2020.01.01\"]\n\n1. e4 e5 2. Nf3 1-0\n\n"
        )
    });
    let folder = tempfile::tempdir().unwrap();
    // Windows has no files with the name.
    let name_of_file = if cfg!(windows) {
        "a'b&i;.pgn"
    } else {
        "a'b<i>.pgn"
    };
    let path = folder.path().join(name_of_file);
    std::fs::write(&path, games.collect::<String>()).unwrap();
    let database = Database::open(&path).unwrap();
    let report = PlayerReport::new(name).run(&[&database]).unwrap();
    assert_eq!(report.report().matched, 3);
    follow(&report, &[&database]);
    let opening = OpeningReport::named("*").run(&[&database]).unwrap();
    assert_eq!(opening.report().matched, 3);
    follow(&opening, &[&database]);
    assert!(
        opening
            .sections()
            .iter()
            .any(|section| section.title == "Ratings")
    );
    let page = report.to_html();
    for part in [
        "<script",
        "<b ",
        "<i>",
        "onclick=\"",
        "\u{202e}",
        "</table><b",
    ] {
        assert!(!page.contains(part), "{part}");
    }
    let tables = page.matches("<table>").count();
    assert_eq!((tables, page.matches("</table>").count()), (tables, tables));
    let notes = report.to_markdown();
    for line in notes.lines().filter(|line| line.starts_with('|')) {
        let bars = line.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 10, "{line}");
    }
    assert!(
        !notes.contains("<script") || notes.contains("\\<script"),
        "{notes}"
    );
}
