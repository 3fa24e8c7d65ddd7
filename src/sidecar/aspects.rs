//! Aspects: properties of a whole position, and the conditions of a pattern on them.
//!
//! **Files.** A side's pawns stand on a set of files, which changes only when one of them captures,
//! is captured or promotes: about six times in a game. **Kings.** As long as both kings are on
//! their first ranks, their squares are one of 64 pairs.
//!
//! For each such state the sidecar stores the games in whose main lines it occurs. So all that a
//! pattern requires of the pawn files of a side, or of both kings, becomes a single condition. If
//! the pattern asks nothing else, that is the answer.

use shakmaty::{Color, Role};
use tabiya_chess::{Counts, Man};

use super::sets::{CROWDED, FIRST_FILES, FIRST_KINGS, GROWN};
use crate::pattern::{Men, Pattern, Term, Test};

/// The standard start with two queens each: the usual limit of search patterns.
pub(super) const TWO_EACH: Counts = Counts::STANDARD
    .with(Man::new(Color::White, Role::Queen), 2)
    .with(Man::new(Color::Black, Role::Queen), 2);

/// Files as bits: bit 0 is the a-file.
pub(super) type Files = u8;

/// A property that has one of a few states in every position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aspect {
    /// The files on which one side has pawns.
    Files(Color),
    /// The files of White's king on the first rank (times eight) and Black's on the eighth.
    Kings,
}

impl Aspect {
    const ALL: [Aspect; 3] = [
        Aspect::Files(Color::White),
        Aspect::Files(Color::Black),
        Aspect::Kings,
    ];

    /// Returns the number of the set of games that ever had a state.
    pub(super) fn set(self, state: u8) -> u16 {
        u16::from(state)
            + match self {
                Aspect::Files(Color::White) => FIRST_FILES,
                Aspect::Files(Color::Black) => FIRST_FILES + 256,
                Aspect::Kings => FIRST_KINGS,
            }
    }

    /// Returns the greatest state that has a set.
    fn last(self) -> u8 {
        match self {
            Aspect::Files(_) => 255,
            Aspect::Kings => 63,
        }
    }

    /// Returns the state of the standard start.
    fn at_start(self) -> u8 {
        match self {
            Aspect::Files(_) => 255,
            Aspect::Kings => 4 * 8 + 4,
        }
    }
}

/// Returns, for each aspect that a pattern restricts enough, sets of games. One of them must
/// contain a game for its main line to match.
pub(super) fn conditions(pattern: &Pattern) -> impl Iterator<Item = Vec<u16>> {
    let asked = Aspect::ALL
        .into_iter()
        .filter_map(|aspect| AspectCondition::new(pattern, aspect));
    asked
        .map(|asked| asked.sets())
        .filter(|sets| sets.len() <= SETS_MAX)
}

/// More sets than this exclude little: for files, at most 64 sets means that at least two files are
/// decided.
const SETS_MAX: usize = 64;

/// Sets of games that are certain to match a pattern.
#[derive(Debug)]
pub(crate) struct Proof {
    /// Sets whose games match.
    pub(super) sets: Vec<u16>,
    /// The set of games of which that is not proved.
    pub(super) except: u16,
}

/// Returns the games that are certain to match, if a pattern asks for one aspect only.
pub(super) fn proof(pattern: &Pattern) -> Option<Proof> {
    let asked = Aspect::ALL
        .into_iter()
        .filter_map(|aspect| AspectCondition::new(pattern, aspect));
    asked.filter_map(|asked| asked.proof()).next()
}

/// The condition of a pattern on one aspect.
struct AspectCondition<'p> {
    pattern: &'p Pattern,
    aspect: Aspect,
}

impl<'p> AspectCondition<'p> {
    /// Creates the condition; `None` if the pattern may match in states without sets.
    fn new(pattern: &'p Pattern, aspect: Aspect) -> Option<AspectCondition<'p>> {
        let [white, black] = pattern.kings();
        let has_set = match aspect {
            Aspect::Files(_) => true,
            Aspect::Kings => white < 1 << 8 && black.trailing_zeros() >= 56,
        };
        has_set.then_some(AspectCondition { pattern, aspect })
    }

    fn sets(&self) -> Vec<u16> {
        self.allowed().map(|state| self.aspect.set(state)).collect()
    }

    /// Iterates over the states in which the pattern may match.
    fn allowed(&self) -> impl Iterator<Item = u8> {
        (0..=self.aspect.last()).filter(|&state| self.allows(state))
    }

    fn allows(&self, state: u8) -> bool {
        match self.aspect {
            Aspect::Files(color) => Pawns::new(self.pattern, color).allow(state),
            Aspect::Kings => {
                let [white, black] = self.pattern.kings();
                white >> (state / 8) & 1 == 1 && black >> (56 + state % 8) & 1 == 1
            }
        }
    }

    fn proof(&self) -> Option<Proof> {
        let pattern = self.pattern;
        let is_proof = !pattern.impossible
            && pattern.turn.is_none()
            && (pattern.plies.0 == 0
                || (pattern.plies.0 == 1 && !self.allows(self.aspect.at_start())))
            && pattern.has_no_last_ply()
            && pattern.terms.iter().all(|term| self.decides(term));
        Some(Proof {
            except: self.exception().filter(|_| is_proof)?,
            sets: self.sets(),
        })
    }

    /// Returns whether the state alone decides a term.
    fn decides(&self, term: &Term) -> bool {
        let Test::Some { men, squares } = &term.test else {
            return false;
        };
        match self.aspect {
            Aspect::Files(color) => {
                is_only(*men, Man::new(color, Role::Pawn)) && touched(*squares) == covered(*squares)
            }
            Aspect::Kings => Color::ALL
                .into_iter()
                .any(|color| is_only(*men, Man::new(color, Role::King))),
        }
    }

    /// Returns the set of games whose counts may differ from what the pattern requires despite the
    /// state; `None` if no set covers them.
    fn exception(&self) -> Option<u16> {
        let counts = &self.pattern.counts;
        let fewest = self.allowed().map(u8::count_ones).min()?;
        let is_enough = |man: Man| {
            let least = match (man.role(), self.aspect) {
                (Role::King, _) => 1,
                (Role::Pawn, Aspect::Files(color)) if color == man.color() => fewest,
                _ => 0,
            };
            u32::from(counts.low.get(man)) <= least
        };
        let within = |most: Counts| {
            let mut men = Man::ALL.into_iter();
            men.all(|man| counts.high.get(man) >= most.get(man))
        };
        match Man::ALL.into_iter().all(is_enough) {
            true if within(TWO_EACH) => Some(CROWDED),
            true if within(Counts::STANDARD) => Some(GROWN),
            _ => None,
        }
    }
}

/// The condition of a pattern on one side's pawns.
struct Pawns<'p> {
    pattern: &'p Pattern,
    color: Color,
    pawn: Man,
}

impl Pawns<'_> {
    fn new(pattern: &Pattern, color: Color) -> Pawns<'_> {
        Pawns {
            pattern,
            color,
            pawn: Man::new(color, Role::Pawn),
        }
    }

    /// Returns whether the pattern may match with pawns on exactly these files, at least one on
    /// each.
    fn allow(&self, files: Files) -> bool {
        let counts = &self.pattern.counts;
        let count = files.count_ones();
        count <= u32::from(counts.high.get(self.pawn))
            && (count != 0 || counts.low.get(self.pawn) == 0)
            && self
                .pattern
                .terms
                .iter()
                .all(|term| self.allows_term(term, files))
    }

    fn allows_term(&self, term: &Term, files: Files) -> bool {
        let only = |men: Men| is_only(men, self.pawn);
        match (&term.test, term.negated) {
            (Test::Some { men, squares }, false) if only(*men) => files & touched(*squares) != 0,
            (Test::All { men, squares }, false) if only(*men) => {
                let wanted = touched(*squares);
                files & wanted == wanted
            }
            (Test::Some { men, squares }, true) if men >> self.pawn.index() & 1 == 1 => {
                files & covered(*squares) == 0
            }
            (Test::Exactly { man, squares }, false) if *man == self.pawn => {
                files == touched(*squares)
            }
            (Test::Files(white, black), false) => {
                let counts = self.color.fold_wb(white, black);
                let wanted = |file: usize| u8::from(counts[file] != 0) << file;
                files == (0..8).map(wanted).sum::<Files>()
            }
            _ => true,
        }
    }
}

/// Returns whether a set of men has only this one.
fn is_only(men: Men, man: Man) -> bool {
    men == 1 << man.index()
}

/// Returns the files of some squares.
fn touched(squares: u64) -> Files {
    let ranks = squares.to_le_bytes();
    ranks.into_iter().fold(0, |files, rank| files | rank)
}

/// Returns the files whose squares are all among these.
fn covered(squares: u64) -> Files {
    let ranks = squares.to_le_bytes();
    ranks
        .into_iter()
        .fold(Files::MAX, |files, rank| files & rank)
}
