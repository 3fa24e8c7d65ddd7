//! Databases of ChessBase 1 to 5 (`.cbf`), written after their description.

use std::{env, fs, path::PathBuf};

use shakmaty::{Setup, fen::Fen};
use tabiya::{
    Conversion, Database, ErrorKind, Flow, FormatKind, GameId, OpenOptions, Strategy,
    chess::{Eco, Elo, GameResult, PartialDate, RatingKind},
    format::{GameHeader, Overwrite, Rating},
    limits::VARIATION_DEPTH_MAX,
};

use crate::support::{
    ask::numbers,
    cbf::{self, Ending},
    dice::Dice,
    game::{Event, PlainGame},
    pool::told_game,
};

/// A set in a folder of its own.
struct Set {
    folder: tempfile::TempDir,
}

impl Set {
    fn new(games: &[Vec<u8>]) -> Set {
        let set = Set {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::write(set.file("cbi"), cbf::index_of(games)).unwrap();
        fs::write(set.file("cbf"), games.concat()).unwrap();
        set
    }

    fn of(games: &[PlainGame]) -> Set {
        let bytes = |game| cbf::bytes(game, Ending::Told).unwrap();
        Set::new(&games.iter().map(bytes).collect::<Vec<_>>())
    }

    fn file(&self, suffix: &str) -> PathBuf {
        self.folder.path().join("base").with_extension(suffix)
    }

    fn change(&self, suffix: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = fs::read(self.file(suffix)).unwrap();
        change(&mut bytes);
        fs::write(self.file(suffix), bytes).unwrap();
    }

    fn open(&self) -> Database {
        Database::read(self.file("cbi")).unwrap()
    }
}

fn read(database: &Database) -> Vec<PlainGame> {
    let games = database.games();
    games
        .map(|game| PlainGame::read(database, game).unwrap())
        .collect()
}

/// Returns the games of a text.
fn games_of(text: &str) -> Vec<PlainGame> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgn");
    fs::write(&path, text).unwrap();
    read(&Database::read(path).unwrap())
}

fn short_games() -> Vec<PlainGame> {
    games_of(
        "[White \"Anderssen\"]\n[Black \"Kieseritzky\"]\n[Event \"London\"]\n[Round \"3\"]\n\n\
         1. e4 e5 2. f4 exf4 3. Bc4 (3. Nf3 g5 (3... d6 {slow}) 4. h4) Qh4+ 4. Kf1 1-0\n\n\
         [White \"a\"]\n[Black \"b\"]\n\n1. d4 $1 d5 2. c4 {gambit} e6 $14 1/2-1/2\n\n\
         [White \"c\"]\n[Black \"d\"]\n\n1. c4 *\n",
    )
}

fn convert(set: &Set, suffix: &str) -> Conversion {
    let target = set.file(suffix);
    let sources = [set.file("cbi")];
    tabiya::convert(&sources, &target, Overwrite::Refuse, &mut |_| {
        Flow::Continue(())
    })
    .unwrap()
}

/// Annotations that the format has no place for are left out.
fn without_annotations(game: &PlainGame) -> Vec<Event> {
    let is_move = |event: &&Event| !matches!(event, Event::Nag(_) | Event::Comment(_));
    game.events.iter().filter(is_move).cloned().collect()
}

#[test]
fn the_fixture_is_what_the_famous_games_are_written_as() {
    let games = read(&Database::read("fixtures/famous.pgn").unwrap());
    let games: Vec<PlainGame> = games.into_iter().filter(cbf::fits).collect();
    let set = Set::of(&games);
    for suffix in ["cbi", "cbf"] {
        let fixture = PathBuf::from(format!("fixtures/shelf/famous.{suffix}"));
        if env::var("TABIYA_RENEW").is_ok_and(|value| value == "1") {
            fs::copy(set.file(suffix), &fixture).unwrap();
        }
        let is_same = fs::read(&fixture).unwrap() == fs::read(set.file(suffix)).unwrap();
        assert!(is_same, "{suffix}: TABIYA_RENEW=1 writes it anew");
    }
}

#[test]
fn all_lines_of_random_games_come_back() {
    let games: Vec<PlainGame> = (0..400)
        .map(|seed| told_game(&mut Dice::new(seed)))
        .filter(cbf::fits)
        .collect();
    assert!(games.len() > 200, "{}", games.len());
    for ending in [Ending::Told, Ending::None] {
        let bytes = |game| cbf::bytes(game, ending).unwrap();
        let set = Set::new(&games.iter().map(bytes).collect::<Vec<_>>());
        let database = set.open();
        assert!(database.notes().is_empty(), "{:?}", database.notes());
        for (number, (game, read)) in games.iter().zip(read(&database)).enumerate() {
            assert_eq!(
                without_annotations(&read),
                without_annotations(game),
                "{number}"
            );
            let board = |game: &PlainGame| {
                let start = game.start.clone().unwrap_or_else(Setup::initial);
                (
                    start.board,
                    start.turn,
                    start.castling_rights,
                    start.fullmoves,
                )
            };
            assert_eq!(board(&read), board(game), "{number}");
            assert_eq!(read.header.result, game.header.result);
        }
        let verified = database.verify().unwrap();
        let is_oddity = verified.damaged == 0 && verified.notes.is_empty();
        assert!(is_oddity, "{:?}", verified.damaged_games);
    }
}

#[test]
fn real_games_are_the_same_as_in_pgn() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let source = Database::open(root.join("fixtures/famous.si4")).unwrap();
    let (numbers_of, games): (Vec<u32>, Vec<PlainGame>) = (1..)
        .zip(read(&source))
        .filter(|(_, game)| cbf::fits(game))
        .unzip();
    assert!(games.len() > 80, "{}", games.len());
    let set = Set::of(&games);
    let database = set.open();
    for (read, game) in read(&database).iter().zip(&games) {
        assert_eq!(without_annotations(read), without_annotations(game));
        let names = |game: &PlainGame| (game.header.white.clone(), game.header.black.clone());
        let (white, black) = names(game);
        if !white.contains('-') && white.len() + black.len() < 63 {
            assert_eq!(names(read), (white, black));
        }
        let year = game.header.date.year().filter(|year| *year >= 1772);
        assert_eq!(read.header.date.year(), year);
        let eco = |game: &PlainGame| game.header.eco.map(Eco::basic);
        assert!(game.start.is_some() || eco(read) == eco(game));
    }
    for query in ["at(Q=0 q=0)", "result:1-0", "year:1851..1900"] {
        let found = numbers(&database, query, Strategy::Auto, false);
        let found: Vec<u32> = found
            .iter()
            .map(|&number| numbers_of[number as usize - 1])
            .collect();
        let mut expected = numbers(&source, query, Strategy::FullDecode, false);
        expected.retain(|number| numbers_of.contains(number));
        assert_eq!(found, expected, "{query}");
        assert!(!found.is_empty(), "{query}");
    }
}

#[test]
fn every_value_of_a_head_is_read() {
    let rating = |value| {
        Elo::new(value).map(|value| Rating {
            value,
            kind: RatingKind::Elo,
        })
    };
    let header = GameHeader {
        white: "Hübner,R".to_owned(),
        black: "Nunn,J".to_owned(),
        event: "Brüssel".to_owned(),
        site: "?".to_owned(),
        round: "12".to_owned(),
        date: PartialDate::new(1986, 0, 0),
        result: GameResult::Draw,
        white_rating: rating(2605),
        black_rating: rating(1605),
        eco: "E99".parse().ok(),
        ..GameHeader::default()
    };
    let mut games = vec![header.clone()];
    for (eco, year, result) in [
        ("A00", 1772, GameResult::WhiteWins),
        ("A31", 1900, GameResult::BlackWins),
        ("C27", 2026, GameResult::Unknown),
    ] {
        games.push(GameHeader {
            eco: eco.parse().ok(),
            date: PartialDate::new(year, 0, 0),
            result,
            white_rating: None,
            black_rating: rating(2875),
            ..header.clone()
        });
    }
    games.push(GameHeader {
        date: PartialDate::UNKNOWN,
        eco: None,
        white: "?".to_owned(),
        round: "?".to_owned(),
        ..header
    });
    let plain = |header: &GameHeader| PlainGame {
        header: header.clone(),
        ..PlainGame::default()
    };
    let set = Set::of(&games.iter().map(plain).collect::<Vec<_>>());
    let database = set.open();
    assert_eq!(database.kind(), FormatKind::Cbf);
    for (game, header) in database.games().zip(&games) {
        assert_eq!(database.header(game).unwrap(), *header);
    }
    let found = |query| numbers(&database, query, Strategy::Auto, false);
    assert_eq!(found("white:hübner round:12"), [1, 2, 3, 4]);
    assert_eq!(found("eco:A31 year:1900"), [3]);
}

#[test]
fn texts_are_of_a_code_page_of_dos_unless_another_is_said() {
    let mut game = short_games().remove(1);
    game.header.white = "M~ller".to_owned();
    game.events.push(Event::Comment("~ber".to_owned()));
    let mut bytes = cbf::bytes(&game, Ending::Told).unwrap();
    // The names are scrambled anew with the letter as DOS has it.
    let length = "M~ller-b?".len();
    let names = &mut bytes[14..14 + length];
    cbf::scramble(names, 3 * length, 3);
    names[1] = 0x81;
    cbf::scramble(names, 3 * length, 3);
    let at = bytes.iter().rposition(|&byte| byte == b'~').unwrap();
    bytes[at] = 0x9a;
    let set = Set::new(&[bytes]);
    let read_as = |options: OpenOptions| {
        let database = options.open(set.file("cbi")).unwrap();
        let game = read(&database).remove(0);
        let comment = game.events.iter().rev().find_map(|event| match event {
            Event::Comment(text) => Some(text.clone()),
            _ => None,
        });
        (game.header.white, comment.unwrap())
    };
    let told = read_as(OpenOptions::new());
    assert_eq!(told, ("Müller".to_owned(), "Über".to_owned()));
    let russian = OpenOptions::new().encoding("ibm866".parse().unwrap());
    assert_eq!(read_as(russian).0, "MБller");
}

#[test]
fn signs_comments_and_variations_stand_behind_their_moves() {
    let games = games_of(
        "1. e4 $1 $18 {best by test} e5 $6 (1... c5 $5 {sharp} 2. Nf3 (2. c3 $140 d5) 2... d6) \
         (1... e6) 2. f4 $40 exf4 $138 *\n\n1. d4 *\n",
    );
    let set = Set::of(&games);
    let database = set.open();
    let told: Vec<Vec<Event>> = read(&database)
        .into_iter()
        .map(|game| game.events)
        .collect();
    let expected: Vec<Vec<Event>> = games.into_iter().map(|game| game.events).collect();
    assert_eq!(told, expected);
    let found = |query| numbers(&database, query, Strategy::Auto, true);
    assert_eq!(found("text:sharp"), [1]);
    assert_eq!(found("variations:3 comments:2"), [1]);
    assert!(found("text:blunt").is_empty());
}

#[test]
fn start_positions_have_their_side_rights_and_en_passant() {
    for (fen, moves) in [
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 30", "30. exd6 Kd7"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 7", "7... O-O-O 8. O-O"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "1. a8=N Kd7"),
    ] {
        let games = games_of(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n{moves} *\n"));
        let set = Set::of(&games);
        let read = read(&set.open()).remove(0);
        assert_eq!(read.events, games[0].events, "{fen}");
        let told = Fen::try_from(read.start.unwrap()).unwrap().to_string();
        assert_eq!(told, fen);
    }
}

#[test]
fn games_are_found_without_an_index_but_not_without_their_file() {
    let set = Set::of(&short_games());
    let whole = read(&set.open());
    fs::remove_file(set.file("cbi")).unwrap();
    let database = Database::read(set.file("cbf")).unwrap();
    assert_eq!(read(&database), whole);
    let notes = database.notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(matches!(notes[0].kind(), ErrorKind::Missing { .. }));
    let set = Set::of(&short_games());
    fs::remove_file(set.file("cbf")).unwrap();
    let error = Database::read(set.file("cbi")).unwrap_err();
    let is_told = matches!(error.kind(), ErrorKind::Missing { file, .. } if file == "base.cbf");
    assert!(is_told, "{error}");
}

#[test]
fn when_salvaging_games_that_the_index_lacks_are_found() {
    let set = Set::of(&short_games());
    let whole = read(&set.open());
    set.change("cbi", |index| index.truncate(6));
    assert_eq!(set.open().len(), 0);
    let salvaged = OpenOptions::new().salvage(true).open(set.file("cbi"));
    assert_eq!(read(&salvaged.unwrap()), whole);
}

#[test]
fn a_set_opens_by_each_of_its_names() {
    let set = Set::of(&short_games());
    let whole = read(&set.open());
    for name in ["base", "base.cbi", "base.cbf"] {
        let database = Database::open(set.folder.path().join(name)).unwrap();
        assert_eq!(read(&database), whole, "{name}");
    }
    for (name, capital) in [("cbi", "CBI"), ("cbf", "CBF")] {
        fs::rename(set.file(name), set.file(capital)).unwrap();
    }
    let database = Database::open(set.file("CBF")).unwrap();
    assert_eq!(read(&database), whole);
}

#[test]
fn a_wrong_checksum_is_told_by_verifying_and_the_game_is_read() {
    let set = Set::of(&short_games());
    let whole = read(&set.open());
    set.change("cbf", |games| games[13] ^= 1);
    let database = set.open();
    assert_eq!(read(&database), whole);
    let verified = database.verify().unwrap();
    assert_eq!(verified.damaged, 1);
    let error = &verified.damaged_games[0];
    assert!(error.to_string().contains("checksum"), "{error}");
    assert_eq!((error.game(), error.offset()), (Some(1), Some(0)));
}

#[test]
fn an_index_of_another_set_leads_to_games_or_damage() {
    let (set, other) = (Set::of(&short_games()), Set::of(&short_games()[1..]));
    let whole = read(&set.open());
    fs::copy(other.file("cbi"), set.file("cbi")).unwrap();
    let database = set.open();
    assert_eq!(database.len(), 2);
    assert_eq!(PlainGame::read(&database, GameId(0)).unwrap(), whole[0]);
    assert!(database.verify().unwrap().damaged > 0);
}

#[test]
fn games_that_lie_on_each_other_are_told_by_verifying() {
    for (shift, damaged) in [(0, 0), (1, 2), (20, 2)] {
        let set = Set::of(&short_games());
        let whole = read(&set.open());
        // The second game begins inside the first one, or is the first one again.
        set.change("cbi", |index| {
            index[8..12].copy_from_slice(&(shift + 3_u32).to_be_bytes());
        });
        let database = set.open();
        assert_eq!(PlainGame::read(&database, GameId(0)).unwrap(), whole[0]);
        assert_eq!(PlainGame::read(&database, GameId(2)).unwrap(), whole[2]);
        let found = database.verify().unwrap().damaged;
        assert!(found >= damaged || shift == 0, "{shift}: {found}");
    }
}

#[test]
fn a_place_that_cannot_be_costs_its_own_game_only() {
    for place in [0, 1, 2, 0x7fff_ffff, u32::MAX] {
        let set = Set::of(&short_games());
        let whole = read(&set.open());
        set.change("cbi", |index| {
            index[8..12].copy_from_slice(&place.to_be_bytes());
        });
        let database = set.open();
        let error = PlainGame::read(&database, GameId(1)).unwrap_err();
        assert_eq!(error.path(), Some(&*set.file("cbf")), "{error}");
        assert_eq!(error.game(), Some(2));
        for game in [0, 2] {
            let read = PlainGame::read(&database, GameId(game)).unwrap();
            assert_eq!(read, whole[game as usize]);
        }
    }
}

#[test]
fn of_a_game_that_is_cut_short_the_first_moves_are_read() {
    let game = short_games().remove(1);
    let whole = cbf::bytes(&game, Ending::Told).unwrap();
    let set = Set::new(std::slice::from_ref(&whole));
    let names = "a-b?".len();
    // Two of four moves.
    fs::write(set.file("cbf"), &whole[..14 + names + 2]).unwrap();
    let database = set.open();
    assert_eq!(database.header(GameId(0)).unwrap().white, "a");
    let mut told = PlainGame::default();
    let error = database.visit(GameId(0), &mut told).unwrap_err();
    assert_eq!(error.offset(), Some(14 + names as u64 + 2), "{error}");
    assert_eq!(without_annotations(&told).len(), 2);
}

#[test]
fn variations_deeper_than_the_limit_are_damage() {
    let deep = |depth: usize| {
        let mut game = games_of("[White \"a\"]\n\n1. a3 *\n").remove(0);
        let played = game.events[0].clone();
        for _ in 0..depth {
            game.events.extend([Event::Begin, played.clone()]);
        }
        game.events.resize(game.events.len() + depth, Event::End);
        Set::of(&[game])
    };
    for (depth, fits) in [
        (VARIATION_DEPTH_MAX, true),
        (VARIATION_DEPTH_MAX + 1, false),
    ] {
        let set = deep(depth);
        let read = PlainGame::read(&set.open(), GameId(0));
        assert_eq!(read.is_ok(), fits, "{depth}");
        if let Err(error) = read {
            assert!(error.to_string().contains("deep"), "{error}");
        }
    }
}

#[test]
fn a_long_comment_is_read_searched_and_converted() {
    let mut games = short_games();
    let long = format!("{}end", "word ".repeat(10_000));
    games[2].events.push(Event::Comment(long.clone()));
    let set = Set::of(&games);
    let database = set.open();
    let read = PlainGame::read(&database, GameId(2)).unwrap();
    assert_eq!(read.events.last(), Some(&Event::Comment(long)));
    let found = numbers(&database, "text:\"word end\"", Strategy::Auto, false);
    assert_eq!(found, [3]);
    let done = convert(&set, "si5");
    assert_eq!((done.games, done.skipped), (3, 0));
}

#[test]
fn annotations_without_an_end_are_told_by_verifying() {
    let game = short_games().remove(1);
    let whole = cbf::bytes(&game, Ending::Told).unwrap();
    let end = whole.len() - 1;
    let ends = [0xff; 10];
    for (bytes, what) in [
        ([&whole[..end], &b"x"[..]].concat(), "without an end"),
        ([&whole[..end - 9], &ends].concat(), ""),
    ] {
        let set = Set::new(&[bytes]);
        let database = set.open();
        let lines = without_annotations(&read(&database)[0]);
        assert_eq!(lines, without_annotations(&game));
        let verified = database.verify().unwrap();
        let told = verified.damaged_games.first().map(ToString::to_string);
        let is_told = told.as_ref().is_some_and(|told| told.contains(what));
        assert!(what.is_empty() || is_told, "{told:?}");
    }
}

#[test]
fn sets_are_converted_to_every_format() {
    let set = Set::of(&short_games());
    let whole = read(&set.open());
    for suffix in ["si4", "si5", "cbh", "2cbh", "dci", "pgn"] {
        let done = convert(&set, suffix);
        assert_eq!(
            (done.games, done.skipped, done.harmed),
            (3, 0, 0),
            "{suffix}"
        );
        let copy = read(&Database::open(set.file(suffix)).unwrap());
        for (copy, game) in copy.iter().zip(&whole) {
            assert_eq!(without_annotations(copy), without_annotations(game));
            assert_eq!(copy.header.white, game.header.white);
        }
    }
}
