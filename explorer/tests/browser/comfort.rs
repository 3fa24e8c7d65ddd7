//! Databases opened from a list, indexes, heads that sort, keys, many databases.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tabiya_explorer::PageOptions;

use crate::{
    look::picture,
    server::fixture,
    tab::{Tab, on, with, with_page},
};

/// A folder `games` that goes with its test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let outer = std::env::temp_dir().join(format!("explorer-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&outer);
        fs::create_dir_all(outer.join("games")).expect("a folder");
        Folder(outer)
    }

    fn games(&self) -> PathBuf {
        self.0.join("games")
    }

    fn copy(&self, from: &str, to: &str) {
        fs::copy(fixture(from), self.games().join(to)).expect("a file");
    }

    fn page(&self) -> PageOptions {
        PageOptions {
            folders: vec![self.games()],
            index: true,
            ..PageOptions::default()
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn filled(test: &str) -> Folder {
    let folder = Folder::new(test);
    for suffix in ["si4", "sg4", "sn4"] {
        folder.copy(&format!("famous.{suffix}"), &format!("classics.{suffix}"));
    }
    folder.copy("famous.pgn", "my games.pgn");
    folder
}

fn total(tab: &Tab) -> u32 {
    let text = tab.text("#games-count");
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

fn does(what: &str, file: &str) -> String {
    format!("[data-does='{what} games/{file}']")
}

#[test]
fn databases_of_a_folder_are_opened_and_closed_by_mouse() {
    let folder = filled("opens");
    with_page(vec![fixture("famous.si4")], folder.page(), "/", |tab| {
        let one = total(tab);
        tab.wait("document.querySelector('#folders-open')");
        tab.click("#folders-open");
        tab.wait("document.querySelectorAll('#folders tbody tr').length === 3");
        picture(tab, "folders.png");
        tab.prefer(&[("prefers-color-scheme", "dark")]);
        picture(tab, "folders-dark.png");
        tab.click(&does("open", "my games.pgn"));
        tab.wait("document.querySelector('#folders .is-open .badge, #folders .is-open button')");
        tab.wait("document.querySelectorAll('#folders .is-open').length === 2");
        tab.settle();
        assert_eq!(total(tab), 2 * one);
        // The button has become the one that closes it, and keeps the focus.
        tab.wait("document.activeElement.textContent === 'Close'");
        assert_eq!(tab.texts("#databases-list .name"), ["famous", "my games"]);
        tab.click(&does("open", "my games.pgn"));
        tab.wait("document.querySelectorAll('#folders .is-open').length === 1");
        tab.settle();
        assert_eq!(total(tab), one);
    });
}

#[test]
fn a_chosen_database_that_is_closed_is_chosen_no_more() {
    let folder = filled("chosen");
    with_page(
        vec![fixture("famous.si4")],
        folder.page(),
        "/?db=famous",
        |tab| {
            let one = total(tab);
            tab.wait("document.querySelector('#folders-open')");
            tab.click("#folders-open");
            tab.wait("document.querySelectorAll('#folders tbody tr').length === 3");
            tab.click(&does("open", "classics.si4"));
            tab.wait("location.search === '?db=famous,classics'");
            tab.settle();
            assert_eq!(total(tab), 2 * one);
            tab.click(&does("open", "classics.si4"));
            tab.wait("location.search === '?db=famous'");
            tab.settle();
            assert_eq!(total(tab), one);
            assert!(tab.is("document.querySelector('#trouble').hidden"));
        },
    );
}

#[test]
fn famous_games_are_told_apart_from_ones_own_by_the_page() {
    with_page(Vec::new(), PageOptions::default(), "/", |tab| {
        tab.wait_for_text("#databases-hint", "famous games are part of tabiya");
        assert!(tab.text("#databases-hint").contains("tabiya explore"));
        assert!(tab.text("#databases-only").contains("famous"));
    });
    on("/", |tab| assert_eq!(tab.text("#databases-hint"), ""));
}

#[test]
fn without_an_open_database_the_page_says_so_and_one_is_opened_by_keyboard() {
    let folder = filled("keyboard");
    with_page(Vec::new(), folder.page(), "/", |tab| {
        assert_eq!(tab.text("#databases-only"), "No database is open");
        tab.wait_for_text("#databases-hint", "“Open…” lists");
        tab.wait("document.querySelector('#folders-open')");
        tab.value("document.querySelector('#folders-open').focus()");
        tab.key("Enter");
        tab.wait("document.querySelectorAll('#folders tbody tr').length === 2");
        // The dialog's first control is the one that closes it; the list follows.
        tab.key("Tab");
        assert_eq!(
            tab.value("document.activeElement.ariaLabel"),
            "Open: classics.si4"
        );
        tab.key("Enter");
        tab.wait("document.querySelectorAll('#folders .is-open').length === 1");
        tab.key("Escape");
        tab.wait("!document.querySelector('#folders').open");
        assert_eq!(tab.value("document.activeElement.id"), "folders-open");
        tab.settle();
        assert!(total(tab) > 50);
        assert!(tab.text("#databases-only").starts_with("classics"));
    });
}

#[test]
fn a_database_is_opened_with_a_finger_on_a_phone() {
    let folder = filled("finger");
    with_page(vec![fixture("famous.si4")], folder.page(), "/", |tab| {
        tab.size(360, 740);
        tab.open("/");
        tab.wait("document.querySelector('#folders-open')");
        tab.tap("#folders-open");
        tab.wait("document.querySelectorAll('#folders tbody tr').length === 3");
        assert_eq!(
            tab.number("document.documentElement.scrollWidth - innerWidth"),
            0.0
        );
        let beyond = "document.querySelector('#folders').scrollWidth \
                      - document.querySelector('#folders').clientWidth";
        assert_eq!(tab.number(beyond), 0.0);
        picture(tab, "folders-phone.png");
        tab.tap(&does("open", "classics.si4"));
        tab.wait("document.querySelectorAll('#folders .is-open').length === 2");
        let clipped = "[...document.querySelectorAll('#folders td button')]\
                       .filter(button => button.scrollWidth > button.clientWidth).length";
        assert_eq!(tab.number(clipped), 0.0);
        tab.tap("#folders .icon");
        tab.settle();
        // The head has room for the list of databases, the keys and the colours.
        tab.tap("#databases summary");
        let beyond = "document.documentElement.scrollWidth - innerWidth";
        assert_eq!(tab.number(beyond), 0.0);
        picture(tab, "databases-phone.png");
    });
}

#[test]
fn an_index_is_built_on_the_page_and_shown_as_there() {
    let folder = filled("built");
    with_page(vec![], folder.page(), "/", |tab| {
        tab.wait("document.querySelector('#folders-open')");
        tab.click("#folders-open");
        tab.wait("document.querySelectorAll('#folders tbody tr').length === 2");
        tab.click(&does("open", "classics.si4"));
        tab.wait(&format!(
            "document.querySelector({:?})",
            does("index", "classics.si4")
        ));
        tab.click(&does("index", "classics.si4"));
        tab.wait_for_text("#folders-job", "The index of classics is built.");
        tab.wait("document.querySelector('#folders .badge')");
        assert!(folder.games().join("classics.tabiya").is_file());
        tab.settle();
        assert!(total(tab) > 50);
    });
}

#[test]
fn an_index_being_built_shows_its_progress_and_can_be_stopped() {
    let folder = filled("stopped");
    let games = fs::read(fixture("famous.pgn")).expect("a fixture");
    fs::write(folder.games().join("large.pgn"), games.repeat(3000)).expect("a file");
    with_page(vec![], folder.page(), "/", |tab| {
        tab.wait("document.querySelector('#folders-open')");
        tab.click("#folders-open");
        tab.wait("document.querySelectorAll('#folders tbody tr').length === 3");
        tab.click(&does("open", "large.pgn"));
        tab.wait(&format!(
            "document.querySelector({:?})",
            does("index", "large.pgn")
        ));
        tab.click(&does("index", "large.pgn"));
        tab.wait("document.querySelector('#index-stop')");
        picture(tab, "index.png");
        tab.click("#index-stop");
        tab.wait_for_text("#folders-job", "was stopped");
        assert!(!folder.games().join("large.tabiya").exists());
    });
}

// Windows has no such names.
#[cfg(unix)]
#[test]
fn damaged_databases_and_hostile_names_are_texts_in_the_list() {
    let folder = filled("hostile");
    let evil = "<img src=x onerror=document.title='hacked'>.pgn";
    folder.copy("famous.pgn", evil);
    fs::write(folder.games().join("broken.si4"), "nonsense").expect("a file");
    with_page(vec![fixture("famous.si4")], folder.page(), "/", |tab| {
        tab.wait("document.querySelector('#folders-open')");
        tab.click("#folders-open");
        tab.wait("document.querySelectorAll('#folders tbody tr').length === 5");
        assert!(tab.texts("#folders .name").contains(&evil.to_owned()));
        assert!(tab.text("#folders .fault").contains("not a chess database"));
        let shown = tab.text("#folders");
        assert!(
            !shown.contains(Path::new("/tmp").to_str().expect("a path")),
            "{shown}"
        );
        let button = "document.querySelector(\"#folders button[aria-label*='<img']\").click()";
        tab.value(button);
        tab.wait("document.querySelectorAll('#folders .is-open').length === 2");
        assert!(tab.is("!document.querySelector('#folders img, header img:not(.home img)')"));
        assert!(tab.is("!document.title.includes('hacked')"));
        tab.value("document.querySelector('#folders').close()");
        tab.settle();
        tab.click("#databases summary");
        tab.value("document.querySelectorAll('#databases-list .quiet')[2].click()");
        tab.settle();
        assert!(tab.text("#databases-chosen").contains("<img"));
    });
}

#[test]
fn many_databases_are_switched_on_and_off() {
    let names: Vec<PathBuf> = (0..40).map(|_| fixture("famous.si4")).collect();
    with(names, "/", |tab| {
        let all = total(tab);
        tab.click("#databases summary");
        assert_eq!(tab.texts("#databases-list input").len(), 40);
        let fits = "document.querySelector('#databases fieldset').getBoundingClientRect().bottom \
                    <= innerHeight";
        assert!(tab.is(fits));
        tab.click("#databases-list .database:nth-child(8) .quiet");
        tab.wait("location.search === '?db=famous-7'");
        tab.settle();
        assert_eq!(40 * total(tab), all);
        tab.click("#databases-list .database:nth-child(30) input");
        tab.wait("location.search === '?db=famous-7,famous-29'");
        tab.settle();
        assert_eq!(20 * total(tab), all);
        picture(tab, "many.png");
        tab.click("#databases-all");
        tab.wait("location.search === ''");
        tab.settle();
        assert_eq!(total(tab), all);
        // Escape closes the list and goes back to where it was opened.
        tab.key("Escape");
        assert!(!tab.is("document.querySelector('#databases').open"));
        assert!(tab.is("document.activeElement.matches('#databases summary')"));
    });
}

#[test]
fn games_are_sorted_by_every_head_by_mouse_and_by_keyboard() {
    on("/", |tab| {
        // The table of games has room for all heads beside the board alone.
        tab.size(1280, 900);
        tab.panel("games");
        let keys = tab.value(
            "[...document.querySelectorAll('#games-table [data-sort]')].map(b => b.dataset.sort)",
        );
        let keys = keys.as_array().expect("keys").clone();
        assert_eq!(keys.len(), 8);
        for key in &keys {
            let key = key.as_str().expect("a key");
            let head = format!("#games-table [data-sort={key}]");
            let mut orders = Vec::new();
            for turn in 0..2 {
                if turn == 0 {
                    tab.click(&head);
                } else {
                    tab.value(&format!("document.querySelector({head:?}).focus()"));
                    tab.key("Enter");
                }
                tab.wait(&format!(
                    "document.querySelector('#sort').value.split(':')[0] === '{key}'"
                ));
                tab.settle();
                let sorted =
                    "document.querySelector('#games-table th[aria-sort$=ending]').ariaSort";
                orders.push((tab.value(sorted), tab.texts("#games-body tr")));
                assert_eq!(tab.texts("#games-table th[aria-sort$=ending]").len(), 1);
                assert!(tab.is("document.querySelector('#sort').selectedOptions.length === 1"));
            }
            assert_ne!(orders[0].0, orders[1].0, "{key}");
            assert_ne!(orders[0].1, orders[1].1, "{key}");
        }
        tab.open("/?sort=plies:desc");
        let moves: Vec<u32> = tab
            .texts("#games-body .plies")
            .iter()
            .map(|text| text.parse().expect("a number"))
            .collect();
        assert!(
            moves.iter().rev().is_sorted() && moves[0] > moves[19],
            "{moves:?}"
        );
        picture(tab, "sorted.png");
    });
}

#[test]
fn a_question_mark_shows_the_keys_and_keys_lead_everywhere() {
    on("/", |tab| {
        tab.key("?");
        tab.wait("document.querySelector('#help').open");
        assert!(tab.text("#help").contains("turns the board"));
        // Without an engine there is no key for one.
        assert!(!tab.is("document.querySelector('.engine-key').checkVisibility()"));
        picture(tab, "help.png");
        // Keys of the page do nothing behind a dialog.
        tab.key("f");
        assert_eq!(tab.address(), "/");
        // In one step: the focus leaves a closed dialog in the next frame only.
        tab.value(
            "const help = document.querySelector('#help'); help.close(); \
             help.querySelector('button') \
             .dispatchEvent(new KeyboardEvent('keydown', { key: 'l', bubbles: true }))",
        );
        assert!(tab.is("document.activeElement.matches('#games-body a')"));
        tab.key("?");
        tab.key("Escape");
        tab.wait("!document.querySelector('#help').open");
        tab.key("l");
        assert!(tab.is("document.activeElement.matches('#games-body a')"));
        tab.key("b");
        assert!(tab.is("document.activeElement.matches('.square')"));
        tab.key("Tab");
        assert!(
            !tab.is("document.activeElement.matches('.square')"),
            "the board holds the focus"
        );
        tab.key("/");
        assert_eq!(tab.value("document.activeElement.id"), "q");
        // Typed, it is a letter.
        tab.key("?");
        assert!(!tab.is("document.querySelector('#help').open"));
        tab.click("#help-open");
        tab.wait("document.querySelector('#help').open");
        tab.click("#help .icon");
        tab.wait("!document.querySelector('#help').open");
    });
}

#[test]
fn the_tab_key_goes_through_the_whole_page_and_is_held_nowhere() {
    for path in ["/?play=e2e4", "/?game=00000003&ply=5"] {
        on(path, |tab| {
            let wanted = tab.number(
                "[...document.querySelectorAll('a, button, input, select, summary, [tabindex]')]\
                 .filter(e => e.tabIndex >= 0 && !e.disabled && e.checkVisibility()).length",
            );
            tab.value("window.reached = new Set()");
            let mut steps = 0.0;
            loop {
                tab.key("Tab");
                steps += 1.0;
                let is_over = tab.is("document.activeElement === document.body || \
                     reached.has(document.activeElement) || \
                     (reached.add(document.activeElement), false)");
                if is_over || steps > wanted + 5.0 {
                    break;
                }
            }
            let reached = tab.number("reached.size");
            assert!(
                reached >= wanted && steps <= wanted + 2.0,
                "{path}: {reached} of {wanted}"
            );
        });
    }
}
