//! The annotations of real ChessBase sets are what is known of them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tabiya::{
    Flow,
    chess::text::decode_windows_1252,
    format::{GameHeader, GameText, Visitor},
};
use tabiya_formats::{
    chessbase::v1::{Annotations, Content, Item, Marks},
    pgn::{self, Game, Input},
};

use crate::support::shared;

/// A set of files: the records of its games and the annotations.
struct Set {
    index: Vec<u8>,
    annotations: Vec<u8>,
}

impl Set {
    fn open(index: &Path) -> Option<Set> {
        Some(Set {
            index: fs::read(index).ok()?,
            annotations: fs::read(index.with_extension("cba")).ok()?,
        })
    }

    /// Returns the annotated games: their numbers and what stands at their offsets.
    fn games(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let records = self.index.chunks_exact(46).enumerate().skip(1);
        records.filter_map(|(number, record)| {
            let is_game = record[0] & 3 == 1;
            let offset = u32::from_be_bytes(record[5..9].try_into().unwrap()) as usize;
            (is_game && offset > 0).then(|| (number, &self.annotations[offset..]))
        })
    }
}

/// Finds all indexes below a folder.
fn indexes(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            indexes(&path, found);
        } else if path.extension().is_some_and(|suffix| suffix == "cbh") {
            found.push(path);
        }
    }
}

/// Returns an item in the form of the recorded answers.
fn recorded(item: Item<'_>) -> Value {
    let mut value = json!({"pos": item.position, "type": format!("{:02x}", item.kind)});
    let marks = |marks: Marks<'_>| {
        marks
            .iter()
            .map(|mark| mark.to_string())
            .collect::<Vec<_>>()
    };
    match item.content() {
        Some(Content::Text { language, text }) => {
            value["lang"] = json!(language);
            value["text"] = json!(decode_windows_1252(text));
            value["flag"] = json!(item.data[0]);
        }
        Some(Content::Glyphs(glyphs)) => value["nags"] = json!(glyphs),
        Some(Content::Squares(squares)) => value["csl"] = json!(marks(squares)),
        Some(Content::Arrows(arrows)) => value["cal"] = json!(marks(arrows)),
        _ => {
            let digits = item.data.iter().map(|byte| format!("{byte:02x}"));
            value["hex"] = json!(digits.collect::<String>());
        }
    }
    value
}

#[test]
fn every_item_is_what_the_recorded_answers_say() {
    let Some(folder) = shared::path("data/chessbase") else {
        return;
    };
    let Some(answers) = shared::packed("truth") else {
        return;
    };
    let mut compared = 0;
    for answer in fs::read_dir(answers).unwrap() {
        let answer = answer.unwrap().path();
        let name = answer.file_name().unwrap().to_string_lossy().into_owned();
        if !name.starts_with("cbh-ann-") {
            continue;
        }
        let answer: Value = serde_json::from_slice(&fs::read(answer).unwrap()).unwrap();
        let mut found = Vec::new();
        indexes(
            &folder.join(answer["database"].as_str().unwrap()),
            &mut found,
        );
        let set = Set::open(&found[0]).unwrap();
        let mut expected = answer["annotations"].as_object().unwrap().clone();
        for (number, bytes) in set.games() {
            let annotations = Annotations::parse(bytes);
            let items: Vec<Value> = annotations.items().map(recorded).collect();
            compared += items.len();
            let expected = expected.remove(&number.to_string());
            assert_eq!(
                json!(items),
                expected.unwrap_or(json!([])),
                "{name}: game {number}"
            );
        }
        assert!(expected.is_empty(), "{name}: {expected:?}");
    }
    assert!(compared > 15_000, "only {compared} items compared");
}

#[test]
fn every_record_of_every_set_reads_to_its_exact_end() {
    let Some(folder) = shared::path("data/chessbase") else {
        return;
    };
    let mut found = Vec::new();
    indexes(&folder, &mut found);
    let mut records = 0;
    for index in &found {
        let Some(set) = Set::open(index) else {
            continue;
        };
        for (number, bytes) in set.games() {
            let annotations = Annotations::parse(bytes);
            let faults: Vec<String> = annotations
                .faults()
                .map(|fault| fault.to_string())
                .collect();
            assert!(
                faults.is_empty(),
                "{}: game {number}: {faults:?}",
                index.display()
            );
            assert!(
                annotations.items().len() > 0,
                "{}: {number}",
                index.display()
            );
            records += 1;
        }
    }
    assert!(records > 1_000, "only {records} records read");
}

/// What is heard of annotations, glyphs as in PGN.
#[derive(Default, PartialEq, Debug)]
struct Heard(Vec<String>);

impl Visitor for Heard {
    fn nag(&mut self, nag: u8) -> Flow {
        self.0.push(format!("${nag}"));
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        self.0.push(text.to_owned());
        Flow::Continue(())
    }
}

/// Tells all annotations, position by position.
fn tell(annotations: &Annotations<'_>, visitor: &mut impl Visitor) {
    let mut positions: Vec<i32> = annotations.items().map(|item| item.position).collect();
    positions.dedup();
    for position in positions {
        assert!(annotations.tell_before(position, visitor).is_continue());
        assert!(annotations.tell_after(position, visitor).is_continue());
    }
}

#[test]
fn everything_told_goes_through_pgn_unchanged() {
    let Some(folder) = shared::path("data/chessbase") else {
        return;
    };
    let mut found = Vec::new();
    indexes(&folder, &mut found);
    let (mut told, mut pgn) = (Vec::new(), String::new());
    for set in found.iter().filter_map(|index| Set::open(index)) {
        for (_, bytes) in set.games() {
            let annotations = Annotations::parse(bytes);
            let mut heard = Heard::default();
            tell(&annotations, &mut heard);
            // What PGN cannot express is changed on purpose.
            if !heard.0.iter().any(|comment| comment.contains('}')) {
                let mut text = GameText::new(&GameHeader::default());
                tell(&annotations, &mut text);
                pgn.push_str(&text.finish().unwrap());
                told.push(heard);
            }
        }
    }
    assert!(told.len() > 1_000, "only {} games told", told.len());
    let input = Input::from_bytes(pgn.into_bytes()).unwrap();
    let mut expected = told.into_iter();
    let replay = |game: &Game<'_>| {
        let mut heard = Heard::default();
        game.replay(&mut heard).map(|()| heard)
    };
    let counted = pgn::for_each_game(&input, replay, |place, heard| {
        assert_eq!(heard.ok(), expected.next(), "{place:?}");
        Ok(())
    });
    assert!(counted.is_ok() && expected.next().is_none());
}
