//! `/api/openings`: the names of openings with their codes and moves. No database is asked.

use std::sync::OnceLock;

use axum::response::Response;
use serde::Serialize;
use shakmaty::{Chess, san::SanPlus, uci::UciMove};
use tabiya::{NamedOpening, chess::text::fold_into, openings};

use super::{json, to_json};
use crate::{errors::Fault, params::Params};

/// Rows of an answer that does not say how many.
const LIMIT: usize = 20;
const LIMIT_MAX: usize = 200;

#[derive(Debug, Serialize)]
struct Answer {
    openings: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    eco: String,
    name: &'static str,
    /// The moves as addresses have them.
    play: Vec<&'static str>,
    /// The moves as people write them.
    moves: String,
}

/// A named line, ready to be looked for.
#[derive(Debug)]
struct Entry {
    opening: NamedOpening,
    /// Words of its name and its code, without capitals and accents.
    words: Vec<Vec<u8>>,
}

pub(super) async fn find(params: Params) -> Result<Response, Fault> {
    let limit = params.value("limit")?.unwrap_or(LIMIT).min(LIMIT_MAX);
    let found = named(params.text("name").unwrap_or_default(), limit);
    let openings = found.into_iter().map(row).collect();
    Ok(json(to_json(&Answer { openings })?))
}

/// Returns the openings of which each word of a text begins a word or the code; the shortest lines
/// first.
pub(super) fn named(text: &str, limit: usize) -> Vec<&'static NamedOpening> {
    let typed = words(text);
    let fits = |entry: &&Entry| {
        let mut typed = typed.iter();
        typed.all(|part| entry.words.iter().any(|word| word.starts_with(part)))
    };
    let found = entries().iter().filter(fits);
    found.map(|entry| &entry.opening).take(limit).collect()
}

/// Returns all openings, the shortest lines first.
fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let entry = |opening: NamedOpening| Entry {
            words: words(&format!("{} {}", opening.name, opening.eco)),
            opening,
        };
        let mut all: Vec<Entry> = openings().map(entry).collect();
        all.sort_by_key(|entry| entry.opening.moves.len());
        all
    })
}

/// Returns the words of a text without capitals and accents.
fn words(text: &str) -> Vec<Vec<u8>> {
    let mut plain = Vec::new();
    fold_into(text.as_bytes(), &mut plain);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let words = plain.split(|byte| !is_part(byte));
    words
        .filter(|word| !word.is_empty())
        .map(<[u8]>::to_vec)
        .collect()
}

fn row(opening: &NamedOpening) -> Row {
    Row {
        eco: opening.eco.to_string(),
        name: opening.name,
        play: opening.moves.clone(),
        moves: written(&opening.moves),
    }
}

/// Writes moves from the start position as people do.
fn written(moves: &[&str]) -> String {
    let mut position = Chess::default();
    let mut text = String::new();
    for (ply, uci) in moves.iter().enumerate() {
        let played = uci.parse::<UciMove>().ok();
        let Some(played) = played.and_then(|played| played.to_move(&position).ok()) else {
            break;
        };
        if ply % 2 == 0 {
            text += &format!("{}{}. ", if ply > 0 { " " } else { "" }, ply / 2 + 1);
        } else {
            text.push(' ');
        }
        text += &SanPlus::from_move_and_play_unchecked(&mut position, played).to_string();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moves_of_every_opening_can_be_played() {
        for Entry { opening, .. } in entries() {
            let text = written(&opening.moves);
            let moves = text.split(' ').filter(|word| !word.ends_with('.'));
            assert_eq!(moves.count(), opening.moves.len(), "{}", opening.name);
        }
    }

    #[test]
    fn openings_are_found_by_beginnings_of_words_in_any_order_and_by_code() {
        for (text, name) in [
            ("najd", "Sicilian Defense: Najdorf Variation"),
            ("NAJDORF sic", "Sicilian Defense: Najdorf Variation"),
            ("b90", "Sicilian Defense: Najdorf Variation"),
            ("grunf", "Grünfeld Defense"),
        ] {
            let first = named(text, 1);
            assert!(first[0].name.contains(name), "{text}: {}", first[0].name);
        }
        assert_eq!(named("", usize::MAX).len(), openings().count());
        assert_eq!(named("najdorf zzz", 5).len(), 0);
        assert_eq!(named("the", 0).len(), 0);
    }
}
