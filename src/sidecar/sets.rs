//! The numbers of the sets of one block.

/// Number of sets of one block: one for each man on each square, the next three, one for each state
/// of each of the [`aspects`](super::aspects), and the last eight.
pub(super) const SETS: usize = 1355;
/// The number of the set of games that could not be decoded.
pub(super) const UNDECODED: u16 = 768;
/// The number of the set of games that have, or may have, more men of some kind than the standard
/// start: those with promotions and those with custom starts.
pub(super) const GROWN: u16 = 769;
/// The number of the set of games that have more than two of some piece in some position, or have a
/// custom start.
pub(super) const CROWDED: u16 = 770;
/// The number of the first set of files, White's.
pub(super) const FIRST_FILES: u16 = 771;
/// The number of the first set of kings.
pub(super) const FIRST_KINGS: u16 = 1283;
/// The number of the set of games whose final material may differ from the record: those where it
/// does, those with custom starts and those that could not be decoded.
pub(super) const OTHER_END: u16 = 1347;
/// The numbers of the sets of games in whose main lines a side to move is in check, mated and
/// stalemated.
pub(super) const CHECKED: u16 = 1348;
pub(super) const MATED: u16 = 1349;
pub(super) const STALEMATED: u16 = 1350;
/// The number of the set of games in whose main lines a position stands for the second time; those
/// for the third, fourth and fifth time follow.
pub(super) const REPEATED: u16 = 1351;
