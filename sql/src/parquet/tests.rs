use std::{fs, sync::Arc};

use aix_chess_compression::{CompressionLevel, Encode as _, Encoder};
use datafusion::{
    arrow::{
        array::{
            ArrayRef, BinaryArray, Date32Array, Float64Array, Int16Array, ListArray, StringArray,
            Time64MicrosecondArray, TimestampMicrosecondArray, UInt8Array, UInt16Array,
        },
        datatypes::{Int16Type, UInt16Type},
    },
    parquet::{
        arrow::ArrowWriter,
        basic::{Compression, ZstdLevel},
        file::properties::WriterProperties,
    },
};
use fastrand::Rng;
use shakmaty::{Chess, Move, Position as _, uci::UciMove};
use tabiya::{Database, GameId, ListStyle, MainLine, Notation, Progress, format::Overwrite};

use super::*;

/// Columns in a file of this name.
struct Written {
    folder: TempDir,
}

impl Written {
    fn new(columns: Vec<(&str, ArrayRef)>) -> Written {
        let written = Written {
            folder: tempfile::tempdir().unwrap(),
        };
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .build();
        let file = File::create(written.path()).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        written
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("games.parquet")
    }

    fn read(&self) -> (Unpacked, Database) {
        let unpacked = Unpacked::new(&self.path(), &|| Flow::Continue(())).unwrap();
        let database = Database::open(unpacked.path()).unwrap();
        (unpacked, database)
    }

    fn pgn(&self) -> String {
        let (unpacked, _) = self.read();
        let target = self.folder.path().join("games.pgn");
        let paths = [unpacked.path().to_owned()];
        tabiya::convert(&paths, &target, Overwrite::Refuse, Progress::ignore).unwrap();
        fs::read_to_string(target).unwrap()
    }
}

fn strings<const N: usize>(values: [Option<&str>; N]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

#[test]
fn games_by_lichess_have_the_tags_and_moves_of_their_columns() {
    let moves = "1. e4 { [%eval 0.17] [%clk 0:03:00] } 1... e5 { [%clk 0:02:58] } 1-0";
    let written = Written::new(vec![
        (
            "Event",
            strings([Some("Rated Blitz game"), Some("a \"b\" \\")]),
        ),
        ("White", strings([Some("first"), None])),
        ("Result", strings([Some("1-0"), Some("*")])),
        (
            "WhiteElo",
            Arc::new(Int16Array::from(vec![Some(1500), None])),
        ),
        (
            "BlackElo",
            Arc::new(Float64Array::from(vec![Some(1600.0), None])),
        ),
        ("WhiteRatingDiff", Arc::new(Int16Array::from(vec![5, -3]))),
        // 2024-02-29 and 1970-01-01.
        ("UTCDate", Arc::new(Date32Array::from(vec![19_782, 0]))),
        (
            "UTCTime",
            Arc::new(Time64MicrosecondArray::from(vec![
                Some(3_723_000_000),
                None,
            ])),
        ),
        ("movetext", strings([Some(moves), Some("*")])),
    ]);
    let expected = "[Event \"Rated Blitz game\"]\n[Site \"?\"]\n[Date \"2024.02.29\"]\n\
        [Round \"?\"]\n[White \"first\"]\n[Black \"?\"]\n[Result \"1-0\"]\n[WhiteElo \"1500\"]\n\
        [BlackElo \"1600\"]\n[WhiteRatingDiff \"+5\"]\n[UTCDate \"2024.02.29\"]\n\
        [UTCTime \"01:02:03\"]\n\n\
        1. e4 { [%eval 0.17] [%clk 0:03:00] } 1... e5 { [%clk 0:02:58] } 1-0\n\n\
        [Event \"a \\\"b\\\" \\\\\"]\n[Site \"?\"]\n[Date \"1970.01.01\"]\n[Round \"?\"]\n\
        [White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n[WhiteRatingDiff \"-3\"]\n\
        [UTCDate \"1970.01.01\"]\n\n*\n\n";
    assert_eq!(written.pgn(), expected);
}

#[test]
fn a_row_is_a_game_whatever_its_moves_say() {
    let written = Written::new(vec![
        ("White", strings([Some("a"), Some("b"), Some("c")])),
        (
            "movetext",
            strings([
                Some("1. e4 1-0\n\n[White \"x\"]\n\n1. d4 *"),
                None,
                Some("1. d4 d5 {\n[White \"y\"]\n"),
            ]),
        ),
    ]);
    let (_unpacked, database) = written.read();
    assert_eq!(database.len(), 3);
}

/// Returns the moves of a random game.
fn random_moves(dice: &mut Rng) -> Vec<Move> {
    let mut position = Chess::default();
    let mut moves = Vec::new();
    for _ in 0..dice.usize(..300) {
        let legal = position.legal_moves();
        let Some(&played) = dice.choice(&legal) else {
            break;
        };
        position.play_unchecked(played);
        moves.push(played);
    }
    moves
}

fn uci_of(played: &Move) -> String {
    UciMove::from_standard(*played).to_string()
}

/// Returns the moves of a game.
fn uci(database: &Database, number: u32) -> tabiya::Result<String> {
    let mut line = MainLine::new(ListStyle::Words, &[Notation::Uci]);
    line.read(database, GameId(number))?;
    Ok(line.text(Notation::Uci).to_owned())
}

fn encoded(moves: &[Move], level: CompressionLevel) -> Vec<u8> {
    let mut encoder = Encoder::new(level);
    for &played in moves {
        encoder.encode_move(played).unwrap();
    }
    encoder.finish().into_bytes()
}

const LEVELS: [CompressionLevel; 3] = [
    CompressionLevel::Low,
    CompressionLevel::Medium,
    CompressionLevel::High,
];

#[test]
fn moves_by_aix_are_those_that_were_encoded_at_every_level() {
    let mut dice = Rng::with_seed(47);
    let games: Vec<_> = (0..150).map(|_| random_moves(&mut dice)).collect();
    for level in LEVELS {
        let data = games.iter().map(|moves| encoded(moves, level));
        let data: Vec<_> = data.collect();
        let plies = games.iter().map(|moves| moves.len() as u16);
        let data = data.iter().map(Vec::as_slice).collect::<Vec<_>>();
        let written = Written::new(vec![
            ("movedata", Arc::new(BinaryArray::from(data))),
            ("ply_count", Arc::new(UInt16Array::from_iter_values(plies))),
        ]);
        let (_unpacked, database) = written.read();
        assert_eq!(database.len() as usize, games.len());
        for (number, moves) in (0..).zip(&games) {
            let read = uci(&database, number).unwrap();
            let moves: Vec<String> = moves.iter().map(uci_of).collect();
            assert_eq!(read, moves.join(" "), "{level:?}: game {number}");
        }
    }
}

#[test]
fn games_by_aix_have_the_tags_clocks_and_evaluations_of_their_columns() {
    let moves = {
        let mut position = Chess::default();
        let played = ["e2e4", "e7e5", "g1f3"].map(|uci| {
            let played: UciMove = uci.parse().unwrap();
            let played = played.to_move(&position).unwrap();
            position.play_unchecked(played);
            played
        });
        encoded(&played, CompressionLevel::High)
    };
    let clocks = |seconds: Vec<u16>| -> ArrayRef {
        let seconds = seconds.into_iter().map(Some);
        let lists = vec![Some(seconds.collect::<Vec<_>>()), None];
        Arc::new(ListArray::from_iter_primitive::<UInt16Type, _, _>(lists))
    };
    let evals = vec![
        Some(vec![Some(-31_i16), Some(i16::MAX), Some(i16::MIN + 2)]),
        None,
    ];
    let evals = ListArray::from_iter_primitive::<Int16Type, _, _>(evals);
    // 2024-02-29 01:02:03.
    let start = TimestampMicrosecondArray::from(vec![Some(1_709_168_523_000_000), None]);
    let written = Written::new(vec![
        ("lichess_id", strings([Some("abcd"), None])),
        ("tournament", strings([Some("spring"), None])),
        (
            "movedata",
            Arc::new(BinaryArray::from(vec![&moves[..], &[0]])),
        ),
        ("clocks_white", clocks(vec![3661, 59])),
        ("clocks_black", clocks(vec![180])),
        ("evals", Arc::new(evals)),
        ("ply_count", Arc::new(UInt16Array::from(vec![3, 0]))),
        ("white", strings([Some("w"), None])),
        (
            "white_rating",
            Arc::new(Int16Array::from(vec![Some(1500), None])),
        ),
        (
            "time_initial",
            Arc::new(UInt16Array::from(vec![Some(180), None])),
        ),
        (
            "time_increment",
            Arc::new(UInt8Array::from(vec![Some(2), None])),
        ),
        ("result", strings([Some("0-1"), None])),
        ("eco", strings([Some("C40"), None])),
        ("utc_timestamp", Arc::new(start)),
    ]);
    let expected = "[Event \"tournament https://lichess.org/tournament/spring\"]\n\
        [Site \"https://lichess.org/abcd\"]\n[Date \"2024.02.29\"]\n[Round \"?\"]\n\
        [White \"w\"]\n[Black \"?\"]\n[Result \"0-1\"]\n[WhiteElo \"1500\"]\n[ECO \"C40\"]\n\
        [TimeControl \"180+2\"]\n[UTCDate \"2024.02.29\"]\n[UTCTime \"01:02:03\"]\n\n\
        1. e4 {[%eval -0.31] [%clk 1:01:01]} 1... e5 {[%eval #1] [%clk 0:03:00]} 2. Nf3\n\
        {[%eval #-3] [%clk 0:00:59]} 0-1\n\n\
        [Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n\
        [Black \"?\"]\n[Result \"*\"]\n[TimeControl \"-\"]\n\n*\n\n";
    assert_eq!(written.pgn(), expected);
}

#[test]
fn moves_that_cannot_be_decoded_cost_no_other_game() {
    let mut dice = Rng::with_seed(7);
    for level in LEVELS {
        let mut data: Vec<Vec<u8>> = Vec::new();
        let mut games = Vec::new();
        for _ in 0..100 {
            let moves = random_moves(&mut dice);
            let sound = encoded(&moves, level);
            let mut harmed = sound.clone();
            match dice.u8(..3) {
                0 => harmed.truncate(dice.usize(..harmed.len())),
                1 => harmed.iter_mut().for_each(|byte| *byte = dice.u8(..)),
                _ => {
                    let at = dice.usize(..harmed.len());
                    harmed[at] ^= 1 << dice.u8(..8);
                }
            }
            data.extend([harmed, sound]);
            games.push(moves);
        }
        let plies = games.iter().flat_map(|moves| [moves.len() as u16; 2]);
        let slices = data.iter().map(Vec::as_slice).collect::<Vec<_>>();
        let written = Written::new(vec![
            ("movedata", Arc::new(BinaryArray::from(slices)) as ArrayRef),
            ("ply_count", Arc::new(UInt16Array::from_iter_values(plies))),
        ]);
        let (_unpacked, database) = written.read();
        let mut damaged = 0;
        for (number, moves) in (0..).zip(&games) {
            let whole: Vec<String> = moves.iter().map(uci_of).collect();
            assert_eq!(uci(&database, 2 * number + 1).unwrap(), whole.join(" "));
            damaged += u32::from(uci(&database, 2 * number).is_err());
        }
        assert!(damaged > 40, "{level:?}: {damaged}");
    }
}

#[test]
fn damaged_files_are_refused_or_read_and_never_end_the_program() {
    let mut dice = Rng::with_seed(9);
    let games: Vec<_> = (0..50).map(|_| random_moves(&mut dice)).collect();
    let data: Vec<_> = games
        .iter()
        .map(|moves| encoded(moves, LEVELS[1]))
        .collect();
    let data = data.iter().map(Vec::as_slice).collect::<Vec<_>>();
    let written = Written::new(vec![
        ("white", strings([Some("a"); 50])),
        ("movedata", Arc::new(BinaryArray::from(data)) as ArrayRef),
    ]);
    let bytes = fs::read(written.path()).unwrap();
    let mut refused = 0;
    for _ in 0..150 {
        let mut harmed = bytes.clone();
        for _ in 0..dice.usize(1..4) {
            let at = dice.usize(..harmed.len());
            harmed[at] = dice.u8(..);
        }
        if dice.u8(..4) == 0 {
            harmed.truncate(dice.usize(..harmed.len()));
        }
        fs::write(written.path(), harmed).unwrap();
        match Unpacked::new(&written.path(), &|| Flow::Continue(())) {
            Ok(unpacked) => drop(Database::open(unpacked.path())),
            Err(error) => {
                assert_eq!(error.path(), Some(&*written.path()));
                refused += 1;
            }
        }
    }
    assert!(refused > 30, "{refused}");
}

#[test]
fn a_short_file_of_countless_equal_games_is_refused() {
    let moves = "1. e4 e5 ".repeat(40);
    let moves = StringArray::from(vec![&*moves; 400_000]);
    let written = Written::new(vec![("movetext", Arc::new(moves) as ArrayRef)]);
    assert!(fs::metadata(written.path()).unwrap().len() < 100_000);
    let error = Unpacked::new(&written.path(), &|| Flow::Continue(())).unwrap_err();
    assert!(error.to_string().contains("more room"), "{error}");
}

#[test]
fn a_file_without_games_is_refused_with_what_is_missing() {
    let written = Written::new(vec![("eco", strings([Some("A00")]))]);
    let error = Unpacked::new(&written.path(), &|| Flow::Continue(())).unwrap_err();
    assert!(
        error.to_string().contains("neither a column movetext"),
        "{error}"
    );
    fs::write(written.path(), "no Parquet").unwrap();
    let error = Unpacked::new(&written.path(), &|| Flow::Continue(())).unwrap_err();
    assert!(error.to_string().contains("games.parquet"), "{error}");
}
