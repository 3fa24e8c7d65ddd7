//! The engine beside the board.

use std::{path::Path, time::Duration};

use tabiya_explorer::PageOptions;

use crate::{
    look::picture,
    server::fixture,
    tab::{Tab, with_page},
};

fn with_engine(kind: &str, path: &str, test: impl FnOnce(&mut Tab)) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let engine = root.join("tests/engines").join(kind).with_extension("sh");
    let page = PageOptions {
        engine: Some(engine),
        engine_time: Duration::from_secs(1),
        ..PageOptions::default()
    };
    with_page(vec![fixture("famous.si4")], page, path, |tab| {
        tab.wait("document.querySelector('#engine')");
        test(tab);
    });
}

#[test]
fn an_engine_is_switched_on_and_its_best_move_is_shown_and_played() {
    with_engine("good", "/", |tab| {
        assert!(!tab.is("document.querySelector('#engine-body').checkVisibility()"));
        tab.click("#engine-switch");
        tab.wait_for_text("#engine-list", "e4");
        assert_eq!(tab.text("#engine-list .score"), "+0.35");
        assert_eq!(tab.text("#engine-list .rest"), "e5 2.Nf3");
        assert!(tab.text("#engine-told").contains("Depth 5"));
        assert_eq!(tab.text("#engine-name"), "Fake 1.0 <b>&");
        assert_eq!(tab.texts(".advice .shaft").len(), 1);
        picture(tab, "engine.png");
        tab.value(
            "(() => { const lines = document.querySelector('#engine-lines'); lines.value = 2; \
             lines.dispatchEvent(new Event('change')); })()",
        );
        tab.wait("document.querySelectorAll('#engine-list li').length === 2");
        tab.click("#engine-list .san");
        tab.wait_for_text("#line", "e4");
        // The next position, seen from White.
        tab.wait_for_text("#engine-list .best", "e5");
        assert!(tab.text("#engine-list .best").starts_with("1…"));
        assert_eq!(tab.text("#engine-list .score"), "−0.35");
        tab.wait("!document.querySelector('#engine-again').hidden");
        tab.click("#engine-again");
        tab.wait_for_text("#engine-told", "Depth 5");
        tab.click("#engine-switch");
        assert!(!tab.is("document.querySelector('#engine-body').checkVisibility()"));
        assert_eq!(tab.texts(".advice .shaft").len(), 0);
    });
}

#[test]
fn the_engine_follows_a_game_by_keyboard() {
    with_engine("good", "/?game=00000003&ply=0", |tab| {
        tab.key("e");
        tab.wait_for_text("#engine-list .best", "e4");
        assert!(tab.is("document.querySelector('#engine-switch').ariaChecked === 'true'"));
        tab.key("ArrowRight");
        tab.wait_for_text("#engine-list .best", "e5");
        tab.key("e");
        assert!(tab.is("document.querySelector('#engine-switch').ariaChecked === 'false'"));
    });
}

#[test]
fn the_engine_is_tapped_on_a_phone_and_fits() {
    with_engine("good", "/", |tab| {
        tab.size(360, 740);
        tab.open("/");
        tab.wait("document.querySelector('#engine')");
        tab.tap("#tabs [data-panel=engine]");
        tab.tap("#engine-switch");
        tab.wait_for_text("#engine-list", "e4");
        let beyond = "document.documentElement.scrollWidth - innerWidth";
        assert_eq!(tab.number(beyond), 0.0);
        picture(tab, "engine-phone.png");
    });
}

#[test]
fn an_engine_that_fails_is_told_and_the_page_goes_on() {
    for (kind, part) in [
        ("dies", "The engine has ended"),
        ("rubbish", "The engine named no move that can be played."),
        ("deaf", "The engine does not stop"),
    ] {
        with_engine(kind, "/", |tab| {
            tab.click("#engine-switch");
            tab.wait_for_text("#engine-told", part);
            assert!(!tab.is("document.querySelector('#engine-again').hidden"));
            tab.play("e2", "e4");
            tab.wait_for_text("#line", "e4");
        });
    }
}

#[test]
fn where_the_game_is_over_the_engine_is_not_asked() {
    with_engine("good", "/?play=f2f3,e7e5,g2g4,d8h4", |tab| {
        tab.click("#engine-switch");
        tab.wait_for_text("#engine-told", "The game is over here.");
    });
}
