//! The list of faults is complete and names tests that there are.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

const LIST: &str = include_str!("mod.rs");

const READERS: [&str; 24] = [
    "scid3",
    "scid4",
    "scid5",
    "chessbase",
    "chessbase2",
    "cbf",
    "cbv",
    "cbz",
    "scdb",
    "scdb11",
    "jose",
    "jose-folder",
    "monty-policy",
    "monty-value",
    "stockfish",
    "viriformat",
    "pgn",
    "gz",
    "bz2",
    "zst",
    "puzzles",
    "positions",
    "json",
    "sidecar",
];
const WRITERS: [&str; 9] = [
    "to-si4",
    "to-si5",
    "to-cbh",
    "to-2cbh",
    "to-dci",
    "to-binpack",
    "to-vf",
    "to-pgn",
    "to-sidecar",
];
/// Faults of what is read, of both, and of what is written.
const READ_FAULTS: [&str; 9] = [
    "cut", "changed", "swapped", "missing", "counts", "links", "overlap", "lengths", "bomb",
];
const FAULTS_OF_BOTH: [&str; 4] = ["deep", "comment", "name", "readonly"];
const WRITE_FAULTS: [&str; 2] = ["full", "kill"];

/// A fault and a format.
type Cell = (String, String);

/// Reads the list: a heading for each fault, an item for each answer, `formats: answer`.
fn cells() -> BTreeMap<Cell, Vec<String>> {
    let mut cells: BTreeMap<Cell, Vec<String>> = BTreeMap::new();
    let text: Vec<&str> = LIST
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .collect();
    for part in text.join("\n").split("\n ## ").skip(1) {
        let (heading, items) = part.split_once('\n').expect("a heading has items");
        let fault = heading.split(':').next().unwrap_or_default();
        for item in items.split("\n * ").skip(1) {
            let (formats, answer) = item.split_once(':').expect("formats and an answer");
            let answer = answer.split_whitespace().collect::<Vec<_>>().join(" ");
            for format in formats.split_whitespace() {
                let cell = (fault.to_owned(), format.to_owned());
                cells.entry(cell).or_default().push(answer.clone());
            }
        }
    }
    cells
}

/// Returns the names of all tests of the project.
fn tests_in(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests_in(&path, names);
        } else if path.extension().is_some_and(|suffix| suffix == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            for test in text.split("#[test]").skip(1) {
                let name = test
                    .split_once("fn ")
                    .and_then(|(_, rest)| rest.split_once('('));
                names.extend(name.map(|(name, _)| name.to_owned()));
            }
        }
    }
}

#[test]
fn every_fault_of_every_format_has_one_answer_and_every_test_named_exists() {
    let cells = cells();
    let pairs = |faults: &[&str], formats: &[&str]| {
        let mut pairs: Vec<Cell> = Vec::new();
        for &fault in faults {
            let pair = |format: &&str| (fault.to_owned(), (*format).to_owned());
            pairs.extend(formats.iter().map(pair));
        }
        pairs
    };
    let expected: BTreeSet<Cell> = [
        pairs(&READ_FAULTS, &READERS),
        pairs(&FAULTS_OF_BOTH, &[&READERS[..], &WRITERS].concat()),
        pairs(&WRITE_FAULTS, &WRITERS),
    ]
    .concat()
    .into_iter()
    .collect();
    let listed: BTreeSet<Cell> = cells.keys().cloned().collect();
    let differing: Vec<&Cell> = expected.symmetric_difference(&listed).collect();
    assert!(differing.is_empty(), "{differing:?}");
    let mut tests = BTreeSet::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["crates", "src", "tests"] {
        tests_in(&root.join(folder), &mut tests);
    }
    for (cell, answers) in &cells {
        assert_eq!(answers.len(), 1, "{cell:?}");
        let named: Vec<&str> = answers[0].split('`').skip(1).step_by(2).collect();
        let has_reason = answers[0].starts_with("none, ");
        assert!(
            has_reason == named.is_empty(),
            "{cell:?}: a test or a reason"
        );
        for name in named {
            assert!(tests.contains(name), "{cell:?}: there is no test {name}");
        }
    }
}
