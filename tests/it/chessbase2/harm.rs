//! A small set, made here, may be cut or changed anywhere: it opens or says why not, whatever is
//! asked of it ends, and games that lie elsewhere are read as before.

use std::{ffi::OsStr, fs, path::PathBuf};

use tabiya::{Database, ErrorKind, GameId, limits::VARIATION_DEPTH_MAX};
use tempfile::TempDir;

use super::damaged::verified;
use crate::{
    bodies::chessbase2::{RECORD_BYTES, frame, made, words},
    support::{
        ask, exercise,
        game::{Event, PlainGame},
    },
};

/// A set in a folder that goes when it is dropped.
struct Made {
    folder: TempDir,
    stem: PathBuf,
}

const SUFFIXES: [(u8, &str); 4] = [
    (b'h', "2cbh"),
    (b'g', "2cbg"),
    (b'a', "2cba"),
    (b'l', "2lid"),
];

impl Made {
    fn new() -> Made {
        Made::named(OsStr::new("set"))
    }

    fn named(stem: &OsStr) -> Made {
        let folder = tempfile::tempdir().unwrap();
        let made_set = Made {
            stem: folder.path().join(stem),
            folder,
        };
        for (letter, bytes) in made() {
            let suffix = SUFFIXES.iter().find(|file| file.0 == letter).unwrap().1;
            fs::write(made_set.file(suffix), bytes).unwrap();
        }
        made_set
    }

    fn file(&self, suffix: &str) -> PathBuf {
        let mut name = self.stem.clone().into_os_string();
        name.push(".");
        name.push(suffix);
        name.into()
    }

    fn open(&self) -> Result<Database, tabiya::Error> {
        Database::read(self.file("2cbh"))
    }

    fn change(&self, suffix: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = fs::read(self.file(suffix)).unwrap();
        change(&mut bytes);
        fs::write(self.file(suffix), bytes).unwrap();
    }
}

fn games(database: &Database) -> Vec<Option<PlainGame>> {
    let games = database.games();
    games
        .map(|game| PlainGame::read(database, game).ok())
        .collect()
}

#[test]
fn a_made_set_of_chessbase_2_is_whole() {
    let set = Made::new();
    let database = set.open().unwrap();
    let verified = verified(&database);
    assert!(verified.notes.is_empty(), "{:?}", verified.notes);
    assert!(
        verified.damaged_games.is_empty(),
        "{:?}",
        verified.damaged_games
    );
    let games = games(&database);
    let first = games[0].as_ref().unwrap();
    assert_eq!(
        (first.header.white.as_str(), first.header.black.as_str()),
        ("Müller, A", "Berg, A")
    );
    let told = super::told(first).join(" ");
    assert!(
        told.contains("e2e4 $1 {good} {[%csl Ge5]} {[%cal Ra1h8]} {[%quote "),
        "{told}"
    );
    assert!(
        told.ends_with("e7e5 ( c7c5 g1f3 ) ( 0000 ) g1f3 b8c6 f1b5 0000"),
        "{told}"
    );
    exercise::whole(&database);
}

#[test]
fn any_harm_to_a_set_of_chessbase_2_is_survived() {
    let set = Made::new();
    let whole = games(&set.open().unwrap());
    let frames = |bytes: &[u8]| -> Vec<usize> {
        let magic = [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
        (0..bytes.len())
            .filter(|&at| bytes[at..].starts_with(&magic))
            .collect()
    };
    for (_, suffix) in SUFFIXES {
        let bytes = fs::read(set.file(suffix)).unwrap();
        let starts = frames(&bytes);
        for at in 0..bytes.len() {
            let hit = starts.iter().rposition(|&start| start <= at);
            for is_cut in [true, false] {
                let mut harmed = bytes.clone();
                if is_cut {
                    harmed.truncate(at);
                } else {
                    harmed[at] ^= [0x55, 0xff, 0x80][at % 3];
                }
                fs::write(set.file(suffix), harmed).unwrap();
                let Ok(database) = set.open() else {
                    continue;
                };
                let found = games(&database);
                let _ = verified(&database);
                let _ = ask::numbers(&database, "at(Q=0 flip)", tabiya::Strategy::Auto, true);
                for (number, (found, whole)) in found.iter().zip(&whole).enumerate() {
                    let is_elsewhere = match (suffix, hit) {
                        ("2cbh", _) => {
                            at >= RECORD_BYTES && at / RECORD_BYTES != number + 1 && !is_cut
                        }
                        ("2cbg", Some(hit)) if is_cut => number < hit,
                        ("2cbg", Some(hit)) => number != hit,
                        ("2cbg", None) => !is_cut,
                        _ => false,
                    };
                    assert!(
                        !is_elsewhere || found == whole,
                        "{suffix} byte {at}: game {number}"
                    );
                }
            }
        }
        fs::write(set.file(suffix), bytes).unwrap();
    }
}

#[test]
fn sets_of_chessbase_2_without_a_file_say_what_they_lack() {
    for (_, suffix) in &SUFFIXES[1..] {
        let set = Made::new();
        fs::remove_file(set.file(suffix)).unwrap();
        let database = set.open().unwrap();
        let notes = database.notes();
        assert!(
            matches!(notes[0].kind(), ErrorKind::Missing { .. }),
            "{suffix}: {notes:?}"
        );
        assert_eq!(games(&database)[0].is_some(), *suffix != "2cbg", "{suffix}");
    }
}

#[test]
fn names_of_another_set_of_chessbase_2_are_read_as_far_as_they_go() {
    let set = Made::new();
    let whole = games(&set.open().unwrap());
    // Of two rounds of names the first is left.
    set.change("2lid", |names| {
        names.truncate(184 + (names.len() - 184) / 2)
    });
    let database = set.open().unwrap();
    for (found, whole) in games(&database).into_iter().zip(whole) {
        let (found, whole) = (found.unwrap(), whole.unwrap());
        assert_eq!(found.events, whole.events);
        assert_eq!(found.header.white, whole.header.white);
        assert_eq!(found.header.black, "?");
    }
    assert_eq!(verified(&database).damaged, 3);
}

#[test]
fn records_of_chessbase_2_that_lead_into_others_cost_only_their_games() {
    let set = Made::new();
    let whole = games(&set.open().unwrap());
    let place = |index: &[u8], record: usize| -> [u8; 8] {
        index[record * RECORD_BYTES + 8..][..8].try_into().unwrap()
    };
    set.change("2cbh", |index| {
        let first = place(index, 1);
        index[2 * RECORD_BYTES + 8..][..8].copy_from_slice(&first);
        index[3 * RECORD_BYTES + 8] = first[0] + 3;
    });
    let found = games(&set.open().unwrap());
    assert_eq!(found[0], whole[0]);
    let moves = |game: &Option<PlainGame>| super::told(game.as_ref().unwrap()).len();
    assert!(moves(&found[1]) > moves(&whole[1]));
    assert_eq!(found[2], None);
    assert_eq!(found[3], whole[3]);
}

#[test]
fn variations_of_chessbase_2_are_followed_to_the_limit_and_no_deeper() {
    const NULL: u16 = 0xfffa;
    const OTHER: u16 = 0xfffd;
    const END: u16 = 0xffff;
    for (depth, is_read) in [
        (VARIATION_DEPTH_MAX, true),
        (VARIATION_DEPTH_MAX + 1, false),
    ] {
        let set = Made::new();
        let mut stream = vec![0xfffc, NULL, OTHER, END];
        for _ in 1..depth {
            stream.extend([NULL, NULL, OTHER, END]);
        }
        stream.extend([NULL, END]);
        let offset = fs::metadata(set.file("2cbg")).unwrap().len();
        set.change("2cbg", |games| games.extend(frame(1, &words(&stream))));
        set.change("2cbh", |index| {
            index[RECORD_BYTES + 8..][..8].copy_from_slice(&offset.to_le_bytes());
        });
        let database = set.open().unwrap();
        let game = PlainGame::read(&database, GameId(0));
        let begun = |game: PlainGame| {
            let events = game.events.iter();
            events.filter(|event| **event == Event::Begin).count()
        };
        assert_eq!(game.map(begun).ok(), is_read.then_some(depth));
    }
}

#[test]
fn databases_of_chessbase_2_open_by_each_of_their_files_whatever_they_are_called() {
    #[cfg(unix)]
    let stem = std::os::unix::ffi::OsStrExt::from_bytes(b"no \xff text");
    #[cfg(not(unix))]
    let stem = OsStr::new("no text");
    let set = Made::named(stem);
    for (_, suffix) in SUFFIXES {
        assert_eq!(Database::open(set.file(suffix)).unwrap().len(), 4);
    }
    assert_eq!(Database::open(&set.stem).unwrap().len(), 4);
    assert!(set.folder.path().is_dir());
}
