//! Hand-made records and what is reported of them.

mod damage;
mod items;
mod round_trip;

use tabiya_chess::Flow;

use super::*;
use crate::{Visitor, chessbase::common::marks::kind};

/// A record of items: position, type, content.
fn record(items: &[(i32, u8, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 7, 1, 0, 14, 14, 0, 0, items.len() as u8 + 1];
    let lengths = items.iter().map(|(_, _, data)| 6 + data.len());
    bytes.extend((14 + lengths.sum::<usize>() as u32).to_be_bytes());
    for (position, kind, data) in items {
        bytes.extend(&position.to_be_bytes()[1..]);
        bytes.push(*kind);
        bytes.extend((6 + data.len() as u16).to_be_bytes());
        bytes.extend(*data);
    }
    bytes
}

/// Collects glyphs and comments as in PGN.
#[derive(Default)]
struct Heard(Vec<String>);

impl Visitor for Heard {
    fn nag(&mut self, nag: u8) -> Flow {
        self.0.push(format!("${nag}"));
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        self.0.push(text.to_owned());
        Flow::Continue(())
    }
}

/// Returns what is reported before and after a move.
fn told(annotations: &Annotations<'_>, position: i32) -> [Vec<String>; 2] {
    let (mut before, mut after) = (Heard::default(), Heard::default());
    assert!(annotations.tell_before(position, &mut before).is_continue());
    assert!(annotations.tell_after(position, &mut after).is_continue());
    [before.0, after.0]
}

/// Returns the only report of an item, after checking that the item has no fault.
fn told_of(kind: u8, data: &[u8]) -> String {
    let bytes = record(&[(0, kind, data)]);
    let annotations = Annotations::parse(&bytes);
    let faults: Vec<_> = annotations.faults().collect();
    assert!(faults.is_empty(), "{faults:?}");
    let all = told(&annotations, 0).concat();
    assert_eq!(all.len(), 1, "{all:?}");
    all.concat()
}

/// Returns the texts reported before and after a move for a preferred language.
fn texts(items: &[(i32, u8, &[u8])], language: &str) -> [Vec<String>; 2] {
    let bytes = record(items);
    let language = language.parse().expect("a language");
    told(&Annotations::parse(&bytes).with_language(language), 0)
}

#[test]
fn glyphs_come_before_comments_and_comments_in_stored_order() {
    let bytes = record(&[
        (-1, kind::TEXT_AFTER, b"\0\0game"),
        (-1, kind::TEXT_BEFORE, b"\0\0before"),
        (0, kind::TEXT_AFTER, b"\0\x2aafter"),
        (0, kind::TEXT_BEFORE, b"\0\0before"),
        (0, kind::SQUARES, &[2, 37]),
        (0, kind::GLYPHS, &[1, 0, 140]),
        (0, kind::TEXT_AFTER, b"\0\0"),
        (3, kind::GLYPHS, &[0, 14]),
    ]);
    let annotations = Annotations::parse(&bytes);
    assert_eq!(told(&annotations, GAME), [vec![], vec!["before", "game"]]);
    let after = vec!["$1", "$140", "after", "[%csl Ge5]"];
    assert_eq!(told(&annotations, 0), [vec!["before"], after]);
    assert!(told(&annotations, 1).concat().is_empty());
    assert_eq!(told(&annotations, 3), [vec![], vec!["$14"]]);
    assert_eq!(annotations.faults().count(), 0);
}

#[test]
fn a_visitor_that_wants_no_more_gets_no_more() {
    struct Once(u32);
    impl Visitor for Once {
        fn nag(&mut self, _: u8) -> Flow {
            self.0 += 1;
            Flow::Break(())
        }
        fn comment(&mut self, _: &str) -> Flow {
            self.0 += 1;
            Flow::Break(())
        }
    }
    let bytes = record(&[
        (0, kind::GLYPHS, &[1, 14]),
        (0, kind::TEXT_AFTER, b"\0\0a"),
        (1, kind::TEXT_AFTER, b"\0\0a"),
        (1, kind::TEXT_AFTER, b"\0\0b"),
    ]);
    let annotations = Annotations::parse(&bytes);
    for position in 0..2 {
        let mut once = Once(0);
        assert!(annotations.tell_after(position, &mut once).is_break());
        assert_eq!(once.0, 1);
    }
}

#[test]
fn a_preferred_language_leaves_out_others_only_where_it_is_there() {
    let (english, german): (&[u8], &[u8]) = (b"\0\x2aenglish", b"\0\x35german");
    let both = [
        (0, kind::TEXT_AFTER, english),
        (0, kind::TEXT_AFTER, german),
    ];
    assert_eq!(texts(&both, "all")[1], ["english", "german"]);
    assert_eq!(texts(&both, "de")[1], ["german"]);
    assert_eq!(texts(&both, "English")[1], ["english"]);
    assert_eq!(texts(&both, "fr")[1], ["english", "german"]);
    let any: &[u8] = b"\0\0any";
    let with_any = [both[0], (0, kind::TEXT_AFTER, any), both[1]];
    assert_eq!(texts(&with_any, "ger")[1], ["any", "german"]);
    assert_eq!(texts(&with_any, "fr")[1], ["any"]);
    // Texts before and after a move are two places.
    let apart = [both[0], (0, kind::TEXT_BEFORE, german)];
    assert_eq!(texts(&apart, "de"), [vec!["german"], vec!["english"]]);
}

#[test]
fn languages_are_read_by_code_and_name_and_print_as_codes() {
    for (text, printed) in [
        ("ALL", "all"),
        ("nl", "nl"),
        ("Polish", "pl"),
        ("POR", "pt"),
    ] {
        let language: Language = text.parse().expect(text);
        assert_eq!(language.to_string(), printed);
    }
    let error = "xx".parse::<Language>().expect_err("no language");
    assert!(error.to_string().contains("all, en (English), de (German)"));
}

#[test]
fn comments_are_searched_in_every_language_and_as_they_are_told() {
    let bytes = record(&[
        (0, kind::TEXT_AFTER, b"\0\x35deutsch \xa4f3"),
        (0, kind::MEDALS, &[0, 0, 2, 0]),
    ]);
    let annotations = Annotations::parse(&bytes).with_language("en".parse().expect("English"));
    for (text, there) in [
        ("deutsch Nf3", true),
        ("sacrifice", true),
        ("english", false),
    ] {
        assert_eq!(
            annotations.any_comment(&mut |told| told.contains(text)),
            there
        );
    }
}
