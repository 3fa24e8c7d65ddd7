//! Random numbers that are the same everywhere, and choices that bytes make.

/// A generator (splitmix64) and what tests ask of one.
///
/// It may be given bytes to take its numbers from first: then every choice is one byte or a few,
/// so that who changes bytes changes choices.
#[derive(Debug, Clone)]
pub(crate) struct Dice {
    state: u64,
    bytes: std::vec::IntoIter<u8>,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice {
            state: seed,
            bytes: Vec::new().into_iter(),
        }
    }

    /// Chooses as the bytes say, and after their end at random.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Dice {
        Dice {
            state: 0,
            bytes: Vec::from(bytes).into_iter(),
        }
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.of_width(8)
    }

    /// A number of this many bytes, if it comes from bytes.
    fn of_width(&mut self, width: usize) -> u64 {
        if self.bytes.len() > 0 {
            let bytes = self.bytes.by_ref().take(width);
            return bytes.fold(0, |number, byte| number << 8 | u64::from(byte));
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number from 0 up to, not including, `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let width = match bound {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 8,
        };
        (self.of_width(width) % bound.max(1) as u64) as usize
    }

    /// A number between these, ends included.
    pub(crate) fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }

    /// `true` so often in a hundred.
    pub(crate) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
