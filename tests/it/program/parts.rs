//! Compressed PGN that is too long to be opened whole answers like PGN that is not.

use std::{fs, io::Write as _};

use flate2::{Compression, write::GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tabiya::{
    Database, ErrorKind, Flow, GameId, OpenOptions, Progress, Query, Search, convert,
    format::{Overwrite, Visitor},
};

use super::Bench;
use crate::support::dice::Dice;

/// Long enough for three parts, since text is cut every four megabytes.
const COPIES: usize = 200;
const LIMIT: [&str; 2] = ["--unpacked-bytes-max", "1000000"];

fn text() -> String {
    fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/famous.pgn")).unwrap()
}

/// Writes the same games as `big.pgn` and `big.pgn.zst`.
fn big(bench: &Bench) {
    let text = text().repeat(COPIES);
    fs::write(bench.path("big.pgn"), &text).unwrap();
    let packed = compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    fs::write(bench.path("big.pgn.zst"), packed).unwrap();
}

fn run(bench: &Bench, path: &str, arguments: &[&str]) -> (i32, String, String) {
    let (command, rest) = arguments.split_first().unwrap();
    let ran = bench.run(&[&[*command, path], rest, &LIMIT].concat());
    (ran.code, ran.out, ran.err)
}

/// Packs a text in frames of so many bytes, each behind a frame of other data, as `pzstd` does.
pub(crate) fn in_frames(text: &[u8], frame_bytes: usize) -> Vec<u8> {
    let frame = |text: &[u8]| {
        let packed = compress_to_vec(text, CompressionLevel::Fastest);
        let length = packed.len() as u32;
        [
            b"\x50\x2a\x4d\x18\x04\0\0\0",
            &length.to_le_bytes()[..],
            &packed,
        ]
        .concat()
    };
    text.chunks(frame_bytes).flat_map(frame).collect()
}

/// Writes the games as `big.pgn`, and packed in frames, which are indexed in parts.
fn big_and_indexed(bench: &Bench) {
    let text = text().repeat(COPIES);
    fs::write(bench.path("big.pgn"), &text).unwrap();
    fs::write(
        bench.path("big.pgn.zst"),
        in_frames(text.as_bytes(), 800_000),
    )
    .unwrap();
    let (code, out, err) = index(bench);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(err.contains(" in 3 parts for 18200 games, "), "{err}");
}

/// Indexes the packed games in parts of three megabytes.
fn index(bench: &Bench) -> (i32, String, String) {
    let limit = ["--unpacked-bytes-max", "100000"];
    let ran = bench.run(&[&["index", "big.pgn.zst"][..], &limit].concat());
    (ran.code, ran.out, ran.err)
}

#[test]
fn every_command_that_reads_games_in_order_answers_the_same() {
    let bench = Bench::new();
    big(&bench);
    answers_as_the_whole(&bench);
}

#[test]
fn every_command_answers_the_same_from_indexed_parts() {
    let bench = Bench::new();
    big_and_indexed(&bench);
    answers_as_the_whole(&bench);
    for arguments in [
        &["show", "17", "9000..9003", "18200"][..],
        &["show", "18190.."],
    ] {
        let (code, out, _) = run(&bench, "big.pgn", arguments);
        let (its_code, its_out, err) = run(&bench, "big.pgn.zst", arguments);
        assert_eq!((its_code, code), (0, 0), "{err}");
        assert!(out == its_out, "{arguments:?}");
    }
    let (code, _, err) = run(&bench, "big.pgn.zst", &["show", "18201"]);
    assert!(code == 2 && err.contains("18201"), "{code} {err}");
    let (_, out, _) = run(&bench, "big.pgn.zst", &["info"]);
    assert!(out.contains("sidecar       of 3 parts, "), "{out}");
    // The parts are searched by their sidecars.
    let (_, _, err) = run(&bench, "big.pgn.zst", &["search", "mate", "--count"]);
    assert!(err.contains(" 0 decoded, "), "{err}");
}

#[test]
fn indexed_parts_that_are_damaged_or_gone_change_no_answer() {
    let bench = Bench::new();
    big_and_indexed(&bench);
    let part = |number: u32| bench.path(&format!("big.pgn.tabiya-parts/{number}.tabiya"));
    let sound = fs::read(part(2)).unwrap();
    let mut dice = Dice::new(9);
    for _ in 0..12 {
        let mut bytes = sound.clone();
        match dice.below(3) {
            0 => bytes.truncate(dice.below(sound.len())),
            _ => {
                let at = dice.below(sound.len());
                bytes[at] ^= 1 << dice.below(8);
            }
        }
        fs::write(part(2), bytes).unwrap();
        let count = |path| run(&bench, path, &["search", "mate", "--count"]);
        let (code, out, _) = count("big.pgn.zst");
        assert_eq!((code, out), (0, count("big.pgn").1));
    }
    fs::remove_file(part(2)).unwrap();
    let sorted = ["search", "mate", "--sort", "date", "--format", "csv"];
    let (code, _, err) = run(&bench, "big.pgn.zst", &sorted);
    assert!(
        code == 2 && err.contains("`tabiya index big.pgn.zst`"),
        "{err}"
    );
    let (code, _, err) = index(&bench);
    assert!(
        code == 0 && err.contains("18200 games, 1 of 3 parts kept, "),
        "{err}"
    );
    // The parts after it need not begin where they did.
    answers_as_the_whole(&bench);
    let (code, _, err) = index(&bench);
    assert!(
        code == 0 && err.contains("18200 games, 3 of 3 parts kept, "),
        "{err}"
    );
}

#[test]
fn the_index_of_parts_is_that_of_the_present_file() {
    let bench = Bench::new();
    big_and_indexed(&bench);
    let (code, _, err) = index(&bench);
    assert!(code == 0 && err.contains(", 3 of 3 parts kept, "), "{err}");
    let verify = run(&bench, "big.pgn.zst", &["verify"]);
    assert_eq!(verify.0, 0, "{verify:?}");
    let copied = fs::read(bench.path("big.pgn.zst")).unwrap();
    fs::remove_file(bench.path("big.pgn.zst")).unwrap();
    let text = text().repeat(COPIES / 2);
    fs::write(bench.path("big.pgn"), &text).unwrap();
    fs::write(
        bench.path("big.pgn.zst"),
        in_frames(text.as_bytes(), 700_000),
    )
    .unwrap();
    let count = |path| run(&bench, path, &["search", "mate", "--count"]);
    let (_, out, err) = count("big.pgn.zst");
    assert!(
        err.contains("1.tabiya: ") && err.contains("made from another state"),
        "{err}"
    );
    assert_eq!(out, count("big.pgn").1);
    let (code, _, err) = index(&bench);
    assert!(
        code == 0 && err.contains(" in 2 parts for 9100 games, "),
        "{err}"
    );
    assert!(!bench.path("big.pgn.tabiya-parts/3.tabiya").exists());
    answers_as_the_whole(&bench);
    assert_ne!(copied, fs::read(bench.path("big.pgn.zst")).unwrap());
}

/// The last frame belongs to the last part only, and its checksum is not looked at.
#[test]
fn a_byte_that_changed_under_the_old_time_is_noticed_in_every_part() {
    let bench = Bench::new();
    big_and_indexed(&bench);
    let packed = bench.path("big.pgn.zst");
    let time = fs::metadata(&packed).unwrap().modified().unwrap();
    let mut bytes = fs::read(&packed).unwrap();
    let near_end = bytes.len() - 9000;
    bytes[near_end] ^= 1;
    fs::write(&packed, bytes).unwrap();
    let file = fs::File::options().write(true).open(&packed).unwrap();
    file.set_modified(time).unwrap();
    let (_, _, err) = run(&bench, "big.pgn.zst", &["search", "mate", "--count"]);
    assert!(err.contains("3.tabiya: the sidecar is not used"), "{err}");
}

#[test]
fn a_damaged_sidecar_of_a_part_is_made_anew() {
    let bench = Bench::new();
    big_and_indexed(&bench);
    let part = bench.path("big.pgn.tabiya-parts/2.tabiya");
    let mut bytes = fs::read(&part).unwrap();
    bytes
        .iter_mut()
        .skip(600)
        .step_by(5000)
        .for_each(|byte| *byte ^= 1);
    fs::write(&part, bytes).unwrap();
    assert_eq!(run(&bench, "big.pgn.zst", &["verify"]).0, 3);
    let (code, _, err) = index(&bench);
    assert!(code == 0 && err.contains(", 2 of 3 parts kept, "), "{err}");
    assert_eq!(run(&bench, "big.pgn.zst", &["verify"]).0, 0);
    answers_as_the_whole(&bench);
}

#[test]
fn a_game_that_is_too_long_keeps_no_part_from_being_indexed() {
    let bench = Bench::new();
    let games = text();
    let long = format!("[Event \"long\"]\n\n{{{}}} *\n\n", "x".repeat(65 << 20));
    let text = [&games, &*long, &games].concat();
    fs::write(bench.path("big.pgn"), &text).unwrap();
    fs::write(
        bench.path("big.pgn.zst"),
        in_frames(text.as_bytes(), 9_000_000),
    )
    .unwrap();
    let (code, _, err) = index(&bench);
    assert!(code == 0 && err.contains(" for 183 games, "), "{err}");
    for arguments in [&["search", "mate", "--format", "ids"][..], &["show", "183"]] {
        let (code, out, _) = run(&bench, "big.pgn", arguments);
        assert_eq!(run(&bench, "big.pgn.zst", arguments).1, out);
        assert_eq!(code, 0);
    }
    let (code, out, err) = run(&bench, "big.pgn.zst", &["verify"]);
    assert!(
        code == 3 && out.contains("game 92: the length of the game"),
        "{out}"
    );
    assert!(
        err.contains("183 games") && err.contains("1 damaged game"),
        "{err}"
    );
}

#[test]
fn text_that_is_not_in_frames_is_not_indexed_in_parts() {
    let bench = Bench::new();
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(text().repeat(COPIES).as_bytes()).unwrap();
    fs::write(bench.path("big.pgn.gz"), packer.finish().unwrap()).unwrap();
    let (code, _, err) = run(&bench, "big.pgn.gz", &["index"]);
    assert!(
        code == 2 && err.contains("not packed by zstd in frames"),
        "{code} {err}"
    );
    assert!(!bench.path("big.pgn.tabiya-parts").exists());
}

/// Puts questions to the whole text and to the packed one, which is read in parts.
fn answers_as_the_whole(bench: &Bench) {
    let epd = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/positions.epd");
    for arguments in [
        &["search", "mate", "--count"][..],
        &["search", "mate", "--format", "ids"],
        &["search", "elo>2700", "--format", "csv"],
        &["search", "number:9000..9003", "--format", "jsonl"],
        &["search", "number>18195", "--format", "ids"],
        &["search", "-n", "3", "--offset", "18000", "--format", "pgn"],
        &["search", "white:nobody"],
        &["search", "--positions", epd, "--format", "csv"],
        &["stats", "--format", "csv", "--top", "100"],
        &["stats", "result:1-0", "--format", "jsonl"],
        &["tree", "--moves", "e4 e5", "--format", "csv"],
        &["verify"],
    ] {
        let (code, out, _) = run(bench, "big.pgn", arguments);
        let (its_code, its_out, err) = run(bench, "big.pgn.zst", arguments);
        assert_eq!(code, its_code, "{arguments:?} {err}");
        assert!(out == its_out, "{arguments:?}");
        assert!(!err.contains("warning"), "{arguments:?} {err}");
    }
    let (_, games, _) = run(bench, "big.pgn", &["search", "--count"]);
    let (_, both, _) = run(bench, "big.pgn.zst", &["search", "small.si4", "--count"]);
    assert_eq!(both, format!("big:{games}small:5\n"));
    let (code, out, _) = run(bench, "big.pgn.zst", &["info"]);
    assert!(
        code == 0 && out.contains(&format!("\ngames         {games}")),
        "{out}"
    );
    for query in ["mate", "white:morphy"] {
        let convert = |source: &str, target: &str| {
            let query = ["--query", query, "--force"];
            run(bench, source, &[&["convert", target][..], &query].concat())
        };
        let (code, _, err) = convert("big.pgn.zst", "two.pgn");
        assert_eq!((code, convert("big.pgn", "one.pgn").0), (0, 0), "{err}");
        let read = |name| fs::read(bench.path(name)).unwrap();
        assert!(read("one.pgn") == read("two.pgn"));
    }
}

#[test]
fn what_needs_any_game_at_any_time_says_what_to_do() {
    let bench = Bench::new();
    big(&bench);
    for arguments in [
        &["show", "17"][..],
        &["search", "--sort", "date"],
        &["search", "--explain"],
        &["explain", "mate"],
        &["names"],
        &["duplicates"],
    ] {
        let (code, out, err) = run(&bench, "big.pgn.zst", arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?} {err}");
        let what = "`tabiya convert big.pgn.zst big.si5` makes a database of it";
        assert!(err.contains(what) && err.lines().count() == 1, "{err}");
    }
}

#[test]
fn a_file_that_is_cut_gives_the_games_before_and_tells_where() {
    let bench = Bench::new();
    let text = text().repeat(100);
    let one = compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    let mut packed = one.repeat(3);
    packed.truncate(one.len() * 5 / 2);
    fs::write(bench.path("cut.pgn.zst"), &packed).unwrap();
    let (code, out, err) = run(&bench, "cut.pgn.zst", &["search", "--count"]);
    let found: usize = out.trim().parse().unwrap();
    assert!(code == 0 && (18_199..=27_300).contains(&found), "{out}");
    assert!(err.contains("cut.pgn.zst: cannot decompress"), "{err}");
    assert!(
        err.contains(" of the file, byte ") && err.contains(" of the text"),
        "{err}"
    );
    let (code, out, _) = run(&bench, "cut.pgn.zst", &["verify"]);
    assert!(code == 3 && out.contains("cannot decompress"), "{out}");
    let convert = ["convert", "new.pgn", "--query", "mate"];
    assert_eq!(run(&bench, "cut.pgn.zst", &convert).0, 3);
    assert!(!bench.path("new.pgn").exists());
}

#[test]
fn a_file_without_games_is_refused_in_little_memory() {
    let bench = Bench::new();
    let zeros = vec![0; 80 << 20];
    let packed = compress_to_vec(&zeros[..], CompressionLevel::Fastest);
    fs::write(bench.path("zeros.pgn.zst"), packed).unwrap();
    let (code, _, err) = run(&bench, "zeros.pgn.zst", &["verify"]);
    assert_eq!(code, 3);
    assert!(
        err.contains("the length of the game in bytes exceeds the limit"),
        "{err}"
    );
    // A frame that asks for two gigabytes of memory.
    let frame = [0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3, 1, 0, 0];
    fs::write(bench.path("window.pgn.zst"), frame).unwrap();
    let (code, _, err) = run(&bench, "window.pgn.zst", &["verify"]);
    assert!(code == 3 && err.contains("window"), "{err}");
}

#[test]
fn damage_in_a_later_part_is_told_with_its_place_in_the_whole_text() {
    let bench = Bench::new();
    let mut text = text().repeat(COPIES);
    text.push_str("[White \"last\"]\n\n1. e4 Ke7 *\n\n");
    text.push_str("[White \"odd\"]\n[Result \"1-0\"]\n\n1. e4 0-1\n");
    fs::write(bench.path("bad.pgn"), &text).unwrap();
    let packed = compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    fs::write(bench.path("bad.pgn.zst"), packed).unwrap();
    for (arguments, code) in [
        (&["verify"][..], 3),
        (&["search", "white:last", "--format", "pgn"], 0),
        (
            &[
                "search",
                "white:last",
                "--format",
                "jsonl",
                "--moves",
                "san",
            ],
            0,
        ),
        (&["search", "number:18201 plies>1", "--count"], 1),
        (&["convert", "new.si5", "--force"], 3),
    ] {
        let (_, out, err) = run(&bench, "bad.pgn", arguments);
        let (its_code, its_out, its_err) = run(&bench, "bad.pgn.zst", arguments);
        let in_whole = |told: &str| told.replace("bad.pgn.zst", "bad.pgn");
        assert_eq!((its_code, in_whole(&its_out)), (code, out), "{its_err}");
        let places = |told: &str| {
            let lines = told.lines().filter(|line| line.contains("game 18201"));
            lines.map(in_whole).collect::<Vec<_>>()
        };
        assert_eq!(places(&its_err), places(&err), "{arguments:?}");
    }
}

#[test]
fn games_of_a_part_are_found_by_their_number_in_the_file() {
    struct Nobody;
    impl Visitor for Nobody {}
    let bench = Bench::new();
    let mut text = text().repeat(COPIES);
    text.push_str("[White \"last\"]\n\n1. e4 Ke7 *\n");
    let packed = compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    fs::write(bench.path("bad.pgn.zst"), packed).unwrap();
    let options = OpenOptions::new().unpacked_bytes_max(1_000_000);
    let mut parts = options.parts(bench.path("bad.pgn.zst")).unwrap();
    let mut before = 0;
    let mut damaged = Vec::new();
    while let Some(part) = parts.next_part().unwrap() {
        let (first, last) = (before + 1, before + part.len());
        assert_eq!(part.game(first).unwrap(), GameId(0));
        assert_eq!(part.game(last).unwrap(), GameId(part.len() - 1));
        let query: Query = format!("number:{last}").parse().unwrap();
        let found = Search::new(&query).run(&part).unwrap();
        let numbers: Vec<u32> = found.iter().map(|hit| part.number(hit.game)).collect();
        assert_eq!(numbers, [last]);
        let absent = |number: u32| ErrorKind::NoSuchGame {
            number: number.into(),
            first: first.into(),
            last: last.into(),
        };
        for number in [0, before, last + 1] {
            assert_eq!(*part.game(number).unwrap_err().kind(), absent(number));
        }
        let behind = part.header(GameId(part.len())).unwrap_err();
        assert_eq!(*behind.kind(), absent(last + 1));
        for game in part.games() {
            damaged.extend(part.visit(game, &mut Nobody).err());
        }
        before = last;
    }
    let damaged: Vec<Option<u32>> = damaged.iter().map(|error| error.game()).collect();
    assert_eq!((before, damaged), (18_201, vec![Some(18_201)]));
}

#[test]
fn parts_follow_each_other_in_the_library() {
    let bench = Bench::new();
    big(&bench);
    let options = OpenOptions::new().unpacked_bytes_max(1_000_000);
    let mut parts = options.parts(bench.path("big.pgn.zst")).unwrap();
    let (mut games, mut count) = (0, 0);
    while let Some(part) = parts.next_part().unwrap() {
        assert_eq!(part.number(tabiya::GameId(0)), games + 1);
        games += part.len();
        count += 1;
    }
    assert!(games == 18_200 && count > 1);
    assert!(options.parts(bench.path("small.si4")).is_err());
}

#[test]
fn the_library_opens_a_database_or_all_its_indexed_parts() {
    let bench = Bench::new();
    big_and_indexed(&bench);
    let options = OpenOptions::new().unpacked_bytes_max(1_000_000);
    let open = |name: &str| options.open_each(bench.path(name));
    let parts = open("big.pgn.zst").unwrap();
    let numbers: Vec<Option<u32>> = parts.iter().map(Database::part).collect();
    assert_eq!(numbers, [Some(1), Some(2), Some(3)]);
    let mut before = 0;
    for part in &parts {
        assert_eq!(
            (part.name().as_str(), part.number(GameId(0))),
            ("big", before + 1)
        );
        before += part.len();
    }
    assert_eq!(before, 18_200);
    for name in ["big.pgn", "small.si4"] {
        let whole = open(name).unwrap();
        assert!(whole.len() == 1 && whole[0].part().is_none());
    }
    assert!(matches!(
        open("absent.pgn").unwrap_err().kind(),
        ErrorKind::Io { .. }
    ));
    let stop = options.on_progress(|_| Flow::Break(()));
    assert_eq!(stop.open_each(bench.path("big.pgn.zst")).unwrap().len(), 3);
    fs::remove_file(bench.path("big.pgn.tabiya-parts/3.tabiya")).unwrap();
    let error = open("big.pgn.zst").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded { .. }));
    assert!(
        error.to_string().contains("big.pgn.zst: ") && error.to_string().contains("`tabiya index`")
    );
}

#[test]
fn progress_counts_the_bytes_of_a_file_that_is_read_to_its_end() {
    let bench = Bench::new();
    big(&bench);
    let packed = bench.path("big.pgn.zst");
    let all = fs::metadata(&packed).unwrap().len();
    let options = OpenOptions::new().unpacked_bytes_max(1_000_000);
    let mut read = Vec::new();
    let mut note = |at: Progress| {
        read.extend(at.file_bytes);
        Flow::Continue(())
    };
    let mut parts = options.parts(&packed).unwrap();
    while parts.on_progress(&mut note).next_part().unwrap().is_some() {}
    for (name, target) in [("big.pgn.zst", "a.si4"), ("big.pgn", "b.si4")] {
        let sources = [bench.path(name)];
        let target = bench.path(target);
        convert(&sources, &target, Overwrite::Refuse, &mut note).unwrap();
    }
    let plain = fs::metadata(bench.path("big.pgn")).unwrap().len();
    for all in [all, plain] {
        let of_file = read.iter().filter(|bytes| bytes.1 == all);
        let done: Vec<u64> = of_file.map(|bytes| bytes.0).collect();
        assert!(done.len() > 2 && done.iter().all(|&done| done <= all));
        assert!(done.last().is_some_and(|&done| done > all / 2));
    }
}
