//! The bodies of the fuzzers, on what they begin with and on some of what they would come to;
//! and what they have found.
//!
//! `TABIYA_FUZZ_SEED` makes another run, `TABIYA_FUZZ_TIMES` one that many times as long.

use crate::{
    agree::number_from,
    bodies::{self, ALL, pieces::joined},
    support::dice::Dice,
};

/// Bytes that formats tend to be confused by.
const TELLING: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, 0x20, b'"', 0x0d];

/// Changes an input in a few places, as fuzzers do.
fn mutated(seed: &[u8], others: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len() + 1);
        let end = (at + dice.below(9)).min(bytes.len());
        match dice.below(7) {
            0 => bytes[at..end].fill(*dice.pick(&TELLING)),
            1 => bytes[at..end]
                .iter_mut()
                .for_each(|byte| *byte ^= 1 << (*byte & 7)),
            2 => drop(bytes.drain(at..end)),
            3 => bytes.truncate(at),
            4 => {
                let copied = bytes[at..end].to_vec();
                bytes.splice(at..at, copied);
            }
            5 => {
                let other = dice.pick(others).clone();
                let from = dice.below(other.len() + 1);
                let to = (from + dice.below(64)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            _ => bytes[at..end]
                .iter_mut()
                .for_each(|byte| *byte = dice.below(256) as u8),
        }
    }
    bytes
}

/// Runs a body on its seeds and on random changes of them.
fn tried(name: &str, mutations: usize) {
    let body = bodies::of(name);
    let seeds = (body.seeds)();
    assert!(!seeds.is_empty());
    let mut dice = Dice::new(number_from("TABIYA_FUZZ_SEED").unwrap_or(1));
    let times = number_from("TABIYA_FUZZ_TIMES").unwrap_or(1) as usize;
    (body.check)(b"");
    seeds.iter().for_each(|seed| (body.check)(seed));
    for _ in 0..mutations * times {
        let seed = dice.pick(&seeds).clone();
        (body.check)(&mutated(&seed, &seeds, &mut dice));
    }
}

#[test]
fn changed_databases_of_scid_are_answered_or_refused() {
    tried("scid4", 150);
    tried("scid5", 150);
}

#[test]
fn changed_chessbase_databases_are_answered_or_refused() {
    tried("chessbase", 150);
}

#[test]
fn changed_databases_of_chessbase_2_are_answered_or_refused() {
    tried("chessbase2", 300);
}

#[test]
fn changed_sets_of_chessbase_1_to_5_are_answered_or_refused() {
    tried("cbf", 200);
}

#[test]
fn changed_simple_chess_databases_are_answered_or_refused() {
    tried("scdb", 200);
}

#[test]
fn changed_databases_of_jose_are_answered_or_refused() {
    tried("jose", 200);
}

#[test]
fn changed_training_data_is_answered_or_refused() {
    tried("monty", 200);
    tried("stockfish", 200);
    tried("viriformat", 200);
}

#[test]
fn changed_books_are_answered_or_refused() {
    tried("books", 200);
}

#[test]
fn changed_pgn_is_answered_or_refused() {
    tried("pgn", 200);
}

#[test]
fn changed_lists_are_answered_or_refused() {
    tried("lists", 300);
}

#[test]
fn a_changed_sidecar_is_refused_or_changes_no_answer() {
    tried("sidecar", 60);
}

#[test]
fn the_text_of_a_changed_query_reads_back_to_it() {
    tried("query", 3000);
}

#[test]
fn games_made_of_bytes_come_back_from_every_format() {
    tried("round_trip", 10);
}

#[test]
fn all_ways_agree_on_databases_and_queries_made_of_bytes() {
    tried("agree", 30);
}

// ---- what was found ----

/// Tries one input that once broke a promise.
fn holds(name: &str, input: &[u8]) {
    (bodies::of(name).check)(input);
}

/// Tries a text that once came back otherwise than it was reported.
fn comes_back(text: &str) {
    holds("round_trip", &joined([(b't', text.as_bytes())]));
}

/// The same, from the format of this number among the targets of conversions.
fn comes_back_by_way_of(way: u8, text: &str) {
    holds(
        "round_trip",
        &joined([(b't', text.as_bytes()), (b'w', &[way])]),
    );
}

/// U+0004 is a diagram there, and U+E024 to U+E028 are pieces.
#[test]
fn characters_that_chessbase_takes_for_signs_are_reported_when_they_are_written() {
    for sign in ["\u{4}", "\u{e026}"] {
        let text = format!("1. e4 {{a{sign}b}} *");
        comes_back(&text);
    }
}

/// A zero byte in it became a space on its way through a database, and another letter in text.
#[test]
fn names_of_tags_are_written_to_text_without_characters_that_control() {
    for way in 0..7 {
        comes_back_by_way_of(way, "[A\0 \"b\"]\n\n1. e4 *");
    }
}

/// ChessBase keeps both by themselves, and tells the command first.
#[test]
fn a_command_behind_the_text_of_a_comment_comes_back_beside_it() {
    for comment in [
        "x [%csl Ge4]",
        "x[%csl Ge4]",
        "x [%eval 0.30] y [%csl Ge4] z",
        "x [% y [%csl Ge4] z",
        "x [%csl Ge4] y [%",
    ] {
        let text = format!("1. d4 d5 (1... e5 {{ {comment} }}) 2. c4 *");
        comes_back(&text);
    }
}

#[test]
fn zero_bytes_in_names_rounds_tags_and_comments_are_reported_when_they_are_replaced() {
    for text in [
        "[White \"a\0b\"]\n\n1. e4 *",
        "[Round \"a\0b\"]\n\n1. e4 *",
        "[Team \"a\0b\"]\n\n1. e4 *",
        "1. e4 {a\0b} *",
    ] {
        comes_back(text);
    }
}

#[test]
fn marks_that_are_medals_in_chessbase_are_reported_when_they_become_these() {
    comes_back("[ScidFlags \"NTU\"]\n\n1. e4 *");
}

#[test]
fn nags_before_a_variation_are_reported_when_they_are_dropped_beside_comments() {
    for nags in ["$2", "$2 $5"] {
        let text = format!("1. e4 {{a}} {{b}} ({nags} 1. e3 $1 (1. d4)) 1... e5 *");
        comes_back(&text);
    }
}

#[test]
fn a_second_tag_of_a_name_is_reported_where_there_is_a_field_for_one() {
    for text in [
        "[EventDate \"????.01.02\"]\n[EventDate \"1998.10.??\"]",
        "[EventDate \"1998.10.??\"]\n[EventDate \"1999.10.??\"]",
        "[Annotator \"a\"]\n[Annotator \"b\"]",
        "[ECO \"B90\"]\n[ECOSub \"B90/07\"]\n[ECOSub \"B90/08\"]",
        "[WhiteTeam \"a\"]\n[WhiteTeam \"a\"]",
    ] {
        let text = format!("{text}\n\n1. e4 *");
        comes_back(&text);
    }
}

#[test]
fn a_command_and_a_text_of_chessbase_become_one_comment_of_scid() {
    // By way of .cbh, which tells two comments.
    comes_back_by_way_of(3, "1. e4 {a[%csl Ge4]b} *");
}

/// Without the command in its middle what stands around it is one in its turn.
#[test]
fn a_command_inside_another_comes_back_beside_it() {
    comes_back("1. e4 {a [%eval 0 b [%emt 0:00:05] c] d} *");
}

/// ChessBase has no variations without moves, and so no glyphs of theirs either.
#[test]
fn a_variation_without_moves_is_reported_when_it_is_dropped_beside_nags() {
    for nags in ["", "$1", "$1 $2 $3"] {
        let text = format!("1. e4 e5 (1... d5 {nags} ()) *");
        comes_back(&text);
    }
}

/// It is a tag in Scid's format, and a rating in PGN as soon as there are blanks for zero bytes.
#[test]
fn a_rating_that_cannot_be_read_may_become_one_on_its_way() {
    for way in 0..7 {
        comes_back_by_way_of(way, "[BlackElo \"27\0\0\"]\n\n1. e4 *");
    }
}

/// Each of its lines was a comment of its own, and braces were put around these the next time.
#[test]
fn a_comment_of_several_lines_with_a_closing_brace_stays_one() {
    for comment in ["a\n\n{b}\nc\r\nd}", "a }\n[Event \"b\"]"] {
        let text = format!("1. e4 {{{comment}}} 1... e5 *");
        comes_back(&text);
    }
}

#[test]
fn every_body_is_tried() {
    let text = include_str!("fuzz.rs");
    for body in &ALL {
        assert!(
            text.contains(&format!("tried(\"{}\"", body.name)),
            "{}",
            body.name
        );
    }
}
