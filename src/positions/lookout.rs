//! Following a game and looking every position up among all that are wanted.
//!
//! The men on the board have a key that each move changes by a few exclusive ors. A table finds
//! the wanted positions with that key at a cost that does not depend on their number; then the
//! men are compared one kind after the other, so that no accident of keys is counted.

use shakmaty::{Board, Color};

use super::WantedPosition;
use crate::chess::{Flow, Follow, Man, Placed, Start};

/// All positions that are wanted, by key.
#[derive(Debug)]
pub(super) struct Wanted {
    /// Key and number of each position, ascending.
    keys: Vec<(u64, u32)>,
    /// Where the keys with the same highest bits begin, and a last entry where all end.
    starts: Vec<u32>,
    /// How far a key is shifted to leave those bits.
    shift: u32,
    /// By position: what stands where, and who is to move.
    placements: Vec<([u64; 16], Option<Color>)>,
    /// By position: how many men there are.
    men: Vec<u32>,
    /// The least of these.
    least_men: u32,
}

impl Wanted {
    pub(super) fn new(positions: &[WantedPosition]) -> Wanted {
        let placement = |wanted: &WantedPosition| (squares(&wanted.fen.board), wanted.fen.turn);
        let key = |wanted: &WantedPosition| key(&wanted.fen.board);
        let mut keys: Vec<(u64, u32)> = positions.iter().map(key).zip(0..).collect();
        keys.sort_unstable();
        // Four entries a key, so that most keys that are not wanted find nothing.
        let bits = (4 * positions.len().max(1)).ilog2() + 1;
        let shift = u64::BITS - bits;
        let ends = (0..=1u64 << bits).map(|entry| {
            let below = |&(key, _): &(u64, u32)| key >> shift < entry;
            keys.partition_point(below) as u32
        });
        let men = |wanted: &WantedPosition| wanted.fen.board.occupied().count() as u32;
        let men: Vec<u32> = positions.iter().map(men).collect();
        Wanted {
            starts: ends.collect(),
            keys,
            shift,
            placements: positions.iter().map(placement).collect(),
            least_men: men.iter().copied().min().unwrap_or_default(),
            men,
        }
    }

    /// Calls `each` with every wanted position that is the present one.
    #[inline]
    fn look_up(&self, now: &Now, mut each: impl FnMut(usize)) {
        let entry = (now.key >> self.shift) as usize;
        let (Some(&start), Some(&end)) = (self.starts.get(entry), self.starts.get(entry + 1))
        else {
            return;
        };
        let keys = self.keys.get(start as usize..end as usize);
        for &(key, position) in keys.unwrap_or_default() {
            let position = position as usize;
            let (squares, turn) = &self.placements[position];
            let is_here = key == now.key
                && turn.is_none_or(|turn| turn == now.turn)
                && *squares == now.squares;
            if is_here {
                each(position);
            }
        }
    }
}

/// What stands where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    /// By [`Man::index`]; padded so that no index can miss.
    squares: [u64; 16],
    key: u64,
    turn: Color,
    men: u32,
}

impl Now {
    fn new(board: &Board, turn: Color) -> Now {
        Now {
            squares: squares(board),
            key: key(board),
            turn,
            men: board.occupied().count() as u32,
        }
    }

    #[inline]
    fn change(&mut self, placed: Placed) {
        self.squares[placed.man_index()] ^= 1 << placed.square_index();
        self.key ^= KEYS[placed.index()];
    }
}

/// Follows games and notes which wanted positions they have.
#[derive(Debug)]
pub(super) struct Lookout<'a> {
    wanted: &'a Wanted,
    standard: Now,
    now: Now,
    /// Numbers the games, so that nothing has to be cleared between them.
    game: u32,
    /// By position: the last game that it was found in.
    found_in: Vec<u32>,
    /// The positions found in the present game, each once.
    found: Vec<usize>,
    /// By position: the games of which it is asked, one bit a game; `None` when all positions
    /// are asked of every game.
    open: Option<Vec<u64>>,
    /// Which bit is the present game's.
    bit: u64,
    /// Of so many positions it is asked for the present game.
    asked: usize,
    /// With fewer men on the board none of the wanted positions can come. Men never become
    /// more: a promotion replaces one.
    least_men: u32,
}

impl<'a> Lookout<'a> {
    pub(super) fn new(wanted: &'a Wanted) -> Lookout<'a> {
        let standard = Now::new(&Board::new(), Color::White);
        Lookout {
            wanted,
            now: standard,
            standard,
            game: 0,
            found_in: vec![0; wanted.placements.len()],
            found: Vec::new(),
            open: None,
            bit: 1,
            asked: 0,
            least_men: 0,
        }
    }

    /// Sets, by position, of which of 64 games it is asked, one bit a game.
    pub(super) fn ask(&mut self, open: &[u64]) {
        let kept = self.open.get_or_insert_default();
        kept.clear();
        kept.extend_from_slice(open);
    }

    /// Prepares for one of those games, by its bit's number below 64.
    pub(super) fn begin(&mut self, lane: u32) {
        self.game = match self.game.checked_add(1) {
            Some(game) => game,
            None => {
                self.found_in.fill(0);
                1
            }
        };
        self.found.clear();
        self.bit = 1 << (lane & 63);
        (self.asked, self.least_men) = match &self.open {
            None => (self.found_in.len(), self.wanted.least_men),
            Some(open) => {
                let men = open.iter().zip(&self.wanted.men);
                let asked = men.filter(|(open, _)| *open & self.bit != 0);
                asked.fold((0, u32::MAX), |(asked, least), (_, &men)| {
                    (asked + 1, least.min(men))
                })
            }
        };
    }

    /// From now on the present game is followed through all its lines: what left the board on
    /// one may be there on another.
    pub(super) fn look_in_all_lines(&mut self) {
        self.least_men = 0;
    }

    /// Returns the positions found in the present game, in the order in which they came.
    pub(super) fn found(&self) -> &[usize] {
        &self.found
    }

    /// Tells whether every position of interest has been found.
    pub(super) fn is_content(&self) -> bool {
        self.found.len() >= self.asked
    }

    #[inline]
    fn test(&mut self) -> Flow {
        let (found, found_in) = (&mut self.found, &mut self.found_in);
        self.wanted.look_up(&self.now, |position| {
            let open = self.open.as_ref();
            let is_asked = open.is_none_or(|open| open[position] & self.bit != 0);
            if is_asked && found_in[position] != self.game {
                found_in[position] = self.game;
                found.push(position);
            }
        });
        match self.now.men < self.least_men || self.is_content() {
            true => Flow::Break(()),
            false => Flow::Continue(()),
        }
    }
}

impl Follow for Lookout<'_> {
    type Snapshot = Now;

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.now = match start {
            Start::Standard => self.standard,
            Start::Custom(setup) => Now::new(&setup.board, setup.turn),
        };
        self.test()
    }

    #[inline]
    fn shift(&mut self, from: Placed, to: Placed) {
        self.now.change(from);
        self.now.change(to);
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        self.now.change(gone);
        self.now.men = self.now.men.wrapping_sub(1);
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.now.change(new);
        self.now.men = self.now.men.wrapping_add(1);
    }

    #[inline]
    fn look(&mut self) -> Flow {
        self.now.turn = self.now.turn.other();
        self.test()
    }

    fn snapshot(&self) -> Now {
        self.now
    }

    fn restore(&mut self, now: &Now) {
        self.now = *now;
    }
}

fn squares(board: &Board) -> [u64; 16] {
    let mut squares = [0; 16];
    for man in Man::ALL {
        squares[man.index()] = board.by_piece(man.into()).into();
    }
    squares
}

fn key(board: &Board) -> u64 {
    let key =
        |(square, piece): (_, shakmaty::Piece)| KEYS[Placed::new(piece.into(), square).index()];
    board.iter().map(key).fold(0, |sum, key| sum ^ key)
}

/// A number for each man on each square, by [`Placed::index`]. Any will do that look random;
/// these are the first of the generator SplitMix64.
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
