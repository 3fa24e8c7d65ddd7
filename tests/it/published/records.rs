//! A record is trusted only as far as it can do no harm.

use std::{fs, io, path::Path};

use super::{Files, database_of, files_in, folder_of_files, write};
use tabiya::{Database, Error, ErrorKind, finish_replacement, format::Overwrite};
use tabiya_formats::publish::{commit::Commit, faults};

const RECORD: &str = ".all.tabiya-commit";

/// The text of a record with its checksum.
fn record(lines: &[&str]) -> String {
    let header = "tabiya: these files are to be NAME.suffix, in this order; 1";
    let text: String = [&[header], lines]
        .concat()
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    let sum = crc32fast::hash(text.as_bytes());
    format!("{text}{sum:08x}\n")
}

fn sound() -> String {
    record(&[
        ".tabiya-aaaaaa.tmp 3 sg4",
        ".tabiya-bbbbbb.tmp 3 sn4",
        ".tabiya-cccccc.tmp 3 si4",
    ])
}

fn is_read(text: &str) -> bool {
    Commit::of_text(Path::new("all"), text).is_some()
}

#[test]
fn a_record_with_any_byte_changed_or_missing_is_none() {
    let sound = sound();
    assert!(is_read(&sound));
    for at in 0..sound.len() {
        let mut bytes = sound.clone().into_bytes();
        bytes[at] ^= 1;
        assert!(!is_read(&String::from_utf8(bytes).unwrap()), "{at}");
        assert!(!is_read(&sound[..at]), "{at}");
    }
}

#[test]
fn a_record_names_nothing_but_our_own_files_and_its_own_database() {
    let [games, names, index] = [
        ".tabiya-aaaaaa.tmp 3 sg4",
        ".tabiya-bbbbbb.tmp 3 sn4",
        ".tabiya-cccccc.tmp 3 si4",
    ];
    for lines in [
        &[games, names][..],
        &[games, index, names],
        &[games, games, index],
        &[games, names, index, index],
        &["../.tabiya-aaaaaa.tmp 3 sg4", names, index],
        &[".tabiya-aa/aaa.tmp 3 sg4", names, index],
        &["other.sg4 3 sg4", names, index],
        &[".tabiya-aaaaaa.tmp 3 sg5", names, index],
        &[".tabiya-aaaaaa.tmp 3 ../sg4", names, index],
        &[".tabiya-aaaaaa.tmp -3 sg4", names, index],
        &[".tabiya-aaaaaa.tmp 3 sg4 ", names, index],
        &[],
    ] {
        assert!(!is_read(&record(lines)), "{lines:?}");
    }
}

/// Returns the files of a database whose replacement was killed after the old files were moved away
/// and this many of the new ones were renamed.
fn killed_after(old: &Files, new: &Files, named: usize) -> Files {
    let mut files = Files::new();
    let mut lines = Vec::new();
    for (at, suffix) in ["sg4", "sn4", "si4"].into_iter().enumerate() {
        let (name, random) = (format!("all.{suffix}"), ["aaaaaa", "bbbbbb", "cccccc"][at]);
        let temporary = format!(".tabiya-{random}.tmp");
        lines.push(format!("{temporary} {} {suffix}", new[&name].len()));
        files.insert(format!(".tabiya-{random}.old"), old[&name].clone());
        let is_named = at < named;
        files.insert(
            if is_named { name.clone() } else { temporary },
            new[&name].clone(),
        );
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    files.insert(RECORD.to_owned(), record(&lines).into_bytes());
    files
}

/// Readers find the new database, complete, or none and the record that finishes it.
#[test]
fn opening_changes_nothing_and_finishing_ends_what_was_killed() {
    let (old, new) = (database_of(1, "si4"), database_of(2, "si4"));
    for named in 0..4 {
        for path in ["all.si4", "all.sn4", "all"] {
            let files = killed_after(&old, &new, named);
            let folder = folder_of_files(&files);
            let path = folder.path().join(path);
            let opened = Database::open(&path).map(|database| {
                assert!(database.notes()[0].to_string().contains("`tabiya repair`"));
                database.len()
            });
            match opened {
                Ok(games) => assert_eq!((games, named), (2, 3)),
                Err(error) => assert!(error.to_string().contains("`tabiya repair`") && named < 3),
            }
            assert_eq!(files_in(folder.path()), files);
            assert!(finish_replacement(&path).unwrap());
            assert!(!finish_replacement(&path).unwrap());
            let database = Database::open(&path).unwrap();
            assert_eq!((database.len(), database.notes().len()), (2, 0));
            assert_eq!(files_in(folder.path()), new);
        }
    }
}

#[test]
fn who_may_not_finish_is_told_what_is_there() {
    let files = killed_after(&database_of(1, "si4"), &database_of(2, "si4"), 1);
    let folder = folder_of_files(&files);
    let finish = || finish_replacement(folder.path().join("all.si4"));
    let (finished, _) = faults::during(0..usize::MAX, io::ErrorKind::PermissionDenied, finish);
    let told = finished.unwrap_err().to_string();
    let record = folder.path().join(RECORD);
    assert_eq!(
        told,
        format!(
            "{}: this lists files of a database that have yet to get their names: its folder \
             cannot be changed: permission denied",
            record.display()
        )
    );
    assert_eq!(files_in(folder.path()), files);
    assert!(finish().unwrap());
}

#[test]
fn nothing_is_replaced_that_was_put_there_after_the_kill() {
    let (old, new) = (database_of(1, "si4"), database_of(2, "si4"));
    let mut files = killed_after(&old, &new, 1);
    files.insert("all.si4".to_owned(), old["all.si4"].clone());
    let folder = folder_of_files(&files);
    let database = Database::open(folder.path().join("all.si4")).unwrap();
    let is_unfinished = |note: &&Error| matches!(note.kind(), ErrorKind::Unfinished { .. });
    let note = database.notes().iter().find(is_unfinished).unwrap();
    assert_eq!(note.path(), Some(&*folder.path().join(RECORD)));
    finish_replacement(folder.path().join("all.si4")).unwrap_err();
    assert_eq!(files_in(folder.path()), files);
}

#[test]
fn nothing_is_done_when_new_files_are_gone_or_have_changed() {
    let (old, new) = (database_of(1, "si4"), database_of(2, "si4"));
    for change in [None, Some(b"short".to_vec())] {
        let mut files = killed_after(&old, &new, 1);
        files.remove(".tabiya-bbbbbb.tmp");
        files.extend(change.map(|bytes| (".tabiya-bbbbbb.tmp".to_owned(), bytes)));
        let folder = folder_of_files(&files);
        let path = folder.path().join("all.si4");
        let error = Database::open(&path).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Unfinished { .. }),
            "{error}"
        );
        assert!(error.to_string().contains(RECORD), "{error}");
        write(&path, 1, Overwrite::Replace).unwrap_err();
        assert_eq!(files_in(folder.path()), files);
    }
}

#[test]
fn a_damaged_record_is_named_and_keeps_nobody_from_reading() {
    let mut files = database_of(1, "si4");
    files.insert(RECORD.to_owned(), b"nonsense".to_vec());
    let folder = folder_of_files(&files);
    let path = folder.path().join("all.si4");
    let database = Database::open(&path).unwrap();
    assert!(database.notes()[0].to_string().contains(RECORD));
    let error = write(&path, 2, Overwrite::Replace).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
    assert_eq!(error.path(), Some(&*folder.path().join(RECORD)));
    assert_eq!(files_in(folder.path()), files);
    fs::remove_file(folder.path().join(RECORD)).unwrap();
    write(&path, 2, Overwrite::Replace).unwrap();
}
