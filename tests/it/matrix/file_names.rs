//! Files whose names are no UTF-8.

#![cfg(unix)]

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::ffi::OsStrExt,
    path::PathBuf,
};

use tabiya::{Database, Flow, GameId, SidecarOptions, format::Overwrite};

use super::base::{Base, Kind, all_games, found, games, verified};
use crate::support::game::PlainGame;

/// In the encoding of old systems.
const STEM: &[u8] = b"Z\xfcrich \xff.1";

fn stem() -> &'static OsStr {
    OsStr::from_bytes(STEM)
}

fn base(kind: Kind) -> Base {
    Base::named(kind, &games("own", 3), stem())
}

#[test]
fn databases_open_by_each_of_their_files_and_answer_whatever_they_are_called() {
    for kind in Kind::ALL {
        let base = base(kind);
        let whole = all_games(&Base::three(kind).open());
        let mut paths = vec![base.path()];
        paths.extend(kind.games_file().map(|suffix| base.file(suffix)));
        paths.extend(kind.name_files().iter().map(|suffix| base.file(suffix)));
        if kind.games_file().is_some() {
            paths.push(base.folder().join(stem()));
        }
        for path in paths {
            let database = Database::open(&path).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(all_games(&database), whole, "{kind:?}");
            assert!(database.notes().is_empty(), "{:?}", database.notes());
            assert_eq!(verified(&database).damaged, 0, "{kind:?}");
            assert_eq!(found(&database, "played:c4"), [1, 2], "{kind:?}");
        }
    }
}

#[test]
fn sidecars_are_made_and_used_whatever_their_database_is_called() {
    // What is inside an archive has no place for one.
    let with_place = |kind: &Kind| *kind != Kind::Archive;
    for kind in Kind::ALL.into_iter().filter(with_place) {
        let base = base(kind);
        let database = Database::open(base.path()).unwrap();
        let made = SidecarOptions::new().build(&database);
        made.unwrap_or_else(|error| panic!("{kind:?}: {error}"));
        let database = Database::open(base.path()).unwrap();
        assert!(
            database.sidecar().is_some(),
            "{kind:?}: {:?}",
            database.notes()
        );
        assert_eq!(found(&database, "played:c4"), [1, 2], "{kind:?}");
    }
}

#[test]
fn new_databases_are_written_and_replaced_whatever_they_are_called() {
    for suffix in ["si4", "si5", "cbh", "2cbh", "dci", "binpack", "vf", "pgn"] {
        let base = base(Kind::Pgn);
        let whole = base.open().len();
        let mut name = OsString::from("new ");
        name.push(stem());
        name.push(".");
        name.push(suffix);
        let target = base.folder().join(name);
        for overwrite in [Overwrite::Refuse, Overwrite::Replace] {
            let sources = [base.path()];
            let go_on = &mut |_| Flow::Continue(());
            let done = tabiya::convert(&sources, &target, overwrite, go_on);
            let done = done.unwrap_or_else(|error| panic!("{suffix}: {error}"));
            assert_eq!((done.games, done.skipped), (3, 0), "{suffix}");
            assert_eq!(
                all_games(&Database::open(&target).unwrap()).len(),
                whole as usize
            );
        }
        let is_leftover = |name: &OsStr| name.as_bytes().starts_with(b".");
        let mut entries = fs::read_dir(base.folder()).unwrap();
        assert!(
            entries.all(|entry| !is_leftover(&entry.unwrap().file_name())),
            "{suffix}"
        );
    }
}

#[test]
fn errors_name_files_as_well_as_text_can() {
    for kind in Kind::ALL {
        let (base, missing) = (base(kind), base(kind));
        let gone: PathBuf = missing.path();
        drop(missing);
        let error = Database::open(&gone).unwrap_err();
        assert_eq!(error.path(), Some(&*gone), "{kind:?}");
        assert!(error.to_string().contains("Z\u{fffd}rich"), "{error}");
        if let Some(suffix) = kind.games_file().filter(|_| kind != Kind::JoseFolder) {
            base.change(suffix, |games| games.truncate(12));
            let error = PlainGame::read(&base.open(), GameId(2)).unwrap_err();
            assert_eq!(error.path(), Some(&*base.file(suffix)), "{kind:?}");
            fs::remove_file(base.file(suffix)).unwrap();
            let note = base.open().notes()[0].to_string();
            assert!(
                note.contains("Z\u{fffd}rich") && note.contains(suffix),
                "{note}"
            );
        }
    }
}
