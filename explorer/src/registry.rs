//! The open databases: those of the command line, and those that the page has opened since.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsStr,
    iter::once,
    ops::Deref,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak,
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
    /// How databases are opened.
    options: OpenOptions,
    /// Whether the server is about to end.
    is_over: AtomicBool,
}

/// A database that was named on the command line or opened by the page.
#[derive(Debug)]
pub(crate) struct Slot {
    name: Arc<str>,
    path: PathBuf,
    /// Whether it is of a folder, and may be closed.
    pub(crate) is_of_folder: bool,
    /// Never empty: a file that is indexed in parts is several.
    open: RwLock<Vec<DatabaseRef>>,
}

/// All that were open since the program started. They keep name and place: what was told of them
/// stays right when they are opened again.
#[derive(Debug, Default)]
struct Known {
    by_path: HashMap<PathBuf, (Vec<u16>, Arc<str>)>,
    names: HashSet<String>,
    places: HashSet<u16>,
}

/// A database, or a part of one, and what was found out about it.
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

/// A database as long as one search uses it; of a file that is indexed in parts one of them.
#[derive(Debug, Clone)]
pub(crate) struct DatabaseRef {
    /// Its place, as names of games have it. No other part has it.
    pub(crate) index: u16,
    /// Its name, which all parts of a file share.
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
    /// Notes how many damaged games a question has left out, and how many it has searched as far as
    /// they can be read.
    pub(crate) fn met_damaged(&self, damaged: u64, harmed: u64) {
        self.damaged.fetch_max(damaged + harmed, Ordering::Relaxed);
    }

    /// Returns how many damaged games are known of.
    pub(crate) fn damaged(&self) -> u64 {
        self.damaged.load(Ordering::Relaxed)
    }
}

/// Returns the number of games of a database in all its parts.
pub(crate) fn games(parts: &[DatabaseRef]) -> u32 {
    let games = parts.iter().map(|part| part.len());
    games.fold(0, u32::saturating_add)
}

/// Returns the names of databases, each once.
pub(crate) fn names(held: &[DatabaseRef]) -> Vec<String> {
    let databases = held.chunk_by(|one, next| one.name == next.name);
    let first = databases.filter_map(<[DatabaseRef]>::first);
    first.map(|held| held.name.to_string()).collect()
}

/// Returns how many damaged games are known of in all parts of a database.
pub(crate) fn damaged(parts: &[DatabaseRef]) -> u64 {
    parts.iter().map(|part| part.opened.damaged()).sum()
}

impl Slot {
    /// Returns the database: all its parts, in order.
    pub(crate) fn parts(&self) -> Vec<DatabaseRef> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        open.clone()
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Registry {
    /// Returns a registry without a database.
    pub(crate) fn new(options: OpenOptions) -> Registry {
        Registry {
            open: RwLock::default(),
            known: Mutex::default(),
            options,
            is_over: AtomicBool::new(false),
        }
    }

    /// Returns how databases are opened.
    pub(crate) fn options(&self) -> &OpenOptions {
        &self.options
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

    /// Opens a database, which is not in the registry yet, or the parts of a long file.
    ///
    /// # Errors
    /// When it cannot be opened, or `progress` breaks.
    pub(crate) fn opened(
        &self,
        path: &Path,
        progress: impl FnMut(Progress) -> Flow,
    ) -> Result<Vec<Opened>, Error> {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        let parts = self.options.on_progress(progress).open_each(path)?;
        let opened = parts.into_iter().map(|database| Opened {
            database,
            serial: OPENED.fetch_add(1, Ordering::Relaxed),
            kinds: OnceLock::new(),
            damaged: AtomicU64::new(0),
        });
        Ok(opened.collect())
    }

    /// Opens the files of a database again.
    ///
    /// # Errors
    /// When they cannot be opened, or the server is about to end; then the database stays as it is.
    pub(crate) fn reopen(&self, slot: &Slot) -> Result<(), Error> {
        let opened = self.opened(&slot.path, |_| self.flow())?;
        let places = slot.parts().iter().map(|part| part.index).collect();
        let places = self.known().places_for(places, opened.len());
        let places =
            places.ok_or_else(|| Error::limit("the number of open databases", PLACES.into()))?;
        let parts = held(places, &slot.name, opened);
        *slot.open.write().unwrap_or_else(PoisonError::into_inner) = parts;
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
        let parts = slot.parts();
        let reading = parts.iter().map(|part| Arc::downgrade(&part.opened));
        let reading: Vec<Weak<Opened>> = reading.collect();
        let places = parts.iter().map(|part| part.index).collect();
        drop(parts);
        let is_read = || reading.iter().any(|part| part.strong_count() > 0);
        let name = slot.name.clone();
        let (own_path, is_of_folder) = (slot.path.clone(), slot.is_of_folder);
        self.open
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|other| !Arc::ptr_eq(other, &slot));
        drop(slot);
        let begun = Instant::now();
        while is_read() && begun.elapsed() < PATIENCE {
            thread::sleep(PAUSE);
        }
        let done = if is_read() {
            let what = "searches still read the database; try again when they have ended";
            Err(Fault::Conflict(what.to_owned()))
        } else {
            work()
        };
        let opened = self.opened(&own_path, |_| self.flow())?;
        let places = self.known().places_for(places, opened.len());
        let places = places.ok_or_else(too_many)?;
        self.put(places, name, &own_path, opened, is_of_folder);
        done
    }

    /// Adds a database of the command line.
    ///
    /// # Errors
    /// When there are as many as there are places.
    pub(crate) fn add(&self, path: &Path, opened: Vec<Opened>) -> Result<(), Fault> {
        let mut known = self.known();
        let places = known.places_for(Vec::new(), opened.len());
        let places = places.ok_or_else(too_many)?;
        let name = known.name(&opened, None);
        self.put(places, name, path, opened, false);
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
        opened: Vec<Opened>,
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
        let (places, name) = match known.by_path.get(path) {
            Some(known) => known.clone(),
            None => {
                let place = known.place_of(folder, path).ok_or_else(too_many)?;
                known.places.insert(place);
                (vec![place], known.name(&opened, path.file_name()))
            }
        };
        let places = known.places_for(places, opened.len());
        let places = places.ok_or_else(too_many)?;
        let both = (places.clone(), name.clone());
        known.by_path.insert(path.to_owned(), both);
        self.put(places, name, path, opened, true);
        Ok(())
    }

    /// Adds a database with the places of its parts.
    fn put(
        &self,
        places: Vec<u16>,
        name: Arc<str>,
        path: &Path,
        opened: Vec<Opened>,
        is_of_folder: bool,
    ) {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        open.push(Arc::new(Slot {
            open: RwLock::new(held(places, &name, opened)),
            name,
            path: path.to_owned(),
            is_of_folder,
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
    fn name(&mut self, opened: &[Opened], file: Option<&OsStr>) -> Arc<str> {
        let stem = opened.first().map(|opened| opened.database.name());
        let stem = stem.unwrap_or_default().replace(',', " ");
        let whole = file.map(|file| file.to_string_lossy().replace(',', " "));
        let numbered = (2u32..).map(|number| format!("{stem}-{number}"));
        let mut candidates = once(stem.clone()).chain(whole).chain(numbered);
        let free = candidates.find(|name| self.names.insert(name.clone()));
        free.unwrap_or_default().into()
    }

    /// Returns the places of so many parts: those that a database has, and if these are too few,
    /// the next free ones, which it has from now on. `None` if there are no more.
    fn places_for(&mut self, mut places: Vec<u16>, parts: usize) -> Option<Vec<u16>> {
        let first = places.first().copied().unwrap_or(0);
        let mut others = (first..PLACES).chain(0..first);
        while places.len() < parts {
            let place = others.find(|place| !self.places.contains(place))?;
            self.places.insert(place);
            places.push(place);
        }
        Some(places)
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

/// Returns the parts of a database at their places, of which there may be more.
fn held(places: Vec<u16>, name: &Arc<str>, opened: Vec<Opened>) -> Vec<DatabaseRef> {
    let parts = places.into_iter().zip(opened);
    let parts = parts.map(|(index, opened)| DatabaseRef {
        index,
        name: name.clone(),
        opened: Arc::new(opened),
    });
    parts.collect()
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
