//! Leftovers of killed processes are removed; files in use or of others are not.

use std::fs::{self, File};

use super::{database_of, files_in, folder_of_files, write};
use tabiya::{Database, finish_replacement, format::Overwrite};
use tabiya_formats::publish::{Target, Temporary, commit::Commit};

#[test]
fn only_abandoned_files_of_our_own_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let others = [
        ".tabiya-AbCdEf.old",
        ".tabiya-AbCdE.tmp",
        ".tabiya-AbCdE-.tmp",
        ".tabiya-AbCdEfG.tmp",
        "tabiya-AbCdEf.tmp",
        ".tabiya-AbCdEf.tmp.bak",
        ".other-AbCdEf.tmp",
    ];
    for name in others.into_iter().chain([".tabiya-AbCdEf.tmp"]) {
        fs::write(path(name), name).unwrap();
    }
    fs::create_dir(path(".tabiya-folder.tmp")).unwrap();
    let living = Temporary::create_in(folder.path()).unwrap();
    Target::for_file(&path("new.pgn"), Overwrite::Refuse).unwrap();
    assert!(others.into_iter().all(|name| path(name).exists()));
    assert!(!path(".tabiya-AbCdEf.tmp").exists());
    assert!(path(".tabiya-folder.tmp").exists() && living.path().exists());
}

/// A file at the end of a symbolic link belongs to somebody else.
#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (link, file) = (
        folder.path().join(".tabiya-AbCdEf.tmp"),
        folder.path().join("a"),
    );
    fs::write(&file, "a").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    Target::for_file(&folder.path().join("new.pgn"), Overwrite::Refuse).unwrap();
    assert!(link.symlink_metadata().is_ok() && file.exists());
}

#[test]
fn what_a_record_names_is_not_removed_by_who_writes_another_database() {
    let folder = folder_of_files(&database_of(1, "si4"));
    let family = &["si4", "sg4", "sn4"];
    let all = folder.path().join("all.si4");
    let target = Target::for_path(&all, family, Overwrite::Replace).unwrap();
    let mut files = Vec::new();
    for suffix in ["sg4", "sn4", "si4"] {
        let mut file = target.temporary().unwrap();
        file.keep();
        files.push((file, suffix));
    }
    let commit = Commit::new(&folder.path().join("all"), family, &files).unwrap();
    fs::write(folder.path().join(".all.tabiya-commit"), commit.to_text()).unwrap();
    drop(files);
    let before = files_in(folder.path());
    assert_eq!(before.len(), 7);
    write(&folder.path().join("b.pgn"), 1, Overwrite::Refuse).unwrap();
    let mut after = files_in(folder.path());
    after.remove("b.pgn");
    assert_eq!(after, before);
    // Nothing has been renamed, so the old database stays and the new files go.
    write(&folder.path().join("all.si4"), 1, Overwrite::Refuse).unwrap_err();
    assert_eq!(files_in(folder.path()).len(), 4);
}

#[test]
fn two_writers_of_one_database_never_mix_their_files() {
    let (one, two) = (database_of(1, "cbh"), database_of(2, "cbh"));
    let folder = folder_of_files(&one);
    let target = folder.path().join("all.cbh");
    for _ in 0..10 {
        std::thread::scope(|scope| {
            for times in [1, 2, 1, 2] {
                let target = &target;
                scope.spawn(move || write(target, times, Overwrite::Replace).unwrap());
            }
        });
        let found = files_in(folder.path());
        assert!(found == one || found == two);
    }
}

#[test]
fn who_finishes_waits_for_a_living_process_and_who_reads_does_not() {
    let folder = folder_of_files(&database_of(1, "si4"));
    let (path, record) = (
        folder.path().join("all.sg4"),
        folder.path().join(".all.tabiya-commit"),
    );
    let locked = File::create(&record).unwrap();
    locked.lock().unwrap();
    assert_eq!(Database::open(&path).unwrap().notes().len(), 1);
    std::thread::scope(|scope| {
        let finishing = scope.spawn(|| finish_replacement(&path));
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(!finishing.is_finished());
        fs::remove_file(&record).unwrap();
        drop(locked);
        assert!(!finishing.join().unwrap().unwrap());
    });
}
