//! Games that are sorted or divided among new databases.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use tabiya::{ConvertOptions, Database, GameId, Progress, Split, SplitBy, format::Overwrite};

use super::Bench;

const TARGETS: [&str; 6] = ["si4", "si5", "cbh", "2cbh", "dci", "pgn"];

/// Games whose values are hostile as names of files, or differ only in capitals.
fn games() -> String {
    let names = [
        "../../x", "CON", "con", "a/b", "a\\b", "nul.txt", "Ann", "?", "é", "",
    ];
    let mut pgn = String::new();
    for number in 0..40 {
        let name = |step: usize| names[number * step % names.len()];
        let (white, black, event) = (name(1), name(3), name(7));
        let year = ["2013", "2014", "????"][number % 3];
        let eco = ["", "B90", "E00"][number % 3];
        pgn += &format!(
            "[Event \"{}\"]\n[Site \"{number}\"]\n[Date \"{year}.??.??\"]\n[White \"{}\"]\n\
             [Black \"{}\"]\n[Result \"*\"]\n[ECO \"{eco}\"]\n\n1. e4 *\n\n",
            event.replace('\\', "\\\\"),
            white.replace('\\', "\\\\"),
            black.replace('\\', "\\\\"),
        );
    }
    pgn
}

/// The value that stands for games of a kind, by the header alone.
fn values(database: &Database, game: GameId, by: SplitBy) -> BTreeSet<String> {
    let header = database.header(game).unwrap();
    let known = |name: String| if name == "?" { String::new() } else { name };
    match by {
        SplitBy::Event => BTreeSet::from([known(header.event)]),
        SplitBy::Player => BTreeSet::from([known(header.white), known(header.black)]),
        SplitBy::Year => BTreeSet::from([format!("{:?}", header.date.year())]),
        SplitBy::Eco => BTreeSet::from([format!("{:?}", header.eco)]),
        _ => BTreeSet::from([(game.0 / 7).to_string()]),
    }
}

fn sites(database: &Database) -> Vec<String> {
    let site = |game| database.header(game).unwrap().site;
    database.games().map(site).collect()
}

#[test]
fn every_part_of_a_split_has_the_games_of_its_value() {
    for suffix in TARGETS {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("all.pgn"), games()).unwrap();
        let base = path(&format!("base.{suffix}"));
        let options = ConvertOptions::new();
        tabiya::convert(&[path("all.pgn")], &base, options, Progress::ignore).unwrap();
        let database = Database::open(&base).unwrap();
        let games: Vec<_> = database.games().map(|game| (&database, game)).collect();
        for by in ["event", "player", "year", "eco", "7"] {
            let by: SplitBy = by.parse().unwrap();
            let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for &(_, game) in &games {
                for value in values(&database, game, by) {
                    let site = database.header(game).unwrap().site;
                    wanted.entry(value).or_default().push(site);
                }
            }
            let parts = tempfile::tempdir().unwrap();
            let target = parts.path().join(format!("out.{suffix}"));
            let split = Split::new(&games, by, &target).unwrap();
            let done = split.write(Overwrite::Refuse, Progress::ignore).unwrap();
            let mut found: Vec<Vec<String>> = Vec::new();
            for part in split.paths() {
                assert_eq!(part.parent(), Some(parts.path()), "{part:?}");
                found.push(sites(&Database::open(part).unwrap()));
            }
            assert_eq!(
                done.games,
                found.iter().map(|part| part.len() as u64).sum::<u64>()
            );
            let mut wanted: Vec<Vec<String>> = wanted.into_values().collect();
            wanted.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, wanted, "{suffix} {by:?}");
            // All or nothing is there to be replaced.
            let last = split.paths().last().unwrap();
            for other in split.paths().filter(|path| *path != last) {
                fs::remove_file(other).unwrap();
            }
            let refused = split.write(Overwrite::Refuse, Progress::ignore);
            assert!(refused.is_err());
            assert!(split.paths().all(|path| path == last || !path.exists()));
            split.write(Overwrite::Replace, Progress::ignore).unwrap();
            assert!(split.paths().all(|path| path.exists()));
        }
    }
}

#[test]
fn the_program_divides_and_refuses_before_anything_is_written() {
    let bench = Bench::new();
    fs::write(bench.path("all.pgn"), games()).unwrap();
    let ran = bench.run(&["convert", "all.pgn", "out.si5", "--split", "year"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.err.contains("40 games written to 3 databases"),
        "{}",
        ran.err
    );
    for (name, games) in [("2013", "14"), ("2014", "13"), ("unknown", "13")] {
        let count = bench.run(&["search", &format!("out-{name}.si5"), "", "--count"]);
        assert_eq!(count.out.trim(), games);
    }
    fs::remove_file(bench.path("out-2013.si5")).unwrap();
    let again = ["convert", "all.pgn", "out.si5", "--split", "year"];
    let ran = bench.run(&again);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(
        ran.err.contains("exists; --force replaces it"),
        "{}",
        ran.err
    );
    assert!(!bench.path("out-2013.si5").exists());
    assert_eq!(bench.run(&[&again[..], &["--force"]].concat()).code, 0);
    // A source among the files.
    let ran = bench.run(&[
        "convert",
        "out-2013.si5",
        "out-2014.si5",
        "out.si5",
        "--split",
        "year",
        "--force",
    ]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    for wrong in [
        &["--split", "0"][..],
        &["--split", "month"],
        &["--split", "year", "--strict"],
    ] {
        let ran = bench.run(&[&["convert", "all.pgn", "new.pgn"], wrong].concat());
        assert_eq!(ran.code, 2, "{}", ran.err);
    }
}

#[test]
fn games_are_converted_in_the_order_of_a_search() {
    let bench = Bench::new();
    fs::write(bench.path("all.pgn"), games()).unwrap();
    let sites = |name: &str, options: &[&str]| {
        let csv = ["search", name, "", "--format", "csv", "--columns", "site"];
        bench.run(&[&csv, options].concat()).out
    };
    for keys in [
        "date",
        "eco:desc",
        "white,year:desc",
        "number:desc",
        "plies",
    ] {
        let wanted = sites("all.pgn", &["--sort", keys]);
        assert_eq!(wanted.lines().count(), 41);
        for suffix in TARGETS {
            let target = format!("sorted.{suffix}");
            let ran = bench.run(&["convert", "all.pgn", &target, "--force", "--sort", keys]);
            assert_eq!(ran.code, 0, "{}", ran.err);
            assert_eq!(sites(&target, &[]), wanted, "{target} {keys}");
        }
        let ran = bench.run(&[
            "search", "all.pgn", "", "--sort", keys, "-o", "s.pgn", "--force",
        ]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(sites("s.pgn", &[]), wanted);
    }
    let ran = bench.run(&["convert", "all.pgn", "new.pgn", "--sort", "similarity"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    let some = [
        "--sort",
        "site:desc",
        "--query",
        "year:2014",
        "-n",
        "5",
        "--split",
        "2",
    ];
    let ran = bench.run(&[&["convert", "all.pgn", "some.pgn"], &some[..]].concat());
    assert!(
        ran.err.contains("5 games written to 3 databases"),
        "{}",
        ran.err
    );
    let some = sites("some-1.pgn", &[]) + &sites("some-2.pgn", &[]);
    let wanted = sites("all.pgn", &["--sort", "site:desc", "-n", "99"]);
    let is_in_order = |site: &&str| some.lines().any(|other| other == *site);
    let in_order: Vec<&str> = wanted.lines().skip(1).filter(is_in_order).collect();
    let some: Vec<&str> = some.lines().filter(|line| *line != "site").collect();
    assert_eq!((some.len(), &some), (4, &in_order));
}

#[test]
fn the_most_similar_games_are_written_the_most_similar_first() {
    let bench = Bench::new();
    let famous = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/famous.si4");
    let fen = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NB1N2/PPP2PPP/R1BQ1RK1";
    let events = |arguments: &[&str]| {
        let csv = ["--format", "csv", "--columns", "white,black,date"];
        bench.run(&[&["search"], arguments, &csv].concat()).out
    };
    let wanted = events(&[famous, "", "--like", fen, "-n", "7", "--offset", "1"]);
    let write = [
        "search", famous, "", "--like", fen, "-n", "7", "--offset", "1", "-o",
    ];
    let ran = bench.run(&[&write[..], &["like.si5"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(events(&["like.si5", ""]), wanted);
    assert_eq!(wanted.lines().count(), 8);
}
