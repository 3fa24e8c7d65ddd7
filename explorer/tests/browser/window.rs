//! The window: its panels, what stays where it is, and how the panels are resized.

use serde_json::json;

use crate::{
    server::written,
    tab::{on, with},
};

#[test]
fn three_panels_have_the_windows_height_and_scroll_alone() {
    on("/?play=e2e4", |tab| {
        for (width, height) in [(1400, 900), (1440, 900), (1920, 1080), (2560, 1300)] {
            tab.size(width, height);
            assert!(tab.number("document.documentElement.scrollHeight - innerHeight") <= 0.0);
            let mut right = 0.0;
            for panel in ["#left", "#middle", "#right"] {
                let [x, _, own, high] = tab.place(panel);
                assert!(x >= right, "{panel} at {width}");
                assert!(high > 0.9 * f64::from(height) - 20.0, "{panel}: {high}");
                right = x + own;
            }
            // They share the whole width.
            assert!(f64::from(width) - right < 12.0, "{width}: {right}");
            tab.value("document.querySelector('#right').scrollTop = 300");
            let missed = "(({ scrollTop, scrollHeight, clientHeight }) => \
                Math.min(300, scrollHeight - clientHeight) - scrollTop)\
                (document.querySelector('#right'))";
            assert!(tab.number(missed).abs() <= 1.0, "{width}");
            assert_eq!(
                tab.number("document.querySelector('#middle').scrollTop"),
                0.0
            );
            assert_eq!(tab.number("scrollY"), 0.0);
        }
    });
}

#[test]
fn the_search_box_is_one_line_with_its_buttons() {
    on("/?q=white:morphy", |tab| {
        for width in [861, 1024, 1280, 1440, 1920] {
            tab.size(width, 900);
            let [_, top, own, _] = tab.place(".typed");
            assert!(own >= 200.0, "{width}: {own}");
            for part in ["#open-form", "#open-editor", "#kept", "#theme", ".home"] {
                let [_, y, _, height] = tab.place(part);
                assert!(y < top + 30.0 && y + height > top, "{part} at {width}");
            }
            assert!(tab.place("main")[1] < 60.0, "{width}");
        }
    });
}

#[test]
fn two_panels_have_tabs_where_three_have_no_room() {
    on("/?play=e2e4", |tab| {
        for width in [1024, 1280] {
            tab.size(width, 768);
            tab.open("/?sort=number");
            assert!(tab.is_seen("#moves") && !tab.is_seen("#games"), "{width}");
            tab.click("#tabs [data-panel=games]");
            assert!(!tab.is_seen("#moves") && tab.is_seen("#games"), "{width}");
            assert!(tab.is_seen("#board"));
            let pressed = "#tabs [aria-pressed=true]";
            assert_eq!(tab.text(pressed), "Games");
            // A game that is opened shows its moves, and gives way to the list as it was.
            tab.value("document.querySelector('#right').scrollTop = 200");
            tab.click("#games-body tr:nth-child(9) a");
            tab.wait("document.querySelector('#notation .ply')?.checkVisibility()");
            assert_eq!(tab.text(pressed), "Notation");
            tab.settle();
            tab.click("#game-close");
            tab.wait("document.querySelector('#games').checkVisibility()");
            tab.wait("Math.abs(document.querySelector('#right').scrollTop - 200) < 60");
            // The key of the list and that of the filter lead there too.
            tab.click("#tabs [data-panel=moves]");
            tab.key("l");
            tab.wait("document.activeElement.closest('#games-body')");
        }
    });
}

#[test]
fn a_phone_keeps_the_board_in_sight_above_each_panel() {
    on("/?play=e2e4", |tab| {
        tab.size(390, 844);
        tab.open("/?play=e2e4&sort=number");
        for (name, part) in [
            ("games", "#games"),
            ("filter", "#filter"),
            ("moves", "#moves"),
        ] {
            tab.tap(&format!("#tabs [data-panel={name}]"));
            assert!(tab.is_seen(part), "{name}");
            tab.value("scrollTo(0, document.documentElement.scrollHeight)");
            let [_, top, _, height] = tab.place("#board");
            assert!(top >= 0.0 && top + height < 500.0, "{name}: {top} {height}");
            let [_, tabs, ..] = tab.place("#tabs");
            assert!(tabs > 780.0 && tabs < 844.0, "{tabs}");
        }
        // A window that becomes wider has no tab of the filter, which is in sight.
        tab.tap("#tabs [data-panel=filter]");
        tab.size(1024, 768);
        tab.wait("document.querySelector('#moves').checkVisibility()");
        assert_eq!(tab.text("#tabs [aria-pressed=true]"), "Moves");
        tab.size(390, 844);
        // The notation stands directly beneath.
        tab.open("/?game=00000003&ply=4");
        tab.wait("document.querySelector('#notation [aria-current]')");
        let [_, top, _, height] = tab.place("#stand");
        let [_, title, ..] = tab.place("#game-title");
        let [_, notation, ..] = tab.place("#notation");
        assert!(title - top - height < 40.0 && notation - title < 80.0);
    });
}

#[test]
fn borders_of_panels_move_by_mouse_and_key_and_stay_so() {
    on("/", |tab| {
        tab.size(1440, 900);
        tab.open("/");
        let [.., before, _] = tab.place("#left");
        tab.drag_by("#split-board", (80.0, 0.0));
        let [.., wider, _] = tab.place("#left");
        assert!((wider - before - 80.0).abs() < 4.0, "{before} {wider}");
        tab.value("document.querySelector('#split-games').focus()");
        let [.., middle, _] = tab.place("#middle");
        tab.key("ArrowLeft");
        let [.., narrower, _] = tab.place("#middle");
        assert!(
            (middle - narrower - 24.0).abs() < 4.0,
            "{middle} {narrower}"
        );
        // The key was not one for the board.
        assert_eq!(tab.value("location.search"), "");
        tab.open("/?play=e2e4");
        assert!((tab.place("#left")[2] - wider).abs() < 4.0);
        // No panel is pushed away, however far a border is moved.
        tab.drag_by("#split-board", (1400.0, 0.0));
        assert!(tab.place("#middle")[2] >= 299.0);
        tab.value("document.querySelector('#split-board').dispatchEvent(new Event('dblclick'))");
        assert!((tab.place("#left")[2] - before).abs() < 4.0);
    });
}

#[test]
fn nothing_moves_while_a_line_is_played_and_taken_back() {
    on("/", |tab| {
        for (width, height) in [(390, 844), (1024, 768), (1440, 900), (1920, 1080)] {
            tab.size(width, height);
            tab.open("/");
            let parts = ["#board", ".controls", "#under"];
            let before = parts.map(|part| tab.place(part));
            for [from, to] in [["e2", "e4"], ["e7", "e5"], ["g1", "f3"], ["b8", "c6"]] {
                tab.play(from, to);
                tab.settle();
                assert_eq!(parts.map(|part| tab.place(part)), before, "{width}");
            }
            for _ in 0..4 {
                tab.key("ArrowLeft");
            }
            tab.wait("document.querySelectorAll('#line .ahead').length === 4");
            assert_eq!(parts.map(|part| tab.place(part)), before, "{width}");
        }
    });
}

#[test]
fn the_layout_shifts_by_less_than_a_fiftieth() {
    let measure = "new Promise((done) => { let sum = 0; new PerformanceObserver((list) => { \
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value; \
        }).observe({ type: 'layout-shift', buffered: true }); \
        requestAnimationFrame(() => requestAnimationFrame(() => done(sum))); })";
    on("/", |tab| {
        for (width, height) in [(390, 844), (1024, 768), (1440, 900), (1920, 1080)] {
            tab.size(width, height);
            for path in [
                "/",
                "/?play=e2e4,c7c5",
                "/?game=00000003&ply=9",
                "/?q=white:morphy",
            ] {
                tab.open(path);
                let shift = tab.number(measure);
                assert!(shift < 0.02, "{path} at {width}: {shift}");
            }
        }
    });
}

#[test]
fn the_wheel_steps_over_the_board() {
    on("/?game=00000003", |tab| {
        tab.wait("document.querySelector('#notation .ply')");
        for (by, ply) in [(100, "ply=1"), (100, "ply=2"), (-100, "ply=1")] {
            tab.wheel("#board", by);
            tab.wait(&format!("location.search.includes('{ply}')"));
        }
    });
}

#[test]
fn clocks_are_switched_and_evaluations_told_where_they_change() {
    let game = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 {[%eval 0.2] [%clk 0:05:00]} e5 \
        {[%eval 0.3] [%clk 0:04:59]} 2. Nf3 {[%eval 0.6]} Nc6 {[%eval 0.75]} 3. Bb5 \
        {[%eval -0.1]} (3. Bc4 {[%eval -0.2]}) a6 {[%eval #4]} 4. Ba4 {[%eval #3]} *\n\n";
    let database = written("window-clocks", game);
    with(vec![database.clone()], "/?game=00000001", |tab| {
        tab.wait("document.querySelectorAll('#notation .ply').length > 6");
        let evals = tab.texts("#notation [data-kind=eval]");
        assert_eq!(evals, ["+0.2", "+0.75", "−0.1", "−0.2", "#4"]);
        assert_eq!(tab.texts("#notation [data-kind=clk]"), ["5:00", "4:59"]);
        let seen = "[...document.querySelectorAll('#notation [data-kind=clk]')]\
                    .map(e => e.checkVisibility())";
        assert_eq!(tab.value(seen), json!([true, true]));
        tab.click("#clocks");
        assert_eq!(tab.value(seen), json!([false, false]));
        tab.open("/?game=00000001");
        tab.wait("document.querySelectorAll('#notation .ply').length > 6");
        assert_eq!(tab.value(seen), json!([false, false]));
        tab.click("#clocks");
        assert_eq!(tab.value(seen), json!([true, true]));
    });
    let _ = std::fs::remove_file(database);
}

#[test]
fn a_pawn_is_promoted_by_taps() {
    on("/", |tab| {
        tab.size(390, 844);
        tab.open("/?fen=4k3/7P/8/8/8/8/8/4K3 w - - 0 1");
        tab.touch("h7", "h7");
        tab.touch("h8", "h8");
        tab.wait("document.querySelector('#promotion[open]')");
        tab.tap("#promotion [aria-label=queen]");
        tab.wait_for_text("#line", "h8=Q+");
    });
}

#[test]
fn a_second_game_begins_at_its_beginning_on_a_phone() {
    on("/", |tab| {
        tab.size(390, 844);
        tab.open("/?sort=number");
        for row in [4, 12] {
            tab.tap("#tabs [data-panel=games]");
            tab.tap(&format!("#games-body tr:nth-child({row}) a"));
            tab.wait("document.querySelector('#notation .ply')?.checkVisibility()");
            tab.settle();
            let [_, stand, _, height] = tab.place("#stand");
            let [_, title, ..] = tab.place("#game-title");
            assert!(title >= stand + height, "{row}: {title} {stand} {height}");
            tab.value("scrollTo(0, document.documentElement.scrollHeight)");
        }
        tab.click("#explore");
        tab.wait("document.querySelector('#moves').checkVisibility()");
        tab.settle();
        let [_, stand, _, height] = tab.place("#stand");
        assert!(tab.place("#under")[1] >= stand + height);
    });
}

#[test]
fn the_open_game_is_shown_again_from_the_list() {
    on("/", |tab| {
        for width in [390, 1024] {
            tab.size(width, 800);
            tab.open("/?sort=number");
            for _ in 0..2 {
                tab.click("#tabs [data-panel=games]");
                tab.click("#games-body tr:nth-child(3) a");
                tab.wait("document.querySelector('#notation .ply')?.checkVisibility()");
            }
            tab.settle();
            tab.click("#game-close");
            tab.wait("document.querySelector('#games').checkVisibility()");
            assert!(tab.is("document.activeElement.closest('#games-body')"));
        }
    });
}

#[test]
fn what_opens_on_a_phone_lies_above_the_tabs() {
    on("/", |tab| {
        for width in [360, 768] {
            tab.size(width, 740);
            for (button, part) in [("#kept summary", "#kept-list"), (".language summary", "dl")] {
                tab.open("/");
                tab.panel("filter");
                tab.click(button);
                let [x, y, own, height] = tab.place(part);
                let [_, tabs, ..] = tab.place("#tabs");
                assert!(x >= 0.0 && x + own <= f64::from(width), "{part} at {width}");
                assert!(
                    y >= 0.0 && y + height <= tabs,
                    "{part} at {width}: {y} {height}"
                );
            }
        }
    });
}

#[test]
fn a_phone_tells_of_a_filter_that_is_out_of_sight() {
    on("/", |tab| {
        tab.size(390, 844);
        let told = "getComputedStyle(document.querySelector('#tabs [data-panel=filter]'), \
                    '::after').content";
        tab.open("/");
        assert_eq!(tab.value(told), "none");
        tab.open("/?q=white:morphy");
        assert_eq!(tab.value(told), "\" •\"");
    });
}
