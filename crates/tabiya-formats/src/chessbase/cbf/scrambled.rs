//! Scrambled bytes, which are the same as those that they come from but for a key: each byte is
//! XORed with it, from the last to the first, and the key is multiplied by a factor for the next.

/// Bytes of the moves that are not scrambled, at the beginning.
const PLAIN_BYTES: usize = 1;
/// Bytes counted as moves that are none, at the end.
pub(super) const AFTER_MOVES_BYTES: usize = 1;
/// The key of moves, for each byte that they are told to have.
const MOVES_KEY: u8 = 49;
const MOVES_FACTOR: u8 = 7;

/// Unscrambles bytes.
pub(super) fn unscramble(bytes: &mut [u8], key: u8, factor: u8) {
    let mut key = key;
    for byte in bytes.iter_mut().rev() {
        *byte ^= key;
        key = key.wrapping_mul(factor);
    }
}

/// Unscrambles moves of a length that the head tells, of which these bytes are there.
pub(super) fn unscramble_moves(bytes: &mut [u8], told: usize) {
    let last = told.saturating_sub(AFTER_MOVES_BYTES);
    let mut key = MOVES_KEY.wrapping_mul(told as u8);
    for at in (PLAIN_BYTES..last).rev() {
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= key;
        }
        key = key.wrapping_mul(MOVES_FACTOR);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_that_are_cut_short_are_unscrambled_as_far_as_they_go() {
        let whole = [1, 2, 3, 4, 5, 6, 7];
        let mut told = whole;
        unscramble_moves(&mut told, 8);
        assert_eq!((told[0], told[6]), (1, 7 ^ 136));
        for length in 0..whole.len() {
            let mut cut = whole[..length].to_vec();
            unscramble_moves(&mut cut, 8);
            assert_eq!(cut, told[..length]);
        }
    }
}
