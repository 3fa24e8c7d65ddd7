use super::*;

fn told(list: List, item: &str) -> String {
    let mut pgn = Vec::new();
    list.tell(item.as_bytes(), Telling::All, &mut pgn).unwrap();
    String::from_utf8(pgn).unwrap()
}

fn items(list: List, text: &str) -> Vec<&str> {
    let (mut items, mut at) = (Vec::new(), 0);
    while let Some(item) = list.next_item(text.as_bytes(), at) {
        assert!(item.end > at, "{item:?}");
        at = item.end;
        items.push(&text[item]);
    }
    items
}

#[test]
fn a_puzzle_is_told_with_its_columns_as_tags() {
    let row = "0x1,k7/8/8/8/8/8/1p4PP/4K2R w K - 3 30,e1g1 b2b1q h2h4,1500,80,-7,12,\
               short \"odd,u/1#59,Some_Opening";
    assert_eq!(
        told(List::Puzzles, row),
        "[Event \"Lichess puzzle\"]\n[FEN \"k7/8/8/8/8/8/1p4PP/4K2R w K - 3 30\"]\n\
         [PuzzleId \"0x1\"]\n[Rating \"1500\"]\n[RatingDeviation \"80\"]\n[Popularity \"-7\"]\n\
         [NbPlays \"12\"]\n[Themes \"short \\\"odd\"]\n[GameUrl \"u/1#59\"]\n\
         [OpeningTags \"Some_Opening\"]\n\nO-O b1=Q h4 *"
    );
}

#[test]
fn moves_of_puzzles_become_those_of_standard_notation() {
    let moves = |fen: &str, moves: &str| {
        let pgn = told(List::Puzzles, &format!("x,{fen},{moves}"));
        let text = pgn.split("\n\n").nth(1).unwrap();
        text.strip_suffix(" *").unwrap().to_owned()
    };
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    assert_eq!(moves(castling, "e1c1 e8h8 d1d7"), "O-O-O O-O Rd1d7");
    let rook = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    assert_eq!(moves(rook, "e1a1 e8f7 d1d7"), "O-O-O Ke8f7 Rd1d7");
    let en_passant = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2";
    assert_eq!(moves(en_passant, "e5d6 e8d7 e1d1"), "exd6 Ke8d7 Ke1d1");
    // The square of the pawn that was taken is empty.
    assert_eq!(
        moves(en_passant, "e5d6 e8e7 d6d7 e7d7"),
        "exd6 Ke8e7 d7 Ke7xd7"
    );
    let promotion = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1";
    assert_eq!(moves(promotion, "a7b8n e8e7 b8c6"), "axb8=N Ke8e7 Nb8c6");
    // What is no move becomes a word that none can be, and is refused when the game is played.
    assert_eq!(
        moves(promotion, "e2e4 1/2 {a [b a7a8["),
        "ye2e4 y1y2 yya yyb ya7a8y"
    );
}

#[test]
fn rows_of_puzzles_are_found_between_titles_and_empty_lines() {
    let text = "\u{feff}PuzzleId,FEN,Moves\r\na,b,c\r\n\r\n  d,e,f  \nPuzzleId,x\ng";
    assert_eq!(items(List::Puzzles, text), ["a,b,c", "d,e,f", "g"]);
    let mut pgn = Vec::new();
    assert_eq!(
        List::Puzzles.tell(b"a,b", Telling::All, &mut pgn),
        Err(flaws::TOO_FEW_COLUMNS)
    );
}

#[test]
fn operations_of_epd_become_tags() {
    let line = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4 e3; id \"Ending; no. 1\"; c0 \"say \"\"hm\"\"\"; \
                hmvc 7; fmvn 42; draw_offer; acd 12";
    assert_eq!(
        told(List::Positions, line),
        "[Event \"Ending; no. 1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 7 42\"]\n[bm \"e4 e3\"]\n\
         [id \"Ending; no. 1\"]\n[c0 \"\\\"say \\\"\\\"hm\\\"\\\"\\\"\"]\n\
         [draw_offer \"-\"]\n[acd \"12\"]\n\n*"
    );
}

#[test]
fn lines_of_fen_are_positions_with_what_follows_as_comment() {
    let told = |line| told(List::Positions, line);
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 3 9";
    assert_eq!(told(fen), format!("[FEN \"{fen}\"]\n\n*"));
    let line = format!("{fen};0.25 {{ok}}");
    assert_eq!(told(&line), format!("[FEN \"{fen}\"]\n\n{{0.25 (ok)}} *"));
    // Fields that are missing say nothing.
    let board = "4k3/8/8/8/8/8/4P3/4K3";
    assert_eq!(told(board), format!("[FEN \"{board} w - - 0 1\"]\n\n*"));
    let short = format!("{board} b -");
    assert_eq!(told(&short), format!("[FEN \"{short} - 0 1\"]\n\n*"));
    assert_eq!(items(List::Positions, "# list\n a\n\n#b\nc"), ["a", "c"]);
}

#[test]
fn objects_are_found_in_lines_archives_and_arrays() {
    let list = |text| items(List::Json, text);
    assert_eq!(
        list("{\"a\":\"}\"}\n{\"b\":{}}\n"),
        ["{\"a\":\"}\"}", "{\"b\":{}}"]
    );
    assert_eq!(
        list(r#"{ "games" : [ {"a":1}, {"b":"\"}{"} ] }"#),
        [r#"{"a":1}"#, r#"{"b":"\"}{"}"#]
    );
    assert_eq!(list(r#"[{"a":1},{"b":2}]"#), [r#"{"a":1}"#, r#"{"b":2}"#]);
    let one = "{\n  \"a\": {\n  }\n}\n";
    assert_eq!(list(one), [one.trim_end()]);
    assert_eq!(list("no object"), [""; 0]);
}

#[test]
fn damage_to_an_object_costs_only_its_game() {
    let list = |text| items(List::Json, text);
    // A quote, a bracket and an end of a line are lost.
    assert_eq!(
        list("{\"a\":1}\n{\"b:2}\n{\"c\":3}"),
        ["{\"a\":1}", "{\"b:2}", "{\"c\":3}"]
    );
    assert_eq!(list("{\"a\":1\n{\"b\":2}"), ["{\"a\":1", "{\"b\":2}"]);
    let archive = r#"{"games":[{"url":"1","x":"},{"url":"2"},{"url":"3"}]}"#;
    assert_eq!(
        list(archive),
        [r#"{"url":"1","x":"},"#, r#"{"url":"2"}"#, r#"{"url":"3"}"#]
    );
    let long = format!("{{{}\n{{\"b\":2}}", "[".repeat(LIST_ITEM_BYTES_MAX + 10));
    assert_eq!(items(List::Json, &long).last(), Some(&"{\"b\":2}"));
}

#[test]
fn a_game_of_lichess_is_told_with_all_that_is_known() {
    let object = r#"{"id":"abcdefgh","rated":true,"variant":"standard","speed":"blitz",
        "perf":"blitz","createdAt":1767822085422,"status":"outoftime","players":{
        "white":{"user":{"name":"Ann","title":"GM"},"rating":2500,"ratingDiff":4},
        "black":{"aiLevel":3,"ratingDiff":-4}},"winner":"white","opening":{"eco":"C20",
        "name":"King's Pawn Game"},"clock":{"initial":180,"increment":2},"moves":"e4 e5 Qh5",
        "clocks":[18003,17999,360000],"analysis":[{"eval":30},{"eval":-5,"best":"c7c5",
        "variation":"c5 Nf3","judgment":{"name":"Mistake","comment":"Mistake. c5 {was} best."}},
        {"mate":-2}]}"#;
    assert_eq!(
        told(List::Json, object),
        "[Event \"rated blitz game\"]\n[Site \"https://lichess.org/abcdefgh\"]\n\
         [Date \"2026.01.07\"]\n[UTCDate \"2026.01.07\"]\n[UTCTime \"21:41:25\"]\n\
         [Result \"1-0\"]\n\
         [White \"Ann\"]\n[WhiteElo \"2500\"]\n[WhiteRatingDiff \"+4\"]\n[WhiteTitle \"GM\"]\n\
         [Black \"lichess AI level 3\"]\n[BlackRatingDiff \"-4\"]\n[Variant \"standard\"]\n\
         [TimeControl \"180+2\"]\n[ECO \"C20\"]\n[Opening \"King's Pawn Game\"]\n\
         [Termination \"Time forfeit\"]\n\ne4 {[%eval 0.30] [%clk 0:03:00.03]} e5 $2 \
         {[%eval -0.05] [%clk 0:02:59.99] Mistake. c5 (was) best.} (c5 Nf3) \
         Qh5 {[%eval #-2] [%clk 1:00:00]} 1-0"
    );
}

#[test]
fn dates_of_lichess_follow_the_calendar() {
    let date = |milliseconds: i64| {
        let object = format!("{{\"players\":{{}},\"createdAt\":{milliseconds}}}");
        let pgn = told(List::Json, &object);
        let line = pgn.lines().find(|line| line.starts_with("[Date"));
        line.map(|line| line[7..line.len() - 2].to_owned())
    };
    const DAY: i64 = 86_400_000;
    assert_eq!(date(0).as_deref(), Some("1970.01.01"));
    assert_eq!(date(DAY - 1).as_deref(), Some("1970.01.01"));
    assert_eq!(date(-1).as_deref(), Some("1969.12.31"));
    assert_eq!(date(951_782_400_000).as_deref(), Some("2000.02.29"));
    assert_eq!(date(951_782_400_000 + DAY).as_deref(), Some("2000.03.01"));
    assert_eq!(date(1_709_164_800_000).as_deref(), Some("2024.02.29"));
    assert_eq!(date(i64::MAX), None);
    assert_eq!(date(i64::MIN), None);
}

#[test]
fn a_game_of_chess_com_is_its_pgn_with_what_is_beside_it() {
    let object = r#"{"url":"x","pgn":"[White \"A\"]\n\n1. e4 {[%clk 0:09:59.9]} *\n",
        "accuracies":{"white":91.5,"black":80}}"#;
    assert_eq!(
        told(List::Json, object),
        "[WhiteAccuracy \"91.5\"]\n[BlackAccuracy \"80\"]\n[White \"A\"]\n\n\
         1. e4 {[%clk 0:09:59.9]} *"
    );
    let told = |object: &str| List::Json.tell(object.as_bytes(), Telling::All, &mut Vec::new());
    assert_eq!(told("{\"url\":\"x\"}"), Err(flaws::OBJECT_WITHOUT_GAME));
    assert_eq!(told("{\"pgn\":"), Err(flaws::JSON_UNREADABLE));
    assert_eq!(told(&"[".repeat(100_000)), Err(flaws::JSON_UNREADABLE));
}

#[test]
fn files_of_other_kinds_are_told_from_lists() {
    for (list, text, flaw) in [
        (List::Puzzles, "name,score\nAnn,3\n", flaws::NO_PUZZLES),
        (List::Positions, "hello\nworld\n", flaws::NO_POSITIONS),
        (List::Json, "{\"name\":\"package\"}\n", flaws::NO_GAMES),
        (List::Json, "[{\"a\":1},{\"b\":2}] ", flaws::NO_GAMES),
    ] {
        assert_eq!(list.refusal(text.as_bytes()), Some(flaw), "{text}");
    }
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 3 9";
    for (list, text) in [
        (List::Puzzles, String::new()),
        (
            List::Puzzles,
            format!("PuzzleId,FEN,Moves\ndamaged\nx,{fen},e2e4\n"),
        ),
        (List::Positions, format!("damaged\n{fen}\n")),
        (List::Json, "{\"players\":{}}\n{\"x\"".to_owned()),
    ] {
        assert_eq!(list.refusal(text.as_bytes()), None, "{text}");
    }
}
