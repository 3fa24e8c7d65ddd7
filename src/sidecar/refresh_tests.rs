//! Compares refreshed sidecars with rebuilt ones, and tests older ones that must not be kept.

use std::{fs, path::PathBuf, sync::LazyLock};

use tabiya_chess::{Flow, Start, placement::Placement};
use tabiya_formats::{Overwrite, Parts, Scratch, View, figures::Figures};
use tempfile::TempDir;
use zerocopy::IntoBytes;

use super::{
    build::build_on,
    openings::choose::Chosen,
    part::KeptBlobs,
    refresh::{Base, KeptBlock},
    rows::GROUP_GAMES,
    sum::{StoredSum, Sum},
    write::Writer,
    *,
};
use crate::{
    Progress, SidecarOptions,
    database::{Database, with_view},
    maintenance::convert::{ConvertOptions, convert},
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
            grows: false,
        };
        let (base, writer) = (Base::anew(chosen), Writer::create(&path).unwrap());
        let mut told = |_, _| Flow::Continue(());
        with_view!(database.tags(), view => build_on(base, writer, view, &order, &mut told))
            .unwrap();
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
    Chosen::of(sidecar).unwrap()
}

/// Returns the data of the blocks that are kept for a database, `None` for each other block of the
/// older sidecar; `None` if none is.
fn kept_blocks(sidecar: &Sidecar, parts: Parts) -> Option<Vec<Option<Vec<u8>>>> {
    let database = Database::from_bytes(parts).unwrap();
    let mut go_on = || Flow::Continue(());
    let base = with_view!(database.tags(), view => Base::of(sidecar, 0, view, &mut go_on));
    let base = base.unwrap()?;
    let bytes = |kept: &KeptBlobs<'_>| [kept.entries.as_bytes(), kept.bytes].concat();
    let all = |block: &KeptBlock<'_>| block.iter().map(bytes).collect::<Vec<_>>().concat();
    let blocks = base.blocks.iter();
    Some(blocks.map(|block| block.as_ref().map(all)).collect())
}

/// Tells which blocks are kept.
fn kept(sidecar: &Sidecar, parts: Parts) -> Option<Vec<bool>> {
    let blocks = kept_blocks(sidecar, parts)?;
    Some(blocks.iter().map(Option::is_some).collect())
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
    // The games of the block that was not complete are kept in groups.
    let begun = (OLD_GAMES % BLOCK_GAMES) as usize / GROUP_GAMES * GROUP_GAMES;
    let new = u64::from(NEW_GAMES - 2 * BLOCK_GAMES) - begun as u64;
    // Until it is known what is kept, the total is all games.
    let all = (0, u64::from(NEW_GAMES));
    let (comparing, making) = told.split_at(told.iter().take_while(|at| **at == all).count());
    assert!(!comparing.is_empty());
    assert!(making.iter().all(|&(_, total)| total == new));
    assert_eq!(told.last(), Some(&(new, new)));
    assert!(folder.open().sidecar().is_some());
    let refreshed = fs::read(folder.sidecar()).unwrap();
    let chosen = chosen(&opened(OLDER.clone()).unwrap());
    assert!(chosen.packed.len() > 10);
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
fn a_block_is_kept_only_if_all_its_games_are_the_same() {
    let older = opened(OLDER.clone()).unwrap();
    let record = |game: u32| HEADER_BYTES + game as usize * RECORD_BYTES;
    let changed_record = |game: u32| {
        let mut parts = scid(NEW_GAMES);
        // The flag of deleted games.
        parts.index[record(game) + 8] ^= 8;
        parts
    };
    let both = Some(vec![true, true]);
    assert_eq!(kept(&older, scid(NEW_GAMES)), both);
    assert_eq!(kept(&older, scid(OLD_GAMES)), both);
    assert_eq!(kept(&older, changed_record(2 * BLOCK_GAMES)), both);
    for game in [0, BLOCK_GAMES, 2 * BLOCK_GAMES - 1] {
        let other = (game == 0, game > 0);
        let found = kept(&older, changed_record(game));
        assert_eq!(found, Some(vec![other.1, other.0]), "{game}");
    }

    let mut other_moves = scid(NEW_GAMES);
    let index = &other_moves.index;
    let offset = |game| u32::from_be_bytes(*index[record(game)..].first_chunk().unwrap());
    let last_byte = offset(1000) as usize + usize::from(index[record(1000) + 5]) - 1;
    other_moves.games.as_mut().unwrap()[last_byte] ^= 1;
    // Games share their bytes.
    assert_eq!(kept(&older, other_moves), None);

    let mut exchanged = scid(NEW_GAMES);
    let (one, other) = exchanged.index.split_at_mut(record(7));
    let different =
        (8..).find(|&game| other[record(game) - record(7)..][..RECORD_BYTES] != one[record(6)..]);
    let other = &mut other[record(different.unwrap()) - record(7)..][..RECORD_BYTES];
    one[record(6)..].swap_with_slice(other);
    assert_eq!(kept(&older, exchanged), Some(vec![false, true]));

    let mut without_first = scid(NEW_GAMES);
    without_first.index.drain(record(0)..record(1));
    without_first.index[14..17].copy_from_slice(&(NEW_GAMES - 1).to_be_bytes()[1..]);
    assert_eq!(kept(&older, without_first), None);
    let first_only = Some(vec![true, false]);
    assert_eq!(kept(&older, scid(2 * BLOCK_GAMES - 1)), first_only);
    assert_eq!(kept(&older, scid(OLD_GAMES / 4 * 5 + 8)), None);
    assert_eq!(kept(&older, scid(OLD_GAMES / 5 * 4 - 8)), None);
}

#[test]
fn a_change_in_one_block_plays_only_that_block_again() {
    let folder = Folder::new(&scid(NEW_GAMES));
    Sidecar::build(&folder.open()).unwrap();
    let before = fs::read(folder.sidecar()).unwrap();
    let index = folder.0.path().join("some.si4");
    let mut changed = fs::read(&index).unwrap();
    // The rating of one game, which the rows of openings sum up.
    changed[HEADER_BYTES + (BLOCK_GAMES as usize + 7) * RECORD_BYTES + 30] ^= 1;
    fs::write(&index, changed).unwrap();
    let made = Sidecar::refresh(&folder.open());
    assert_eq!(made.unwrap(), BuildReport { blocks: 4, kept: 2 });
    let refreshed = fs::read(folder.sidecar()).unwrap();
    assert!(refreshed != before);
    folder.build_with(chosen(&opened(before).unwrap()));
    assert!(refreshed == fs::read(folder.sidecar()).unwrap());
}

#[test]
fn of_a_damaged_sidecar_nothing_wrong_is_kept() {
    let sound = kept_blocks(&opened(OLDER.clone()).unwrap(), scid(OLD_GAMES)).unwrap();
    let header = Header::read(&OLDER).unwrap();
    let mut places: Vec<usize> = (0..OLDER.len()).step_by(OLDER.len() / 8).collect();
    for kind in PartKind::BY_BLOCK
        .into_iter()
        .chain([PartKind::OpeningTable])
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
        let blocks = kept_blocks(&damaged, scid(OLD_GAMES)).unwrap_or_else(|| vec![None; 2]);
        for (block, sound) in blocks.iter().zip(&sound) {
            match block {
                Some(_) => assert!(block == sound, "byte {at}"),
                None => refused += 1,
            }
        }
        unharmed += usize::from(blocks == sound);
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

/// Lets the sidecar of a folder grow, and returns all that both say.
fn grown(folder: &Folder) -> BuildReport {
    let database = folder.open();
    let (path, store) = (folder.sidecar(), database.store());
    let older = Sidecar::open_older(&path, Access::Map).unwrap();
    let order = BuildRequest {
        store,
        parts: Default::default(),
        path: &path,
        grows: true,
    };
    let mut told = |_, _| Flow::Continue(());
    with_view!(database.tags(), view => build(view, &order, Some(older), &mut told)).unwrap()
}

/// Returns the blobs of all blocks and of the table of openings.
fn content(sidecar: &Sidecar) -> Vec<Vec<u8>> {
    let bytes = |kept: KeptBlobs<'_>| [kept.entries.as_bytes(), kept.bytes].concat();
    let openings = sidecar.openings.as_ref().unwrap();
    let parts = [
        &sidecar.sets,
        sidecar.timelines.as_ref().unwrap(),
        &openings.games,
        &openings.rows,
        sidecar.opening_names.as_ref().unwrap(),
        sidecar.sums.as_ref().unwrap(),
    ];
    let numbers = 0..blocks(sidecar.games);
    let of_blocks = numbers.flat_map(|number| {
        parts.map(|part| bytes(sidecar.block(part, number).unwrap().whole().unwrap()))
    });
    let table = sidecar.block_of_all(&openings.table).unwrap();
    of_blocks.chain([bytes(table.whole().unwrap())]).collect()
}

#[test]
fn a_sidecar_that_grew_says_what_one_made_anew_says() {
    let folder = Folder::new(&scid(NEW_GAMES));
    fs::write(folder.sidecar(), &*OLDER).unwrap();
    let reader = Sidecar::open_older(&folder.sidecar(), Access::Map).unwrap();
    let read = content(&reader);
    assert_eq!(grown(&folder), BuildReport { blocks: 4, kept: 2 });
    let bytes = fs::read(folder.sidecar()).unwrap();
    let used = Header::BYTES..OLDER.len();
    assert!(bytes[used.clone()] == OLDER[used], "it was copied");
    assert!(bytes.len() > OLDER.len());
    // Who has it open reads on.
    assert!(content(&reader) == read);
    let grown_content = content(folder.open().sidecar().unwrap());
    drop(reader);
    Sidecar::refresh(&folder.open()).unwrap();
    assert!(content(folder.open().sidecar().unwrap()) == grown_content);
    assert!(fs::read(folder.sidecar()).unwrap().len() < bytes.len());
}

#[test]
fn a_sidecar_whose_growth_was_cut_off_is_the_older_one() {
    let folder = Folder::new(&scid(OLD_GAMES));
    Sidecar::build(&folder.open()).unwrap();
    let mut bytes = fs::read(folder.sidecar()).unwrap();
    let length = bytes.len();
    let older = content(&opened(bytes.clone()).unwrap());
    bytes.extend([7; 5000]);
    fs::write(folder.sidecar(), &bytes).unwrap();
    assert!(content(folder.open().sidecar().unwrap()) == older);
    // What is left of it is overwritten.
    assert_eq!(grown(&folder), BuildReport { blocks: 3, kept: 2 });
    assert!(content(folder.open().sidecar().unwrap()) == older);
    assert_ne!(fs::read(folder.sidecar()).unwrap()[length..][..64], [7; 64]);
}

#[test]
fn a_sidecar_that_grows_again_and_again_stays_bounded() {
    let folder = Folder::new(&scid(OLD_GAMES));
    fs::write(folder.sidecar(), &*OLDER).unwrap();
    let mut lengths = Vec::new();
    for _ in 0..12 {
        grown(&folder);
        lengths.push(fs::metadata(folder.sidecar()).unwrap().len() as usize);
    }
    assert!(
        lengths.iter().any(|&length| length > OLDER.len()),
        "{lengths:?}"
    );
    assert!(lengths.contains(&OLDER.len()), "{lengths:?}");
    assert!(
        lengths.iter().all(|&length| length < 2 * OLDER.len()),
        "{lengths:?}"
    );
}

/// Whatever follows a text, its settled games have the same sum.
#[test]
fn no_text_that_follows_changes_games_that_are_settled() {
    let game = |moves: &str| format!("[White \"A\"]\n[Result \"*\"]\n\n{moves}\n\n");
    let (plain, open, closed, stray, varied) = (
        game("1. e4 e5 2. Nf3 Nc6 *"),
        game("1. e4 {open e5 *"),
        game("1. e4 {closed} e5 *"),
        game("1. e4 e5} *"),
        game("1. d4 (1. c4 {x"),
    );
    let plain = &*plain;
    let texts = [
        [plain, plain, plain].concat(),
        [plain, &open, plain, plain].concat(),
        [plain, &closed, plain].concat(),
        [plain, &stray, plain, "1. d4"].concat(),
        [plain, &varied, "1. e4 e5"].concat(),
    ];
    let tails = [
        "e5 *",
        " } 1. d4 d5 *\n",
        "\n\n1. c4 {x} c5 *\n",
        "] ) ; \n*",
        plain,
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.pgn");
    let mut settled = Vec::new();
    for text in texts {
        let sum_of = |text: &str, games: usize| {
            fs::write(&path, text).unwrap();
            let database = Database::read(&path).unwrap();
            let all = database.len();
            let settled = database.store().settled_games(all, text.len() as u64);
            let sum = with_view!(database.tags(), view => Sum::of(view, &view.records()[..games]));
            (settled as usize, sum)
        };
        let (games, _) = sum_of(&text, 0);
        let (_, sum) = sum_of(&text, games);
        for tail in tails {
            assert!(
                sum_of(&[&text, tail].concat(), games).1 == sum,
                "{text}{tail}"
            );
        }
        settled.push(games);
    }
    assert_eq!(settled, [2, 1, 1, 1, 1]);
}

#[test]
fn games_are_trusted_only_from_the_state_before_the_last_change() {
    let fixture = [PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/famous.pgn"
    ))];
    let go_on = |_| Flow::Continue(());
    for suffix in ["si4", "si5", "cbh", "2cbh", "dci", "pgn"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some").with_extension(suffix);
        let trusted = || {
            let older = Sidecar::open_older(&path.with_extension(SUFFIX), Access::Read).unwrap();
            older.untouched(Database::open(&path).unwrap().store())
        };
        convert(&fixture, &path, ConvertOptions::new(), go_on).unwrap();
        Sidecar::build(&Database::open(&path).unwrap()).unwrap();
        // Without a change nothing is known, and nothing need be.
        assert_eq!(trusted(), 0, "{suffix}");
        let append = ConvertOptions::new().overwrite(Overwrite::Append);
        convert(&fixture, &path, append.clone(), go_on).unwrap();
        // After the last bracket, a comment could be open that what follows closes.
        let games = if suffix == "pgn" { 85 } else { 91 };
        let is_known = cfg!(unix);
        assert_eq!(trusted(), if is_known { games } else { 0 }, "{suffix}");
        // A second change, of which the sidecar does not know the state before.
        convert(&fixture, &path, append, go_on).unwrap();
        assert_eq!(trusted(), 0, "{suffix}");
        Sidecar::refresh(&Database::open(&path).unwrap()).unwrap();
        assert!(crate::undo(&path, go_on).unwrap());
        assert_eq!(trusted(), 0, "{suffix}");
        // Somebody else writes after a change.
        let append = ConvertOptions::new().overwrite(Overwrite::Append);
        convert(&fixture, &path, append, go_on).unwrap();
        fs::write(&path, fs::read(&path).unwrap()).unwrap();
        assert_eq!(trusted(), 0, "{suffix}");
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
        convert(sources, &path, ConvertOptions::default(), go_on).unwrap();
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
