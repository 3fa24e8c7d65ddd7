//! Numbers of men of each kind: on a board, and as an index stores them for the end of a game.

use std::fmt;

use shakmaty::{Board, Color, Role};

use super::man::Man;

/// The number of men of each of the ten kinds other than kings.
///
/// Ten lanes of six bits in one `u64`, five for the count (0 to 31) and one spare, so that
/// ranges of all ten are tested by two subtractions. See `CountRange`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Counts(u64);

/// The width of a lane in bits.
const LANE_BITS: u32 = 6;
/// The largest count in a lane.
const LANE_MAX: u8 = 31;
/// The spare bit of every lane.
const SPARE: u64 = {
    let mut bits = 0;
    let mut lane = 0;
    while lane < 10 {
        bits |= 1 << (lane * LANE_BITS + LANE_BITS - 1);
        lane += 1;
    }
    bits
};

/// The lanes of White's men.
const HALF: u64 = (1 << (5 * LANE_BITS)) - 1;

/// What one man adds to [`Counts`], by [`Man::index`]; 0 for kings.
const UNIT: [u64; 16] = {
    let mut unit = [0; 16];
    let mut index = 0;
    while index < Man::COUNT {
        if index % 6 != 0 {
            unit[index] = 1 << shift(index);
        }
        index += 1;
    }
    unit
};

/// Packs numbers into lanes, the first into the lowest.
const fn lanes(numbers: [u64; 10]) -> u64 {
    let (mut lanes, mut lane) = (0, 0);
    while lane < 10 {
        lanes |= numbers[lane] << (lane as u32 * LANE_BITS);
        lane += 1;
    }
    lanes
}

/// Returns the value of one side's men, given as its five lanes. Lanes and weights are multiplied
/// two lanes apart, so that no product overflows into the next; the middle lane is their sum.
const fn value(side: u64) -> i32 {
    const WIDE: u64 = 2 * LANE_BITS as u64;
    const QUEENS_BISHOPS_PAWNS: u64 = lanes([1, 0, 1, 0, 1, 0, 0, 0, 0, 0]) * LANE_MAX as u64;
    const ROOKS_KNIGHTS: u64 = lanes([1, 0, 1, 0, 0, 0, 0, 0, 0, 0]) * LANE_MAX as u64;
    let sum = (side & QUEENS_BISHOPS_PAWNS) * (1 | 3 << WIDE | 9 << (2 * WIDE));
    let others = (side >> LANE_BITS & ROOKS_KNIGHTS) * (3 | 5 << WIDE);
    ((sum >> (2 * WIDE) & 0xfff) + (others >> WIDE & 0xfff)) as i32
}

/// Returns the lowest bit of a man's lane. Not for kings.
const fn shift(man_index: usize) -> u32 {
    ((man_index / 6) * 5 + man_index % 6 - 1) as u32 * LANE_BITS
}

impl Counts {
    /// The largest count of one kind.
    pub const MAX: u8 = LANE_MAX;

    /// The counts of the standard start position.
    pub const STANDARD: Counts = {
        let mut counts = 0;
        let mut index = 0;
        while index < Man::COUNT {
            counts += UNIT[index] * [0, 1, 2, 2, 2, 8][index % 6];
            index += 1;
        }
        Counts(counts)
    };

    /// Counts the men of a board. More than 31 of one kind count as 31.
    #[must_use]
    pub fn of(board: &Board) -> Counts {
        let mut counts = Counts::default();
        for man in Man::ALL {
            counts = counts.with(man, board.by_piece(man.into()).count().min(31) as u8);
        }
        counts
    }

    /// Returns the count of one kind; 1 for kings.
    #[must_use]
    pub const fn get(self, man: Man) -> u8 {
        match man.role() {
            Role::King => 1,
            _ => (self.0 >> shift(man.index())) as u8 & LANE_MAX,
        }
    }

    /// Returns the counts with the count of one kind replaced. Kings are ignored.
    #[must_use]
    pub const fn with(self, man: Man, count: u8) -> Counts {
        if matches!(man.role(), Role::King) {
            return self;
        }
        let shift = shift(man.index());
        let count = if count > LANE_MAX { LANE_MAX } else { count };
        Counts(self.0 & !(63 << shift) | (count as u64) << shift)
    }

    /// Adds a man. The 32nd of a kind changes nothing.
    #[inline]
    pub fn add(&mut self, man: Man) {
        let (unit, lane) = Counts::unit_and_lane(man);
        self.0 += if self.0 & lane == lane { 0 } else { unit };
    }

    /// Removes a man. If there is none, nothing changes.
    #[inline]
    pub fn take(&mut self, man: Man) {
        let (unit, lane) = Counts::unit_and_lane(man);
        self.0 -= if self.0 & lane == 0 { 0 } else { unit };
    }

    #[inline]
    fn unit_and_lane(man: Man) -> (u64, u64) {
        let unit = UNIT[man.index() & 15];
        (unit, unit * u64::from(LANE_MAX))
    }

    /// Adds the man with this number, if there is one, without a branch. The caller knows that
    /// there is room, or asks [`Counts::is_sound`] afterwards.
    #[doc(hidden)]
    #[inline(always)]
    pub fn add_if_any(&mut self, man_index: u8) {
        self.0 = self.0.wrapping_add(UNIT[usize::from(man_index & 15)]);
    }

    /// Removes the man with this number, if there is one, without a branch. The caller knows that
    /// the board has it, or asks [`Counts::is_sound`] afterwards.
    #[doc(hidden)]
    #[inline(always)]
    pub fn take_if_any(&mut self, man_index: u8) {
        self.0 = self.0.wrapping_sub(UNIT[usize::from(man_index & 15)]);
    }

    /// Whether no count has left its lane, as one does when a man is removed that is not there.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    pub const fn is_sound(self) -> bool {
        self.0 & SPARE == 0
    }

    /// Returns bishops plus knights of one colour.
    #[must_use]
    pub fn minors(self, color: Color) -> u8 {
        self.get(Man::new(color, Role::Bishop)) + self.get(Man::new(color, Role::Knight))
    }

    /// Returns the number of men of one colour, including the king.
    #[must_use]
    pub fn side(self, color: Color) -> u8 {
        Role::ALL
            .into_iter()
            .map(|role| self.get(Man::new(color, role)))
            .sum()
    }

    /// Returns the number of all men, including kings.
    #[must_use]
    #[inline]
    pub const fn men(self) -> u16 {
        // Pairs of lanes are added, and a product adds the pairs in its highest lane. Ten lanes
        // that are full, as bounds without an end are, make more than a `u8` holds.
        /// Every other lane.
        const EVEN: u64 = lanes([1, 0, 1, 0, 1, 0, 1, 0, 1, 0]) * LANE_MAX as u64;
        const ONES: u64 = lanes([1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
        let pairs = (self.0 & EVEN) + (self.0 >> LANE_BITS & EVEN);
        (pairs.wrapping_mul(ONES) >> (8 * LANE_BITS) & 0xfff) as u16 + 2
    }

    /// Returns White's material minus Black's, with Q 9, R 5, B 3, N 3, P 1.
    #[must_use]
    #[inline]
    pub const fn difference(self) -> i32 {
        value(self.0 & HALF) - value(self.0 >> (5 * LANE_BITS) & HALF)
    }

    /// Returns the value of all men, with Q 9, R 5, B 3, N 3, P 1.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub const fn value(self) -> i32 {
        value(self.0 & HALF) + value(self.0 >> (5 * LANE_BITS) & HALF)
    }

    /// Returns the number of pawns of both sides.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub const fn pawns(self) -> u8 {
        let lanes = self.0 >> (4 * LANE_BITS) & LANE_MAX as u64;
        (lanes + (self.0 >> (9 * LANE_BITS) & LANE_MAX as u64)) as u8
    }

    /// Returns the smaller of two counts of each kind.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub const fn common(self, other: Counts) -> Counts {
        // The spare bit of each lane in which this count is not smaller, then all bits below it.
        let spare = (self.0 | SPARE).wrapping_sub(other.0) & SPARE;
        let lanes = spare - (spare >> (LANE_BITS - 1));
        // Without spare bits, so that no lane is greater than that of `other`.
        Counts(other.0 & lanes | self.0 & (CountRange::ANY.high.0 ^ lanes))
    }

    /// Returns whether promotions can bring each count to at least `low`: pawns only become fewer,
    /// and each missing piece must come from a surplus pawn.
    #[must_use]
    #[inline]
    pub(crate) const fn promote_to(self, low: Counts) -> bool {
        const fn number(side: u64, lane: u32) -> u64 {
            side >> (lane * LANE_BITS) & LANE_MAX as u64
        }
        const fn side_does(side: u64, low: u64, missing: u64) -> bool {
            let pieces = number(missing, 0) + number(missing, 1);
            let pieces = pieces + number(missing, 2) + number(missing, 3);
            number(side, 4) >= number(low, 4) + pieces
        }
        const BLACK: u32 = 5 * LANE_BITS;
        let missing = low.0 - self.common(low).0;
        side_does(self.0, low.0, missing)
            && side_does(self.0 >> BLACK, low.0 >> BLACK, missing >> BLACK)
    }

    /// Returns the counts with the colours exchanged.
    #[must_use]
    pub const fn swapped(self) -> Counts {
        let half = 5 * LANE_BITS;
        Counts(self.0 >> half | (self.0 & ((1 << half) - 1)) << half)
    }
}

impl fmt::Debug for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for man in Man::ALL {
            match man.role() {
                Role::King => write!(f, "{}", man.char())?,
                _ => write!(f, "{}{}", man.char(), self.get(man))?,
            }
        }
        Ok(())
    }
}

/// A lowest and a highest count for each kind of man.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountRange {
    /// The lowest counts.
    pub low: Counts,
    /// The highest counts.
    pub high: Counts,
}

impl CountRange {
    /// The range of all counts.
    pub const ANY: CountRange = CountRange {
        low: Counts(0),
        high: Counts(SPARE - (SPARE >> (LANE_BITS - 1))),
    };

    /// Returns the range of exactly these counts.
    #[must_use]
    pub const fn exactly(counts: Counts) -> CountRange {
        CountRange {
            low: counts,
            high: counts,
        }
    }

    /// Whether every count is within its range.
    #[must_use]
    #[inline]
    pub const fn contains(&self, counts: Counts) -> bool {
        let above_low = (counts.0 | SPARE).wrapping_sub(self.low.0);
        let below_high = (self.high.0 | SPARE).wrapping_sub(counts.0);
        above_low & below_high & SPARE == SPARE
    }

    /// Whether every count is at most the highest of its range.
    #[must_use]
    #[inline]
    pub const fn has_room_for(&self, counts: Counts) -> bool {
        (self.high.0 | SPARE).wrapping_sub(counts.0) & SPARE == SPARE
    }

    /// Whether every count is at least the lowest of its range.
    #[must_use]
    #[inline]
    pub const fn is_reached_by(&self, counts: Counts) -> bool {
        (counts.0 | SPARE).wrapping_sub(self.low.0) & SPARE == SPARE
    }

    /// Whether captures and promotions can lead from these counts to ones within the range.
    #[must_use]
    #[inline]
    pub const fn is_within_reach(&self, counts: Counts) -> bool {
        self.is_reached_by(counts) || counts.promote_to(self.low)
    }

    /// Narrows the range of one kind; returns `false` if it becomes empty.
    pub fn narrow(&mut self, man: Man, low: u8, high: u8) -> bool {
        let low = low.max(self.low.get(man));
        let high = high.min(self.high.get(man));
        self.low = self.low.with(man, low);
        self.high = self.high.with(man, high);
        low <= high
    }

    /// Returns the range with the colours exchanged.
    #[must_use]
    pub const fn swapped(self) -> CountRange {
        CountRange {
            low: self.low.swapped(),
            high: self.high.swapped(),
        }
    }
}

/// The material after the last move of the main line, as stored by Scid and SCDB: 24 bits, per
/// colour two each for Q, R, B and N (3 means three or more) and four for P, White in the upper
/// half.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FinalMaterial(pub u32);

/// How each field is moved to its lane of [`Counts`]: its lowest bit, its mask after shifting down,
/// and the lowest bit of the lane.
const MOVES: [(u32, u64, u32); 10] = {
    let mut moves = [(0, 0, 0); 10];
    let (mut index, mut field) = (0, 0);
    while index < Man::COUNT {
        if let Some((from, width)) = FinalMaterial::field(Man::ALL[index]) {
            moves[field] = (from, (1 << width) - 1, shift(index));
            field += 1;
        }
        index += 1;
    }
    moves
};

impl FinalMaterial {
    /// Only kings; also returned by formats that do not store the material.
    pub const NONE: FinalMaterial = FinalMaterial(0);

    /// Returns the lowest bit and the width of a man's field; `None` for kings.
    #[must_use]
    pub const fn field(man: Man) -> Option<(u32, u32)> {
        let half = if man.color().is_white() { 12 } else { 0 };
        match man.role() {
            Role::King => None,
            Role::Queen => Some((half + 10, 2)),
            Role::Rook => Some((half + 8, 2)),
            Role::Bishop => Some((half + 6, 2)),
            Role::Knight => Some((half + 4, 2)),
            Role::Pawn => Some((half, 4)),
        }
    }

    /// Returns the signature of these counts, clamped to the field widths.
    #[must_use]
    pub fn of(counts: Counts) -> FinalMaterial {
        let field = |&(to, most, from): &(u32, u64, u32)| {
            let count = (counts.0 >> from) & u64::from(LANE_MAX);
            (count.min(most) as u32) << to
        };
        FinalMaterial(MOVES.iter().fold(0, |bits, lane| bits | field(lane)))
    }

    /// Returns a man's count: exact below 3 (pawns: below 15), otherwise a lower bound. 1 for
    /// kings.
    #[must_use]
    pub const fn at_least(self, man: Man) -> u8 {
        match FinalMaterial::field(man) {
            None => 1,
            Some((shift, width)) => (self.0 >> shift & ((1 << width) - 1)) as u8,
        }
    }

    /// Returns all counts if none of them can be clamped.
    #[must_use]
    #[inline]
    pub fn exact(self) -> Option<Counts> {
        /// The lower bit of each two-bit field.
        const PIECES: u32 = 0x55_0550;
        if self.0 & self.0 >> 1 & PIECES != 0 {
            return None;
        }
        let count = |&(from, mask, to): &(u32, u64, u32)| (u64::from(self.0 >> from) & mask) << to;
        let counts = MOVES.iter().fold(0, |counts, field| counts | count(field));
        Some(Counts(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn man(letter: char) -> Man {
        Man::from_char(letter).unwrap()
    }

    #[test]
    fn counts_of_the_start_position() {
        let counts = Counts::of(&Board::new());
        assert_eq!(counts, Counts::STANDARD);
        assert_eq!(format!("{counts:?}"), "KQ1R2B2N2P8kq1r2b2n2p8");
        assert_eq!((counts.men(), counts.difference()), (32, 0));
        assert_eq!(counts.minors(Color::Black), 4);
        assert_eq!(counts.swapped(), counts);
    }

    #[test]
    fn men_and_difference_are_sums_over_all_kinds() {
        let mut counts = Counts::STANDARD;
        for step in 0..500_u32 {
            let man = Man::ALL[step as usize * 7 % 12];
            let most = if step < 250 { 15 } else { 32 };
            counts = counts.with(man, (step * step % most) as u8);
            let count = |man| i32::from(counts.get(man));
            let men: i32 = Man::ALL.into_iter().map(count).sum();
            let value = |letter: char| match letter.to_ascii_lowercase() {
                'q' => 9,
                'r' => 5,
                'b' | 'n' => 3,
                'p' => 1,
                _ => 0,
            };
            let sign = |man: Man| man.color().fold_wb(1, -1);
            let values = Man::ALL.map(|man| sign(man) * value(man.char()) * count(man));
            assert_eq!(i32::from(counts.men()), men, "{counts:?}");
            assert_eq!(
                counts.difference(),
                values.iter().sum::<i32>(),
                "{counts:?}"
            );
        }
    }

    #[test]
    fn men_of_full_lanes_are_all_counted() {
        assert_eq!(CountRange::ANY.high.men(), 10 * 31 + 2);
        let pawns = CountRange::ANY.high.with(man('P'), 7).with(man('p'), 7);
        assert_eq!(pawns.men(), 8 * 31 + 7 + 7 + 2);
    }

    #[test]
    fn no_man_too_few_or_too_many_changes_other_counts() {
        for man in Man::ALL {
            let mut counts = Counts::default();
            counts.take(man);
            assert_eq!(counts, Counts::default(), "{man:?}");
            (0..40).for_each(|_| counts.add(man));
            assert_eq!(counts, Counts::default().with(man, 31), "{man:?}");
            if man.role() != Role::King {
                counts.add_if_any(man.index() as u8);
                assert!(!counts.is_sound(), "{man:?}");
                let mut counts = Counts::default();
                counts.take_if_any(man.index() as u8);
                assert!(!counts.is_sound(), "{man:?}");
                // Prefilters ask this of damaged games.
                let _ = counts.promote_to(Counts::STANDARD);
            }
        }
    }

    #[test]
    fn ranges_test_every_lane_on_both_sides() {
        for letter in "QRBNPqrbnp".chars() {
            let mut range = CountRange::ANY;
            assert!(range.contains(Counts::default()));
            assert!(range.contains(Counts::default().with(man(letter), 31)));
            assert!(range.narrow(man(letter), 2, 4));
            for count in 0..=31 {
                let counts = Counts::STANDARD.with(man(letter), count);
                assert_eq!(range.contains(counts), (2..=4).contains(&count));
                assert_eq!(
                    range.swapped().contains(counts.swapped()),
                    (2..=4).contains(&count)
                );
            }
            assert!(!range.narrow(man(letter), 5, 9));
        }
    }

    #[test]
    fn promotions_bring_as_many_pieces_as_pawns_are_left_over() {
        let seed = std::cell::Cell::new(1_u64);
        let random = |below: u64| {
            let next = seed
                .get()
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            seed.set(next);
            (next >> 33) % below
        };
        let some = |below| {
            let with = |counts: Counts, man| counts.with(man, random(below) as u8);
            Man::ALL.into_iter().fold(Counts::default(), with)
        };
        let mut outcomes = [0; 2];
        for step in 0..20_000 {
            let (counts, low) = (some(2 + step % 31), some(2 + step % 5));
            let side = |color: Color| {
                let missing = |role| {
                    let man = Man::new(color, role);
                    i32::from(low.get(man)) - i32::from(counts.get(man))
                };
                let pieces = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
                let pieces: i32 = pieces.map(|role| missing(role).max(0)).iter().sum();
                -missing(Role::Pawn) >= pieces
            };
            let expected = side(Color::White) && side(Color::Black);
            assert_eq!(counts.promote_to(low), expected, "{counts:?} to {low:?}");
            outcomes[usize::from(expected)] += 1;
        }
        assert!(outcomes.iter().all(|&count| count > 1000), "{outcomes:?}");
    }

    #[test]
    fn final_material_clamps_at_three() {
        let counts = Counts::STANDARD.with(man('q'), 4).with(man('P'), 7);
        let material = FinalMaterial::of(counts);
        assert_eq!(material.at_least(man('q')), 3);
        assert_eq!(material.at_least(man('P')), 7);
        assert_eq!(material.exact(), None);
        for letter in "QRBNqrbn".chars() {
            let exact =
                |count| FinalMaterial::of(Counts::STANDARD.with(man(letter), count)).exact();
            assert_eq!(exact(2), Some(Counts::STANDARD.with(man(letter), 2)));
            assert_eq!(exact(3), None);
        }
        let standard = FinalMaterial::of(Counts::STANDARD);
        assert_eq!(standard.0, 0x6a_86a8);
        assert_eq!(standard.exact(), Some(Counts::STANDARD));
    }
}
