//! Random games, full of what is rare in real ones, and databases made of them.

use std::{
    ffi::OsString,
    num::NonZeroU16,
    path::{Path, PathBuf},
};

use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, Move, Position, Role, Setup, fen::Fen, san::San,
};
use tabiya::{
    Database, Flow, GameId, OpenOptions, Parts, Query, SidecarOptions,
    chess::{Eco, PartialDate, RatingKind, Start},
    convert,
    format::{GameHeader, MontyLayout as Layout, Overwrite, Rating},
};
use tabiya_formats::{
    Encode,
    chessbase::v1 as chessbase,
    monty::{GameWriter, Score},
    scid4::{Edition, Encoder, Writer},
};

use super::{
    binpack::random_file,
    dice::Dice,
    game::{Event, PlainGame},
    naive::{Known, RESULTS},
    remark, viri,
    walk::legal,
};

/// Beginnings of games that the format has codes for, some with more moves than a code covers.
pub(crate) const OPENINGS: [&str; 24] = [
    "c4",
    "c4 e5",
    "c4 Nf6 Nc3",
    "d4",
    "d4 d5 c4 e6 Nc3",
    "d4 Nf6 c4 e6 Nc3 Bb4 e3 O-O",
    "d4 Nf6 c4 e6 Nc3 Bb4 Qc2 O-O a3 Bxc3+ Qxc3",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Be2 O-O",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5 O-O Nc6 d5 Ne7",
    "d4 Nf6 Nf3 g6 c4 Bg7 Nc3 O-O",
    "e4 c5 Nf3",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3 O-O",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nf6 Nc3 d6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5",
    "e4 c6 d4 d5 Nc3",
    "e4 d6 d4 Nf6 Nc3",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 O-O",
    "e4 e6 d4 d5 Nd2 Nf6",
    "Nf3 c5",
    "Nf3 Nf6 c4 g6 Nc3",
    "e4 e5 f4 exf4 Nf3 d6",
];

/// Start positions that games bring along.
const STARTS: [&str; 16] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    "8/PPPPk3/8/8/8/8/pppp3K/8 w - - 0 1",
    "4k3/P6P/8/8/8/8/p6p/4K3 b - - 3 40",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 20",
    "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b Kq - 0 7",
    "QQQQ3k/8/6q1/8/8/8/qqq5/7K b - - 0 1",
    "7k/8/8/QQQQ4/8/1qqqq3/8/7K w - - 0 1",
    "4k3/3p4/8/4P3/4p3/8/3P4/4K3 w - - 0 30",
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 30",
    "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 99",
    "8/8/4k3/8/8/4K3/4P3/8 b - - 0 60",
    "8/4k3/8/8/2B5/2b5/4K3/8 w - - 10 70",
    "7k/5Q2/8/8/8/8/8/K7 w - - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "nnnnknnn/pppppppp/8/8/8/8/PPPPPPPP/BBBBKBBB w - - 0 1",
];

/// Names, with the accents and capitals that searches must deal with.
pub(crate) const NAMES: [&str; 16] = [
    "Müller, Karsten",
    "Muller, Hans",
    "Mu\u{308}ller, Otto",
    "Høi, Carsten",
    "Hoi, C",
    "Žižek, Á.",
    "ŁUKASZ  Łódź",
    "Carlsen, Magnus",
    "carlsen, henrik",
    "Kasparov, Garry",
    "de la Cruz,  Juan",
    "?",
    "",
    "Λάσκερ",
    "O'Kelly de Galway",
    "A",
];
const EVENTS: [&str; 6] = [
    "Wijk aan Zee",
    "Zürich",
    "zurich blitz",
    "?",
    "",
    "Élan Cup 2",
];
const SITES: [&str; 5] = ["Gausdal NOR", "Zürich SUI", "?", "", "Tromsø NOR"];
const ROUNDS: [&str; 6] = ["1", "2.1", "?", "", "10", "-"];
/// Tags of puzzles, with some values.
pub(crate) const PUZZLE_TAGS: [(&str, &[&str]); 3] = [
    ("Themes", &["fork short", "mate mateIn2 fork", "mateIn2"]),
    ("Rating", &["1500", "2231", "high"]),
    ("Popularity", &["-12", "0", "95"]),
];
/// Tags outside the index, with some values.
pub(crate) const TAGS: [(&str, &[&str]); 6] = [
    ("Annotator", &["Nunn", "Müller", ""]),
    ("Source", &["Mega", "TWIC 900"]),
    ("WhiteTeam", &["Norge", "Île de France"]),
    ("BlackTeam", &["Norge", "Sverige"]),
    ("Opening", &["Sicilian", "King's Gambit"]),
    (
        "TimeControl",
        &[
            "40/7200",
            "180+2",
            "*",
            "1/86400",
            "20/60:30+1",
            "unlimited",
            "*60",
            "2.5+0.5",
            "40/5400+30:1800+30",
            "10/60:10/30",
            "300+5d",
            "G/15;d5",
            "G/5+3",
            "G/1",
            "1 day per move",
            "14 days",
            "90 min + 30 sec per move",
            "40 moves in 2 h",
            "3 minutes 2 seconds",
            "30 s",
            "fast",
            " 60+0 ",
        ],
    ),
];
pub(crate) const WORDS: [&str; 8] = [
    "good",
    "Müller's idea",
    "!?",
    "an  error",
    "zugzwang",
    "naïve",
    "a\nb",
    "good move",
];
const CODES: [&str; 10] = [
    "A00", "A00a", "B90", "B90a", "B90z4", "B91", "B99", "C42b1", "E99z4", "D37",
];

/// Databases of random games, with the same games as plain data.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) games: Vec<Known>,
    pub(crate) database: Database,
    /// The same database with a sidecar.
    pub(crate) indexed: Database,
}

impl Pool {
    /// Makes a database of this number of games. The same for the same seed, anywhere.
    pub(crate) fn new(seed: u64, games: u32) -> Pool {
        let mut dice = Dice::new(seed);
        let games: Vec<PlainGame> = (0..games).map(|_| told_game(&mut dice)).collect();
        Pool::of(games)
    }

    /// Makes training data of this number of games, in a layout.
    pub(crate) fn in_monty(seed: u64, games: u32, layout: Layout) -> Pool {
        let mut dice = Dice::new(seed);
        let games = (0..games).map(|_| training_game(&mut dice, layout));
        let bytes: Vec<u8> = games.flatten().collect();
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("pool.binpack");
        std::fs::write(&path, bytes).expect("a file can be written");
        Pool::of_database(Database::read(&path).expect("what was written opens"))
    }

    /// Makes Stockfish's training data of this number of games.
    pub(crate) fn in_stockfish(seed: u64, games: u32) -> Pool {
        let bytes = random_file(&mut Dice::new(seed), games);
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("pool.binpack");
        std::fs::write(&path, bytes).expect("a file can be written");
        Pool::of_database(Database::read(&path).expect("what was written opens"))
    }

    /// Makes training data in viriformat of this number of games, without Chess960, which the slow
    /// evaluator does not know.
    pub(crate) fn in_viriformat(seed: u64, games: u32) -> Pool {
        let mut games = viri::random_games(&mut Dice::new(seed), 2 * games);
        games.retain(|game| CastlingMode::detect(&game.start).is_standard());
        let bytes = viri::of_games(&games);
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("pool.vf");
        std::fs::write(&path, bytes).expect("a file can be written");
        Pool::of_database(Database::read(&path).expect("what was written opens"))
    }

    /// Makes a ChessBase database of this number of games, and reads them back from it.
    pub(crate) fn in_chessbase(seed: u64, games: u32) -> Pool {
        let mut dice = Dice::new(seed);
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("pool.cbh");
        let mut writer =
            chessbase::Writer::create(&path, (), Overwrite::Refuse).expect("files can be made");
        let mut encoder = chessbase::Encoder::new();
        for game in (0..games).map(|_| told_game(&mut dice)) {
            encoder.begin(&game.header);
            assert!(game.tell(&mut encoder).is_continue(), "{game:?}");
            let encoded = encoder.finish().expect("a random game can be encoded");
            writer.append(&encoded).expect("there is room");
        }
        writer.finish().expect("files can be written");
        Pool::of_database(Database::read(&path).expect("what was written opens"))
    }

    /// Takes all games of a database.
    pub(crate) fn of_database(database: Database) -> Pool {
        let game = |id| {
            let game = PlainGame::read(&database, id);
            let game = game.unwrap_or_else(|error| panic!("{error}"));
            match database.kind() {
                kind if kind.has_engine_data() => Known::with_engine_data(id, game),
                _ => Known::new(id, game),
            }
        };
        let games: Vec<Known> = database.games().map(game).collect();
        let files = database.files();
        let files = files.iter().map(|(path, _)| {
            let name = path.file_name().unwrap_or_default().to_os_string();
            (name, std::fs::read(path).expect("a file can be read"))
        });
        Pool {
            games,
            indexed: indexed(files),
            database,
        }
    }

    /// Makes a database of these games.
    pub(crate) fn of(games: Vec<PlainGame>) -> Pool {
        let parts = written(&games);
        let indexed = indexed(files_of(parts.clone()));
        let database = Database::from_bytes(parts).expect("what was written opens");
        let known = (0..)
            .zip(games)
            .map(|(id, game)| Known::new(GameId(id), game));
        Pool {
            games: known.collect(),
            database,
            indexed,
        }
    }
}

/// Writes this number of games to a PGN file in a folder, and returns its path.
pub(crate) fn written_as_pgn(folder: &Path, seed: u64, games: u32) -> PathBuf {
    let [source, path] = ["pool.si4", "pool.pgn"].map(|name| folder.join(name));
    let mut dice = Dice::new(seed);
    let games: Vec<PlainGame> = (0..games).map(|_| told_game(&mut dice)).collect();
    for (name, bytes) in files_of(written(&games)) {
        std::fs::write(folder.join(name), bytes).expect("a file can be written");
    }
    let go_on = &mut |_| Flow::Continue(());
    convert(&[source], &path, Overwrite::Refuse, go_on).expect("games can be written as PGN");
    path
}

/// Opens a database for a query.
pub(crate) fn opened_for(path: &Path, query: &Query) -> Database {
    let options = OpenOptions::new().in_memory(true).for_query(query);
    let database = options.open(path);
    database.expect("what was written opens")
}

/// Returns the files of a database, the index first, with their names.
fn files_of(parts: Parts) -> [(OsString, Vec<u8>); 3] {
    [
        ("pool.si4".into(), parts.index),
        ("pool.sg4".into(), parts.games.unwrap_or_default()),
        ("pool.sn4".into(), parts.names.unwrap_or_default()),
    ]
}

/// Writes the files of a database, the index first, makes its sidecar and reads both. The files
/// go again; what is in memory stays.
fn indexed(files: impl IntoIterator<Item = (OsString, Vec<u8>)>) -> Database {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut paths = Vec::new();
    for (name, bytes) in files {
        paths.push(folder.path().join(name));
        std::fs::write(&paths[paths.len() - 1], bytes).expect("a file can be written");
    }
    let path = paths.swap_remove(0);
    let plain = Database::open(&path).expect("what was written opens");
    SidecarOptions::new()
        .columns(true)
        .build(&plain)
        .expect("a sidecar can be made");
    let database = Database::read(&path).expect("what was written opens");
    assert!(database.sidecar().is_some(), "{:?}", database.notes());
    database
}

/// Writes games to the three files of a database.
pub(crate) fn written(games: &[PlainGame]) -> Parts {
    let mut writer = Writer::in_memory(Edition::Si4).expect("memory can be written");
    let mut encoder = Encoder::new();
    for game in games {
        encoder.begin(&game.header);
        let told = game.tell(&mut encoder);
        let encoded = encoder.finish().expect("a random game can be encoded");
        assert!(
            told.is_continue() && encoded.losses().is_empty(),
            "{game:?}"
        );
        writer.append(&encoded).expect("there is room");
    }
    writer.finish_in_memory().expect("memory can be written").0
}

/// Makes a game as an engine plays it against itself: mostly the moves that it looked at most.
pub(crate) fn training_game(dice: &mut Dice, layout: Layout) -> Vec<u8> {
    let setup = setup_of(STARTS[dice.below(STARTS.len())]);
    let start = if dice.percent(60) {
        Start::Standard
    } else {
        Start::Custom(&setup)
    };
    let result = *dice.pick(&RESULTS[1..]);
    let mut position = legal(start.setup()).expect("a position");
    let mut writer = GameWriter::new(layout, start, result).expect("a game can begin so");
    for _ in 0..dice.below(40) {
        let legal: Vec<Move> = position.legal_moves().into_iter().collect();
        if legal.is_empty() {
            break;
        }
        let best = *dice.pick(&legal);
        let mut visits: Vec<(Move, u8)> = legal
            .iter()
            .map(|&played| {
                (
                    played,
                    if played == best {
                        255
                    } else {
                        dice.below(256) as u8
                    },
                )
            })
            .collect();
        if dice.percent(20) {
            visits.clear();
        }
        let played = if dice.percent(70) {
            best
        } else {
            *dice.pick(&legal)
        };
        let score = match layout {
            Layout::Policy => Score::Expectation(dice.below(65_536) as u16),
            _ => Score::Centipawns(dice.between(-900, 900) as i16),
        };
        writer.play(played, score, &visits).expect("a legal move");
        position.play_unchecked(played);
    }
    writer.finish()
}

/// Makes a game that may be one of a server, whose comments tell clocks and evaluations.
pub(crate) fn told_game(dice: &mut Dice) -> PlainGame {
    let mut game = random_game(dice);
    // The games themselves are the same as without.
    remark::annotate(&mut dice.clone(), &mut game);
    let mut aside = dice.clone();
    for (name, values) in PUZZLE_TAGS {
        if aside.percent(25) {
            let value = (*aside.pick(values)).to_owned();
            game.tags.push((name.to_owned(), value));
        }
    }
    game
}

/// Makes a game.
pub(crate) fn random_game(dice: &mut Dice) -> PlainGame {
    let start = dice
        .percent(30)
        .then(|| setup_of(STARTS[dice.below(STARTS.len())]));
    let mut game = PlainGame {
        header: header(dice),
        tags: tags(dice),
        start,
        events: Vec::new(),
    };
    let setup = game.start.clone().unwrap_or_else(Setup::initial);
    let mut position =
        legal(setup.clone()).unwrap_or_else(|| panic!("no position: {}", setup.board));
    // Men that go to and fro, so that positions come again.
    let returns = *dice.pick(&[0, 0, 0, 0, 0, 0, 40, 90]);
    let plies = match dice.below(20) {
        _ if returns == 90 => 120 + dice.below(60),
        0 => 0,
        1 => 1,
        2 => dice.below(5),
        3 => 150 + dice.below(100),
        4..=9 => dice.below(20),
        _ => 15 + dice.below(70),
    };
    annotate(dice, &mut game.events);
    let mut opening: Vec<&str> = match game.start {
        None if dice.percent(80) => dice.pick(&OPENINGS).split(' ').rev().collect(),
        _ => Vec::new(),
    };
    let mut own_last = [None; 2];
    for ply in 0..plies {
        let before = position.clone();
        let back = own_last[ply % 2].and_then(|last| way_back(last, &position));
        let back = back.filter(|_| returns > 0 && dice.percent(returns));
        let known = opening
            .pop()
            .and_then(|san| san.parse::<San>().ok()?.to_move(&position).ok());
        let played = match known.or(back) {
            Some(played) => Some(played),
            None => match random_move(dice, &position) {
                Some(played) => played,
                None => break,
            },
        };
        own_last[ply % 2] = played;
        step(&mut position, played);
        game.events.push(Event::Play(played));
        annotate(dice, &mut game.events);
        if dice.percent(5) {
            for _ in 0..=dice.below(2) {
                variation(dice, &before, 0, &mut game.events);
            }
        }
    }
    game
}

/// Adds a variation from a position, with variations inside.
fn variation(dice: &mut Dice, start: &Chess, depth: usize, events: &mut Vec<Event>) {
    let mut position = start.clone();
    let begin = events.len();
    events.push(Event::Begin);
    for _ in 0..=dice.below(7) {
        let before = position.clone();
        let Some(played) = random_move(dice, &position) else {
            break;
        };
        step(&mut position, played);
        events.push(Event::Play(played));
        annotate(dice, events);
        if depth < 3 && dice.percent(15) {
            variation(dice, &before, depth + 1, events);
        }
    }
    if events.len() == begin + 1 {
        events.pop();
    } else {
        events.push(Event::End);
    }
}

fn annotate(dice: &mut Dice, events: &mut Vec<Event>) {
    if dice.percent(4) {
        events.push(Event::Nag(dice.between(1, 255) as u8));
    }
    if dice.percent(4) {
        events.push(Event::Comment((*dice.pick(&WORDS)).to_owned()));
    }
}

/// The move of a man to where it came from.
fn way_back(last: Move, position: &Chess) -> Option<Move> {
    let is_back = |played: &Move| {
        let squares = (last.from(), Some(last.to()));
        (Some(played.to()), played.from()) == squares && !played.is_castle()
    };
    let mut legal = position.legal_moves().into_iter();
    legal.find(is_back)
}

/// Chooses a move; inside, `None` for a null move. Rare kinds of moves are preferred. `None`
/// when there is no move.
fn random_move(dice: &mut Dice, position: &Chess) -> Option<Option<Move>> {
    if !position.is_check() && dice.percent(1) {
        return Some(None);
    }
    let moves: Vec<Move> = position.legal_moves().into_iter().collect();
    let rare =
        |played: &&Move| played.is_castle() || played.is_en_passant() || played.is_promotion();
    let preferred: Vec<Move> = match dice.below(10) {
        0..=3 => moves.iter().filter(rare).copied().collect(),
        4 => moves
            .iter()
            .filter(|played| played.is_capture())
            .copied()
            .collect(),
        5 | 6 => moves
            .iter()
            .filter(|played| played.role() == Role::Pawn)
            .copied()
            .collect(),
        _ => Vec::new(),
    };
    let moves = if preferred.is_empty() {
        moves
    } else {
        preferred
    };
    (!moves.is_empty()).then(|| Some(*dice.pick(&moves)))
}

fn step(position: &mut Chess, played: Option<Move>) {
    match played {
        Some(played) => position.play_unchecked(played),
        None => {
            let mut setup = position.to_setup(EnPassantMode::Legal);
            setup.ep_square = None;
            if setup.turn == Color::Black {
                setup.fullmoves = setup.fullmoves.saturating_add(1);
            }
            setup.turn = setup.turn.other();
            *position = legal(setup).expect("nobody was in check");
        }
    }
}

fn setup_of(fen: &str) -> Setup {
    fen.parse::<Fen>()
        .expect("the starts are FENs")
        .into_setup()
}

fn header(dice: &mut Dice) -> GameHeader {
    let rating = |dice: &mut Dice| {
        let value = match dice.below(4) {
            0 => 0,
            1 => 2500 + dice.below(3),
            _ => 1000 + dice.below(1900),
        };
        NonZeroU16::new(value as u16).map(|value| Rating {
            value,
            kind: RatingKind::Elo,
        })
    };
    let date = random_date(dice, 1998);
    let event_date = match date.year() {
        Some(year) if dice.percent(50) => random_date(dice, i32::from(year) - 1),
        _ => PartialDate::UNKNOWN,
    };
    // An event's date is kept only with a year near the game's.
    let event_date = match event_date.year() {
        Some(_) => event_date,
        None => PartialDate::UNKNOWN,
    };
    GameHeader {
        event: (*dice.pick(&EVENTS)).to_owned(),
        site: (*dice.pick(&SITES)).to_owned(),
        date,
        round: (*dice.pick(&ROUNDS)).to_owned(),
        white: (*dice.pick(&NAMES)).to_owned(),
        black: (*dice.pick(&NAMES)).to_owned(),
        result: *dice.pick(&RESULTS),
        white_rating: rating(dice),
        black_rating: rating(dice),
        eco: if dice.percent(25) {
            None
        } else {
            dice.pick(&CODES).parse::<Eco>().ok()
        },
        event_date,
        marks: match dice.below(3) {
            0 => dice.number() as u32 & 0x3f_fff8,
            _ => 0,
        },
    }
}

fn random_date(dice: &mut Dice, first_year: i32) -> PartialDate {
    let year = dice.between(first_year, first_year + 2) as u16;
    let (month, day) = (dice.between(1, 12) as u8, dice.between(1, 31) as u8);
    match dice.below(6) {
        0 => PartialDate::UNKNOWN,
        1 => PartialDate::new(year, 0, 0),
        2 => PartialDate::new(year, month, 0),
        3 => PartialDate::new(0, month, day),
        _ => PartialDate::new(year, month, day),
    }
}

fn tags(dice: &mut Dice) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    for (name, values) in TAGS {
        if dice.percent(25) {
            tags.push((name.to_owned(), (*dice.pick(values)).to_owned()));
        }
    }
    tags
}
