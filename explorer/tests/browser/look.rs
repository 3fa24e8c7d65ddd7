//! What the page looks like: on screens of all kinds, in both themes.

use std::{env, fs, path::PathBuf};

use data_encoding::BASE64;
use serde_json::json;

use crate::{
    server::fixture,
    tab::{Tab, on, with},
};

#[test]
fn nothing_reaches_beyond_the_side_of_any_screen_in_either_theme() {
    let databases = vec![fixture("famous.si4"), fixture("famous.pgn")];
    with(databases, "/", |tab| {
        for theme in ["light", "dark"] {
            tab.prefer(&[("prefers-color-scheme", theme)]);
            for width in [360, 768, 1024, 1280] {
                tab.size(width, 740);
                for path in [
                    "/?play=e2e4,c7c5",
                    "/?game=00000003&ply=5",
                    "/?q=white:nobody",
                ] {
                    tab.open(path);
                    tab.value(
                        "document.querySelectorAll('details').forEach(part => part.open = true)",
                    );
                    let beyond = "document.documentElement.scrollWidth - innerWidth";
                    assert_eq!(tab.number(beyond), 0.0, "{path} at {width}");
                    let narrowest = "Math.min(...[...document.querySelectorAll('#board, .card')]\
                        .map(part => part.getBoundingClientRect().width).filter(Boolean))";
                    let narrowest = tab.number(narrowest);
                    assert!(narrowest >= 290.0, "{path} at {width}: {narrowest}");
                }
            }
        }
    });
}

#[test]
fn a_phone_has_the_whole_board_and_controls_that_fingers_hit() {
    on("/", |tab| {
        tab.size(360, 740);
        tab.open("/");
        let side = "document.querySelector('#board').getBoundingClientRect().width";
        assert!(tab.number(side) >= 330.0, "{}", tab.number(side));
        tab.panel("filter");
        let low = "Math.min(...[...document.querySelectorAll('.controls button, .chip')]\
                   .map(button => button.getBoundingClientRect().height))";
        assert!(tab.number(low) >= 36.0, "{}", tab.number(low));
    });
}

#[test]
fn a_game_opens_with_the_board_in_sight() {
    on("/", |tab| {
        for (width, height) in [(390, 844), (360, 640), (768, 1024), (1280, 900)] {
            tab.size(width, height);
            tab.open("/?sort=number");
            tab.panel("games");
            tab.click("#games-body tr:last-child a");
            tab.wait("document.querySelector('#notation .ply')");
            tab.settle();
            let sides = "(() => { const { top, bottom } = \
                         document.querySelector('#board').getBoundingClientRect(); \
                         return [top, bottom]; })()";
            let board = tab.value(sides);
            let (top, bottom) = (board[0].as_f64(), board[1].as_f64());
            assert!(top >= Some(0.0), "{width}: {board}");
            assert!(bottom <= Some(f64::from(height)), "{width}: {board}");
            // Who goes back is where the game was chosen.
            let list = "document.querySelector('#games-body tr:last-child')\
                        .getBoundingClientRect()";
            tab.value("history.back()");
            tab.wait("document.querySelector('#game').hidden");
            tab.settle();
            tab.wait(&format!("{list}.top < innerHeight && {list}.bottom > 0"));
        }
    });
}

#[test]
fn the_page_ends_with_its_last_line() {
    on("/?play=e2e4", |tab| {
        for width in [360, 390, 768, 1280] {
            tab.size(width, 740);
            for path in ["/?play=e2e4", "/?game=00000003", "/?q=white:nobody"] {
                tab.open(path);
                let below = "document.documentElement.scrollHeight - Math.max(innerHeight, \
                    scrollY + document.querySelector('footer').getBoundingClientRect().bottom)";
                let below = tab.number(below);
                assert!(below < 2.0, "{path} at {width}: {below} pixels of nothing");
            }
        }
    });
}

#[test]
fn the_theme_is_the_systems_until_one_is_chosen_and_that_is_remembered() {
    on("/", |tab| {
        let paper = |tab: &Tab| tab.value("getComputedStyle(document.body).backgroundColor");
        tab.prefer(&[("prefers-color-scheme", "light")]);
        let light = paper(tab);
        tab.prefer(&[("prefers-color-scheme", "dark")]);
        let dark = paper(tab);
        assert_ne!(light, dark);
        tab.click("#theme");
        assert_eq!(paper(tab), light);
        tab.open("/?play=e2e4");
        assert_eq!(paper(tab), light);
        assert_eq!(
            tab.value("document.querySelector('#theme').ariaLabel"),
            "Use dark colours"
        );
    });
}

/// Writes a picture of what is seen into the folder that `TABIYA_SCREENSHOTS` names, if it does.
pub(crate) fn picture(tab: &Tab, name: &str) {
    tab.settle();
    picture_of_report(tab, name);
}

/// The same of a page that has no board.
pub(crate) fn picture_of_report(tab: &Tab, name: &str) {
    let Some(folder) = env::var_os("TABIYA_SCREENSHOTS") else {
        return;
    };
    let picture = tab
        .browser
        .ask("Page.captureScreenshot", json!({ "format": "png" }));
    let bytes = picture["data"].as_str().expect("a picture").as_bytes();
    let bytes = BASE64.decode(bytes).expect("a picture");
    fs::write(PathBuf::from(folder).join(name), bytes).expect("a file");
}

/// Sizes of windows by their names.
const WINDOWS: [(&str, u32, u32); 4] = [
    ("phone", 390, 844),
    ("tablet", 1024, 768),
    ("desktop", 1440, 900),
    ("wide", 1920, 1080),
];

#[test]
fn all_views_can_be_pictured() {
    with(vec![fixture("famous.si4")], "/", |tab| {
        for (name, width, height) in WINDOWS {
            tab.size(width, height);
            for (theme, path) in [
                ("light", "/?play=e2e4,c7c5"),
                ("dark", "/?q=white:morphy&game=00000003&ply=12"),
            ] {
                tab.prefer(&[("prefers-color-scheme", theme)]);
                tab.open(path);
                assert_eq!(tab.texts(".square").len(), 64);
                assert!(tab.is("[...document.images].every(image => image.naturalWidth > 0)"));
                picture(tab, &format!("{name}-{theme}.png"));
            }
        }
    });
}
