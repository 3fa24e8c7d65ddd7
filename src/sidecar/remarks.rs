//! What the comments of main lines tell of clocks and evaluations.
//!
//! The first six blobs of a block are columns with 2 bytes a game: the least and the greatest
//! clock, time spent on a move, and evaluation, as [`bucket_of_time`] and [`bucket_of_eval`] round
//! them. 65 535 and 0 mean that none is told; 0 and 65 535 that it is not known what is told. A
//! column is empty if none is told in the whole block.
//!
//! The blobs after them have 256 games each, or are empty if nothing is told in any of these: first
//! the length in bytes of what is stored of each game, 2 bytes a game, then this. Length 0 means
//! that nothing is told, and a single zero byte that it is not known: the game could not be
//! decoded, its comments are in a file that nothing is compared with, or there is too much.
//! Otherwise it consists of [bits](super::bits):
//!
//! | bits | what |
//! |---|---|
//! | 2 | the unit of times: 0 a thousandth of a second, 1 a hundredth, 2 a tenth, 3 a second |
//! | 1 | Black makes the first move |
//! | 1 | evaluations are their [numbers](Evaluation::number) and not short ones |
//! | plain | half-moves |
//! | plain | what is added to the clock with each move, in the unit |
//! | 1 | there is an evaluation of the start, which follows as a folded plain number |
//! | 2, 2, 2 | which half-moves have clocks, times spent, evaluations: none, all, all but the last, or those with a 1 before the place where theirs would be |
//! | 1 | some difference of times is negative, so that these are folded |
//! | | the clocks, the times spent, the evaluations |
//!
//! Of a clock it is stored how much less it is than the previous one of the same side with what is
//! added. The first clock of a side is a folded plain number: how much more it is than the other
//! side's latest, or than 0. Times that follow from clocks are not stored. Of an evaluation the
//! difference to the previous one is stored, or to 0. A short evaluation is in hundredths of pawns;
//! a mate in n moves is 32 768 − n, or the negated number.

use std::ops::Range;

use shakmaty::Color;
use tabiya_chess::{Evaluation, Seconds};
use zerocopy::{FromBytes, IntoBytes, little_endian::U16};

use super::{
    BLOCK_GAMES, Sidecar,
    bits::{BitReader, BitWriter, Mean, folded, unfolded},
    collect::Begun,
    part::Block,
    write::Blobs,
};
use crate::pattern::{remark::Topic, told_moves::ToldMoves};

/// Games of one blob.
const GROUP_GAMES: usize = 256;
/// Blobs with games of one block.
const GROUPS: usize = BLOCK_GAMES as usize / GROUP_GAMES;
/// The topics of the columns, in their order; each has two.
const TOPICS: [Topic; 3] = [Topic::Clock, Topic::Spent, Topic::Eval];
const COLUMNS: usize = 2 * TOPICS.len();
/// More bytes of a game are not stored, nor more half-moves.
const GAME_BYTES_MAX: usize = 1 << 14;
const PLIES_MAX: u64 = 1 << 14;
/// What is stored of a game of which nothing is known.
const UNKNOWN: [u8; 1] = [0];
/// The least and the greatest bucket.
pub(crate) const BUCKETS: Range<u16> = 1..u16::MAX;
/// The values in the columns if nothing is told, and if that is not known.
const NONE: [u16; 2] = [u16::MAX, 0];
const ANY: [u16; 2] = [0, u16::MAX];

/// By unit: thousandths of a second.
const UNITS: [i64; 4] = [1, 10, 100, 1000];
/// What short evaluations are counted in: thousandths of a pawn.
const SHORT_UNIT: i32 = 10;
/// A mate that has happened, in short.
const SHORT_MATE: i32 = 1 << 15;
/// The longest mate that has a short number, and the most pawns in hundredths.
const SHORT_MOVES_MAX: i32 = 9_999;
const SHORT_PAWNS_MAX: i32 = 20_000;
/// What is expected of the first differences of clocks and evaluations.
const FIRST_TIME: u32 = 4;
const FIRST_EVAL: u32 = 30;

/// Which half-moves have a number.
const NO_PLY: u64 = 0;
const ALL: u64 = 1;
const ALL_BUT_LAST: u64 = 2;
const SOME: u64 = 3;

/// Rounds a time, in thousandths of seconds, to a tenth of a second; what is below −100 or above
/// 6453 seconds counts as that.
pub(crate) fn bucket_of_time(thousandths: i32) -> u16 {
    clamped(thousandths.div_euclid(100).saturating_add(1_001))
}

/// Rounds the number of an evaluation to a hundredth of a pawn; more than 200 pawns count as that,
/// and mates in more than 9999 moves.
pub(crate) fn bucket_of_eval(number: i32) -> u16 {
    const MIDDLE: i32 = 1 << 15;
    let mate = |number: i32| {
        let moves = Evaluation::MATE.saturating_sub(number).max(0);
        SHORT_MATE - 2 - moves.min(SHORT_MOVES_MAX)
    };
    let short = match number {
        number if number > Evaluation::PAWNS_MAX => mate(number),
        number if number < -Evaluation::PAWNS_MAX => -mate(number.saturating_neg()),
        number => {
            let pawns = number.div_euclid(SHORT_UNIT);
            pawns.clamp(-SHORT_PAWNS_MAX, SHORT_PAWNS_MAX)
        }
    };
    clamped(short + MIDDLE)
}

fn clamped(number: i32) -> u16 {
    let least = i32::from(BUCKETS.start);
    number.clamp(least, i32::from(BUCKETS.end) - 1) as u16
}

/// Collects what is told in one block.
#[derive(Debug, Default)]
pub(super) struct RemarkWriter {
    columns: [Vec<U16>; COLUMNS],
    groups: Blobs,
    /// Of the present group.
    lengths: Vec<U16>,
    games: Vec<u8>,
    done: usize,
    bits: BitWriter,
    /// Of one game.
    numbers: Vec<Numbers>,
}

impl RemarkWriter {
    /// Takes over what is told in the games that need not be played; `None` if it is damaged.
    pub(super) fn resume(&mut self, begun: &Begun<'_>) -> Option<()> {
        let block = &begun.remarks;
        for (number, column) in self.columns.iter_mut().enumerate() {
            match column_of(block, number)? {
                [] => column.resize(begun.games, NONE[number % 2].into()),
                older => column.extend(older.get(..begun.games)?),
            }
        }
        self.done = begun.games / GROUP_GAMES;
        for group in 0..self.done {
            self.groups.push_bytes(block.bytes(blob_of_group(group))?);
        }
        Some(())
    }

    /// Adds the next game; `None` if it is not known what is told in it.
    pub(super) fn add(&mut self, told: Option<&ToldMoves>) {
        let begin = self.games.len();
        let is_known = told.is_some_and(|told| self.add_told(told));
        if !is_known {
            self.games.truncate(begin);
            self.games.extend(UNKNOWN);
        }
        let told = told.filter(|_| is_known);
        for (columns, topic) in self.columns.chunks_exact_mut(2).zip(TOPICS) {
            let buckets = told.map_or(ANY, |told| buckets(told, topic));
            for (column, bucket) in columns.iter_mut().zip(buckets) {
                column.push(bucket.into());
            }
        }
        self.lengths
            .push(((self.games.len() - begin) as u16).into());
        if self.lengths.len() == GROUP_GAMES {
            self.end_group();
        }
    }

    /// Adds the next game, in which nothing is told.
    pub(super) fn add_nothing(&mut self) {
        self.add(Some(&ToldMoves::default()));
    }

    /// Appends what is told in a game. Returns whether it can be stored.
    fn add_told(&mut self, told: &ToldMoves) -> bool {
        let is_any = |topic: &Topic| told.moves().iter().any(|told| topic.of(told).is_some());
        if told.of_start().is_none() && !TOPICS.iter().any(is_any) {
            return true;
        }
        let is_written = write_game(told, &mut self.bits, &mut self.numbers).is_some();
        let bytes = self.bits.take();
        self.games.extend(&bytes);
        // A single byte may not be taken for an unknown game.
        if bytes.len() == UNKNOWN.len() {
            self.games.push(0);
        }
        is_written && bytes.len() <= GAME_BYTES_MAX
    }

    fn end_group(&mut self) {
        let is_empty = self.games.is_empty();
        let parts = [self.lengths.as_bytes(), &self.games];
        self.groups
            .push_bytes(&if is_empty { Vec::new() } else { parts.concat() });
        self.lengths.clear();
        self.games.clear();
        self.done += 1;
    }

    pub(super) fn finish(mut self) -> Blobs {
        while self.done < GROUPS {
            self.end_group();
        }
        let mut blobs = Blobs::default();
        for (number, column) in self.columns.iter().enumerate() {
            let is_none = |value: &U16| value.get() == NONE[number % 2];
            let is_empty = column.iter().all(is_none);
            blobs.push_bytes(if is_empty { &[] } else { column.as_bytes() });
        }
        blobs.append(self.groups);
        blobs
    }
}

/// Returns the least and the greatest bucket of a topic.
fn buckets(told: &ToldMoves, topic: Topic) -> [u16; 2] {
    let bucket = match topic {
        Topic::Eval => bucket_of_eval,
        _ => bucket_of_time,
    };
    let numbers = told
        .moves()
        .iter()
        .filter_map(|told| topic.of(told))
        .map(bucket);
    numbers.fold(NONE, |[least, greatest], bucket| {
        [least.min(bucket), greatest.max(bucket)]
    })
}

/// How the numbers of a game are stored.
#[derive(Clone, Copy)]
struct Units {
    /// The unit of times, in [`UNITS`].
    code: usize,
    /// Whether evaluations are short.
    is_short: bool,
}

/// What is stored of a half-move, in the order of [`TOPICS`].
type Numbers = [Option<i64>; TOPICS.len()];

impl Units {
    fn of_game(told: &ToldMoves) -> Units {
        let remarks = || told.moves().iter().map(|told| told.remark);
        let spent = (0..told.moves().len()).filter_map(|at| stored_spent(told, at));
        let clocks = remarks().filter_map(|remark| remark.clock);
        let times = clocks.chain(spent).chain([told.increment()]);
        let code = times
            .map(thousandths)
            .fold(UNITS.len() - 1, |mut code, time| {
                while time % UNITS[code] != 0 {
                    code -= 1;
                }
                code
            });
        let mut evals = remarks().map(|remark| remark.eval).chain([told.of_start()]);
        let is_short = evals.all(|eval| eval.is_none_or(|eval| short(eval).is_some()));
        Units { code, is_short }
    }

    fn time(self, time: Seconds) -> i64 {
        thousandths(time) / UNITS[self.code]
    }

    fn eval(self, eval: Evaluation) -> i64 {
        let short = short(eval).filter(|_| self.is_short);
        short.unwrap_or(eval.number()).into()
    }

    fn numbers(self, told: &ToldMoves, at: usize) -> Numbers {
        let remark = told.moves()[at].remark;
        [
            remark.clock.map(|clock| self.time(clock)),
            stored_spent(told, at).map(|spent| self.time(spent)),
            remark.eval.map(|eval| self.eval(eval)),
        ]
    }
}

/// Returns the time spent on a move, unless it follows from clocks.
fn stored_spent(told: &ToldMoves, at: usize) -> Option<Seconds> {
    let spent = told.moves()[at].remark.spent?;
    (told.spent_by_clock(at) != Some(spent)).then_some(spent)
}

/// Writes a game; `None` if it has too many half-moves. `numbers` is memory to use.
fn write_game(told: &ToldMoves, bits: &mut BitWriter, numbers: &mut Vec<Numbers>) -> Option<()> {
    let plies = told.moves().len();
    let units = Units::of_game(told);
    let added = units.time(told.increment());
    bits.bits(units.code as u64, 2);
    bits.bits(told.first().is_black().into(), 1);
    bits.bits((!units.is_short).into(), 1);
    bits.plain(
        u64::try_from(plies)
            .ok()
            .filter(|plies| *plies <= PLIES_MAX)?,
    );
    bits.plain(folded(added));
    bits.bits(told.of_start().is_some().into(), 1);
    if let Some(start) = told.of_start() {
        bits.plain(folded(units.eval(start)));
    }
    numbers.clear();
    numbers.extend((0..plies).map(|at| units.numbers(told, at)));
    let which: [u64; TOPICS.len()] = std::array::from_fn(|topic| plies_with(numbers, topic));
    for which in which {
        bits.bits(which, 2);
    }
    let is_folded = has_negative_times(numbers, added);
    bits.bits(is_folded.into(), 1);
    for (topic, mut series) in Series::of_game(added, is_folded).into_iter().enumerate() {
        for (at, numbers) in numbers.iter().enumerate() {
            if which[topic] == SOME {
                bits.bits(numbers[topic].is_some().into(), 1);
            }
            if let Some(number) = numbers[topic] {
                series.write(bits, at, number);
            }
        }
    }
    Some(())
}

/// Returns which half-moves have a number.
fn plies_with(numbers: &[Numbers], topic: usize) -> u64 {
    let count = numbers
        .iter()
        .filter(|number| number[topic].is_some())
        .count();
    match (numbers.len() - count, numbers.last()) {
        _ if count == 0 => NO_PLY,
        (0, _) => ALL,
        (1, Some(last)) if last[topic].is_none() => ALL_BUT_LAST,
        _ => SOME,
    }
}

/// Returns whether some clock has become more than what is added, or some time is negative.
fn has_negative_times(numbers: &[Numbers], added: i64) -> bool {
    let mut last = [None; 2];
    numbers.iter().enumerate().any(|(at, &[clock, spent, _])| {
        let side = at % 2;
        let before = clock.and(last[side]);
        last[side] = clock.or(last[side]);
        let is_more = before
            .zip(clock)
            .is_some_and(|(before, now)| before + added < now);
        is_more || spent.is_some_and(|spent| spent < 0)
    })
}

/// Reads a game; `None` if it is damaged.
pub(super) fn read_game(bytes: &[u8], told: &mut ToldMoves) -> Option<()> {
    let mut bits = BitReader::new(bytes);
    let unit = *UNITS.get(bits.bits(2)? as usize)?;
    let first = Color::from_black(bits.bits(1)? == 1);
    let is_short = bits.bits(1)? == 0;
    let plies = bits.plain().filter(|plies| *plies <= PLIES_MAX)? as usize;
    let added = unfolded(bits.plain()?);
    let eval = |number| evaluation(number, is_short);
    let start = match bits.bits(1)? {
        0 => None,
        _ => Some(eval(unfolded(bits.plain()?))),
    };
    let mut which = [0; 3];
    for which in &mut which {
        *which = bits.bits(2)?;
    }
    let time = |number: i64| {
        Some(Seconds::from_thousandths(
            i32::try_from(number.checked_mul(unit)?).ok()?,
        ))
    };
    let mut all = Series::of_game(added, bits.bits(1)? == 1);
    told.restore((first, time(added)?), start, plies, |moves| {
        for ((topic, which), series) in TOPICS.into_iter().zip(which).zip(&mut all) {
            for (at, told) in moves.iter_mut().enumerate() {
                let is_told = match which {
                    NO_PLY => false,
                    ALL => true,
                    ALL_BUT_LAST => at + 1 < plies,
                    _ => bits.bits(1)? == 1,
                };
                if is_told {
                    let number = series.read(&mut bits, at)?;
                    match topic {
                        Topic::Clock => told.remark.clock = Some(time(number)?),
                        Topic::Spent => told.remark.spent = Some(time(number)?),
                        _ => told.remark.eval = Some(eval(number)),
                    }
                }
            }
        }
        Some(())
    })
}

/// Numbers by half-move.
struct Series {
    /// How many numbers in a row belong to different sides.
    sides: usize,
    /// How much a number is expected to be more than the one before of its side.
    added: i64,
    /// Whether numbers are differences to those before.
    stays: bool,
    /// Whether numbers are expected to become less, and are stored as how much they do.
    falls: bool,
    /// Whether what is stored may be negative.
    is_folded: bool,
    /// By side.
    last: [Option<i64>; 2],
    mean: Mean,
}

impl Series {
    /// Creates those of a game, in the order of [`TOPICS`].
    fn of_game(added: i64, times_are_folded: bool) -> [Series; 3] {
        let spent = Series {
            sides: 1,
            added: 0,
            stays: false,
            falls: false,
            is_folded: times_are_folded,
            last: [Some(0), None],
            mean: Mean::new(FIRST_TIME),
        };
        let clocks = Series {
            sides: 2,
            added,
            stays: true,
            falls: true,
            last: [None; 2],
            ..spent
        };
        let evals = Series {
            stays: true,
            is_folded: true,
            mean: Mean::new(FIRST_EVAL),
            ..spent
        };
        [clocks, spent, evals]
    }

    /// Notes the latest number of a side.
    fn note(&mut self, side: usize, number: i64) {
        if self.stays {
            self.last[side] = Some(number);
        }
    }

    fn write(&mut self, bits: &mut BitWriter, at: usize, number: i64) {
        let side = at % self.sides;
        match self.last[side] {
            None => bits.plain(folded(number - self.last[1 - side].unwrap_or(0))),
            Some(last) => {
                let more = number - last - self.added;
                let told = if self.falls { -more } else { more };
                let told = if self.is_folded {
                    folded(told)
                } else {
                    told as u64
                };
                bits.next(told, &mut self.mean);
            }
        }
        self.note(side, number);
    }

    #[inline]
    fn read(&mut self, bits: &mut BitReader<'_>, at: usize) -> Option<i64> {
        let side = at % self.sides;
        let number = match self.last[side] {
            None => unfolded(bits.plain()?) + self.last[1 - side].unwrap_or(0),
            Some(last) => {
                let told = bits.next(&mut self.mean)?;
                let told = if self.is_folded {
                    unfolded(told)
                } else {
                    told as i64
                };
                let more = if self.falls { -told } else { told };
                last.checked_add(self.added)?.checked_add(more)?
            }
        };
        self.note(side, number);
        Some(number)
    }
}

fn thousandths(time: Seconds) -> i64 {
    time.thousandths().into()
}

/// Returns the short number of an evaluation, if it has one.
fn short(eval: Evaluation) -> Option<i32> {
    match eval.mate_in() {
        Some(moves) if moves.abs() > SHORT_MOVES_MAX => None,
        // A mate that has happened has no moves, but a side.
        Some(moves) => Some((SHORT_MATE - moves.abs()) * eval.number().signum()),
        None => {
            let pawns = eval.number() / SHORT_UNIT;
            let is_exact = eval.number() % SHORT_UNIT == 0 && pawns.abs() <= SHORT_PAWNS_MAX;
            is_exact.then_some(pawns)
        }
    }
}

/// Returns the evaluation of a short number, or of one that is not.
fn evaluation(number: i64, is_short: bool) -> Evaluation {
    let number = i32::try_from(number).unwrap_or_default();
    if !is_short {
        return Evaluation::from_number(number);
    }
    let moves = SHORT_MATE.saturating_sub(number.saturating_abs());
    if moves <= SHORT_MOVES_MAX {
        return Evaluation::mate(number > 0, moves.max(0).unsigned_abs());
    }
    Evaluation::from_thousandths(number.saturating_mul(SHORT_UNIT))
}

/// Returns the number of the blob of a group.
fn blob_of_group(group: usize) -> u16 {
    (COLUMNS + group) as u16
}

/// Returns a column, empty if nothing is told; `None` if it is damaged.
fn column_of<'s>(block: &Block<'s>, number: usize) -> Option<&'s [U16]> {
    let column = <[U16]>::ref_from_bytes(block.bytes(number as u16)?).ok()?;
    let is_whole = column.is_empty() || column.len() == block.games as usize;
    is_whole.then_some(column)
}

/// The least and the greatest bucket of each game of a block; empty if none is told.
pub(crate) type Extremes<'s> = [&'s [U16]; 2];

impl Sidecar {
    /// Returns whether the sidecar knows what comments tell.
    pub(crate) fn has_remarks(&self) -> bool {
        self.remarks.is_some()
    }

    /// Returns the buckets of a topic in a block: of clocks, times spent or evaluations. `None` if
    /// nothing is known.
    pub(crate) fn extremes(&self, block: usize, topic: Topic) -> Option<Extremes<'_>> {
        let block = self.block(self.remarks.as_ref()?, block)?;
        let number = 2 * TOPICS.iter().position(|other| *other == topic)?;
        Some([column_of(&block, number)?, column_of(&block, number + 1)?])
    }

    /// Takes what the comments of a game's main line tell; `None` if that is not known.
    pub(crate) fn told(&self, game: u32, told: &mut ToldMoves) -> Option<()> {
        let block = self.block(self.remarks.as_ref()?, (game / BLOCK_GAMES) as usize)?;
        let place = (game % BLOCK_GAMES) as usize;
        let (group, lane) = (place / GROUP_GAMES, place % GROUP_GAMES);
        let games = (block.games as usize).checked_sub(group * GROUP_GAMES)?;
        let blob = block.bytes(blob_of_group(group))?;
        let nothing = (Color::White, Seconds::default());
        if blob.is_empty() {
            return told.restore(nothing, None, 0, |_| Some(()));
        }
        let (lengths, bytes) =
            <[U16]>::ref_from_prefix_with_elems(blob, games.min(GROUP_GAMES)).ok()?;
        let length = |length: &U16| usize::from(length.get());
        let start = lengths.get(..lane)?.iter().map(length).sum::<usize>();
        let bytes = bytes.get(start..)?.get(..length(lengths.get(lane)?))?;
        if bytes == UNKNOWN {
            return None;
        }
        match bytes {
            [] => told.restore(nothing, None, 0, |_| Some(())),
            bytes => read_game(bytes, told),
        }
    }
}
