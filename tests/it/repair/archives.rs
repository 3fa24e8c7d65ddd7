//! Archives of ChessBase and of jose: what lies in them comes over as far as they unpack.

use std::{fs, ops::Range, path::Path};

use tabiya::{ConvertOptions, Database};

use super::{
    Patient, Place, Whole, damage,
    formats::{made, records},
    repaired,
};
use crate::support::{dice::Dice, shared};

/// What a block of a member holds.
const BLOCK: u64 = 61_440;
/// Bytes before what a block holds that stands there as it is.
const BLOCK_HEAD: u64 = 5;
/// Bytes of the head of an archive and of a member's entry.
const HEAD: u64 = 8;
const ENTRY: u64 = 173;

/// Packs files into an archive without making them smaller; returns where each begins.
fn archive(files: &[(String, Vec<u8>)]) -> (Vec<u8>, Vec<u64>) {
    let packed: Vec<Vec<u8>> = files.iter().map(|(_, bytes)| blocks(bytes)).collect();
    let mut bytes = vec![8, 0, files.len() as u8, 0, 173, 0, 3, 0];
    let mut at = HEAD + ENTRY * files.len() as u64;
    let mut starts = Vec::new();
    for ((name, file), packed) in files.iter().zip(&packed) {
        let numbers = [at, packed.len() as u64, file.len() as u64];
        let mut entry = name.clone().into_bytes();
        entry.resize(128, 0);
        entry.extend(numbers.map(|number| (number as u32).to_le_bytes()).concat());
        entry.extend([7; 9]);
        entry.extend(numbers.map(u64::to_le_bytes).concat());
        bytes.extend(entry);
        starts.push(at);
        at += packed.len() as u64;
    }
    bytes.extend(packed.concat());
    (bytes, starts)
}

fn blocks(bytes: &[u8]) -> Vec<u8> {
    let block = |held: &[u8]| {
        let length = (held.len() + 1) as u16;
        [&length.to_le_bytes()[..], &[0xab, 0xcd, 0], held].concat()
    };
    bytes.chunks(BLOCK as usize).flat_map(block).collect()
}

/// Returns where bytes of a member lie in the archive, heads of their blocks included.
fn places(start: u64, place: &Range<u64>) -> Vec<Range<u64>> {
    let of_block = |block: u64| {
        let head = start + block * (BLOCK + BLOCK_HEAD);
        let held = |at: u64| head + BLOCK_HEAD + at - block * BLOCK;
        let first = held(place.start.max(block * BLOCK));
        [
            head..head + BLOCK_HEAD,
            first..held(place.end.min((block + 1) * BLOCK)),
        ]
    };
    (place.start / BLOCK..=(place.end - 1) / BLOCK)
        .flat_map(of_block)
        .collect()
}

/// The list of members is whole here: without a file's entry nothing tells where it is.
#[test]
fn of_an_archive_every_undamaged_game_in_readable_blocks_comes_over() {
    for seed in 0..4 {
        let (folder, index) = made("old.cbh", seed, ConvertOptions::default());
        let mut whole = Whole::new(&index, records(46, 46));
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let files = whole
            .files
            .iter()
            .map(|path| (name(path), fs::read(path).unwrap()));
        let files: Vec<(String, Vec<u8>)> = files.collect();
        let (bytes, starts) = archive(&files);
        let path = folder.path().join("packed.cbv");
        fs::write(&path, bytes).unwrap();
        let packed = |(file, place): &Place| -> Vec<Place> {
            let member = whole.files.iter().position(|known| known == file).unwrap();
            let places = places(starts[member], place).into_iter();
            places.map(|place| (path.clone(), place)).collect()
        };
        let of_game = |game: &Vec<Place>| game.iter().flat_map(packed).collect();
        whole.places = whole.places.iter().map(of_game).collect();
        whole.index = path.clone();
        whole.files = vec![path];
        let patient = Patient::new(folder, whole);
        let list = (HEAD + ENTRY * files.len() as u64) as usize;
        let mut dice = Dice::new(seed);
        for make in [damage::bytes as fn(&mut Dice, &mut [u8]), damage::sectors] {
            let harm = patient.harm(|dice, file| make(dice, &mut file[list..]), &mut dice);
            patient.recovers(&harm, "new.si4", false);
        }
    }
}

#[test]
fn an_archive_whose_head_or_numbers_are_damaged_still_opens() {
    let (folder, index) = made("old.cbh", 9, ConvertOptions::default());
    let whole = Whole::new(&index, records(46, 46));
    let files = whole.files.iter().map(|path| {
        let suffix = path.extension().unwrap().to_string_lossy();
        (format!("old.{suffix}"), fs::read(path).unwrap())
    });
    let files: Vec<(String, Vec<u8>)> = files.collect();
    let (bytes, _) = archive(&files);
    let path = folder.path().join("packed.cbv");
    let first = HEAD as usize;
    for damaged in [
        0..first,
        first + 128..first + 132,
        first + 136..first + 140,
        first..first + 2,
    ] {
        let mut bytes = bytes.clone();
        bytes[damaged].fill(0xee);
        fs::write(&path, bytes).unwrap();
        let repaired = repaired(&path, &folder.path().join("new.si4"));
        repaired.adds_up();
        assert_eq!(repaired.moves, whole.moves);
        assert_eq!(repaired.repair.lost, 0);
    }
}

/// Packed bytes mean nothing after the first that is damaged.
#[test]
fn of_joses_archive_every_game_before_the_damage_comes_over() {
    let Some(path) = shared::path("data/jose/lab.jose") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let sound = Database::open(&path).unwrap();
    let mut bytes = fs::read(path).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0x55);
    let damaged = folder.path().join("half.jose");
    fs::write(&damaged, &bytes).unwrap();
    let half = repaired(&damaged, &folder.path().join("new.si5"));
    half.adds_up();
    assert!(
        half.repair.sound > u64::from(sound.len()) / 5,
        "{:?}",
        half.repair
    );
    assert!(!half.repair.notes.is_empty());
    // The first bytes of the packer say nothing that is not known.
    bytes[..4].fill(0);
    fs::write(&damaged, &bytes).unwrap();
    let headless = repaired(&damaged, &folder.path().join("new.si5"));
    assert_eq!(headless.moves, half.moves);
}
