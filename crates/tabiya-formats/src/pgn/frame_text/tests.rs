use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{super::testing::Dice, *};

const FRAME_BYTES: usize = 700_000;

/// Letters, and lines of different lengths.
fn text(dice: &mut Dice, bytes: usize) -> Vec<u8> {
    let mut text = vec![0; bytes];
    for byte in &mut text {
        *byte = *dice.pick(b"abcdefghijk\n");
    }
    text
}

fn packed(text: &[u8], frame_bytes: usize) -> Vec<u8> {
    let frame = |text| compress_to_vec(text, CompressionLevel::Fastest);
    text.chunks(frame_bytes).flat_map(frame).collect()
}

fn at_offset(offset_bytes: u64) -> GamePlace {
    GamePlace {
        offset_bytes,
        ..GamePlace::NOWHERE
    }
}

/// Reads a whole file, and returns where its frames are.
fn noted(packed: &[u8]) -> BytesRead {
    let at = BytesRead::of(packed.len());
    let mut reader = ZstdFrames::new(Packed::new(packed, at.clone()));
    io::copy(&mut reader, &mut io::sink()).unwrap();
    at
}

#[test]
fn any_part_of_a_text_is_what_it_is_in_the_whole_text() {
    let mut dice = Dice(20_261_129);
    let whole = text(&mut dice, 8_300_000);
    let packed = packed(&whole, FRAME_BYTES);
    let at = noted(&packed);
    for start in [0, 5, 2_000_000, 4_100_000] {
        let end = whole.len() - dice.below(1_000_000);
        let before = GamePlace {
            number: 3,
            line: 7,
            offset_bytes: start as u64,
        };
        let places = at.frames_of(start as u64..end as u64);
        let made = FrameText::new(places, before, at_offset(end as u64)).unwrap();
        let made = made.ending(start == 5, 77);
        let read = FrameText::of_bytes(&made.to_bytes()).unwrap();
        assert_eq!((read.before(), read.after()), (before, made.after));
        assert_eq!((read.is_last(), read.file_end()), (start == 5, 77));
        assert_eq!(read.to_bytes(), made.to_bytes());
        let own = &whole[start..end];
        for _ in 0..60 {
            let from = dice.below(own.len());
            let length = *dice.pick(&[0, 1, 900, 90_000, 2_500_000]);
            let expected = &own[from..own.len().min(from + length)];
            let range = from as u64..(from + length) as u64;
            let part = read.get(&packed, range.clone()).unwrap();
            assert!(&*part == expected, "{start}: {range:?}");
            let lines = memchr_iter(b'\n', expected).count() as u64;
            assert_eq!(read.lines(&packed, range), lines);
        }
        for from in [start, start + dice.below(own.len()), end] {
            let mut rest = Vec::new();
            let resume = read.resume(from as u64);
            let mut reader = resume.reader(&packed, &BytesRead::default()).unwrap();
            reader.read_to_end(&mut rest).unwrap();
            assert!(rest == whole[from..]);
        }
    }
}

#[test]
fn a_damaged_frame_hides_no_more_than_its_own_text() {
    let mut dice = Dice(1);
    let whole = text(&mut dice, 6_000_000);
    let mut packed = packed(&whole, 1_200_000);
    let places = noted(&packed).frames_of(0..whole.len() as u64);
    assert_eq!(places.len(), 5);
    let made = FrameText::new(places, GamePlace::NOWHERE, at_offset(whole.len() as u64)).unwrap();
    let middle = (made.places[2].in_file() + made.places[3].in_file()) / 2;
    packed[middle as usize] ^= 0x55;
    for piece in 0..5 {
        let range = piece * 1_200_000 + 3..piece * 1_200_000 + 9;
        let part = made.get(&packed, range.clone());
        let is_same = |part: &GameBytes<'_>| **part == whole[range.start as usize..][..6];
        assert_eq!(part.is_some_and(|part| is_same(&part)), piece != 2);
    }
    assert!(made.get(&packed, 2_399_999..2_400_001).is_none());
}

/// The text is changed, but not its length.
#[test]
fn text_that_does_not_have_its_checksum_is_not_returned() {
    let whole = vec![b'a'; 1_500_000];
    let mut packed = packed(&whole, 1_500_000);
    let places = noted(&packed).frames_of(0..whole.len() as u64);
    let made = FrameText::new(places, GamePlace::NOWHERE, at_offset(1_500_000)).unwrap();
    assert!(
        made.get(&packed, 0..5)
            .is_some_and(|text| *text == *b"aaaaa")
    );
    let letter = packed.iter().position(|byte| *byte == b'a').unwrap();
    packed[letter] = b'b';
    let again = FrameText::of_bytes(&made.to_bytes()).unwrap();
    assert!(again.get(&packed, 0..5).is_none());
}

#[test]
fn places_that_cannot_be_are_refused() {
    let place = FramePlace::new;
    let long = ZSTD_FRAMES_TEXT_BYTES_MAX as u64 + 1;
    for places in [
        vec![],
        vec![place(0, 1)],
        vec![place(9, 0), place(3, 5)],
        vec![place(0, 0), place(3, 5), place(4, 2)],
        vec![place(0, 0), place(3, 11)],
        vec![place(0, 0), place(3, long)],
    ] {
        let made = FrameText::new(places.clone(), GamePlace::NOWHERE, at_offset(10));
        assert!(made.is_none(), "{places:?}");
    }
    assert!(FrameText::of_bytes(&[0; 63]).is_none());
    assert!(FrameText::of_bytes(&[0xff; 80]).is_none());
    // Whatever they say, what is not there is not returned.
    let false_places = vec![place(0, 0), place(7, 3), place(1 << 60, 5)];
    let made = FrameText::new(false_places, GamePlace::NOWHERE, at_offset(10)).unwrap();
    for start in 0..10 {
        assert!(made.get(b"no frame", start..start + 1).is_none());
    }
}
