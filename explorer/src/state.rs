//! The open databases, and how a search gets at them.

use std::sync::Arc;

use tabiya::{GameId, OpenOptions, Progress, databases_named, format::left_out};
use tokio::sync::Semaphore;

use crate::{
    access::Access,
    answers::Answers,
    book::OpenBook,
    cache::Cache,
    engine::Engines,
    errors::Fault,
    folders::Folders,
    index::Indexing,
    limits::{Ask, Gate},
    options::{Limits, Options},
    registry::{DatabaseRef, Registry, absent, games},
    repertoires::Repertoires,
    sample::Sample,
    saving::Saving,
    unread::Unread,
};

/// New databases that take room on the disk at the same time.
const EXPORTS: usize = 2;

/// Everything that answers come from.
#[derive(Debug)]
pub struct Explorer {
    pub(crate) registry: Arc<Registry>,
    /// Which databases of a list are not opened, and why.
    not_opened: Vec<String>,
    /// The famous games, if they are served.
    pub(crate) sample: Option<Sample>,
    /// Where the page finds more of them.
    pub(crate) folders: Folders,
    /// Where it finds files of lines.
    pub(crate) repertoires: Repertoires,
    /// The index that is being built.
    pub(crate) indexing: Arc<Indexing>,
    pub(crate) engines: Arc<Engines>,
    pub(crate) book: Option<OpenBook>,
    pub(crate) saving: Saving,
    gate: Gate,
    /// For what needs no search.
    beside: Gate,
    pub(crate) access: Arc<Access>,
    pub(crate) limits: Limits,
    /// The memory of answers that wait for their clients.
    pub(crate) unread: Unread,
    /// New databases that are made or sent at the same time.
    pub(crate) exports: Arc<Semaphore>,
    /// Answers, as bytes of JSON, by what was asked.
    pub(crate) answers: Cache<Arc<[u8]>>,
    /// The games of filters.
    pub(crate) filtered: Answers,
    /// The games of queries in their order, for the next page.
    pub(crate) hits: Cache<Found>,
}

/// The games of a query, in their order.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) hits: Arc<[Hit]>,
    /// So many of them are in their places; the others stand behind these in any order.
    pub(crate) sorted: usize,
    /// Games that may belong to them and are left out, because they are damaged.
    pub(crate) damaged: u64,
    /// Damaged games that were searched as far as they can be read.
    pub(crate) harmed: u64,
}

impl Found {
    /// Says that games are left out or searched in part, and how to find out which; nothing if
    /// none is.
    pub(crate) fn damage(&self) -> Vec<String> {
        damage(self.damaged, self.harmed)
    }
}

/// Says that games are left out or searched in part. See [`Found::damage`].
pub(crate) fn damage(damaged: u64, harmed: u64) -> Vec<String> {
    let say = |games: u64, done: &str| match games {
        0 => None,
        1 => Some(format!(
            "1 damaged game is {done}; `tabiya verify` lists it"
        )),
        many => Some(format!(
            "{many} damaged games are {done}; `tabiya verify` lists them"
        )),
    };
    let told = [
        say(damaged, "left out"),
        say(harmed, "searched as far as it can be read"),
    ];
    told.into_iter().flatten().collect()
}

/// A database's place, as names of games have it, and a game of it that matches. There may be
/// millions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) database: u16,
    pub(crate) game: GameId,
}

impl Explorer {
    /// Opens the databases of the options and starts the threads that search.
    ///
    /// # Errors
    /// When a database cannot be opened, when there are more than 50 000, when a folder cannot be
    /// read, when the famous games cannot be written, or when threads cannot be started.
    pub fn open(options: &Options) -> Result<Explorer, Box<dyn std::error::Error>> {
        let opening = OpenOptions::new().in_memory(options.in_memory);
        let registry = Registry::new(match options.limits.unpacked_bytes_max {
            Some(bytes) => opening.unpacked_bytes_max(bytes),
            None => opening,
        });
        let mut not_opened = Vec::new();
        for path in &options.databases {
            not_opened.append(&mut left_out(path)?);
            for path in &databases_named(path)? {
                // No server is there yet that could be stopped: a signal ends the program.
                let opened = registry.opened(path, Progress::ignore)?;
                if registry.add(path, opened).is_err() {
                    return Err("too many databases".into());
                }
            }
        }
        let sample = options.sample.then(Sample::new).transpose()?;
        if let Some(sample) = &sample {
            let opened = registry.opened(&sample.path, Progress::ignore)?;
            let _ = registry.add(&sample.path, opened);
        }
        let cache_bytes = options.limits.cache.saturating_mul(1 << 20);
        Ok(Explorer {
            registry: Arc::new(registry),
            not_opened,
            sample,
            folders: Folders::new(&options.page.folders, &options.page.write)?,
            repertoires: Repertoires::new(
                &options.page.repertoires,
                cache_bytes.saturating_mul(4),
            )?,
            indexing: Arc::new(Indexing::new(&options.page)),
            engines: Arc::new(Engines::new(&options.page)),
            book: options
                .page
                .book
                .as_deref()
                .map(OpenBook::open)
                .transpose()?,
            saving: Saving::default(),
            gate: Gate::new(&options.limits)?,
            beside: Gate::beside(&options.limits),
            access: Arc::new(Access::new(options)),
            limits: options.limits.clone(),
            unread: Unread::new(options.limits.unread),
            exports: Arc::new(Semaphore::new(EXPORTS)),
            answers: Cache::new(cache_bytes / 8 * 3),
            filtered: Answers::new(cache_bytes / 8),
            hits: Cache::new(cache_bytes / 2),
        })
    }

    /// Stops what no request waits for, and databases that are being opened.
    pub(crate) fn end(&self) {
        self.registry.end();
        self.engines.end();
        self.indexing.end();
    }

    /// Returns how many searches and other questions to databases run at this moment.
    #[must_use]
    pub fn running(&self) -> usize {
        self.gate.running() + self.beside.running()
    }

    /// Returns how many filters were searched until now: whoever asks for one that is being
    /// searched, or is kept, makes no new one.
    #[must_use]
    pub fn searched(&self) -> u64 {
        self.filtered.searched()
    }

    /// Returns a line about each database, and one for each note on its files, for the log.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let not_opened = self
            .not_opened
            .iter()
            .map(|entry| format!("warning: {entry}"));
        let databases = self.registry.all().into_iter().flat_map(|slot| {
            let parts = slot.parts();
            let (name, games) = (slot.name(), games(&parts));
            let kind = parts.first().map(|part| part.kind().to_string());
            let kind = kind.unwrap_or_default();
            let has_sidecar = parts.iter().all(|part| part.sidecar().is_some());
            let sidecar = if has_sidecar { ", with a sidecar" } else { "" };
            let end = if games == 1 { "" } else { "s" };
            let mut lines = vec![format!("{name}: {games} game{end}, {kind}{sidecar}")];
            let notes = parts.iter().flat_map(|part| part.notes());
            lines.extend(notes.map(|note| format!("warning: {note}")));
            lines
        });
        let book = self.book.as_ref().map(OpenBook::line);
        databases.chain(not_opened).chain(book)
    }

    fn held_all(&self) -> Vec<DatabaseRef> {
        let registry = self.registry.all();
        registry.iter().flat_map(|slot| slot.parts()).collect()
    }

    /// Returns some databases by name; all of them without names.
    ///
    /// # Errors
    /// `Absent` at the first unknown name.
    pub(crate) fn held(&self, names: &[String]) -> Result<Vec<DatabaseRef>, Fault> {
        let all = self.held_all();
        if names.is_empty() {
            return Ok(all);
        }
        let mut held: Vec<DatabaseRef> = Vec::new();
        for name in names {
            let is_named = |held: &&DatabaseRef| *held.name == **name;
            // One that is named again is asked once.
            if held.iter().any(|held| is_named(&held)) {
                continue;
            }
            let before = held.len();
            held.extend(all.iter().filter(is_named).cloned());
            if held.len() == before {
                return Err(absent(name));
            }
        }
        Ok(held)
    }

    /// Does work on some databases, all of them without names, when its turn comes. If another
    /// program changes them meanwhile, they are opened again and the work is done once more.
    ///
    /// # Errors
    /// As those of [`Gate::run`] and of the work; `Changed` when the second time is no better.
    pub(crate) async fn search<T: Send + 'static>(
        self: &Arc<Self>,
        names: Vec<String>,
        work: impl Fn(&Explorer, &[DatabaseRef], &Ask) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        self.ask(&self.gate, names, work).await
    }

    /// The same for work that is no search: searches do not keep it waiting.
    ///
    /// # Errors
    /// As those of [`Explorer::search`].
    pub(crate) async fn look<T: Send + 'static>(
        self: &Arc<Self>,
        names: Vec<String>,
        work: impl Fn(&[DatabaseRef]) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let work = move |_: &Explorer, held: &[DatabaseRef], _: &Ask| work(held);
        self.ask(&self.beside, names, work).await
    }

    /// Does work beside the searches that needs no open database, when its turn comes.
    ///
    /// # Errors
    /// As those of [`Gate::run`] and of the work.
    pub(crate) async fn beside<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Explorer, &Ask) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let explorer = self.clone();
        self.beside.run(move |ask| work(&explorer, ask)).await
    }

    /// Does work with what is known of all databases since they were opened: at once, whatever
    /// else is done. Only when another program has changed one it is opened again first.
    ///
    /// # Errors
    /// As those of [`Explorer::search`].
    pub(crate) async fn tell<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl Fn(&[DatabaseRef]) -> Result<T, Fault> + Clone + Send + 'static,
    ) -> Result<T, Fault> {
        let (held, first) = (self.held_all(), work.clone());
        let told = tokio::task::spawn_blocking(move || unchanged(&held, || first(&held)));
        match told.await.unwrap_or(Err(Fault::Internal)) {
            Err(Fault::Changed) => self.look(Vec::new(), work).await,
            told => told,
        }
    }

    async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        gate: &Gate,
        names: Vec<String>,
        work: impl Fn(&Explorer, &[DatabaseRef], &Ask) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let explorer = self.clone();
        gate.run(move |ask| {
            let attempt = || {
                let held = explorer.held(&names)?;
                unchanged(&held, || work(&explorer, &held, ask))
            };
            match attempt() {
                Err(Fault::Changed) => {
                    explorer.reopen_changed();
                    attempt()
                }
                done => done,
            }
        })
        .await
    }

    /// Goes on with what a search has found in some databases, when its turn comes.
    ///
    /// # Errors
    /// As those of [`Gate::go_on`] and of the work; `Changed` when another program has changed one
    /// of them since, for then nothing that was found holds any more.
    pub(crate) async fn go_on<T: Send + 'static>(
        &self,
        held: Arc<[DatabaseRef]>,
        work: impl FnOnce(&[DatabaseRef], &Ask) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        self.gate
            .go_on(move |ask| unchanged(&held, || work(&held, ask)))
            .await
    }

    /// Returns the answer that is kept under a key; without one it is made, and kept.
    ///
    /// # Errors
    /// Those of making it.
    pub(crate) fn kept(
        &self,
        key: String,
        make: impl FnOnce() -> Result<Vec<u8>, Fault>,
    ) -> Result<Vec<u8>, Fault> {
        if let Some(answer) = self.answers.get(&key) {
            return Ok(answer.to_vec());
        }
        let answer = make()?;
        self.answers.put(key, Arc::from(&*answer), answer.len());
        Ok(answer)
    }

    /// Opens those databases again that have changed. One that cannot be opened stays as it is:
    /// perhaps it is being written at this moment.
    fn reopen_changed(&self) {
        for slot in self.registry.all() {
            let mut parts = slot.parts().into_iter();
            if parts.any(|part| part.check_unchanged().is_err()) {
                let _ = self.registry.reopen(&slot);
            }
        }
        self.answers.clear();
        self.filtered.clear();
        self.hits.clear();
    }
}

/// Does work that is worth nothing if one of the databases changes meanwhile: then that is what
/// went wrong, whatever else did.
fn unchanged<T>(held: &[DatabaseRef], work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    let check = || held.iter().try_for_each(|held| held.check_unchanged());
    check()?;
    let done = work();
    check()?;
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{folders::Entry, options::PageOptions, registry::key};
    use std::fs;
    use tabiya::{ErrorKind, Flow};

    /// Opens a database in a file of its own.
    fn opened(name: &str) -> (Explorer, std::path::PathBuf) {
        let path = std::env::temp_dir().join(format!("{name}-{}.pgn", std::process::id()));
        fs::write(&path, "1. e4 *\n").expect("a file");
        let listen = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
        let explorer = Explorer::open(&Options {
            databases: vec![path.clone()],
            listen: Some(listen),
            public: false,
            hosts: Vec::new(),
            mcp: false,
            in_memory: false,
            sample: false,
            page: PageOptions::default(),
            limits: Limits::default(),
        });
        (explorer.expect("a database"), path)
    }

    #[test]
    fn what_is_kept_of_a_database_is_not_found_after_a_change() {
        let (explorer, path) = opened("explorer");
        let before = key(&explorer.held_all());
        explorer.reopen_changed();
        assert_eq!(key(&explorer.held_all()), before);
        fs::write(&path, "1. e4 e5 *\n").expect("a file");
        explorer.reopen_changed();
        assert_ne!(key(&explorer.held_all()), before);
        fs::remove_file(&path).expect("a file");
    }

    #[test]
    fn a_server_that_is_to_stop_opens_nothing_any_more() {
        let (explorer, path) = opened("explorer-over");
        let slot = explorer.registry.all().remove(0);
        assert!(explorer.registry.reopen(&slot).is_ok());
        explorer.end();
        let error = explorer.registry.reopen(&slot).err();
        assert!(error.is_some_and(|error| matches!(error.kind(), ErrorKind::Interrupted)));
        let file = String::from("x");
        let entry = Entry {
            file,
            path: path.clone(),
        };
        // Its index is none, and tells that it would have been read whole.
        fs::write(path.with_extension("tabiya"), "").expect("a file");
        assert!(entry.look(|| explorer.registry.flow()).fault.is_some());
        assert!(entry.look(|| Flow::Continue(())).fault.is_none());
        fs::remove_file(path.with_extension("tabiya")).expect("a file");
        fs::remove_file(&path).expect("a file");
    }
}
