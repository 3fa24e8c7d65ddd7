//! Monty's training data is read as the reference program reads it and written byte for byte.

use std::{fs, ops::ControlFlow, path::Path};

use serde_json::Value;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, fen::Fen};
use tabiya::{
    Conversion, ConvertOptions, Database, Error, ErrorKind, FormatKind, GameId, Progress, Search,
    Strategy,
    chess::{GameResult, Start},
    format::{MontyLayout as Layout, Overwrite},
};
use tabiya_formats::monty::{Game, GameWriter, Score, named_visits};

use crate::support::{
    ask,
    game::{Event, PlainGame},
    shared,
};

const FILES: [(&str, Layout, u32); 6] = [
    ("std", Layout::Policy, 240),
    ("frc", Layout::Policy, 80),
    ("edge", Layout::Policy, 13),
    ("std-value", Layout::Value, 240),
    ("frc-value", Layout::Value, 80),
    ("old41-value", Layout::OldValue, 20),
];

fn bytes(name: &str) -> Option<Vec<u8>> {
    shared::path(&format!("data/monty/{name}.binpack")).map(|path| fs::read(path).unwrap())
}

fn open(bytes: &[u8]) -> Result<Database, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.binpack");
    fs::write(&path, bytes).unwrap();
    Database::read(&path)
}

fn numbers(database: &Database, query: &str, strategy: Strategy) -> Vec<u32> {
    let query = ask::query(query);
    let found = Search::new(&query).strategy(strategy).run(database);
    let found = found.unwrap();
    assert_eq!(found.report().damaged, 0);
    found
        .as_slice()
        .iter()
        .map(|hit| hit.game.number_in_part())
        .collect()
}

/// The position in which a game begins.
fn start(game: &Game<'_>) -> Chess {
    match game.setup() {
        None => Chess::default(),
        Some(setup) => {
            let mode = CastlingMode::detect(&setup);
            tabiya::chess::forgiving_position(setup, mode).unwrap()
        }
    }
}

/// Reads the first game and writes it anew from what was read.
fn rewritten(bytes: &[u8], layout: Layout) -> (Vec<u8>, usize) {
    let (game, length) = Game::read(bytes, layout).unwrap();
    let mut position = start(&game);
    let setup = game.setup();
    let from = setup.as_ref().map_or(Start::Standard, Start::Custom);
    let mut writer = GameWriter::new(layout, from, game.result()).unwrap();
    game.for_each(|ply| {
        let visits = named_visits(&position, ply.visits);
        writer.play(ply.played, ply.score, &visits).unwrap();
        position.play_unchecked(ply.played);
        ControlFlow::Continue(())
    })
    .unwrap();
    (writer.finish(), length)
}

#[test]
fn every_game_is_written_as_it_was_read() {
    for (name, layout, games) in FILES {
        let Some(bytes) = bytes(name) else { return };
        let (mut at, mut count) = (0, 0);
        while at < bytes.len() {
            let (written, length) = rewritten(&bytes[at..], layout);
            assert_eq!(written, bytes[at..at + length], "{name} at {at}");
            at += length;
            count += 1;
        }
        assert_eq!(count, games, "{name}");
    }
}

#[test]
fn files_are_told_apart_by_what_they_hold() {
    for (name, layout, games) in FILES {
        let Some(database) = shared::database(&format!("monty/{name}.binpack")) else {
            return;
        };
        let kind = match layout {
            Layout::Policy => FormatKind::MontyPolicy,
            _ => FormatKind::MontyValue,
        };
        assert_eq!((database.kind(), database.len()), (kind, games), "{name}");
        assert_eq!(
            database.description().is_empty(),
            layout != Layout::OldValue
        );
        assert!(database.notes().is_empty(), "{:?}", database.notes());
        let verified = database.verify().unwrap();
        assert_eq!(verified.damaged, 0, "{:?}", verified.damaged_games);
    }
}

/// Recorded games of a policy file.
fn truth(name: &str) -> Option<Vec<Value>> {
    let path = shared::packed(&format!("truth/monty-{name}.json"))?;
    Some(serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
}

fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[test]
fn games_are_what_the_reference_program_reads() {
    for name in ["edge", "std", "truncated"] {
        let (Some(truth), Some(bytes)) = (truth(name), bytes(name)) else {
            return;
        };
        let database = open(&bytes).unwrap();
        assert_eq!(database.len() as usize, truth.len());
        for (id, known) in (0..).map(GameId).zip(&truth) {
            let facts = database.facts(id).unwrap();
            let at = facts.offset_bytes as usize;
            assert_eq!(at as u64, known["offset"].as_u64().unwrap());
            assert_eq!(facts.length_bytes, known["length"].as_u64().unwrap() as u32);
            assert_eq!(
                facts.plies.exact(),
                known["plies"].as_u64().map(|n| n as u32)
            );
            let header = database.header(id).unwrap();
            assert_eq!(header.result.to_string(), known["result"].as_str().unwrap());
            compare(&Game::read(&bytes[at..], Layout::Policy).unwrap().0, known);
        }
    }
}

/// Compares moves, scores and visits with what is recorded.
fn compare(game: &Game<'_>, known: &Value) {
    let mut position = start(game);
    let fen = |position: &Chess| Fen::from_position(position, EnPassantMode::Legal).to_string();
    let board = |key: &str| {
        let text = known[key].as_str().unwrap();
        text.split(' ').take(2).collect::<Vec<_>>().join(" ")
    };
    assert!(fen(&position).starts_with(&board("start_fen")));
    assert_eq!(game.is_chess960(), known["chess960"].as_bool().unwrap());
    let (mut scores, mut moves, mut hash) = (Vec::new(), Vec::new(), 0xcbf2_9ce4_8422_2325);
    game.for_each(|ply| {
        let Score::Expectation(score) = ply.score else {
            panic!("policy data holds expectations");
        };
        scores.push(u64::from(score));
        moves.push(ply.played.to_uci(CastlingMode::Chess960).to_string());
        hash = fnv1a(hash, ply.visits);
        position.play_unchecked(ply.played);
        ControlFlow::Continue(())
    })
    .unwrap();
    let list = |key: &str| known[key].as_array().unwrap().clone();
    let known_moves: Vec<_> = list("uci960");
    assert_eq!(
        moves,
        known_moves
            .iter()
            .map(|one| one.as_str().unwrap())
            .collect::<Vec<_>>()
    );
    let known_scores = list("score_u16");
    assert_eq!(
        scores,
        known_scores
            .iter()
            .map(|one| one.as_u64().unwrap())
            .collect::<Vec<_>>()
    );
    assert_eq!(
        format!("{hash:016x}"),
        known["visit_fnv1a64"].as_str().unwrap()
    );
    assert!(fen(&position).starts_with(&board("final_fen")));
}

/// Tells where a game first has a ply of which the numbers pass: the score, and the sum of all
/// visits when the most visited move has 255.
fn first_ply(known: &Value, passes: impl Fn(f64, f64) -> bool) -> Option<u32> {
    let numbers = |key: &str| -> Vec<f64> {
        let list = known[key].as_array().unwrap().iter();
        list.map(|number| number.as_f64().unwrap()).collect()
    };
    let plies = numbers("score_u16").into_iter().zip(numbers("visit_sum"));
    let mut plies = plies.zip(0..);
    plies
        .find(|&((score, visits), _)| passes(score / 65_535.0, visits))
        .map(|(_, ply)| ply)
}

#[test]
fn scores_and_visits_are_found_where_the_reference_program_reads_them() {
    type Passes = fn(f64, f64) -> bool;
    let queries: [(&str, Passes); 7] = [
        ("score>=0.9", |score, _| score >= 0.9),
        ("score:0.6..0.65", |score, _| (0.6..=0.65).contains(&score)),
        ("score<0.02", |score, _| score < 0.02),
        ("visits:0.75..", |_, sum| sum > 0.0 && 255.0 / sum >= 0.75),
        ("visits<0.12", |_, sum| sum > 0.0 && 255.0 / sum < 0.12),
        ("at(score:..0.4 visits>0.5)", |score, sum| {
            score <= 0.4 && sum > 0.0 && 255.0 / sum > 0.5
        }),
        ("at(not score:0.3..0.7)", |score, _| {
            !(0.3..=0.7).contains(&score)
        }),
    ];
    let (Some(truth), Some(bytes)) = (truth("std"), bytes("std")) else {
        return;
    };
    let database = open(&bytes).unwrap();
    for (text, passes) in queries {
        let query = ask::query(text);
        let found = Search::new(&query).run(&database).unwrap();
        let found: Vec<(u32, Option<u32>)> = found
            .as_slice()
            .iter()
            .map(|hit| (hit.game.0, hit.ply))
            .collect();
        // Nothing is told of the last position, so what is not there does not hold there.
        let last = |known: &Value| known["plies"].as_u64().map(|plies| plies as u32);
        let want = (0..).zip(&truth).filter_map(|(game, known)| {
            let ply = first_ply(known, passes);
            let ply = ply.or_else(|| last(known).filter(|_| text.contains("not")));
            Some((game, Some(ply?)))
        });
        let want: Vec<_> = want.collect();
        assert_eq!(found, want, "{text}");
        assert!(want.len() > 1, "{text}");
    }
}

/// Centipawns are truncated, so a score near a bound may lie on its other side.
#[test]
fn value_data_has_the_scores_of_the_policy_data_and_no_visits() {
    for pair in [["std", "std-value"], ["frc", "frc-value"]] {
        let [Some(policy), Some(value)] =
            pair.map(|name| shared::database(&format!("monty/{name}.binpack")))
        else {
            return;
        };
        for (strict, query, lenient) in [
            ("score>=0.9005", "score>=0.9", "score>=0.8995"),
            (
                "at(score<0.0995 ply<=40)",
                "at(score<0.1 ply<=40)",
                "at(score<0.1005 ply<=40)",
            ),
        ] {
            let found = numbers(&value, query, Strategy::Auto);
            assert_eq!(found, numbers(&value, query, Strategy::FullDecode));
            let least = numbers(&policy, strict, Strategy::Auto);
            let most = numbers(&policy, lenient, Strategy::Auto);
            assert!(!found.is_empty() && least.iter().all(|game| found.contains(game)));
            assert!(found.iter().all(|game| most.contains(game)), "{query}");
        }
        let visits = "visits:0.. or visits:???=0..";
        assert!(numbers(&value, visits, Strategy::Auto).is_empty());
        assert!(!numbers(&policy, visits, Strategy::Auto).is_empty());
    }
}

#[test]
fn a_file_that_ends_inside_a_game_keeps_the_games_before() {
    let Some(bytes) = bytes("truncated") else {
        return;
    };
    let database = open(&bytes).unwrap();
    assert_eq!(database.len(), 24);
    let note = &database.notes()[0];
    let end = database.facts(GameId(23)).unwrap();
    let end = end.offset_bytes + u64::from(end.length_bytes);
    assert_eq!((note.offset(), note.game()), (Some(end), Some(25)));
    assert!(matches!(note.kind(), ErrorKind::Corrupt { .. }));
}

#[test]
fn policy_and_value_data_of_the_same_games_answer_alike() {
    for pair in [["std", "std-value"], ["frc", "frc-value"]] {
        let [Some(one), Some(other)] =
            pair.map(|name| shared::database(&format!("monty/{name}.binpack")))
        else {
            return;
        };
        for query in [
            "result:1-0",
            "start:custom plies:60..",
            "start:chess960",
            "at(Q=1 q=0)",
            "at(R=2 r=1 P=3..5)",
            "at(Q=1 q=1) then at(Q=0 q=0)",
            "fen:\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w\"",
            "-at(men<=20)",
        ] {
            let known = numbers(&one, query, Strategy::FullDecode);
            for (database, strategy) in [
                (&one, Strategy::Auto),
                (&other, Strategy::Auto),
                (&other, Strategy::FullDecode),
            ] {
                assert_eq!(numbers(database, query, strategy), known, "{query}");
            }
        }
        let all = one.games();
        for id in all {
            let moves = |database: &Database| {
                let plain = PlainGame::read(database, id).unwrap();
                let is_move = |event: &Event| matches!(event, Event::Play(_));
                let moves: Vec<Event> = plain.events.into_iter().filter(is_move).collect();
                (plain.header, plain.start, moves)
            };
            assert_eq!(moves(&one), moves(&other));
        }
    }
}

fn convert(source: &Path, target: &Path, layout: Option<Layout>) -> Conversion {
    let options = ConvertOptions::default();
    let options = match layout {
        Some(layout) => options.layout(layout),
        None => options,
    };
    tabiya::convert(&[source.to_owned()], target, options, Progress::ignore).expect("converted")
}

#[test]
fn every_file_is_written_anew_byte_for_byte_also_by_way_of_pgn() {
    let Some(folder) = shared::path("data/monty") else {
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let [pgn, back, copy] =
        ["a.pgn", "b.binpack", "c.binpack"].map(|file| temporary.path().join(file));
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let source = entry.unwrap().path();
        if source.extension().is_none_or(|suffix| suffix != "binpack") {
            continue;
        }
        files += 1;
        let name = source.file_stem().unwrap().to_str().unwrap();
        let known = FILES.iter().find(|known| known.0 == name);
        let layout = known.map(|known| known.1);
        let database = Database::open(&source).unwrap();
        for (from, to, layout) in [
            (&source, &copy, None),
            (&source, &pgn, None),
            (&pgn, &back, layout),
        ] {
            let _ = fs::remove_file(to);
            let done = convert(from, to, layout);
            assert_eq!(
                (done.skipped, done.losses.len()),
                (0, 0),
                "{:?}",
                done.losses
            );
            assert_eq!(done.games, u64::from(database.len()));
        }
        let mut whole = fs::read(&source).unwrap();
        // A file that ends inside a game ends with the game before.
        let end = database.notes().first().map(|note| note.offset().unwrap());
        whole.truncate(end.unwrap_or(whole.len() as u64) as usize);
        for written in [&copy, &back] {
            assert!(fs::read(written).unwrap() == whole, "{name} as {written:?}");
        }
    }
    assert!(files >= 7);
}

/// Scores go from one scale to the other as near as it has numbers; visits have no place in value
/// data.
#[test]
fn policy_data_becomes_value_data_and_back_but_for_what_is_reported() {
    let Some(source) = shared::path("data/monty/std.binpack") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let [value, policy] = ["v.binpack", "p.binpack"].map(|file| folder.path().join(file));
    let lost =
        |done: Conversion| -> Vec<&str> { done.losses.iter().map(|lost| lost.what).collect() };
    let rounded = "scores rounded to those of this layout";
    let visits = "moves without the visits that they had";
    let done = convert(&source, &value, Some(Layout::Value));
    assert_eq!(lost(done), [rounded, visits]);
    assert_eq!(
        Database::open(&value).unwrap().kind(),
        FormatKind::MontyValue
    );
    let done = convert(&value, &policy, Some(Layout::Policy));
    assert_eq!(lost(done), [rounded]);
    let [one, other] = [&source, &policy].map(|path| fs::read(path).unwrap());
    let scores = |bytes: &[u8]| {
        let (mut at, mut scores) = (0, Vec::new());
        while at < bytes.len() {
            let (game, length) = Game::read(&bytes[at..], Layout::Policy).unwrap();
            let walked = game.for_each(|ply| {
                scores.push((ply.played, ply.score.expectation(ply.turn)));
                ControlFlow::Continue(())
            });
            walked.unwrap();
            at += length;
        }
        scores
    };
    let (one, other) = (scores(&one), scores(&other));
    assert_eq!(one.len(), other.len());
    for (one, other) in one.into_iter().zip(other) {
        assert!(one.0 == other.0 && (one.1 - other.1).abs() < 0.001);
    }
}

#[test]
fn what_training_data_cannot_hold_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (pgn, target) = (folder.path().join("a.pgn"), folder.path().join("a.binpack"));
    let text = "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 {[%eval 0.25] good} e5 $1 \
        (1... c5 {x} $2) 1-0\n\n\
        [Result \"*\"]\n\n1. d4 *\n\n[Result \"0-1\"]\n\n1. d4 -- 0-1\n";
    fs::write(&pgn, text).unwrap();
    let done = convert(&pgn, &target, None);
    assert_eq!((done.games, done.skipped), (1, 2));
    let losses: Vec<_> = done
        .losses
        .iter()
        .map(|lost| (lost.count, lost.what))
        .collect();
    let counts: Vec<u64> = losses.iter().map(|lost| lost.0).collect();
    assert_eq!(counts, [1, 1, 1, 1, 1, 1], "{losses:?}");
    let bytes = fs::read(&target).unwrap();
    let (game, _) = Game::read(&bytes, Layout::Policy).unwrap();
    let mut scores = Vec::new();
    let read = game.for_each(|ply| {
        scores.push(ply.score.centipawns(ply.turn));
        ControlFlow::Continue(())
    });
    read.unwrap();
    assert!(
        scores[0].abs() <= 1 && (24..=25).contains(&scores[1]),
        "{scores:?}"
    );
}

/// Two short games in a layout.
fn sample(layout: Layout) -> Vec<u8> {
    let mut bytes = Vec::new();
    for result in [GameResult::WhiteWins, GameResult::Draw] {
        let mut position = Chess::default();
        let mut writer = GameWriter::new(layout, Start::Standard, result).unwrap();
        for index in [3, 7, 11] {
            let legal = position.legal_moves();
            let visits: Vec<_> = legal.iter().map(|&played| (played, 9)).collect();
            let score = Score::Expectation(1000 * index as u16);
            writer.play(legal[index], score, &visits).unwrap();
            position.play_unchecked(legal[index]);
        }
        bytes.extend(writer.finish());
    }
    bytes
}

/// Does all that can be done with bytes that may be training data of two games.
fn try_all(bytes: &[u8]) {
    let Ok(database) = open(bytes) else {
        return;
    };
    let games = database.len();
    assert!(games <= 2);
    for query in ["men>0", "score:0.. or visits:?4=0.. or men>0"] {
        let found = numbers(&database, query, Strategy::FullDecode);
        assert_eq!(found.len() as u32, games);
    }
    for id in (0..games).map(GameId) {
        PlainGame::read(&database, id).unwrap();
    }
}

#[test]
fn a_damaged_game_among_the_first_costs_none_before_it() {
    for layout in [Layout::Policy, Layout::Value, Layout::OldValue] {
        let whole = [sample(layout), sample(layout)].concat();
        let places: Vec<u64> = {
            let database = open(&whole).unwrap();
            let place = |game| database.facts(GameId(game)).unwrap().offset_bytes;
            (0..4).map(place).collect()
        };
        for (game, &place) in places.iter().enumerate() {
            let mut damaged = whole.clone();
            damaged[place as usize..][..32].fill(0xff);
            let database = open(&damaged).unwrap();
            assert_eq!(database.len() as usize, game, "{layout:?}");
            let note = &database.notes()[0];
            assert_eq!(
                (note.offset(), note.game()),
                (Some(place), Some(game as u32 + 1))
            );
        }
    }
}

#[test]
fn zeros_behind_the_games_are_told_and_are_no_game() {
    for layout in [Layout::Policy, Layout::Value, Layout::OldValue] {
        let folder = tempfile::tempdir().unwrap();
        let (source, target) = (folder.path().join("a.binpack"), folder.path().join("a.pgn"));
        fs::write(&source, [&sample(layout)[..], &[0; 500]].concat()).unwrap();
        let database = Database::read(&source).unwrap();
        assert_eq!(
            (database.len(), database.notes().len()),
            (2, 1),
            "{layout:?}"
        );
        let repaired = tabiya::repair(
            &source,
            &target,
            Overwrite::Refuse,
            |_| ControlFlow::Continue(()),
            Progress::ignore,
        );
        let repaired = repaired.unwrap();
        assert_eq!(
            (repaired.sound, repaired.harmed, repaired.lost),
            (2, 0, 1),
            "{layout:?}"
        );
    }
}

/// Cut anywhere, and with every byte changed.
#[test]
fn any_bytes_open_or_are_refused() {
    for layout in [Layout::Policy, Layout::Value, Layout::OldValue] {
        let whole = sample(layout);
        assert_eq!(open(&whole).unwrap().len(), 2);
        for at in 0..whole.len() {
            try_all(&whole[..at]);
            for change in [1, 0x40, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] ^= change;
                try_all(&damaged);
            }
        }
    }
}
