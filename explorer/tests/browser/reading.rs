//! Reading a game: what is in sight, what the keys do, and games that are damaged or not there.

use serde_json::json;

use crate::{
    server::{fixture, written},
    tab::{Tab, on, with},
};

/// Of the first game two moves can be read, of the second one none.
const HURT: &str = "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 {good} e5 2. Ke3 Nf6 1-0\n\n\
    [White \"B\"]\n[Event \"Cup\"]\n[Result \"1/2-1/2\"]\n\n1. Ke3 Nf6 1/2-1/2\n\n";

/// Waits until the first element that a selector finds lies within the window.
fn wait_in_sight(tab: &Tab, selector: &str) {
    tab.wait(&format!(
        "(() => {{ const box = document.querySelector({selector:?})?.getBoundingClientRect(); \
         return box && box.height && box.top >= 0 && box.bottom <= innerHeight; }})()"
    ));
}

#[test]
fn a_game_of_a_scrolled_list_opens_in_sight() {
    on("/", |tab| {
        for (width, height) in [(1280, 900), (1280, 640), (900, 700)] {
            tab.size(width, height);
            tab.open("/?sort=number");
            tab.panel("games");
            tab.click("#games-body tr:last-child a");
            tab.wait("document.querySelector('#notation .ply')");
            tab.settle();
            wait_in_sight(tab, "#game-title");
            wait_in_sight(tab, "#board");
            // And once more, when the page has it already.
            tab.value("history.back()");
            tab.wait("document.querySelector('#game').hidden");
            tab.settle();
            tab.click("#games-body tr:last-child a");
            tab.wait("!document.querySelector('#game').hidden");
            tab.settle();
            wait_in_sight(tab, "#game-title");
            // Who leafs through the list stays there.
            tab.key("ArrowRight");
            tab.wait("location.search.includes('ply=')");
            tab.panel("games");
            tab.click("#page-on");
            tab.wait("location.search.includes('page=2')");
            tab.settle();
            wait_in_sight(tab, "#page-number");
        }
    });
}

#[test]
fn the_current_move_is_in_sight_at_every_step() {
    on("/?game=00000003", |tab| {
        tab.size(1280, 520);
        tab.wait("document.querySelectorAll('#notation .ply').length > 30");
        let inside = "(() => { const sheet = document.querySelector('#notation') \
            .getBoundingClientRect(); const move = document \
            .querySelector('#notation [aria-current]')?.getBoundingClientRect(); \
            return move && move.top >= sheet.top && move.bottom <= sheet.bottom; })()";
        for key in ["End", "Home", "ArrowRight", "ArrowRight"] {
            tab.key(key);
        }
        tab.wait("location.search.includes('ply=2')");
        for _ in 0..12 {
            tab.key("ArrowRight");
            tab.settle();
            wait_in_sight(tab, "#notation [aria-current]");
            tab.wait(inside);
        }
        tab.key("End");
        tab.wait("document.querySelector('#notation [aria-current]').textContent.includes('Rd8')");
        wait_in_sight(tab, "#notation [aria-current]");
        tab.wait(inside);
        // On a phone the moves stand below the board.
        tab.size(390, 844);
        tab.open("/?game=00000003");
        tab.wait("document.querySelectorAll('#notation .ply').length > 30");
        tab.value("document.querySelector('#stand').scrollIntoView()");
        for _ in 0..12 {
            tab.key("ArrowRight");
            tab.settle();
            wait_in_sight(tab, "#notation [aria-current]");
            wait_in_sight(tab, "#board");
        }
        // The moves below the board of the explorer, which has room for some of them.
        tab.size(900, 900);
        tab.key("End");
        tab.click("#explore");
        tab.wait("document.querySelectorAll('#line .ply').length > 30");
        let within = "(() => { const box = document.querySelector('#line') \
            .getBoundingClientRect(); const move = document \
            .querySelector('#line [aria-current]').getBoundingClientRect(); \
            return move.top >= box.top - 1 && move.bottom <= box.bottom + 1; })()";
        tab.wait(within);
        for _ in 0..20 {
            tab.key("ArrowLeft");
        }
        tab.wait("document.querySelectorAll('#line .ahead').length === 20");
        tab.wait(within);
    });
}

#[test]
fn arrow_keys_step_after_a_move_by_mouse_on_the_board() {
    on("/", |tab| {
        tab.play("e2", "e4");
        tab.wait("location.search === '?play=e2e4'");
        tab.settle();
        assert!(tab.is("document.activeElement.matches('.square')"));
        tab.key("ArrowLeft");
        tab.wait("location.search === ''");
        tab.key("ArrowRight");
        tab.wait("location.search === '?play=e2e4'");
        // Turning the board is no way to walk over it.
        tab.key("f");
        tab.wait("location.search === '?play=e2e4&flip=true'");
        tab.key("ArrowLeft");
        tab.wait("location.search === '?flip=true'");
        // In a list of choices they step too, and choose nothing.
        tab.value("document.querySelector('#sort').focus()");
        tab.key("ArrowRight");
        tab.wait("location.search === '?play=e2e4&flip=true'");
        tab.key("ArrowLeft");
        tab.wait("location.search === '?flip=true'");
        // Who comes by keyboard walks, also where the mouse has been.
        tab.click("[data-square=e5]");
        tab.key("ArrowUp");
        let place = "document.activeElement.dataset.square";
        assert_eq!(tab.value(place), "e5");
        tab.key("b");
        let before = tab.value(place);
        tab.key("ArrowUp");
        assert_ne!(tab.value(place), before);
        assert_eq!(tab.address(), "/?flip=true");
    });
}

#[test]
fn a_number_without_a_game_is_told_plainly() {
    on("/", |tab| {
        for id in ["99999999", "0000001s", "nonsense"] {
            tab.expect("40");
            tab.open(&format!("/?game={id}"));
            tab.wait_for_text("#game-title", "There is no such game");
            assert_eq!(
                tab.text("#game-damage"),
                format!("No open database has a game {id}.")
            );
            assert!(tab.is("document.querySelector('#trouble').hidden"));
            let dead = "[...document.querySelectorAll('#game :is(button, a, summary)')]\
                        .filter(one => one.checkVisibility()).map(one => one.id)";
            assert_eq!(
                tab.value(dead),
                json!(["game-close", "game-before", "game-after"])
            );
            // The board is that of the explorer.
            tab.play("e2", "e4");
            tab.wait("location.search === '?play=e2e4'");
            tab.settle();
            assert!(tab.is("document.querySelector('#game').hidden"));
        }
    });
}

#[test]
fn a_damaged_game_shows_its_beginning_and_what_verify_says() {
    let database = written("reading-hurt", HURT);
    with(vec![database.clone()], "/?game=00000001", |tab| {
        tab.wait_for_text("#notation", "e5");
        assert!(
            tab.text("#game-damage").contains("illegal move Ke3"),
            "{}",
            tab.text("#game-damage")
        );
        assert!(tab.text("#game-damage").contains("“tabiya verify"));
        assert_eq!(tab.texts("#notation .ply"), ["1.e4", "1…e5"]);
        assert_eq!(
            tab.texts("#notation .comment"),
            ["good ", "The source is damaged here. "]
        );
        tab.click("#game-novelty");
        tab.wait("!document.querySelector('#novelty').hidden");
        tab.open("/?game=00000002");
        tab.wait_for_text("#game-damage", "illegal move Ke3");
        assert!(tab.text("#game-title").contains('B'));
        assert!(tab.text("#game-facts").contains("Cup"));
        assert!(tab.is("document.querySelector('#trouble').hidden"));
        // What can be saved is saved.
        let saved = tab
            .value("fetch(document.querySelector('#game-pgn').href).then(answer => answer.text())");
        assert!(
            saved.as_str().expect("PGN").contains("[White \"B\"]"),
            "{saved}"
        );
    });
    let _ = std::fs::remove_file(database);
}

#[test]
fn the_board_turns_when_the_player_asked_about_is_black() {
    let list = "/?q=player:greco&sort=number";
    on(list, |tab| {
        let players = tab.texts("#games-body .player.black .who");
        for black in [true, false] {
            let row = players
                .iter()
                .position(|name| name.contains("Greco") == black);
            let row = row.expect("a game of this side") + 1;
            tab.open(list);
            tab.click(&format!("#games-body tr:nth-child({row}) a"));
            tab.wait("document.querySelector('#notation .ply')");
            let first = if black { "h1" } else { "a8" };
            tab.wait(&format!(
                "document.querySelector('.square').dataset.square === '{first}'"
            ));
            tab.click("#game-close");
            tab.wait("document.querySelector('#game').hidden");
            tab.wait("document.querySelector('.square').dataset.square === 'a8'");
        }
    });
}

#[test]
fn results_are_badges_on_one_line() {
    on("/", |tab| {
        for width in [1280, 390, 360] {
            tab.size(width, 844);
            for path in ["/?q=result:1/2-1/2", "/?q=result:1/2-1/2&game=00000003"] {
                tab.open(path);
                let cut = "[...document.querySelectorAll('.outcome, .final')]\
                    .filter(one => one.checkVisibility()).filter(one => { \
                        const range = document.createRange(); range.selectNodeContents(one); \
                        return range.getClientRects().length !== 1 \
                            || one.scrollWidth > one.closest('td, h2, div').clientWidth; \
                    }).map(one => one.textContent)";
                assert_eq!(tab.value(cut), json!([]), "{path} at {width}");
            }
        }
        assert!(!tab.texts("#game-title .outcome.white").is_empty());
        assert!(!tab.texts("#games-body .outcome.draws").is_empty());
    });
}

#[test]
fn the_keys_dialog_has_every_key_of_the_page() {
    on("/", |tab| {
        tab.key("?");
        tab.wait("document.querySelector('#help').open");
        let keys = tab.texts("#help kbd");
        for key in [
            "M", "N", "P", "V", "A", "F", "B", "L", "E", "/", "Home", "End",
        ] {
            assert!(keys.iter().any(|known| known == key), "{key}: {keys:?}");
        }
        assert!(tab.text("#help").contains("marks the game"));
    });
}

#[test]
fn names_of_controls_have_what_is_seen_and_a_heading_is_first() {
    on("/", |tab| {
        for path in ["/?play=e2e4", "/?game=00000003&ply=5"] {
            tab.open(path);
            tab.click("#open-editor");
            tab.wait("document.querySelectorAll('#edit-board [role=gridcell]').length === 64");
            // Whole words, as those who speak to the page say them.
            let other = r"[...document.querySelectorAll(
                    ':is(a, button, summary, [role=gridcell])[aria-label]')]
                .map((one) => [one.innerText, one.ariaLabel].map((text) =>
                    text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim()))
                .filter(([seen, name]) => seen && !` ${name} `.includes(` ${seen} `))";
            assert_eq!(tab.value(other), json!([]), "{path}");
            let heads = "[...document.querySelectorAll('h1, h2, h3')].map(head => head.tagName)";
            assert_eq!(tab.value(&format!("{heads}[0]")), "H1");
            assert_eq!(tab.number("document.querySelectorAll('h1').length"), 1.0);
        }
    });
}

#[test]
fn a_click_on_a_move_of_a_game_asks_for_no_search() {
    let databases = vec![fixture("famous.si4"), fixture("famous.pgn")];
    with(databases, "/?q=player:morphy&game=00000003", |tab| {
        tab.wait("document.querySelectorAll('#notation .ply').length > 30");
        tab.settle();
        tab.value("performance.clearResourceTimings()");
        for at in [5, 9, 3] {
            // The board shows the move before the next frame is drawn, whatever else is asked.
            let shown = format!(
                "(async () => {{ const before = document.querySelector('#fen').value; \
                 document.querySelectorAll('#notation .main > .ply')[{at}].click(); \
                 await new Promise(requestAnimationFrame); \
                 return document.querySelector('#fen').value !== before; }})()"
            );
            assert_eq!(tab.value(&shown), true, "{at}");
            tab.settle();
        }
        let asked = "performance.getEntriesByType('resource').map(({ name }) => name) \
                     .filter(name => /search|tree|stats|games|novelties/.test(name))";
        assert_eq!(tab.value(asked), json!([]));
    });
}
