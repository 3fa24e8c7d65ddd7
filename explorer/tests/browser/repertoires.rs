//! What a player takes home: his own games, files of lines, and where games leave them.

use std::{fs, path::PathBuf};

use serde_json::json;
use tabiya_explorer::PageOptions;

use crate::{
    look::{picture, picture_of_report},
    server::fixture,
    tab::{Tab, on, with_page},
};

/// A folder `lines` that goes with its test.
struct Lines(PathBuf);

impl Lines {
    fn new(test: &str, files: &[(&str, &str)]) -> Lines {
        let outer = std::env::temp_dir().join(format!("explorer-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&outer);
        let lines = Lines(outer);
        fs::create_dir_all(lines.folder()).expect("a folder");
        let white = fixture("lines/white.pgn");
        fs::copy(white, lines.folder().join("white.pgn")).expect("a file");
        for (name, text) in files {
            fs::write(lines.folder().join(name), text).expect("a file");
        }
        lines
    }

    fn folder(&self) -> PathBuf {
        self.0.join("lines")
    }

    /// Runs a test on a page that offers the files, beside famous games.
    fn with(&self, path: &str, test: impl FnOnce(&mut Tab)) {
        let page = PageOptions {
            repertoires: vec![self.folder()],
            ..PageOptions::default()
        };
        with_page(vec![fixture("famous.si4")], page, path, test);
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Says in the dialog whose lines the first file with a part of a name has.
fn choose(tab: &Tab, name: &str, side: &str) {
    tab.wait("document.querySelector('#repertoires-open')");
    tab.value("document.querySelector('#repertoires-open').click()");
    let name = json!(name);
    tab.value(&format!(
        "(() => {{ const row = [...document.querySelectorAll('#repertoires li')] \
         .find(row => row.textContent.includes({name})); const box = row.querySelector('select'); \
         box.value = {side:?}; box.dispatchEvent(new Event('change')); }})()"
    ));
    tab.value("document.querySelector('#repertoires').close()");
    tab.settle();
}

/// Goes to a report, which has no board to wait for.
fn open_report(tab: &Tab, address: &str) {
    tab.browser.ask("Page.navigate", json!({ "url": address }));
    tab.wait("document.readyState === 'complete' && document.querySelector('h1')");
}

fn href(tab: &Tab, selector: &str) -> String {
    let href = tab.value(&format!("document.querySelector({selector:?}).href"));
    href.as_str().expect("a link").to_owned()
}

#[test]
fn my_games_are_one_click_once_i_have_said_who_i_am() {
    on("/?q=year:1858", |tab| {
        tab.click("#my-games");
        tab.wait("document.activeElement.id === 'my-name'");
        tab.write("#my-name", "morp");
        tab.wait("document.querySelector('#my-names option')?.value === 'Morphy, Paul'");
        tab.write("#my-name", "Morphy, Paul");
        tab.key("Enter");
        tab.wait("document.querySelector('#report-mine')");
        picture(tab, "my-games.png");
        tab.click("#my-games");
        tab.wait("location.search === '?q=year:1858+player:%22Morphy,+Paul%22'");
        tab.settle();
        let pressed = "document.querySelector('#my-games').ariaPressed";
        assert_eq!(tab.value(pressed), "true");
        // The browser remembers it, also on another page.
        tab.open("/");
        assert_eq!(tab.value(pressed), "false");
        tab.click("#my-games");
        tab.wait("location.search === '?q=player:%22Morphy,+Paul%22'");
        tab.settle();
        tab.click("#kept summary");
        tab.wait("document.querySelector('#report-mine')");
        let report = href(tab, "#report-mine");
        tab.click("#my-games");
        tab.wait("location.search === ''");
        open_report(tab, &report);
        assert!(
            tab.text("h1").contains("Morphy, Paul"),
            "{}",
            tab.text("h1")
        );
    });
}

#[test]
fn another_name_of_mine_takes_the_place_of_the_one_before() {
    on("/", |tab| {
        for (name, query) in [
            ("morphy", "?q=player:morphy"),
            (
                "An\"der\\ssen or",
                "?q=player:%22An%5C%22der%5C%5Cssen+or%22",
            ),
        ] {
            tab.click("#kept summary");
            tab.wait("document.querySelector('#my-name')");
            tab.write("#my-name", name);
            tab.key("Enter");
            tab.wait("document.querySelector('#report-mine')");
            tab.wait("location.search === ''");
            tab.click("#my-games");
            tab.wait(&format!("location.search === {query:?}"));
            assert_eq!(tab.text("#q-fault"), "");
        }
        tab.click("#kept summary");
        tab.write("#my-name", "");
        tab.key("Enter");
        tab.wait("location.search === '' && !document.querySelector('#report-mine')");
        assert!(tab.is("!localStorage.getItem('me')"));
    });
}

#[test]
fn moves_of_a_file_are_marked_and_walked_on_the_board() {
    Lines::new("lines-walked", &[]).with("/", |tab| {
        assert_eq!(tab.texts("#moves-files .of-file").len(), 0);
        choose(tab, "white.pgn", "white");
        assert_eq!(tab.texts("#moves-files .san"), ["e4"]);
        tab.click("#moves-files .san");
        tab.wait("location.search === '?play=e2e4'");
        tab.settle();
        assert_eq!(tab.texts("#moves-files .san"), ["e5", "e6", "c6"]);
        let marked = "[...document.querySelectorAll('#moves-body tr')]\
            .filter(row => row.querySelector('.side'))\
            .map(row => row.querySelector('.san').textContent)";
        let mut marked: Vec<String> = serde_json::from_value(tab.value(marked)).expect("moves");
        marked.sort_unstable();
        assert_eq!(marked, ["c6", "e5", "e6"]);
        picture(tab, "repertoire.png");
        // A place where no game of the filter was, and one that the file does not have.
        tab.open("/?play=e2e4,e7e5,g1f3&q=white:nobody");
        assert_eq!(tab.texts("#moves-files .san"), ["Nc6", "d6", "Nf6"]);
        tab.open("/?play=d2d4");
        assert!(
            tab.text("#moves-files")
                .contains("does not have this position")
        );
        choose(tab, "white.pgn", "");
        assert_eq!(tab.texts("#moves-files .of-file").len(), 0);
        assert!(tab.is("!document.querySelector('#moves-body .side')"));
    });
}

#[test]
fn the_move_with_which_a_game_leaves_a_file_is_marked_in_it() {
    let black = "[White \"?\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n";
    let lines = Lines::new("lines-left", &[("black.pgn", black)]);
    lines.with("/", |tab| {
        choose(tab, "white.pgn", "white");
        choose(tab, "black.pgn", "black");
        // 1.e4 e5 2.Nf3 d6 3.d4 Bg4 4.dxe5 Bxf3 5.Qxf3 dxe5 6.Bc4 Nf6, after which the file ends.
        let opera = "(await (await fetch('/api/search?q=white:morphy&limit=50'))\
            .json()).games.find(game => game.plies === 33)?.id";
        let id = tab.value(&format!("(async () => {opera})()"));
        let id = id.as_str().expect("the opera game").to_owned();
        tab.open(&format!("/?game={id}"));
        tab.wait("document.querySelectorAll('#departures p').length === 2");
        let told = tab.texts("#departures p");
        assert!(
            told[0].contains("black.pgn: 2...d6 left by me (Black); it has 2...Nc6."),
            "{told:?}"
        );
        assert!(
            told[1].contains("white.pgn: 6...Nf6 its lines end before"),
            "{told:?}"
        );
        assert_eq!(
            tab.texts("#notation .leaves"),
            ["black.pgn 2...Nc6, left by me", "white.pgn ends"]
        );
        let before =
            "document.querySelector('#notation .leaves').previousElementSibling.textContent";
        assert_eq!(tab.value(before), "d6");
        picture(tab, "departure.png");
        tab.click("#departures .jump");
        tab.wait("location.search.includes('ply=4')");
        // Another game has other places; one of nobody's lines has none.
        tab.key("n");
        tab.wait(&format!("!location.search.includes({id:?})"));
        tab.settle();
        tab.wait("document.querySelectorAll('#departures p').length === 2");
        choose(tab, "black.pgn", "");
        choose(tab, "white.pgn", "");
        tab.wait("!document.querySelector('#departures p, #notation .leaves')");
    });
}

#[test]
fn the_report_on_a_file_is_about_the_games_of_the_filter() {
    Lines::new("lines-report", &[]).with("/?q=player:morphy", |tab| {
        choose(tab, "white.pgn", "white");
        let report = href(tab, "#moves-files .links a");
        open_report(tab, &report);
        assert_eq!(tab.text("h1"), "Games and the lines of white.pgn");
        assert!(
            tab.text("p").contains("that match player:morphy"),
            "{}",
            tab.text("p")
        );
        // A place leads to its position on the board, with the same filter.
        let place = href(tab, "td a[href*='fen=']");
        assert!(place.contains("&q=player%3Amorphy&fen="), "{place}");
        tab.browser.ask("Page.navigate", json!({ "url": place }));
        tab.wait("document.querySelector('.square')");
        tab.settle();
        assert!(!tab.texts("#moves-files .of-file").is_empty());
    });
}

#[test]
fn what_is_wrong_with_a_file_is_said_beside_its_name() {
    let files = [
        ("broken.pgn", "nonsense"),
        (
            "half.pgn",
            "1. e4 e5 2. Qxq9 *\n\n[White \"?\"]\n\n1. d4 d5 *\n",
        ),
    ];
    Lines::new("lines-wrong", &files).with("/", |tab| {
        tab.expect("500");
        choose(tab, "broken.pgn", "white");
        assert!(
            tab.text("#moves-files .fault")
                .contains("no game with lines")
        );
        choose(tab, "broken.pgn", "");
        choose(tab, "half.pgn", "black");
        assert_eq!(tab.texts("#moves-files .san"), ["e4", "d4"]);
        assert!(
            tab.text("#moves-files .of-file")
                .contains("1 damaged game counts")
        );
        // What other programs have put into the browser's memory is nothing.
        for odd in [
            "[",
            "3",
            "null",
            "{\"lines/white.pgn\": \"red\", \"x\": \"white\"}",
        ] {
            tab.value(&format!("localStorage.setItem('repertoires', {odd:?})"));
            tab.open("/");
            tab.wait("document.querySelector('#repertoires-open')");
            tab.settle();
            assert_eq!(tab.texts("#moves-files .of-file").len(), 0, "{odd}");
        }
    });
}

// Windows has no such names.
#[cfg(unix)]
#[test]
fn repertoires_fit_every_screen_in_both_themes() {
    const EVIL: &str = "<img src=x onerror=\"document.title='hacked'\"> a long name, \u{202e}.pgn";
    let files = [(EVIL, "1. e4 e5 2. Nf3 d6 (2... Nf6 3. d4) *\n")];
    Lines::new("lines-look", &files).with("/", |tab| {
        choose(tab, "white.pgn", "white");
        choose(tab, "long name", "black");
        for theme in ["light", "dark"] {
            tab.prefer(&[("prefers-color-scheme", theme)]);
            for (width, height) in [(1600, 1000), (1024, 768), (420, 900)] {
                tab.size(width, height);
                let fits = |tab: &Tab, name: &str| {
                    let beyond = "document.documentElement.scrollWidth - innerWidth";
                    assert_eq!(tab.number(beyond), 0.0, "{name} {theme} {width}");
                    picture(tab, &format!("{name}-{theme}-{width}.png"));
                };
                let see = |id: &str| {
                    tab.value(&format!("document.querySelector('{id}').scrollIntoView()"))
                };
                tab.open("/?play=e2e4,e7e5,g1f3");
                see("#moves-title");
                fits(tab, "lines-tree");
                tab.wait("document.querySelector('#repertoires-open')");
                tab.click("#repertoires-open");
                fits(tab, "lines-dialog");
                let inside = "(() => { const box = document.querySelector('#repertoires'); \
                              return box.scrollWidth - box.clientWidth; })()";
                assert_eq!(tab.number(inside), 0.0, "{theme} {width}");
                tab.open("/?game=00000003&ply=5");
                tab.wait("document.querySelectorAll('#departures p').length === 2");
                see("#notation");
                fits(tab, "lines-game");
                tab.open("/");
                tab.value("localStorage.setItem('me', 'Morphy, Paul')");
                tab.click("#kept summary");
                fits(tab, "lines-mine");
                let report = href(tab, "#moves-files .links a");
                open_report(tab, &report);
                let beyond = "document.documentElement.scrollWidth - innerWidth";
                assert_eq!(tab.number(beyond), 0.0, "report {theme} {width}");
                picture_of_report(tab, &format!("lines-report-{theme}-{width}.png"));
                assert!(tab.is("!document.querySelector('img')"));
            }
        }
        tab.open("/");
        assert!(tab.is("!document.querySelector('main i img, dialog img')"));
        assert!(tab.is("!document.title.includes('hacked')"));
    });
}
