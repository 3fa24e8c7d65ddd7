//! Another program changes the files of a database that is open.

use std::{
    fs::{self, File, OpenOptions as FileOptions},
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use tabiya::{
    Database, Dedupe, Error, ErrorKind, Flow, OpenOptions, Positions, Query, SamePlayers, Search,
    Sidecar, TreePosition, TreeSearch, convert, format::Overwrite,
};
use tempfile::TempDir;

const FILES: [&str; 3] = ["famous.si4", "famous.sg4", "famous.sn4"];

fn copy() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in FILES {
        let fixture = format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
        fs::copy(fixture, folder.path().join(name)).unwrap();
    }
    folder
}

/// Something that another program does to a file, and what is told of it.
type Change = (&'static str, fn(&PathBuf));

const CHANGES: [Change; 5] = [
    ("it has grown", |path| {
        let mut file = FileOptions::new().append(true).open(path).unwrap();
        file.write_all(&[0; 47]).unwrap();
    }),
    ("it has become shorter", |path| {
        let length = path.metadata().unwrap().len();
        let file = FileOptions::new().write(true).open(path).unwrap();
        file.set_len(length - 47).unwrap();
    }),
    ("it was written to", |path| {
        let later = SystemTime::now() + Duration::from_secs(9);
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(later).unwrap();
    }),
    ("it was replaced by another file", |path| {
        let beside = path.with_extension("new");
        fs::copy(path, &beside).unwrap();
        fs::rename(beside, path).unwrap();
    }),
    ("it is gone", |path| fs::remove_file(path).unwrap()),
];

fn is_told(result: tabiya::Result<()>, how: &str, path: &Path) {
    let error: Error = result.expect_err(how);
    assert_eq!(error.kind(), &ErrorKind::Changed { how: told(how) });
    assert_eq!(error.path(), Some(path));
}

/// Returns the same words as the library's.
fn told(how: &str) -> &'static str {
    let all = CHANGES.iter().map(|change| change.0);
    all.into_iter().find(|&change| change == how).unwrap()
}

#[test]
fn every_change_of_every_file_is_told_at_the_next_call() {
    for name in FILES {
        for (how, change) in CHANGES {
            // Windows lets nobody do anything else to a file that is mapped.
            if cfg!(windows) && !["it has grown", "it was written to"].contains(&how) {
                continue;
            }
            let folder = copy();
            let path = folder.path().join(name);
            let database = Database::open(folder.path().join("famous.si4")).unwrap();
            let query: Query = "piece:Qh5".parse().unwrap();
            let search = Search::new(&query);
            assert!(search.count(&database).is_ok());
            change(&path);
            is_told(search.count(&database).map(drop), how, &path);
            is_told(search.run(&database).map(drop), how, &path);
            is_told(search.bounds(&database).map(drop), how, &path);
            let position = TreePosition::from_moves("1.e4").unwrap();
            is_told(
                TreeSearch::new(&position).run(&database).map(drop),
                how,
                &path,
            );
            let positions = Positions::from_epd("k7/8/K7/8/8/8/8/8 b - -").unwrap();
            is_told(positions.run(&database).map(drop), how, &path);
            is_told(database.verify().map(drop), how, &path);
            is_told(Sidecar::build(&database).map(drop), how, &path);
            let same = SamePlayers::Exact;
            is_told(database.duplicates(same).map(drop), how, &path);
            is_told(Dedupe::new().run(&[&database]).map(drop), how, &path);
            assert!(!folder.path().join("famous.tabiya").exists());
        }
    }
}

#[test]
fn a_change_during_a_search_is_told_at_its_end() {
    let folder = copy();
    let path = folder.path().join("famous.sg4");
    let database = Database::open(folder.path().join("famous.si4")).unwrap();
    let query: Query = "piece:Qh5".parse().unwrap();
    let mut found = 0;
    let result = Search::new(&query).for_each(&database, |_| {
        found += 1;
        if found == 1 {
            let mut file = FileOptions::new().append(true).open(&path).unwrap();
            file.write_all(b"more").unwrap();
        }
        Flow::Continue(())
    });
    assert!(found > 1);
    is_told(result.map(drop), "it has grown", &path);
}

#[test]
fn a_source_that_changes_while_it_is_converted_gives_no_database() {
    let folder = copy();
    let path = folder.path().join("famous.si4");
    let target = folder.path().join("new.si4");
    let mut file = FileOptions::new()
        .append(true)
        .open(folder.path().join("famous.sg4"))
        .unwrap();
    let mut calls = 0;
    // Progress is told after 1 024 games.
    let sources = vec![path; 24];
    let result = convert(&sources, &target, Overwrite::Refuse, &mut |_| {
        calls += 1;
        if calls == 1 {
            file.write_all(b"more").unwrap();
        }
        Flow::Continue(())
    });
    assert_eq!(calls, 1);
    let error = result.expect_err("it was changed");
    assert!(matches!(error.kind(), ErrorKind::Changed { .. }), "{error}");
    assert!(!target.exists());
}

#[test]
fn what_was_read_into_memory_stays_what_it_was() {
    let folder = copy();
    let path = folder.path().join("famous.si4");
    let database = OpenOptions::new().in_memory(true).open(&path).unwrap();
    let query: Query = "piece:Qh5".parse().unwrap();
    let before = Search::new(&query).run(&database).unwrap();
    for name in FILES {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let after = Search::new(&query).run(&database).unwrap();
    assert_eq!(before.as_slice(), after.as_slice());
}
