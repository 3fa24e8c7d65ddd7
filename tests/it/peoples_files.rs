//! The files that people really have: `tests/cases`, which the explorer and Python read too.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use tabiya::{Database, Progress, Strategy, convert, format::Overwrite};

use crate::support::ask;

/// The formats that hold games with comments and variations, but for PGN.
const SUFFIXES: [&str; 5] = ["si4", "si5", "cbh", "2cbh", "dci"];

struct Case<'a> {
    query: &'a str,
    games: Vec<u32>,
    lacking: Vec<&'a str>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// Returns the cases of each file.
fn cases(text: &str) -> BTreeMap<&str, Vec<Case<'_>>> {
    let mut files = BTreeMap::<_, Vec<_>>::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<_> = line.split('|').map(str::trim).collect();
        let [file, query, games, lacking] = fields[..] else {
            panic!("four fields: {line}");
        };
        let games = games.split_whitespace();
        files.entry(file).or_default().push(Case {
            query,
            games: games.map(|game| game.parse().unwrap()).collect(),
            lacking: lacking.split_whitespace().collect(),
        });
    }
    files
}

fn check(path: &Path, suffix: &str, cases: &[Case<'_>]) {
    let database = Database::open(path).unwrap();
    for case in cases.iter().filter(|case| !case.lacking.contains(&suffix)) {
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let found = ask::numbers(&database, case.query, strategy, false);
            assert_eq!(
                found,
                case.games,
                "{} {suffix} {}",
                path.display(),
                case.query
            );
        }
    }
}

#[test]
fn peoples_files_give_the_right_games_in_every_format() {
    let text = fs::read_to_string(folder().join("answers.txt")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    for (file, cases) in cases(&text) {
        let source = folder().join(file);
        check(&source, "pgn", &cases);
        for suffix in SUFFIXES {
            let target = scratch.path().join(file).with_extension(suffix);
            convert(
                std::slice::from_ref(&source),
                &target,
                Overwrite::Replace,
                Progress::ignore,
            )
            .unwrap();
            check(&target, suffix, &cases);
        }
    }
}

#[test]
fn every_file_of_the_cases_has_an_answer() {
    let text = fs::read_to_string(folder().join("answers.txt")).unwrap();
    let cases = cases(&text);
    for entry in fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "answers.txt" || cases.contains_key(&*name),
            "{name}"
        );
    }
}
