//! An open database, and its names as Arrow data.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use datafusion::arrow::{array::StringViewBuilder, buffer::Buffer, error::ArrowError};
use tabiya::{
    Database, Flow, GameId, OpenOptions,
    chess::{NameId, NameKind},
};

use crate::parquet::{Unpacked, has_parquet_name};

/// A database that tables are made of. Cheap to share.
#[derive(Debug)]
pub struct Base {
    database: Database,
    /// What the database is made of, if that is a Parquet file.
    unpacked: Option<Unpacked>,
    name: String,
    names: [OnceLock<Names>; 4],
    damaged: AtomicU64,
    rows: AtomicU64,
    decoded: AtomicU64,
}

impl Base {
    /// Opens a database of any format, or the games of a [Parquet file](Unpacked).
    ///
    /// # Errors
    /// Those of [`Database::open`] and [`Unpacked::new`].
    pub fn open(path: &Path) -> tabiya::Result<Arc<Base>> {
        let base = match unpacked(path)? {
            Some(base) => base,
            None => Base::new(Database::open(path)?),
        };
        Ok(Arc::new(base))
    }

    /// Opens a database of any format, or the parts of a long file that is indexed in parts.
    pub(crate) fn parts(path: &Path) -> tabiya::Result<Vec<Base>> {
        if let Some(base) = unpacked(path)? {
            return Ok(vec![base]);
        }
        let databases = OpenOptions::new().open_each(path)?;
        Ok(databases.into_iter().map(Base::new).collect())
    }

    /// Opens a database, or the parts of a long file that is indexed in parts, which have one name:
    /// that of the file, or its path if the name is taken.
    ///
    /// # Errors
    /// Those of [`OpenOptions::open_each`] and [`Unpacked::new`].
    pub fn open_each(
        path: &Path,
        is_taken: impl FnOnce(&str) -> bool,
    ) -> tabiya::Result<Vec<Arc<Base>>> {
        let mut bases = Base::parts(path)?;
        if bases.first().is_some_and(|base| is_taken(base.name())) {
            let name = path.display().to_string();
            bases
                .iter_mut()
                .for_each(|base| base.name.clone_from(&name));
        }
        Ok(bases.into_iter().map(Arc::new).collect())
    }

    /// Wraps an open database. What is odd about its files is logged as warnings.
    #[must_use]
    pub fn new(database: Database) -> Base {
        for note in database.notes() {
            log::warn!("{note}");
        }
        Base {
            name: database.name(),
            database,
            unpacked: None,
            names: Default::default(),
            damaged: AtomicU64::new(0),
            rows: AtomicU64::new(0),
            decoded: AtomicU64::new(0),
        }
    }

    /// Gives it another name, if that of the file is taken.
    #[must_use]
    pub fn named(mut self, name: String) -> Base {
        self.name = name;
        self
    }

    /// Returns how many games of its file are in the parts before this one.
    pub(crate) fn games_before(&self) -> u32 {
        self.database.number(GameId(0)) - 1
    }

    /// Returns the database.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Returns the path of the database, or of the Parquet file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match &self.unpacked {
            Some(unpacked) => unpacked.source(),
            None => self.database.path(),
        }
    }

    /// Returns the paths of the files that are read.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        if let Some(unpacked) = &self.unpacked {
            return vec![unpacked.source().to_owned()];
        }
        let files = self.database.files().into_iter();
        files.map(|(file, _)| file).collect()
    }

    /// Returns whether no other program has changed the files.
    pub(crate) fn is_current(&self) -> bool {
        match &self.unpacked {
            Some(unpacked) => unpacked.is_current(),
            None => self.database.check_unchanged().is_ok(),
        }
    }

    /// Returns what the column `db` holds.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Notes that games could not be decoded completely.
    pub(crate) fn note_damaged(&self, games: u64) {
        self.damaged.fetch_add(games, Ordering::Relaxed);
    }

    /// Counts a game as damaged if reading it says so: nothing is returned then, and what was read
    /// until the damage is of use.
    pub(crate) fn undamaged<T>(&self, read: tabiya::Result<T>) -> tabiya::Result<Option<T>> {
        match read {
            Err(error) if error.is_of_game() => {
                self.note_damaged(1);
                Ok(None)
            }
            read => read.map(Some),
        }
    }

    /// Returns how often damaged games were met since the last call.
    #[must_use]
    pub fn take_damaged(&self) -> u64 {
        self.damaged.swap(0, Ordering::Relaxed)
    }

    /// Notes that rows were read.
    pub(crate) fn note_rows(&self, rows: usize) {
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// Returns how many rows were read until now, by all queries.
    #[must_use]
    pub fn rows_read(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Notes that games were decoded which the index left open.
    pub(crate) fn note_decoded(&self, games: u64) {
        self.decoded.fetch_add(games, Ordering::Relaxed);
    }

    /// Returns how many games were decoded until now because the index left them open.
    #[must_use]
    pub fn games_decoded(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    /// Returns the names of a kind, which are read at the first call.
    pub(crate) fn names(&self, kind: NameKind) -> tabiya::Result<&Names> {
        let slot = match kind {
            NameKind::Player => &self.names[0],
            NameKind::Event => &self.names[1],
            NameKind::Site => &self.names[2],
            _ => &self.names[3],
        };
        if let Some(names) = slot.get() {
            return Ok(names);
        }
        let names = Names::read(&self.database, kind)?;
        Ok(slot.get_or_init(|| names))
    }
}

/// Opens the games of a Parquet file; `None` for other files.
fn unpacked(path: &Path) -> tabiya::Result<Option<Base>> {
    if !has_parquet_name(path) {
        return Ok(None);
    }
    let unpacked = Unpacked::new(path, &|| Flow::Continue(()))?;
    let mut base = Base::new(Database::open(unpacked.path())?);
    base.unpacked = Some(unpacked);
    Ok(Some(base))
}

/// Greatest size of a buffer of names: offsets in string views have 31 bits.
const BLOCK_BYTES: usize = 1 << 30;

/// All names of a kind, each once. Columns refer to them by views of 16 bytes and copy nothing.
#[derive(Debug)]
pub(crate) struct Names {
    blocks: Vec<Buffer>,
    /// By ID: block, offset and length; a length of 0 means that the name is unknown.
    places: Vec<(u32, u32, u32)>,
}

impl Names {
    fn read(database: &Database, kind: NameKind) -> tabiya::Result<Names> {
        let count = database.name_ids(kind)?;
        let (mut blocks, mut block) = (Vec::new(), Vec::new());
        let mut places = Vec::with_capacity(count);
        for id in (0..).take(count) {
            let text = database.name_text(kind, NameId(id))?;
            let text = text.as_deref().filter(|text| is_known(text)).unwrap_or("");
            if block.len() + text.len() > BLOCK_BYTES && !block.is_empty() {
                blocks.push(Buffer::from_vec(std::mem::take(&mut block)));
            }
            let place = (blocks.len() as u32, block.len() as u32, text.len() as u32);
            places.push(place);
            block.extend_from_slice(text.as_bytes());
        }
        blocks.push(Buffer::from_vec(block));
        Ok(Names { blocks, places })
    }

    /// Appends the names of IDs to a new column.
    pub(crate) fn column(
        &self,
        ids: impl Iterator<Item = NameId>,
    ) -> Result<StringViewBuilder, ArrowError> {
        let mut column = StringViewBuilder::with_capacity(ids.size_hint().0);
        let blocks = self.blocks.iter().cloned();
        let first: Vec<u32> = blocks.map(|block| column.append_block(block)).collect();
        for id in ids {
            match self.places.get(id.index()) {
                Some(&(block, offset, length)) if length > 0 => {
                    column.try_append_view(first[block as usize], offset, length)?;
                }
                _ => column.append_null(),
            }
        }
        Ok(column)
    }
}

/// Returns whether a name says anything. PGN writes `?` for what is unknown.
pub(crate) fn is_known(name: &str) -> bool {
    !name.is_empty() && name != "?"
}
