//! The index of a PGN file in its sidecar: used only as it was made from the file as it is.

use std::{fs, ops::Range, path::PathBuf};

use tabiya_chess::{Flow, GameId};
use tabiya_formats::{Access, File, Opened, pgn::PgnFile};
use tempfile::TempDir;

use super::{
    BLOCK_GAMES, Sidecar,
    layout::{Directory, Header, PartKind},
};
use crate::{
    ConvertOptions, ErrorKind, GameSet, OpenOptions, Progress, Query, Search, SidecarOptions,
    StatsOptions, TreePosition, TreeSearch, add, database::Database, undo,
};

/// A PGN file with its sidecar.
struct Indexed {
    folder: TempDir,
}

impl Indexed {
    fn new() -> Indexed {
        let folder = tempfile::tempdir().unwrap();
        fs::copy("fixtures/famous.pgn", folder.path().join("famous.pgn")).unwrap();
        let indexed = Indexed { folder };
        let made = SidecarOptions::new().build(&indexed.open(true));
        made.unwrap();
        indexed
    }

    fn path(&self, suffix: &str) -> PathBuf {
        self.folder.path().join("famous").with_extension(suffix)
    }

    fn open(&self, sidecar: bool) -> Database {
        let options = OpenOptions::new().sidecar(sidecar);
        options.open(self.path("pgn")).unwrap()
    }

    /// Opens the database without its sidecar.
    fn open_for(&self, query: &Query) -> Database {
        let options = OpenOptions::new().sidecar(false).for_query(query);
        options.open(self.path("pgn")).unwrap()
    }

    fn sidecar(&self) -> Vec<u8> {
        fs::read(self.path("tabiya")).unwrap()
    }

    /// Returns the directory of a part that has one blob, and that blob; nothing if it has none.
    fn part(bytes: &[u8], kind: PartKind) -> (Range<usize>, Range<usize>) {
        let directory = Header::read(bytes).unwrap().part(kind).unwrap();
        let directory = directory.directories().unwrap();
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let (at, length) = (directory.start + 8, directory.start + 20);
        let start = number(at) as usize;
        if directory.len() == Directory::bytes(0) {
            return (directory, start..start);
        }
        (
            directory,
            start..start + (number(length) & 0xff_ffff) as usize,
        )
    }
}

fn pgn(database: &Database) -> &PgnFile {
    match database.tags() {
        Opened::Pgn(pgn) => pgn,
        _ => unreachable!(),
    }
}

/// Returns whether everything comes from the sidecar.
fn is_stored(database: &Database) -> bool {
    !pgn(database).is_read()
}

/// Compares everything that the index of a database says with what its text says.
fn same_as_the_text(database: &Database, text: &Database) {
    let [stored, made] = [database, text].map(|database| database.store().index().unwrap());
    assert_eq!(stored, made);
    for game in text.games() {
        assert_eq!(database.header(game).unwrap(), text.header(game).unwrap());
    }
}

#[test]
fn pgn_with_a_sidecar_opens_without_reading_its_games() {
    let indexed = Indexed::new();
    let (with, without) = (indexed.open(true), indexed.open(false));
    assert!(is_stored(&with) && !is_stored(&without));
    same_as_the_text(&with, &without);
    assert_eq!(with.verify().unwrap().damaged, 0);
    // A sidecar that is made of what a sidecar says is the same.
    let before = indexed.sidecar();
    SidecarOptions::new().build(&with).unwrap();
    assert!(before == indexed.sidecar());
}

#[test]
fn a_query_about_tags_reads_no_moves_of_games_that_nothing_asks_for() {
    let indexed = Indexed::new();
    let open = |query: &str| indexed.open_for(&query.parse().unwrap());
    let database = open("white:a year>1900 -result:1-0");
    for game in database.games() {
        let whole = indexed.open(true);
        assert_eq!(database.header(game).unwrap(), whole.header(game).unwrap());
        assert_eq!(database.plies(game).unwrap(), whole.plies(game).unwrap());
    }
    assert!(!pgn(&database).is_read());
    for query in [
        "white:a mate",
        "result:1-0 plies>40 text:a",
        "year>1900 opening:sicilian",
        "havana -(mate or stalemate)",
    ] {
        let (query, database) = (query.parse().unwrap(), open(query));
        let search = Search::new(&query);
        let found = search.run(&database).unwrap().into_parts().0;
        let expected = search.run(&indexed.open(true)).unwrap().into_parts().0;
        assert_eq!(found, expected);
        assert!(!pgn(&database).is_read(), "{query}");
    }
    // What may ask for moves makes that they are read.
    database.facts(GameId(0)).unwrap();
    assert!(pgn(&database).is_read());
    same_as_the_text(&database, &indexed.open(false));
    for query in [
        "mate",
        "plies>40",
        "flag:promotion",
        "opening:sicilian",
        "comments>0",
        "white:a comments>0",
        "white:a or mate",
        "-(white:a mate)",
        "sicilian",
    ] {
        assert!(pgn(&open(query)).is_read(), "{query}");
    }
}

#[test]
fn late_reading_of_moves_can_be_stopped() {
    let indexed = Indexed::new();
    let text = fs::read(indexed.path("pgn")).unwrap();
    fs::write(indexed.path("pgn"), text.repeat(60)).unwrap();
    let database = indexed.open_for(&"white:a".parse().unwrap());
    let stop = |_| Flow::Break(());
    let refused = database.on_progress(stop).summary().unwrap_err();
    assert_eq!(*refused.kind(), ErrorKind::Interrupted);
    let query: Query = "mate".parse().unwrap();
    let counted = Search::new(&query)
        .on_progress(stop)
        .count(&database)
        .unwrap();
    assert!(counted.stopped_early && !pgn(&database).is_read());
    let counted = Search::new(&query).count(&database);
    assert!(counted.unwrap().matched > 0 && pgn(&database).is_read());
}

#[test]
fn trees_and_statistics_of_games_that_tags_choose_read_no_others() {
    let indexed = Indexed::new();
    let whole = indexed.open(false);
    let position = TreePosition::default();
    for query in ["white:a", "year<1900 result:1-0", "white:a check"] {
        let query = query.parse().unwrap();
        let tell = |database: &Database| {
            let tree = TreeSearch::new(&position).query(&query);
            let (tree, games) = tree.run_with_games(database).unwrap();
            let next = TreeSearch::new(&position).next_moves(database, &games);
            let games: GameSet = games.into_iter().collect();
            let stats = database.stats(&games, &StatsOptions::new()).unwrap();
            let openings = database.openings(&games).unwrap();
            assert!(stats.total.games() > 5 && !openings.is_empty());
            format!("{:?} {next:?} {stats:?} {openings:?}", tree.rows())
        };
        let asked = TreeSearch::new(&position).query(&query).to_query();
        let tags = indexed.open_for(&asked);
        assert_eq!(tell(&tags), tell(&whole));
        assert!(!pgn(&tags).is_read());
    }
}

#[test]
fn a_sidecar_that_is_made_where_only_tags_were_read_is_the_same() {
    let indexed = Indexed::new();
    let before = indexed.sidecar();
    fs::remove_file(indexed.path("tabiya")).unwrap();
    let database = indexed.open_for(&"white:a".parse().unwrap());
    assert!(!pgn(&database).is_read());
    let made = SidecarOptions::new().build(&database);
    made.unwrap();
    assert!(before == indexed.sidecar());
}

#[test]
fn a_damaged_index_in_a_sidecar_is_not_used() {
    let indexed = Indexed::new();
    let (sound, text) = (indexed.sidecar(), indexed.open(false));
    for kind in PartKind::INDEX {
        let (directory, blob) = Indexed::part(&sound, kind);
        for range in [directory, blob] {
            for at in range.clone().step_by(1 + range.len() / 50) {
                let mut bytes = sound.clone();
                bytes[at] ^= 0x10;
                fs::write(indexed.path("tabiya"), bytes).unwrap();
                let database = indexed.open(true);
                same_as_the_text(&database, &text);
                assert!(!is_stored(&database), "{kind:?} {at}");
            }
        }
    }
}

#[test]
fn the_index_of_another_state_of_the_text_is_not_used() {
    let indexed = Indexed::new();
    let text = fs::read(indexed.path("pgn")).unwrap();
    // Longer, shorter, and as long but later.
    for changed in [
        [&text[..], b"\n[Event \"new\"]\n\n1. e4 *\n"].concat(),
        text[..text.len() / 2].to_vec(),
        text.iter().rev().copied().collect(),
    ] {
        fs::write(indexed.path("pgn"), changed).unwrap();
        assert!(!is_stored(&indexed.open(true)));
        same_as_the_text(&indexed.open(true), &indexed.open(false));
    }
}

#[test]
fn the_index_of_a_file_that_has_grown_is_continued() {
    let indexed = Indexed::new();
    let text = fs::read(indexed.path("pgn")).unwrap();
    let known = || {
        let file = File::open(&indexed.path("pgn"), Access::Map).unwrap();
        Sidecar::index_of(&file, Access::Map, None)
            .map(|(index, bytes)| (index.game_count(), bytes))
    };
    let grown = [
        &text[..],
        b"\n[Event \"new\"]\n[White \"New\"]\n\n1. e4 *\n",
    ]
    .concat();
    fs::write(indexed.path("pgn"), &grown).unwrap();
    assert_eq!(known(), Some((91, text.len())));
    same_as_the_text(&indexed.open(true), &indexed.open(false));
    assert_eq!(indexed.open(true).len(), 92);
    SidecarOptions::new().build(&indexed.open(true)).unwrap();
    assert_eq!(known(), Some((92, grown.len())));
    assert!(is_stored(&indexed.open(true)));
    // A beginning that has changed is another file.
    let mut other = [&grown[..], b" "].concat();
    other[text.len() / 2] ^= 1;
    fs::write(indexed.path("pgn"), &other).unwrap();
    assert_eq!(known(), None);
}

#[test]
fn an_index_grows_where_it_is_while_it_is_read() {
    let indexed = Indexed::new();
    let game = "[White \"A\"]\n[Result \"*\"]\n\n1. e4 e5 *\n\n";
    let games = 2 * BLOCK_GAMES as usize + 100;
    fs::write(indexed.path("pgn"), game.repeat(games)).unwrap();
    SidecarOptions::new().build(&indexed.open(true)).unwrap();
    let (base, new) = (indexed.path("pgn"), [indexed.path("more.pgn")]);
    fs::write(&new[0], game.repeat(1500).replace("\"A\"", "\"B\"")).unwrap();
    let places = || {
        let bytes = indexed.sidecar();
        PartKind::INDEX.map(|kind| {
            let (directory, _) = Indexed::part(&bytes, kind);
            let offset = bytes[directory.start + 8..].first_chunk();
            u64::from_le_bytes(*offset.unwrap())
        })
    };
    let same = |database: &Database, text: &Database| {
        let [one, other] = [database, text].map(|database| database.store().index().unwrap());
        assert!(one == other);
    };
    let (begun, mut readers) = (places(), Vec::new());
    for added in 1..=3 {
        readers.push((indexed.open(true), indexed.open(false)));
        let added_now = add(&new, &base, ConvertOptions::new(), Progress::ignore).unwrap();
        assert!(added_now.sidecar_fault.is_none());
        let (with, without) = (indexed.open(true), indexed.open(false));
        assert!(is_stored(&with) && with.len() as usize == games + 1500 * added);
        same(&with, &without);
        let now = places();
        assert_eq!([now[0], now[2], now[3]], [begun[0], begun[2], begun[3]]);
    }
    // What was longer is not overwritten, since somebody may read it.
    let longest = (indexed.open(true), indexed.open(false));
    assert!(undo(&base, Progress::ignore).unwrap());
    add(&new, &base, ConvertOptions::new(), Progress::ignore).unwrap();
    same(&indexed.open(true), &indexed.open(false));
    for (with, without) in readers.iter().chain([&longest]) {
        same(with, without);
    }
}

/// Checksums say that the bytes are those that were written, not that these were right.
#[test]
fn an_index_that_is_not_that_of_the_games_is_found_by_verify() {
    let indexed = Indexed::new();
    let mut bytes = indexed.sidecar();
    let (directory, blob) = Indexed::part(&bytes, PartKind::Records);
    // The lowest bit of a rating.
    bytes[blob.start + 44] ^= 1;
    let sum = |bytes: &[u8]| crc32fast::hash(bytes).to_le_bytes();
    let of_blob = sum(&bytes[blob]);
    bytes[directory.start + 24..][..4].copy_from_slice(&of_blob);
    let of_directory = sum(&bytes[directory.start + 4..directory.end]);
    bytes[directory.start..][..4].copy_from_slice(&of_directory);
    fs::write(indexed.path("tabiya"), bytes).unwrap();
    let database = indexed.open(true);
    assert!(is_stored(&database));
    let found = database.verify().unwrap();
    assert_eq!(found.damaged, 1);
    let fault = found.damaged_games[0].to_string();
    assert!(
        fault.contains("famous.tabiya: damaged: the index in the sidecar"),
        "{fault}"
    );
}
