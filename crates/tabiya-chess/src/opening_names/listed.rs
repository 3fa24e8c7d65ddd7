//! The table of openings as a list: names, codes and moves.
//!
//! `codes.txt` has the codes of the table's positions, in its order: each line is a code, a space,
//! and the number of positions in a row that have it.

use super::{NameNumber, TABLE, name_of, parts};
use crate::Eco;

/// The codes as text.
const CODES: &str = include_str!("codes.txt");

/// A named line of the table of openings.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedOpening {
    /// The name of the position at the end of the line.
    pub name: &'static str,
    /// Its code.
    pub eco: Eco,
    /// The moves from the standard start position, in UCI notation.
    pub moves: Vec<&'static str>,
}

/// Returns all named lines, in the order of their moves. Several lines may have one name, by
/// other positions or other orders of moves. O(moves of all lines), some ten thousand.
///
/// ```
/// # use tabiya_chess as tabiya;
/// let openings: Vec<_> = tabiya::openings().collect();
/// let najdorf = "Sicilian Defense: Najdorf Variation";
/// let line = openings.iter().find(|line| line.name == najdorf).ok_or("no line")?;
/// assert_eq!(line.eco.to_string(), "B90");
/// assert_eq!(line.moves[..3], ["e2e4", "c7c5", "g1f3"]);
/// # Ok::<(), &str>(())
/// ```
pub fn openings() -> impl Iterator<Item = NamedOpening> {
    let (_, lines) = TABLE.split_once("\n\n").unwrap_or_default();
    let mut moves: Vec<&'static str> = Vec::new();
    let lines = lines.lines().filter_map(parts);
    lines
        .zip(codes())
        .filter_map(move |((shared, rest, number), eco)| {
            moves.truncate(shared);
            moves.extend(
                (0..rest.len())
                    .step_by(4)
                    .filter_map(|at| rest.get(at..at + 4)),
            );
            opening(number, eco, &moves)
        })
}

fn opening(number: NameNumber, eco: Eco, moves: &[&'static str]) -> Option<NamedOpening> {
    Some(NamedOpening {
        name: name_of(number)?,
        eco,
        moves: moves.to_vec(),
    })
}

/// Returns the code of each position.
pub(super) fn codes() -> impl Iterator<Item = Eco> {
    let runs = CODES.lines().filter_map(|line| {
        let (eco, count) = line.split_once(' ')?;
        Some((eco.parse().ok()?, count.parse().ok()?))
    });
    runs.flat_map(|(eco, count)| std::iter::repeat_n(eco, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_of_the_table_has_its_code() {
        let (_, lines) = TABLE.split_once("\n\n").unwrap();
        assert_eq!(codes().count(), lines.lines().count());
        assert_eq!(openings().count(), codes().count());
        assert!(openings().all(|one| !one.moves.is_empty() && one.moves.len() <= 40));
    }
}
