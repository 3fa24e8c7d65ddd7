//! The analysis board: games that are entered, annotated, kept, and saved.

use std::{fs, path::PathBuf};

use serde_json::json;
use tabiya::{Database, GameId, format::GameText};
use tabiya_explorer::PageOptions;

use crate::{
    input::{Held, square},
    look::picture,
    server::fixture,
    tab::{Tab, on, with, with_page},
};

/// Plays a move and waits until the notation has it.
fn played(tab: &Tab, from: &str, to: &str, san: &str) {
    tab.wait(&format!(
        "document.querySelector('[data-square={from}].movable')"
    ));
    tab.play(from, to);
    tab.wait(&format!(
        "document.querySelector('#notation [aria-current]')?.textContent.includes({san:?})"
    ));
    tab.settle();
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

/// Returns the game as PGN, as it would be copied.
fn pgn(tab: &Tab) -> String {
    let kept = tab.value("JSON.parse(localStorage.getItem('analysis')).pgn");
    kept.as_str().expect("PGN").to_owned()
}

fn moves(tab: &Tab) -> String {
    let pgn = pgn(tab);
    let (_, moves) = pgn.split_once("\n\n").expect("moves");
    moves.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn entered(tab: &Tab) {
    tab.click("#analyse");
    tab.wait("!document.querySelector('#annotate').hidden");
    tab.settle();
    played(tab, "e2", "e4", "e4");
    played(tab, "e7", "e5", "e5");
    tab.click("#back");
    tab.wait("document.querySelector('#notation [aria-current]').textContent.includes('e4')");
    tab.settle();
    played(tab, "c7", "c5", "c5");
}

const ENTERED: &str = "1. e4 e5 ( 1... c5 ) *";

#[test]
fn a_game_is_entered_annotated_undone_and_kept_over_a_reload() {
    on("/", |tab| {
        entered(tab);
        assert_eq!(
            moves(tab).replace("(1...", "( 1...").replace("c5)", "c5 )"),
            ENTERED
        );
        tab.click("[data-nag='5']");
        tab.click("[data-nag='1']");
        tab.click("[data-nag='14']");
        tab.write("#note", "sharp <img src=x onerror=alert(1)> }");
        tab.wait_for_text("#notation .comment", "sharp");
        tab.draw("d7", "d5", Held::None);
        tab.wait("document.querySelectorAll('.arrows path[data-color=G]').length === 2");
        tab.draw("e4", "e4", Held::Shift);
        tab.wait("document.querySelector('.arrows .ring[data-color=R]')");
        let annotated = "1. e4 e5 (1... c5 $1 $14 { [%csl Re4] [%cal Gd7d5] \
                         sharp <img src=x onerror=alert(1)> ) }) *";
        assert_eq!(moves(tab), annotated);
        assert!(!tab.is("document.querySelector('#notation img, #annotate img')"));
        assert_eq!(
            tab.texts("#notation .comment"),
            ["sharp <img src=x onerror=alert(1)> } "]
        );
        // Another page of the explorer leaves it alone.
        let address = tab.address();
        tab.open("/?play=d2d4");
        tab.open(&address);
        tab.wait_for_text("#notation", "sharp");
        assert_eq!(moves(tab), annotated);
        assert_eq!(
            tab.value("document.querySelector('#note').value"),
            "sharp <img src=x onerror=alert(1)> )"
        );
        // The same square in the same colour once more takes the mark away.
        tab.draw("e4", "e4", Held::Shift);
        tab.wait("!document.querySelector('.arrows .ring')");
        tab.value("document.activeElement.blur()");
        tab.undo_by_key("z");
        tab.wait("document.querySelector('.arrows .ring[data-color=R]')");
        tab.undo_by_key("y");
        tab.wait("!document.querySelector('.arrows .ring')");
        tab.click("#main-line");
        tab.wait(
            "document.querySelector('#notation .main > .ply:nth-of-type(2)')\
                  .textContent.includes('c5')",
        );
        assert!(moves(tab).contains("(1... e5)"), "{}", moves(tab));
        tab.click("#cut");
        tab.wait("document.querySelectorAll('#notation .ply').length === 2");
        assert_eq!(moves(tab), "1. e4 e5 *");
        tab.click("#undo");
        tab.wait("document.querySelectorAll('#notation .ply').length === 3");
        tab.click("#mine-new");
        tab.wait("document.querySelectorAll('#notation .ply').length === 0");
        tab.click("#undo");
        tab.wait("document.querySelectorAll('#notation .ply').length === 3");
    });
}

#[test]
fn a_move_off_an_open_game_begins_a_variation_and_the_game_stays() {
    on("/?game=00000003&ply=4", |tab| {
        tab.wait("document.querySelector('#notation [aria-current]')");
        tab.wait("document.querySelector('.movable')");
        let count = "document.querySelectorAll('#notation .ply').length";
        let before = tab.number(count);
        let variations = tab.texts("#notation .variation").len();
        let title = tab.text("#game-title");
        played(tab, "a2", "a3", "a3");
        assert!(tab.address().contains("game=mine"), "{}", tab.address());
        assert_eq!(tab.number(count), before + 1.0);
        assert_eq!(tab.text("#game-title"), title);
        assert_eq!(tab.texts("#notation .variation").len(), variations + 1);
        tab.click("[data-nag='6']");
        tab.write("#note", "Gives the attack away.");
        tab.draw("f1", "c4", Held::None);
        tab.wait("document.querySelectorAll('.arrows path[data-color=G]').length === 2");
        picture(tab, "analysis.png");
        tab.click("#without");
        tab.wait(&format!("{count} === {before}"));
        // A browser that keeps nothing is told of.
        tab.value("Storage.prototype.setItem = () => { throw new Error('full'); }");
        tab.click("[data-nag='1']");
        tab.wait_for_text("#note-fault", "This browser keeps nothing");
        // An unsaved game that gives way can be brought back.
        tab.click("#mine-from");
        tab.wait_for_text("#mine-told", "Undo brings it back");
        tab.click("#undo");
        tab.wait(&format!("{count} === {before}"));
    });
}

#[test]
fn a_pasted_game_keeps_names_comments_and_variations() {
    let text = "[Event \"Cup\"]\n[White \"<b>Me</b>\"]\n[Black \"You\"]\n[WhiteElo \"2100\"]\n\
        [Source \"x\"]\n[Result \"1/2-1/2\"]\n\n{ first } 1. d4 $6 { why } (1. e4 { or } 1... e5 \
        (1... c5 2. Nf3 (2. c3))) 1... d5 { [%clk 0:01:00] } 1/2-1/2\n";
    on("/", |tab| {
        paste(tab, text);
        tab.wait_for_text("#notation", "Nf3");
        let told = tab.text("#game-title");
        assert!(
            told.contains("<b>Me</b>") && told.contains("2100"),
            "{told}"
        );
        let kept = pgn(tab);
        for part in [
            "[Event \"Cup\"]",
            "[White \"<b>Me</b>\"]",
            "[Source \"x\"]",
            "[WhiteElo \"2100\"]",
            "{ first }",
            "d4 $6",
            "{ why }",
            "{ or }",
            "(2. c3)",
            "[%clk 0:01:00]",
            "1/2-1/2\n",
        ] {
            assert!(kept.contains(part), "{part}: {kept}");
        }
        tab.click("#details summary");
        tab.write("#tag-black", "Someone \"Else\"");
        tab.value("document.querySelector('#tag-result').value = '1-0'");
        tab.click("#details-form button");
        tab.wait_for_text("#game-title", "Someone \"Else\"");
        assert!(
            pgn(tab).contains("[Black \"Someone \\\"Else\\\"\"]"),
            "{}",
            pgn(tab)
        );
        assert!(pgn(tab).ends_with("1-0\n"), "{}", pgn(tab));
        paste(tab, "[White \"x\"]\n\n1. e4 e5 2. Ke3 Nf6 *");
        tab.wait_for_text("#note-fault", "illegal move Ke3");
        assert!(moves(tab).starts_with("1. e4 e5 "), "{}", moves(tab));
    });
}

/// Returns the games of a database as PGN.
fn games(path: &std::path::Path) -> Vec<String> {
    let database = Database::open(path).expect("a database");
    let text = |game: u32| {
        let mut text = GameText::new(&database.header(GameId(game)).expect("a header"));
        database.visit(GameId(game), &mut text).expect("a game");
        text.finish().expect("PGN")
    };
    (0..database.len()).map(text).collect()
}

/// A folder with a copy of the fixture, which goes with its test.
struct Saved(PathBuf);

impl Saved {
    fn new(name: &str) -> Saved {
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        let folder = path.join("saved");
        fs::create_dir_all(&folder).expect("a folder");
        for suffix in ["si4", "sg4", "sn4"] {
            let to = folder.join(format!("base.{suffix}"));
            fs::copy(fixture(&format!("famous.{suffix}")), to).expect("a file");
        }
        Saved(path)
    }

    fn folder(&self) -> PathBuf {
        self.0.join("saved")
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_game_is_saved_replaced_and_taken_back() {
    let saved = Saved::new("explorer-browser-save");
    let base = saved.folder().join("base.si4");
    let before = games(&base);
    let page = PageOptions {
        write: vec![saved.folder()],
        ..PageOptions::default()
    };
    with_page(vec![base.clone()], page, "/", |tab| {
        entered(tab);
        tab.write("#note", "saved by hand");
        tab.wait_for_text("#notation .comment", "saved");
        tab.wait("document.querySelector('#save-into')");
        tab.click("#save-into");
        tab.wait("document.querySelectorAll('#base option').length === 2");
        picture(tab, "save-into.png");
        tab.click("#base-add");
        tab.wait_for_text("#base-told", "Saved as game 92");
        let now = games(&base);
        assert_eq!((now.len(), &now[..91]), (92, &before[..]));
        let expected = "1. e4 e5 (1... c5 {saved by hand}) *";
        let text = now[91].split_once("\n\n").expect("moves").1;
        let plain = |text: &str| text.replace("{ ", "{").replace(" }", "}").trim().to_owned();
        assert_eq!(plain(text), expected);
        tab.wait("document.querySelector('#databases-only').textContent.includes('92')");
        // It came from there now, and is replaced there.
        tab.wait("!document.querySelector('#base-replace').hidden");
        tab.wait("!document.querySelector('#base').disabled");
        tab.click("#bases .icon");
        tab.click("[data-nag='6']");
        tab.wait_for_text("#notation", "c5?!");
        tab.click("#save-into");
        tab.click("#base-replace");
        tab.wait_for_text("#base-told", "Saved as game 92");
        assert!(games(&base)[91].contains("c5 $6") || games(&base)[91].contains("c5?!"));
        tab.wait("!document.querySelector('#base').disabled");
        tab.click("#base-undo");
        tab.wait_for_text("#base-told", "Taken back");
        assert_eq!(games(&base), now);
        tab.wait("!document.querySelector('#base').disabled");
        // A new database, under a name that is free.
        tab.value(
            "(() => { const base = document.querySelector('#base'); base.value = 'new'; \
                   base.dispatchEvent(new Event('change')); })()",
        );
        tab.write("#base-name", "my games");
        tab.click("#base-add");
        tab.wait_for_text("#base-told", "Saved as game 1 of my games.pgn");
        assert_eq!(games(&saved.folder().join("my games.pgn")).len(), 1);
    });
}

#[test]
fn saving_takes_what_was_typed_about_the_game_and_not_set() {
    let saved = Saved::new("explorer-browser-typed");
    let page = PageOptions {
        write: vec![saved.folder()],
        ..PageOptions::default()
    };
    with_page(Vec::new(), page, "/", |tab| {
        entered(tab);
        tab.wait("document.querySelector('#save-into')");
        tab.click("#details summary");
        tab.write("#tag-white", "Me, Myself");
        tab.write("#tag-date", "yesterday");
        // What cannot be read is shown where it was typed, and nothing is saved.
        tab.click("#save-into");
        tab.wait("document.activeElement.id === 'tag-date'");
        assert!(!tab.is("document.querySelector('#bases').open"));
        tab.write("#tag-date", "2026.05.17");
        tab.value("document.querySelector('#tag-result').value = '1-0'");
        tab.click("#save-into");
        tab.wait("document.querySelectorAll('#base option').length === 2");
        tab.click("#base-add");
        tab.wait_for_text("#base-told", "Saved as game 92");
        let now = games(&saved.folder().join("base.si4"));
        for part in ["[White \"Me, Myself\"]", "[Date \"2026.05.17\"]", "1-0\n"] {
            assert!(now[91].contains(part), "{part}: {}", now[91]);
        }
        // What was typed for one game is not taken for the next one.
        tab.click("#bases .icon");
        tab.write("#tag-black", "Someone");
        tab.click("#mine-new");
        tab.wait("document.querySelectorAll('#notation .ply').length === 0");
        assert_eq!(tab.value("document.querySelector('#tag-black').value"), "");
        tab.click("#mine-copy");
        assert!(!pgn(tab).contains("Someone"), "{}", pgn(tab));
    });
}

#[test]
fn a_new_analysis_board_begins_without_a_fault_of_the_fen() {
    let is_well = |tab: &Tab| {
        tab.wait("!document.querySelector('#annotate').hidden");
        tab.settle();
        tab.wait("document.querySelector('#fen-fault').textContent === ''");
        assert_eq!(tab.text("#note-fault"), "");
        assert!(!tab.is("document.querySelector('#fen').ariaInvalid"));
        assert_eq!(tab.square("e2"), "white pawn");
    };
    on("/", |tab| {
        tab.write("#fen", "no position");
        tab.value("document.querySelector('#fen-form').requestSubmit()");
        tab.wait("document.querySelector('#fen-fault').textContent !== ''");
        tab.click("#analyse");
        is_well(tab);
        played(tab, "e2", "e4", "e4");
    });
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    on("/?fen=4k3/8/8/8/8/8/4P3/4K3%20w%20-%20-%200%201", |tab| {
        tab.click("#analyse");
        is_well(tab);
        played(tab, "e2", "e4", "e4");
        assert!(
            pgn(tab).contains(&format!("[FEN \"{fen}\"]")),
            "{}",
            pgn(tab)
        );
    });
    on("/", |tab| {
        tab.expect("400");
        tab.open("/?fen=no%20position");
        tab.wait("document.querySelector('#fen-fault').textContent !== ''");
        tab.click("#analyse");
        is_well(tab);
        played(tab, "e2", "e4", "e4");
    });
}

#[test]
fn the_database_that_is_open_is_offered_first_for_saving() {
    let saved = Saved::new("explorer-browser-first");
    for suffix in ["si4", "sg4", "sn4"] {
        let [from, to] = ["base", "another"].map(|stem| saved.folder().join(stem));
        fs::copy(from.with_extension(suffix), to.with_extension(suffix)).expect("a file");
    }
    let page = PageOptions {
        write: vec![saved.folder()],
        ..PageOptions::default()
    };
    with_page(vec![saved.folder().join("base.si4")], page, "/", |tab| {
        entered(tab);
        tab.wait("document.querySelector('#save-into')");
        tab.click("#save-into");
        tab.wait("document.querySelectorAll('#base option').length === 3");
        assert_eq!(
            tab.texts("#base option")[..2],
            ["saved / base.si4", "saved / another.si4"]
        );
        assert_eq!(tab.value("document.querySelector('#base').value"), "0");
    });
}

#[test]
fn an_open_game_is_marked_as_deleted_and_that_is_taken_back() {
    let saved = Saved::new("explorer-browser-delete");
    let base = saved.folder().join("base.si4");
    let page = PageOptions {
        write: vec![saved.folder()],
        ..PageOptions::default()
    };
    with_page(vec![base.clone()], page, "/?game=00000003", |tab| {
        let deleted = || {
            let database = Database::open(&base).expect("a database");
            let query = "flag:deleted".parse().expect("a query");
            tabiya::Search::new(&query)
                .count(&database)
                .expect("a number")
                .matched
        };
        tab.wait("document.querySelector('#game-delete')");
        tab.wait("document.querySelector('#notation .ply')");
        tab.click("#game-delete");
        tab.wait_for_text("#game-told", "of base.si4 is marked as deleted");
        assert_eq!(deleted(), 1);
        tab.wait("!document.querySelector('#game-restore').disabled");
        tab.click("#game-restore");
        tab.wait_for_text("#game-told", "Taken back");
        assert_eq!(deleted(), 0);
    });
}

#[test]
fn without_the_option_the_page_offers_no_saving() {
    with(vec![fixture("famous.si4")], "/?game=mine", |tab| {
        tab.wait("!document.querySelector('#annotate').hidden");
        tab.settle();
        assert!(!tab.is("document.querySelector('#save-into, #game-delete')"));
    });
}

#[test]
fn the_analysis_board_is_worked_by_keys_and_fits_a_phone() {
    on("/", |tab| {
        tab.size(390, 844);
        tab.open("/?play=e2e4");
        tab.key("a");
        tab.wait("document.querySelectorAll('#notation .ply').length === 1");
        tab.settle();
        tab.key("3");
        tab.wait_for_text("#notation", "e4!!");
        tab.value("document.querySelector('[data-square=e4]').focus()");
        tab.key("d");
        tab.key("ArrowUp");
        tab.key("d");
        tab.wait("document.querySelectorAll('.arrows path[data-color=G]').length === 2");
        assert!(moves(tab).contains("[%cal Ge4e5]"), "{}", moves(tab));
        tab.value("document.querySelectorAll('details').forEach(part => part.open = true)");
        let beyond = "document.documentElement.scrollWidth - innerWidth";
        assert_eq!(tab.number(beyond), 0.0);
        tab.value("document.querySelector('#annotate').scrollIntoView()");
        picture(tab, "analysis-phone.png");
        tab.value("document.querySelectorAll('details').forEach(part => part.open = false)");
        tab.value("document.activeElement.blur()");
        tab.key("c");
        assert_eq!(tab.value("document.activeElement.id"), "note");
        let nameless = "[...document.querySelectorAll('#annotate :is(button, input, select, \
            textarea)')].filter(one => !(one.textContent.trim() || one.ariaLabel \
            || one.labels?.length)).length";
        assert_eq!(tab.number(nameless), 0.0);
        assert!(tab.is(&format!("document.querySelector('{}')", square("e4"))));
    });
}
