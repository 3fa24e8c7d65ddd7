//! A jose database: an index in memory; games are decoded from their rows.

use std::{collections::HashSet, path::Path};

use shakmaty::Setup;
use tabiya_chess::{NameKind, variant::read_start};

use super::{
    Stream,
    archive::Archive,
    flaws,
    folder::Folder,
    header::{HeadColumns, MoreColumns},
    names::Names,
    tables::{Row, Table},
};
use crate::{
    Access, Decoded, File, FormatKind, OpenSettings, Report, Store, TextEncoding, damage_at,
    error::{Error, Result},
    indexed::Index,
    names::NameList,
    suffix::{JOSE_TABLES, has_suffix},
};

/// An open jose database.
#[derive(Debug)]
pub struct JoseBase {
    /// The archive; `None` for a folder, whose tables are files.
    archive: Option<File>,
    pub(super) tables: Tables,
    pub(super) index: Index,
    /// Offset of each game's first half in its table.
    pub(super) heads: Vec<u64>,
}

/// The tables of a database.
#[derive(Debug)]
pub(super) struct Tables {
    /// `Game`, or `IO_Game`, which holds all of a game.
    pub(super) games: Table,
    /// `MoreGame`: start position, moves and comments.
    more: Option<Table>,
    pub(super) head_columns: HeadColumns,
    pub(super) more_columns: MoreColumns,
    pub(super) names: Names,
    /// Whether damaged data is read as far as possible.
    salvage: bool,
}

/// Offset of a missing half.
pub(super) const LOST: u64 = u64::MAX;

/// Offsets of the two halves of a game.
#[derive(Debug, Clone, Copy)]
pub(super) struct Halves {
    pub(super) head: u64,
    pub(super) more: u64,
}

impl JoseBase {
    /// Opens an archive: unpacks it and reads all its games once. Also returns notes about missing
    /// data.
    ///
    /// # Errors
    /// `Corrupt` if the file is not a jose archive, `Unsupported` for packers and engines that are
    /// not read, `LimitExceeded`, `Interrupted` after a `Break` from `progress`.
    pub(crate) fn open_archive(
        file: File,
        options: &OpenSettings,
        progress: Report<'_>,
    ) -> Result<(JoseBase, Vec<Error>)> {
        let salvage = options.salvage;
        let named = |error: Error| error.at_path(&file.path);
        let mut archive = Archive::open(&file, salvage, &mut *progress).map_err(named)?;
        let mut table = |name: &str| {
            let missing = || named(Error::corrupt(flaws::TABLE_MISSING));
            Table::open(archive.table(name).ok_or_else(missing)?, salvage)
        };
        let games = table("io_game")?;
        let mut notes = Vec::new();
        let names = Names::read(
            ["io_player", "io_event", "io_site"],
            table,
            options,
            &mut notes,
        )?;
        let tables = Tables {
            head_columns: HeadColumns::of(&games)?,
            more_columns: MoreColumns::of(&games)?,
            more: None,
            games,
            names,
            salvage,
        };
        notes.extend(archive.damage.map(named));
        JoseBase::new(Some(file), tables, notes, progress)
    }

    /// Opens the folder of a live database, or a folder that contains it. Writes nothing there.
    ///
    /// # Errors
    /// As [`open_archive`](JoseBase::open_archive); `Missing` if a table is missing.
    pub(crate) fn open_folder(
        path: &Path,
        options: &OpenSettings,
        progress: Report<'_>,
    ) -> Result<(JoseBase, Vec<Error>)> {
        let folder = Folder::find(path, options.access)?;
        let (salvage, mut notes) = (options.salvage, Vec::new());
        let table = |name: &str| Table::open(folder.table(name)?, salvage);
        let (games, more) = (table("game")?, table("moregame")?);
        let names = Names::read(["player", "event", "site"], table, options, &mut notes)?;
        let tables = Tables {
            head_columns: HeadColumns::of(&games)?,
            more_columns: MoreColumns::of(&more)?,
            more: Some(more),
            games,
            names,
            salvage,
        };
        if folder.is_locked() {
            let what = flaws::IN_USE;
            notes.push(Error::corrupt(what).at_path(path));
        }
        JoseBase::new(None, tables, notes, progress)
    }

    fn new(
        archive: Option<File>,
        tables: Tables,
        mut notes: Vec<Error>,
        progress: Report<'_>,
    ) -> Result<(JoseBase, Vec<Error>)> {
        let games = tables.halves(&mut notes);
        let index = tables.survey(&games, progress)?;
        let base = JoseBase {
            archive,
            tables,
            index,
            heads: games.iter().map(|halves| halves.head).collect(),
        };
        Ok((base, notes))
    }
}

impl Tables {
    /// Returns the table that holds the moves.
    pub(super) fn more(&self) -> &Table {
        self.more.as_ref().unwrap_or(&self.games)
    }

    /// Finds both halves of all games. A game without its second half is ignored, since jose leaves
    /// such rows behind. New rows reuse the space of deleted ones, so a live database is ordered by
    /// the IDs of its games.
    ///
    /// When salvaging, moves whose first half is lost are also a game.
    fn halves(&self, notes: &mut Vec<Error>) -> Vec<Halves> {
        let heads = self.offsets(&self.games, notes);
        let (Some(more), Some(id)) = (&self.more, self.head_columns.id) else {
            let whole = |at| Halves { head: at, more: at };
            return heads.into_iter().map(whole).collect();
        };
        let more_id = self.more_columns.id.unwrap_or_default();
        let rows = self.offsets(more, notes);
        let mut found: Vec<(u32, u64)> = numbers(more, more_id, rows, notes);
        found.sort_unstable();
        let halves = |(id, head): (u32, u64)| {
            let index = found.binary_search_by_key(&id, |row| row.0).ok()?;
            let more = found.get(index)?.1;
            Some((id, Halves { head, more }))
        };
        let heads = numbers(&self.games, id, heads, notes);
        let mut games: Vec<(u32, Halves)> = heads.into_iter().filter_map(halves).collect();
        if self.salvage {
            let known: HashSet<u64> = games.iter().map(|(_, halves)| halves.more).collect();
            let alone = found.iter().filter(|(_, more)| !known.contains(more));
            games.extend(alone.map(|&(id, more)| (id, Halves { head: LOST, more })));
        }
        games.sort_by_key(|game| game.0);
        games.into_iter().map(|game| game.1).collect()
    }

    /// Returns the offsets of a table's rows, and notes where the table becomes unreadable.
    fn offsets(&self, table: &Table, notes: &mut Vec<Error>) -> Vec<u64> {
        let (offsets, stopped) = if self.salvage {
            table.salvaged_offsets()
        } else {
            table.row_offsets()
        };
        notes.extend(stopped.map(|at| {
            let what = flaws::UNKNOWN_BLOCK;
            Error::corrupt(what).at_offset(at).at_path(table.path())
        }));
        offsets
    }

    /// Returns a game's own start position, from its second half. If there are no moves, the first
    /// half must not count any.
    pub(super) fn start(&self, head: u64, more: &Row<'_>) -> Decoded<Option<Setup>> {
        if self.more_columns.is_other_variant(more) {
            return Err(damage_at(flaws::OTHER_VARIANT, 0));
        }
        let setup = self.setup(more)?;
        let has_moves = !self.more_columns.bin(more).is_empty();
        if !has_moves && self.plies(head).is_some_and(|plies| plies > 0) {
            return Err(damage_at(flaws::NO_MOVES, 0));
        }
        Ok(setup)
    }

    /// Returns the number of half-moves that a game's first half states; `None` if it is lost or
    /// has no such column.
    pub(super) fn plies(&self, head: u64) -> Option<u32> {
        let column = self.head_columns.plies?;
        let row = self.games.row(head).ok()?;
        Some(row.number(column))
    }

    fn setup(&self, row: &Row<'_>) -> Decoded<Option<Setup>> {
        let Some(fen) = self.more_columns.fen(row) else {
            return Ok(None);
        };
        let setup = read_start(fen).map_err(|_| damage_at(flaws::START_NO_FEN, 0))?;
        Ok(Some(setup))
    }

    pub(super) fn stream<'r>(&self, row: &'r Row<'_>) -> Stream<'r> {
        let columns = &self.more_columns;
        Stream::new(columns.bin(row), columns.comments(row)).with_charset(self.names.charset)
    }
}

/// Returns the game IDs of rows, with their offsets. Skips unreadable rows; notes the first row
/// that is unreadable or continues after its last column.
fn numbers(
    table: &Table,
    column: usize,
    offsets: Vec<u64>,
    notes: &mut Vec<Error>,
) -> Vec<(u32, u64)> {
    let mut unread = None;
    let mut number = |at| match table.row(at) {
        Ok(row) => {
            if !row.is_filled() {
                unread.get_or_insert((flaws::ROW_TOO_LONG, at));
            }
            Some((row.number(column), at))
        }
        Err(damage) => {
            unread.get_or_insert((damage.what, at));
            None
        }
    };
    let numbers = offsets.into_iter().filter_map(&mut number).collect();
    notes.extend(unread.map(|(what, at)| {
        let note = Error::corrupt(what).at_offset(at);
        note.at_path(table.path())
    }));
    numbers
}

impl Store for JoseBase {
    fn kind(&self) -> FormatKind {
        FormatKind::Jose
    }

    fn game_count(&self) -> u32 {
        self.index.game_count()
    }

    fn encoding(&self) -> Option<TextEncoding> {
        self.tables.names.charset.encoding()
    }

    fn files(&self) -> Vec<&File> {
        match &self.archive {
            Some(archive) => vec![archive],
            None => {
                let more = self.tables.more.as_ref().map(Table::file);
                [Some(self.tables.games.file()), more]
                    .into_iter()
                    .flatten()
                    .collect()
            }
        }
    }

    fn names(&self, kind: NameKind) -> Result<&NameList> {
        Ok(self.index.names(kind))
    }

    fn games_path(&self) -> &Path {
        self.tables.more().path()
    }
}

/// Opens an archive, or the folder of a live database, which may be given by one of its tables.
pub(crate) fn open(
    path: &Path,
    options: &OpenSettings,
    progress: Report<'_>,
) -> Result<(JoseBase, Vec<Error>)> {
    if path.is_dir() {
        return JoseBase::open_folder(path, options, progress);
    }
    if has_suffix(path, JOSE_TABLES) {
        let folder = path.parent().unwrap_or(path);
        return JoseBase::open_folder(folder, options, progress);
    }
    let file = File::open(path, options.access)?;
    JoseBase::open_archive(file, options, progress)
}

/// Whether a path is a folder with the tables of a live database.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.is_dir() && Folder::find(path, Access::default()).is_ok()
}
