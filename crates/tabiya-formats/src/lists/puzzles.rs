//! Puzzles as Lichess publishes them (`lichess_db_puzzle.csv`), a row each.
//!
//! The columns, with commas between them: `PuzzleId`, `FEN` (the position before the opponent's
//! move), `Moves` (UCI, with spaces; the first is that of the opponent, the others the solution),
//! `Rating`, `RatingDeviation`, `Popularity` (-100 to 100), `NbPlays`, `Themes` (words), `GameUrl`,
//! since 2022 `OpeningTags` (words), and since 2025 `DailyDate`. The first row may name them. A
//! value may be quoted; none holds a comma. Source: the page of Lichess that offers the file, and
//! rows of files of three years.
//!
//! A puzzle is a game with the columns as tags of the same name, and with `Lichess puzzle` as its
//! event.

use memchr::memchr;
use shakmaty::{Square, fen::Fen};
use tabiya_chess::text::decode;

use super::{Telling, flaws, tags::tag};
use crate::damage::Flaw;

/// The names of the columns behind the moves, in their order.
const COLUMNS: [&str; 8] = [
    "Rating",
    "RatingDeviation",
    "Popularity",
    "NbPlays",
    "Themes",
    "GameUrl",
    "OpeningTags",
    "DailyDate",
];

/// A letter that no notation of moves has.
const NO_MOVE: u8 = b'y';

/// Whether a row names the columns.
pub(super) fn is_title(row: &[u8]) -> bool {
    columns(row).next() == Some(b"PuzzleId")
}

/// Whether a row begins as a puzzle does.
pub(super) fn is_puzzle(row: &[u8]) -> bool {
    let fen = columns(row).nth(1).unwrap_or_default();
    Fen::from_ascii(fen).is_ok()
}

fn columns(row: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(row);
    std::iter::from_fn(move || {
        let row = rest?;
        let end = memchr(b',', row);
        rest = end.map(|end| &row[end + 1..]);
        let value = row[..end.unwrap_or(row.len())].trim_ascii();
        let inner = value
            .strip_prefix(b"\"")
            .and_then(|rest| rest.strip_suffix(b"\""));
        Some(inner.unwrap_or(value))
    })
}

/// The parts of a row.
struct Puzzle<'r, T> {
    fen: &'r [u8],
    moves: &'r [u8],
    /// The names and values of the other columns.
    tags: T,
}

fn read(row: &[u8]) -> Option<Puzzle<'_, impl Iterator<Item = (&'static str, &[u8])>>> {
    let mut columns = columns(row);
    let (id, fen, moves) = (columns.next()?, columns.next()?, columns.next()?);
    let tags = [("PuzzleId", id)]
        .into_iter()
        .chain(COLUMNS.into_iter().zip(columns));
    let tags = tags.filter(|(_, value)| !value.is_empty());
    Some(Puzzle { fen, moves, tags })
}

/// Returns the position before the opponent's move; `None` for a row that is no puzzle.
pub(super) fn start(row: &[u8]) -> Option<&[u8]> {
    let is_plain = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
    let fen = read(row)?.fen;
    // What else a tag holds is told otherwise.
    (!fen.is_empty() && fen.iter().all(is_plain)).then_some(fen)
}

/// Whether a tag passes; `None` for a row that is no puzzle.
pub(super) fn any_tag(row: &[u8], test: &mut dyn FnMut(&str, &str) -> bool) -> Option<bool> {
    Some(
        read(row)?
            .tags
            .any(|(name, value)| test(name, &decode(value))),
    )
}

pub(super) fn tell(row: &[u8], telling: Telling, pgn: &mut Vec<u8>) -> Result<(), Flaw> {
    let Some(Puzzle { fen, moves, tags }) = read(row) else {
        return Err(flaws::TOO_FEW_COLUMNS);
    };
    tag(pgn, "Event", "Lichess puzzle");
    tag(pgn, "FEN", fen);
    if telling == Telling::All {
        tags.for_each(|(name, value)| tag(pgn, name, value));
    }
    pgn.push(b'\n');
    if telling == Telling::Header {
        pgn.push(b'*');
        return Ok(());
    }
    let mut board = Board::of_fen(fen);
    for uci in moves.split(|&byte| byte == b' ') {
        if !uci.is_empty() {
            board.play(uci, pgn);
            pgn.push(b' ');
        }
    }
    pgn.push(b'*');
    Ok(())
}

/// The men of a position by their letters in FEN; 0 for none. Knows no rules: whether a move is
/// legal is found out when its game is played.
struct Board([u8; 64]);

impl Board {
    /// Reads the placement of a FEN as far as it can be read.
    fn of_fen(fen: &[u8]) -> Board {
        let (mut board, mut rank, mut file) = (Board([0; 64]), 7_usize, 0_usize);
        for &byte in fen.iter().take_while(|byte| **byte != b' ') {
            match byte {
                b'/' => (rank, file) = (rank.saturating_sub(1), 0),
                b'1'..=b'8' => file += usize::from(byte - b'0'),
                _ => {
                    if let Some(square) = board.0.get_mut(rank * 8 + file) {
                        *square = byte;
                    }
                    file += 1;
                }
            }
        }
        board
    }

    /// Appends a move, given in UCI, in SAN with the whole square of a piece's origin, and plays
    /// it. What is no move is appended as a word that none can be.
    fn play(&mut self, uci: &[u8], pgn: &mut Vec<u8>) {
        let squares = uci
            .get(..2)
            .and_then(square)
            .zip(uci.get(2..4).and_then(square));
        let is_whole = uci.len() == 4 || uci.len() == 5 && uci[4].is_ascii_alphabetic();
        let begins_at_man =
            |(from, _): &(Square, Square)| self.0[*from as usize].is_ascii_alphabetic();
        let Some((from, to)) = squares.filter(begins_at_man).filter(|_| is_whole) else {
            // It may be a result, or begin a comment or a tag.
            pgn.push(NO_MOVE);
            let is_plain = |byte: &u8| byte.is_ascii_alphanumeric();
            return pgn.extend(
                uci.iter()
                    .map(|byte| if is_plain(byte) { *byte } else { NO_MOVE }),
            );
        };
        let man = std::mem::take(&mut self.0[from as usize]);
        let taken = std::mem::replace(&mut self.0[to as usize], man);
        let is_rook_of_side = taken.eq_ignore_ascii_case(&b'r')
            && taken.is_ascii_uppercase() == man.is_ascii_uppercase();
        let is_king = man.eq_ignore_ascii_case(&b'k');
        if is_king && (is_rook_of_side || from.file().distance(to.file()) == 2) {
            return self.castle(man, (from, to), pgn);
        }
        let is_pawn = man.eq_ignore_ascii_case(&b'p');
        let is_en_passant = is_pawn && taken == 0 && from.file() != to.file();
        if is_en_passant {
            self.0[Square::from_coords(to.file(), from.rank()) as usize] = 0;
        }
        match (is_pawn, taken != 0 || is_en_passant) {
            (true, true) => pgn.extend([uci[0], b'x']),
            (true, false) => {}
            (false, takes) => {
                pgn.extend([man.to_ascii_uppercase(), uci[0], uci[1]]);
                pgn.extend(takes.then_some(b'x'));
            }
        }
        pgn.extend(&uci[2..4]);
        if let Some(&role) = uci.get(4) {
            pgn.extend([b'=', role.to_ascii_uppercase()]);
            let is_white = man.is_ascii_uppercase();
            self.0[to as usize] = if is_white {
                role.to_ascii_uppercase()
            } else {
                role
            };
        }
    }

    /// Castles, by the king's move to its new square or to the rook's.
    fn castle(&mut self, king: u8, (from, to): (Square, Square), pgn: &mut Vec<u8>) {
        let is_short = to > from;
        pgn.extend(if is_short { &b"O-O"[..] } else { b"O-O-O" });
        let first = from as usize / 8 * 8;
        let rank = &mut self.0[first..first + 8];
        let rook = if king.is_ascii_uppercase() {
            b'R'
        } else {
            b'r'
        };
        rank[to.file() as usize] = 0;
        // Between puzzles of Chess960 and others only the corner's rook is known.
        let corner = if is_short { 7 } else { 0 };
        if rank[corner] == rook {
            rank[corner] = 0;
        }
        let (king_file, rook_file) = if is_short { (6, 5) } else { (2, 3) };
        (rank[king_file], rank[rook_file]) = (king, rook);
    }
}

fn square(name: &[u8]) -> Option<Square> {
    Square::from_ascii(name).ok()
}
