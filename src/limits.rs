//! Every bound on input from outside, with its unit and its reason.

/// Variations inside variations in one game. A `.sg4` game of 128 KiB can nest about 65 000
/// deep; every level keeps a copy of the board, so this bounds a game to a few megabytes.
pub const VARIATION_DEPTH_MAX: usize = 10_000;

/// Bytes of one PGN game, tags and comments included. A PGN reader must buffer a game, and
/// a file without any line that starts a game would otherwise be read into memory whole.
pub const PGN_GAME_BYTES_MAX: usize = 64 << 20;

/// How many times its own size an archive may unpack to, above [`ARCHIVE_UNPACKED_BYTES_FREE`]:
/// members are unpacked into memory. Databases pack to about half.
pub const ARCHIVE_EXPANSION_MAX: u64 = 16;

/// Bytes that the smallest archive may unpack to; files of zeros pack a thousandfold.
pub const ARCHIVE_UNPACKED_BYTES_FREE: u64 = 64 << 20;

/// Bytes of the text of a compressed PGN file that is searched where it is: it is unpacked into
/// memory. Converting such a file has no bound.
pub const PGN_UNPACKED_BYTES_MAX: u64 = 2 << 30;

/// Bytes of memory that unpacking a `.xz` file may take beside its text: a file of a hundred bytes
/// can ask for four gigabytes. The strongest preset of the packer asks for 65 MiB.
pub const XZ_MEMORY_BYTES_MAX: u64 = 256 << 20;

/// Games of a compressed PGN file that is searched where it is: 80 bytes are kept of each, and a
/// few kilobytes can unpack to a hundred million games of a few bytes.
pub const PGN_UNPACKED_GAMES_MAX: u32 = 1 << 24;

/// Bytes of all tables of a jose archive: it is unpacked into memory.
pub const JOSE_UNPACKED_BYTES_MAX: u64 = 2 << 30;

/// Bytes of a query text. Queries are typed by people or written by programs; the bound keeps
/// the parser's recursion and memory small.
pub const QUERY_BYTES_MAX: usize = 1 << 20;

/// Brackets inside brackets in a query text: the parser recurses once for each.
pub const QUERY_DEPTH_MAX: usize = 200;

/// Bytes of one text in a query. A text with accents is compared, at worst, with every place of
/// a name or comment.
pub const QUERY_TEXT_BYTES_MAX: usize = 1 << 10;

/// Conditions that a query may have when it is run: clauses, the parts of sequences, the squares
/// of paths. Each keeps what the index must be asked for it, up to some ten kilobytes, and costs
/// time in every game.
pub const QUERY_CONDITIONS_MAX: usize = 1 << 13;

/// Damaged games that a report lists one by one; more are only counted.
pub const DAMAGED_LISTED_MAX: usize = 10_000;

/// Bytes of the moves or the positions of one main line as text. The longest PGN games would give
/// gigabytes of positions.
pub const MAIN_LINE_BYTES_MAX: usize = 64 << 20;
