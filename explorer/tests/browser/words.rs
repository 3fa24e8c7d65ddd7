//! The page in another language: which one it takes, what of it is translated, and whether there
//! is room for its longer words.

use serde_json::json;

use crate::{
    look::picture,
    server::fixture,
    tab::{Tab, on, with},
};

/// Opens a page in a browser whose reader speaks German.
fn in_german(path: &str, test: impl FnOnce(&mut Tab)) {
    let databases = vec![fixture("famous.si4"), fixture("famous.pgn")];
    with(databases, "/", |tab| {
        speak(tab, "de-AT,de;q=0.9,en;q=0.8");
        tab.open(path);
        test(tab);
    });
}

/// Lets the browser prefer languages.
fn speak(tab: &Tab, languages: &str) {
    let agent = tab.value("navigator.userAgent");
    let wanted = json!({ "userAgent": agent, "acceptLanguage": languages });
    tab.browser.ask("Emulation.setUserAgentOverride", wanted);
}

/// Returns what the page shows or tells in English although there is a German text for it.
fn english(tab: &Tab) -> Vec<String> {
    let found = tab.value(
        r##"import("/page/words-de.js").then(({ WORDS }) => {
          const isEnglish = (text) => WORDS[text] && WORDS[text] !== text;
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const texts = [];
          while (walker.nextNode()) {
            // Names of tags are part of the data, and languages have their own names.
            const isData = walker.currentNode.parentElement.closest("#game-tags, option");
            if (!isData) texts.push(walker.currentNode.data.trim().replace(/\s+/g, " "));
          }
          for (const name of ["title", "aria-label", "placeholder", "alt"]) {
            // Titles of chips are queries.
            for (const part of document.querySelectorAll(`[${name}]:not(.chip)`)) {
              texts.push(part.getAttribute(name));
            }
          }
          return texts.filter(isEnglish);
        })"##,
    );
    let found = found.as_array().expect("texts").iter();
    found.map(|text| text.to_string()).collect()
}

#[test]
fn the_page_speaks_the_language_of_the_browser() {
    in_german("/?play=e2e4", |tab| {
        assert_eq!(tab.value("document.documentElement.lang"), "de");
        assert_eq!(tab.text("#moves-title"), "Züge");
        assert_eq!(tab.text("#status"), "Schwarz am Zug");
        assert_eq!(tab.square("e4"), "weißer Bauer");
        assert!(tab.text("#games-count").ends_with(" Partien"));
        assert_eq!(tab.value("document.title"), "1 Zug · tabiya explorer");
        assert_eq!(
            tab.value("document.querySelector('#theme').ariaLabel"),
            "Dunkle Farben verwenden"
        );
        let left = english(tab);
        assert!(left.is_empty(), "{left:#?}");
        picture(tab, "german.png");
        tab.value("document.querySelector('#q').focus()");
        tab.value("document.querySelector('#q').value = 'nonsense('");
        tab.value("document.querySelector('#q').dispatchEvent(new Event('input'))");
        tab.wait_for_text("#said", "Der Filter hat einen Fehler");
    });
}

#[test]
fn a_language_that_the_page_lacks_gives_way_to_the_next() {
    on("/", |tab| {
        speak(tab, "fi,de,en");
        tab.open("/");
        assert_eq!(tab.value("document.documentElement.lang"), "de");
        speak(tab, "fi");
        tab.open("/");
        assert_eq!(tab.value("document.documentElement.lang"), "en");
        assert_eq!(tab.text("#moves-title"), "Moves");
        assert!(!tab.is("document.documentElement.classList.contains('untranslated')"));
    });
}

#[test]
fn an_open_game_is_written_in_german() {
    in_german("/?game=00000003&ply=5", |tab| {
        let moves = tab.texts("#notation .ply").join(" ");
        assert!(moves.contains("Sf3"), "{moves}");
        assert!(!moves.contains('N'), "{moves}");
        assert_eq!(tab.text("#explore"), "Stellung erkunden");
        let left = english(tab);
        assert!(left.is_empty(), "{left:#?}");
        tab.click("#game-annotate");
        tab.wait("!document.querySelector('#annotate').hidden");
        tab.settle();
        assert!(
            tab.texts("#annotate button")
                .contains(&"Rückgängig".to_owned())
        );
        let left = english(tab);
        assert!(left.is_empty(), "{left:#?}");
        picture(tab, "german-game.png");
    });
}

#[test]
fn dialogs_are_in_german_too() {
    in_german("/", |tab| {
        for (button, dialog, text) in [
            ("#open-form", "#form", "Partien suchen"),
            ("#open-editor", "#editor", "Stellung aufbauen"),
            ("#help-open", "#help", "dreht das Brett"),
            ("#preferences-open", "#preferences", "Einstellungen"),
        ] {
            tab.click(button);
            tab.wait(&format!("document.querySelector('{dialog}').open"));
            tab.wait_for_text(dialog, text);
            let left = english(tab);
            assert!(left.is_empty(), "{dialog}: {left:#?}");
            tab.key("Escape");
            tab.wait(&format!("!document.querySelector('{dialog}').open"));
        }
    });
}

#[test]
fn names_of_openings_are_german_and_asked_in_english() {
    in_german(
        "/?play=e2e4,c7c5,g1f3,d7d6,d2d4,c5d4,f3d4,g8f6,b1c3,a7a6",
        |tab| {
            let name = "Sizilianische Verteidigung: Najdorf-Variante";
            assert_eq!(tab.text("#opening"), name);
            tab.value("document.querySelector('#find-opening').focus()");
            tab.value("document.querySelector('#find-opening').value = 'petrov'");
            tab.value("document.querySelector('#find-opening').dispatchEvent(new Event('input'))");
            tab.wait_for_text("#opening-form .list", "Russische Verteidigung");
            // The first is a way to decline the King's Gambit.
            tab.key("ArrowDown");
            tab.key("Enter");
            tab.wait("location.search === '?play=e2e4,e7e5,g1f3,g8f6'");
        },
    );
}

#[test]
fn nothing_in_german_reaches_beyond_the_side_of_a_screen() {
    in_german("/", |tab| {
        for width in [360, 768, 1024, 1280, 1920] {
            tab.size(width, 800);
            for path in [
                "/?play=e2e4,c7c5",
                "/?game=00000003&ply=5",
                "/?game=mine",
                "/?q=white:nobody",
            ] {
                tab.open(path);
                tab.value("document.querySelectorAll('details').forEach(part => part.open = true)");
                let wide = tab.number("document.documentElement.scrollWidth");
                assert_eq!(wide, f64::from(width), "{path} at {width}");
                let cut = "[...document.querySelectorAll('button, .button, summary, label')]\
                    .filter(part => part.checkVisibility() && part.clientWidth > 0 \
                    && !part.closest('td, #databases, .unseen') \
                    && part.scrollWidth > part.clientWidth + 1).map(part => part.textContent)";
                assert_eq!(tab.value(cut), json!([]), "{path} at {width}");
            }
            tab.open("/");
            tab.panel("filter");
            for (button, dialog) in [
                ("#open-form", "#form"),
                ("#open-editor", "#editor"),
                ("#help-open", "#help"),
                ("#preferences-open", "#preferences"),
            ] {
                tab.click(button);
                tab.wait(&format!("document.querySelector('{dialog}').open"));
                let beyond = format!(
                    "(dialog => dialog.scrollWidth - dialog.clientWidth)\
                     (document.querySelector('{dialog}'))"
                );
                assert_eq!(tab.number(&beyond), 0.0, "{dialog} at {width}");
                picture(tab, &format!("german-{}-{width}.png", &dialog[1..]));
                tab.key("Escape");
                tab.wait(&format!("!document.querySelector('{dialog}').open"));
            }
        }
    });
}

/// Chooses a value in the settings, and opens the page anew.
fn choose(tab: &Tab, setting: &str, value: &str) {
    tab.click("#preferences-open");
    // The page loads itself again, and only after it has answered.
    let set = format!(
        "setTimeout((select) => {{ select.value = '{value}'; \
         select.dispatchEvent(new Event('change')); }}, 0, \
         document.querySelector('#setting-{setting}'))"
    );
    tab.load_by(|| {
        tab.value(&set);
    });
}

#[test]
fn a_language_that_is_chosen_stays() {
    in_german("/?play=e2e4", |tab| {
        choose(tab, "language", "en");
        assert_eq!(tab.value("document.documentElement.lang"), "en");
        assert_eq!(tab.text("#status"), "Black to move");
        tab.open("/");
        assert_eq!(tab.text("#moves-title"), "Moves");
        assert_eq!(tab.square("e2"), "white pawn");
        choose(tab, "language", "de");
        assert_eq!(tab.text("#moves-title"), "Züge");
    });
}

#[test]
fn moves_have_the_letters_or_figurines_that_are_chosen() {
    on("/?play=g1f3", |tab| {
        assert_eq!(tab.text("#line .ply"), "1.Nf3");
        choose(tab, "letters", "figurines");
        assert_eq!(tab.text("#line .ply"), "1.♘f3");
        assert_eq!(tab.address(), "/?play=g1f3");
        assert!(
            tab.texts("#moves-body .san")
                .iter()
                .any(|san| san == "♞f6" || san == "♘f6")
        );
        choose(tab, "language", "de");
        choose(tab, "letters", "language");
        assert_eq!(tab.text("#line .ply"), "1.Sf3");
        choose(tab, "letters", "english");
        assert_eq!(tab.text("#line .ply"), "1.Nf3");
    });
}
