//! ChessBase databases that are written: the games come back, real ones byte for byte, and what
//! is derived from them equals a slow recomputation.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use shakmaty::{Board, CastlingMode, Chess, Position, Setup};
use tabiya::{
    Database, Flow,
    chess::{Eco, PartialDate},
    format::{GameHeader, Overwrite, flag},
};
use tabiya_formats::{
    Encode,
    chessbase::v1::{Encoder, SUFFIXES, Writer},
};

use crate::support::{
    dice::Dice,
    game::{Event, PlainGame},
    pool::random_game,
    shared,
};

const RECORD_BYTES: usize = 46;

/// A folder with a database that was written from these games.
struct Written {
    folder: tempfile::TempDir,
}

impl Written {
    fn of(games: &[PlainGame]) -> Written {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(folder.path().join("new"), (), Overwrite::Refuse).unwrap();
        let mut encoder = Encoder::new();
        for game in games {
            encoder.begin(&game.header);
            assert!(game.tell(&mut encoder).is_continue());
            writer.append(&encoder.finish().unwrap()).unwrap();
        }
        assert_eq!(writer.finish().unwrap().games, games.len() as u32);
        Written { folder }
    }

    fn path(&self, suffix: &str) -> PathBuf {
        self.folder.path().join("new").with_extension(suffix)
    }

    fn bytes(&self, suffix: &str) -> Vec<u8> {
        fs::read(self.path(suffix)).unwrap()
    }

    fn games(&self) -> Vec<PlainGame> {
        let database = Database::open(self.path("cbh")).unwrap();
        let games = database.games();
        games
            .map(|game| PlainGame::read(&database, game).unwrap())
            .collect()
    }
}

fn random_games(seed: u64, games: usize) -> Vec<PlainGame> {
    let mut dice = Dice::new(seed);
    (0..games).map(|_| random_game(&mut dice)).collect()
}

/// A position of a game: the move to it, what is said of it, the positions after it.
#[derive(Default)]
struct Node {
    played: String,
    nags: Vec<u8>,
    comments: Vec<String>,
    children: Vec<usize>,
    parent: usize,
}

/// The moves of a game as a tree, whichever way alternatives of alternatives were nested, with
/// what is said. What stands before the first move of a variation is said of that move.
fn tree(game: &PlainGame) -> Vec<String> {
    let mut nodes = vec![Node::default()];
    let (mut at, mut outer, mut waiting) = (0, Vec::new(), Node::default());
    let mut begins = true;
    for event in &game.events {
        match event {
            Event::Play(played) => {
                let new = nodes.len();
                nodes.push(Node {
                    played: format!("{played:?}"),
                    parent: at,
                    ..std::mem::take(&mut waiting)
                });
                nodes[at].children.push(new);
                (at, begins) = (new, false);
            }
            Event::Begin => {
                outer.push(at);
                (at, begins) = (nodes[at].parent, true);
            }
            Event::End => (at, begins) = (outer.pop().unwrap(), false),
            Event::Nag(nag) if begins => waiting.nags.push(*nag),
            Event::Nag(nag) => nodes[at].nags.push(*nag),
            Event::Comment(text) if begins && !outer.is_empty() => {
                waiting.comments.push(text.clone());
            }
            Event::Comment(text) => nodes[at].comments.push(text.clone()),
        }
    }
    nodes[0].nags.extend(waiting.nags);
    let (mut lines, mut next) = (Vec::new(), vec![0]);
    while let Some(at) = next.pop() {
        let node = &mut nodes[at];
        node.nags.sort_unstable();
        let Node {
            played,
            nags,
            comments,
            children,
            ..
        } = node;
        lines.push(format!("{played} {nags:?} {comments:?} {}", children.len()));
        next.extend(children.iter().rev());
    }
    lines
}

/// What the format keeps of a header.
fn kept(header: &GameHeader) -> GameHeader {
    let known = |name: &str| if matches!(name, "?" | "-") { "" } else { name }.to_owned();
    let player = |name: &str| match name.split_once(',') {
        Some((last, first)) => format!("{last}, {}", first.trim()),
        None => known(name),
    };
    GameHeader {
        event: known(&header.event),
        site: known(&header.site),
        round: known(&header.round),
        white: player(&header.white),
        black: player(&header.black),
        eco: header.eco.map(Eco::basic),
        // Told as a tag.
        event_date: PartialDate::UNKNOWN,
        marks: header.marks & flag::DELETED,
        ..header.clone()
    }
}

#[test]
fn random_games_come_back_with_all_moves_and_what_is_said_of_them() {
    let games = random_games(7, 400);
    let read = Written::of(&games).games();
    assert_eq!(read.len(), games.len());
    for (game, read) in games.iter().zip(&read) {
        assert_eq!(kept(&read.header), kept(&game.header));
        let start = |game: &PlainGame| {
            game.start.clone().map(|mut setup| {
                setup.halfmoves = 0;
                setup
            })
        };
        assert_eq!(start(read), start(game));
        for (read, line) in tree(read).iter().zip(&tree(game)) {
            assert_eq!(read, line);
        }
        assert_eq!(tree(read).len(), tree(game).len());
        let told = |name: &str| {
            let tag = read.tags.iter().find(|(known, _)| known == name);
            tag.map_or("", |(_, value)| value)
        };
        assert_eq!(read.header.event_date, game.header.event_date);
        for (name, value) in &game.tags {
            if matches!(
                name.as_str(),
                "Annotator" | "Source" | "WhiteTeam" | "BlackTeam"
            ) {
                assert_eq!(told(name), value);
            }
        }
    }
}

/// A game of Chess960 in which castling is preferred.
fn random_chess960(dice: &mut Dice) -> PlainGame {
    let board = Board::chess960(dice.below(960) as u32);
    let castling_rights = board.rooks();
    let setup = Setup {
        board,
        castling_rights,
        ..Setup::initial()
    };
    let mut position: Chess = setup.clone().position(CastlingMode::Chess960).unwrap();
    let mut game = PlainGame {
        start: Some(setup),
        ..PlainGame::default()
    };
    for _ in 0..dice.below(120) {
        let moves = position.legal_moves();
        let castling = moves.iter().find(|played| played.is_castle());
        let Some(played) = castling.or_else(|| moves.get(dice.below(moves.len()))) else {
            break;
        };
        game.events.push(Event::Play(Some(*played)));
        position.play_unchecked(*played);
    }
    game
}

#[test]
fn what_has_no_field_in_the_record_comes_back_as_the_tag_that_it_was() {
    let told = [
        ("Medals", "novelty, sacrifice"),
        ("EventEndDate", "1999.05.11"),
        ("EventType", "swiss (rapid)"),
        ("EventRounds", "9"),
        ("EventCategory", "12"),
        ("Annotator", "Müller"),
        ("Source", "CBM 70"),
        ("SourceDate", "1999.06.??"),
        ("WhiteTeam", "Solingen"),
        ("TopGame", "1"),
    ];
    let tags = told.map(|(name, value)| (name.to_owned(), value.to_owned()));
    // Of different events, since a last day belongs to the event.
    let with = |event: &str, tags: &[(String, String)]| PlainGame {
        header: GameHeader {
            event: event.to_owned(),
            ..GameHeader::default()
        },
        tags: tags.to_vec(),
        ..PlainGame::default()
    };
    let games = [
        with("One", &[]),
        with("Two", &tags),
        with("One", &[]),
        with("Three", &tags[1..2]),
    ];
    let read = Written::of(&games).games();
    let read: Vec<_> = read.into_iter().map(|game| game.tags).collect();
    assert_eq!(read, games.map(|game| game.tags));
}

#[test]
fn games_of_chess960_come_back_with_their_castling() {
    let mut dice = Dice::new(12);
    let games: Vec<PlainGame> = (0..300).map(|_| random_chess960(&mut dice)).collect();
    let castles = |event: &&Event| matches!(event, Event::Play(Some(played)) if played.is_castle());
    let castled = games.iter().flat_map(|game| &game.events).filter(castles);
    assert!(castled.count() > 100);
    let written = Written::of(&games);
    for (game, read) in games.iter().zip(written.games()) {
        assert_eq!(read.start, game.start);
        assert_eq!(read.events, game.events);
    }
}

#[test]
fn the_fixture_is_what_is_written_from_its_text() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("famous.cbh");
    let go_on = &mut |_| Flow::Continue(());
    let source = [fixtures.join("famous.pgn")];
    tabiya::convert(&source, &target, Overwrite::Refuse, go_on).unwrap();
    for suffix in SUFFIXES {
        let name = format!("famous.{suffix}");
        let (written, kept) = (folder.path().join(&name), fixtures.join(&name));
        assert!(
            fs::read(written).unwrap() == fs::read(kept).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn writing_again_gives_the_same_bytes() {
    let games = random_games(8, 60);
    let (one, other) = (Written::of(&games), Written::of(&games));
    for suffix in SUFFIXES {
        assert_eq!(one.bytes(suffix), other.bytes(suffix), "{suffix}");
    }
}

fn u32_be(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(0, |number, &byte| number << 8 | u32::from(byte))
}

fn i32_le(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// The games that refer to each name, by number, from the records.
fn references(written: &Written, offsets: &[usize]) -> BTreeMap<u32, Vec<i32>> {
    let mut found: BTreeMap<u32, Vec<i32>> = BTreeMap::new();
    let index = written.bytes("cbh");
    for (number, record) in index.chunks_exact(RECORD_BYTES).enumerate().skip(1) {
        for &at in offsets {
            let id = u32_be(&record[at..at + 3]);
            found.entry(id).or_default().push(number as i32);
        }
    }
    found
}

/// A file of names with a tree over them.
struct Names {
    bytes: Vec<u8>,
    stride: usize,
}

impl Names {
    fn count(&self) -> usize {
        (self.bytes.len() - 32) / self.stride
    }

    fn record(&self, id: usize) -> &[u8] {
        &self.bytes[32 + id * self.stride..][..self.stride]
    }

    /// Walks a part of the tree; returns its height and appends its records in order.
    fn walk(&self, id: i32, order: &mut Vec<usize>) -> i32 {
        let Ok(id) = usize::try_from(id) else {
            return 0;
        };
        let record = self.record(id);
        let left = self.walk(i32_le(record, 0), order);
        order.push(id);
        let right = self.walk(i32_le(record, 4), order);
        assert_eq!(right - left, i32::from(record[8] as i8), "balance");
        assert!((right - left).abs() <= 1);
        left.max(right) + 1
    }
}

#[test]
fn names_are_in_balanced_trees_in_order_with_true_statistics() {
    let written = Written::of(&random_games(9, 300));
    let sets: [(&str, usize, usize, &[usize]); 4] = [
        ("cbp", 50, 50, &[9, 12]),
        ("cbt", 82, 0, &[15]),
        ("cbc", 45, 45, &[18]),
        ("cbs", 51, 51, &[21]),
    ];
    for (suffix, payload, key, offsets) in sets {
        let names = Names {
            bytes: written.bytes(suffix),
            stride: payload + 17,
        };
        let mut order = Vec::new();
        names.walk(i32_le(&names.bytes, 4), &mut order);
        assert_eq!(order.len(), names.count(), "{suffix}");
        // Only players and sources are told apart by their bytes as they are.
        let keys: Vec<&[u8]> = order
            .iter()
            .map(|&id| &names.record(id)[9..9 + key])
            .collect();
        assert!(suffix == "cbc" || keys.is_sorted(), "{suffix}");
        let found = references(&written, offsets);
        assert_eq!(found.len(), names.count(), "{suffix}");
        for (id, games) in found {
            let record = names.record(id as usize);
            let used = [i32_le(record, 9 + payload), i32_le(record, 13 + payload)];
            assert_eq!(used, [games.len() as i32, games[0]], "{suffix} {id}");
        }
    }
}

/// Sets of which every game comes out as it went in.
const REAL: [&str; 10] = [
    "linares/linares",
    "hedgehog/Hedgehog",
    "twic1134/twic1134",
    "Mate2/Mate2",
    "cbhlib_test/cbhlib_test",
    "cbmplayertest/cbmplayertest",
    "test-annotations/test-annotations",
    "cbh_test/cbh_test",
    "cbh_cbj_test/cbh_cbj_test",
    "shorter_cbj_test/shorter_cbj_test",
];

/// Games that come out otherwise: one has a padding byte, one has moves of a fourth rook that
/// we write by its squares.
const OTHERWISE: [(&str, usize); 2] = [("Mate2/Mate2", 7), ("cbhlib_test/cbhlib_test", 16)];

struct Real {
    index: Vec<u8>,
    games: Vec<u8>,
}

impl Real {
    fn read(path: &Path) -> Real {
        let read = |suffix| fs::read(path.with_extension(suffix)).unwrap();
        Real {
            index: read("cbh"),
            games: read("cbg"),
        }
    }

    fn record(&self, number: usize) -> &[u8] {
        &self.index[RECORD_BYTES * number..][..RECORD_BYTES]
    }

    /// Returns the numbers of all records but those of guiding texts, which are not written.
    fn numbers_of_games(&self) -> Vec<usize> {
        const IS_TEXT: u8 = 2;
        let numbers = 1..self.index.len() / RECORD_BYTES;
        let is_game = |number: &usize| self.record(*number)[0] & IS_TEXT == 0;
        numbers.filter(is_game).collect()
    }

    /// The bytes of a game. A first move numbered 0 is one numbered 1.
    fn game(&self, number: usize) -> Vec<u8> {
        const SETUP: u8 = 64;
        let game = &self.games[u32_be(&self.record(number)[1..5]) as usize..];
        let mut game = game[..u32_be(&game[1..4]) as usize].to_vec();
        if game[0] & SETUP != 0 {
            game[7] = game[7].max(1);
        }
        game
    }
}

/// Writes a database that ChessBase wrote; returns it and what was written.
fn written_anew(path: &Path) -> (Real, Real) {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a.cbh");
    let sources = [path.to_owned()];
    let go_on = &mut |_| Flow::Continue(());
    tabiya::convert(&sources, &target, Overwrite::Refuse, go_on).unwrap();
    (Real::read(path), Real::read(&target))
}

#[test]
fn games_that_chessbase_wrote_are_written_byte_for_byte() {
    for set in REAL {
        let Some(path) = shared::path(&format!("data/chessbase/{set}.cbh")) else {
            return;
        };
        let (before, after) = written_anew(&path);
        let numbers = before.numbers_of_games();
        assert_eq!(numbers.len(), after.numbers_of_games().len(), "{set}");
        for (number, now) in numbers.into_iter().zip(1..) {
            let (old, new) = (before.record(number), after.record(now));
            if !OTHERWISE.contains(&(set, number)) {
                assert_eq!(before.game(number), after.game(now), "{set} {number}");
            }
            // Date, result, round, ratings, opening; moves.
            assert_eq!(old[24..37], new[24..37], "{set} {number}");
            assert_eq!(old[45], new[45], "{set} {number}");
        }
    }
}

/// Annotations that come out as they went in have the same bits and magnitudes in the record.
#[test]
fn records_tell_of_annotations_what_chessbase_tells() {
    let Some(path) = shared::path("data/chessbase/linares/linares.cbh") else {
        return;
    };
    let (before, after) = written_anew(&path);
    let mut compared = 0;
    for (number, now) in before.numbers_of_games().into_iter().zip(1..) {
        // Claims text and has none.
        const MISTAKEN: usize = 172;
        let (old, new) = (before.record(number), after.record(now));
        if number != MISTAKEN && u32_be(&old[5..9]) != 0 {
            assert_eq!(old[39..45], new[39..45], "game {number}");
            compared += 1;
        }
    }
    assert_eq!(compared, 417);
}
