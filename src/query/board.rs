//! Parses boards: placements, FENs, partial boards and material.

use std::str::FromStr;

use shakmaty::{
    Board, Color, File, Piece, Rank, Role, Setup, Square,
    fen::{Fen, ParseFenError},
};
use tabiya_chess::{Counts, Man};

use super::{BoardPattern, Fault, FenTest, ManSet, PawnPlacement, fault::excerpt, part::Part};

/// The meaning of the characters of a placement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// Digits are empty squares.
    Fen,
    /// Digits are squares that may hold anything, and there are symbols for sets.
    Pattern,
}

/// The greatest count of one kind that [`Counts`] can store.
const COUNTED_MAX: usize = 31;

/// Parses the `fen` value.
pub(super) fn fen(part: &Part<'_>) -> Result<FenTest, Fault> {
    let (setup, has_turn) = fen_setup(part)?;
    Ok(FenTest {
        board: setup.board,
        turn: has_turn.then_some(setup.turn),
        castling: setup.castling_rights,
        en_passant: setup.ep_square,
    })
}

/// Parses a FEN, or its first fields. Returns it with whether it says whose turn it is.
fn fen_setup(part: &Part<'_>) -> Result<(Setup, bool), Fault> {
    let fields = fen_fields(part);
    let board = to_board(&squares(&fields[0], Dialect::Fen)?);
    let texts: Vec<&str> = fields.iter().map(|field| field.text).collect();
    if texts.len() > 6 {
        return Err(fields[6].fault("a FEN has at most 6 fields"));
    }
    let mut setup = match Fen::from_ascii(texts.join(" ").as_bytes()) {
        Ok(fen) => fen.into_setup(),
        Err(error) => return Err(fen_fault(&fields, &error)),
    };
    if setup.remaining_checks.is_some() {
        return Err(part.fault("this FEN counts checks, a variant that is not searched"));
    }
    setup.board = board;
    Ok((setup, fields.len() > 1))
}

/// Parses a FEN, or its first fields: at least the placement. It is White's turn if not given.
pub(crate) fn setup(text: &str) -> Result<Setup, Fault> {
    Ok(fen_setup(&Part::new(text))?.0)
}

impl FromStr for FenTest {
    type Err = Fault;

    /// Parses a FEN, or its first fields: at least the placement.
    fn from_str(text: &str) -> Result<FenTest, Fault> {
        fen(&Part::new(text))
    }
}

/// Returns the fault of the FEN field that failed to parse.
fn fen_fault(fields: &[Part<'_>], error: &ParseFenError) -> Fault {
    let (index, expected) = match error {
        ParseFenError::InvalidTurn => (1, "the side to move, `w` or `b`"),
        ParseFenError::InvalidCastling => (2, "castling rights such as `KQkq`, or `-`"),
        ParseFenError::InvalidEpSquare => (3, "the en-passant square such as `e3`, or `-`"),
        ParseFenError::InvalidHalfmoveClock => (4, "the number of half-moves since a capture"),
        ParseFenError::InvalidFullmoves => (5, "the move number"),
        _ => (0, "a FEN"),
    };
    let field = fields.get(index).unwrap_or(&fields[0]);
    field.fault(format!(
        "expected {expected}, found {}",
        excerpt(field.text)
    ))
}

/// Parses a `board` value.
pub(super) fn pattern(part: &Part<'_>) -> Result<BoardPattern, Fault> {
    let part = part.trim();
    let length = part.text.len();
    let end = part.text.find(char::is_whitespace).unwrap_or(length);
    let squares = squares(&part.slice(0..end), Dialect::Pattern)?;
    let after = part.slice(end..length).trim();
    if after.text.is_empty() {
        return Ok(BoardPattern(squares));
    }
    let side = after.text.split(char::is_whitespace).next();
    Err(after.fault(squares_alone(side.unwrap_or_default())))
}

/// Returns the message that `board` does not take a side to move, `w` or `b`.
pub(super) fn squares_alone(side: &str) -> String {
    let side = if side == "b" { "black" } else { "white" };
    format!(
        "`board` takes the squares alone; for the side to move write `at(board:... stm:{side})`"
    )
}

/// Parses a placement, or a FEN of which only the placement is used.
pub(super) fn placement(part: &Part<'_>) -> Result<Board, Fault> {
    let squares = squares(&fen_fields(part)[0], Dialect::Fen)?;
    Ok(to_board(&squares))
}

/// Returns the squares of the pawns of a board.
pub(super) fn pawns(board: &Board) -> PawnPlacement {
    let of = |color| {
        board.by_piece(Piece {
            color,
            role: Role::Pawn,
        })
    };
    PawnPlacement {
        white: of(Color::White),
        black: of(Color::Black),
    }
}

/// Parses a `material` value.
pub(super) fn material(part: &Part<'_>) -> Result<Counts, Fault> {
    let part = part.trim();
    if part.text.contains('/') {
        return placement(&part).map(|board| Counts::of(&board));
    }
    let sides = part.split_once("v").or_else(|| part.split_once("V"));
    let mut tally = [0usize; Man::COUNT];
    let mut tally_side = |side: &Part<'_>, color: Option<Color>| {
        for (offset, letter) in side.text.char_indices() {
            let Some(man) = Man::from_char(letter) else {
                let wrong = side.slice(offset..offset + letter.len_utf8());
                let message = format!(
                    "expected the letters K Q R B N P, as in `KRPvKR`, found {}",
                    excerpt(wrong.text)
                );
                return Err(wrong.fault(message));
            };
            let color = color.unwrap_or(man.color());
            tally[Man::new(color, man.role()).index()] += 1;
        }
        Ok(())
    };
    match sides {
        Some((white, black)) => {
            tally_side(&white, Some(Color::White))?;
            tally_side(&black, Some(Color::Black))?;
        }
        None => tally_side(&part, None)?,
    }
    let mut counts = Counts::default();
    for man in Man::ALL {
        let count = tally[man.index()];
        if man.role() == Role::King && count != 1 {
            let side = man.color().fold_wb("White", "Black");
            let message = format!("{side} must have one king, as in `KRPvKR` or `KRPkr`");
            return Err(part.fault(message));
        }
        if count > COUNTED_MAX {
            return Err(part.fault(format!("more than {COUNTED_MAX} of one kind of men")));
        }
        counts = counts.with(man, count as u8);
    }
    Ok(counts)
}

/// Splits a FEN into its fields, separated by white space or underscores. Returns at least one.
fn fen_fields<'v>(part: &Part<'v>) -> Vec<Part<'v>> {
    let mut fields = Vec::new();
    let mut start = 0;
    for piece in part.text.split(|c: char| c.is_whitespace() || c == '_') {
        if !piece.is_empty() {
            fields.push(part.slice(start..start + piece.len()));
        }
        let after = part.text.get(start + piece.len()..).unwrap_or("");
        start += piece.len() + after.chars().next().map_or(0, char::len_utf8);
    }
    if fields.is_empty() {
        fields.push(*part);
    }
    fields
}

/// Returns a board of squares that each hold at most one man.
fn to_board(squares: &[ManSet; 64]) -> Board {
    let mut board = Board::empty();
    for (square, set) in Square::ALL.into_iter().zip(squares) {
        if let Some(man) = Man::ALL.into_iter().find(|man| set.contains(*man)) {
            board.set_piece_at(square, man.into());
        }
    }
    board
}

/// Parses eight ranks, from the eighth down.
fn squares(part: &Part<'_>, dialect: Dialect) -> Result<[ManSet; 64], Fault> {
    if part.text.is_empty() {
        return Err(part.fault("expected a board such as `8/8/4k3/8/8/4K3/4P3/8`, found nothing"));
    }
    let ranks = part.split('/').count();
    if ranks != 8 {
        let message = format!("a board has 8 ranks with `/` between them; this has {ranks}");
        return Err(part.fault(message));
    }
    let mut squares = [ManSet::ANY; 64];
    for (rank, text) in Rank::ALL.into_iter().rev().zip(part.split('/')) {
        let cells = rank_cells(&text, dialect)?;
        if cells.len() != 8 {
            let message = match cells.len() {
                count @ ..8 => format!("rank {} has {count} squares; expected 8", rank.char()),
                _ => format!("rank {} has more than 8 squares", rank.char()),
            };
            return Err(text.fault(message));
        }
        for (file, cell) in File::ALL.into_iter().zip(cells) {
            squares[usize::from(Square::from_coords(file, rank))] = cell;
        }
    }
    Ok(squares)
}

/// Parses one man, `A`, `a`, `?`, or a list in square brackets.
pub(super) fn man_set(set: &Part<'_>) -> Result<ManSet, Fault> {
    if set.text.starts_with('[') && set.text.ends_with(']') {
        return listed(set);
    }
    one_cell(set, Dialect::Pattern)
}

/// Parses one rank; stops soon after the eighth square.
fn rank_cells(rank: &Part<'_>, dialect: Dialect) -> Result<Vec<ManSet>, Fault> {
    let mut cells = Vec::with_capacity(8);
    let mut rest = *rank;
    while let Some(sign) = rest.text.chars().next() {
        if cells.len() > 8 {
            break;
        }
        let mut length = sign.len_utf8();
        match sign {
            '1'..='8' => {
                let cell = match dialect {
                    Dialect::Fen => ManSet::EMPTY,
                    Dialect::Pattern => ManSet::ANY,
                };
                cells.extend((b'0'..sign as u8).map(|_| cell));
            }
            // Some programs mark promoted pieces this way.
            '~' if dialect == Dialect::Fen && !cells.is_empty() => {}
            '[' if dialect == Dialect::Pattern => {
                let Some(closing) = rest.text.find(']') else {
                    let message = "this `[` is never closed; expected `]`";
                    return Err(rest.slice(0..1).fault(message));
                };
                cells.push(listed(&rest.slice(0..closing + 1))?);
                length = closing + 1;
            }
            _ => cells.push(one_cell(&rest.slice(0..length), dialect)?),
        }
        rest = rest.slice(length..rest.text.len());
    }
    Ok(cells)
}

/// Parses a list in square brackets.
fn listed(list: &Part<'_>) -> Result<ManSet, Fault> {
    let mut set = ManSet(0);
    for (offset, sign) in list.text.char_indices() {
        if !matches!((offset, sign), (0, '[') | (_, ']')) {
            let one = list.slice(offset..offset + sign.len_utf8());
            set.0 |= one_cell(&one, Dialect::Pattern)?.0;
        }
    }
    if set.0 == 0 {
        return Err(list.fault("nothing is listed; expected pieces, as in `[QR]`"));
    }
    Ok(set)
}

/// Parses one character that stands for one square.
fn one_cell(sign: &Part<'_>, dialect: Dialect) -> Result<ManSet, Fault> {
    let letter = sign.text.chars().next().unwrap_or(' ');
    if let Some(man) = Man::from_char(letter) {
        return Ok(ManSet::of(man));
    }
    match (dialect, letter) {
        (Dialect::Pattern, 'A') => Ok(ManSet::WHITE),
        (Dialect::Pattern, 'a') => Ok(ManSet::BLACK),
        (Dialect::Pattern, '_') => Ok(ManSet::EMPTY),
        (Dialect::Pattern, '?') => Ok(ManSet::ANY),
        (Dialect::Pattern, _) => Err(sign.fault(format!(
            "{} is no piece; expected a letter of `KQRBNPkqrbnp`, `A`, `a`, `_`, `?`, `[` or a \
             digit 1 to 8",
            excerpt(sign.text)
        ))),
        (Dialect::Fen, 'A' | 'a' | '?' | '[') => Err(sign.fault(format!(
            "{} stands for a set of pieces, which only `board` takes",
            excerpt(sign.text)
        ))),
        (Dialect::Fen, _) => Err(sign.fault(format!(
            "{} is no piece; expected a letter of `KQRBNPkqrbnp` or a digit 1 to 8",
            excerpt(sign.text)
        ))),
    }
}
