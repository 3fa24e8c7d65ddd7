//! Pawn structures by their names.

use super::{At, Query};

/// A named structure of pawns, seen from White's side; `flip` gives Black's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Structure(u8);

/// The names, and the conditions on one position that they stand for.
const STRUCTURES: [(&str, &str); 12] = [
    ("iqp", "piece:P@d not piece:P@c not piece:P@e"),
    (
        "hanging-pawns",
        "piece:Pc4 piece:Pd4 not piece:P@b not piece:P@e",
    ),
    (
        "carlsbad",
        "piece:Pd4 not piece:P@c piece:P@e piece:pd5 not piece:p@e piece:p@c",
    ),
    (
        "maroczy",
        "piece:Pc4 piece:Pe4 not piece:P@d piece:p@d not piece:p@c",
    ),
    (
        "hedgehog",
        "piece:Pc4 piece:Pe4 not piece:P@d piece:pa6 piece:pb6 piece:pd6 piece:pe6 not piece:p@c",
    ),
    ("stonewall", "piece:Pd4 piece:Pe3 piece:Pf4"),
    ("french", "piece:Pd4 piece:Pe5 piece:pd5 piece:pe6"),
    (
        "benoni",
        "piece:Pd5 piece:Pe4 not piece:P@c piece:pd6 piece:pc5 not piece:p@e",
    ),
    (
        "kings-indian",
        "piece:Pc4 piece:Pd5 piece:Pe4 piece:pd6 piece:pe5",
    ),
    (
        "scheveningen",
        "piece:Pe4 not piece:P@d piece:pd6 piece:pe6 not piece:p@c",
    ),
    (
        "dragon",
        "piece:Pe4 not piece:P@d piece:pd6 piece:pg6 piece:pe7 not piece:p@c",
    ),
    (
        "boleslavsky",
        "piece:Pe4 not piece:P@d piece:pd6 piece:pe5 not piece:p@c",
    ),
];

/// The names of all structures.
pub(super) const STRUCTURE_NAMES: [&str; STRUCTURES.len()] = {
    let mut names = [""; STRUCTURES.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = STRUCTURES[index].0;
        index += 1;
    }
    names
};

impl Structure {
    /// Returns all structures.
    pub fn all() -> impl Iterator<Item = Structure> {
        (0..STRUCTURES.len()).map(Structure::of_index)
    }

    /// Returns the structure with a number in the list of names.
    pub(super) fn of_index(index: usize) -> Structure {
        Structure((index % STRUCTURES.len()) as u8)
    }

    /// Returns the name, as queries have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        STRUCTURES[usize::from(self.0)].0
    }

    /// Returns the conditions on one position that it stands for, as `at` has them in brackets.
    #[must_use]
    pub fn conditions(self) -> &'static str {
        STRUCTURES[usize::from(self.0)].1
    }

    /// Returns the conditions, each about one man and its place.
    pub(crate) fn at(self) -> At {
        match format!("at({})", self.conditions()).parse() {
            Ok(Query::Position(sequence)) => sequence.first,
            _ => At::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::PositionTest;

    #[test]
    fn every_structure_is_about_pawns_and_their_places() {
        for structure in Structure::all() {
            let at = structure.at();
            assert!(at.conditions.len() > 2, "{}", structure.name());
            let is_about_pawn = |test: &PositionTest| match test {
                PositionTest::Piece(man, _) => man.index() % 6 == 5,
                _ => false,
            };
            assert!(at.conditions.iter().all(|one| is_about_pawn(&one.test)));
        }
    }
}
