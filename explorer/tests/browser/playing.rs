//! Moves on the board and through games.

use crate::tab::{Tab, on};

fn sans(tab: &Tab) -> Vec<String> {
    tab.texts("#moves-body .san")
}

#[test]
fn playing_e4_c5_changes_the_table_the_games_and_the_address() {
    on("/", |tab| {
        assert!(sans(tab).contains(&"e4".to_owned()));
        let all = tab.text("#moves-foot .games");
        tab.play("e2", "e4");
        tab.wait_for_text("#line", "e4");
        tab.settle();
        assert!(sans(tab).contains(&"e5".to_owned()), "{:?}", sans(tab));
        tab.play("c7", "c5");
        tab.wait_for_text("#line", "c5");
        tab.settle();
        assert!(sans(tab).contains(&"Nf3".to_owned()), "{:?}", sans(tab));
        assert_ne!(tab.text("#moves-foot .games"), all);
        assert_eq!(tab.address(), "/?play=e2e4,c7c5");
        let games = tab.text("#moves-foot .games");
        assert_eq!(tab.text("#games-count"), format!("{games} games"));
        assert_eq!(tab.square("e4"), "white pawn");
        assert_eq!(tab.square("e2"), "empty");
        assert_eq!(tab.texts(".square.last").len(), 2);
        assert_eq!(tab.text("#said"), "Black played c5");
        assert_eq!(tab.text("#opening"), "Sicilian Defense");
        let names = tab.texts("#moves-body .opening");
        assert!(
            names
                .iter()
                .all(|name| name.starts_with("Sicilian Defense")),
            "{names:?}"
        );
        assert!(!names.is_empty());
    });
}

#[test]
fn a_click_in_the_table_plays_the_move_and_pointing_at_it_draws_an_arrow() {
    on("/", |tab| {
        tab.point_at("#moves-body .san");
        tab.wait("document.querySelectorAll('.arrows path').length === 2");
        let first = sans(tab)[0].clone();
        tab.click("#moves-body .san");
        tab.wait_for_text("#line", &first);
        // Another row is under the pointer now.
        tab.point_at("#status");
        tab.wait("!document.querySelector('.arrows path')");
    });
}

#[test]
fn men_are_dragged_by_mouse_and_only_where_they_may_go() {
    on("/", |tab| {
        tab.drag("g1", "g3");
        assert_eq!(tab.square("g1"), "white knight");
        tab.drag("g1", "f3");
        tab.wait_for_text("#line", "Nf3");
        assert_eq!(tab.square("f3"), "white knight");
        assert!(!tab.is("document.querySelector('.dragged')"));
    });
}

#[test]
fn men_are_moved_by_taps_and_by_dragging_fingers() {
    on("/", |tab| {
        tab.size(360, 740);
        tab.touch("e2", "e2");
        tab.wait("document.querySelectorAll('.target').length === 2");
        tab.touch("e4", "e4");
        tab.wait_for_text("#line", "e4");
        tab.touch("g8", "f6");
        tab.wait_for_text("#line", "Nf6");
        assert_eq!(tab.address(), "/?play=e2e4,g8f6");
    });
}

#[test]
fn the_board_is_played_by_keyboard_alone() {
    on("/", |tab| {
        let on_board = "document.activeElement.dataset.square === 'e2'";
        for _ in 0..40 {
            if tab.is(on_board) {
                break;
            }
            tab.key("Tab");
        }
        assert!(tab.is(on_board), "Tab reaches the board");
        tab.key("Enter");
        assert_eq!(tab.square("e4"), "empty, can go here");
        tab.key("ArrowUp");
        tab.key("ArrowUp");
        tab.key(" ");
        tab.wait_for_text("#line", "e4");
        assert_eq!(tab.text("#said"), "White played e4");
        for key in ["ArrowRight", "ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp"] {
            tab.key(key);
        }
        tab.wait("document.activeElement.dataset.square === 'g7'");
        tab.key("Enter");
        tab.wait("document.querySelectorAll('.target').length === 2");
        tab.key("Escape");
        assert_eq!(tab.texts(".target").len(), 0);
        tab.settle();
        // The same keys mean steps as soon as the board does not have them.
        tab.value("document.activeElement.blur()");
        tab.key("ArrowLeft");
        tab.wait("location.search === ''");
        tab.key("End");
        tab.wait("location.search === '?play=e2e4'");
        tab.key("f");
        tab.wait("document.querySelector('.square').dataset.square === 'h1'");
        tab.key("Home");
        tab.wait("location.search === '?flip=true'");
    });
}

#[test]
fn castling_and_en_passant_move_all_the_men_that_they_move() {
    on("/?fen=4k3/8/8/8/5p2/8/4P3/4K2R_w_K", |tab| {
        tab.play("e1", "g1");
        tab.wait_for_text("#line", "O-O");
        assert_eq!(tab.square("f1"), "white rook");
        assert_eq!(tab.square("h1"), "empty");
        tab.open("/?fen=4k3/8/8/8/5p2/8/4P3/4K2R_w_K&play=e2e4");
        tab.drag("f4", "e3");
        tab.wait_for_text("#line", "fxe3");
        assert_eq!(tab.square("e4"), "empty");
        // In Chess960 the king goes to the rook that it castles with.
        tab.open("/?fen=1k4r1/8/8/8/8/8/8/R4KR1_w_AG");
        tab.play("f1", "a1");
        tab.wait_for_text("#line", "O-O-O");
        assert_eq!(tab.square("c1"), "white king");
        assert_eq!(tab.square("d1"), "white rook");
    });
}

#[test]
fn a_pawn_becomes_what_is_chosen() {
    on("/?fen=8/P6k/8/8/8/8/8/K7_w_-_-_0_1", |tab| {
        tab.play("a7", "a8");
        tab.wait("document.querySelector('#promotion[open]')");
        let names = "[...document.querySelectorAll('#promotion button')].map(b => b.ariaLabel)";
        let names = tab.value(names);
        assert_eq!(
            names,
            serde_json::json!(["queen", "rook", "bishop", "knight"])
        );
        tab.key("Escape");
        tab.wait("!document.querySelector('#promotion[open]')");
        assert_eq!(tab.square("a7"), "white pawn");
        tab.play("a7", "a8");
        tab.click("#promotion [aria-label=knight]");
        tab.wait_for_text("#line", "a8=N");
        assert_eq!(tab.square("a8"), "white knight");
    });
}

#[test]
fn check_mate_and_stalemate_are_told() {
    on("/?play=f2f3,e7e5,g2g4,d8h4", |tab| {
        assert_eq!(tab.text("#status"), "Checkmate. Black wins.");
        let check = tab.value("document.querySelector('.check').dataset.square");
        assert_eq!(check, "e1");
        tab.open("/?fen=7k/5Q2/6K1/8/8/8/8/8_b");
        assert_eq!(tab.text("#status"), "Stalemate: a draw.");
    });
}

#[test]
fn a_pasted_fen_is_set_up_and_a_wrong_one_is_told() {
    on("/", |tab| {
        tab.expect("400");
        tab.write("#fen", "nonsense");
        tab.key("Enter");
        tab.wait("document.querySelector('#fen-fault').textContent");
        assert_eq!(tab.square("e2"), "white pawn");
        tab.write("#fen", "8/8/8/4k3/8/8/4R3/4K3 w - - 0 1");
        tab.key("Enter");
        tab.wait_for_text("#fen-fault", "the side to move could take the king");
        tab.write("#fen", "8/8/8/4k3/8/8/4R3/4K3 b - - 0 1");
        tab.key("Enter");
        tab.wait("document.querySelector('[data-square=e5]').ariaLabel.includes('king')");
        assert_eq!(tab.text("#fen-fault"), "");
        tab.wait_for_text("#status", "Black to move, in check");
        tab.click("#start");
        tab.wait("document.querySelector('[data-square=e2]').ariaLabel === 'e2, white pawn'");
        assert_eq!(tab.address(), "/");
    });
}

#[test]
fn moves_are_stepped_through_as_fast_as_keys_are_pressed() {
    on("/?play=e2e4,e7e5,g1f3", |tab| {
        tab.key("Home");
        for _ in 0..3 {
            tab.key("ArrowRight");
        }
        tab.wait("location.search === '?play=e2e4,e7e5,g1f3'");
        for _ in 0..2 {
            tab.key("ArrowLeft");
        }
        tab.wait("location.search === '?play=e2e4'");
        tab.settle();
        assert_eq!(tab.square("e4"), "white pawn");
        assert_eq!(tab.square("e7"), "black pawn");
    });
}

#[test]
fn moves_taken_back_can_be_played_again() {
    on("/?play=e2e4,e7e5,g1f3", |tab| {
        tab.click("#first");
        tab.wait("location.search === ''");
        tab.wait("document.querySelectorAll('#line .ahead').length === 3");
        tab.click("#on");
        tab.wait("location.search === '?play=e2e4'");
        tab.click("#last");
        tab.wait("location.search === '?play=e2e4,e7e5,g1f3'");
        tab.value("history.back()");
        tab.wait("location.search === '?play=e2e4'");
        tab.wait("document.querySelector('[data-square=e5]').ariaLabel === 'e5, empty'");
        tab.wait("document.querySelectorAll('#line .ahead').length === 2");
    });
}

#[test]
fn a_game_opens_where_it_matched_is_stepped_through_and_left_by_back() {
    on("/?play=e2e4,e7e5,g1f3,d7d6&q=white:morphy", |tab| {
        tab.click("#games-body a");
        tab.wait_for_text("#notation", "Rd8#");
        tab.wait("document.querySelector('#notation [aria-current]')?.textContent.includes('d6')");
        assert!(tab.address().contains("ply=4"), "{}", tab.address());
        assert_eq!(tab.square("d6"), "black pawn");
        tab.key("ArrowRight");
        tab.wait("location.search.includes('ply=5')");
        tab.wait("document.querySelector('[data-square=d4]').ariaLabel === 'd4, white pawn'");
        tab.key("End");
        tab.wait("document.querySelector('[data-square=d8]').ariaLabel === 'd8, white rook'");
        tab.wait("document.querySelector('.square.check')?.dataset.square === 'e8'");
        tab.key("Home");
        tab.wait("document.querySelector('[data-square=e2]').ariaLabel === 'e2, white pawn'");
        tab.value("history.back()");
        tab.wait("document.querySelector('#game').hidden");
        assert_eq!(tab.address(), "/?play=e2e4,e7e5,g1f3,d7d6&q=white:morphy");
        tab.settle();
        assert_eq!(tab.square("d6"), "black pawn");
    });
}

#[test]
fn variations_comments_and_marks_are_read_and_walked_into() {
    on("/?game=00000003", |tab| {
        tab.wait_for_text("#notation", "Rd8#");
        let text = tab.text("#notation");
        for part in [
            "3.d4 Bg4?!",
            "4…dxe5",
            "simply wins a pawn.",
            "16.Qb8+!!",
            "holds for now.",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let deepest = "#notation .variation .variation .variation";
        assert!(tab.text(deepest).contains("8.O-O"), "{}", tab.text(deepest));
        assert!(tab.text("#game-title").contains("Morphy, Paul"));
        tab.click(&format!("{deepest} .ply"));
        tab.wait("document.querySelector('[data-square=g1]').ariaLabel === 'g1, white king'");
        let address = tab.address();
        tab.open(&address);
        tab.wait("document.querySelector('#notation [aria-current]')?.textContent.includes('O-O')");
        tab.wait("document.querySelector('[data-square=g1]').ariaLabel === 'g1, white king'");
        tab.key("ArrowLeft");
        tab.wait_for_text("#notation [aria-current]", "Nxf6");
        tab.click("#explore");
        tab.wait("document.querySelector('#game').hidden && location.search.includes('play=e2e4')");
    });
}

#[test]
fn the_next_game_of_the_list_is_one_step_away() {
    on("/?sort=number", |tab| {
        tab.click("#games-body a");
        tab.wait_for_text("#notation", "Be7#");
        tab.settle();
        assert!(tab.is("document.querySelector('#game-before').disabled"));
        tab.click("#game-after");
        tab.wait_for_text("#game-title", "Dufresne");
        tab.wait_for_text("#games-body tr.open", "Dufresne");
        let link = tab.value("document.querySelector('#game-pgn').getAttribute('href')");
        let pgn = tab.value(&format!("fetch({link}).then(answer => answer.text())"));
        assert!(pgn.as_str().expect("text").contains("Dufresne"));
        tab.wait("document.querySelector('.movable')");
        tab.play("e2", "e4");
        tab.wait("location.search.includes('ply=1')");
    });
}
