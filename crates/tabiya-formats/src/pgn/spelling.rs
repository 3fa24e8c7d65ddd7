//! Moves that are spelled otherwise than the standard demands, read where the rules of chess leave
//! one meaning.
//!
//! Nothing here is asked before a word could not be read as the standard and [`read_word`] have it,
//! so no move of a sound game means something else than there.

use std::borrow::Cow;

use shakmaty::{
    CastlingSide, Chess, File, Move, Piece, Position as _, Rank, Role, Square, san::San,
};
use tabiya_chess::text::decode;

use super::{
    lex::is_dash,
    san::{Word, read_word, resolve},
};

/// Maximum bytes of a word that is tried in other spellings.
pub(super) const WORD_BYTES_MAX: usize = 48;

/// The letters of the pieces in a language.
#[derive(Debug)]
pub(super) struct Language {
    pub(super) name: &'static str,
    /// King, queen, rook, bishop, knight.
    letters: [&'static str; 5],
}

/// The languages by how often their letters are met. Those with the same letters are one.
pub(super) static LANGUAGES: [Language; 18] = [
    language(
        "German or a Scandinavian language",
        ["K", "D", "T", "L", "S"],
    ),
    language("Spanish or Italian", ["R", "D", "T", "A", "C"]),
    language("French", ["R", "D", "T", "F", "C"]),
    language("Dutch", ["K", "D", "T", "L", "P"]),
    language("Russian", ["Кр", "Ф", "Л", "С", "К"]),
    language("Portuguese", ["R", "D", "T", "B", "C"]),
    language("Polish", ["K", "H", "W", "G", "S"]),
    language("Czech or Slovak", ["K", "D", "V", "S", "J"]),
    language("Hungarian", ["K", "V", "B", "F", "H"]),
    language("Romanian", ["R", "D", "T", "N", "C"]),
    language("Finnish", ["K", "D", "T", "L", "R"]),
    language("Icelandic", ["K", "D", "H", "B", "R"]),
    language("Estonian", ["K", "L", "V", "O", "R"]),
    language("Ukrainian", ["Кр", "Ф", "Т", "С", "К"]),
    language("Bulgarian", ["Ц", "Д", "Т", "О", "К"]),
    language("Serbian", ["К", "Д", "Т", "Л", "С"]),
    language("Greek", ["Ρ", "Β", "Π", "Α", "Ι"]),
    language("Turkish", ["Ş", "V", "K", "F", "A"]),
];

const fn language(name: &'static str, letters: [&'static str; 5]) -> Language {
    Language { name, letters }
}

impl Language {
    /// Returns a word with English letters; `None` if it has a letter that the language lacks.
    pub(super) fn in_english<'w>(&self, word: &'w [u8]) -> Option<Cow<'w, [u8]>> {
        let text = decode(word);
        let head = text.chars().next()?;
        if text.starts_with("O-") || text.starts_with("O–") || text.starts_with("Z0") {
            return Some(Cow::Borrowed(word));
        }
        if !head.is_uppercase() {
            return Some(self.with_promotion(word, &text));
        }
        let (letter, rest) = self.piece(&text)?;
        Some(Cow::Owned(format!("{letter}{rest}").into_bytes()))
    }

    /// Splits a piece from the start of a text.
    fn piece<'t>(&self, text: &'t str) -> Option<(char, &'t str)> {
        let mut pieces = self.letters.iter().zip("KQRBN".chars());
        pieces.find_map(|(letter, english)| Some((english, text.strip_prefix(*letter)?)))
    }

    /// Replaces the piece to which a pawn is promoted.
    fn with_promotion<'w>(&self, word: &'w [u8], text: &str) -> Cow<'w, [u8]> {
        let place = text.find(char::is_uppercase);
        let pawn = place.and_then(|at| Some((&text[..at], self.piece(&text[at..])?)));
        match pawn {
            Some((pawn, (letter, rest))) => {
                Cow::Owned(format!("{pawn}{letter}{rest}").into_bytes())
            }
            None => Cow::Borrowed(word),
        }
    }
}

/// Whether a word seems to be a move in some spelling: it names a square, or is a castling.
pub(super) fn looks_like_move(word: &[u8]) -> bool {
    let names_square = |pair: &[u8]| {
        matches!(pair[0].to_ascii_lowercase(), b'a'..=b'h') && matches!(pair[1], b'1'..=b'8')
    };
    word.windows(2).any(names_square)
        || [&b"O-O"[..], b"0-0", b"o-o"]
            .iter()
            .any(|castling| word.starts_with(castling))
}

/// Returns a word in ASCII: figurines as letters, a hyphen for each dash. `None` if it is so
/// already, or holds other letters.
pub(super) fn plain(word: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(word.len());
    for letter in decode(word).chars() {
        plain.push(match letter {
            '♙' | '♟' | '\u{fe0e}' | '\u{fe0f}' | '†' | '‡' => continue,
            '♔' | '♚' => b'K',
            '♕' | '♛' => b'Q',
            '♖' | '♜' => b'R',
            '♗' | '♝' => b'B',
            '♘' | '♞' => b'N',
            '×' | '✕' | 'х' => b'x',
            'а' => b'a',
            'с' => b'c',
            'е' => b'e',
            'О' => b'O',
            'о' => b'o',
            _ if is_dash(letter) => b'-',
            _ if letter.is_ascii() => letter as u8,
            _ => return None,
        });
    }
    (plain != word && !plain.is_empty()).then_some(plain)
}

/// Words that say something about the move before them, or end it.
const REMARKS: [&str; 8] = ["mate", "check", "dblch", "disch", "ch", ",", ".", ":"];

/// Returns the only legal move that a word means: with letters in the other case, with two squares,
/// with files only for a pawn's capture, or with a remark after it.
pub(super) fn meant(position: &Chess, word: &[u8]) -> Option<San> {
    let mut word = word;
    while let Some(rest) = REMARKS
        .iter()
        .find_map(|end| word.strip_suffix(end.as_bytes()))
    {
        word = rest;
    }
    if word.len() < 2 || !word.is_ascii() {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let piece = [&word[..1].to_ascii_uppercase(), &lower[1..]].concat();
    let by_case = [word, &piece, &lower].map(|word| legal(position, word));
    let told = by_case.into_iter().flatten();
    let found: Vec<Move> = told
        .chain(by_squares(position, &lower))
        .chain(by_files(position, &lower))
        .collect();
    let first = *found.first()?;
    let is_certain = found.iter().all(|&other| other == first);
    is_certain.then(|| San::from_move(position, first))
}

/// Returns the legal move that a word means as it stands.
fn legal(position: &Chess, word: &[u8]) -> Option<Move> {
    match read_word(word)? {
        Word::San(san, None) => resolve(position, san).ok(),
        _ => None,
    }
}

/// Reads `g1f3`, `g1-f3`, `e7e8q`, and `e1g1` for castling.
fn by_squares(position: &Chess, lower: &[u8]) -> Option<Move> {
    let squares: Vec<u8> = lower
        .iter()
        .copied()
        .filter(|&byte| byte != b'-' && byte != b'x')
        .collect();
    let from = Square::from_ascii(squares.get(..2)?).ok()?;
    let to = Square::from_ascii(squares.get(2..4)?).ok()?;
    let promotion = match squares.get(4..)? {
        [] => None,
        [letter] => Some(Role::from_char(char::from(*letter))?),
        _ => return None,
    };
    let Piece { color, role } = position.board().piece_at(from)?;
    let castles = position.board().piece_at(to) == Some(Role::Rook.of(color))
        || from.file().distance(to.file()) > 1;
    let san = if role == Role::King && castles {
        San::Castle(CastlingSide::from_king_side(from < to))
    } else {
        San::Normal {
            role,
            file: Some(from.file()),
            rank: Some(from.rank()),
            capture: position.board().occupied().contains(to),
            to,
            promotion,
        }
    };
    resolve(position, san).ok()
}

/// Reads `ed` and `exd`, if the pawns of only one rank can capture so.
fn by_files(position: &Chess, lower: &[u8]) -> Option<Move> {
    let (from, to) = match lower {
        [from, to] | [from, b'x', to] => (*from, *to),
        _ => return None,
    };
    let file = |letter: u8| File::from_char(char::from(letter));
    let (from, to) = (file(from)?, file(to)?);
    let capture = |rank: Rank| {
        let san = San::Normal {
            role: Role::Pawn,
            file: Some(from),
            rank: None,
            capture: true,
            to: Square::from_coords(to, rank),
            promotion: None,
        };
        san.to_move(position).ok()
    };
    let mut found = Rank::ALL.into_iter().filter_map(capture);
    found.next().filter(|_| found.next().is_none())
}

/// Returns the two moves that a word without a space between them means, if it can be cut at one
/// place only.
pub(super) fn glued(position: &Chess, word: &[u8]) -> Option<(San, San)> {
    let cut = |at: usize| {
        let (first, second) = word.split_at_checked(at)?;
        let read = |position: &Chess, word: &[u8]| {
            legal(position, word)
                .map(|played| San::from_move(position, played))
                .or_else(|| meant(position, word))
        };
        let first = read(position, first)?;
        let mut after = position.clone();
        after.play_unchecked(first.to_move(position).ok()?);
        Some((first, read(&after, second)?))
    };
    let mut found = (2..word.len().saturating_sub(1)).filter_map(cut);
    found.next().filter(|_| found.next().is_none())
}

#[cfg(test)]
mod tests;
