//! How the tables of moves and games look: on small screens, while they are waited for, with
//! damaged games, and where nothing was found.

use serde_json::json;

use crate::{
    server::{fixture, written},
    tab::{on, with},
};

/// Two games; of the second one nothing can be read.
const HURT: &str = "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n\
    [White \"B\"]\n[Result \"1/2-1/2\"]\n\n1. Ke3 Nf6 1/2-1/2\n\n";

#[test]
fn events_have_the_free_width_or_stand_below_the_players() {
    on("/?sort=number", |tab| {
        tab.size(1280, 900);
        tab.panel("games");
        for screen in [1280, 1271] {
            tab.size(screen, 900);
            assert!(tab.is_seen("#games-body td.event"), "{screen}");
            assert!(!tab.is_seen("#games-body .below"), "{screen}");
        }
        tab.size(1280, 900);
        for other in ["result", "date", "eco", "plies"] {
            let [event, other] = ["event", other].map(|name| format!("#games-body td.{name}"));
            assert!(
                tab.place(&event)[2] > 1.2 * tab.place(&other)[2],
                "{event} {other}"
            );
        }
        for screen in [1270, 1099, 768, 390] {
            tab.size(screen, 900);
            assert!(!tab.is_seen("#games-body td.event"), "{screen}");
            assert!(tab.is_seen("#games-body .below"), "{screen}");
            let place = "document.querySelector('#games-body .below').getBoundingClientRect()";
            let players = "document.querySelector('#games-body a').getBoundingClientRect()";
            assert!(tab.is(&format!("{place}.top >= {players}.bottom - 1")));
        }
    });
}

#[test]
fn words_of_openings_are_whole_at_every_width() {
    on("/?play=e2e4", |tab| {
        for screen in [360, 390, 768, 900, 1100, 1280] {
            tab.size(screen, 900);
            // A word in two pieces has two boxes.
            let broken = r"[...document.querySelectorAll('#moves-body .opening')].flatMap((name) =>
                [...name.firstChild.data.matchAll(/[^\s-]+/g)].filter(({ 0: word, index }) => {
                    const range = document.createRange();
                    range.setStart(name.firstChild, index);
                    range.setEnd(name.firstChild, index + word.length);
                    const { right } = range.getBoundingClientRect();
                    const edge = name.closest('table').getBoundingClientRect().right;
                    return range.getClientRects().length > 1 || right > edge;
                }).map(([word]) => word))";
            assert_eq!(tab.value(broken), json!([]), "{screen}");
            assert!(tab.texts("#moves-body .opening").len() > 3);
        }
    });
}

#[test]
fn labels_of_results_stand_only_where_they_fit() {
    on("/", |tab| {
        for path in ["/", "/?play=e2e4,c7c5", "/?q=white:morphy"] {
            tab.open(path);
            for screen in [1280, 1271, 1101, 861, 700, 360] {
                tab.size(screen, 900);
                let labels = "[...document.querySelectorAll('.bar b')]\
                    .filter(label => label.checkVisibility())";
                let cut = format!(
                    "{labels}.filter(label => label.offsetWidth > label.parentElement.clientWidth \
                     || label.getClientRects().length > 1).map(label => label.textContent)"
                );
                assert_eq!(tab.value(&cut), json!([]), "{path} at {screen}");
                let low = format!("{labels}.filter(label => parseInt(label.textContent) < 20)");
                assert_eq!(
                    tab.number(&format!("{low}.length")),
                    0.0,
                    "{path} at {screen}"
                );
            }
            assert!(!tab.texts(".bar b").is_empty(), "{path}");
        }
    });
}

#[test]
fn empty_rows_stand_where_games_are_waited_for() {
    on("/", |tab| {
        let pattern = json!({ "patterns": [{ "urlPattern": "*/api/search*" }] });
        tab.browser.ask("Fetch.enable", pattern);
        let url = tab.server.address("/?play=e2e4");
        tab.browser.ask("Page.navigate", json!({ "url": url }));
        tab.wait("document.querySelectorAll('#games-body .sketch').length > 5");
        assert!(!tab.is("document.querySelector('#games-body').textContent.trim()"));
        tab.browser.ask("Fetch.disable", json!({}));
        tab.wait("document.querySelectorAll('#games-body a').length === 20");
        tab.settle();
        assert_eq!(tab.texts(".sketch").len(), 0);
    });
}

#[test]
fn old_results_are_dim_while_the_filter_is_faulty() {
    on("/", |tab| {
        let light = |part: &str, comparison: &str| {
            format!("getComputedStyle(document.querySelector('{part}')).opacity {comparison}")
        };
        tab.write("#q", "elow>1000");
        tab.key("Enter");
        for part in ["#games", "#moves", "#charts"] {
            tab.wait(&light(part, "< 0.9"));
        }
        assert!(tab.texts("#games-body a").len() > 3);
        tab.write("#q", "elo>1000");
        tab.key("Enter");
        for part in ["#games", "#moves", "#charts"] {
            tab.wait(&light(part, "== 1"));
        }
    });
}

#[test]
fn nothing_found_cannot_be_saved() {
    on("/?q=white:nobody", |tab| {
        tab.size(1280, 900);
        tab.panel("games");
        tab.click("#save-menu summary");
        tab.wait("document.querySelector('#save-menu').open");
        tab.wait_for_text("#save-what", "There is no game to save.");
        assert!(tab.is("document.querySelector('#save').disabled"));
        tab.click("#games-nothing button");
        tab.wait_for_text("#save-what", "games that were found");
        assert!(!tab.is("document.querySelector('#save').disabled"));
    });
}

#[test]
fn damaged_games_left_out_are_told_where_games_are_saved() {
    let database = written("listing-hurt", HURT);
    let path = "/?play=e2e4,e7e5";
    with(vec![database.clone(), fixture("famous.si4")], path, |tab| {
        let told = "1 damaged game is left out; “tabiya verify” lists it.";
        assert_eq!(tab.text("#games-damaged").trim(), told);
        assert_eq!(tab.text("#moves-damaged").trim(), told);
        tab.click("#save-menu summary");
        tab.wait_for_text("#save-what", told);
        let hurt = "[...document.querySelectorAll('#databases-list .tick')]\
                    .map(tick => tick.title).join()";
        tab.click("#databases summary");
        tab.wait("document.querySelector('#databases').open");
        tab.open(path);
        tab.wait(&format!(
            "{hurt}.includes('1 damaged game; “tabiya verify” lists it')"
        ));
    });
    let _ = std::fs::remove_file(database);
}

#[test]
fn lists_by_likeness_are_marked_as_sorted_by_nothing_else() {
    on("/?sort=date&play=e2e4,e7e5", |tab| {
        let sorted = "[...document.querySelectorAll('#games-table th[aria-sort$=ending]')]\
                      .map(head => head.textContent)";
        assert_eq!(tab.value(sorted), json!(["Date"]));
        tab.click("#similar");
        tab.wait("!document.querySelector('#like-bar').hidden");
        tab.settle();
        assert_eq!(tab.value(sorted), json!(["Similar"]));
        let marked = "document.querySelectorAll('#games-table thead button:is(.up, .down)').length";
        assert_eq!(tab.number(marked), 0.0);
        assert!(
            tab.is("[...document.querySelectorAll('#games-table [data-sort]')]\
                        .every(head => head.disabled)")
        );
        tab.click("#like-end");
        tab.wait("document.querySelector('#like-bar').hidden");
        tab.settle();
        assert_eq!(tab.value(sorted), json!(["Date"]));
        assert!(!tab.is("document.querySelector('#games-table [data-sort]').disabled"));
    });
}

#[test]
fn novelties_are_told_of_all_games_of_the_list() {
    on("/?q=year>1850", |tab| {
        let total = tab.text("#games-count");
        assert_eq!(tab.texts("#games-body tr").len(), 20);
        tab.click("#games-novelties");
        tab.wait("!document.querySelector('#novelties-table').hidden");
        let rows = format!("{} games", tab.texts("#novelties-body tr").len());
        assert_eq!(rows, total);
        let told = tab.text("#novelties-told");
        assert!(told.contains(&format!(" of {total} leave")), "{told}");
    });
}
