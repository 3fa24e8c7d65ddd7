use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{
    super::{for_each_game, input::Input},
    *,
};

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

/// Packs a text in frames of so many bytes, with the length of each in front of it as `pzstd` says
/// it, or other data that says nothing.
fn in_frames(text: &[u8], frame_bytes: usize, says_length: bool) -> Vec<u8> {
    let frame = |text: &[u8]| {
        let packed = zstd(text);
        let length = packed.len() as u32;
        let said = if says_length { length } else { u32::MAX };
        [
            &b"\x50\x2a\x4d\x18\x04\0\0\0"[..],
            &said.to_le_bytes(),
            &packed,
        ]
        .concat()
    };
    text.chunks(frame_bytes).flat_map(frame).collect()
}

fn games(count: usize) -> String {
    (0..count)
        .map(|number| format!("[Event \"{number}\"]\n\n1. e4 {{{number}}} e5 *\n\n"))
        .collect()
}

/// Returns the numbers of the games that were read, and the error at the end.
fn read(packed: Vec<u8>) -> (Vec<usize>, Option<String>) {
    let input = Input::from_bytes(packed).unwrap();
    let mut numbers = Vec::new();
    let end = for_each_game(
        &input,
        |game| Ok(game.header().event.parse().unwrap_or(usize::MAX)),
        |_, number| {
            numbers.push(number?);
            Ok(())
        },
    );
    (numbers, end.err().map(|error| error.to_string()))
}

#[test]
fn games_that_cross_frames_are_read_whole_and_in_order() {
    let text = games(20_000);
    for frame_bytes in [997, 30_011, 1 << 20, 1 << 26] {
        for says_length in [true, false] {
            let (numbers, end) = read(in_frames(text.as_bytes(), frame_bytes, says_length));
            assert_eq!(end, None);
            assert!(numbers.iter().copied().eq(0..20_000), "{frame_bytes}");
        }
    }
}

#[test]
fn frames_end_where_the_headers_of_their_blocks_say() {
    let decoders = Mutex::default();
    for text in ["", "a", &games(1), &games(50_000), &"\0".repeat(1 << 20)] {
        let packed = zstd(text.as_bytes());
        let behind = [&packed[..], b"behind"].concat();
        let frame = Frame::first_in(&behind).unwrap();
        assert_eq!(frame.bytes, packed);
        assert!(frame.text_bytes_max >= text.len());
        // Memory that is used again may be longer than the text, or shorter.
        for memory in [vec![b'x'; 1 << 20], vec![b'x'; 10], Vec::new()] {
            let (mut rest, mut unpacked) = (frame.unpack(memory, &decoders).unwrap(), Vec::new());
            rest.read_to_end(&mut unpacked).unwrap();
            assert!(unpacked == text.as_bytes());
        }
        for cut in [0, 3, 5, packed.len() - 1] {
            assert_eq!(Frame::first_in(&packed[..cut]), None);
        }
    }
}

#[test]
fn games_around_a_damaged_frame_are_kept_and_it_is_named() {
    const FRAME_BYTES: usize = 40_000;
    let text = games(20_000);
    let whole = in_frames(text.as_bytes(), FRAME_BYTES, true);
    let frames = text.len() / FRAME_BYTES;
    for number in [1, 2, frames / 2, frames - 1] {
        let before = &text[..number * FRAME_BYTES];
        let at = in_frames(before.as_bytes(), FRAME_BYTES, true).len();
        let sound = before.matches("*\n\n").count();
        let behind = text.get((number + 1) * FRAME_BYTES..).unwrap_or_default();
        let behind = behind.matches("[Event").count();
        // The frame is none, its text is another, a block is of no kind, it is cut short, and the
        // data in front of it is longer than the file.
        let damaged = |place: usize, bits: u8| {
            let mut packed = whole.clone();
            packed[place] ^= bits;
            packed
        };
        let cut = whole[..at + 20].to_vec();
        let nothing_is_lost = damaged(at + 7, 0x7f);
        for (packed, behind, is_read_in_part) in [
            (damaged(at + 12, 1), behind, false),
            (damaged(at + 300, 0x55), behind, true),
            (damaged(at + 12 + 6, 6), behind, true),
            (cut, 0, false),
            (nothing_is_lost.clone(), behind, false),
        ] {
            let is_whole = packed == nothing_is_lost;
            let (numbers, end) = read(packed);
            let first = numbers.iter().zip(0..);
            let first = first.take_while(|(number, place)| *number == place).count();
            assert!(sound - sound.min(first) <= 1, "{sound} {first}");
            assert!(
                is_whole || is_read_in_part || first <= sound + 1,
                "{sound} {first}"
            );
            assert!(behind > 0 || numbers.iter().copied().eq(0..numbers.len()));
            let last = numbers.iter().rev().zip((0..20_000).rev());
            let last = last.take_while(|(number, place)| *number == place).count();
            // Only the game in which the frame begins.
            assert!(!is_whole || last + sound + 1 >= 20_000, "{sound} {last}");
            assert!(last >= behind, "{behind} {last}");
            let end = end.unwrap();
            let place = format!("byte {} of the text", before.len());
            assert!(is_read_in_part || end.contains(&place), "{end}");
            assert!(end.contains(" of the text"), "{end}");
        }
    }
}
