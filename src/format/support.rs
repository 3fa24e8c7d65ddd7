//! What this version supports of each format, as printed by `info` and stated in the README.

use super::FormatKind;

/// What this version reads and writes of a format, and which files it was compared with.
#[derive(Debug, Clone, Copy)]
pub struct Support {
    /// The format and its file names.
    pub format: &'static str,
    /// The kinds that a database in this format may have. Empty for a format that becomes another
    /// kind when it is opened, or is not opened at all.
    pub kinds: &'static [FormatKind],
    /// What is read.
    pub read: &'static str,
    /// What is written.
    pub written: &'static str,
    /// What reading and writing were compared with; may be empty.
    pub verified: &'static str,
}

/// All known formats, including those that are only recognised.
pub const SUPPORT: [Support; 10] = [
    Support {
        format: "Scid 4, Scid vs PC (`.si4 .sg4 .sn4`)",
        kinds: &[FormatKind::Scid4],
        read: "yes",
        written: "yes",
        verified: "files by Scid 4.5 to 5.0 and Scid vs PC 4.23; Scid 4.7.4 loads what we write",
    },
    Support {
        format: "Scid 5 (`.si5 .sg5 .sn5`)",
        kinds: &[FormatKind::Scid5],
        read: "yes, Chess960 too",
        written: "yes",
        verified: "files by Scid 5.0; two of them written anew from their games are the same byte \
                   for byte",
    },
    Support {
        format: "Scid 3 (`.si3 .sg3 .sn3`)",
        kinds: &[FormatKind::Scid3],
        read: "yes",
        written: "no",
        verified: "collections of Scid vs PC, also there as `.si4`",
    },
    Support {
        format: "ChessBase (`.cbh` with its family)",
        kinds: &[FormatKind::ChessBase],
        read: "yes, annotations and texts too",
        written: "yes",
        verified: "sets by ChessBase from the 1990s on; an independent reader reads what we write",
    },
    Support {
        format: "ChessBase archives (`.cbv`, `.cbz`)",
        kinds: &[],
        read: "yes, `--password`",
        written: "no",
        verified: "archives by ChessBase and their unpacked files",
    },
    Support {
        format: "ChessBase (`.2cbh`)",
        kinds: &[],
        read: "no; it is recognised",
        written: "no",
        verified: "",
    },
    Support {
        format: "Simple Chess Database (`.dci .dcg .dcn .dcs .dce`)",
        kinds: &[FormatKind::Scdb, FormatKind::Scdb11],
        read: "yes, both layouts",
        written: "yes, both layouts",
        verified: "files by pgn2dcg; what we write from the same PGN has the same games file byte \
                   for byte",
    },
    Support {
        format: "jose (`.jose`, `.jos`, or the folder of a live database)",
        kinds: &[FormatKind::Jose],
        read: "yes",
        written: "no; the moves of a game by the library",
        verified: "blobs by jose's own classes: 5 100 games read, all but four written the same \
                   byte for byte",
    },
    Support {
        format: "Monty training data (`.binpack`), policy and value, old headers too",
        kinds: &[FormatKind::MontyPolicy, FormatKind::MontyValue],
        read: "yes",
        written: "yes, all layouts",
        verified: "files by the crate `montyformat`, written anew byte for byte",
    },
    Support {
        format: "PGN, plain or `.gz` `.zst` `.bz2` `.xz` `.zip`",
        kinds: &[FormatKind::Pgn],
        read: "yes, searched where it is",
        written: "plain",
        verified: "games that Scid holds too",
    },
];

impl FormatKind {
    /// Returns what this version supports of the format.
    #[must_use]
    pub fn support(self) -> Option<&'static Support> {
        SUPPORT.iter().find(|row| row.kinds.contains(&self))
    }
}
