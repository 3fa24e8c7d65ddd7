//! A sidecar is used only for the database that it was made from, and changes no answer.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use tabiya::{
    BuildReport, Database, ErrorKind, Flow, GameSet, OpenOptions, Query, Search, Sidecar,
    SidecarOptions, Strategy, Tally, TreePosition, TreeSearch, format::ScdbLayout,
};
use tempfile::TempDir;

use crate::{
    bodies::scdb::written,
    support::{
        ask::{self, OF_ALL_KINDS},
        game::{Event, PlainGame},
        shared,
    },
};

/// A database of fixtures in a folder of its own.
struct Copy {
    folder: TempDir,
    index: &'static str,
}

impl Copy {
    fn new(index: &'static str, suffixes: &[&str]) -> Copy {
        let folder = tempfile::tempdir().unwrap();
        for suffix in suffixes {
            let name = format!("famous.{suffix}");
            let fixture = format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
            fs::copy(fixture, folder.path().join(name)).unwrap();
        }
        Copy { folder, index }
    }

    fn scid() -> Copy {
        Copy::new("famous.si4", &["si4", "sg4", "sn4"])
    }

    fn chessbase() -> Copy {
        Copy::new(
            "famous.cbh",
            &["cbh", "cbg", "cba", "cbp", "cbt", "cbc", "cbs"],
        )
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn open(&self) -> Database {
        Database::open(self.path(self.index)).unwrap()
    }

    fn build(&self) {
        let options = SidecarOptions::new().columns(true);
        options.build(&self.open()).unwrap();
        assert!(self.open().sidecar().is_some(), "{:?}", self.open().notes());
    }

    /// Checks that the sidecar is there and not used, and that one note says why.
    fn is_unused(&self, why: &str) {
        let database = self.open();
        assert!(database.sidecar().is_none(), "{why}");
        let notes: Vec<String> = database.notes().iter().map(ToString::to_string).collect();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(
            notes[0].contains("famous.tabiya: the sidecar is not used"),
            "{}",
            notes[0]
        );
        assert!(notes[0].contains(why), "{}", notes[0]);
        let kind = database.notes()[0].kind();
        assert!(matches!(kind, ErrorKind::SidecarUnused { .. }));
        same_answers(&database);
    }
}

/// Compares the answers with those of decoding everything.
fn same_answers(database: &Database) {
    for text in OF_ALL_KINDS {
        let query: Query = text.parse().unwrap();
        for variations in [false, true] {
            let search = Search::new(&query).variations(variations);
            let found = search.run(database).unwrap();
            let full = search.clone().strategy(Strategy::FullDecode);
            let full = full.run(database).unwrap();
            assert_eq!(found.as_slice(), full.as_slice(), "{text}");
            let counted = search.count(database).unwrap().matched;
            assert_eq!(counted, full.len() as u64, "{text}");
            let bounds = search.bounds(database).unwrap();
            assert!(bounds.certain.is_subset(&full.games()), "{text}");
            assert!(full.games().is_subset(&bounds.possible), "{text}");
        }
    }
}

#[test]
fn searches_give_the_same_with_a_sidecar_in_every_format() {
    let pgn = Copy::new("famous.pgn", &["pgn"]);
    for copy in [Copy::scid(), Copy::chessbase(), pgn] {
        copy.build();
        let database = copy.open();
        assert!(database.notes().is_empty());
        same_answers(&database);
        let read = Database::read(copy.path(copy.index)).unwrap();
        assert!(read.sidecar().is_some());
        same_answers(&read);
    }
}

#[test]
fn a_sidecar_excludes_games_that_the_index_does_not() {
    let copy = Copy::scid();
    copy.build();
    let query: Query = "at(piece:Nd5 piece:Qh5)".parse().unwrap();
    let options = OpenOptions::new().sidecar(false);
    let without = options.open(copy.path(copy.index)).unwrap();
    assert!(without.sidecar().is_none() && without.notes().is_empty());
    let [with, without] = [copy.open(), without].map(|database| {
        let search = Search::new(&query);
        let report = search.count(&database).unwrap();
        let rows = search.explain_clauses(&database).unwrap();
        let asks = rows[0].served_by.starts_with("visit sets, ");
        assert_eq!(asks, database.sidecar().is_some());
        report
    });
    assert_eq!(with.matched, without.matched);
    assert!(with.possible < without.possible);
}

/// All but games with their own start.
#[test]
fn what_is_asked_of_material_alone_is_answered_without_decoding() {
    let copy = Copy::scid();
    copy.build();
    let custom: Query = "start:custom".parse().unwrap();
    let custom = Search::new(&custom).count(&copy.open()).unwrap().matched;
    let query: Query = "at(Q=0 q=0 not diff=0 for:4 flip ply:9..)".parse().unwrap();
    let search = Search::new(&query);
    let found = search.run(&copy.open()).unwrap();
    let report = found.report();
    assert!(report.decoded <= custom && report.certain > 0);
    assert!(found.as_slice().iter().all(|hit| hit.ply.is_some()));
    let rows = search.explain_clauses(&copy.open()).unwrap();
    assert!(rows[0].served_by.contains("material timeline"));
}

#[test]
fn material_that_a_record_claims_wrongly_is_not_believed_at_the_end_of_its_game() {
    let copy = Copy::scid();
    let (header, record) = (182, 47);
    let mut index = fs::read(copy.path(copy.index)).unwrap();
    for record in index[header..].chunks_exact_mut(record) {
        // Below the number of the stored line: nothing but kings.
        record[34..37].fill(0);
    }
    fs::write(copy.path(copy.index), index).unwrap();
    copy.build();
    let query: Query = "at(material:KvK ply:1..)".parse().unwrap();
    let search = Search::new(&query);
    let found = |strategy| {
        search
            .clone()
            .strategy(strategy)
            .count(&copy.open())
            .unwrap()
    };
    let (told, decoded) = (found(Strategy::Auto), found(Strategy::FullDecode));
    assert_eq!(told.matched, decoded.matched);
    assert!(decoded.matched < 5 && decoded.games > 50);
}

#[test]
fn a_database_that_was_changed_is_searched_without_its_old_sidecar() {
    const CHANGED: &str =
        "it was made from another state of the database, or from another one of this name";
    for file in ["famous.si4", "famous.sg4"] {
        // Longer, later, or other content under the same length and time.
        let longer = Copy::scid();
        longer.build();
        let path = longer.path(file);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, [&bytes[..], &[0; 47]].concat()).unwrap();
        assert!(longer.open().sidecar().is_none());

        let later = Copy::scid();
        later.build();
        let touched = fs::File::options()
            .write(true)
            .open(later.path(file))
            .unwrap();
        let time = SystemTime::now() + Duration::from_secs(5);
        touched.set_modified(time).unwrap();
        later.is_unused(CHANGED);

        let other = Copy::scid();
        other.build();
        let path = other.path(file);
        let time = path.metadata().unwrap().modified().unwrap();
        let mut bytes = fs::read(&path).unwrap();
        // The description of the index; a comment or a move of the games.
        bytes[40] ^= 1;
        fs::write(&path, bytes).unwrap();
        let written = fs::File::options().write(true).open(&path).unwrap();
        written.set_modified(time).unwrap();
        drop(written);
        let database = other.open();
        assert!(database.sidecar().is_none());
        assert_eq!(database.notes().len(), 1);
    }
}

#[test]
fn a_sidecar_of_another_database_or_version_is_not_used() {
    let (copy, other) = (Copy::scid(), Copy::chessbase());
    copy.build();
    other.build();
    let own = copy.path("famous.tabiya");
    let sound = fs::read(&own).unwrap();
    fs::copy(other.path("famous.tabiya"), &own).unwrap();
    copy.is_unused(
        "it was made from another state of the database, or from another one of this name",
    );
    let mut later = sound.clone();
    later[8] ^= 0x80;
    fs::write(&own, later).unwrap();
    copy.is_unused("another version of tabiya made it");
    fs::write(&own, b"").unwrap();
    copy.is_unused("it is cut short");
    fs::write(&own, fs::read(copy.path("famous.sg4")).unwrap()).unwrap();
    copy.is_unused("it is no sidecar of tabiya");
    fs::write(&own, &sound[..sound.len() - 1]).unwrap();
    copy.is_unused("it is cut short");
    fs::write(&own, sound).unwrap();
    assert!(copy.open().sidecar().is_some());
}

/// All bytes, one by one, are changed in a test beside the code; here whole searches run.
#[test]
fn a_damaged_sidecar_changes_no_answer() {
    let copy = Copy::scid();
    copy.build();
    let own = copy.path("famous.tabiya");
    let sound = fs::read(&own).unwrap();
    for at in (0..sound.len()).step_by(1009) {
        let mut bytes = sound.clone();
        bytes[at..(at + 7).min(sound.len())].fill(0xa5);
        fs::write(&own, bytes).unwrap();
        same_answers(&copy.open());
    }
}

/// Nothing is concluded about games that could not be decoded when the sidecar was made.
#[test]
fn damaged_games_are_reported_as_without_a_sidecar() {
    let copy = Copy::scid();
    let games = copy.path("famous.sg4");
    let mut bytes = fs::read(&games).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 2000].fill(0x0b);
    fs::write(&games, bytes).unwrap();
    copy.build();
    let query: Query = "-at(piece:Qh5 piece:Nd5 piece:ka3)".parse().unwrap();
    let reports = [true, false].map(|sidecar| {
        let options = OpenOptions::new().sidecar(sidecar);
        let database = options.open(copy.path(copy.index)).unwrap();
        assert_eq!(database.sidecar().is_some(), sidecar);
        let full = Search::new(&query).strategy(Strategy::FullDecode);
        let found = Search::new(&query).run(&database).unwrap();
        let all = full.run(&database).unwrap();
        assert!(all.report().damaged > 0);
        found.report().matched
    });
    assert_eq!(reports[0], reports[1]);
}

#[test]
fn a_build_that_is_stopped_leaves_what_was_there() {
    let copy = Copy::scid();
    let build = || {
        SidecarOptions::new()
            .on_progress(|_| Flow::Break(()))
            .build(&copy.open())
    };
    let stopped = build();
    assert_eq!(stopped.unwrap_err().kind(), &ErrorKind::Interrupted);
    assert_eq!(fs::read_dir(copy.folder.path()).unwrap().count(), 3);
    copy.build();
    let sound = fs::read(copy.path("famous.tabiya")).unwrap();
    assert!(build().is_err());
    assert_eq!(fs::read(copy.path("famous.tabiya")).unwrap(), sound);
    assert_eq!(fs::read_dir(copy.folder.path()).unwrap().count(), 4);
}

#[test]
fn a_database_in_memory_can_have_no_sidecar() {
    let mut parts = tabiya::Parts::new(fs::read(Copy::scid().path("famous.si4")).unwrap());
    parts.games = Some(fs::read(Copy::scid().path("famous.sg4")).unwrap());
    let database = Database::from_bytes(parts).unwrap();
    let error = Sidecar::build(&database).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }));
}

/// Games are the fixture's over and over, so that one block is complete.
#[test]
fn a_database_that_has_grown_gives_the_same_with_a_refreshed_sidecar() {
    const GAMES: usize = 65_536 + 500;
    let copy = Copy::scid();
    let index = copy.path("famous.si4");
    let famous = fs::read(&index).unwrap();
    let (header, records) = famous.split_at(182);
    let write = |games: usize| {
        let mut bytes = header.to_vec();
        bytes[14..17].copy_from_slice(&(games as u32).to_be_bytes()[1..]);
        bytes.extend(records.iter().cycle().take(games * 47));
        fs::write(&index, bytes).unwrap();
    };
    write(GAMES);
    copy.build();
    write(GAMES + 300);
    assert!(copy.open().sidecar().is_none());
    let look = |at: tabiya::Progress| {
        let is_comparing = (at.done, at.total) == (0, Some(GAMES as u64 + 300));
        assert!(is_comparing || at.total == Some(800), "{at:?}");
        Flow::Continue(())
    };
    let made = SidecarOptions::new()
        .on_progress(look)
        .refresh(&copy.open());
    let BuildReport { blocks, kept, .. } = made.unwrap();
    assert_eq!((blocks, kept), (2, 1));
    let with = copy.open();
    assert!(with.sidecar().is_some());
    let without = OpenOptions::new().sidecar(false).open(&index).unwrap();
    for text in [
        OF_ALL_KINDS[0],
        "at(piece:Nd5 piece:qd8)",
        "at(Q=0 q=0 R=1 r=1 for:4)",
    ] {
        let query: Query = text.parse().unwrap();
        let search = Search::new(&query).plies(false);
        let (found, all) = (search.run(&with).unwrap(), search.run(&without).unwrap());
        assert!(found.as_slice() == all.as_slice(), "{text}");
        assert!(found.as_slice().len() > 700, "{text}");
    }
    for moves in ["", "1.e4", "1.e4 e5 2.Nf3"] {
        let position = TreePosition::from_moves(moves).unwrap();
        let [refreshed, plain] = [&with, &without].map(|database| {
            let tree = TreeSearch::new(&position).run(database).unwrap();
            (format!("{:?}", tree.rows()), tree.report().decoded)
        });
        assert_eq!(refreshed.0, plain.0, "{moves}");
        assert_eq!(refreshed.1, 0, "{moves}");
    }
}

/// More than one block, and containers of every kind.
#[test]
fn a_large_database_gives_the_same_with_a_sidecar() {
    let Some((_folder, path)) = shared::copy_of_kingbase() else {
        return;
    };
    let without = Database::open(&path).unwrap();
    Sidecar::build(&without).unwrap();
    let with = Database::open(&path).unwrap();
    let bytes = with.sidecar().expect("it was just made").size_bytes();
    assert!(bytes < 145 * u64::from(with.len()), "{bytes} bytes");
    for text in [
        OF_ALL_KINDS[0],
        "eco:E90..E99 at(piece:Nd5 piece:bg7 flip)",
        "eco:C00..C02 path:\"Ng1-f3-g5\"",
        "eco:B76 at(piece:Kc1 piece:kg8) then at(piece:Qh6)",
        "at(Q=0 q=0 R=1 r=1 B=0 N=0 b=0 n=0 for:30 flip)",
    ] {
        let query: Query = text.parse().unwrap();
        let search = Search::new(&query).plies(false);
        let (found, all) = (search.run(&with).unwrap(), search.run(&without).unwrap());
        assert!(found.as_slice() == all.as_slice(), "{text}");
    }
}

/// Names have a file of their own, which a sidecar's index and games say nothing about.
#[test]
fn names_that_were_changed_are_not_searched_in_a_sidecar() {
    let copy = Copy::scid();
    copy.build();
    let names = copy.path("famous.sn4");
    let mut bytes = fs::read(&names).unwrap();
    let at = bytes.windows(5).position(|name| name == b"Canal").unwrap();
    bytes[at..at + 5].copy_from_slice(b"Kanal");
    fs::write(&names, bytes).unwrap();
    let database = copy.open();
    assert!(database.sidecar().is_some());
    for (text, is_there) in [("player:canal", false), ("player:kanal", true)] {
        let query: Query = text.parse().unwrap();
        let found = Search::new(&query).run(&database).unwrap();
        assert_eq!(!found.is_empty(), is_there, "{text}");
    }
}

/// Writes a Simple Chess Database of `count` entries for one game, as `change` leaves them.
fn scdb_of(
    game: &PlainGame,
    entries: usize,
    mut change: impl FnMut(usize, &mut [u8]),
) -> (TempDir, PathBuf) {
    const HEADER: usize = 19;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dci");
    let parts = written(std::slice::from_ref(game), ScdbLayout::default());
    let mut index = parts.index[..HEADER].to_vec();
    for number in 0..entries {
        let mut entry = parts.index[HEADER..].to_vec();
        change(number, &mut entry);
        index.extend(entry);
    }
    fs::write(&path, index).unwrap();
    let others = [parts.games, parts.names, parts.sites, parts.events];
    for (suffix, bytes) in ["dcg", "dcn", "dcs", "dce"].into_iter().zip(others) {
        fs::write(path.with_extension(suffix), bytes.unwrap()).unwrap();
    }
    (folder, path)
}

#[test]
fn columns_answer_as_the_records_do_whatever_these_hold() {
    const NUMBERS: [u16; 10] = [0, 1, 1734, 2047, 2048, 4095, 4096, 4464, 32_768, 65_535];
    let number = |at: usize| NUMBERS[at % NUMBERS.len()].to_be_bytes();
    let (_folder, path) = scdb_of(&PlainGame::default(), 100, |at, entry| {
        entry[27..29].copy_from_slice(&number(at / 2));
        entry[29..31].copy_from_slice(&number(at / 3));
        entry[31] = at as u8;
        entry[35..37].copy_from_slice(&number(at));
        entry[37..39].copy_from_slice(&[at as u8 / 3, at as u8]);
    });
    let options = SidecarOptions::new().columns(true);
    let database = Database::open(&path).unwrap();
    options.build(&database).unwrap();
    let database = Database::open(&path).unwrap();
    assert!(database.sidecar().is_some(), "{:?}", database.notes());
    for query in [
        "year<=1734",
        "year>2000",
        "year:2048..",
        "date<=1734",
        "date:2047.05..",
        "date:2000..2047",
        "-year:1..",
        "elo>4000",
        "whiteelo:1..",
        "-blackelo:2000..",
        "avgelo>3000",
        "elodiff:-50..50",
        "result:1-0",
        "result:*",
        "eco:A00",
        "plies:0",
        "year:4464 elo:1..",
    ] {
        let by = |strategy| ask::numbers(&database, query, strategy, false);
        assert_eq!(by(Strategy::Auto), by(Strategy::FullDecode), "{query}");
    }
}

#[test]
fn making_a_sidecar_asks_whether_to_go_on_whatever_a_game_costs() {
    let long = PlainGame {
        events: vec![Event::Play(None); 20_000],
        ..PlainGame::default()
    };
    let (_folder, path) = scdb_of(&long, 2000, |_, _| {});
    let database = Database::open(&path).unwrap();
    let stop = |at: tabiya::Progress| match at.done {
        0 => Flow::Continue(()),
        done => {
            assert!(
                done < 2000,
                "all games were played before anybody was asked"
            );
            Flow::Break(())
        }
    };
    let error = SidecarOptions::new()
        .on_progress(stop)
        .build(&database)
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Interrupted), "{error}");
}

/// A copy has the times that programs set, and none that the system does.
#[test]
fn a_database_copied_with_its_times_keeps_its_sidecar() {
    let copy = Copy::scid();
    copy.build();
    let folder = tempfile::tempdir().unwrap();
    for suffix in ["si4", "sg4", "sn4", "tabiya"] {
        let name = format!("famous.{suffix}");
        let (from, to) = (copy.path(&name), folder.path().join(&name));
        fs::copy(&from, &to).unwrap();
        let time = from.metadata().unwrap().modified().unwrap();
        let file = fs::File::options().write(true).open(&to).unwrap();
        file.set_modified(time).unwrap();
    }
    let database = Database::open(folder.path().join("famous.si4")).unwrap();
    assert!(database.sidecar().is_some(), "{:?}", database.notes());
}

#[cfg(unix)]
#[test]
fn a_change_between_the_samples_under_the_old_time_is_noticed() {
    let long = PlainGame {
        events: vec![Event::Play(None); 20_000],
        ..PlainGame::default()
    };
    let (_folder, path) = scdb_of(&long, 2, |_, _| {});
    Sidecar::build(&Database::open(&path).unwrap()).unwrap();
    assert!(Database::open(&path).unwrap().sidecar().is_some());
    let games = path.with_extension("dcg");
    let time = games.metadata().unwrap().modified().unwrap();
    let mut bytes = fs::read(&games).unwrap();
    // 64 samples of 256 bytes leave gaps of some 50.
    let distance = bytes.len() / 65;
    bytes[30 * distance + 256 + 20] ^= 1;
    fs::write(&games, bytes).unwrap();
    let file = fs::File::options().write(true).open(&games).unwrap();
    file.set_modified(time).unwrap();
    drop(file);
    let database = Database::open(&path).unwrap();
    assert!(database.sidecar().is_none());
    assert_eq!(database.notes().len(), 1, "{:?}", database.notes());
}

/// Names of openings need no game to be decoded, and are told of each game.
#[test]
fn a_sidecar_has_the_openings_of_all_games() {
    for copy in [Copy::scid(), Copy::chessbase()] {
        let plain = copy.open();
        copy.build();
        let indexed = copy.open();
        for text in [
            "opening:gambit",
            "opening:none or opening=\"Italian Game\"",
            "opening!=none morphy or \"king's gambit\"",
        ] {
            let query = ask::query(text);
            let found = Search::new(&query).run(&indexed).unwrap();
            assert_eq!(found.report().decoded, 0, "{text}");
            let wanted = Search::new(&query).run(&plain).unwrap();
            assert_eq!(found.as_slice(), wanted.as_slice(), "{text}");
        }
        let games = GameSet::all(plain.len());
        let openings = |database: &Database| database.openings(&games).unwrap();
        assert_eq!(openings(&plain), openings(&indexed));
        let named: u32 = openings(&plain).values().map(Tally::games).sum();
        let of_games = games.iter().filter_map(|game| {
            let opening = indexed.opening(game).unwrap();
            assert_eq!(plain.opening(game).unwrap(), opening);
            opening
        });
        assert_eq!(of_games.count(), named as usize);
        assert!(named > 60);
    }
}
