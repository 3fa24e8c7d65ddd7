//! Positions as numbers, for training.

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict},
};
use tabiya::{
    Database, GameId, ListStyle, MainLine, Notation, Remarks,
    chess::{Color, Evaluation, GameResult, Seconds, forgiving_position},
    shakmaty::{CastlingMode, Chess, Position as _, Role, fen::Fen, uci::UciMove},
};

use crate::{
    moves::{BYTES_MAX, is_damaged},
    tables::game_ids,
    work,
};

const STANDARD: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// The order of the planes.
const PIECES: &[u8] = b"PNBRQKpnbrqk";
/// No position has more legal moves.
const LEGAL_MAX: usize = 218;
/// What stands behind the last legal move.
const NO_MOVE: u16 = u16::MAX;

/// What is told of a position in which a move is made. Bytes of this machine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    /// 12 planes of 8 bytes, one a rank from the first; bit 0 is the a-file.
    Planes,
    /// The move: unsigned, 16 bits: from, to, promotion.
    Move,
    /// 1 if White is to move.
    Turn,
    /// Signed, 8 bits: 1 if White won, 2 if unknown.
    Result,
    /// Two of 16 bits, White's and Black's; 0 if unknown.
    Elo,
    /// Bits of 8: White's short and long castling, then Black's.
    Castling,
    /// Signed, 8 bits: the square behind the pawn, -1 without one.
    EnPassant,
    /// Signed, 32 bits: half-moves before the position.
    Ply,
    /// Signed, 64 bits: the number of the game.
    Game,
    /// Two floats of 32 bits: seconds left to White and Black.
    Clock,
    /// A float of 32 bits: pawns for White.
    Eval,
    /// A float of 32 bits: the expected result of the side to move.
    Score,
    /// The legal moves as in `Move`, filled up.
    Legal,
    /// Unsigned, 8 bits, for each of `Legal`: how often a search visited it.
    Visits,
}

const LABELS: [(&str, Label); 14] = [
    ("planes", Label::Planes),
    ("move", Label::Move),
    ("turn", Label::Turn),
    ("result", Label::Result),
    ("elo", Label::Elo),
    ("castling", Label::Castling),
    ("en_passant", Label::EnPassant),
    ("ply", Label::Ply),
    ("game", Label::Game),
    ("clock", Label::Clock),
    ("eval", Label::Eval),
    ("score", Label::Score),
    ("legal", Label::Legal),
    ("visits", Label::Visits),
];

/// A dict of columns; how many of the games were read; and how many of these are damaged: their
/// positions before the damage are there.
pub(crate) type PlaneColumns<'py> = (Bound<'py, PyDict>, usize, u64);

/// Returns labels of the positions of main lines in which a move is made, of some games or of the
/// first of them.
pub(crate) fn planes<'py>(
    py: Python<'py>,
    database: &Database,
    names: &[String],
    games: &[u8],
) -> PyResult<PlaneColumns<'py>> {
    let label = |name: &String| {
        let mut labels = LABELS.iter();
        let label = labels.find(|(known, _)| known == name);
        let fault = || PyValueError::new_err(format!("there is no column `{name}`"));
        label.map(|(_, label)| *label).ok_or_else(fault)
    };
    let labels = names.iter().map(label).collect::<PyResult<Vec<_>>>()?;
    let mut reader = Reader::new(&labels);
    let (done, damaged) = work::read(py, database, |database| {
        let (mut done, mut damaged) = (0, 0);
        for game in game_ids(games) {
            damaged += u64::from(reader.read(database, game)?);
            done += 1;
            if reader.bytes() > BYTES_MAX {
                break;
            }
        }
        Ok((done, damaged))
    })?;
    let told = PyDict::new(py);
    for (name, (_, column)) in names.iter().zip(reader.columns) {
        told.set_item(name, PyBytes::new(py, &column))?;
    }
    Ok((told, done, damaged))
}

/// A position with its game.
struct Place<'a> {
    fen: &'a str,
    /// Of the FEN the board, the turn, the rights and the square of en passant.
    words: [&'a str; 4],
    /// Half-moves before it.
    ply: u32,
    game: GameLabels,
}

/// What is the same for all positions of a game.
#[derive(Clone, Copy)]
struct GameLabels {
    number: u32,
    result: i8,
    ratings: [i16; 2],
    /// Which side, 0 for White, makes the first move.
    first: u32,
    /// How castling is written.
    mode: CastlingMode,
}

struct Reader {
    columns: Vec<(Label, Vec<u8>)>,
    line: MainLine,
    remarks: Remarks,
    wants_remarks: bool,
}

impl Reader {
    fn new(labels: &[Label]) -> Reader {
        let has = |wanted: &[Label]| labels.iter().any(|label| wanted.contains(label));
        let line = MainLine::new(ListStyle::Words, &[Notation::Uci, Notation::Fen]);
        Reader {
            columns: labels.iter().map(|label| (*label, Vec::new())).collect(),
            line: line.evaluations(has(&[Label::Score, Label::Legal, Label::Visits])),
            remarks: Remarks::default(),
            wants_remarks: has(&[Label::Clock, Label::Eval]),
        }
    }

    fn bytes(&self) -> usize {
        self.columns.iter().map(|(_, column)| column.len()).sum()
    }

    /// Adds the positions of a game; returns whether it is damaged.
    fn read(&mut self, database: &Database, game: GameId) -> tabiya::Result<bool> {
        let is_damaged_game = is_damaged(self.line.read(database, game))?;
        if self.wants_remarks {
            // The line has told of the damage.
            let _ = is_damaged(self.remarks.read_numbers(database, game))?;
        }
        let keys = database.keys(game)?;
        let ratings = [keys.white_rating, keys.black_rating];
        let start = self.line.start_fen();
        let start = start.as_deref().unwrap_or(STANDARD);
        let setup = start.parse::<Fen>().map(Fen::into_setup);
        let labels = GameLabels {
            number: database.number(game),
            result: match keys.result {
                GameResult::WhiteWins => 1,
                GameResult::Draw => 0,
                GameResult::BlackWins => -1,
                _ => 2,
            },
            ratings: ratings.map(|elo| elo.map_or(0, |elo| elo.get().cast_signed())),
            first: u32::from(is_black(start)),
            mode: setup.map_or(CastlingMode::Standard, |setup| CastlingMode::detect(&setup)),
        };
        let mut columns = std::mem::take(&mut self.columns);
        let fens = self.line.text(Notation::Fen).split(';');
        let fens = std::iter::once(start).chain(fens);
        let moves = self.line.text(Notation::Uci).split(' ');
        for (ply, (fen, uci)) in (0..).zip(fens.zip(moves)) {
            // Null moves and the empty text of a game without moves are none.
            let played = UciMove::from_ascii(uci.as_bytes()).ok();
            let Some(number) = played.and_then(number_of) else {
                continue;
            };
            let mut words = fen.splitn(5, ' ');
            let place = Place {
                fen,
                words: std::array::from_fn(|_| words.next().unwrap_or_default()),
                ply,
                game: labels,
            };
            for (label, column) in &mut columns {
                self.push(*label, &place, number, column);
            }
        }
        self.columns = columns;
        Ok(is_damaged_game)
    }

    fn push(&self, label: Label, place: &Place<'_>, number: u16, column: &mut Vec<u8>) {
        let [board, turn, rights, en_passant] = place.words;
        match label {
            Label::Planes => {
                column.extend_from_slice(planes_of(board).as_flattened());
            }
            Label::Move => column.extend_from_slice(&number.to_ne_bytes()),
            Label::Turn => column.push(u8::from(turn != "b")),
            Label::Result => column.extend_from_slice(&place.game.result.to_ne_bytes()),
            Label::Elo => {
                let ratings = place.game.ratings.map(i16::to_ne_bytes);
                column.extend_from_slice(ratings.as_flattened());
            }
            Label::Castling => column.push(rights_of(board, rights)),
            Label::EnPassant => {
                let square = square_of(en_passant.as_bytes());
                let square = square.map_or(-1, |square| square.cast_signed() as i8);
                column.extend_from_slice(&square.to_ne_bytes());
            }
            Label::Ply => column.extend_from_slice(&place.ply.cast_signed().to_ne_bytes()),
            Label::Game => {
                column.extend_from_slice(&i64::from(place.game.number).to_ne_bytes());
            }
            Label::Clock => {
                let clocks = self
                    .clocks(place.ply, place.game.first)
                    .map(f32::to_ne_bytes);
                column.extend_from_slice(clocks.as_flattened());
            }
            Label::Eval => column.extend_from_slice(&self.eval(place.ply).to_ne_bytes()),
            Label::Score => {
                let eval = self.line.evaluation(place.ply);
                let score = eval.map_or(f32::NAN, |eval| eval.expectation as f32);
                column.extend_from_slice(&score.to_ne_bytes());
            }
            Label::Legal => self.push_legal(place, column),
            Label::Visits => {
                let eval = self.line.evaluation(place.ply);
                let visits = eval.map_or(&[][..], |eval| eval.visits);
                let end = column.len() + LEGAL_MAX;
                column.extend_from_slice(visits.get(..LEGAL_MAX).unwrap_or(visits));
                column.resize(end, 0);
            }
        }
    }

    /// Returns the seconds left to White and Black in a position: what the comments after the last
    /// move of each say; not a number if nothing does.
    fn clocks(&self, ply: u32, first: u32) -> [f32; 2] {
        [0, 1].map(|side| {
            // White makes the odd half-moves if it begins.
            let is_of_side = |&told: &u32| (told + first + 1) % 2 == side;
            let told = (ply.saturating_sub(1)..=ply).rev().find(is_of_side);
            let clock = told.and_then(|told| self.remarks.after(told).0.clock);
            clock.map_or(f32::NAN, |clock| Seconds::seconds(clock) as f32)
        })
    }

    /// Returns the evaluation of a position in pawns for White, infinite for mates.
    fn eval(&self, ply: u32) -> f32 {
        let told = self.remarks.after(ply).0.eval;
        told.map_or(f32::NAN, |eval| {
            let mate = || Evaluation::mate_in(eval).unwrap_or_default();
            let pawns = Evaluation::pawns(eval).map(|pawns| pawns as f32);
            pawns.unwrap_or_else(|| f32::INFINITY.copysign(mate() as f32))
        })
    }

    /// Adds the legal moves in the order in which visits are stored, else in that of their numbers.
    fn push_legal(&self, place: &Place<'_>, column: &mut Vec<u8>) {
        let end = column.len() + 2 * LEGAL_MAX;
        if let Some(position) = position_of(place.fen) {
            let mut legal = position.legal_moves();
            let visited = self.line.evaluation(place.ply);
            let visited = visited.filter(|eval| eval.visits.len() == legal.len());
            if let Some(eval) = visited {
                legal.sort_unstable_by_key(|played| (eval.code)(*played));
            }
            let mut numbers = [NO_MOVE; LEGAL_MAX];
            let numbers = &mut numbers[..legal.len().min(LEGAL_MAX)];
            for (number, played) in numbers.iter_mut().zip(&legal) {
                let played = played.to_uci(place.game.mode);
                *number = number_of(played).unwrap_or(NO_MOVE);
            }
            if visited.is_none() {
                numbers.sort_unstable();
            }
            let numbers = numbers.iter();
            numbers.for_each(|number| column.extend_from_slice(&number.to_ne_bytes()));
        }
        // Both bytes of what is no move.
        column.resize(end, u8::MAX);
    }
}

fn position_of(fen: &str) -> Option<Chess> {
    let setup = fen.parse::<Fen>().ok()?.into_setup();
    forgiving_position(setup, CastlingMode::Chess960).ok()
}

fn is_black(fen: &str) -> bool {
    fen.split(' ').nth(1) == Some("b")
}

/// Returns the number of a square, 0 for a1.
fn square_of(bytes: &[u8]) -> Option<u16> {
    let &[file, rank] = bytes else {
        return None;
    };
    let (file, rank) = (file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'));
    (file < 8 && rank < 8).then_some(u16::from(rank) * 8 + u16::from(file))
}

/// Returns the number of a move: its first square, and from bit 6 its last one, and from bit 12 the
/// promotion: 1 to 4 for N, B, R, Q. Null moves have none.
fn number_of(played: UciMove) -> Option<u16> {
    let UciMove::Normal {
        from,
        to,
        promotion,
    } = played
    else {
        return None;
    };
    let promotion = promotion.map_or(0, |role| role as u16 - Role::Pawn as u16);
    Some(from as u16 | (to as u16) << 6 | promotion << 12)
}

/// Returns the planes of a board as a FEN has it.
fn planes_of(board: &str) -> [[u8; 8]; 12] {
    let mut planes = [[0_u8; 8]; 12];
    let (mut rank, mut file) = (7_usize, 0_u32);
    for byte in board.bytes() {
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
    planes
}

/// Returns castling rights as bits. In Chess960 a FEN may name the rook's file.
fn rights_of(board: &str, rights: &str) -> u8 {
    let mut bits = 0;
    for right in rights.bytes().filter(u8::is_ascii_alphabetic) {
        let color = Color::from_white(right.is_ascii_uppercase());
        let is_long = match right.to_ascii_uppercase() {
            b'K' => false,
            b'Q' => true,
            file => {
                let king = planes_of(board)[color.fold_wb(5, 11)][color.fold_wb(0, 7)];
                u32::from(file - b'A') < king.trailing_zeros()
            }
        };
        bits |= 1 << (color.fold_wb(0, 2) + u8::from(is_long));
    }
    bits
}
