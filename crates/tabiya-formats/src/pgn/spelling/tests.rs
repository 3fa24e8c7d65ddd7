use super::{
    super::{GameText, Input, for_each_game},
    LANGUAGES,
};

/// Returns the moves of each game as they are written, or what is wrong with it.
fn games(text: &[u8]) -> Vec<String> {
    let input = Input::from_bytes(text.to_vec()).unwrap();
    let mut games = Vec::new();
    for_each_game(
        &input,
        |game| {
            let mut text = GameText::new(game.header());
            game.replay(&mut text)?;
            text.finish()
        },
        |_, made| {
            games.push(match made {
                Ok(text) => {
                    let moves = text.split("\n\n").nth(1).unwrap_or_default();
                    moves.split_whitespace().collect::<Vec<_>>().join(" ")
                }
                Err(error) => format!("{}", error.kind()),
            });
            Ok(())
        },
    )
    .unwrap();
    games
}

fn game(text: &str) -> String {
    let games = games(text.as_bytes());
    assert_eq!(games.len(), 1, "{text}: {games:?}");
    games.into_iter().next().unwrap()
}

const RUY: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 \
                   7. Bb3 d6 8. c3 O-O 9. Qe2 Qd7 10. Kf1 Kh8 1-0";

#[test]
fn pieces_have_the_letters_of_each_language() {
    for language in &LANGUAGES {
        let mut text = String::new();
        for letter in RUY.chars() {
            match "KQRBN".find(letter) {
                Some(at) => text += language.letters[at],
                None => text.push(letter),
            }
        }
        assert_eq!(game(&text), RUY, "{text}");
        // Also of the piece that a pawn becomes, and in a variation.
        let promotion =
            "[FEN \"7k/P7/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8=Q+ Kh7 (1... Kg7) 2. Kb1 *";
        let text = promotion.replace("=Q", &format!("={}", language.letters[1]));
        let text = text.replace(" K", &format!(" {}", language.letters[0]));
        if !language.letters.contains(&"K") {
            assert!(
                game(&text).starts_with("1. a8=Q+ Kh7 (1... Kg7) 2. Kb1"),
                "{text}"
            );
        }
    }
}

#[test]
fn english_letters_come_before_those_of_others() {
    // All of it is legal in English, so it is no French king or Dutch knight.
    let text = "[FEN \"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\"]\n\n1. Rd1 Kf8 2. Rd8+ *";
    assert_eq!(game(text), "1. Rd1 Kf8 2. Rd8+ *");
}

#[test]
fn a_game_legal_in_no_language_says_what_it_may_be() {
    assert_eq!(
        game("1. e4 e5 2. Sf3 Sc6 3. La8 *"),
        "illegal move Sf3 (German or a Scandinavian language?)"
    );
    assert_eq!(game("1. e4 e5 2. Xf3 *"), "illegal move Xf3");
    assert_eq!(game("1. e4 e5 2. Nf4 *"), "illegal move Nf4");
}

#[test]
fn moves_are_read_in_the_ways_people_write_them() {
    for text in [
        "1. e4 e5 2. nf3 nc6 3. bb5 a6 4. bxc6 dxc6 5. o-o qd6 1-0",
        "1. E4 E5 2. NF3 NC6 3. BB5 A6 4. BXC6 DXC6 5. 0-0 QD6 1-0",
        "1. ♙e4 ♟e5 2. ♘f3 ♞c6 3. ♗b5 a6 4. ♗×c6 d×c6 5. O–O ♛d6 1–0",
        "1. ♘\u{fe0e}f3 e5 2. Ng1 *",
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 d8d6 1-0",
        "e2-e4 e7-e5 Ng1-f3 b8-c6 f1-b5 a7-a6 b5xc6 d7xc6 e1-h1 d8-d6 1-0",
        "1.e4e5 2.Nf3Nc6 3.Bb5a6 4.Bxc6dxc6 5.O-O Qd6 1-0",
        "1: e4 e5 2: Nf3 Nc6 3: Bb5 a6 4: Bxc6 dxc6 5: O-O Qd6 1-0",
        "1) e4 e5 2) Nf3 Nc6 3) Bb5 a6 4) Bxc6 dxc6 5) O-O Qd6 1-0",
        "1. Pe4 e5, 2. Ng f3 Nb c6 3. Bb5 a6 4. Bx c6 d xc6 5. O-O Q d6 1-0",
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bc6: dc 5. О-О Qd6 1 - 0",
    ] {
        let expected = if text.contains("Ng1 ") {
            "1. Nf3 e5 2. Ng1 *"
        } else {
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O Qd6 1-0"
        };
        assert_eq!(game(text), expected, "{text}");
    }
    let mate = "1. e4 f5 2. exf5 g5 3. Qh5# 1-0";
    for end in [
        "Qh5 mate",
        "Qh5mate",
        "Qh5 #",
        "Qh5 check",
        "Qh5ch.",
        "Qh5†",
        "Qh5++",
    ] {
        assert_eq!(
            game(&format!("1. e4 f5 2. exf5 g5 3. {end} 1-0")),
            mate,
            "{end}"
        );
    }
}

#[test]
fn what_can_mean_two_moves_is_not_guessed() {
    let fen = "[FEN \"4k3/8/8/1p6/1P6/2B5/8/4K3 w - - 0 1\"]";
    // A pawn or a bishop.
    let fen_b = "[FEN \"4k3/8/2p5/1P1B4/8/8/8/4K3 w - - 0 1\"]";
    assert_eq!(
        game(&format!("{fen_b}\n\n1. BXC6+ *")),
        "illegal move BXC6+"
    );
    assert_eq!(game(&format!("{fen_b}\n\n1. bxc6 *")), "1. bxc6 *");
    assert_eq!(game(&format!("{fen}\n\n1. bd4 *")), "1. Bd4 *");
    // Two pawns can capture so.
    let pawns = "[FEN \"4k3/8/2p5/1P6/2p5/1P6/8/4K3 w - - 0 1\"]";
    assert_eq!(game(&format!("{pawns}\n\n1. bc *")), "illegal move bc");
}

#[test]
fn spaces_and_signs_of_the_world_are_read() {
    let spaces = "1.\u{a0}e4\u{2009}e5\u{200b}2.\u{feff}Nf3\u{3000}Nc6\u{202f}3.\u{2060}Bb5 a6 *";
    assert_eq!(game(spaces), "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *");
    assert_eq!(
        game(
            "1. e4± e5 ∓ 2. Nf3⩲ Nc6 ⩱ 3. Bb5∞ a6 = 4. Ba4□ Nf6‼ 5. O-O⁉ Be7 → \
             6. Re1 ↑ b5 ⇆ 7. Bb3 ⨀ d6 ⟳ N *"
        ),
        "1. e4 $16 e5 $17 2. Nf3 $14 Nc6 $15 3. Bb5 $13 a6 $10 4. Ba4 $7 Nf6 $3 5. O-O $5 Be7 $40 \
         6. Re1 $36 b5 $132 7. Bb3 $22 d6 $32 $146 *"
    );
    assert_eq!(game("1. e4 ☃ e5 ⬤ 2. Nf3☂ *"), "1. e4 e5 2. Nf3 *");
    assert_eq!(
        game("1. e4 +− e5 −+ 2. Nf3 +– *"),
        "1. e4 $18 e5 $19 2. Nf3 $18 *"
    );
    // Latin-1, Windows-1252, and the sign by which old systems end a text.
    let old = games(b"1.\xa0e4\xb1 e5 2. Nf3\x85 \xbd-\xbd\r\n\x1a");
    assert_eq!(old, ["1. e4 $16 e5 2. Nf3 1/2-1/2"]);
    assert_eq!(
        games(b"[White\xc2\xa0\"A\"]\n\n1. d4 1\x960"),
        ["1. d4 1-0"]
    );
}

#[test]
fn results_are_read_in_the_ways_people_write_them() {
    for (text, result) in [
        ("1:0", "1-0"),
        ("1 - 0", "1-0"),
        ("0 : 1", "0-1"),
        ("0‒1", "0-1"),
        ("1−0", "1-0"),
        ("½ - ½", "1/2-1/2"),
        ("1/2 – 1/2", "1/2-1/2"),
        ("½:½", "1/2-1/2"),
    ] {
        assert_eq!(
            game(&format!("1. d4 d5 {text}")),
            format!("1. d4 d5 {result}")
        );
        let tagged = format!("[Result \"{text}\"]\n\n1. d4 d5");
        assert_eq!(game(&tagged), format!("1. d4 d5 {result}"), "{text}");
    }
    for forfeit in [
        "[Result \"0-0\"]\n\n0-0",
        "[White \"A\"]\n\n0-0 *",
        "[Result \"0-0\"]\n\n1. e4 0-0",
    ] {
        let moves = game(forfeit);
        assert!(matches!(&*moves, "*" | "1. e4 *"), "{moves}");
    }
}

#[test]
fn text_around_games_is_no_game() {
    let mail = "From: a@b.example\nSubject: two games (more later)\n\
                Date: 12 Mar 1995\n\n(Hello.)\n\n\
                [White \"A\"]\n\n1. e4 e5 1-0\n\nAnd here is the second, with 1 comment:\n\n\
                [White \"B\"]\n\n1. d4 d5 0-1\n\n--\nRegards\n";
    assert_eq!(games(mail.as_bytes()), ["1. e4 e5 1-0", "1. d4 d5 0-1"]);
    let untagged = "Two games:\n\n1. e4 e5 1-0\n\nand\n\n1. d4 d5 *\n";
    assert_eq!(games(untagged.as_bytes()), ["1. e4 e5 1-0", "1. d4 d5 *"]);
    assert_eq!(games(b"Nothing at all.\n(Or so.)\n"), [""; 0]);
}

#[test]
fn games_without_tags_and_results_begin_at_move_one() {
    let text = "1. e4 e5 2. Nf3 *\n\n1. d4 d5\n2. c4 1-0\n\n1. c4 e5 2. Nc3\n\n1. g3 d5 2. Bg2\n";
    let expected = [
        "1. e4 e5 2. Nf3 *",
        "1. d4 d5 2. c4 1-0",
        "1. c4 e5 2. Nc3 *",
        "1. g3 d5 2. Bg2 *",
    ];
    assert_eq!(games(text.as_bytes()), expected);
    let crlf = text.replace('\n', "\r\n");
    assert_eq!(games(crlf.as_bytes()), expected);
    // One game with empty lines in it.
    let one = "1. e4 e5\n\n2. Nf3 Nc6\n\n{x}\n\n1... *";
    assert_eq!(games(one.as_bytes()).len(), 1);
}

#[test]
fn words_without_meaning_take_no_more_than_linear_time() {
    let long = "N".repeat(1 << 20);
    assert!(game(&format!("1. e4 {long} *")).starts_with("illegal move N"));
    // Each variation has a word that German would read.
    let many = "1. e4 e5 ".to_owned() + &"(1... Sf6) ".repeat(20_000) + "2. Nf3 *";
    assert!(game(&many).starts_with("illegal move Sf6"));
}
