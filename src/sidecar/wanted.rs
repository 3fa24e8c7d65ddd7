//! The conditions of a pattern on visit sets.

use shakmaty::Square;
use tabiya_chess::Man;

use super::{
    RareSet,
    aspects::{self, Proof},
    container::ones,
    sets::{GROWN, UNDECODED},
    threats,
    visit_tracker::Squares,
};
use crate::pattern::{Men, Pattern, Term, Test};

/// Necessary conditions for a position of a main line to match a pattern. For each, some man has
/// stood on some square, or some [aspect](aspects) has had some state.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequiredSets {
    /// The set numbers of all conditions, concatenated.
    rows: Vec<u16>,
    /// The end of each condition in `rows`.
    ends: Vec<usize>,
    /// The set that contains all games of the only position that matches.
    pub(super) rare: Option<RareSet>,
}

impl RequiredSets {
    /// The greatest number of sets in one condition.
    pub(super) const ROWS_MAX: usize = 64;
    /// The greatest number of squares in one condition. With more, it would exclude too few games
    /// to be worth its cost.
    const SQUARES_MAX: usize = 32;

    /// Derives the conditions from the men and squares of a pattern's terms.
    pub(crate) fn new(pattern: &Pattern) -> RequiredSets {
        let mut wanted = RequiredSets::default();
        for term in pattern.terms.iter().filter(|term| !term.negated) {
            wanted.add_term(term);
        }
        for sets in aspects::conditions(pattern) {
            wanted.rows.extend(sets);
            wanted.ends.push(wanted.rows.len());
        }
        if pattern.promotions().0 {
            wanted.add_set(GROWN);
        }
        let threats = pattern.terms.iter().filter_map(threats::set_of);
        threats.for_each(|set| wanted.add_set(set));
        wanted
    }

    /// Requires that a man has stood on a square.
    pub(crate) fn visit(man: Man, square: Square) -> RequiredSets {
        let mut wanted = RequiredSets::default();
        wanted.add_set(man.index() as u16 * 64 + u16::from(square));
        wanted
    }

    fn add_set(&mut self, set: u16) {
        self.rows.push(set);
        self.ends.push(self.rows.len());
    }

    /// Adds the condition that a position is in a set of rare ones.
    pub(crate) fn in_set(self, rare: Option<RareSet>) -> RequiredSets {
        RequiredSets { rare, ..self }
    }

    /// Returns which games are certain to match a pattern; `None` if no sets prove it.
    pub(crate) fn proof(pattern: &Pattern) -> Option<Proof> {
        let proof_of = |set| Proof {
            sets: vec![set],
            except: UNDECODED,
        };
        let threat = threats::set_of_pattern(pattern).map(proof_of);
        threat.or_else(|| aspects::proof(pattern))
    }

    fn add_term(&mut self, term: &Term) {
        match &term.test {
            Test::Some { men, squares } => self.add(*men, *squares),
            Test::All { men, squares } => self.add_each(*men, *squares),
            Test::Exactly { man, squares } => self.add_each(1 << man.index(), *squares),
            _ => {}
        }
    }

    /// Requires that one of the men has stood on each of the squares.
    fn add_each(&mut self, men: Men, squares: u64) {
        for square in ones(squares) {
            self.add(men, 1 << square);
        }
    }

    /// Requires that one of the men has stood on one of the squares.
    fn add(&mut self, men: Men, squares: u64) {
        let men = Man::ALL
            .into_iter()
            .filter(|man| men >> man.index() & 1 == 1);
        let squares_count = squares.count_ones() as usize;
        if men.clone().count() * squares_count > RequiredSets::SQUARES_MAX {
            return;
        }
        for man in men {
            let first = man.index() as u16 * 64;
            self.rows.extend(ones(squares).map(|square| first + square));
        }
        self.ends.push(self.rows.len());
    }

    /// Iterates over the conditions; for each, a game must be in one of the rows.
    pub(super) fn conditions(&self) -> impl Iterator<Item = &[u16]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.rows[start..end])
    }

    /// Returns whether there are no conditions on sets.
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns whether a line on which men have stood on these squares satisfies the conditions on
    /// squares.
    pub(crate) fn allows(&self, squares: &Squares) -> bool {
        let is_of_squares = |rows: &&[u16]| rows.iter().all(|&row| row < UNDECODED);
        let mut conditions = self.conditions().filter(is_of_squares);
        conditions.all(|rows| rows.iter().any(|&row| squares.has(row)))
    }
}
