//! Companion files that are missing or belong to another database.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use tabiya::{Database, ErrorKind, GameId};

use super::base::{Base, Kind, all_games, found, games, read_each, verified};
use crate::support::game::PlainGame;

fn with_companions() -> impl Iterator<Item = Kind> {
    let has_some = |kind: &Kind| kind.games_file().is_some();
    Kind::ALL.into_iter().filter(has_some)
}

fn take_file(base: &Base, other: &Base, suffix: &str) {
    fs::copy(other.file(suffix), base.file(suffix)).unwrap();
}

#[test]
fn every_format_is_whole_before_it_is_damaged() {
    for kind in Kind::ALL {
        let base = Base::three(kind);
        let database = base.open();
        assert!(
            database.notes().is_empty(),
            "{kind:?}: {:?}",
            database.notes()
        );
        assert_eq!(all_games(&database).len(), 3, "{kind:?}");
        let verified = verified(&database);
        assert!(verified.notes.is_empty(), "{kind:?}: {:?}", verified.notes);
        assert_eq!(verified.damaged, 0, "{kind:?}");
        if kind.has_sites() {
            assert_eq!(
                found(&database, "white:\"own white 2\" site:\"own site 2\""),
                [2]
            );
        }
        if !kind.is_training() {
            assert_eq!(found(&database, "text:slow"), [2]);
        }
        assert_eq!(found(&database, "played:c4"), [1, 2], "{kind:?}");
    }
}

#[test]
fn names_of_another_database_are_read_as_far_as_they_go_and_moves_stay() {
    for kind in with_companions() {
        let whole = all_games(&Base::three(kind).open());
        for count in [1, 40] {
            let (base, other) = (Base::three(kind), Base::new(kind, &games("other", count)));
            for suffix in kind.name_files() {
                take_file(&base, &other, suffix);
            }
            let database = base.open();
            let read = read_each(&database);
            for (game, whole) in read.iter().zip(&whole) {
                let game = game.as_ref().expect("moves do not depend on names");
                assert_eq!(game.events, whole.events, "{kind:?}");
                for name in [&game.header.white, &game.header.black, &game.header.event] {
                    let is_other = name.starts_with("other ") || name == "?";
                    assert!(is_other || name.is_empty(), "{kind:?}: {name}");
                }
            }
            let unnamed = found(&database, "not white:other");
            assert_eq!(unnamed.is_empty(), count > 3, "{kind:?} {count}");
            assert!(found(&database, "player:own").is_empty(), "{kind:?}");
            let is_told = verified(&database).damaged > 0;
            assert_eq!(is_told, !unnamed.is_empty(), "{kind:?} {count}");
        }
    }
}

#[test]
fn games_of_another_database_are_games_or_damage_and_headers_stay() {
    for kind in with_companions() {
        let whole = all_games(&Base::three(kind).open());
        for count in [1, 40] {
            let (base, other) = (Base::three(kind), Base::new(kind, &games("other", count)));
            take_file(&base, &other, kind.games_file().unwrap());
            let database = base.open();
            let read = read_each(&database);
            // jose counts only games of which it has both halves.
            let expected = if kind == Kind::JoseFolder {
                count.min(3)
            } else {
                3
            };
            assert_eq!(read.len(), expected, "{kind:?}");
            for (id, whole) in database.games().zip(&whole) {
                assert_eq!(database.header(id).unwrap().white, whole.header.white);
            }
            assert_eq!(found(&database, "white:\"own white 1\""), [1], "{kind:?}");
            if count == 1 && kind != Kind::JoseFolder {
                assert!(read[1].is_none() && read[2].is_none(), "{kind:?}");
            }
        }
    }
}

#[test]
fn what_does_not_need_a_missing_file_is_answered_without_it() {
    for kind in with_companions().filter(|&kind| kind != Kind::JoseFolder) {
        let whole = all_games(&Base::three(kind).open());
        let missing = kind.name_files().iter().copied().chain(kind.games_file());
        for suffix in missing {
            let base = Base::three(kind);
            fs::remove_file(base.file(suffix)).unwrap();
            let database = base.open();
            let notes = database.notes();
            assert_eq!(notes.len(), 1, "{kind:?}: {notes:?}");
            assert!(notes[0].to_string().contains(suffix), "{}", notes[0]);
            assert_eq!(found(&database, "number:2"), [2]);
            if Some(suffix) == kind.games_file() {
                let error = PlainGame::read(&database, GameId(0)).unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Missing { .. }), "{error}");
                assert_eq!(found(&database, "white:\"own white 2\""), [2]);
            } else {
                let read = read_each(&database);
                for (read, whole) in read.iter().zip(&whole) {
                    assert_eq!(read.as_ref().unwrap().events, whole.events, "{kind:?}");
                }
                assert_eq!(found(&database, "played:c4"), [1, 2], "{kind:?}");
            }
        }
    }
}

/// Without one of its tables a folder of jose is none: names stand in all of them.
#[test]
fn a_folder_of_jose_without_a_table_is_refused_by_the_name_of_its_file() {
    let kind = Kind::JoseFolder;
    let tables = ["game", "moregame", "player", "event", "site"];
    for table in tables {
        for suffix in ["frm", "MYI", "MYD"] {
            let base = Base::three(kind);
            let file = base.file(&format!("{table}.{suffix}"));
            fs::remove_file(&file).unwrap();
            let error = tabiya::Database::read(base.path()).unwrap_err();
            let is_told = match error.kind() {
                ErrorKind::Missing { file, .. } => {
                    file.eq_ignore_ascii_case(&format!("{table}.{suffix}"))
                }
                // By this file a folder is known for one of jose.
                kind => (table, suffix) == ("game", "MYD") && *kind == ErrorKind::UnknownFormat,
            };
            assert!(is_told, "{error}");
        }
    }
}

/// A pipe, a folder: whoever opened them would wait, or read no file.
#[cfg(unix)]
#[test]
fn nothing_but_an_ordinary_file_is_opened() {
    for kind in [
        Kind::Scid4,
        Kind::Scdb,
        Kind::ChessBase,
        Kind::JoseFolder,
        Kind::Pgn,
    ] {
        let sound = Base::three(kind);
        let mut files: Vec<_> = fs::read_dir(match kind {
            Kind::JoseFolder => sound.path(),
            _ => sound.folder().to_owned(),
        })
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
        files.extend(["base.tabiya".into(), ".base.tabiya-commit".into()]);
        for name in files {
            let base = Base::three(kind);
            let folder = match kind {
                Kind::JoseFolder => base.path(),
                _ => base.folder().to_owned(),
            };
            let _ = fs::remove_file(folder.join(&name));
            let mut command = std::process::Command::new("mkfifo");
            assert!(command.arg(folder.join(&name)).status().unwrap().success());
            let (done, opened) = std::sync::mpsc::channel();
            let path = base.path();
            std::thread::spawn(move || {
                let said = match Database::open(&path) {
                    Ok(database) => format!("{:?}", database.notes()),
                    Err(error) => error.to_string(),
                };
                let _ = done.send(said);
            });
            let said = opened.recv_timeout(std::time::Duration::from_secs(20));
            let said = said.unwrap_or_else(|_| panic!("{kind:?} {name:?}: still opening"));
            assert!(!said.contains("missing"), "{kind:?} {name:?}: {said}");
        }
    }
}

#[test]
fn a_companion_that_cannot_be_opened_is_not_called_missing() {
    for kind in with_companions() {
        let suffix = kind.games_file().unwrap();
        let base = Base::three(kind);
        fs::remove_file(base.file(suffix)).unwrap();
        fs::create_dir(base.file(suffix)).unwrap();
        let error = match Database::open(base.path()) {
            Ok(database) => database.notes()[0].clone(),
            Err(error) => error,
        };
        assert!(
            matches!(error.kind(), ErrorKind::Io { action: "open" }),
            "{kind:?}: {error}"
        );
        assert!(
            error
                .path()
                .unwrap()
                .ends_with(base.file(suffix).file_name().unwrap())
        );
    }
}

/// Returns all files of a folder and of those inside, with bytes and time of change.
fn everything_in(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(everything_in(&path));
        } else {
            let changed = path.metadata().unwrap().modified().unwrap();
            found.insert(path.clone(), (fs::read(&path).unwrap(), changed));
        }
    }
    found
}

#[test]
fn opening_and_reading_change_nothing_also_beside_unfinished_replacements() {
    for kind in Kind::ALL {
        for unfinished in [false, true] {
            let base = Base::three(kind);
            if unfinished {
                let folder = base.folder();
                fs::write(folder.join(".base.tabiya-commit"), "nonsense").unwrap();
                fs::write(folder.join(".tabiya-AbCdEf.tmp"), "new").unwrap();
                fs::write(folder.join(".tabiya-AbCdEf.old"), "old").unwrap();
            }
            let before = everything_in(base.folder());
            let database = Database::open(base.path()).unwrap();
            assert_eq!(read_each(&database).len(), 3, "{kind:?}");
            assert!(!found(&database, "at(ply=1)").is_empty(), "{kind:?}");
            assert_eq!(verified(&database).damaged, 0, "{kind:?}");
            assert!(everything_in(base.folder()) == before, "{kind:?}");
        }
    }
}
