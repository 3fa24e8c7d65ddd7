//! Damaged records.

use super::*;

/// Returns the faults of a record.
fn faults(bytes: &[u8]) -> Vec<String> {
    let annotations = Annotations::parse(bytes);
    annotations
        .faults()
        .map(|fault| fault.to_string())
        .collect()
}

#[test]
fn an_item_without_its_types_form_is_opaque_and_others_stay() {
    let bad: &[(u8, &[u8])] = &[
        (kind::TEXT_AFTER, &[0]),
        (kind::TEXT_BEFORE, &[]),
        (kind::SQUARES, &[2, 1, 3]),
        (kind::SQUARES, &[2, 0]),
        (kind::SQUARES, &[9, 1]),
        (kind::ARROWS, &[2, 1, 65]),
        (kind::TIME_SPENT, &[1, 2]),
        (kind::TRAINING, &[1, 0, 1, 9, 0]),
        (kind::TRAINING, &[1, 0, 1, 0, 0]),
        (
            kind::TRAINING,
            &[1, 0, 1, 10, 0, 1, 0, 0, 0, 6, 0, 0xff, 0xff],
        ),
        (kind::SOUND, b""),
        (kind::VIDEO, b"\"]}"),
        (kind::QUOTATION, &[0, 1, 0, 2, 0, 64, 1]),
        (kind::QUOTATION, &[0, 1, 0, 2, 0, 0, 200, 1]),
        (kind::PAWNS, &[]),
        (kind::PATH, &[3, 0]),
        (kind::WHITE_CLOCK, &[0, 0, 1]),
        (kind::CRITICAL, &[4]),
        (kind::LINK, &[0, 0, 9, b'a']),
        (kind::EVALUATION, &[0, 0, 2, 0, 0, 0]),
        (kind::MEDALS, &[0, 1, 0, 0]),
        (kind::COLOUR, &[0, 0, 0]),
        (kind::TIME_CONTROL, &[0; 32]),
        (kind::VIDEO_TIME, &[]),
        (kind::PROFILE, &[0, 2, 0, 0, 0, 0]),
    ];
    for &(kind, data) in bad {
        let bytes = record(&[
            (0, kind::GLYPHS, &[1]),
            (0, kind, data),
            (0, kind::TEXT_AFTER, b"\0\0end"),
        ]);
        let [before, after] = told(&Annotations::parse(&bytes), 0);
        let hex: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
        let opaque = format!("[%cba {kind:02X} {hex}]");
        let told = [before, after].concat();
        assert_eq!(told.len(), 3, "{told:?}");
        for expected in ["$1", &opaque, "end"] {
            assert!(
                told.iter().any(|told| told == expected),
                "{expected}: {told:?}"
            );
        }
        let what = "damaged: an annotation that does not have the form of its type";
        assert_eq!(faults(&bytes), [format!("{what} (at byte 21)")]);
    }
}

#[test]
fn what_is_wrong_with_a_record_is_told_and_the_items_before_it_stay() {
    let good = record(&[(0, kind::GLYPHS, &[1]), (1, kind::GLYPHS, &[2])]);
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    for (bytes, items, what) in [
        (
            changed(3, 2),
            0,
            "no annotations where they should be (at byte 0)",
        ),
        (changed(9, 4), 2, "annotations are missing (at byte 7)"),
        (
            changed(13, 13),
            0,
            "annotations shorter than their own head (at byte 0)",
        ),
        (
            changed(13, 29),
            2,
            "the annotations are cut short (at byte 28)",
        ),
        (
            changed(10, 0xff),
            2,
            "the annotations are cut short (at byte 28)",
        ),
        (changed(19, 5), 0, "an annotation is cut short (at byte 14)"),
        (changed(26, 8), 1, "an annotation is cut short (at byte 21)"),
        (
            good[..13].to_vec(),
            0,
            "the annotations are cut short (at byte 0)",
        ),
    ] {
        assert_eq!(Annotations::parse(&bytes).items().len(), items, "{what}");
        assert_eq!(faults(&bytes), [format!("damaged: {what}")]);
    }
    let followed = [&good[..], b"the next record"].concat();
    assert_eq!(Annotations::parse(&followed).items().len(), 2);
    assert!(faults(&followed).is_empty());
}

#[test]
fn items_out_of_order_are_found_in_the_order_of_positions() {
    let bytes = record(&[
        (5, kind::GLYPHS, &[5]),
        (-3, kind::GLYPHS, &[1]),
        (0, kind::GLYPHS, &[2]),
        (5, kind::GLYPHS, &[6]),
    ]);
    let annotations = Annotations::parse(&bytes);
    assert_eq!(told(&annotations, 5)[1], ["$5", "$6"]);
    assert_eq!(told(&annotations, GAME)[1], ["$1"]);
    assert_eq!(told(&annotations, 0)[1], ["$2"]);
}

#[test]
fn no_truncation_and_no_changed_byte_panics() {
    let mut training = b"\x01\0\x01\x1c\0\x68\x01\0\0\x06\0".to_vec();
    training.extend(b"\x01\0\0\0\x01\0M\0\0\0\0\0\0\x01\x3d\x2f\0\x06\0\0");
    let bytes = record(&[
        (-1, kind::TIME_CONTROL, &[1; 33]),
        (-1, kind::PROFILE, &[0, 1, 0, 9, 1, 2]),
        (0, kind::TRAINING, &training),
        (0, kind::QUOTATION, &items::full_quotation()),
        (1, kind::LINK, b"\x05\0\x01a\x01b"),
        (1, kind::ARROWS, &[2, 1, 9]),
        (2, kind::TEXT_AFTER, b"\0\0\xa4f3 \x9e"),
        (2, kind::MEDALS, &[0, 0, 1, 0]),
    ]);
    let read_all = |bytes: &[u8]| {
        let annotations = Annotations::parse(bytes);
        for position in [GAME, 0, 1, 2] {
            let _ = told(&annotations, position);
        }
        annotations.faults().count()
    };
    assert_eq!(read_all(&bytes), 0);
    for length in 0..bytes.len() {
        read_all(&bytes[..length]);
    }
    let mut damaged = bytes.clone();
    for at in 0..bytes.len() {
        for change in [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff] {
            damaged[at] = bytes[at] ^ change;
            read_all(&damaged);
        }
        damaged[at] = bytes[at];
    }
}
