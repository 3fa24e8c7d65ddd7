//! Damaged sets: a part of one game that is damaged is told so, and nothing else changes.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use tabiya::{Database, Error, Verification};

use super::set;
use crate::support::{
    game::{Event, PlainGame},
    shared,
};

pub(super) fn verified(database: &Database) -> Verification {
    database.verify().expect("verified")
}

/// Returns the numbers of games in a list; empty if there is none.
fn numbers(variant: &Value, key: &str) -> BTreeSet<u32> {
    let numbers = variant[key].as_array().into_iter().flatten();
    numbers
        .map(|number| number.as_u64().unwrap() as u32)
        .collect()
}

/// Copies the set with the edits of a variant.
fn damage(original: &Path, variant: &Value, folder: &Path) -> PathBuf {
    for suffix in ["2cbh", "2cbg", "2cba", "2lid"] {
        let source = original.with_extension(suffix);
        let mut bytes = Some(fs::read(source).unwrap());
        for edit in variant["edits"].as_array().unwrap() {
            if edit["file"] != suffix {
                continue;
            }
            let number = |key: &str| edit[key].as_u64().map(|number| number as usize);
            let bytes_left = bytes.get_or_insert_default();
            if let Some(length) = number("truncate") {
                bytes_left.truncate(length);
            } else if let Some(at) = number("at") {
                let new = from_hex(edit["hex"].as_str().unwrap());
                let old = from_hex(edit["was"].as_str().unwrap());
                assert_eq!(bytes_left[at..at + new.len()], old);
                bytes_left[at..at + new.len()].copy_from_slice(&new);
            } else {
                bytes = None;
            }
        }
        if let Some(bytes) = bytes {
            fs::write(folder.join("set").with_extension(suffix), bytes).unwrap();
        }
    }
    folder.join("set.2cbh")
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits: Vec<char> = text.chars().collect();
    let pairs = digits.chunks(2).map(|pair| pair.iter().collect::<String>());
    pairs
        .map(|pair| u8::from_str_radix(&pair, 16).unwrap())
        .collect()
}

/// Returns a game without what is told beside its moves.
fn bare(game: &PlainGame) -> PlainGame {
    let is_move = |event: &&Event| !matches!(event, Event::Nag(_) | Event::Comment(_));
    PlainGame {
        events: game.events.iter().filter(is_move).cloned().collect(),
        ..game.clone()
    }
}

/// Returns a game without its names.
fn nameless(game: &PlainGame) -> PlainGame {
    let mut nameless = game.clone();
    nameless.tags.clear();
    nameless.header = tabiya::format::GameHeader {
        date: game.header.date,
        result: game.header.result,
        white_rating: game.header.white_rating,
        black_rating: game.header.black_rating,
        eco: game.header.eco,
        ..Default::default()
    };
    nameless
}

/// What a variant must do, and the whole set.
struct Case<'a> {
    name: &'a str,
    variant: &'a Value,
    whole: &'a [Result<PlainGame, Error>],
    /// Games that are damaged in the whole set too.
    known: &'a Verification,
}

impl Case<'_> {
    fn check(&self, database: &Database) {
        let (name, variant) = (self.name, self.variant);
        let verified = verified(database);
        let listed =
            |errors: &[Error], number: u32| errors.iter().any(|error| error.game() == Some(number));
        let bad_moves = numbers(variant, "bad_moves");
        let mut bad_notes = numbers(variant, "bad_notes");
        bad_notes.extend(numbers(variant, "incomplete"));
        let (bad_names, may_differ) = (
            numbers(variant, "bad_names"),
            numbers(variant, "may_differ"),
        );
        let is_set = |key: &str| variant[key] == true;
        assert_eq!(
            database.len() as u64,
            variant["records"].as_u64().unwrap(),
            "{name}"
        );
        for (id, whole) in database.games().zip(self.whole) {
            let number = id.number_in_part();
            let read = PlainGame::read(database, id);
            if bad_moves.contains(&number) {
                let error = read.expect_err(&format!("{name}: game {number}"));
                assert!(
                    error.path().is_some() && error.offset().is_some(),
                    "{name}: {error}"
                );
                assert_eq!(error.game(), Some(number), "{name}: {error}");
                assert!(listed(&verified.damaged_games, number), "{name}: {number}");
                continue;
            }
            let (Ok(read), Ok(whole)) = (&read, whole) else {
                assert_eq!(
                    read.is_ok(),
                    whole.is_ok(),
                    "{name}: game {number} {read:?}"
                );
                continue;
            };
            if bad_notes.contains(&number) {
                assert_eq!(bare(read), bare(whole), "{name}: game {number}");
                let listed = [&verified.notes, &verified.damaged_games]
                    .into_iter()
                    .any(|errors| listed(errors, number));
                assert!(listed, "{name}: game {number}");
            } else if is_set("no_notes") {
                assert_eq!(*read, bare_unless_text(whole), "{name}: game {number}");
            } else if bad_names.contains(&number) || is_set("names_free") {
                assert_eq!(nameless(read), nameless(whole), "{name}: game {number}");
            } else if !may_differ.contains(&number) {
                assert_eq!(read, whole, "{name}: game {number}");
            }
            if bad_names.contains(&number) {
                assert_ne!(read, whole, "{name}: game {number}");
            }
        }
        self.check_notes(database, &verified);
    }

    /// Damage of a whole file is told.
    fn check_notes(&self, database: &Database, verified: &Verification) {
        let (name, notes) = (self.name, database.notes().len());
        let (told, known) = (words(verified), words(self.known));
        // `.2lgd` is not read.
        if !name.starts_with("lgd") {
            assert_ne!(told, known, "{name}: {:?}", verified.notes);
        }
        let is_about_file = matches!(name, "head-cut" | "head-next-id" | "notes-missing");
        assert_eq!(notes > 0, is_about_file, "{name}: {:?}", database.notes());
    }
}

/// Returns what verifying has found, without the places.
fn words(verified: &Verification) -> Vec<String> {
    let errors = verified.damaged_games.iter().chain(&verified.notes);
    let words = errors.map(|error| format!("{:?} {}", error.game(), error.kind()));
    words.collect()
}

/// A text tells its words as comments.
fn bare_unless_text(game: &PlainGame) -> PlainGame {
    let has_moves = game
        .events
        .iter()
        .any(|event| matches!(event, Event::Play(_)));
    let is_text = !has_moves && game.header.white == "?" && game.header.black == "?";
    if is_text { game.clone() } else { bare(game) }
}

#[test]
fn damage_of_a_part_is_told_and_changes_nothing_else() {
    let (Some(original), Some(list)) = (set("edge2"), shared::path("data/2cbh/damaged.json"))
    else {
        return;
    };
    let list: Value = serde_json::from_slice(&fs::read(list).unwrap()).unwrap();
    let variants = list["variants"].as_array().unwrap();
    let whole = Database::open(&original).unwrap();
    let known = verified(&whole);
    let games = whole.games();
    let games: Vec<_> = games.map(|game| PlainGame::read(&whole, game)).collect();
    for variant in variants {
        let folder = tempfile::tempdir().unwrap();
        let path = damage(&original, variant, folder.path());
        let name = variant["name"].as_str().unwrap();
        let opened = Database::read(&path);
        if variant["open"] == "refuse" {
            let error = opened.expect_err(name);
            assert!(error.path().is_some(), "{name}: {error}");
            continue;
        }
        let case = Case {
            name,
            variant,
            whole: &games,
            known: &known,
        };
        case.check(&opened.unwrap_or_else(|error| panic!("{name}: {error}")));
    }
    assert_eq!(variants.len(), 45);
}
