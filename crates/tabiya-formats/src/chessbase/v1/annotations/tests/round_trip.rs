//! Records from the builder read back unchanged.

use super::*;
use crate::chessbase::v1::annotations::write::Builder;

/// Writes with the builder and returns the record.
fn written(build: impl FnOnce(&mut Builder)) -> Vec<u8> {
    let mut builder = Builder::new();
    build(&mut builder);
    let bytes = builder.finish(7).expect("a record");
    assert_eq!(Annotations::parse(&bytes).faults().count(), 0);
    bytes
}

/// Returns the types and contents of all items.
fn items(bytes: &[u8]) -> Vec<(i32, u8, &[u8])> {
    let annotations = Annotations::parse(bytes);
    let items: Vec<Item<'_>> = annotations
        .items
        .iter()
        .map(|&at| Item::read(&bytes[at as usize..]).expect("an item").0)
        .collect();
    items
        .iter()
        .map(|item| (item.position, item.kind, item.data))
        .collect()
}

#[test]
fn a_record_has_the_bytes_that_chessbase_writes() {
    let bytes = written(|builder| {
        builder.comment_after(1, "[%csl Ga1,Rh8]");
        builder.glyph(0, 14);
        builder.glyph(0, 1);
        builder.comment_after(0, "é");
    });
    let expected: [(i32, u8, &[u8]); 3] = [
        (0, kind::GLYPHS, &[1, 14]),
        (0, kind::TEXT_AFTER, &[0, 0, 0xe9]),
        (1, kind::SQUARES, &[2, 1, 4, 64]),
    ];
    assert_eq!(bytes, record(&expected));
}

#[test]
fn comments_are_read_as_they_were_written() {
    let comments = [
        "plain",
        " Müller – „ž“ [#] ",
        "Ελλάς § ¤f3 £\u{4f60}",
        "a }\r\nb",
        "\u{9e} Ã©",
        "[#]",
    ];
    let bytes = written(|builder| {
        for (position, comment) in (0..).zip(comments) {
            builder.comment_after(position, comment);
            builder.comment_before(position, comment);
        }
    });
    let annotations = Annotations::parse(&bytes);
    for (position, comment) in (0..).zip(comments) {
        assert_eq!(told(&annotations, position), [[comment], [comment]]);
    }
}

#[test]
fn glyphs_have_their_places_and_none_is_lost() {
    let bytes = written(|builder| {
        for glyph in [140, 22, 36, 3, 255] {
            builder.glyph(4, glyph);
        }
        builder.glyph(5, 142);
    });
    let expected: [(i32, u8, &[u8]); 3] = [
        (4, kind::GLYPHS, &[22, 36, 140]),
        (4, kind::GLYPHS, &[3, 255]),
        (5, kind::GLYPHS, &[0, 0, 142]),
    ];
    assert_eq!(items(&bytes), expected);
    let [_, after] = told(&Annotations::parse(&bytes), 4);
    assert_eq!(after, ["$22", "$36", "$140", "$3", "$255"]);
}

#[test]
fn known_commands_become_items_and_are_told_as_they_were() {
    for command in [
        "[%csl Ga1,Yb2,Rh8]",
        "[%cal Ge2e4]",
        "[%emt 0:01:30]",
        "[%eval 0.35]",
        "[%eval -12.00,22]",
        "[%eval #-3]",
        "[%eval #5,18]",
    ] {
        let bytes = written(|builder| builder.comment_after(0, command));
        let annotations = Annotations::parse(&bytes);
        assert!(
            annotations
                .items()
                .all(|item| item.kind != kind::TEXT_AFTER),
            "{command}"
        );
        assert_eq!(told(&annotations, 0)[1], [command]);
    }
}

#[test]
fn text_around_commands_stays_and_so_do_commands_that_cannot_be_items() {
    let after = |comment: &str| {
        let bytes = written(|builder| builder.comment_after(0, comment));
        told(&Annotations::parse(&bytes), 0)[1].clone()
    };
    assert_eq!(
        after("Good  move [%emt 00:00:05][%csl Ga1, Rb2] here [%clk 1:00:00]"),
        [
            "[%emt 0:00:05]",
            "[%csl Ga1,Rb2]",
            "Good  move here [%clk 1:00:00]"
        ]
    );
    for kept in [
        "[%csl Ba1]",
        "[%csl Ga9]",
        "[%csl Ga1b2]",
        "[%csl ]",
        "[%cal Ga1]",
        "[%emt 0:00:05.5]",
        "[%emt 0:60:00]",
        "[%emt 300:00:00]",
        "[%eval 400.00]",
        "[%eval --1]",
        "[%eval 0.355]",
        "[%eval 0.35,-1]",
        "[%csl Ga1",
        "[%cslGa1]",
        "[%cba 08 01]",
        " spaces  stay ",
    ] {
        assert_eq!(after(kept), [kept]);
    }
    assert_eq!(after("[%eval 0.3]"), ["[%eval 0.30]"]);
}

#[test]
fn endless_brackets_and_glyphs_are_written_in_time() {
    let brackets = "[%".repeat(100_000) + &"]".repeat(100_000);
    let bytes = written(|builder| {
        builder.comment_after(0, &brackets);
        (0..100_000).for_each(|_| builder.glyph(1, 1));
    });
    let annotations = Annotations::parse(&bytes);
    assert_eq!(told(&annotations, 0)[1].concat(), brackets);
    assert_eq!(told(&annotations, 1)[1].len(), 100_000);
}

#[test]
fn a_text_too_long_for_one_item_is_several() {
    let long = "ñ€".repeat(30_000);
    let bytes = written(|builder| builder.comment_after(0, &long));
    let told = told(&Annotations::parse(&bytes), 0)[1].clone();
    assert!(told.len() > 1);
    assert_eq!(told.concat(), long);
}

#[test]
fn the_builder_can_be_used_again() {
    let mut builder = Builder::new();
    assert!(builder.is_empty());
    builder.comment_before(0, "éa");
    builder.comment_after(0, "[%emt 0:00:01] b");
    builder.glyph(0, 1);
    builder.glyph(0, 14);
    assert!(!builder.is_empty());
    builder.clear();
    assert!(builder.is_empty());
}

#[test]
fn what_the_format_cannot_count_is_refused() {
    let mut builder = Builder::new();
    builder.glyph(1 << 23, 1);
    assert!(builder.finish(1).is_err());
    builder.clear();
    builder.glyph(0, 1);
    assert!(builder.finish(1 << 24).is_err());
}
