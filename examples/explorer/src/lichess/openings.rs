//! What an opening is called.
//!
//! Databases hold codes and no names, so a position's opening is the group of codes that most of
//! its games belong to, if there is one.

use std::collections::HashMap;

use serde::Serialize;
use tabiya::chess::Eco;

/// An opening as the interface tells it.
#[derive(Debug, Serialize)]
pub(crate) struct Opening {
    eco: String,
    name: &'static str,
}

/// The groups of the ECO by the first code of each. A group ends where the next one begins.
const GROUPS: [(&str, &str); 52] = [
    ("A00", "Irregular Opening"),
    ("A01", "Nimzo-Larsen Attack"),
    ("A02", "Bird Opening"),
    ("A04", "Réti Opening"),
    ("A10", "English Opening"),
    ("A40", "Queen's Pawn Game"),
    ("A45", "Indian Game"),
    ("A51", "Budapest Gambit"),
    ("A53", "Old Indian Defense"),
    ("A56", "Benoni Defense"),
    ("A57", "Benko Gambit"),
    ("A60", "Modern Benoni"),
    ("A80", "Dutch Defense"),
    ("B00", "King's Pawn Game"),
    ("B01", "Scandinavian Defense"),
    ("B02", "Alekhine Defense"),
    ("B06", "Modern Defense"),
    ("B07", "Pirc Defense"),
    ("B10", "Caro-Kann Defense"),
    ("B20", "Sicilian Defense"),
    ("C00", "French Defense"),
    ("C20", "Open Game"),
    ("C21", "Center Game"),
    ("C23", "Bishop's Opening"),
    ("C25", "Vienna Game"),
    ("C30", "King's Gambit"),
    ("C40", "King's Knight Opening"),
    ("C41", "Philidor Defense"),
    ("C42", "Russian Game"),
    ("C44", "Scotch Game and Ponziani Opening"),
    ("C46", "Three and Four Knights Game"),
    ("C50", "Italian Game"),
    ("C51", "Evans Gambit"),
    ("C53", "Italian Game"),
    ("C55", "Two Knights Defense"),
    ("C60", "Ruy Lopez"),
    ("D00", "Queen's Pawn Game"),
    ("D06", "Queen's Gambit"),
    ("D10", "Slav Defense"),
    ("D20", "Queen's Gambit Accepted"),
    ("D30", "Queen's Gambit Declined"),
    ("D43", "Semi-Slav Defense"),
    ("D50", "Queen's Gambit Declined"),
    ("D70", "Neo-Grünfeld Defense"),
    ("D80", "Grünfeld Defense"),
    ("E00", "Queen's Pawn Game"),
    ("E01", "Catalan Opening"),
    ("E10", "Indian Game"),
    ("E11", "Bogo-Indian Defense"),
    ("E12", "Queen's Indian Defense"),
    ("E20", "Nimzo-Indian Defense"),
    ("E60", "King's Indian Defense"),
];

/// Returns the opening of a position whose games have these codes: the group of more than half
/// of them, and within it the code of more than half, or else the group's first one. `None` when
/// no group has so many.
pub(crate) fn of_codes(codes: &HashMap<Eco, u64>) -> Option<Opening> {
    let all: u64 = codes.values().sum();
    let is_most = |games: u64| 2 * games > all;
    let mut by_group = [0; GROUPS.len()];
    for (eco, games) in codes {
        by_group[group(*eco)] += games;
    }
    let most = by_group.iter().position(|&games| is_most(games))?;
    let (first, name) = GROUPS[most];
    let common = codes.iter().find(|(_, games)| is_most(**games));
    let eco = common.map_or_else(|| first.to_owned(), |(eco, _)| eco.to_string());
    Some(Opening { eco, name })
}

/// Returns the place of a code's group.
fn group(eco: Eco) -> usize {
    let eco = eco.to_string();
    GROUPS
        .partition_point(|(first, _)| *first <= &*eco)
        .saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(codes: &[(&str, u64)]) -> Option<(String, &'static str)> {
        let codes = codes
            .iter()
            .filter_map(|&(code, games)| Some((code.parse().ok()?, games)))
            .collect();
        of_codes(&codes).map(|opening| (opening.eco, opening.name))
    }

    #[test]
    fn an_opening_is_told_when_most_games_agree_on_it() {
        let sicilian = Some(("B20".to_owned(), "Sicilian Defense"));
        assert_eq!(opening(&[("B90", 5), ("B33", 5), ("C00", 1)]), sicilian);
        let najdorf = Some(("B90".to_owned(), "Sicilian Defense"));
        assert_eq!(opening(&[("B90", 9), ("B33", 5)]), najdorf);
        assert_eq!(opening(&[("B90", 5), ("C33", 5)]), None);
        assert_eq!(opening(&[]), None);
    }

    #[test]
    fn groups_ascend() {
        assert!(GROUPS.is_sorted_by(|one, other| one.0 < other.0));
    }
}
