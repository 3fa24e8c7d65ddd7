//! Lines of moves as text: `1.d4 Nf6 2.c4`.

use std::fmt;

use shakmaty::{Board, Chess, Color, Move, Position as _, san::San};

use super::{Fault, fault::excerpt, part::Part};

/// Moves from the standard start position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moves {
    /// As SAN with move numbers.
    text: String,
    moves: Vec<Move>,
    board: Board,
    turn: Color,
}

impl Moves {
    /// Returns the moves.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns the men after the moves.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the side to move after them.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.turn
    }

    fn of_moves(moves: Vec<Move>) -> Moves {
        let mut position = Chess::default();
        let mut words: Vec<String> = Vec::new();
        for &played in &moves {
            let number = position.fullmoves();
            let san = San::from_move(&position, played);
            words.push(match position.turn() {
                Color::White => format!("{number}.{san}"),
                Color::Black => san.to_string(),
            });
            position.play_unchecked(played);
        }
        Moves {
            text: words.join(" "),
            moves,
            board: position.board().clone(),
            turn: position.turn(),
        }
    }

    /// Parses all of a text, at least one move.
    pub(super) fn parse(part: &Part<'_>) -> Result<Moves, Fault> {
        let mut reader = Reader::default();
        for word in part.split_whitespace() {
            reader.read(&word)?;
        }
        if reader.moves.is_empty() {
            return Err(part.fault("expected moves such as `1.d4 Nf6 2.c4`, found none"));
        }
        Ok(Moves::of_moves(reader.moves))
    }

    /// Parses as many words of a text as are move numbers or legal moves, if it begins with `1.`
    /// and one of them is a move. Returns them with the number of bytes read.
    pub(super) fn beginning(text: &str) -> Option<(Moves, usize)> {
        if !text.starts_with("1.") {
            return None;
        }
        let mut reader = Reader::default();
        let mut end = 0;
        for word in Part::new(text).split_whitespace() {
            let (before, start) = (reader.moves.len(), word.span().start);
            let ends_word = word.text.find(['(', ')', '"']);
            let word = word.slice(0..ends_word.unwrap_or(word.text.len()));
            if word.text.is_empty() || reader.read(&word).is_err() {
                reader.moves.truncate(before);
                break;
            }
            end = start + word.text.len();
            if ends_word.is_some() {
                break;
            }
        }
        (!reader.moves.is_empty()).then(|| (Moves::of_moves(reader.moves), end))
    }
}

/// Reads moves word by word.
#[derive(Default)]
struct Reader {
    position: Chess,
    moves: Vec<Move>,
}

impl Reader {
    /// Reads a word: move numbers, moves, or both without a space between them.
    fn read(&mut self, word: &Part<'_>) -> Result<(), Fault> {
        let is_glyph = |text: &str| {
            let digits = text.strip_prefix('$');
            digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        };
        if is_glyph(word.text) {
            return Ok(());
        }
        let length = without_number(word.text).len();
        if length == 0 {
            return Ok(());
        }
        let rest = word.slice(word.text.len() - length..word.text.len());
        let end = rest.text.find(['!', '?', '$']).unwrap_or(rest.text.len());
        self.play(&rest.slice(0..end))?;
        let after = rest.slice(end..rest.text.len());
        let glyph = after.text.trim_start_matches(['!', '?']);
        if glyph.is_empty() || is_glyph(glyph) {
            return Ok(());
        }
        Err(after.fault(format!("expected a move, found {}", excerpt(after.text))))
    }

    fn play(&mut self, san: &Part<'_>) -> Result<(), Fault> {
        let bare = san.text.trim_end_matches(['+', '#']).replace('0', "O");
        let fault = |what: &str| {
            let turn = self.position.turn().fold_wb("White", "Black");
            let number = self.position.fullmoves();
            let message = format!("{} is {what} for {turn}'s move {number}", excerpt(san.text));
            san.fault(message)
        };
        let played = match bare.parse::<San>() {
            Err(_) => return Err(fault("no move in SAN")),
            Ok(read) => read.to_move(&self.position).map_err(|error| match error {
                shakmaty::san::SanError::AmbiguousSan => fault("ambiguous"),
                _ => fault("not legal"),
            })?,
        };
        self.position.play_unchecked(played);
        self.moves.push(played);
        Ok(())
    }
}

/// Returns a word without the move number before it: `1.e4`, `12...Nf6`, `3.`, `3`.
pub(crate) fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    match rest.strip_prefix('.') {
        Some(rest) => rest.trim_start_matches('.'),
        // Castling with zeros begins with a digit too.
        None if rest.is_empty() => "",
        None => word,
    }
}

impl fmt::Display for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
