//! Similar positions, novelties, folding, lists and saving: by mouse, finger and key.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    look::picture,
    server::{fixture, written},
    tab::{Tab, on, with},
};

const EVIL: &str = "<img src=x onerror=document.title='hacked'>";
const FOLDING: &str = "[White \"A\"]\n[Black \"B\"]\n[Medals \"best-game, <b>x, tactics\"]\n\n\
    1. e4 { [%medal endgame] } (1. d4 d5 (1... Nf6 2. c4 e6) 2. c4) e5 (1... c5 2. Nf3) \
    2. Nf3 Nc6 *\n";

/// A folder into which the browser saves, gone with its test.
struct Saved(PathBuf);

impl Saved {
    fn of(tab: &Tab, name: &str) -> Saved {
        let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let wish = json!({ "behavior": "allow", "downloadPath": folder });
        tab.browser.ask("Page.setDownloadBehavior", wish);
        Saved(folder)
    }

    /// Waits for a file and reads it.
    #[track_caller]
    fn file(&self, name: &str) -> Vec<u8> {
        let started = Instant::now();
        loop {
            match fs::read(self.0.join(name)) {
                Ok(bytes) if !bytes.is_empty() => return bytes,
                _ => std::thread::sleep(Duration::from_millis(50)),
            }
            let there = || {
                let entries = fs::read_dir(&self.0).expect("a folder").flatten();
                entries.map(|entry| entry.file_name()).collect::<Vec<_>>()
            };
            assert!(
                started.elapsed() < Duration::from_secs(30),
                "{name}: {:?}",
                there()
            );
        }
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Opens what can be opened and waits for the list.
fn open_menu(tab: &Tab) {
    tab.click("#save-menu summary");
    tab.wait("document.querySelector('#save-menu').open");
}

fn choose(tab: &Tab, selector: &str, value: &str) {
    tab.value(&format!(
        "(() => {{ const box = document.querySelector({selector:?}); box.value = {value:?}; \
         box.dispatchEvent(new Event('change')); }})()"
    ));
}

/// Runs a test on the game with variations.
fn on_folds(name: &str, test: impl FnOnce(&mut Tab)) {
    let database = written(name, FOLDING);
    with(vec![database.clone()], "/?game=00000001", |tab| {
        tab.wait("document.querySelectorAll('#notation .variation').length === 3");
        test(tab);
    });
    let _ = fs::remove_file(database);
}

#[test]
fn similar_positions_are_listed_by_likeness_and_open_where_they_are() {
    on("/?play=e2e4,e7e5,g1f3,b8c6,f1b5", |tab| {
        tab.click("#similar");
        tab.wait("location.search.includes('like=')");
        tab.settle();
        tab.wait("document.querySelectorAll('td.like').length === 20");
        assert_eq!(tab.text("#games-count"), "The 91 most similar games");
        let shares = tab.texts("td.like");
        assert_eq!(shares[0], "100%");
        let numbers: Vec<u32> = shares
            .iter()
            .map(|share| share.trim_end_matches('%').parse().expect("a number"))
            .collect();
        assert!(
            numbers.is_sorted_by(|one, other| one >= other),
            "{numbers:?}"
        );
        picture(tab, "similar.png");
        // Without the same position nothing is the same.
        tab.click("#like-other");
        tab.wait("location.search.includes('other=true')");
        tab.settle();
        tab.wait("document.querySelector('td.like').textContent !== '100%'");
        // The filter holds.
        tab.write("#q", "player:kasparov");
        tab.key("Enter");
        tab.wait("location.search.includes('kasparov')");
        tab.settle();
        assert!(
            tab.texts("#games-body .players")
                .iter()
                .all(|name| name.contains("Kasparov"))
        );
        tab.click("#games-body a");
        tab.wait("document.querySelector('#notation [aria-current]')");
        assert!(tab.address().contains("ply="), "{}", tab.address());
        // Similar ones to what the open game has, and back to all games.
        tab.key("End");
        tab.settle();
        let before = tab.address();
        tab.click("#similar");
        tab.wait(&format!(
            "location.pathname + location.search !== {before:?}"
        ));
        tab.settle();
        tab.click("#like-end");
        tab.wait("!location.search.includes('like=')");
        tab.settle();
        assert!(tab.is("document.querySelector('#like-bar').hidden"));
        assert_eq!(tab.texts("td.like").len(), 0);
    });
}

#[test]
fn similar_positions_are_asked_for_by_finger_and_by_key() {
    on("/?play=e2e4", |tab| {
        tab.size(360, 740);
        tab.open("/?play=e2e4");
        tab.tap("#similar");
        tab.wait("location.search.includes('like=')");
        tab.settle();
        tab.wait("document.querySelectorAll('td.like').length === 20");
        assert_eq!(
            tab.number("document.documentElement.scrollWidth - innerWidth"),
            0.0
        );
        tab.value("document.querySelector('#like-end').focus()");
        tab.key("Enter");
        tab.wait("!location.search.includes('like=')");
        tab.value("document.querySelector('#similar').focus()");
        tab.key("Enter");
        tab.wait("location.search.includes('like=')");
        // A move leads to the games of its position.
        tab.settle();
        tab.size(1280, 900);
        tab.play("e7", "e5");
        tab.wait("location.search === '?play=e2e4,e7e5'");
    });
}

#[test]
fn a_game_says_where_it_leaves_earlier_ones_and_goes_there() {
    on("/?q=player:kasparov&sort=date:desc", |tab| {
        tab.click("#games-body a");
        tab.wait("document.querySelector('#notation .ply')");
        tab.click("#game-novelty");
        tab.wait("document.querySelector('#novelty-move')");
        assert!(
            tab.text("#novelty").contains(" is new: "),
            "{}",
            tab.text("#novelty")
        );
        let label = tab.text("#novelty-move").replace("...", "…");
        picture(tab, "novelty.png");
        tab.click("#novelty-move");
        tab.wait("document.querySelector('#notation [aria-current]')");
        tab.settle();
        let san = label
            .split(['.', '…'])
            .next_back()
            .expect("a move")
            .to_owned();
        assert!(tab.text("#notation [aria-current]").contains(&san));
        // The last game before it opens at the position that both have.
        let game = tab.text("#game-title");
        let place = "document.querySelector('#novelty a').href.split('ply=')[1]";
        assert!(tab.is(place));
        tab.click("#novelty a");
        tab.wait(&format!(
            "document.querySelector('#game-title').textContent !== {game:?}"
        ));
        tab.wait("document.querySelector('#novelty').hidden");
    });
}

#[test]
fn the_games_of_a_list_say_where_they_leave_earlier_ones() {
    on("/?q=player:morphy&sort=date:desc", |tab| {
        for way in ["mouse", "finger", "key"] {
            match way {
                "mouse" => tab.click("#games-novelties"),
                "finger" => tab.tap("#games-novelties"),
                _ => {
                    tab.value("document.querySelector('#games-novelties').focus()");
                    tab.key("Enter");
                }
            }
            tab.wait("!document.querySelector('#novelties-table').hidden");
            let rows = tab.texts("#novelties-body tr");
            assert_eq!(rows.len(), tab.texts("#games-body tr").len(), "{way}");
            assert!(tab.is("document.activeElement.id === 'novelties-title'"));
            if way != "key" {
                tab.click("#novelties-close");
                tab.wait("document.querySelector('#novelties').hidden");
            }
        }
        picture(tab, "novelties.png");
        tab.click("#novelties-body .new a");
        tab.wait("document.querySelector('#notation [aria-current]')");
    });
}

#[test]
fn variations_fold_one_by_one_and_all_together() {
    on_folds("folding", |tab| {
        assert_eq!(tab.texts(".medal"), ["best game", "tactics"]);
        assert!(
            tab.texts("#notation .aside")
                .contains(&"endgame".to_owned())
        );
        let folded = |tab: &Tab| tab.texts(".variation.folded").len();
        let seen = |tab: &Tab| {
            tab.number(
                "[...document.querySelectorAll('#notation .ply')]\
                        .filter(ply => ply.offsetWidth).length",
            )
        };
        assert_eq!(seen(tab), 12.0);
        tab.click(".variation .fold");
        assert_eq!((folded(tab), seen(tab)), (1, 7.0));
        let state = "document.querySelector('.variation .fold').ariaExpanded";
        assert_eq!(tab.value(state), "false");
        // A place in an address unfolds what it is in.
        tab.tap(".variation .fold");
        assert_eq!(folded(tab), 0);
        tab.click("#fold-all");
        assert_eq!(
            (folded(tab), tab.text("#fold-all")),
            (3, "Unfold all".to_owned())
        );
        picture(tab, "folded.png");
        tab.click("#fold-all");
        assert_eq!((folded(tab), seen(tab)), (0, 12.0));
        // After a move of the main line its variations fold by key, and the one that is read.
        tab.click("#notation .main > .ply");
        tab.wait("location.search.includes('ply=1')");
        tab.key("v");
        assert_eq!(folded(tab), 1);
        tab.key("v");
        assert_eq!(folded(tab), 0);
        tab.click(".variation .variation .ply:last-of-type");
        tab.wait("location.search.includes('at=')");
        tab.settle();
        tab.key("v");
        // Its moves are hidden, so that the reader is before it now.
        tab.wait("document.querySelectorAll('.variation.folded').length === 1");
        tab.wait("!document.querySelector('.folded [aria-current]')");
    });
}

#[test]
fn keys_lead_to_the_next_and_the_previous_game_over_pages() {
    on("/?sort=number&page=2", |tab| {
        tab.click("#games-body a");
        tab.wait("document.querySelector('#games-body tr:first-child.open')");
        tab.settle();
        tab.key("p");
        tab.wait("document.querySelector('#games-body tr:last-child.open')");
        tab.settle();
        assert!(!tab.address().contains("page="), "{}", tab.address());
        tab.key("n");
        tab.wait("location.search.includes('page=2')");
        tab.wait("document.querySelector('#games-body tr:first-child.open')");
    });
}

#[test]
fn marked_games_are_put_into_a_list_that_lasts() {
    on("/?sort=number", |tab| {
        let box_of = |row: u32| format!("#games-body tr:nth-child({row}) .mark input");
        tab.click(&box_of(1));
        tab.tap(&box_of(3));
        tab.value(&format!("document.querySelector({:?}).focus()", box_of(5)));
        tab.key("m");
        assert_eq!(tab.text("#mark-count"), "3 games marked");
        assert!(!tab.address().contains("game="), "a mark opened the game");
        // A name that is markup stays a name.
        tab.write("#mark-name", EVIL);
        tab.key("Enter");
        tab.wait_for_text("#mark-told", "3 games added to");
        assert!(tab.is("document.querySelector('#mark-bar').hidden"));
        let marked: Vec<String> = [1, 3, 5]
            .map(|row| tab.text(&format!("#games-body tr:nth-child({row}) .players")))
            .to_vec();
        // The page is loaded anew, as after a restart of the server.
        tab.open("/");
        assert!(tab.is("!document.querySelector('#list-choice').hidden"));
        choose(tab, "#list-shown", EVIL);
        tab.wait("location.search.includes('list=')");
        tab.settle();
        tab.wait("document.querySelectorAll('#games-body tr').length === 3");
        assert_eq!(tab.texts("#games-body .players"), marked);
        picture(tab, "list.png");
        assert!(tab.is("!document.querySelector('main img:not(.man)')"));
        tab.click("#games-body a");
        tab.wait("document.querySelector('#notation .ply')");
        tab.key("n");
        tab.wait("document.querySelector('#games-body tr:nth-child(2).open')");
        tab.key("m");
        tab.wait("document.querySelector('#game-mark').ariaPressed === 'true'");
        tab.click("#list-remove");
        tab.wait("document.querySelectorAll('#games-body tr').length === 2");
        tab.click("#list-delete");
        tab.wait("!location.search.includes('list=')");
        tab.click("#mark-told button");
        tab.wait("location.search.includes('list=')");
        tab.wait("document.querySelectorAll('#games-body tr').length === 2");
        assert!(tab.is("!document.title.includes('hacked')"));
    });
}

#[test]
fn the_game_that_the_address_names_is_marked_even_before_it_has_come() {
    on("/?sort=number", |tab| {
        tab.click("#games-body a");
        tab.wait("document.querySelector('#notation .ply')");
        tab.value(
            "for (const key of ['n', 'm']) { \
               document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })) }",
        );
        tab.wait("document.querySelector('#game-mark').ariaPressed === 'true'");
        let of_row = |row: u32| format!("#games-body tr:nth-child({row}) .mark input");
        assert!(tab.is(&format!("document.querySelector({:?}).checked", of_row(2))));
        assert!(!tab.is(&format!("document.querySelector({:?}).checked", of_row(1))));
    });
}

#[test]
fn a_page_is_marked_at_once_and_damaged_storage_is_passed_over() {
    on("/?sort=number", |tab| {
        tab.click("#mark-all");
        assert_eq!(tab.text("#mark-count"), "20 games marked");
        tab.click("#page-on");
        tab.wait("location.search.includes('page=2')");
        tab.settle();
        assert!(tab.is("!document.querySelector('#mark-all').checked"));
        tab.click("#mark-none");
        assert!(tab.is("document.querySelector('#mark-bar').hidden"));
        for damaged in [
            "nonsense",
            "{}",
            "[1, null, {\"name\": 1}]",
            "[{\"name\": \"x\", \"games\": [[\"famous\", -1, \"y\"], [1, 2], \"z\"]}]",
        ] {
            tab.value(&format!("localStorage.setItem('lists', {damaged:?})"));
            tab.open("/");
            tab.settle();
            tab.click("#games-body .mark input");
            tab.write("#mark-name", "new");
            tab.key("Enter");
            tab.wait_for_text("#mark-told", "1 game added");
        }
        // A game that is not there any more is told, and the others are shown.
        let gone =
            "[{\"name\": \"old\", \"games\": [[\"gone\", 1, \"y\"], [\"famous\", 2, \"z\"]]}]";
        tab.value(&format!("localStorage.setItem('lists', {gone:?})"));
        tab.open("/?list=old");
        tab.wait_for_text("#list-note", "1 of the games on this page are not");
        assert!(tab.text("#list-note").contains("no longer as they were"));
        assert_eq!(tab.texts("#games-body tr").len(), 1);
    });
}

#[test]
fn games_are_saved_as_pgn_table_and_database() {
    on("/?q=player:morphy&sort=date", |tab| {
        let saved = Saved::of(tab, "explorer-saved");
        let games = tab.texts("#games-body tr").len();
        open_menu(tab);
        tab.wait_for_text("#save-what", &format!("All {games} games that were found"));
        picture(tab, "save.png");
        tab.click("#save");
        let pgn = String::from_utf8(saved.file("games.pgn")).expect("text");
        assert_eq!(pgn.matches("[Event ").count(), games);
        choose(tab, "#save-format", "csv");
        tab.tap("#save");
        let csv = String::from_utf8(saved.file("games.csv")).expect("text");
        assert_eq!(csv.lines().count(), games + 1);
        choose(tab, "#save-format", "si5");
        tab.value("document.querySelector('#save').focus()");
        tab.key("Enter");
        tab.wait_for_text("#save-told", "The database is there");
        assert!(saved.file("games.zip").starts_with(b"PK"));
        // Marked games alone, under the name of nobody's list.
        tab.click("#games-body .mark input");
        tab.wait_for_text("#save-what", "The game that is marked");
        let _ = fs::remove_file(saved.0.join("games.pgn"));
        choose(tab, "#save-format", "pgn");
        tab.click("#save");
        let pgn = String::from_utf8(saved.file("games.pgn")).expect("text");
        assert_eq!(pgn.matches("[Event ").count(), 1);
    });
}

#[test]
fn the_position_is_saved_as_a_picture() {
    on("/?play=e2e4&flip=true", |tab| {
        let saved = Saved::of(tab, "explorer-picture");
        tab.click("#picture");
        let svg = String::from_utf8(saved.file("position.svg")).expect("text");
        assert!(svg.starts_with("<svg ") && svg.contains("4P3"), "{svg}");
        assert_eq!(svg.matches("class=\"last\"").count(), 2);
    });
}

#[test]
fn charts_lead_to_the_move_that_is_under_the_pointer_at_any_width() {
    let moves = "{ [%eval 0.1] [%clk 1:00] } ";
    let pgn = format!("[White \"A\"]\n\n1. e4 {moves}e5 {moves}2. Nf3 {moves}Nc6 {moves}*\n");
    let database = written("charted", &pgn);
    with(vec![database.clone()], "/?game=00000001", |tab| {
        for width in [1280, 1000, 500, 360] {
            tab.size(width, 800);
            tab.open("/?game=00000001");
            tab.wait("document.querySelector('#game-curves svg')");
            // The middle of the chart is the middle of the game.
            tab.click("#game-curves svg");
            tab.wait("location.search.includes('ply=2')");
            let line = "(() => { const box = (e) => e.getBoundingClientRect(); \
                const chart = box(document.querySelector('#game-curves svg')); \
                const now = box(document.querySelector('#game-curves .now')); \
                return Math.abs(now.x + now.width / 2 - chart.x - chart.width / 2); })()";
            assert!(tab.number(line) < 2.0, "{width}: {}", tab.number(line));
        }
        assert_eq!(tab.texts("#game-curves .legend"), ["White Black"]);
    });
    let _ = fs::remove_file(database);
}

#[test]
fn everything_new_has_a_name_and_fits_small_screens_in_both_themes() {
    let hostile = format!(
        "[White \"{EVIL}\"]\n[Black \"\u{202e}evil\"]\n[Date \"2001.01.01\"]\n\
        [Medals \"{EVIL}\"]\n\n1. h4 (1. d4 {{ {EVIL} }}) 1... a5 *\n\n"
    );
    let later = hostile.replace("2001", "2002").replace("a5", "b5");
    let database = written("<i>working", &format!("{hostile}{later}"));
    with(vec![database.clone(), fixture("famous.si4")], "/", |tab| {
        for theme in ["light", "dark"] {
            tab.prefer(&[
                ("prefers-color-scheme", theme),
                ("prefers-reduced-motion", "reduce"),
            ]);
            tab.size(360, 740);
            tab.open("/?q=year:2001..2002&sort=date:desc");
            tab.panel("games");
            tab.click("#games-novelties");
            tab.wait("!document.querySelector('#novelties-table').hidden");
            tab.click("#mark-all");
            open_menu(tab);
            assert!(tab.is("!document.querySelector('main img:not(.man), main i img')"));
            picture(tab, &format!("working-{theme}.png"));
            assert_eq!(
                tab.number("document.documentElement.scrollWidth - innerWidth"),
                0.0
            );
            let nameless = "[...document.querySelectorAll('main button, main a, main select, \
                main input')].filter(e => e.offsetWidth && !(e.ariaLabel || e.textContent.trim() \
                || e.labels?.length)).map(e => e.outerHTML).join(' ')";
            assert_eq!(tab.value(nameless), "");
        }
        tab.click("#games-body a");
        tab.wait("document.querySelector('#notation .ply')");
        tab.click("#game-novelty");
        tab.wait_for_text("#novelty", "is new");
        assert!(tab.text("#novelty").contains(EVIL));
        assert!(tab.is("!document.querySelector('main img:not(.man)')"));
        assert!(tab.is("!document.title.includes('hacked')"));
        assert!(tab.is("document.querySelector('#game-medals').hidden"));
    });
    assert!(Path::new(&database).exists());
    let _ = fs::remove_file(database);
}
