//! Words of movetext and their meaning on the board.

use crate::chess::forgiving_position;
use shakmaty::{
    CastlingMode, CastlingSide, Chess, File, Move, MoveList, Position, PositionErrorKinds, Rank,
    Role, Setup, Square,
    san::{San, SanError, SanPlus},
};

/// The meaning of a word of movetext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// A move, with the NAG symbol attached to it.
    San(San, Option<u8>),
    /// A null move.
    Null,
    /// A NAG written as a symbol.
    Nag(u8),
    /// A separate `e.p.` after a capture.
    EnPassant,
}

/// Symbols for NAGs. If one ends with another, the longer comes first.
const SYMBOLS: [(&str, u8); 12] = [
    ("+/-", 16),
    ("-/+", 17),
    ("+/=", 14),
    ("=/+", 15),
    ("+-", 18),
    ("-+", 19),
    ("+=", 14),
    ("=+", 15),
    ("=", 10),
    ("~", 13),
    ("N", 146),
    ("D", 201),
];

/// Maximum bytes of a nonstandard word, including anything attached to the move.
const WORD_BYTES_MAX: usize = 24;

/// Parses a word; `None` if it is unknown. Does not allocate.
#[inline]
pub(super) fn read_word(word: &[u8]) -> Option<Word> {
    if let Ok((plus, length)) = SanPlus::from_ascii_prefix(word)
        && length == word.len()
    {
        return Some(match plus.san {
            San::Null => Word::Null,
            san => Word::San(san, None),
        });
    }
    read_odd_word(word)
}

/// Parses the notation of a move at the start of a text, if it is spelled as the standard demands;
/// also returns its length. What ends it is left to the caller. Null moves are not read.
#[inline]
pub(super) fn read_plain(text: &[u8]) -> Option<(San, usize)> {
    // Enough for `Qa1xb2+` and what ends it.
    let text: &[u8; 8] = text.first_chunk()?;
    let (san, mut length) = match text[0] {
        b'a'..=b'h' => read_pawn(text)?,
        b'O' if text.starts_with(b"O-O-O") => (San::Castle(CastlingSide::QueenSide), 5),
        b'O' if text.starts_with(b"O-O") => (San::Castle(CastlingSide::KingSide), 3),
        letter => read_piece(piece(letter)?, text)?,
    };
    length += usize::from(matches!(text[length], b'+' | b'#'));
    Some((san, length))
}

#[inline]
fn read_pawn(text: &[u8; 8]) -> Option<(San, usize)> {
    let capture = text[1] == b'x';
    let (to, mut length, file) = if capture {
        (square(text[2], text[3])?, 4, Some(file(text[0])?))
    } else {
        (square(text[0], text[1])?, 2, None)
    };
    let mut promotion = None;
    if text[length] == b'=' {
        promotion = Some(piece(text[length + 1])?);
        length += 2;
    }
    let san = San::Normal {
        role: Role::Pawn,
        file,
        rank: None,
        capture,
        to,
        promotion,
    };
    Some((san, length))
}

#[inline]
fn read_piece(role: Role, text: &[u8; 8]) -> Option<(San, usize)> {
    let mut at = 1;
    let (mut from_file, mut from_rank) = (None, None);
    let is_rank = |byte: u8| matches!(byte, b'1'..=b'8');
    // What stands before `x` or another square tells from where.
    let is_more = matches!(text[3], b'x' | b'a'..=b'h');
    if text[1] != b'x' && (is_more || !is_rank(text[2])) {
        from_file = file(text[1]);
        at += usize::from(from_file.is_some());
        if is_rank(text[at]) {
            from_rank = rank(text[at]);
            at += 1;
        }
    }
    let capture = text[at] == b'x';
    at += usize::from(capture);
    let san = San::Normal {
        role,
        file: from_file,
        rank: from_rank,
        capture,
        to: square(text[at], text[at + 1])?,
        promotion: None,
    };
    Some((san, at + 2))
}

#[inline(always)]
fn piece(letter: u8) -> Option<Role> {
    match letter {
        b'N' => Some(Role::Knight),
        b'B' => Some(Role::Bishop),
        b'R' => Some(Role::Rook),
        b'Q' => Some(Role::Queen),
        b'K' => Some(Role::King),
        _ => None,
    }
}

#[inline(always)]
fn file(letter: u8) -> Option<File> {
    File::try_from(u32::from(letter.wrapping_sub(b'a'))).ok()
}

#[inline(always)]
fn rank(digit: u8) -> Option<Rank> {
    Rank::try_from(u32::from(digit.wrapping_sub(b'1'))).ok()
}

#[inline(always)]
fn square(letter: u8, digit: u8) -> Option<Square> {
    Some(Square::from_coords(file(letter)?, rank(digit)?))
}

/// Parses nonstandard spellings.
#[cold]
fn read_odd_word(word: &[u8]) -> Option<Word> {
    if word.len() > WORD_BYTES_MAX {
        return None;
    }
    if let Some((_, nag)) = SYMBOLS.iter().find(|(symbol, _)| symbol.as_bytes() == word) {
        return Some(Word::Nag(*nag));
    }
    if [&b"null"[..], b"pass", b"@@@@", b"0000", b"<>"].contains(&word) {
        return Some(Word::Null);
    }
    if [&b"e.p."[..], b"e.p", b"ep", b"ep."].contains(&without_checks(word)) {
        return Some(Word::EnPassant);
    }
    let (word, nag) = SYMBOLS
        .iter()
        .filter(|(symbol, _)| !symbol.starts_with(char::is_alphabetic))
        .find_map(|(symbol, nag)| Some((word.strip_suffix(symbol.as_bytes())?, Some(*nag))))
        .unwrap_or((word, None));
    let word = word.strip_suffix(b".").unwrap_or(word);
    let word = [&b"e.p"[..], b"ep"]
        .iter()
        .find_map(|suffix| word.strip_suffix(*suffix))
        .unwrap_or(word);
    let word = without_checks(word.trim_ascii_end());
    read_castling(word)
        .or_else(|| read_loose_san(word))
        .map(|san| Word::San(san, nag))
}

/// Removes the signs for check and mate from the end of a word.
fn without_checks(word: &[u8]) -> &[u8] {
    let signs = word.iter().rev();
    let signs = signs.take_while(|byte| matches!(byte, b'+' | b'#')).count();
    &word[..word.len() - signs]
}

/// Parses castling with zeros, lowercase letters or other dashes.
fn read_castling(word: &[u8]) -> Option<San> {
    let mut parts = [0_u8; 4];
    let mut count = 0;
    for &byte in word {
        match byte {
            b'0' | b'O' | b'o' => {
                *parts.get_mut(count)? = byte;
                count += 1;
            }
            b'-' | 0xe2 | 0x80 | 0x93 | 0x94 => {}
            _ => return None,
        }
    }
    match count {
        2 => Some(San::Castle(CastlingSide::KingSide)),
        3 => Some(San::Castle(CastlingSide::QueenSide)),
        _ => None,
    }
}

/// Parses `Ng1-f3`, `e5:d6`, `e8Q`, `e8/Q`, `e8(Q)` and `e7e8q`.
fn read_loose_san(word: &[u8]) -> Option<San> {
    let mut buffer = [0_u8; WORD_BYTES_MAX + 1];
    let mut length = 0;
    for &byte in word {
        buffer[length] = match byte {
            b'-' | b'/' | b'=' | b'(' | b')' => continue,
            b':' => b'x',
            other => other,
        };
        length += 1;
    }
    if let Some(index) = length.checked_sub(2)
        && matches!(buffer[index], b'1' | b'8')
    {
        // The rank is followed by the promotion.
        buffer[index + 2] = buffer[index + 1].to_ascii_uppercase();
        buffer[index + 1] = b'=';
        length += 1;
    }
    San::from_ascii(&buffer[..length]).ok()
}

/// Returns the legal move that the notation means.
///
/// A missing or superfluous `x` is accepted if only one move can be meant. Capturing a king,
/// which the generator allows after a null move out of check, is illegal.
#[inline]
pub(super) fn resolve(position: &Chess, san: San) -> Result<Move, SanError> {
    let found = match san.to_move(position) {
        Err(SanError::IllegalSan) => forgive_capture(san)
            .ok_or(SanError::IllegalSan)?
            .to_move(position)?,
        result => result?,
    };
    if found.capture() == Some(Role::King) {
        return Err(SanError::IllegalSan);
    }
    Ok(found)
}

/// Returns the same move with the `x` added or removed, unless that could turn `e5` into `dxe5`.
#[cold]
fn forgive_capture(san: San) -> Option<San> {
    match san {
        San::Normal {
            role,
            file,
            rank,
            capture,
            to,
            promotion,
        } if role != Role::Pawn || file.is_some() => Some(San::Normal {
            role,
            file,
            rank,
            capture: !capture,
            to,
            promotion,
        }),
        _ => None,
    }
}

/// Returns the legal moves from which a move must be disambiguated in SAN.
pub(super) fn rivals(position: &Chess, played: Move) -> MoveList {
    match played {
        Move::Normal { role, to, .. } | Move::Put { role, to } => position.san_candidates(role, to),
        Move::EnPassant { to, .. } => position.san_candidates(Role::Pawn, to),
        Move::Castle { king, rook } => {
            position.castling_moves(CastlingSide::from_king_side(king < rook))
        }
    }
}

/// Passes the turn, even in check.
///
/// `swap_turn` refuses when the king is in check. A knight's move from the king's square to
/// itself with promotion to a king has the same effect on board, clocks and rights.
pub(super) fn pass(position: &mut Chess) {
    if let Some(king) = position.board().king_of(position.turn()) {
        position.play_unchecked(Move::Normal {
            role: Role::Knight,
            from: king,
            capture: None,
            to: king,
            promotion: Some(Role::King),
        });
    }
}

/// Sets up a position that need not be reachable: too much material, impossible checks,
/// castling and en passant rights that contradict the board (these are dropped), the king of
/// the side that has just moved in check. `None` if a side has no king or several, if both kings
/// are in check, or if a pawn is on a back rank.
pub(super) fn set_up(setup: &Setup, mode: CastlingMode) -> Option<Chess> {
    let forgiving = |setup: Setup| forgiving_position(setup, mode);
    match forgiving(setup.clone()) {
        Ok(position) => Some(position),
        Err(PositionErrorKinds::OPPOSITE_CHECK) => {
            let mut position = forgiving(setup.clone().into_swapped_turn()).ok()?;
            pass(&mut position);
            Some(position)
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Color, EnPassantMode, fen::Fen};

    use super::*;

    fn setup(fen: &str) -> Setup {
        fen.parse::<Fen>().unwrap().into_setup()
    }

    fn played(fen: &str, word: &str) -> Option<String> {
        let position = set_up(&setup(fen), CastlingMode::Standard)?;
        match read_word(word.as_bytes())? {
            Word::San(san, _) => resolve(&position, san)
                .ok()
                .map(|found| SanPlus::from_move(position, found).to_string()),
            _ => None,
        }
    }

    #[test]
    fn odd_spellings_of_moves_are_read() {
        let fen = "r3k2r/2P3p1/8/3pP3/8/8/6n1/R3K2R w KQkq d6 0 1";
        for (word, expected) in [
            ("c8=Q+", "c8=Q+"),
            ("c8Q", "c8=Q+"),
            ("c8/N", "c8=N"),
            ("c7-c8=R", "c8=R+"),
            ("c8(Q)+", "c8=Q+"),
            ("c7c8q", "c8=Q+"),
            ("0-0-0", "O-O-O"),
            ("0–0–0", "O-O-O"),
            ("o-o-o", "O-O-O"),
            ("exd6e.p.", "exd6"),
            ("ed6", "exd6"),
            ("e5:d6ep", "exd6"),
            ("Ra1-a8++", "Rxa8+"),
            ("Rxb1", "Rb1"),
            ("Pe6", "e6"),
        ] {
            let fen = fen.replace("6n1", "8");
            assert_eq!(played(&fen, word).as_deref(), Some(expected), "{word}");
        }
        for word in ["O-O-O", "e6+=", "c8", "d6", "Qd4", "xyz", "e9", "0-0-0-0"] {
            let legal = word == "e6+=";
            let fen = "4k3/2P5/8/3pP3/8/8/8/4K2R w K d6 0 1";
            assert_eq!(played(fen, word).is_some(), legal, "{word}");
        }
    }

    #[test]
    fn symbols_are_glyphs() {
        assert_eq!(read_word(b"+-"), Some(Word::Nag(18)));
        assert_eq!(read_word(b"N"), Some(Word::Nag(146)));
        let nag = |word: &[u8]| match read_word(word) {
            Some(Word::San(_, nag)) => nag,
            _ => None,
        };
        assert_eq!(nag(b"Nf3+-"), Some(18));
        assert_eq!(nag(b"e4="), Some(10));
        assert_eq!(nag(b"e8=N"), None);
    }

    #[test]
    fn passing_keeps_everything_but_the_turn() {
        let fen = "r3k2r/8/8/8/8/8/4q3/R3K2R w KQkq - 3 9";
        let mut position = set_up(&setup(fen), CastlingMode::Standard).unwrap();
        assert!(position.is_check());
        pass(&mut position);
        assert_eq!(position.turn(), Color::Black);
        pass(&mut position);
        let after = Fen::from_position(&position, EnPassantMode::Always);
        assert_eq!(after.to_string(), "r3k2r/8/8/8/8/8/4q3/R3K2R w KQkq - 5 10");
    }

    #[test]
    fn a_king_cannot_be_captured() {
        let fen = "4k3/8/8/8/8/8/4q3/4K3 b - - 0 1";
        assert_eq!(played(fen, "Qxe1"), None);
        assert_eq!(played(fen, "Qa6").as_deref(), Some("Qa6"));
    }

    #[test]
    fn impossible_positions_are_set_up_if_both_have_one_king() {
        for (fen, accepted) in [
            ("qqqqkqqq/qqqqqqqq/8/8/8/8/8/4K3 w KQkq e6 0 1", true),
            ("4k3/4R3/8/8/8/8/4r3/4K3 w - - 0 1", false),
            ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", true),
            ("8/8/8/8/8/8/8/4K3 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", false),
        ] {
            let position = set_up(&setup(fen), CastlingMode::Standard);
            assert_eq!(position.is_some(), accepted, "{fen}");
        }
    }
}
