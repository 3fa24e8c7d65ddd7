//! The pictures of `docs/pictures.md`: each is found by the condition that it stands for.

use std::fs;

use shakmaty::fen::Fen;
use tabiya::{Database, Diagram, Strategy};

use crate::support::ask;

/// A condition, and the position below it as drawn and as FEN.
struct Picture {
    query: String,
    drawn: String,
    fen: String,
}

fn pictures() -> Vec<Picture> {
    let text = fs::read_to_string("docs/pictures.md").unwrap();
    let sections = text.split("\n### `").skip(1);
    sections
        .map(|section| {
            let (query, rest) = section.split_once("`\n").unwrap();
            let (_, rest) = rest.split_once("```text\n").unwrap();
            let (block, _) = rest.split_once("\n```").unwrap();
            let (drawn, fen) = block.rsplit_once('\n').unwrap();
            Picture {
                query: query.to_owned(),
                drawn: drawn.to_owned(),
                fen: fen.to_owned(),
            }
        })
        .collect()
}

#[test]
fn every_picture_shows_what_its_condition_finds() {
    let pictures = pictures();
    let folder = tempfile::tempdir().unwrap();
    for picture in &pictures {
        let fen: Fen = picture.fen.parse().unwrap();
        let diagram = Diagram::new(fen.as_setup()).text();
        assert_eq!(diagram.trim_end(), picture.drawn, "{}", picture.query);
        let path = folder.path().join("picture.pgn");
        let pgn = format!(
            "[SetUp \"1\"]\n[FEN \"{}\"]\n[Result \"*\"]\n\n*\n",
            picture.fen
        );
        fs::write(&path, pgn).unwrap();
        let database = Database::read(&path).unwrap();
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let found = ask::numbers(&database, &picture.query, strategy, false);
            assert_eq!(found, [1], "{}", picture.query);
        }
    }
}

#[test]
fn every_structure_has_a_picture() {
    let asked: Vec<String> = pictures().into_iter().map(|one| one.query).collect();
    for structure in tabiya::query::Structure::all() {
        let query = format!("structure:{}", structure.name());
        assert!(asked.contains(&query), "{query}");
    }
}
