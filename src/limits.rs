//! All limits on untrusted input, with their units and reasons.

pub use tabiya_formats::limits::{
    PGN_GAME_BYTES_MAX, SET_BYTES_MAX, SET_FILES_MAX, SET_PATTERNS_MAX, VARIATION_DEPTH_MAX,
};

/// Greatest length of a query text in bytes. Queries are typed by people or written by programs;
/// the limit keeps the parser's recursion and memory small.
pub const QUERY_BYTES_MAX: usize = 1 << 20;

/// Greatest nesting depth of brackets in a query text: the parser recurses once per level.
pub const QUERY_DEPTH_MAX: usize = 200;

/// Greatest length in bytes of one text in a query. A text with accents is compared, at worst, at
/// every position of a name or comment.
pub const QUERY_TEXT_BYTES_MAX: usize = 1 << 10;

/// Greatest number of conditions in a query that is run: clauses, the parts of sequences, the
/// squares of paths. Each keeps up to about ten kilobytes of index conditions, and costs time in
/// every game.
pub const QUERY_CONDITIONS_MAX: usize = 1 << 13;

/// Greatest number of positions that the program counts in one pass. Every task keeps the counts of
/// all of them, forty bytes each, and up to 64 tasks are kept.
pub const POSITIONS_MAX: usize = 1 << 16;

/// Greatest number of positions of a graph of lines. Each takes some three hundred bytes, and up to
/// four times that while its games are counted.
pub const LINE_POSITIONS_MAX: usize = 1 << 19;

/// Greatest length in half-moves of a line of such a graph: twice what opening books have, and
/// little enough to write variations in variations.
pub const LINE_DEPTH_MAX: u32 = 200;

/// Greatest length in bytes of a line of a file of positions: a FEN has some 80, operations of EPD
/// may follow.
pub const POSITION_LINE_BYTES_MAX: usize = 1 << 12;

/// Greatest number of databases that games are divided among: file systems and people bear more
/// files badly.
pub const SPLIT_DATABASES_MAX: usize = 1 << 18;

/// Greatest number of damaged games listed in a report; more are only counted.
pub const DAMAGED_LISTED_MAX: usize = 10_000;

/// Greatest length in bytes of the moves or the positions of one main line as text. The longest PGN
/// games would give gigabytes of positions.
pub const MAIN_LINE_BYTES_MAX: usize = 64 << 20;

/// Greatest length in bytes of a line of a list of spellings: a name has some 30, a biography some
/// hundreds. Corrections make no name longer.
pub const SPELLING_LINE_BYTES_MAX: usize = 1 << 12;

/// Greatest length in bytes of a list of spellings that the program reads. The largest that people
/// share have some 40 MB; in memory they take up to ten times as much.
pub const SPELLING_BYTES_MAX: usize = 64 << 20;
