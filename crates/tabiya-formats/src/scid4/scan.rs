//! Computes where the kings of a game may go from its bytes, without playing it.
//!
//! A king is number 0 of its side throughout the game, so its moves are bytes below 16, and no
//! other move has such a byte. Which king a byte moves is unknown without playing, so each byte
//! may have moved either king or neither: no square that a king reaches is missed.

/// Squares on which each king may have stood, White first.
#[derive(Debug, Clone, Copy)]
pub(super) struct KingWalks([u64; 2]);

const NAG: u8 = 11;
const GAME_END: u8 = 15;
const FILE_A: u64 = 0x0101_0101_0101_0101;

impl KingWalks {
    /// The kings before the first move of a game from the standard start.
    pub(super) const START: KingWalks = KingWalks([1 << 4, 1 << 60]);

    /// Whether each king may have been on one of its wanted squares during these moves.
    /// Variations count as if they had been played.
    pub(super) fn may_reach(mut self, moves: &[u8], wanted: [u64; 2]) -> bool {
        let mut at = 0;
        while !self.has_reached(wanted) {
            let Some(&byte) = next_below_16(moves, &mut at) else {
                return false;
            };
            match byte {
                GAME_END => return false,
                // The next byte is the NAG's number, which can have any value.
                NAG => at += 1,
                _ => self.0 = self.0.map(|squares| squares | moved(squares, byte)),
            }
        }
        true
    }

    fn has_reached(self, wanted: [u64; 2]) -> bool {
        self.0
            .into_iter()
            .zip(wanted)
            .all(|(squares, wanted)| squares & wanted != 0)
    }
}

/// Finds the next byte below 16 from `at` on, eight bytes at a time, and sets `at` after it.
#[inline]
fn next_below_16<'m>(moves: &'m [u8], at: &mut usize) -> Option<&'m u8> {
    const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const HIGH_HALVES: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    while let Some(chunk) = moves.get(*at..).and_then(<[u8]>::first_chunk::<8>) {
        let halves = u64::from_le_bytes(*chunk) & HIGH_HALVES;
        // Sets the highest bit of every byte that is zero, and no other bit.
        let zero = !(((halves & LOW_BITS) + LOW_BITS) | halves | LOW_BITS);
        if zero != 0 {
            *at += zero.trailing_zeros() as usize / 8 + 1;
            return moves.get(*at - 1);
        }
        *at += 8;
    }
    let rest = moves.get(*at..)?;
    let found = rest.iter().position(|&byte| byte < 16)?;
    *at += found + 1;
    rest.get(found)
}

/// Returns the squares that kings on these squares reach by a move byte.
fn moved(squares: u64, byte: u8) -> u64 {
    let (not_a, not_h) = (!FILE_A, !(FILE_A << 7));
    match byte {
        1 => (squares & not_a) >> 9,
        2 => squares >> 8,
        3 => (squares & not_h) >> 7,
        4 => (squares & not_a) >> 1,
        5 => (squares & not_h) << 1,
        6 => (squares & not_a) << 7,
        7 => squares << 8,
        8 => (squares & not_h) << 9,
        // Castling: two squares from the e-file.
        9 => (squares & FILE_A << 4) >> 2,
        10 => (squares & FILE_A << 4) << 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// c1 for White and g8 for Black.
    const WANTED: [u64; 2] = [1 << 2, 1 << 62];

    fn may_reach(moves: &[u8]) -> bool {
        KingWalks::START.may_reach(moves, WANTED)
    }

    #[test]
    fn kings_reach_their_squares_by_castling_and_on_foot() {
        assert!(may_reach(&[0xcf, 0xcf, 9, 10, 15]));
        assert!(may_reach(&[0xcf, 10, 0xcf, 4, 0xcf, 4, 15]));
        assert!(!may_reach(&[0xcf, 0xcf, 9, 15]));
        assert!(!may_reach(&[10, 0xcf, 10, 15]));
        assert!(!may_reach(&[]));
    }

    #[test]
    fn the_number_of_a_glyph_is_no_move_and_no_end() {
        assert!(!may_reach(&[NAG, 9, NAG, 10, 15]));
        assert!(may_reach(&[NAG, 15, 9, 10, 15]));
        // After the end come comments.
        assert!(!may_reach(&[0xcf, 15, 9, 10]));
    }

    #[test]
    fn bytes_below_16_are_found_wherever_they_lie() {
        for at in 0..40 {
            let mut moves = [0xf5; 41];
            moves[at] = 9;
            let mut from = 0;
            assert_eq!(next_below_16(&moves, &mut from), Some(&9));
            assert_eq!(from, at + 1);
            assert_eq!(next_below_16(&moves, &mut from), None);
        }
    }
}
