//! Names of games in addresses: which database, and which of its games.

use std::fmt;

use tabiya::GameId;

/// The number of digits that Lichess gives a game.
const DIGITS: usize = 8;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A game of one of the databases. Shown as eight digits of base 62, which stay the same as long
/// as the database keeps its place and the game its number. A database of the command line has the
/// place that it has there; one of a folder has a place that follows from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Id {
    /// The database's place, from 0.
    pub(crate) database: u16,
    pub(crate) game: GameId,
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = u64::from(self.database) << 32 | u64::from(self.game.number_in_part());
        let mut digits = [b'0'; DIGITS];
        for digit in digits.iter_mut().rev() {
            *digit = ALPHABET[(rest % 62) as usize];
            rest /= 62;
        }
        f.write_str(&String::from_utf8_lossy(&digits))
    }
}

impl Id {
    /// Reads what `Display` writes.
    pub(crate) fn read(text: &str) -> Option<Id> {
        if text.len() != DIGITS {
            return None;
        }
        let value = text.bytes().try_fold(0u64, |value, byte| {
            let digit = ALPHABET.iter().position(|&letter| letter == byte)?;
            Some(value * 62 + digit as u64)
        })?;
        Some(Id {
            database: u16::try_from(value >> 32).ok()?,
            game: GameId::from_number_in_part(value as u32)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_eight_digits_and_read_back() {
        for (database, game) in [(0, 0), (0, 91), (1, 0), (49_000, u32::MAX - 1)] {
            let id = Id {
                database,
                game: GameId(game),
            };
            let text = id.to_string();
            assert_eq!(text.len(), 8);
            assert_eq!(Id::read(&text), Some(id));
        }
        for wrong in ["", "0000000", "000000000", "0000000-", "00000000"] {
            assert_eq!(Id::read(wrong), None, "{wrong}");
        }
    }
}
