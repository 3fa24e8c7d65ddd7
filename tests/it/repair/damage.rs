//! Ways to damage files.

use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
};

use crate::support::dice::Dice;

/// Which bytes of which files differ from what they were.
#[derive(Debug, Default)]
pub(super) struct Harm(BTreeMap<PathBuf, Vec<u64>>);

impl Harm {
    pub(super) fn note(&mut self, path: &Path, sound: &[u8], damaged: &[u8]) {
        let differs = |at: &usize| damaged.get(*at) != sound.get(*at);
        let places = (0..sound.len()).filter(differs).map(|at| at as u64);
        self.0.insert(path.to_owned(), places.collect());
    }

    pub(super) fn hits(&self, path: &Path, place: &Range<u64>) -> bool {
        self.0.get(path).is_some_and(|places| {
            let first = places.partition_point(|&at| at < place.start);
            places.get(first).is_some_and(|&at| at < place.end)
        })
    }
}

/// Single bytes, one of a hundred, get any value.
pub(super) fn bytes(dice: &mut Dice, file: &mut [u8]) {
    for _ in 0..file.len().div_ceil(100) {
        let at = dice.below(file.len());
        file[at] = dice.below(256) as u8;
    }
}

/// Stretches of 512 bytes get zero, one byte of a hundred in all, as a disk loses sectors.
pub(super) fn sectors(dice: &mut Dice, file: &mut [u8]) {
    const SECTOR: usize = 512;
    let expected = file.len().div_ceil(100);
    for _ in 0..expected.div_ceil(SECTOR) {
        let start = dice.below(file.len());
        let end = file.len().min(start + SECTOR);
        file[start..end].fill(0);
    }
}
