//! Asking without knowing the language: openings by name, what is pasted, the form, completion, and
//! filters that are kept.

use serde_json::{Value, json};

use crate::{
    access::{CONTRASTS, CONTROLS, nodes},
    look::picture,
    server::{fixture, written},
    tab::{Tab, on, with},
};

/// A game whose names are what pages must not take for markup.
const HOSTILE: &str = "[Event \"<b>x</b>\"]\n[White \"<img src=x onerror=alert(1)>\"]\n\
    [Black \"O'Neil \\\"the \\\\ rook\\\" \u{202e}abc\"]\n[Result \"1-0\"]\n\n1. e4 c5 1-0\n";

fn hostile(name: &str, test: impl FnOnce(&mut Tab)) {
    with(vec![written(name, HOSTILE)], "/", test);
}

/// Returns the query of the address.
fn q(tab: &Tab) -> String {
    let q = tab.value("new URLSearchParams(location.search).get('q') ?? ''");
    q.as_str().expect("a text").to_owned()
}

#[test]
fn an_opening_is_found_by_name_and_chosen_by_mouse_finger_and_keyboard() {
    const NAJDORF: &str = "?play=e2e4,c7c5,g1f3,d7d6,d2d4,c5d4,f3d4,g8f6,b1c3,a7a6";
    on("/", |tab| {
        let found = "#opening-form .list li";
        tab.write("#find-opening", "najd");
        tab.wait_for_text(found, "Sicilian Defense: Najdorf Variation");
        assert!(tab.text(found).contains("B90") && tab.text(found).contains("1. e4 c5"));
        assert_eq!(
            tab.value("document.querySelector('#find-opening').ariaExpanded"),
            "true"
        );
        tab.click(found);
        tab.wait(&format!("location.search === '{NAJDORF}'"));
        tab.settle();
        assert_eq!(tab.text("#opening"), "Sicilian Defense: Najdorf Variation");
        assert_eq!(tab.texts(found).len(), 0);
        tab.click("#start");
        tab.wait("location.search === ''");
        tab.write("#find-opening", "najd sicil");
        tab.wait_for_text(found, "Najdorf");
        tab.tap(found);
        tab.wait(&format!("location.search === '{NAJDORF}'"));
        tab.click("#start");
        tab.write("#find-opening", "naj");
        tab.wait(&format!("document.querySelectorAll('{found}').length > 2"));
        tab.key("ArrowDown");
        tab.key("ArrowUp");
        let active = "document.getElementById(document.activeElement\
                      .getAttribute('aria-activedescendant'))";
        assert!(tab.is(&format!("{active}.ariaSelected === 'true'")));
        tab.key("Enter");
        tab.wait(&format!("location.search === '{NAJDORF}'"));
        tab.write("#find-opening", "najd");
        tab.wait_for_text(found, "Najdorf");
        tab.key("Escape");
        tab.wait(&format!("!document.querySelector('{found}')"));
        tab.write("#find-opening", "zzz");
        tab.key("Enter");
        tab.settle();
        assert_eq!(tab.address(), format!("/{NAJDORF}"));
    });
}

/// Pastes a text into the field for positions.
fn paste(tab: &Tab, text: &str) {
    tab.value(&format!(
        "(() => {{ const data = new DataTransfer(); data.setData('text/plain', {}); \
         const event = new ClipboardEvent('paste', \
         {{ clipboardData: data, bubbles: true, cancelable: true }}); \
         document.querySelector('#fen').dispatchEvent(event); }})()",
        json!(text)
    ));
}

#[test]
fn fen_pgn_and_addresses_of_boards_are_pasted_into_one_field() {
    on("/", |tab| {
        paste(tab, "1. e4\nc5\n2. Nf3 *\n\n[Event \"y\"]\n\n1. d4 *\n");
        tab.wait("location.search === '?play=e2e4,c7c5,g1f3'");
        tab.wait_for_text("#fen-note", "the first of 2 games");
        paste(
            tab,
            "https://lichess.org/analysis/4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1",
        );
        tab.wait("document.querySelector('[data-square=e8]').ariaLabel === 'e8, black king'");
        assert_eq!(tab.text("#fen-note"), "");
        // The list becomes shorter, which moves what is clicked.
        tab.settle();
        tab.write("#fen", "d4 d5 c4");
        tab.key("Enter");
        tab.wait("location.search === '?play=d2d4,d7d5,c2c4'");
        tab.settle();
        for (text, told) in [
            (
                "https://lichess.org/abcdEF12",
                "nothing is fetched from the network",
            ),
            ("<img src=x onerror=alert(1)>", "address of a board"),
            ("1. Ke3", "Game 1"),
        ] {
            paste(tab, text);
            tab.wait_for_text("#fen-fault", told);
            assert_eq!(tab.address(), "/?play=d2d4,d7d5,c2c4");
        }
        assert!(!tab.is("document.querySelector('#fen-fault img')"));
    });
}

#[test]
fn the_query_is_completed_by_fields_and_by_names_with_the_keyboard() {
    on("/", |tab| {
        let list = "#q ~ .list li";
        tab.write("#q", "pla");
        tab.wait_for_text(list, "player");
        assert!(tab.text(list).contains("the name of either player"));
        tab.key("ArrowDown");
        tab.key("Tab");
        assert_eq!(tab.value("document.querySelector('#q').value"), "player:");
        tab.browser
            .ask("Input.insertText", json!({ "text": "morp" }));
        tab.wait_for_text(list, "Morphy");
        tab.key("ArrowDown");
        tab.key("Enter");
        tab.wait("location.search.includes('Morphy')");
        assert!(q(tab).starts_with("player:\"Morphy"), "{}", q(tab));
        tab.settle();
        // The rest of the query stays, and Escape leaves the list without the change.
        tab.write("#q", "res year>=1800");
        tab.value("document.querySelector('#q').setSelectionRange(3, 3)");
        tab.key("ArrowDown");
        tab.wait_for_text(list, "result");
        tab.key("Escape");
        tab.wait(&format!("!document.querySelector('{list}')"));
        assert_eq!(
            tab.value("document.querySelector('#q').value"),
            "res year>=1800"
        );
        tab.key("ArrowDown");
        tab.wait_for_text(list, "result");
        tab.click(list);
        tab.wait_for_text(list, "1-0");
        tab.tap(list);
        tab.wait("document.querySelector('#q').value === 'result:1-0 year>=1800'");
        tab.wait("location.search.includes('result')");
    });
}

#[test]
fn hostile_names_are_completed_as_text_and_find_their_game() {
    hostile("completed", |tab| {
        for (typed, shown) in [("white:im", "<img src=x"), ("black:neil", "O'Neil")] {
            tab.write("#q", typed);
            tab.wait_for_text("#q ~ .list li", shown);
            tab.key("ArrowDown");
            tab.key("Enter");
            tab.wait(&format!(
                "document.querySelector('#q').value.includes({shown:?})"
            ));
            tab.key("Enter");
            tab.wait("location.search.includes('q=')");
            tab.settle();
            assert_eq!(tab.text("#games-count"), "1 game", "{typed}");
            assert_eq!(tab.text("#q-fault"), "");
        }
        assert!(!tab.is("document.querySelector('.list img, .list b')"));
    });
}

#[test]
fn the_form_asks_for_a_player_and_shows_its_query() {
    on("/", |tab| {
        tab.click("#open-form");
        tab.wait("document.activeElement.id === 'ask-player'");
        tab.browser
            .ask("Input.insertText", json!({ "text": "morph" }));
        tab.wait_for_text("#ask-player + .list li", "Morphy");
        tab.click("#ask-player + .list li");
        tab.wait_for_text("#ask-query", "player=\"Morphy");
        let choose = |id: &str, value: &str| {
            tab.value(&format!(
                "(() => {{ const part = document.querySelector('#{id}'); part.value = '{value}'; \
                 part.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
            ));
        };
        choose("ask-result", "won");
        tab.write("#ask-year-from", "1850");
        let shown = tab.text("#ask-query");
        assert!(shown.starts_with("(white=\"Morphy"), "{shown}");
        assert!(
            shown.contains("result:1-0 or black=") && shown.ends_with("year>=1850"),
            "{shown}"
        );
        tab.wait("document.querySelector('#ask-structure').options.length > 12");
        tab.click("#ask-search");
        tab.wait("!document.querySelector('#form[open]')");
        tab.wait("location.search.includes('q=')");
        tab.settle();
        assert_eq!(q(tab), shown);
        assert!(tab.texts("#games-body tr").len() > 3);
        // What is asked next may join it.
        tab.tap("#open-form");
        tab.wait("document.querySelector('#form[open]')");
        tab.click("#ask-reset");
        tab.wait_for_text("#ask-query", "every game");
        choose("ask-event", "missed");
        tab.wait_for_text("#ask-query", "missed:mate");
        choose("ask-event", "");
        choose("ask-ending", "rooks");
        tab.click("#ask-add");
        tab.wait("location.search.includes('wminor')");
        assert!(
            q(tab).starts_with('(') && q(tab).contains("at(Q=0 q=0 R=1"),
            "{}",
            q(tab)
        );
        tab.settle();
        assert_eq!(tab.text("#q-fault"), "");
        tab.click("#open-form");
        tab.key("Escape");
        tab.wait("!document.querySelector('#form[open]')");
    });
}

#[test]
fn every_question_of_the_form_is_a_query() {
    on("/", |tab| {
        let faults = tab.value(
            r#"(async () => {
              const { question, ENDINGS, EVENTS } = await import("/page/question.js");
              const names = ["", "Tal", "or", "none", "O'Neil \"x\" \\ y", "<img src=x>", "a\\",
                "*", "(", "\u202eabc", "Carlsen, Magnus"];
              const asked = [];
              const usual = { player: "", opponent: "", opening: "", color: "", result: "",
                yearFrom: "", yearTo: "", eloFrom: "", eloTo: "", movesFrom: "", movesTo: "",
                structure: "", ending: "", event: "" };
              for (const player of names) for (const opponent of ["", "Tal", 'a "b'])
                for (const color of ["", "white", "black"])
                  for (const result of ["", "won", "lost", "drawn", "decided"])
                    asked.push({ ...usual, player, opponent, color, result });
              for (const opening of [...names, "B90", "b", "B90..B99", "E9"])
                asked.push({ ...usual, opening });
              for (const [ending] of ENDINGS) for (const structure of ["", "iqp", "carlsbad"])
                asked.push({ ...usual, ending, structure, yearFrom: "1900", yearTo: "1900",
                  eloTo: "2000", movesFrom: "41", movesTo: "60" });
              for (const [event] of EVENTS) for (const ending of ["", "rooks"])
                asked.push({ ...usual, event, ending, player: "Tal" });
              const wrong = [];
              let count = 0;
              for (const one of asked) {
                for (const isWhole of [false, true]) {
                  const named = (text) => ({ text, isWhole });
                  const q = question({ ...one, player: named(one.player),
                    opponent: named(one.opponent), opening: named(one.opening) });
                  const address = "/api/query?" + new URLSearchParams({ q });
                  const answer = await (await fetch(address)).json();
                  count += 1;
                  if (answer.fault) wrong.push([q, answer.fault.error]);
                }
              }
              return [count, wrong];
            })()"#,
        );
        assert!(faults[0].as_u64() > Some(1000), "{faults}");
        assert_eq!(faults[1], json!([]));
    });
}

#[test]
fn filters_are_saved_by_name_used_again_and_deleted() {
    on("/?q=result:1-0", |tab| {
        let name = "<img src=x onerror=alert(1)> \u{202e}x";
        tab.click("#kept summary");
        tab.wait("document.querySelector('#kept-name')");
        tab.write("#kept-name", name);
        tab.key("Enter");
        tab.wait_for_text("#kept-named .label", "<img");
        assert!(!tab.is("document.querySelector('#kept-list img')"));
        tab.key("Escape");
        tab.wait("!document.querySelector('#kept').open");
        tab.click("#q-clear");
        tab.wait("location.search === ''");
        tab.open("/?q=year>=1850");
        tab.click("#kept summary");
        tab.wait_for_text("#kept-named .label", "<img");
        assert_eq!(tab.texts("#kept-used .query"), ["year>=1850", "result:1-0"]);
        tab.tap("#kept-named .entry");
        tab.wait("location.search === '?q=result:1-0'");
        tab.settle();
        tab.click("#kept summary");
        tab.click("#kept-named .icon");
        tab.wait("!document.querySelector('#kept-named')");
        tab.click("#kept-forget");
        tab.wait("!document.querySelector('#kept-used')");
        // What is damaged counts as not there.
        for damaged in [
            "{",
            "null",
            "[1]",
            "{\"named\":7,\"used\":[7,{},null,\"\"]}",
            "{\"named\":[{\"name\":1},null,{\"name\":\"ok\",\"q\":\"elo>1\"}]}",
        ] {
            tab.value(&format!(
                "localStorage.setItem('filters', {})",
                json!(damaged)
            ));
            tab.open("/?q=result:0-1");
            tab.click("#kept summary");
            tab.wait("document.querySelector('#kept-used')");
            assert_eq!(tab.texts("#kept-used .query"), ["result:0-1"], "{damaged}");
        }
        assert_eq!(tab.texts("#kept-named .label"), ["ok"]);
    });
}

/// Opens everything that is hidden at first: by what is clicked, and what is there then.
const VIEWS: [(&str, &str); 3] = [
    ("#open-form", "#form[open]"),
    ("#open-editor", "#editor[open]"),
    ("#kept summary", "#kept-list section"),
];

#[test]
fn what_opens_fits_all_screens_in_both_themes_and_each_control_has_a_name() {
    with(vec![fixture("famous.si4")], "/?q=result:1-0", |tab| {
        for theme in ["light", "dark"] {
            tab.prefer(&[("prefers-color-scheme", theme)]);
            for width in [360, 768, 1280] {
                tab.size(width, 760);
                for (button, part) in VIEWS {
                    tab.open("/?q=result:1-0");
                    tab.panel("filter");
                    tab.click(button);
                    tab.wait(&format!("document.querySelector('{part}')"));
                    let beyond = "document.documentElement.scrollWidth - innerWidth";
                    assert_eq!(tab.number(beyond), 0.0, "{part} at {width}");
                    let wide = format!(
                        "[...document.querySelectorAll('{part}, {part} *')].filter(one => \
                         one.checkVisibility() && !one.closest('.men') && \
                         (one.getBoundingClientRect().right > innerWidth + 1 || \
                          one.getBoundingClientRect().left < -1)).map(one => one.outerHTML)"
                    );
                    assert_eq!(tab.value(&wide), json!([]), "{part} at {width}");
                    for (role, name) in nodes(tab) {
                        let is_control = CONTROLS.contains(&role.as_str())
                            || ["spinbutton", "option", "listbox"].contains(&role.as_str());
                        assert!(!is_control || !name.trim().is_empty(), "{part}: {role}");
                    }
                    let contrasts = tab.value(CONTRASTS);
                    let weakest = &contrasts[0];
                    assert!(
                        weakest[0].as_f64() >= Some(4.5),
                        "{theme} {part}: {weakest}"
                    );
                }
            }
        }
    });
}

#[test]
fn all_ways_to_ask_can_be_pictured() {
    on("/?q=result:1-0", |tab| {
        let sizes: [(&str, u32, u32); 4] = [
            ("light", 1280, 900),
            ("dark", 1280, 900),
            ("light", 390, 844),
            ("dark", 360, 740),
        ];
        for (number, (theme, width, height)) in sizes.into_iter().enumerate() {
            tab.prefer(&[("prefers-color-scheme", theme)]);
            tab.size(width, height);
            for (button, part) in VIEWS {
                tab.open("/?q=result:1-0&play=e2e4,c7c5");
                tab.panel("filter");
                tab.click(button);
                tab.wait(&format!("document.querySelector('{part}')"));
                picture(
                    tab,
                    &format!("{}-{number}.png", &button[1..].replace(" summary", "")),
                );
            }
            tab.open("/?play=e2e4");
            tab.panel("filter");
            tab.write("#q", "player:m");
            tab.wait("document.querySelector('#q ~ .list li')");
            picture(tab, &format!("completion-{number}.png"));
            tab.write("#find-opening", "najd");
            tab.wait("document.querySelector('#opening-form .list li')");
            picture(tab, &format!("opening-{number}.png"));
        }
        let all = tab.value("document.images.length");
        assert_ne!(all, Value::Null);
    });
}
