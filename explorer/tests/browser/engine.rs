//! The engine beside the board.

use std::{path::Path, time::Duration};

use tabiya_explorer::PageOptions;

use crate::{
    look::picture,
    server::fixture,
    tab::{Tab, on, with_page},
};

fn with_engine(kind: &str, path: &str, test: impl FnOnce(&mut Tab)) {
    with_engines(&[kind], path, test);
}

fn with_engines(kinds: &[&str], path: &str, test: impl FnOnce(&mut Tab)) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let engine = |kind: &&str| root.join("tests/engines").join(kind).with_extension("sh");
    let page = PageOptions {
        engines: kinds.iter().map(engine).collect(),
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

/// Returns the selector of a move of the first line, counted from 0.
fn part(index: usize) -> String {
    match index {
        0 => "#engine-list .best .san".to_owned(),
        _ => format!("#engine-list .rest .move:nth-child({index}) .san"),
    }
}

/// Switches the engine on and waits until it names a move.
fn switch_on(tab: &Tab, best: &str) {
    tab.click("#engine-switch");
    tab.wait_for_text("#engine-list .best", best);
}

/// Returns the moves of the analysis board's game, as PGN has them.
fn moves(tab: &Tab) -> String {
    let pgn = tab.value("JSON.parse(localStorage.getItem('analysis'))?.pgn ?? ''");
    let pgn = pgn.as_str().expect("PGN");
    let moves = pgn.split_once("\n\n").map_or("", |(_, moves)| moves);
    moves.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Waits until the game of the analysis board has these moves.
#[track_caller]
fn wait_for_moves(tab: &Tab, wanted: &str) {
    tab.wait(&format!(
        "localStorage.getItem('analysis') && JSON.parse(localStorage.getItem('analysis')).pgn\
         .replace(/\\s+/g, ' ').includes({wanted:?})"
    ));
}

#[test]
fn a_line_of_the_engine_is_played_whole_by_one_click() {
    with_engine("long", "/", |tab| {
        switch_on(tab, "e4");
        assert_eq!(tab.texts("#engine-list .san").len(), 28);
        assert_eq!(
            tab.text("#engine-told"),
            "Depth 28/40 · 2.0 M nodes · 1.0 M/s · 2.0 s"
        );
        let height = "document.querySelector('#engine-list li').offsetHeight";
        let folded = tab.number(height);
        tab.click("#engine-list [aria-expanded]");
        assert!(tab.number(height) > folded, "the line is unfolded");
        // The position after it is seen first.
        tab.point_at(&part(8));
        tab.wait("!document.querySelector('#mini-board').hidden");
        let man = |x: u8, y: u8| {
            let at = format!("document.querySelector(`#mini-board image[x='{x}'][y='{y}']`)?");
            tab.value(&format!("{at}.getAttribute('href') ?? ''"))
        };
        assert_eq!(
            (man(6, 7), man(5, 7)),
            ("/pieces/wK.svg".into(), "/pieces/wR.svg".into())
        );
        assert_eq!((man(4, 7), man(7, 7)), ("".into(), "".into()));
        picture(tab, "engine-line.png");
        tab.point_at("#opening-form");
        tab.wait("document.querySelector('#mini-board').hidden");
        tab.click(&part(5));
        tab.wait("location.search === '?play=e2e4,e7e5,g1f3,b8c6,f1b5,a7a6'");
        tab.wait_for_text("#line", "a6");
        assert_eq!(tab.square("b5"), "white bishop");
        // One click, one step of the history.
        tab.value("history.back()");
        tab.wait("location.search === ''");
    });
}

#[test]
fn a_line_of_the_engine_is_walked_and_played_by_keys() {
    with_engine("long", "/", |tab| {
        switch_on(tab, "e4");
        tab.value("document.querySelector('#engine-lines').focus()");
        tab.key("Tab");
        assert!(tab.is(&format!("document.activeElement.matches('{}')", part(0))));
        for _ in 0..3 {
            tab.key("ArrowRight");
        }
        tab.wait("!document.querySelector('#mini-board').hidden");
        tab.key("ArrowLeft");
        assert_eq!(tab.value("document.activeElement.textContent"), "Nf3");
        tab.key("Enter");
        tab.wait("location.search === '?play=e2e4,e7e5,g1f3'");
        tab.wait("document.querySelector('#mini-board').hidden");
    });
}

#[test]
fn a_line_follows_the_open_game_or_begins_a_variation() {
    with_engine("long", "/?game=00000003&ply=0", |tab| {
        tab.wait("document.querySelector('#notation .ply')");
        switch_on(tab, "e4");
        // 1.e4 e5 2.Nf3 d6 was played.
        tab.click(&part(2));
        tab.wait_for_text("#notation [aria-current]", "Nf3");
        assert!(
            tab.address().starts_with("/?game=00000003"),
            "{}",
            tab.address()
        );
        tab.key("Home");
        tab.wait_for_text("#engine-list .best", "e4");
        tab.wait("!document.querySelector('#engine-body.old')");
        tab.click("#engine-list [aria-expanded]");
        tab.click(&part(7));
        tab.wait("location.search.startsWith('?game=mine')");
        tab.wait_for_text("#notation [aria-current]", "Nf6");
        wait_for_moves(tab, "(2... Nc6 3. Bb5 a6 4. Ba4 Nf6)");
        // All of it is one change.
        tab.click("#undo");
        tab.wait("!document.querySelector('#notation').textContent.includes('Ba4')");
    });
}

#[test]
fn a_key_puts_the_engines_line_into_the_game() {
    with_engine("good", "/", |tab| {
        tab.click("#analyse");
        tab.wait("!document.querySelector('#annotate').hidden");
        tab.settle();
        switch_on(tab, "e4");
        tab.wait_for_text("#engine-told", "Depth 5");
        tab.key("i");
        wait_for_moves(tab, "1. e4 { [%eval 0.35,5] } 1... e5 2. Nf3 *");
        // The place in the game is the same, and a line that is there is not put there again.
        assert_eq!(tab.square("e2"), "white pawn");
        tab.key("i");
        tab.wait_for_text("#said", "The line is in the game.");
        let two = "(() => { const lines = document.querySelector('#engine-lines'); \
                   lines.value = 2; lines.dispatchEvent(new Event('change')); })()";
        tab.value(two);
        tab.wait("document.querySelectorAll('#engine-list li').length === 2");
        tab.click("#engine-list li:nth-child(2) .does button");
        wait_for_moves(
            tab,
            "1. e4 { [%eval 0.35,5] } (1. d4 { [%eval -0.12,5] } 1... d5) 1... e5",
        );
        tab.wait_for_text("#notation", "−0.12");
        tab.click("#undo");
        wait_for_moves(tab, "1. e4 { [%eval 0.35,5] } 1... e5 2. Nf3 *");
    });
}

#[test]
fn a_line_opens_the_analysis_board_with_the_game_it_goes_into() {
    with_engine("long", "/?game=00000003&ply=0", |tab| {
        tab.wait("document.querySelector('#notation .ply')");
        switch_on(tab, "e4");
        tab.key("i");
        tab.wait("location.search.startsWith('?game=mine')");
        wait_for_moves(tab, "(2... Nc6 { [%eval -2.50,28] } 3. Bb5");
        assert_eq!(tab.square("e2"), "white pawn");
    });
}

#[test]
fn a_line_makes_a_game_of_what_is_explored_but_replaces_none() {
    with_engine("good", "/?play=d2d4", |tab| {
        switch_on(tab, "e5");
        assert_eq!(tab.texts("#engine-list .san"), ["e5", "Nf3"]);
    });
    with_engine("long", "/", |tab| {
        switch_on(tab, "e4");
        tab.key("i");
        tab.wait("location.search.startsWith('?game=mine')");
        wait_for_moves(tab, "1. e4 { [%eval -2.50,28] } 1... e5 2. Nf3");
        let kept = moves(tab);
        tab.click("#game-close");
        tab.wait("document.querySelector('#game').hidden");
        tab.settle();
        tab.key("i");
        tab.wait_for_text("#engine-note", "The analysis board has another game");
        assert_eq!(moves(tab), kept);
        assert_eq!(tab.address(), "/");
    });
}

/// White's share of the bar in per cent, and whether its part is below.
fn bar(tab: &Tab) -> (f64, bool) {
    let told = tab.value(
        "(() => { const bar = document.querySelector('#evaluation'); \
         const [all, white] = [bar, bar.querySelector('span')] \
         .map(part => part.getBoundingClientRect()); \
         return [100 * white.height / all.height, \
         Math.abs(white.bottom - all.bottom) < Math.abs(white.top - all.top)]; })()",
    );
    let share = told[0].as_f64().expect("a share");
    (share, told[1].as_bool().expect("a side"))
}

#[test]
fn the_bar_follows_the_evaluation_and_the_board() {
    with_engines(&["good", "long"], "/", |tab| {
        let is_shown = "document.querySelector('#evaluation')\
                        .checkVisibility({ visibilityProperty: true })";
        assert!(!tab.is(is_shown));
        switch_on(tab, "e4");
        tab.wait_for_text("#evaluation b", "0.4");
        tab.settle();
        let (share, is_below) = bar(tab);
        assert!((52.0..56.0).contains(&share) && is_below, "{share}");
        let label = "document.querySelector('#evaluation').getAttribute('aria-valuetext')";
        tab.wait(&format!("{label} === '+0.35'"));
        tab.key("f");
        tab.wait("document.querySelector('#evaluation.flipped')");
        let (share, is_below) = bar(tab);
        assert!((52.0..56.0).contains(&share) && !is_below, "{share}");
        tab.play("e2", "e4");
        tab.wait(&format!("{label} === '−0.35'"));
        tab.settle();
        assert!(bar(tab).0 < 48.0);
        assert_eq!(
            tab.value("document.querySelector('#evaluation b').className"),
            "black"
        );
        tab.click("#engine-switch");
        assert!(!tab.is(is_shown));
    });
    with_engine("good", "/?play=f2f3,e7e5,g2g4,d8h4", |tab| {
        tab.click("#engine-switch");
        tab.wait_for_text("#evaluation b", "#");
        tab.settle();
        assert!(bar(tab).0 < 2.0);
        let told = "document.querySelector('#evaluation').getAttribute('aria-valuetext')";
        assert_eq!(tab.value(told), "Black has mated");
    });
}

#[test]
fn switching_the_engine_on_moves_nothing_on_the_board() {
    let places = "JSON.stringify(['#board', '.controls', '#fen-form'].map(name => \
                  document.querySelector(name).getBoundingClientRect()))";
    for (width, height) in [(1280, 900), (390, 844)] {
        with_engine("good", "/", |tab| {
            tab.size(width, height);
            tab.open("/");
            tab.wait("document.querySelector('#engine')");
            tab.value("scrollTo(0, 0)");
            let before = tab.value(places);
            tab.value("document.querySelector('#engine-switch').click()");
            tab.wait_for_text("#engine-list .best", "e4");
            tab.settle();
            assert_eq!(tab.value(places), before);
            let ends = tab.value(
                "['#board', '#evaluation'].map(name => \
                 document.querySelector(name).getBoundingClientRect()).map(({ top, bottom }) => \
                 [top, bottom]).join(' ')",
            );
            let ends = ends
                .as_str()
                .expect("ends")
                .split_once(' ')
                .map(|(a, b)| (a.to_owned(), b.to_owned()));
            let (board, bar) = ends.expect("two");
            assert_eq!(board, bar, "the bar is as high as the board");
        });
    }
    on("/", |tab| {
        let room = "document.querySelector('#board-row').clientWidth \
                    - document.querySelector('#board').offsetWidth";
        assert_eq!(tab.number(room), 0.0, "no room without an engine");
        assert!(!tab.is("document.querySelector('#evaluation')"));
    });
}

#[test]
fn one_of_several_engines_is_chosen_and_kept() {
    with_engines(&["good", "long"], "/", |tab| {
        assert_eq!(tab.texts("#engine-choice option"), ["good.sh", "long.sh"]);
        switch_on(tab, "e4");
        tab.wait_for_text("#engine-choice option", "Fake 1.0 <b>&");
        tab.value(
            "(() => { const choice = document.querySelector('#engine-choice'); \
             choice.selectedIndex = 1; choice.dispatchEvent(new Event('change')); })()",
        );
        tab.wait_for_text("#engine-list .score", "−2.50");
        tab.wait_for_text("#engine-choice option:nth-child(2)", "Long 2");
        tab.open("/");
        tab.wait("document.querySelector('#engine')");
        assert_eq!(
            tab.number("document.querySelector('#engine-choice').selectedIndex"),
            1.0
        );
        tab.prefer(&[("prefers-color-scheme", "dark")]);
        switch_on(tab, "e4");
        assert_eq!(tab.text("#engine-list .score"), "−2.50");
        picture(tab, "engine-dark.png");
    });
}

#[test]
fn analysis_without_end_is_asked_for_and_kept() {
    with_engine("good", "/", |tab| {
        let note = "(() => { const ask = window.fetch; window.asked = []; \
                    window.fetch = (path, how) => { \
                    if (how?.body) asked.push(JSON.parse(how.body)); \
                    return ask(path, how); }; })()";
        tab.value(note);
        switch_on(tab, "e4");
        assert!(tab.is("asked.at(-1).endless === false"));
        tab.click("#engine-endless");
        tab.wait("asked.at(-1).endless === true");
        tab.open("/");
        tab.wait("document.querySelector('#engine-endless')?.ariaPressed === 'true'");
        tab.value(note);
        switch_on(tab, "e4");
        tab.wait("asked.at(-1).endless === true");
        // Other questions end it.
        tab.play("e2", "e4");
        tab.wait_for_text("#engine-list .best", "1…e5");
    });
}

#[test]
fn one_to_five_lines_fit_panels_of_all_widths() {
    with_engine("good", "/", |tab| {
        assert_eq!(tab.texts("#engine-lines option").len(), 5);
        tab.value(
            "(() => { const lines = document.querySelector('#engine-lines'); lines.value = 4; \
             lines.dispatchEvent(new Event('change')); })()",
        );
        switch_on(tab, "e4");
        tab.wait("document.querySelectorAll('#engine-list li').length === 2");
        for width in [320, 480, 700] {
            tab.value(&format!(
                "document.querySelector('#engine').style.width = '{width}px'"
            ));
            for part in [
                "#engine",
                "#engine > .top",
                "#engine-body",
                "#engine-body > .top",
            ] {
                let beyond = format!(
                    "document.querySelector('{part}').scrollWidth \
                     - document.querySelector('{part}').clientWidth"
                );
                assert!(tab.number(&beyond) <= 0.0, "{part} at {width}");
            }
            picture(tab, &format!("engine-{width}.png"));
        }
    });
}
