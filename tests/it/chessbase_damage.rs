//! A ChessBase set may be cut or changed anywhere: it opens or says why not, whatever is asked
//! of it ends, and games that lie elsewhere are read as before.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tabiya::{Database, Flow, GameId, Query, Search, Strategy, format::Overwrite};

use crate::{
    bodies::chessbase::ANNOTATED,
    support::{ask, exercise, game::PlainGame, shared},
};

/// A set in a folder that goes when it is dropped.
struct Set {
    folder: tempfile::TempDir,
}

impl Set {
    fn new() -> Set {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("games.pgn");
        fs::write(&source, ANNOTATED).unwrap();
        let set = Set { folder };
        let go_on = &mut |_| Flow::Continue(());
        tabiya::convert(&[source], &set.index(), Overwrite::Refuse, go_on).unwrap();
        set
    }

    fn index(&self) -> PathBuf {
        self.folder.path().join("set.cbh")
    }

    /// All files but the one it was made of.
    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut files: Vec<PathBuf> = paths
            .filter(|path| path.file_stem().is_some_and(|stem| stem == "set"))
            .collect();
        files.sort();
        files
    }

    /// Calls `check` with each file that was cut or changed in each of its bytes, and where.
    fn each_damage(&self, mut check: impl FnMut(&Path, usize)) {
        for file in self.files() {
            let whole = fs::read(&file).unwrap();
            for at in 0..whole.len() {
                fs::write(&file, &whole[..at]).unwrap();
                check(&file, at);
                let mut changed = whole.clone();
                changed[at] ^= [0x55, 0xff][at % 2];
                fs::write(&file, &changed).unwrap();
                check(&file, at);
            }
            fs::write(&file, whole).unwrap();
        }
    }
}

/// Does all that can be done with a database. Only that it comes to an end counts.
fn exercise(database: &Database, queries: &[Query]) {
    exercise::records(database);
    let _ = database.verify();
    for query in queries {
        let _ = Search::new(query).variations(true).run(database);
    }
}

#[test]
fn a_set_that_is_cut_or_changed_in_any_byte_does_no_harm() {
    let queries = [
        "player:berg or event:oslo or team:x or eco:C or round:3 or year:1999",
        "text:best or tag.Annotator:nunn or tag.Source:mega",
        "at(piece:Ke2 piece:Pe4 piece:ke7) or at(Q=1 piece:Qd5) or path:Ke1-e2",
    ]
    .map(ask::query);
    let set = Set::new();
    let places = ask::query("at(piece:Ke2 piece:Pe4 piece:ke7)");
    let search = Search::new(&places);
    let full = search.clone().strategy(Strategy::FullDecode);
    let mut opened = 0;
    set.each_damage(|file, at| {
        if let Ok(database) = Database::read(set.index()) {
            exercise(&database, &queries);
            let found =
                |search: &Search<'_>| search.run(&database).ok().map(|found| found.into_parts().0);
            assert_eq!(found(&search), found(&full), "{file:?} {at}");
            opened += 1;
        }
    });
    assert!(opened > 3_000, "{opened}");
    assert!(Database::read(set.index()).unwrap().notes().is_empty());
}

#[test]
fn a_game_is_read_as_before_when_another_is_damaged() {
    let set = Set::new();
    let read = |game| PlainGame::read(&Database::read(set.index()).unwrap(), GameId(game));
    let whole = [0, 1].map(|game| read(game).unwrap());
    let database = Database::read(set.index()).unwrap();
    let second = database.facts(GameId(1)).unwrap().offset_bytes as usize;
    set.each_damage(|file, at| {
        if file.extension().is_some_and(|suffix| suffix == "cbg") {
            // The file's head is passed over; what is cut off is the second game at least.
            let other = u32::from(at < second);
            let cut = fs::metadata(file).unwrap().len() == at as u64;
            if !cut || other == 0 {
                assert_eq!(read(other).unwrap(), whole[other as usize], "{at}");
            }
        }
    });
}

/// The trees of names are not followed.
#[test]
fn names_are_found_although_their_tree_leads_in_circles() {
    const HEADER_BYTES: usize = 32;
    const LINKS_BYTES: usize = 9;
    let set = Set::new();
    let query = ask::query("player:berg");
    let find = || {
        let database = Database::read(set.index()).unwrap();
        let found = Search::new(&query).run(&database).unwrap();
        found.iter().map(|hit| hit.game.0).collect::<Vec<u32>>()
    };
    assert_eq!(find(), [0, 1]);
    for (suffix, payload) in [("cbp", 58), ("cbt", 90), ("cbc", 53), ("cbs", 59)] {
        let path = set.index().with_extension(suffix);
        let mut bytes = fs::read(&path).unwrap();
        for (number, record) in bytes[HEADER_BYTES..]
            .chunks_mut(LINKS_BYTES + payload)
            .enumerate()
        {
            // To itself and to the first.
            record[..4].copy_from_slice(&(number as i32).to_le_bytes());
            record[4..8].copy_from_slice(&0_i32.to_le_bytes());
        }
        fs::write(&path, bytes).unwrap();
    }
    assert_eq!(find(), [0, 1]);
    exercise(&Database::read(set.index()).unwrap(), &[query]);
}

/// Files of a set that the tests of damage change.
fn members(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let read = [
        "cbh", "cbg", "cba", "cbp", "cbt", "cbc", "cbs", "cbj", "cbe", "cbl", "flags",
    ];
    let is_read = |path: &PathBuf| {
        let suffix = path.extension().unwrap_or_default();
        read.iter().any(|read| suffix == *read)
    };
    entries.filter(is_read).collect()
}

#[test]
fn no_damage_to_any_file_of_a_set_ends_the_program_or_hides_other_games() {
    let queries = [
        "player:a or round:1 or eco:B",
        "text:o or tag.Annotator:n or at(n=1)",
    ]
    .map(ask::query);
    let open = |index: &Path| {
        if let Ok(database) = Database::read(index) {
            exercise(&database, &queries);
        }
    };
    for part in [
        "test-annotations/test-annotations",
        "cbhlib_test/cbhlib_test",
    ] {
        let Some(index) = shared::path(&format!("data/chessbase/{part}.cbh")) else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let files = members(index.parent().unwrap());
        for file in &files {
            fs::write(
                folder.path().join(file.file_name().unwrap()),
                fs::read(file).unwrap(),
            )
            .unwrap();
        }
        let copy = folder.path().join(index.file_name().unwrap());
        for file in &files {
            let damaged = folder.path().join(file.file_name().unwrap());
            let whole = fs::read(file).unwrap();
            // Every byte of small files, a spread of those of larger ones.
            for at in (0..whole.len()).step_by(1 + whole.len() / 60) {
                fs::write(&damaged, &whole[..at]).unwrap();
                open(&copy);
                let mut changed = whole.clone();
                changed[at] ^= 0x55;
                fs::write(&damaged, changed).unwrap();
                open(&copy);
            }
            fs::write(&damaged, whole).unwrap();
        }
        assert!(Database::read(&copy).unwrap().notes().is_empty());
    }
}
