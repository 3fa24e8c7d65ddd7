//! Position patterns, compiled for speed.
//!
//! A [`Pattern`] is a conjunction: cheap conditions first (counts, side to move, ply), then terms
//! over bitboards. An [`Automaton`] combines patterns: alternatives (a pattern and its mirror
//! images), consecutive positions, sequences. [`Boards`] follows a game and has everything a
//! pattern can test; [`SumMatcher`] is the fast path for patterns that are sums over the men on the
//! board. Most patterns are, exact positions above all.
//!
//! [`Automaton`]: automaton::Automaton
//! [`Boards`]: boards::Boards
//! [`SumMatcher`]: sum_matcher::SumMatcher

pub(crate) mod automaton;
pub(crate) mod boards;
mod checks;
pub(crate) mod element;
pub(crate) mod engine_eval;
mod history;
pub(crate) mod material;
mod mates;
mod meaning;
pub(crate) mod path;
pub(crate) mod played;
pub(crate) mod relation;
pub(crate) mod remark;
pub(crate) mod replies;
pub(crate) mod shifted;
pub(crate) mod similar;
pub(crate) mod sum;
pub(crate) mod sum_matcher;
pub(crate) mod sum_weights;
mod symmetry;
pub(crate) mod term;
pub(crate) mod told_moves;
mod trapped;
#[cfg(test)]
mod walks;
pub(crate) mod word;

use shakmaty::{Bitboard, Color, Role, Square};
use tabiya_chess::{
    Man, Rewind,
    material::CountRange,
    requirements::{HOME, Requirements},
};

use self::word::Measure;
pub(crate) use self::{
    boards::{Ahead, Boards, position_of},
    remark::Told,
    symmetry::{Men, Symmetry},
    term::{Term, Test},
};

/// A follower that searches for something.
pub(crate) trait Finder: Rewind {
    /// Returns the ply of the match in the last game followed, if there was one.
    fn found(&self) -> Option<u32>;

    /// Sets whether games are followed through all their lines from now on. Then nothing is
    /// concluded from men that left the board on one line, since another line may still match.
    fn look_in_all_lines(&mut self, all_lines: bool) {
        let _ = all_lines;
    }

    /// Receives what the comments of the next move tell.
    #[inline]
    fn note(&mut self, told: Told) {
        let _ = told;
    }

    /// Receives what follows the next position on its line.
    #[inline]
    fn look_ahead(&mut self, ahead: Ahead) {
        let _ = ahead;
    }
}

/// Conditions on one position, all of which must hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pattern {
    /// Counts of each kind of men.
    pub(crate) counts: CountRange,
    /// Who is to move.
    pub(crate) turn: Option<Color>,
    /// Plies since the start of the game, ends included.
    pub(crate) plies: (u32, u32),
    /// The rest.
    pub(crate) terms: Vec<Term>,
    /// Whether no position can satisfy it, for example because of contradictory counts.
    pub(crate) impossible: bool,
    /// Pawns that must stand on their home squares, as squares.
    vital: [u64; 2],
    /// Pawns that must not stand on their home squares, as squares.
    absent: [u64; 2],
    /// Squares of pawns that must stand somewhere.
    required: [u64; 2],
    /// Squares from which a pawn cannot reach any of the required squares, if all eight pawns of
    /// its colour are required; else none.
    dead_ends: [u64; 2],
    /// By colour: sets of squares. Each must contain a pawn, or none will ever reach a square where
    /// the pattern requires one.
    origins: [Vec<u64>; 2],
    /// Whether any of `vital`, `dead_ends` and `origins` has squares.
    is_about_pawns: bool,
    /// By colour: squares one of which must hold the king.
    kings: [u64; 2],
    /// The greatest full-move number, if there is one.
    last_move: u32,
    /// The fewest men, kings included.
    least_men: i32,
    /// Whether some pawn has promoted at every position that matches.
    promotes: bool,
    /// Whether it has promoted to another piece than a queen.
    underpromotes: bool,
}

/// Number of pawns of one colour, unless a game has a custom start position.
const PAWNS: u32 = 8;

impl Pattern {
    /// Builds a pattern and derives what its terms imply: lowest and highest counts, and the pawns
    /// that must or must not be at home.
    pub(crate) fn new(
        counts: CountRange,
        turn: Option<Color>,
        plies: (u32, u32),
        terms: Vec<Term>,
    ) -> Pattern {
        let mut pattern = Pattern {
            counts,
            turn,
            plies,
            impossible: plies.0 > plies.1,
            terms,
            vital: [0; 2],
            absent: [0; 2],
            required: [0; 2],
            dead_ends: [0; 2],
            origins: [Vec::new(), Vec::new()],
            is_about_pawns: false,
            kings: [u64::MAX; 2],
            last_move: u32::MAX,
            least_men: 0,
            promotes: false,
            underpromotes: false,
        };
        for man in Man::ALL {
            let (low, high) = (counts.low.get(man), counts.high.get(man));
            pattern.impossible |= low > high;
        }
        let mover = turn.map(Color::other);
        let terms = &pattern.terms;
        let implied: Vec<Term> = terms.iter().flat_map(|term| term.implied(mover)).collect();
        for term in pattern.terms.clone().iter().chain(&implied) {
            pattern.imply(term);
        }
        pattern
            .terms
            .extend(implied.into_iter().filter(Term::excludes_positions));
        pattern.terms.sort_by_key(Term::cost);
        for color in 0..2 {
            pattern.impossible |= pattern.vital[color] & pattern.absent[color] != 0;
        }
        pattern.find_dead_ends();
        pattern.is_about_pawns = pattern.vital != [0; 2]
            || pattern.dead_ends != [0; 2]
            || pattern.origins.iter().any(|origins| !origins.is_empty());
        pattern
    }

    /// Finds the dead ends. With all eight pawns required, each must reach one of the squares. A
    /// pawn only moves forward, and changes its file at most once per rank; never if nothing has
    /// been captured.
    fn find_dead_ends(&mut self) {
        const MEN: u16 = 32;
        let captures = self.counts.low.men() < MEN;
        for (index, color) in [Color::White, Color::Black].into_iter().enumerate() {
            let required = Bitboard(self.required[index]);
            if required.count() as u32 != PAWNS {
                continue;
            }
            let reaches = |from: Square, to: Square| {
                let ranks = match color {
                    Color::White => to.rank() as i32 - from.rank() as i32,
                    Color::Black => from.rank() as i32 - to.rank() as i32,
                };
                let files = (to.file() as i32 - from.file() as i32).abs();
                ranks >= 0 && files <= if captures { ranks } else { 0 }
            };
            let dead = Square::ALL
                .into_iter()
                .filter(|&from| !required.into_iter().any(|to| reaches(from, to)));
            self.dead_ends[index] = Bitboard::from_iter(dead).into();
        }
    }

    /// Adds what a term implies.
    fn imply(&mut self, term: &Term) {
        for man in Man::ALL {
            let count = term.least(man);
            self.impossible |= !self.counts.narrow(man, count, term.most(man));
        }
        for (index, color) in [Color::White, Color::Black].into_iter().enumerate() {
            self.required[index] |= term.pawns_required(color);
            self.vital[index] = self.required[index] & HOME[index];
            self.absent[index] |= term.pawns_excluded(color) & HOME[index];
            let each = Bitboard(term.pawns_required(color) & !HOME[index])
                .into_iter()
                .map(Bitboard::from);
            let somewhere = Some(Bitboard(term.pawn_somewhere(color)));
            let wanted = each.chain(somewhere).filter(|squares| squares.any());
            self.origins[index].extend(wanted.map(|squares| behind(squares, color)));
            self.kings[index] &= term.squares_of_one(Man::new(color, Role::King));
        }
        match (&term.test, term.negated) {
            (Test::Played(san), false) => {
                self.impossible |= !san.is_null && san.arrivals(None).0 == 0;
                self.promotes |= san.promotes().is_some();
                self.underpromotes |= san.promotes() == Some(true);
            }
            (Test::MoveNumber(_, last), false) => self.last_move = self.last_move.min(*last),
            (Test::Measure(Measure::Men, least, _), false) => {
                self.least_men = self.least_men.max(*least)
            }
            _ => {}
        }
    }

    /// Returns whether some pawn has promoted at every position that matches, and whether one has
    /// promoted to another piece than a queen.
    pub(crate) fn promotions(&self) -> (bool, bool) {
        (self.promotes, self.underpromotes)
    }

    /// Returns what prefilters of formats can check.
    pub(crate) fn requirements(&self) -> Requirements {
        Requirements {
            counts: self.counts,
            turn: self.turn,
            plies: self.plies,
            pawns: self.required,
            kings: self.kings,
        }
    }

    /// Returns the home squares on which pawns of this colour must stand. Pawns do not come back,
    /// so none of these has left.
    pub(crate) fn pawns_at_home(&self, color: Color) -> u64 {
        self.vital[color as usize ^ 1]
    }

    /// Returns the home squares that this colour's pawns must have left.
    pub(crate) fn pawns_gone(&self, color: Color) -> u64 {
        self.absent[color as usize ^ 1]
    }

    /// Returns the squares on which a pawn of this colour means that the pattern can no longer
    /// match, as long as the colour has at most eight pawns.
    pub(crate) fn pawns_astray(&self, color: Color) -> u64 {
        self.dead_ends[color as usize ^ 1]
    }

    /// Returns sets of squares. While the pattern can still match, each contains a pawn of this
    /// colour.
    pub(crate) fn pawn_origins(&self, color: Color) -> &[u64] {
        &self.origins[color as usize ^ 1]
    }

    /// Returns whether the pattern has no upper limit of plies.
    pub(crate) fn has_no_last_ply(&self) -> bool {
        /// No game is longer: queries give open ends as this number.
        const PLIES_MAX: u32 = i32::MAX as u32;
        self.plies.1 >= PLIES_MAX
    }

    /// Returns whether every position matches.
    pub(crate) fn is_everywhere(&self) -> bool {
        !self.impossible
            && self.counts == CountRange::ANY
            && self.turn.is_none()
            && self.plies.0 == 0
            && self.has_no_last_ply()
            && self.terms.is_empty()
    }

    /// Returns the squares one of which must hold the king, White's and Black's.
    pub(crate) fn kings(&self) -> [u64; 2] {
        self.kings
    }

    /// Returns whether the position satisfies the pattern.
    #[inline(always)]
    pub(crate) fn matches(&self, boards: &Boards) -> bool {
        self.turn.is_none_or(|turn| turn == boards.turn)
            && self.counts.contains(boards.counts)
            && self.plies.0 <= boards.ply
            && boards.ply <= self.plies.1
            && !self.impossible
            && self.terms_hold(boards)
    }

    /// Returns whether a move with these comments can lead to a position that matches. A necessary
    /// condition only.
    fn admits(&self, told: &Told) -> bool {
        self.terms.iter().all(|term| match &term.test {
            Test::Remark(test) => test.holds(told) != term.negated,
            _ => true,
        })
    }

    fn terms_hold(&self, boards: &Boards) -> bool {
        // The first term nearly always decides.
        let Some((first, rest)) = self.terms.split_first() else {
            return true;
        };
        first.holds(boards) && all_hold(rest, boards)
    }

    /// Returns whether a later position can still satisfy the pattern. Necessary conditions only:
    /// no pawn returns to its home square, moves backwards or is added, and every other missing man
    /// costs a pawn.
    #[inline]
    pub(crate) fn is_within_reach(&self, boards: &Boards) -> bool {
        boards.ply < self.plies.1
            && boards.move_number() <= self.last_move
            && (!self.is_about_pawns || self.pawns_are_within_reach(boards))
            && self.counts.is_within_reach(boards.counts)
            && (self.least_men <= 0 || i32::from(boards.counts.men()) >= self.least_men)
    }

    fn pawns_are_within_reach(&self, boards: &Boards) -> bool {
        let pawns = [boards.pawns(Color::White), boards.pawns(Color::Black)];
        let can_come = |side: usize| {
            let strays = pawns[side] & self.dead_ends[side] != 0;
            pawns[side] & self.vital[side] == self.vital[side]
                && self.origins[side]
                    .iter()
                    .all(|origins| pawns[side] & origins != 0)
                && !(strays && pawns[side].count_ones() <= PAWNS)
        };
        can_come(0) && can_come(1)
    }

    /// Returns whether a man that leaves can put the pattern out of reach.
    pub(crate) fn needs_men(&self) -> bool {
        self.counts != CountRange::ANY || self.least_men > 0 || self.needs_pawns()
    }

    /// Returns whether a pawn that moves can put the pattern out of reach, or the time until it
    /// does.
    pub(crate) fn needs_pawns(&self) -> bool {
        self.is_about_pawns || self.last_move != u32::MAX
    }
}

fn all_hold(terms: &[Term], boards: &Boards) -> bool {
    terms.iter().all(|term| term.holds(boards))
}

/// Returns the squares from which a pawn can reach one of these, themselves included. A pawn only
/// moves forward, and changes its file at most once per rank.
fn behind(squares: Bitboard, color: Color) -> u64 {
    let comes_to = |from: Square, to: Square| {
        let ranks = to.rank() as i32 - from.rank() as i32;
        let ranks = color.fold_wb(ranks, -ranks);
        (to.file() as i32 - from.file() as i32).abs() <= ranks
    };
    let origins = Square::ALL
        .into_iter()
        .filter(|&from| squares.into_iter().any(|to| comes_to(from, to)));
    Bitboard::from_iter(origins).into()
}
