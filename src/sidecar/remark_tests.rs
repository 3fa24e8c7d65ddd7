//! Compares what a sidecar tells of clocks and evaluations with the comments.

use tabiya_chess::Evaluation;
use tabiya_formats::{Header, View, sound::Sound};

use super::{
    BLOCK_GAMES, Sidecar,
    remarks::{bucket_of_eval, bucket_of_time, read_game},
};
use crate::{
    OpenOptions, SidecarOptions,
    database::with_view,
    pattern::{remark::Topic, told_moves::ToldMoves},
};

/// Returns a number that looks random.
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
    *seed >> 33
}

/// The comment of a move in one of many ways.
fn comment(seed: &mut u64, clock: &mut i64) -> String {
    let mut text = String::new();
    let kind = next(seed) % 12;
    *clock = match next(seed) % 40 {
        0 => 2_000_000_000,
        1 => 0,
        _ => (*clock - (next(seed) % 9) as i64).max(0),
    };
    if kind < 9 {
        let fraction = ["", ".5", ".25", ".125"][(next(seed) % 8).min(3) as usize];
        text += &format!("[%clk 0:{}:{}{fraction}]", *clock / 60, *clock % 60);
    }
    match kind {
        1 | 2 => {
            text += &format!(
                "[%eval {}.{:02}]",
                next(seed) as i64 % 40 - 20,
                next(seed) % 100
            )
        }
        3 => text += &format!("[%eval #{}]", next(seed) as i64 % 15 - 7),
        4 => text += &format!("[%emt 0:00:{}]", next(seed) % 60),
        5 => {
            text += [
                "[%eval 999999]",
                "[%eval #-4000000]",
                "[%eval 0.125]",
                "[%eval #0]",
            ][next(seed) as usize % 4]
        }
        6 => text += "wv=-M3, d=20",
        7 => text += "no numbers",
        _ => {}
    }
    format!("{{{text}}}")
}

/// Text of games that say all kinds of things, or nothing.
fn text(games: u32) -> String {
    let moves = ["Nf3", "Nf6", "Ng1", "Ng8"];
    let mut seed = 7;
    let mut text = String::new();
    for game in 0..games {
        text += &format!("[White \"{game}\"]\n");
        let control =
            ["180+2", "60+0", "", "40/9000:3600", "60+99999999"][next(&mut seed) as usize % 5];
        text += &format!("[TimeControl \"{control}\"]\n");
        if game % 7 == 3 {
            text += "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1\"]\n";
        }
        text += "\n";
        if game % 11 == 5 {
            text += "{[%evp 0,3,10,-20,32767,29999]} ";
        }
        let begins = usize::from(game % 7 == 3) * 2;
        let mut clock = 180;
        for ply in 0..next(&mut seed) as usize % 60 {
            text += moves[(ply + begins) % 4];
            text.push(' ');
            if game % 5 != 0 && !next(&mut seed).is_multiple_of(8) {
                text += &comment(&mut seed, &mut clock);
            }
            if next(&mut seed) % 30 < 1 && ply > 3 {
                text += &format!(
                    " ({} {{[%clk 0:00:01][%eval 9]}}) ",
                    moves[(ply + begins) % 4]
                );
            }
        }
        text += if game % 97 == 50 {
            "Ke9 *\n\n"
        } else {
            "*\n\n"
        };
    }
    text
}

fn told(sidecar: &Sidecar, game: u32) -> Option<ToldMoves> {
    let mut told = ToldMoves::default();
    sidecar.told(game, &mut told).map(|()| told)
}

/// Returns what is told of each move.
fn numbers_of(told: &ToldMoves) -> Vec<[Option<i32>; 5]> {
    let topics = [
        Topic::Clock,
        Topic::Spent,
        Topic::Eval,
        Topic::Swing,
        Topic::Judgement,
    ];
    let moves = told.moves().iter();
    moves
        .map(|told| topics.map(|topic| topic.of(told)))
        .collect()
}

#[test]
fn clocks_and_evaluations_in_the_sidecar_are_those_of_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("clocks.pgn");
    std::fs::write(&path, text(3000)).unwrap();
    let database = OpenOptions::new().open(&path).unwrap();
    SidecarOptions::new().refresh(&database).unwrap();
    let indexed = OpenOptions::new().open(&path).unwrap();
    let sidecar = indexed.sidecar().unwrap();
    let (mut known, mut unknown, mut numbers) = (0, 0, 0);
    with_view!(database.tags(), view => for (game, record) in (0..).zip(view.records()) {
        let mut sound = Sound::default();
        let mut read = ToldMoves::default();
        // With moves, so that no game is only skimmed.
        let is_whole = read.read(view, record, &mut sound, true) == Ok(true);
        let is_plain = record.variation_count().at_most == 0;
        if is_plain || !is_whole {
            assert_eq!(is_whole, told(sidecar, game).is_some(), "{game}");
        }
        let Some(told) = told(sidecar, game) else {
            unknown += 1;
            continue;
        };
        read.read(view, record, &mut sound, false).unwrap();
        let is_told = |topic: Topic| read.moves().iter().any(|told| topic.of(told).is_some());
        if is_told(Topic::Clock) || is_told(Topic::Spent) || is_told(Topic::Eval) {
            assert_eq!(numbers_of(&told), numbers_of(&read), "{game}");
            assert_eq!((told.first(), told.of_start()), (read.first(), read.of_start()), "{game}");
        }
        for (topic, bucket) in [
            (Topic::Clock, bucket_of_time as fn(i32) -> u16),
            (Topic::Spent, bucket_of_time),
            (Topic::Eval, bucket_of_eval),
        ] {
            let [least, greatest] = sidecar.extremes((game / BLOCK_GAMES) as usize, topic).unwrap();
            let buckets = read.moves().iter().filter_map(|told| topic.of(told)).map(bucket);
            let expected = (buckets.clone().min(), buckets.max());
            let told = (least[game as usize].get(), greatest[game as usize].get());
            numbers += usize::from(expected.0.is_some());
            assert_eq!((expected.0.unwrap_or(u16::MAX), expected.1.unwrap_or(0)), told, "{game}");
        }
        known += 1;
    });
    assert!(
        known > 2500 && unknown > 10 && numbers > 4000,
        "{known} {unknown} {numbers}"
    );
}

#[test]
fn rounding_of_clocks_and_evaluations_keeps_their_order() {
    let times = [
        i32::MIN,
        -100_001,
        -1,
        0,
        99,
        100,
        9_999,
        10_000,
        6_453_399,
        i32::MAX,
    ];
    assert!(times.is_sorted_by_key(|time| bucket_of_time(*time)));
    assert_ne!(bucket_of_time(9_999), bucket_of_time(10_000));
    let pawns = [
        -1_000_000_000,
        -200_001,
        -2_999,
        0,
        2_999,
        3_000,
        200_000,
        1_000_000_000,
    ];
    let mut evals: Vec<Evaluation> = pawns.map(Evaluation::from_thousandths).into();
    for moves in [0, 1, 2, 5, 9_999, 10_000, 999_999] {
        evals.insert(0, Evaluation::mate(false, moves));
        evals.push(Evaluation::mate(true, moves));
    }
    evals.sort_unstable();
    assert!(evals.is_sorted_by_key(|eval| bucket_of_eval(eval.number())));
    let is_apart =
        |a: Evaluation, b: Evaluation| bucket_of_eval(a.number()) < bucket_of_eval(b.number());
    assert!(is_apart(
        Evaluation::mate(true, 2),
        Evaluation::mate(true, 1)
    ));
    assert!(is_apart(
        Evaluation::from_thousandths(2_999),
        Evaluation::from_thousandths(3_000)
    ));
    assert!(is_apart(
        Evaluation::from_thousandths(1_000_000_000),
        Evaluation::mate(true, 999_999)
    ));
}

#[test]
fn bytes_that_nobody_wrote_tell_something_or_nothing() {
    let (mut seed, mut known) = (3, 0);
    let mut told = ToldMoves::default();
    for _ in 0..20_000 {
        let length = next(&mut seed) as usize % 60;
        let bytes: Vec<u8> = (0..length).map(|_| next(&mut seed) as u8).collect();
        known += usize::from(read_game(&bytes, &mut told).is_some());
    }
    assert!((1..20_000).contains(&known), "{known}");
}
