//! Words about moves, and brackets in groups.

use super::*;

#[test]
fn moves_are_kept_as_typed() {
    for san in ["Bxh7+", "O-O-O", "?x?7", "e8=Q#", "0-0", "Nf3!?", "--"] {
        let text = format!("san:{san}");
        assert_eq!(test(&text), PositionTest::San(san.into()));
        same(&text, &format!("san=\"{san}\""));
    }
    for played in [
        "Bxh7+",
        "O-O-O",
        "?x?7",
        "e8=Q#",
        "0-0",
        "Nf3!",
        "--",
        "e.p.",
        "dxe6 e.p.+",
    ] {
        assert_eq!(
            test(&format!("played:\"{played}\"")),
            PositionTest::Played(played.into())
        );
    }
}

#[test]
fn brackets_in_groups_bind_as_in_queries() {
    same("at(check or mate Q=1)", "at((check) or (mate and Q=1))");
    same("at((check or mate) or Q=1)", "at(check or mate or Q=1)");
    same("at((check mate) Q=1)", "at(check mate Q=1)");
    same("at(not not check)", "check");
    same(
        "at(check or mate flip for:2)",
        "at(flip check for:2 or mate)",
    );
    assert_ne!(parsed("at(not (check mate))"), parsed("at(not check mate)"));
    let printed = parsed("at((check or -(mate (Q=1 or R=1))) B=2 mirror)").to_string();
    assert_eq!(printed, "at((check or not (mate (Q=1 or R=1))) B=2 mirror)");
}

#[test]
fn moves_without_a_field_are_the_position_after_them() {
    same("1.d4 Nf6", "after:\"1. d4 Nf6\"");
    same("1. d4 result:1-0", "after:\"1.d4\" result:1-0");
    same("not 1.d4 or check", "(not after:\"1.d4!\") or check");
    same("\"1.e4 e5 2.Nf3 $1\"", "1.e4 e5 2.Nf3");
    same("(1.e4 e5) check", "after:\"1.e4 e5\" check");
    same("at(1.e4 e5 stm:white)", "at(after:\"1.e4 e5\" stm:white)");
    for plain in ["1.", "1.e5", "\"1.e4 e6 e4\"", "1-0", "\"e4\""] {
        let plain = parsed(plain);
        assert!(
            matches!(plain, Query::Header(HeaderClause::Plain(_))),
            "{plain:?}"
        );
    }
}

#[test]
fn counts_are_kept_in_their_simplest_form() {
    assert!(matches!(test("Q:1..2"), PositionTest::Count(..)));
    assert!(matches!(test("diff>=-2"), PositionTest::Measure(..)));
    for sum in [
        "K=1",
        "A>=3",
        "P-p:2..3",
        "R@7>=2",
        "P>=p+2",
        "men-p>20",
        "b@light+b@dark>=2",
    ] {
        assert!(matches!(test(sum), PositionTest::Sum(_)), "{sum}");
        assert_eq!(parsed(sum).to_string(), sum);
    }
    same("P@d-e=0", "at(P@d-e=0)");
    assert_ne!(parsed("P@a-b=0"), parsed("P@a-b@a-h=0"));
}

#[test]
fn regular_expressions_end_with_a_slash() {
    let regex = |text: &str| match header(text) {
        HeaderClause::Text(_, TextTest::Matches(regex)) => regex,
        other => panic!("{other:?}"),
    };
    assert_eq!(regex("event:/ch\\b/"), "ch\\b");
    assert_eq!(regex("event:/a b (c) \"d\" \\/e/ "), "a b (c) \"d\" /e");
    same("white:/a/black:/b/", "white:/a/ black:/b/");
    let text = TextTest::Equals("/a/".into());
    assert_eq!(
        header("event=/a/"),
        HeaderClause::Text(TextField::Event, text)
    );
}
