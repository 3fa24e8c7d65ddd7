//! The files of a database: where its games begin.
//!
//! `.cbi` consists of big-endian numbers of four bytes: one more than the number of games, for each
//! game its offset in `.cbf`, and the offset behind the last game. An offset is stored increased by
//! the number of the game, from 1 on, and 1 more.

use super::{flaws, header::Head};
use crate::{
    bytes::Cursor,
    error::{Error, Result},
};

/// The suffix of the index.
pub(super) const INDEX: &str = "cbi";
/// The suffix of the games.
pub(super) const GAMES: &str = "cbf";

/// Bytes of a number of the index.
const NUMBER_BYTES: usize = 4;
/// Games that any index may have. More must have room in the file of games, so that the memory for
/// them is in proportion to it.
const GAMES_FREE: usize = 1 << 16;

/// Where the games of a database begin, in bytes.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// [`u64::MAX`] for an offset that cannot be.
    pub(super) offsets: Vec<u64>,
    /// What is wrong with the index.
    pub(super) flaw: Option<Error>,
}

impl Places {
    /// Reads an index. If it holds fewer games than it says, or more, those count that it holds
    /// and says.
    ///
    /// # Errors
    /// `Truncated` if it does not say how many games there are; `LimitExceeded` if there are more
    /// than the file of games has room for.
    pub(super) fn read(index: &[u8], games: &[u8]) -> Result<Places> {
        let mut cursor = Cursor::new(index);
        let count = cursor.uint_be(NUMBER_BYTES);
        let truncated = || Error::truncated("the index", NUMBER_BYTES as u64, index.len() as u64);
        let told = count.ok_or_else(truncated)?.saturating_sub(1) as usize;
        let entries = cursor.left() / NUMBER_BYTES;
        // The last offset is that behind the games.
        let mut held = entries.min(told);
        if held > GAMES_FREE && held > games.len() / Head::BYTES {
            let most = GAMES_FREE.max(games.len() / Head::BYTES);
            return Err(Error::limit("the number of games", most as u64));
        }
        let offset = |game: usize| {
            let at = NUMBER_BYTES * (1 + game);
            let stored = Cursor::new(index.get(at..)?).uint_be(NUMBER_BYTES)?;
            u64::from(stored).checked_sub(game as u64 + 2)
        };
        let is_behind = |game: usize| offset(game) == Some(games.len() as u64);
        if held == entries && held.checked_sub(1).is_some_and(is_behind) {
            held -= 1;
        }
        let is_whole = cursor.left() == NUMBER_BYTES * (told + 1);
        let what = if held < told {
            flaws::FEWER_RECORDS
        } else {
            flaws::MORE_RECORDS
        };
        Ok(Places {
            offsets: (0..held)
                .map(|game| offset(game).unwrap_or(u64::MAX))
                .collect(),
            flaw: (!is_whole).then(|| Error::corrupt(what).at_offset(0)),
        })
    }

    /// Finds the games without an index: each tells where it ends.
    pub(super) fn find(games: &[u8]) -> Places {
        let mut places = Places::default();
        let mut at = 0;
        while let Ok(head) = Head::read(games.get(at..).unwrap_or_default()) {
            if !head.is_sound() {
                break;
            }
            places.offsets.push(at as u64);
            at += head.game_bytes();
        }
        let rest = Error::corrupt(flaws::NOT_A_GAME).at_offset(at as u64);
        places.flaw = (at < games.len()).then_some(rest);
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|n| n.to_be_bytes()).collect()
    }

    /// The example of the description: games of 48, 39 and 35 bytes.
    const NUMBERS: [u32; 5] = [4, 2, 51, 91, 127];

    #[test]
    fn offsets_are_stored_with_the_number_of_the_game() {
        let places = Places::read(&index(&NUMBERS), &[0; 122]).unwrap();
        assert_eq!(places.offsets, [0, 48, 87]);
        assert!(places.flaw.is_none());
        let empty = Places::read(&index(&[1, 2]), &[]).unwrap();
        assert!(empty.offsets.is_empty() && empty.flaw.is_none());
    }

    #[test]
    fn of_an_index_that_miscounts_the_games_that_are_there_count() {
        for (told, held) in [(0, 0), (1, 0), (2, 1), (3, 2), (5, 3), (1000, 3)] {
            let numbers = [&[told], &NUMBERS[1..]].concat();
            let places = Places::read(&index(&numbers), &[0; 122]).unwrap();
            assert_eq!(places.offsets.len(), held, "{told}");
            assert!(places.flaw.is_some(), "{told}");
        }
        let without_end = Places::read(&index(&NUMBERS[..4]), &[0; 122]).unwrap();
        assert_eq!(without_end.offsets, [0, 48, 87]);
        assert!(Places::read(&[0, 0, 0], &[]).is_err());
    }

    #[test]
    fn more_games_than_there_is_room_for_are_over_the_limit() {
        let mut numbers = vec![2; GAMES_FREE + 3];
        numbers[0] = GAMES_FREE as u32 + 2;
        assert!(Places::read(&index(&numbers), &[0; 122]).is_err());
        let enough = vec![0; (GAMES_FREE + 1) * Head::BYTES];
        assert!(Places::read(&index(&numbers), &enough).is_ok());
    }
}
