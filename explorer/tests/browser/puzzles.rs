//! Solving puzzles: what is asked, what is right, what is told and when.

use serde_json::json;

use crate::{
    look::picture,
    server::{fixture, written},
    tab::{Tab, with},
};

/// White finds two moves; of the second one Black mates in two ways.
const PUZZLES: &str = "[PuzzleId \"a1\"]\n[Rating \"1500\"]\n[Themes \"mateIn2 kingsideAttack\"]\n\
    [FEN \"6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 30\"]\n\n30... h6 31. Rd8+ Kh7 32. Rd7 *\n\n\
    [PuzzleId \"a2\"]\n[FEN \"3rr1k1/5ppp/8/8/8/N7/5PPP/6K1 w - - 0 1\"]\n\n1. Nb5 Rd1# *\n\n";

/// Runs a test on these puzzles, with one of them open.
fn on_puzzle(name: &str, path: &str, test: impl FnOnce(&mut Tab)) {
    let database = written(name, PUZZLES);
    with(vec![database.clone()], path, test);
    let _ = std::fs::remove_file(database);
}

/// Waits until what is told about the puzzle has a text.
#[track_caller]
fn told(tab: &Tab, text: &str) {
    tab.wait_for_text("#puzzle-told", text);
}

/// Waits until a man stands on a square and may move or not.
#[track_caller]
fn stands(tab: &Tab, square: &str, man: &str, may_move: bool) {
    let cell = format!("document.querySelector('[data-square={square}]')");
    tab.wait(&format!(
        "{cell}.ariaLabel.includes('{man}') \
         && {cell}.classList.contains('movable') === {may_move}"
    ));
}

const VISIBLE: &str = "[...document.querySelectorAll('#notation .ply')]\
    .filter((ply) => !ply.hidden).map((ply) => ply.textContent).join(' ')";

#[test]
fn a_puzzle_is_solved_by_moves_on_the_board() {
    on_puzzle("puzzle-mouse", "/?sort=number", |tab| {
        tab.click("#games-body a");
        told(tab, "White to move: find the best move.");
        tab.wait("location.search.includes('ply=1')");
        stands(tab, "d1", "white rook", true);
        assert_eq!(tab.square("h6"), "black pawn");
        assert_eq!(tab.value(VISIBLE), "30…h6");
        // Nothing that would give it away.
        let seen = "document.body.innerText";
        assert!(!tab.is(&format!("/mate in|kingside|1500/i.test({seen})")));
        // The other side's men stay where they are.
        tab.play("g8", "h8");
        assert_eq!(tab.square("g8"), "black king");
        tab.play("d1", "d7");
        told(tab, "Not this move. Try again.");
        told(tab, "1 wrong move so far.");
        stands(tab, "d1", "white rook", true);
        picture(tab, "puzzle.png");
        assert_eq!(tab.text("#puzzle-tally"), "0 solved, 1 not");
        tab.drag("d1", "d8");
        told(tab, "Right.");
        stands(tab, "h7", "black king", false);
        told(tab, "White to move: find the best move.");
        stands(tab, "d8", "white rook", true);
        assert_eq!(tab.value(VISIBLE), "30…h6 31.Rd8+ Kh7");
        tab.play("d8", "d7");
        told(tab, "Solved after 1 wrong move.");
        assert_eq!(
            tab.text("#puzzle-facts"),
            "Rating 1500 · Themes: mate in 2, kingside attack"
        );
        assert_eq!(tab.value(VISIBLE), "30…h6 31.Rd8+ Kh7 32.Rd7");
        picture(tab, "puzzle-solved.png");
        // The first result counts.
        assert_eq!(tab.text("#puzzle-tally"), "0 solved, 1 not");
        assert!(tab.is("document.querySelector('#game-annotate').checkVisibility()"));
    });
}

#[test]
fn the_side_that_solves_is_below_and_another_mate_is_right() {
    on_puzzle("puzzle-mate", "/?sort=number", |tab| {
        tab.click("#games-body tr:last-child a");
        told(tab, "Black to move: find the best move.");
        let upper = |square: &str| {
            format!("document.querySelector('.square').dataset.square === '{square}'")
        };
        tab.wait(&upper("h1"));
        assert_eq!(tab.square("b5"), "white knight");
        stands(tab, "e8", "black rook", true);
        tab.play("e8", "e1");
        told(tab, "Solved. This is mate too; the solution has Rd1#.");
        assert_eq!(tab.square("e1"), "black rook");
        assert_eq!(tab.text("#puzzle-tally"), "1 solved, 0 not");
        assert_eq!(tab.value(VISIBLE), "1.Nb5 Rd1#");
        // The board of the explorer stands as before.
        tab.click("#game-close");
        tab.wait(&upper("a8"));
        tab.wait("!document.querySelector('#puzzle').checkVisibility()");
    });
}

#[test]
fn a_hint_and_the_solution_of_a_puzzle_are_given_on_demand() {
    on_puzzle("puzzle-help", "/?game=00000001", |tab| {
        stands(tab, "d1", "white rook", true);
        tab.click("#puzzle-hint");
        told(tab, "Hint: the rook on d1.");
        assert_eq!(tab.text("#said"), "Hint: the rook on d1.");
        let ring = "(() => { const ring = document.querySelector('.arrows circle.ring'); \
            return ring && [ring.getAttribute('cx'), ring.getAttribute('cy')].join(); })()";
        assert_eq!(tab.value(ring), "3.5,7.5");
        tab.key("f");
        tab.wait(&format!("{ring} === '4.5,0.5'"));
        tab.key("f");
        tab.wait(&format!("{ring} === '3.5,7.5'"));
        // A hint costs nothing yet.
        assert_eq!(tab.text("#puzzle-tally"), "");
        tab.click("#solution");
        told(tab, "The solution is shown.");
        assert!(tab.is("!document.querySelector('.arrows circle.ring')"));
        assert_eq!(tab.text("#puzzle-tally"), "0 solved, 1 not");
        assert_eq!(tab.value(VISIBLE), "30…h6 31.Rd8+ Kh7 32.Rd7");
        // Moves are now those of any game: one that is not there begins a variation.
        stands(tab, "d1", "white rook", true);
        tab.play("d1", "d7");
        tab.wait("location.search.includes('game=mine')");
        tab.wait_for_text("#notation .variation", "Rd7");
    });
}

#[test]
fn stepping_to_a_hidden_move_of_a_puzzle_shows_it() {
    on_puzzle("puzzle-steps", "/?game=00000001", |tab| {
        stands(tab, "d1", "white rook", true);
        // The analysis board would show everything.
        tab.key("a");
        tab.key("ArrowLeft");
        tab.wait("location.search.includes('ply=0')");
        assert!(tab.is("!document.querySelector('.movable')"));
        assert_eq!(tab.text("#puzzle-tally"), "");
        tab.key("ArrowRight");
        tab.key("ArrowRight");
        tab.wait("location.search.includes('ply=2')");
        assert_eq!(tab.text("#puzzle-tally"), "0 solved, 1 not");
        tab.key("End");
        told(tab, "The solution is shown.");
    });
}

#[test]
fn puzzles_are_solved_by_keyboard_and_told_aloud() {
    on_puzzle("puzzle-keys", "/?game=00000001", |tab| {
        stands(tab, "d1", "white rook", true);
        tab.wait_for_text(
            "#said",
            "Black played h6. White to move: find the best move.",
        );
        let walk = |from: &str, steps: &[&str]| {
            tab.value(&format!(
                "document.activeElement.blur(), \
                 document.querySelector('[data-square={from}]').focus()"
            ));
            tab.key("Enter");
            for key in steps {
                tab.key(key);
            }
            tab.key("Enter");
        };
        walk("d1", &["ArrowUp", "ArrowUp"]);
        tab.wait_for_text("#said", "Not this move. Try again.");
        stands(tab, "d1", "white rook", true);
        walk("d1", &["ArrowUp"; 7]);
        tab.wait_for_text(
            "#said",
            "Right. Black played Kh7. White to move: find the best move.",
        );
        stands(tab, "d8", "white rook", true);
        walk("d8", &["ArrowDown"]);
        tab.wait_for_text("#said", "Solved after 1 wrong move.");
    });
}

#[test]
fn puzzles_are_solved_by_finger() {
    on_puzzle("puzzle-touch", "/", |tab| {
        tab.browser.ask(
            "Emulation.setTouchEmulationEnabled",
            json!({ "enabled": true }),
        );
        tab.size(390, 844);
        tab.open("/?game=00000001");
        stands(tab, "d1", "white rook", true);
        tab.touch("d1", "d8");
        told(tab, "White to move: find the best move.");
        stands(tab, "d8", "white rook", true);
        tab.touch("d8", "d8");
        tab.touch("d7", "d7");
        told(tab, "Solved.");
        assert_eq!(tab.text("#puzzle-tally"), "1 solved, 0 not");
        picture(tab, "puzzle-phone.png");
        let beyond = "document.documentElement.scrollWidth - innerWidth";
        assert_eq!(tab.number(beyond), 0.0);
    });
}

#[test]
fn the_next_puzzle_is_that_of_the_list_and_results_stay() {
    let database = fixture("shelf/puzzles.csv");
    with(vec![database], "/?sort=number", |tab| {
        tab.click("#games-body a");
        stands(tab, "d6", "white bishop", true);
        tab.play("d6", "e7");
        told(tab, "Solved.");
        assert_eq!(
            tab.text("#puzzle-facts"),
            "Rating 937 · Themes: mate, mate in 1, one move"
        );
        tab.click("#puzzle-next");
        tab.wait("location.search.includes('game=00000002')");
        told(tab, "White to move: find the best move.");
        stands(tab, "a3", "white bishop", true);
        tab.click("#solution");
        told(tab, "The solution is shown.");
        tab.key("n");
        tab.wait("location.search.includes('game=00000003')");
        told(tab, "White to move: find the best move.");
        assert_eq!(tab.text("#puzzle-tally"), "1 solved, 1 not");
        tab.open("/?game=00000003");
        told(tab, "White to move: find the best move.");
        assert_eq!(tab.text("#puzzle-tally"), "1 solved, 1 not");
    });
}

#[test]
fn a_try_that_no_server_judges_is_not_counted() {
    on_puzzle("puzzle-gone", "/?game=00000001", |tab| {
        stands(tab, "d1", "white rook", true);
        tab.expect("ERR_CONNECTION");
        tab.server.stop();
        tab.play("d1", "d7");
        told(tab, "The server does not answer.");
        assert_eq!(tab.square("d1"), "white rook");
        assert_eq!(tab.text("#puzzle-tally"), "");
    });
}

#[test]
fn a_puzzle_speaks_the_language_of_its_reader() {
    on_puzzle("puzzle-german", "/", |tab| {
        tab.value("localStorage.setItem('settings', JSON.stringify({ language: 'de' }))");
        tab.open("/?game=00000001");
        told(tab, "Weiß am Zug: Finde den besten Zug.");
        assert_eq!(tab.text("#solution"), "Lösung zeigen");
        stands(tab, "d1", "weißer Turm", true);
        tab.click("#puzzle-hint");
        told(tab, "Hinweis: Turm auf d1.");
        tab.play("d1", "d7");
        told(tab, "Bisher 1 falscher Zug.");
        assert_eq!(tab.text("#puzzle-tally"), "0 gelöst, 1 nicht");
    });
}
