//! Placements of men on the board, and finding a position among many at once.
//!
//! The men on the board have a key that each move changes by a few exclusive ors. A table finds the
//! wanted positions with that key at a cost that does not depend on their number. Then the men are
//! compared kind by kind, so that key collisions are not counted.

use shakmaty::{Bitboard, Board, Color, File, Role, Square};

use super::{
    castling::castled,
    follow::{Flow, Follow, Placed, Rewind, Start},
    man::Man,
    step::Step,
};

/// A hash of the men and their squares; other placements rarely have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Key(u64);

impl Key {
    /// Updates the key when a man enters or leaves a square.
    #[inline(always)]
    pub fn change(&mut self, placed: Placed) {
        self.0 ^= KEYS[placed.index()];
    }

    /// Moves a man, which may become another.
    #[inline(always)]
    pub fn shift(&mut self, from: Placed, to: Placed) {
        self.0 ^= KEYS[from.index()] ^ KEYS[to.index()];
    }

    /// Returns a hash that also depends on the side to move.
    #[inline(always)]
    pub fn with_turn(self, turn: Color) -> u64 {
        self.0 ^ turn.fold_wb(0, KEYS[Placed::TABLE - 1])
    }
}

/// The men on their squares and the side to move, without castling and en-passant rights.
#[derive(Debug, Clone, Copy)]
pub struct Placement {
    /// Squares by [`Man::index`]; padded so that no index is out of bounds.
    pub squares: [u64; 16],
    /// The hash of the men.
    pub key: Key,
    /// Who is to move.
    pub turn: Color,
    /// The number of men.
    pub men: u32,
}

impl Placement {
    /// Creates the placement of a board.
    pub fn new(board: &Board, turn: Color) -> Placement {
        let mut squares = [0; 16];
        for man in Man::ALL {
            squares[man.index()] = board.by_piece(man.into()).into();
        }
        Placement::of_squares(squares, turn)
    }

    /// Creates a placement from the squares of each kind of man.
    pub fn of_squares(squares: [u64; 16], turn: Color) -> Placement {
        let mut key = Key::default();
        for man in Man::ALL {
            for square in Bitboard(squares[man.index()]) {
                key.change(Placed::new(man, square));
            }
        }
        Placement {
            squares,
            key,
            turn,
            men: squares.iter().map(|squares| squares.count_ones()).sum(),
        }
    }

    /// Returns the placement at the start of a game.
    pub fn at(start: Start<'_>) -> Placement {
        match start {
            Start::Standard => Placement::new(&Board::new(), Color::White),
            Start::Custom(setup) => Placement::new(&setup.board, setup.turn),
        }
    }

    /// Returns a hash that other positions rarely share, including the same men with the other side
    /// to move.
    #[inline]
    pub fn key_with_turn(&self) -> u64 {
        self.key.with_turn(self.turn)
    }

    /// Returns the placement after a step, whether the rules allow it or not. A step from a square
    /// without a man only changes who is to move, as a null move does.
    #[must_use]
    pub fn after(&self, step: Step) -> Placement {
        let (from, to, promotion) = step.squares();
        let at = |place: &Placement, square: Square| {
            let is_there = |man: &Man| place.squares[man.index()] >> square as u32 & 1 == 1;
            Man::ALL.into_iter().find(is_there)
        };
        let mut after = *self;
        after.pass();
        let Some(man) = at(self, from).filter(|_| step != Step::NULL && step != Step::END) else {
            return after;
        };
        let rook = Man::new(self.turn, Role::Rook);
        let is_usual = from.file() == File::E && from.distance(to) == 2;
        let corner = if to.file() > from.file() {
            File::H
        } else {
            File::A
        };
        let castles_with = match man.role() {
            Role::King if is_usual => Some(Square::from_coords(corner, from.rank())),
            Role::King => Some(to),
            _ => None,
        };
        let castles_with = castles_with.filter(|square| at(self, *square) == Some(rook));
        if let Some(square) = castles_with {
            let (king_to, rook_to) = castled(from, square);
            after.remove(Placed::new(man, from));
            after.remove(Placed::new(rook, square));
            after.place(Placed::new(man, king_to));
            after.place(Placed::new(rook, rook_to));
            return after;
        }
        let passed = Square::from_coords(to.file(), from.rank());
        let takes_passing = man.role() == Role::Pawn && to.file() != from.file();
        let target = match at(self, to) {
            None if takes_passing => passed,
            _ => to,
        };
        if let Some(taken) = at(self, target) {
            after.remove(Placed::new(taken, target));
        }
        let becomes = promotion.map_or(man, |role| Man::new(self.turn, role));
        after.remove(Placed::new(man, from));
        after.place(Placed::new(becomes, to));
        after
    }

    /// Moves a man, which may become another.
    #[inline]
    pub fn shift(&mut self, from: Placed, to: Placed) {
        // The man is the same, so its squares are read and written once.
        self.squares[to.man_index()] ^= 1 << from.square_index() ^ 1 << to.square_index();
        self.key.shift(from, to);
    }

    /// Takes a man off the board.
    #[inline]
    pub fn remove(&mut self, gone: Placed) {
        self.change(gone);
        self.men = self.men.wrapping_sub(1);
    }

    /// Puts a man on the board.
    #[inline]
    pub fn place(&mut self, new: Placed) {
        self.change(new);
        self.men = self.men.wrapping_add(1);
    }

    /// Changes who is to move.
    #[inline]
    pub fn pass(&mut self) {
        self.turn = self.turn.other();
    }

    #[inline]
    fn change(&mut self, placed: Placed) {
        self.squares[placed.man_index()] ^= 1 << placed.square_index();
        self.key.change(placed);
    }
}

/// Follows lines and passes each of their positions to a function, the start position first.
#[derive(Debug)]
pub struct EachPlacement<F> {
    standard: Placement,
    now: Placement,
    each: F,
}

impl<F: FnMut(&Placement) -> Flow> EachPlacement<F> {
    /// `standard` is the placement at the standard start, which costs more to make than a move.
    pub fn new(standard: Placement, each: F) -> EachPlacement<F> {
        EachPlacement {
            standard,
            now: standard,
            each,
        }
    }
}

impl<F: FnMut(&Placement) -> Flow> Follow for EachPlacement<F> {
    /// What the function keeps is its own.
    fn reset(&mut self) {}

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.now = match start {
            Start::Standard => self.standard,
            custom => Placement::at(custom),
        };
        (self.each)(&self.now)
    }

    #[inline]
    fn moved(&mut self, from: Placed, to: Placed) {
        self.now.shift(from, to);
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        self.now.remove(gone);
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.now.place(new);
    }

    #[inline]
    fn ply_done(&mut self) -> Flow {
        self.now.pass();
        (self.each)(&self.now)
    }
}

impl<F: FnMut(&Placement) -> Flow> Rewind for EachPlacement<F> {
    type Snapshot = Placement;

    fn snapshot(&self) -> Placement {
        self.now
    }

    fn restore(&mut self, now: &Placement) {
        self.now = *now;
    }
}

/// Wanted positions, by key.
#[derive(Debug)]
pub struct Placements {
    /// Bits for the keys that occur, as many as fit into the nearest cache: most unwanted keys are
    /// rejected here.
    sieve: Box<[u64; SIEVE_WORDS]>,
    /// Key and number of each position, ascending.
    keys: Vec<(u64, u32)>,
    /// Start of the keys with the same highest bits, and a last entry for the end of all keys.
    starts: Vec<u32>,
    /// The shift that leaves those bits of a key.
    shift: u32,
    /// By position: the men on their squares, and the side to move; `None` for either side.
    wanted: Vec<([u64; 16], Option<Color>)>,
}

const SIEVE_WORDS: usize = 1 << 11;

impl Placements {
    /// Creates the table from positions, which are numbered in order. `None` as side to move
    /// matches either side.
    pub fn new(wanted: impl Iterator<Item = (Placement, Option<Color>)>) -> Placements {
        let (mut keys, mut placements) = (Vec::new(), Vec::new());
        let mut sieve = Box::new([0; SIEVE_WORDS]);
        for (number, (placement, turn)) in (0..).zip(wanted) {
            let (word, bit) = in_sieve(placement.key.0);
            sieve[word] |= bit;
            keys.push((placement.key.0, number));
            placements.push((placement.squares, turn));
        }
        keys.sort_unstable();
        // Four entries per key, so that most unwanted keys find nothing.
        let bits = (4 * keys.len().max(1)).ilog2() + 1;
        let shift = u64::BITS - bits;
        let ends = (0..=1u64 << bits).map(|entry| {
            let below = |&(key, _): &(u64, u32)| key >> shift < entry;
            keys.partition_point(below) as u32
        });
        Placements {
            sieve,
            starts: ends.collect(),
            keys,
            shift,
            wanted: placements,
        }
    }

    /// Returns the number of positions.
    pub fn count(&self) -> usize {
        self.wanted.len()
    }

    /// Calls `each` with the number of every position equal to the current one.
    #[inline]
    pub fn look_up(&self, now: &Placement, each: impl FnMut(usize)) {
        if self.may_hold(now) {
            self.compare(now, each);
        }
    }

    /// Whether the current position may be one of them; true for a few that are not.
    #[inline(always)]
    pub fn may_hold(&self, now: &Placement) -> bool {
        let (word, bit) = in_sieve(now.key.0);
        self.sieve[word] & bit != 0
    }

    #[inline]
    fn compare(&self, now: &Placement, mut each: impl FnMut(usize)) {
        let entry = (now.key.0 >> self.shift) as usize;
        let (Some(&start), Some(&end)) = (self.starts.get(entry), self.starts.get(entry + 1))
        else {
            return;
        };
        let keys = self.keys.get(start as usize..end as usize);
        for &(key, position) in keys.unwrap_or_default() {
            let position = position as usize;
            let (squares, turn) = &self.wanted[position];
            let is_here = key == now.key.0
                && turn.is_none_or(|turn| turn == now.turn)
                && *squares == now.squares;
            if is_here {
                each(position);
            }
        }
    }
}

/// Returns the word and bit of a key in the sieve. Uses the lowest bits, since the table uses the
/// highest.
#[inline]
fn in_sieve(key: u64) -> (usize, u64) {
    (key as usize >> 6 & (SIEVE_WORDS - 1), 1 << (key & 63))
}

/// A pseudo-random number for each man on each square, by [`Placed::index`]: the first outputs of
/// the generator SplitMix64.
static KEYS: [u64; Placed::TABLE] = {
    let mut keys = [0; Placed::TABLE];
    let mut state: u64 = 0;
    let mut index = 0;
    while index < keys.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        keys[index] = mixed ^ mixed >> 31;
        index += 1;
    }
    keys
};
