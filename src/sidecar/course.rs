//! Follows the aspects of a game: the files of the pawns, and the squares of both kings.

use shakmaty::Color;
use tabiya_chess::{Placed, Start};

use super::aspects::{Aspect, Files};

/// Follows the files of the pawns of each side.
#[derive(Debug, Clone)]
pub(super) struct FileTrace {
    /// Number of pawns on each file: four bits each, White's and Black's.
    counts: [u32; 2],
    /// The sets of files that pawns have stood on, possibly repeated.
    seen: [Vec<Files>; 2],
    /// Whether some count has changed since the last ply was complete.
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

    pub(super) fn forget(&mut self) {
        self.seen.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn start(&mut self, start: Start<'_>) {
        self.forget();
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
            let without = self.counts[side].wrapping_sub(one_on_file(from));
            self.counts[side] = without.wrapping_add(one_on_file(to));
            self.changed = true;
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, gone: Placed) {
        if let Some(side) = pawn_side(gone) {
            self.counts[side] = self.counts[side].wrapping_sub(one_on_file(gone));
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

    /// Returns an iterator over the set numbers of the states that occurred in the game.
    pub(super) fn sets(&self) -> impl Iterator<Item = u16> {
        let sides = Color::ALL.into_iter().zip(&self.seen);
        sides.flat_map(|(color, seen)| {
            let sets = seen.iter();
            sets.map(move |&files| Aspect::Files(color).set(files))
        })
    }
}

/// Returns the side of a pawn, 0 for White; `None` for other men.
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

/// Follows the squares of both kings, as long as both are on their first ranks.
#[derive(Debug, Clone)]
pub(super) struct KingTrace {
    /// White's and Black's square.
    squares: [u8; 2],
    /// The pairs of squares that occurred, possibly repeated.
    seen: Vec<u8>,
    changed: bool,
}

impl KingTrace {
    pub(super) fn new() -> KingTrace {
        KingTrace {
            squares: HOME,
            seen: Vec::new(),
            changed: false,
        }
    }

    pub(super) fn forget(&mut self) {
        self.seen.clear();
    }

    pub(super) fn start(&mut self, start: Start<'_>) {
        self.forget();
        self.squares = match start {
            Start::Standard => HOME,
            Start::Custom(setup) => Color::ALL.map(|color| {
                let king = setup.board.king_of(color);
                king.map_or(NOWHERE, |square| square as u8)
            }),
        };
        self.changed = true;
        self.look();
    }

    #[inline(always)]
    pub(super) fn shift(&mut self, from: Placed, to: Placed) {
        let side = match from.man_index() {
            0 => 0,
            6 => 1,
            _ => return,
        };
        self.squares[side] = to.square_index();
        self.changed = true;
    }

    #[inline(always)]
    pub(super) fn look(&mut self) {
        if std::mem::take(&mut self.changed) {
            let [white, black] = self.squares;
            if white < 8 && (56..64).contains(&black) {
                self.seen.push(white * 8 + (black - 56));
            }
        }
    }

    /// Returns an iterator over the set numbers of the states that occurred in the game.
    pub(super) fn sets(&self) -> impl Iterator<Item = u16> {
        self.seen.iter().map(|&both| Aspect::Kings.set(both))
    }
}

/// e1 and e8.
const HOME: [u8; 2] = [4, 60];
/// The square of a king that is not on the board.
const NOWHERE: u8 = 64;
