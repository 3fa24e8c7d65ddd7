//! What the index says about a condition on positions, with the reasons.
//!
//! **Stored line.** A game with code k begins with the moves of line k, so what is found along
//! line k is found in the game, at the same ply. Code 0 stands for the empty line: every game
//! from the standard start has that start position. And when, at the end of the line, nothing
//! later can match because a pawn that must be at home has left or men are missing that no
//! promotion can bring, the game does not match. A line is a true beginning of the game but
//! perhaps not the longest in the table, so nothing is concluded from lines that a game is not
//! said to follow. Not for games with their own start position: their code means nothing.
//!
//! **Home pawns.** The list tells in which order pawns left their home squares, and they leave
//! one at a time, one a ply at most. At the matching position the pawns that have left are a
//! prefix of the list. So there must be a prefix that holds every pawn that the pattern wants
//! gone, none that it wants at home, and one of each group of which it wants some gone. Not for
//! games with their own start position, whose list means nothing.
//!
//! **Final material.** Captures only take away. What a game ends with it had at every earlier
//! position too, except for men that promotion brought: the number of pawns never grows; without
//! promotions no number does; with promotions to queens only, rooks, bishops and knights do not,
//! nor do queens and pawns together. So the highest counts that a pattern allows must not be
//! below the final ones. The index clamps counts of pieces at three, which only makes it say
//! less. Writers before Scid 4.3 let a count of four and more run over into the next field
//! instead; from the standard start that takes promotions, and then the only field that is both
//! run into and relied upon is that of White's pawns, which may read one too high. Games with
//! their own start position are not judged by it: they may begin with any number of men, and
//! for those without moves Scid 3 stored the material of the standard start.
//!
//! **Promotion flags.** From the standard start there are never more than one queen and two
//! rooks, bishops and knights without a promotion, so a pattern that wants more needs the flag.
//!
//! **Plies.** A game of n plies has no position at ply n + 1; where only a bound of n is known,
//! that is used.
//!
//! **What else the format knows.** See [`View::may_hold`].
//!
//! **Visit sets.** See [`visits`](super::visits). They are asked for whole blocks before records
//! are looked at.
//!
//! **Timelines.** See [`timeline`](super::timeline). They are asked last, about games that nothing
//! else decides.
//!
//! All of this is about the main line. When variations are searched, a game that has some is
//! never rejected; what the stored line proves stays true.

use std::sync::Arc;

use shakmaty::{Bitboard, Color, Role};

use super::{
    Batch, BlockBounds, Lanes, StoredLines, lines::LineVerdict, timeline::TimelineFilter,
    visits::VisitFilter,
};
use crate::{
    chess::{
        Counts, FinalMaterial, GameId, HomePawns, Man,
        home_pawns::{PawnSet, home_square, pawn_number, pawns_of},
    },
    format::{Header, View, header::flag},
    pattern::{Pattern, Term, automaton::Automaton},
    sidecar::{BLOCK_WORDS, BlockGames, Sidecar},
};

/// What the index can say about one automaton.
#[derive(Debug)]
pub(crate) struct PositionFilter {
    /// What the stored line proves, by its code.
    lines: Box<[LineVerdict; 256]>,
    /// The same for the scan: [`FOUND`], [`OPEN`] or 0 for never; from 256 on for custom starts.
    classes: Box<[u8; 512]>,
    /// For every step, its alternatives: some alternative of every step must be possible.
    steps: Vec<Vec<Necessary>>,
    /// What a sidecar knows, if there is one and it knows anything of this.
    visits: Option<VisitFilter>,
    timelines: Option<TimelineFilter>,
    /// Variations are searched too.
    variations: bool,
}

/// Of so few games of a batch everything is tested one by one.
const FEW_GAMES: u32 = 16;

/// Bits of a class.
const FOUND: u8 = 1;
const OPEN: u8 = 2;

impl PositionFilter {
    /// Prepares a filter. `sidecar` is that of the database, if it has one.
    pub(crate) fn new(
        automaton: &Automaton,
        variations: bool,
        lines: &StoredLines,
        sidecar: Option<&Arc<Sidecar>>,
    ) -> PositionFilter {
        let lines = lines.verdicts(automaton);
        let necessary = |patterns: &Vec<Pattern>| patterns.iter().map(Necessary::new).collect();
        let mut classes = Box::new([OPEN; 512]);
        for (class, line) in classes.iter_mut().zip(lines.iter()) {
            *class = match line {
                LineVerdict::Found(_) => FOUND,
                LineVerdict::Open => OPEN,
                LineVerdict::Never => 0,
            };
        }
        PositionFilter {
            classes,
            lines,
            steps: automaton
                .steps
                .iter()
                .map(|step| necessary(&step.alternatives))
                .collect(),
            visits: sidecar.and_then(|sidecar| VisitFilter::new(automaton, sidecar)),
            timelines: sidecar.and_then(|sidecar| TimelineFilter::new(automaton, sidecar)),
            variations,
        }
    }

    /// Tells whether visit sets are asked.
    pub(crate) fn asks_visits(&self) -> bool {
        self.visits.is_some()
    }

    /// Tells whether timelines are asked.
    pub(crate) fn asks_timelines(&self) -> bool {
        self.timelines.is_some()
    }

    /// Returns a bound of how many games may match, as visit sets tell; `None` when they do not.
    pub(super) fn candidates_at_most(&self) -> Option<u64> {
        let visits = self.visits.as_ref().filter(|_| !self.variations);
        visits?.candidates_at_most()
    }

    /// Returns what a sidecar tells of the games of a block; `None` when it tells nothing.
    /// `records` are those of the block. See [`bounds`](super::bounds) for `wants_plies`.
    pub(super) fn known<R: Header>(
        &self,
        block: usize,
        records: &[R],
        _wants_plies: bool,
    ) -> Option<BlockBounds> {
        let mut possible = self.visits.as_ref()?.candidates(block)?;
        if self.variations {
            let mut open = Box::new([0; BLOCK_WORDS]);
            for (word, records) in open.iter_mut().zip(records.chunks(64)) {
                *word = have_variations(records);
            }
            possible = possible.or(BlockGames::Many(open));
        }
        Some(BlockBounds {
            certain: BlockGames::NONE,
            possible,
        })
    }

    /// Keeps only what the automaton excludes: for a condition that is stricter than it.
    pub(crate) fn only_excluding(mut self) -> PositionFilter {
        for (line, class) in self.lines.iter_mut().zip(self.classes.iter_mut()) {
            if let LineVerdict::Found(_) = line {
                (*line, *class) = (LineVerdict::Open, OPEN);
            }
        }
        if let Some(timelines) = &mut self.timelines {
            timelines.is_exact = false;
        }
        self
    }

    /// Evaluates a batch of records.
    pub(crate) fn lanes<V: View>(&self, view: V, batch: Batch<'_, V::Record>) -> Lanes {
        let records = batch.records;
        let (mut found, mut open) = (0, 0);
        let mut classify = |(lane, record): (usize, &V::Record)| {
            // Without branches: a custom start reads entry 256, which is open.
            let custom = usize::from(record.may_be_custom_start()) << 8;
            let class = self.classes[(usize::from(record.stored_line()) | custom) & 511];
            found |= u64::from(class & 1) << lane;
            open |= u64::from(class >> 1) << lane;
        };
        match batch.among.count_ones() <= FEW_GAMES {
            true => batch.each().for_each(&mut classify),
            false => records.iter().enumerate().for_each(&mut classify),
        }
        open &= batch.among;
        for step in &self.steps {
            let possible = |necessary: &Necessary| {
                let games = necessary.games(records, open);
                view.may_hold(&necessary.pattern, GameId(batch.first), games)
            };
            open = step
                .iter()
                .fold(0, |games, necessary| games | possible(necessary));
        }
        if let Some(timelines) = &self.timelines {
            let told = timelines.lanes(batch.first, open & !found);
            found |= told.certain;
            open = told.possible;
        }
        if self.variations {
            open |= have_variations(records) & !found;
        }
        Lanes {
            certain: found,
            possible: found | open,
        }
    }

    /// Returns the ply at which a game matches for certain, as far as is known without decoding.
    pub(crate) fn found_at<R: Header>(&self, game: u32, record: &R) -> Option<u32> {
        match self.line_verdict(record) {
            LineVerdict::Found(ply) => Some(ply.into()),
            LineVerdict::Open | LineVerdict::Never => self.timelines.as_ref()?.found_at(game),
        }
    }

    #[inline]
    fn line_verdict<R: Header>(&self, record: &R) -> LineVerdict {
        match record.may_be_custom_start() {
            true => LineVerdict::Open,
            false => self.lines[usize::from(record.stored_line())],
        }
    }
}

fn have_variations<R: Header>(records: &[R]) -> u64 {
    let records = records.iter().enumerate();
    records.fold(0, |games, (lane, record)| {
        games | u64::from(record.variation_count().at_most != 0) << lane
    })
}

/// The conditions on one record without which a pattern cannot match its main line.
#[derive(Debug)]
struct Necessary {
    /// For what a format stores besides its records.
    pattern: Pattern,
    possible: bool,
    material: MaterialLimit,
    pawns: PawnOrder,
    /// Flags that a game from the standard start must have.
    flags: u32,
    plies_min: u32,
}

impl Necessary {
    fn new(pattern: &Pattern) -> Necessary {
        let low = |letter| Man::from_char(letter).map_or(0, |man| pattern.counts.low.get(man));
        let mut flags = 0;
        if ['Q', 'q'].into_iter().any(|queen| low(queen) > 1) {
            flags |= flag::PROMOTION;
        }
        if ['R', 'B', 'N', 'r', 'b', 'n']
            .into_iter()
            .any(|piece| low(piece) > 2)
        {
            flags |= flag::PROMOTION | flag::UNDERPROMOTION;
        }
        Necessary {
            pattern: pattern.clone(),
            possible: !pattern.impossible,
            material: MaterialLimit::new(pattern.counts.high),
            pawns: PawnOrder::new(pattern),
            flags,
            plies_min: pattern.plies.0,
        }
    }

    /// Returns which of up to 64 games may match, among those given.
    ///
    /// What is cheap is tested for all of them without branches, the rest for the survivors. If
    /// only few are given, everything is tested for these alone.
    #[inline]
    fn games<R: Header>(&self, records: &[R], among: u64) -> u64 {
        if !self.possible || among == 0 {
            return 0;
        }
        let mut games = among;
        let few = among.count_ones() <= FEW_GAMES;
        if !few {
            let mut passing = 0;
            for (lane, record) in records.iter().enumerate() {
                passing |= u64::from(self.passes(record)) << lane;
            }
            games &= passing;
        }
        let mut rest = games;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            if !records
                .get(lane as usize)
                .is_some_and(|record| (!few || self.passes(record)) && self.holds(record))
            {
                games &= !(1 << lane);
            }
        }
        games
    }

    /// Tests what is cheap.
    #[inline(always)]
    fn passes<R: Header>(&self, record: &R) -> bool {
        let flags = flags_of(record);
        let standard = flags & flag::UNPROVED == 0;
        let pawns_allow = !R::EVIDENCE.home_pawns | self.pawns.may_allow(record.home_pawns());
        !standard | (self.material.allows(record.final_material(), flags) & pawns_allow)
    }

    /// Tests what is not so cheap.
    #[inline]
    fn holds<R: Header>(&self, record: &R) -> bool {
        let flags = flags_of(record);
        if flags & flag::UNPROVED == 0
            && (flags & self.flags != self.flags
                || (R::EVIDENCE.home_pawns && !self.pawns.allows(record.home_pawns()))
                || !self
                    .material
                    .allows_with_queens(record.final_material(), flags))
        {
            return false;
        }
        self.plies_min == 0 || record.plies().at_most >= self.plies_min
    }
}

/// Returns the flags of a record; where it does not tell of promotions, there may be any.
#[inline(always)]
fn flags_of<R: Header>(record: &R) -> u32 {
    match R::EVIDENCE.promotions {
        true => record.flags(),
        false => record.flags() | flag::ANY_PROMOTION,
    }
}

/// Highest counts, compared with final material in two subtractions.
///
/// The 24 bits are split into two sets of fields that do not touch, so that the bit above each
/// field is free to show whether the subtraction of that field borrowed.
#[derive(Debug)]
struct MaterialLimit {
    /// The limit with the guard bits set, for both sets of fields; without promotions and with.
    guarded: [[u32; 2]; 2],
    /// By promotion flags (bits 1 and 2 of the flags): the guard bits that must stay.
    required: [[u32; 2]; 4],
    /// Limits on queens and pawns together, by colour as in [`Color::ALL`].
    queens_and_pawns: [u32; 2],
}

const WHITE_PAWN: Man = Man::new(Color::White, Role::Pawn);

/// The fields of one set: white P, B, Q and black N, R lie in different sets from the rest.
const FIELDS: [u32; 2] = {
    let mut fields = [0; 2];
    let mut index = 0;
    while index < Man::COUNT {
        if let Some((shift, width)) = FinalMaterial::field(Man::ALL[index]) {
            fields[field_set(shift)] |= ((1 << width) - 1) << shift;
        }
        index += 1;
    }
    fields
};

/// Which set a field is in: neighbours are in different ones.
const fn field_set(shift: u32) -> usize {
    match shift {
        0 | 6 | 10 | 16 | 20 => 0,
        _ => 1,
    }
}

impl MaterialLimit {
    fn new(high: Counts) -> MaterialLimit {
        let mut limit = MaterialLimit {
            guarded: [[0; 2]; 2],
            required: [[0; 2]; 4],
            queens_and_pawns: Color::ALL.map(|color| {
                let count = |role| u32::from(high.get(Man::new(color, role)));
                // As for the pawns alone.
                count(Role::Queen) + count(Role::Pawn) + u32::from(color.is_white())
            }),
        };
        for man in Man::ALL {
            let Some((shift, width)) = FinalMaterial::field(man) else {
                continue;
            };
            let (set, guard) = (field_set(shift), 1 << (shift + width));
            for (promotions, guarded) in limit.guarded.iter_mut().enumerate() {
                // A count of four black queens runs over into White's pawns.
                let slack = u32::from(promotions == 1 && man == WHITE_PAWN);
                let count = (u32::from(high.get(man)) + slack).min((1 << width) - 1);
                guarded[set] |= count << shift | guard;
            }
            for (promotions, required) in limit.required.iter_mut().enumerate() {
                let (promoted, underpromoted) = (promotions & 1 != 0, promotions & 2 != 0);
                let never_grows = match man.role() {
                    Role::Pawn => true,
                    Role::Queen => !promoted && !underpromoted,
                    _ => !underpromoted,
                };
                if never_grows {
                    required[set] |= guard;
                }
            }
        }
        limit
    }

    /// Tells whether a game with this final material may have had a position within the limit.
    #[inline]
    fn allows(&self, material: FinalMaterial, flags: u32) -> bool {
        let promotions = (flags >> 1 & 3) as usize;
        let required = &self.required[promotions];
        let guarded = &self.guarded[usize::from(promotions != 0)];
        let left = |set: usize| guarded[set].wrapping_sub(material.0 & FIELDS[set]) & required[set];
        (left(0) == required[0]) & (left(1) == required[1])
    }

    /// The weaker test of queens when some may have been promoted and nothing else was.
    fn allows_with_queens(&self, material: FinalMaterial, flags: u32) -> bool {
        const ONLY_QUEENS: u32 = flag::PROMOTION;
        if flags & (flag::PROMOTION | flag::UNDERPROMOTION) != ONLY_QUEENS {
            return true;
        }
        let mut limits = Color::ALL.into_iter().zip(self.queens_and_pawns);
        limits.all(|(color, limit)| {
            let count = |role| u32::from(material.at_least(Man::new(color, role)));
            count(Role::Queen) + count(Role::Pawn) <= limit
        })
    }
}

/// What a pattern demands of the order in which pawns left home.
#[derive(Debug)]
struct PawnOrder {
    /// All of these have left.
    gone: PawnSet,
    /// None of these has left.
    home: PawnSet,
    /// Of each of these groups, some pawn has left.
    some_gone: Vec<PawnSet>,
    /// `gone` and `home` together are all pawns, so that a prefix of known length is `gone`.
    complete: bool,
    /// How many pawns are in `gone`.
    gone_count: u8,
    /// How many of the first entries the scan looks at, when it is `complete`; the rest is for
    /// the few games that pass.
    early_count: u8,
}

impl PawnOrder {
    fn new(pattern: &Pattern) -> PawnOrder {
        let pawns = |squares: [u64; 2]| {
            let numbers = squares
                .into_iter()
                .flat_map(Bitboard)
                .filter_map(pawn_number);
            numbers.fold(0, |set: PawnSet, pawn| set | 1 << pawn)
        };
        let home = pawns(Color::ALL.map(|color| pattern.pawns_at_home(color)));
        let gone = pawns(Color::ALL.map(|color| pattern.pawns_gone(color)));
        let mut some_gone: Vec<PawnSet> = pattern
            .terms
            .iter()
            .flat_map(|term| Color::ALL.map(|color| groups(term, color)))
            .flatten()
            .filter(|group| group & gone == 0)
            .collect();
        some_gone.sort_unstable();
        some_gone.dedup();
        let complete = gone | home == PawnSet::MAX;
        let gone_count = gone.count_ones() as u8;
        PawnOrder {
            gone,
            home,
            some_gone,
            complete,
            gone_count,
            early_count: match (complete, gone_count) {
                (false, _) => 0,
                (true, 0..=8) => gone_count,
                (true, _) => 4,
            },
        }
    }

    /// A part of the test that is always the same work, so that there is nothing for the
    /// processor to guess: the first pawns that left are none of those at home.
    #[inline(always)]
    fn may_allow(&self, pawns: HomePawns) -> bool {
        let early = pawns.first(self.early_count);
        (self.early_count == 0) | ((pawns.count() >= self.gone_count) & (early & self.home == 0))
    }

    /// The whole test.
    #[inline]
    fn allows(&self, pawns: HomePawns) -> bool {
        if self.complete {
            return pawns.count() >= self.gone_count && pawns.first(self.gone_count) == self.gone;
        }
        let left = pawns.left();
        if left & self.gone != self.gone {
            return false;
        }
        if self.home == 0 {
            return self.some_gone.iter().all(|group| left & group != 0);
        }
        self.some_prefix_fits(pawns)
    }

    fn some_prefix_fits(&self, pawns: HomePawns) -> bool {
        let fits = |left: PawnSet| {
            left & self.gone == self.gone && self.some_gone.iter().all(|group| left & group != 0)
        };
        let mut left = 0;
        for pawn in pawns.iter() {
            if fits(left) {
                return true;
            }
            if self.home >> pawn & 1 == 1 {
                return false;
            }
            left |= 1 << pawn;
        }
        fits(left)
    }
}

/// Returns groups of pawns of which one must have left for a term to hold.
///
/// A pawn that stands off its home rank has come from there: by r ranks forward it has changed
/// its file at most r times, so one of the pawns of those files has left.
fn groups(term: &Term, color: Color) -> Vec<PawnSet> {
    let each = Bitboard(term.pawns_required(color))
        .into_iter()
        .map(|square| 1 << square as u32);
    let somewhere = Some(term.pawn_somewhere(color)).filter(|&squares| squares != 0);
    each.chain(somewhere)
        .filter_map(|squares| origins(Bitboard(squares), color))
        .collect()
}

/// Returns the pawns that can have come to one of the squares; `None` if a pawn may stand there
/// without having moved.
fn origins(squares: Bitboard, color: Color) -> Option<PawnSet> {
    let mut set = 0;
    for square in squares {
        let ranks = match color {
            Color::White => square.rank() as i32 - 1,
            Color::Black => 6 - square.rank() as i32,
        };
        if ranks == 0 {
            return None;
        }
        for pawn in 0..16 {
            let own = pawns_of(color) >> pawn & 1 == 1;
            let files = (home_square(pawn).file() as i32 - square.file() as i32).abs();
            if own && files <= ranks {
                set |= 1 << pawn;
            }
        }
    }
    Some(set)
}
