//! What a game is like as a whole, and what a pattern asks of that.
//!
//! **Files.** A side's pawns stand on a set of files, which changes only when one of them captures,
//! is captured or promotes: some six times in a game. **Kings.** As long as both kings are on
//! their first ranks, where both of them stand is one of 64 pairs.
//!
//! Of each such state the sidecar knows the games in whose main lines it occurs. So what a
//! pattern wants on some files and not on others, or of both kings, is one condition, of all of it
//! together; and where a pattern asks nothing else, it is the answer.

use shakmaty::{Color, Role};

use super::visits::{CROWDED, FIRST_FILES, FIRST_KINGS, GROWN};
use crate::{
    chess::{Counts, Man},
    pattern::{Pattern, Term, Test, term::Men},
};

/// The standard start with two queens each: what searches for patterns mostly allow.
pub(super) const TWO_EACH: Counts = Counts::STANDARD
    .with(Man::new(Color::White, Role::Queen), 2)
    .with(Man::new(Color::Black, Role::Queen), 2);

/// Files as bits: bit 0 is the a-file.
pub(super) type Files = u8;

/// Something that has one of a few states in every position.
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

    /// Returns the number of the set of games in which it has had a state.
    pub(super) fn set(self, state: u8) -> u16 {
        u16::from(state)
            + match self {
                Aspect::Files(Color::White) => FIRST_FILES,
                Aspect::Files(Color::Black) => FIRST_FILES + 256,
                Aspect::Kings => FIRST_KINGS,
            }
    }

    /// Returns the greatest of its states that have sets.
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

/// Returns, for each aspect of which a pattern tells enough, the sets of games of which one must
/// hold a game in whose main line it matches.
pub(super) fn conditions(pattern: &Pattern) -> impl Iterator<Item = Vec<u16>> {
    let asked = Aspect::ALL
        .into_iter()
        .filter_map(|aspect| Asked::new(pattern, aspect));
    asked
        .map(|asked| asked.sets())
        .filter(|sets| sets.len() <= SETS_MAX)
}

/// More sets than these exclude little: of files, two at least are settled.
const SETS_MAX: usize = 64;

/// Sets of games that match a pattern for certain.
#[derive(Debug)]
pub(crate) struct Proof {
    /// A game of any of these matches,
    pub(super) sets: Vec<u16>,
    /// unless it is in this one.
    pub(super) except: u16,
}

/// Returns the games that match for certain, if one aspect is all that a pattern asks for.
pub(super) fn proof(pattern: &Pattern) -> Option<Proof> {
    let asked = Aspect::ALL
        .into_iter()
        .filter_map(|aspect| Asked::new(pattern, aspect));
    asked.filter_map(|asked| asked.proof()).next()
}

/// What a pattern wants of one aspect.
struct Asked<'p> {
    pattern: &'p Pattern,
    aspect: Aspect,
}

impl<'p> Asked<'p> {
    /// Takes a pattern that matches in no other states than those that have sets.
    fn new(pattern: &'p Pattern, aspect: Aspect) -> Option<Asked<'p>> {
        let [white, black] = pattern.kings();
        let has_set = match aspect {
            Aspect::Files(_) => true,
            Aspect::Kings => white < 1 << 8 && black.trailing_zeros() >= 56,
        };
        has_set.then_some(Asked { pattern, aspect })
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

    /// Returns the set of games of which the state does not tell that their counts are what the
    /// pattern wants; `None` if it never tells.
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

/// What a pattern wants of one side's pawns.
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

    /// Returns whether the pattern may match while pawns stand on just these files: each has at
    /// least one.
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

/// Returns whether a set of men holds this one alone.
fn is_only(men: Men, man: Man) -> bool {
    men == 1 << man.index()
}

/// Returns the files of some squares.
fn touched(squares: u64) -> Files {
    let ranks = squares.to_le_bytes();
    ranks.into_iter().fold(0, |files, rank| files | rank)
}

/// Returns the files of which all squares are among these.
fn covered(squares: u64) -> Files {
    let ranks = squares.to_le_bytes();
    ranks
        .into_iter()
        .fold(Files::MAX, |files, rank| files & rank)
}
