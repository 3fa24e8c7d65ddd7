//! Books that are written here byte by byte.

use std::{fs, path::PathBuf};

use shakmaty::{EnPassantMode, fen::Fen, uci::UciMove};
use tempfile::TempDir;

use super::*;
use crate::error::ErrorKind;
use ctg_moves::Step;
use ctg_position::Frame;

fn position(fen: &str) -> Chess {
    let fen: Fen = fen.parse().unwrap();
    fen.into_position(shakmaty::CastlingMode::Standard).unwrap()
}

fn after(moves: &str) -> Chess {
    let mut position = Chess::default();
    for word in moves.split_whitespace() {
        let uci: UciMove = word.parse().unwrap();
        let played = uci.to_move(&position).unwrap();
        position.play_unchecked(played);
    }
    position
}

/// A folder with the files of a book.
struct Shelf(TempDir);

impl Shelf {
    fn new(files: &[(&str, &[u8])]) -> Shelf {
        let shelf = Shelf(TempDir::new().unwrap());
        for (suffix, bytes) in files {
            fs::write(shelf.path(suffix), bytes).unwrap();
        }
        shelf
    }

    fn path(&self, suffix: &str) -> PathBuf {
        self.0.path().join("book").with_extension(suffix)
    }

    fn open(&self, suffix: &str) -> Result<Book> {
        Book::open(&self.path(suffix), Access::Map, &mut |at| at.ignore())
    }
}

/// The moves of a book in a position, and how heavy each is.
fn told(book: &Book, position: &Chess) -> Vec<(String, u64)> {
    let found = book.moves(position).unwrap();
    let uci = |played: Move| UciMove::from_standard(played).to_string();
    let moves = found.moves.iter();
    moves
        .map(|found| (uci(found.played), found.heft()))
        .collect()
}

fn pairs(moves: &[(&str, u64)]) -> Vec<(String, u64)> {
    let owned = moves.iter().map(|&(uci, heft)| (uci.to_owned(), heft));
    owned.collect()
}

#[test]
fn the_published_positions_have_their_keys() {
    for (moves, key) in [
        ("", 0x463b_9618_1691_fc9c),
        ("e2e4", 0x823c_9b50_fd11_4196),
        ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
        ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
        ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
        ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
        ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
        ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
        ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
    ] {
        assert_eq!(polyglot::key(&after(moves)), key, "{moves}");
    }
}

/// Returns a book of PolyGlot's of entries that are put in order: key, move, weight, learning.
fn polyglot_book(mut entries: Vec<(u64, u16, u16, u32)>) -> Vec<u8> {
    entries.sort_by_key(|entry| entry.0);
    let bytes = entries.into_iter().flat_map(|(key, coded, weight, learn)| {
        let mut bytes = polyglot::entry(key, coded, weight);
        bytes[12..].copy_from_slice(&learn.to_be_bytes());
        bytes
    });
    bytes.collect()
}

fn bits(from: Square, to: Square, promotion: u16) -> u16 {
    to as u16 | (from as u16) << 6 | promotion << 12
}

#[test]
fn every_entry_of_a_key_is_read_the_heaviest_first() {
    let start = polyglot::key(&Chess::default());
    let mut entries = vec![
        (start, bits(Square::D2, Square::D4, 0), 5, 7),
        (start, bits(Square::E2, Square::E4, 0), 3, 0),
        (start, bits(Square::E2, Square::E4, 0), 4, 0),
        (start, bits(Square::E2, Square::E5, 0), 9, 0),
        (start, bits(Square::E2, Square::E4, 4), 9, 0),
    ];
    entries.extend((0..40).map(|number| (number << 58, 0, 1, 0)));
    let shelf = Shelf::new(&[("bin", &polyglot_book(entries))]);
    let book = shelf.open("bin").unwrap();
    assert_eq!(book.format(), BookFormat::Polyglot);
    let expected = pairs(&[("e2e4", 7), ("d2d4", 5)]);
    assert_eq!(told(&book, &Chess::default()), expected);
    let found = book.moves(&Chess::default()).unwrap();
    assert_eq!((found.faults.count, found.moves[1].learn), (2, Some(7)));
    let first = found.faults.first.unwrap();
    assert_eq!(first.path(), Some(&*shelf.path("bin")));
    assert_eq!(first.offset().unwrap() % 16, 8);
    assert_eq!(told(&book, &after("e2e4")), []);
}

#[test]
fn castling_is_read_as_both_moves_of_the_king() {
    let castles = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    let key = polyglot::key(&castles);
    let entries = vec![
        (key, bits(Square::E1, Square::H1, 0), 2, 0),
        (key, bits(Square::E1, Square::C1, 0), 1, 0),
    ];
    let shelf = Shelf::new(&[("bin", &polyglot_book(entries))]);
    let book = shelf.open("bin").unwrap();
    let expected = pairs(&[("e1g1", 2), ("e1c1", 1)]);
    assert_eq!(told(&book, &castles), expected);
    let promotes = position("8/P6k/8/8/8/8/8/K7 w - - 0 1");
    for played in promotes.legal_moves().iter().chain(&castles.legal_moves()) {
        let coded = polyglot::coded(*played).unwrap();
        let before = if castles.legal_moves().contains(played) {
            &castles
        } else {
            &promotes
        };
        let entries = vec![(polyglot::key(before), coded, 1, 0)];
        let shelf = Shelf::new(&[("bin", &polyglot_book(entries))]);
        let found = shelf.open("bin").unwrap().moves(before).unwrap();
        assert_eq!(found.moves[0].played, *played);
    }
}

#[test]
fn a_file_that_is_no_book_of_polyglot_is_refused() {
    let entry = |key| polyglot::entry(key, 0, 1);
    let disorder: Vec<u8> = [entry(2), entry(1)].concat();
    let no_move: Vec<u8> = polyglot::entry(1, 0x8000, 1).to_vec();
    for (bytes, offset) in [
        (&[][..], None),
        (&entry(1)[..9], None),
        (&[&entry(1)[..], &[0; 3]].concat(), Some(16)),
        (&disorder, Some(16)),
        (&no_move, Some(0)),
    ] {
        let shelf = Shelf::new(&[("bin", bytes)]);
        let refused = shelf.open("bin").unwrap_err();
        assert_eq!(refused.offset(), offset, "{refused}");
        assert_eq!(refused.path(), Some(&*shelf.path("bin")));
    }
    let shelf = Shelf::new(&[("txt", b"")]);
    let other = shelf.open("txt").unwrap_err();
    assert!(matches!(other.kind(), ErrorKind::Unsupported { .. }));
}

/// An entry of Arena's: move, priority, games, White's wins and losses, answer, next move; the
/// numbers of entries from 900 on.
fn arena_entry(uci: &str, numbers: [i32; 6]) -> Vec<u8> {
    let square = |text: &str| text.parse::<Square>().unwrap() as u8;
    let promotion = match uci.get(4..) {
        Some("n") => -2,
        Some("q") => 4,
        _ => 0_i8,
    };
    let [priority, games, white, black, answer, sibling] = numbers;
    let mut entry = vec![square(&uci[..2]), square(&uci[2..4])];
    entry.extend([promotion.cast_unsigned(), priority as u8]);
    for word in [games, white, black, 0, answer, sibling] {
        entry.extend(word.to_le_bytes());
    }
    entry
}

fn arena_book(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"\x03ABK".to_vec();
    bytes.resize(900 * 28, 0);
    bytes.extend(entries.concat());
    bytes
}

/// 1.e4 c5, 1.Nf3 c5 2.e4 and 1.c4, with 1.e4 c5 2.Nf3 in the other order.
fn some_arena_book() -> Vec<u8> {
    arena_book(&[
        arena_entry("e2e4", [5, 100, 40, 30, 903, 901]),
        arena_entry("g1f3", [9, 50, 20, 10, 904, 902]),
        arena_entry("c2c4", [0, 7, 1, 2, -1, -1]),
        arena_entry("c7c5", [1, 60, 20, 20, 905, -1]),
        arena_entry("c7c5", [1, 30, 10, 10, 906, -1]),
        arena_entry("g1f3", [2, 55, 20, 18, 907, -1]),
        arena_entry("e2e4", [3, 25, 9, 8, 908, -1]),
        arena_entry("d7d6", [4, 22, 8, 7, -1, -1]),
        arena_entry("d7d6", [6, 11, 4, 5, -1, 909]),
        arena_entry("b8c6", [6, 5, 4, 1, -1, -1]),
    ])
}

#[test]
fn moves_of_arena_are_found_by_any_order_of_moves() {
    let shelf = Shelf::new(&[("abk", &some_arena_book())]);
    let book = shelf.open("abk").unwrap();
    assert_eq!((book.format(), book.faults().count), (BookFormat::Arena, 0));
    let expected = pairs(&[("e2e4", 100), ("g1f3", 50), ("c2c4", 7)]);
    assert_eq!(told(&book, &Chess::default()), expected);
    let e4 = &book.moves(&Chess::default()).unwrap().moves[0];
    let results = BookResults {
        games: 100,
        white: 40,
        draws: 30,
        black: 30,
    };
    assert_eq!((e4.priority, e4.results), (Some(5), Some(results)));
    assert_eq!(results.score_permille(), Some(550));
    // Both orders lead to one position, whose games are added.
    for order in ["e2e4 c7c5 g1f3", "g1f3 c7c5 e2e4"] {
        let found = book.moves(&after(order)).unwrap();
        let expected = pairs(&[("d7d6", 33), ("b8c6", 5)]);
        assert_eq!(told(&book, &after(order)), expected, "{order}");
        assert_eq!(found.moves[0].priority, Some(6));
    }
    assert_eq!(told(&book, &after("c2c4")), []);
}

#[test]
fn entries_without_a_move_lead_on_to_the_next() {
    let mut filler = arena_entry("a1a1", [5, 1, 0, 0, -1, 901]);
    filler[..2].fill(255);
    let mut deleted = arena_entry("e2e4", [5, 1, 0, 0, -1, 902]);
    deleted[16..20].copy_from_slice(&0x0100_0000_u32.to_le_bytes());
    let last = arena_entry("d2d4", [5, 1, 0, 0, 0, 0]);
    let shelf = Shelf::new(&[("abk", &arena_book(&[filler, deleted, last]))]);
    let book = shelf.open("abk").unwrap();
    assert_eq!(told(&book, &Chess::default()), pairs(&[("d2d4", 1)]));
    assert_eq!(book.faults().count, 0);
}

#[test]
fn entries_that_lead_nowhere_or_in_a_circle_are_told() {
    let book = arena_book(&[
        arena_entry("e2e4", [1, 1, 0, 0, 900, 901]),
        arena_entry("e2e5", [1, 1, 0, 0, 903, 902]),
        arena_entry("d2d4", [1, 1, 0, 0, 12_345, 899]),
    ]);
    let shelf = Shelf::new(&[("abk", &book)]);
    let book = shelf.open("abk").unwrap();
    // The circle, the illegal move, and two places without an entry.
    assert_eq!(book.faults().count, 4);
    let found = book.moves(&Chess::default()).unwrap();
    assert_eq!((found.moves.len(), found.faults.count), (2, 1));
    assert_eq!(found.faults.first.unwrap().offset(), Some(901 * 28));
    for (bytes, damage) in [(&b"\x03ABK"[..], "cut short"), (b"ABK", "no opening book")] {
        let refused = Shelf::new(&[("abk", bytes)]).open("abk").unwrap_err();
        assert!(refused.to_string().contains(damage), "{refused}");
    }
}

/// A position of a book of ChessBase: moves and glyphs, numbers of games, colour.
struct Page {
    before: Chess,
    moves: Vec<(Move, u8)>,
    numbers: [u32; 4],
    colour: u8,
}

impl Page {
    fn new(moves: &str, numbers: [u32; 4], colour: u8) -> Page {
        Page::of(after(moves), numbers, colour)
    }

    fn of(before: Chess, numbers: [u32; 4], colour: u8) -> Page {
        Page {
            before,
            moves: Vec::new(),
            numbers,
            colour,
        }
    }

    fn with(mut self, uci: &str, glyph: u8) -> Page {
        let uci: UciMove = uci.parse().unwrap();
        self.moves.push((uci.to_move(&self.before).unwrap(), glyph));
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let frame = Frame::of(&self.before);
        let written = ctg_position::written(&self.before, frame, EnPassantMode::Legal);
        let mut bytes = written.unwrap();
        bytes.push(1 + 2 * self.moves.len() as u8);
        for &(played, glyph) in &self.moves {
            bytes.extend([code_of(&self.before, frame, played), glyph]);
        }
        for number in self.numbers {
            bytes.extend(&number.to_be_bytes()[1..]);
        }
        bytes.extend([0; 18]);
        bytes.extend([self.colour, 0, 0]);
        bytes
    }
}

/// Finds the byte of a move.
fn code_of(position: &Chess, frame: Frame, played: Move) -> u8 {
    let from = frame.square(played.from().unwrap());
    let to = match played.castling_side() {
        Some(side) => Square::from_coords(side.king_to_file(), played.to().rank()),
        None => played.to(),
    };
    let to = frame.square(to);
    let role = played.role();
    let numbers = 0..8;
    let number = numbers
        .into_iter()
        .find(|&number| ctg_position::man(position, frame, role, number) == Some(from));
    let step = Step {
        role,
        number: number.unwrap(),
        right: (8 + to.file() as u8 - from.file() as u8) % 8,
        forward: (8 + to.rank() as u8 - from.rank() as u8) % 8,
    };
    ctg_moves::code(step).unwrap()
}

/// Writes the three files, with a page for each value of the low bits of the hash.
fn ctg_book(pages: &[Page], bits: u32) -> Shelf {
    let mask = (1_u32 << bits) - 1;
    let mut ctg = vec![0; 4096];
    let mut cto = vec![0; 16];
    cto.extend(vec![0xff; 4 * mask as usize]);
    for value in 0..=mask {
        let mut page = vec![0; 4];
        let mut count = 0_u16;
        for bytes in pages.iter().map(Page::bytes) {
            let length = usize::from(bytes[0] & 31);
            if ctg_position::hash(&bytes[..length]) & mask == value {
                page.extend(bytes);
                count += 1;
            }
        }
        if count == 0 {
            cto.extend([0xff; 4]);
            continue;
        }
        cto.extend((ctg.len() as u32 / 4096 - 1).to_be_bytes());
        let used = page.len() as u16;
        page[..2].copy_from_slice(&count.to_be_bytes());
        page[2..4].copy_from_slice(&used.to_be_bytes());
        page.resize(4096, 0xaa);
        ctg.extend(page);
    }
    let mut ctb = vec![0; 4];
    ctb.extend(mask.to_be_bytes());
    ctb.extend((2 * mask).to_be_bytes());
    Shelf::new(&[("ctg", &ctg), ("cto", &cto), ("ctb", &ctb)])
}

fn some_pages() -> Vec<Page> {
    vec![
        Page::new("", [90, 30, 20, 40], 0)
            .with("c2c4", 0)
            .with("e2e4", 0xe1)
            .with("d2d4", 6),
        Page::new("e2e4", [60, 15, 25, 20], 0x80).with("e7e5", 0),
        Page::new("d2d4", [30, 5, 15, 10], 0x40),
        Page::new("e2e4 e7e5", [44, 20, 10, 14], 0),
    ]
}

#[test]
fn moves_of_chessbase_have_what_the_next_position_has() {
    for bits in [0, 1, 3, 6] {
        let shelf = ctg_book(&some_pages(), bits);
        let book = shelf.open("ctg").unwrap();
        assert_eq!(book.format(), BookFormat::ChessBase);
        let found = book.moves(&Chess::default()).unwrap();
        assert_eq!(found.faults.count, 0, "{:?}", found.faults);
        let expected = pairs(&[("e2e4", 60), ("d2d4", 30), ("c2c4", 0)]);
        assert_eq!(told(&book, &Chess::default()), expected);
        let e4 = &found.moves[0];
        let results = BookResults {
            games: 60,
            white: 25,
            draws: 20,
            black: 15,
        };
        assert_eq!(e4.results, Some(results));
        assert_eq!((e4.advice, e4.nag), (Some(BookAdvice::Green), Some(1)));
        assert_eq!(found.moves[1].advice, Some(BookAdvice::Red));
        assert_eq!((found.moves[2].results, found.moves[2].nag), (None, None));
        let reply = book.moves(&after("e2e4")).unwrap().moves[0]
            .results
            .unwrap();
        assert_eq!((reply.white, reply.black), (20, 10));
    }
}

#[test]
fn a_position_is_written_as_chessbase_does() {
    let written = |position: &Chess| {
        ctg_position::written(position, Frame::of(position), EnPassantMode::Legal).unwrap()
    };
    let start = "56b60f7960f3a60f58b078e0c1e1a60f5960f3b60f7f";
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
    assert_eq!(hex(&written(&Chess::default())), start);
    // With colours and sides swapped it is the same position.
    let white = position("8/8/8/3pP3/8/8/k7/6K1 w - d6 0 1");
    let black = position("6k1/K7/8/8/3Pp3/8/8/8 b - d3 0 1");
    let mirrored = position("1k6/7K/8/8/3pP3/8/8/8 b - e3 0 1");
    assert_eq!(written(&white), written(&black));
    assert_eq!(written(&white), written(&mirrored));
    assert_eq!(written(&white)[0] & 0xe0, 0x20);
    let without = position("8/8/8/3pP3/8/8/k7/6K1 w - - 0 1");
    assert_eq!(written(&without)[0] & 0xe0, 0);
}

#[test]
fn every_legal_move_has_its_byte_in_every_frame() {
    for fen in [
        "r3k2r/pppq1ppp/2nbbn2/3pp3/3PP3/2NBBN2/PPPQ1PPP/R3K2R w KQkq - 0 1",
        "r3k2r/pppq1ppp/2nbbn2/3pp3/3PP3/2NBBN2/PPPQ1PPP/R3K2R b KQkq - 0 1",
        "6k1/1P6/8/2Pp4/8/2Q5/1KQ5/8 w - d6 0 1",
        "8/8/1k4q1/8/1Pp5/8/p6K/8 b - b3 0 1",
    ] {
        let before = position(fen);
        let frame = Frame::of(&before);
        for played in before.legal_moves() {
            if played.promotion().is_some_and(|role| role != Role::Queen) {
                continue;
            }
            let mut page = Page::of(before.clone(), [1; 4], 0);
            page.moves.push((played, 0));
            let shelf = ctg_book(&[page], 0);
            let found = shelf.open("ctg").unwrap().moves(&before).unwrap();
            let code = code_of(&before, frame, played);
            assert_eq!(found.moves[0].played, played, "{fen} {code:#x}");
        }
    }
}

#[test]
fn a_book_of_chessbase_without_its_other_files_says_which() {
    for suffix in ["cto", "ctb"] {
        let shelf = ctg_book(&some_pages(), 1);
        fs::remove_file(shelf.path(suffix)).unwrap();
        let missing = shelf.open("ctg").unwrap_err().to_string();
        assert!(missing.contains(&format!("book.{suffix}")), "{missing}");
        fs::write(shelf.path(suffix), [0; 5]).unwrap();
        let cut = shelf.open("ctg").unwrap_err();
        assert!(matches!(cut.kind(), ErrorKind::Truncated { .. }), "{cut}");
    }
}

#[test]
fn damage_of_a_page_is_told_with_its_place() {
    let shelf = ctg_book(&some_pages(), 0);
    let mut ctg = fs::read(shelf.path("ctg")).unwrap();
    // The first position is the start; after 22 bytes of it come the length and 1.c4.
    assert_eq!(ctg[4096 + 4 + 22], 7);
    ctg[4096 + 4 + 23] = 0x02;
    ctg[4096 + 1] = 9;
    fs::write(shelf.path("ctg"), &ctg).unwrap();
    let found = shelf.open("ctg").unwrap().moves(&Chess::default()).unwrap();
    assert_eq!((found.moves.len(), found.faults.count), (2, 1));
    assert_eq!(found.faults.first.unwrap().offset(), Some(4096 + 4 + 23));
    let absent = shelf.open("ctg").unwrap().moves(&after("g1h3")).unwrap();
    assert_eq!((absent.moves.len(), absent.faults.count), (0, 1));
    ctg.truncate(4096);
    fs::write(shelf.path("ctg"), &ctg).unwrap();
    let lost = shelf.open("ctg").unwrap().moves(&Chess::default()).unwrap();
    assert_eq!(lost.faults.first.unwrap().offset(), Some(4096));
}

#[test]
fn damaged_books_give_no_more_than_fewer_moves() {
    let ctg = ctg_book(&some_pages(), 2);
    let files: Vec<(&str, Vec<u8>)> = ["ctg", "cto", "ctb"]
        .map(|suffix| (suffix, fs::read(ctg.path(suffix)).unwrap()))
        .to_vec();
    let start = polyglot::key(&Chess::default());
    let bin = polyglot_book(vec![(start, bits(Square::E2, Square::E4, 0), 3, 0); 6]);
    let books = [
        ("bin", vec![("bin", bin)]),
        ("abk", vec![("abk", some_arena_book())]),
        ("ctg", files),
    ];
    let (mut state, mut opened) = (1_u64, 0);
    let mut dice = |sides: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % sides
    };
    for round in 0..600 {
        let (suffix, files) = &books[round % 3];
        let mut files = files.clone();
        let place = dice(files.len());
        let bytes = &mut files[place].1;
        // Most of a book of Arena or ChessBase is its header.
        let least = bytes
            .len()
            .saturating_sub(if *suffix == "abk" { 300 } else { 4096 * 4 });
        for _ in 0..1 + dice(6) {
            let at = least + dice(bytes.len() - least);
            bytes[at] = [0, 0xff, dice(256) as u8][dice(3)];
        }
        if dice(4) == 0 {
            bytes.truncate(least + dice(bytes.len() - least));
        }
        let files: Vec<(&str, &[u8])> = files.iter().map(|(end, bytes)| (*end, &**bytes)).collect();
        let shelf = Shelf::new(&files);
        let Ok(book) = shelf.open(suffix) else {
            continue;
        };
        opened += 1;
        for moves in ["", "e2e4", "d2d4", "e2e4 e7e5", "e2e4 c7c5 g1f3"] {
            let position = after(moves);
            let legal = position.legal_moves();
            let found = book.moves(&position).unwrap();
            assert!(
                found
                    .moves
                    .iter()
                    .all(|found| legal.contains(&found.played))
            );
        }
    }
    assert!(opened > 300, "{opened}");
}
