use super::{super::testing::Dice, *};

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer::at(text.as_bytes(), 0);
    std::iter::from_fn(|| Some(lexer.next()).filter(|&token| token != Token::End)).collect()
}

fn tag<'a>(name: &'a str, value: &'a str) -> Token<'a> {
    Token::Tag {
        name: name.as_bytes(),
        value: value.as_bytes(),
    }
}

fn word(text: &str) -> Token<'_> {
    Token::Word(text.as_bytes())
}

fn comment(text: &str) -> Token<'_> {
    Token::Comment(text.as_bytes())
}

#[test]
fn movetext_falls_into_words() {
    assert_eq!(
        tokens("1.e4 e5$71 2. ... Nf3!? (2.-- $256 $) 12…O-O 0-0 0000 *"),
        [
            word("e4"),
            word("e5"),
            Token::Nag(71),
            word("Nf3"),
            Token::Nag(5),
            Token::Open,
            word("--"),
            Token::Nag(0),
            Token::Nag(0),
            Token::Close,
            word("O-O"),
            word("0-0"),
            word("0000"),
            Token::Result(GameResult::Unknown),
        ]
    );
    let nags = [1, 2, 3, 4, 5, 6].map(Token::Nag);
    assert_eq!(tokens("! ? !! ?? !? ?!"), nags);
}

#[test]
fn a_move_holds_nothing_that_ends_words() {
    let ends = |&byte: &u8| DELIMITERS[usize::from(byte)];
    for end in (0..=255).filter(ends) {
        for word in ["Qh5+", "Qah5", "Qxh5", "Qa1h5", "exd5"] {
            let word = word.as_bytes();
            for at in 1..word.len() {
                for rest in [&word[at..], &word[at + 1..]] {
                    let text = [b"e4 ", &word[..at], &[end], rest, b" Nf3 Nf6"].concat();
                    let mut lexer = Lexer::at(&text, 0);
                    assert_eq!(lexer.next(), Token::Word(b"e4"));
                    lexer.next_move();
                    let found = lexer.text_of(lexer.latest());
                    let told = String::from_utf8_lossy(found);
                    assert!(!found.iter().any(ends), "{told:?}");
                }
            }
        }
    }
}

#[test]
fn results_are_read_in_every_spelling() {
    for (text, result) in [
        ("1-0", GameResult::WhiteWins),
        ("0–1", GameResult::BlackWins),
        ("1/2-1/2", GameResult::Draw),
        ("1/2", GameResult::Draw),
        ("½–½", GameResult::Draw),
        ("0.5-0.5", GameResult::Draw),
        ("0,5 : 0,5", GameResult::Draw),
        ("*", GameResult::Unknown),
    ] {
        assert_eq!(tokens(text), [Token::Result(result)], "{text}");
    }
    assert_eq!(tokens("0-0-0"), [word("0-0-0")]);
    assert_eq!(tokens("1-0-x"), [word("-0-x")]);
}

#[test]
fn tags_may_share_a_line_and_hold_escapes_and_quotes() {
    assert_eq!(
        tokens("\u{feff}[A \"1\"][B \"x\\\"y\\\\\"] [C \"the \"Old\" Cup\"]\r\n[D \"\"] e4"),
        [
            tag("A", "1"),
            tag("B", "x\\\"y\\\\"),
            tag("C", "the \"Old\" Cup"),
            tag("D", ""),
            word("e4"),
        ]
    );
    assert_eq!(
        tokens("[A \"1\n [B \"C:\\\"]\r\n[C value]\n[D]"),
        [
            tag("A", "1"),
            tag("B", "C:\\"),
            tag("C", "value"),
            tag("D", "")
        ]
    );
}

#[test]
fn comments_may_hold_tags_brackets_and_lines() {
    assert_eq!(
        tokens("{[%clk 1]\n[Event \"x\"]} e4 ; to the [end] {\r\n{a { b } c} {a { b} d4 {}"),
        [
            comment("[%clk 1]\n[Event \"x\"]"),
            word("e4"),
            comment(" to the [end] {"),
            comment("a { b } c"),
            comment("a { b"),
            word("d4"),
            comment(""),
        ]
    );
}

#[test]
fn an_unclosed_comment_ends_where_a_game_starts() {
    assert_eq!(
        tokens("{ lost\n\n[Event \"x\"]"),
        [Token::UnclosedComment, tag("Event", "x")]
    );
    assert_eq!(tokens("{ lost"), [Token::UnclosedComment]);
    for (text, next) in [
        ("{ lost\r\n \r\n[White \"x\"] {y}", tag("White", "x")),
        ("{ {lost} [\n\n[A\t\"x\"][B \"y\"] {z}", tag("A", "x")),
    ] {
        let text = text.replace("} [", "[");
        assert_eq!(tokens(&text)[..2], [Token::UnclosedComment, next], "{text}");
    }
}

#[test]
fn a_comment_that_is_closed_may_hold_the_start_of_a_game() {
    for text in [
        "as in\n\n[Event \"x\"]\n[White \"y\"]\n\n1. e4 *",
        "{ as in\n\n[Event \"x\"] } 1. e4 ",
        "{\n\n[%clk 1]\n\n[x]\n\n[Event x]\n\n [Event \"x\"] {",
    ] {
        let game = format!("{{{text}}} e4 {{e}}");
        assert_eq!(tokens(&game), [comment(text), word("e4"), comment("e")]);
    }
}

#[test]
fn percent_hides_a_line_in_its_first_column_only() {
    assert_eq!(
        tokens("%{\n[A \"1\"]\n%[B \"2\"]\ne4 %x"),
        [tag("A", "1"), word("e4"), word("%x")]
    );
}

#[test]
fn plain_tags_are_read_as_all_tags() {
    const PIECES: &[&str] = &[
        "[", "A", "Name", "_9", " ", "  ", "\"", "]", "\\", "\n", "\r\n", "\t", "é", "-", "{",
        " \"", "\"]",
    ];
    let mut dice = Dice(18);
    let mut plain = 0;
    for _ in 0..200_000 {
        let mut text = String::from("[");
        for _ in 0..dice.below(9) {
            text += *dice.pick::<&str>(PIECES);
        }
        let mut lexer = Lexer::at(text.as_bytes(), 0);
        let mut slow = lexer.clone();
        if let Some(tag) = lexer.plain_tag() {
            assert_eq!((tag, lexer.latest()), (slow.tag(), slow.latest()), "{text}");
            plain += 1;
        }
    }
    assert!(plain > 100, "{plain}");
}

#[test]
fn plain_tags_in_the_next_line_are_read_as_all_tags() {
    const PIECES: &[&str] = &[
        "A",
        "Name",
        "_9",
        " \"",
        "\"]",
        "\"",
        "]",
        "\\",
        "\n",
        "\t",
        "é",
        "\u{7f}",
        "value",
        "a long value",
        "[B \"c\"]",
        "%",
    ];
    const LINES: &[&str] = &[
        "\n[",
        "\n[Name \"",
        "\r\n[A \"",
        "\n\n[A \"",
        " [A \"",
        "\n%[",
    ];
    let mut dice = Dice(19);
    let mut plain = 0;
    for _ in 0..200_000 {
        let mut text = String::from("[First \"1\"]");
        text += *dice.pick::<&str>(LINES);
        for _ in 0..dice.below(7) {
            text += *dice.pick::<&str>(PIECES);
        }
        text += ["", "\n\n1. e4 e5 *"][dice.below(2)];
        let mut lexer = Lexer::at(text.as_bytes(), 0);
        lexer.next();
        let mut slow = lexer.clone();
        let Some((name, value)) = lexer.next_plain_tag() else {
            assert_eq!(lexer.latest(), slow.latest(), "{text}");
            continue;
        };
        assert_eq!(slow.next(), Token::Tag { name, value }, "{text}");
        assert_eq!(lexer.latest(), slow.latest(), "{text}");
        assert!(value.is_ascii() && !value.contains(&b'\\'), "{text}");
        // What follows is read alike too.
        assert_eq!(lexer.next(), slow.next(), "{text}");
        plain += 1;
    }
    assert!(plain > 1000, "{plain}");
}
