//! Files of ChessBase 2 read byte by byte, and what the published description demands of them.
//! Shares nothing with the writer.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use shakmaty::{Board, File, Move, Piece, Role, Setup, Square};
use tabiya::{Database, GameId};

use crate::support::game::{Event, PlainGame, main_line_plies};

const RECORD: usize = 192;

fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().unwrap()
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(number(bytes, at))
}

pub(super) fn i32_at(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(number(bytes, at))
}

fn i64_at(bytes: &[u8], at: usize) -> i64 {
    i64::from_le_bytes(number(bytes, at))
}

/// The bytes of a written database.
pub(super) struct Files {
    index: Vec<u8>,
    games: Vec<u8>,
    pub(super) annotations: Vec<u8>,
    names: Vec<u8>,
    path: PathBuf,
}

impl Files {
    pub(super) fn of(path: &Path) -> Files {
        let read = |suffix| fs::read(path.with_extension(suffix)).unwrap();
        Files {
            index: read("2cbh"),
            games: read("2cbg"),
            annotations: read("2cba"),
            names: read("2lid"),
            path: path.to_owned(),
        }
    }

    fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.index.chunks(RECORD).skip(1)
    }

    /// Checks everything that is known of the files.
    pub(super) fn check(&self) {
        self.check_index();
        let games = frames(
            &self.games,
            if self.index.len() > RECORD {
                [0, 5]
            } else {
                [1, 0]
            },
        );
        let annotations = frames(&self.annotations, [0, 0]);
        let mut told = annotations.iter();
        assert_eq!(games.len(), self.records().count());
        for (record, game) in self.records().zip(&games) {
            assert_eq!(i64_at(record, 8), game.at);
            if record[0] & 2 != 0 {
                assert_eq!(game.tag, 0x1000);
                check_text(game.content);
                continue;
            }
            let is_chess960 = u32::from_le_bytes(number(record, 132)) >> 27 & 1 == 1;
            assert_eq!(game.tag, if is_chess960 { 2 } else { 1 });
            let moves = check_words(game.content);
            let told = told.next().unwrap();
            assert_eq!((i64_at(record, 16), told.tag), (told.at, 0x2000));
            check_annotations(told.content, moves);
        }
        assert!(told.next().is_none());
        self.check_names();
        self.check_moves();
    }

    fn check_index(&self) {
        let mut header = [0; RECORD];
        header[8] = 38;
        header[10] = 192;
        header[13] = 5;
        let next = (self.index.len() / RECORD) as u32;
        header[16..20].copy_from_slice(&next.to_le_bytes());
        assert_eq!(self.index[..RECORD], header);
        assert!(self.index.len().is_multiple_of(RECORD));
        for record in self.records() {
            assert_eq!((record[0] & 1, record[3]), (1, record[0] & 0x7f));
            assert_eq!((record[1], record[2]), (0, 1));
            assert_eq!(record[4..8], [0; 4]);
            if record[0] & 2 == 0 {
                assert_eq!(record[148..184], [0; 36]);
                assert_eq!(i32_at(record, 184), 1);
                for rating in [&record[96..112], &record[112..128]] {
                    assert!(u16_at(rating, 0) > 0 || rating == [0; 16]);
                }
            }
        }
    }

    /// Checks the names, and that each is that of a game and each game has its names.
    fn check_names(&self) {
        const CONTAINERS: [usize; 6] = [1024, 1120, 220, 1024, 314, 532];
        let names = &self.names;
        let big = |at: usize| i32::from_be_bytes(number(names, at));
        assert_eq!((big(0), big(4)), (184, 6));
        let stride: usize = CONTAINERS.iter().sum();
        let (mut at, mut end) = (0, 184);
        for (of, container) in CONTAINERS.into_iter().enumerate() {
            let header = 8 + 20 * of;
            assert_eq!(big(header) as usize, container);
            let count = i64::from_be_bytes(number(names, header + 4)) as usize;
            assert_eq!(i64::from_be_bytes(number(names, header + 12)), -1);
            let mut seen = BTreeSet::new();
            for nth in 0..count {
                let start = 184 + nth * stride + at;
                let length = i32_at(names, start) as usize;
                assert!(length > 0 && length + 4 <= container);
                let data = &names[start + 4..start + 4 + length];
                check_name(of, data);
                assert!(seen.insert(data), "a name that is there twice");
                end = end.max(start + 4 + length);
                let container_end = names.len().min(start + container);
                let rest = &names[start + 4 + length..container_end];
                assert!(rest.iter().all(|&byte| byte == 0));
            }
            let used: BTreeSet<i64> = self.records().flat_map(|record| uses(record, of)).collect();
            assert!(
                used.iter().copied().eq(0..count as i64),
                "type {of}: {used:?}"
            );
            at += container;
        }
        assert_eq!(names.len(), end);
        let pairs: Vec<i32> = (128..184).step_by(4).map(big).collect();
        let expected: Vec<i32> = (-1..6).flat_map(|number| [number, 1]).collect();
        assert_eq!(pairs, expected);
    }

    /// Checks numbers of moves, final material and what tells of variations and starts.
    fn check_moves(&self) {
        let database = Database::open(&self.path).unwrap();
        for (id, record) in (0..).map(GameId).zip(self.records()) {
            if record[0] & 2 != 0 {
                continue;
            }
            let game = PlainGame::read(&database, id).unwrap();
            let flags = u32::from_le_bytes(number(record, 132));
            assert_eq!(flags & 1 == 1, game.start.is_some());
            assert_eq!(flags & 2 == 2, game.events.contains(&Event::Begin));
            let plies = main_line_plies(&game.events) as u16;
            let black = game
                .start
                .as_ref()
                .is_some_and(|start| start.turn.is_black());
            let moves = if plies == 0 {
                0
            } else {
                (plies + u16::from(black)).div_ceil(2)
            };
            assert_eq!(u16_at(record, 138), moves);
            let end = end_of(&game).to_string();
            let count = |letter: char| end.matches(letter).count();
            let material = |letters: [char; 5]| {
                let [rooks, bishops, knights, queens, pawns] = letters.map(count);
                let few = |men: usize| men.min(7);
                few(rooks) | few(bishops) << 3 | few(knights) << 6 | few(queens) << 9 | pawns << 12
            };
            let sides = [
                material(['R', 'B', 'N', 'Q', 'P']),
                material(['r', 'b', 'n', 'q', 'p']),
            ];
            let told = [i32_at(record, 140), i32_at(record, 144)].map(|side| side as usize);
            assert_eq!(
                told,
                [sides[0].max(sides[1]), sides[0].min(sides[1])],
                "{end}"
            );
        }
    }
}

/// Returns the men after the main line, whether or not its moves obey the rules.
fn end_of(game: &PlainGame) -> Board {
    let mut board = game.start.clone().unwrap_or_else(Setup::initial).board;
    let mut depth = 0;
    for event in &game.events {
        match event {
            Event::Begin => depth += 1,
            Event::End => depth -= 1,
            Event::Play(Some(played)) if depth == 0 => play(&mut board, *played),
            _ => {}
        }
    }
    board
}

fn play(board: &mut Board, played: Move) {
    let mut shift = |from: Square, to: Square, promotion: Option<Role>| {
        let piece = board.remove_piece_at(from).unwrap();
        let role = promotion.unwrap_or(piece.role);
        board.set_piece_at(to, Piece { role, ..piece });
    };
    match played {
        Move::Normal {
            from,
            to,
            promotion,
            ..
        } => shift(from, to, promotion),
        Move::EnPassant { from, to } => {
            shift(from, to, None);
            board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
        }
        Move::Castle { king, rook } => {
            let files = if king < rook {
                [File::G, File::F]
            } else {
                [File::C, File::D]
            };
            let [king_to, rook_to] = files.map(|file| Square::from_coords(file, king.rank()));
            let men = [king, rook].map(|square| board.remove_piece_at(square).unwrap());
            board.set_piece_at(king_to, men[0]);
            board.set_piece_at(rook_to, men[1]);
        }
        Move::Put { .. } => unreachable!(),
    }
}

/// Returns the numbers of the names of one type that a game has.
fn uses(record: &[u8], of: usize) -> Vec<i64> {
    let is_text = record[0] & 2 != 0;
    let places: &[usize] = match (of, is_text) {
        (0, false) => &[24, 32, 48],
        (0, true) => &[32],
        (1, false) => &[40],
        (1, true) => &[16],
        (2, false) => &[56],
        (2, true) => &[24],
        (4, false) => &[64, 72],
        (5, false) => &[80],
        (5, true) => &[40],
        _ => &[],
    };
    let numbers = places.iter().map(|&at| i64_at(record, at));
    // Only teams may be missing.
    numbers.filter(|&number| of != 4 || number != -1).collect()
}

/// Checks that a name has the form of its type.
fn check_name(of: usize, data: &[u8]) {
    let mut at = 0;
    let mut text = || {
        let length = i32_at(data, at) as usize;
        at += 4 + length;
        std::str::from_utf8(&data[at - length..at]).unwrap();
    };
    match of {
        0 => {
            text();
            text();
            assert_eq!(data[at..at + 8], [0; 8]);
            assert_eq!((i32_at(data, at + 8), i32_at(data, at + 12)), (-1, 8));
            assert!(data.len() == at + 24 && i64_at(data, at + 16) != 0);
        }
        1 => {
            text();
            text();
            assert_eq!([at + 34, at + 45, at + 56].map(|at| data[at]), [7; 3]);
            assert_eq!((u16_at(data, at + 58), data.len()), (0, at + 108));
        }
        2 => {
            text();
            text();
            assert_eq!(data.len(), at + 12);
        }
        4 => {
            text();
            assert_eq!(data[at..], [0; 5]);
        }
        _ => {
            let (count, mut languages) = (i32_at(data, 0), Vec::new());
            at = 4;
            for _ in 0..count {
                languages.push(i32_at(data, at));
                at += 8 + i32_at(data, at + 4) as usize;
            }
            assert!(languages.is_sorted() && data.len() == at);
        }
    }
}

/// A record of `.2cbg` or `.2cba`.
pub(super) struct Frame<'a> {
    at: i64,
    tag: u16,
    pub(super) content: &'a [u8],
}

/// Checks a file of records, which follow each other without holes.
pub(super) fn frames(file: &[u8], kind: [u8; 2]) -> Vec<Frame<'_>> {
    assert_eq!(i64_at(file, 0) as usize, file.len());
    assert_eq!((u16_at(file, 8), &file[10..12]), (12, &kind[..]));
    let (mut at, mut frames) = (12, Vec::new());
    while at < file.len() {
        let head = [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
        assert_eq!(file[at..at + 8], head);
        let (bytes, spare) = (
            i32_at(file, at + 8) as usize,
            i32_at(file, at + 12) as usize,
        );
        let tag = u16_at(file, at + 24);
        let least = if tag == 0x1000 { 192 } else { 96 };
        assert!((least + 1..=least + 8).contains(&spare));
        let content = &file[at + 26..at + 26 + bytes];
        let mut sums = [0_u8; 8];
        for (nth, byte) in content.iter().enumerate() {
            match bytes / 8 {
                0 => sums[nth] = *byte,
                eighth if nth / eighth < 8 => {
                    sums[nth / eighth] = sums[nth / eighth].wrapping_add(*byte)
                }
                _ => {}
            }
        }
        sums.reverse();
        assert_eq!(file[at + 16..at + 24], sums);
        let after = at + 26 + bytes;
        assert!(file[after..after + spare].iter().all(|&byte| byte == 0));
        assert_eq!(i64_at(file, after + spare) as usize, bytes + spare + 34);
        frames.push(Frame {
            at: at as i64,
            tag,
            content,
        });
        at = after + spare + 8;
        assert!(at.is_multiple_of(8));
    }
    frames
}

/// Checks the order of a game's words; returns the number of its moves.
fn check_words(content: &[u8]) -> i32 {
    let words: Vec<u16> = content.chunks(2).map(|word| u16_at(word, 0)).collect();
    let from = words.iter().position(|&word| word == 0xfffc).unwrap() + 1;
    assert_eq!(from == 1, words[0] == 0xfffc);
    assert!(from == 1 || words[0] == 0xfffb);
    let (mut open, mut moves, mut is_after_move) = (1, 0, false);
    for (at, &word) in words.iter().enumerate().skip(from) {
        assert!(open > 0, "words after the end");
        match word {
            0xffff => {
                open -= 1;
                is_after_move = false;
            }
            0xfffd => {
                assert!(is_after_move);
                open += 1;
                is_after_move = false;
            }
            0x0001..0xc02d | 0xfffa => {
                moves += 1;
                is_after_move = true;
            }
            _ => panic!("{word:04x} at {at}"),
        }
    }
    assert_eq!(open, 0);
    moves
}

fn check_text(content: &[u8]) {
    assert_eq!(
        (u16_at(content, 0), i32_at(content, 2) as usize),
        (5, content.len() - 6)
    );
    let mut at = 10;
    for _ in 0..i32_at(content, 6) {
        at += 8 + i32_at(content, at + 4) as usize;
    }
    assert_eq!(at, content.len());
}

/// Returns how many bytes an annotation has; `None` for the two types that are not looked into.
pub(super) fn annotation_bytes(data: &[u8]) -> Option<usize> {
    let counted = |at: usize| at + 4 + i32_at(data, at) as usize;
    Some(match u16_at(data, 0) {
        0x02 | 0x82 | 0x20 => counted(6),
        0x03 => 5,
        0x04 | 0x05 | 0x15 => counted(2),
        0x07 | 0x08 | 0x16 | 0x17 | 0x22 | 0x23 | 0x25 => 6,
        0x14 | 0x18 => 3,
        0x1c => counted(counted(3)),
        0x21 => 8,
        0x24 => 40,
        0x26 => 9 + 4 * usize::from(u16_at(data, 7)),
        0x27 => 4,
        0x09 | 0x13 => return None,
        unknown => panic!("{unknown:02x}"),
    })
}

fn check_annotations(content: &[u8], moves: i32) {
    let end = content.len() - 4;
    assert_eq!(i32_at(content, end), i32::MAX);
    let (mut at, mut last) = (0, -2);
    while at < end {
        let (position, count) = (i32_at(content, at), i32_at(content, at + 4));
        assert!(position > last && position < moves && count > 0);
        last = position;
        at += 8;
        for _ in 0..count {
            match annotation_bytes(&content[at..]) {
                Some(bytes) => at += bytes,
                None => return,
            }
        }
    }
    assert_eq!(at, end);
}
