//! The open databases: those of the command line, and those that the page has opened since.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsStr,
    iter::once,
    ops::Deref,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tabiya::{Database, Error, Flow, OpenOptions, Progress};

use crate::{
    errors::Fault,
    limits::Ask,
    speeds::{self, Kinds},
};

/// Places that a game's name in addresses has room for.
pub(crate) const PLACES: u16 = 50_000;
/// Places before these are left to the command line.
const FIRST_OF_FOLDERS: u16 = 1000;
/// How long a change waits for those who read what it changes.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks whether a database is still read.
const PAUSE: Duration = Duration::from_millis(5);
/// Databases of folders that are open at the same time.
const FROM_FOLDERS_MAX: usize = 200;

/// The databases, those of the command line first.
#[derive(Debug)]
pub(crate) struct Registry {
    open: RwLock<Vec<Arc<Slot>>>,
    known: Mutex<Known>,
    /// Whether databases are read whole.
    pub(crate) in_memory: bool,
    /// Whether the server is about to end.
    is_over: AtomicBool,
}

/// A database that was named on the command line or opened by the page.
#[derive(Debug)]
pub(crate) struct Slot {
    /// Its place, as names of games have it.
    place: u16,
    name: Arc<str>,
    path: PathBuf,
    /// Whether it is of a folder, and may be closed.
    pub(crate) is_of_folder: bool,
    open: RwLock<Arc<Opened>>,
}

/// All that were open since the program started. They keep name and place: what was told of them
/// stays right when they are opened again.
#[derive(Debug, Default)]
struct Known {
    by_path: HashMap<PathBuf, (u16, Arc<str>)>,
    names: HashSet<String>,
    places: HashSet<u16>,
}

/// A database and what was found out about it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) database: Database,
    /// Which opening of a file this is, of all in this process.
    serial: u64,
    /// The speeds and modes that its events tell of.
    kinds: OnceLock<Kinds>,
    /// The most damaged games that one question has met until now.
    damaged: AtomicU64,
}

/// A database as long as one search uses it.
#[derive(Debug, Clone)]
pub(crate) struct DatabaseRef {
    /// Its place, as names of games have it.
    pub(crate) index: u16,
    pub(crate) name: Arc<str>,
    pub(crate) opened: Arc<Opened>,
}

impl Deref for DatabaseRef {
    type Target = Database;

    fn deref(&self) -> &Database {
        &self.opened.database
    }
}

impl DatabaseRef {
    /// Returns the kinds of game that it has; looks once, then knows.
    ///
    /// # Errors
    /// Those of a search.
    pub(crate) fn kinds(&self, ask: &Ask) -> Result<&Kinds, Fault> {
        if let Some(kinds) = self.opened.kinds.get() {
            return Ok(kinds);
        }
        let kinds = speeds::kinds(self, ask)?;
        Ok(self.opened.kinds.get_or_init(|| kinds))
    }
}

impl Opened {
    /// Notes how many damaged games a question has met.
    pub(crate) fn met_damaged(&self, games: u64) {
        self.damaged.fetch_max(games, Ordering::Relaxed);
    }

    /// Returns how many damaged games are known of.
    pub(crate) fn damaged(&self) -> u64 {
        self.damaged.load(Ordering::Relaxed)
    }
}

impl Slot {
    pub(crate) fn held(&self) -> DatabaseRef {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        DatabaseRef {
            index: self.place,
            name: self.name.clone(),
            opened: open.clone(),
        }
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Registry {
    /// Returns a registry without a database. `in_memory` tells whether databases are read whole.
    pub(crate) fn new(in_memory: bool) -> Registry {
        Registry {
            open: RwLock::default(),
            known: Mutex::default(),
            in_memory,
            is_over: AtomicBool::new(false),
        }
    }

    /// Stops databases that are being opened again, and lets none be opened again any more.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Tells whether to go on with opening a database, which no single request may stop.
    pub(crate) fn flow(&self) -> Flow {
        if self.is_over.load(Ordering::Relaxed) {
            Flow::Break(())
        } else {
            Flow::Continue(())
        }
    }

    /// Opens a database, which is not in the registry yet.
    ///
    /// # Errors
    /// When it cannot be opened, or `progress` breaks.
    pub(crate) fn opened(
        &self,
        path: &Path,
        progress: impl FnMut(Progress) -> Flow,
    ) -> Result<Opened, Error> {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        let options = OpenOptions::new().in_memory(self.in_memory);
        Ok(Opened {
            database: options.on_progress(progress).open(path)?,
            serial: OPENED.fetch_add(1, Ordering::Relaxed),
            kinds: OnceLock::new(),
            damaged: AtomicU64::new(0),
        })
    }

    /// Opens the files of a database again.
    ///
    /// # Errors
    /// When they cannot be opened, or the server is about to end; then the database stays as it is.
    pub(crate) fn reopen(&self, slot: &Slot) -> Result<(), Error> {
        let opened = self.opened(&slot.path, |_| self.flow())?;
        *slot.open.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(opened);
        Ok(())
    }

    /// Returns the open databases.
    pub(crate) fn all(&self) -> Vec<Arc<Slot>> {
        let open = self.open.read();
        open.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the open database with a name.
    pub(crate) fn named(&self, name: &str) -> Option<Arc<Slot>> {
        self.all().into_iter().find(|slot| *slot.name == *name)
    }

    /// Returns the open database of a path.
    pub(crate) fn of_path(&self, path: &Path) -> Option<Arc<Slot>> {
        let mut all = self.all().into_iter();
        all.find(|slot| slot.path == path)
    }

    /// Returns the open database of a file, however its path was written.
    pub(crate) fn of_file(&self, path: &Path) -> Option<Arc<Slot>> {
        let mut all = self.all().into_iter();
        all.find(|slot| is_same_file(&slot.path, path))
    }

    /// Does something that those who read a database would not survive: it is closed first, until
    /// nobody reads it any more, and opened again afterwards.
    ///
    /// # Errors
    /// `Conflict` when searches in it do not end in a minute; those of opening it.
    pub(crate) fn apart<T>(
        &self,
        path: &Path,
        work: impl FnOnce() -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let Some(slot) = self.of_file(path) else {
            return work();
        };
        let reading = Arc::downgrade(&slot.held().opened);
        let (place, name) = (slot.place, slot.name.clone());
        let (own_path, is_of_folder) = (slot.path.clone(), slot.is_of_folder);
        self.open
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|other| !Arc::ptr_eq(other, &slot));
        drop(slot);
        let begun = Instant::now();
        while reading.strong_count() > 0 && begun.elapsed() < PATIENCE {
            thread::sleep(PAUSE);
        }
        let done = if reading.strong_count() > 0 {
            let what = "searches still read the database; try again when they have ended";
            Err(Fault::Conflict(what.to_owned()))
        } else {
            work()
        };
        let opened = self.opened(&own_path, |_| self.flow())?;
        self.put(place, name, &own_path, opened, is_of_folder);
        done
    }

    /// Adds a database of the command line.
    ///
    /// # Errors
    /// When there are as many as there are places.
    pub(crate) fn add(&self, path: &Path, opened: Opened) -> Result<(), Fault> {
        let mut known = self.known();
        let place = (0..PLACES).find(|place| !known.places.contains(place));
        let place = place.ok_or_else(too_many)?;
        let name = known.name(&opened.database, None);
        known.places.insert(place);
        self.put(place, name, path, opened, false);
        Ok(())
    }

    /// Adds a database of a folder, unless it is open already. `folder` is the folder's name.
    ///
    /// # Errors
    /// When too many are open.
    pub(crate) fn add_of_folder(
        &self,
        folder: &str,
        path: &Path,
        opened: Opened,
    ) -> Result<(), Fault> {
        // Held to the end, so that none is added twice.
        let mut known = self.known();
        if self.of_path(path).is_some() {
            return Ok(());
        }
        let others = self.all();
        if others.iter().filter(|slot| slot.is_of_folder).count() >= FROM_FOLDERS_MAX {
            return Err(too_many());
        }
        let (place, name) = match known.by_path.get(path) {
            Some(known) => known.clone(),
            None => {
                let place = known.place_of(folder, path).ok_or_else(too_many)?;
                let name = known.name(&opened.database, path.file_name());
                known.places.insert(place);
                let both = (place, name);
                known.by_path.insert(path.to_owned(), both.clone());
                both
            }
        };
        self.put(place, name, path, opened, true);
        Ok(())
    }

    fn put(&self, place: u16, name: Arc<str>, path: &Path, opened: Opened, is_of_folder: bool) {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        open.push(Arc::new(Slot {
            place,
            name,
            path: path.to_owned(),
            is_of_folder,
            open: RwLock::new(Arc::new(opened)),
        }));
        let order = |one: &Arc<Slot>| {
            let name = one.is_of_folder.then(|| one.name.clone());
            (one.is_of_folder, name)
        };
        // Those of the command line stay in its order.
        open.sort_by_key(order);
    }

    /// Closes a database of a folder. Searches in it that are under way end as if it were open.
    ///
    /// # Errors
    /// `Absent` when it is not open; `Request` when it is one of the command line.
    pub(crate) fn close(&self, name: &str) -> Result<(), Fault> {
        let slot = self.named(name).ok_or_else(|| absent(name))?;
        if !slot.is_of_folder {
            let what = "it was named on the command line and stays open";
            return Err(Fault::parameter("db", what));
        }
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        open.retain(|other| !Arc::ptr_eq(other, &slot));
        Ok(())
    }
}

impl Known {
    /// Returns a name that no other database has, and takes it: the short one, the file's if it is
    /// given, or one with a number. Commas separate names in addresses.
    fn name(&mut self, database: &Database, file: Option<&OsStr>) -> Arc<str> {
        let stem = database.name().replace(',', " ");
        let whole = file.map(|file| file.to_string_lossy().replace(',', " "));
        let numbered = (2u32..).map(|number| format!("{stem}-{number}"));
        let mut candidates = once(stem.clone()).chain(whole).chain(numbered);
        let free = candidates.find(|name| self.names.insert(name.clone()));
        free.unwrap_or_default().into()
    }

    /// Returns the place of a database of a folder: the same whenever the program runs, as long as
    /// both keep their names, unless another one that was opened before has it.
    fn place_of(&self, folder: &str, path: &Path) -> Option<u16> {
        let file = path.file_name().unwrap_or_default();
        let bytes = folder
            .bytes()
            .chain([0])
            .chain(file.as_encoded_bytes().iter().copied());
        // FNV-1a, which no new version of the standard library changes.
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let count = PLACES - FIRST_OF_FOLDERS;
        let first = (hash % u64::from(count)) as u16;
        let mut places = (0..count).map(|step| {
            let place = (u32::from(first) + u32::from(step)) % u32::from(count);
            FIRST_OF_FOLDERS + place as u16
        });
        places.find(|place| !self.places.contains(place))
    }
}

/// Returns what tells these databases as they are from all others, and from themselves before
/// and after a change. Part of the key of everything that is kept.
pub(crate) fn key(held: &[DatabaseRef]) -> String {
    let serials = held.iter().map(|held| held.opened.serial.to_string());
    serials.collect::<Vec<_>>().join(",")
}

/// Tells whether two paths lead to one file. The names are compared first: the folders are asked
/// for few of the many pairs that there are.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let whole = |path| dunce::canonicalize(path).ok();
    let is_alike = || one.file_name() == other.file_name();
    one == other || (is_alike() && whole(one).is_some_and(|one| Some(one) == whole(other)))
}

/// Says that there is no open database of this name.
pub(crate) fn absent(name: &str) -> Fault {
    Fault::Absent(format!("there is no database `{name}`"))
}

fn too_many() -> Fault {
    Fault::Request("too many databases are open; close some".to_owned())
}
