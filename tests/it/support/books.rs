//! Opening books, written byte by byte as their formats are described.

use shakmaty::{CastlingSide, Chess, File, Position as _, Rank, Role, Square};

/// Returns a book of PolyGlot's of entries in ascending order: key, from, to, weight.
pub(crate) fn polyglot(entries: &[(u64, Square, Square, u16)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &(key, from, to, weight) in entries {
        bytes.extend(key.to_be_bytes());
        bytes.extend((64 * from as u16 + to as u16).to_be_bytes());
        bytes.extend(weight.to_be_bytes());
        bytes.extend([0; 4]);
    }
    bytes
}

/// What is before the entries of Arena's books.
pub(crate) fn arena_header() -> Vec<u8> {
    let mut bytes = b"\x03ABK".to_vec();
    bytes.resize(25_200, 0);
    bytes
}

/// Returns an entry of a book of Arena's: the squares, then priority, games, White's wins and
/// losses, and the numbers of the answer and of the next move; -1 for none.
pub(crate) fn arena_entry(from: Square, to: Square, numbers: [i32; 6]) -> Vec<u8> {
    let [priority, games, won, lost, answer, next] = numbers;
    let mut bytes = vec![from as u8, to as u8, 0, priority as u8];
    for number in [games, won, lost, 0, answer, next] {
        bytes.extend(number.to_le_bytes());
    }
    bytes
}

/// A position of a book of ChessBase.
pub(crate) struct Stored {
    /// In which somebody may castle, without an en-passant square.
    pub(crate) position: Chess,
    /// Bytes of moves with their glyphs.
    pub(crate) moves: Vec<(u8, u8)>,
    /// Games; those that the side to move won, lost, drew.
    pub(crate) numbers: [u32; 4],
    pub(crate) colour: u8,
}

impl Stored {
    fn bytes(&self) -> Vec<u8> {
        let mut bits = String::new();
        let turn = self.position.turn();
        for file in File::ALL {
            for rank in Rank::ALL {
                let square = Square::from_coords(file, rank);
                let square = turn.fold_wb(square, square.flip_vertical());
                let Some(piece) = self.position.board().piece_at(square) else {
                    bits.push('0');
                    continue;
                };
                bits.push_str(match piece.role {
                    Role::Pawn => "11",
                    Role::Knight => "1001",
                    Role::Bishop => "1010",
                    Role::Rook => "1011",
                    Role::Queen => "10001",
                    Role::King => "10000",
                });
                bits.push(if piece.color == turn { '0' } else { '1' });
            }
        }
        while bits.len() % 8 != 4 {
            bits.push('0');
        }
        for color in [turn.other(), turn] {
            for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                let has = self.position.castles().has(color, side);
                bits.push(if has { '1' } else { '0' });
            }
        }
        let bits: Vec<u8> = bits.bytes().map(|bit| bit - b'0').collect();
        let byte = |bits: &[u8]| bits.iter().fold(0, |byte, bit| byte << 1 | bit);
        let mut bytes: Vec<u8> = bits.chunks(8).map(byte).collect();
        bytes.insert(0, 0x40 | (bytes.len() + 1) as u8);
        bytes.push((1 + 2 * self.moves.len()) as u8);
        bytes.extend(self.moves.iter().flat_map(|&(code, glyph)| [code, glyph]));
        let numbers = self.numbers.iter();
        bytes.extend(numbers.flat_map(|number| number.to_be_bytes()[1..].to_vec()));
        bytes.extend([0; 18]);
        bytes.extend([self.colour, 0, 0]);
        bytes
    }
}

/// Returns the files `.ctg`, `.cto` and `.ctb` of a book with one page.
pub(crate) fn chessbase(positions: &[Stored]) -> [Vec<u8>; 3] {
    let stored: Vec<u8> = positions.iter().flat_map(Stored::bytes).collect();
    let mut pages = vec![0; 4096];
    pages.extend((positions.len() as u16).to_be_bytes());
    pages.extend((4 + stored.len() as u16).to_be_bytes());
    pages.extend(stored);
    pages.resize(2 * 4096, 0);
    [pages, vec![0; 20], vec![0; 12]]
}

/// The start with 1.e4 (green, good), 1.d4 (red) and 1.Nf3, which leads to no position.
pub(crate) fn some_chessbase() -> [Vec<u8>; 3] {
    let after = |from: Square, to: Square| {
        let start = Chess::default();
        let moves = start.legal_moves();
        let goes = |played: &&shakmaty::Move| played.from() == Some(from) && played.to() == to;
        let played = moves.iter().find(goes).expect("a legal move");
        start.play(*played).expect("a legal move")
    };
    let stored = |position, moves, numbers, colour| Stored {
        position,
        moves,
        numbers,
        colour,
    };
    // King's and queen's pawn go two squares, the second knight to the left.
    let first = vec![(0x5f, 1), (0xe6, 0), (0xf3, 0)];
    chessbase(&[
        stored(Chess::default(), first, [90, 40, 30, 20], 0),
        stored(
            after(Square::E2, Square::E4),
            vec![],
            [60, 10, 30, 20],
            0x80,
        ),
        stored(after(Square::D2, Square::D4), vec![], [20, 6, 4, 10], 0x40),
    ])
}

/// 1.e4 e5, 1.e4 c5 and 1.d4.
pub(crate) fn some_arena() -> Vec<u8> {
    let entries = [
        arena_entry(Square::E2, Square::E4, [5, 100, 40, 30, 902, 901]),
        arena_entry(Square::D2, Square::D4, [9, 50, 20, 10, -1, -1]),
        arena_entry(Square::E7, Square::E5, [1, 60, 20, 20, -1, 903]),
        arena_entry(Square::C7, Square::C5, [1, 30, 10, 10, -1, -1]),
    ];
    [arena_header(), entries.concat()].concat()
}

/// The key of the start position, as the description of the format has it.
pub(crate) const START: u64 = 0x463b_9618_1691_fc9c;

/// 1.e4 with weight 3 and 1.a4 with 1.
pub(crate) fn some_polyglot() -> Vec<u8> {
    polyglot(&[
        (START, Square::E2, Square::E4, 3),
        (START, Square::A2, Square::A4, 1),
    ])
}
