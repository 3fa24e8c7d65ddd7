//! ChessBase databases, in files of their own and in archives.

use tabiya::{Database, OpenOptions};

use super::{
    files::{Folder, converted, famous, open_file},
    pieces::{Pieces, joined},
};
use crate::support::exercise;

/// The files that are read, by letter.
const FILES: [(u8, &str); 11] = [
    (b'h', "cbh"),
    (b'g', "cbg"),
    (b'a', "cba"),
    (b'p', "cbp"),
    (b't', "cbt"),
    (b'c', "cbc"),
    (b's', "cbs"),
    (b'e', "cbe"),
    (b'l', "cbl"),
    (b'j', "cbj"),
    (b'f', "flags"),
];
/// An archive, and the password that opens one in cipher.
const ARCHIVE: u8 = b'v';
const PASSWORD: u8 = b'w';

pub(crate) fn check(input: &[u8]) {
    let pieces = Pieces::of(input);
    if let Some(archive) = pieces.get(ARCHIVE) {
        let mut options = OpenOptions::new();
        if let Some(password) = pieces.get(PASSWORD) {
            options = options.password(String::from_utf8_lossy(password));
        }
        if let Ok(database) = open_file("a.cbv", archive, options) {
            exercise::whole(&database);
        }
    }
    if pieces.get(b'h').is_none() {
        return;
    }
    let folder = Folder::new();
    for (letter, suffix) in FILES {
        if let Some(bytes) = pieces.get(letter) {
            folder.put(&format!("a.{suffix}"), bytes);
        }
    }
    if let Ok(database) = Database::read(folder.path("a.cbh")) {
        exercise::whole(&database);
    }
}

/// Three short games with setups, variations, a promotion, glyphs, comments, squares, arrows,
/// medals and a null move.
pub(crate) const ANNOTATED: &str = r#"
[Event "Oslo"]
[Site "Norway"]
[Date "1999.04.05"]
[Round "3"]
[White "Müller, Karl"]
[Black "Berg, Ole"]
[Result "1-0"]
[WhiteElo "2300"]
[ECO "C20"]
[Annotator "Nunn"]
[Source "Mega"]
[WhiteTeam "Norge"]
[Medals "novelty, sacrifice"]
[EventEndDate "1999.05.11"]

1. e4 $1 {[%csl Ge4] best} e5 (1... c5 2. Nf3 (2. c3 d5) 2... d6) 2. Ke2 Ke7 3. -- a6 1-0

[Event "Bergen"]
[Site "Norway"]
[White "Li, A"]
[Black "Berg, Ole"]
[Result "0-1"]
[SetUp "1"]
[FEN "4k3/P7/8/8/8/8/p7/4K3 w - - 0 40"]

40. a8=Q+ {[%cal Ra8e8] so [%eval 0.35,12] [%emt 0:00:05]} Kd7 41. Qd5+ (41. Qb7+) 0-1

[Event "Mainz"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "bqnb1krr/pppppppp/8/8/8/8/PPPPPPPP/BQNB1KRR w HGhg - 0 1"]

1. O-O O-O *
"#;

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let sets = [converted(ANNOTATED, "cbh"), converted(&famous(4), "cbh")];
    let mut seeds = Vec::new();
    for set in sets {
        let letter = |suffix: &str| {
            FILES
                .iter()
                .find(|file| file.1 == suffix)
                .map(|file| file.0)
        };
        let files = set
            .iter()
            .filter_map(|(suffix, bytes)| Some((letter(suffix)?, bytes)));
        seeds.push(joined(files.clone()));
        // Those without which nothing is read, so that what is changed is theirs.
        seeds.push(joined(files.filter(|file| b"hgap".contains(&file.0))));
        seeds.push(joined([(ARCHIVE, archive(&set))]));
    }
    seeds
}

/// An archive of files as they are, in blocks of method 0.
fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    const ENTRY_BYTES: usize = 173;
    const BLOCK_BYTES_MAX: usize = 0x8000;
    let packed = files.iter().map(|(_, bytes)| {
        let blocks = bytes.chunks(BLOCK_BYTES_MAX).map(|chunk| {
            let length = (chunk.len() + 1) as u16;
            [&length.to_le_bytes()[..], &[0, 0, 0], chunk].concat()
        });
        blocks.collect::<Vec<_>>().concat()
    });
    let packed: Vec<Vec<u8>> = packed.collect();
    let mut archive = vec![8, 0, files.len() as u8, 0, ENTRY_BYTES as u8, 0, 3, 0];
    let mut offset = (archive.len() + ENTRY_BYTES * files.len()) as u64;
    for ((suffix, bytes), packed) in files.iter().zip(&packed) {
        let numbers = [offset, packed.len() as u64, bytes.len() as u64];
        let mut entry = format!("a.{suffix}").into_bytes();
        entry.resize(128, 0);
        entry.extend(numbers.map(|number| (number as u32).to_le_bytes()).concat());
        entry.extend([0; 9]);
        entry.extend(numbers.map(u64::to_le_bytes).concat());
        archive.extend(entry);
        offset += packed.len() as u64;
    }
    archive.extend(packed.concat());
    archive
}
