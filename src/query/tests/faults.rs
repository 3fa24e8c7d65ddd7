//! Exact faults: a query, carets under the fault, the message.

use super::super::{Fault, Query};

const FAULTS: &str = include_str!("faults.txt");

fn described(fault: &Fault, text: &str) -> String {
    let meant = match &fault.suggestion {
        Some(meant) => format!("; did you mean `{meant}`?"),
        None => String::new(),
    };
    format!("{}\n{}{meant}", fault.caret(text), fault.message)
}

#[test]
fn faults_name_the_place_and_say_what_was_expected() {
    let mut count = 0;
    for expected in FAULTS.trim_end().split("\n\n") {
        let text = expected.lines().next().unwrap();
        let fault = text.parse::<Query>().expect_err(text);
        assert_eq!(described(&fault, text), expected);
        count += 1;
    }
    assert!(count >= 100);
}

#[test]
fn a_fault_in_a_later_line_is_drawn_there() {
    let text = "white:a\n  and elow:2500\n  and check";
    let fault = text.parse::<Query>().unwrap_err();
    assert_eq!(fault.caret(text), "  and elow:2500\n      ^^^^");
    assert_eq!(
        fault.to_string(),
        "at byte 14: there is no field `elow`; did you mean `elo`?"
    );
}

#[test]
fn a_fault_in_a_text_with_escapes_marks_all_of_it() {
    let text = r#"flag:"a\"b""#;
    let fault = text.parse::<Query>().unwrap_err();
    assert_eq!((fault.start, fault.end), (5, text.len()));
}
