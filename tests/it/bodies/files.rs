//! Formats that are opened by a path.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tabiya::{Database, Error, Flow, OpenOptions, format::Overwrite};
use tempfile::TempDir;

use crate::support::{dice::Dice, game::PlainGame, pool};

/// A folder that goes when it is dropped.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder can be made"))
    }

    /// Returns the folder itself.
    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    /// Returns where a file of this name is, or would be.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).expect("a file can be written");
        path
    }

    /// Returns the files with a stem, by their suffixes, and what they hold.
    pub(crate) fn with_stem(&self, stem: &str) -> Vec<(String, Vec<u8>)> {
        let entries = fs::read_dir(self.0.path()).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let of_stem = paths.filter(|path| path.file_stem().is_some_and(|found| found == stem));
        let mut files: Vec<(String, Vec<u8>)> = of_stem
            .map(|path| {
                let suffix = path.extension().unwrap_or_default().to_string_lossy();
                let bytes = fs::read(&path).expect("a file can be read");
                (suffix.into_owned(), bytes)
            })
            .collect();
        files.sort();
        files
    }
}

/// Opens one file under a name, read into memory.
pub(crate) fn open_file(name: &str, bytes: &[u8], options: OpenOptions) -> Result<Database, Error> {
    let folder = Folder::new();
    options.in_memory(true).open(folder.put(name, bytes))
}

/// Some short games for seeds, with all that games may hold.
pub(crate) fn some_games(seed: u64, games: usize) -> Vec<PlainGame> {
    let mut dice = Dice::new(seed);
    let random = std::iter::repeat_with(|| pool::random_game(&mut dice));
    random
        .filter(|game| (3..50).contains(&game.events.len()))
        .take(games)
        .collect()
}

/// Converts text into the files of a new database of this suffix.
pub(crate) fn converted(pgn: &str, suffix: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Folder::new();
    let source = folder.put("games.pgn", pgn.as_bytes());
    let target = folder.path("new").with_extension(suffix);
    let go_on = &mut |_| Flow::Continue(());
    tabiya::convert(&[source], &target, Overwrite::Refuse, go_on).expect("games can be converted");
    folder.with_stem("new")
}

/// Games of the fixture: a few from each end.
pub(crate) fn famous(games: usize) -> String {
    let text = include_str!("../../../fixtures/famous.pgn");
    let mut starts = text.match_indices("[Event ").map(|(at, _)| at);
    let end = starts.nth(games).unwrap_or(text.len());
    text[..end].to_owned()
}
