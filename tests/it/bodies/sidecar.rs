//! A sidecar beside a small database: whatever is in it, it is refused or changes no answer.
//!
//! An input is a sidecar, or changes to the sound one. Checksums protect against damage, not
//! against forgers: where an input has checksums that fit and are not those of the sound sidecar,
//! answers may be wrong, and only that they come counts.

use std::{
    fs::File,
    ops::Range,
    sync::LazyLock,
    time::{Duration, SystemTime},
};

use tabiya::{
    Database, Match, OpenOptions, Positions, Query, Search, SidecarOptions, Strategy, TreePosition,
    TreeSearch, chess::NameKind,
};

use super::{
    files::{Folder, some_games},
    pieces::{Pieces, joined},
};
use crate::support::{
    ask::{self, OF_ALL_KINDS},
    pool,
};

/// A whole sidecar; changes to the sound one, each a place (3 bytes, little-endian) and a byte;
/// that checksums are to be made right.
const WHOLE: u8 = b's';
const CHANGES: u8 = b'c';
const FORGED: u8 = b'f';

/// The database and what it answers.
struct Known {
    folder: Folder,
    sound: Vec<u8>,
    answers: Vec<(Query, Vec<Match>)>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let folder = Folder::new();
    let parts = pool::written(&some_games(9, 40));
    let files = [
        ("a.si4", Some(parts.index)),
        ("a.sg4", parts.games),
        ("a.sn4", parts.names),
    ];
    // The sidecar tells when they were changed, and is to be the same each time it is made.
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for (name, bytes) in files {
        let path = folder.put(name, &bytes.unwrap_or_default());
        let file = File::options().write(true).open(path).expect("it is there");
        file.set_modified(time).expect("times can be set");
    }
    let index = folder.path("a.si4");
    let database = Database::open(&index).expect("what was written opens");
    let options = SidecarOptions::new().columns(true);
    options.build(&database).expect("a sidecar can be made");
    let answers = OF_ALL_KINDS.iter().map(|text| {
        let query = ask::query(text);
        let full = Search::new(&query).strategy(Strategy::FullDecode);
        let found = full.run(&database).expect("the search runs").into_parts().0;
        (query, found)
    });
    Known {
        sound: std::fs::read(folder.path("a.tabiya")).expect("it was made"),
        answers: answers.collect(),
        folder,
    }
});

pub(crate) fn check(input: &[u8]) {
    let known = &*KNOWN;
    let pieces = Pieces::of(input);
    let mut sidecar = pieces.owned(WHOLE).unwrap_or_else(|| known.sound.clone());
    let (changes, _) = pieces.get(CHANGES).unwrap_or_default().as_chunks::<4>();
    for [a, b, c, byte] in changes {
        let at = u32::from_le_bytes([*a, *b, *c, 0]) as usize;
        let length = sidecar.len().max(1);
        if let Some(changed) = sidecar.get_mut(at % length) {
            *changed = *byte;
        }
    }
    if pieces.get(FORGED).is_some() {
        make_checksums_right(&mut sidecar);
    }
    known.folder.put("a.tabiya", &sidecar);
    let database = OpenOptions::new()
        .in_memory(true)
        .open(known.folder.path("a.si4"));
    let database = database.expect("a sidecar keeps no database from opening");
    ask_all(&database);
    let is_honest = keeps_checksums(&known.sound, &sidecar);
    for (query, answer) in &known.answers {
        let found = Search::new(query).run(&database).expect("the search runs");
        assert!(found.as_slice() == answer || !is_honest, "{query}");
    }
}

/// Asks what else a sidecar takes part in.
fn ask_all(database: &Database) {
    for moves in ["", "1.e4", "1.d4 Nf6 2.c4"] {
        let position = TreePosition::from_moves(moves).expect("moves");
        let _ = TreeSearch::new(&position).run(database);
    }
    let epd = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w";
    let _ = Positions::from_epd(epd).expect("a position").run(database);
    for kind in NameKind::ALL {
        let _ = database.find_names(kind, "a");
    }
}

// ---- checksums ----

// `src/sidecar/mod.rs` describes the header.
const HEADER_BYTES: usize = 528;
const HEADER_CHECKSUM: usize = 520;
const PARTS: Range<usize> = 136..520;
const PART_BYTES: usize = 24;
const ENTRY_BYTES: usize = 12;

fn number(bytes: &[u8], at: usize, width: usize) -> usize {
    let bytes = bytes.get(at..).and_then(|rest| rest.get(..width));
    let bytes = bytes.unwrap_or_default().iter().rev();
    bytes.fold(0, |number, &byte| number << 8 | usize::from(byte))
}

/// Returns the directories that a header tells of, and how many blobs each has.
fn directories(sidecar: &[u8]) -> Vec<(Range<usize>, usize)> {
    let mut directories = Vec::new();
    for part in PARTS.step_by(PART_BYTES) {
        let blobs = number(sidecar, part + 4, 4);
        let (start, bytes) = (number(sidecar, part + 8, 8), number(sidecar, part + 16, 8));
        let length = blobs.saturating_mul(ENTRY_BYTES).saturating_add(16);
        let end = start.saturating_add(bytes);
        if end <= sidecar.len() {
            let starts = (start..end).step_by(length);
            let fitting = starts.filter(|start| start + length <= end);
            directories.extend(fitting.map(|start| (start..start + length, blobs)));
        }
    }
    directories
}

/// Writes the checksum of some bytes before the place where it stands.
fn put_checksum(sidecar: &mut [u8], of: Range<usize>, at: usize) {
    let sum = sidecar.get(of).map(crc32fast::hash);
    if let (Some(sum), Some(place)) = (sum, sidecar.get_mut(at..at + 4)) {
        place.copy_from_slice(&sum.to_le_bytes());
    }
}

fn make_checksums_right(sidecar: &mut [u8]) {
    let length = sidecar.len() as u64;
    if let Some(place) = sidecar.get_mut(16..24) {
        place.copy_from_slice(&length.to_le_bytes());
    }
    for (directory, blobs) in directories(sidecar) {
        let games = number(sidecar, directory.start + 4, 4);
        let first = number(sidecar, directory.start + 8, 8);
        for entry in (directory.start + 16..directory.end)
            .step_by(ENTRY_BYTES)
            .take(blobs)
        {
            let start = first.saturating_add(number(sidecar, entry, 4));
            let bytes = blob_bytes(number(sidecar, entry + 4, 4), games);
            let end = start.saturating_add(bytes);
            put_checksum(sidecar, start..end, entry + 8);
        }
        let checked = directory.start + 4..directory.end;
        put_checksum(sidecar, checked, directory.start);
    }
    put_checksum(sidecar, 0..HEADER_CHECKSUM, HEADER_CHECKSUM);
}

/// Tells whether the checksums of the header and of all directories are those of the sound
/// sidecar: then what they stand for is sound too, or is not used.
fn keeps_checksums(sound: &[u8], sidecar: &[u8]) -> bool {
    let places = directories(sound)
        .into_iter()
        .map(|(directory, _)| directory.start);
    let mut places = places.chain([HEADER_CHECKSUM]);
    sidecar.len() < HEADER_BYTES || places.all(|at| number(sound, at, 4) == number(sidecar, at, 4))
}

/// Returns the length of a blob with this shape in a directory, in a block of `games` games.
fn blob_bytes(shape: usize, games: usize) -> usize {
    let count = shape & 0xff_ffff;
    let numbers = |count: usize| (2 * count).min(count + 512);
    match shape >> 24 {
        2 => numbers(count),
        3 => numbers(games.saturating_sub(count)),
        4 => 8 * games.div_ceil(64),
        5 => count,
        _ => 0,
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let sound = &KNOWN.sound;
    let change = |at: usize, byte: u8| [at as u8, (at >> 8) as u8, (at >> 16) as u8, byte];
    // The header, each directory's start and its first entries, and the first blobs of each.
    let mut places = vec![4, 12, 16, 24, 28, 40, 48, 104, 136, 140, 144, 152, 524];
    for (directory, _) in directories(sound) {
        let blob = number(sound, directory.start + 8, 8);
        let more = [0, 4, 8, 16, 20, 23, 24, 28].map(|at| directory.start + at);
        places.extend(more.into_iter().chain([blob, blob + 1, blob + 9]));
    }
    let mut seeds = vec![joined([(WHOLE, sound)]), joined([(CHANGES, [])])];
    for places in places.chunks(4) {
        let changes: Vec<u8> = places.iter().flat_map(|&at| change(at, at as u8)).collect();
        seeds.push(joined([(CHANGES, &*changes)]));
        seeds.push(joined([(CHANGES, &*changes), (FORGED, &[])]));
    }
    seeds
}
