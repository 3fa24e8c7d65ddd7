//! Positions as bits, for training.

use pyo3::{prelude::*, types::PyBytes};
use tabiya::{Database, ListStyle, MainLine, Notation, chess::GameResult};

use crate::{
    moves::{BYTES_MAX, is_damaged},
    tables::game_ids,
    work,
};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";
/// The order of the planes.
const PIECES: &[u8] = b"PNBRQKpnbrqk";

/// Positions with a move to make, side by side as bytes of this machine.
#[derive(Default)]
struct Rows {
    /// 12 planes of 8 bytes, one a rank from the first; bit 0 is the a-file.
    planes: Vec<u8>,
    /// Unsigned, 16 bits: from, to, promotion.
    moves: Vec<u8>,
    /// 1 if White is to move.
    turns: Vec<u8>,
    /// Signed, 8 bits.
    results: Vec<u8>,
    /// Two of 16 bits, 0 if unknown.
    ratings: Vec<u8>,
}

/// Planes, moves, turns, results, ratings; how many of the games were read; and how many of these
/// are damaged: their positions before the damage are there.
pub(crate) type PlaneColumns<'py> = ([Bound<'py, PyBytes>; 5], usize, u64);

/// Returns the positions of main lines in which a move is made, of some games or of the first of
/// them.
pub(crate) fn planes<'py>(
    py: Python<'py>,
    database: &Database,
    games: &[u8],
) -> PyResult<PlaneColumns<'py>> {
    let mut rows = Rows::default();
    let (done, damaged) = work::read(py, database, |database| read(database, games, &mut rows))?;
    let columns = [
        rows.planes,
        rows.moves,
        rows.turns,
        rows.results,
        rows.ratings,
    ];
    Ok((
        columns.map(|column| PyBytes::new(py, &column)),
        done,
        damaged,
    ))
}

fn read(database: &Database, games: &[u8], rows: &mut Rows) -> tabiya::Result<(usize, u64)> {
    let mut line = MainLine::new(ListStyle::Words, &[Notation::Uci, Notation::Fen]);
    let (mut done, mut damaged) = (0, 0);
    for game in game_ids(games) {
        damaged += u64::from(is_damaged(line.read(database, game))?);
        let keys = database.keys(game)?;
        let result: i8 = match keys.result {
            GameResult::WhiteWins => 1,
            GameResult::Draw => 0,
            GameResult::BlackWins => -1,
            _ => 2,
        };
        let ratings = [keys.white_rating, keys.black_rating];
        let ratings = ratings.map(|elo| elo.map_or(0, |elo| elo.get()).to_ne_bytes());
        let start = line.start_fen();
        let fens = line.text(Notation::Fen).split(';');
        let fens = std::iter::once(start.as_deref().unwrap_or(START)).chain(fens);
        for (fen, uci) in fens.zip(line.text(Notation::Uci).split(' ')) {
            // Null moves and the empty text of a game without moves are none.
            let Some(number) = number_of(uci) else {
                continue;
            };
            rows.push(fen);
            rows.moves.extend_from_slice(&number.to_ne_bytes());
            rows.results.extend_from_slice(&result.to_ne_bytes());
            rows.ratings.extend_from_slice(ratings.as_flattened());
        }
        done += 1;
        if rows.planes.len() > BYTES_MAX {
            break;
        }
    }
    Ok((done, damaged))
}

/// Returns the number of a move: its first square, and from bit 6 its last one, and from bit 12 the
/// promotion: 1 to 4 for N, B, R, Q.
fn number_of(uci: &str) -> Option<u16> {
    let square = |bytes: &[u8]| {
        let (file, rank) = (bytes[0].wrapping_sub(b'a'), bytes[1].wrapping_sub(b'1'));
        (file < 8 && rank < 8).then_some(u16::from(rank) * 8 + u16::from(file))
    };
    let bytes = uci.as_bytes();
    let (from, to) = (square(bytes.get(..2)?)?, square(bytes.get(2..4)?)?);
    let promotion = match bytes.get(4) {
        Some(piece) => b"nbrq".iter().position(|other| other == piece)? as u16 + 1,
        None => 0,
    };
    Some(from | to << 6 | promotion << 12)
}

impl Rows {
    /// Adds the planes and the turn of a position.
    fn push(&mut self, fen: &str) {
        let mut planes = [[0_u8; 8]; 12];
        let (mut rank, mut file) = (7_usize, 0_u32);
        let mut words = fen.split(' ');
        for byte in words.next().unwrap_or_default().bytes() {
            match byte {
                b'/' => (rank, file) = (rank.saturating_sub(1), 0),
                b'1'..=b'8' => file += u32::from(byte - b'0'),
                _ => {
                    if let Some(piece) = PIECES.iter().position(|piece| *piece == byte) {
                        planes[piece][rank] |= 1_u8.unbounded_shl(file);
                    }
                    file += 1;
                }
            }
        }
        self.planes.extend_from_slice(planes.as_flattened());
        self.turns.push(u8::from(words.next() != Some("b")));
    }
}
