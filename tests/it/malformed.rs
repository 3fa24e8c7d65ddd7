//! Files come from strangers: whatever their bytes, there is an error or an answer, never a
//! panic, and games that are not damaged stay readable.

use std::ops::Range;

use rayon::prelude::*;
use tabiya::{Database, Error, ErrorKind, GameId, Match, Parts, Search, Strategy, chess::NameKind};

use crate::support::{
    ask,
    dice::Dice,
    exercise,
    game::PlainGame,
    pool::{random_game, written},
};

/// Bytes of the header of an index and of one record.
const HEADER: usize = 182;
const RECORD: usize = 47;
/// Bytes of the header of a names file.
const NAMES_HEADER: usize = 36;

/// A small database that holds a bit of everything.
struct Sample {
    index: Vec<u8>,
    games: Vec<u8>,
    names: Vec<u8>,
    /// What the games are when nothing is damaged.
    plain: Vec<PlainGame>,
    /// Where each game lies in the games file.
    blobs: Vec<Range<usize>>,
}

fn sample() -> Sample {
    let mut dice = Dice::new(5);
    let is_small = |game: &PlainGame| game.events.len() < 40 && !game.events.is_empty();
    let mut plain: Vec<PlainGame> = Vec::new();
    while plain.len() < 3 {
        let game = random_game(&mut dice);
        let nested = game.events.contains(&crate::support::game::Event::Begin);
        let wanted = match plain.len() {
            0 => nested && game.start.is_none(),
            1 => game.start.is_some() && !game.tags.is_empty(),
            _ => true,
        };
        if is_small(&game) && wanted {
            plain.push(game);
        }
    }
    let parts = written(&plain);
    let database = Database::from_bytes(copy(&parts)).expect("the sample opens");
    let blobs = (0..database.len()).map(|id| {
        let facts = database.facts(GameId(id)).expect("facts");
        let start = facts.offset_bytes as usize;
        start..start + facts.length_bytes as usize
    });
    Sample {
        blobs: blobs.collect(),
        plain,
        index: parts.index,
        games: parts.games.expect("a games file"),
        names: parts.names.expect("a names file"),
    }
}

fn copy(parts: &Parts) -> Parts {
    parts.clone()
}

impl Sample {
    fn parts(&self) -> Parts {
        let mut parts = Parts::new(self.index.clone());
        parts.games = Some(self.games.clone());
        parts.names = Some(self.names.clone());
        parts
    }

    fn record(&self, game: usize) -> Range<usize> {
        let start = HEADER + game * RECORD;
        start..start + RECORD
    }
}

/// The values that each byte is replaced with.
pub(crate) fn replacements(byte: u8) -> [u8; 5] {
    [0, 255, byte ^ 1, byte ^ 0x80, byte.wrapping_add(1)]
}

/// Does all that can be done with a database. Only that it comes to an end counts.
pub(crate) fn exercise(parts: Parts, with_positions: bool) -> Option<Database> {
    let database = Database::from_bytes(parts).ok()?;
    exercise::records(&database);
    let mut queries = vec![(
        "player:a or site=? or round:1 or eco:B or date:1998..",
        false,
    )];
    if with_positions {
        queries.push(("text:o or tag.Annotator:n or plies>=8", false));
        queries.push((
            "fen:\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b\" or at(N=2 n<2 for:2) \
             then check or played:?xd5",
            true,
        ));
    }
    for (query, variations) in queries {
        exercise::search(&database, &ask::query(query), variations);
    }
    if with_positions {
        let _ = database.verify();
    }
    Some(database)
}

fn is_unharmed(database: &Database, sample: &Sample, game: usize) {
    let read = PlainGame::read(database, GameId(game as u32));
    let read = read.unwrap_or_else(|error| panic!("an undamaged game: {error}"));
    assert_eq!(read, sample.plain[game], "game {}", game + 1);
}

#[test]
fn an_index_cut_anywhere_opens_or_is_refused() {
    let sample = sample();
    (0..sample.index.len()).into_par_iter().for_each(|length| {
        let mut parts = sample.parts();
        parts.index.truncate(length);
        let database = exercise(parts, length > HEADER);
        assert_eq!(database.is_some(), length >= HEADER, "{length} bytes");
        let whole = length.saturating_sub(HEADER) / RECORD;
        if let Some(database) = database {
            assert_eq!(database.len() as usize, whole);
            assert!(!database.notes().is_empty(), "{length} bytes");
            (0..whole).for_each(|game| is_unharmed(&database, &sample, game));
        }
    });
}

#[test]
fn a_games_file_cut_anywhere_loses_only_what_is_cut() {
    let sample = sample();
    (0..sample.games.len()).into_par_iter().for_each(|length| {
        let mut parts = sample.parts();
        parts.games = Some(sample.games[..length].to_vec());
        let database = exercise(parts, true).expect("it opens");
        for (game, blob) in sample.blobs.iter().enumerate() {
            if blob.end <= length {
                is_unharmed(&database, &sample, game);
            } else {
                let read = PlainGame::read(&database, GameId(game as u32));
                let error = read.expect_err("the game is cut");
                assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
                assert_eq!(error.game(), Some(game as u32 + 1));
            }
        }
    });
}

#[test]
fn a_names_file_cut_anywhere_leaves_the_moves() {
    let sample = sample();
    (0..sample.names.len()).into_par_iter().for_each(|length| {
        let mut parts = sample.parts();
        parts.names = Some(sample.names[..length].to_vec());
        let database = exercise(parts, false).expect("it opens");
        let known = database.name_count(NameKind::Player);
        assert_eq!(known.is_ok(), length >= NAMES_HEADER, "{length} bytes");
        for (id, plain) in (0..).zip(&sample.plain) {
            let read = PlainGame::read(&database, GameId(id)).expect("the moves are there");
            assert_eq!(read.events, plain.events);
            assert_eq!(read.tags, plain.tags);
        }
    });
}

#[test]
fn any_byte_of_the_index_may_be_wrong() {
    let sample = sample();
    // What the user wrote about the database says nothing about its games.
    let bytes = (0..20).chain(HEADER..sample.index.len());
    let bytes: Vec<usize> = bytes.collect();
    bytes.into_par_iter().for_each(|at| {
        for value in replacements(sample.index[at]) {
            let mut parts = sample.parts();
            parts.index[at] = value;
            // Of a record's fields, names, codes, dates and ratings say nothing about moves.
            let field = at.checked_sub(HEADER).map_or(0, |offset| offset % RECORD);
            let says_nothing = (9..21).contains(&field) || (23..33).contains(&field);
            let database = exercise(parts, !says_nothing);
            if at < HEADER {
                continue;
            }
            let database = database.expect("it opens");
            for game in (0..sample.plain.len()).filter(|&game| !sample.record(game).contains(&at)) {
                is_unharmed(&database, &sample, game);
            }
        }
    });
}

#[test]
fn any_byte_of_the_games_may_be_wrong() {
    let sample = sample();
    (0..sample.games.len()).into_par_iter().for_each(|at| {
        for value in replacements(sample.games[at]) {
            let mut parts = sample.parts();
            let mut games = sample.games.clone();
            games[at] = value;
            parts.games = Some(games);
            let database = exercise(parts, true).expect("it opens");
            for (game, blob) in sample.blobs.iter().enumerate() {
                if !blob.contains(&at) {
                    is_unharmed(&database, &sample, game);
                }
            }
        }
    });
}

#[test]
fn any_byte_of_the_names_may_be_wrong() {
    let sample = sample();
    (0..sample.names.len()).into_par_iter().for_each(|at| {
        for value in replacements(sample.names[at]) {
            let mut parts = sample.parts();
            let mut names = sample.names.clone();
            names[at] = value;
            parts.names = Some(names);
            let database = exercise(parts, false).expect("it opens");
            for (id, plain) in (0..).zip(&sample.plain) {
                let read = PlainGame::read(&database, GameId(id)).expect("the moves are there");
                assert_eq!(read.events, plain.events);
            }
        }
    });
}

// ---- the index ----

/// Opens the sample after a change.
fn changed(change: impl FnOnce(&Sample, &mut Parts)) -> Result<Database, Error> {
    let sample = sample();
    let mut parts = sample.parts();
    change(&sample, &mut parts);
    Database::from_bytes(parts)
}

fn refusal(change: impl FnOnce(&Sample, &mut Parts)) -> ErrorKind {
    changed(change).expect_err("it is refused").kind().clone()
}

fn run(database: &Database, query: &str) -> Result<Vec<Match>, Error> {
    let query = ask::query(query);
    let full = Search::new(&query)
        .strategy(Strategy::FullDecode)
        .run(database);
    let auto = Search::new(&query).run(database)?.into_parts().0;
    assert_eq!(full?.as_slice(), auto);
    Ok(auto)
}

#[test]
fn a_header_that_counts_fewer_games_hides_the_others() {
    let database = changed(|_, parts| parts.index[16] = 2).expect("it opens");
    assert_eq!(database.len(), 2);
    assert_eq!(database.notes().len(), 1);
}

#[test]
fn a_header_that_counts_more_games_gets_those_that_are_there() {
    let database = changed(|_, parts| parts.index[14..17].fill(255)).expect("it opens");
    assert_eq!(database.len(), 3);
    assert_eq!(database.notes().len(), 1);
}

#[test]
fn what_is_no_index_is_refused() {
    let empty = refusal(|_, parts| parts.index.clear());
    assert!(
        matches!(
            empty,
            ErrorKind::Corrupt { .. } | ErrorKind::Truncated { .. }
        ),
        "{empty}"
    );
    let magic = refusal(|_, parts| parts.index[0] = b'X');
    assert!(
        matches!(magic, ErrorKind::Corrupt { .. } | ErrorKind::UnknownFormat),
        "{magic}"
    );
    let version = refusal(|_, parts| parts.index[8..10].copy_from_slice(&[1, 0xf4]));
    assert_eq!(version, ErrorKind::UnsupportedVersion { found: 500 });
    let short = refusal(|_, parts| parts.index.truncate(100));
    assert!(matches!(short, ErrorKind::Truncated { .. }), "{short}");
}

#[test]
fn a_game_beyond_the_end_of_the_file_is_damaged_and_no_other() {
    let database = changed(|sample, parts| parts.index[sample.record(1)][..4].fill(255));
    let (database, sample) = (database.expect("it opens"), sample());
    let error = PlainGame::read(&database, GameId(1)).expect_err("it is not there");
    assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
    assert_eq!(error.game(), Some(2));
    [0, 2]
        .into_iter()
        .for_each(|game| is_unharmed(&database, &sample, game));
    let query = ask::query("ply=0");
    let full = Search::new(&query)
        .strategy(Strategy::FullDecode)
        .run(&database);
    let found = full.expect("the search runs");
    assert_eq!((found.len(), found.report().damaged), (2, 1));
    assert_eq!(found.report().damaged_games[0].game(), Some(2));
}

#[test]
fn two_records_may_share_a_game() {
    let database = changed(|sample, parts| {
        let (from, to) = (sample.record(0), sample.record(2).start);
        parts.index.copy_within(from.start..from.start + 7, to);
    });
    let database = database.expect("it opens");
    let read = |id| {
        PlainGame::read(&database, GameId(id))
            .expect("it is there")
            .events
    };
    assert_eq!(read(0), read(2));
}

#[test]
fn a_length_of_zero_is_damage_where_the_record_tells_of_moves() {
    let database = changed(|sample, parts| {
        let record = sample.record(2);
        parts.index[record.start + 4..record.start + 7].fill(0);
    });
    let database = database.expect("it opens");
    let error = PlainGame::read(&database, GameId(2)).expect_err("its moves are not found");
    assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
    let verified = database.verify();
    assert_eq!(verified.expect("it runs").damaged, 1);
}

#[test]
fn a_length_of_zero_is_an_empty_game_where_the_record_says_so() {
    let database = changed(|sample, parts| {
        let record = &mut parts.index[sample.record(2)];
        // Length, flags, counters, plies, home pawns and the opening line; then all men.
        record[4..9].fill(0);
        record[21..23].fill(0);
        record[33..47].fill(0);
        record[34..37].copy_from_slice(&[0x6a, 0x86, 0xa8]);
    });
    let database = database.expect("it opens");
    let read = PlainGame::read(&database, GameId(2)).expect("an empty game");
    assert!(read.events.is_empty() && read.start.is_none() && read.tags.is_empty());
    let verified = database.verify();
    assert_eq!(verified.expect("it runs").damaged, 0);
}

#[test]
fn a_name_that_does_not_exist_is_a_question_mark() {
    let database = changed(|sample, parts| {
        let record = sample.record(0);
        parts.index[record.start + 9..record.start + 14].fill(255);
    });
    let database = database.expect("it opens");
    let header = database.header(GameId(0)).expect("a header");
    assert_eq!((header.white.as_str(), header.black.as_str()), ("?", "?"));
    let sample = sample();
    is_unharmed(&database, &sample, 1);
}

// ---- missing files ----

#[test]
fn without_names_positions_are_found_and_names_are_missing() {
    let database = changed(|_, parts| parts.names = None).expect("it opens");
    assert_eq!(database.notes().len(), 1);
    assert_eq!(
        run(&database, "ply=0").expect("no names are needed").len(),
        3
    );
    let error = run(&database, "white:carlsen").expect_err("names are needed");
    assert!(matches!(error.kind(), ErrorKind::Missing { .. }), "{error}");
    assert_eq!(database.header(GameId(0)).expect("a header").white, "?");
}

#[test]
fn without_games_headers_are_found_and_moves_are_missing() {
    let database = changed(|_, parts| parts.games = None).expect("it opens");
    assert_eq!(database.notes().len(), 1);
    assert_eq!(
        run(&database, "number:2..3")
            .expect("no moves are needed")
            .len(),
        2
    );
    assert!(run(&database, "white:a or not white:a").is_ok());
    let error = run(&database, "check").expect_err("moves are needed");
    assert!(matches!(error.kind(), ErrorKind::Missing { .. }), "{error}");
    let error = PlainGame::read(&database, GameId(0)).expect_err("moves are needed");
    assert!(matches!(error.kind(), ErrorKind::Missing { .. }), "{error}");
}

#[test]
fn empty_companions_are_damage_and_no_panic() {
    let database = changed(|_, parts| parts.games = Some(Vec::new())).expect("it opens");
    let error = PlainGame::read(&database, GameId(0)).expect_err("nothing is there");
    assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
    let database = changed(|_, parts| parts.names = Some(Vec::new())).expect("it opens");
    let error = run(&database, "white:carlsen").expect_err("there are no names");
    assert!(
        matches!(error.kind(), ErrorKind::Truncated { .. }),
        "{error}"
    );
}

// ---- names ----

/// A names file of players only: id, length, shared bytes, the others.
fn names_file(entries: impl Iterator<Item = (u16, u8, u8, Vec<u8>)>) -> Vec<u8> {
    let (mut list, mut count) = (Vec::new(), 0_u32);
    for (id, length, shared, rest) in entries {
        list.extend_from_slice(&id.to_be_bytes());
        list.extend_from_slice(&[1, length]);
        list.extend((count > 0).then_some(shared));
        list.extend(rest);
        count += 1;
    }
    let mut file = b"Scid.sn\0\0\0\0\0".to_vec();
    file.extend_from_slice(&count.to_be_bytes()[1..]);
    file.extend_from_slice(&[0; 9]);
    file.extend_from_slice(&[0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    file.extend(list);
    file
}

fn with_names(file: Vec<u8>) -> Database {
    changed(|_, parts| parts.names = Some(file)).expect("it opens")
}

fn player(database: &Database, id: u32) -> Option<String> {
    let id = tabiya::chess::NameId(id);
    database.name_of(NameKind::Player, id).expect("names")
}

#[test]
fn a_name_that_shares_more_than_there_is_ends_the_list() {
    let entries = [
        (0, 3, 0, b"Abe".to_vec()),
        (1, 9, 8, b"X".to_vec()),
        (2, 1, 0, b"B".to_vec()),
    ];
    let database = with_names(names_file(entries.into_iter()));
    assert_eq!(player(&database, 0).as_deref(), Some("Abe"));
    assert!(database.names_damage().is_some());
    let shorter = [(0, 3, 0, b"Abe".to_vec()), (1, 1, 2, Vec::new())];
    assert!(
        with_names(names_file(shorter.into_iter()))
            .names_damage()
            .is_some()
    );
}

#[test]
fn a_name_with_an_id_out_of_range_ends_the_list() {
    let entries = [(0, 3, 0, b"Abe".to_vec()), (77, 3, 3, Vec::new())];
    let database = with_names(names_file(entries.into_iter()));
    assert_eq!(player(&database, 0).as_deref(), Some("Abe"));
    assert_eq!(player(&database, 77), None);
    assert!(database.names_damage().is_some());
}

#[test]
fn names_that_expand_without_end_are_cut_off() {
    let first = (0, 255, 0, vec![b'x'; 255]);
    let bomb = (1..60_000).map(|id| (id, 255, 255, Vec::new()));
    let file = names_file(std::iter::once(first).chain(bomb));
    let budget = 48 * file.len();
    let database = with_names(file);
    assert!(database.names_damage().is_some());
    let known = (0..60_000).filter_map(|id| player(&database, id));
    let bytes: usize = known.map(|name| name.len()).sum();
    assert!(bytes <= budget, "{bytes} bytes of names");
}

// ---- games ----

/// A database of one game with these bytes.
fn with_game(blob: &[u8], variations: u8) -> Database {
    let mut parts = written(&[PlainGame::default()]);
    let length = blob.len() as u32;
    let record = &mut parts.index[HEADER..];
    record[..4].fill(0);
    record[4..6].copy_from_slice(&(length as u16).to_be_bytes());
    record[6] = (length >> 9) as u8 & 0x80;
    record[22] = variations & 15;
    parts.games = Some(blob.to_vec());
    Database::from_bytes(parts).expect("it opens")
}

/// A game with variations of 1. Nc3 inside each other.
fn nested(depth: usize) -> Vec<u8> {
    let mut blob = vec![0, 0];
    blob.extend([0x28, 13].repeat(depth));
    blob.push(0x28);
    blob.extend([14].repeat(depth));
    blob.push(15);
    blob
}

#[test]
fn variations_are_read_down_to_the_limit_and_no_deeper() {
    let limit = tabiya::limits::VARIATION_DEPTH_MAX;
    for (depth, fits) in [
        (limit - 1, true),
        (limit, true),
        (limit + 1, false),
        (43_000, false),
    ] {
        let blob = nested(depth);
        let database = with_game(&blob, 15);
        let read = PlainGame::read(&database, GameId(0));
        assert_eq!(read.is_ok(), fits, "{depth} deep");
        if let Err(error) = read {
            assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
        }
        // The main line is found in any case.
        assert_eq!(
            run(&database, "played:Nc3").expect("the search runs").len(),
            1
        );
        let query = ask::query("played:Nf3");
        let search = Search::new(&query).variations(true).run(&database);
        let search = search.expect("the search runs");
        assert!(search.is_empty());
        assert_eq!(search.report().harmed, u64::from(!fits));
    }
}

fn damage_of(blob: &[u8]) -> Error {
    let database = with_game(blob, 0);
    let query = ask::query("check");
    let found = Search::new(&query)
        .strategy(Strategy::FullDecode)
        .run(&database);
    assert_eq!(found.expect("the search runs").report().damaged, 1);
    PlainGame::read(&database, GameId(0)).expect_err("the game is damaged")
}

#[test]
fn start_positions_that_cannot_be_are_damage() {
    let start = |fen: &str| [&[0, 1], fen.as_bytes(), &[0, 15]].concat();
    for fen in [
        "garbage",
        "",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/K6K w - - 0 1",
        "4k3/PPPPPPPP/PPPPPPPP/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
    ] {
        let error = damage_of(&start(fen));
        assert!(
            matches!(error.kind(), ErrorKind::Corrupt { .. }),
            "{fen}: {error}"
        );
        assert_eq!(error.game(), Some(1), "{fen}");
    }
    let database = with_game(&start("4k3/8/8/8/8/8/8/4K3 b - - 0 1"), 0);
    assert!(PlainGame::read(&database, GameId(0)).is_ok());
}

#[test]
fn games_without_an_end_or_with_moves_that_cannot_be_are_damage() {
    let cases: [(&str, &[u8]); 8] = [
        ("no end", &[0, 0, 0x28]),
        ("tags without an end", &[3, b'a', b'b']),
        ("a start without an end", &[0, 1, b'8', b'/']),
        ("a variation of nothing", &[0, 0, 13, 14, 15]),
        ("a variation that never began", &[0, 0, 0x28, 14, 15]),
        ("a variation that never ends", &[0, 0, 0x28, 13, 0x26, 15]),
        ("a move that is none", &[0, 0, 0x2f, 15]),
        ("a man on a man of its side", &[0, 0, 0x19, 15]),
    ];
    for (what, blob) in cases {
        let database = with_game(blob, 1);
        let error = PlainGame::read(&database, GameId(0)).expect_err(what);
        assert!(
            matches!(error.kind(), ErrorKind::Corrupt { .. }),
            "{what}: {error}"
        );
        assert!(error.offset().is_some(), "{what}: {error}");
    }
}
