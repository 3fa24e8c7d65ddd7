//! A database is changed where it lies: all of a change is made, or nothing.

use std::{fs, io, path::Path, thread};

use super::{Files, database_of, empty_folder, every_step::Writing, files_in, folder_of_files};
use tabiya::{
    ConvertOptions, Database, Error, ErrorKind, OpenOptions, Progress, Query, Search,
    SidecarOptions, add, convert, finish_replacement, format::Overwrite, purge, undo,
};
use tabiya_formats::{
    publish::faults,
    scid4::write::{Edition, Properties, Writer},
};

const SUFFIXES: [&str; 6] = ["si4", "si5", "dci", "pgn", "cbh", "2cbh"];
const GAME: &str = "[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n";

fn base_in(folder: &Path, suffix: &str) -> std::path::PathBuf {
    folder.join("all").with_extension(suffix)
}

/// Adds this many games of a small PGN file.
fn add_games(folder: &Path, suffix: &str, games: usize) -> Result<(), Error> {
    let source = tempfile::tempdir().unwrap();
    let source = source.path().join("source.pgn");
    fs::write(&source, GAME.repeat(games)).unwrap();
    let base = base_in(folder, suffix);
    add(&[source], &base, ConvertOptions::new(), Progress::ignore).map(drop)
}

/// All files but what is kept for taking the change back.
/// Returns the files; on Windows without those that were moved out of the way while they were open,
/// which stay until they are swept.
fn files_but_swept(folder: &Path) -> Files {
    let mut files = files_in(folder);
    files.retain(|name, _| !(cfg!(windows) && name.ends_with(".tmp")));
    files
}

fn without_undo(folder: &Path) -> Files {
    let mut files = files_but_swept(folder);
    files.retain(|name, _| !name.ends_with("tabiya-undo"));
    files
}

fn remove_undo(folder: &Path) {
    for name in files_in(folder)
        .keys()
        .filter(|name| name.ends_with("tabiya-undo"))
    {
        fs::remove_file(folder.join(name)).unwrap();
    }
}

#[test]
fn games_are_added_or_none_at_whichever_step_it_fails() {
    for suffix in SUFFIXES {
        Writing {
            old: &database_of(1, suffix),
            new: &database_of(3, suffix),
            write: &|folder| {
                let base = base_in(folder, suffix);
                if Database::open(&base).is_ok_and(|base| base.len() == 3) {
                    return Ok(());
                }
                add_games(folder, suffix, 2)?;
                remove_undo(folder);
                Ok(())
            },
            open: &|folder| {
                finish_replacement(base_in(folder, suffix)).unwrap();
                assert!(!Database::open(base_in(folder, suffix)).unwrap().is_empty());
            },
        }
        .fails_at_every_step();
    }
}

#[test]
fn adding_no_games_changes_nothing_and_keeps_the_undo() {
    for suffix in SUFFIXES {
        let old = database_of(1, suffix);
        let folder = folder_of_files(&old);
        let folder = folder.path();
        add_games(folder, suffix, 2).unwrap();
        let base = base_in(folder, suffix);
        let changed = files_in(folder);
        let nobody: Query = "white:nobody".parse().unwrap();
        let none = ConvertOptions::new().search(Search::new(&nobody));
        let source = [base_in(folder, suffix)];
        let added = add(&source, &base, none, Progress::ignore).unwrap();
        assert_eq!((added.games, added.unmatched), (0, 3), "{suffix}");
        assert!(files_in(folder) == changed, "{suffix}");
        assert!(undo(&base, Progress::ignore).unwrap(), "{suffix}");
        assert!(files_in(folder) == old, "{suffix}");
    }
}

#[test]
fn an_edit_of_nothing_changes_nothing_and_keeps_the_undo() {
    for suffix in ["si4", "si5", "pgn", "cbh", "2cbh"] {
        let old = database_of(2, suffix);
        let folder = folder_of_files(&old);
        let base = base_in(folder.path(), suffix);
        let edit = |name: &str, value: &str| {
            let edit = tabiya::Edit::new().set(name, value).unwrap();
            edit.run(&base, None, Progress::ignore).unwrap().games
        };
        assert_eq!(edit("tag.Annotator", "Ann"), 2, "{suffix}");
        let changed = files_in(folder.path());
        assert_eq!(edit("tag.Annotator", "Ann"), 0, "{suffix}");
        assert_eq!(edit("tag.Nothing", ""), 0, "{suffix}");
        assert!(files_in(folder.path()) == changed, "{suffix}");
        assert!(undo(&base, Progress::ignore).unwrap(), "{suffix}");
        assert!(files_in(folder.path()) == old, "{suffix}");
    }
}

#[test]
fn undoing_fails_at_every_step_and_can_be_finished() {
    for suffix in SUFFIXES {
        let (old, new) = (database_of(1, suffix), database_of(3, suffix));
        let mut step = 0;
        loop {
            let folder = folder_of_files(&old);
            add_games(folder.path(), suffix, 2).unwrap();
            let base = base_in(folder.path(), suffix);
            let kind = io::ErrorKind::StorageFull;
            let (undone, steps) =
                faults::during(step..usize::MAX, kind, || undo(&base, Progress::ignore));
            if step >= steps {
                assert!(undone.unwrap());
                break;
            }
            finish_replacement(&base).unwrap();
            let found = without_undo(folder.path());
            assert!(found == old || found == new, "{suffix}, step {step}");
            if found == new {
                assert!(
                    undo(&base, Progress::ignore).unwrap(),
                    "{suffix}, step {step}"
                );
            }
            let left = files_but_swept(folder.path());
            assert_eq!(left, old, "{suffix}, step {step}");
            step += 1;
        }
    }
}

#[test]
fn adding_writes_the_bytes_that_converting_both_writes() {
    let folder = empty_folder();
    let famous = ["fixtures/famous.pgn".into()];
    for suffix in SUFFIXES {
        let (base, whole) = (base_in(folder.path(), suffix), folder.path().join("whole"));
        let whole = whole.with_extension(suffix);
        convert(&famous, &base, Overwrite::Refuse, Progress::ignore).unwrap();
        for _ in 0..2 {
            let options = ConvertOptions::new();
            let added = add(&famous, &base, options, Progress::ignore).unwrap();
            assert_eq!(added.games, 91);
        }
        let thrice = [&famous[..]; 3].concat();
        convert(&thrice, &whole, Overwrite::Refuse, Progress::ignore).unwrap();
        let files = without_undo(folder.path());
        for (name, bytes) in files.iter().filter(|(name, _)| name.starts_with("all.")) {
            assert!(files[&name.replace("all.", "whole.")] == *bytes, "{name}");
        }
    }
}

#[test]
fn what_was_before_a_change_can_be_had_again_once() {
    for suffix in SUFFIXES {
        let old = database_of(2, suffix);
        let folder = folder_of_files(&old);
        let base = base_in(folder.path(), suffix);
        assert!(!undo(&base, Progress::ignore).unwrap());
        add_games(folder.path(), suffix, 1).unwrap();
        let once = without_undo(folder.path());
        add_games(folder.path(), suffix, 1).unwrap();
        assert!(undo(&base, Progress::ignore).unwrap());
        assert_eq!(files_in(folder.path()), once, "{suffix}");
        assert!(!undo(&base, Progress::ignore).unwrap());
    }
}

#[test]
fn a_change_is_not_undone_when_others_wrote_since() {
    let folder = folder_of_files(&database_of(2, "si4"));
    add_games(folder.path(), "si4", 1).unwrap();
    let games = folder.path().join("all.sg4");
    let mut bytes = fs::read(&games).unwrap();
    bytes.push(0);
    fs::write(&games, bytes).unwrap();
    let before = files_in(folder.path());
    let error = undo(&base_in(folder.path(), "si4"), Progress::ignore).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Changed { .. }), "{error}");
    assert_eq!(files_in(folder.path()), before);
}

#[test]
fn a_failed_change_leaves_the_undo_of_the_one_before() {
    for suffix in SUFFIXES {
        let old = database_of(1, suffix);
        for is_killed in [false, true] {
            let (mut step, mut is_done) = (0, false);
            while !is_done {
                let folder = folder_of_files(&old);
                let base = base_in(folder.path(), suffix);
                add_games(folder.path(), suffix, 1).unwrap();
                let once = files_in(folder.path());
                let steps = step..if is_killed { usize::MAX } else { step + 1 };
                let add = || add_games(folder.path(), suffix, 2);
                let (added, taken) = faults::during(steps, io::ErrorKind::StorageFull, add);
                finish_replacement(&base).unwrap();
                if added.is_err() && files_in(folder.path()) == once {
                    assert!(
                        undo(&base, Progress::ignore).unwrap(),
                        "{suffix}, step {step}"
                    );
                    assert_eq!(files_in(folder.path()), old, "{suffix}, step {step}");
                }
                (step, is_done) = (step + 1, step >= taken);
            }
        }
    }
}

#[test]
fn what_others_wrote_after_a_kill_is_not_taken_back() {
    for suffix in SUFFIXES {
        let old = database_of(1, suffix);
        let (mut step, mut refused) = (0, 0);
        for others in [2, 7] {
            let others = database_of(others, suffix);
            loop {
                let folder = folder_of_files(&old);
                let base = base_in(folder.path(), suffix);
                let add = || add_games(folder.path(), suffix, 3);
                let (added, _) = faults::during(step..usize::MAX, io::ErrorKind::Other, add);
                if added.is_ok() {
                    break;
                }
                step += 1;
                let is_begun = |error: Error| matches!(error.kind(), ErrorKind::Unfinished { .. });
                if !Database::open(&base).is_err_and(is_begun) {
                    continue;
                }
                refused += 1;
                for (name, content) in &others {
                    fs::write(folder.path().join(name), content).unwrap();
                }
                let before = files_in(folder.path());
                let error = add_games(folder.path(), suffix, 1).unwrap_err();
                let record = error.path().unwrap().to_owned();
                assert!(record.to_string_lossy().ends_with(".tabiya-commit"));
                assert!(error.to_string().contains("another program"), "{error}");
                assert!(files_in(folder.path()) == before, "{suffix}, step {step}");
                fs::remove_file(record).unwrap();
                assert!(Database::open(&base).unwrap().len() > 1);
            }
            assert!(refused > 2, "{suffix}");
            (step, refused) = (0, 0);
        }
    }
}

#[test]
fn undo_takes_no_change_of_another_format_back() {
    let formats = ["si4", "si5", "cbh", "2cbh", "dci"];
    for (suffix, other) in formats.into_iter().zip(formats.into_iter().cycle().skip(1)) {
        let mut files = database_of(1, suffix);
        files.extend(database_of(1, other));
        let folder = folder_of_files(&files);
        add_games(folder.path(), suffix, 1).unwrap();
        add_games(folder.path(), other, 1).unwrap();
        let changed = files_in(folder.path());
        let wrong = undo(&base_in(folder.path(), suffix), Progress::ignore);
        let error = wrong.expect_err(suffix);
        let name = format!("all.{other}");
        let expected = ErrorKind::OtherDatabase { name };
        assert_eq!(*error.kind(), expected, "{error}");
        assert!(files_in(folder.path()) == changed, "{suffix}");
        assert!(undo(&base_in(folder.path(), other), Progress::ignore).unwrap());
        assert_eq!(
            Database::open(base_in(folder.path(), suffix))
                .unwrap()
                .len(),
            2
        );
        assert_eq!(
            Database::open(base_in(folder.path(), other)).unwrap().len(),
            1
        );
    }
}

#[test]
fn a_damaged_list_of_old_content_changes_nothing() {
    let folder = folder_of_files(&database_of(2, "si4"));
    add_games(folder.path(), "si4", 1).unwrap();
    let list = folder.path().join("all.tabiya-undo");
    let sound = fs::read(&list).unwrap();
    for at in 0..sound.len() {
        for damaged in [sound[..at].to_vec(), {
            let mut flipped = sound.clone();
            flipped[at] ^= 0x81;
            flipped
        }] {
            fs::write(&list, damaged).unwrap();
            let before = files_in(folder.path());
            undo(&base_in(folder.path(), "si4"), Progress::ignore).unwrap_err();
            assert_eq!(files_in(folder.path()), before, "{at}");
        }
    }
}

#[test]
fn a_half_changed_database_is_not_read_but_taken_back() {
    let old = database_of(1, "si5");
    let is_half_changed = |folder: &Path| {
        let opened = Database::open(base_in(folder, "si5"));
        opened.is_err_and(|error| matches!(error.kind(), ErrorKind::Unfinished { .. }))
    };
    let mut seen = 0;
    for step in 0.. {
        let folder = folder_of_files(&old);
        let kind = io::ErrorKind::StorageFull;
        let failing = step..usize::MAX;
        let (_, steps) = faults::during(failing, kind, || add_games(folder.path(), "si5", 2));
        if step >= steps {
            break;
        }
        let half = is_half_changed(folder.path());
        seen += usize::from(half);
        if !half {
            Database::open(base_in(folder.path(), "si5")).unwrap();
        }
        finish_replacement(base_in(folder.path(), "si5")).unwrap();
        assert!(!is_half_changed(folder.path()));
    }
    assert!(seen > 3, "{seen}");
}

#[cfg(target_os = "linux")]
#[test]
fn files_named_in_capitals_are_changed_too() {
    let folder = folder_of_files(&database_of(1, "si4"));
    let old = files_in(folder.path());
    for name in old.keys() {
        let capitals = name.replace("all.s", "ALL.S").to_uppercase();
        fs::rename(folder.path().join(name), folder.path().join(capitals)).unwrap();
    }
    let base = folder.path().join("ALL.SI4");
    let source = tempfile::tempdir().unwrap();
    let source = source.path().join("source.pgn");
    fs::write(&source, GAME).unwrap();
    add(&[source], &base, ConvertOptions::new(), Progress::ignore).unwrap();
    assert_eq!(Database::open(&base).unwrap().len(), 2);
    assert!(undo(&base, Progress::ignore).unwrap());
    assert_eq!(files_in(folder.path()).len(), old.len());
}

#[test]
fn two_who_add_at_once_both_do() {
    let folder = folder_of_files(&database_of(1, "si5"));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| add_games(folder.path(), "si5", 3).unwrap());
        }
    });
    let base = base_in(folder.path(), "si5");
    assert_eq!(Database::open(base).unwrap().len(), 13);
}

#[test]
fn damaged_databases_get_no_games_and_stay() {
    for (name, suffix, cut) in [
        ("all.si4", "si4", 3),
        ("all.sn4", "si4", 2),
        ("all.sg4", "si4", 1),
        ("all.si5", "si5", 3),
        ("all.sg5", "si5", 1),
        ("all.dci", "dci", 3),
        ("all.dcg", "dci", 1),
        ("all.cbg", "cbh", 1),
        ("all.2cbg", "2cbh", 1),
    ] {
        let mut files = database_of(3, suffix);
        let bytes = files.get_mut(name).unwrap();
        bytes.truncate(bytes.len() - cut);
        let folder = folder_of_files(&files);
        let error = add_games(folder.path(), suffix, 1).expect_err(name);
        assert!(error.is_of_game() || error.path().is_some(), "{error}");
        assert_eq!(files_in(folder.path()), files, "{name}: {error}");
    }
}

/// A game with names, an annotator and a comment of its own.
fn add_named(base: &Path, name: &str) -> Result<u64, Error> {
    let source = tempfile::tempdir().unwrap();
    let source = source.path().join("source.pgn");
    let tags = ["Event", "Site", "White", "Black", "Annotator"];
    let tags = tags
        .map(|tag| format!("[{tag} \"{tag} {name}\"]\n"))
        .concat();
    fs::write(&source, format!("{tags}\n1. e4 {{{name}}} *\n\n")).unwrap();
    let added = add(&[source], base, ConvertOptions::new(), Progress::ignore)?;
    Ok(added.games)
}

#[test]
fn old_games_get_no_names_or_comments_of_new_ones() {
    for (suffix, names) in [
        ("si4", &["sn4"][..]),
        ("si5", &["sn5"]),
        ("dci", &["dcn", "dcs", "dce"]),
        ("cbh", &["cbp", "cbt", "cbc", "cba"]),
        ("2cbh", &["2lid", "2cba"]),
    ] {
        let folder = folder_of_files(&database_of(1, suffix));
        let base = base_in(folder.path(), suffix);
        let older = files_in(folder.path());
        add_named(&base, "one").unwrap();
        remove_undo(folder.path());
        let whole = files_in(folder.path());
        for name in names {
            let name = format!("all.{name}");
            let zeros = vec![0; whole[&name].len()];
            for content in [older[&name].clone(), zeros.clone(), Vec::new()] {
                fs::write(folder.path().join(&name), &content).unwrap();
                let damaged = files_in(folder.path());
                let error = add_named(&base, "two").expect_err(&name);
                let place = error.path().unwrap().parent();
                assert_eq!(place, Some(folder.path()), "{error}");
                let marked = tabiya::Edit::new().flag("deleted", true).unwrap();
                let marked = marked.run(&base, None, Progress::ignore);
                // A mark adds nothing to annotations, wherever they end.
                if content == zeros && name.ends_with("cba") {
                    assert_eq!(marked.unwrap().games, 2, "{name}");
                    assert!(undo(&base, Progress::ignore).unwrap(), "{name}");
                } else {
                    marked.expect_err(&name);
                }
                assert!(files_in(folder.path()) == damaged, "{name}: {error}");
            }
            fs::write(folder.path().join(&name), &whole[&name]).unwrap();
        }
        assert_eq!(add_named(&base, "two").unwrap(), 1, "{suffix}");
    }
}

#[test]
fn a_sidecar_is_as_if_made_anew_after_games_were_added() {
    for suffix in SUFFIXES {
        let folder = folder_of_files(&database_of(2, suffix));
        let base = base_in(folder.path(), suffix);
        let sidecar = base.with_extension("tabiya");
        let make = |columns| {
            let database = OpenOptions::new().sidecar(false).open(&base).unwrap();
            let options = SidecarOptions::new().columns(columns);
            options.build(&database).unwrap();
            fs::read(&sidecar).unwrap()
        };
        for columns in [false, true] {
            make(columns);
            add_games(folder.path(), suffix, 2).unwrap();
            assert!(Database::open(&base).unwrap().sidecar().is_some());
            let added = fs::read(&sidecar).unwrap();
            assert!(added == make(columns), "{suffix}");
            assert!(undo(&base, Progress::ignore).unwrap());
            assert!(Database::open(&base).unwrap().sidecar().is_some());
        }
    }
}

#[test]
fn a_scid_database_written_anew_keeps_its_properties() {
    for edition in [Edition::Si4, Edition::Si5] {
        let folder = empty_folder();
        let [suffix, ..] = *edition.suffixes();
        let base = base_in(folder.path(), suffix);
        let mut writer = Writer::create(&base, edition, Overwrite::Refuse).unwrap();
        writer.set_properties(Properties {
            description: "my games".to_owned(),
            kind: 7,
            autoload: 2,
            flag_labels: std::array::from_fn(|index| format!("label {index}")),
        });
        writer.finish().unwrap();
        add_games(folder.path(), suffix, 2).unwrap();
        let properties = || {
            let (index, names) = (base.clone(), base.with_extension("sn5"));
            match edition {
                Edition::Si4 => [
                    &fs::read(index).unwrap()[8..14],
                    &fs::read(&base).unwrap()[17..182],
                ]
                .concat(),
                Edition::Si5 => {
                    let names = fs::read(names).unwrap();
                    let first = names.windows(5).position(|text| text == b"type7").unwrap();
                    let last = names
                        .windows(7)
                        .rposition(|text| text == b"label 5")
                        .unwrap();
                    names[first..last + 7].to_vec()
                }
            }
        };
        let before = properties();
        let query: Query = "black:\"?\"".parse().unwrap();
        let purged = purge(&base, &Search::new(&query), Progress::ignore).unwrap();
        assert_eq!(purged.games, 2);
        assert!(properties() == before, "{suffix}");
        assert_eq!(Database::open(&base).unwrap().description(), "my games");
    }
}
