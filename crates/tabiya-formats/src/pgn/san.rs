//! Words of movetext and their meaning on the board.

use shakmaty::{
    Bitboard, CastlingMode, CastlingSide, Chess, File, Move, MoveList, Position,
    PositionErrorKinds, Rank, Role, Setup, Square,
    san::{San, SanError, SanPlus},
};
use tabiya_chess::{forgiving_position, light::Meaning};

/// The meaning of a word of movetext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// A move, with the NAG symbol attached to it.
    San(San, Option<u8>),
    /// A null move.
    Null,
    /// A NAG written as a symbol.
    Nag(u8),
    /// A separate `e.p.`, `check` or `mate`, which says something about the move before it.
    Remark,
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

/// What is said of a move, as words of their own; signs of check too.
const REMARKS: [&[u8]; 12] = [
    b"e.p.", b"e.p", b"ep", b"ep.", b"mate", b"mate.", b"check", b"ch", b"ch.", b"dblch", b"disch",
    b"",
];

/// Maximum bytes of a nonstandard word, including anything attached to the move.
const WORD_BYTES_MAX: usize = 24;

/// Parses a word; `None` if it is unknown. Does not allocate.
#[inline]
pub(super) fn read_word(word: &[u8]) -> Option<Word> {
    // A pawn, or a knight in Dutch: only the game can tell.
    if word.first() == Some(&b'P') {
        return None;
    }
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
/// also returns its length and the byte that ends it, which is left to the caller. Null moves and
/// moves before `?`, `;` or `{` are left to [`read_word`].
#[inline(always)]
pub(super) fn read_plain(text: [u8; 8]) -> Option<(Meaning, usize, u8)> {
    // All of `Qa1xb2+` and what ends it, in one register.
    let word = u64::from_le_bytes(text);
    let length = plain_length(word);
    let (meaning, mut length) = match MEN[usize::from(word as u8)] {
        Some(Role::Pawn) => (read_pawn(word, length)?, length),
        Some(role) => (read_piece(role, word, length)?, length),
        None if word as u8 == b'O' => read_plain_castling(word)?,
        None => return None,
    };
    // A branch, as most moves end so: the next can be looked for before this one is read.
    if byte_at(word, length) != b' ' {
        length += usize::from(matches!(byte_at(word, length), b'+' | b'#'));
    }
    Some((meaning, length, byte_at(word, length)))
}

/// Returns the number of bytes before the first below `0`, such as a space or `+`; 8 without one.
#[inline(always)]
fn plain_length(word: u64) -> usize {
    below(word, b'0').trailing_zeros() as usize / 8
}

/// A number with 1 in each byte.
pub(super) const EACH: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte.
pub(super) const HIGHEST: u64 = EACH << 7;

/// Returns the highest bits of the bytes below a bound, which is at most 128. Bits above the first
/// of them may be wrong.
#[inline(always)]
pub(super) const fn below(word: u64, bound: u8) -> u64 {
    word.wrapping_sub(EACH * bound as u64) & !word & HIGHEST
}

/// Returns a byte of a word whose lowest is the first.
#[inline(always)]
fn byte_at(word: u64, at: usize) -> u8 {
    (word >> (8 * (at & 7))) as u8
}

/// Returns the square whose name ends a word.
#[inline(always)]
fn last_square(word: u64, length: usize) -> Option<Square> {
    let name = word >> ((8 * length).wrapping_sub(16) & 63);
    let file = (name as u8).wrapping_sub(b'a');
    let rank = ((name >> 8) as u8).wrapping_sub(b'1');
    (file | rank < 8).then(|| Square::new(u32::from(rank & 7) << 3 | u32::from(file & 7)))
}

#[inline(always)]
fn read_pawn(word: u64, length: usize) -> Option<Meaning> {
    let (length, promotion) = match byte_at(word, length.wrapping_sub(2)) {
        b'=' => {
            let piece = byte_at(word, length.wrapping_sub(1));
            let promotion = MEN[usize::from(piece)].filter(|&role| role != Role::Pawn)?;
            (length.wrapping_sub(2), Some(promotion))
        }
        _ => (length, None),
    };
    let (from, is_capture) = match length {
        2 => (Bitboard::FULL, false),
        4 if byte_at(word, 1) == b'x' => (ORIGINS[usize::from(word as u8)], true),
        _ => return None,
    };
    Some(Meaning::Man {
        role: Role::Pawn,
        from,
        is_capture,
        to: last_square(word, length)?,
        promotion,
    })
}

#[inline(always)]
fn read_piece(role: Role, word: u64, length: usize) -> Option<Meaning> {
    let is_capture = byte_at(word, length.wrapping_sub(3)) == b'x';
    // What stands before the `x` and the square.
    let told = length.wrapping_sub(3 + usize::from(is_capture));
    let from = match told {
        0 => Bitboard::FULL,
        // A byte that names no line may be the end of a word.
        1 => Some(ORIGINS[usize::from(byte_at(word, 1))]).filter(|from| from.any())?,
        2 => origin_square(word)?,
        _ => return None,
    };
    Some(Meaning::Man {
        role,
        from,
        is_capture,
        to: last_square(word, length)?,
        promotion: None,
    })
}

/// Reads the square in `Qa1b2` from which a piece comes.
fn origin_square(word: u64) -> Option<Bitboard> {
    last_square(word, 3).map(Bitboard::from)
}

#[cold]
fn read_plain_castling(word: u64) -> Option<(Meaning, usize)> {
    let text = word.to_le_bytes();
    if text.starts_with(b"O-O-O") {
        Some((Meaning::Castle(CastlingSide::QueenSide), 5))
    } else {
        let is_short = text.starts_with(b"O-O");
        is_short.then_some((Meaning::Castle(CastlingSide::KingSide), 3))
    }
}

/// The squares that a letter or digit tells a man to come from: a file or a rank. Other bytes name
/// none.
static ORIGINS: [Bitboard; 256] = {
    let mut origins = [Bitboard::EMPTY; 256];
    let mut line = 0;
    while line < 8 {
        origins[b'a' as usize + line] = Bitboard::from_file(File::new(line as u32));
        origins[b'1' as usize + line] = Bitboard::from_rank(Rank::new(line as u32));
        line += 1;
    }
    origins
};

/// The man of whose move a byte begins the notation. In a table, as letters come in no order that
/// a branch could predict.
static MEN: [Option<Role>; 256] = {
    let mut men = [None; 256];
    let mut file = b'a';
    while file <= b'h' {
        men[file as usize] = Some(Role::Pawn);
        file += 1;
    }
    men[b'N' as usize] = Some(Role::Knight);
    men[b'B' as usize] = Some(Role::Bishop);
    men[b'R' as usize] = Some(Role::Rook);
    men[b'Q' as usize] = Some(Role::Queen);
    men[b'K' as usize] = Some(Role::King);
    men
};

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
    if REMARKS.contains(&without_checks(word)) {
        return Some(Word::Remark);
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
            b'-' | 0x96 | 0x97 | 0xe2 | 0x80 | 0x93 | 0x94 => {}
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

    /// Every short word of the letters of moves, sensible or not, and some longer ones.
    #[test]
    fn plain_words_mean_what_all_words_mean() {
        let mut read = 0;
        let mut compare = |word: &str| {
            for end in [" ", ")", "{", "?"] {
                let text = format!("{word}{end} Nf3 Nf6");
                let Some((meaning, length, after)) = read_plain(*text.as_bytes().first_chunk()?)
                else {
                    continue;
                };
                assert_eq!(text.as_bytes()[length], after, "{text}");
                // Otherwise it is not the end of the word, as the lexer then sees.
                if length == word.len() {
                    let known = match read_word(word.as_bytes()) {
                        Some(Word::San(san, None)) => Meaning::of(san),
                        _ => None,
                    };
                    assert_eq!(Some(meaning), known, "{word}");
                    read += 1;
                }
            }
            Some(())
        };
        let letters = [
            "", "N", "K", "a", "h", "b", "1", "8", "9", "x", "=", "+", "O", "-", "i",
        ];
        for number in 0..letters.len().pow(5) {
            let at = |place: u32| letters[number / letters.len().pow(place) % letters.len()];
            compare(&[at(0), at(1), at(2), at(3), at(4)].concat());
        }
        for word in [
            "Qa1xb2#", "Qa1b2+", "exd8=N+", "exd8=K", "e8=e5", "O-O-O+", "O-O#",
        ] {
            compare(word);
        }
        assert!(read > 2000, "{read}");
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
