//! The sidecar: a file next to a database with the squares that men visited and the plies at which
//! they left the board.
//!
//! `NAME.tabiya` next to `NAME.si4` is built from the database alone and can be rebuilt at any
//! time. It contains **visit sets**: for each of the twelve men and each square the games in whose
//! main line, start position included, that man ever stood there. A game that lacks the square of
//! one of a position's men cannot have that position, and few games have them all: mostly one in
//! many thousands. It contains **timelines**: which men left the board at which ply, so that
//! conditions on material alone are decided without playing a game. And for **openings**, positions
//! that many games have, it contains these games and their next moves.
//!
//! A PGN file that is too long to be opened whole has a folder `NAME.tabiya-parts` instead, with a
//! sidecar `1.tabiya`, `2.tabiya`, ... for each of its parts.
//!
//! Nothing in it is trusted. It is used only if it names the very files that are open (see
//! [`identity`]), and every byte is compared with a checksum before its first use. Data that fails
//! this check excludes no game, so damage makes a search slower but never wrong.
//!
//! # The file
//!
//! All numbers are little-endian; offsets are in bytes from the start of the file. Checksums are
//! CRC-32 as in gzip (polynomial 0xedb88320 reflected, all ones before and after).
//!
//! ```text
//! offset  size
//!      0     8  magic: "tabiya", 0x1a, 0x0a
//!      8     4  version: 13
//!     12     4  length of this header in bytes: 528
//!     16     8  length of the file in bytes
//!     24     4  number of games
//!     28     4  number of files below: 2
//!     32     4  number of parts below, at most 16
//!     36     4  unit of the room behind the runs of an index, in bytes; 0 if there is none
//!     40    96  the database's files, index and games, 48 bytes each:
//!                 8  suffix, ASCII, padded with zeros
//!                 8  length in bytes
//!                 8  time of the last change, seconds since 1970 (signed)
//!                 4  and nanoseconds
//!                 4  checksum over samples of the content
//!                 8  time that only the system sets (ctime), seconds; zero if there is none
//!                 4  and nanoseconds
//!                 4  checksum over all of the content
//!    136   384  the parts, 24 bytes each, the rest zero:
//!                 4  kind: 1 sets of games; 2 timelines of material; 3 games of
//!                    openings; 4 the table of openings, which has one block of all games;
//!                    5 rows of openings; 6 sums of the blocks' input; 7 columns; 8 names, 9 to 12
//!                    and 15 the index, which have one block of all games;
//!                    13 names of openings; 14 final positions; 16 remarks
//!                 4  number of blobs of each of its blocks
//!                 8  offset of its directories
//!                 8  their length in bytes
//!    520     4  checksum of the 520 bytes before
//!    524     4  zero
//! ```
//!
//! Games are stored in blocks of 65 536, of which the last may be smaller. For each block a part
//! has some blobs, and a directory with their offsets:
//!
//! ```text
//!      0     4  checksum of all that follows in this directory
//!      4     4  number of games in the block
//!      8     8  offset of the block's blobs
//!     16        for each blob 12 bytes:
//!                 4  offset from the block's first blob
//!                 4  of a set: number of games in it (24 bits), and above them how they are
//!                    stored; of other blobs: length in bytes
//!                 4  checksum of its bytes
//! ```
//!
//! # Sets of games
//!
//! Blob man × 64 + square is the visit set of that man and square (men K Q R B N P, White's first;
//! a1 = 0, b1 = 1, h8 = 63). Blob 768 has the games that could not be decoded, about which nothing
//! is known; blob 769 those with a promotion in the main line or a custom start; blob 770 those
//! with more than two of some piece in the main line or a custom start. Blobs 771 to 1026 are the
//! sets for the 256 sets of files (a = 1, b = 2, h = 128) on which White's pawns can stand, and the
//! next 256 are Black's: the games in whose main line, start position included, they stood on
//! exactly these. Blob 1283 + 8 × file + file, both from 0, has the games in whose main line
//! White's king stood on that file of the first rank while Black's stood on the other file of the
//! eighth. Blob 1347 has the games whose main lines do not, or may not, end with the final material
//! of their records. Blobs 1348 to 1350 have the games in whose main lines, start position
//! included, the side to move is ever in check, mated and stalemated. Blobs 1351 to 1354 have the
//! games in whose main lines a position stands for the second, third, fourth and fifth time.
//! [`container`] describes how sets are stored.
//!
//! # Timelines of material
//!
//! Blob n has the games from 256 × n on, up to 256 of them; there are always 256 blobs, of which
//! the last may be empty. [`timeline`] describes their content. The number of games in a blob's
//! entry is its length in bytes.
//!
//! # Final positions
//!
//! Blob n has the games from 256 × n on, as those of timelines do. [`ends`] describes their
//! content.
//!
//! # Remarks
//!
//! What comments tell of clocks and evaluations. See [`remarks`].
//!
//! # Openings
//!
//! See [`openings`].
//!
//! # Names of openings
//!
//! The only blob of a block has the checksum of the table of openings, followed by `positions` (4
//! bytes), then for each game the number of the position in that table that gives its opening the
//! name (2 bytes), 0 for none and 65 535 for games that could not be decoded. Numbers of another
//! table are not used.
//!
//! # Columns
//!
//! Optional. Ten blobs, of as many values as the block has games: White's and Black's rating (2
//! bytes each, 0 if missing), date (4, packed as in Scid's index: year × 512 + month × 32 + day),
//! opening code (2, 0 if missing), result (1: none, White, Black, draw), the least and the greatest
//! number of plies (2 each, at most 65 535, which as the greatest means no bound), the IDs of
//! White's and Black's names (4 each), flags (4).
//!
//! # Names
//!
//! Those of the whole database, in one block. [`names`] describes its five blobs.
//!
//! # The index
//!
//! Only of formats whose files hold no records, and only PGN so far: what is found out by reading
//! all of the text, so that opening reads nothing of it. Parts 9 to 12 and 15 are records, names,
//! ends of main lines, main lines and where the text is in a packed file, see
//! [`stored`](tabiya_formats::indexed::stored). Each is a run of bytes, cut into blobs of 80 KiB
//! that follow each other, so that few bytes are compared with checksums to use one record. An
//! index of which one run would take 4 GiB is left out.
//!
//! # Sums
//!
//! The only blob of a block has 32 bytes, from which it can later be determined whether its games
//! are unchanged: two [sums](sum) over their records and the bytes of their main lines, 8 bytes
//! each; the number of these bytes, 8 bytes; the number of games, 4 bytes, and 4 zero bytes. When a
//! database has changed, complete blocks of unchanged games are [kept](refresh) as they are.

mod aspects;
mod bits;
mod build;
mod collect;
mod columns;
mod container;
mod course;
mod ends;
mod events;
mod games;
mod identity;
mod layout;
mod names;
mod numbers;
mod opening_names;
mod openings;
mod part;
mod refresh;
pub(crate) mod remarks;
mod resume;
mod rows;
mod run;
mod sets;
mod sum;
mod threats;
mod timeline;
mod visit_tracker;
mod visits;
mod wanted;
mod write;

#[cfg(test)]
mod end_tests;
#[cfg(test)]
mod index_tests;
#[cfg(test)]
mod refresh_tests;
#[cfg(test)]
mod remark_tests;
#[cfg(test)]
mod tests;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;
use tabiya_formats::{
    Access, File, IndexedPart, Run, Store, StoredIndex,
    error::{Error, ErrorKind, Result},
    indexed::stored::RUNS,
    pgn::bytes_of_part,
};

pub use self::build::BuildReport;
pub(crate) use self::{
    aspects::Proof,
    build::{BuildRequest, Parts, build},
    columns::{Columns, NO_BOUND},
    games::{BLOCK_GAMES, BLOCK_WORDS, BlockGames, FEW_MAX},
    identity::Identity,
    opening_names::UNKNOWN_OPENING,
    openings::{Opening, OpeningRow, RareSet, Visit},
    timeline::{Timeline, Timelines},
    visit_tracker::{Squares, VisitTracker},
    wanted::RequiredSets,
};
use self::{
    layout::{Header, PartKind},
    openings::Openings,
    part::{Block, Part},
    run::StoredRun,
};

/// The suffix of a sidecar's file name.
pub(crate) const SUFFIX: &str = "tabiya";

/// The suffix of the folder with the sidecars of the parts of a file.
const PARTS_SUFFIX: &str = "tabiya-parts";

/// Returns the path of the sidecar of a database, or of a part of it.
pub(crate) fn path_of(database: &Path, part: Option<u32>) -> PathBuf {
    match part {
        None => database.with_extension(SUFFIX),
        Some(number) => parts_folder(database).join(format!("{number}.{SUFFIX}")),
    }
}

/// Returns the path of the folder with the sidecars of the parts of a file.
pub(crate) fn parts_folder(database: &Path) -> PathBuf {
    database.with_extension(PARTS_SUFFIX)
}

/// An open sidecar of an open database.
#[derive(Debug)]
pub struct Sidecar {
    file: File,
    games: u32,
    sets: Part,
    timelines: Option<Part>,
    /// `None` if the file has none.
    openings: Option<Openings>,
    opening_names: Option<Part>,
    ends: Option<Part>,
    remarks: Option<Part>,
    columns: Option<Part>,
    names: Option<Part>,
    sums: Option<Part>,
    /// In the order of [`PartKind::INDEX`].
    index: [Option<Part>; RUNS],
}

impl Sidecar {
    /// Opens the sidecar of a database; `None` if it has none. Reads a few pages of the database's
    /// files for comparison; the time is O(1), but O(size of the files) for copied files.
    ///
    /// # Errors
    /// `SidecarUnused` if it was made from other files or another state of them, by another
    /// version, is damaged or cannot be read.
    pub(crate) fn open(store: &dyn Store, access: Access) -> Result<Option<Arc<Sidecar>>> {
        let Some(index) = store.files().first().map(|file| file.path.clone()) else {
            return Ok(None);
        };
        let path = path_of(&index, store.part().map(|part| part.number));
        match path.symlink_metadata() {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            // In an archive: its "folder" is a file.
            Err(cause) if cause.kind() == io::ErrorKind::NotADirectory => return Ok(None),
            _ => {}
        }
        let sidecar = File::open(&path, access).and_then(|file| Sidecar::new(file, store));
        match sidecar {
            Ok(sidecar) => Ok(Some(Arc::new(sidecar))),
            Err(error) if matches!(error.kind(), ErrorKind::Io { .. }) => {
                Err(unused("it cannot be read").at_path(&path))
            }
            Err(error) => Err(error.at_path(&path)),
        }
    }

    fn new(file: File, store: &dyn Store) -> Result<Sidecar> {
        let header = Header::read(&file.bytes).map_err(unused)?;
        if header.games != store.game_count() || !header.identity.is_of(store)? {
            return Err(unused(OF_OTHER));
        }
        Sidecar::of_any_state(file, &header)
    }

    /// Returns the index from the sidecar of a database of one file, or of a part of it, and the
    /// length in bytes that was indexed; `None` unless that is the file or its beginning. O(1)
    /// unless the file has grown or was copied.
    pub(crate) fn index_of(
        database: &File,
        access: Access,
        part: Option<u32>,
    ) -> Option<(StoredIndex, usize)> {
        let file = File::open(&path_of(&database.path, part), access).ok()?;
        let header = Header::read(&file.bytes).ok()?;
        let file = Arc::new(file);
        let run = |kind| StoredRun::new(&file, header.part(kind)?, header.games);
        let runs: Vec<_> = PartKind::INDEX.into_iter().map_while(run).collect();
        let runs = <[StoredRun; RUNS]>::try_from(runs).ok()?;
        let runs = runs.map(|run| Box::new(run) as Box<dyn Run>);
        let index = StoredIndex::new(runs)?;
        let whole = database.bytes.len();
        let length = match part {
            None if header.identity.is_of_file(database).ok() == Some(true) => whole,
            None => header.identity.is_of_beginning(database)?,
            Some(number) => {
                let bytes = bytes_of_part(index.places())?;
                let part = IndexedPart { number, bytes };
                let is_same = header.identity.is_of_part(database, &part).ok()?;
                is_same.then_some(whole)?
            }
        };
        (index.game_count() == header.games).then_some((index, length))
    }

    /// Returns whether nothing in it is damaged, and it knows the present times of the database's
    /// files. Reads all of it.
    pub(crate) fn is_sound_and_current(&self, store: &dyn Store) -> bool {
        let header = Header::read(&self.file.bytes);
        let all = PartKind::BY_BLOCK.map(|kind| self.part_by_block(kind));
        let is_whole = |part: &Part, block| {
            let block = self.block(part, block);
            block.is_some_and(|block| block.whole().is_some())
        };
        let block_is_sound = |block| {
            let columns = self.columns.iter().all(|part| is_whole(part, block));
            columns
                && all
                    .iter()
                    .all(|part| part.is_some_and(|part| is_whole(part, block)))
        };
        let one_is_sound = |part: &Part| {
            let block = self.block_of_all(part);
            block.is_some_and(|block| block.whole().is_some())
        };
        let of_all = self.names.iter().chain(self.index.iter().flatten());
        let table = self.openings.iter().map(|openings| &openings.table);
        header.is_ok_and(|header| header.identity.is_current(store))
            && (0..blocks(self.games)).into_par_iter().all(block_is_sound)
            && of_all.chain(table).all(one_is_sound)
    }

    /// Opens a sidecar without checking its database. Its content may be wrong, so it must not be
    /// used for searches.
    pub(crate) fn open_older(path: &Path, access: Access) -> Result<Sidecar> {
        let file = File::open(path, access)?;
        let header = Header::read(&file.bytes).map_err(unused)?;
        Sidecar::of_any_state(file, &header)
    }

    fn of_any_state(file: File, header: &Header) -> Result<Sidecar> {
        let games = header.games;
        let file_bytes = file.bytes.len();
        let part = |kind| Part::new(header.part(kind)?, blocks(games), file_bytes);
        let part_of = |kind, blocks| Part::new(header.part(kind)?, blocks, file_bytes);
        let openings = || {
            Some(Openings {
                table: part_of(PartKind::OpeningTable, 1)?,
                rows: part(PartKind::OpeningRows)?,
                games: part(PartKind::Openings)?,
            })
        };
        Ok(Sidecar {
            openings: openings(),
            sets: match games {
                0 => Part::empty(),
                _ => part(PartKind::Sets).ok_or_else(|| unused("it is damaged"))?,
            },
            opening_names: part(PartKind::OpeningNames),
            ends: part(PartKind::Ends),
            remarks: part(PartKind::Remarks),
            timelines: part(PartKind::Timeline),
            columns: part(PartKind::Columns),
            names: part_of(PartKind::Names, 1),
            sums: part(PartKind::Sums),
            index: PartKind::INDEX.map(|kind| part_of(kind, 1)),
            file,
            games,
        })
    }

    /// Returns the sets of one block; `None` if they are damaged.
    fn sets(&self, block: usize) -> Option<Block<'_>> {
        self.block(&self.sets, block)
    }

    /// Returns the columns of a block, if it has any.
    pub(crate) fn columns(&self, block: usize) -> Option<Columns<'_>> {
        Some(Columns(self.block(self.columns.as_ref()?, block)?))
    }

    /// Returns whether there are columns.
    pub(crate) fn has_columns(&self) -> bool {
        self.columns.is_some()
    }

    /// Returns one block of a part; `None` if it is damaged.
    fn block<'s>(&'s self, part: &'s Part, block: usize) -> Option<Block<'s>> {
        part.block(&self.file.bytes, block, self.block_games(block)?)
    }

    /// Returns the only block of a part that has one for all games; `None` if it is damaged.
    fn block_of_all<'s>(&'s self, part: &'s Part) -> Option<Block<'s>> {
        part.block(&self.file.bytes, 0, self.games)
    }

    /// Returns the number of games in a block; `None` after the last.
    fn block_games(&self, block: usize) -> Option<u32> {
        let first = u32::try_from(block).ok()?.checked_mul(BLOCK_GAMES)?;
        let games = self.games.checked_sub(first)?;
        Some(games.min(BLOCK_GAMES))
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Returns its size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.file.bytes.len() as u64
    }
}

/// Returns the note on the sidecar of a part that is not used, if that or one before it was made.
pub(crate) fn note_of_other_part(database: &Path, number: u32) -> Option<Error> {
    let path = path_of(database, Some(number));
    let what = "that of this part is missing, damaged or made from another state of the database";
    (number > 1 || path.exists()).then(|| unused(what).at_path(&path))
}

const OF_OTHER: &str =
    "it was made from another state of the database, or from another one of this name";

/// Returns the number of blocks for this number of games.
fn blocks(games: u32) -> usize {
    games.div_ceil(BLOCK_GAMES) as usize
}

fn unused(reason: &'static str) -> Error {
    Error::new(ErrorKind::SidecarUnused { reason })
}
