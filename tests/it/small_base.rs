//! A database of a few games, byte for byte, as Scid 4 would write it.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The parts of one game: its record's fields and its bytes in the games file.
struct Game {
    names: Names,
    date: u32,
    result: u16,
    eco: u16,
    ratings: [u16; 2],
    plies: u8,
    /// Bit 0: own start position, 1: promotion.
    flags: u16,
    /// NAGs, comments, variations; 4 bits each.
    counts: u16,
    material: u32,
    home_pawns: &'static [u8],
    blob: &'static [u8],
}

/// White, Black, event, site, round: indices in the lists below.
struct Names([u16; 5]);

const PLAYERS: [&str; 6] = [
    "Fool, Frank",
    "Sharp, Sue",
    "Müller, Jan",
    "de Vries, Bo",
    "\"Q\", x",
    "?",
];
const EVENTS: [&str; 3] = ["Club, Monday", "Open", "?"];
const SITES: [&str; 3] = ["Bonn GER", "", "?"];
const ROUNDS: [&str; 4] = ["10", "2", "1", "?"];

/// All men of one side at home: Q1 R2 B2 N2 P8.
const FULL: u32 = 0x6a8;

const fn date(year: u32, month: u32, day: u32) -> u32 {
    year << 9 | month << 5 | day
}

/// Scid's number of a basic opening code.
const fn eco(letter: u8, number: u16) -> u16 {
    1 + 131 * (100 * (letter - b'A') as u16 + number)
}

fn games() -> Vec<Game> {
    vec![
        // 1. f3 e5 2. g4 Qh4#
        Game {
            names: Names([0, 1, 0, 0, 0]),
            date: date(2001, 5, 17),
            result: 2,
            eco: eco(b'A', 0),
            ratings: [1500, 2100],
            plies: 4,
            flags: 0,
            counts: 0,
            material: FULL << 12 | FULL,
            home_pawns: &[10, 3, 9],
            blob: &[0, 0, 0xd1, 0xcf, 0xef, 0x43, 0x5f, 15],
        },
        // 1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#
        Game {
            names: Names([1, 2, 0, 1, 1]),
            date: date(1999, 0, 0),
            result: 1,
            eco: eco(b'C', 20),
            ratings: [2100, 0],
            plies: 7,
            flags: 0,
            counts: 0,
            material: FULL << 12 | (FULL - 1),
            home_pawns: &[11, 3, 2],
            blob: &[
                0, 0, 0xcf, 0xcf, 0x43, 0x67, 0x22, 0x5a, 0x61, 0x47, 0x75, 15,
            ],
        },
        // 1. d4 $1 {Solid} d5 (1... Nf6 2. c4) 2. c4
        Game {
            names: Names([3, 4, 1, 0, 2]),
            date: date(2010, 12, 0),
            result: 3,
            eco: eco(b'D', 6),
            ratings: [2400, 2450],
            plies: 3,
            flags: 0,
            counts: 0x111,
            material: FULL << 12 | FULL,
            home_pawns: &[12, 4, 13],
            blob: &[
                0, 0, 0xbf, 11, 1, 12, 0xbf, 13, 0x61, 0xaf, 14, 0xaf, 15, b'S', b'o', b'l', b'i',
                b'd', 0,
            ],
        },
        // 1. a8=Q+ Ke7 from a position of its own
        Game {
            names: Names([2, 3, 1, 2, 3]),
            date: date(2010, 12, 24),
            result: 0,
            eco: 0,
            ratings: [0, 0],
            plies: 2,
            flags: 3,
            counts: 0,
            material: 0x40_0000,
            home_pawns: &[],
            blob: b"\0\x034k3/P7/8/8/8/8/8/4K3 w - - 0 1\0\x14\x02\x0f",
        },
        // A game without moves, of which nothing is known.
        Game {
            names: Names([5, 5, 2, 2, 3]),
            date: 0,
            result: 0,
            eco: 0,
            ratings: [0, 0],
            plies: 0,
            flags: 0,
            counts: 0,
            material: FULL << 12 | FULL,
            home_pawns: &[],
            blob: &[0, 0, 15],
        },
    ]
}

/// Where the bytes of the second game's first move lie in the games file.
pub(crate) const SECOND_GAME_MOVES: usize = 10;

/// Writes the database `name.si4` with its companions into a directory; returns its path.
pub(crate) fn write(directory: &Path, name: &str) -> PathBuf {
    let games = games();
    let path = directory.join(name).with_extension("si4");
    fs::write(&path, index(&games)).unwrap();
    fs::write(path.with_extension("sn4"), names()).unwrap();
    let blobs: Vec<u8> = games.iter().flat_map(|game| game.blob.to_vec()).collect();
    fs::write(path.with_extension("sg4"), blobs).unwrap();
    path
}

fn index(games: &[Game]) -> Vec<u8> {
    let mut bytes = b"Scid.si\0\x01\x90".to_vec();
    bytes.extend([0; 4]);
    bytes.extend(&(games.len() as u32).to_be_bytes()[1..]);
    bytes.extend([0; 3]);
    let mut description = b"Five games".to_vec();
    description.resize(108, 0);
    bytes.extend(description);
    bytes.extend([0; 54]);
    let mut offset = 0;
    for game in games {
        bytes.extend(record(game, offset));
        offset += game.blob.len() as u32;
    }
    bytes
}

fn record(game: &Game, offset: u32) -> Vec<u8> {
    let Names([white, black, event, site, round]) = game.names;
    let mut bytes = offset.to_be_bytes().to_vec();
    bytes.extend((game.blob.len() as u16).to_be_bytes());
    bytes.push(0);
    bytes.extend(game.flags.to_be_bytes());
    bytes.push(0);
    bytes.extend(white.to_be_bytes());
    bytes.extend(black.to_be_bytes());
    bytes.push(0);
    for name in [event, site, round] {
        bytes.extend(name.to_be_bytes());
    }
    bytes.extend((game.result << 12 | game.counts).to_be_bytes());
    bytes.extend(game.eco.to_be_bytes());
    bytes.extend(game.date.to_be_bytes());
    for rating in game.ratings {
        bytes.extend(rating.to_be_bytes());
    }
    bytes.push(0);
    bytes.extend(&game.material.to_be_bytes()[1..]);
    bytes.push(game.plies);
    bytes.push(game.home_pawns.len() as u8);
    let mut nibbles = [0; 16];
    nibbles[..game.home_pawns.len()].copy_from_slice(game.home_pawns);
    bytes.extend(nibbles.chunks(2).map(|pair| pair[0] << 4 | pair[1]));
    assert_eq!(bytes.len(), 47);
    bytes
}

fn names() -> Vec<u8> {
    let lists: [&[&str]; 4] = [&PLAYERS, &EVENTS, &SITES, &ROUNDS];
    let mut bytes = b"Scid.sn\0".to_vec();
    bytes.extend([0; 4]);
    for list in lists {
        bytes.extend(&(list.len() as u32).to_be_bytes()[1..]);
    }
    for _ in lists {
        bytes.extend([0, 0, 9]);
    }
    for list in lists {
        for (id, name) in list.iter().enumerate() {
            bytes.extend((id as u16).to_be_bytes());
            bytes.extend([1, name.len() as u8]);
            if id > 0 {
                bytes.push(0);
            }
            bytes.extend(name.as_bytes());
        }
    }
    bytes
}
