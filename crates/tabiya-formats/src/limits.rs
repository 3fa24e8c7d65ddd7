//! All limits on untrusted input, with their units and reasons.

/// Greatest nesting depth of variations in one game. A `.sg4` game of 128 KiB can nest about 65 000
/// deep; every level keeps a copy of the board, so this limits a game to a few megabytes.
pub const VARIATION_DEPTH_MAX: usize = 10_000;

/// Greatest size of one PGN game in bytes, including tags and comments. A PGN reader must buffer a
/// game, and a file without any line that starts a game would otherwise be read into memory whole.
pub const PGN_GAME_BYTES_MAX: usize = 64 << 20;

/// Greatest length in bytes of an item of a list: a puzzle, a position, or a game as JSON. Long
/// games with all that a site knows of them have a hundred kilobytes, and what is made of one in
/// memory may have twenty times as many.
pub(crate) const LIST_ITEM_BYTES_MAX: usize = 4 << 20;

/// Greatest length in bytes of a list of databases: more than a hundred for each of them.
pub const SET_BYTES_MAX: u64 = 16 << 20;

/// Greatest number of databases that a list or a pattern names. Each takes some system calls, and
/// more files than that cannot be open at once on many systems.
pub const SET_FILES_MAX: u64 = 100_000;

/// Greatest number of patterns in a list of databases: for each a folder is read.
pub const SET_PATTERNS_MAX: u64 = 1000;

/// Greatest expansion of an archive, above [`ARCHIVE_UNPACKED_BYTES_FREE`]: members are unpacked
/// into memory. Databases typically compress to about half.
pub(crate) const ARCHIVE_EXPANSION_MAX: u64 = 16;

/// Bytes to which any archive may unpack; files of zeros compress a thousandfold.
pub(crate) const ARCHIVE_UNPACKED_BYTES_FREE: u64 = 64 << 20;

/// Greatest unpacked size in bytes of a compressed PGN file that is searched directly: it is
/// unpacked into memory. Converting such a file has no limit.
pub(crate) const PGN_UNPACKED_BYTES_MAX: u64 = 2 << 30;

/// Bytes of text in one part of a compressed PGN file that is read in parts because it is longer:
/// enough to give all threads work, and three parts are in memory at a time.
pub(crate) const PGN_PART_BYTES: usize = 64 << 20;

/// Greatest number of bytes to which those frames of a `.zst` file may unpack that are unpacked at
/// the same time. `pzstd` cuts the text into frames of 8 to 32 MiB.
pub(crate) const ZSTD_FRAMES_TEXT_BYTES_MAX: usize = 256 << 20;

/// Number of such texts after which a part ends that has an index of its own. They are more, since
/// each part takes some time in every search, and nothing of its text stays in memory.
pub(crate) const PGN_INDEXED_PART_TEXTS: u64 = 32;

/// Number of games after which a part ends, though it may have some more.
pub(crate) const PGN_PART_GAMES: u32 = 1 << 20;

/// Greatest memory in bytes for unpacking a `.xz` file, besides its text: a file of a hundred bytes
/// can require four gigabytes. The strongest preset of the packer requires 65 MiB.
pub(crate) const XZ_MEMORY_BYTES_MAX: u64 = 256 << 20;

/// Greatest number of tags of one PGN game. A game with more is not read: some 40 bytes of memory
/// are needed for each of 8 bytes of text.
pub(crate) const PGN_TAGS_MAX: usize = 1 << 16;

/// Greatest number of games in a PGN file that is searched directly, unless it is plain and longer
/// than [`PGN_GAME_BYTES_MEAN_MIN`] for each: 80 bytes are kept per game, and a few kilobytes can
/// unpack to a hundred million games of a few bytes. Converting such a file has no limit.
pub(crate) const PGN_GAMES_MAX: u32 = 1 << 24;

/// Least mean length in bytes of the games of plain PGN with more than [`PGN_GAMES_MAX`], so that
/// what is kept in memory is in proportion to the file. Seven tags alone have a hundred.
pub(crate) const PGN_GAME_BYTES_MEAN_MIN: u64 = 64;

/// Greatest size in bytes of all tables of a jose archive: it is unpacked into memory.
pub(crate) const JOSE_UNPACKED_BYTES_MAX: u64 = 2 << 30;

/// Greatest length in bytes of a block of Stockfish's training data. Programs write some 1 MiB, and
/// refuse to read more than this.
pub(crate) const STOCKFISH_BLOCK_BYTES_MAX: usize = 100 << 20;
