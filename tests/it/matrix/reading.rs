//! Reading writes nothing, so that databases may lie where nobody may write; and games are read
//! alone as with others.

use std::{collections::BTreeMap, fs, path::PathBuf, time::SystemTime};

use tabiya::{ErrorKind, GameId};

use super::base::{Base, Kind, all_games, convert, found, verified};

type Seen = BTreeMap<PathBuf, (SystemTime, Option<Vec<u8>>)>;

/// Returns what a folder holds, with what is in its folders.
fn seen(base: &Base) -> Seen {
    let mut seen = Seen::new();
    let mut folders = vec![base.folder().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let changed = path.metadata().unwrap().modified().unwrap();
            folders.extend(path.is_dir().then(|| path.clone()));
            let bytes = path.is_file().then(|| fs::read(&path).unwrap());
            seen.insert(path, (changed, bytes));
        }
        let changed = folder.metadata().unwrap().modified().unwrap();
        seen.insert(folder, (changed, None));
    }
    seen
}

fn set_read_only(base: &Base, is_read_only: bool) {
    for path in seen(base).keys().rev() {
        let mut permissions = path.metadata().unwrap().permissions();
        #[cfg(unix)]
        std::os::unix::fs::PermissionsExt::set_mode(
            &mut permissions,
            match (is_read_only, path.is_dir()) {
                (true, true) => 0o555,
                (true, false) => 0o444,
                (false, _) => 0o755,
            },
        );
        #[cfg(not(unix))]
        permissions.set_readonly(is_read_only);
        fs::set_permissions(path, permissions).unwrap();
    }
}

#[test]
fn databases_are_read_searched_verified_and_converted_where_nothing_may_be_written() {
    for kind in Kind::ALL {
        let base = Base::three(kind);
        set_read_only(&base, true);
        let before = seen(&base);
        for database in [base.open(), tabiya::Database::open(base.path()).unwrap()] {
            assert_eq!(all_games(&database).len(), 3, "{kind:?}");
            assert!(database.notes().is_empty(), "{:?}", database.notes());
            assert_eq!(found(&database, "played:c4"), [1, 2], "{kind:?}");
            assert_eq!(verified(&database).damaged, 0, "{kind:?}");
        }
        let elsewhere = tempfile::tempdir().unwrap();
        let done = convert(&base.path(), &elsewhere.path().join("copy.si5"));
        assert_eq!((done.games, done.skipped), (3, 0), "{kind:?}");
        assert!(seen(&base) == before, "{kind:?}");
        set_read_only(&base, false);
    }
}

#[test]
fn headers_of_many_games_are_those_of_each() {
    for kind in Kind::ALL {
        let database = Base::three(kind).open();
        let games = [2, 0, 1, 2].map(GameId);
        let each = games.map(|game| database.keys(game).unwrap());
        let many = database.keys_of(games.into_iter(), Clone::clone).unwrap();
        assert_eq!(many, each, "{kind:?}");
        let error = database.keys_of([GameId(0), GameId(3)].into_iter(), |_| ());
        let absent = ErrorKind::NoSuchGame {
            number: 4,
            first: 1,
            last: 3,
        };
        assert_eq!(error.unwrap_err().kind(), &absent, "{kind:?}");
    }
}
