//! Each step of writing fails in turn, alone or with all following steps.

use std::{io, ops::Range, path::Path};

use super::{Files, database_of, files_in, folder_of_files};
use tabiya::{
    Database, Error, ErrorKind, OpenOptions, SidecarOptions, finish_replacement, format::Overwrite,
};
use tabiya_formats::publish::faults;

const SUFFIXES: [&str; 7] = ["si4", "si5", "cbh", "2cbh", "dci", "binpack", "pgn"];

/// What is written, over which old files.
pub(super) struct Writing<'w> {
    pub(super) old: &'w Files,
    pub(super) new: &'w Files,
    pub(super) write: &'w dyn Fn(&Path) -> Result<(), Error>,
    /// Finishes the replacement and opens the database.
    pub(super) open: &'w dyn Fn(&Path),
}

impl Writing<'_> {
    /// Makes every step fail.
    pub(super) fn fails_at_every_step(&self) {
        let folder = folder_of_files(self.old);
        let (written, steps) =
            faults::during(0..0, io::ErrorKind::Other, || (self.write)(folder.path()));
        written.unwrap();
        assert_eq!(files_in(folder.path()), *self.new);
        assert!(steps > 4, "{steps}");
        for step in 0..steps {
            self.fails_once(step);
            self.fails_from(step);
        }
    }

    fn failing(&self, folder: &Path, steps: Range<usize>, kind: io::ErrorKind) -> bool {
        let (written, _) = faults::during(steps, kind, || (self.write)(folder));
        let Err(error) = &written else {
            return false;
        };
        assert!(matches!(error.kind(), ErrorKind::Io { .. }), "{error}");
        assert!(error.path().is_some(), "{error}");
        let cause = io::Error::from(kind).to_string();
        assert!(error.to_string().contains(&cause), "{error}");
        true
    }

    /// After one failure everything is as before.
    fn fails_once(&self, step: usize) {
        let folder = folder_of_files(self.old);
        let failed = self.failing(folder.path(), step..step + 1, io::ErrorKind::StorageFull);
        if failed {
            assert_eq!(files_in(folder.path()), *self.old, "step {step}");
            return;
        }
        // Only the removal of replaced files may be left for later.
        (self.open)(folder.path());
        assert_eq!(files_in(folder.path()), *self.new, "step {step}");
    }

    /// If even undoing the renames fails, the replacement can be finished later.
    fn fails_from(&self, step: usize) {
        let folder = folder_of_files(self.old);
        let kind = io::ErrorKind::ReadOnlyFilesystem;
        self.failing(folder.path(), step..usize::MAX, kind);
        (self.open)(folder.path());
        let found = files_in(folder.path());
        assert!(found == *self.old || found == *self.new, "step {step}");
        (self.write)(folder.path()).unwrap();
        assert_eq!(files_in(folder.path()), *self.new, "step {step}");
    }
}

/// Replaces a database by one with twice as many games.
fn replacing_fails_at_every_step(suffix: &str) {
    let target = |folder: &Path| folder.join("all").with_extension(suffix);
    Writing {
        old: &database_of(1, suffix),
        new: &database_of(2, suffix),
        write: &|folder| super::write(&target(folder), 2, Overwrite::Replace).map(drop),
        open: &|folder| {
            finish_replacement(target(folder)).unwrap();
            assert!(!Database::open(target(folder)).unwrap().is_empty());
        },
    }
    .fails_at_every_step();
}

#[test]
fn a_database_that_cannot_be_replaced_stays_at_whichever_step_that_fails() {
    SUFFIXES.into_iter().for_each(replacing_fails_at_every_step);
}

/// Search boosters are not written; old ones would be about other games.
#[test]
fn the_boosters_of_a_replaced_database_are_removed_or_everything_stays() {
    let boosters = ["cbb", "cit", "cib", "cit2", "cib2"].map(|suffix| format!("all.{suffix}"));
    let mut old = database_of(1, "cbh");
    assert!(!boosters.iter().any(|name| old.contains_key(name)));
    old.extend(boosters.map(|name| (name, b"of the old games".to_vec())));
    let target = |folder: &Path| folder.join("all.cbh");
    Writing {
        old: &old,
        new: &database_of(2, "cbh"),
        write: &|folder| super::write(&target(folder), 2, Overwrite::Replace).map(drop),
        open: &|folder| {
            finish_replacement(target(folder)).unwrap();
            assert!(!Database::open(target(folder)).unwrap().is_empty());
        },
    }
    .fails_at_every_step();
}

#[test]
fn of_a_new_database_that_cannot_be_written_nothing_is_left() {
    for suffix in SUFFIXES {
        let target = |folder: &Path| folder.join("all").with_extension(suffix);
        Writing {
            old: &Files::new(),
            new: &database_of(1, suffix),
            write: &|folder| super::write(&target(folder), 1, Overwrite::Replace).map(drop),
            // The database may exist or not.
            open: &|folder| {
                finish_replacement(target(folder)).unwrap();
            },
        }
        .fails_at_every_step();
    }
}

#[test]
fn a_sidecar_that_cannot_be_replaced_stays_at_whichever_step_that_fails() {
    let database = database_of(1, "si4");
    let mut old = database.clone();
    old.insert("all.tabiya".to_owned(), b"an old one".to_vec());
    let write = |folder: &Path| {
        let options = OpenOptions::new().sidecar(false);
        let database = options.open(folder.join("all.si4"))?;
        let made = SidecarOptions::new().columns(true);
        made.build(&database).map(drop)
    };
    let sidecar_is_old = |folder: &Path| files_in(folder) == old;
    let folder = folder_of_files(&old);
    let (written, steps) = faults::during(0..0, io::ErrorKind::Other, || write(folder.path()));
    written.unwrap();
    assert!(!sidecar_is_old(folder.path()));
    for step in 0..steps {
        let folder = folder_of_files(&old);
        let failing = step..step + 1;
        let kind = io::ErrorKind::StorageFull;
        let (written, _) = faults::during(failing, kind, || write(folder.path()));
        match written {
            Err(error) => {
                assert!(sidecar_is_old(folder.path()), "step {step}");
                assert_eq!(error.path().unwrap().extension().unwrap(), "tabiya");
            }
            Ok(()) => {
                let database = Database::open(folder.path().join("all.si4")).unwrap();
                assert!(database.sidecar().is_some(), "step {step}");
                assert_eq!(files_in(folder.path()).len(), old.len());
            }
        }
    }
}
