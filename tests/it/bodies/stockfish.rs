//! Training data of the engine Stockfish.

use tabiya::{GameId, OpenOptions};

use super::files::open_file;
use crate::support::{
    binpack::{self, Step, encoded, random_chain, random_file, told},
    dice::Dice,
    exercise,
};

/// Takes a file, or the data of a block. A game that is read is the chain that an independent
/// decoder reads there.
pub(crate) fn check(input: &[u8]) {
    let wrapped;
    let bytes = if input.starts_with(b"BINP") {
        input
    } else {
        wrapped = binpack::block(&[input.to_vec()]);
        &wrapped
    };
    let database = open_file("a.binpack", bytes, OpenOptions::new()).expect("it opens");
    exercise::whole(&database);
    for id in (0..database.len().min(100)).map(GameId) {
        let Ok(lines) = told(&database, id) else {
            continue;
        };
        let facts = database.facts(id).expect("every game has facts");
        let chain = &bytes[facts.offset_bytes as usize..][..facts.length_bytes as usize];
        let (steps, length) = binpack::chain(chain).expect("a whole chain");
        assert_eq!(length, chain.len());
        let decoded = steps.iter().map(|step| without_ply(&step.line()));
        assert!(decoded.eq(lines.iter().map(|line| without_ply(line))));
    }
}

/// The ply of a stem may be that of the other side; the number of the move does not tell.
fn without_ply(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    words.remove(words.len() - 2);
    words.join(" ")
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut dice = Dice::new(1);
    let mut seeds: Vec<Vec<u8>> = (0..6).map(|_| encoded(&random_chain(&mut dice))).collect();
    seeds.extend([1, 3, 12].map(|games| random_file(&mut dice, games)));
    let steps: Vec<Step> = random_chain(&mut dice);
    seeds.push(binpack::block(&[encoded(&steps), encoded(&steps)]));
    seeds
}
