use std::io::Write;

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{
    super::{
        for_each_game,
        unpacked::{STEP_BYTES, unpacked},
        zip::tests::archive,
    },
    *,
};
use crate::{OpenSettings, error::ErrorKind, progress::Progress};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn xz(text: &[u8]) -> Vec<u8> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).unwrap();
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

fn zip(text: &[u8]) -> Vec<u8> {
    archive(&[("a.pgn", text)])
}

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

/// A frame of user data.
fn skippable() -> Vec<u8> {
    b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec()
}

fn events(input: &Input) -> (Vec<String>, Result<()>) {
    let mut events = Vec::new();
    let end = for_each_game(
        input,
        |game| Ok(game.header().event.clone()),
        |_, event| {
            events.push(event?);
            Ok(())
        },
    );
    (events, end)
}

/// Returns settings that allow this many unpacked bytes.
fn up_to(unpacked_bytes_max: u64) -> OpenSettings {
    OpenSettings {
        unpacked_bytes_max,
        ..OpenSettings::default()
    }
}

#[test]
fn compressed_text_in_several_parts_is_read_through() {
    let (one, two) = (
        &b"[Event \"1\"]\n\n1. e4 *\n\n[Event"[..],
        &b" \"2\"]\n*\n"[..],
    );
    for packed in [
        [one, two].concat(),
        [gzip(one), gzip(two)].concat(),
        [bzip2(one), bzip2(two)].concat(),
        [xz(one), xz(two)].concat(),
        [zstd(one), skippable(), zstd(two), skippable()].concat(),
        [skippable(), zstd(one), zstd(two)].concat(),
    ] {
        let input = Input::from_bytes(packed).unwrap();
        let (events, end) = events(&input);
        assert_eq!(events, ["1", "2"], "{input:?}");
        end.unwrap();
    }
}

#[test]
fn damaged_compression_is_an_error_after_the_games_before_it() {
    let text = b"[Event \"1\"]\n*\n".repeat(20_000);
    for packed in [gzip(&text), bzip2(&text), zstd(&text), xz(&text)] {
        let whole = events(&Input::from_bytes(packed.clone()).unwrap()).0.len();
        assert_eq!(whole, 20_000);
        for cut in [packed.len() / 2, packed.len() - 2] {
            let input = Input::from_bytes(packed[..cut].to_vec()).unwrap();
            let (events, end) = events(&input);
            // At the end stands what text must be like, not text.
            assert!(events.len() < 20_000 || cut > packed.len() / 2);
            let error = end.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Io { .. }), "{input:?}");
        }
    }
}

#[test]
fn last_game_with_its_result_is_kept_before_damaged_packing() {
    let ended = &b"[Event \"1\"]\n*\n\n[Event \"2\"]\n\n1. e4 (1. d4 *) 1-0"[..];
    let open = &b"[Event \"1\"]\n*\n\n[Event \"2\"]\n\n1. e4 (1. d4 *)"[..];
    let cut = b"\x50\x2a\x4d\x18\x03\0\0\0a";
    for (text, expected) in [(ended, 2), (open, 1)] {
        for packed in [
            [&gzip(text)[..], b"after"].concat(),
            [&bzip2(text)[..], b"after"].concat(),
            [&xz(text)[..], b"after it"].concat(),
            [&zstd(text)[..], cut].concat(),
            [&zstd(text)[..], b"after"].concat(),
        ] {
            let (found, end) = events(&Input::from_bytes(packed.clone()).unwrap());
            assert_eq!(found.len(), expected);
            assert!(matches!(end.unwrap_err().kind(), ErrorKind::Io { .. }));
            let packing = Packing::of(&packed, None).unwrap();
            let (kept, damage) = unpacked(
                (packing, None),
                &packed,
                (&OpenSettings::default(), &BytesRead::default()),
                &mut Progress::ignore,
            )
            .unwrap();
            let (games, end) = events(&Input::from_bytes(kept).unwrap());
            assert_eq!(games.len(), expected);
            end.unwrap();
            assert!(!damage.is_empty());
        }
    }
}

#[test]
fn all_text_before_damage_in_zstd_is_read() {
    let text: String = (0..20_000)
        .map(|n| format!("[Event \"{n}\"]\n*\n"))
        .collect();
    let packed = zstd(text.as_bytes());
    let whole = Input::from_bytes(packed[..packed.len() - 2].to_vec()).unwrap();
    let (found, end) = events(&whole);
    assert!(found.len() > 14_000, "{}", found.len());
    assert!(end.is_err());
    let half = Input::from_bytes(packed[..packed.len() / 2].to_vec()).unwrap();
    let (found, end) = events(&half);
    // Blocks have at most 128 KiB of text.
    assert!(found.len() > 5_000, "{}", found.len());
    assert!(
        found
            .iter()
            .enumerate()
            .all(|(n, event)| *event == n.to_string())
    );
    assert!(end.is_err());
}

#[test]
fn text_that_unpacks_to_more_than_the_limit_is_refused() {
    let text = b"* ".repeat(1 << 19);
    let length = text.len() as u64;
    for packed in [
        gzip(&text),
        bzip2(&text),
        zstd(&text),
        xz(&text),
        zip(&text),
    ] {
        assert!(packed.len() < text.len() / 50);
        let packing = Packing::of(&packed, None).unwrap();
        let whole = up_to(length);
        let (unpacked_text, _) = unpacked(
            (packing, None),
            &packed,
            (&whole, &BytesRead::default()),
            &mut Progress::ignore,
        )
        .unwrap();
        assert!(unpacked_text == text);
        let short = up_to(length - 1);
        let error = unpacked(
            (packing, None),
            &packed,
            (&short, &BytesRead::default()),
            &mut Progress::ignore,
        )
        .unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::LimitExceeded { .. }));
    }
}

#[test]
fn unpacking_stops_when_it_is_asked_to() {
    let text = b"* ".repeat(2 * STEP_BYTES as usize);
    for packed in [gzip(&text), bzip2(&text), zstd(&text), xz(&text)] {
        let packing = Packing::of(&packed, None).unwrap();
        let options = up_to(u64::MAX - 1);
        let mut asked = 0;
        let stop = &mut |_| {
            asked += 1;
            tabiya_chess::follow::break_if(asked == 3)
        };
        let error = unpacked(
            (packing, None),
            &packed,
            (&options, &BytesRead::default()),
            stop,
        )
        .unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Interrupted), "{error}");
        assert_eq!(asked, 3);
    }
}

#[test]
fn an_archive_is_read_member_after_member() {
    let one = &b"[Event \"1\"]\n\n1. e4"[..];
    let two = &b"\xef\xbb\xbf[Event \"2\"]\n*"[..];
    let packed = archive(&[("a.pgn", one), ("b.txt", one), ("c.pgn", two)]);
    let (events, end) = events(&Input::from_bytes(packed).unwrap());
    assert_eq!(events, ["1", "2"]);
    end.unwrap();
}

#[test]
fn xz_that_needs_more_memory_than_the_limit_is_refused() {
    let mut packed = xz(b"*");
    // The size of the dictionary and the checksum of its header.
    let at = 12;
    packed[at + 4] = 38;
    let mut crc = flate2::Crc::new();
    crc.update(&packed[at..at + 8]);
    packed[at + 8..at + 12].copy_from_slice(&crc.sum().to_le_bytes());
    let (_, end) = events(&Input::from_bytes(packed).unwrap());
    assert!(end.unwrap_err().to_string().contains("emory"));
}

#[test]
fn random_damage_to_compressed_bytes_never_panics() {
    let text = b"[Event \"1\"]\n\n1. e4 e5 *\n".repeat(20);
    for packed in [
        gzip(&text),
        bzip2(&text),
        zstd(&text),
        xz(&text),
        zip(&text),
    ] {
        for index in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[index] ^= 0x55;
            if let Ok(input) = Input::from_bytes(damaged) {
                let _ = events(&input);
            }
            if let Ok(input) = Input::from_bytes(packed[..index].to_vec()) {
                let _ = events(&input);
            }
        }
    }
}

#[test]
fn lines_that_end_with_carriage_returns_only_are_lines() {
    let text = b"[Event \"1\"]\r[Site \"x\"]\r\r1. e4 ; x\re5 *\r\r[Event \"2\"]\r*";
    let (events, _) = events(&Input::from_bytes(text.to_vec()).unwrap());
    assert_eq!(events, ["1", "2"]);
}

#[test]
fn text_is_read_in_every_encoding_and_packing() {
    let text = "[Event \"Ж\"]\n\n1. e4 ; [comment]\n%\n*\n\n[Event \"é\"]\n*\n";
    let units: Vec<u16> = text.encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    for bytes in [
        text.as_bytes().to_vec(),
        text.replace('\n', "\r").into_bytes(),
        text.replace('\n', "\r\n").into_bytes(),
        [&b"\xff\xfe"[..], &little].concat(),
        [&b"\xfe\xff"[..], &big].concat(),
        little,
        big,
    ] {
        for packed in [
            bytes.clone(),
            gzip(&bytes),
            bzip2(&bytes),
            xz(&bytes),
            zstd(&bytes),
            zip(&bytes),
        ] {
            let (events, end) = events(&Input::from_bytes(packed).unwrap());
            end.unwrap();
            assert_eq!(events, ["Ж", "é"], "{bytes:?}");
        }
    }
}

#[test]
fn cyrillic_of_windows_is_recognised() {
    let names = "Ботвинник, Михаил\nСмыслов, Василий\nТаль, Михаил\nПетросян, Тигран";
    let text: String = names
        .lines()
        .map(|name| format!("[Event \"{name}\"]\n*\n\n"))
        .collect();
    let (bytes, ..) = encoding_rs::WINDOWS_1251.encode(&text);
    let (events, end) = events(&Input::from_bytes(bytes.into_owned()).unwrap());
    end.unwrap();
    assert!(
        events.iter().map(String::as_str).eq(names.lines()),
        "{events:?}"
    );
}

#[test]
fn an_empty_file_holds_no_games() {
    for bytes in [&b""[..], b" \r\n\n", b"% nothing\n", b"\xef\xbb\xbf"] {
        let input = Input::from_bytes(bytes.to_vec()).unwrap();
        assert!(events(&input).0.is_empty());
    }
}
