//! What writing has in common for both versions.

pub(crate) mod grow;
pub(crate) mod names;
pub(crate) mod record;
pub(crate) mod setup;
pub(crate) mod tree;

/// Maximum bytes of one game, whose length has 24 bits.
pub(crate) const GAME_BYTES_MAX: usize = (1 << 24) - 1;
