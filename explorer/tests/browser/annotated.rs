//! Games with marks, and with comments that programs wrote for programs.

use serde_json::{Value, json};

use crate::{
    server::written,
    tab::{Tab, on, with},
};

const GAME: &str = "[White \"Arrow\"]\n[Black \"Clock\"]\n[Result \"1-0\"]\n\n\
    { [%csl Gd4] A beginning. } 1. e4 { [%eval 0.24] [%clk 0:03:00] } e5 $1 \
    { [%clk 0:02:58.5] Good. [%cal Ge5d4,Rd8h4,nonsense][%csl Yd4] } 2. Nf3 $142 $14 \
    (2. f4 { [%eval #-3] [%emt 0:00:05] [%draw arrow,f4,e5,red] }) 2... Nc6 $139 $99 \
    { [%foo <b>bar</b>] [%eval -1.3,20] [%clk soon] } 3. Bb5 $155 1-0\n";

/// Runs a test on the game above.
fn on_the_game(name: &str, test: impl FnOnce(&mut Tab)) {
    let database = written(name, GAME);
    with(vec![database.clone()], "/?game=00000001", test);
    let _ = std::fs::remove_file(database);
}

/// Counts what is drawn on the board.
fn drawn(tab: &Tab, selector: &str) -> usize {
    tab.texts(&format!(".arrows {selector}")).len()
}

#[test]
fn clocks_and_evaluations_stand_beside_moves_and_no_command_is_shown() {
    on_the_game("annotated-clocks", |tab| {
        tab.wait_for_text("#notation", "Bb5");
        let text = tab.text("#notation");
        for raw in ["[%", "]", "foo", "soon", "nonsense", "$142", "$14", "$139"] {
            assert!(!text.contains(raw), "{raw}: {text}");
        }
        let beside = tab.texts("#notation .aside");
        let expected = [
            "+0.24",
            "3:00",
            "2:58.5",
            "better is",
            "#−3",
            "0:05",
            "Black: poorly placed queen",
            "−1.3",
            "$155",
        ];
        assert_eq!(beside, expected);
        assert_eq!(
            tab.value("document.querySelectorAll('#notation .aside')[1].title"),
            "time left"
        );
        assert_eq!(tab.texts("#notation .comment"), ["A beginning. ", "Good. "]);
        // A clock does not interrupt the line: Black's move needs no number.
        assert_eq!(
            tab.texts("#notation .main > .ply"),
            ["1.e4", "e5!", "2.Nf3 +/=", "2…Nc6 ⊕", "3.Bb5"]
        );
    });
}

#[test]
fn evaluations_and_clocks_are_drawn_and_lead_to_their_moves() {
    on_the_game("annotated-curves", |tab| {
        tab.wait_for_text("#notation", "Bb5");
        let captions = tab.texts("#game-curves figcaption");
        assert!(
            captions[0].trim() == "Evaluation" && captions[1].starts_with("Clocks"),
            "{captions:?}"
        );
        assert_eq!(captions.len(), 2);
        // The evaluation after the first move and the fourth: two lines of one point each.
        let path = tab.value("document.querySelector('#game-curves .score').getAttribute('d')");
        assert_eq!(path.as_str().unwrap().matches('M').count(), 2, "{path}");
        assert_eq!(tab.texts("#game-curves path.clock").len(), 2);
        tab.click("#game-curves svg");
        tab.wait("new URLSearchParams(location.search).get('ply') > 0");
        let marked = "document.querySelector('#game-curves .now').getAttribute('x1') > 4";
        tab.wait(marked);
    });
    on("/?game=00000001", |tab| {
        tab.wait("document.querySelectorAll('#notation .ply').length > 0");
        assert!(tab.texts("#game-curves *").is_empty());
    });
}

#[test]
fn arrows_and_squares_of_comments_are_drawn_on_the_board() {
    on_the_game("annotated-arrows", |tab| {
        tab.wait("document.querySelectorAll('.arrows .ring').length === 1");
        let place = "(() => { const ring = document.querySelector('.arrows .ring'); \
                     return [ring.getAttribute('cx'), ring.getAttribute('cy')]; })()";
        assert_eq!(tab.value(place), json!(["3.5", "4.5"]));
        assert_eq!(drawn(tab, ".ring[data-color=G]"), 1);
        tab.key("f");
        tab.wait("document.querySelector('.arrows .ring').getAttribute('cx') === '4.5'");
        assert_eq!(tab.value(place), json!(["4.5", "3.5"]));
        tab.key("ArrowRight");
        tab.wait("location.search.includes('ply=1')");
        tab.wait("document.querySelectorAll('.arrows .ring').length === 0");
        tab.key("ArrowRight");
        tab.wait("document.querySelectorAll('.arrows .ring[data-color=Y]').length === 1");
        let paths = ["G", "R"].map(|color| drawn(tab, &format!("path[data-color={color}]")));
        assert_eq!((paths, drawn(tab, "path")), ([2, 2], 4));
        assert!(
            tab.text("#notation")
                .contains("arrow e5 to d4, arrow d8 to h4, square d4")
        );
        // They are still there when the rules have been asked, and in variations.
        tab.wait("document.querySelector('.movable')");
        assert_eq!(drawn(tab, "path"), 4);
        tab.click("#notation .variation .ply");
        tab.wait("document.querySelectorAll('.arrows path[data-color=R]').length === 2");
        tab.click("#game-close");
        tab.wait("document.querySelector('#game').hidden");
        tab.settle();
        assert_eq!(drawn(tab, ":is(path, circle)"), 0);
    });
}

#[test]
fn every_mark_has_a_sign_that_fonts_have_or_words() {
    on_the_game("annotated-marks", |tab| {
        let marks = tab.value(
            r##"import("/page/nags.js").then(({ meaning, sign }) => {
                 const canvas = document.createElement("canvas");
                 const paper = canvas.getContext("2d", { willReadFrequently: true });
                 const style = getComputedStyle(document.querySelector("#notation .ply"));
                 paper.font = `40px ${style.fontFamily}`;
                 paper.textBaseline = "top";
                 const look = (letter) => {
                   paper.clearRect(0, 0, 80, 80);
                   paper.fillText(letter, 0, 0);
                   return paper.getImageData(0, 0, 80, 80).data.join();
                 };
                 // No font has a letter that does not exist.
                 const absent = look("\u0378");
                 const isThere = (text) => [...text].every((letter) => look(letter) !== absent);
                 return Array.from({ length: 256 }, (_, nag) => nag)
                   .map((nag) => [sign(nag), meaning(nag), isThere(sign(nag))]);
               })"##,
        );
        let marks = marks.as_array().expect("marks");
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        for (nag, mark) in marks.iter().enumerate() {
            let (sign, meaning) = (text(&mark[0]), text(&mark[1]));
            assert_eq!(mark[2], true, "${nag}: no glyph for {sign}");
            // The standard goes up to 139; some of the others mean nothing to anybody.
            assert!(nag > 154 || !meaning.starts_with('$'), "{meaning}");
            assert_eq!(meaning.is_empty(), nag == 0, "${nag}");
        }
        for (nag, sign, meaning) in [
            (14, "+/=", "White: slightly better"),
            (19, "−+", "Black: winning"),
            (66, "", "White: weak first rank"),
            (105, "", "Black: good coordination"),
            (106, "", "White: very poor opening"),
            (129, "", "Black: very good ending"),
            (138, "⊕", "White: severe time pressure"),
            (142, "", "better is"),
        ] {
            let (told, said) = (text(&marks[nag][0]), text(&marks[nag][1]));
            assert_eq!((&*told, &*said), (sign, meaning), "${nag}");
        }
    });
}

#[test]
fn the_solution_of_a_puzzle_is_hidden_until_it_is_asked_for() {
    let puzzle = "[PuzzleId \"a1\"]\n[FEN \"6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 30\"]\n\n\
        30... h6 31. Rd8+ Kh7 32. Rd7 *\n";
    let database = written("annotated-puzzle", puzzle);
    let visible = "[...document.querySelectorAll('#notation .ply')]\
        .filter((ply) => !ply.hidden).map((ply) => ply.textContent).join(' ')";
    // Where it matched a question is not told either.
    with(vec![database.clone()], "/?game=00000001&ply=3", |tab| {
        tab.wait_for_text("#notation", "30…h6");
        tab.wait("new URLSearchParams(location.search).get('ply') === '1'");
        assert_eq!(tab.value(visible), "30…h6");
        // The next move is asked for by going to it.
        tab.key("ArrowRight");
        tab.wait("new URLSearchParams(location.search).get('ply') === '2'");
        assert_eq!(tab.value(visible), "30…h6 31.Rd8+");
        tab.click("#solution");
        assert_eq!(tab.value(visible), "30…h6 31.Rd8+ Kh7 32.Rd7");
        assert!(tab.is("document.querySelector('#solution').hidden"));
    });
    let _ = std::fs::remove_file(database);
}
