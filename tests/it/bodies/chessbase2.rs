//! Databases of ChessBase 2, made here since nothing writes them.

use tabiya::Database;

use super::{
    files::Folder,
    pieces::{Pieces, joined},
};
use crate::support::exercise;

/// The files that are read, by letter.
const FILES: [(u8, &str); 4] = [
    (b'h', "2cbh"),
    (b'g', "2cbg"),
    (b'a', "2cba"),
    (b'l', "2lid"),
];

pub(crate) fn check(input: &[u8]) {
    let pieces = Pieces::of(input);
    if pieces.get(b'h').is_none() {
        return;
    }
    let folder = Folder::new();
    for (letter, suffix) in FILES {
        if let Some(bytes) = pieces.get(letter) {
            folder.put(&format!("a.{suffix}"), bytes);
        }
    }
    if let Ok(database) = Database::read(folder.path("a.2cbh")) {
        exercise::whole(&database);
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let set = made();
    let few = set
        .iter()
        .filter(|(letter, _)| b"hg".contains(letter))
        .cloned();
    vec![joined(few), joined(set.iter().cloned())]
}

/// Bytes of a record of the index, and where its fields are.
pub(crate) const RECORD_BYTES: usize = 192;
const TEXT: u8 = 3;
const GAME: u8 = 1;

/// Returns the bytes of a record of games, annotations or texts.
pub(crate) fn frame(tag: u16, content: &[u8]) -> Vec<u8> {
    const SPARE: usize = 5;
    let part = content.len() / 8;
    let mut sums: Vec<u8> = (0..8)
        .map(|sum| match part {
            0 => content.get(sum).copied().unwrap_or_default(),
            _ => {
                let part = content.iter().skip(sum * part).take(part);
                part.fold(0_u8, |sum, byte| sum.wrapping_add(*byte))
            }
        })
        .collect();
    sums.reverse();
    let mut frame = vec![0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
    frame.extend((content.len() as u32).to_le_bytes());
    frame.extend((SPARE as u32).to_le_bytes());
    frame.extend(sums);
    frame.extend(tag.to_le_bytes());
    frame.extend(content);
    frame.extend([0; SPARE]);
    frame.extend(((content.len() + SPARE + 34) as u64).to_le_bytes());
    frame
}

pub(crate) fn words(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn counted(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
}

/// Annotations of the game and of its first move.
fn annotations() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut block = |position: i32, items: &[Vec<u8>]| {
        bytes.extend(position.to_le_bytes());
        bytes.extend((items.len() as u32).to_le_bytes());
        items.iter().for_each(|item| bytes.extend(item));
    };
    let item = |kind: u16, data: &[u8]| [&kind.to_le_bytes()[..], data].concat();
    let text = [&[0, 0, 7, 0][..], &counted("good")].concat();
    let quotation = [
        &[1, 2, 0, 0, 0, 1, 0, 0, 0, 0][..],
        b"\x02A\0\x01\0\x02B\0\x01\0\x01\0\x02E\0",
        &[0; 79],
        &[1, 0, 1, 0, 0, 0, 0, 0, 0],
        &[1, 0, 1, 0, 0, 0, 0, 0, 0],
        &[0; 26],
        &[1, 0, 0, 1, 0, 0, 0, 33, 35, 0, 0, 0, 0, 0, 0, 0],
    ];
    let training = [
        &[1, 1, 1, 0, 0, 0][..],
        &[9, 0, 0, 0, 1, 0],
        &[0; 8],
        &[1, 12, 28, 0, 0, 0, 0],
    ];
    block(
        -1,
        &[item(0x26, &[1, 8, 0, 0, 0, 2, 0, 5, 0, 9, 0, 3, 0, 9, 1])],
    );
    block(
        0,
        &[
            item(0x82, &text),
            item(0x03, &[1, 0, 0]),
            item(0x02, &text),
            item(0x04, &[2, 0, 0, 0, 2, 37]),
            item(0x05, &[3, 0, 0, 0, 4, 1, 64]),
            item(0x13, &quotation.concat()),
            item(0x09, &training.concat()),
            item(0x21, &[35, 0, 0, 0, 12, 0]),
        ],
    );
    bytes.extend([0xff, 0xff, 0xff, 0x7f]);
    bytes
}

/// Returns a game with variations, one from a start position, one of Chess960, and a text.
fn contents() -> [Vec<u8>; 4] {
    let [e4, e5, c5, nf3, nc6, bb5] = [0xad3f, 0xb02d, 0xaf71, 0x325f, 0x836b, 0x3c67];
    [
        frame(
            1,
            &words(&[
                0xfffc, e4, e5, 0xfffd, nf3, nc6, bb5, 0xfffa, 0xffff, c5, 0xfffd, nf3, 0xffff,
                0xfffa, 0xffff,
            ]),
        ),
        // White's king on a1, Black's on h8, White's pawn on e2.
        frame(
            1,
            &words(&[
                0xfffb,
                40,
                0,
                0,
                0xc02d,
                0xc2ad + 24,
                0xc16d + 63,
                0xfffc,
                e4,
                0xffff,
            ]),
        ),
        frame(2, &words(&[0xfffb, 518, 0xfffc, e4, e5, 0xffff])),
        frame(
            0x1000,
            &[
                &[5, 0, 23, 0, 0, 0, 1, 0, 0, 0, 42, 0, 0, 0][..],
                &counted("<p>text</p>"),
            ]
            .concat(),
        ),
    ]
}

/// Returns the files of a set, by letter: a game with variations and annotations, one from a start
/// position, one of Chess960, and a text.
pub(crate) fn made() -> Vec<(u8, Vec<u8>)> {
    let contents = contents();
    let notes = [
        annotations(),
        vec![0xff, 0xff, 0xff, 0x7f],
        vec![0xff, 0xff, 0xff, 0x7f],
    ];
    let (mut index, mut games, mut annotated) =
        (vec![0_u8; RECORD_BYTES], vec![0_u8; 12], vec![0_u8; 12]);
    index[8..12].copy_from_slice(&[38, 0, 192, 0]);
    index[16] = contents.len() as u8 + 1;
    // Set-up, variations and annotations; number of moves.
    let told: [(u32, u8); 4] = [(0x0008_023e, 3), (1, 1), (0x0800_0001, 1), (0, 0)];
    for (number, content) in contents.iter().enumerate() {
        let mut record = [0_u8; RECORD_BYTES];
        let is_text = number == 3;
        let state = if is_text { TEXT } else { GAME };
        (record[0], record[2], record[3]) = (state, 1, state);
        record[8..16].copy_from_slice(&(games.len() as u64).to_le_bytes());
        games.extend(content);
        if let Some(notes) = notes.get(number) {
            record[16..24].copy_from_slice(&(annotated.len() as u64).to_le_bytes());
            annotated.extend(frame(0x2000, notes));
            record[32] = 1;
            record[64..80].fill(0xff);
            record[88] = 2;
            record[90] = 1;
            record[132..136].copy_from_slice(&told[number].0.to_le_bytes());
            record[138] = told[number].1;
        }
        index.extend(record);
    }
    vec![
        (b'h', index),
        (b'g', games),
        (b'a', annotated),
        (b'l', names()),
    ]
}

/// Two players, and one of each other kind.
fn names() -> Vec<u8> {
    const BYTES: [u32; 6] = [64, 160, 32, 0, 32, 32];
    let mut file = [184_u32, 6].map(u32::to_be_bytes).concat();
    for bytes in BYTES {
        file.extend(bytes.to_be_bytes());
        file.extend(1_u64.to_be_bytes());
        file.extend((-1_i64).to_be_bytes());
    }
    file.resize(184, 0);
    let mut add = |bytes: u32, data: &[u8]| {
        let start = file.len();
        file.extend((data.len() as u32).to_le_bytes());
        file.extend(data);
        file.resize(start + bytes as usize, 0);
    };
    let player = |last: &str| [counted(last), counted("A"), vec![0; 24]].concat();
    for last in ["Müller", "Berg"] {
        add(64, &player(last));
        add(
            160,
            &[counted("Oslo"), counted("Open"), vec![0; 110]].concat(),
        );
        add(32, &[counted("S"), counted("P"), vec![0; 12]].concat());
        add(32, &[counted("T"), vec![0; 5]].concat());
        add(
            32,
            &[&[1, 0, 0, 0, 42, 0, 0, 0][..], &counted("title")].concat(),
        );
    }
    file
}
