//! Pseudo-random numbers from a seed.

/// A small generator of sufficient quality (xorshift64*), so that a seed always means the same
/// games.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Creates a generator. Similar seeds give different numbers.
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(mixed(seed) | 1)
    }

    /// Returns a number below the bound, or 0 if that is 0.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let random = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((random * u64::from(bound)) >> 32) as u32
    }

    /// Returns `true` with a probability of 1 in `times`.
    pub(crate) fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }
}

/// Mixes a number, so that every bit of the result depends on all of its bits.
pub(crate) fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number ^ number >> 32
}
