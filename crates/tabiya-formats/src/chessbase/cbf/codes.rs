//! The bytes of moves, unscrambled.
//!
//! | byte | meaning |
//! |---|---|
//! | 01 to 7E | the move with this number, see [`men`](super::men) |
//! | 81 to FE | the move with the number in the lower 7 bits, and the next annotation |
//! | FF | a variation begins, instead of the line's last move |
//! | 00, 80 | the variation ends, or the game |
//!
//! 7F is a number too, which alone cannot have an annotation.

/// What a byte means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// A move by its number, 1 to 127, and whether it has an annotation.
    Move(u8, bool),
    Begin,
    End,
}

const BEGIN: u8 = 0xff;
const ANNOTATED: u8 = 0x80;

pub(super) fn token(byte: u8) -> Token {
    match (byte, byte & !ANNOTATED) {
        (BEGIN, _) => Token::Begin,
        (_, 0) => Token::End,
        (_, number) => Token::Move(number, byte & ANNOTATED != 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_a_move_or_begins_or_ends_a_line() {
        assert_eq!(token(0xff), Token::Begin);
        assert_eq!((token(0), token(0x80)), (Token::End, Token::End));
        assert_eq!(token(0x7f), Token::Move(127, false));
        assert_eq!(token(0xfe), Token::Move(126, true));
    }
}
