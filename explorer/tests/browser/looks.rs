//! What can be chosen of the page's looks and sounds.

use serde_json::json;

use crate::{
    look::picture,
    tab::{Tab, on},
};

const BOARDS: [&str; 5] = ["brown", "green", "blue", "grey", "contrast"];
const SETS: [&str; 3] = ["classic", "bold", "wood"];

/// Chooses a value in the settings.
fn choose(tab: &Tab, name: &str, value: &str) {
    tab.click("#preferences-open");
    tab.wait("document.querySelector('#preferences').open");
    tab.value(&format!(
        "(() => {{ const select = document.querySelector('#setting-{name}'); \
         select.value = '{value}'; select.dispatchEvent(new Event('change')); }})()"
    ));
    tab.click("#preferences .icon");
    tab.wait("!document.querySelector('#preferences').open");
}

/// Finds the letters of a board's edge that have too little contrast with their squares.
const FAINT: &str = r"(() => {
    const parts = (color) => color.match(/[\d.]+/g).map(Number);
    const over = ([r, g, b, alpha = 1], base) =>
        [r, g, b].map((part, at) => alpha * part + (1 - alpha) * base[at]);
    const light = (color) => color.map((part) => part / 255)
        .map((part) => part <= .03928 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
        .reduce((sum, part, at) => sum + part * [.2126, .7152, .0722][at], 0);
    const squares = [...document.querySelectorAll('#board .square')];
    return [...document.querySelectorAll('#board .coordinates span')].map((name) => {
        const box = name.getBoundingClientRect();
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        const square = squares.find((one) => {
            const { left, right, top, bottom } = one.getBoundingClientRect();
            return x > left && x < right && y > top && y < bottom;
        });
        const look = getComputedStyle(square);
        const base = parts(look.backgroundColor).slice(0, 3);
        const cover = look.backgroundImage.match(/rgba?\([^)]*\)/)?.[0];
        const ground = cover ? over(parts(cover), base) : base;
        const both = [parts(getComputedStyle(name).color), ground].map(light);
        const contrast = (Math.max(...both) + .05) / (Math.min(...both) + .05);
        return [square.dataset.square, contrast];
    }).filter(([, contrast]) => contrast < 4.5);
})()";

#[test]
fn edges_of_every_board_are_readable_in_both_themes() {
    on("/?play=a2a3,h7h6,a1a2,h8h7", |tab| {
        for theme in ["light", "dark"] {
            tab.prefer(&[("prefers-color-scheme", theme)]);
            let mut squares = Vec::new();
            for board in BOARDS {
                choose(tab, "board", board);
                for path in ["/?play=a2a3,h7h6,a1a2", "/?play=a2a3,h7h6,a1a2,h8h7"] {
                    tab.open(path);
                    assert_eq!(tab.value(FAINT), json!([]), "{board}, {theme}, {path}");
                }
                let square = "getComputedStyle(document.querySelector('.square')).backgroundColor \
                    + getComputedStyle(document.querySelector('.square.dark')).backgroundColor";
                squares.push(tab.value(square).to_string());
                picture(tab, &format!("board-{board}-{theme}.png"));
            }
            squares.sort();
            squares.dedup();
            assert_eq!(squares.len(), BOARDS.len(), "{squares:?}");
        }
    });
}

#[test]
fn chosen_men_and_board_are_there_at_once_and_stay() {
    on("/", |tab| {
        let men = "[...document.querySelectorAll('#board .man')].map((man) => man.src)";
        let whole = "[...document.images].every((one) => one.complete && one.naturalWidth > 0)";
        for set in SETS {
            choose(tab, "men", set);
            choose(tab, "board", "green");
            let folder = if set == "classic" {
                "/pieces/"
            } else {
                &format!("/pieces/{set}/")
            };
            let is_shown = format!(
                "{men}.length === 32 && {men}.every((src) => src.split(/[wb][PNBRQK]/)[0]\
                 .endsWith('{folder}'))"
            );
            tab.wait(&is_shown);
            tab.wait(whole);
            tab.open("/");
            assert!(tab.is(&is_shown), "{set}: {}", tab.value(men));
            tab.wait(whole);
            assert_eq!(tab.value("document.documentElement.dataset.board"), "green");
            picture(tab, &format!("men-{set}.png"));
            // The editor has the same men.
            tab.click("#open-editor");
            let edited = "document.querySelector('#edit-board img').src";
            assert!(tab.is(&format!("{edited}.includes('{folder}')")));
            tab.key("Escape");
        }
    });
}

#[test]
fn nothing_moves_without_animation() {
    on("/", |tab| {
        tab.value(
            "window.slides = 0; const { animate } = Element.prototype; \
             Element.prototype.animate = function (...way) { \
                 window.slides += 1; return animate.apply(this, way); }",
        );
        let moving = "getComputedStyle(document.querySelector('.card')).transitionProperty";
        tab.play("e2", "e4");
        tab.wait("window.slides === 1");
        assert_eq!(tab.value(moving), "opacity");
        choose(tab, "motion", "off");
        tab.play("e7", "e5");
        tab.wait_for_text("#line", "e5");
        tab.settle();
        assert_eq!(tab.number("window.slides"), 1.0);
        assert_eq!(tab.value(moving), "none");
        // Who wants less of the system has less, whatever is chosen.
        choose(tab, "motion", "on");
        tab.prefer(&[("prefers-reduced-motion", "reduce")]);
        tab.play("g1", "f3");
        tab.wait_for_text("#line", "Nf3");
        tab.settle();
        assert_eq!(tab.number("window.slides"), 1.0);
    });
}

/// Notes the tones that begin, and how often the page asks for sound at all.
const LISTEN: &str = "window.heard = []; window.contexts = 0;
    const { start } = AudioScheduledSourceNode.prototype;
    AudioScheduledSourceNode.prototype.start = function (...when) {
        window.heard.push(this.frequency.value);
        return start.apply(this, when);
    };
    window.AudioContext = class extends AudioContext {
        constructor() { super(); window.contexts += 1; }
    };";

/// Waits for the number of tones since the last time.
#[track_caller]
fn heard(tab: &Tab, tones: usize) {
    tab.wait(&format!("window.heard.length === {tones}"));
    tab.value("window.heard = []");
}

#[test]
fn sounds_are_heard_only_when_they_are_turned_on() {
    on("/", |tab| {
        let script = json!({ "source": LISTEN });
        tab.browser
            .ask("Page.addScriptToEvaluateOnNewDocument", script);
        tab.open("/?play=f2f3");
        tab.play("e7", "e5");
        tab.wait_for_text("#line", "e5");
        tab.settle();
        assert_eq!(tab.number("window.heard.length + window.contexts"), 0.0);
        choose(tab, "sounds", "on");
        heard(tab, 1);
        tab.play("g2", "g4");
        heard(tab, 1);
        // Mate ends the game.
        tab.play("d8", "h4");
        heard(tab, 3);
        assert_eq!(tab.number("window.contexts"), 1.0);
        tab.open("/?play=e2e4,d7d5");
        tab.settle();
        // Browsers forbid sounds of a page that nobody has touched yet.
        assert_eq!(tab.number("window.contexts"), 0.0);
        tab.play("e4", "d5");
        heard(tab, 2);
        tab.play("d8", "d5");
        heard(tab, 2);
        tab.open("/?play=e2e4,f7f6");
        tab.play("d1", "h5");
        tab.wait("window.heard.includes(880)");
        heard(tab, 2);
        // What is taken back makes no sound, and none is heard once more without a wish for it.
        tab.key("ArrowLeft");
        tab.wait("location.search === '?play=e2e4,f7f6'");
        tab.settle();
        choose(tab, "sounds", "off");
        tab.play("d2", "d4");
        tab.wait_for_text("#line", "d4");
        assert_eq!(tab.number("window.heard.length"), 0.0);
    });
}

#[test]
fn the_page_is_whole_where_there_is_no_sound() {
    on("/", |tab| {
        let script = json!({ "source": "delete window.AudioContext" });
        tab.browser
            .ask("Page.addScriptToEvaluateOnNewDocument", script);
        tab.open("/");
        choose(tab, "sounds", "on");
        tab.play("e2", "e4");
        tab.wait_for_text("#line", "e4");
        let script = json!({ "source":
            "window.AudioContext = class { constructor() { throw new Error('no device'); } }" });
        tab.browser
            .ask("Page.addScriptToEvaluateOnNewDocument", script);
        tab.open("/");
        tab.play("e2", "e4");
        tab.wait_for_text("#line", "e4");
    });
}
