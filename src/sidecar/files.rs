//! On which files pawns stand: what a game tells, and what a pattern asks of it.
//!
//! A side's pawns stand on a set of files, which changes only when one of them captures, is
//! captured or promotes: some six times in a game. Of each of the 256 sets that either side can
//! have the sidecar knows the games in whose main lines it has had it. So what a pattern wants
//! on some files and not on others is one condition, of all these files together.

use shakmaty::{Color, Role};

use super::visits::{CROWDED, FIRST_FILES, GROWN};
use crate::{
    chess::{Counts, Man, Placed, Start},
    pattern::{Pattern, Term, Test, term::Men},
};

/// The standard start with two queens each: what searches for patterns mostly allow.
pub(super) const TWO_EACH: Counts = Counts::STANDARD
    .with(Man::new(Color::White, Role::Queen), 2)
    .with(Man::new(Color::Black, Role::Queen), 2);

/// Files as bits: bit 0 is the a-file.
type Files = u8;

/// Follows on which files the pawns of each side stand.
#[derive(Debug, Clone)]
pub(super) struct FileTrace {
    /// How many pawns stand on each file: four bits each, White's and Black's.
    counts: [u32; 2],
    /// The sets of files that pawns have stood on; some more than once.
    seen: [Vec<Files>; 2],
    /// Some count has changed since the last ply was complete.
    changed: bool,
}

impl FileTrace {
    pub(super) fn new() -> FileTrace {
        FileTrace {
            counts: [0; 2],
            seen: [Vec::new(), Vec::new()],
            changed: false,
        }
    }

    pub(super) fn start(&mut self, start: Start<'_>) {
        self.seen.iter_mut().for_each(Vec::clear);
        self.counts = match start {
            Start::Standard => [0x1111_1111; 2],
            Start::Custom(setup) => Color::ALL.map(|color| {
                let pawns = setup.board.pawns() & setup.board.by_color(color);
                // At most eight on a file.
                let each = pawns
                    .into_iter()
                    .map(|square| 1 << (4 * square.file() as u32));
                each.sum()
            }),
        };
        self.changed = true;
        self.look();
    }

    #[inline(always)]
    pub(super) fn shift(&mut self, from: Placed, to: Placed) {
        let changes_file = (from.square_index() ^ to.square_index()) & 7 != 0;
        if changes_file && let Some(side) = pawn_side(from) {
            self.counts[side] -= one_on_file(from);
            self.counts[side] += one_on_file(to);
            self.changed = true;
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, gone: Placed) {
        if let Some(side) = pawn_side(gone) {
            self.counts[side] -= one_on_file(gone);
            self.changed = true;
        }
    }

    #[inline(always)]
    pub(super) fn look(&mut self) {
        if std::mem::take(&mut self.changed) {
            for (seen, counts) in self.seen.iter_mut().zip(self.counts) {
                seen.push(occupied(counts));
            }
        }
    }

    /// Iterates over the sets of the game's course, by the numbers under which the sidecar
    /// knows them.
    pub(super) fn sets(&self) -> impl Iterator<Item = u16> {
        let sides = Color::ALL.into_iter().zip(&self.seen);
        sides.flat_map(|(color, seen)| seen.iter().map(move |&files| number(color, files)))
    }
}

/// Returns whose pawn it is, if it is one: 0 for White.
#[inline(always)]
fn pawn_side(placed: Placed) -> Option<usize> {
    match placed.man_index() {
        5 => Some(0),
        11 => Some(1),
        _ => None,
    }
}

fn one_on_file(placed: Placed) -> u32 {
    1 << (4 * (placed.square_index() & 7))
}

/// Returns the files whose counts are not 0.
fn occupied(counts: u32) -> Files {
    let file = |file: u8| u8::from(counts >> (4 * file) & 0xf != 0) << file;
    (0..8).map(file).sum()
}

/// Returns the number of the set of games in which a side's pawns have stood on just these
/// files.
fn number(color: Color, files: Files) -> u16 {
    FIRST_FILES + color.fold_wb(0, 256) + u16::from(files)
}

/// Returns, for either side of which a pattern tells enough, the sets of games of which one must
/// hold a game in whose main line it matches.
pub(super) fn conditions(pattern: &Pattern) -> impl Iterator<Item = Vec<u16>> {
    Color::ALL.into_iter().filter_map(move |color| {
        let pawns = Pawns::new(pattern, color);
        let sets: Vec<u16> = pawns.allowed().map(|files| number(color, files)).collect();
        (sets.len() <= SETS_MAX).then_some(sets)
    })
}

/// More sets than these exclude little: two files at least are settled.
const SETS_MAX: usize = 64;

/// No game has more plies: queries give their open ends as this number.
const PLIES_MAX: u32 = i32::MAX as u32;

/// Sets of games that match a pattern for certain.
#[derive(Debug)]
pub(crate) struct Proof {
    /// A game of any of these matches,
    pub(super) sets: Vec<u16>,
    /// unless it is in this one.
    pub(super) except: u16,
}

/// Returns the games that match for certain, if all that a pattern asks is which files one
/// side's pawns stand on.
pub(super) fn proof(pattern: &Pattern) -> Option<Proof> {
    let [white, black] = Color::ALL.map(|color| Pawns::new(pattern, color));
    let pawns = match (white.allowed().count(), black.allowed().count()) {
        (_, 256) => white,
        (256, _) => black,
        _ => return None,
    };
    let is_exact = |term: &Term| pawns.files_of(term).is_some();
    let at_start = pawns.allows(Files::MAX);
    let is_proof = !pattern.impossible
        && pattern.turn.is_none()
        && (pattern.plies.0 == 0 || (pattern.plies.0 == 1 && !at_start))
        && pattern.plies.1 >= PLIES_MAX
        && pattern.terms.iter().all(is_exact);
    let except = pawns.exception().filter(|_| is_proof)?;
    let numbers = pawns.allowed().map(|files| number(pawns.color, files));
    Some(Proof {
        sets: numbers.collect(),
        except,
    })
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

    /// Iterates over the sets of files that the pattern allows.
    fn allowed(&self) -> impl Iterator<Item = Files> {
        (0..=Files::MAX).filter(|&files| self.allows(files))
    }

    /// Tells whether the pattern may match while pawns stand on just these files: each has at
    /// least one.
    fn allows(&self, files: Files) -> bool {
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
        let only = |men: Men| men == 1 << self.pawn.index();
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
                files == (0..8).map(wanted).sum()
            }
            _ => true,
        }
    }

    /// Returns the files that a term is about, if it asks only whether these pawns stand on
    /// them.
    fn files_of(&self, term: &Term) -> Option<Files> {
        match &term.test {
            Test::Some { men, squares } if *men == 1 << self.pawn.index() => {
                let files = touched(*squares);
                (files == covered(*squares)).then_some(files)
            }
            _ => None,
        }
    }

    /// Returns the set of games of which the files do not tell that their counts are what the
    /// pattern wants; `None` if they never tell.
    fn exception(&self) -> Option<u16> {
        let counts = &self.pattern.counts;
        let fewest = self.allowed().map(Files::count_ones).min()?;
        let is_enough = |man: Man| {
            let least = match man {
                _ if man.role() == Role::King => 1,
                _ if man == self.pawn => fewest,
                _ => 0,
            };
            u32::from(counts.low.get(man)) <= least
        };
        let within = |most: Counts| {
            let all = Man::ALL.into_iter();
            all.filter(|&man| counts.high.get(man) < most.get(man))
                .count()
                == 0
        };
        match Man::ALL.into_iter().all(is_enough) {
            true if within(TWO_EACH) => Some(CROWDED),
            true if within(Counts::STANDARD) => Some(GROWN),
            _ => None,
        }
    }
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
