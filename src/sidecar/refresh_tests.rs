//! Compares refreshed sidecars with rebuilt ones, and tests older ones that must not be kept.

use std::{fs, path::PathBuf, sync::LazyLock};

use tabiya_chess::{Flow, Start, placement::Placement};
use tabiya_formats::{Parts, Scratch, View, figures::Figures};
use tempfile::TempDir;

use super::{
    build::build_on,
    openings::choose::Chosen,
    refresh::Base,
    sum::{StoredSum, Sum},
    write::Blobs,
    *,
};
use crate::{
    Progress, SidecarOptions,
    database::{Database, with_view},
    maintenance::convert::ConvertOptions,
    sidecar::tests::Dice,
};

/// Games before and after some are appended: two complete blocks and a partial one, then three.
const OLD_GAMES: u32 = 2 * BLOCK_GAMES + 28_000;
const NEW_GAMES: u32 = 3 * BLOCK_GAMES + 2_000;
/// Longer games are left out, to keep the test fast.
const LONGEST_BYTES: usize = 45;

const HEADER_BYTES: usize = 182;
const RECORD_BYTES: usize = 47;

/// Returns an index and its games: short ones of the fixture in some order, with various ratings.
/// Fewer games are a prefix of more.
fn scid(games: u32) -> Parts {
    let fixture = |suffix: &str| {
        let name = format!("{}/fixtures/famous.{suffix}", env!("CARGO_MANIFEST_DIR"));
        fs::read(name).unwrap()
    };
    let (famous, mut bytes) = (fixture("si4"), fixture("sg4"));
    let (header, records) = famous.split_at(HEADER_BYTES);
    let length = |record: &&[u8]| usize::from(record[4]) << 8 | usize::from(record[5]);
    let short: Vec<&[u8]> = records
        .chunks(RECORD_BYTES)
        .filter(|record| length(record) < LONGEST_BYTES)
        .collect();
    let mut index = header.to_vec();
    index[14..17].copy_from_slice(&games.to_be_bytes()[1..]);
    let mut dice = Dice(3);
    for _ in 0..games {
        let record = index.len();
        index.extend(short[dice.below(short.len() as u64) as usize]);
        let rating = 1500 + dice.below(1200) as u16;
        index[record + 29..record + 31].copy_from_slice(&rating.to_be_bytes());
    }
    // The bytes appended to the games file belong to no old game.
    bytes.resize(bytes.len() + games as usize, 0);
    let mut parts = Parts::new(index);
    parts.games = Some(bytes);
    parts
}

/// A database in a folder of its own.
struct Folder(TempDir);

impl Folder {
    fn new(parts: &Parts) -> Folder {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("some.si4"), &parts.index).unwrap();
        fs::write(
            folder.path().join("some.sg4"),
            parts.games.as_ref().unwrap(),
        )
        .unwrap();
        Folder(folder)
    }

    fn open(&self) -> Database {
        Database::open(self.0.path().join("some.si4")).unwrap()
    }

    fn sidecar(&self) -> PathBuf {
        self.0.path().join("some").with_extension(SUFFIX)
    }

    /// Builds everything on a base without blocks.
    fn build_with(&self, chosen: Chosen) {
        let (database, path) = (self.open(), self.sidecar());
        let order = BuildRequest {
            store: database.store(),
            parts: Default::default(),
            path: &path,
        };
        let base = Base::anew(chosen);
        let mut told = |_, _| Flow::Continue(());
        with_view!(database.tags(), view => build_on(base, view, &order, &mut told)).unwrap();
    }
}

/// The bytes of the sidecar of the older state.
static OLDER: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = Folder::new(&scid(OLD_GAMES));
    Sidecar::build(&folder.open()).unwrap();
    fs::read(folder.sidecar()).unwrap()
});

fn opened(bytes: Vec<u8>) -> Result<Sidecar> {
    let file = File::in_memory(PathBuf::from("some.tabiya"), bytes);
    let header = Header::read(&file.bytes).map_err(unused)?;
    Sidecar::of_any_state(file, &header)
}

fn chosen(sidecar: &Sidecar) -> Chosen {
    let table = &sidecar.openings.as_ref().unwrap().table;
    let [rows, _] = sidecar.opening_row_blocks().unwrap();
    Chosen::read(sidecar.block_of_all(table).unwrap(), rows.blobs()).unwrap()
}

/// Returns all data of a sidecar that is kept for a database: of each block, of openings, of rows.
fn kept(sidecar: &Sidecar, parts: Parts) -> Option<Vec<Vec<u8>>> {
    let database = Database::from_bytes(parts).unwrap();
    let mut go_on = || Flow::Continue(());
    let base = with_view!(database.tags(), view => Base::of(sidecar, view, &mut go_on));
    let base = base.unwrap()?;
    let bytes = |blobs: Blobs| {
        let (entries, bytes) = blobs.parts();
        [zerocopy::IntoBytes::as_bytes(entries), bytes].concat()
    };
    let blocks = base
        .blocks
        .iter()
        .flatten()
        .map(|(_, (entries, bytes))| [zerocopy::IntoBytes::as_bytes(*entries), bytes].concat());
    let mut all: Vec<Vec<u8>> = blocks.collect();
    all.extend([bytes(base.chosen.table()), bytes(base.rows.blobs())]);
    Some(all)
}

#[test]
fn comparing_with_an_older_sidecar_can_be_interrupted() {
    let folder = Folder::new(&scid(NEW_GAMES));
    fs::write(folder.sidecar(), &*OLDER).unwrap();
    let mut asked = 0;
    let look = |at: Progress| {
        asked += 1;
        assert_eq!(at.done, 0);
        Flow::Break(())
    };
    let made = SidecarOptions::new()
        .on_progress(look)
        .refresh(&folder.open());
    assert!(matches!(made.unwrap_err().kind(), ErrorKind::Interrupted));
    assert_eq!(asked, 1);
    assert!(fs::read(folder.sidecar()).unwrap() == *OLDER);
}

#[test]
fn a_refreshed_sidecar_is_the_one_made_anew_with_the_same_openings() {
    let folder = Folder::new(&scid(NEW_GAMES));
    fs::write(folder.sidecar(), &*OLDER).unwrap();
    let mut told = Vec::new();
    let look = |at: Progress| {
        told.push((at.done, at.total.unwrap()));
        Flow::Continue(())
    };
    let made = SidecarOptions::new()
        .on_progress(look)
        .refresh(&folder.open());
    assert_eq!(made.unwrap(), BuildReport { blocks: 4, kept: 2 });
    let new = u64::from(NEW_GAMES - 2 * BLOCK_GAMES);
    // Until it is known what is kept, the total is all games.
    let all = (0, u64::from(NEW_GAMES));
    let (comparing, making) = told.split_at(told.iter().take_while(|at| **at == all).count());
    assert!(!comparing.is_empty());
    assert!(making.iter().all(|&(_, total)| total == new));
    assert_eq!(told.last(), Some(&(new, new)));
    assert!(folder.open().sidecar().is_some());
    let refreshed = fs::read(folder.sidecar()).unwrap();
    let chosen = chosen(&opened(OLDER.clone()).unwrap());
    assert!(chosen.ready > 10);
    folder.build_with(chosen);
    assert!(refreshed == fs::read(folder.sidecar()).unwrap());

    // Refreshes once more, without new games.
    let made = Sidecar::refresh(&folder.open());
    assert_eq!(made.unwrap(), BuildReport { blocks: 4, kept: 3 });
    assert!(refreshed == fs::read(folder.sidecar()).unwrap());
    let stopped = SidecarOptions::new()
        .on_progress(|_| Flow::Break(()))
        .refresh(&folder.open());
    assert_eq!(stopped.unwrap_err().kind(), &ErrorKind::Interrupted);
    assert!(refreshed == fs::read(folder.sidecar()).unwrap());
}

#[test]
fn nothing_is_kept_unless_all_games_of_complete_blocks_are_the_same() {
    let older = opened(OLDER.clone()).unwrap();
    let record = |game: u32| HEADER_BYTES + game as usize * RECORD_BYTES;
    let changed_record = |game: u32| {
        let mut parts = scid(NEW_GAMES);
        // The flag of deleted games.
        parts.index[record(game) + 8] ^= 8;
        parts
    };
    assert!(kept(&older, scid(NEW_GAMES)).is_some());
    assert!(kept(&older, scid(OLD_GAMES)).is_some());
    assert!(kept(&older, changed_record(2 * BLOCK_GAMES)).is_some());
    for game in [0, BLOCK_GAMES, 2 * BLOCK_GAMES - 1] {
        assert!(kept(&older, changed_record(game)).is_none(), "{game}");
    }

    let mut other_moves = scid(NEW_GAMES);
    let index = &other_moves.index;
    let offset = |game| u32::from_be_bytes(*index[record(game)..].first_chunk().unwrap());
    let last_byte = offset(1000) as usize + usize::from(index[record(1000) + 5]) - 1;
    other_moves.games.as_mut().unwrap()[last_byte] ^= 1;
    assert!(kept(&older, other_moves).is_none());

    let mut exchanged = scid(NEW_GAMES);
    let (one, other) = exchanged.index.split_at_mut(record(7));
    let different =
        (8..).find(|&game| other[record(game) - record(7)..][..RECORD_BYTES] != one[record(6)..]);
    let other = &mut other[record(different.unwrap()) - record(7)..][..RECORD_BYTES];
    one[record(6)..].swap_with_slice(other);
    assert!(kept(&older, exchanged).is_none());

    let mut without_first = scid(NEW_GAMES);
    without_first.index.drain(record(0)..record(1));
    without_first.index[14..17].copy_from_slice(&(NEW_GAMES - 1).to_be_bytes()[1..]);
    assert!(kept(&older, without_first).is_none());
    assert!(kept(&older, scid(2 * BLOCK_GAMES - 1)).is_none());
    assert!(kept(&older, scid(OLD_GAMES / 4 * 5 + 8)).is_none());
}

#[test]
fn of_a_damaged_sidecar_nothing_wrong_is_kept() {
    let sound = kept(&opened(OLDER.clone()).unwrap(), scid(OLD_GAMES)).unwrap();
    let header = Header::read(&OLDER).unwrap();
    let mut places: Vec<usize> = (0..OLDER.len()).step_by(OLDER.len() / 8).collect();
    for kind in PartKind::BY_BLOCK
        .into_iter()
        .chain([PartKind::OpeningTable, PartKind::OpeningRows])
    {
        let directories = header.part(kind).unwrap().directories().unwrap();
        // Its checksum, number of games, offset, first entry; and a later byte.
        places.extend([0, 5, 9, 17, 21, 25].map(|at| directories.start + at));
        places.push(directories.end - 1);
    }
    let (mut unharmed, mut refused) = (0, 0);
    for at in places {
        let mut bytes = OLDER.clone();
        bytes[at] ^= 1 << (at % 8);
        let Ok(damaged) = opened(bytes) else {
            continue;
        };
        match kept(&damaged, scid(OLD_GAMES)) {
            Some(kept) => {
                assert!(kept == sound, "byte {at}");
                unharmed += 1;
            }
            None => refused += 1,
        }
    }
    // Some are of the last block, which is never kept.
    assert!(unharmed > 0 && refused > 20, "{unharmed} {refused}");
}

#[test]
fn a_sidecar_of_another_version_or_cut_short_is_made_anew() {
    let folder = Folder::new(&scid(1000));
    let mut other_version = OLDER.clone();
    other_version[8] ^= 1;
    for unusable in [
        other_version,
        OLDER[..OLDER.len() - 1].to_vec(),
        OLDER[..100].to_vec(),
        Vec::new(),
        OLDER.clone(),
    ] {
        fs::write(folder.sidecar(), unusable).unwrap();
        let made = Sidecar::refresh(&folder.open());
        assert_eq!(made.unwrap(), BuildReport { blocks: 1, kept: 0 });
        assert!(folder.open().sidecar().is_some());
    }
}

/// One game of a complete block is undecided, so there are no rows.
#[test]
fn rows_that_are_not_known_do_not_become_known_by_new_games() {
    let damaged = |games| {
        let mut parts = scid(games);
        let offset = HEADER_BYTES + 5 * RECORD_BYTES;
        parts.index[offset] = 0x7f;
        parts
    };
    let folder = Folder::new(&damaged(BLOCK_GAMES + 100));
    Sidecar::build(&folder.open()).unwrap();
    let older = fs::read(folder.sidecar()).unwrap();
    let folder = Folder::new(&damaged(BLOCK_GAMES + 300));
    fs::write(folder.sidecar(), &older).unwrap();
    let made = Sidecar::refresh(&folder.open());
    assert_eq!(made.unwrap(), BuildReport { blocks: 2, kept: 1 });
    let refreshed = fs::read(folder.sidecar()).unwrap();
    folder.build_with(chosen(&opened(older).unwrap()));
    assert!(refreshed == fs::read(folder.sidecar()).unwrap());
    let database = folder.open();
    let sidecar = database.sidecar().unwrap();
    let start = sidecar.opening(&Placement::at(Start::Standard)).unwrap();
    assert!(sidecar.opening_rows(start).is_none());
}

/// The input of a sidecar: visited squares, whether the game is whole, its figures.
fn told(database: &Database) -> Vec<(Squares, bool, String)> {
    let (mut trace, mut scratch) = (VisitTracker::new(), Scratch::default());
    with_view!(database.tags(), view => view.records().iter().map(|record| {
        trace.squares = Squares::default();
        let is_whole = view.main_line(record, &mut scratch, &mut trace).is_ok();
        (trace.squares, is_whole, format!("{:?}", Figures::of(record)))
    }).collect())
}

fn sum(database: &Database) -> StoredSum {
    with_view!(database.tags(), view => Sum::of(view, view.records()))
}

#[test]
fn no_byte_of_any_format_changes_what_is_told_without_changing_the_sum() {
    let fixture = PathBuf::from(format!(
        "{}/fixtures/famous.pgn",
        env!("CARGO_MANIFEST_DIR")
    ));
    for suffix in ["si4", "si5", "cbh", "2cbh", "dci", "binpack", "pgn"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some").with_extension(suffix);
        let sources = std::slice::from_ref(&fixture);
        let go_on = &mut |_| Flow::Continue(());
        crate::maintenance::convert::convert(sources, &path, ConvertOptions::default(), go_on)
            .unwrap();
        // Windows lets nobody write to a file that is mapped.
        let sound = Database::read(&path).unwrap();
        let (sound_told, sound_sum) = (told(&sound), sum(&sound));
        assert_eq!(sum(&Database::read(&path).unwrap()), sound_sum);
        let games = sound.store().games_path().to_owned();
        let mut changes = 0;
        for file in [&path, &games] {
            let bytes = fs::read(file).unwrap();
            for at in (0..bytes.len()).step_by(bytes.len() / 40) {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << (at % 8);
                fs::write(file, changed).unwrap();
                let Ok(database) = Database::read(&path) else {
                    continue;
                };
                if told(&database) != sound_told {
                    assert!(sum(&database) != sound_sum, "{}: {at}", file.display());
                    changes += 1;
                }
            }
            fs::write(file, bytes).unwrap();
        }
        assert!(changes > 5, "{suffix}: {changes}");
    }
}
