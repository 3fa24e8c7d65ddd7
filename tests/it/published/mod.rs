//! Whatever fails and whenever: either the old files stay or the new ones are in place.

mod changes;
mod every_step;
mod leftovers;
mod records;

use std::{collections::BTreeMap, fs, path::Path};

use tempfile::TempDir;

use tabiya::{Conversion, Error, Flow, convert, format::Overwrite};

/// All files of a folder, including hidden ones, with their bytes.
type Files = BTreeMap<String, Vec<u8>>;

fn files_in(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    };
    entries.map(file).collect()
}

/// Returns an empty folder, in memory if possible: syncing real disks takes long.
fn empty_folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// Returns a folder with exactly these files.
fn folder_of_files(files: &Files) -> TempDir {
    let folder = empty_folder();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

/// Writes a database with this many copies of a game.
fn write(target: &Path, games: usize, overwrite: Overwrite) -> Result<Conversion, Error> {
    let source = tempfile::tempdir().unwrap();
    let source = source.path().join("source.pgn");
    fs::write(
        &source,
        "[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n".repeat(games),
    )
    .unwrap();
    convert(&[source], target, overwrite, &mut |_| Flow::Continue(()))
}

/// Returns the files of a database `all` with this many games.
fn database_of(games: usize, suffix: &str) -> Files {
    let folder = empty_folder();
    let target = folder.path().join("all").with_extension(suffix);
    write(&target, games, Overwrite::Refuse).unwrap();
    files_in(folder.path())
}
