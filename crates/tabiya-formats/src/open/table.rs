//! The table of formats: one row for each, and all that follows from it.

use std::{fmt, path::Path};

use super::{OpenSettings, Store, open_index};
#[cfg(feature = "chessbase")]
use crate::chessbase::{
    archive,
    cbf::{self, CbfBase},
    v1::{self, ChessBase},
    v2::{self, ChessBase2},
};
#[cfg(feature = "jose")]
use crate::jose::{self, JoseBase};
#[cfg(feature = "scdb")]
use crate::scdb::Scdb;
use crate::{
    File, Report,
    error::{Error, Result},
    lists::{self, List},
    pgn::{self, PgnFile},
    scid4::{Scid4, Version},
    suffix,
};
#[cfg(feature = "training")]
use crate::{monty::MontyFile, stockfish, training::TrainingFile, viriformat};

/// An open database, and what is odd about its files.
pub(crate) type Found = (Opened, Vec<Error>);

/// Opens the database that a path means.
pub(super) type Open = fn(&Path, &OpenSettings, Report<'_>) -> Result<Found>;

/// What the paths of databases look like, and how these are opened.
pub(super) struct Format {
    /// Suffixes of the files of a database, its index first. Of several databases that share a
    /// stem the stem means that of the first row.
    pub(super) family: &'static [&'static str],
    /// Ends of the names of files each of which is a database; `/` stands for any folder.
    pub(super) alone: &'static [&'static str],
    /// Suffixes of files in a folder that is a database.
    pub(super) inside: &'static [&'static str],
    pub(super) open: Open,
}

/// What this version reads and writes of a format, and which program's files were compared.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Support {
    /// The format and its file names.
    pub format: &'static str,
    /// The kinds that a database in this format may have. Empty for what becomes another kind
    /// when it is opened, or is not opened at all.
    pub kinds: &'static [FormatKind],
    /// What is read.
    pub read: &'static str,
    /// What is written.
    pub written: &'static str,
    /// What both were compared with; may be empty.
    pub verified: &'static str,
}

/// Makes all that lists formats from one row for each. `$d` is a dollar sign, for the macro that
/// is made. A format that is not `built` has no views, and is refused when it is opened.
macro_rules! formats {
    ($d:tt $({
        built: $built:tt,
        format: $format:literal,
        kinds: { $($(#[$doc:meta])* $kind:ident = $label:literal,)* },
        views: { $($variant:ident: $store:ty => $games:ident,)* },
        read: $read:literal,
        written: $written:literal,
        verified: $verified:literal,
        family: $family:expr,
        alone: $alone:expr,
        inside: $inside:expr,
        open: $open:expr,
    })+) => {
        /// The formats that this version opens.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum FormatKind {
            $($($(#[$doc])* $kind,)*)+
        }

        impl fmt::Display for FormatKind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $($(FormatKind::$kind => $label,)*)+
                })
            }
        }

        /// All formats that are known, also those that are only recognised.
        pub const SUPPORT: &[Support] = &[$(Support {
            format: $format,
            kinds: &[$(FormatKind::$kind),*],
            read: $read,
            written: $written,
            verified: $verified,
        }),+];

        /// The same rows as in [`SUPPORT`].
        pub(super) const FORMATS: &[Format] = &[$(Format {
            family: $family,
            alone: $alone,
            inside: $inside,
            open: {
                #[cfg $built]
                let open: Open = $open;
                #[cfg(not $built)]
                let open: Open = |path, _, _| {
                    let what = concat!("this format in a build without ", stringify!($built));
                    Err(Error::unsupported(what).at_path(path))
                };
                open
            },
        }),+];

        /// The files of an open database, by the type of its records.
        #[derive(Debug)]
        pub enum Opened {
            $($(
                #[cfg $built]
                #[doc = concat!("Files of `", stringify!($store), "`.")]
                $variant(Box<$store>),
            )*)+
        }

        impl Opened {
            /// Returns what does not depend on the format.
            pub fn store(&self) -> &dyn Store {
                match self {
                    $($(
                        #[cfg $built]
                        Opened::$variant(store) => &**store,
                    )*)+
                }
            }
        }

        /// Runs an expression on the [`View`](crate::View) of an [`Opened`], compiled for
        /// each type of records.
        #[macro_export]
        macro_rules! with_view {
            ($d opened:expr, $d view:ident => $d body:expr) => {
                match $d opened {
                    $($(#[cfg $built] $crate::Opened::$variant(store) => {
                        let $d view = store.$games();
                        $d body
                    })*)+
                }
            };
        }
    };
}

formats! { $
    {
        built: (all()),
        format: "Scid 5 (`.si5 .sg5 .sn5`)",
        kinds: {
            /// Scid 5 (`.si5`, `.sg5`, `.sn5`).
            Scid5 = "Scid 5 (.si5)",
        },
        views: { Scid5: Scid4 => si5, },
        read: "yes, Chess960 too",
        written: "yes",
        verified: "files by Scid 5.0; two of them written anew from their games are the same byte \
                   for byte",
        family: Version::Si5.suffixes(),
        alone: &[],
        inside: &[],
        open: open_index,
    }
    {
        built: (all()),
        format: "Scid 4, Scid vs PC (`.si4 .sg4 .sn4`)",
        kinds: {
            /// Scid 4 and Scid vs PC (`.si4`, `.sg4`, `.sn4`): version 400.
            Scid4 = "Scid 4 (.si4)",
        },
        views: { Scid4: Scid4 => si4, },
        read: "yes",
        written: "yes",
        verified: "files by Scid 4.5 to 5.0 and Scid vs PC 4.23; Scid 4.7.4 loads what we write",
        family: Version::Si4.suffixes(),
        alone: &[],
        inside: &[],
        open: open_index,
    }
    {
        built: (all()),
        format: "Scid 3 (`.si3 .sg3 .sn3`)",
        kinds: {
            /// Scid 3 (`.si3`, `.sg3`, `.sn3`): version 300.
            Scid3 = "Scid 3 (.si3)",
        },
        views: { Scid3: Scid4 => si3, },
        read: "yes",
        written: "no",
        verified: "collections of Scid vs PC, also there as `.si4`",
        family: Version::Si3.suffixes(),
        alone: &[],
        inside: &[],
        open: open_index,
    }
    {
        built: (feature = "chessbase"),
        format: "ChessBase (`.cbh` with its family)",
        kinds: {
            /// ChessBase (`.cbh`, `.cbg`, `.cba` and more).
            ChessBase = "ChessBase (.cbh)",
        },
        views: { ChessBase: ChessBase => games, },
        read: "yes, annotations and texts too",
        written: "yes",
        verified: "sets by ChessBase from the 1990s on; an independent reader reads what we write",
        family: suffix::CHESSBASE,
        alone: &[],
        inside: &[],
        open: |path, options, _| {
            Ok(found(Opened::ChessBase, v1::open(path, options)?))
        },
    }
    {
        built: (feature = "chessbase"),
        format: "ChessBase archives (`.cbv`, `.cbz`)",
        kinds: {},
        views: {},
        read: "yes, `--password`",
        written: "no",
        verified: "archives by ChessBase and their unpacked files",
        family: &[],
        alone: &["cbv", "cbz"],
        inside: &[],
        open: |path, options, report| {
            let opened = archive::open(path, options, report)?;
            Ok(found(Opened::ChessBase, opened))
        },
    }
    {
        built: (feature = "chessbase"),
        format: "ChessBase 2 (`.2cbh` with its family)",
        kinds: {
            /// ChessBase 2 (`.2cbh`, `.2cbg`, `.2cba`, `.2lid`), of ChessBase 17 and later.
            ChessBase2 = "ChessBase 2 (.2cbh)",
        },
        views: { ChessBase2: ChessBase2 => games, },
        read: "yes, annotations and texts too",
        written: "yes, texts too",
        verified: "sets made from published descriptions, 22 000 games; none by ChessBase",
        family: suffix::CHESSBASE2,
        alone: &[],
        inside: &[],
        open: |path, options, _| {
            Ok(found(Opened::ChessBase2, v2::open(path, options)?))
        },
    }
    {
        built: (feature = "chessbase"),
        format: "ChessBase 2 archives (`.2cbv`)",
        kinds: {},
        views: {},
        read: "no; it is recognised",
        written: "no",
        verified: "",
        family: &[],
        alone: &["2cbv"],
        inside: &[],
        open: |path, _, _| {
            let what = "an archive of ChessBase 2 (.2cbv): unpack it with ChessBase, and open its \
                        .2cbh";
            Err(Error::unsupported(what).at_path(path))
        },
    }
    {
        built: (feature = "chessbase"),
        format: "ChessBase 1 to 5 (`.cbi .cbf`)",
        kinds: {
            /// ChessBase 1 to 5 (`.cbf`, `.cbi`), 1987 to 1998.
            Cbf = "ChessBase 1 to 5 (.cbf)",
        },
        views: { Cbf: CbfBase => games, },
        read: "yes",
        written: "no",
        verified: "sets made from published descriptions, in which the reader of Scidb finds \
                   the same moves; none by ChessBase",
        family: suffix::CBF,
        alone: &[],
        inside: &[],
        open: |path, options, report| {
            Ok(found(Opened::Cbf, cbf::open(path, options, report)?))
        },
    }
    {
        built: (feature = "scdb"),
        format: "Simple Chess Database (`.dci .dcg .dcn .dcs .dce`)",
        kinds: {
            /// Simple Chess Database (`.dci`, `.dcg`, `.dcn`, `.dcs`, `.dce`), as programs write
            /// it.
            Scdb = "Simple Chess Database (.dci)",
            /// Simple Chess Database with the longer entries of its published description,
            /// version 1.1.
            Scdb11 = "Simple Chess Database (.dci), layout 1.1",
        },
        views: { Scdb: Scdb => short, Scdb11: Scdb => long, },
        read: "yes, both layouts",
        written: "yes, both layouts",
        verified: "files by pgn2dcg; what we write from the same PGN has the same games file byte \
                   for byte",
        family: suffix::SCDB,
        alone: &[],
        inside: &[],
        open: open_index,
    }
    {
        built: (feature = "jose"),
        format: "jose (`.jose`, `.jos`, or the folder of a live database)",
        kinds: {
            /// jose: an archive (`.jose`, `.jos`) or the folder of a live database.
            Jose = "jose (.jose)",
        },
        views: { Jose: JoseBase => games, },
        read: "yes",
        written: "no",
        verified: "blobs by jose's own classes, 5 100 games",
        family: &[],
        alone: &["jose", "jos", "/"],
        inside: suffix::JOSE_TABLES,
        open: |path, options, report| {
            Ok(found(Opened::Jose, jose::open(path, options, report)?))
        },
    }
    {
        built: (feature = "training"),
        format: "Monty training data (`.binpack`), policy and value, old headers too",
        kinds: {
            /// Policy data of the engine Monty (`.binpack`).
            MontyPolicy = "Monty policy data (.binpack)",
            /// Value data of the engine Monty (`.binpack`).
            MontyValue = "Monty value data (.binpack)",
        },
        views: { Monty: MontyFile => games, },
        read: "yes",
        written: "yes, all layouts",
        verified: "files by the crate `montyformat`, written anew byte for byte",
        family: &[],
        alone: &["binpack"],
        inside: &[],
        open: open_binpack,
    }
    {
        built: (feature = "training"),
        format: "Stockfish training data (`.binpack`)",
        kinds: {
            /// Training data of the engine Stockfish (`.binpack`).
            Stockfish = "Stockfish training data (.binpack)",
        },
        views: { Stockfish: TrainingFile => stockfish, },
        read: "yes",
        written: "no",
        verified: "a file of the trainer nnue-pytorch, 434 921 positions",
        family: &[],
        alone: &["binpack"],
        inside: &[],
        open: open_binpack,
    }
    {
        built: (feature = "training"),
        format: "viriformat training data (`.vf`, `.viribin`)",
        kinds: {
            /// Training data in viriformat (`.vf`, `.viribin`).
            Viriformat = "viriformat training data (.vf)",
        },
        views: { Viriformat: TrainingFile => viriformat, },
        read: "yes, Chess960 too",
        written: "yes",
        verified: "a file by the crate `viriformat`, 170 404 moves, written anew byte for byte",
        family: &[],
        alone: &["vf", "viribin"],
        inside: &[],
        open: |path, options, report| {
            let file = File::open(path, options.access)?;
            Ok(found(Opened::Viriformat, viriformat::open(file, report)?))
        },
    }
    {
        built: (all()),
        format: "Lichess puzzles (`.csv`), plain or packed like PGN",
        kinds: {
            /// Puzzles as Lichess publishes them (`.csv`).
            Puzzles = "Lichess puzzles (.csv)",
        },
        views: {},
        read: "yes",
        written: "no",
        verified: "rows of the published file, by python-chess",
        family: &[],
        alone: lists::PUZZLES,
        inside: &[],
        open: |path, options, report| open_list(path, List::Puzzles, options, report),
    }
    {
        built: (all()),
        format: "lists of positions (`.epd`, `.fen`), plain or packed like PGN",
        kinds: {
            /// Positions in EPD or FEN, a line each (`.epd`, `.fen`).
            Positions = "positions (.epd, .fen)",
        },
        views: {},
        read: "yes",
        written: "no",
        verified: "suites of test positions, by python-chess",
        family: &[],
        alone: lists::POSITIONS,
        inside: &[],
        open: |path, options, report| open_list(path, List::Positions, options, report),
    }
    {
        built: (all()),
        format: "games as JSON by Lichess and Chess.com (`.ndjson`, `.jsonl`, `.json`), plain or \
                 packed like PGN",
        kinds: {
            /// Games as Lichess and Chess.com offer them (`.ndjson`, `.jsonl`, `.json`).
            Json = "games as JSON (.ndjson, .json)",
        },
        views: {},
        read: "yes",
        written: "no",
        verified: "",
        family: &[],
        alone: lists::JSON,
        inside: &[],
        open: |path, options, report| open_list(path, List::Json, options, report),
    }
    {
        built: (all()),
        format: "PGN, plain or `.gz` `.zst` `.bz2` `.xz` `.zip`",
        kinds: {
            /// PGN, plain or compressed (`.pgn`, `.pgn.gz`, `.pgn.bz2`, `.pgn.zst`, `.pgn.xz`,
            /// `.zip`).
            Pgn = "PGN (.pgn)",
        },
        views: { Pgn: PgnFile => games, },
        read: "yes, searched where it is",
        written: "plain, `.gz` or `.zst`",
        verified: "games that Scid holds too",
        family: &[],
        alone: pgn::ENDS,
        inside: &[],
        open: |path, options, report| {
            let file = File::open(path, options.access)?;
            Ok(found(Opened::Pgn, PgnFile::open(file, options, report)?))
        },
    }
}

/// Opens a list, whose games are read like those of PGN.
fn open_list(path: &Path, list: List, options: &OpenSettings, report: Report<'_>) -> Result<Found> {
    let opened = PgnFile::open_list(path, list, options, report)?;
    Ok(found(Opened::Pgn, opened))
}

/// Opens training data, whose first bytes tell whose they are.
#[cfg(feature = "training")]
fn open_binpack(path: &Path, options: &OpenSettings, report: Report<'_>) -> Result<Found> {
    let file = File::open(path, options.access)?;
    if stockfish::is_stockfish(&file.bytes) {
        return Ok(found(Opened::Stockfish, stockfish::open(file, report)?));
    }
    Ok(found(
        Opened::Monty,
        MontyFile::open(file, options.salvage, report)?,
    ))
}

/// Wraps what opening a format returns.
fn found<T>(variant: fn(Box<T>) -> Opened, (store, notes): (T, Vec<Error>)) -> Found {
    (variant(Box::new(store)), notes)
}

impl FormatKind {
    /// Returns what this version does with the format.
    #[must_use]
    pub fn support(self) -> Option<&'static Support> {
        SUPPORT.iter().find(|row| row.kinds.contains(&self))
    }

    /// Tells whether games of this format are text that is read like PGN.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(
            self,
            FormatKind::Pgn | FormatKind::Puzzles | FormatKind::Positions | FormatKind::Json
        )
    }

    /// Tells whether games of this format tell what an engine thought of their positions.
    #[must_use]
    pub const fn has_engine_data(self) -> bool {
        matches!(
            self,
            FormatKind::MontyPolicy
                | FormatKind::MontyValue
                | FormatKind::Stockfish
                | FormatKind::Viriformat
        )
    }
}
