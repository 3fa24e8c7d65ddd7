//! The names of openings, by position.
//!
//! A game's opening is the last named position after plies 1 to 40 that has at least 20 men, in a
//! main line from the standard start position, also if that is stored as a custom one. A position
//! counts wherever it comes from, so moves may be transposed. Castling and en-passant rights are
//! not part of it.
//!
//! `opening_names/table.txt` is made from the list of opening names that Lichess gives into the
//! public domain (CC0), with columns `eco`, `name`, `pgn`, `uci` and `epd`:
//!
//! ```text
//! TABIYA_OPENINGS=all.tsv cargo test --test it -- --ignored the_table_is_made
//! ```
//!
//! It has two lists with an empty line between them. Each line of the first is a name: the number
//! of bytes that it shares with the name before it, a space, and the rest. Each line of the second
//! is a named position: the number of moves that its line shares with the line before it, the other
//! moves in UCI notation without spaces between them, and the number of the name, from 1. Where two
//! lines end in one position, both have the name that stands later in the source. `codes.txt` is
//! made with it and has the codes.

mod listed;

use std::sync::OnceLock;

pub use listed::{NamedOpening, openings};
use shakmaty::{Bitboard, Board, Color, Role, Square};

use super::{
    castling::castled,
    eco::Eco,
    follow::{Flow, Follow, Placed, Start, break_if},
    placement::{Placement, Placements},
};

/// The table as text.
pub const TABLE: &str = include_str!("opening_names/table.txt");

/// Positions after this ply have no name.
const PLIES_MAX: u32 = 40;
/// Positions with fewer men have no name.
const MEN_MIN: u32 = 20;

/// The number of a name in the list of names, from 1.
pub type NameNumber = u16;

/// The number of a named position in the table, from 1; 0 for none.
pub type OpeningNumber = u16;

/// Returns all names, sorted; the first has number 1. Made at first use.
pub fn names() -> &'static [String] {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let (names, _) = TABLE.split_once("\n\n").unwrap_or_default();
        let mut all: Vec<String> = Vec::new();
        for (shared, rest) in names.lines().filter_map(|line| line.split_once(' ')) {
            let before = all.last().map_or("", String::as_str);
            let shared = shared.parse().ok().and_then(|shared| before.get(..shared));
            all.push([shared.unwrap_or_default(), rest].concat());
        }
        all
    })
}

/// Returns the name of a named position; `None` for 0.
pub fn name(number: OpeningNumber) -> Option<&'static str> {
    let index = usize::from(number).checked_sub(1)?;
    name_of(Named::get().positions.get(index)?.name)
}

fn name_of(number: NameNumber) -> Option<&'static str> {
    let index = usize::from(number).checked_sub(1)?;
    names().get(index).map(String::as_str)
}

/// Returns the name of the opening that a position has; `None` if it has none of its own.
///
/// ```
/// # use tabiya_chess as tabiya;
/// use shakmaty::{Board, Color};
///
/// let board = Board::from_ascii_board_fen(b"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR")?;
/// assert_eq!(tabiya::opening_of(&board, Color::Black), Some("King's Pawn Game"));
/// assert_eq!(tabiya::opening_of(&board, Color::White), None);
/// # Ok::<(), shakmaty::fen::ParseFenError>(())
/// ```
#[must_use]
pub fn opening_of(board: &Board, turn: Color) -> Option<&'static str> {
    name(Named::get().at(&Placement::new(board, turn))?.number)
}

/// The named positions.
#[derive(Debug)]
pub struct Named {
    placements: Placements,
    positions: Vec<NamedPosition>,
    standard: Placement,
}

/// What is asked of a named position besides its placement.
#[derive(Debug, Clone, Copy)]
pub struct NamedPosition {
    /// Its number.
    pub number: OpeningNumber,
    /// The number of its name.
    pub name: NameNumber,
    /// Its code.
    pub eco: Eco,
    /// The squares of White's and of Black's pawns.
    pub pawns: [u64; 2],
    /// The number of men.
    pub men: u32,
}

impl Named {
    /// Returns the table, which is made at first use from some ten thousand moves.
    pub fn get() -> &'static Named {
        static NAMED: OnceLock<Named> = OnceLock::new();
        NAMED.get_or_init(Named::new)
    }

    fn new() -> Named {
        let (_, lines) = TABLE.split_once("\n\n").unwrap_or_default();
        let mut line = vec![Board::new()];
        let (mut wanted, mut positions) = (Vec::new(), Vec::new());
        let lines = lines.lines().filter_map(parts);
        for ((shared, moves, name), eco) in lines.zip(listed::codes()) {
            line.truncate(shared + 1);
            for squares in moves.as_bytes().chunks_exact(4) {
                let mut board = line.last().cloned().unwrap_or_default();
                play(&mut board, squares);
                line.push(board);
            }
            let turn = Color::from_white(line.len() % 2 == 1);
            if let Some(board) = line.last() {
                let placement = Placement::new(board, turn);
                let pawns = |color| (board.pawns() & board.by_color(color)).0;
                positions.push(NamedPosition {
                    number: positions.len() as OpeningNumber + 1,
                    name,
                    eco,
                    pawns: Color::ALL.map(pawns),
                    men: placement.men,
                });
                wanted.push((placement, Some(turn)));
            }
        }
        Named {
            placements: Placements::new(wanted.into_iter()),
            positions,
            standard: Placement::at(Start::Standard),
        }
    }

    /// Returns the named positions.
    pub fn positions(&self) -> &[NamedPosition] {
        &self.positions
    }

    /// Returns what the table says of a position.
    #[inline]
    fn at(&self, now: &Placement) -> Option<&NamedPosition> {
        let mut found = None;
        self.placements.look_up(now, |position| {
            found = self.positions.get(position);
        });
        found
    }
}

/// Splits a line of the second list.
fn parts(line: &'static str) -> Option<(usize, &'static str, NameNumber)> {
    let (shared, rest) = line.split_once(' ')?;
    let (moves, number) = rest.split_once(' ')?;
    Some((shared.parse().ok()?, moves, number.parse().ok()?))
}

/// Plays a legal move that does not promote, given by two squares.
fn play(board: &mut Board, squares: &[u8]) {
    let square = |at: usize| Square::from_ascii(squares.get(at..at + 2)?).ok();
    let (Some(from), Some(to)) = (square(0), square(2)) else {
        return;
    };
    let Some(man) = board.remove_piece_at(from) else {
        return;
    };
    match man.role {
        Role::King if from.file().distance(to.file()) == 2 => {
            let corner = if from < to { 7 } else { 0 };
            let rook = Square::from_coords(shakmaty::File::new(corner), from.rank());
            if let Some(man) = board.remove_piece_at(rook) {
                board.set_piece_at(castled(from, rook).1, man);
            }
        }
        Role::Pawn if from.file() != to.file() && board.piece_at(to).is_none() => {
            board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
        }
        _ => {}
    }
    board.set_piece_at(to, man);
}

/// Follows a main line as long as it may pass named positions.
#[derive(Debug)]
pub struct OpeningSeeker {
    named: &'static Named,
    now: Placement,
    ply: u32,
    found: Option<&'static NamedPosition>,
}

impl OpeningSeeker {
    /// Creates a seeker before the first position.
    pub fn at_start() -> OpeningSeeker {
        let named = Named::get();
        OpeningSeeker {
            named,
            now: named.standard,
            ply: 0,
            found: None,
        }
    }

    /// Returns the number of the opening of the last game followed.
    pub fn number(&self) -> OpeningNumber {
        self.found.map_or(0, |named| named.number)
    }

    /// Returns the code of the last named position of the last game followed.
    pub fn eco(&self) -> Option<Eco> {
        self.found.map(|named| named.eco)
    }
}

/// Returns whether a start position is the standard one, also if the game stores it.
pub fn is_standard(start: Start<'_>) -> bool {
    match start {
        Start::Standard => true,
        Start::Custom(setup) => {
            setup.turn.is_white()
                && setup.castling_rights == Bitboard::CORNERS
                && setup.board == Board::new()
        }
    }
}

/// It breaks when no named position can follow.
impl Follow for OpeningSeeker {
    fn reset(&mut self) {
        self.found = None;
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        (self.now, self.ply) = (self.named.standard, 0);
        break_if(!is_standard(start))
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
        self.ply += 1;
        self.now.pass();
        if self.now.men < MEN_MIN {
            return Flow::Break(());
        }
        self.found = self.named.at(&self.now).or(self.found);
        break_if(self.ply == PLIES_MAX)
    }
}

/// A set of named positions. 0 is never in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningNumbers(Vec<u64>);

impl OpeningNumbers {
    /// Returns the positions whose name passes a test.
    pub fn of_names(passes: impl Fn(&str) -> bool) -> OpeningNumbers {
        let passing: Vec<bool> = names().iter().map(|name| passes(name)).collect();
        let is_passing = |name: NameNumber| passing.get(usize::from(name).wrapping_sub(1));
        OpeningNumbers::of(|position| is_passing(position.name).copied().unwrap_or_default())
    }

    /// Returns the positions that pass a test.
    pub fn of(passes: impl Fn(&NamedPosition) -> bool) -> OpeningNumbers {
        let positions = &Named::get().positions;
        let mut numbers = OpeningNumbers(vec![0; positions.len() / 64 + 1]);
        for position in positions {
            let number = usize::from(position.number);
            numbers.0[number / 64] |= u64::from(passes(position)) << (number % 64);
        }
        numbers
    }

    /// Returns whether a position is among these.
    #[inline]
    pub fn contains(&self, number: OpeningNumber) -> bool {
        let word = self.0.get(usize::from(number / 64));
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Returns whether no name is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_the_table_is_read() {
        let (names_of, lines) = TABLE.split_once("\n\n").unwrap();
        assert_eq!(names().len(), names_of.lines().count());
        assert!(names().is_sorted() && names().len() < usize::from(NameNumber::MAX));
        assert!(openings().count() < usize::from(OpeningNumber::MAX));
        let named = Named::get();
        assert_eq!(named.positions.len(), lines.lines().count());
        for position in &named.positions {
            assert!(name(position.number).is_some());
            assert!(position.men >= MEN_MIN);
        }
        assert_eq!(name(0), None);
        assert_eq!(name(OpeningNumber::MAX), None);
    }

    #[test]
    fn every_line_of_the_table_is_found_with_its_code() {
        let named = Named::get();
        for line in openings() {
            let mut board = Board::new();
            for squares in &line.moves {
                play(&mut board, squares.as_bytes());
            }
            let turn = Color::from_white(line.moves.len().is_multiple_of(2));
            let found = named.at(&Placement::new(&board, turn)).unwrap();
            assert_eq!(name(found.number), Some(line.name));
            // The source has one position with two codes, by two orders of moves.
            let is_other = found.eco.to_string() == "C33" && line.eco.to_string() == "A00";
            assert!(found.eco == line.eco || is_other, "{}", line.name);
        }
    }

    #[test]
    fn positions_are_in_the_sets_of_their_names_and_codes() {
        let set = OpeningNumbers::of_names(|name| name == "Amar Opening");
        let numbers = (0..=OpeningNumber::MAX).filter(|&number| set.contains(number));
        let numbers: Vec<OpeningNumber> = numbers.collect();
        assert!(!numbers.is_empty());
        assert!(
            numbers
                .iter()
                .all(|&number| name(number) == Some("Amar Opening"))
        );
        let set = OpeningNumbers::of(|position| position.eco.to_string() == "B90");
        let positions = Named::get().positions().iter();
        let count = positions
            .filter(|position| set.contains(position.number))
            .count();
        assert!(count > 5 && !set.contains(0));
        assert!(!set.is_empty() && OpeningNumbers::of_names(|_| false).is_empty());
    }
}
